/* Marks loops over components; see component_loops.h. LLVM unrolls those that are short, or become so. */
#include "compiler/spmd/component_loops.h"

#include "compiler/spmd/emit.h"
#include "compiler/spmd/long_loops.h"
#include "compiler/spmd/turn_counter.h"

#include <llvm-c/Core.h>

enum {
  MOST_COMPONENTS = 4,
  MOST_UNROLLED = 600, /* instructions of a loop */
  MOST_IN_ALL = 2000   /* of a function */
};

/* An element after the other of an array of numbers. */
static bool goes_by_elements(LLVMValueRef i, LLVMBasicBlockRef loop) {
  const bool is_store = LLVMIsAStoreInst(i) != NULL;
  if (!is_store && LLVMIsALoadInst(i) == NULL) return false;
  LLVMTypeRef type = LLVMTypeOf(is_store ? LLVMGetOperand(i, 0) : i);
  LLVMValueRef at = LLVMIsAGetElementPtrInst(LLVMGetOperand(i, is_store));
  return at != NULL && LLVMGetNumOperands(at) == 2 && LLVMGetGEPSourceElementType(at) == type &&
         kiln_spmd_counts_turns(LLVMGetOperand(at, 1), loop);
}

static bool is_over_components(LLVMValueRef branch) {
  const uint64_t turns = kiln_spmd_loop_turns(branch);
  LLVMBasicBlockRef block = LLVMGetInstructionParent(branch);
  if (turns < 2 || turns > MOST_COMPONENTS || !kiln_spmd_is_one_block(branch)) return false;
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != NULL; i = LLVMGetNextInstruction(i))
    if (goes_by_elements(i, block)) return true;
  return false;
}

static void mark_loops(LLVMValueRef f) {
  uint64_t all = 0;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b != NULL; b = LLVMGetNextBasicBlock(b)) {
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(b);
    if (kiln_spmd_unrolling_is_decided(branch) || !is_over_components(branch)) continue;
    const uint64_t size = kiln_spmd_block_size(b) * kiln_spmd_loop_turns(branch);
    if (size > MOST_UNROLLED || all + size > MOST_IN_ALL) continue;
    kiln_loop_hint(LLVMGetTypeContext(LLVMTypeOf(branch)), branch, "llvm.loop.unroll.full");
    all += size;
  }
}

void kiln_spmd_unroll_component_loops(LLVMModuleRef module) {
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) mark_loops(f);
}
