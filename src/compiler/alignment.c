/* Takes promises of alignment back; see alignment.h. */
#include "compiler/alignment.h"

#include "compiler/value.h"

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MOST_ALIGN = 8 }; /* bytes; instructions that fault want 16 and more */

static bool is_vector_access(LLVMValueRef i) {
  LLVMTypeRef type = LLVMIsALoadInst(i) != NULL    ? LLVMTypeOf(i)
                     : LLVMIsAStoreInst(i) != NULL ? LLVMTypeOf(LLVMGetOperand(i, 0))
                                                   : NULL;
  return type != NULL && LLVMGetTypeKind(type) == LLVMVectorTypeKind;
}

/* Memory of the compiler's own is aligned as it says itself; the program may look at an array of uint as at
 * vectors. */
static bool is_kept(LLVMValueRef pointer, unsigned align) {
  pointer = kiln_address_root(pointer);
  const bool is_own = LLVMIsAAllocaInst(pointer) != NULL || LLVMIsAGlobalVariable(pointer) != NULL;
  return is_own && LLVMGetAlignment(pointer) >= align;
}

static bool is_broken(LLVMValueRef pointer, uint64_t align) {
  return align > MOST_ALIGN && !is_kept(pointer, (unsigned)align);
}

static void take_back(LLVMValueRef i, unsigned nontemporal) {
  LLVMValueRef pointer = LLVMGetOperand(i, LLVMIsALoadInst(i) != NULL ? 0 : 1);
  if (LLVMGetMetadata(i, nontemporal) == NULL && is_broken(pointer, LLVMGetAlignment(i)))
    LLVMSetAlignment(i, MOST_ALIGN);
}

/* ---- calls ---- */

/* Operand `at` is the alignment of the pointer before it. */
static void take_back_operand(LLVMValueRef call, unsigned at) {
  LLVMValueRef align = LLVMGetOperand(call, at);
  if (is_broken(LLVMGetOperand(call, at - 1), LLVMConstIntGetZExtValue(align)))
    LLVMSetOperand(call, at, LLVMConstInt(LLVMTypeOf(align), MOST_ALIGN, false));
}

/* Structures are copied by vectors. */
static void take_back_parameter(LLVMValueRef call, unsigned k) {
  if (is_broken(LLVMGetOperand(call, k), kiln_argument_align(call, k)))
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
