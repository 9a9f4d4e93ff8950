/* Decides about groups of a few vectors; see lane_unroll.h. */
#include "compiler/spmd/lane_unroll.h"

enum {
  MOST_VECTORS = 8, /* of a group */
  /* registers written by a region, all vectors together: where values go through slots, or by short code */
  MOST_WITH_SLOTS = 300,
  MOST_WITHOUT = 100,
  /* by all regions; the latter where masks have no registers of their own, which takes more code */
  MOST_IN_ALL = 1600,
  MOST_WITH_WIDE_MASKS = 400,
  MOST_SLOT_BYTES = 8192, /* of a group: what does not fit into registers stays on the stack */
  REGISTER = 64,          /* bytes, of the widest */
  EACH_LANE = 64,         /* bytes that code which moves one lane's component counts as */
  /* registers that a divergent branch counts as: masks of both sides, tests, exits; and a loop that lanes
   * leave one by one where masks have registers: elsewhere the bound on all regions is tight enough */
  EACH_BRANCH = 4,
  EACH_LOOP = 24,
  /* registers that a region loads and stores as OpenCL vectors, of more than which it counts that they are
   * transposed: so many more for each */
  FEW_TURNED = 16,
  TURN = 2
};

uint32_t kiln_lane_group_vectors(const struct kl_group *g) {
  const struct kl_mapping *map = &g->lane_plan->shapes.map;
  uint64_t n = 1;
  if (g->lanes == NULL || g->is_rare || g->lane_plan->merges) return 0;
  for (unsigned d = 0; d < 3; d++) {
    LLVMValueRef size = g->e.ids.enqueued_size[d];
    if (!LLVMIsAConstantInt(size)) return 0;
    uint64_t items = LLVMConstIntGetZExtValue(size);
    uint64_t step = map->linear ? 1 : d == map->along ? map->run : d == map->across ? map->rows : 1;
    if (items % step != 0) return 0;
    n *= items / step;
  }
  if (map->linear) n = n % map->width == 0 ? n / map->width : 0;
  return n <= MOST_VECTORS ? (uint32_t)n : 0;
}

/* Components that code for each lane moves, as the processor has no instruction for it. */
static uint32_t moved_by_lane(const struct kl_group *g, uint32_t i) {
  const struct kl_inst *inst = &g->e.f->inst[i];
  if (inst->op == KL_PRINTF) return inst->nops;
  if (inst->op == LLVMAtomicRMW || inst->op == LLVMAtomicCmpXchg) return 1;
  if (g->e.program->native >= 16 || (inst->op != LLVMLoad && inst->op != LLVMStore)) return 0;
  uint32_t pointer = kl_pointer_of(g->e.f, i);
  return kiln_shape_checked_at(&g->lane_plan->shapes, g->e.f, pointer, inst->bb).kind == KL_VARYING &&
         g->lane_plan->shapes.unit[pointer] == 0;
}

/* Ids against a constant: where vectors follow one another, most of them know the answer. */
static bool is_known_by_place(const struct kl_group *g, uint32_t condition) {
  const struct kl_func *f = g->e.f;
  if (f->inst[condition].op != LLVMICmp) return false;
  for (uint32_t k = 0; k < 2; k++)
    if (f->inst[kl_operand(f, condition, k)].op == KL_CONST)
      return g->lane_plan->shapes.of[kl_operand(f, condition, 1 - k)].kind == KL_STRIDED;
  return false;
}

static bool diverges(const struct kl_group *g, uint32_t block) {
  const struct kl_func *f = g->e.f;
  return kiln_uniform_is_divergent(&g->lane_plan->shapes.uniform, f, block) &&
         !is_known_by_place(g, kl_operand(f, kl_last_of(f, block), 0));
}

/* The block is where a loop begins that lanes leave one by one. */
static bool begins_divergent_loop(const struct kl_group *g, uint32_t block) {
  const struct kl_uniform *u = &g->lane_plan->shapes.uniform;
  return kiln_loops_begin(&u->loops, block) && u->loop_diverges[u->loops.of[block]];
}

static bool moves_vector(const struct kl_func *f, uint32_t i, LLVMTypeRef type) {
  return (f->inst[i].op == LLVMLoad || f->inst[i].op == LLVMStore) &&
         LLVMGetTypeKind(type) == LLVMVectorTypeKind;
}

/* Registers that a vector of work-items loads, computes and stores in a region, inner loops once. */
static uint32_t written(const struct kl_group *g, const struct kl_region *region) {
  const struct kl_func *f = g->e.f;
  const bool has_masks = g->e.program->native >= 16;
  uint64_t bytes = 0, turned = 0;
  for (uint32_t i = 0; i < region->nblock; i++) {
    const struct kl_block *b = &f->block[region->block[i]];
    if (diverges(g, region->block[i])) bytes += (uint64_t)EACH_BRANCH * REGISTER;
    if (has_masks && begins_divergent_loop(g, region->block[i])) bytes += (uint64_t)EACH_LOOP * REGISTER;
    for (uint32_t v = b->first; v < b->first + b->n; v++) {
      LLVMTypeRef type = LLVMTypeOf(f->inst[v].v);
      bool varies = g->lane_plan->shapes.of[v].kind == KL_VARYING;
      if (f->inst[v].op == LLVMLoad && !varies) bytes += REGISTER;
      bytes += (uint64_t)EACH_LANE * g->lane_plan->width * moved_by_lane(g, v);
      if (f->inst[v].op == LLVMStore) type = LLVMTypeOf(f->inst[kl_operand(f, v, 0)].v);
      else if (!varies) continue;
      if (LLVMGetTypeKind(type) == LLVMVoidTypeKind) continue;
      const uint64_t size = kiln_map_size(g->e.map, kiln_map_type(g->e.map, type)) * g->lane_plan->width;
      bytes += size;
      if (moves_vector(f, v, type)) turned += size;
    }
  }
  return (uint32_t)((bytes + (turned > FEW_TURNED * REGISTER ? TURN * turned : 0)) / REGISTER);
}

static bool has_slot(const struct kl_plan *plan, const struct kl_list *values) {
  for (uint32_t i = 0; i < values->n; i++)
    if (plan->keep[values->at[i]] == KL_KEEP_ITEM) return true;
  return false;
}

/* Takes values from slots, or leaves some to regions that may come next. */
static bool uses_slots(const struct kl_plan *plan, const struct kl_region *region) {
  bool uses = has_slot(plan, &region->live);
  for (uint32_t i = 0; i < region->next.n; i++)
    uses |= has_slot(plan, &plan->region[region->next.at[i]].live);
  return uses;
}

static bool is_long(const struct kl_group *g, uint32_t vectors) {
  uint32_t all = 0;
  for (uint32_t r = 0; r < g->plan->nregion; r++) all += vectors * written(g, &g->plan->region[r]);
  return all > (g->e.program->native >= 16 ? MOST_IN_ALL : MOST_WITH_WIDE_MASKS);
}

bool kiln_lane_slots_are_registers(const struct kl_group *g) {
  const struct kl_plan *plan = g->plan;
  uint32_t vectors = kiln_lane_group_vectors(g);
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < plan->nslot; i++) bytes += plan->slots[i].is_object ? 0 : plan->slots[i].size;
  if (vectors == 0 || bytes * vectors * g->lanes->width > MOST_SLOT_BYTES || is_long(g, vectors))
    return false;
  for (uint32_t r = 0; r < plan->nregion; r++)
    if (uses_slots(plan, &plan->region[r]) && vectors * written(g, &plan->region[r]) > MOST_WITH_SLOTS)
      return false;
  return true;
}

bool kiln_lane_unrolls(const struct kl_group *g, uint32_t r) {
  const struct kl_region *region = &g->plan->region[r];
  uint32_t vectors = kiln_lane_group_vectors(g);
  if (g->plan->nregion == 1 || vectors < 2) return false;
  if (uses_slots(g->plan, region)) return g->slots_are_registers;
  return g->lane_plan->flow[r].loops.count == 0 && vectors * written(g, region) <= MOST_WITHOUT &&
         !is_long(g, vectors);
}
