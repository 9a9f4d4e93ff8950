/* What has no form for a vector of work-items, lane by lane; see lane_serial.h. */
#include "compiler/spmd/lane_serial.h"

#include "compiler/spmd/tally.h"

/* An operand that differs by lane: its components, and what it was for all lanes. */
struct kl_serial_value {
  uint32_t value, n, pass, cell_pass;
  struct kl_extract *part;
  LLVMValueRef scalar, fixed;
};

/* Before the loop: vectors to the stack. */
static void put_down(struct kl_serial *s, struct kl_serial_value *v, bool unrolls) {
  struct kl_pack pack = kiln_lanes_operand(s->l, v->value);
  v->n = pack.n;
  v->part = kl_new(s->l->e->env, pack.n, struct kl_extract);
  for (uint32_t k = 0; k < pack.n; k++)
    kiln_extract_start(s->l, &v->part[k], pack.part[k], unrolls ? KL_EXTRACT_IN_TURN : KL_EXTRACT_APART);
}

/* One lane's value as a scalar of the value's type. */
static LLVMValueRef lane_value(struct kl_serial *s, const struct kl_serial_value *v) {
  LLVMTypeRef type = kiln_map_type(s->l->e->map, LLVMTypeOf(s->l->e->f->inst[v->value].v));
  LLVMValueRef whole = LLVMGetPoison(type);
  for (uint32_t k = 0; k < v->n; k++)
    whole = kiln_lanes_put_part(s->l, whole, kiln_extract_lane(&v->part[k], s->index), k);
  return whole;
}

static void take_up(struct kl_serial *s, struct kl_serial_value *v) {
  struct kl_emit *e = s->l->e;
  v->pass = e->value_pass[v->value];
  v->cell_pass = e->cell_pass[v->value];
  v->scalar = e->value[v->value];
  v->fixed = e->fixed[v->value];
  e->fixed[v->value] = NULL;
  e->cell_pass[v->value] = 0;
  e->value[v->value] = lane_value(s, v);
  e->value_pass[v->value] = e->pass;
}

static void restore(struct kl_emit *e, const struct kl_serial_value *v) {
  e->value[v->value] = v->scalar;
  e->value_pass[v->value] = v->pass;
  e->cell_pass[v->value] = v->cell_pass;
  e->fixed[v->value] = v->fixed;
}

static LLVMValueRef add_id(struct kl_serial *s, LLVMValueRef id, LLVMValueRef more) {
  LLVMBuilderRef b = s->l->e->b;
  if (LLVMTypeOf(id) != LLVMTypeOf(more)) more = LLVMBuildZExt(b, more, LLVMTypeOf(id), "");
  return LLVMBuildAdd(b, id, more, "");
}

static void set_local_id(struct kl_serial *s) {
  struct kl_emit *e = s->l->e;
  const struct kl_mapping *map = s->l->map;
  LLVMValueRef run = LLVMConstInt(e->map->i32, map->run, false), x = s->loop.lane;
  s->ids = e->ids;
  if (map->linear) {
    kiln_lanes_set_linear_lane(s->l, s->loop.lane);
    return;
  }
  if (map->rows > 1) {
    LLVMValueRef row = LLVMBuildUDiv(e->b, s->loop.lane, run, "");
    e->ids.local_id[map->across] = add_id(s, s->ids.local_id[map->across], row);
    x = LLVMBuildURem(e->b, s->loop.lane, run, "");
  }
  e->ids.local_id[map->along] = add_id(s, s->ids.local_id[map->along], x);
}

void kiln_serial_open(struct kl_serial *s, struct kl_lanes *l, const uint32_t *in, uint32_t n, bool unrolls) {
  *s = (struct kl_serial){.l = l, .value = kl_new(l->e->env, n, struct kl_serial_value)};
  for (uint32_t k = 0; k < n; k++) {
    if (kiln_lanes_shape(l, in[k]).kind == KL_UNIFORM) continue;
    s->value[s->n].value = in[k];
    put_down(s, &s->value[s->n++], unrolls);
  }
  kiln_lanes_open_loop(l, &s->loop, kiln_lanes_mask(l));
  s->index = LLVMBuildZExt(l->e->b, s->loop.lane, l->e->map->i64, "");
  for (uint32_t k = 0; k < s->n; k++) take_up(s, &s->value[k]);
  set_local_id(s);
}

void kiln_serial_put(struct kl_serial *s, const struct kl_cells *cells, LLVMValueRef scalar) {
  struct kl_emit *e = s->l->e;
  LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(scalar));
  for (uint32_t k = 0; k < cells->n; k++) {
    LLVMValueRef part = scalar;
    if (kind == LLVMVectorTypeKind)
      part = LLVMBuildExtractElement(e->b, scalar, LLVMConstInt(e->map->i32, k, false), "");
    else if (kind == LLVMStructTypeKind) part = LLVMBuildExtractValue(e->b, scalar, k, "");
    LLVMTypeRef type = LLVMGetAllocatedType(cells->part[k]), one = LLVMGetElementType(type);
    if (kiln_extract_has_place(one)) {
      LLVMBuildStore(e->b, part, LLVMBuildGEP2(e->b, one, cells->part[k], &s->index, 1, ""));
      continue;
    }
    LLVMValueRef all = LLVMBuildLoad2(e->b, type, cells->part[k], "");
    LLVMBuildStore(e->b, LLVMBuildInsertElement(e->b, all, part, s->loop.lane, ""), cells->part[k]);
  }
}

void kiln_serial_close(struct kl_serial *s, bool unrolls) {
  struct kl_emit *e = s->l->e;
  e->ids = s->ids;
  while (s->n > 0) restore(e, &s->value[--s->n]);
  LLVMBasicBlockRef latch = LLVMGetInsertBlock(e->b);
  kiln_lanes_close_loop(s->l, &s->loop);
  if (!unrolls)
    kiln_loop_hint(e->env->context, LLVMGetBasicBlockTerminator(latch), "llvm.loop.unroll.disable");
}

/* ---- one instruction ---- */

static bool has_value(struct kl_lanes *l, uint32_t i) {
  return LLVMGetTypeKind(LLVMTypeOf(l->e->f->inst[i].v)) != LLVMVoidTypeKind;
}

static uint32_t operands_of(struct kl_lanes *l, uint32_t i, uint32_t *in) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < l->e->f->inst[i].nops; k++) {
    in[n] = kl_operand(l->e->f, i, k);
    uint32_t o = 0;
    while (in[o] != in[n]) o++;
    n += o == n;
  }
  return n;
}

static void serialize(struct kl_lanes *l, uint32_t i, const struct kl_cells *result) {
  struct kl_emit *e = l->e;
  const struct kl_inst *inst = &e->f->inst[i];
  struct kl_serial s;
  uint32_t *in = kl_new(e->env, inst->nops, uint32_t);
  /* loops of atomics may be unrolled: they may be short, as in local memory */
  const bool is_atomic = inst->op == LLVMAtomicRMW || inst->op == LLVMAtomicCmpXchg;
  kiln_serial_open(&s, l, in, operands_of(l, i, in), is_atomic);
  kiln_emit_inst(e, i);
  if (result->n != 0) kiln_serial_put(&s, result, e->value[i]);
  kiln_serial_close(&s, is_atomic);
  l->ok_pass[i] = 0; /* the scalar was that of some lane */
}

static void serialize_as(struct kl_lanes *l, uint32_t i, enum kl_tally_state state) {
  kiln_tally_set_state(l->e, i, state);
  serialize(l, i, &(struct kl_cells){0});
  kiln_tally_set_state(l->e, i, KL_TALLY_ASKS);
}

/* Gathered, and in a loop of their own once that is of no use. Nobody uses what such atomics find. */
static void serialize_tallied(struct kl_lanes *l, uint32_t i) {
  struct kl_emit *e = l->e;
  LLVMBasicBlockRef open = kiln_emit_new_block(e, "open"), closed = kiln_emit_new_block(e, "closed"),
                    after = kiln_emit_new_block(e, "");
  LLVMValueRef times = kiln_lanes_count(l, kiln_lanes_mask(l), e->map->i64);
  LLVMBuildCondBr(e->b, kiln_tally_is_closed(e, i, times), closed, open);
  LLVMPositionBuilderAtEnd(e->b, closed);
  serialize_as(l, i, KL_TALLY_CLOSED);
  LLVMBuildBr(e->b, after);
  LLVMPositionBuilderAtEnd(e->b, open);
  serialize_as(l, i, KL_TALLY_OPEN);
  LLVMBuildBr(e->b, after);
  LLVMPositionBuilderAtEnd(e->b, after);
}

void kiln_lanes_serialize(struct kl_lanes *l, uint32_t i) {
  struct kl_cells result = {0};
  const bool tallied = kiln_tally_takes(l->e, i);
  kiln_lanes_report(l, i, (struct kl_note){.fate = tallied ? KL_FATE_TALLY : KL_FATE_LANES});
  if (tallied) {
    serialize_tallied(l, i);
    return;
  }
  if (has_value(l, i)) result = kiln_lanes_new_cells(l, i);
  serialize(l, i, &result);
  if (result.n != 0) kiln_lanes_define(l, i, kiln_lanes_load(l, &result));
}
