/* What the values of all lanes make together: as one, or in each lane what the lanes before it make. */
#include "compiler/spmd/combine.h"
#include "compiler/spmd/lanes.h"

LLVMValueRef kiln_lanes_neutral(struct kl_lanes *l, uint16_t sub, LLVMTypeRef type) {
  return kiln_lanes_splat(l, kiln_combine_identity(sub, type));
}

LLVMValueRef kiln_lanes_only(struct kl_lanes *l, LLVMValueRef v, LLVMValueRef mask, LLVMValueRef neutral) {
  return kiln_lanes_is_full(mask) ? v : LLVMBuildSelect(l->e->b, mask, v, neutral, "");
}

/* The intrinsic for integers. */
static const char *reduction(uint16_t sub) {
  bool is_unsigned = sub & KL_COMBINE_UNSIGNED;
  switch (sub >> KL_COMBINE_SHIFT & KL_COMBINE_MASK) {
  case KL_ADD:
    return "llvm.vector.reduce.add";
  case KL_MUL:
    return "llvm.vector.reduce.mul";
  case KL_AND:
  case KL_LOGICAL_AND:
    return "llvm.vector.reduce.and";
  case KL_OR:
  case KL_LOGICAL_OR:
    return "llvm.vector.reduce.or";
  case KL_XOR:
  case KL_LOGICAL_XOR:
    return "llvm.vector.reduce.xor";
  case KL_MAX:
    return is_unsigned ? "llvm.vector.reduce.umax" : "llvm.vector.reduce.smax";
  default:
    return is_unsigned ? "llvm.vector.reduce.umin" : "llvm.vector.reduce.smin";
  }
}

LLVMValueRef kiln_lanes_fold(struct kl_lanes *l, uint16_t sub, LLVMValueRef v) {
  LLVMTypeRef type = LLVMTypeOf(v);
  if (LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMIntegerTypeKind)
    return kiln_lanes_intrinsic(l, reduction(sub), &type, 1, &v, 1);
  for (unsigned n = l->width / 2; n > 0; n /= 2)
    v = kiln_combine_build(l->e->b, sub, kiln_lanes_some_of(l, v, 0, n), kiln_lanes_some_of(l, v, n, n));
  return LLVMBuildExtractElement(l->e->b, v, LLVMConstNull(l->e->map->i32), "");
}

LLVMValueRef kiln_lanes_shift_up(struct kl_lanes *l, LLVMValueRef v, LLVMValueRef neutral, unsigned by) {
  LLVMValueRef pick[KL_MOST_LANES];
  for (unsigned i = 0; i < l->width; i++)
    pick[i] = LLVMConstInt(l->e->map->i32, i < by ? l->width : i - by, false);
  return LLVMBuildShuffleVector(l->e->b, v, neutral, LLVMConstVector(pick, l->width), "");
}

LLVMValueRef kiln_lanes_up_to(struct kl_lanes *l, uint16_t sub, LLVMValueRef v, LLVMValueRef neutral) {
  for (unsigned by = 1; by < l->width; by *= 2)
    v = kiln_lanes_fence(l, kiln_combine_build(l->e->b, sub, kiln_lanes_shift_up(l, v, neutral, by), v));
  return v;
}

LLVMValueRef kiln_lanes_before(struct kl_lanes *l, uint16_t sub, LLVMValueRef v, LLVMValueRef neutral) {
  return kiln_lanes_up_to(l, sub, kiln_lanes_shift_up(l, v, neutral, 1), neutral);
}

/* ---- lanes counted ---- */

static LLVMTypeRef i32s(struct kl_lanes *l, unsigned n) { return LLVMVectorType(l->e->map->i32, n); }

static LLVMValueRef numbers(struct kl_lanes *l, unsigned n) {
  LLVMValueRef number[KL_MOST_LANES];
  for (unsigned i = 0; i < n; i++) number[i] = LLVMConstInt(l->e->map->i32, i, false);
  return LLVMConstVector(number, n);
}

enum { SPREAD = 16 /* lanes that one instruction serves */ };

/* 0, 1, 2... in turn for the lanes first to first + 15 that are on, after all that are on before them. */
static LLVMValueRef spread(struct kl_lanes *l, LLVMValueRef mask, unsigned first) {
  LLVMBuilderRef b = l->e->b;
  LLVMTypeRef type = i32s(l, SPREAD);
  LLVMValueRef args[] = {numbers(l, SPREAD), LLVMConstNull(type), kiln_lanes_some_of(l, mask, first, SPREAD)};
  LLVMValueRef made = kiln_lanes_intrinsic(l, "llvm.x86.avx512.mask.expand", &type, 1, args, 3);
  if (first == 0) return made;
  LLVMTypeRef word = LLVMIntTypeInContext(l->e->env->context, first);
  LLVMValueRef bits = LLVMBuildBitCast(b, kiln_lanes_some_of(l, mask, 0, first), word, ""),
               old = LLVMGetPoison(type);
  LLVMValueRef before = kiln_lanes_intrinsic(l, "llvm.ctpop", &word, 1, &bits, 1);
  before = LLVMBuildIntCast2(b, before, l->e->map->i32, false, "");
  before = LLVMBuildInsertElement(b, old, before, LLVMConstNull(l->e->map->i32), "");
  return LLVMBuildAdd(b, made, LLVMBuildShuffleVector(b, before, old, LLVMConstNull(type), ""), "");
}

LLVMValueRef kiln_lanes_count_before(struct kl_lanes *l, LLVMValueRef mask) {
  LLVMValueRef part[KL_MOST_LANES / SPREAD];
  unsigned parts = l->width / SPREAD;
  if (kiln_lanes_is_full(mask)) return kiln_lanes_numbers(l);
  if (!l->e->program->deposits || l->width % SPREAD != 0) {
    LLVMTypeRef byte = l->e->map->i8; /* in which all counts have room, in a quarter of the registers */
    LLVMValueRef one = LLVMBuildZExt(l->e->b, mask, kiln_lanes_type(l, byte), "");
    const uint16_t add = KL_ADD << KL_COMBINE_SHIFT;
    LLVMValueRef before = kiln_lanes_before(l, add, one, kiln_lanes_neutral(l, add, byte));
    return LLVMBuildZExt(l->e->b, before, i32s(l, l->width), "");
  }
  for (unsigned k = 0; k < parts; k++) part[k] = spread(l, mask, k * SPREAD);
  for (unsigned n = SPREAD; parts > 1; parts /= 2, n *= 2)
    for (unsigned k = 0; k < parts / 2; k++)
      part[k] = LLVMBuildShuffleVector(l->e->b, part[2 * k], part[2 * k + 1], numbers(l, 2 * n), "");
  return part[0];
}
