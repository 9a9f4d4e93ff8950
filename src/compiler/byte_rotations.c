/* Owns a change before code generation: rotations by whole bytes; see byte_rotations.h. Must know nothing of
 * kernels. */
#include "compiler/byte_rotations.h"

#include "compiler/value.h"
#include "compiler/visit.h"

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stddef.h>

enum { BYTE_BITS = 8 };

/* By a whole number of bytes, of vectors. */
static bool is_case(LLVMValueRef i) {
  if (LLVMIsAIntrinsicInst(i) == NULL || !kiln_name_begins(LLVMGetCalledValue(i), "llvm.fsh")) return false;
  if (LLVMGetOperand(i, 0) != LLVMGetOperand(i, 1) || LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVectorTypeKind)
    return false;
  LLVMValueRef by = LLVMGetOperand(i, 2), first = LLVMIsConstant(by) ? LLVMGetAggregateElement(by, 0) : NULL;
  if (first == NULL || LLVMIsAConstantInt(first) == NULL) return false;
  if (LLVMConstIntGetZExtValue(first) % BYTE_BITS != 0) return false;
  return kiln_constant_like(LLVMTypeOf(i), first) == by;
}

static LLVMValueRef visit(LLVMBuilderRef b, LLVMValueRef i) {
  LLVMValueRef next = LLVMGetNextInstruction(i);
  if (!is_case(i)) return next;
  LLVMPositionBuilderBefore(b, i);
  LLVMValueRef rotated = LLVMInstructionClone(i);
  LLVMInsertIntoBuilder(b, rotated);
  LLVMReplaceAllUsesWith(i, kiln_fenced(b, rotated));
  LLVMInstructionEraseFromParent(i);
  return next;
}

void kiln_fence_byte_rotations(LLVMModuleRef module) { kiln_visit_instructions(module, visit); }
