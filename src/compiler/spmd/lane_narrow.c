/* Bytes and half words with an address of its own for each lane, by processors that gather words: one is cut
 * out of the aligned word around it, which lies on the same page. Several of a lane that lie near each other
 * are cut out of one word, or one of twice the length, that begins with the first of them, or, at the end of
 * a page, ends with the last. */
#include "compiler/spmd/lane_access.h"

enum { WORD = 4, LONG_WORD = 8, EVEN = 2, PAGE = 4096 /* bytes */ };

/* Where the components of a lane lie. */
struct narrow {
  int64_t low;   /* offset of the first one */
  uint32_t span; /* bytes from its first to the last one's last */
};

static struct narrow measure(const struct kl_access *a) {
  const struct kl_extent e = kiln_access_extent(a);
  return (struct narrow){e.low, (uint32_t)(e.high - e.low) + (uint32_t)a->size};
}

static uint32_t word_size(const struct narrow *n) { return n->span > WORD ? LONG_WORD : WORD; }

/* ---- values ---- */

static LLVMTypeRef word_type(struct kl_lanes *l, uint32_t size) {
  return size == WORD ? l->e->map->i32 : l->e->map->i64;
}

static LLVMTypeRef words_type(struct kl_lanes *l, uint32_t size) {
  return kiln_lanes_type(l, word_type(l, size));
}

static LLVMValueRef all(struct kl_lanes *l, uint64_t x) {
  return kiln_lanes_splat(l, kiln_lanes_number(l, x));
}

/* An address, or one of each lane, and bytes. */
static LLVMValueRef moved(struct kl_lanes *l, LLVMValueRef from, LLVMValueRef by) {
  return LLVMBuildGEP2(l->e->b, l->e->map->i8, from, &by, 1, "");
}

static LLVMValueRef number64(struct kl_lanes *l, uint64_t x) { return LLVMConstInt(l->e->map->i64, x, true); }

/* Words at the lanes' addresses, without so many bytes (i32) that come before the first component. */
static LLVMValueRef gather(struct kl_lanes *l, LLVMValueRef from, uint32_t size, unsigned align,
                           LLVMValueRef bytes, LLVMValueRef mask) {
  LLVMBuilderRef b = l->e->b;
  LLVMValueRef bits = LLVMBuildShl(b, bytes, all(l, 3), "");
  LLVMValueRef shift = LLVMBuildZExtOrBitCast(b, bits, words_type(l, size), "");
  return LLVMBuildLShr(b, kiln_lanes_gather(l, word_type(l, size), from, align, mask), shift, "");
}

/* ---- narrow indices ---- */

/* Bytes that an index of up to 32 bits counts, which are no more than a component has; 0: it is no such
 * index. */
static uint32_t unit_of(struct kl_lanes *l, const struct kl_access *a, const struct kl_index *x) {
  if (LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(x->lanes))) > 32) return 0;
  const uint64_t size = kiln_map_size(l->e->map, kiln_map_type(l->e->map, x->element));
  return (size == 1 || size == EVEN) && size <= a->size ? (uint32_t)size : 0;
}

/* Indices of i32 in all lanes; those that are not signed stay what they are. */
static LLVMValueRef widen(struct kl_lanes *l, const struct kl_index *x) {
  LLVMTypeRef word = words_type(l, WORD);
  if (LLVMTypeOf(x->lanes) == word) return x->lanes;
  return x->is_signed ? LLVMBuildSExt(l->e->b, x->lanes, word, "")
                      : LLVMBuildZExt(l->e->b, x->lanes, word, "");
}

static LLVMValueRef first_address(struct kl_lanes *l, const struct kl_index *x, const struct narrow *n) {
  return moved(l, x->base, number64(l, (uint64_t)n->low));
}

static LLVMValueRef first_addresses(struct kl_lanes *l, const struct kl_access *a, const struct narrow *n) {
  return moved(l, kiln_access_addresses(l, a, 0), number64(l, (uint64_t)(n->low - a->offset[0])));
}

/* ---- the word around a component ---- */

struct base {
  LLVMValueRef aligned, rest; /* a multiple of WORD; units beyond it, in all lanes */
};

static struct base align_base(struct kl_lanes *l, LLVMValueRef start, uint32_t unit) {
  LLVMBuilderRef b = l->e->b;
  LLVMValueRef within =
      LLVMBuildAnd(b, LLVMBuildPtrToInt(b, start, l->e->map->i64, ""), number64(l, WORD - 1), "");
  LLVMValueRef units =
      LLVMBuildLShr(b, LLVMBuildTrunc(b, within, l->e->map->i32, ""), kiln_lanes_number(l, unit == EVEN), "");
  return (struct base){moved(l, start, LLVMBuildNeg(b, within, "")), kiln_lanes_splat(l, units)};
}

/* An index and what the base is beyond a word may be more than 32 bits hold: their words are added, and then
 * what is left of both. */
static LLVMValueRef around_by_index(struct kl_lanes *l, const struct kl_index *x, const struct narrow *n,
                                    uint32_t unit, LLVMValueRef mask) {
  LLVMBuilderRef b = l->e->b;
  LLVMValueRef index = widen(l, x), bits = all(l, unit == EVEN ? 1 : 2), in_word = all(l, WORD / unit - 1);
  const struct base base = align_base(l, first_address(l, x, n), unit);
  LLVMValueRef within = LLVMBuildAdd(b, LLVMBuildAnd(b, index, in_word, ""), base.rest, "");
  LLVMValueRef whole = x->is_signed ? LLVMBuildAShr(b, index, bits, "") : LLVMBuildLShr(b, index, bits, "");
  LLVMValueRef word = LLVMBuildAdd(b, whole, LLVMBuildLShr(b, within, bits, ""), "");
  LLVMTypeRef wide = words_type(l, LONG_WORD);
  word = x->is_signed ? LLVMBuildSExt(b, word, wide, "") : LLVMBuildZExt(b, word, wide, "");
  LLVMValueRef from = LLVMBuildGEP2(b, l->e->map->i32, base.aligned, &word, 1, "");
  LLVMValueRef bytes = LLVMBuildShl(b, LLVMBuildAnd(b, within, in_word, ""), all(l, unit == EVEN), "");
  return gather(l, from, WORD, WORD, bytes, mask);
}

LLVMValueRef kiln_narrow_at(struct kl_lanes *l, LLVMValueRef from, LLVMValueRef mask) {
  LLVMBuilderRef b = l->e->b;
  LLVMValueRef address = LLVMBuildPtrToInt(b, from, words_type(l, LONG_WORD), "");
  LLVMValueRef within = LLVMBuildAnd(b, address, kiln_lanes_splat(l, number64(l, WORD - 1)), "");
  LLVMValueRef start = moved(l, from, LLVMBuildNeg(b, within, ""));
  return gather(l, start, WORD, WORD, LLVMBuildTrunc(b, within, words_type(l, WORD), ""), mask);
}

/* ---- a word that begins with the components ---- */

/* How many bytes before the components it begins. low: bits of their addresses, i32 in all lanes. As the last
 * component's place in its page is asked, words of components on two pages begin with these, too. */
static LLVMValueRef find_back(struct kl_lanes *l, const struct narrow *n, LLVMValueRef low) {
  LLVMBuilderRef b = l->e->b;
  LLVMTypeRef word = words_type(l, WORD);
  LLVMValueRef last = LLVMBuildAdd(b, low, all(l, n->span - 1), "");
  LLVMValueRef room = all(l, PAGE - 1 - (word_size(n) - n->span));
  LLVMValueRef args[] = {LLVMBuildAnd(b, last, all(l, PAGE - 1), ""), room};
  return LLVMBuildSub(b, kiln_lanes_intrinsic(l, "llvm.umax", &word, 1, args, 2), room, "");
}

/* The index less a few bytes is one of 32 bits with a sign, too. (From -2^31 on, 2 GiB before the base, it
 * would go around.) */
static bool has_sign(const struct kl_index *x) {
  return x->is_signed || LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(x->lanes))) < 32;
}

static LLVMValueRef begun_by_index(struct kl_lanes *l, const struct kl_index *x, const struct narrow *n,
                                   uint32_t unit, LLVMValueRef mask) {
  LLVMBuilderRef b = l->e->b;
  LLVMValueRef base = first_address(l, x, n), index = widen(l, x), bits = all(l, unit == EVEN);
  LLVMValueRef start = LLVMBuildTrunc(b, LLVMBuildPtrToInt(b, base, l->e->map->i64, ""), l->e->map->i32, "");
  LLVMValueRef low = LLVMBuildAdd(b, LLVMBuildShl(b, index, bits, ""), kiln_lanes_splat(l, start), "");
  LLVMValueRef back = find_back(l, n, low);
  index = LLVMBuildSub(b, index, LLVMBuildLShr(b, back, bits, ""), "");
  index = LLVMBuildSExt(b, index, words_type(l, LONG_WORD), "");
  LLVMTypeRef element = LLVMIntTypeInContext(l->e->env->context, 8 * unit);
  return gather(l, LLVMBuildGEP2(b, element, base, &index, 1, ""), word_size(n), 1, back, mask);
}

static LLVMValueRef begun_by_address(struct kl_lanes *l, const struct narrow *n, LLVMValueRef from,
                                     LLVMValueRef mask) {
  LLVMBuilderRef b = l->e->b;
  LLVMTypeRef wide = words_type(l, LONG_WORD);
  LLVMValueRef low = LLVMBuildTrunc(b, LLVMBuildPtrToInt(b, from, wide, ""), words_type(l, WORD), "");
  LLVMValueRef back = find_back(l, n, low);
  from = moved(l, from, LLVMBuildNeg(b, LLVMBuildZExt(b, back, wide, ""), ""));
  return gather(l, from, word_size(n), 1, back, mask);
}

/* ---- components ---- */

static LLVMValueRef load_words(struct kl_lanes *l, const struct kl_access *a, const struct narrow *n,
                               LLVMValueRef mask) {
  struct kl_index x;
  const uint32_t unit = kiln_access_find_index(l, a, &x) ? unit_of(l, a, &x) : 0;
  if (a->n == 1)
    return unit != 0 ? around_by_index(l, &x, n, unit, mask)
                     : kiln_narrow_at(l, first_addresses(l, a, n), mask);
  return unit != 0 && has_sign(&x) ? begun_by_index(l, &x, n, unit, mask)
                                   : begun_by_address(l, n, first_addresses(l, a, n), mask);
}

/* words: they begin with the first component. */
static void cut(struct kl_lanes *l, const struct kl_access *a, const struct narrow *n, LLVMValueRef words,
                LLVMValueRef *out) {
  LLVMBuilderRef b = l->e->b;
  LLVMTypeRef small = kiln_lanes_type(l, LLVMIntTypeInContext(l->e->env->context, (unsigned)(8 * a->size)));
  LLVMTypeRef word = word_type(l, word_size(n));
  for (uint32_t k = 0; k < a->n; k++) {
    LLVMValueRef at = LLVMConstInt(word, 8 * (uint64_t)(a->offset[k] - n->low), false);
    LLVMValueRef made = LLVMBuildLShr(b, words, kiln_lanes_splat(l, at), "");
    out[k] = LLVMBuildBitCast(b, LLVMBuildTrunc(b, made, small, ""), kiln_lanes_type(l, a->type[k]), "");
  }
}

static bool is_for_words(const struct kl_lanes *l, const struct kl_access *a) {
  return a->size < WORD && kiln_access_can_gather(l, a);
}

bool kiln_narrow_share_word(const struct kl_lanes *l, const struct kl_access *a) {
  return is_for_words(l, a) && a->shape.kind == KL_VARYING && a->n > 1 && measure(a).span <= LONG_WORD;
}

bool kiln_narrow_gather(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask, LLVMValueRef *out) {
  const struct narrow n = measure(a);
  if (!is_for_words(l, a) || n.span > LONG_WORD) return false;
  cut(l, a, &n, load_words(l, a, &n, mask), out);
  return true;
}
