/* Owns a change before code generation: quotients of halves of which approximations are allowed are made in
 * float. Must know nothing of kernels.
 *
 * Nothing loosens the bounds of halves, and the reciprocal of one may lie beyond halves where the quotient
 * does not. Code generation takes guesses of 11 bits and no more where processors compute with halves, and
 * one reciprocal for several quotients; as a float it has the range and the bits, and is faster than an exact
 * division of halves. */
#include "compiler/half_quotients.h"

#include <stdbool.h>
#include <stddef.h>

static const char unsafe[] = "unsafe-fp-math"; /* code generation takes every flag for given */

static bool is_half_division(LLVMValueRef inst) {
  if (LLVMGetInstructionOpcode(inst) != LLVMFDiv) return false;
  LLVMTypeRef type = LLVMTypeOf(inst);
  if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) type = LLVMGetElementType(type);
  return LLVMGetTypeKind(type) == LLVMHalfTypeKind;
}

static LLVMTypeRef float_type(LLVMTypeRef half) {
  LLVMTypeRef type = LLVMFloatTypeInContext(LLVMGetTypeContext(half));
  return LLVMGetTypeKind(half) == LLVMVectorTypeKind ? LLVMVectorType(type, LLVMGetVectorSize(half)) : type;
}

static void divide_as_float(LLVMBuilderRef b, LLVMValueRef inst) {
  LLVMTypeRef type = LLVMTypeOf(inst), wide = float_type(type);
  LLVMPositionBuilderBefore(b, inst);
  LLVMValueRef x = LLVMBuildFPExt(b, LLVMGetOperand(inst, 0), wide, "");
  LLVMValueRef y = LLVMBuildFPExt(b, LLVMGetOperand(inst, 1), wide, "");
  LLVMValueRef quotient = LLVMBuildFDiv(b, x, y, "");
  if (LLVMIsAInstruction(quotient) != NULL) LLVMSetFastMathFlags(quotient, LLVMGetFastMathFlags(inst));
  LLVMReplaceAllUsesWith(inst, LLVMBuildFPTrunc(b, quotient, type, ""));
  LLVMInstructionEraseFromParent(inst);
}

static void widen_in(LLVMBuilderRef b, LLVMValueRef function) {
  bool all = LLVMGetStringAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, unsafe,
                                           sizeof unsafe - 1) != NULL;
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block != NULL;
       block = LLVMGetNextBasicBlock(block))
    for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i != NULL; i = next) {
      next = LLVMGetNextInstruction(i);
      if (is_half_division(i) && (all || (LLVMGetFastMathFlags(i) & LLVMFastMathAllowReciprocal)))
        divide_as_float(b, i);
    }
}

void kiln_widen_half_quotients(LLVMModuleRef module) {
  LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) widen_in(b, f);
  LLVMDisposeBuilder(b);
}
