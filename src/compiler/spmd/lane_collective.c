/* Work-group collectives of several work-items at a time: reductions keep a vector that is folded once at the
 * end, scans a prefix of each vector and a carry. See collective.h. */
#include "compiler/spmd/collective.h"
#include "compiler/spmd/combine.h"

static uint16_t sub_of(const struct kl_group *g, uint32_t v) { return g->e.f->inst[v].sub; }

static LLVMTypeRef type_of(const struct kl_group *g, uint32_t v) { return LLVMTypeOf(g->e.f->inst[v].v); }

static bool is_broadcast(const struct kl_group *g, uint32_t v) {
  return kl_form_of(sub_of(g, v)) == KL_BROADCAST;
}

/* A broadcast gathers bits: those of one lane and none else. */
static LLVMTypeRef bits_of(struct kl_group *g, LLVMTypeRef type) {
  if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind) return type;
  return LLVMIntTypeInContext(g->e.env->context, (unsigned)(8 * kiln_map_size(g->e.map, type)));
}

enum { BITS = KL_REDUCE | KL_OR << KL_COMBINE_SHIFT };

static LLVMValueRef start_of(struct kl_group *g, uint32_t v) {
  LLVMTypeRef type = type_of(g, v);
  if (is_broadcast(g, v)) return kiln_lanes_neutral(g->lanes, BITS, bits_of(g, type));
  LLVMValueRef one = kiln_combine_identity(sub_of(g, v), type);
  return kl_is_scan(sub_of(g, v)) ? one : kiln_lanes_splat(g->lanes, one);
}

void kiln_lane_collective_open(struct kl_group *g, uint32_t r) {
  uint32_t v = kiln_collective_wanted(g, r);
  if (v == KL_NONE) return;
  LLVMValueRef start = start_of(g, v);
  if (g->total[r] == NULL) g->total[r] = LLVMBuildAlloca(g->e.top, LLVMTypeOf(start), "total");
  LLVMBuildStore(g->e.b, start, g->total[r]);
}

static LLVMValueRef load_total(struct kl_group *g, uint32_t r) {
  return LLVMBuildLoad2(g->e.b, LLVMGetAllocatedType(g->total[r]), g->total[r], "");
}

LLVMValueRef kiln_lane_collective_take(struct kl_group *g, uint32_t r) {
  uint32_t v = kiln_collective_wanted(g, r);
  if (v == KL_NONE || kl_is_scan(sub_of(g, v))) return NULL;
  if (!is_broadcast(g, v)) return kiln_lanes_fold(g->lanes, sub_of(g, v), load_total(g, r));
  LLVMValueRef bits = kiln_lanes_fold(g->lanes, BITS, load_total(g, r));
  return LLVMBuildBitCast(g->e.b, bits, type_of(g, v), "");
}

/* ---- one vector ---- */

/* The lane whose local id the operands from the second on name; off when another vector has it. */
static LLVMValueRef is_source(struct kl_group *g, uint32_t v, LLVMValueRef mask) {
  struct kl_emit *e = &g->e;
  for (uint32_t d = 0; d + 1 < e->f->inst[v].nops; d++) {
    LLVMValueRef wanted = kiln_lanes_part(g->lanes, kl_operand(e->f, v, d + 1), 0);
    LLVMValueRef id = kiln_lanes_local_id(g->lanes, d);
    id = LLVMBuildZExtOrBitCast(e->b, id, LLVMTypeOf(wanted), "");
    mask = LLVMBuildAnd(e->b, mask, LLVMBuildICmp(e->b, LLVMIntEQ, id, wanted, ""), "");
  }
  return mask;
}

static void give_source(struct kl_group *g, uint32_t r, uint32_t v, LLVMValueRef mask) {
  LLVMValueRef total = load_total(g, r), x = kiln_lanes_part(g->lanes, kl_operand(g->e.f, v, 0), 0);
  x = LLVMBuildBitCast(g->e.b, x, LLVMTypeOf(total), "");
  LLVMBuildStore(g->e.b, LLVMBuildSelect(g->e.b, is_source(g, v, mask), x, total, ""), g->total[r]);
}

/* The carry is what the vectors before make together; the last lane's prefix goes on. */
static LLVMValueRef scan(struct kl_group *g, uint32_t r, uint16_t sub, LLVMValueRef x, LLVMValueRef neutral) {
  struct kl_lanes *l = g->lanes;
  LLVMBuilderRef b = g->e.b;
  LLVMValueRef before = load_total(g, r), up_to = kiln_lanes_up_to(l, sub, x, neutral);
  LLVMValueRef last = LLVMConstInt(g->e.map->i32, l->width - 1, false);
  LLVMValueRef after = kiln_combine_build(b, sub, before, LLVMBuildExtractElement(b, up_to, last, ""));
  LLVMBuildStore(b, after, g->total[r]);
  LLVMValueRef part =
      kl_form_of(sub) == KL_SCAN_INCLUSIVE ? up_to : kiln_lanes_shift_up(l, up_to, neutral, 1);
  return kiln_combine_build(b, sub, kiln_lanes_splat(l, before), part);
}

LLVMValueRef kiln_lane_collective_give(struct kl_group *g, uint32_t r, LLVMValueRef mask) {
  uint32_t v = kiln_collective_wanted(g, r);
  if (v == KL_NONE) return NULL;
  if (is_broadcast(g, v)) {
    give_source(g, r, v, mask);
    return NULL;
  }
  uint16_t sub = sub_of(g, v);
  LLVMValueRef neutral = kiln_lanes_neutral(g->lanes, sub, type_of(g, v));
  LLVMValueRef x = kiln_combine_operand(g->e.b, sub, kiln_lanes_part(g->lanes, kl_operand(g->e.f, v, 0), 0));
  x = kiln_lanes_only(g->lanes, x, mask, neutral);
  if (kl_is_scan(sub)) return scan(g, r, sub, x, neutral);
  LLVMBuildStore(g->e.b, kiln_combine_build(g->e.b, sub, load_total(g, r), x), g->total[r]);
  return NULL;
}
