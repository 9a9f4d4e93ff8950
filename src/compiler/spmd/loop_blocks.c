/* Finds the blocks of a loop; see loop_blocks.h. */
#include "compiler/spmd/loop_blocks.h"

#include <llvm-c/Core.h>
#include <stddef.h>

bool kiln_loop_blocks_hold(const struct kl_loop_blocks *blocks, LLVMBasicBlockRef block) {
  for (unsigned k = 0; k < blocks->n; k++)
    if (blocks->at[k] == block) return true;
  return false;
}

static bool add(struct kl_loop_blocks *blocks, LLVMBasicBlockRef block, unsigned most) {
  if (kiln_loop_blocks_hold(blocks, block)) return true;
  if (blocks->n == most) return false;
  blocks->at[blocks->n++] = block;
  return true;
}

bool kiln_loop_blocks_find(struct kl_loop_blocks *blocks, LLVMBasicBlockRef header, LLVMBasicBlockRef latch,
                           unsigned most) {
  *blocks = (struct kl_loop_blocks){{header}, 1};
  if (!add(blocks, latch, most)) return false;
  for (unsigned k = 1; k < blocks->n; k++)
    for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(blocks->at[k])); use != NULL;
         use = LLVMGetNextUse(use))
      if (LLVMIsATerminatorInst(LLVMGetUser(use)) != NULL &&
          !add(blocks, LLVMGetInstructionParent(LLVMGetUser(use)), most))
        return false;
  return true;
}

LLVMValueRef kiln_condition_for(LLVMValueRef last, LLVMBasicBlockRef next) {
  if (LLVMIsABranchInst(last) == NULL || !LLVMIsConditional(last)) return NULL;
  const bool where_true = LLVMGetSuccessor(last, 0) == next && LLVMGetSuccessor(last, 1) != next;
  return where_true ? LLVMGetCondition(last) : NULL;
}

LLVMBasicBlockRef kiln_only_block_before(LLVMBasicBlockRef block) {
  LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block));
  if (use == NULL || LLVMGetNextUse(use) != NULL || LLVMIsABranchInst(LLVMGetUser(use)) == NULL) return NULL;
  return LLVMGetInstructionParent(LLVMGetUser(use));
}
