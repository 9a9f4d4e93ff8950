/* Owns changes before code generation: operations on halves that are made in float. Must know nothing of
 * kernels. */
#include "compiler/half_as_float.h"

#include "compiler/value.h"
#include "compiler/visit.h"

#include <stdbool.h>
#include <stddef.h>

/* A half, or a vector of them. */
static bool is_half(LLVMTypeRef type) { return kiln_is_of(type, LLVMHalfTypeKind); }

static void replace(LLVMValueRef inst, LLVMValueRef made) {
  LLVMReplaceAllUsesWith(inst, made);
  LLVMInstructionEraseFromParent(inst);
}

/* ---- quotients of which approximations are allowed ----
 *
 * Nothing loosens the bounds of halves, and the reciprocal of one may lie beyond halves where the quotient
 * does not. Code generation takes one reciprocal for several quotients, and where processors compute with
 * halves guesses of 11 bits and no more; as a float it has the range and the bits, and is faster than an
 * exact division of halves. */

static const char unsafe[] = "unsafe-fp-math"; /* code generation takes every flag for given */

static bool is_relaxed(LLVMValueRef inst) {
  LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(inst));
  return (LLVMGetFastMathFlags(inst) & LLVMFastMathAllowReciprocal) != 0 ||
         LLVMGetStringAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, unsafe,
                                       sizeof unsafe - 1) != NULL;
}

static LLVMValueRef visit_quotient(LLVMBuilderRef b, LLVMValueRef i) {
  LLVMValueRef next = LLVMGetNextInstruction(i);
  if (LLVMGetInstructionOpcode(i) != LLVMFDiv || !is_half(LLVMTypeOf(i)) || !is_relaxed(i)) return next;
  LLVMPositionBuilderBefore(b, i);
  LLVMValueRef x = kiln_as_floats(b, LLVMGetOperand(i, 0)), y = kiln_as_floats(b, LLVMGetOperand(i, 1));
  LLVMValueRef quotient = LLVMBuildFDiv(b, x, y, "");
  if (LLVMIsAInstruction(quotient) != NULL) LLVMSetFastMathFlags(quotient, LLVMGetFastMathFlags(i));
  replace(i, LLVMBuildFPTrunc(b, quotient, LLVMTypeOf(i), ""));
  return next;
}

void kiln_widen_half_quotients(LLVMModuleRef module) { kiln_visit_instructions(module, visit_quotient); }

/* ---- comparisons of vectors ----
 *
 * Where code generation of LLVM 19 takes an operand of a masked comparison of halves (vcmpph) from memory, as
 * it does with constants and with what is kept there for want of registers, it may swap the operands and
 * forget to swap the predicate: `x < 0` became `x > 0`. As floats they compare alike. */

/* Operands of the others may be swapped. */
static bool has_order(LLVMRealPredicate predicate) {
  switch (predicate) {
  case LLVMRealOLT:
  case LLVMRealOLE:
  case LLVMRealOGT:
  case LLVMRealOGE:
  case LLVMRealULT:
  case LLVMRealULE:
  case LLVMRealUGT:
  case LLVMRealUGE:
    return true;
  default:
    return false;
  }
}

static bool is_concerned(LLVMValueRef inst) {
  if (LLVMGetInstructionOpcode(inst) != LLVMFCmp || !has_order(LLVMGetFCmpPredicate(inst))) return false;
  LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(inst, 0));
  return LLVMGetTypeKind(type) == LLVMVectorTypeKind && is_half(type);
}

static LLVMValueRef visit_comparison(LLVMBuilderRef b, LLVMValueRef i) {
  LLVMValueRef next = LLVMGetNextInstruction(i);
  if (!is_concerned(i)) return next;
  LLVMPositionBuilderBefore(b, i);
  LLVMValueRef x = kiln_as_floats(b, LLVMGetOperand(i, 0)), y = kiln_as_floats(b, LLVMGetOperand(i, 1));
  replace(i, LLVMBuildFCmp(b, LLVMGetFCmpPredicate(i), x, y, ""));
  return next;
}

void kiln_widen_half_comparisons(LLVMModuleRef module) { kiln_visit_instructions(module, visit_comparison); }
