/* Where many ways meet, as behind a loop that was unrolled with all its ends: what a phi gets on most of them
 * all lanes get before they part, and only the other ways ask who comes. */
#include "compiler/spmd/lane_code.h"

enum { MOST_WAYS = 256 };

static uint32_t count_ways_with(const struct kl_func *f, uint32_t phi, uint32_t v) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < f->inst[phi].nops; k += 2) n += kl_operand(f, phi, k) == v;
  return n;
}

/* The value is known where the block ends, the same as later in this turn. */
static bool is_there(const struct kl_lane_code *c, uint32_t v, uint32_t block) {
  const struct kl_func *f = c->e->f;
  if (v < f->narg || v >= f->ninst) return true;
  return f->inst[v].bb != KL_NONE && kiln_tree_above(&c->l->shapes->uniform.dom, f->inst[v].bb, block);
}

/* What comes to the phi on most ways, and on two at least; KL_NONE: nothing that is known where `block` ends.
 */
static uint32_t find_usual(const struct kl_lane_code *c, uint32_t phi, uint32_t block) {
  const struct kl_func *f = c->e->f;
  uint32_t usual = KL_NONE, most = 1;
  if (f->inst[phi].nops / 2 > MOST_WAYS || c->l->shapes->of[phi].kind != KL_VARYING) return KL_NONE;
  for (uint32_t k = 0; k < f->inst[phi].nops && most < f->inst[phi].nops / 4 + 1; k += 2) {
    const uint32_t v = kl_operand(f, phi, k);
    if (v == usual || (k > 0 && v == kl_operand(f, phi, k - 2)) || !is_there(c, v, block)) continue;
    const uint32_t n = count_ways_with(f, phi, v);
    if (n <= most) continue;
    usual = v;
    most = n;
  }
  return usual;
}

/* Of a switch. Its lanes are found by what all others are: they bring what they have for all. */
static bool is_default(const struct kl_func *f, uint32_t from, uint32_t to) {
  return f->inst[kl_last_of(f, from)].op == LLVMSwitch && f->graph.succ[f->graph.succ0[from]] == to;
}

/* The node of the block that all lanes pass in the turn in which they come to `target`, since they came to
 * the region: they part there. KL_NONE: there is none. */
static uint32_t parting_of(const struct kl_lane_code *c, uint32_t target) {
  const struct kl_flow *flow = c->l->flow;
  const struct kiln_tree *dom = &c->l->shapes->uniform.dom;
  const uint32_t loop = flow->loops.of[target], above = dom->parent[c->l->block[target]];
  if (above == KL_NONE || c->l->node_of[above] == KL_NONE || flow->entry >= flow->nblock) return KL_NONE;
  if (loop != KL_NONE && flow->loops.header[loop] == target) return KL_NONE;
  if (flow->loops.of[c->l->node_of[above]] != loop) return KL_NONE;
  if (is_default(c->e->f, above, c->l->block[target])) return KL_NONE;
  return kiln_tree_above(dom, c->l->block[flow->entry], above) ? c->l->node_of[above] : KL_NONE;
}

void kiln_lane_find_meetings(struct kl_lane_code *c) {
  const struct kl_func *f = c->e->f;
  const uint32_t n = c->l->flow->nblock;
  c->usual = kl_new(c->e->env, f->nvalue, uint32_t);
  c->meeting = kl_new(c->e->env, n, uint32_t);
  c->next_meeting = kl_new(c->e->env, n, uint32_t);
  for (uint32_t t = 0; t < n; t++) c->meeting[t] = c->next_meeting[t] = KL_NONE;
  for (uint32_t t = 0; t < n; t++) {
    const uint32_t phi = f->block[c->l->block[t]].first;
    if (f->inst[phi].op != LLVMPHI || f->inst[phi].nops / 2 < 3) continue;
    const uint32_t parting = parting_of(c, t);
    if (parting == KL_NONE) continue;
    c->next_meeting[t] = c->meeting[parting];
    c->meeting[parting] = t;
  }
}

void kiln_lane_give_usual(struct kl_lane_code *c, uint32_t node) {
  const struct kl_func *f = c->e->f;
  for (uint32_t t = c->meeting[node]; t != KL_NONE; t = c->next_meeting[t]) {
    const uint32_t to = c->l->block[t], end = kl_end_of_phis(f, to);
    for (uint32_t phi = f->block[to].first; phi < end; phi++) {
      c->usual[phi] = find_usual(c, phi, c->l->block[node]);
      if (c->usual[phi] == KL_NONE) continue;
      struct kl_pack pack = kiln_lanes_operand(c->l, c->usual[phi]);
      kiln_lane_store_phi(c, phi, pack, LLVMConstAllOnes(LLVMTypeOf(c->active)));
    }
  }
}
