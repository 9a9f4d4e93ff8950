/* Defaults of switches; see default.h. */
#include "compiler/spmd/default.h"

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stddef.h>

static bool is_unreachable(LLVMBasicBlockRef block) {
  return LLVMGetInstructionOpcode(LLVMGetFirstInstruction(block)) == LLVMUnreachable;
}

/* One more edge from `from`, which brings what the others from there bring. */
static void add_edge(LLVMBasicBlockRef to, LLVMBasicBlockRef from) {
  for (LLVMValueRef i = LLVMGetFirstInstruction(to); LLVMIsAPHINode(i) != NULL;
       i = LLVMGetNextInstruction(i)) {
    unsigned k = 0;
    while (LLVMGetIncomingBlock(i, k) != from) k++;
    LLVMValueRef value = LLVMGetIncomingValue(i, k);
    LLVMAddIncoming(i, &value, &from, 1);
  }
}

static void close_switch(LLVMValueRef inst) {
  enum { DEFAULT = 0 };
  LLVMBasicBlockRef first = LLVMGetSuccessor(inst, DEFAULT + 1);
  LLVMSetSuccessor(inst, DEFAULT, first);
  add_edge(first, LLVMGetInstructionParent(inst));
}

void kiln_default_close(LLVMModuleRef module) {
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b != NULL; b = LLVMGetNextBasicBlock(b)) {
      LLVMValueRef last = LLVMGetBasicBlockTerminator(b);
      if (LLVMIsASwitchInst(last) != NULL && LLVMGetNumSuccessors(last) > 1 &&
          is_unreachable(LLVMGetSwitchDefaultDest(last)))
        close_switch(last);
    }
}
