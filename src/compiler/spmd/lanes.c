/* Values and masks of a vector of work-items; see lanes.h. */
#include "compiler/spmd/lanes.h"

#include "compiler/spmd/lane_in_rows.h"
#include "compiler/spmd/lane_private.h"
#include "compiler/spmd/lane_routine.h"

#include <string.h>

/* ---- types ---- */

uint32_t kiln_type_parts(LLVMTypeRef type) {
  if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) return LLVMGetVectorSize(type);
  return LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMCountStructElementTypes(type) : 1;
}

LLVMTypeRef kiln_type_part(LLVMTypeRef type, uint32_t k) {
  if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) return LLVMGetElementType(type);
  return LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(type, k) : type;
}

LLVMTypeRef kiln_lanes_type(struct kl_lanes *l, LLVMTypeRef part) { return LLVMVectorType(part, l->width); }

static LLVMTypeRef value_type(struct kl_lanes *l, uint32_t value) {
  return kiln_map_type(l->e->map, LLVMTypeOf(l->e->f->inst[value].v));
}

uint32_t kiln_lanes_parts(struct kl_lanes *l, uint32_t value) {
  return kiln_type_parts(value_type(l, value));
}

/* ---- start ---- */

/* Code for each lane is many times as long as what it stands for: a part of a function only. */
static unsigned most_elements(const struct kl_func *f) {
  const unsigned always = 6, most = 24, of = 64;
  unsigned n = always + (f->ninst - f->narg) / of;
  return n < most ? n : most;
}

void kiln_lanes_start(struct kl_lanes *l, struct kl_emit *e, const struct kl_shapes *shapes,
                      const struct kl_plan *plan) {
  const struct kl_func *f = e->f;
  unsigned width = shapes->map.width, rows = shapes->map.rows;
  *l = (struct kl_lanes){.e = e, .shapes = shapes, .plan = plan, .width = width, .map = &shapes->map};
  l->most_elements = most_elements(f);
  if (e->program->native >= 16) {
    l->calls = kiln_called_is_worth(f, shapes);
    l->called_records = kiln_called_records(e->env, f, shapes);
  }
  e->unit = shapes->unit;
  e->lanes = width;
  l->pack = kl_new(e->env, f->nvalue, struct kl_pack);
  l->pack_pass = kl_new(e->env, f->nvalue, uint32_t);
  l->kept = kl_new(e->env, f->nvalue, struct kl_cells);
  l->phi = kl_new(e->env, f->nvalue, struct kl_cells);
  l->phi_base = kl_new(e->env, (size_t)rows * f->nvalue, LLVMValueRef);
  l->step = kl_new(e->env, f->nvalue, struct kl_row_step);
  l->row = kl_new(e->env, rows, LLVMValueRef *);
  for (unsigned r = 1; r < rows; r++) l->row[r] = kl_new(e->env, f->nvalue, LLVMValueRef);
  l->again = kl_new(e->env, f->nvalue, bool);
  l->in_rows = kiln_in_rows_find(e->env, f, shapes, plan, e->map);
  l->phi_ok = kl_new(e->env, f->nvalue, LLVMValueRef);
  l->ok = kl_new(e->env, f->nvalue, LLVMValueRef);
  l->ok_pass = kl_new(e->env, f->nvalue, uint32_t);
  l->update = kiln_updates_find(e->env, f, shapes, e->program->native, e->map);
  l->done_pass = kl_new(e->env, f->nvalue, uint32_t);
  l->pack_block = kl_new(e->env, f->nvalue, LLVMBasicBlockRef);
  l->node_of = kl_new(e->env, f->graph.n, uint32_t);
}

/* ---- scalars to vectors ---- */

LLVMValueRef kiln_lanes_splat(struct kl_lanes *l, LLVMValueRef scalar) {
  LLVMBuilderRef b = l->e->b;
  LLVMTypeRef type = kiln_lanes_type(l, LLVMTypeOf(scalar));
  if (LLVMIsConstant(scalar)) {
    LLVMValueRef part[KL_MOST_LANES];
    for (unsigned i = 0; i < l->width; i++) part[i] = scalar;
    return LLVMConstVector(part, l->width);
  }
  LLVMValueRef one =
      LLVMBuildInsertElement(b, LLVMGetPoison(type), scalar, LLVMConstNull(l->e->map->i32), "");
  return LLVMBuildShuffleVector(b, one, LLVMGetPoison(type),
                                LLVMConstNull(LLVMVectorType(l->e->map->i32, l->width)), "");
}

LLVMValueRef kiln_lanes_some_of(struct kl_lanes *l, LLVMValueRef v, unsigned first, unsigned n) {
  LLVMValueRef pick[KL_MOST_LANES];
  for (unsigned i = 0; i < n; i++) pick[i] = LLVMConstInt(l->e->map->i32, first + i, false);
  return LLVMBuildShuffleVector(l->e->b, v, LLVMGetPoison(LLVMTypeOf(v)), LLVMConstVector(pick, n), "");
}

static LLVMValueRef join(struct kl_lanes *l, LLVMValueRef a, LLVMValueRef b) {
  LLVMValueRef index[2 * KL_MOST_LANES];
  unsigned n = 2 * LLVMGetVectorSize(LLVMTypeOf(a));
  for (unsigned i = 0; i < n; i++) index[i] = LLVMConstInt(l->e->map->i32, i, false);
  return LLVMBuildShuffleVector(l->e->b, a, b, LLVMConstVector(index, n), "");
}

LLVMValueRef kiln_lanes_joined(struct kl_lanes *l, LLVMValueRef *part, unsigned n) {
  for (; n > 1; n /= 2)
    for (unsigned i = 0; i < n / 2; i++) part[i] = join(l, part[2 * i], part[2 * i + 1]);
  return part[0];
}

static LLVMValueRef lane_offsets(struct kl_lanes *l, LLVMTypeRef type, int64_t stride) {
  LLVMValueRef part[KL_MOST_LANES];
  for (unsigned i = 0; i < l->width; i++)
    part[i] = LLVMConstInt(type, (uint64_t)(stride * (int64_t)(i % l->map->run)), true);
  return LLVMConstVector(part, l->width);
}

LLVMValueRef kiln_lanes_spread(struct kl_lanes *l, LLVMValueRef base, int64_t stride) {
  if (stride == 0) return kiln_lanes_splat(l, base);
  if (LLVMGetTypeKind(LLVMTypeOf(base)) == LLVMPointerTypeKind) {
    LLVMValueRef offsets = lane_offsets(l, l->e->map->i64, stride);
    return LLVMBuildGEP2(l->e->b, l->e->map->i8, base, &offsets, 1, "");
  }
  return LLVMBuildAdd(l->e->b, kiln_lanes_splat(l, base), lane_offsets(l, LLVMTypeOf(base), stride), "");
}

/* ---- operands ---- */

static uint32_t block_at_hand(struct kl_lanes *l) {
  return l->at < l->flow->nblock ? l->block[l->at] : KL_NONE;
}

/* Computed in a loop that lanes leave at different turns, and used after it. */
bool kiln_lanes_is_left(struct kl_lanes *l, uint32_t value) {
  uint32_t from = l->e->f->inst[value].bb;
  if (l->kept[value].n == 0 || from == KL_NONE) return false;
  if (l->again[value]) return true;
  return l->node_of[from] != KL_NONE && kiln_flow_is_left(l->flow, l->node_of[from], l->at);
}

struct kl_shape kiln_lanes_shape(struct kl_lanes *l, uint32_t value) {
  uint32_t block = block_at_hand(l);
  if (kiln_lanes_is_left(l, value)) return (struct kl_shape){.kind = KL_VARYING};
  return block == KL_NONE ? l->shapes->of[value] : kiln_shape_at(l->shapes, l->e->f, value, block);
}

/* The pack of a value whose computation was put off is there in one block only. */
static bool has_pack(struct kl_lanes *l, uint32_t value) {
  if (l->pack_pass[value] != l->e->pass) return false;
  return l->pack_block[value] == NULL || l->pack_block[value] == LLVMGetInsertBlock(l->e->b);
}

static bool compute_pack(struct kl_lanes *l, uint32_t value) {
  if (l->shapes->checked[value].kind == KL_VARYING) return false;
  LLVMValueRef made = kiln_lanes_element(l, value, 0);
  if (made == NULL) return false;
  l->pack[value] = kiln_lanes_new_pack(l, 1);
  l->pack[value].part[0] = made;
  l->pack_pass[value] = l->e->pass;
  l->pack_block[value] = LLVMGetInsertBlock(l->e->b);
  return true;
}

static LLVMValueRef part_of(struct kl_lanes *l, uint32_t value, uint32_t k, struct kl_shape shape) {
  if (shape.kind == KL_VARYING && (has_pack(l, value) || compute_pack(l, value)))
    return l->pack[value].part[k];
  if (shape.kind == KL_VARYING) {
    shape = l->shapes->of[value]; /* left in a loop whose turns all lanes of this region share */
    if (shape.kind == KL_VARYING)
      kiln_env_fail(l->e->env, "internal: value %u is used before it is emitted for all lanes", value);
  }
  return kiln_lanes_spread_value(l, value, k);
}

LLVMValueRef kiln_lanes_part(struct kl_lanes *l, uint32_t value, uint32_t k) {
  if (kiln_lanes_is_left(l, value)) return kiln_lanes_load(l, &l->kept[value]).part[k];
  return part_of(l, value, k, kiln_lanes_shape(l, value));
}

struct kl_pack kiln_lanes_operand(struct kl_lanes *l, uint32_t value) {
  if (kiln_lanes_is_left(l, value)) return kiln_lanes_load(l, &l->kept[value]);
  struct kl_pack pack = kiln_lanes_new_pack(l, kiln_lanes_parts(l, value));
  struct kl_shape shape = kiln_lanes_shape(l, value);
  for (uint32_t k = 0; k < pack.n; k++) pack.part[k] = part_of(l, value, k, shape);
  return pack;
}

struct kl_pack kiln_lanes_new_pack(struct kl_lanes *l, uint32_t n) {
  return (struct kl_pack){kl_new(l->e->env, n, LLVMValueRef), n};
}

/* ---- cells ---- */

struct kl_cells kiln_lanes_new_cells(struct kl_lanes *l, uint32_t value) {
  LLVMTypeRef type = value_type(l, value);
  struct kl_cells cells = {.n = kiln_type_parts(type)};
  cells.part = kl_new(l->e->env, cells.n, LLVMValueRef);
  for (uint32_t k = 0; k < cells.n; k++)
    cells.part[k] = LLVMBuildAlloca(l->e->top, kiln_lanes_type(l, kiln_type_part(type, k)), "");
  return cells;
}

void kiln_lanes_empty(struct kl_lanes *l, const struct kl_cells *cells) {
  for (uint32_t k = 0; k < cells->n; k++)
    LLVMBuildStore(l->e->b, LLVMGetUndef(LLVMGetAllocatedType(cells->part[k])), cells->part[k]);
}

struct kl_pack kiln_lanes_load(struct kl_lanes *l, const struct kl_cells *cells) {
  struct kl_pack pack = kiln_lanes_new_pack(l, cells->n);
  for (uint32_t k = 0; k < cells->n; k++)
    pack.part[k] = LLVMBuildLoad2(l->e->b, LLVMGetAllocatedType(cells->part[k]), cells->part[k], "");
  return pack;
}

void kiln_lanes_store(struct kl_lanes *l, const struct kl_cells *cells, struct kl_pack pack,
                      LLVMValueRef mask) {
  for (uint32_t k = 0; k < cells->n; k++) {
    LLVMValueRef value = pack.part[k];
    if (!kiln_lanes_is_full(mask)) {
      LLVMValueRef old = LLVMBuildLoad2(l->e->b, LLVMTypeOf(value), cells->part[k], "");
      value = LLVMBuildSelect(l->e->b, mask, value, old, "");
    }
    LLVMBuildStore(l->e->b, value, cells->part[k]);
  }
}

void kiln_lanes_define(struct kl_lanes *l, uint32_t value, struct kl_pack pack) {
  l->pack[value] = pack;
  l->pack_pass[value] = l->e->pass;
  l->pack_block[value] = NULL;
  if (l->kept[value].n != 0 && !l->kept[value].is_lent)
    kiln_lanes_store(l, &l->kept[value], pack, kiln_lanes_mask(l));
}

void kiln_lanes_keep(struct kl_lanes *l, uint32_t value) {
  if (l->kept[value].n == 0) return;
  struct kl_pack pack = kiln_lanes_new_pack(l, l->kept[value].n);
  for (uint32_t k = 0; k < pack.n; k++) pack.part[k] = kiln_lanes_spread_value(l, value, k);
  kiln_lanes_store(l, &l->kept[value], pack, kiln_lanes_mask(l));
}

LLVMValueRef kiln_lanes_put_part(struct kl_lanes *l, LLVMValueRef whole, LLVMValueRef part, uint32_t k) {
  LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(whole));
  if (kind == LLVMStructTypeKind) return LLVMBuildInsertValue(l->e->b, whole, part, k, "");
  if (kind != LLVMVectorTypeKind) return part;
  return LLVMBuildInsertElement(l->e->b, whole, part, LLVMConstInt(l->e->map->i32, k, false), "");
}

/* ---- intrinsics ---- */

LLVMValueRef kiln_lanes_intrinsic(struct kl_lanes *l, const char *name, LLVMTypeRef *types,
                                  unsigned num_types, LLVMValueRef *args, unsigned num_args) {
  unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
  LLVMValueRef fn = LLVMGetIntrinsicDeclaration(l->e->env->module, id, types, num_types);
  return LLVMBuildCall2(l->e->b, LLVMGlobalGetValueType(fn), fn, args, num_args, "");
}

/* ---- masks ---- */

LLVMValueRef kiln_lanes_mask(struct kl_lanes *l) { return l->mask[l->flow->node[l->at].owner]; }

bool kiln_lanes_is_full(LLVMValueRef mask) {
  return LLVMIsConstant(mask) && mask == LLVMConstAllOnes(LLVMTypeOf(mask));
}

LLVMValueRef kiln_lanes_bits(struct kl_lanes *l, LLVMValueRef mask) {
  LLVMTypeRef type = LLVMIntTypeInContext(l->e->env->context, l->width);
  return LLVMBuildBitCast(l->e->b, mask, type, "");
}

LLVMValueRef kiln_lanes_any(struct kl_lanes *l, LLVMValueRef mask) {
  LLVMValueRef bits = kiln_lanes_bits(l, mask);
  return LLVMBuildICmp(l->e->b, LLVMIntNE, bits, LLVMConstNull(LLVMTypeOf(bits)), "");
}

LLVMValueRef kiln_lanes_all(struct kl_lanes *l, LLVMValueRef mask) {
  LLVMValueRef bits = kiln_lanes_bits(l, mask);
  return LLVMBuildICmp(l->e->b, LLVMIntEQ, bits, LLVMConstAllOnes(LLVMTypeOf(bits)), "");
}

LLVMValueRef kiln_lanes_some(struct kl_lanes *l, LLVMValueRef mask) {
  if (kiln_lanes_is_full(mask)) return LLVMConstNull(l->e->map->i32);
  LLVMValueRef bits = kiln_lanes_bits(l, mask);
  LLVMTypeRef type = LLVMTypeOf(bits);
  LLVMValueRef args[] = {bits, LLVMConstNull(l->e->map->i1)};
  LLVMValueRef lane = kiln_lanes_intrinsic(l, "llvm.cttz", &type, 1, args, 2);
  lane = LLVMBuildAnd(l->e->b, lane, LLVMConstInt(type, l->width - 1, false), "");
  return LLVMBuildIntCast2(l->e->b, lane, l->e->map->i32, false, "");
}

LLVMValueRef kiln_lanes_borrow(struct kl_lanes *l, LLVMValueRef v, LLVMValueRef mask) {
  if (kiln_lanes_is_full(mask)) return v;
  LLVMValueRef on = LLVMBuildExtractElement(l->e->b, v, kiln_lanes_some(l, mask), "");
  return LLVMBuildSelect(l->e->b, mask, v, kiln_lanes_splat(l, on), "");
}

LLVMValueRef kiln_lanes_fence(struct kl_lanes *l, LLVMValueRef v) { return kiln_fenced(l->e->b, v); }

/* ---- code for one lane after the other ---- */

/* begin: what is left before the first lane; runs: it is not what there is after the last. */
static void open_loop(struct kl_lanes *l, struct kl_lane_loop *loop, LLVMValueRef begin, LLVMValueRef runs) {
  struct kl_emit *e = l->e;
  LLVMBasicBlockRef from = LLVMGetInsertBlock(e->b);
  loop->head = kiln_emit_new_block(e, "lane");
  loop->done = kiln_emit_new_block(e, "");
  LLVMBuildCondBr(e->b, runs, loop->head, loop->done);
  LLVMPositionBuilderAtEnd(e->b, loop->head);
  loop->left = LLVMBuildPhi(e->b, LLVMTypeOf(begin), "");
  LLVMAddIncoming(loop->left, &begin, &from, 1);
}

void kiln_lanes_open_full_loop(struct kl_lanes *l, struct kl_lane_loop *loop, unsigned each) {
  loop->end = kiln_lanes_number(l, l->width);
  open_loop(l, loop, kiln_lanes_number(l, 0), LLVMConstInt(l->e->map->i1, 1, false));
  loop->lane = loop->left;
  loop->rest = LLVMBuildNUWAdd(l->e->b, loop->lane, kiln_lanes_number(l, each), "");
}

void kiln_lanes_open_loop(struct kl_lanes *l, struct kl_lane_loop *loop, LLVMValueRef mask) {
  struct kl_emit *e = l->e;
  LLVMValueRef bits = kiln_lanes_bits(l, mask);
  LLVMTypeRef type = LLVMTypeOf(bits);
  loop->end = LLVMConstNull(type);
  /* may be empty where the code around is not guarded */
  open_loop(l, loop, bits, LLVMBuildICmp(e->b, LLVMIntNE, bits, loop->end, ""));
  LLVMValueRef args[] = {loop->left, LLVMConstInt(e->map->i1, 1, false)};
  LLVMValueRef first = kiln_lanes_intrinsic(l, "llvm.cttz", &type, 1, args, 2);
  loop->lane = LLVMBuildIntCast2(e->b, first, e->map->i32, false, "");
  LLVMValueRef minus = LLVMBuildSub(e->b, loop->left, LLVMConstInt(type, 1, false), "");
  loop->rest = LLVMBuildAnd(e->b, loop->left, minus, "");
}

void kiln_lanes_close_loop(struct kl_lanes *l, const struct kl_lane_loop *loop) {
  struct kl_emit *e = l->e;
  LLVMBasicBlockRef latch = LLVMGetInsertBlock(e->b);
  LLVMValueRef rest = loop->rest;
  LLVMAddIncoming(loop->left, &rest, &latch, 1);
  LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntNE, rest, loop->end, ""), loop->head, loop->done);
  LLVMPositionBuilderAtEnd(e->b, loop->done);
}

/* ---- explanations ---- */

void kiln_lanes_report(struct kl_lanes *l, uint32_t i, struct kl_note note) {
  if (l->e->report == NULL) return;
  note.masked = note.fate != KL_FATE_ONCE && l->flow->node[l->at].owner != l->flow->entry;
  kiln_report_put(l->e->report, l->e->f, i, note);
}
