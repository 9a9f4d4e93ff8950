/* Finds what goes along with turns; see turn_counter.h. */
#include "compiler/spmd/turn_counter.h"

#include "compiler/spmd/ir.h"
#include "compiler/value.h"

#include <llvm-c/Core.h>

enum { MOST_SUMS = 6 };

static bool is_one(LLVMValueRef v) {
  return LLVMIsAConstantInt(v) && LLVMGetIntTypeWidth(LLVMTypeOf(v)) <= 64 &&
         LLVMConstIntGetZExtValue(v) == 1;
}

/* v is the same in each turn of the loop that is this block, in which it may be computed nevertheless. */
static bool is_same_in_turns(LLVMValueRef v, LLVMBasicBlockRef loop, unsigned depth) {
  LLVMValueRef i = LLVMIsAInstruction(v);
  if (i == NULL || LLVMGetInstructionParent(i) != loop) return true;
  const bool is_plain =
      LLVMIsABinaryOperator(i) || LLVMIsACastInst(i) || (LLVMIsACallInst(i) && kiln_call_is_pure(i));
  if (!is_plain || depth > MOST_SUMS) return false;
  for (int k = 0; k < LLVMGetNumOperands(i); k++)
    if (!is_same_in_turns(LLVMGetOperand(i, (unsigned)k), loop, depth + 1)) return false;
  return true;
}

/* v is one more in each turn: the counter, or that and what is the same in all turns. */
static bool counts(LLVMValueRef v, LLVMBasicBlockRef loop, unsigned depth) {
  LLVMValueRef i = LLVMIsAInstruction(v);
  if (i == NULL || LLVMGetInstructionParent(i) != loop || depth > MOST_SUMS) return false;
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMPHI: {
    LLVMValueRef next = kiln_phi_from(i, loop);
    return LLVMIsABinaryOperator(next) && LLVMGetInstructionOpcode(next) == LLVMAdd &&
           LLVMGetOperand(next, 0) == i && is_one(LLVMGetOperand(next, 1));
  }
  case LLVMSExt:
  case LLVMZExt:
    return counts(LLVMGetOperand(i, 0), loop, depth + 1);
  case LLVMAdd:
    for (unsigned k = 0; k < 2; k++)
      if (is_same_in_turns(LLVMGetOperand(i, 1 - k), loop, depth) &&
          counts(LLVMGetOperand(i, k), loop, depth + 1))
        return true;
    return false;
  default:
    return false;
  }
}

bool kiln_spmd_goes_by_elements(LLVMValueRef i, LLVMBasicBlockRef loop) {
  const bool is_store = LLVMIsAStoreInst(i) != NULL;
  if (!is_store && LLVMIsALoadInst(i) == NULL) return false;
  LLVMTypeRef type = LLVMTypeOf(is_store ? LLVMGetOperand(i, 0) : i);
  LLVMValueRef at = LLVMIsAGetElementPtrInst(LLVMGetOperand(i, is_store));
  return at != NULL && LLVMGetNumOperands(at) == 2 && LLVMGetGEPSourceElementType(at) == type &&
         counts(LLVMGetOperand(at, 1), loop, 0);
}
