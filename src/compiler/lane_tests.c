/* See lane_tests.h. */
#include "compiler/lane_tests.h"

#include "compiler/value.h"

enum { FEW_BLOCKS = 160 };

static bool is_asked_elsewhere(LLVMValueRef test) {
  for (LLVMUseRef use = LLVMGetFirstUse(test); use != NULL; use = LLVMGetNextUse(use))
    if (LLVMGetInstructionParent(LLVMGetUser(use)) != LLVMGetInstructionParent(test)) return true;
  return false;
}

/* Code generation would make a comparison anew in each block that asks for it, as if there were one register
 * for what comparisons find. It does not look through a freeze. */
static void keep(LLVMBuilderRef b, LLVMValueRef test) {
  LLVMPositionBuilderBefore(b, LLVMGetNextInstruction(test));
  LLVMValueRef kept = LLVMBuildFreeze(b, test, "");
  LLVMReplaceAllUsesWith(test, kept);
  LLVMSetOperand(kept, 0, test);
}

static void keep_tests(LLVMBuilderRef b, LLVMBasicBlockRef block) {
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != NULL; i = LLVMGetNextInstruction(i))
    if (LLVMIsACmpInst(i) != NULL && LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVectorTypeKind &&
        is_asked_elsewhere(i))
      keep(b, i);
}

void kiln_keep_lane_tests(LLVMModuleRef module) {
  LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
    if (LLVMCountBasicBlocks(f) <= FEW_BLOCKS) continue;
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block != NULL;
         block = LLVMGetNextBasicBlock(block))
      keep_tests(b, block);
  }
  LLVMDisposeBuilder(b);
}
