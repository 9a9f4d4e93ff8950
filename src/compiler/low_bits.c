/* Narrows arithmetic whose upper bits are dropped; see low_bits.h. */
#include "compiler/low_bits.h"

#include "compiler/visit.h"

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <stdbool.h>
#include <stddef.h>

/* The low bits of the result are made of the low bits of the operands. */
static bool goes_upwards(LLVMOpcode op) {
  return op == LLVMAdd || op == LLVMSub || op == LLVMMul || op == LLVMAnd || op == LLVMOr || op == LLVMXor;
}

/* What was extended from the type, or NULL. */
static LLVMValueRef narrow_form(LLVMValueRef v, LLVMTypeRef type) {
  if (!LLVMIsASExtInst(v) && !LLVMIsAZExtInst(v)) return NULL;
  LLVMValueRef from = LLVMGetOperand(v, 0);
  return LLVMTypeOf(from) == type ? from : NULL;
}

static LLVMValueRef low_bits(LLVMBuilderRef b, LLVMValueRef v, LLVMTypeRef type) {
  LLVMValueRef narrow = narrow_form(v, type);
  return narrow != NULL ? narrow : LLVMBuildTrunc(b, v, type, "");
}

static void narrow(LLVMBuilderRef b, LLVMValueRef trunc) {
  LLVMTypeRef type = LLVMTypeOf(trunc);
  LLVMValueRef wide = LLVMGetOperand(trunc, 0);
  if (!LLVMIsABinaryOperator(wide) || !goes_upwards(LLVMGetInstructionOpcode(wide))) return;
  LLVMValueRef x = LLVMGetOperand(wide, 0), y = LLVMGetOperand(wide, 1);
  if (narrow_form(x, type) == NULL && narrow_form(y, type) == NULL) return;
  LLVMPositionBuilderBefore(b, trunc);
  LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(trunc));
  LLVMValueRef made =
      LLVMBuildBinOp(b, LLVMGetInstructionOpcode(wide), low_bits(b, x, type), low_bits(b, y, type), "");
  LLVMReplaceAllUsesWith(trunc, made);
  LLVMInstructionEraseFromParent(trunc);
}

static LLVMValueRef visit(LLVMBuilderRef b, LLVMValueRef i) {
  LLVMValueRef next = LLVMGetNextInstruction(i);
  if (LLVMIsATruncInst(i)) narrow(b, i);
  return next;
}

void kiln_low_bits(LLVMModuleRef module) { kiln_visit_instructions(module, visit); }
