/* Remainders by powers of two that change as code runs; see doubled.h. */
#include "compiler/doubled.h"

#include "compiler/visit.h"

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MOST_VALUES = 16 }; /* that a divisor is made of */

/* Values that are powers of two, or 0, if all others of them are. A signed number that grows to the topmost
 * bit is one, but not half of it, nor what it is as a wider one. */
struct search {
  LLVMValueRef seen[MOST_VALUES];
  unsigned n;
  bool may_be_topmost, takes_sign;
};

/* ---- powers of two ---- */

static bool is_known_power(struct search *s, LLVMValueRef v) {
  if (LLVMIsAConstantInt(v) == NULL || LLVMGetIntTypeWidth(LLVMTypeOf(v)) > 64) return false;
  const uint64_t x = LLVMConstIntGetZExtValue(v);
  s->may_be_topmost |= LLVMConstIntGetSExtValue(v) < 0;
  return x != 0 && (x & (x - 1)) == 0;
}

static bool is_power(struct search *s, LLVMValueRef v);

static bool is_power_phi(struct search *s, LLVMValueRef phi) {
  for (unsigned k = 0; k < LLVMCountIncoming(phi); k++)
    if (!is_power(s, LLVMGetIncomingValue(phi, k))) return false;
  return true;
}

static bool is_power_of_two_operands(struct search *s, LLVMValueRef v) {
  LLVMValueRef x = LLVMGetOperand(v, 0), y = LLVMGetOperand(v, 1);
  switch (LLVMGetInstructionOpcode(v)) {
  case LLVMAdd:
    s->may_be_topmost |= !LLVMGetNSW(v);
    return x == y && is_power(s, x);
  case LLVMMul:
    s->may_be_topmost |= !LLVMGetNSW(v);
    return is_power(s, x) && is_power(s, y);
  case LLVMShl:
    s->may_be_topmost |= !LLVMGetNSW(v);
    return is_power(s, x);
  case LLVMAShr:
    s->takes_sign = true;
    return is_power(s, x);
  case LLVMSDiv:
    s->takes_sign = true;
    return is_power(s, x) && is_known_power(s, y);
  case LLVMUDiv:
    return is_power(s, x) && is_known_power(s, y);
  case LLVMLShr:
    return is_power(s, x);
  default:
    return false;
  }
}

static bool is_power(struct search *s, LLVMValueRef v) {
  if (LLVMIsAConstant(v) != NULL) return is_known_power(s, v);
  for (unsigned k = 0; k < s->n; k++)
    if (s->seen[k] == v) return true;
  if (LLVMIsAInstruction(v) == NULL || s->n == MOST_VALUES) return false;
  s->seen[s->n++] = v;
  if (LLVMIsAPHINode(v)) return is_power_phi(s, v);
  s->takes_sign |= LLVMIsASExtInst(v) != NULL;
  if (LLVMIsAZExtInst(v) || LLVMIsASExtInst(v) || LLVMIsAFreezeInst(v))
    return is_power(s, LLVMGetOperand(v, 0));
  if (LLVMIsASelectInst(v)) return is_power(s, LLVMGetOperand(v, 1)) && is_power(s, LLVMGetOperand(v, 2));
  return LLVMIsABinaryOperator(v) != NULL && is_power_of_two_operands(s, v);
}

/* ---- remainders ---- */

/* Whether it is 0 is all that is asked. */
static bool is_compared_with_0(LLVMValueRef v) {
  for (LLVMUseRef use = LLVMGetFirstUse(v); use != NULL; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (LLVMIsAICmpInst(user) == NULL || !LLVMIsNull(LLVMGetOperand(user, 1))) return false;
    if (LLVMGetICmpPredicate(user) != LLVMIntEQ && LLVMGetICmpPredicate(user) != LLVMIntNE) return false;
  }
  return true;
}

/* Of a negative x the multiples of y lie above it: those of x + y - 1 are the same, from below. */
static LLVMValueRef signed_remainder(LLVMBuilderRef b, LLVMValueRef x, LLVMValueRef below) {
  LLVMTypeRef type = LLVMTypeOf(x);
  LLVMValueRef sign = LLVMBuildAShr(b, x, LLVMConstInt(type, LLVMGetIntTypeWidth(type) - 1, false), "");
  LLVMValueRef bias = LLVMBuildAnd(b, sign, below, "");
  return LLVMBuildSub(b, LLVMBuildAnd(b, LLVMBuildAdd(b, x, bias, ""), below, ""), bias, "");
}

static bool is_remainder(LLVMValueRef i) {
  if (LLVMIsABinaryOperator(i) == NULL || LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMIntegerTypeKind) return false;
  return LLVMGetInstructionOpcode(i) == LLVMURem || LLVMGetInstructionOpcode(i) == LLVMSRem;
}

static LLVMValueRef visit(LLVMBuilderRef b, LLVMValueRef i) {
  LLVMValueRef next = LLVMGetNextInstruction(i);
  if (!is_remainder(i) || LLVMIsConstant(LLVMGetOperand(i, 1))) return next;
  struct search s = {.n = 0};
  LLVMValueRef x = LLVMGetOperand(i, 0), y = LLVMGetOperand(i, 1);
  if (!is_power(&s, y) || (s.may_be_topmost && s.takes_sign)) return next;
  LLVMPositionBuilderBefore(b, i);
  LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(i));
  LLVMValueRef below = LLVMBuildSub(b, y, LLVMConstInt(LLVMTypeOf(y), 1, false), "");
  const bool is_plain = LLVMGetInstructionOpcode(i) == LLVMURem || is_compared_with_0(i);
  LLVMReplaceAllUsesWith(i, is_plain ? LLVMBuildAnd(b, x, below, "") : signed_remainder(b, x, below));
  LLVMInstructionEraseFromParent(i);
  return next;
}

void kiln_doubled(LLVMModuleRef module) { kiln_visit_instructions(module, visit); }
