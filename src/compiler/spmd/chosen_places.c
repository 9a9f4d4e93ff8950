/* Does accesses on each way to them; see chosen_places.h. Must not know lanes. */
#include "compiler/spmd/chosen_places.h"

#include "compiler/lifetime.h"
#include "compiler/spmd/ir.h"
#include "compiler/value.h"

enum {
  MOST_DEPTH = 4,   /* of operations between a phi and an address */
  MOST_ARRAYS = 16, /* of a function */
  MOST_WAYS = 32,   /* to a block */
  MOST_MOVED = 16,  /* instructions of a block */
  MOST_COPIES = 400 /* instructions in all */
};

/* Private arrays of which all places are known, but for those that ways decide. */
struct arrays {
  LLVMValueRef of[MOST_ARRAYS];
  unsigned n;
};

/* A block's begin, which goes to the ways that lead to the block. */
struct begin {
  LLVMBasicBlockRef block;
  LLVMValueRef moved[MOST_MOVED];
  unsigned n;
};

/* The ways to a block, and what is copied to each. */
struct ways {
  LLVMBasicBlockRef from[MOST_WAYS], way[MOST_WAYS];
  LLVMValueRef copy[MOST_WAYS][MOST_MOVED];
  unsigned n;
};

/* ---- arrays ---- */

static bool is_in(LLVMValueRef v, LLVMBasicBlockRef block) {
  return LLVMIsAInstruction(v) != NULL && LLVMGetInstructionParent(v) == block;
}

/* On each way to the block a number, once phis of other blocks are. */
static bool is_chosen(LLVMValueRef v, LLVMBasicBlockRef block, unsigned depth) {
  if (LLVMIsAConstantInt(v) != NULL) return true;
  if (depth == MOST_DEPTH || LLVMIsAInstruction(v) == NULL) return false;
  if (LLVMIsAPHINode(v) != NULL) {
    for (unsigned k = 0; k < LLVMCountIncoming(v); k++)
      if (!is_chosen(LLVMGetIncomingValue(v, k), LLVMGetIncomingBlock(v, k), depth + 1)) return false;
    return is_in(v, block);
  }
  if (!is_in(v, block) || (LLVMIsACastInst(v) == NULL && LLVMIsABinaryOperator(v) == NULL)) return false;
  for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(v); k++)
    if (!is_chosen(LLVMGetOperand(v, k), block, depth + 1)) return false;
  return true;
}

static bool has_known_indices(LLVMValueRef gep) {
  for (unsigned k = 1; k < (unsigned)LLVMGetNumOperands(gep); k++)
    if (LLVMIsAConstantInt(LLVMGetOperand(gep, k)) == NULL) return false;
  return true;
}

static bool has_chosen_indices(LLVMValueRef gep) {
  for (unsigned k = 1; k < (unsigned)LLVMGetNumOperands(gep); k++)
    if (!is_chosen(LLVMGetOperand(gep, k), LLVMGetInstructionParent(gep), 0)) return false;
  return true;
}

static bool is_access_at(LLVMValueRef user, LLVMValueRef pointer) {
  if (LLVMIsALoadInst(user) == NULL && LLVMIsAStoreInst(user) == NULL) return false;
  return kiln_is_ordinary(user) && (LLVMIsALoadInst(user) != NULL || LLVMGetOperand(user, 0) != pointer);
}

/* Sets *chosen if a way decides on a place. False: the array would not become registers. */
static bool are_places_known(LLVMValueRef pointer, bool *chosen, unsigned depth) {
  if (depth == MOST_DEPTH) return false;
  for (LLVMUseRef use = LLVMGetFirstUse(pointer); use != NULL; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (is_access_at(user, pointer) || kiln_is_lifetime(user)) continue;
    if (LLVMIsAGetElementPtrInst(user) == NULL) return false;
    if (!has_known_indices(user)) {
      if (!has_chosen_indices(user)) return false;
      *chosen = true;
    }
    if (!are_places_known(user, chosen, depth + 1)) return false;
  }
  return true;
}

static void find_arrays(LLVMValueRef function, struct arrays *arrays) {
  LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
  arrays->n = 0;
  for (LLVMValueRef i = LLVMGetFirstInstruction(entry); i != NULL; i = LLVMGetNextInstruction(i)) {
    bool chosen = false;
    if (LLVMIsAAllocaInst(i) == NULL || !are_places_known(i, &chosen, 0) || !chosen) continue;
    if (arrays->n < MOST_ARRAYS) arrays->of[arrays->n++] = i;
  }
}

/* ---- blocks ---- */

/* An access to one of the arrays where the way to its block decides. */
static bool is_at_chosen_place(const struct arrays *arrays, LLVMValueRef i) {
  if (LLVMIsALoadInst(i) == NULL && LLVMIsAStoreInst(i) == NULL) return false;
  LLVMValueRef pointer = LLVMGetOperand(i, LLVMIsAStoreInst(i) != NULL);
  bool chosen = false;
  for (; LLVMIsAGetElementPtrInst(pointer) != NULL; pointer = LLVMGetOperand(pointer, 0))
    chosen |= !has_known_indices(pointer) && is_in(pointer, LLVMGetInstructionParent(i));
  for (unsigned k = 0; k < arrays->n && chosen; k++)
    if (arrays->of[k] == pointer) return true;
  return false;
}

static bool is_movable(LLVMValueRef i) {
  if (LLVMIsALoadInst(i) != NULL || LLVMIsAStoreInst(i) != NULL) return kiln_is_ordinary(i);
  if (LLVMIsABinaryOperator(i) != NULL) return !kl_is_division(LLVMGetInstructionOpcode(i));
  return LLVMIsAGetElementPtrInst(i) != NULL || LLVMIsACastInst(i) != NULL || LLVMIsACmpInst(i) != NULL ||
         LLVMIsASelectInst(i) != NULL;
}

/* Up to the last access at a place that the way decides; false: there is none, or too much before it. */
static bool find_begin(const struct arrays *arrays, LLVMBasicBlockRef block, struct begin *begin) {
  LLVMValueRef i = LLVMGetFirstInstruction(block);
  unsigned n = 0;
  *begin = (struct begin){.block = block};
  if (LLVMIsAPHINode(i) == NULL) return false;
  while (LLVMIsAPHINode(i) != NULL) i = LLVMGetNextInstruction(i);
  for (; n < MOST_MOVED && is_movable(i); i = LLVMGetNextInstruction(i)) {
    begin->moved[n++] = i;
    if (is_at_chosen_place(arrays, i)) begin->n = n;
  }
  return begin->n != 0;
}

/* Each way comes by a branch of its own, from another block. */
static bool has_plain_ways(LLVMBasicBlockRef block) {
  LLVMValueRef phi = LLVMGetFirstInstruction(block);
  if (LLVMCountIncoming(phi) > MOST_WAYS) return false;
  for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
    LLVMValueRef last = LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(phi, k));
    unsigned times = 0;
    if (LLVMIsABranchInst(last) == NULL || LLVMGetIncomingBlock(phi, k) == block) return false;
    for (unsigned s = 0; s < LLVMGetNumSuccessors(last); s++) times += LLVMGetSuccessor(last, s) == block;
    if (times != 1) return false;
  }
  return true;
}

/* ---- ways ---- */

/* What v is on the way from a block, where copy[] stands for what is moved. */
static LLVMValueRef on_way(const struct begin *begin, LLVMValueRef const *copy, LLVMValueRef v,
                           LLVMBasicBlockRef from) {
  if (!is_in(v, begin->block)) return v;
  if (LLVMIsAPHINode(v) != NULL) return kiln_phi_from(v, from);
  for (unsigned i = 0; i < begin->n; i++)
    if (begin->moved[i] == v) return copy[i];
  return v;
}

/* A new block on the way from a block, with a copy of what is moved. */
static LLVMBasicBlockRef make_way(const struct begin *begin, LLVMBuilderRef b, LLVMBasicBlockRef from,
                                  LLVMValueRef *copy) {
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(LLVMBasicBlockAsValue(from)));
  LLVMBasicBlockRef way = LLVMInsertBasicBlockInContext(context, begin->block, "way");
  LLVMValueRef last = LLVMGetBasicBlockTerminator(from);
  LLVMPositionBuilderAtEnd(b, way);
  for (unsigned i = 0; i < begin->n; i++) {
    copy[i] = LLVMInstructionClone(begin->moved[i]);
    for (unsigned o = 0; o < (unsigned)LLVMGetNumOperands(copy[i]); o++)
      LLVMSetOperand(copy[i], o, on_way(begin, copy, LLVMGetOperand(copy[i], o), from));
    LLVMInsertIntoBuilder(b, copy[i]);
  }
  for (unsigned s = 0; s < LLVMGetNumSuccessors(last); s++)
    if (LLVMGetSuccessor(last, s) == begin->block) LLVMSetSuccessor(last, s, way);
  LLVMBuildBr(b, begin->block);
  return way;
}

static void replace(LLVMValueRef old, LLVMValueRef made) {
  LLVMReplaceAllUsesWith(old, made);
  LLVMInstructionEraseFromParent(old);
}

/* What is moved and used behind it comes from the ways by phis. */
static void join_copies(const struct begin *begin, LLVMBuilderRef b, const struct ways *ways) {
  for (unsigned i = begin->n; i-- > 0;) {
    LLVMValueRef v = begin->moved[i];
    if (LLVMGetFirstUse(v) == NULL) {
      LLVMInstructionEraseFromParent(v);
      continue;
    }
    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(begin->block));
    LLVMValueRef phi = LLVMBuildPhi(b, LLVMTypeOf(v), "");
    for (unsigned k = 0; k < ways->n; k++)
      LLVMAddIncoming(phi, (LLVMValueRef *)&ways->copy[k][i], (LLVMBasicBlockRef *)&ways->way[k], 1);
    replace(v, phi);
  }
}

static void move_to_ways(const struct begin *begin, LLVMBuilderRef b) {
  LLVMValueRef first = LLVMGetFirstInstruction(begin->block);
  struct ways ways = {.n = LLVMCountIncoming(first)};
  for (unsigned k = 0; k < ways.n; k++) {
    ways.from[k] = LLVMGetIncomingBlock(first, k);
    ways.way[k] = make_way(begin, b, ways.from[k], ways.copy[k]);
  }
  join_copies(begin, b, &ways);
  for (LLVMValueRef phi = first, next; LLVMIsAPHINode(phi) != NULL; phi = next) {
    next = LLVMGetNextInstruction(phi);
    LLVMPositionBuilderBefore(b, phi);
    LLVMValueRef made = LLVMBuildPhi(b, LLVMTypeOf(phi), "");
    for (unsigned k = 0; k < ways.n; k++) {
      LLVMValueRef value = kiln_phi_from(phi, ways.from[k]);
      LLVMAddIncoming(made, &value, &ways.way[k], 1);
    }
    replace(phi, made);
  }
}

static bool choose_places(LLVMValueRef function, LLVMBuilderRef b) {
  struct arrays arrays;
  struct begin begin;
  unsigned copies = 0;
  find_arrays(function, &arrays);
  if (arrays.n == 0) return false;
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block != NULL;
       block = LLVMGetNextBasicBlock(block)) {
    if (!find_begin(&arrays, block, &begin) || !has_plain_ways(block)) continue;
    copies += begin.n * LLVMCountIncoming(LLVMGetFirstInstruction(block));
    if (copies > MOST_COPIES) return true;
    move_to_ways(&begin, b);
  }
  return copies != 0;
}

bool kiln_spmd_choose_places(LLVMModuleRef module) {
  LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
  bool any = false;
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f)) any |= choose_places(f, b);
  LLVMDisposeBuilder(b);
  return any;
}
