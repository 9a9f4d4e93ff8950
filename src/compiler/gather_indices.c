/* Owns a change before code generation: how the indices of gathers are widened; see gather_indices.h. Must
 * know nothing of kernels. */
#include "compiler/gather_indices.h"

#include "compiler/value.h"

/* Of llvm.masked.gather and llvm.masked.scatter: the operand that has the addresses. */
enum { GATHERED = 0, SCATTERED = 1, NARROW = 32 /* bits */ };

/* The index of each lane's address that is known not to be negative; NULL: it is not so. */
static LLVMValueRef unsigned_index(LLVMValueRef address) {
  if (LLVMIsAGetElementPtrInst(address) == NULL) return NULL;
  LLVMValueRef index = LLVMGetOperand(address, (unsigned)LLVMGetNumOperands(address) - 1);
  if (LLVMIsAZExtInst(index) == NULL || !LLVMGetNNeg(index)) return NULL;
  LLVMTypeRef from = kiln_element_type(LLVMTypeOf(LLVMGetOperand(index, 0)));
  return LLVMGetIntTypeWidth(from) <= NARROW ? index : NULL;
}

static void sign_indices(LLVMBuilderRef b, LLVMValueRef intrinsic, unsigned operand) {
  for (LLVMUseRef use = LLVMGetFirstUse(intrinsic); use != NULL; use = LLVMGetNextUse(use)) {
    LLVMValueRef index = unsigned_index(LLVMGetOperand(LLVMGetUser(use), operand));
    if (index == NULL) continue;
    LLVMPositionBuilderBefore(b, index);
    LLVMReplaceAllUsesWith(index, LLVMBuildSExt(b, LLVMGetOperand(index, 0), LLVMTypeOf(index), ""));
    LLVMInstructionEraseFromParent(index);
  }
}

void kiln_sign_gather_indices(LLVMModuleRef module) {
  LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
    if (kiln_name_begins(f, "llvm.masked.gather.")) sign_indices(b, f, GATHERED);
    if (kiln_name_begins(f, "llvm.masked.scatter.")) sign_indices(b, f, SCATTERED);
  }
  LLVMDisposeBuilder(b);
}
