/* Components side by side together: narrow ones as words of 32 bits, what processors load, gather and take
 * apart best, and words in pairs of 64 bits: gathers and scatters take their time for each element. */
#include "compiler/spmd/lane_access.h"
#include "compiler/value.h"

#include <string.h>

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

/* Words of a lane, all of whose components are of one type; 0: they are not. */
static uint32_t words_of(const struct kl_access *a) {
  for (uint32_t k = 1; k < a->n; k++)
    if (a->type[k] != a->type[0]) return 0;
  return (uint32_t)(a->n * a->size / 4);
}

/* Part j, with as many elements of a type as there are lanes, of a row of words. What was loaded is loaded
 * once more: that is one instruction where bytes are widened, and none if nobody uses it. */
static LLVMValueRef part_of(struct kl_lanes *l, LLVMValueRef words, LLVMTypeRef element, unsigned j) {
  LLVMTypeRef type = kiln_lanes_type(l, element);
  const uint64_t bytes = j * kiln_map_size(l->e->map, type);
  if (LLVMIsALoadInst(words) && kiln_is_ordinary(words)) {
    const unsigned align = LLVMGetAlignment(words);
    LLVMValueRef offset = LLVMConstInt(l->e->map->i64, bytes, false),
                 at = LLVMBuildGEP2(l->e->b, l->e->map->i8, LLVMGetOperand(words, 0), &offset, 1, ""),
                 made = LLVMBuildLoad2(l->e->b, type, at, "");
    LLVMSetAlignment(made, j == 0 || align <= (bytes & -bytes) ? align : (unsigned)(bytes & -bytes));
    return made;
  }
  LLVMTypeRef all = LLVMVectorType(element, (unsigned)(4 / kiln_map_size(l->e->map, element)) * l->width);
  return kiln_lanes_some_of(l, LLVMBuildBitCast(l->e->b, words, all, ""), j * l->width, l->width);
}

/* n rows one behind the other. */
static LLVMValueRef put_together(struct kl_lanes *l, LLVMValueRef *row, uint32_t n) {
  int from[4 * KL_MOST_LANES];
  for (unsigned size = 2 * l->width; n > 1; n /= 2, size *= 2)
    for (uint32_t j = 0; j < n / 2; j++) {
      for (unsigned i = 0; i < size; i++) from[i] = (int)i;
      row[j] = kiln_access_shuffle(l, row[2 * j], row[2 * j + 1], from, size);
    }
  return row[0];
}

void kiln_words_remember(struct kl_lanes *l, const struct kl_access *a, const LLVMValueRef *word,
                         const LLVMValueRef *component) {
  LLVMValueRef row[KL_MOST_PITCH], words[KL_MOST_PITCH];
  const uint32_t n = words_of(a), each = (uint32_t)(4 / a->size);
  if (n == 0 || a->n > KL_MOST_PITCH) return;
  if (n == 1) words[0] = word[0];
  else if (!kiln_packed_find(l, word, n, words)) return;
  for (uint32_t j = 0; j < a->n; j++) row[j] = part_of(l, words[j / each], a->type[0], j % each);
  kiln_packed_remember(l, row, component, a->n);
}

bool kiln_words_pack(struct kl_lanes *l, const struct kl_access *a, const LLVMValueRef *component,
                     LLVMValueRef *word) {
  LLVMValueRef row[KL_MOST_PITCH], words[KL_MOST_PITCH];
  const uint32_t n = words_of(a), each = (uint32_t)(4 / a->size);
  if (n == 0 || a->n > KL_MOST_PITCH || (n & (n - 1)) != 0 || !kiln_packed_rows(l, component, a->n, row))
    return false;
  for (uint32_t j = 0; j < n; j++)
    words[j] = LLVMBuildBitCast(l->e->b, put_together(l, &row[j * each], each),
                                kiln_lanes_type(l, l->e->map->i32), "");
  if (n == 1) {
    word[0] = words[0];
    return true;
  }
  /* nobody needs them taken apart where the store goes by rows again */
  LLVMValueRef *kept = kl_new(l->e->env, n, LLVMValueRef);
  memcpy(kept, words, n * sizeof *kept);
  kiln_rows_split(l, words, n, word);
  kiln_packed_remember(l, kept, word, n);
  return true;
}
