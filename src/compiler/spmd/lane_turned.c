/* Rows whose lanes change places; see lane_turned.h. */
#include "compiler/spmd/lane_turned.h"

static bool is_row(struct kl_lanes *l, uint32_t v) {
  const struct kl_shape shape = kiln_lanes_shape(l, v);
  return shape.kind == KL_STRIDED && shape.stride == 1 && !shape.uneven;
}

bool kiln_turned_find(struct kl_lanes *l, const struct kl_access *a, struct kl_turned *t) {
  const struct kl_func *f = l->e->f;
  struct kl_index x;
  if (a->n != 1 || a->by_lane || a->size < 4 || l->map->rows != 1 || l->e->program->native < 8 ||
      !kiln_access_has_index(l, a, &x) || x.nshared + x.nbeyond != 0 || f->inst[x.value].op != LLVMXor ||
      kiln_map_size(l->e->map, kiln_map_type(l->e->map, x.element)) != a->size)
    return false;
  const uint32_t k = is_row(l, kl_operand(f, x.value, 0)) ? 0 : 1, row = kl_operand(f, x.value, k),
                 bits = kl_operand(f, x.value, 1 - k);
  if (!is_row(l, row) || kiln_lanes_shape(l, bits).kind != KL_UNIFORM) return false;
  *t = (struct kl_turned){.first = kiln_lanes_row_scalar(l, row, 0),
                          .bits = kiln_emit_operand(l->e, bits),
                          .base = kiln_emit_operand(l->e, x.base_of),
                          .element = x.element,
                          .is_signed = x.is_signed};
  return true;
}

static LLVMValueRef number(const struct kl_turned *t, uint64_t n) {
  return LLVMConstInt(LLVMTypeOf(t->bits), n, true);
}

LLVMValueRef kiln_turned_fits(struct kl_lanes *l, const struct kl_turned *t) {
  LLVMValueRef low = LLVMBuildAnd(l->e->b, t->first, number(t, l->width - 1), "");
  return LLVMBuildICmp(l->e->b, LLVMIntEQ, low, number(t, 0), "");
}

static LLVMValueRef row_of(struct kl_lanes *l, const struct kl_turned *t) {
  LLVMBuilderRef b = l->e->b;
  LLVMValueRef at = LLVMBuildXor(b, t->first, t->bits, "");
  at = LLVMBuildAnd(b, at, number(t, ~(uint64_t)(l->width - 1)), "");
  at = LLVMBuildIntCast2(b, at, l->e->map->i64, t->is_signed, "");
  return LLVMBuildGEP2(b, kiln_map_type(l->e->map, t->element), t->base, &at, 1, "");
}

/* For each bit of a lane's number lanes change places, or not. */
static LLVMValueRef network(struct kl_lanes *l, const struct kl_turned *t, LLVMValueRef v) {
  LLVMBuilderRef b = l->e->b;
  LLVMValueRef bits = kiln_lanes_splat(l, LLVMBuildIntCast2(b, t->bits, l->e->map->i32, false, ""));
  int from[KL_MOST_LANES];
  for (unsigned bit = 1; bit < l->width; bit *= 2) {
    for (unsigned i = 0; i < l->width; i++) from[i] = (int)(i ^ bit);
    LLVMValueRef is = LLVMBuildAnd(b, bits, kiln_lanes_splat(l, kiln_lanes_number(l, bit)), "");
    is = LLVMBuildICmp(b, LLVMIntNE, is, LLVMConstNull(LLVMTypeOf(is)), "");
    v = LLVMBuildSelect(b, is, kiln_access_shuffle(l, v, NULL, from, l->width), v, "");
  }
  return v;
}

/* Numbers of the lanes, turned: of 32 bits. */
static LLVMValueRef turned_numbers(struct kl_lanes *l, const struct kl_turned *t) {
  LLVMBuilderRef b = l->e->b;
  LLVMValueRef bits = LLVMBuildIntCast2(b, t->bits, l->e->map->i32, false, "");
  bits = LLVMBuildAnd(b, bits, kiln_lanes_number(l, l->width - 1), "");
  return LLVMBuildXor(b, kiln_lanes_splat(l, bits), kiln_lanes_numbers(l), "");
}

/* Lane i gets what lane i ^ bits has. */
static LLVMValueRef turn(struct kl_lanes *l, const struct kl_turned *t, LLVMValueRef v) {
  LLVMValueRef made;
  return kiln_lanes_permute(l, v, turned_numbers(l, t), &made) ? made : network(l, t, v);
}

/* As numbers of so many bytes: truth values are shuffled so anyway. */
static LLVMValueRef turn_mask(struct kl_lanes *l, const struct kl_turned *t, LLVMValueRef mask,
                              uint64_t size) {
  if (kiln_lanes_is_full(mask)) return mask;
  LLVMTypeRef type = kiln_lanes_type(l, LLVMIntTypeInContext(l->e->env->context, (unsigned)(8 * size)));
  LLVMValueRef turned = turn(l, t, LLVMBuildSExt(l->e->b, mask, type, ""));
  return LLVMBuildICmp(l->e->b, LLVMIntSLT, turned, LLVMConstNull(type), "");
}

LLVMValueRef kiln_turned_load(struct kl_lanes *l, const struct kl_access *a, const struct kl_turned *t,
                              LLVMValueRef mask) {
  LLVMValueRef row = kiln_lanes_load_row(l, a->type[0], row_of(l, t), kiln_access_align(a, 0),
                                         turn_mask(l, t, mask, a->size));
  return turn(l, t, row);
}

void kiln_turned_store(struct kl_lanes *l, const struct kl_access *a, const struct kl_turned *t,
                       LLVMValueRef mask, LLVMValueRef value) {
  kiln_lanes_store_row(l, turn(l, t, value), row_of(l, t), kiln_access_align(a, 0),
                       turn_mask(l, t, mask, a->size));
}
