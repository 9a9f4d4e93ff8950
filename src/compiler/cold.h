/* Functions that their author calls cold: hardly ever called. */
#ifndef KILN_COMPILER_COLD_H
#define KILN_COMPILER_COLD_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stddef.h>

static inline bool kiln_is_cold(LLVMValueRef function) {
  unsigned cold = LLVMGetEnumAttributeKindForName("cold", 4);
  return LLVMGetEnumAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, cold) != NULL;
}

#endif
