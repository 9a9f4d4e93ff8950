/* Work-group collectives; see collective.h. */
#include "compiler/spmd/collective.h"

#include "compiler/spmd/combine.h"

uint32_t kiln_collective_wanted(const struct kl_group *g, uint32_t r) {
  const struct kl_region *region = &g->plan->region[r];
  uint32_t v = region->after;
  if (v == KL_NONE || g->e.f->inst[v].op != KL_COLLECTIVE) return KL_NONE;
  for (uint32_t i = 0; i < region->live.n; i++)
    if (region->live.at[i] == v) return v;
  return KL_NONE;
}

static LLVMTypeRef type_of(const struct kl_group *g, uint32_t v) { return LLVMTypeOf(g->e.f->inst[v].v); }

void kiln_collective_take(struct kl_group *g, uint32_t r) {
  uint32_t v = kiln_collective_wanted(g, r);
  if (v == KL_NONE || kl_is_scan(g->e.f->inst[v].sub)) return;
  kiln_emit_define(&g->e, v, LLVMBuildLoad2(g->e.b, type_of(g, v), g->total[r], ""));
}

void kiln_collective_open(struct kl_group *g, uint32_t r) {
  uint32_t v = kiln_collective_wanted(g, r);
  if (v == KL_NONE) return;
  if (g->total[r] == NULL) g->total[r] = LLVMBuildAlloca(g->e.top, type_of(g, v), "total");
  LLVMBuildStore(g->e.b, kiln_combine_identity(g->e.f->inst[v].sub, type_of(g, v)), g->total[r]);
}

/* The work-item whose local id the operands from the second on name. */
static LLVMValueRef is_source(struct kl_group *g, uint32_t v) {
  struct kl_emit *e = &g->e;
  LLVMValueRef is = LLVMConstInt(e->map->i1, 1, false);
  for (uint32_t d = 0; d + 1 < e->f->inst[v].nops; d++) {
    LLVMValueRef wanted_id = kiln_emit_operand(e, kl_operand(e->f, v, d + 1)), id = e->ids.local_id[d];
    id = LLVMBuildZExtOrBitCast(e->b, id, LLVMTypeOf(wanted_id), "");
    is = LLVMBuildAnd(e->b, is, LLVMBuildICmp(e->b, LLVMIntEQ, id, wanted_id, ""), "");
  }
  return is;
}

void kiln_collective_give(struct kl_group *g, uint32_t r) {
  struct kl_emit *e = &g->e;
  uint32_t v = kiln_collective_wanted(g, r);
  if (v == KL_NONE) return;
  uint16_t sub = e->f->inst[v].sub;
  LLVMValueRef x = kiln_emit_operand(e, kl_operand(e->f, v, 0));
  LLVMValueRef before = LLVMBuildLoad2(e->b, type_of(g, v), g->total[r], ""), after;
  if (kl_form_of(sub) == KL_BROADCAST) {
    after = LLVMBuildSelect(e->b, is_source(g, v), x, before, "");
  } else {
    after = kiln_combine_build(e->b, sub, before, kiln_combine_operand(e->b, sub, x));
  }
  LLVMBuildStore(e->b, after, g->total[r]);
  if (kl_is_scan(sub))
    LLVMBuildStore(e->b, kl_form_of(sub) == KL_SCAN_INCLUSIVE ? after : before,
                   kiln_group_slot(g, g->plan->slot[v]));
}
