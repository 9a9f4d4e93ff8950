/* Recognises loads that leave their loop; see steady_load.h. Must not know what anything costs. */
#include "compiler/spmd/steady_load.h"

#include "compiler/spmd/near.h"

struct search {
  const struct kl_func *f;
  const struct kiln_loops *loops;
  uint8_t *writes; /* by loop: address spaces, a bit for each, in which something may be written */
};

static unsigned space_of(LLVMValueRef pointer) { return LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)); }

/* Address spaces that an instruction may write to. */
static uint8_t written_by(const struct kl_func *f, uint32_t i) {
  const struct kl_inst *inst = &f->inst[i];
  const uint8_t all = UINT8_MAX;
  switch (inst->op) {
  case LLVMStore: {
    const unsigned space = space_of(f->inst[kl_operand(f, i, 1)].v);
    return space < KL_AS_GENERIC ? (uint8_t)(1u << space) : all;
  }
  case LLVMCall:
    return kiln_call_is_pure(inst->v) ? 0 : all;
  case LLVMAtomicRMW:
  case LLVMAtomicCmpXchg:
  case LLVMFence:
  case KL_BARRIER:
  case KL_COLLECTIVE:
  case KL_SUB_GROUP:
  case KL_FENCE:
  case KL_PRINTF:
    return all;
  default:
    return 0;
  }
}

static void find_writes(struct search *s) {
  for (uint32_t i = s->f->narg; i < s->f->ninst; i++) {
    if (s->f->inst[i].bb == KL_NONE) continue;
    const uint8_t spaces = written_by(s->f, i);
    for (uint32_t l = s->loops->of[s->f->inst[i].bb]; l != KL_NONE; l = s->loops->parent[l])
      s->writes[l] |= spaces;
  }
}

bool *kiln_steady_loads_find(const struct kl_lane_costs *in, const struct kl_shapes *shapes) {
  const struct kl_func *f = in->f;
  struct search s = {.f = f, .loops = &shapes->uniform.loops};
  bool *steady = kl_new(in->env, (size_t)f->nvalue + 1, bool);
  s.writes = kl_new(in->env, (size_t)s.loops->count + 1, uint8_t);
  find_writes(&s);
  for (uint32_t i = f->narg; i < f->ninst; i++) {
    const struct kl_inst *inst = &f->inst[i];
    if (inst->op != LLVMLoad || inst->bb == KL_NONE) continue;
    if (!kiln_is_ordinary(inst->v)) continue; /* done again in every turn, as in loops that wait for a flag */
    const uint32_t loop = s.loops->of[inst->bb], pointer = kl_operand(f, i, 0);
    if (!kiln_loops_begin(s.loops, inst->bb) || shapes->uniform.loop_diverges[loop]) continue;
    const unsigned space = space_of(f->inst[pointer].v);
    steady[i] =
        space < KL_AS_GENERIC && !(s.writes[loop] >> space & 1) && kiln_is_steady(f, s.loops, pointer, loop);
  }
  return steady;
}
