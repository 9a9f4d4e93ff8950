/* Finds loops that keep private arrays in memory, or functions from being numbers; see array_loops.h. */
#include "compiler/spmd/array_loops.h"

#include "compiler/spmd/emit.h"
#include "compiler/spmd/long_loops.h"
#include "compiler/spmd/loop_blocks.h"

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

enum {
  MOST_DEPTH = 6,      /* of operations between a counter and an address */
  BOUNDS_AT = 2,       /* such a depth, at most, at which a loop's bounds are looked at */
  MOST_LOOPS = 16,     /* that look at one array */
  MOST_ELEMENTS = 64,  /* of an array: registers are few */
  FEW_TURNS = 8,       /* of a loop that LLVM unrolls anyway */
  MOST_UNROLLED = 600, /* instructions of a loop */
  MOST_OF_LLVM = 150,  /* of a loop that LLVM unrolls unasked, as it counts */
  BACK = 2,            /* test and branch */
  MOST_NESTED = 1000,  /* of loops in each other: most are swaps, which become two operations */
  MOST_IN_ALL = 2000,  /* of a function's */
  MOST_BLOCKS = 32,    /* of a loop */
  CALLED = 30          /* instructions of a function of the builtins, about */
};

/* A loop that must go for the indices into an array to be known. */
struct loop {
  LLVMValueRef branch; /* that closes it */
  LLVMBasicBlockRef header;
  uint64_t turns; /* about, where another loop's counter says how many; 0: not known, or not yet */
  bool is_inner;  /* another loop's counter says it, or nothing that is known */
};

struct loops {
  struct loop loop[MOST_LOOPS];
  unsigned n;
  bool nested; /* some are inner ones */
  bool ended;  /* at their ends counters say where to go on */
};

/* False: too many. */
static bool find_body(const struct loop *loop, struct kl_loop_blocks *body) {
  return kiln_loop_blocks_find(body, loop->header, LLVMGetInstructionParent(loop->branch), MOST_BLOCKS);
}

static bool is_in(LLVMBasicBlockRef block, const struct loop *loop) {
  struct kl_loop_blocks body;
  return find_body(loop, &body) && kiln_loop_blocks_hold(&body, block);
}

static bool is_known(LLVMValueRef v, struct loops *l, unsigned depth);

/* Turns of the k-th loop, which is among l already and begins at `start`: as a rule, half of those of the
 * loop whose counter its bounds come from, as in sorting. 0: they come from something else. */
static uint64_t turns_by_other(struct loops *l, unsigned k, LLVMValueRef start, unsigned depth) {
  LLVMValueRef branch = l->loop[k].branch, test;
  if (LLVMGetInstructionOpcode(branch) != LLVMBr || !LLVMIsConditional(branch)) return 0;
  test = LLVMGetCondition(branch);
  const unsigned from = depth < BOUNDS_AT ? depth + 1 : BOUNDS_AT; /* each loop is met once */
  if (LLVMIsAICmpInst(test) == NULL || !is_known(start, l, from) || !is_known(test, l, from)) return 0;
  uint64_t most = 0;
  for (unsigned i = 0; i < l->n; i++)
    if (i != k && l->loop[i].turns > most && is_in(l->loop[k].header, &l->loop[i])) most = l->loop[i].turns;
  return (most + 1) / 2;
}

static bool add_loop(struct loops *l, LLVMValueRef branch, LLVMBasicBlockRef header, LLVMValueRef start,
                     unsigned depth) {
  for (unsigned k = 0; k < l->n; k++)
    if (l->loop[k].branch == branch) return l->loop[k].turns != 0 || !l->loop[k].is_inner;
  if (l->n == MOST_LOOPS) return false;
  const unsigned k = l->n++;
  l->loop[k] = (struct loop){branch, header, kiln_spmd_loop_turns(branch), false};
  if (l->loop[k].turns != 0) return true;
  l->loop[k].turns = turns_by_other(l, k, start, depth);
  l->loop[k].is_inner = l->nested = true;
  return l->loop[k].turns != 0;
}

/* It begins with a number that is known, and goes by another in each turn. */
static bool is_counter(LLVMValueRef phi, struct loops *l, unsigned depth) {
  LLVMValueRef latch = NULL, start = NULL;
  if (LLVMCountIncoming(phi) != 2) return false;
  for (unsigned k = 0; k < 2; k++) {
    LLVMValueRef next = LLVMGetIncomingValue(phi, k);
    const bool steps = kiln_is_op(next, LLVMAdd) && LLVMGetOperand(next, 0) == phi &&
                       LLVMIsAConstantInt(LLVMGetOperand(next, 1));
    if (steps) latch = LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(phi, k));
    else start = next;
  }
  return latch != NULL && start != NULL && add_loop(l, latch, LLVMGetInstructionParent(phi), start, depth);
}

/* A number on each way to it, and asked for where the ways meet (chosen_places.h). */
static bool is_chosen(LLVMValueRef phi, struct loops *l, unsigned depth) {
  for (LLVMUseRef use = LLVMGetFirstUse(phi); use != NULL; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (LLVMIsAPHINode(user) == NULL && LLVMGetInstructionParent(user) != LLVMGetInstructionParent(phi))
      return false;
  }
  const unsigned ways = LLVMCountIncoming(phi);
  for (unsigned k = 0; k < ways; k++)
    if (!is_known(LLVMGetIncomingValue(phi, k), l, depth + (ways > 1))) return false;
  l->ended = true;
  return true;
}

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

/* What it gives depends on its arguments only. */
static bool is_function(LLVMValueRef v) {
  uint16_t sub;
  return LLVMIsACallInst(v) != NULL && kiln_call_is_pure(v) &&
         kiln_call_classify(LLVMGetCalledValue(v), &sub) == LLVMCall;
}

/* A number once the loops are unrolled. */
static bool is_known(LLVMValueRef v, struct loops *l, unsigned depth) {
  if (LLVMIsConstant(v)) return true;
  if (depth == MOST_DEPTH || LLVMIsAInstruction(v) == NULL) return false;
  if (LLVMIsAPHINode(v) != NULL) return is_counter(v, l, depth) || is_chosen(v, l, depth);
  if (LLVMIsALoadInst(v) != NULL) return is_of_table(v, l, depth + 1);
  if (LLVMIsABinaryOperator(v) == NULL && LLVMIsACastInst(v) == NULL && LLVMIsASelectInst(v) == NULL &&
      LLVMIsAICmpInst(v) == NULL && !is_function(v))
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

/* ---- sizes ---- */

/* Whether loop k is one of those in `loop` and in no other of these. */
static bool is_next_in(const struct loops *l, unsigned k, const struct loop *loop) {
  const struct loop *inner = &l->loop[k];
  if (inner == loop || !inner->is_inner || !is_in(inner->header, loop)) return false;
  for (unsigned i = 0; i < l->n; i++) {
    const struct loop *other = &l->loop[i];
    if (other != loop && other != inner && is_in(other->header, loop) && is_in(inner->header, other))
      return false;
  }
  return true;
}

/* Instructions of a loop's body, inner loops unrolled; more than MOST_NESTED: too many. */
static uint64_t size_of(const struct loops *l, const struct loop *loop, unsigned depth) {
  struct kl_loop_blocks body;
  uint64_t size = 0;
  if (depth == MOST_DEPTH || !find_body(loop, &body)) return MOST_NESTED + 1;
  for (unsigned i = 0; i < body.n; i++) size += kiln_spmd_block_size(body.at[i]);
  for (unsigned k = 0; k < l->n; k++)
    if (is_next_in(l, k, loop)) size += (l->loop[k].turns - 1) * size_of(l, &l->loop[k], depth + 1);
  return size;
}

/* Loops of several blocks are unrolled for the inner ones or for their ends only, or by LLVM anyway, where
 * they are few turns. */
static bool is_marked(const struct loops *l, const struct loop *loop) {
  return l->nested || l->ended || kiln_spmd_is_one_block(loop->branch);
}

/* For another array, or as the program says. */
static bool goes_anyway(const struct loop *loop) {
  return kiln_spmd_turns_asked_for(loop->branch) == UINT64_MAX;
}

static bool fit(const struct loops *l, uint64_t *all) {
  uint64_t sum = *all;
  for (unsigned k = 0; k < l->n; k++) {
    const struct loop *loop = &l->loop[k];
    if (!is_marked(l, loop)) {
      if (loop->turns > FEW_TURNS) return false;
      continue;
    }
    if (goes_anyway(loop)) continue;
    if (kiln_spmd_unrolling_is_decided(loop->branch)) return false;
    if (loop->is_inner) continue; /* counted with those around it */
    uint64_t size = size_of(l, loop, 0) * loop->turns;
    if (size > (l->nested ? MOST_NESTED : MOST_UNROLLED)) return false;
    sum += size;
  }
  if (sum > MOST_IN_ALL) return false;
  *all = sum;
  return true;
}

/* ---- functions of counters ---- */

/* The loop that all the others are in; NULL: there is none. */
static const struct loop *outermost(const struct loops *l) {
  for (unsigned k = 0; k < l->n; k++) {
    unsigned inside = 0;
    for (unsigned i = 0; i < l->n; i++) inside += is_in(l->loop[i].header, &l->loop[k]);
    if (inside == l->n) return &l->loop[k];
  }
  return NULL;
}

/* Gone with the loop, or a part of an address. */
static bool is_free(LLVMValueRef i) {
  return LLVMIsAPHINode(i) != NULL || LLVMIsATerminatorInst(i) != NULL ||
         LLVMIsAGetElementPtrInst(i) != NULL || kiln_is_op(i, LLVMSExt) || kiln_is_op(i, LLVMZExt);
}

/* Of what is left of a block when the loops are unrolled. */
static uint64_t size_left(LLVMBasicBlockRef block, struct loops *l) {
  uint64_t size = 0;
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != NULL; i = LLVMGetNextInstruction(i)) {
    struct loops own = *l;
    if (is_free(i) || (is_function(i) ? are_known(i, 0, &own, 0) : is_known(i, &own, 0))) continue;
    size += LLVMIsACallInst(i) != NULL && !is_intrinsic(i) ? CALLED : 1;
  }
  return size;
}

static uint64_t times(LLVMBasicBlockRef block, const struct loops *l) {
  uint64_t n = 1;
  for (unsigned k = 0; k < l->n; k++)
    if (is_in(block, &l->loop[k])) n *= l->loop[k].turns;
  return n;
}

static bool fit_functions(struct loops *l, uint64_t *all) {
  struct kl_loop_blocks body;
  const struct loop *outer = l->n == 0 || l->nested ? NULL : outermost(l);
  uint64_t size = 0;
  if (outer == NULL || !find_body(outer, &body)) return false;
  for (unsigned k = 0; k < l->n; k++)
    if (kiln_spmd_unrolling_is_decided(l->loop[k].branch)) return false;
  for (unsigned i = 0; i < body.n && size <= MOST_UNROLLED; i++)
    size += size_left(body.at[i], l) * times(body.at[i], l);
  if (size > MOST_UNROLLED || *all + size > MOST_IN_ALL) return false;
  *all += size;
  return true;
}

static void unroll(const struct loops *l, LLVMContextRef context) {
  for (unsigned k = 0; k < l->n; k++) kiln_loop_hint(context, l->loop[k].branch, "llvm.loop.unroll.full");
}

/* Functions of the builtins that are asked about counters only, as in transforms: what they give is known
 * then. */
static void mark_functions(LLVMValueRef fn, uint64_t *all) {
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b != NULL; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i != NULL; i = LLVMGetNextInstruction(i)) {
      struct loops l = {.n = 0};
      if (is_function(i) && !is_intrinsic(i) && are_known(i, 0, &l, 0) && fit_functions(&l, all))
        unroll(&l, LLVMGetTypeContext(LLVMTypeOf(i)));
    }
}

/* The loops that the indices into a small array depend on; false: it is large, or stays for other reasons. */
static bool find_loops(LLVMValueRef alloca, struct loops *l) {
  *l = (struct loops){.n = 0};
  if (LLVMIsAAllocaInst(alloca) == NULL) return false;
  const uint64_t elements = elements_of(alloca);
  return elements != 0 && elements <= MOST_ELEMENTS && is_seen_through(alloca, l, 0);
}

static void mark_loops(LLVMValueRef fn) {
  uint64_t all = 0;
  mark_functions(fn, &all);
  LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(fn);
  for (LLVMValueRef i = LLVMGetFirstInstruction(entry); i != NULL; i = LLVMGetNextInstruction(i)) {
    struct loops l;
    if (!find_loops(i, &l) || !fit(&l, &all)) continue;
    for (unsigned k = 0; k < l.n; k++)
      if (is_marked(&l, &l.loop[k]) && !goes_anyway(&l.loop[k]))
        kiln_loop_hint(LLVMGetTypeContext(LLVMTypeOf(i)), l.loop[k].branch, "llvm.loop.unroll.full");
  }
}

/* As LLVM counts: addresses cost it nothing, and of all turns one counts and comes back. */
static bool is_taken_by_llvm(const struct loop *loop) {
  LLVMBasicBlockRef block = LLVMGetInstructionParent(loop->branch);
  uint64_t size = 0;
  if (!kiln_spmd_is_one_block(loop->branch)) return true; /* who knows */
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != NULL; i = LLVMGetNextInstruction(i))
    size += LLVMIsAPHINode(i) == NULL && LLVMIsAGetElementPtrInst(i) == NULL;
  return (size - BACK) * loop->turns + BACK <= MOST_OF_LLVM;
}

/* An array that stays in memory for one of its loops gains nothing when others are unrolled. */
static void keep_loops(LLVMValueRef fn) {
  LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(fn);
  for (LLVMValueRef i = LLVMGetFirstInstruction(entry); i != NULL; i = LLVMGetNextInstruction(i)) {
    struct loops l;
    bool stays = false;
    if (!find_loops(i, &l) || l.nested) continue;
    for (unsigned k = 0; k < l.n; k++) stays |= !goes_anyway(&l.loop[k]) && !is_taken_by_llvm(&l.loop[k]);
    for (unsigned k = 0; k < l.n && stays; k++)
      if (l.loop[k].turns > FEW_TURNS && !kiln_spmd_unrolling_is_decided(l.loop[k].branch))
        kiln_loop_hint(LLVMGetTypeContext(LLVMTypeOf(i)), l.loop[k].branch, "llvm.loop.unroll.disable");
  }
}

void kiln_spmd_unroll_array_loops(LLVMModuleRef module) {
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f)) {
      mark_loops(f);
      keep_loops(f);
    }
}
