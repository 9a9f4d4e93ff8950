/* Work-item functions, address space tests, and loads from the launch and worker blocks. */
#include "compiler/spmd/emit.h"

#include "base/abi.h"

LLVMValueRef kiln_emit_index(struct kl_emit *e, uint64_t x) { return LLVMConstInt(e->ids.type, x, false); }

/* ---- loads that hold for the whole call ---- */

static LLVMValueRef load_once(struct kl_emit *e, LLVMValueRef base, size_t offset, LLVMTypeRef type) {
  LLVMValueRef made = LLVMBuildLoad2(e->setup, type, kiln_emit_at(e, e->setup, base, offset), "");
  LLVMSetMetadata(made, LLVMGetMDKindIDInContext(e->env->context, "invariant.load", 14),
                  LLVMMetadataAsValue(e->env->context, LLVMMDNodeInContext2(e->env->context, NULL, 0)));
  return made;
}

LLVMValueRef kiln_emit_load_launch(struct kl_emit *e, size_t offset, LLVMTypeRef type) {
  return load_once(e, e->launch, offset, type);
}

LLVMValueRef kiln_emit_load_worker(struct kl_emit *e, size_t offset, LLVMTypeRef type) {
  return load_once(e, e->worker, offset, type);
}

/* ---- ids ---- */

/* The low half of a 64-bit field is enough when all numbers are small. */
static LLVMValueRef load_size(struct kl_emit *e, size_t offset, bool is_32_bits) {
  LLVMTypeRef type = is_32_bits ? e->map->i32 : e->ids.type;
  LLVMValueRef x = kiln_emit_load_launch(e, offset, type);
  return type == e->ids.type ? x : LLVMBuildZExt(e->setup, x, e->ids.type, "");
}

void kiln_emit_launch_ids(struct kl_emit *e) {
  e->ids.work_dim = kiln_emit_load_launch(e, offsetof(struct kiln_launch, work_dim), e->map->i32);
  for (unsigned d = 0; d < 3; d++) {
    e->ids.global_offset[d] = load_size(e, offsetof(struct kiln_launch, global_offset) + 8 * d, false);
    e->ids.global_size[d] = load_size(e, offsetof(struct kiln_launch, global_size) + 8 * d, false);
    e->ids.num_groups[d] = load_size(e, offsetof(struct kiln_launch, num_groups) + 8 * d, false);
    e->ids.enqueued_size[d] = load_size(e, offsetof(struct kiln_launch, local_size) + 4 * d, true);
  }
}

static LLVMValueRef add_index(struct kl_emit *e, LLVMValueRef a, LLVMValueRef b) {
  LLVMValueRef sum = LLVMBuildAdd(e->b, a, b, "");
  if (LLVMIsAInstruction(sum)) {
    LLVMSetNUW(sum, true);
    LLVMSetNSW(sum, e->ids.type == e->map->i32);
  }
  return sum;
}

static LLVMValueRef mul_index(struct kl_emit *e, LLVMValueRef a, LLVMValueRef b) {
  LLVMValueRef product = LLVMBuildMul(e->b, a, b, "");
  if (LLVMIsAInstruction(product)) LLVMSetNUW(product, true);
  return product;
}

LLVMValueRef kiln_emit_global_id(struct kl_emit *e, unsigned d) {
  return add_index(e, e->ids.group_base[d], e->ids.local_id[d]);
}

static LLVMValueRef one_dimension(struct kl_emit *e, unsigned query, unsigned d) {
  switch (query) {
  case KL_Q_GLOBAL_ID:
    return kiln_emit_global_id(e, d);
  case KL_Q_LOCAL_ID:
    return e->ids.local_id[d];
  case KL_Q_GROUP_ID:
    return e->ids.group_id[d];
  case KL_Q_GLOBAL_SIZE:
    return e->ids.global_size[d];
  case KL_Q_LOCAL_SIZE:
    return e->ids.local_size[d];
  case KL_Q_ENQUEUED_LOCAL_SIZE:
    return e->ids.enqueued_size[d];
  case KL_Q_NUM_GROUPS:
    return e->ids.num_groups[d];
  default:
    return e->ids.global_offset[d];
  }
}

/* Dimensions from 3 on answer 1 for sizes and 0 for the rest; those from work_dim to 2 do so by their values.
 */
static LLVMValueRef by_dimension(struct kl_emit *e, unsigned query, LLVMValueRef dimension) {
  LLVMValueRef result = kiln_emit_index(e, kl_is_size(query));
  if (LLVMIsAConstantInt(dimension)) {
    uint64_t d = LLVMConstIntGetZExtValue(dimension);
    return d < 3 ? one_dimension(e, query, (unsigned)d) : result;
  }
  for (unsigned d = 3; d-- > 0;) {
    LLVMValueRef is =
        LLVMBuildICmp(e->b, LLVMIntEQ, dimension, LLVMConstInt(LLVMTypeOf(dimension), d, false), "");
    result = LLVMBuildSelect(e->b, is, one_dimension(e, query, d), result, "");
  }
  return result;
}

static LLVMValueRef widen(struct kl_emit *e, LLVMValueRef x) {
  if (LLVMTypeOf(x) == e->map->i64) return x;
  LLVMValueRef wide = LLVMBuildZExt(e->b, x, e->map->i64, "");
  if (LLVMIsAZExtInst(wide)) LLVMSetNNeg(wide, true);
  return wide;
}

/* (z * size_y + y) * size_x + x in 64 bits: three dimensions of 2^31 overflow anything less. */
static LLVMValueRef linear(struct kl_emit *e, const LLVMValueRef id[3], const LLVMValueRef size[3]) {
  LLVMValueRef z = mul_index(e, widen(e, id[2]), widen(e, size[1]));
  LLVMValueRef y = LLVMBuildAdd(e->b, z, widen(e, id[1]), "");
  return LLVMBuildAdd(e->b, mul_index(e, y, widen(e, size[0])), widen(e, id[0]), "");
}

static LLVMValueRef global_linear(struct kl_emit *e) {
  LLVMValueRef id[3];
  for (unsigned d = 0; d < 3; d++)
    id[d] = LLVMBuildSub(e->b, kiln_emit_global_id(e, d), e->ids.global_offset[d], "");
  return linear(e, id, e->ids.global_size);
}

static LLVMValueRef product(struct kl_emit *e, const LLVMValueRef size[3]) {
  LLVMValueRef n = widen(e, size[0]);
  for (unsigned d = 1; d < 3; d++) n = mul_index(e, n, widen(e, size[d]));
  return n;
}

LLVMValueRef kiln_emit_local_linear(struct kl_emit *e) {
  return e->ids.linear != NULL ? widen(e, e->ids.linear) : linear(e, e->ids.local_id, e->ids.local_size);
}

/* ---- sub-groups: in linear order, all of e->sub_group work-items but the last of a group ---- */

static LLVMValueRef number(struct kl_emit *e, uint64_t x) { return LLVMConstInt(e->map->i64, x, false); }

static LLVMValueRef count_sub_groups(struct kl_emit *e, LLVMValueRef items) {
  LLVMValueRef more = LLVMBuildAdd(e->b, items, number(e, e->sub_group - 1), "");
  return LLVMBuildUDiv(e->b, more, number(e, e->sub_group), "");
}

/* A vector of lanes is a sub-group, which its lane 0 begins. */
static LLVMValueRef sub_group_local_id(struct kl_emit *e) {
  if (e->lanes == e->sub_group) return number(e, 0);
  return LLVMBuildAnd(e->b, kiln_emit_local_linear(e), number(e, e->sub_group - 1), "");
}

static LLVMValueRef sub_group_size(struct kl_emit *e) {
  LLVMValueRef first =
      LLVMBuildAnd(e->b, kiln_emit_local_linear(e), number(e, ~(uint64_t)(e->sub_group - 1)), "");
  LLVMValueRef left = LLVMBuildSub(e->b, product(e, e->ids.local_size), first, "");
  LLVMValueRef all = number(e, e->sub_group);
  return LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntULT, left, all, ""), left, all, "");
}

static LLVMValueRef of_sub_group(struct kl_emit *e, unsigned query) {
  switch (query) {
  case KL_Q_SUB_GROUP_ID:
    return LLVMBuildUDiv(e->b, kiln_emit_local_linear(e), number(e, e->sub_group), "");
  case KL_Q_SUB_GROUP_LOCAL_ID:
    return sub_group_local_id(e);
  case KL_Q_SUB_GROUP_SIZE:
    return sub_group_size(e);
  case KL_Q_NUM_SUB_GROUPS:
    return count_sub_groups(e, product(e, e->ids.local_size));
  case KL_Q_ENQUEUED_NUM_SUB_GROUPS:
    return count_sub_groups(e, product(e, e->ids.enqueued_size));
  default:
    return number(e, e->sub_group);
  }
}

static LLVMValueRef without_dimension(struct kl_emit *e, unsigned query) {
  switch (query) {
  case KL_Q_WORK_DIM:
    return e->ids.work_dim;
  case KL_Q_GLOBAL_LINEAR_ID:
    return global_linear(e);
  case KL_Q_LOCAL_LINEAR_ID:
    return kiln_emit_local_linear(e);
  default:
    return of_sub_group(e, query);
  }
}

void kiln_emit_query(struct kl_emit *e, uint32_t i) {
  const struct kl_inst *inst = &e->f->inst[i];
  LLVMValueRef result;
  if (inst->sub >= KL_Q_WORK_DIM) result = without_dimension(e, inst->sub);
  else result = widen(e, by_dimension(e, inst->sub, kiln_emit_operand(e, kl_operand(e->f, i, 0))));
  LLVMTypeRef type = kiln_map_type(e->map, LLVMTypeOf(inst->v)); /* size_t; 32 bits on small targets */
  kiln_emit_define(e, i, LLVMTypeOf(result) == type ? result : LLVMBuildTrunc(e->b, result, type, ""));
}

/* ---- address spaces of generic pointers: known ranges per worker ---- */

static LLVMValueRef is_in(struct kl_emit *e, LLVMValueRef p, size_t base_at, size_t size_at) {
  LLVMValueRef base =
      LLVMBuildPtrToInt(e->b, kiln_emit_load_worker(e, base_at, e->map->ptr), e->map->i64, "");
  LLVMValueRef offset = LLVMBuildSub(e->b, LLVMBuildPtrToInt(e->b, p, e->map->i64, ""), base, "");
  return LLVMBuildICmp(e->b, LLVMIntULT, offset, kiln_emit_load_worker(e, size_at, e->map->i64), "");
}

void kiln_emit_space_test(struct kl_emit *e, uint32_t i) {
  const struct kl_inst *inst = &e->f->inst[i];
  LLVMValueRef p = kiln_emit_operand(e, kl_operand(e->f, i, 0)), null = LLVMConstNull(e->map->ptr);
  LLVMValueRef local =
      is_in(e, p, offsetof(struct kiln_worker, local), offsetof(struct kiln_worker, local_size));
  LLVMValueRef priv =
      is_in(e, p, offsetof(struct kiln_worker, arena), offsetof(struct kiln_worker, arena_size));
  LLVMValueRef result;
  if (inst->sub == KL_TO_LOCAL) result = LLVMBuildSelect(e->b, local, p, null, "");
  else if (inst->sub == KL_TO_PRIVATE) result = LLVMBuildSelect(e->b, priv, p, null, "");
  else if (inst->sub == KL_TO_GLOBAL)
    result = LLVMBuildSelect(e->b, LLVMBuildOr(e->b, local, priv, ""), null, p, "");
  else /* CLK_LOCAL_MEM_FENCE 1, CLK_GLOBAL_MEM_FENCE 2; private memory needs neither */
    result = LLVMBuildSelect(e->b, local, LLVMConstInt(e->map->i32, 1, false),
                             LLVMConstInt(e->map->i32, 2, false), "");
  kiln_emit_define(e, i, result);
}
