/* Rows of words to components and back on processors with registers of 32 bytes whose shuffles of two
 * registers stay within halves of 16 bytes: each half of a register, a part, takes what one lane has, and
 * parts are transposed where they lie. To and from components by halving rows again and again takes two
 * instructions for each of these shuffles, one for all but the first where parts lie so: for 8 lanes of 4
 * words 12 for 16, of 8 words 24 for 48. Processors with longer registers have one instruction for any
 * shuffle, which LLVM 19 takes for those only: not where lanes fill 32 bytes. It overwrites one of its
 * operands, so that a copy goes with most of them: eight components and more go by parts there, too (for 16
 * lanes of 16 words 64 for 128; 1.0 to 1.3 times as fast on Zen 4, alike on Sapphire Rapids; of four
 * components on Zen 4 0.7). */
#include "compiler/spmd/lane_access.h"

enum { PART = 16, WORD = 4 /* bytes */, MOST_EACH = PART / WORD, MOST_PARTS = KL_MOST_LANES / 2 };
enum { MANY = 8 }; /* components */

struct parts {
  struct kl_lanes *l;
  unsigned each;  /* elements of a part, and lanes between those of which a register has parts */
  unsigned count; /* parts of a register */
};

static struct parts parts_of(struct kl_lanes *l, uint64_t size) {
  const unsigned each = (unsigned)(PART / size);
  return (struct parts){l, each, l->width / each};
}

bool kiln_parts_fit(const struct kl_lanes *l, uint64_t size, uint32_t n) {
  const unsigned native = l->e->program->native;
  const uint64_t bytes = l->width * size;
  if (native < 8 || (size != WORD && size != 2 * WORD) || n * size < PART || bytes < 2 * PART) return false;
  return native < 16 || bytes == 2 * PART || (n >= MANY && bytes == 4 * PART);
}

/* Where a part comes from: elements from `first` on of a register; those from `end` on are no matter. */
struct source {
  LLVMValueRef from;
  unsigned first, end;
};

/* Elements of parts lo to hi of a register in their places. */
static LLVMValueRef collect_some(const struct parts *x, const struct source *s, unsigned lo, unsigned hi) {
  const unsigned width = x->l->width, middle = (lo + hi) / 2;
  int from[KL_MOST_LANES];
  for (unsigned i = 0; i < width; i++) {
    const unsigned p = i / x->each;
    from[i] = p < lo || p >= hi ? -1 : (int)(p < middle ? i : width + i);
  }
  if (hi - lo > 2)
    return kiln_access_shuffle(x->l, collect_some(x, s, lo, middle), collect_some(x, s, middle, hi), from,
                               width);
  for (unsigned p = lo; p < hi; p++)
    for (unsigned k = 0; k < x->each; k++) {
      const unsigned at = s[p].first + k;
      from[p * x->each + k] = at < s[p].end ? (int)(at + (p == lo ? 0 : width)) : -1;
    }
  return kiln_access_shuffle(x->l, s[lo].from, s[middle].from, from, width);
}

static bool are_whole(const struct parts *x, const struct source *s) {
  for (unsigned p = 0; p < x->count; p++)
    if (s[p].first % x->each != 0 || s[p].first + x->each > s[p].end) return false;
  return true;
}

/* The halves of two registers in which these parts are. */
static LLVMValueRef halves(const struct parts *x, const struct source *s) {
  const unsigned width = x->l->width, half = width / 2;
  int from[KL_MOST_LANES];
  for (unsigned i = 0; i < width; i++)
    from[i] = (int)(s[i / half].first / half * half + i % half + (i < half ? 0 : width));
  return kiln_access_shuffle(x->l, s[0].from, s[1].from, from, width);
}

/* Four parts by way of halves, of which each serves two such registers. */
static LLVMValueRef collect_four(const struct parts *x, const struct source *s) {
  const unsigned width = x->l->width, half = width / 2;
  int from[KL_MOST_LANES];
  for (unsigned i = 0; i < width; i++) {
    const unsigned p = i / x->each;
    from[i] = (int)(p * half % width + s[p].first % half + i % x->each + (i < half ? 0 : width));
  }
  return kiln_access_shuffle(x->l, halves(x, s), halves(x, s + 2), from, width);
}

static LLVMValueRef collect(const struct parts *x, const struct source *s) {
  return x->count == 4 && are_whole(x, s) ? collect_four(x, s) : collect_some(x, s, 0, x->count);
}

/* Of each part of a and b the lower or upper half, `unit` elements of one and the other in turn. */
static LLVMValueRef unpack(const struct parts *x, LLVMValueRef a, LLVMValueRef b, unsigned unit, bool upper) {
  int from[KL_MOST_LANES];
  for (unsigned i = 0; i < x->l->width; i++) {
    const unsigned k = i % x->each, of_b = k / unit % 2;
    const unsigned at = i - k + k / (2 * unit) * unit + k % unit + (upper ? x->each / 2 : 0);
    from[i] = (int)(at + of_b * x->l->width);
  }
  return kiln_access_shuffle(x->l, a, b, from, x->l->width);
}

/* Transposes each part's square of `each` registers by as many elements; twice is once back. */
static void turn(const struct parts *x, LLVMValueRef *v) {
  if (x->each == 2) {
    LLVMValueRef a = v[0], b = v[1];
    for (unsigned k = 0; k < 2; k++) v[k] = unpack(x, a, b, 1, k);
    return;
  }
  LLVMValueRef first[2], second[2]; /* halves of the first two and of the last two */
  for (unsigned k = 0; k < 2; k++) {
    first[k] = unpack(x, v[0], v[1], 1, k);
    second[k] = unpack(x, v[2], v[3], 1, k);
  }
  for (unsigned k = 0; k < 4; k++) v[k] = unpack(x, first[k / 2], second[k / 2], 2, k % 2);
}

void kiln_parts_split(struct kl_lanes *l, const LLVMValueRef *row, uint64_t size, uint32_t n, uint32_t shift,
                      LLVMValueRef *component) {
  const struct parts x = parts_of(l, size);
  struct source s[MOST_PARTS];
  for (uint32_t h = 0; h < n; h += x.each) {
    for (unsigned j = 0; j < x.each; j++) {
      for (unsigned p = 0; p < x.count; p++) {
        const uint32_t e = (p * x.each + j) * n + h, r = e / l->width;
        s[p] = (struct source){row[r], e % l->width + (r == n - 1 ? shift : 0), l->width};
      }
      component[h + j] = collect(&x, s);
    }
    turn(&x, component + h);
  }
}

void kiln_parts_merge(struct kl_lanes *l, const LLVMValueRef *component, uint64_t size, uint32_t n,
                      LLVMValueRef *row) {
  const struct parts x = parts_of(l, size);
  LLVMValueRef v[KL_MOST_PITCH];
  struct source s[MOST_PARTS];
  for (uint32_t k = 0; k < n; k++) v[k] = component[k];
  for (uint32_t h = 0; h < n; h += x.each) turn(&x, v + h);
  for (uint32_t r = 0; r < n; r++) {
    for (unsigned p = 0; p < x.count; p++) {
      const uint32_t e = r * l->width + p * x.each, lane = e / n, h = e % n;
      s[p] = (struct source){v[h + lane % x.each], lane / x.each * x.each, l->width};
    }
    row[r] = collect(&x, s);
  }
}

/* ---- of lanes that are loaded and stored one by one ---- */

/* Their parts go where they are transposed at once. */
static bool are_parts(struct kl_lanes *l, LLVMTypeRef element, uint32_t n) {
  const uint64_t size = kiln_map_size(l->e->map, element);
  return (size == WORD || size == 2 * WORD) && n * size == PART && l->width % n == 0;
}

bool kiln_parts_from_lanes(struct kl_lanes *l, const LLVMValueRef *lane, uint32_t n,
                           LLVMValueRef *component) {
  LLVMValueRef made[MOST_PARTS];
  if (!are_parts(l, LLVMGetElementType(LLVMTypeOf(lane[0])), n)) return false;
  const struct parts x = parts_of(l, PART / n);
  for (unsigned j = 0; j < n; j++) {
    for (unsigned p = 0; p < x.count; p++) made[p] = lane[p * n + j];
    component[j] = kiln_lanes_joined(l, made, x.count);
  }
  turn(&x, component);
  return true;
}

void kiln_lanes_to_components(struct kl_lanes *l, LLVMValueRef *lane, uint32_t n, LLVMValueRef *component) {
  LLVMValueRef row[KL_MOST_PITCH];
  if (kiln_parts_from_lanes(l, lane, n, component)) return;
  kiln_lanes_to_rows(l, lane, n, row);
  kiln_rows_split(l, row, n, component);
}

void kiln_components_to_lanes(struct kl_lanes *l, LLVMValueRef *component, uint32_t n, LLVMValueRef *lane) {
  LLVMValueRef v[KL_MOST_PITCH];
  if (!are_parts(l, LLVMGetElementType(LLVMTypeOf(component[0])), n)) {
    kiln_rows_merge(l, component, n, v);
    kiln_rows_to_lanes(l, v, n, lane);
    return;
  }
  const struct parts x = parts_of(l, PART / n);
  for (unsigned j = 0; j < n; j++) v[j] = component[j];
  turn(&x, v);
  for (unsigned i = 0; i < l->width; i++)
    lane[i] = x.count == 1 ? v[i] : kiln_lanes_some_of(l, v[i % n], i / n * n, n);
}
