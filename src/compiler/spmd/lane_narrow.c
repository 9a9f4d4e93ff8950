/* Bytes and half words with an address of its own for each lane, by processors that gather words: the aligned
 * words around the components of a lane, two at most, out of which these are cut. Such a word lies on the
 * page of a component. Two or three bytes are gathered by the word that begins with them, or at the end of a
 * page by the one that ends with them. */
#include "compiler/spmd/lane_access.h"

enum { WORD = 4, MOST_WORDS = 2, EVEN = 2, PAGE = 4096 /* bytes, but for words */ };

/* Where the components of a lane lie. */
struct narrow {
  int64_t low;   /* offset of the first one */
  uint32_t span; /* bytes from its first to the last one's last */
  uint32_t words;
};

/* Words of a lane; `shift` bits of the first one come before its first component. */
struct words {
  LLVMValueRef first, last, shift;
};

/* Words that begin with the components, and not those around them. */
static bool begin_words(const struct kl_access *a, const struct narrow *n) {
  return a->size == 1 && n->span > 1 && n->span < WORD;
}

static struct narrow measure(const struct kl_access *a) {
  int64_t low = a->offset[0], high = a->offset[0];
  for (uint32_t k = 1; k < a->n; k++) {
    if (a->offset[k] < low) low = a->offset[k];
    if (a->offset[k] > high) high = a->offset[k];
  }
  struct narrow n = {.low = low, .span = (uint32_t)(high - low) + (uint32_t)a->size};
  const uint32_t before = begin_words(a, &n) ? 0 : WORD - (uint32_t)a->size; /* that may be others' */
  n.words = (n.span + before + WORD - 1) / WORD;
  return n;
}

static LLVMValueRef all(struct kl_lanes *l, uint64_t x) {
  return kiln_lanes_splat(l, kiln_lanes_number(l, x));
}

/* ---- by narrow indices ---- */

/* Bytes that an index of up to 32 bits counts; 0: too many, or it is wider. */
static uint32_t unit_of(struct kl_lanes *l, const struct kl_index *x) {
  if (LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(x->lanes))) > 32) return 0;
  const uint64_t size = kiln_map_size(l->e->map, kiln_map_type(l->e->map, x->element));
  return size == 1 || size == EVEN ? (uint32_t)size : 0;
}

/* Indices of i32 in all lanes; those that are not signed stay what they are. */
static LLVMValueRef widen(struct kl_lanes *l, const struct kl_index *x) {
  LLVMTypeRef word = kiln_lanes_type(l, l->e->map->i32);
  if (LLVMTypeOf(x->lanes) == word) return x->lanes;
  return x->is_signed ? LLVMBuildSExt(l->e->b, x->lanes, word, "")
                      : LLVMBuildZExt(l->e->b, x->lanes, word, "");
}

struct base {
  LLVMValueRef aligned, rest; /* a multiple of WORD; units beyond it, in all lanes */
};

static struct base align_base(struct kl_lanes *l, const struct kl_index *x, int64_t low, uint32_t unit) {
  LLVMBuilderRef b = l->e->b;
  LLVMTypeRef i64 = l->e->map->i64, i8 = l->e->map->i8;
  LLVMValueRef offset = LLVMConstInt(i64, (uint64_t)low, true);
  LLVMValueRef start = LLVMBuildGEP2(b, i8, x->base, &offset, 1, "");
  LLVMValueRef within =
      LLVMBuildAnd(b, LLVMBuildPtrToInt(b, start, i64, ""), LLVMConstInt(i64, WORD - 1, false), "");
  LLVMValueRef back = LLVMBuildNeg(b, within, "");
  LLVMValueRef units =
      LLVMBuildLShr(b, LLVMBuildTrunc(b, within, l->e->map->i32, ""), kiln_lanes_number(l, unit == EVEN), "");
  return (struct base){LLVMBuildGEP2(b, i8, start, &back, 1, ""), kiln_lanes_splat(l, units)};
}

static LLVMValueRef gather(struct kl_lanes *l, LLVMValueRef from, unsigned align, LLVMValueRef mask) {
  LLVMTypeRef types[] = {kiln_lanes_type(l, l->e->map->i32), LLVMTypeOf(from)};
  LLVMValueRef args[] = {from, kiln_lanes_number(l, align), mask, LLVMGetPoison(types[0])};
  return kiln_lanes_intrinsic(l, "llvm.masked.gather", types, 2, args, 4);
}

/* An index and what the base is beyond a word may be more than 32 bits hold: their words are added, and then
 * what is left of both. */
static LLVMValueRef word_at(struct kl_lanes *l, const struct kl_index *x, LLVMValueRef index,
                            LLVMValueRef within, uint32_t unit, LLVMValueRef base, LLVMValueRef mask) {
  LLVMBuilderRef b = l->e->b;
  const uint64_t bits = unit == EVEN ? 1 : 2;
  LLVMValueRef by = all(l, bits);
  LLVMValueRef whole = x->is_signed ? LLVMBuildAShr(b, index, by, "") : LLVMBuildLShr(b, index, by, "");
  LLVMValueRef word = LLVMBuildAdd(b, whole, LLVMBuildLShr(b, within, by, ""), "");
  LLVMTypeRef wide = kiln_lanes_type(l, l->e->map->i64);
  word = x->is_signed ? LLVMBuildSExt(b, word, wide, "") : LLVMBuildZExt(b, word, wide, "");
  return gather(l, LLVMBuildGEP2(b, l->e->map->i32, base, &word, 1, ""), WORD, mask);
}

static struct words by_index(struct kl_lanes *l, const struct kl_index *x, const struct narrow *n,
                             uint32_t unit, LLVMValueRef mask) {
  LLVMBuilderRef b = l->e->b;
  LLVMValueRef index = widen(l, x);
  const struct base base = align_base(l, x, n->low, unit);
  LLVMValueRef in_word = all(l, WORD / unit - 1);
  LLVMValueRef within = LLVMBuildAdd(b, LLVMBuildAnd(b, index, in_word, ""), base.rest, "");
  LLVMValueRef first = word_at(l, x, index, within, unit, base.aligned, mask), last = first;
  if (n->words > 1)
    last = word_at(l, x, index, LLVMBuildAdd(b, within, all(l, (n->span - 1) / unit), ""), unit, base.aligned,
                   mask);
  LLVMValueRef shift =
      LLVMBuildShl(b, LLVMBuildAnd(b, within, in_word, ""), all(l, unit == EVEN ? 4 : 3), "");
  return (struct words){first, last, shift};
}

/* ---- by addresses ---- */

static LLVMValueRef moved(struct kl_lanes *l, LLVMValueRef from, LLVMValueRef by) {
  return LLVMBuildGEP2(l->e->b, l->e->map->i8, from, &by, 1, "");
}

static LLVMValueRef within_word(struct kl_lanes *l, LLVMValueRef from) {
  LLVMTypeRef wide = kiln_lanes_type(l, l->e->map->i64);
  LLVMValueRef three = kiln_lanes_splat(l, LLVMConstInt(l->e->map->i64, WORD - 1, false));
  return LLVMBuildAnd(l->e->b, LLVMBuildPtrToInt(l->e->b, from, wide, ""), three, "");
}

static LLVMValueRef word_around(struct kl_lanes *l, LLVMValueRef from, LLVMValueRef mask) {
  return gather(l, moved(l, from, LLVMBuildNeg(l->e->b, within_word(l, from), "")), WORD, mask);
}

static LLVMValueRef first_addresses(struct kl_lanes *l, const struct kl_access *a, const struct narrow *n) {
  const uint64_t distance = (uint64_t)(n->low - a->offset[0]);
  return moved(l, kiln_access_addresses(l, a, 0), LLVMConstInt(l->e->map->i64, distance, true));
}

static struct words by_address(struct kl_lanes *l, const struct kl_access *a, const struct narrow *n,
                               LLVMValueRef mask) {
  LLVMBuilderRef b = l->e->b;
  LLVMValueRef from = first_addresses(l, a, n);
  LLVMTypeRef i64 = l->e->map->i64;
  LLVMValueRef first = word_around(l, from, mask), last = first;
  if (n->words > 1) last = word_around(l, moved(l, from, LLVMConstInt(i64, n->span - 1, false)), mask);
  LLVMValueRef within = LLVMBuildTrunc(b, within_word(l, from), kiln_lanes_type(l, l->e->map->i32), "");
  return (struct words){first, last, LLVMBuildShl(b, within, all(l, 3), "")};
}

/* ---- by words that begin with the components ---- */

/* How far before the components their word begins. low: bits of their addresses, in all lanes. As it is asked
 * of the last component's place in its page, words of components on two pages begin with these, too. */
static LLVMValueRef find_back(struct kl_lanes *l, const struct narrow *n, LLVMValueRef low) {
  LLVMBuilderRef b = l->e->b;
  LLVMTypeRef word = kiln_lanes_type(l, l->e->map->i32);
  LLVMValueRef last = LLVMBuildAdd(b, low, all(l, n->span - 1), "");
  LLVMValueRef room = all(l, PAGE - 1 - (WORD - n->span));
  LLVMValueRef args[] = {LLVMBuildAnd(b, last, all(l, PAGE - 1), ""), room};
  return LLVMBuildSub(b, kiln_lanes_intrinsic(l, "llvm.umax", &word, 1, args, 2), room, "");
}

static struct words begun(struct kl_lanes *l, LLVMValueRef from, LLVMValueRef back, LLVMValueRef mask) {
  LLVMValueRef made = gather(l, from, 1, mask);
  return (struct words){made, made, LLVMBuildShl(l->e->b, back, all(l, 3), "")};
}

/* The index less a byte or two is one of 32 bits with a sign, too. (From -2^31 on, 2 GiB before the base, it
 * would go around.) */
static bool has_sign(const struct kl_index *x) {
  return x->is_signed || LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(x->lanes))) < 32;
}

static struct words begun_by_index(struct kl_lanes *l, const struct kl_index *x, const struct narrow *n,
                                   LLVMValueRef mask) {
  LLVMBuilderRef b = l->e->b;
  LLVMTypeRef i64 = l->e->map->i64, wide = kiln_lanes_type(l, i64);
  LLVMValueRef base = moved(l, x->base, LLVMConstInt(i64, (uint64_t)n->low, true)), index = widen(l, x);
  LLVMValueRef start = LLVMBuildTrunc(b, LLVMBuildPtrToInt(b, base, i64, ""), l->e->map->i32, "");
  LLVMValueRef back = find_back(l, n, LLVMBuildAdd(b, index, kiln_lanes_splat(l, start), ""));
  index = LLVMBuildSExt(b, LLVMBuildSub(b, index, back, ""), wide, "");
  return begun(l, moved(l, base, index), back, mask);
}

static struct words begun_by_address(struct kl_lanes *l, const struct kl_access *a, const struct narrow *n,
                                     LLVMValueRef mask) {
  LLVMBuilderRef b = l->e->b;
  LLVMTypeRef i64 = l->e->map->i64, wide = kiln_lanes_type(l, i64);
  LLVMValueRef from = first_addresses(l, a, n);
  LLVMValueRef low =
      LLVMBuildTrunc(b, LLVMBuildPtrToInt(b, from, wide, ""), kiln_lanes_type(l, l->e->map->i32), "");
  LLVMValueRef back = find_back(l, n, low);
  return begun(l, moved(l, from, LLVMBuildNeg(b, LLVMBuildZExt(b, back, wide, ""), "")), back, mask);
}

/* ---- components ---- */

static struct words load_words(struct kl_lanes *l, const struct kl_access *a, const struct narrow *n,
                               LLVMValueRef mask) {
  struct kl_index x;
  const uint32_t unit = kiln_access_find_index(l, a, &x) ? unit_of(l, &x) : 0;
  const bool indexed = unit != 0 && unit <= a->size;
  if (begin_words(a, n))
    return indexed && has_sign(&x) ? begun_by_index(l, &x, n, mask) : begun_by_address(l, a, n, mask);
  return indexed ? by_index(l, &x, n, unit, mask) : by_address(l, a, n, mask);
}

static void cut(struct kl_lanes *l, const struct kl_access *a, const struct narrow *n, const struct words *w,
                LLVMValueRef *out) {
  LLVMBuilderRef b = l->e->b;
  LLVMTypeRef word = kiln_lanes_type(l, l->e->map->i32);
  LLVMTypeRef small = kiln_lanes_type(l, LLVMIntTypeInContext(l->e->env->context, (unsigned)(8 * a->size)));
  LLVMValueRef args[] = {w->last, w->first, w->shift};
  LLVMValueRef low = n->words > 1 ? kiln_lanes_intrinsic(l, "llvm.fshr", &word, 1, args, 3)
                                  : LLVMBuildLShr(b, w->first, w->shift, "");
  LLVMValueRef high = n->span > WORD ? LLVMBuildLShr(b, w->last, w->shift, "") : NULL;
  for (uint32_t k = 0; k < a->n; k++) {
    const uint64_t at = (uint64_t)(a->offset[k] - n->low);
    LLVMValueRef made = LLVMBuildLShr(b, at < WORD ? low : high, all(l, 8 * (at % WORD)), "");
    out[k] = LLVMBuildBitCast(b, LLVMBuildTrunc(b, made, small, ""), kiln_lanes_type(l, a->type[k]), "");
  }
}

static bool is_for_words(const struct kl_lanes *l, const struct kl_access *a) {
  return l->e->program->native >= 16 && a->size < WORD && kiln_access_align(a, 0) >= a->size;
}

bool kiln_narrow_share_words(const struct kl_lanes *l, const struct kl_access *a) {
  const uint32_t words = measure(a).words;
  return is_for_words(l, a) && a->shape.kind == KL_VARYING && words <= MOST_WORDS && words < a->n;
}

bool kiln_narrow_gather(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask, LLVMValueRef *out) {
  const struct narrow n = measure(a);
  if (!is_for_words(l, a) || n.words > MOST_WORDS || n.words > a->n) return false;
  const struct words w = load_words(l, a, &n, mask);
  cut(l, a, &n, &w, out);
  return true;
}
