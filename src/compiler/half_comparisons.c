/* Owns a change before code generation: vectors of halves are compared as floats, which is exact. Must know
 * nothing of kernels.
 *
 * Where code generation of LLVM 19 takes an operand of a masked comparison of halves (vcmpph) from memory, as
 * it does with constants and with what is kept there for want of registers, it may swap the operands and
 * forget to swap the predicate: `x < 0` became `x > 0`. */
#include "compiler/half_comparisons.h"

#include "compiler/visit.h"

#include <stdbool.h>
#include <stddef.h>

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
  return LLVMGetTypeKind(type) == LLVMVectorTypeKind &&
         LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMHalfTypeKind;
}

static void compare_as_float(LLVMBuilderRef b, LLVMValueRef inst) {
  LLVMTypeRef half = LLVMTypeOf(LLVMGetOperand(inst, 0));
  LLVMTypeRef wide =
      LLVMVectorType(LLVMFloatTypeInContext(LLVMGetTypeContext(half)), LLVMGetVectorSize(half));
  LLVMPositionBuilderBefore(b, inst);
  LLVMValueRef x = LLVMBuildFPExt(b, LLVMGetOperand(inst, 0), wide, "");
  LLVMValueRef y = LLVMBuildFPExt(b, LLVMGetOperand(inst, 1), wide, "");
  LLVMReplaceAllUsesWith(inst, LLVMBuildFCmp(b, LLVMGetFCmpPredicate(inst), x, y, ""));
  LLVMInstructionEraseFromParent(inst);
}

static LLVMValueRef visit(LLVMBuilderRef b, LLVMValueRef i) {
  LLVMValueRef next = LLVMGetNextInstruction(i);
  if (is_concerned(i)) compare_as_float(b, i);
  return next;
}

void kiln_widen_half_comparisons(LLVMModuleRef module) { kiln_visit_instructions(module, visit); }
