/* Walks a few steps along uses and operands; see near.h. */
#include "compiler/spmd/near.h"

enum { FEW_STEPS = 6, FEW_USES = 4, MOST_DEPTH = 8 /* of operations in a loop on what stands outside */ };

static uint32_t end_of_uses(const struct kl_uses *uses, uint32_t value) {
  const uint32_t first = uses->first[value], end = uses->first[value + 1];
  return end > first + FEW_USES ? first + FEW_USES : end;
}

struct search {
  const struct kl_func *f;
  const struct kl_uses *uses;
  struct kl_map *map;
  int64_t unit;
};

static int64_t unit_of(const struct search *s, uint32_t access, bool is_offset) {
  LLVMTypeRef type = kiln_map_type(s->map, LLVMTypeOf(s->f->inst[kl_moved_by(s->f, access)].v));
  return is_offset ? (int64_t)kiln_map_size(s->map, type) : 1;
}

static uint32_t find_access(struct search *s, uint32_t value, unsigned steps, bool is_offset) {
  const uint32_t end = end_of_uses(s->uses, value);
  for (uint32_t k = s->uses->first[value]; k < end && steps > 0; k++) {
    uint32_t user = s->uses->at[k], access = KL_NONE;
    const struct kl_inst *inst = &s->f->inst[user];
    if (inst->op == LLVMLoad || (inst->op == LLVMStore && kl_operand(s->f, user, 1) == value)) {
      s->unit = unit_of(s, user, is_offset);
      return user;
    }
    if (inst->op == LLVMGetElementPtr) {
      LLVMTypeRef element = LLVMGetGEPSourceElementType(inst->v);
      bool bytes = LLVMGetTypeKind(element) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(element) == 8;
      access = find_access(s, user, steps - 1, is_offset && bytes);
    } else if (inst->op == LLVMSExt || inst->op == LLVMZExt || inst->op == LLVMAdd) {
      access = find_access(s, user, steps - 1, is_offset);
    }
    if (access != KL_NONE) return access;
  }
  return KL_NONE;
}

uint32_t kiln_near_access(const struct kl_func *f, const struct kl_uses *uses, struct kl_map *map,
                          uint32_t value, int64_t *unit_out) {
  struct search s = {f, uses, map, 1};
  const uint32_t access = find_access(&s, value, FEW_STEPS, true);
  *unit_out = s.unit;
  return access;
}

static bool makes_address(const struct kl_func *f, const struct kl_uses *uses, uint32_t value,
                          unsigned steps) {
  const uint32_t end = end_of_uses(uses, value);
  for (uint32_t k = uses->first[value]; k < end && steps > 0; k++) {
    const uint32_t user = uses->at[k];
    switch (f->inst[user].op) {
    case LLVMGetElementPtr:
      return true;
    case LLVMSExt:
    case LLVMZExt:
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
      if (makes_address(f, uses, user, steps - 1)) return true;
    }
  }
  return false;
}

bool kiln_near_address(const struct kl_func *f, const struct kl_uses *uses, uint32_t value) {
  return makes_address(f, uses, value, FEW_STEPS);
}

static bool is_steady(const struct kl_func *f, const struct kiln_loops *loops, uint32_t v, uint32_t loop,
                      int depth) {
  const struct kl_inst *inst = &f->inst[v];
  if (inst->bb == KL_NONE || !kiln_loops_contain(loops, loop, inst->bb)) return true;
  const bool is_plain =
      LLVMIsABinaryOperator(inst->v) || LLVMIsACastInst(inst->v) || LLVMIsAGetElementPtrInst(inst->v);
  if (depth == 0 || !is_plain) return false;
  for (uint32_t k = 0; k < inst->nops; k++)
    if (!is_steady(f, loops, kl_operand(f, v, k), loop, depth - 1)) return false;
  return true;
}

bool kiln_is_steady(const struct kl_func *f, const struct kiln_loops *loops, uint32_t value, uint32_t loop) {
  return is_steady(f, loops, value, loop, MOST_DEPTH);
}

static bool comes_from_memory(const struct kl_func *f, uint32_t value, unsigned steps) {
  const struct kl_inst *inst = &f->inst[value];
  if (inst->op == LLVMLoad || (inst->op == LLVMCall && !kiln_call_is_pure(inst->v))) return true;
  if (steps == 0 || inst->op == LLVMPHI || inst->bb == KL_NONE) return false;
  for (uint32_t k = 0; k < inst->nops; k++)
    if (comes_from_memory(f, kl_operand(f, value, k), steps - 1)) return true;
  return false;
}

bool kiln_near_load(const struct kl_func *f, uint32_t value) {
  return comes_from_memory(f, value, FEW_STEPS);
}
