/* What a region takes from before it and leaves to later ones: values in context slots, objects, collectives,
 * which work-items have returned; see lane_code.h. */
#include "compiler/spmd/collective.h"
#include "compiler/spmd/lane_code.h"

/* ---- context slots ---- */

/* Memory form of a component: truth values take a byte. */
static LLVMTypeRef slot_part_type(struct kl_lane_code *c, uint32_t v, uint32_t k) {
  LLVMTypeRef part = kiln_type_part(kiln_group_value_type(c->g, v), k);
  return part == c->e->map->i1 ? c->e->map->i8 : part;
}

/* Component k of all work-items lies together: lane 0's place. */
static LLVMValueRef slot_part(struct kl_lane_code *c, uint32_t v, uint32_t k) {
  struct kl_map *map = c->e->map;
  const uint32_t slot = c->g->plan->slot[v];
  uint64_t before = 0, size = kiln_map_size(map, slot_part_type(c, v, k));
  for (uint32_t j = 0; j < k; j++) before += kiln_map_size(map, slot_part_type(c, v, j));
  LLVMBuilderRef b = c->e->b;
  LLVMValueRef skip = LLVMBuildMul(b, c->g->items, LLVMConstInt(map->i64, before, false), "");
  LLVMValueRef gaps = LLVMBuildMul(b, kiln_group_slot_gap(c->g, slot), LLVMConstInt(map->i64, k, false), "");
  LLVMValueRef own = LLVMBuildMul(b, c->g->item, LLVMConstInt(map->i64, size, false), "");
  LLVMValueRef offset = LLVMBuildAdd(b, LLVMBuildAdd(b, skip, gaps, ""), own, "");
  return LLVMBuildInBoundsGEP2(b, map->i8, c->g->slot_base[slot], &offset, 1, "");
}

static unsigned slot_align(struct kl_lane_code *c, uint32_t v, uint32_t k) {
  if (LLVMGetTypeKind(kiln_group_value_type(c->g, v)) == LLVMStructTypeKind) return 1;
  return (unsigned)kiln_map_size(c->e->map, slot_part_type(c, v, k));
}

static struct kl_pack load_slot(struct kl_lane_code *c, uint32_t v) {
  struct kl_pack pack = kiln_lanes_new_pack(c->l, kiln_lanes_parts(c->l, v));
  for (uint32_t k = 0; k < pack.n; k++) {
    LLVMTypeRef wanted = kiln_type_part(kiln_group_value_type(c->g, v), k);
    LLVMValueRef row = kiln_lanes_load_row(c->l, slot_part_type(c, v, k), slot_part(c, v, k),
                                           slot_align(c, v, k), c->active);
    pack.part[k] =
        wanted == c->e->map->i1 ? LLVMBuildTrunc(c->e->b, row, kiln_lanes_type(c->l, wanted), "") : row;
  }
  return pack;
}

static void store_slot(struct kl_lane_code *c, uint32_t v, struct kl_pack pack) {
  for (uint32_t k = 0; k < pack.n; k++) {
    LLVMValueRef row = pack.part[k];
    LLVMTypeRef type = kiln_lanes_type(c->l, slot_part_type(c, v, k));
    if (LLVMTypeOf(row) != type) row = LLVMBuildZExt(c->e->b, row, type, "");
    kiln_lanes_store_row(c->l, row, slot_part(c, v, k), slot_align(c, v, k), c->active);
  }
}

/* A scalar, in the place of lane 0. */
static LLVMValueRef load_first(struct kl_lane_code *c, uint32_t v) {
  LLVMBuilderRef b = c->e->b;
  LLVMTypeRef type = kiln_group_value_type(c->g, v);
  LLVMValueRef whole = LLVMGetPoison(type);
  for (uint32_t k = 0; k < kiln_type_parts(type); k++) {
    LLVMValueRef part = LLVMBuildLoad2(b, kiln_type_part(type, k), slot_part(c, v, k), "");
    LLVMSetAlignment(part, slot_align(c, v, k));
    whole = kiln_lanes_put_part(c->l, whole, part, k);
  }
  return whole;
}

static void store_first(struct kl_lane_code *c, uint32_t v, LLVMValueRef whole) {
  LLVMBuilderRef b = c->e->b;
  LLVMTypeRef type = LLVMTypeOf(whole);
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  for (uint32_t k = 0; k < kiln_type_parts(type); k++) {
    LLVMValueRef part = whole;
    if (kind == LLVMStructTypeKind) part = LLVMBuildExtractValue(b, whole, k, "");
    if (kind == LLVMVectorTypeKind)
      part = LLVMBuildExtractElement(b, whole, LLVMConstInt(c->e->map->i32, k, false), "");
    LLVMSetAlignment(LLVMBuildStore(b, part, slot_part(c, v, k)), slot_align(c, v, k));
  }
}

/* Kept as all lanes' values; otherwise as the scalar in the place of lane 0. */
static bool is_kept_by_lane(struct kl_lane_code *c, uint32_t v) {
  return c->l->shapes->of[v].kind == KL_VARYING || c->l->shapes->uniform.leaves[v];
}

/* ---- from before, to later ---- */

/* What the whole group shares is there as a scalar, but may be one for each lane to the code at hand, where
 * some come from other turns of a loop than others. */
static void enter_shared(struct kl_lane_code *c, uint32_t v) {
  if (c->l->shapes->of[v].kind != KL_VARYING) return;
  struct kl_pack pack = kiln_lanes_new_pack(c->l, kiln_lanes_parts(c->l, v));
  for (uint32_t k = 0; k < pack.n; k++) pack.part[k] = kiln_lanes_spread_value(c->l, v, k);
  kiln_lanes_define(c->l, v, pack);
}

static void enter_value(struct kl_lane_code *c, uint32_t v) {
  struct kl_emit *e = c->e;
  const struct kl_plan *plan = c->g->plan;
  if (plan->keep[v] == KL_KEEP_GROUP) enter_shared(c, v);
  if (e->fixed[v] != NULL || e->value_pass[v] == e->pass) return;
  if (e->f->inst[v].op == LLVMAlloca) kiln_emit_define(e, v, kiln_group_slot(c->g, plan->slot[v]));
  else if (plan->keep[v] == KL_KEEP_AGAIN) kiln_lanes_inst(c->l, v);
  else if (plan->keep[v] != KL_KEEP_ITEM) return;
  else if (is_kept_by_lane(c, v)) kiln_lanes_define(c->l, v, load_slot(c, v));
  else kiln_emit_define(e, v, load_first(c, v));
}

static bool comes_again(struct kl_lane_code *c, uint32_t v) {
  return kiln_region_has(c->region, c->e->f->inst[v].bb) && c->e->f->inst[v].op != LLVMAlloca;
}

void kiln_lane_enter_values(struct kl_lane_code *c) {
  struct kl_emit *e = c->e;
  bool *used = kiln_group_used(c->g, c->region);
  for (uint32_t i = 0; i < c->region->live.n; i++) {
    uint32_t v = c->region->live.at[i];
    bool again = comes_again(c, v);
    if (!used[v] && !again) continue;
    enter_value(c, v);
    if (!again) continue;
    if (c->l->shapes->of[v].kind == KL_VARYING) {
      if (c->l->kept[v].n == 0) c->l->kept[v] = kiln_lanes_new_cells(c->l, v);
      kiln_lanes_store(c->l, &c->l->kept[v], c->l->pack[v], LLVMConstAllOnes(LLVMTypeOf(c->active)));
      continue;
    }
    if (c->g->item_cell[v] == NULL)
      c->g->item_cell[v] = LLVMBuildAlloca(e->top, kiln_group_value_type(c->g, v), "");
    e->cell[v] = c->g->item_cell[v];
    LLVMBuildStore(e->b, e->value[v], e->cell[v]);
    kiln_lanes_keep(c->l, v); /* lanes that leave a loop at different turns look there, also before it */
  }
  for (uint32_t i = 0; i < c->region->live.n; i++) { /* only now: operands above were the values themselves */
    uint32_t v = c->region->live.at[i];
    if (!comes_again(c, v)) continue;
    if (c->l->shapes->of[v].kind == KL_VARYING) c->l->again[v] = true;
    else e->cell_pass[v] = e->pass;
  }
}

void kiln_lane_enter_objects(struct kl_lane_code *c) {
  struct kl_emit *e = c->e;
  for (uint32_t v = e->f->narg; v < e->f->ninst; v++)
    if (c->g->plan->place[v] == KL_PLACE_ITEM && e->value_pass[v] != e->pass &&
        kiln_region_has(c->region, e->f->inst[v].bb))
      kiln_emit_define(e, v, kiln_group_slot(c->g, c->g->plan->slot[v]));
}

/* Its slot holds it, and in the form in which it would be stored. */
static bool stays_in_slot(struct kl_lane_code *c, uint32_t v) {
  const struct kl_func *f = c->e->f;
  if (!kiln_slot_is_current(c->g->plan, f, c->region, v)) return false;
  for (uint32_t k = 0; k < f->inst[v].nops; k += 2)
    if (kiln_region_has(c->region, kl_operand(f, v, k + 1)) &&
        is_kept_by_lane(c, kl_operand(f, v, k)) != is_kept_by_lane(c, v))
      return false;
  return true;
}

/* What all lanes share: their scalar, or, where they have left the loop that computes it at different turns,
 * or may come from its different turns, what one that is on has. */
static LLVMValueRef shared_value(struct kl_lane_code *c, uint32_t v) {
  LLVMBuilderRef b = c->e->b;
  if (kiln_lanes_shape(c->l, v).kind != KL_VARYING) return kiln_emit_operand(c->e, v);
  LLVMValueRef lane = kiln_lanes_some(c->l, kiln_lanes_mask(c->l)),
               whole = LLVMGetPoison(kiln_group_value_type(c->g, v));
  for (uint32_t k = 0; k < kiln_lanes_parts(c->l, v); k++) {
    LLVMValueRef part = LLVMBuildExtractElement(b, kiln_lanes_part(c->l, v, k), lane, "");
    whole = kiln_lanes_put_part(c->l, whole, part, k);
  }
  return whole;
}

void kiln_lane_leave_values(struct kl_lane_code *c, const struct kl_region *to) {
  struct kl_group *g = c->g;
  for (uint32_t i = 0; i < to->live.n; i++) {
    uint32_t v = to->live.at[i];
    unsigned keep = g->plan->keep[v];
    if (!kiln_group_computes(g, c->region, v) || v == to->after || stays_in_slot(c, v)) continue;
    if (keep == KL_KEEP_GROUP) LLVMBuildStore(c->e->b, shared_value(c, v), g->group_cell[v]);
    else if (keep == KL_KEEP_ITEM && is_kept_by_lane(c, v)) store_slot(c, v, kiln_lanes_operand(c->l, v));
    else if (keep == KL_KEEP_ITEM) store_first(c, v, kiln_emit_operand(c->e, v));
  }
}

void kiln_lane_give_collective(struct kl_lane_code *c, uint32_t to, LLVMValueRef mask) {
  LLVMValueRef scan = kiln_lane_collective_give(c->g, to, mask);
  if (scan != NULL) store_slot(c, c->g->plan->region[to].after, (struct kl_pack){&scan, 1});
}

/* ---- work-items that have returned ---- */

static LLVMValueRef exit_flags(struct kl_lane_code *c) {
  return kiln_group_slot(c->g, c->g->plan->exit_slot);
}

/* Flags of a vector that has all its lanes are its own: the old ones stay by being stored again, as few
 * processors store bytes under masks. */
void kiln_lane_set_exited(struct kl_lane_code *c, bool exited, LLVMValueRef mask) {
  LLVMTypeRef i8 = c->e->map->i8;
  if (!c->g->plan->exits_early) return;
  LLVMValueRef at = exit_flags(c), flags = kiln_lanes_splat(c->l, LLVMConstInt(i8, exited, false));
  if (exited && kiln_lanes_is_full(c->active)) {
    LLVMValueRef old = kiln_lanes_load_row(c->l, i8, at, 1, c->active);
    flags = LLVMBuildSelect(c->e->b, mask, flags, old, "");
    mask = c->active;
  }
  kiln_lanes_store_row(c->l, flags, at, 1, mask);
}

LLVMValueRef kiln_lane_skip_exited(struct kl_lane_code *c) {
  struct kl_emit *e = c->e;
  LLVMValueRef flags = kiln_lanes_load_row(c->l, e->map->i8, exit_flags(c), 1, c->active);
  LLVMValueRef on = LLVMBuildICmp(e->b, LLVMIntEQ, flags, LLVMConstNull(LLVMTypeOf(flags)), "");
  on = LLVMBuildAnd(e->b, on, c->active, "");
  LLVMBasicBlockRef some = kiln_emit_new_block(e, "");
  LLVMBuildCondBr(e->b, kiln_lanes_any(c->l, on), some, c->g->latch);
  LLVMPositionBuilderAtEnd(e->b, some);
  return on;
}
