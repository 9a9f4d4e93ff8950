/* See visit.h. */
#include "compiler/visit.h"

#include <llvm-c/Core.h>
#include <stddef.h>

void kiln_visit_instructions(LLVMModuleRef module,
                             LLVMValueRef (*visit)(LLVMBuilderRef builder, LLVMValueRef instruction)) {
  LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block != NULL;
         block = LLVMGetNextBasicBlock(block))
      for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != NULL;) i = visit(b, i);
  LLVMDisposeBuilder(b);
}
