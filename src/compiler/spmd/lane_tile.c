/* Lanes in several rows: what is put together of them, loaded and stored row by row. */
#include "compiler/spmd/lanes.h"

#include <string.h>

/* ---- rows put together ---- */

static LLVMValueRef number(struct kl_lanes *l, unsigned x) { return LLVMConstInt(l->e->map->i32, x, false); }

/* The first elements of a vector again and again, n in all. */
static LLVMValueRef in_turn(struct kl_lanes *l, LLVMValueRef v, unsigned n, unsigned period) {
  LLVMValueRef index[KL_MOST_LANES];
  for (unsigned i = 0; i < n; i++) index[i] = number(l, i % period);
  return LLVMBuildShuffleVector(l->e->b, v, LLVMGetPoison(LLVMTypeOf(v)), LLVMConstVector(index, n), "");
}

static LLVMValueRef row_of(struct kl_lanes *l, LLVMValueRef whole, unsigned row) {
  if (LLVMIsConstant(whole) && kiln_lanes_is_full(whole))
    return LLVMConstAllOnes(LLVMVectorType(LLVMGetElementType(LLVMTypeOf(whole)), l->map->run));
  return kiln_lanes_some_of(l, whole, row * l->map->run, l->map->run);
}

/* One vector for a row, for all of them. */
static LLVMValueRef repeat(struct kl_lanes *l, LLVMValueRef part) {
  return in_turn(l, part, l->width, l->map->run);
}

/* Each lane gets its row's scalar. */
static LLVMValueRef spread_rows(struct kl_lanes *l, const LLVMValueRef *scalar) {
  LLVMBuilderRef b = l->e->b;
  LLVMValueRef part[KL_MOST_LANES];
  LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(scalar[0]), l->map->run);
  for (unsigned r = 0; r < l->map->rows; r++) {
    LLVMValueRef one = LLVMBuildInsertElement(b, LLVMGetPoison(type), scalar[r], number(l, 0), "");
    part[r] = in_turn(l, one, l->map->run, 1);
  }
  return kiln_lanes_joined(l, part, l->map->rows);
}

/* Component k of a scalar of the new module. */
static LLVMValueRef scalar_part(struct kl_lanes *l, LLVMValueRef scalar, uint32_t k) {
  LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(scalar));
  if (kind == LLVMVectorTypeKind) return LLVMBuildExtractElement(l->e->b, scalar, number(l, k), "");
  return kind == LLVMStructTypeKind ? LLVMBuildExtractValue(l->e->b, scalar, k, "") : scalar;
}

LLVMValueRef kiln_lanes_spread_value(struct kl_lanes *l, uint32_t value, uint32_t k) {
  LLVMValueRef scalar[KL_MOST_LANES], first;
  int64_t stride = l->shapes->of[value].stride;
  if (!kiln_lanes_is_uneven(l, value))
    return kiln_lanes_spread(l, scalar_part(l, kiln_emit_operand(l->e, value), k), stride);
  for (unsigned r = 0; r < l->map->rows; r++) scalar[r] = kiln_lanes_row_scalar(l, value, r);
  first = spread_rows(l, scalar);
  if (stride == 0) return first;
  LLVMTypeRef type = LLVMTypeOf(scalar[0]);
  bool is_pointer = LLVMGetTypeKind(type) == LLVMPointerTypeKind;
  LLVMValueRef steps = kiln_lanes_spread(l, LLVMConstNull(is_pointer ? l->e->map->i64 : type), stride);
  if (is_pointer) return LLVMBuildGEP2(l->e->b, l->e->map->i8, first, &steps, 1, "");
  return LLVMBuildAdd(l->e->b, first, steps, "");
}

/* ---- memory ---- */

struct row_access {
  LLVMTypeRef type; /* of one work-item's value */
  uint32_t pointer;
  unsigned align;
  struct kl_shape shape;
  LLVMValueRef mask;
};

static bool find_access(struct kl_lanes *l, struct row_access *a, LLVMValueRef inst, LLVMValueRef value,
                        uint32_t pointer) {
  a->shape = kiln_lanes_shape(l, pointer);
  if (l->map->rows == 1 || a->shape.kind != KL_STRIDED) return false;
  if (!kiln_is_ordinary(inst)) return false;
  a->type = kiln_map_type(l->e->map, LLVMTypeOf(value));
  a->pointer = pointer;
  a->align = LLVMGetAlignment(inst);
  a->mask = kiln_lanes_mask(l);
  return true;
}

/* Neighbours in a row lie side by side. */
static bool is_row(struct kl_lanes *l, const struct row_access *a) {
  return LLVMGetTypeKind(a->type) != LLVMVectorTypeKind &&
         a->shape.stride == (int64_t)kiln_map_size(l->e->map, a->type);
}

static unsigned element_align(struct kl_lanes *l, const struct row_access *a) {
  uint64_t size = kiln_map_size(l->e->map, a->type);
  return a->align < size ? a->align : (unsigned)size;
}

static LLVMValueRef masked_call(struct kl_lanes *l, const char *name, LLVMTypeRef type, LLVMValueRef *args) {
  LLVMTypeRef types[] = {type, l->e->map->ptr};
  return kiln_lanes_intrinsic(l, name, types, 2, args, 4);
}

static LLVMValueRef load_part(struct kl_lanes *l, const struct row_access *a, unsigned row,
                              LLVMValueRef mask) {
  LLVMTypeRef type = LLVMVectorType(a->type, l->map->run);
  LLVMValueRef from = kiln_lanes_row_scalar(l, a->pointer, row);
  LLVMValueRef align = number(l, element_align(l, a)), args[] = {from, align, mask, LLVMGetPoison(type)};
  if (!kiln_lanes_is_full(mask)) return masked_call(l, "llvm.masked.load", type, args);
  LLVMValueRef made = LLVMBuildLoad2(l->e->b, type, from, "");
  LLVMSetAlignment(made, element_align(l, a));
  return made;
}

/* Some lane of some row reads each element. */
static LLVMValueRef any_row(struct kl_lanes *l, LLVMValueRef mask) {
  LLVMValueRef any = row_of(l, mask, 0);
  for (unsigned r = 1; r < l->map->rows; r++) any = LLVMBuildOr(l->e->b, any, row_of(l, mask, r), "");
  return any;
}

static LLVMValueRef load_lanes(struct kl_lanes *l, const struct row_access *a) {
  LLVMValueRef part[KL_MOST_LANES];
  if (!a->shape.uneven) return repeat(l, load_part(l, a, 0, any_row(l, a->mask)));
  for (unsigned r = 0; r < l->map->rows; r++) part[r] = load_part(l, a, r, row_of(l, a->mask, r));
  return kiln_lanes_joined(l, part, l->map->rows);
}

/* Where a row has no active lane it reads a place of ours. */
static LLVMValueRef safe_address(struct kl_lanes *l, const struct row_access *a, unsigned row,
                                 LLVMValueRef dummy) {
  LLVMValueRef from = kiln_lanes_row_scalar(l, a->pointer, row);
  if (kiln_lanes_is_full(a->mask)) return from;
  LLVMTypeRef bits = LLVMIntTypeInContext(l->e->env->context, l->map->run);
  LLVMValueRef mask = LLVMBuildBitCast(l->e->b, row_of(l, a->mask, row), bits, "");
  LLVMValueRef any = LLVMBuildICmp(l->e->b, LLVMIntNE, mask, LLVMConstNull(bits), "");
  return LLVMBuildSelect(l->e->b, any, from, dummy, "");
}

/* All lanes of a row read one place. */
static void load_scalars(struct kl_lanes *l, const struct row_access *a, struct kl_pack pack) {
  LLVMValueRef scalar[KL_MOST_LANES], part[KL_MOST_LANES], dummy = NULL;
  if (!kiln_lanes_is_full(a->mask)) {
    dummy = LLVMBuildAlloca(l->e->top, a->type, "");
    if (a->align > LLVMGetAlignment(dummy)) LLVMSetAlignment(dummy, a->align);
    LLVMBuildStore(l->e->setup, LLVMConstNull(a->type), dummy);
  }
  for (unsigned r = 0; r < l->map->rows; r++) {
    scalar[r] = LLVMBuildLoad2(l->e->b, a->type, safe_address(l, a, r, dummy), "");
    LLVMSetAlignment(scalar[r], a->align);
  }
  for (uint32_t k = 0; k < pack.n; k++) {
    for (unsigned r = 0; r < l->map->rows; r++) part[r] = scalar_part(l, scalar[r], k);
    pack.part[k] = spread_rows(l, part);
  }
}

bool kiln_lanes_load_rows(struct kl_lanes *l, uint32_t i) {
  struct row_access a;
  LLVMValueRef inst = l->e->f->inst[i].v;
  if (!find_access(l, &a, inst, inst, kl_operand(l->e->f, i, 0))) return false;
  struct kl_pack pack = kiln_lanes_new_pack(l, kiln_lanes_parts(l, i));
  if (a.shape.stride == 0) load_scalars(l, &a, pack);
  else if (is_row(l, &a)) pack.part[0] = load_lanes(l, &a);
  else return false;
  kiln_lanes_report(l, i, (struct kl_note){.fate = a.shape.stride == 0 ? KL_FATE_SHARED : KL_FATE_ROW});
  kiln_lanes_define(l, i, pack);
  return true;
}

static void store_part(struct kl_lanes *l, const struct row_access *a, unsigned row, LLVMValueRef value) {
  LLVMValueRef to = kiln_lanes_row_scalar(l, a->pointer, row), mask = row_of(l, a->mask, row);
  LLVMValueRef args[] = {value, to, number(l, element_align(l, a)), mask};
  if (kiln_lanes_is_full(mask)) LLVMSetAlignment(LLVMBuildStore(l->e->b, value, to), element_align(l, a));
  else masked_call(l, "llvm.masked.store", LLVMTypeOf(value), args);
}

bool kiln_lanes_store_rows(struct kl_lanes *l, uint32_t i) {
  struct row_access a;
  uint32_t value = kl_operand(l->e->f, i, 0);
  LLVMValueRef inst = l->e->f->inst[i].v;
  if (!find_access(l, &a, inst, l->e->f->inst[value].v, kl_operand(l->e->f, i, 1))) return false;
  if (!a.shape.uneven || !is_row(l, &a)) return false;
  LLVMValueRef whole = kiln_lanes_part(l, value, 0);
  kiln_lanes_report(l, i, (struct kl_note){.fate = KL_FATE_ROW});
  for (unsigned r = 0; r < l->map->rows; r++) store_part(l, &a, r, row_of(l, whole, r));
  return true;
}

/* ---- queries ---- */

LLVMValueRef kiln_lanes_local_id(struct kl_lanes *l, unsigned d) {
  struct kl_emit *e = l->e;
  const struct kl_mapping *map = l->map;
  if (map->linear) return LLVMBuildZExtOrBitCast(e->b, l->id[d], kiln_lanes_type(l, e->ids.type), "");
  LLVMValueRef step[KL_MOST_LANES], all = kiln_lanes_splat(l, e->ids.local_id[d]);
  if (d != map->along && (map->rows == 1 || d != map->across)) return all;
  for (unsigned i = 0; i < l->width; i++)
    step[i] = kiln_emit_index(e, d == map->along ? i % map->run : i / map->run);
  return LLVMBuildAdd(e->b, all, LLVMConstVector(step, l->width), "");
}

/* The scalar form as the work-item `by` further on in a dimension sees it. */
static LLVMValueRef query_at(struct kl_lanes *l, uint32_t i, unsigned dimension, unsigned by) {
  struct kl_emit *e = l->e;
  LLVMValueRef id = e->ids.local_id[dimension];
  e->ids.local_id[dimension] = LLVMBuildAdd(e->b, id, kiln_emit_index(e, by), "");
  kiln_emit_query(e, i);
  e->ids.local_id[dimension] = id;
  return e->value[i];
}

/* steps: by lane. */
static LLVMValueRef add_steps(struct kl_lanes *l, LLVMValueRef all, LLVMValueRef first, LLVMValueRef next,
                              LLVMValueRef steps) {
  LLVMBuilderRef b = l->e->b;
  LLVMValueRef step = kiln_lanes_splat(l, LLVMBuildSub(b, next, first, ""));
  return LLVMBuildAdd(b, all, LLVMBuildMul(b, steps, step, ""), "");
}

static void define_one(struct kl_lanes *l, uint32_t i, LLVMValueRef all) {
  struct kl_pack pack = kiln_lanes_new_pack(l, 1);
  pack.part[0] = all;
  kiln_lanes_define(l, i, pack);
}

void kiln_lanes_query(struct kl_lanes *l, uint32_t i) {
  if (l->e->f->inst[i].nops != 0 && kiln_lanes_shape(l, kl_operand(l->e->f, i, 0)).kind != KL_UNIFORM) {
    kiln_lanes_serialize(l, i); /* of a dimension that lanes do not agree on */
    return;
  }
  if (l->e->f->inst[i].sub == KL_Q_SUB_GROUP_LOCAL_ID) {
    define_one(l, i, kiln_lanes_numbers(l));
    return;
  }
  if (l->map->linear) {
    define_one(l, i, kiln_lanes_linear_query(l, i));
    return;
  }
  const struct kl_mapping *map = l->map;
  LLVMValueRef row[KL_MOST_LANES], first = query_at(l, i, map->along, 0);
  LLVMTypeRef type = LLVMTypeOf(first);
  LLVMValueRef places = kiln_lanes_spread(l, LLVMConstNull(type), 1);
  LLVMValueRef all = add_steps(l, kiln_lanes_splat(l, first), first, query_at(l, i, map->along, 1), places);
  if (map->rows > 1) {
    for (unsigned r = 0; r < map->rows; r++) row[r] = LLVMConstInt(type, r, false);
    all = add_steps(l, all, first, query_at(l, i, map->across, 1), spread_rows(l, row));
  }
  define_one(l, i, all);
}
