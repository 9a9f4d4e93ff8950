/* Owns the word volatile on private variables. Must not know why a program has it. */
#include "compiler/plain_private.h"

#include "compiler/lifetime.h"

enum { MOST_STEPS = 4 /* of address computations between a variable and its accesses */ };

static bool is_load(LLVMValueRef user) { return LLVMIsALoadInst(user) != NULL; }

static bool is_store_to(LLVMValueRef user, LLVMValueRef address) {
  return LLVMIsAStoreInst(user) != NULL && LLVMGetOperand(user, 1) == address &&
         LLVMGetOperand(user, 0) != address;
}

/* Only accesses use the address, and addresses made of it. */
static bool stays(LLVMValueRef address, int steps) {
  for (LLVMUseRef u = LLVMGetFirstUse(address); u != NULL; u = LLVMGetNextUse(u)) {
    LLVMValueRef user = LLVMGetUser(u);
    bool is_address = LLVMIsAGetElementPtrInst(user) != NULL && steps > 0;
    if (is_address ? !stays(user, steps - 1)
                   : !is_load(user) && !is_store_to(user, address) && !kiln_is_lifetime(user))
      return false;
  }
  return true;
}

static void make_plain(LLVMValueRef address) {
  for (LLVMUseRef u = LLVMGetFirstUse(address); u != NULL; u = LLVMGetNextUse(u)) {
    LLVMValueRef user = LLVMGetUser(u);
    if (LLVMIsAGetElementPtrInst(user)) make_plain(user);
    else if ((is_load(user) || is_store_to(user, address)) &&
             LLVMGetOrdering(user) == LLVMAtomicOrderingNotAtomic)
      LLVMSetVolatile(user, false);
  }
}

void kiln_plain_private(LLVMModuleRef module) {
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b != NULL; b = LLVMGetNextBasicBlock(b))
      for (LLVMValueRef i = LLVMGetFirstInstruction(b); i != NULL; i = LLVMGetNextInstruction(i))
        if (LLVMIsAAllocaInst(i) != NULL && stays(i, MOST_STEPS)) make_plain(i);
}
