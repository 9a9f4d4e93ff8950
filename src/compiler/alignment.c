/* Takes promises of alignment back; see alignment.h. */
#include "compiler/alignment.h"

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stddef.h>

enum { MOST_ALIGN = 8 }; /* bytes; instructions that fault want 16 and more */

static bool is_vector_access(LLVMValueRef i) {
  LLVMTypeRef type = LLVMIsALoadInst(i) != NULL    ? LLVMTypeOf(i)
                     : LLVMIsAStoreInst(i) != NULL ? LLVMTypeOf(LLVMGetOperand(i, 0))
                                                   : NULL;
  return type != NULL && LLVMGetTypeKind(type) == LLVMVectorTypeKind;
}

/* Of memory that is the compiler's own all is known. */
static bool is_own(LLVMValueRef pointer) {
  while (LLVMIsAGetElementPtrInst(pointer) != NULL) pointer = LLVMGetOperand(pointer, 0);
  return LLVMIsAAllocaInst(pointer) != NULL || LLVMIsAGlobalVariable(pointer) != NULL;
}

static void take_back(LLVMValueRef i, unsigned nontemporal) {
  LLVMValueRef pointer = LLVMGetOperand(i, LLVMIsALoadInst(i) != NULL ? 0 : 1);
  if (LLVMGetAlignment(i) > MOST_ALIGN && LLVMGetMetadata(i, nontemporal) == NULL && !is_own(pointer))
    LLVMSetAlignment(i, MOST_ALIGN);
}

void kiln_promise_no_vectors(LLVMModuleRef module) {
  const unsigned nontemporal = LLVMGetMDKindIDInContext(LLVMGetModuleContext(module), "nontemporal", 11);
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b != NULL; b = LLVMGetNextBasicBlock(b))
      for (LLVMValueRef i = LLVMGetFirstInstruction(b); i != NULL; i = LLVMGetNextInstruction(i))
        if (is_vector_access(i)) take_back(i, nontemporal);
}
