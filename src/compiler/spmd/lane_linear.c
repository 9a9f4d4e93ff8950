/* Lanes that are neighbours by linear local id, wherever rows of the group end: their ids are vectors. */
#include "compiler/spmd/lanes.h"

static LLVMValueRef splat_size(struct kl_lanes *l, unsigned d) {
  struct kl_emit *e = l->e;
  LLVMValueRef size = e->ids.local_size[d];
  if (LLVMTypeOf(size) != e->map->i32) size = LLVMBuildTrunc(e->b, size, e->map->i32, "");
  return kiln_lanes_splat(l, size);
}

/* Of numbers below 2^22, as items of a group are. Floats hold them, and their quotient, once rounded, never
 * reaches the next integer: x / d + 1 / d is at most that one, and 1 / d is more than the rounding. */
static LLVMValueRef divide(struct kl_lanes *l, LLVMValueRef x, LLVMValueRef d) {
  LLVMBuilderRef b = l->e->b;
  if (LLVMIsConstant(d)) return LLVMBuildUDiv(b, x, d, "");
  LLVMTypeRef type = kiln_lanes_type(l, LLVMFloatTypeInContext(l->e->env->context));
  LLVMValueRef quotient =
      LLVMBuildFDiv(b, LLVMBuildSIToFP(b, x, type, ""), LLVMBuildSIToFP(b, d, type, ""), "");
  return LLVMBuildFPToSI(b, quotient, LLVMTypeOf(x), "");
}

LLVMValueRef kiln_lanes_number(struct kl_lanes *l, uint64_t x) {
  return LLVMConstInt(l->e->map->i32, x, false);
}

LLVMValueRef kiln_lanes_numbers(struct kl_lanes *l) {
  LLVMValueRef number[KL_MOST_LANES];
  for (unsigned i = 0; i < l->width; i++) number[i] = LLVMConstInt(l->e->map->i32, i, false);
  return LLVMConstVector(number, l->width);
}

static LLVMValueRef extract_id(struct kl_lanes *l, unsigned d, LLVMValueRef lane) {
  LLVMValueRef id = LLVMBuildExtractElement(l->e->b, l->id[d], lane, "");
  return LLVMBuildZExtOrBitCast(l->e->b, id, l->e->ids.type, "");
}

void kiln_lanes_set_linear(struct kl_lanes *l, LLVMValueRef first) {
  struct kl_emit *e = l->e;
  LLVMBuilderRef b = e->b;
  e->ids.linear = first;
  if (LLVMTypeOf(first) != e->map->i32) first = LLVMBuildTrunc(b, first, e->map->i32, "");
  LLVMValueRef rest = LLVMBuildAdd(b, kiln_lanes_splat(l, first), kiln_lanes_numbers(l), "");
  for (unsigned d = 0; d < 2; d++) {
    LLVMValueRef size = splat_size(l, d), quotient = divide(l, rest, size);
    l->id[d] = LLVMBuildSub(b, rest, LLVMBuildMul(b, quotient, size, ""), "");
    rest = quotient;
  }
  l->id[2] = rest;
  for (unsigned d = 0; d < 3; d++) e->ids.local_id[d] = extract_id(l, d, LLVMConstNull(e->map->i32));
}

void kiln_lanes_set_linear_lane(struct kl_lanes *l, LLVMValueRef lane) {
  struct kl_emit *e = l->e;
  for (unsigned d = 0; d < 3; d++) e->ids.local_id[d] = extract_id(l, d, lane);
  e->ids.linear = LLVMBuildAdd(e->b, e->ids.linear, LLVMBuildZExtOrBitCast(e->b, lane, e->ids.type, ""), "");
}

/* ---- work-item functions ---- */

static LLVMTypeRef wide_type(struct kl_lanes *l) { return kiln_lanes_type(l, l->e->map->i64); }

static LLVMValueRef wide_scalar(struct kl_lanes *l, LLVMValueRef x) {
  return kiln_lanes_splat(l, LLVMBuildZExtOrBitCast(l->e->b, x, l->e->map->i64, ""));
}

static LLVMValueRef id_of(struct kl_lanes *l, unsigned d, bool is_global) {
  LLVMValueRef id = LLVMBuildZExt(l->e->b, l->id[d], wide_type(l), "");
  return is_global ? LLVMBuildAdd(l->e->b, id, wide_scalar(l, l->e->ids.group_base[d]), "") : id;
}

/* Of a dimension that all lanes ask for; 0 from dimension 3 on. */
static LLVMValueRef id_by_dimension(struct kl_lanes *l, LLVMValueRef dimension, bool is_global) {
  LLVMValueRef result = LLVMConstNull(wide_type(l));
  for (unsigned d = 3; d-- > 0;) {
    LLVMValueRef number = LLVMConstInt(LLVMTypeOf(dimension), d, false);
    LLVMValueRef is = LLVMBuildICmp(l->e->b, LLVMIntEQ, dimension, number, "");
    result = LLVMBuildSelect(l->e->b, is, id_of(l, d, is_global), result, "");
  }
  return result;
}

static LLVMValueRef global_linear(struct kl_lanes *l) {
  struct kl_emit *e = l->e;
  LLVMValueRef all = LLVMConstNull(wide_type(l));
  for (unsigned d = 3; d-- > 0;) {
    LLVMValueRef id = LLVMBuildSub(e->b, id_of(l, d, true), wide_scalar(l, e->ids.global_offset[d]), "");
    all = LLVMBuildMul(e->b, all, wide_scalar(l, e->ids.global_size[d]), "");
    all = LLVMBuildAdd(e->b, all, id, "");
  }
  return all;
}

LLVMValueRef kiln_lanes_linear_query(struct kl_lanes *l, uint32_t i) {
  const struct kl_inst *inst = &l->e->f->inst[i];
  LLVMTypeRef type = kiln_lanes_type(l, kiln_map_type(l->e->map, LLVMTypeOf(inst->v)));
  LLVMValueRef all;
  if (inst->sub == KL_Q_GLOBAL_LINEAR_ID) all = global_linear(l);
  else
    all = id_by_dimension(l, kiln_emit_operand(l->e, kl_operand(l->e->f, i, 0)), inst->sub == KL_Q_GLOBAL_ID);
  return LLVMTypeOf(all) == type ? all : LLVMBuildTrunc(l->e->b, all, type, "");
}
