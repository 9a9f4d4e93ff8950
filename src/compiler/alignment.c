/* Takes promises of alignment back; see alignment.h. */
#include "compiler/alignment.h"

#include "compiler/value.h"

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
  pointer = kiln_address_root(pointer);
  return LLVMIsAAllocaInst(pointer) != NULL || LLVMIsAGlobalVariable(pointer) != NULL;
}

static void take_back(LLVMValueRef i, unsigned nontemporal) {
  LLVMValueRef pointer = LLVMGetOperand(i, LLVMIsALoadInst(i) != NULL ? 0 : 1);
  if (LLVMGetAlignment(i) > MOST_ALIGN && LLVMGetMetadata(i, nontemporal) == NULL && !is_own(pointer))
    LLVMSetAlignment(i, MOST_ALIGN);
}

/* ---- calls ---- */

/* Operand `at` is the alignment of the pointer before it. */
static void take_back_operand(LLVMValueRef call, unsigned at) {
  LLVMValueRef align = LLVMGetOperand(call, at);
  if (LLVMConstIntGetZExtValue(align) > MOST_ALIGN && !is_own(LLVMGetOperand(call, at - 1)))
    LLVMSetOperand(call, at, LLVMConstInt(LLVMTypeOf(align), MOST_ALIGN, false));
}

/* Structures are copied by vectors. */
static void take_back_parameter(LLVMValueRef call, unsigned k) {
  const unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
  LLVMAttributeRef align = LLVMGetCallSiteEnumAttribute(call, k + 1, kind);
  if (align != NULL && LLVMGetEnumAttributeValue(align) > MOST_ALIGN && !is_own(LLVMGetOperand(call, k)))
    LLVMSetInstrParamAlignment(call, k + 1, MOST_ALIGN);
}

static void take_back_call(LLVMValueRef call) {
  LLVMValueRef fn = LLVMGetCalledValue(call);
  if (kiln_name_begins(fn, "llvm.masked.load.")) take_back_operand(call, 1);
  if (kiln_name_begins(fn, "llvm.masked.store.")) take_back_operand(call, 2);
  const bool copies = kiln_name_begins(fn, "llvm.memcpy.") || kiln_name_begins(fn, "llvm.memmove.");
  if (copies || kiln_name_begins(fn, "llvm.memset.")) take_back_parameter(call, 0);
  if (copies) take_back_parameter(call, 1);
}

void kiln_promise_no_vectors(LLVMModuleRef module) {
  const unsigned nontemporal = LLVMGetMDKindIDInContext(LLVMGetModuleContext(module), "nontemporal", 11);
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b != NULL; b = LLVMGetNextBasicBlock(b))
      for (LLVMValueRef i = LLVMGetFirstInstruction(b); i != NULL; i = LLVMGetNextInstruction(i))
        if (is_vector_access(i)) take_back(i, nontemporal);
        else if (LLVMIsACallInst(i) != NULL) take_back_call(i);
}
