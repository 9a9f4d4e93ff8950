/* Switches that lanes take differently. Which lanes take a case is found where the code of the case begins:
 * the masks of all cases would be kept until then, in registers that many cases do not leave. */
#include "compiler/spmd/lane_code.h"

/* Code that begins where the switch at the end of `node` leads, and that nothing else leads to. */
static bool is_case(const struct kl_lane_code *c, uint32_t node, uint32_t to) {
  const struct kl_flow *flow = c->l->flow;
  const struct kl_func *f = c->e->f;
  if (to >= flow->nblock || flow->node[to].owner != to || flow->loops.of[to] != flow->loops.of[node])
    return false;
  uint32_t block = c->l->block[to];
  for (uint32_t k = f->graph.pred0[block]; k < f->graph.pred0[block + 1]; k++)
    if (f->graph.pred[k] != c->l->block[node]) return false;
  return kl_end_of_phis(f, block) == f->block[block].first;
}

/* Lanes of the mask whose number is the one of edge k. */
static LLVMValueRef lanes_of_case(struct kl_lane_code *c, const struct kl_choice *choice, uint32_t k) {
  LLVMValueRef number = kiln_lanes_splat(c->l, LLVMGetOperand(choice->inst, 2 * k));
  LLVMValueRef is = LLVMBuildICmp(c->e->b, LLVMIntEQ, choice->x, number, "");
  return LLVMBuildAnd(c->e->b, choice->mask, is, "");
}

static LLVMValueRef without(struct kl_lane_code *c, LLVMValueRef mask, LLVMValueRef gone) {
  return LLVMBuildAnd(c->e->b, mask, LLVMBuildNot(c->e->b, gone, ""), "");
}

LLVMValueRef kiln_lane_take_case(struct kl_lane_code *c, uint32_t node) {
  const struct kl_choice *choice = c->choice[node];
  LLVMValueRef mask = LLVMConstNull(LLVMTypeOf(choice->mask));
  for (uint32_t k = 1; k < choice->n; k++)
    if (kiln_lane_target(c, choice->node, k) == node)
      mask = LLVMBuildOr(c->e->b, mask, lanes_of_case(c, choice, k), "");
  return mask;
}

void kiln_lane_leave_default(struct kl_lane_code *c, uint32_t node, LLVMValueRef mask) {
  const struct kl_choice *choice = c->choice[node];
  if (choice == NULL || choice->others == KL_NONE) return;
  LLVMValueRef in = c->l->in[choice->others], others = LLVMBuildLoad2(c->e->b, LLVMTypeOf(mask), in, "");
  LLVMBuildStore(c->e->b, without(c, others, mask), in);
}

/* The default is code of its own that runs after all cases. */
static bool comes_last(const struct kl_lane_code *c, uint32_t node, uint32_t n) {
  const struct kl_flow *flow = c->l->flow;
  uint32_t others = kiln_lane_target(c, node, 0);
  bool last = is_case(c, node, others);
  for (uint32_t k = 1; last && k < n; k++) {
    uint32_t to = kiln_lane_target(c, node, k);
    last = to != others && (!is_case(c, node, to) || flow->node[to].place < flow->node[others].place);
  }
  return last;
}

/* Lanes of the mask for which no case holds, where the numbers of all cases follow one another; else NULL. */
static LLVMValueRef lanes_outside(struct kl_lane_code *c, const struct kl_choice *choice) {
  LLVMBuilderRef b = c->e->b;
  long long least = 0, most = 0;
  for (uint32_t k = 1; k < choice->n; k++) {
    long long number = LLVMConstIntGetSExtValue(LLVMGetOperand(choice->inst, 2 * k));
    if (k == 1 || number < least) least = number;
    if (k == 1 || number > most) most = number;
  }
  if (choice->n == 1 || (uint64_t)most - (uint64_t)least != choice->n - 2) return NULL;
  LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(choice->inst, 0));
  LLVMValueRef first = kiln_lanes_splat(c->l, LLVMConstInt(type, (uint64_t)least, true)),
               length = kiln_lanes_splat(c->l, LLVMConstInt(type, choice->n - 2, false)),
               place = LLVMBuildSub(b, choice->x, first, "");
  return LLVMBuildAnd(b, choice->mask, LLVMBuildICmp(b, LLVMIntUGT, place, length, ""), "");
}

void kiln_lane_switch(struct kl_lane_code *c, uint32_t node, uint32_t last, LLVMValueRef mask) {
  uint32_t n = c->l->flow->node[node].nsucc;
  struct kl_choice *choice = kl_new(c->e->env, 1, struct kl_choice);
  *choice = (struct kl_choice){.node = node,
                               .n = n,
                               .inst = c->e->f->inst[last].v,
                               .x = kiln_lanes_part(c->l, kl_operand(c->e->f, last, 0), 0),
                               .mask = mask,
                               .others = KL_NONE};
  /* Three ways to know the lanes of the default, where somebody asks. */
  const uint32_t other = kiln_lane_target(c, node, 0);
  const bool asked = kiln_lane_edge_is_asked(c, node, 0);
  LLVMValueRef outside = asked ? lanes_outside(c, choice) : NULL, others = outside != NULL ? outside : mask;
  if (asked && outside == NULL && comes_last(c, node, n)) choice->others = other;
  const bool counts = asked && outside == NULL && choice->others == KL_NONE;
  for (uint32_t k = 1; k < n; k++) {
    uint32_t to = kiln_lane_target(c, node, k);
    bool waits = c->choice[to] == choice || (to != other && is_case(c, node, to));
    c->choice[to] = waits ? choice : NULL;
    if (waits && !counts) continue;
    LLVMValueRef lanes = lanes_of_case(c, choice, k);
    if (counts || choice->others != KL_NONE) others = without(c, others, lanes);
    if (!waits) kiln_lane_pass_edge(c, node, k, lanes, false);
  }
  kiln_lane_pass_edge(c, node, 0, others, false);
}
