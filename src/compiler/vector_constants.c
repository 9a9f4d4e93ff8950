/* See vector_constants.h. */
#include "compiler/vector_constants.h"

#include <llvm-c/Core.h>
#include <stddef.h>

enum { MOST = 32 };

struct seen {
  LLVMValueRef constant[MOST];
  unsigned n, most;
};

/* False: there are more than `most`. */
static bool add(struct seen *seen, LLVMValueRef value) {
  if (!LLVMIsConstant(value) || LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMVectorTypeKind ||
      LLVMIsNull(value) || LLVMIsUndef(value))
    return true;
  for (unsigned k = 0; k < seen->n; k++)
    if (seen->constant[k] == value) return true;
  if (seen->n == seen->most) return false;
  seen->constant[seen->n++] = value;
  return true;
}

static bool add_all(struct seen *seen, LLVMValueRef instruction) {
  for (int k = 0; k < LLVMGetNumOperands(instruction); k++)
    if (!add(seen, LLVMGetOperand(instruction, (unsigned)k))) return false;
  return true;
}

bool kiln_has_more_vector_constants(LLVMModuleRef module, unsigned most) {
  struct seen seen = {.most = most};
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b != NULL; b = LLVMGetNextBasicBlock(b))
      for (LLVMValueRef i = LLVMGetFirstInstruction(b); i != NULL; i = LLVMGetNextInstruction(i))
        if (!add_all(&seen, i)) return true;
  return false;
}
