/* Finds loops that keep private arrays in memory; see array_loops.h. */
#include "compiler/spmd/array_loops.h"

#include "compiler/spmd/emit.h"
#include "compiler/spmd/long_loops.h"

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

enum {
  MOST_DEPTH = 6,      /* of operations between a counter and an address */
  MOST_LOOPS = 16,     /* that look at one array */
  MOST_ELEMENTS = 64,  /* of an array: registers are few */
  FEW_TURNS = 8,       /* of a loop that LLVM unrolls anyway */
  MOST_UNROLLED = 600, /* instructions of a loop */
  MOST_IN_ALL = 2000   /* of a function's */
};

/* Loops, by the branches that close them, that must go for the indices into an array to be known. */
struct loops {
  LLVMValueRef branch[MOST_LOOPS];
  unsigned n;
};

static bool is_op(LLVMValueRef v, LLVMOpcode op) {
  return LLVMIsAInstruction(v) != NULL && LLVMGetInstructionOpcode(v) == op;
}

static bool add_loop(struct loops *l, LLVMValueRef branch) {
  const uint64_t turns = kiln_spmd_loop_turns(branch);
  if (turns == 0) return false;
  if (!kiln_spmd_is_one_block(branch)) return turns <= FEW_TURNS;
  for (unsigned k = 0; k < l->n; k++)
    if (l->branch[k] == branch) return true;
  if (l->n == MOST_LOOPS) return false;
  l->branch[l->n++] = branch;
  return true;
}

/* It begins with a constant, and goes by another in each turn. */
static bool is_counter(LLVMValueRef phi, struct loops *l) {
  LLVMValueRef latch = NULL;
  if (LLVMCountIncoming(phi) != 2) return false;
  for (unsigned k = 0; k < 2; k++) {
    LLVMValueRef next = LLVMGetIncomingValue(phi, k);
    if (LLVMIsAConstantInt(next) != NULL) continue;
    if (!is_op(next, LLVMAdd) || LLVMGetOperand(next, 0) != phi ||
        !LLVMIsAConstantInt(LLVMGetOperand(next, 1)))
      return false;
    latch = LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(phi, k));
  }
  return latch != NULL && add_loop(l, latch);
}

static bool is_known(LLVMValueRef v, struct loops *l, unsigned depth);

static bool are_known(LLVMValueRef v, unsigned from, struct loops *l, unsigned depth) {
  for (unsigned k = from, n = (unsigned)LLVMGetNumOperands(v); k < n; k++)
    if (!is_known(LLVMGetOperand(v, k), l, depth)) return false;
  return true;
}

/* An element of a constant table. */
static bool is_of_table(LLVMValueRef load, struct loops *l, unsigned depth) {
  LLVMValueRef p = LLVMGetOperand(load, 0);
  for (; LLVMIsAGetElementPtrInst(p) != NULL; p = LLVMGetOperand(p, 0))
    if (!are_known(p, 1, l, depth)) return false;
  return LLVMIsAGlobalVariable(p) != NULL && LLVMIsGlobalConstant(p);
}

/* A number once the loops are unrolled. */
static bool is_known(LLVMValueRef v, struct loops *l, unsigned depth) {
  if (LLVMIsConstant(v)) return true;
  if (depth == MOST_DEPTH || LLVMIsAInstruction(v) == NULL) return false;
  if (LLVMIsAPHINode(v) != NULL) return is_counter(v, l);
  if (LLVMIsALoadInst(v) != NULL) return is_of_table(v, l, depth + 1);
  if (LLVMIsABinaryOperator(v) == NULL && LLVMIsACastInst(v) == NULL && LLVMIsASelectInst(v) == NULL &&
      LLVMIsAICmpInst(v) == NULL)
    return false;
  return are_known(v, 0, l, depth + 1);
}

static bool is_intrinsic(LLVMValueRef v) {
  return LLVMIsACallInst(v) != NULL && LLVMIsAFunction(LLVMGetCalledValue(v)) != NULL &&
         LLVMGetIntrinsicID(LLVMGetCalledValue(v)) != 0;
}

/* Nothing else is done with an address in the array but to load and store there. */
static bool is_seen_through(LLVMValueRef pointer, struct loops *l, unsigned depth) {
  if (depth == MOST_DEPTH) return false;
  for (LLVMUseRef use = LLVMGetFirstUse(pointer); use != NULL; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (LLVMIsALoadInst(user) != NULL || is_intrinsic(user)) continue; /* lifetimes, memset and memcpy */
    if (LLVMIsAStoreInst(user) != NULL) {
      if (LLVMGetOperand(user, 0) == pointer) return false;
    } else if (LLVMIsAGetElementPtrInst(user) == NULL || !are_known(user, 1, l, 0) ||
               !is_seen_through(user, l, depth + 1)) {
      return false;
    }
  }
  return true;
}

/* Elements of an array, in all dimensions; 0: it is none, or of structures. */
static uint64_t elements_of(LLVMValueRef alloca) {
  LLVMTypeRef type = LLVMGetAllocatedType(alloca);
  uint64_t n = 1;
  if (LLVMGetTypeKind(type) != LLVMArrayTypeKind) return 0;
  for (; LLVMGetTypeKind(type) == LLVMArrayTypeKind; type = LLVMGetElementType(type))
    n *= LLVMGetArrayLength2(type);
  return LLVMGetTypeKind(type) == LLVMStructTypeKind ? 0 : n;
}

static bool fit(const struct loops *l, uint64_t *all) {
  uint64_t sum = *all;
  for (unsigned k = 0; k < l->n; k++) {
    LLVMValueRef branch = l->branch[k];
    uint64_t size = kiln_spmd_block_size(LLVMGetInstructionParent(branch)) * kiln_spmd_loop_turns(branch);
    if (size > MOST_UNROLLED || kiln_spmd_unrolling_is_decided(branch)) return false;
    sum += size;
  }
  if (sum > MOST_IN_ALL) return false;
  *all = sum;
  return true;
}

static void mark_loops(LLVMValueRef fn) {
  uint64_t all = 0;
  LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(fn);
  for (LLVMValueRef i = LLVMGetFirstInstruction(entry); i != NULL; i = LLVMGetNextInstruction(i)) {
    struct loops l = {.n = 0};
    if (LLVMIsAAllocaInst(i) == NULL) continue;
    const uint64_t elements = elements_of(i);
    if (elements == 0 || elements > MOST_ELEMENTS || !is_seen_through(i, &l, 0) || !fit(&l, &all)) continue;
    for (unsigned k = 0; k < l.n; k++)
      kiln_loop_hint(LLVMGetTypeContext(LLVMTypeOf(i)), l.branch[k], "llvm.loop.unroll.full");
  }
}

void kiln_spmd_unroll_array_loops(LLVMModuleRef module) {
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f)) mark_loops(f);
}
