/* Components side by side together: narrow ones as words of 32 bits, what processors load, gather and take
 * apart best, and words in pairs of 64 bits: gathers and scatters take their time for each element. */
#include "compiler/spmd/lane_access.h"

bool kiln_access_as_words(struct kl_lanes *l, const struct kl_access *a, struct kl_access *words) {
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

void kiln_words_split(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef *word, LLVMValueRef *out) {
  for (uint32_t k = 0; k < a->n; k++) {
    LLVMValueRef x = LLVMBuildLShr(l->e->b, word[k * a->size / 4], shift_of(l, a, k), "");
    out[k] = LLVMBuildBitCast(l->e->b, LLVMBuildTrunc(l->e->b, x, bits_of(l, a), ""),
                              kiln_lanes_type(l, a->type[k]), "");
  }
}

/* The fourth component of a vector of three is nobody's, and may be anything: the others must not become so.
 */
void kiln_words_join(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef *value, LLVMValueRef *word) {
  LLVMTypeRef type = kiln_lanes_type(l, l->e->map->i32);
  for (uint32_t k = 0; k < a->n; k++) {
    LLVMValueRef defined = LLVMBuildFreeze(l->e->b, value[k], "");
    LLVMValueRef x = LLVMBuildZExt(l->e->b, LLVMBuildBitCast(l->e->b, defined, bits_of(l, a), ""), type, "");
    x = LLVMBuildShl(l->e->b, x, shift_of(l, a, k), "");
    bool first = k * a->size % 4 == 0;
    word[k * a->size / 4] = first ? x : LLVMBuildOr(l->e->b, word[k * a->size / 4], x, "");
  }
}

/* ---- pairs of words ---- */

bool kiln_access_as_pairs(struct kl_lanes *l, const struct kl_access *a, struct kl_access *pairs) {
  *pairs = *a;
  if (a->size != 4 || a->n % 2 != 0 || a->by_lane) return false;
  for (uint32_t k = 0; k < a->n; k += 2)
    if (a->offset[k + 1] != a->offset[k] + 4) return false;
  pairs->size = 8;
  pairs->n = a->n / 2;
  for (uint32_t k = 0; k < pairs->n; k++) {
    pairs->type[k] = l->e->map->i64;
    pairs->offset[k] = a->offset[2 * k];
  }
  return true;
}

static LLVMValueRef shuffle(struct kl_lanes *l, LLVMValueRef x, LLVMValueRef y, const unsigned *of,
                            unsigned n) {
  LLVMValueRef number[2 * KL_MOST_LANES];
  for (unsigned i = 0; i < n; i++) number[i] = kiln_lanes_number(l, of[i]);
  return LLVMBuildShuffleVector(l->e->b, x, y, LLVMConstVector(number, n), "");
}

static LLVMValueRef every_second(struct kl_lanes *l, LLVMValueRef words, unsigned first) {
  unsigned of[KL_MOST_LANES];
  for (unsigned i = 0; i < l->width; i++) of[i] = 2 * i + first;
  return shuffle(l, words, LLVMGetPoison(LLVMTypeOf(words)), of, l->width);
}

static LLVMValueRef in_turn(struct kl_lanes *l, LLVMValueRef x, LLVMValueRef y) {
  unsigned of[2 * KL_MOST_LANES];
  for (unsigned i = 0; i < 2 * l->width; i++) of[i] = i / 2 + i % 2 * l->width;
  return shuffle(l, x, y, of, 2 * l->width);
}

void kiln_pairs_split(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef *pair, LLVMValueRef *out) {
  LLVMTypeRef words = LLVMVectorType(l->e->map->i32, 2 * l->width);
  for (uint32_t k = 0; k < a->n; k++) {
    LLVMValueRef both = LLVMBuildBitCast(l->e->b, pair[k / 2], words, "");
    LLVMValueRef word = every_second(l, both, k % 2);
    out[k] = LLVMBuildBitCast(l->e->b, word, kiln_lanes_type(l, a->type[k]), "");
  }
}

/* As with words, what is nobody's must not spoil the other. */
void kiln_pairs_join(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef *value, LLVMValueRef *pair) {
  LLVMTypeRef type = kiln_lanes_type(l, l->e->map->i32);
  LLVMValueRef word[2];
  for (uint32_t k = 0; k < a->n; k++) {
    word[k % 2] = LLVMBuildBitCast(l->e->b, LLVMBuildFreeze(l->e->b, value[k], ""), type, "");
    if (k % 2 == 0) continue;
    LLVMValueRef both = in_turn(l, word[0], word[1]);
    pair[k / 2] = LLVMBuildBitCast(l->e->b, both, kiln_lanes_type(l, l->e->map->i64), "");
  }
}

/* ---- as the bytes lie in memory ---- */

static LLVMTypeRef all_bytes(struct kl_lanes *l, const struct kl_access *a) {
  return LLVMVectorType(a->type[0], l->width * a->n);
}

/* One word holds the components of a lane. */
static bool is_one_word(const struct kl_access *a) {
  for (uint32_t k = 1; k < a->n; k++)
    if (a->type[k] != a->type[0]) return false;
  return a->n * a->size == 4;
}

void kiln_words_remember(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef word,
                         LLVMValueRef *component) {
  LLVMValueRef row[KL_MOST_PITCH], index[KL_MOST_LANES];
  if (!is_one_word(a)) return;
  LLVMValueRef all = LLVMBuildBitCast(l->e->b, word, all_bytes(l, a), "");
  for (uint32_t j = 0; j < a->n; j++) {
    for (unsigned i = 0; i < l->width; i++) index[i] = kiln_lanes_number(l, j * l->width + i);
    row[j] = LLVMBuildShuffleVector(l->e->b, all, LLVMGetPoison(LLVMTypeOf(all)),
                                    LLVMConstVector(index, l->width), "");
  }
  kiln_packed_remember(l, row, component, a->n);
}

bool kiln_words_pack(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef *component,
                     LLVMValueRef *word) {
  LLVMValueRef row[KL_MOST_PITCH], index[4 * KL_MOST_LANES];
  if (!is_one_word(a) || !kiln_packed_rows(l, component, a->n, row)) return false;
  for (uint32_t n = a->n; n > 1; n /= 2)
    for (uint32_t j = 0; j < n / 2; j++) {
      unsigned size = 2 * LLVMGetVectorSize(LLVMTypeOf(row[2 * j]));
      for (unsigned i = 0; i < size; i++) index[i] = kiln_lanes_number(l, i);
      row[j] = LLVMBuildShuffleVector(l->e->b, row[2 * j], row[2 * j + 1], LLVMConstVector(index, size), "");
    }
  *word = LLVMBuildBitCast(l->e->b, row[0], kiln_lanes_type(l, l->e->map->i32), "");
  return true;
}
