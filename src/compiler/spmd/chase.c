/* Measures what loops wait for that look up where to look next; see chase.h. Must not know lanes. */
#include "compiler/spmd/chase.h"

#include "compiler/spmd/lane_live.h"
#include "compiler/spmd/op_cost.h"

enum {
  LOAD_TURNS = 5, /* of a scalar from the nearest cache */
  MOST_PHIS = 8   /* of a loop, of which each is followed by itself */
};

struct chase {
  const struct kl_lane_costs *in;
  const struct kiln_loops *loops;
  uint32_t *last; /* by loop: instruction */
  /* By value: turns after one that its loop carries, any way and by way of a load; KL_NONE: no such way. */
  uint32_t *after, *looked_up;
};

static uint32_t scalar_turns(const struct chase *c, uint32_t i) {
  const struct kl_inst *inst = &c->in->f->inst[i];
  if (inst->op == LLVMLoad) return LOAD_TURNS;
  if (inst->op == LLVMPHI || kiln_lane_is_free(inst->op) || LLVMIsACastInst(inst->v)) return 0;
  return LLVMIsAGetElementPtrInst(inst->v) ? 0 : kl_turns(inst, 1);
}

static uint32_t loop_of(const struct chase *c, uint32_t i) {
  const uint32_t block = c->in->f->inst[i].bb;
  return block == KL_NONE ? KL_NONE : c->loops->of[block];
}

static bool is_of_header(const struct chase *c, uint32_t i) {
  const uint32_t loop = loop_of(c, i);
  return c->in->f->inst[i].op == LLVMPHI && loop != KL_NONE && c->loops->header[loop] == c->in->f->inst[i].bb;
}

/* What a branch goes by is foretold. */
static bool is_foretold(const struct chase *c, uint32_t condition) {
  const struct kl_uses *uses = c->in->uses;
  for (uint32_t u = uses->first[condition]; u < uses->first[condition + 1]; u++)
    if (c->in->f->inst[uses->at[u]].op == LLVMBr) return true;
  return false;
}

static void take_longer(uint32_t *way, uint32_t before, uint32_t turns) {
  if (before != KL_NONE && (*way == KL_NONE || before + turns > *way)) *way = before + turns;
}

/* Of values from first on. */
static void follow(const struct chase *c, uint32_t i, uint32_t first) {
  const struct kl_func *f = c->in->f;
  const struct kl_inst *inst = &f->inst[i];
  const uint32_t turns = scalar_turns(c, i), step = inst->op == LLVMPHI ? 2 : 1;
  for (uint32_t k = 0; k < inst->nops; k += step) {
    const uint32_t v = kl_operand(f, i, k);
    if (v < first || v >= i || loop_of(c, v) != loop_of(c, i)) continue;
    if (inst->op == LLVMSelect && k == 0 && is_foretold(c, v)) continue;
    take_longer(&c->after[i], c->after[v], turns);
    take_longer(&c->looked_up[i], inst->op == LLVMLoad ? c->after[v] : c->looked_up[v], turns);
  }
}

/* From one turn's value of a phi, which comes first in its loop, to the next one's. */
static uint32_t turns_around(const struct chase *c, uint32_t phi) {
  const struct kl_func *f = c->in->f;
  const uint32_t loop = loop_of(c, phi);
  uint32_t longest = 0;
  for (uint32_t i = phi; i <= c->last[loop]; i++) {
    c->after[i] = i == phi ? 0 : KL_NONE;
    c->looked_up[i] = KL_NONE;
    if (loop_of(c, i) == loop && !is_of_header(c, i)) follow(c, i, phi);
  }
  for (uint32_t k = 0; k < f->inst[phi].nops; k += 2) {
    const uint32_t v = kl_operand(f, phi, k);
    if (v < phi || v > c->last[loop] || loop_of(c, v) != loop) continue;
    if (c->looked_up[v] != KL_NONE && c->looked_up[v] > longest) longest = c->looked_up[v];
  }
  return longest;
}

uint32_t *kiln_chases_find(const struct kl_lane_costs *in, const struct kiln_loops *loops) {
  const struct kl_func *f = in->f;
  const size_t n = (size_t)loops->count + 1;
  const struct chase c = {.in = in,
                          .loops = loops,
                          .last = kl_new(in->env, n, uint32_t),
                          .after = kl_new(in->env, f->nvalue, uint32_t),
                          .looked_up = kl_new(in->env, f->nvalue, uint32_t)};
  uint32_t *turns = kl_new(in->env, n, uint32_t), *phis = kl_new(in->env, n, uint32_t);
  for (uint32_t i = f->narg; i < f->ninst; i++)
    if (loop_of(&c, i) != KL_NONE) c.last[loop_of(&c, i)] = i;
  for (uint32_t i = f->narg; i < f->ninst; i++) {
    const LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(f->inst[i].v));
    const bool may_lead = kind == LLVMIntegerTypeKind || kind == LLVMPointerTypeKind;
    if (!may_lead || !is_of_header(&c, i) || phis[loop_of(&c, i)]++ >= MOST_PHIS) continue;
    const uint32_t around = turns_around(&c, i), loop = loop_of(&c, i);
    if (around > turns[loop]) turns[loop] = around;
  }
  return turns;
}
