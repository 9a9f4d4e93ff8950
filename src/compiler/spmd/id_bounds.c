/* See id_bounds.h. */
#include "compiler/spmd/id_bounds.h"

/* By value: computed of ids and of what all lanes share, without a look at memory. */
static bool *find_of_ids(const struct kl_lane_costs *in, const struct kl_shapes *shapes) {
  const struct kl_func *f = in->f;
  bool *of_ids = kl_new(in->env, f->nvalue, bool);
  for (uint32_t v = 0; v < f->nvalue; v++) {
    const struct kl_inst *inst = &f->inst[v];
    of_ids[v] = shapes->of[v].kind != KL_VARYING;
    if (of_ids[v] || inst->op == LLVMLoad || inst->op == LLVMPHI || inst->nops == 0) continue;
    of_ids[v] = true;
    for (uint32_t k = 0; k < inst->nops; k++) {
      const uint32_t operand = kl_operand(f, v, k);
      of_ids[v] &= f->inst[operand].op == KL_CONST || of_ids[operand];
    }
  }
  return of_ids;
}

enum {
  CONDITIONS = 8, /* joined by and, or */
  FEW_VECTORS = 2 /* of a group's row */
};

/* Computed of what a loop changes from turn to turn. */
static bool is_carried(const struct kl_func *f, uint32_t value, unsigned depth) {
  const struct kl_inst *inst = &f->inst[value];
  if (inst->op == LLVMPHI) return true;
  for (uint32_t k = 0; k < inst->nops && depth < CONDITIONS && inst->op != LLVMLoad; k++)
    if (is_carried(f, kl_operand(f, value, k), depth + 1)) return true;
  return false;
}

/* A bound that goes through the row of a group, as in triangular systems: in short rows it lies within a
 * vector as often as not. */
static bool moves(const struct kl_lane_costs *in, const struct kl_shapes *shapes, uint32_t comparison) {
  const uint32_t size = in->local_size[shapes->map.along];
  return size != 0 && size <= FEW_VECTORS * shapes->map.width && is_carried(in->f, comparison, 0);
}

/* Ids within bounds: most vectors lie on one side of them. */
static bool is_bound(const struct kl_lane_costs *in, const struct kl_shapes *shapes, const bool *of_ids,
                     uint32_t condition, unsigned depth) {
  const struct kl_inst *inst = &in->f->inst[condition];
  if (shapes->of[condition].kind == KL_UNIFORM) return true;
  if (inst->op == LLVMICmp) {
    const LLVMIntPredicate predicate = LLVMGetICmpPredicate(inst->v);
    if (predicate == LLVMIntEQ || predicate == LLVMIntNE)
      return shapes->of[kl_operand(in->f, condition, 0)].kind != KL_VARYING &&
             shapes->of[kl_operand(in->f, condition, 1)].kind != KL_VARYING;
  }
  if (inst->op == LLVMICmp || inst->op == LLVMFCmp) return of_ids[condition] && !moves(in, shapes, condition);
  if (inst->op != LLVMAnd && inst->op != LLVMOr && inst->op != LLVMXor && inst->op != LLVMSelect)
    return false;
  for (uint32_t k = 0; k < inst->nops && depth < CONDITIONS; k++)
    if (!is_bound(in, shapes, of_ids, kl_operand(in->f, condition, k), depth + 1)) return false;
  return depth < CONDITIONS;
}

bool *kiln_id_bounds_find(const struct kl_lane_costs *in, const struct kl_shapes *shapes) {
  const struct kl_func *f = in->f;
  const bool *of_ids = find_of_ids(in, shapes);
  bool *bounds = kl_new(in->env, f->graph.n, bool);
  for (uint32_t b = 0; b < f->graph.n; b++)
    if (kiln_uniform_is_divergent(&shapes->uniform, f, b))
      bounds[b] = is_bound(in, shapes, of_ids, kl_operand(f, kl_last_of(f, b), 0), 0);
  return bounds;
}
