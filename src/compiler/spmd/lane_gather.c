/* Accesses with an address of its own for each lane. */
#include "compiler/spmd/lane_access.h"

#include <string.h>

LLVMValueRef kiln_lanes_intrinsic(struct kl_lanes *l, const char *name, LLVMTypeRef *types,
                                  unsigned num_types, LLVMValueRef *args, unsigned num_args) {
  unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
  LLVMValueRef fn = LLVMGetIntrinsicDeclaration(l->e->env->module, id, types, num_types);
  return LLVMBuildCall2(l->e->b, LLVMGlobalGetValueType(fn), fn, args, num_args, "");
}

LLVMValueRef kiln_lanes_number(struct kl_lanes *l, uint64_t x) {
  return LLVMConstInt(l->e->map->i32, x, false);
}

unsigned kiln_access_align(const struct kl_access *a, uint32_t k) {
  unsigned align = a->align == 0 ? 1 : a->align;
  while (a->offset[k] % (int64_t)align != 0) align /= 2;
  return align;
}

LLVMValueRef kiln_access_addresses(struct kl_lanes *l, const struct kl_access *a, uint32_t k) {
  LLVMValueRef all =
      a->base == NULL ? kiln_lanes_part(l, a->pointer, 0) : kiln_lanes_spread(l, a->base, a->shape.stride);
  LLVMValueRef offset = LLVMConstInt(l->e->map->i64, (uint64_t)a->offset[k], true);
  return a->offset[k] == 0 ? all : LLVMBuildGEP2(l->e->b, l->e->map->i8, all, &offset, 1, "");
}

static LLVMValueRef gather_from(struct kl_lanes *l, LLVMTypeRef part, LLVMValueRef from, unsigned align,
                                LLVMValueRef mask) {
  LLVMTypeRef types[] = {kiln_lanes_type(l, part), LLVMTypeOf(from)};
  LLVMValueRef args[] = {from, kiln_lanes_number(l, align), mask, LLVMGetPoison(types[0])};
  return kiln_lanes_intrinsic(l, "llvm.masked.gather", types, 2, args, 4);
}

/* Processors gather words: a byte or half word is cut out of the aligned word around it, which lies on the
 * same page. */
static LLVMValueRef gather_small(struct kl_lanes *l, LLVMTypeRef part, unsigned bits, LLVMValueRef from,
                                 LLVMValueRef mask) {
  LLVMBuilderRef b = l->e->b;
  LLVMTypeRef wide = kiln_lanes_type(l, l->e->map->i64), word = kiln_lanes_type(l, l->e->map->i32);
  LLVMValueRef three = kiln_lanes_splat(l, LLVMConstInt(l->e->map->i64, 3, false));
  LLVMValueRef within = LLVMBuildAnd(b, LLVMBuildPtrToInt(b, from, wide, ""), three, "");
  LLVMValueRef back = LLVMBuildNeg(b, within, "");
  LLVMValueRef start = LLVMBuildGEP2(b, l->e->map->i8, from, &back, 1, "");
  LLVMValueRef words = gather_from(l, l->e->map->i32, start, 4, mask);
  LLVMValueRef shift = LLVMBuildShl(b, LLVMBuildTrunc(b, within, word, ""),
                                    kiln_lanes_splat(l, LLVMConstInt(l->e->map->i32, 3, false)), "");
  LLVMTypeRef small = kiln_lanes_type(l, LLVMIntTypeInContext(l->e->env->context, bits));
  LLVMValueRef made = LLVMBuildTrunc(b, LLVMBuildLShr(b, words, shift, ""), small, "");
  return LLVMBuildBitCast(b, made, kiln_lanes_type(l, part), "");
}

static LLVMValueRef gather_one(struct kl_lanes *l, const struct kl_access *a, uint32_t k, LLVMValueRef mask) {
  LLVMValueRef from = kiln_access_addresses(l, a, k);
  unsigned align = kiln_access_align(a, k);
  if (a->size < 4 && align >= a->size)
    return gather_small(l, a->type[k], (unsigned)(8 * a->size), from, mask);
  return gather_from(l, a->type[k], from, align, mask);
}

static void scatter_one(struct kl_lanes *l, const struct kl_access *a, uint32_t k, LLVMValueRef mask,
                        LLVMValueRef value) {
  LLVMValueRef to = kiln_access_addresses(l, a, k);
  LLVMTypeRef types[] = {LLVMTypeOf(value), LLVMTypeOf(to)};
  LLVMValueRef args[] = {value, to, kiln_lanes_number(l, kiln_access_align(a, k)), mask};
  kiln_lanes_intrinsic(l, "llvm.masked.scatter", types, 2, args, 4);
}

/* ---- narrow components side by side, as words ---- */

static bool as_words(struct kl_lanes *l, const struct kl_access *a, struct kl_access *words) {
  *words = *a;
  if (a->size >= 4 || a->n * a->size % 4 != 0 || a->by_lane) return false;
  for (uint32_t k = 0; k < a->n; k++)
    if (a->offset[k] != (int64_t)(k * a->size)) return false;
  words->size = 4;
  words->n = (uint32_t)(a->n * a->size / 4);
  for (uint32_t k = 0; k < words->n; k++) {
    words->type[k] = l->e->map->i32;
    words->offset[k] = 4 * (int64_t)k;
  }
  return true;
}

static LLVMValueRef shift_of(struct kl_lanes *l, const struct kl_access *a, uint32_t k) {
  return kiln_lanes_splat(l, kiln_lanes_number(l, 8 * (k * a->size % 4)));
}

static LLVMTypeRef bits_of(struct kl_lanes *l, const struct kl_access *a) {
  return kiln_lanes_type(l, LLVMIntTypeInContext(l->e->env->context, (unsigned)(8 * a->size)));
}

static void split_words(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef *word,
                        LLVMValueRef *out) {
  for (uint32_t k = 0; k < a->n; k++) {
    LLVMValueRef x = LLVMBuildLShr(l->e->b, word[k * a->size / 4], shift_of(l, a, k), "");
    out[k] = LLVMBuildBitCast(l->e->b, LLVMBuildTrunc(l->e->b, x, bits_of(l, a), ""),
                              kiln_lanes_type(l, a->type[k]), "");
  }
}

static void join_words(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef *value,
                       LLVMValueRef *word) {
  LLVMTypeRef type = kiln_lanes_type(l, l->e->map->i32);
  for (uint32_t k = 0; k < a->n; k++) {
    LLVMValueRef x = LLVMBuildZExt(l->e->b, LLVMBuildBitCast(l->e->b, value[k], bits_of(l, a), ""), type, "");
    x = LLVMBuildShl(l->e->b, x, shift_of(l, a, k), "");
    bool first = k * a->size % 4 == 0;
    word[k * a->size / 4] = first ? x : LLVMBuildOr(l->e->b, word[k * a->size / 4], x, "");
  }
}

/* ---- all components ---- */

void kiln_access_gather(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask, bool rare,
                        LLVMValueRef *out) {
  struct kl_access words;
  LLVMValueRef word[KL_MOST_COMPONENTS];
  if (as_words(l, a, &words)) {
    kiln_access_gather(l, &words, mask, rare, word);
    split_words(l, a, word, out);
  } else if (rare || !kiln_access_load_lanes(l, a, mask, out)) {
    for (uint32_t k = 0; k < a->n; k++) out[k] = gather_one(l, a, k, mask);
  }
}

void kiln_access_scatter(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask, bool rare,
                         LLVMValueRef *value) {
  struct kl_access words;
  LLVMValueRef word[KL_MOST_COMPONENTS];
  if (as_words(l, a, &words)) {
    join_words(l, a, value, word);
    kiln_access_scatter(l, &words, mask, rare, word);
  } else if (rare || !kiln_access_store_lanes(l, a, mask, value)) {
    for (uint32_t k = 0; k < a->n; k++) scatter_one(l, a, k, mask, value[k]);
  }
}
