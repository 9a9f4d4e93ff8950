/* Owns what stands for conversions from and to halves, see half_conversions.h. Must know nothing of kernels.
 *
 * Nothing here rests on denormal floats, which kernels may flush. */
#include "compiler/half_conversions.h"

#include "compiler/elementwise.h"
#include "compiler/value.h"
#include "compiler/visit.h"

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <string.h>

enum { MOST_OPERANDS = 3 };

static bool is_half(LLVMTypeRef type) { return kiln_is_of(type, LLVMHalfTypeKind); }

static LLVMTypeRef integers_like(LLVMTypeRef type, unsigned bits) {
  return kiln_type_like(type, LLVMIntTypeInContext(LLVMGetTypeContext(type), bits));
}

static LLVMValueRef replace(LLVMValueRef inst, LLVMValueRef made) {
  LLVMValueRef next = LLVMGetNextInstruction(inst);
  LLVMReplaceAllUsesWith(inst, made);
  LLVMInstructionEraseFromParent(inst);
  return next;
}

/* ---- doubles to halves ---- */

/* Doubles as floats, rounded to odd: cut off, with the last bit set where something was lost. What has two
 * bits more than a half and was rounded so gives what one rounding would. */
static LLVMValueRef float_to_odd(LLVMBuilderRef b, LLVMValueRef x) {
  LLVMTypeRef type = LLVMTypeOf(x), integers = integers_like(type, 64);
  LLVMValueRef bits = LLVMBuildBitCast(b, x, integers, ""),
               below = kiln_integer_like(integers, 0x1fffffff); /* a float's last bit */
  LLVMValueRef lost =
      LLVMBuildAdd(b, LLVMBuildAnd(b, bits, below, ""), below, ""); /* carries where any bit is set */
  bits = LLVMBuildAnd(b, LLVMBuildOr(b, bits, lost, ""), LLVMBuildNot(b, below, ""), "");
  return LLVMBuildFPTrunc(b, LLVMBuildBitCast(b, bits, type, ""), kiln_floats_like(type), "");
}

static LLVMValueRef visit_doubles(LLVMBuilderRef b, LLVMValueRef i) {
  if (LLVMGetInstructionOpcode(i) != LLVMFPTrunc || !is_half(LLVMTypeOf(i)) ||
      !kiln_is_of(LLVMTypeOf(LLVMGetOperand(i, 0)), LLVMDoubleTypeKind))
    return LLVMGetNextInstruction(i);
  LLVMPositionBuilderBefore(b, i);
  return replace(i, LLVMBuildFPTrunc(b, float_to_odd(b, LLVMGetOperand(i, 0)), LLVMTypeOf(i), ""));
}

void kiln_narrow_doubles_by_floats(LLVMModuleRef module) { kiln_visit_instructions(module, visit_doubles); }

/* ---- operations ---- */

/* Those for which rounding a float's result gives what one rounding would: a float has more than twice a
 * half's bits and two. llvm.fma stands for mad alone, which may have any accuracy; the builtin fma, which is
 * to be rounded once, is another function (math_exact.cl). */
static const char *rounded_alike(LLVMValueRef inst) {
  static const char *const names[] = {"llvm.sqrt",      "llvm.floor",   "llvm.ceil",        "llvm.trunc",
                                      "llvm.rint",      "llvm.round",   "llvm.minnum",      "llvm.maxnum",
                                      "llvm.nearbyint", "llvm.minimum", "llvm.maximum",     "llvm.roundeven",
                                      "llvm.fma",       "llvm.fmuladd", "llvm.canonicalize"};
  if (LLVMIsAIntrinsicInst(inst) == NULL || !is_half(LLVMTypeOf(inst))) return NULL;
  const struct kiln_elementwise *found = kiln_elementwise_find(LLVMGetCalledValue(inst));
  for (size_t k = 0; found != NULL && k < sizeof names / sizeof *names; k++)
    if (strcmp(found->name, names[k]) == 0) return names[k];
  return NULL;
}

/* One instruction where processors have it: the product of halves is exact. */
static LLVMValueRef contracted(LLVMValueRef x) {
  if (LLVMIsAInstruction(x) != NULL) LLVMSetFastMathFlags(x, LLVMFastMathAllowContract);
  return x;
}

/* x y + z; llvm.fmuladd's product is rounded to a half by itself: rounding the sum to a float and then to a
 * half may give neither what one rounding would nor what those of product and sum do. */
static LLVMValueRef sum_in_floats(LLVMBuilderRef b, const char *name, LLVMValueRef *x, LLVMTypeRef half) {
  LLVMValueRef product = contracted(LLVMBuildFMul(b, x[0], x[1], ""));
  if (strcmp(name, "llvm.fmuladd") == 0) product = kiln_as_floats(b, LLVMBuildFPTrunc(b, product, half, ""));
  return contracted(LLVMBuildFAdd(b, product, x[2], ""));
}

/* A call of one of rounded_alike. */
static LLVMValueRef call_with_floats(LLVMBuilderRef b, const char *name, LLVMValueRef call) {
  const unsigned n = (unsigned)LLVMGetNumArgOperands(call);
  LLVMTypeRef half = LLVMTypeOf(call);
  LLVMValueRef x[MOST_OPERANDS];
  for (unsigned k = 0; k < n; k++) x[k] = kiln_as_floats(b, LLVMGetOperand(call, k));
  LLVMValueRef made =
      n < 3 ? kiln_elementwise_call(b, name, LLVMTypeOf(x[0]), x, n) : sum_in_floats(b, name, x, half);
  return LLVMBuildFPTrunc(b, made, half, "");
}

/* Signs are bits, for which code generation would take floats in vectors. NULL: something else. */
static LLVMValueRef sign_by_bits(LLVMBuilderRef b, LLVMValueRef i) {
  const bool negates = LLVMGetInstructionOpcode(i) == LLVMFNeg, calls = LLVMIsAIntrinsicInst(i) != NULL,
             clears = calls && kiln_name_begins(LLVMGetCalledValue(i), "llvm.fabs."),
             copies = calls && kiln_name_begins(LLVMGetCalledValue(i), "llvm.copysign.");
  LLVMTypeRef type = LLVMTypeOf(i), integers = integers_like(type, 16);
  if ((!negates && !clears && !copies) || !is_half(type)) return NULL;
  LLVMValueRef sign = kiln_integer_like(integers, 0x8000), rest = kiln_integer_like(integers, 0x7fff);
  LLVMPositionBuilderBefore(b, i);
  LLVMValueRef bits = LLVMBuildBitCast(b, LLVMGetOperand(i, 0), integers, "");
  bits = negates ? LLVMBuildXor(b, bits, sign, "") : LLVMBuildAnd(b, bits, rest, "");
  if (copies) {
    LLVMValueRef from = LLVMBuildBitCast(b, LLVMGetOperand(i, 1), integers, "");
    bits = LLVMBuildOr(b, bits, LLVMBuildAnd(b, from, sign, ""), "");
  }
  return LLVMBuildBitCast(b, bits, type, "");
}

/* NULL: not an operation on halves. */
static LLVMValueRef with_floats(LLVMBuilderRef b, LLVMValueRef i) {
  const LLVMOpcode op = LLVMGetInstructionOpcode(i);
  const char *name = rounded_alike(i);
  const bool is_arithmetic =
      op == LLVMFAdd || op == LLVMFSub || op == LLVMFMul || op == LLVMFDiv || op == LLVMFRem;
  const bool from = op == LLVMFCmp || op == LLVMFPToSI || op == LLVMFPToUI,
             to = op == LLVMSIToFP || op == LLVMUIToFP;
  if (name == NULL && !is_arithmetic && !from && !to) return NULL;
  LLVMTypeRef result = LLVMTypeOf(i);
  if (!is_half(from ? LLVMTypeOf(LLVMGetOperand(i, 0)) : result)) return NULL;
  LLVMPositionBuilderBefore(b, i);
  if (name != NULL) return call_with_floats(b, name, i);
  const unsigned n = (unsigned)LLVMGetNumOperands(i);
  LLVMValueRef x[2], made;
  for (unsigned k = 0; k < n && k < 2; k++) {
    x[k] = LLVMGetOperand(i, k);
    if (!to) x[k] = kiln_as_floats(b, x[k]);
  }
  if (is_arithmetic) made = LLVMBuildBinOp(b, op, x[0], x[1], "");
  else if (op == LLVMFCmp) made = LLVMBuildFCmp(b, LLVMGetFCmpPredicate(i), x[0], x[1], "");
  else made = LLVMBuildCast(b, op, x[0], to ? kiln_floats_like(result) : result, "");
  return from ? made : LLVMBuildFPTrunc(b, made, result, "");
}

static LLVMValueRef visit_operation(LLVMBuilderRef b, LLVMValueRef i) {
  LLVMValueRef made = sign_by_bits(b, i);
  if (made == NULL) made = with_floats(b, i);
  return made == NULL ? LLVMGetNextInstruction(i) : replace(i, made);
}

/* All but arithmetic, which stays vectors in code generation, and signs. */
static bool is_taken_apart(LLVMValueRef i) {
  const LLVMOpcode op = LLVMGetInstructionOpcode(i);
  return op == LLVMCall || ((op == LLVMFCmp || op == LLVMFPToSI || op == LLVMFPToUI) &&
                            LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(i, 0))) == LLVMVectorTypeKind);
}

static LLVMValueRef visit_taken_apart(LLVMBuilderRef b, LLVMValueRef i) {
  LLVMValueRef made = is_taken_apart(i) ? with_floats(b, i) : NULL;
  return made == NULL ? LLVMGetNextInstruction(i) : replace(i, made);
}

void kiln_keep_halves_together(LLVMModuleRef module) { kiln_visit_instructions(module, visit_taken_apart); }

/* ---- conversions ---- */

struct conversion {
  LLVMBuilderRef b;
  LLVMTypeRef number, bits; /* floats and integers as wide, or vectors of them */
};

static struct conversion conversion_like(LLVMBuilderRef b, LLVMTypeRef type) {
  return (struct conversion){b, kiln_floats_like(type), integers_like(type, 32)};
}

static LLVMValueRef constant(const struct conversion *c, unsigned x) { return kiln_integer_like(c->bits, x); }

static LLVMValueRef masked(const struct conversion *c, LLVMValueRef x, unsigned y) {
  return LLVMBuildAnd(c->b, x, constant(c, y), "");
}

static LLVMValueRef plus(const struct conversion *c, LLVMValueRef x, unsigned y) {
  return LLVMBuildAdd(c->b, x, constant(c, y), "");
}

static LLVMValueRef right(const struct conversion *c, LLVMValueRef x, unsigned n) {
  return LLVMBuildLShr(c->b, x, constant(c, n), "");
}

/* x + y with both as floats. */
static LLVMValueRef plus_number(const struct conversion *c, LLVMValueRef x, double y) {
  LLVMValueRef sum =
      LLVMBuildFAdd(c->b, LLVMBuildBitCast(c->b, x, c->number, ""), kiln_real_like(c->number, y), "");
  return LLVMBuildBitCast(c->b, sum, c->bits, "");
}

/* Neither has a sign bit. */
static LLVMValueRef choose(const struct conversion *c, LLVMValueRef x, LLVMIntPredicate is, unsigned y,
                           LLVMValueRef then, LLVMValueRef otherwise) {
  return LLVMBuildSelect(c->b, LLVMBuildICmp(c->b, is, x, constant(c, y), ""), then, otherwise, "");
}

#define EXPONENT(e) ((unsigned)(e) << 23) /* of a float */
enum { REBIASED = 127 - 15 };             /* between a float's exponents and a half's */

/* The exponent is rebiased. That of infinities and NaN becomes 255 by doing it twice; what is denormal is a
 * float with 2^-14 added, which is taken off again. */
static LLVMValueRef half_to_float(LLVMBuilderRef b, LLVMValueRef x) {
  const struct conversion c = conversion_like(b, LLVMTypeOf(x));
  LLVMValueRef bits = LLVMBuildBitCast(b, x, integers_like(LLVMTypeOf(x), 16), "");
  bits = LLVMBuildShl(b, LLVMBuildSExt(b, bits, c.bits, ""), constant(&c, 13), "");
  LLVMValueRef magnitude = masked(&c, bits, 0x7fff << 13), normal = plus(&c, magnitude, EXPONENT(REBIASED));
  LLVMValueRef denormal = plus_number(&c, plus(&c, magnitude, EXPONENT(REBIASED + 1)), -0x1p-14),
               special = plus(&c, normal, EXPONENT(REBIASED));
  LLVMValueRef r = choose(&c, magnitude, LLVMIntSLT, EXPONENT(1), denormal, normal);
  r = choose(&c, magnitude, LLVMIntSLT, EXPONENT(31), r, special);
  r = LLVMBuildOr(b, r, masked(&c, bits, 1u << 31), "");
  return LLVMBuildBitCast(b, r, c.number, "");
}

/* The mantissa is rounded to even by adding just under half of its new last bit, and that bit; a carry goes
 * into the exponent, up to infinity. The sum of 1/2 and what becomes denormal is rounded where the half is.
 * NaN keeps its upper bits. */
static LLVMValueRef float_to_half(LLVMBuilderRef b, LLVMValueRef x, LLVMTypeRef type) {
  const struct conversion c = conversion_like(b, type);
  LLVMValueRef bits = LLVMBuildBitCast(b, x, c.bits, ""), magnitude = masked(&c, bits, 0x7fffffff),
               short_bits = right(&c, magnitude, 13);
  LLVMValueRef normal = plus(&c, magnitude, 0xfff - EXPONENT(REBIASED));
  normal = right(&c, LLVMBuildAdd(b, normal, masked(&c, short_bits, 1), ""), 13);
  LLVMValueRef denormal = plus(&c, plus_number(&c, magnitude, 0.5), -EXPONENT(126));
  LLVMValueRef nan = LLVMBuildOr(b, masked(&c, short_bits, 0x7fff), constant(&c, 0x200), ""),
               special = choose(&c, magnitude, LLVMIntSGT, EXPONENT(255), nan, constant(&c, 0x7c00));
  LLVMValueRef r = choose(&c, magnitude, LLVMIntSLT, EXPONENT(REBIASED + 1), denormal, normal);
  r = choose(&c, magnitude, LLVMIntSLT, EXPONENT(REBIASED + 31), r, special);
  r = LLVMBuildOr(b, r, masked(&c, right(&c, bits, 16), 0x8000), "");
  return LLVMBuildBitCast(b, LLVMBuildTrunc(b, r, integers_like(type, 16), ""), type, "");
}

static LLVMValueRef visit_conversion(LLVMBuilderRef b, LLVMValueRef i) {
  const LLVMOpcode op = LLVMGetInstructionOpcode(i);
  LLVMTypeRef type = LLVMTypeOf(i);
  if (op != LLVMFPExt && op != LLVMFPTrunc) return LLVMGetNextInstruction(i);
  LLVMValueRef x = LLVMGetOperand(i, 0);
  if (!is_half(op == LLVMFPExt ? LLVMTypeOf(x) : type)) return LLVMGetNextInstruction(i);
  LLVMPositionBuilderBefore(b, i);
  if (op == LLVMFPTrunc) return replace(i, float_to_half(b, x, type));
  LLVMValueRef made = half_to_float(b, x);
  return replace(i, LLVMTypeOf(made) == type ? made : LLVMBuildFPExt(b, made, type, ""));
}

void kiln_convert_halves_by_integers(LLVMModuleRef module) {
  kiln_narrow_doubles_by_floats(module);
  kiln_visit_instructions(module, visit_operation);
  kiln_visit_instructions(module, visit_conversion);
}
