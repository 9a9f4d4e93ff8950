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

static bool is_over_components(LLVMValueRef branch) {
  const uint64_t turns = kiln_spmd_loop_turns(branch);
  LLVMBasicBlockRef block = LLVMGetInstructionParent(branch);
  if (turns < 2 || turns > MOST_COMPONENTS || !kiln_spmd_is_one_block(branch)) return false;
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != NULL; i = LLVMGetNextInstruction(i))
    if (kiln_spmd_goes_by_elements(i, block)) return true;
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
