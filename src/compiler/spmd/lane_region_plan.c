/* Flows of regions, and what loops that lanes leave at different turns keep and share; see lane_planner.h. */
#include "compiler/spmd/lane_planner.h"

enum {
  GUARD_COST = 12, /* instructions that are not run for nobody */
  MOST_DEPTH = 8
};

/* ---- blocks ---- */

static bool is_conditional(const struct kl_func *f, uint32_t i) {
  return (f->inst[i].op == LLVMBr || f->inst[i].op == LLVMSwitch) && f->inst[i].nops == 1;
}

static bool diverges(struct kl_lane_planner *p, uint32_t block) {
  uint32_t last = kl_last_of(p->f, block);
  if (!is_conditional(p->f, last) || p->lanes->shapes.uniform.agreed[block]) return false;
  return kiln_shape_at(&p->lanes->shapes, p->f, kl_operand(p->f, last, 0), block).kind != KL_UNIFORM;
}

static bool touches_memory(const struct kl_inst *inst) {
  switch (inst->op) {
  case LLVMLoad:
  case LLVMStore:
  case LLVMAtomicRMW:
  case LLVMAtomicCmpXchg:
  case LLVMFence:
  case KL_FENCE:
  case KL_PRINTF:
  case LLVMCall:
    return true;
  default:
    return false;
  }
}

static bool is_shy(struct kl_lane_planner *p, uint32_t block) {
  uint32_t last = kl_last_of(p->f, block), cost = 0;
  unsigned op = p->f->inst[last].op;
  if (p->f->block[block].barrier != 0 || (op != LLVMBr && op != LLVMSwitch)) return true;
  if (is_conditional(p->f, last)) return true;
  for (uint32_t i = p->f->block[block].first; i < last; i++, cost++)
    if (touches_memory(&p->f->inst[i])) return true;
  return cost > GUARD_COST;
}

/* ---- regions ---- */

static void region_graph(struct kl_lane_planner *p, const struct kl_region *region,
                         struct kl_flow_input *in) {
  const struct kiln_graph *g = &p->f->graph;
  size_t cap = region->nblock, n = 0;
  for (uint32_t i = 0; i < region->nblock; i++)
    cap += g->succ0[region->block[i] + 1] - g->succ0[region->block[i]];
  struct kiln_edge *edges = kl_new(p->env, cap, struct kiln_edge);
  for (uint32_t i = 0; i < region->nblock; i++) {
    uint32_t b = region->block[i], first = g->succ0[b], end = g->succ0[b + 1];
    if (p->f->block[b].barrier != 0 || first == end) {
      edges[n++] = (struct kiln_edge){i, region->nblock};
      continue;
    }
    for (uint32_t k = first; k < end; k++) edges[n++] = (struct kiln_edge){i, p->node_of[g->succ[k]]};
  }
  kiln_graph_build(&in->graph, &p->env->arena, region->nblock + 1, edges, n);
}

static bool find_flow(struct kl_lane_planner *p, uint32_t r) {
  const struct kl_region *region = &p->plan->region[r];
  struct kl_flow_input in = {0};
  bool *divergent = kl_new(p->env, region->nblock, bool), *shy = kl_new(p->env, region->nblock, bool);
  for (uint32_t b = 0; b < p->f->graph.n; b++) p->node_of[b] = KL_NONE;
  for (uint32_t i = 0; i < region->nblock; i++) p->node_of[region->block[i]] = i;
  for (uint32_t i = 0; i < region->nblock; i++) {
    divergent[i] = diverges(p, region->block[i]);
    shy[i] = is_shy(p, region->block[i]);
  }
  region_graph(p, region, &in);
  in.entry = p->node_of[region->entry];
  in.divergent = divergent;
  in.shy = shy;
  return kiln_flow_find(&p->lanes->flow[r], &p->env->arena, &in);
}

static bool in_divergent_loop(const struct kl_flow *flow, uint32_t node) {
  for (uint32_t l = flow->loops.of[node]; l != KL_NONE; l = flow->loops.parent[l])
    if (flow->loop_diverges[l]) return true;
  return false;
}

/* Some edge that brings v to the phi starts after the loop. */
static bool is_brought_from_outside(struct kl_lane_planner *p, const struct kl_flow *flow, uint32_t v,
                                    uint32_t node, uint32_t phi) {
  for (uint32_t k = 0; k < p->f->inst[phi].nops; k += 2) {
    uint32_t from = p->node_of[kl_operand(p->f, phi, k + 1)];
    if (kl_operand(p->f, phi, k) == v && from != KL_NONE && kiln_flow_is_left(flow, node, from)) return true;
  }
  return false;
}

static bool is_used_outside(struct kl_lane_planner *p, const struct kl_flow *flow, uint32_t v,
                            uint32_t node) {
  if (p->plan->keep[v] != KL_KEEP_NONE) return true;
  for (uint32_t k = p->uses.first[v]; k < p->uses.first[v + 1]; k++) {
    uint32_t user = p->uses.at[k];
    if (p->f->inst[user].op == LLVMPHI) {
      if (is_brought_from_outside(p, flow, v, node, user)) return true;
      continue;
    }
    uint32_t at = p->node_of[p->f->inst[user].bb];
    if (at != KL_NONE && kiln_flow_is_left(flow, node, at)) return true;
  }
  return false;
}

static void find_kept(struct kl_lane_planner *p, uint32_t r) {
  const struct kl_flow *flow = &p->lanes->flow[r];
  const struct kl_region *region = &p->plan->region[r];
  p->lanes->kept[r] = kl_new(p->env, p->f->nvalue, uint8_t);
  p->lanes->latches[r] = kl_new(p->env, flow->loops.count, uint32_t);
  for (uint32_t i = 0; i < region->nblock; i++) {
    uint32_t block = region->block[i];
    for (uint32_t k = flow->node[i].succ0; k < flow->node[i].succ0 + flow->node[i].nsucc; k++) {
      uint32_t to = flow->succ[k], loop = to < flow->nblock ? flow->loops.of[to] : KL_NONE;
      if (loop != KL_NONE && flow->loops.header[loop] == to) p->lanes->latches[r][loop]++;
    }
    if (!in_divergent_loop(flow, i)) continue;
    for (uint32_t v = p->f->block[block].first; v <= kl_last_of(p->f, block); v++)
      p->lanes->kept[r][v] = is_used_outside(p, flow, v, i);
  }
}

/* ---- values from before a region ---- */

/* Whether all lanes that go on from a region to another come by one of its blocks, once; the others return.
 */
static bool is_on_the_way(struct kl_lane_planner *p, const struct kl_region *region, uint32_t block) {
  const struct kiln_graph *g = &p->f->graph;
  const struct kl_uniform *u = &p->lanes->shapes.uniform;
  for (uint32_t l = u->loops.of[block]; l != KL_NONE; l = u->loops.parent[l])
    if (!u->meets[l]) return false;
  bool *seen = kl_new(p->env, region->nblock, bool);
  struct kl_list todo = {0};
  kiln_list_push(p->env, &todo, region->entry);
  while (todo.n > 0) {
    uint32_t b = todo.at[--todo.n];
    if (b == block || seen[p->node_of[b]]) continue;
    seen[p->node_of[b]] = true;
    if (p->f->block[b].barrier != 0) return false;
    for (uint32_t k = g->succ0[b]; k < g->succ0[b + 1]; k++) kiln_list_push(p->env, &todo, g->succ[k]);
  }
  return true;
}

/* Of what is computed again in each region there is one form for the region's start and one for later. */
static bool is_computed_again_from(const struct kl_lane_planner *p, uint32_t v) {
  for (uint32_t k = p->uses.first[v]; k < p->uses.first[v + 1]; k++)
    if (p->plan->keep[p->uses.at[k]] == KL_KEEP_AGAIN) return true;
  return false;
}

/* Arithmetic without phis, loads or calls: the same operands give the same result. */
static bool is_function_of_operands(const struct kl_inst *inst) {
  switch (inst->op) {
  case LLVMGetElementPtr:
  case LLVMICmp:
  case LLVMSelect:
  case KL_QUERY:
    return true;
  default:
    return LLVMIsACastInst(inst->v) != NULL || LLVMIsABinaryOperator(inst->v) != NULL;
  }
}

/* A place in a private object, a sum of an id and a constant and the like: whenever it is computed, it is the
 * same. */
static bool never_changes(const struct kl_lane_planner *p, uint32_t v, unsigned depth) {
  const struct kl_inst *inst = &p->f->inst[v];
  if (v < p->f->narg || inst->op == KL_CONST || inst->op == LLVMAlloca) return true;
  if (depth == MOST_DEPTH || !is_function_of_operands(inst)) return false;
  for (uint32_t k = 0; k < inst->nops; k++)
    if (!never_changes(p, kl_operand(p->f, v, k), depth + 1)) return false;
  return true;
}

/* Lanes that are in different turns of a loop do not all have a value anew. True for one that is the same for
 * a whole group, whoever computes it; others are noted for another try, in which each lane has its own. */
static bool may_come_apart(struct kl_lane_planner *p, uint32_t v) {
  if (p->apart == NULL) return false;
  if (p->plan->keep[v] == KL_KEEP_GROUP) return !is_computed_again_from(p, v);
  if (p->plan->keep[v] == KL_KEEP_ITEM && !p->apart[v]) p->apart[v] = p->found_apart = true;
  return false;
}

/* A scalar value from before a region that is computed anew in it must be so for all lanes at once. */
static bool renewals_agree(struct kl_lane_planner *p, uint32_t r) {
  const struct kl_region *region = &p->plan->region[r];
  const struct kl_flow *flow = &p->lanes->flow[r];
  bool agree = true;
  for (uint32_t i = 0; i < region->nblock; i++) p->node_of[region->block[i]] = i;
  for (uint32_t i = 0; i < region->live.n; i++) {
    uint32_t v = region->live.at[i], block = p->f->inst[v].bb;
    if (block == KL_NONE || p->f->inst[v].op == LLVMAlloca || !kiln_region_has(region, block)) continue;
    if (p->lanes->shapes.of[v].kind != KL_VARYING && flow->node[p->node_of[block]].owner != flow->entry &&
        !is_on_the_way(p, region, block) && !never_changes(p, v, 0) && !may_come_apart(p, v))
      agree = false;
  }
  return agree;
}

/* ---- values that loops leave as scalars ---- */

/* Code after a loop of the region that lanes leave at different turns has one scalar of what all of them
 * have, as for the whole kernel they are in a turn of the same loop. */
static bool wants_scalar(struct kl_lane_planner *p, const struct kl_flow *flow, uint32_t v, uint32_t user) {
  const struct kl_inst *inst = &p->f->inst[user];
  const struct kl_shapes *shapes = &p->lanes->shapes;
  const uint32_t node = p->node_of[p->f->inst[v].bb];
  const bool is_scalar = inst->op == LLVMBr || inst->op == LLVMSwitch ||
                         (inst->op != LLVMStore && shapes->of[user].kind != KL_VARYING);
  if (!is_scalar) return false;
  if (inst->op == LLVMPHI) return is_brought_from_outside(p, flow, v, node, user);
  return p->node_of[inst->bb] != KL_NONE && kiln_flow_is_left(flow, node, p->node_of[inst->bb]) &&
         kiln_shape_at(shapes, p->f, v, inst->bb).kind != KL_VARYING;
}

static bool is_live(const struct kl_region *region, uint32_t v) {
  for (uint32_t i = 0; i < region->live.n; i++)
    if (region->live.at[i] == v) return true;
  return false;
}

/* Its slot gets that scalar before a barrier. */
static bool is_put_by_as_scalar(struct kl_lane_planner *p, uint32_t r, uint32_t v) {
  const struct kl_region *region = &p->plan->region[r];
  const uint32_t node = p->node_of[p->f->inst[v].bb];
  if (p->plan->keep[v] != KL_KEEP_ITEM) return false;
  for (uint32_t i = 0; i < region->nblock; i++) {
    const uint32_t barrier = p->f->block[region->block[i]].barrier;
    if (barrier != 0 && kiln_flow_is_left(&p->lanes->flow[r], node, i) &&
        is_live(&p->plan->region[barrier], v))
      return true;
  }
  return false;
}

/* What comes from before the region and is computed anew lies in a variable: see renewals_agree. What the
 * whole group shares is the same whoever has computed it. */
static bool is_left_as_scalar(struct kl_lane_planner *p, uint32_t r, uint32_t v) {
  if (p->plan->keep[v] == KL_KEEP_GROUP || p->plan->keep[v] == KL_KEEP_AGAIN) return false;
  if (!p->lanes->kept[r][v] || p->lanes->shapes.of[v].kind == KL_VARYING) return false;
  if (is_live(&p->plan->region[r], v)) return false;
  for (uint32_t k = p->uses.first[v]; k < p->uses.first[v + 1]; k++)
    if (wants_scalar(p, &p->lanes->flow[r], v, p->uses.at[k])) return true;
  return is_put_by_as_scalar(p, r, v);
}

/* False: there is such a value. It is noted for another try, in which each lane has its own. */
static bool has_no_left_scalars(struct kl_lane_planner *p, uint32_t r) {
  const struct kl_region *region = &p->plan->region[r];
  bool none = true;
  for (uint32_t i = 0; i < region->nblock; i++) {
    const struct kl_block *b = &p->f->block[region->block[i]];
    for (uint32_t v = b->first; v < b->first + b->n; v++) {
      if (!is_left_as_scalar(p, r, v)) continue;
      none = false;
      if (p->apart != NULL && !p->apart[v]) p->apart[v] = p->found_apart = true;
    }
  }
  return none;
}

/* ---- all regions ---- */

bool kiln_lane_plan_regions(struct kl_lane_planner *p) {
  uint32_t n = p->plan->nregion;
  p->lanes->flow = kl_new(p->env, n, struct kl_flow);
  p->lanes->kept = kl_new(p->env, n, uint8_t *);
  p->lanes->latches = kl_new(p->env, n, uint32_t *);
  for (uint32_t r = 0; r < n; r++) {
    if (!find_flow(p, r) || !renewals_agree(p, r)) return false;
    find_kept(p, r);
    if (!has_no_left_scalars(p, r)) return false;
  }
  return true;
}
