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
  /* By private object: turns after which it is known where the loop has stored to it, as far as that comes of
     what the loop carries; KL_NONE: it does not. Loads that follow may be of the same place. */
  uint32_t *stored;
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

/* The private object that a load or a store is of; KL_NONE: of other memory, or no such instruction. */
static uint32_t object_of(const struct chase *c, uint32_t i) {
  const struct kl_func *f = c->in->f;
  if (f->inst[i].op != LLVMLoad && f->inst[i].op != LLVMStore) return KL_NONE;
  const uint32_t object = kl_object_of(f, kl_pointer_of(f, i));
  return f->inst[object].op == LLVMAlloca ? object : KL_NONE;
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
  const uint32_t object = object_of(c, i), place = object == KL_NONE ? KL_NONE : kl_pointer_of(f, i);
  if (object != KL_NONE && inst->op == LLVMLoad) {
    take_longer(&c->after[i], c->stored[object], turns);
    take_longer(&c->looked_up[i], c->stored[object], turns);
  } else if (object != KL_NONE && place >= first) {
    take_longer(&c->stored[object], c->after[place], 0);
  }
}

/* A turn of the loop, from instruction `first` on. */
static void follow_turn(const struct chase *c, uint32_t loop, uint32_t first) {
  for (uint32_t i = first; i <= c->last[loop]; i++)
    if (loop_of(c, i) == loop && !is_of_header(c, i)) follow(c, i, first);
}

static void forget(const struct chase *c, uint32_t loop, uint32_t first) {
  for (uint32_t i = first; i <= c->last[loop]; i++) {
    c->after[i] = c->looked_up[i] = KL_NONE;
    const uint32_t object = object_of(c, i);
    if (object != KL_NONE) c->stored[object] = KL_NONE;
  }
}

/* From one turn's value of a phi, which comes first in its loop, to the next one's. */
static uint32_t turns_around(const struct chase *c, uint32_t phi) {
  const struct kl_func *f = c->in->f;
  const uint32_t loop = loop_of(c, phi);
  uint32_t longest = 0;
  forget(c, loop, phi);
  c->after[phi] = 0;
  follow_turn(c, loop, phi);
  for (uint32_t k = 0; k < f->inst[phi].nops; k += 2) {
    const uint32_t v = kl_operand(f, phi, k);
    if (v < phi || v > c->last[loop] || loop_of(c, v) != loop) continue;
    if (c->looked_up[v] != KL_NONE && c->looked_up[v] > longest) longest = c->looked_up[v];
  }
  return longest;
}

/* A store to a private object at a place that the loop computes. */
static bool is_anywhere(const struct chase *c, uint32_t i) {
  const uint32_t loop = loop_of(c, i);
  return c->in->f->inst[i].op == LLVMStore && loop != KL_NONE && object_of(c, i) != KL_NONE &&
         loop_of(c, kl_pointer_of(c->in->f, i)) == loop;
}

/* From where the turn before has stored to private objects to where this one does. */
static uint32_t turns_through_memory(const struct chase *c, uint32_t loop) {
  const uint32_t first = c->in->f->block[c->loops->header[loop]].first;
  uint32_t longest = 0;
  forget(c, loop, first);
  for (uint32_t i = first; i <= c->last[loop]; i++)
    if (loop_of(c, i) == loop && is_anywhere(c, i)) c->stored[object_of(c, i)] = 0;
  follow_turn(c, loop, first);
  for (uint32_t i = first; i <= c->last[loop]; i++) {
    const uint32_t stored = loop_of(c, i) == loop && is_anywhere(c, i) ? c->stored[object_of(c, i)] : 0;
    if (stored > longest) longest = stored;
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
                          .looked_up = kl_new(in->env, f->nvalue, uint32_t),
                          .stored = kl_new(in->env, f->nvalue, uint32_t)};
  uint32_t *turns = kl_new(in->env, n, uint32_t), *phis = kl_new(in->env, n, uint32_t);
  bool *stores = kl_new(in->env, n, bool);
  for (uint32_t i = f->narg; i < f->ninst; i++)
    if (loop_of(&c, i) != KL_NONE) c.last[loop_of(&c, i)] = i;
  for (uint32_t i = f->narg; i < f->ninst; i++) {
    const LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(f->inst[i].v));
    const bool may_lead = kind == LLVMIntegerTypeKind || kind == LLVMPointerTypeKind;
    if (!may_lead || !is_of_header(&c, i) || phis[loop_of(&c, i)]++ >= MOST_PHIS) continue;
    const uint32_t around = turns_around(&c, i), loop = loop_of(&c, i);
    if (around > turns[loop]) turns[loop] = around;
  }
  for (uint32_t i = f->narg; i < f->ninst; i++)
    if (is_anywhere(&c, i)) stores[loop_of(&c, i)] = true;
  for (uint32_t l = 0; l < loops->count; l++) {
    const uint32_t around = stores[l] ? turns_through_memory(&c, l) : 0;
    if (around > turns[l]) turns[l] = around;
  }
  return turns;
}
