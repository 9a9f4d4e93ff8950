/* Marks of how long a variable lives. */
#ifndef KILN_COMPILER_LIFETIME_H
#define KILN_COMPILER_LIFETIME_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stddef.h>

static inline bool kiln_is_lifetime(LLVMValueRef user) {
  unsigned id = LLVMIsAIntrinsicInst(user) == NULL ? 0 : LLVMGetIntrinsicID(LLVMGetCalledValue(user));
  return id != 0 && (id == LLVMLookupIntrinsicID("llvm.lifetime.start", 19) ||
                     id == LLVMLookupIntrinsicID("llvm.lifetime.end", 17));
}

#endif
