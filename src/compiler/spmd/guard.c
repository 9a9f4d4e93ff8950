/* Guards of divisions and conversions; see guard.h. Owns how a guard looks and how it is known again. */
#include "compiler/spmd/guard.h"

#include "compiler/value.h"

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static bool is_signed(LLVMOpcode op) { return op == LLVMSDiv || op == LLVMSRem; }

static LLVMValueRef one_of(LLVMTypeRef type) {
  return LLVMConstSub(LLVMConstNull(type), LLVMConstAllOnes(type));
}

static LLVMValueRef least_value(LLVMTypeRef type) {
  return kiln_integer_like(type, 1ull << (LLVMGetIntTypeWidth(kiln_element_type(type)) - 1));
}

static bool equals(LLVMValueRef v, LLVMValueRef a, LLVMValueRef constant) {
  return LLVMIsAICmpInst(v) && LLVMGetICmpPredicate(v) == LLVMIntEQ && LLVMGetOperand(v, 0) == a &&
         LLVMGetOperand(v, 1) == constant;
}

/* Both hold, or one of them, in any order. */
static bool joins(LLVMValueRef v, LLVMOpcode op) {
  return LLVMIsABinaryOperator(v) && LLVMGetInstructionOpcode(v) == op;
}

static bool is_overflow(LLVMValueRef v, LLVMValueRef x, LLVMValueRef d) {
  const LLVMTypeRef type = LLVMTypeOf(d);
  if (!joins(v, LLVMAnd)) return false;
  for (unsigned k = 0; k < 2; k++)
    if (equals(LLVMGetOperand(v, k), d, LLVMConstAllOnes(type)) &&
        equals(LLVMGetOperand(v, 1 - k), x, least_value(type)))
      return true;
  return false;
}

bool kiln_spmd_is_guarded(LLVMValueRef division) {
  LLVMValueRef x = LLVMGetOperand(division, 0), divisor = LLVMGetOperand(division, 1);
  if (!LLVMIsASelectInst(divisor) || LLVMGetOperand(divisor, 1) != one_of(LLVMTypeOf(divisor))) return false;
  LLVMValueRef bad = LLVMGetOperand(divisor, 0), d = LLVMGetOperand(divisor, 2),
               zero = LLVMConstNull(LLVMTypeOf(d));
  if (!is_signed(LLVMGetInstructionOpcode(division))) return equals(bad, d, zero);
  if (!joins(bad, LLVMOr)) return false;
  for (unsigned k = 0; k < 2; k++)
    if (equals(LLVMGetOperand(bad, k), d, zero) && is_overflow(LLVMGetOperand(bad, 1 - k), x, d)) return true;
  return false;
}

static bool divides_safely(LLVMOpcode op, LLVMValueRef divisor) {
  if (LLVMIsASelectInst(divisor))
    return LLVMGetOperand(divisor, 1) == one_of(LLVMTypeOf(divisor)); /* guarded before */
  if (!LLVMIsAConstantInt(divisor)) return false;
  return !LLVMIsNull(divisor) && !(is_signed(op) && LLVMConstIntGetSExtValue(divisor) == -1);
}

static LLVMValueRef frozen(LLVMBuilderRef b, LLVMValueRef v) {
  return LLVMIsConstant(v) ? v : LLVMBuildFreeze(b, v, "");
}

/* Frozen copies: the test and the division must see one value even when the operand is undefined. */
static void guard_division(LLVMBuilderRef b, LLVMValueRef division, LLVMOpcode op) {
  LLVMValueRef x = LLVMGetOperand(division, 0), d = LLVMGetOperand(division, 1);
  LLVMTypeRef type = LLVMTypeOf(d);
  if (divides_safely(op, d) || LLVMGetTypeKind(type) == LLVMScalableVectorTypeKind) return;
  LLVMPositionBuilderBefore(b, division);
  d = frozen(b, d);
  LLVMValueRef bad = LLVMBuildICmp(b, LLVMIntEQ, d, LLVMConstNull(type), "");
  if (is_signed(op)) {
    x = frozen(b, x);
    LLVMValueRef minus = LLVMBuildICmp(b, LLVMIntEQ, d, LLVMConstAllOnes(type), "");
    LLVMValueRef least = LLVMBuildICmp(b, LLVMIntEQ, x, least_value(type), "");
    bad = LLVMBuildOr(b, bad, LLVMBuildAnd(b, minus, least, ""), "");
  }
  LLVMSetOperand(division, 0, x);
  LLVMSetOperand(division, 1, LLVMBuildSelect(b, bad, one_of(type), d, ""));
}

static void guard_conversion(LLVMBuilderRef b, LLVMValueRef conversion) {
  LLVMUseRef use = LLVMGetFirstUse(conversion);
  if (use == NULL || (LLVMGetNextUse(use) == NULL && LLVMIsAFreezeInst(LLVMGetUser(use)))) return;
  LLVMPositionBuilderBefore(b, LLVMGetNextInstruction(conversion));
  LLVMValueRef fixed = LLVMBuildFreeze(b, conversion, "");
  LLVMReplaceAllUsesWith(conversion, fixed);
  LLVMSetOperand(fixed, 0, conversion);
}

static void guard_instruction(LLVMBuilderRef b, LLVMValueRef i) {
  LLVMOpcode op = LLVMGetInstructionOpcode(i);
  switch (op) {
  case LLVMUDiv:
  case LLVMSDiv:
  case LLVMURem:
  case LLVMSRem:
    guard_division(b, i, op);
    break;
  case LLVMFPToSI:
  case LLVMFPToUI:
    guard_conversion(b, i);
    break;
  default:
    break;
  }
}

void kiln_spmd_guard(LLVMModuleRef module) {
  LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block != NULL;
         block = LLVMGetNextBasicBlock(block))
      for (LLVMValueRef next, i = LLVMGetFirstInstruction(block); i != NULL; i = next) {
        next = LLVMGetNextInstruction(i);
        guard_instruction(b, i);
      }
  LLVMDisposeBuilder(b);
}
