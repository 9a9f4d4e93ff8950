/* One work-group: each region in a loop over work-items, then a step to the next region. See group.h, plan.h.
 */
#include "compiler/spmd/group.h"

#include "base/abi.h"
#include "compiler/spmd/abreast.h"
#include "compiler/spmd/collective.h"
#include "compiler/spmd/combine.h"
#include "compiler/spmd/lane_unroll.h"
#include "compiler/spmd/short_steps.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

/* ---- the arena ---- */

static LLVMValueRef constant64(struct kl_group *g, uint64_t x) {
  return LLVMConstInt(g->e.map->i64, x, false);
}

static LLVMValueRef byte_at(struct kl_group *g, LLVMBuilderRef b, LLVMValueRef base, LLVMValueRef offset) {
  return LLVMBuildInBoundsGEP2(b, g->e.map->i8, base, &offset, 1, "");
}

static LLVMValueRef align_offset(struct kl_group *g, LLVMValueRef x, uint64_t align) {
  LLVMValueRef up = LLVMBuildAdd(g->e.setup, x, constant64(g, align - 1), "");
  return LLVMBuildAnd(g->e.setup, up, constant64(g, ~(align - 1)), "");
}

static uint64_t largest_align(const struct kl_plan *plan) {
  uint64_t align = plan->shared_align > 128 ? plan->shared_align : 128;
  for (uint32_t i = 0; i < plan->nslot; i++)
    if (align < plan->slots[i].align) align = plan->slots[i].align;
  return align;
}

static LLVMValueRef aligned_arena(struct kl_group *g, LLVMValueRef arena) {
  LLVMBuilderRef b = g->e.setup;
  LLVMValueRef address = LLVMBuildPtrToInt(b, arena, g->e.map->i64, "");
  LLVMValueRef pad =
      LLVMBuildAnd(b, LLVMBuildNeg(b, address, ""), constant64(g, largest_align(g->plan) - 1), "");
  return byte_at(g, b, arena, pad);
}

static LLVMValueRef group_items(struct kl_group *g) {
  LLVMValueRef n = constant64(g, 1);
  for (unsigned d = 0; d < 3; d++) {
    LLVMValueRef size = LLVMBuildZExtOrBitCast(g->e.setup, g->e.ids.enqueued_size[d], g->e.map->i64, "");
    n = LLVMBuildMul(g->e.setup, n, size, "");
  }
  return n;
}

static LLVMValueRef slot_on_stack(struct kl_group *g, struct kl_context_slot slot) {
  uint64_t bytes = slot.size * kiln_lane_group_vectors(g) * g->lanes->width;
  LLVMValueRef place = LLVMBuildAlloca(g->e.top, LLVMArrayType2(g->e.map->i8, bytes), "");
  LLVMSetAlignment(place, slot.align > 64 ? slot.align : 64);
  return place;
}

/* Work-items that have gaps, and components: a line that kiln_plan_bound counts for each work-item makes up.
 */
enum { LINE = 64, LEAST_WITH_GAPS = 32, MOST_WITH_GAPS = 16, LINES_TO_ALIGN = 2 };
_Static_assert(LEAST_WITH_GAPS >= MOST_WITH_GAPS + LINES_TO_ALIGN, "slots fit");

static LLVMValueRef find_gap(struct kl_group *g) {
  if (g->plan->nslot == 0 || g->slots_are_registers) return constant64(g, 0);
  LLVMBuilderRef b = g->e.setup;
  LLVMValueRef many = LLVMBuildICmp(b, LLVMIntUGE, g->items, constant64(g, LEAST_WITH_GAPS), "");
  return LLVMBuildSelect(b, many, constant64(g, LINE), constant64(g, 0), "");
}

LLVMValueRef kiln_group_slot_gap(struct kl_group *g, uint32_t slot) {
  return g->plan->slots[slot].parts <= MOST_WITH_GAPS ? g->slot_gap : constant64(g, 0);
}

/* Frames, shared arrays (one copy, or one for each lane), then the slots: [slot][component][work-item], each
 * slot starting on a cache line. Slots of groups of a few vectors are variables. */
static void lay_out_arena(struct kl_group *g, LLVMValueRef arena) {
  const struct kl_plan *plan = g->plan;
  LLVMBuilderRef b = g->e.setup;
  LLVMValueRef base = aligned_arena(g, arena), n = g->items = group_items(g);
  uint64_t at = (g->e.program->frame_bytes + 127) & ~(uint64_t)127, align = largest_align(plan);
  const uint64_t copies = g->lanes != NULL ? g->lanes->width : 1;
  g->frame = base;
  at = (at + align - 1) & ~(align - 1);
  for (uint32_t v = 0; v < g->e.f->ninst; v++)
    if (plan->place[v] == KL_PLACE_SHARED)
      g->e.fixed[v] = kiln_emit_at(&g->e, b, base, at + copies * plan->shared_at[v]);
  LLVMValueRef offset = constant64(g, at + copies * plan->shared_bytes);
  g->slots_are_registers = kiln_lane_slots_are_registers(g);
  g->slot_gap = find_gap(g);
  for (uint32_t i = 0; i < plan->nslot; i++) {
    if (!plan->slots[i].is_object && g->slots_are_registers) {
      g->slot_base[i] = slot_on_stack(g, plan->slots[i]);
      continue;
    }
    offset = align_offset(g, offset, plan->slots[i].align > LINE ? plan->slots[i].align : LINE);
    g->slot_base[i] = byte_at(g, b, base, offset);
    offset = LLVMBuildAdd(b, offset, LLVMBuildMul(b, n, constant64(g, plan->slots[i].size), ""), "");
    LLVMValueRef gaps = LLVMBuildMul(b, kiln_group_slot_gap(g, i), constant64(g, plan->slots[i].parts), "");
    offset = LLVMBuildAdd(b, offset, gaps, "");
  }
}

/* One copy, or one for each lane. */
static void place_on_stack(struct kl_group *g, uint32_t v) {
  const struct kl_func *f = g->e.f;
  LLVMTypeRef own_type = kiln_alloca_type(g->e.map, f->inst[v].v), type = own_type;
  if (g->lanes != NULL) { /* and a row for lanes that are off (lane_private.c) */
    const uint64_t size = kiln_lane_object_size(g->e.map, f->inst[v].v) + g->lanes->shapes->unit[v];
    type = LLVMArrayType2(g->e.map->i8, g->lanes->width * size);
  }
  uint32_t align = kiln_alloca_align(g->e.map, f->inst[v].v), own = kiln_map_align(g->e.map, own_type);
  g->e.fixed[v] = LLVMBuildAlloca(g->e.top, type, "");
  if (g->lanes != NULL && g->lanes->shapes->unit[v] != 0 && align < 64) align = 64; /* of a row */
  LLVMSetAlignment(g->e.fixed[v], align > own ? align : own);
}

void kiln_group_place_objects(struct kl_group *g) {
  for (uint32_t v = 0; v < g->e.f->ninst; v++)
    if (g->plan->place[v] == KL_PLACE_STACK) place_on_stack(g, v);
}

void kiln_group_setup(struct kl_group *g, LLVMValueRef arena) {
  const struct kl_func *f = g->e.f;
  const struct kl_plan *plan = g->plan;
  g->slot_base = kl_new(g->e.env, plan->nslot, LLVMValueRef);
  g->group_cell = kl_new(g->e.env, f->ninst, LLVMValueRef);
  g->item_cell = kl_new(g->e.env, f->ninst, LLVMValueRef);
  g->head = kl_new(g->e.env, plan->nregion, LLVMBasicBlockRef);
  g->total = kl_new(g->e.env, plan->nregion, LLVMValueRef);
  kiln_group_place_objects(g);
  for (uint32_t v = f->narg; v < f->ninst; v++)
    if (plan->keep[v] == KL_KEEP_GROUP)
      g->group_cell[v] = LLVMBuildAlloca(g->e.top, kiln_map_type(g->e.map, LLVMTypeOf(f->inst[v].v)), "");
  if (plan->nregion > 1) g->next = LLVMBuildAlloca(g->e.top, g->e.map->i32, "next");
  lay_out_arena(g, arena);
}

/* ---- loops over work-items ---- */

struct item_loops {
  LLVMBasicBlockRef head[3];
  LLVMValueRef phi[3];
  unsigned abreast; /* work-items of the first dimension that a turn runs */
};

/* Sizes are never 0, so the loops test at their end. */
static void open_loops(struct kl_group *g, struct item_loops *l) {
  struct kl_emit *e = &g->e;
  for (unsigned d = 3; d-- > 0;) {
    LLVMValueRef zero = kiln_emit_index(e, 0);
    l->phi[d] = NULL;
    e->ids.local_id[d] = zero;
    if (kl_is_number(e->ids.local_size[d], 1)) continue;
    LLVMBasicBlockRef from = LLVMGetInsertBlock(e->b);
    l->head[d] = kiln_emit_new_block(e, d == 0 ? "item.x" : d == 1 ? "item.y" : "item.z");
    LLVMBuildBr(e->b, l->head[d]);
    LLVMPositionBuilderAtEnd(e->b, l->head[d]);
    e->ids.local_id[d] = l->phi[d] = LLVMBuildPhi(e->b, e->ids.type, "");
    LLVMAddIncoming(l->phi[d], &zero, &from, 1);
  }
}

/* At the innermost end; leaves the builder after the loops. */
static void close_loops(struct kl_emit *e, const struct item_loops *l) {
  for (unsigned d = 0; d < 3; d++) {
    if (l->phi[d] == NULL) continue;
    unsigned step = d == 0 ? l->abreast : 1;
    LLVMValueRef next = LLVMBuildAdd(e->b, l->phi[d], kiln_emit_index(e, step), "");
    LLVMSetNUW(next, true);
    LLVMSetNSW(next, true);
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(e->b), after = kiln_emit_new_block(e, "");
    LLVMValueRef more =
        LLVMBuildICmp(e->b, step == 1 ? LLVMIntNE : LLVMIntULT, next, e->ids.local_size[d], "");
    LLVMValueRef again = LLVMBuildCondBr(e->b, more, l->head[d], after);
    /* work-items side by side are the vectorizer's: unrolled loops would hide them */
    kiln_loop_hint(e->env->context, again, "llvm.loop.unroll.disable");
    LLVMAddIncoming(l->phi[d], &next, &latch, 1);
    LLVMPositionBuilderAtEnd(e->b, after);
  }
}

/* Linear local id; the rows of a smaller group are shorter, which leaves no gaps. */
static LLVMValueRef item_number(struct kl_group *g) {
  struct kl_emit *e = &g->e;
  LLVMValueRef n = e->ids.local_id[2];
  for (unsigned d = 2; d-- > 0;) {
    n = LLVMBuildMul(e->b, n, e->ids.local_size[d], "");
    if (LLVMIsAInstruction(n)) LLVMSetNUW(n, true), LLVMSetNSW(n, true);
    n = LLVMBuildAdd(e->b, n, e->ids.local_id[d], "");
    if (LLVMIsAInstruction(n)) LLVMSetNUW(n, true), LLVMSetNSW(n, true);
  }
  return LLVMTypeOf(n) == e->map->i64 ? n : LLVMBuildZExt(e->b, n, e->map->i64, "");
}

/* ---- values across regions ---- */

LLVMValueRef kiln_group_slot(struct kl_group *g, uint32_t slot) {
  LLVMValueRef offset = LLVMBuildMul(g->e.b, g->item, constant64(g, g->plan->slots[slot].size), "");
  if (LLVMIsAInstruction(offset)) LLVMSetNUW(offset, true), LLVMSetNSW(offset, true);
  return byte_at(g, g->e.b, g->slot_base[slot], offset);
}

LLVMTypeRef kiln_group_value_type(struct kl_group *g, uint32_t v) {
  return kiln_map_type(g->e.map, LLVMTypeOf(g->e.f->inst[v].v));
}

void kiln_group_load_values(struct kl_group *g, const struct kl_region *region) {
  for (uint32_t i = 0; i < region->live.n; i++) {
    uint32_t v = region->live.at[i];
    if (g->plan->keep[v] != KL_KEEP_GROUP || v == region->after) continue;
    kiln_emit_define(&g->e, v, LLVMBuildLoad2(g->e.b, kiln_group_value_type(g, v), g->group_cell[v], ""));
  }
}

/* Marks what the region's instructions use, and what computing those values again uses. */
bool *kiln_group_used(struct kl_group *g, const struct kl_region *region) {
  const struct kl_func *f = g->e.f;
  bool *used = kl_new(g->e.env, f->nvalue, bool);
  for (uint32_t i = 0; i < region->nblock; i++) {
    const struct kl_block *b = &f->block[region->block[i]];
    for (uint32_t v = b->first; v < b->first + b->n; v++)
      for (uint32_t k = 0; k < f->inst[v].nops; k++)
        used[kl_operand(f, v, k)] |= f->inst[v].op != LLVMPHI || k % 2 == 0;
  }
  for (uint32_t i = region->live.n; i-- > 0;) {
    uint32_t v = region->live.at[i];
    if (!used[v] || g->plan->keep[v] != KL_KEEP_AGAIN) continue;
    for (uint32_t k = 0; k < f->inst[v].nops; k++) used[kl_operand(f, v, k)] = true;
  }
  return used;
}

static void enter_value(struct kl_group *g, uint32_t v) {
  struct kl_emit *e = &g->e;
  if (e->fixed[v] != NULL || e->value_pass[v] == e->pass) return;
  if (e->f->inst[v].op == LLVMAlloca) kiln_emit_define(e, v, kiln_group_slot(g, g->plan->slot[v]));
  else if (g->plan->keep[v] == KL_KEEP_AGAIN) kiln_emit_inst(e, v);
  else if (g->plan->keep[v] == KL_KEEP_ITEM)
    kiln_emit_define(
        e, v, LLVMBuildLoad2(e->b, kiln_group_value_type(g, v), kiln_group_slot(g, g->plan->slot[v]), ""));
}

/* Values that come from before and may be computed anew in this region go through a variable. */
static void enter_values(struct kl_group *g, const struct kl_region *region) {
  struct kl_emit *e = &g->e;
  bool *used = kiln_group_used(g, region);
  for (uint32_t i = 0; i < region->live.n; i++) {
    uint32_t v = region->live.at[i];
    bool again = kiln_region_has(region, e->f->inst[v].bb) && e->f->inst[v].op != LLVMAlloca;
    if (!used[v] && !again) continue;
    enter_value(g, v);
    if (!again) continue;
    if (g->item_cell[v] == NULL) g->item_cell[v] = LLVMBuildAlloca(e->top, kiln_group_value_type(g, v), "");
    e->cell[v] = g->item_cell[v];
    LLVMBuildStore(e->b, e->value[v], e->cell[v]);
  }
  for (uint32_t i = 0; i < region->live.n;
       i++) { /* only now: operands above were to be the values themselves */
    uint32_t v = region->live.at[i];
    if (kiln_region_has(region, e->f->inst[v].bb) && e->f->inst[v].op != LLVMAlloca)
      e->cell_pass[v] = e->pass;
  }
}

/* Private objects of this work-item that no value stands for yet. */
static void enter_objects(struct kl_group *g, uint32_t r) {
  struct kl_emit *e = &g->e;
  for (uint32_t v = e->f->narg; v < e->f->ninst; v++)
    if (g->plan->place[v] == KL_PLACE_ITEM && e->value_pass[v] != e->pass &&
        kiln_region_has(&g->plan->region[r], e->f->inst[v].bb))
      kiln_emit_define(e, v, kiln_group_slot(g, g->plan->slot[v]));
}

/* A collective's result comes into being at the start of the region after it, a scan's in its slot. */
bool kiln_group_computes(const struct kl_group *g, const struct kl_region *region, uint32_t v) {
  const struct kl_inst *inst = &g->e.f->inst[v];
  return kiln_region_has(region, inst->bb) || (v == region->after && !kl_is_scan(inst->sub));
}

/* What region `to` takes from before it and this one has computed. */
static void leave_values(struct kl_group *g, const struct kl_region *from, const struct kl_region *to) {
  struct kl_emit *e = &g->e;
  for (uint32_t i = 0; i < to->live.n; i++) {
    uint32_t v = to->live.at[i];
    unsigned keep = g->plan->keep[v];
    if ((keep != KL_KEEP_GROUP && keep != KL_KEEP_ITEM) || !kiln_group_computes(g, from, v) ||
        v == to->after || kiln_slot_is_current(g->plan, e->f, from, v))
      continue;
    LLVMValueRef value = kiln_emit_operand(e, v);
    LLVMBuildStore(e->b, value,
                   keep == KL_KEEP_GROUP ? g->group_cell[v] : kiln_group_slot(g, g->plan->slot[v]));
  }
}

/* ---- regions ---- */

void kiln_group_set_next(struct kl_group *g, uint32_t region) {
  if (g->next != NULL) LLVMBuildStore(g->e.b, LLVMConstInt(g->e.map->i32, region, false), g->next);
}

static void set_exited(struct kl_group *g, bool exited) {
  if (!g->plan->exits_early) return;
  LLVMBuildStore(g->e.b, LLVMConstInt(g->e.map->i8, exited, false), kiln_group_slot(g, g->plan->exit_slot));
}

static void end_block(struct kl_group *g, const struct kl_region *region, uint32_t block) {
  struct kl_emit *e = &g->e;
  const struct kl_block *b = &e->f->block[block];
  uint32_t last = b->first + b->n - 1;
  if (b->barrier != 0) {
    leave_values(g, region, &g->plan->region[b->barrier]);
    kiln_collective_give(g, b->barrier);
    kiln_group_set_next(g, b->barrier);
    if (region == &g->plan->region[0]) set_exited(g, false);
    LLVMBuildBr(e->b, g->latch);
  } else if (e->f->inst[last].op == LLVMRet) {
    set_exited(g, true);
    if (!g->plan->exits_early) kiln_group_set_next(g, 0);
    LLVMBuildBr(e->b, g->latch);
  } else if (e->f->inst[last].op == LLVMUnreachable) {
    LLVMBuildUnreachable(e->b);
  } else {
    kiln_emit_branch(e, last);
  }
}

static void emit_blocks(struct kl_group *g, const struct kl_region *region) {
  struct kl_emit *e = &g->e;
  for (uint32_t i = 0; i < region->nblock; i++) {
    uint32_t b = region->block[i];
    e->begin[b] = e->end[b] = kiln_emit_new_block(e, "");
    e->block_pass[b] = e->pass;
  }
  LLVMBuildBr(e->b, e->begin[region->entry]);
  for (uint32_t i = 0; i < region->nblock; i++) {
    kiln_emit_block(e, region->block[i]);
    end_block(g, region, region->block[i]);
  }
  for (uint32_t i = 0; i < region->nblock; i++) {
    uint32_t b = region->block[i];
    for (uint32_t v = e->f->block[b].first, end = kl_end_of_phis(e->f, b); v < end; v++)
      kiln_emit_phi_inputs(e, v);
  }
}

static void skip_exited(struct kl_group *g) {
  struct kl_emit *e = &g->e;
  LLVMBasicBlockRef active = kiln_emit_new_block(e, "");
  LLVMValueRef flag = LLVMBuildLoad2(e->b, e->map->i8, kiln_group_slot(g, g->plan->exit_slot), "");
  LLVMBuildCondBr(e->b, LLVMBuildIsNull(e->b, flag, ""), active, g->latch);
  LLVMPositionBuilderAtEnd(e->b, active);
}

static void step(struct kl_group *g, const struct kl_region *region) {
  struct kl_emit *e = &g->e;
  if (region->next.n == 0) {
    LLVMBuildBr(e->b, g->done);
    return;
  }
  if (e->program->orders_memory) LLVMBuildFence(e->b, LLVMAtomicOrderingAcquireRelease, false, "");
  if (region->next.n == 1 && !region->returns) {
    LLVMBuildBr(e->b, g->head[region->next.at[0]]);
    return;
  }
  LLVMBasicBlockRef otherwise = region->returns ? g->done : g->head[region->next.at[0]];
  LLVMValueRef next = LLVMBuildLoad2(e->b, e->map->i32, g->next, "");
  LLVMValueRef choice = LLVMBuildSwitch(e->b, next, otherwise, region->next.n);
  for (uint32_t i = region->returns ? 0 : 1; i < region->next.n; i++)
    LLVMAddCase(choice, LLVMConstInt(e->map->i32, region->next.at[i], false), g->head[region->next.at[i]]);
}

static void emit_items(struct kl_group *g, uint32_t r) {
  struct kl_emit *e = &g->e;
  const struct kl_region *region = &g->plan->region[r];
  const struct kl_abreast *abreast = g->is_rare ? NULL : g->lane_plan->abreast;
  struct item_loops loops = {.abreast = abreast != NULL ? 2 : 1};
  kiln_emit_next_pass(e);
  kiln_group_load_values(g, region);
  kiln_collective_take(g, r);
  for (uint32_t i = 0; i < region->next.n; i++) kiln_collective_open(g, region->next.at[i]);
  if (g->plan->exits_early) kiln_group_set_next(g, 0); /* stays when no work-item goes on */
  open_loops(g, &loops);
  g->latch = kiln_emit_new_block(e, "");
  g->item = g->plan->nslot != 0 ? item_number(g) : NULL;
  if (r != 0 && g->plan->exits_early) skip_exited(g);
  if (abreast != NULL) {
    kiln_abreast_emit(g, abreast);
  } else {
    enter_values(g, region);
    enter_objects(g, r);
    emit_blocks(g, region);
  }
  LLVMPositionBuilderAtEnd(e->b, g->latch);
  LLVMSetCurrentDebugLocation2(e->b, NULL);
  close_loops(&g->e, &loops);
}

/* In lanes, or for steps shorter than these one at a time. */
static void emit_lanes(struct kl_group *g, uint32_t r) {
  struct kl_emit *e = &g->e;
  LLVMValueRef is_long = kiln_short_steps_test(g, r);
  if (is_long == NULL) {
    kiln_lane_region_emit(g, r);
    return;
  }
  LLVMBasicBlockRef lanes = kiln_emit_new_block(e, "lanes"), items = kiln_emit_new_block(e, "items"),
                    after = kiln_emit_new_block(e, "");
  LLVMBuildCondBr(e->b, is_long, lanes, items);
  LLVMPositionBuilderAtEnd(e->b, lanes);
  kiln_lane_region_emit(g, r);
  LLVMBuildBr(e->b, after);
  LLVMPositionBuilderAtEnd(e->b, items);
  emit_items(g, r);
  LLVMBuildBr(e->b, after);
  LLVMPositionBuilderAtEnd(e->b, after);
}

static void emit_region(struct kl_group *g, uint32_t r) {
  LLVMPositionBuilderAtEnd(g->e.b, g->head[r]);
  LLVMSetCurrentDebugLocation2(g->e.b, NULL);
  if (g->lanes != NULL) emit_lanes(g, r);
  else emit_items(g, r);
  step(g, &g->plan->region[r]);
}

void kiln_group_emit(struct kl_group *g, LLVMBasicBlockRef done) {
  struct kl_emit *e = &g->e;
  const struct kl_plan *plan = g->plan;
  g->done = done;
  for (uint32_t r = 0; r < plan->nregion; r++) g->head[r] = kiln_emit_new_block(e, "region");
  LLVMBuildBr(e->b, g->head[0]);
  for (uint32_t r = 0; r < plan->nregion; r++) emit_region(g, r);
}
