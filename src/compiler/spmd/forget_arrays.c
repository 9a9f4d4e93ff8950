/* See forget_arrays.h. */
#include "compiler/spmd/forget_arrays.h"

#include "compiler/lifetime.h"
#include "compiler/value.h"
#include "compiler/visit.h"

enum { MOST_ELEMENTS = 32 /* each becomes a store */ };

static unsigned elements_of(LLVMTypeRef type) {
  switch (LLVMGetTypeKind(type)) {
  case LLVMArrayTypeKind: {
    const uint64_t n = LLVMGetArrayLength2(type);
    return n > MOST_ELEMENTS ? MOST_ELEMENTS + 1 : (unsigned)n * elements_of(LLVMGetElementType(type));
  }
  case LLVMStructTypeKind: {
    unsigned n = 0;
    for (unsigned k = 0; k < LLVMCountStructElementTypes(type) && n <= MOST_ELEMENTS; k++)
      n += elements_of(LLVMStructGetTypeAtIndex(type, k));
    return n;
  }
  default:
    return 1;
  }
}

static bool starts(LLVMValueRef i) {
  return kiln_is_lifetime(i) &&
         LLVMGetIntrinsicID(LLVMGetCalledValue(i)) == LLVMLookupIntrinsicID("llvm.lifetime.start", 19);
}

static LLVMValueRef forget(LLVMBuilderRef b, LLVMValueRef i) {
  LLVMValueRef next = LLVMGetNextInstruction(i);
  if (!starts(i) || LLVMIsAAllocaInst(LLVMGetOperand(i, 1)) == NULL) return next;
  LLVMTypeRef type = LLVMGetAllocatedType(LLVMGetOperand(i, 1));
  const unsigned elements = elements_of(type);
  if (elements < 2 || elements > MOST_ELEMENTS) return next;
  LLVMPositionBuilderBefore(b, next);
  LLVMBuildStore(b, LLVMGetUndef(type), LLVMGetOperand(i, 1));
  return next;
}

/* With the computations of the address that nothing else uses, which come before it. */
static void erase_store(LLVMValueRef store) {
  LLVMValueRef address = LLVMGetOperand(store, 1);
  LLVMInstructionEraseFromParent(store);
  kiln_erase_unused(address);
}

static LLVMValueRef drop(LLVMBuilderRef b, LLVMValueRef i) {
  LLVMValueRef next = LLVMGetNextInstruction(i);
  (void)b;
  if (LLVMIsAStoreInst(i) != NULL && LLVMIsUndef(LLVMGetOperand(i, 0)) &&
      LLVMIsAAllocaInst(kiln_address_root(LLVMGetOperand(i, 1))) != NULL)
    erase_store(i);
  return next;
}

void kiln_spmd_forget_arrays(LLVMModuleRef module) { kiln_visit_instructions(module, forget); }

void kiln_spmd_drop_undefined(LLVMModuleRef module) { kiln_visit_instructions(module, drop); }
