/* Owns the forms of permutes that are no instruction; see permutes.h. Must not know lanes. */
#include "compiler/permutes.h"

#include "compiler/value.h"
#include "compiler/visit.h"

bool kiln_is_permute(LLVMValueRef instruction) {
  size_t length;
  if (LLVMIsACallInst(instruction) == NULL) return false;
  LLVMValueRef called = LLVMGetCalledValue(instruction);
  return LLVMIsAFunction(called) != NULL && strcmp(LLVMGetValueName2(called, &length), "__kiln_permute") == 0;
}

static LLVMValueRef number(LLVMValueRef permute, uint64_t n) {
  return LLVMConstInt(LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(permute))), n, false);
}

/* The mask of a shuffle; NULL: components are not known. */
static LLVMValueRef known_order(LLVMValueRef permute) {
  LLVMValueRef mask = LLVMGetOperand(permute, 1), order[KILN_PERMUTED];
  for (unsigned i = 0; i < KILN_PERMUTED; i++) {
    LLVMValueRef from = LLVMIsConstant(mask) ? LLVMGetAggregateElement(mask, i) : NULL;
    if (from == NULL || LLVMIsAConstantInt(from) == NULL) return NULL;
    order[i] = number(permute, LLVMConstIntGetZExtValue(from) % KILN_PERMUTED);
  }
  return LLVMConstVector(order, KILN_PERMUTED);
}

static LLVMValueRef pick_each(LLVMBuilderRef b, LLVMValueRef permute) {
  LLVMValueRef x = LLVMGetOperand(permute, 0), mask = LLVMGetOperand(permute, 1);
  LLVMValueRef at = LLVMBuildAnd(b, mask, kiln_integer_like(LLVMTypeOf(mask), KILN_PERMUTED - 1), ""),
               made = LLVMGetPoison(LLVMTypeOf(x));
  for (unsigned i = 0; i < KILN_PERMUTED; i++) {
    LLVMValueRef from = LLVMBuildExtractElement(b, at, number(permute, i), "");
    made = LLVMBuildInsertElement(b, made, LLVMBuildExtractElement(b, x, from, ""), number(permute, i), "");
  }
  return made;
}

static LLVMValueRef settle(LLVMBuilderRef b, LLVMValueRef i, bool is_native) {
  LLVMValueRef next = LLVMGetNextInstruction(i);
  if (!kiln_is_permute(i)) return next;
  LLVMValueRef order = known_order(i), x = LLVMGetOperand(i, 0);
  if (order == NULL && is_native) return next;
  LLVMPositionBuilderBefore(b, i);
  LLVMReplaceAllUsesWith(i, order == NULL
                                ? pick_each(b, i)
                                : LLVMBuildShuffleVector(b, x, LLVMGetPoison(LLVMTypeOf(x)), order, ""));
  LLVMInstructionEraseFromParent(i);
  return next;
}

static LLVMValueRef settle_known(LLVMBuilderRef b, LLVMValueRef i) { return settle(b, i, true); }

static LLVMValueRef settle_all(LLVMBuilderRef b, LLVMValueRef i) { return settle(b, i, false); }

void kiln_permutes_settle(LLVMModuleRef module, bool is_native) {
  if (LLVMGetNamedFunction(module, "__kiln_permute") != NULL)
    kiln_visit_instructions(module, is_native ? settle_known : settle_all);
}
