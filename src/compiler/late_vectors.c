/* Vectors that are put together component by component (`v.x = a[i]; v.y = a[i + n]; ...`) are put together
 * where they are used: loads follow one another then, and lanes do them together (spmd/lane_group.c).
 *
 * Must not know where components come from. */
#include "compiler/pipeline.h"

#include <llvm-c/Core.h>
#include <stdbool.h>

enum { MOST_PASSED = 64 }; /* instructions that one is moved past */

static bool uses(LLVMValueRef user, LLVMValueRef v) {
  for (int k = 0; k < LLVMGetNumOperands(user); k++)
    if (LLVMGetOperand(user, (unsigned)k) == v) return true;
  return false;
}

/* What it can stand before: its first use in the block, or the block's end; NULL: that is too far. */
static LLVMValueRef latest_place(LLVMValueRef v) {
  LLVMValueRef at = LLVMGetNextInstruction(v);
  for (unsigned passed = 0; passed < MOST_PASSED; passed++, at = LLVMGetNextInstruction(at))
    if (uses(at, v) || LLVMIsATerminatorInst(at)) return at;
  return NULL;
}

/* From the end on, so that vectors follow those that they become part of. */
static void visit_block(LLVMBuilderRef b, LLVMBasicBlockRef block) {
  for (LLVMValueRef i = LLVMGetLastInstruction(block), before; i != NULL; i = before) {
    before = LLVMGetPreviousInstruction(i);
    LLVMValueRef place = LLVMIsAInsertElementInst(i) ? latest_place(i) : NULL;
    if (place == NULL || place == LLVMGetNextInstruction(i)) continue;
    LLVMPositionBuilderBefore(b, place);
    LLVMInstructionRemoveFromParent(i);
    LLVMInsertIntoBuilder(b, i);
  }
}

bool kiln_stage_late_vectors(struct kiln_unit *unit) {
  LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(unit->module));
  for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f != NULL; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block != NULL;
         block = LLVMGetNextBasicBlock(block))
      visit_block(b, block);
  LLVMDisposeBuilder(b);
  return true;
}
