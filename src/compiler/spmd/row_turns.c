/* Finds loops that may be along rows by their shape only (row_loop.h looks closely, where lanes are chosen):
 * what is found costs a copy of the code for short rows and one for long ones. See row_turns.h. */
#include "compiler/spmd/row_turns.h"

#include "compiler/spmd/long_loops.h"
#include "compiler/value.h"

#include <llvm-c/Core.h>

enum { MOST_STEPS = 4 /* from an argument to the limit that comes of it */ };

/* An operation that puts together in any order what it is done with. */
static bool sums_up(LLVMValueRef i) {
  if (LLVMIsAInstruction(i) == NULL) return false;
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMFAdd:
  case LLVMFSub:
  case LLVMFMul:
    return (LLVMGetFastMathFlags(i) & LLVMFastMathAllowReassoc) != 0;
  case LLVMAdd:
  case LLVMMul:
  case LLVMXor:
  case LLVMOr:
  case LLVMAnd:
  case LLVMSelect:
  case LLVMCall:
    return true;
  default:
    return false;
  }
}

/* One block that loads, stores nothing and carries a sum beside its counter. */
static bool sums_up_row(LLVMValueRef branch) {
  LLVMBasicBlockRef block = LLVMGetInstructionParent(branch);
  unsigned loads = 0, carried = 0;
  if (!kiln_spmd_is_one_block(branch)) return false;
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != NULL; i = LLVMGetNextInstruction(i)) {
    if (LLVMIsAStoreInst(i) != NULL) return false;
    loads += LLVMIsALoadInst(i) != NULL;
    carried += LLVMIsAPHINode(i) != NULL && sums_up(kiln_phi_from(i, block));
  }
  return loads != 0 && carried > 1;
}

/* The kernel's argument that it is, but for conversions and what is added or taken away; NULL: it is none. */
static LLVMValueRef argument_of(LLVMValueRef v) {
  for (unsigned step = 0; step < MOST_STEPS && LLVMIsAInstruction(v) != NULL; step++) {
    const LLVMOpcode op = LLVMGetInstructionOpcode(v);
    const bool is_sum = (op == LLVMAdd || op == LLVMSub) && LLVMIsAConstantInt(LLVMGetOperand(v, 1)) != NULL;
    if (!is_sum && LLVMIsACastInst(v) == NULL) return NULL;
    v = LLVMGetOperand(v, 0);
  }
  return LLVMIsAArgument(v);
}

void kiln_row_turns_note(LLVMValueRef kernel, struct kiln_kernel_info *info) {
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(kernel); b != NULL; b = LLVMGetNextBasicBlock(b)) {
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(b), limit = kiln_spmd_loop_limit(branch);
    LLVMValueRef argument = limit == NULL || !sums_up_row(branch) ? NULL : argument_of(limit);
    for (uint32_t i = 0; argument != NULL && i < info->num_args; i++) {
      const struct kiln_arg_info *arg = &info->args[i];
      if (LLVMGetParam(kernel, i) == argument && arg->kind == KILN_ARG_VALUE &&
          (arg->size == 4 || arg->size == 8))
        info->args[i].turns = 1;
    }
  }
}
