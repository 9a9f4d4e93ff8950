/* What several stages ask of a value. */
#ifndef KILN_COMPILER_VALUE_H
#define KILN_COMPILER_VALUE_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stddef.h>

/* A load or store that is neither volatile nor atomic. */
static inline bool kiln_is_ordinary(LLVMValueRef access) {
  return !LLVMGetVolatile(access) && LLVMGetOrdering(access) == LLVMAtomicOrderingNotAtomic;
}

static inline bool kiln_is_used_once(LLVMValueRef value) {
  LLVMUseRef first = LLVMGetFirstUse(value);
  return first != NULL && LLVMGetNextUse(first) == NULL;
}

/* What comes into a phi from a block; NULL: nothing does. */
static inline LLVMValueRef kiln_phi_from(LLVMValueRef phi, LLVMBasicBlockRef from) {
  for (unsigned k = 0; k < LLVMCountIncoming(phi); k++)
    if (LLVMGetIncomingBlock(phi, k) == from) return LLVMGetIncomingValue(phi, k);
  return NULL;
}

#endif
