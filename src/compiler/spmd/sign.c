/* Signs of products; see sign.h. */
#include "compiler/spmd/sign.h"

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static bool is_negation(LLVMValueRef v) {
  return LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == LLVMFNeg;
}

static LLVMValueRef without_sign(LLVMValueRef v) { return is_negation(v) ? LLVMGetOperand(v, 0) : v; }

/* (-a) b as -(a b). */
static void move_sign(LLVMBuilderRef b, LLVMValueRef i) {
  LLVMValueRef x = LLVMGetOperand(i, 0), y = LLVMGetOperand(i, 1);
  if (!is_negation(x) && !is_negation(y)) return;
  LLVMPositionBuilderBefore(b, i);
  LLVMValueRef made = LLVMBuildBinOp(b, LLVMGetInstructionOpcode(i), without_sign(x), without_sign(y), "");
  LLVMFastMathFlags flags = LLVMGetFastMathFlags(i);
  if (LLVMIsAInstruction(made)) LLVMSetFastMathFlags(made, flags);
  if (is_negation(x) != is_negation(y)) made = LLVMBuildFNeg(b, made, "");
  LLVMReplaceAllUsesWith(i, made);
  LLVMInstructionEraseFromParent(i);
}

static bool calls(LLVMValueRef i, const char *prefix) {
  size_t len;
  LLVMValueRef fn = LLVMGetCalledValue(i);
  if (!LLVMIsAFunction(fn) || LLVMGetIntrinsicID(fn) == 0) return false;
  return strncmp(LLVMGetValueName2(fn, &len), prefix, strlen(prefix)) == 0;
}

static void drop_signs(LLVMValueRef i) {
  if (calls(i, "llvm.fabs.")) {
    LLVMSetOperand(i, 0, without_sign(LLVMGetOperand(i, 0)));
  } else if (calls(i, "llvm.fma.") || calls(i, "llvm.fmuladd.")) {
    if (!is_negation(LLVMGetOperand(i, 0)) || !is_negation(LLVMGetOperand(i, 1))) return;
    for (unsigned k = 0; k < 2; k++) LLVMSetOperand(i, k, without_sign(LLVMGetOperand(i, k)));
  }
}

void kiln_spmd_move_signs(LLVMModuleRef module) {
  LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block != NULL;
         block = LLVMGetNextBasicBlock(block))
      for (LLVMValueRef next, i = LLVMGetFirstInstruction(block); i != NULL; i = next) {
        LLVMOpcode op = LLVMGetInstructionOpcode(i);
        next = LLVMGetNextInstruction(i);
        if (op == LLVMFMul || op == LLVMFDiv) move_sign(b, i);
        else if (op == LLVMCall) drop_signs(i);
      }
  LLVMDisposeBuilder(b);
}
