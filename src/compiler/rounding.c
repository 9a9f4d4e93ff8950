/* Owns what stands for instructions that round, on processors without SSE4.1; see rounding.h. Must know
 * nothing of kernels. */
#include "compiler/rounding.h"

#include "compiler/value.h"
#include "compiler/visit.h"

#include <llvm-c/Core.h>

struct rounding {
  LLVMBuilderRef b;
  LLVMTypeRef type, bits; /* bits: integers as wide */
  LLVMValueRef x, sign;   /* sign: the bits that say it */
};

static LLVMValueRef bits_of(const struct rounding *r, LLVMValueRef v) {
  return LLVMBuildBitCast(r->b, v, r->bits, "");
}

static LLVMValueRef with_sign(const struct rounding *r, LLVMValueRef v) {
  return LLVMBuildBitCast(r->b, LLVMBuildOr(r->b, bits_of(r, v), r->sign, ""), r->type, "");
}

static LLVMValueRef choose(const struct rounding *r, LLVMRealPredicate is, LLVMValueRef a, LLVMValueRef b,
                           LLVMValueRef yes, LLVMValueRef no) {
  return LLVMBuildSelect(r->b, LLVMBuildFCmp(r->b, is, a, b, ""), yes, no, "");
}

/* Of a magnitude: what is too large for fractions, and NaN, stays; other sums with the least such number lose
 * theirs. */
static LLVMValueRef nearest(const struct rounding *r, LLVMValueRef a) {
  const bool is_float = LLVMGetTypeKind(kiln_element_type(r->type)) == LLVMFloatTypeKind;
  LLVMValueRef whole = kiln_real_like(r->type, is_float ? 0x1p23 : 0x1p52);
  LLVMValueRef sum = LLVMBuildFSub(r->b, LLVMBuildFAdd(r->b, a, whole, ""), whole, "");
  return choose(r, LLVMRealOLT, a, whole, sum, a);
}

static struct rounding start(LLVMBuilderRef b, LLVMValueRef x) {
  LLVMTypeRef type = LLVMTypeOf(x), element = kiln_element_type(type);
  const unsigned width = LLVMGetTypeKind(element) == LLVMFloatTypeKind ? 32 : 64;
  LLVMTypeRef integer = LLVMIntTypeInContext(LLVMGetTypeContext(element), width);
  struct rounding r = {.b = b, .type = type, .bits = kiln_type_like(type, integer), .x = x};
  LLVMValueRef top = kiln_integer_like(r.bits, 1ull << (width - 1));
  r.sign = LLVMBuildAnd(b, bits_of(&r, x), top, "");
  return r;
}

static LLVMValueRef magnitude(const struct rounding *r) {
  return LLVMBuildBitCast(r->b, LLVMBuildXor(r->b, bits_of(r, r->x), r->sign, ""), r->type, "");
}

static LLVMValueRef rint_of(const struct rounding *r) { return with_sign(r, nearest(r, magnitude(r))); }

static LLVMValueRef trunc_of(const struct rounding *r) {
  LLVMValueRef a = magnitude(r), n = nearest(r, a),
               less = LLVMBuildFSub(r->b, n, kiln_real_like(r->type, 1), "");
  return with_sign(r, choose(r, LLVMRealOGT, n, a, less, n));
}

static LLVMValueRef floor_of(const struct rounding *r) {
  LLVMValueRef n = rint_of(r), less = LLVMBuildFSub(r->b, n, kiln_real_like(r->type, 1), "");
  return choose(r, LLVMRealOGT, n, r->x, less, n);
}

/* Of what lies between -1 and 0 it is -0. */
static LLVMValueRef ceil_of(const struct rounding *r) {
  LLVMValueRef n = rint_of(r), more = LLVMBuildFAdd(r->b, n, kiln_real_like(r->type, 1), "");
  return with_sign(r, choose(r, LLVMRealOLT, n, r->x, more, n));
}

static LLVMValueRef visit(LLVMBuilderRef b, LLVMValueRef i) {
  static const struct {
    const char *prefix;
    LLVMValueRef (*make)(const struct rounding *r);
  } forms[] = {
      {"llvm.rint.", rint_of}, {"llvm.trunc.", trunc_of}, {"llvm.floor.", floor_of}, {"llvm.ceil.", ceil_of}};
  LLVMValueRef next = LLVMGetNextInstruction(i);
  if (LLVMIsAIntrinsicInst(i) == NULL) return next;
  const LLVMTypeKind kind = LLVMGetTypeKind(kiln_element_type(LLVMTypeOf(i)));
  if (kind != LLVMFloatTypeKind && kind != LLVMDoubleTypeKind) return next;
  for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
    if (!kiln_name_begins(LLVMGetCalledValue(i), forms[k].prefix)) continue;
    LLVMPositionBuilderBefore(b, i);
    const struct rounding r = start(b, LLVMGetOperand(i, 0));
    LLVMReplaceAllUsesWith(i, forms[k].make(&r));
    LLVMInstructionEraseFromParent(i);
    break;
  }
  return next;
}

void kiln_round_by_sums(LLVMModuleRef module) { kiln_visit_instructions(module, visit); }
