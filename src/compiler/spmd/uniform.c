/* Uniformity: optimistic, by propagation from what differs (ids, private addresses, atomics) through
 * operands, and from branches that work-items take differently to the places where the paths meet.
 *
 * Paths from a divergent branch meet, before its immediate post-dominator or there, in the iterated dominance
 * frontier of its successors. A join remembers the post-dominator it was reached for (its limit) and is
 * visited again only for one further away, which keeps nests of thousands of branches linear. */
#include "compiler/spmd/uniform.h"

#include "compiler/spmd/combine.h"
#include "compiler/spmd/subgroup.h"

#include <string.h>

struct analysis {
  struct kl_uniform *u;
  struct kl_env *env;
  const struct kl_program *program;
  const struct kl_func *f;
  const struct kl_uses *uses;
  unsigned level;
  struct kiln_tree turn_post;
  struct kiln_frontiers frontier;
  uint32_t *limit; /* by block: depth + 1 of the furthest post-dominator it was a join for; 0: no join */
  struct kl_list work, joins;
};

/* All work-items get the same, whatever they give. A vector is in one sub-group. */
static bool is_shared_result(const struct analysis *a, const struct kl_inst *inst) {
  if (inst->op == KL_SUB_GROUP) return a->level != KL_LEVEL_GROUP && kiln_sub_group_is_shared(inst->sub);
  return inst->op == KL_COLLECTIVE && !kl_is_scan(inst->sub);
}

static void start_varying(struct analysis *a, uint32_t v) {
  a->u->varying[v] = 1;
  kiln_list_push(a->env, &a->work, v);
}

static void set_varying(struct analysis *a, uint32_t v) {
  if (!a->u->varying[v] && a->f->inst[v].op != KL_CONST && !is_shared_result(a, &a->f->inst[v]))
    start_varying(a, v);
}

/* ---- what differs by itself ---- */

/* Another work-item's store to the same place would be a race, unless the program orders them with atomics.
 * The work-items of a vector load at the same time.
 */
static bool load_differs(struct analysis *a, LLVMValueRef load) {
  if (a->level != KL_LEVEL_GROUP) return false;
  if (!kiln_is_ordinary(load)) return true;
  return a->program->orders_memory &&
         LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(load, 0))) != KL_AS_CONSTANT;
}

/* An element of an image is loaded as other memory is. */
static bool call_differs(struct analysis *a, LLVMValueRef call) {
  if (kiln_call_is_pure(call)) return false;
  return !kiln_call_is_texel(call) || (a->level == KL_LEVEL_GROUP && a->program->orders_memory);
}

static bool query_differs(struct analysis *a, const struct kl_inst *inst) {
  if (inst->sub == KL_Q_LOCAL_LINEAR_ID || inst->sub == KL_Q_GLOBAL_LINEAR_ID ||
      inst->sub == KL_Q_SUB_GROUP_LOCAL_ID)
    return true;
  if (inst->sub == KL_Q_SUB_GROUP_ID || inst->sub == KL_Q_SUB_GROUP_SIZE) return a->level == KL_LEVEL_GROUP;
  if (inst->sub != KL_Q_LOCAL_ID && inst->sub != KL_Q_GLOBAL_ID) return false;
  LLVMValueRef dimension = a->f->inst[a->f->ops.at[inst->op0]].v;
  if (a->level == KL_LEVEL_GROUP || !LLVMIsAConstantInt(dimension)) return true;
  uint64_t d = LLVMConstIntGetZExtValue(dimension);
  return d < 3 && (a->level >> d & 1) != 0;
}

static bool differs(struct analysis *a, const struct kl_inst *inst) {
  switch (inst->op) {
  case KL_QUERY:
    return query_differs(a, inst);
  case LLVMAlloca:
  case LLVMAtomicRMW:
  case LLVMAtomicCmpXchg:
  case KL_PRINTF:
    return true;
  case KL_SUB_GROUP:
    return a->level == KL_LEVEL_GROUP || !kiln_sub_group_is_plain(inst->sub);
  case KL_COLLECTIVE:
    return kl_is_scan(inst->sub);
  case LLVMFreeze: /* of an undefined value: each its own, but one for a vector */
    return a->level == KL_LEVEL_GROUP;
  case LLVMLoad:
    return load_differs(a, inst->v);
  case LLVMCall:
    return call_differs(a, inst->v);
  default:
    return false;
  }
}

/* ---- joins ---- */

static bool phi_merges(const struct kl_func *f, uint32_t i) {
  for (uint32_t k = 2; k < f->inst[i].nops; k += 2)
    if (kl_operand(f, i, k) != kl_operand(f, i, 0)) return true;
  return false;
}

/* Edges to a loop's header from inside the loop, or those from outside. */
static uint32_t count_edges(struct analysis *a, uint32_t header, bool inside) {
  const struct kiln_graph *g = &a->f->graph;
  uint32_t n = 0;
  for (uint32_t k = g->pred0[header]; k < g->pred0[header + 1]; k++)
    n += kiln_tree_above(&a->u->dom, header, g->pred[k]) == inside;
  return n;
}

static bool is_inside(struct analysis *a, uint32_t header, uint32_t block) {
  return kiln_loops_contain(&a->u->loops, a->u->loops.of[header], block);
}

/* The header of a loop with one way in, seen from before: paths have not met there. */
static bool enters_alone(struct analysis *a, uint32_t block, uint32_t branch) {
  return kiln_loops_begin(&a->u->loops, block) && !is_inside(a, block, branch) &&
         count_edges(a, block, false) == 1;
}

/* Items that stay in a loop of one latch are all in the same turn: its header joins no paths that began
 * inside. */
static bool only_turns(struct analysis *a, uint32_t block, uint32_t branch) {
  return kiln_loops_begin(&a->u->loops, block) && is_inside(a, block, branch) &&
         count_edges(a, block, true) == 1;
}

static void add_join(struct analysis *a, uint32_t block, uint32_t branch, uint32_t end) {
  const struct kiln_tree *post = &a->u->postdom;
  uint32_t mark = post->depth[end] + 1;
  if (!kiln_tree_above(post, end, block)) return; /* beyond the place where all paths have met */
  if ((a->limit[block] != 0 && a->limit[block] <= mark) || only_turns(a, block, branch) ||
      enters_alone(a, block, branch))
    return;
  bool first = a->limit[block] == 0;
  a->limit[block] = mark;
  if (block != end) {
    kiln_list_push(a->env, &a->joins, branch);
    kiln_list_push(a->env, &a->joins, end);
    kiln_list_push(a->env, &a->joins, block);
  }
  if (!first) return;
  for (uint32_t i = a->f->block[block].first; i < kl_end_of_phis(a->f, block); i++)
    if (phi_merges(a->f, i)) a->u->mixes[i] = 1, set_varying(a, i);
}

static void add_frontier(struct analysis *a, uint32_t block, uint32_t branch, uint32_t end) {
  for (uint32_t k = a->frontier.first[block]; k < a->frontier.first[block + 1]; k++)
    add_join(a, a->frontier.at[k], branch, end);
}

static void follow_joins(struct analysis *a) {
  while (a->joins.n > 0) {
    const uint32_t *top = a->joins.at + a->joins.n - 3;
    uint32_t branch = top[0], end = top[1], block = top[2];
    a->joins.n -= 3;
    add_frontier(a, block, branch, end);
  }
}

/* ---- loops left at different turns ---- */

/* Barriers in every turn cut a loop in pieces: who leaves does so within a piece, and returns. */
static void leave_loop(struct analysis *a, uint32_t loop) {
  if (a->u->loop_diverges[loop] || a->u->meets[loop]) return;
  a->u->loop_diverges[loop] = true;
  for (uint32_t b = a->u->loops.header[loop]; b < a->f->graph.n; b++) {
    if (!kiln_loops_contain(&a->u->loops, loop, b)) continue;
    const struct kl_block *block = &a->f->block[b];
    for (uint32_t v = block->first; v < block->first + block->n; v++)
      for (uint32_t k = a->uses->first[v]; k < a->uses->first[v + 1]; k++) {
        uint32_t user = a->uses->at[k];
        if (kiln_loops_contain(&a->u->loops, loop, a->f->inst[user].bb)) continue;
        a->u->leaves[v] = 1;
        set_varying(a, user);
      }
  }
}

static void diverge(struct analysis *a, uint32_t block) {
  uint32_t end = a->u->postdom.parent[block];
  const struct kiln_graph *g = &a->f->graph;
  for (uint32_t k = g->succ0[block]; k < g->succ0[block + 1]; k++) {
    uint32_t to = g->succ[k];
    bool joins = g->pred0[to + 1] - g->pred0[to] > 1;
    if (joins) add_join(a, to, block, end);
    if (to != end && (!joins || enters_alone(a, to, block))) add_frontier(a, to, block, end);
  }
  follow_joins(a);
  for (uint32_t loop = a->u->loops.of[block]; loop != KL_NONE; loop = a->u->loops.parent[loop])
    if (kiln_loops_split(&a->u->loops, g, &a->turn_post, loop, block)) leave_loop(a, loop);
}

/* ---- loops with barriers ---- */

/* The block is a part of every turn of its innermost loop. */
static bool is_in_every_turn(const struct analysis *a, uint32_t block) {
  uint32_t loop = a->u->loops.of[block], header = a->u->loops.header[loop];
  for (uint32_t k = a->f->graph.pred0[header]; k < a->f->graph.pred0[header + 1]; k++) {
    uint32_t latch = a->f->graph.pred[k];
    if (kiln_loops_contain(&a->u->loops, loop, latch) && !kiln_tree_above(&a->u->dom, block, latch))
      return false;
  }
  return true;
}

static void find_meetings(struct analysis *a) {
  for (uint32_t b = 0; b < a->f->graph.n; b++) {
    uint32_t loop = a->u->loops.of[b];
    if (a->f->block[b].barrier != 0 && loop != KL_NONE) a->u->meets[loop] |= is_in_every_turn(a, b);
  }
}

/* Blocks from which a barrier can be reached. */
static bool *before_barriers(struct analysis *a) {
  const struct kiln_graph *g = &a->f->graph;
  bool *before = kl_new(a->env, g->n, bool);
  struct kl_list todo = {0};
  for (uint32_t b = 0; b < g->n; b++)
    if (a->f->block[b].barrier != 0) before[b] = true, kiln_list_push(a->env, &todo, b);
  while (todo.n > 0) {
    uint32_t b = todo.at[--todo.n];
    for (uint32_t k = g->pred0[b]; k < g->pred0[b + 1]; k++)
      if (!before[g->pred[k]]) before[g->pred[k]] = true, kiln_list_push(a->env, &todo, g->pred[k]);
  }
  return before;
}

/* Leaves the innermost loop of the block for one of the blocks in to[]. */
static bool leaves_for(const struct analysis *a, uint32_t block, const bool *to) {
  const struct kiln_graph *g = &a->f->graph;
  uint32_t loop = a->u->loops.of[block];
  for (uint32_t s = g->succ0[block]; s < g->succ0[block + 1]; s++)
    if (!kiln_loops_contain(&a->u->loops, loop, g->succ[s]) && to[g->succ[s]]) return true;
  return false;
}

/* Work-items meet at a barrier in each turn of a loop or not at all (OpenCL C 6.15.8): all go on to other
 * barriers together, whatever the condition looks like. Those that return are let go one by one. */
static void find_agreed(struct analysis *a) {
  const struct kl_func *f = a->f;
  find_meetings(a);
  const bool *before = before_barriers(a);
  for (uint32_t b = 0; b < f->graph.n; b++) {
    uint32_t loop = a->u->loops.of[b];
    a->u->agreed[b] = loop != KL_NONE && a->u->meets[loop] && f->inst[kl_last_of(f, b)].op == LLVMBr &&
                      leaves_for(a, b, before);
  }
}

bool kiln_uniform_is_divergent(const struct kl_uniform *u, const struct kl_func *f, uint32_t block) {
  const struct kl_block *b = &f->block[block];
  uint32_t last = b->first + b->n - 1;
  return (f->inst[last].op == LLVMBr || f->inst[last].op == LLVMSwitch) && f->inst[last].nops == 1 &&
         !u->agreed[block] && (u->varying[last] || u->varying[kl_operand(f, last, 0)]);
}

bool kiln_uniform_is_side(const struct kl_uniform *u, const struct kl_func *f, uint32_t block) {
  const struct kiln_graph *g = &f->graph;
  return g->pred0[block + 1] == g->pred0[block] + 1 &&
         kiln_uniform_is_divergent(u, f, g->pred[g->pred0[block]]);
}

bool kiln_uniform_is_left(const struct kl_uniform *u, const struct kl_func *f, uint32_t value, uint32_t at) {
  if (f->inst[value].bb == KL_NONE) return false;
  for (uint32_t loop = u->loops.of[f->inst[value].bb]; loop != KL_NONE; loop = u->loops.parent[loop])
    if (u->loop_diverges[loop] && !kiln_loops_contain(&u->loops, loop, at)) return true;
  return false;
}

static void propagate(struct analysis *a) {
  while (a->work.n > 0) {
    uint32_t v = a->work.at[--a->work.n];
    bool branches = a->f->inst[v].op == LLVMBr || a->f->inst[v].op == LLVMSwitch;
    if (branches && !a->u->agreed[a->f->inst[v].bb]) diverge(a, a->f->inst[v].bb);
    for (uint32_t k = a->uses->first[v]; k < a->uses->first[v + 1]; k++) set_varying(a, a->uses->at[k]);
  }
}

void kiln_uniform_find(struct kl_uniform *u, struct kl_env *env, const struct kl_program *program,
                       const struct kl_uses *uses, const bool *varies, const bool *apart, unsigned level) {
  const struct kl_func *f = program->kernel;
  struct analysis a = {.u = u, .env = env, .program = program, .f = f, .uses = uses, .level = level};
  u->mixes = kl_new(env, f->nvalue, uint8_t);
  u->varying = kl_new(env, f->nvalue, uint8_t);
  u->leaves = kl_new(env, f->nvalue, uint8_t);
  kiln_tree_dominators(&u->dom, &f->graph, &env->arena, 0);
  kiln_tree_postdominators(&u->postdom, &f->graph, &env->arena);
  kiln_loops_find(&u->loops, &f->graph, &u->dom, &env->arena);
  kiln_tree_turn_postdominators(&a.turn_post, &f->graph, &u->dom, &u->loops, &env->arena);
  kiln_frontiers_find(&a.frontier, &f->graph, &u->dom, &env->arena);
  a.limit = kl_new(env, f->graph.n, uint32_t);
  u->loop_diverges = kl_new(env, u->loops.count, bool);
  u->meets = kl_new(env, u->loops.count, bool);
  u->agreed = kl_new(env, f->graph.n, bool);
  if (u->loops.irreducible) { /* nothing is known about cycles with two entries */
    memset(u->varying + f->narg, 1, f->ninst - f->narg);
    return;
  }
  find_agreed(&a);
  for (uint32_t i = 0; i < f->narg; i++)
    if (varies != NULL && varies[i]) set_varying(&a, i);
  for (uint32_t i = f->narg; i < f->ninst; i++)
    if (apart != NULL && apart[i] && f->inst[i].op != KL_COLLECTIVE) start_varying(&a, i);
    else if (differs(&a, &f->inst[i])) set_varying(&a, i);
  propagate(&a);
}
