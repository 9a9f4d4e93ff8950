/* See operand_order.h. */
#include "compiler/spmd/operand_order.h"

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stddef.h>

static bool may_change_places(LLVMValueRef i) {
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMAdd:
  case LLVMMul:
  case LLVMAnd:
  case LLVMOr:
  case LLVMXor:
  case LLVMFAdd:
  case LLVMFMul:
    return true;
  default:
    return false;
  }
}

static void order(LLVMValueRef i) {
  LLVMValueRef first = LLVMGetOperand(i, 0), second = LLVMGetOperand(i, 1);
  if (!LLVMIsConstant(first) || LLVMIsConstant(second)) return;
  LLVMSetOperand(i, 0, second);
  LLVMSetOperand(i, 1, first);
}

void kiln_spmd_order_operands(LLVMModuleRef module) {
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b != NULL; b = LLVMGetNextBasicBlock(b))
      for (LLVMValueRef i = LLVMGetFirstInstruction(b); i != NULL; i = LLVMGetNextInstruction(i))
        if (may_change_places(i)) order(i);
}
