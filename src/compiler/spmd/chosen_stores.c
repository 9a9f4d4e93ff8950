/* Does stores on both ways of a branch; see chosen_stores.h. Must not know lanes. */
#include "compiler/spmd/chosen_stores.h"

#include "compiler/spmd/ir.h"
#include "compiler/value.h"

enum { MOST = 8 }; /* instructions on the side */

/* `test` jumps to `side` or to `behind`, which jumps back to the test or leaves. */
struct sided_loop {
  LLVMBasicBlockRef test, side, behind;
  LLVMValueRef condition;
  bool if_true; /* what leads to the side */
};

static unsigned count_ways_to(LLVMBasicBlockRef block) {
  unsigned n = 0;
  for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use != NULL; use = LLVMGetNextUse(use))
    n++;
  return n;
}

static bool jumps_to(LLVMBasicBlockRef from, LLVMBasicBlockRef to) {
  LLVMValueRef last = LLVMGetBasicBlockTerminator(from);
  for (unsigned k = 0; LLVMIsABranchInst(last) != NULL && k < LLVMGetNumSuccessors(last); k++)
    if (LLVMGetSuccessor(last, k) == to) return true;
  return false;
}

/* From memory, so it is neither the same for long nor foretold. */
static bool compares_loaded(LLVMValueRef condition) {
  if (LLVMIsACmpInst(condition) == NULL) return false;
  return LLVMIsALoadInst(LLVMGetOperand(condition, 0)) != NULL ||
         LLVMIsALoadInst(LLVMGetOperand(condition, 1)) != NULL;
}

static bool find_loop(LLVMBasicBlockRef test, struct sided_loop *l) {
  LLVMValueRef last = LLVMGetBasicBlockTerminator(test);
  if (LLVMIsABranchInst(last) == NULL || !LLVMIsConditional(last)) return false;
  *l = (struct sided_loop){.test = test, .condition = LLVMGetCondition(last)};
  for (unsigned k = 0; k < 2; k++) {
    LLVMBasicBlockRef side = LLVMGetSuccessor(last, k), behind = LLVMGetSuccessor(last, 1 - k);
    if (count_ways_to(side) != 1 || count_ways_to(behind) != 2) continue;
    if (LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(side)) != 1 || !jumps_to(side, behind)) continue;
    l->side = side;
    l->behind = behind;
    l->if_true = k == 0;
  }
  return l->side != NULL && jumps_to(l->behind, test) && compares_loaded(l->condition);
}

/* What the test's block has loaded from a private place, and left there since; NULL: nothing. */
static LLVMValueRef held(const struct sided_loop *l, LLVMValueRef store) {
  LLVMValueRef pointer = LLVMGetOperand(store, 1);
  if (LLVMIsAAllocaInst(kiln_address_root(pointer)) == NULL) return NULL;
  for (LLVMValueRef i = LLVMGetLastInstruction(l->test); i != NULL; i = LLVMGetPreviousInstruction(i)) {
    if (LLVMIsAStoreInst(i) != NULL) return NULL;
    if (LLVMIsACallInst(i) != NULL && !kiln_call_is_pure(i)) return NULL;
    if (LLVMIsALoadInst(i) != NULL && LLVMGetOperand(i, 0) == pointer && kiln_is_ordinary(i))
      return LLVMTypeOf(i) == LLVMTypeOf(LLVMGetOperand(store, 0)) ? i : NULL;
  }
  return NULL;
}

static bool is_cheap(LLVMValueRef i) {
  return LLVMIsAGetElementPtrInst(i) != NULL || LLVMIsACastInst(i) != NULL || LLVMIsASelectInst(i) != NULL ||
         LLVMIsACmpInst(i) != NULL ||
         (LLVMIsABinaryOperator(i) != NULL && !kl_is_division(LLVMGetInstructionOpcode(i)));
}

static bool can_choose(const struct sided_loop *l) {
  unsigned n = 0, stores = 0;
  for (LLVMValueRef i = LLVMGetFirstInstruction(l->side); LLVMIsATerminatorInst(i) == NULL;
       i = LLVMGetNextInstruction(i)) {
    if (LLVMIsAStoreInst(i) == NULL ? !is_cheap(i) : !kiln_is_ordinary(i) || held(l, i) == NULL) return false;
    stores += LLVMIsAStoreInst(i) != NULL;
    n++;
  }
  return stores != 0 && n <= MOST;
}

static LLVMValueRef choose(const struct sided_loop *l, LLVMBuilderRef b, LLVMValueRef there,
                           LLVMValueRef else_) {
  if (there == else_) return there;
  return LLVMBuildSelect(b, l->condition, l->if_true ? there : else_, l->if_true ? else_ : there, "");
}

static void move(LLVMBuilderRef b, LLVMValueRef i) {
  LLVMInstructionRemoveFromParent(i);
  LLVMInsertIntoBuilder(b, i);
}

/* All values are chosen before the first store is moved: `held` looks for loads with no store behind them. */
static void move_side(const struct sided_loop *l, LLVMBuilderRef b) {
  LLVMValueRef last = LLVMGetBasicBlockTerminator(l->side);
  for (LLVMValueRef i = LLVMGetFirstInstruction(l->side), next; i != last; i = next) {
    next = LLVMGetNextInstruction(i);
    if (LLVMIsAStoreInst(i) == NULL) move(b, i);
  }
  for (LLVMValueRef i = LLVMGetFirstInstruction(l->side); i != last; i = LLVMGetNextInstruction(i))
    LLVMSetOperand(i, 0, choose(l, b, LLVMGetOperand(i, 0), held(l, i)));
  while (LLVMGetFirstInstruction(l->side) != last) move(b, LLVMGetFirstInstruction(l->side));
}

static void choose_phis(const struct sided_loop *l, LLVMBuilderRef b) {
  for (LLVMValueRef phi = LLVMGetFirstInstruction(l->behind), next; LLVMIsAPHINode(phi) != NULL; phi = next) {
    next = LLVMGetNextInstruction(phi);
    LLVMReplaceAllUsesWith(phi, choose(l, b, kiln_phi_from(phi, l->side), kiln_phi_from(phi, l->test)));
    LLVMInstructionEraseFromParent(phi);
  }
}

static void choose_stores(const struct sided_loop *l, LLVMBuilderRef b) {
  LLVMValueRef last = LLVMGetBasicBlockTerminator(l->test);
  LLVMPositionBuilderBefore(b, last);
  move_side(l, b);
  choose_phis(l, b);
  LLVMBuildBr(b, l->behind);
  LLVMInstructionEraseFromParent(last);
  LLVMDeleteBasicBlock(l->side);
}

bool kiln_spmd_choose_stores(LLVMModuleRef module) {
  LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
  struct sided_loop l;
  bool any = false;
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block != NULL;
         block = LLVMGetNextBasicBlock(block))
      if (find_loop(block, &l) && can_choose(&l)) {
        choose_stores(&l, b);
        any = true;
      }
  LLVMDisposeBuilder(b);
  return any;
}
