/* Copies the rest of a turn after a barrier; see barrier_tails.h. While blocks are copied every value that
 * lives from one block into another lies in memory (reg2mem), so that a copy needs no phis; mem2reg takes it
 * back. */
#include "compiler/spmd/barrier_tails.h"

#include "compiler/large.h"
#include "compiler/spmd/ir.h"

enum {
  MOST_LOOPS = 8,    /* around a barrier, each of which takes a copy */
  MOST_READ = 8000,  /* values of a function that is looked at: beyond, it gets no lanes anyway */
  MOST_COPIED = 4000 /* instructions in all of a function, values in memory */
};

struct tails {
  struct kl_env env;
  LLVMValueRef fn;
  struct kl_func *f;
  struct kiln_loops loops;
  struct kl_list found;   /* blocks that reach() came to, in the order found */
  uint32_t *number;       /* by block: its place in `found`, or KL_NONE */
  struct kl_table copies; /* by barrier: how many copies it has got */
  uint32_t copied;
  bool in_memory;
};

/* ---- analysis ---- */

static void read_function(struct tails *t) {
  struct kiln_tree dominators;
  t->f = kiln_func_read(&t->env, t->fn);
  kiln_tree_dominators(&dominators, &t->f->graph, &t->env.arena, 0);
  kiln_loops_find(&t->loops, &t->f->graph, &dominators, &t->env.arena);
  t->number = kl_new(&t->env, t->f->graph.n, uint32_t);
}

static void find(struct tails *t, uint32_t block) {
  t->number[block] = t->found.n;
  kiln_list_push(&t->env, &t->found, block);
}

/* Blocks reached from one without passing a barrier: all of the region (loop: KL_NONE), barriers' blocks
 * included, or those of the loop's same turn, without them. */
static void reach(struct tails *t, uint32_t from, uint32_t loop) {
  const struct kl_func *f = t->f;
  t->found.n = 0;
  for (uint32_t b = 0; b < f->graph.n; b++) t->number[b] = KL_NONE;
  find(t, from);
  for (uint32_t i = 0; i < t->found.n; i++) {
    uint32_t b = t->found.at[i];
    if (f->block[b].barrier != 0) continue;
    for (uint32_t k = f->graph.succ0[b]; k < f->graph.succ0[b + 1]; k++) {
      uint32_t to = f->graph.succ[k];
      bool is_left = loop != KL_NONE && (to == t->loops.header[loop] || f->block[to].barrier != 0 ||
                                         !kiln_loops_contain(&t->loops, loop, to));
      if (t->number[to] == KL_NONE && !is_left) find(t, to);
    }
  }
}

/* The region that begins with a block has cycles with two entries. */
static bool begins_in_loop(struct tails *t, uint32_t entry) {
  const struct kl_func *f = t->f;
  size_t most = 0, n = 0;
  reach(t, entry, KL_NONE);
  for (uint32_t i = 0; i < t->found.n; i++)
    most += f->graph.succ0[t->found.at[i] + 1] - f->graph.succ0[t->found.at[i]];
  struct kiln_edge *edge = kl_new(&t->env, most, struct kiln_edge);
  for (uint32_t i = 0; i < t->found.n; i++) {
    uint32_t b = t->found.at[i];
    for (uint32_t k = f->graph.succ0[b]; k < f->graph.succ0[b + 1] && f->block[b].barrier == 0; k++)
      edge[n++] = (struct kiln_edge){i, t->number[f->graph.succ[k]]};
  }
  struct kiln_graph region;
  struct kiln_tree dominators;
  struct kiln_loops loops;
  kiln_graph_build(&region, &t->env.arena, t->found.n, edge, n);
  kiln_tree_dominators(&dominators, &region, &t->env.arena, 0);
  kiln_loops_find(&loops, &region, &dominators, &t->env.arena);
  return loops.irreducible;
}

/* The block after the first barrier that needs a copy for a loop around it, which has none for that loop yet;
 * loops get theirs from the innermost outwards. KL_NONE: none. */
static uint32_t find_tail(struct tails *t, uint32_t *loop_out) {
  const struct kl_func *f = t->f;
  for (uint32_t b = 0; b < f->graph.n; b++) {
    uint32_t loop = t->loops.of[b];
    if (f->block[b].barrier == 0 || loop == KL_NONE) continue;
    uint64_t *copies = kiln_table_find(&t->copies, f->inst[kl_last_of(f, b)].v);
    for (uint64_t i = copies != NULL ? *copies : 0; i > 0 && loop != KL_NONE; i--)
      loop = t->loops.parent[loop];
    uint32_t entry = f->graph.succ[f->graph.succ0[b]];
    if (loop == KL_NONE || (copies != NULL && *copies >= MOST_LOOPS) || !begins_in_loop(t, entry)) continue;
    *loop_out = loop;
    return entry;
  }
  return KL_NONE;
}

/* ---- blocks of LLVM ---- */

static LLVMBasicBlockRef block_at(const struct tails *t, uint32_t block) {
  return LLVMGetInstructionParent(t->f->inst[t->f->block[block].first].v);
}

/* Wants all that lives across blocks in memory: phis would have to be told. */
static void split_after(struct tails *t, LLVMBuilderRef b, LLVMValueRef barrier) {
  LLVMBasicBlockRef block = LLVMGetInstructionParent(barrier),
                    rest = LLVMAppendBasicBlockInContext(t->env.context, t->fn, "");
  LLVMPositionBuilderAtEnd(b, rest);
  for (LLVMValueRef i; (i = LLVMGetNextInstruction(barrier)) != NULL;) {
    LLVMInstructionRemoveFromParent(i);
    LLVMInsertIntoBuilder(b, i);
  }
  LLVMPositionBuilderAtEnd(b, block);
  LLVMBuildBr(b, rest);
}

static void split_at_barriers(struct tails *t) {
  LLVMBuilderRef b = kiln_env_builder(&t->env);
  for (uint32_t i = t->f->narg; i < t->f->ninst; i++)
    if (kl_is_barrier(t->f->inst[i].op)) split_after(t, b, t->f->inst[i].v);
}

static void copy_block(struct tails *t, LLVMBuilderRef b, LLVMBasicBlockRef from, LLVMBasicBlockRef to) {
  struct kl_table made = {0};
  LLVMPositionBuilderAtEnd(b, to);
  for (LLVMValueRef i = LLVMGetFirstInstruction(from); i != NULL; i = LLVMGetNextInstruction(i)) {
    LLVMValueRef copy = LLVMInstructionClone(i);
    for (unsigned k = 0, n = (unsigned)LLVMGetNumOperands(copy); k < n; k++) {
      uint64_t *by = kiln_table_find(&made, LLVMGetOperand(copy, k));
      if (by != NULL) LLVMSetOperand(copy, k, (LLVMValueRef)(uintptr_t)*by);
    }
    LLVMInsertIntoBuilder(b, copy);
    kiln_table_put(&t->env, &made, i, (uintptr_t)copy);
    t->copied++;
  }
}

/* Edges to copied blocks lead to the copies. */
static void lead_to_copies(const struct kl_table *copies, LLVMValueRef branch) {
  for (unsigned k = 0, n = LLVMGetNumSuccessors(branch); k < n; k++) {
    uint64_t *to = kiln_table_find(copies, LLVMGetSuccessor(branch, k));
    if (to != NULL) LLVMSetSuccessor(branch, k, (LLVMBasicBlockRef)(uintptr_t)*to);
  }
}

static void note_copy(struct tails *t, LLVMValueRef barrier) {
  uint64_t *copies = kiln_table_find(&t->copies, barrier);
  if (copies != NULL) ++*copies;
  else kiln_table_put(&t->env, &t->copies, barrier, 1);
}

/* entry: the branch that alone is left behind a barrier. */
static void copy_tail(struct tails *t, uint32_t entry, uint32_t loop) {
  LLVMBuilderRef b = LLVMCreateBuilderInContext(t->env.context);
  LLVMValueRef branch = t->f->inst[t->f->block[entry].first].v;
  struct kl_table copies = {0};
  reach(t, entry, loop);
  for (uint32_t i = 1; i < t->found.n; i++) {
    LLVMBasicBlockRef made = LLVMAppendBasicBlockInContext(t->env.context, t->fn, "");
    kiln_table_put(&t->env, &copies, block_at(t, t->found.at[i]), (uintptr_t)made);
  }
  for (uint32_t i = 1; i < t->found.n; i++) {
    LLVMBasicBlockRef from = block_at(t, t->found.at[i]),
                      to = (LLVMBasicBlockRef)(uintptr_t)*kiln_table_find(&copies, from);
    copy_block(t, b, from, to);
    lead_to_copies(&copies, LLVMGetBasicBlockTerminator(to));
  }
  lead_to_copies(&copies, branch);
  note_copy(t, LLVMGetPreviousInstruction(branch));
  LLVMDisposeBuilder(b);
}

/* ---- functions ---- */

static bool has_barriers(LLVMModuleRef module) {
  uint16_t sub;
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
    if (kl_is_barrier(kiln_call_classify(f, &sub)) && LLVMGetFirstUse(f) != NULL) return true;
  return false;
}

static void run_passes(struct tails *t, const char *passes) {
  const struct kiln_pass_lists lists = {.usual = passes};
  kiln_env_check(&t->env, kiln_large_run_passes(t->env.module, NULL, &lists));
}

static bool may_need_copies(const struct tails *t) {
  return t->f->nbarrier != 0 && t->loops.count != 0 && !t->loops.irreducible && t->f->nvalue < MOST_READ;
}

static void part_tails(struct tails *t, LLVMValueRef fn) {
  uint32_t entry, loop;
  bool is_split = false;
  t->fn = fn;
  t->copied = 0;
  for (read_function(t); may_need_copies(t) && t->copied < MOST_COPIED; read_function(t)) {
    if ((entry = find_tail(t, &loop)) == KL_NONE) return;
    if (!t->in_memory) {
      run_passes(t, "reg2mem");
      t->in_memory = true;
    } else if (!is_split) {
      split_at_barriers(t);
      is_split = true;
    } else {
      copy_tail(t, entry, loop);
    }
  }
}

/* In the functions that call it. done: those that have been seen. */
static void part_tails_of(struct tails *t, LLVMValueRef barrier, struct kl_table *done) {
  for (LLVMUseRef use = LLVMGetFirstUse(barrier); use != NULL; use = LLVMGetNextUse(use)) {
    if (!LLVMIsAInstruction(LLVMGetUser(use))) continue;
    LLVMValueRef fn = LLVMGetBasicBlockParent(LLVMGetInstructionParent(LLVMGetUser(use)));
    if (kiln_table_find(done, fn) != NULL) continue;
    kiln_table_put(&t->env, done, fn, 1);
    part_tails(t, fn);
  }
}

bool kiln_spmd_part_tails(LLVMModuleRef module, char **error_out) {
  struct tails t = {0};
  struct kl_table done = {0};
  uint16_t sub;
  if (!has_barriers(module)) return true;
  t.env.arena.no_memory = &t.env.fail;
  if (setjmp(t.env.fail) != 0) return kiln_env_finish(&t.env, false, error_out);
  kiln_env_start(&t.env, module);
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
    if (kl_is_barrier(kiln_call_classify(f, &sub))) part_tails_of(&t, f, &done);
  if (t.in_memory) run_passes(&t, "mem2reg," KILN_SIMPLIFY ",dce");
  return kiln_env_finish(&t.env, true, error_out);
}
