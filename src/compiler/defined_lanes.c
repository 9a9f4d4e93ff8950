/* Owns a change before code generation: what masked loads give lanes that are known to be off is zero. Must
 * know nothing of kernels.
 *
 * Left undefined, half a vector of addresses may get no register of its own, and a gather that is not known
 * to be off there names its result's register as that of the addresses: an illegal instruction on x86. */
#include "compiler/defined_lanes.h"

#include "compiler/value.h"

enum { MASK = 2, OTHERWISE = 3 }; /* operands of llvm.masked.load and llvm.masked.gather */

static void define_results(LLVMValueRef intrinsic) {
  for (LLVMUseRef use = LLVMGetFirstUse(intrinsic); use != NULL; use = LLVMGetNextUse(use)) {
    LLVMValueRef call = LLVMGetUser(use);
    if (!LLVMIsConstant(LLVMGetOperand(call, MASK)) || !LLVMIsUndef(LLVMGetOperand(call, OTHERWISE)))
      continue;
    LLVMSetOperand(call, OTHERWISE, LLVMConstNull(LLVMTypeOf(call)));
  }
}

void kiln_define_lanes(LLVMModuleRef module) {
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
    if (kiln_name_begins(f, "llvm.masked.load.") || kiln_name_begins(f, "llvm.masked.gather."))
      define_results(f);
}
