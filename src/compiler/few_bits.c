/* Computes in 16 bits what fits there; see few_bits.h. */
#include "compiler/few_bits.h"

#include "compiler/elementwise.h"
#include "compiler/value.h"
#include "compiler/visit.h"

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { BITS = 16, MOST_DEPTH = 64, MOST_NODES = 256 };

/* All values that a number can have lie in it. */
struct range {
  int64_t low, high;
};

/* ---- types, of numbers and vectors of them ---- */

/* Bits of an integer; 0: something else. */
static unsigned bits_of(LLVMValueRef v) {
  LLVMTypeRef type = kiln_element_type(LLVMTypeOf(v));
  return LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
}

static LLVMTypeRef narrow_type(LLVMValueRef v) {
  LLVMTypeRef type = LLVMTypeOf(v);
  return kiln_type_like(type, LLVMIntTypeInContext(LLVMGetTypeContext(type), BITS));
}

/* ---- ranges ---- */

static bool is_inside(struct range r, int64_t low, int64_t high) { return low <= r.low && r.high <= high; }

static bool is_unsigned(struct range r) { return is_inside(r, 0, UINT16_MAX); }

static bool is_signed(struct range r) { return is_inside(r, INT16_MIN, INT16_MAX); }

static struct range hull(int64_t a, int64_t b, int64_t c, int64_t d) {
  const int64_t x[] = {a, b, c, d};
  struct range r = {a, a};
  for (unsigned i = 1; i < 4; i++) {
    if (x[i] < r.low) r.low = x[i];
    if (x[i] > r.high) r.high = x[i];
  }
  return r;
}

static bool range_of_constant(LLVMValueRef v, struct range *r) {
  const bool is_vector = LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind;
  const unsigned n = is_vector ? LLVMGetVectorSize(LLVMTypeOf(v)) : 1;
  for (unsigned i = 0; i < n; i++) {
    LLVMValueRef one = is_vector ? LLVMGetAggregateElement(v, i) : v;
    if (one == NULL || LLVMIsAConstantInt(one) == NULL) return false;
    const int64_t x = LLVMConstIntGetSExtValue(one);
    *r = i == 0 ? (struct range){x, x} : hull(r->low, r->high, x, x);
  }
  return is_inside(*r, INT32_MIN, INT32_MAX);
}

/* Extended from 8 or 16 bits. */
static bool range_of_extension(LLVMValueRef v, struct range *r) {
  const unsigned bits = bits_of(LLVMGetOperand(v, 0));
  if (bits != 8 && bits != BITS) return false;
  *r = LLVMIsAZExtInst(v) ? (struct range){0, (INT64_C(1) << bits) - 1}
                          : (struct range){-(INT64_C(1) << (bits - 1)), (INT64_C(1) << (bits - 1)) - 1};
  return true;
}

static bool combine(LLVMOpcode op, struct range x, struct range y, struct range *r) {
  switch (op) {
  case LLVMAdd:
    *r = (struct range){x.low + y.low, x.high + y.high};
    return true;
  case LLVMSub:
    *r = (struct range){x.low - y.high, x.high - y.low};
    return true;
  case LLVMMul:
    *r = hull(x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high);
    return true;
  case LLVMShl:
    if (!is_inside(y, 0, BITS - 1)) return false;
    *r = hull(x.low * (1 << y.low), x.low * (1 << y.high), x.high * (1 << y.low), x.high * (1 << y.high));
    return true;
  default:
    return false;
  }
}

/* ---- what fits ---- */

/* Takes the upper bits of its operand down. */
static bool goes_downwards(LLVMValueRef v) {
  return LLVMIsABinaryOperator(v) != NULL &&
         (LLVMGetInstructionOpcode(v) == LLVMUDiv || LLVMGetInstructionOpcode(v) == LLVMSDiv ||
          LLVMGetInstructionOpcode(v) == LLVMLShr || LLVMGetInstructionOpcode(v) == LLVMAShr);
}

static bool is_shift(LLVMValueRef v) {
  return LLVMGetInstructionOpcode(v) == LLVMLShr || LLVMGetInstructionOpcode(v) == LLVMAShr;
}

static bool takes_sign(LLVMValueRef v) {
  return LLVMGetInstructionOpcode(v) == LLVMSDiv || LLVMGetInstructionOpcode(v) == LLVMAShr;
}

/* By constants from 1 on, or 0 for shifts, that are the same number in 16 bits. */
static bool takes_down(LLVMValueRef v, struct range x, struct range *r) {
  struct range y;
  if (!LLVMIsConstant(LLVMGetOperand(v, 1)) || !range_of_constant(LLVMGetOperand(v, 1), &y)) return false;
  if (!is_inside(y, is_shift(v) ? 0 : 1, is_shift(v) ? BITS - 1 : INT16_MAX)) return false;
  if (!is_unsigned(x) && !(is_signed(x) && takes_sign(v))) return false;
  if (is_shift(v)) *r = hull(x.low >> y.low, x.low >> y.high, x.high >> y.low, x.high >> y.high);
  else *r = hull(x.low / y.low, x.low / y.high, x.high / y.low, x.high / y.high);
  return true;
}

/* ---- the smaller and the larger of two ---- */

/* "llvm.smin" and the like; NULL: v is no such thing. */
static const char *extreme_of(LLVMValueRef v) {
  LLVMValueRef fn = LLVMIsACallInst(v) ? LLVMIsAFunction(LLVMGetCalledValue(v)) : NULL;
  const struct kiln_elementwise *how = fn == NULL ? NULL : kiln_elementwise_find(fn);
  if (how == NULL) return NULL;
  const char *end = how->name + strlen(how->name) - 3;
  return strcmp(end, "min") == 0 || strcmp(end, "max") == 0 ? how->name : NULL;
}

static bool is_smaller(const char *extreme) { return strcmp(strchr(extreme, 0) - 3, "min") == 0; }

/* What is not negative compares alike with and without a sign. */
static bool extreme_range(const char *extreme, struct range x, struct range y, struct range *r) {
  const bool compares_signs = extreme[strlen("llvm.")] == 's';
  if (!(is_unsigned(x) && is_unsigned(y)) && !(compares_signs && is_signed(x) && is_signed(y))) return false;
  if (is_smaller(extreme) ? y.low < x.low : y.low > x.low) x.low = y.low;
  if (is_smaller(extreme) ? y.high < x.high : y.high > x.high) x.high = y.high;
  *r = x;
  return true;
}

/* ---- trees ---- */

struct tree {
  unsigned nodes;
  bool gains; /* has something that the language makes wide without need */
};

/* Whether v can be computed in 16 bits, of numbers that have no more: its range then, which is that of the
 * wide form as well. */
static bool find_range(struct tree *t, LLVMValueRef v, unsigned depth, struct range *r) {
  struct range x, y;
  const char *extreme = extreme_of(v);
  if (++t->nodes > MOST_NODES || depth > MOST_DEPTH || bits_of(v) < 32 || bits_of(v) > 64) return false;
  if (LLVMIsConstant(v)) return range_of_constant(v, r);
  if (LLVMIsAZExtInst(v) || LLVMIsASExtInst(v)) return range_of_extension(v, r);
  if (extreme == NULL && !LLVMIsABinaryOperator(v)) return false;
  t->gains |= extreme != NULL || goes_downwards(v);
  if (!find_range(t, LLVMGetOperand(v, 0), depth + 1, &x)) return false;
  if (extreme == NULL && goes_downwards(v)) return takes_down(v, x, r);
  if (!find_range(t, LLVMGetOperand(v, 1), depth + 1, &y)) return false;
  if (extreme != NULL) return extreme_range(extreme, x, y, r);
  return combine(LLVMGetInstructionOpcode(v), x, y, r) && is_inside(*r, INT32_MIN, INT32_MAX);
}

static bool is_never_negative(LLVMValueRef v) {
  struct tree t = {0};
  struct range r;
  return find_range(&t, v, 0, &r) && is_unsigned(r);
}

static LLVMValueRef narrow(LLVMBuilderRef b, LLVMValueRef v);

static LLVMValueRef narrow_extreme(LLVMBuilderRef b, LLVMValueRef v) {
  const bool is_plain = is_never_negative(LLVMGetOperand(v, 0)) && is_never_negative(LLVMGetOperand(v, 1));
  const char *name = is_smaller(extreme_of(v)) ? is_plain ? "llvm.umin" : "llvm.smin"
                     : is_plain                ? "llvm.umax"
                                               : "llvm.smax";
  LLVMValueRef of[] = {narrow(b, LLVMGetOperand(v, 0)), narrow(b, LLVMGetOperand(v, 1))};
  return kiln_elementwise_call(b, name, narrow_type(v), of, 2);
}

static LLVMValueRef narrow(LLVMBuilderRef b, LLVMValueRef v) {
  LLVMTypeRef type = narrow_type(v);
  if (LLVMIsConstant(v)) return LLVMConstTrunc(v, type);
  if (LLVMIsAZExtInst(v) || LLVMIsASExtInst(v)) {
    LLVMValueRef from = LLVMGetOperand(v, 0);
    if (LLVMTypeOf(from) == type) return from;
    return LLVMIsAZExtInst(v) ? LLVMBuildZExt(b, from, type, "") : LLVMBuildSExt(b, from, type, "");
  }
  if (extreme_of(v) != NULL) return narrow_extreme(b, v);
  LLVMOpcode op = LLVMGetInstructionOpcode(v);
  if (goes_downwards(v) && is_never_negative(LLVMGetOperand(v, 0))) op = is_shift(v) ? LLVMLShr : LLVMUDiv;
  LLVMValueRef first = narrow(b, LLVMGetOperand(v, 0));
  return LLVMBuildBinOp(b, op, first, narrow(b, LLVMGetOperand(v, 1)), "");
}

static LLVMValueRef visit(LLVMBuilderRef b, LLVMValueRef i) {
  LLVMValueRef next = LLVMGetNextInstruction(i), wide = LLVMIsATruncInst(i) ? LLVMGetOperand(i, 0) : NULL;
  struct tree t = {0};
  struct range r;
  if (wide == NULL || LLVMIsConstant(wide) || bits_of(i) > BITS || !find_range(&t, wide, 0, &r) || !t.gains)
    return next;
  LLVMPositionBuilderBefore(b, i);
  LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(i));
  LLVMValueRef made = narrow(b, wide);
  if (bits_of(i) < BITS) made = LLVMBuildTrunc(b, made, LLVMTypeOf(i), "");
  LLVMReplaceAllUsesWith(i, made);
  LLVMInstructionEraseFromParent(i);
  return next;
}

void kiln_few_bits(LLVMModuleRef module) { kiln_visit_instructions(module, visit); }
