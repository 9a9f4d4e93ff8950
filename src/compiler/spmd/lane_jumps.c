/* Owns what is known of checks that fail again and again; see lane_jumps.h. Must not know costs. */
#include "compiler/spmd/lane_jumps.h"

enum { SEARCH_DEPTH = 8 };

static bool is_masked(const struct kl_func *f, const struct kl_shapes *shapes, uint32_t value) {
  const struct kl_inst *inst = &f->inst[value];
  if (inst->op != LLVMAnd && inst->op != LLVMOr && inst->op != LLVMXor) return false;
  for (uint32_t k = 0; k < inst->nops; k++) {
    uint32_t v = kl_operand(f, value, k), block = f->inst[v].bb;
    bool changes = block != KL_NONE && shapes->uniform.loops.of[block] != KL_NONE;
    if (changes && shapes->of[v].kind == KL_UNIFORM) return true;
  }
  return false;
}

/* 0: the value is no constant remainder. */
static uint64_t remainder_of(const struct kl_func *f, uint32_t value) {
  const struct kl_inst *inst = &f->inst[value];
  if (inst->op != LLVMSRem && inst->op != LLVMURem && inst->op != LLVMAnd) return 0;
  LLVMValueRef by = f->inst[kl_operand(f, value, 1)].v;
  uint64_t n = LLVMIsAConstantInt(by) != NULL ? LLVMConstIntGetZExtValue(by) : 0;
  return inst->op == LLVMAnd && n != 0 ? ((n & (n + 1)) == 0 ? n + 1 : 0) : n;
}

/* The lesser or greater of two values, one of them chosen otherwise, or a remainder by an unknown number. */
static bool is_bound(const struct kl_func *f, const struct kl_shapes *shapes, uint32_t value) {
  const struct kl_inst *inst = &f->inst[value];
  if (inst->op == LLVMSelect) return true;
  if (inst->op == LLVMSRem || inst->op == LLVMURem) return remainder_of(f, value) == 0;
  if (inst->op == LLVMPHI) return kiln_shape_is_looked_at(shapes, f, value);
  return kiln_shape_extremum(inst) != 0;
}

static void look(const struct kl_func *f, const struct kl_shapes *shapes, uint32_t value, unsigned depth,
                 struct kl_jumps *out) {
  if (depth == SEARCH_DEPTH || shapes->of[value].kind != KL_VARYING ||
      shapes->checked[value].kind == KL_VARYING)
    return;
  out->is_segmented |= is_masked(f, shapes, value);
  if (out->period == 0) out->period = remainder_of(f, value);
  out->ends += is_bound(f, shapes, value);
  const uint32_t step = f->inst[value].op == LLVMPHI ? 2 : 1;
  for (uint32_t k = 0; k < f->inst[value].nops; k += step)
    look(f, shapes, kl_operand(f, value, k), depth + 1, out);
}

struct kl_jumps kiln_jumps_find(const struct kl_func *f, const struct kl_shapes *shapes, uint32_t value) {
  struct kl_jumps jumps = {0};
  look(f, shapes, value, 0, &jumps);
  return jumps;
}
