/* The ways by which lanes come to a block; see lane_code.h.
 *
 * Lanes that part at a branch and meet again right behind it take what one side makes or what the other one
 * does by the condition alone: whether a lane is on at all does not matter, as it has nothing there. Loops
 * whose lanes leave one by one wait for the condition only then, and not for who is left. */
#include "compiler/spmd/lane_code.h"

#include <string.h>

void kiln_lane_find_ways(struct kl_lane_code *c) {
  const struct kl_flow *flow = c->l->flow;
  const struct kiln_graph *graph = &c->e->f->graph;
  c->side = kl_new(c->e->env, flow->nblock, struct kl_side);
  c->first_into = kl_new(c->e->env, flow->nblock, uint32_t);
  memset(c->first_into, 0xff, flow->nblock * sizeof *c->first_into);
  for (uint32_t n = 0; n < flow->nblock; n++)
    for (uint32_t k = graph->succ0[c->l->block[n]]; k < graph->succ0[c->l->block[n] + 1]; k++) {
      uint32_t to = c->l->node_of[graph->succ[k]];
      if (to == KL_NONE) continue;
      uint32_t *first = &c->first_into[to];
      if (*first == KL_NONE || flow->node[n].place < flow->node[*first].place) *first = n;
    }
}

bool kiln_lane_comes_first(const struct kl_lane_code *c, uint32_t node, uint32_t to) {
  const struct kl_flow *flow = c->l->flow;
  uint32_t around = flow->loops.of[to];
  if (around != KL_NONE && flow->loops.header[around] == to) around = flow->loops.parent[around];
  return c->first_into[to] == node && flow->loops.of[node] == around;
}

void kiln_lane_note_side(struct kl_lane_code *c, uint32_t node, uint32_t k, LLVMValueRef asks) {
  const struct kiln_graph *graph = &c->e->f->graph;
  const uint32_t side = kiln_lane_target(c, node, k);
  if (side >= c->l->flow->nblock) return;
  const uint32_t block = c->l->block[side];
  if (graph->pred0[block + 1] - graph->pred0[block] == 1) c->side[side] = (struct kl_side){node, asks};
}

/* The other way to a block that has two; KL_NONE: it has more, or fewer. */
static uint32_t other_way(const struct kl_lane_code *c, uint32_t node, uint32_t block) {
  const struct kiln_graph *graph = &c->e->f->graph;
  const uint32_t *pred = &graph->pred[graph->pred0[block]];
  if (graph->pred0[block + 1] - graph->pred0[block] != 2) return KL_NONE;
  return c->l->node_of[pred[pred[0] == c->l->block[node]]];
}

/* Code from the branch to where its lanes meet is there as often as the branch, in loops and copies. */
static bool run_together(const struct kl_flow *flow, uint32_t branch, uint32_t side, uint32_t to) {
  return flow->loops.of[branch] == flow->loops.of[to] && flow->loops.of[side] == flow->loops.of[to] &&
         flow->node[branch].owner == flow->node[to].owner;
}

LLVMValueRef kiln_lane_side_asks(const struct kl_lane_code *c, uint32_t node) {
  const struct kiln_graph *graph = &c->e->f->graph;
  const struct kl_side *side = &c->side[node];
  const uint32_t block = graph->succ[graph->succ0[c->l->block[node]]], to = c->l->node_of[block];
  if (side->asks == NULL || to == KL_NONE || !run_together(c->l->flow, side->branch, node, to)) return NULL;
  const uint32_t other = other_way(c, node, block);
  if (other == KL_NONE || !kiln_lane_comes_first(c, other, to)) return NULL;
  const bool parts_there =
      other == side->branch || (c->side[other].asks != NULL && c->side[other].branch == side->branch);
  return parts_there ? side->asks : NULL;
}
