/* Accesses by whole rows: consecutive elements of memory are loaded or stored as vectors, and shuffles bring
 * the components of the lanes to their places. */
#include "compiler/spmd/lane_access.h"
#include "compiler/spmd/stream.h"

enum { WORD = 4 /* bytes */, REGISTER_COST = 13 /* of four words in 16 lanes, in shuffles of rows */ };

/* One access as seen from its lowest address. */
struct rows {
  struct kl_lanes *l;
  LLVMTypeRef part; /* of an element: component 0's type */
  LLVMValueRef base;
  unsigned align, width;
  uint32_t pitch;                /* elements from lane to lane */
  uint32_t place[KL_MOST_PITCH]; /* of a component within the pitch */
  uint32_t owner[KL_MOST_PITCH]; /* component at a place, or KL_NONE */
  uint32_t count;                /* elements up to the last one used */
  uint32_t n;                    /* components */
  bool backwards;                /* lane 0 has the highest address */
  LLVMValueRef mask;             /* of lanes, in the order of addresses */
};

/* ---- shape ---- */

struct kl_extent kiln_access_extent(const struct kl_access *a) {
  struct kl_extent e = {a->offset[0], a->offset[0]};
  for (uint32_t k = 1; k < a->n; k++) {
    if (a->offset[k] < e.low) e.low = a->offset[k];
    if (a->offset[k] > e.high) e.high = a->offset[k];
  }
  return e;
}

static bool has_places(const struct kl_access *a, int64_t stride) {
  int64_t low = kiln_access_extent(a).low;
  uint64_t taken = 0;
  for (uint32_t k = 0; k < a->n; k++) {
    int64_t place = (a->offset[k] - low) / (int64_t)a->size;
    if ((a->offset[k] - low) % (int64_t)a->size != 0 || place * (int64_t)a->size >= stride || place >= 64 ||
        taken >> place & 1)
      return false;
    taken |= (uint64_t)1 << place;
  }
  return true;
}

int64_t kiln_access_pitch(const struct kl_access *a) {
  int64_t size = (int64_t)a->size, stride = a->shape.stride < 0 ? -a->shape.stride : a->shape.stride;
  if (a->shape.kind != KL_STRIDED || stride % size != 0 || !has_places(a, stride)) return 0;
  int64_t pitch = stride / size, most = a->n == 1 ? 8 : 4 * (int64_t)a->n;
  if (pitch > most || pitch > KL_MOST_PITCH) return 0;
  return a->shape.stride < 0 ? -pitch : pitch;
}

static bool is_power_of_2(uint32_t n) { return (n & (n - 1)) == 0; }

static uint32_t distance_of(const struct kl_access *a) {
  const int64_t pitch = kiln_access_pitch(a);
  return (uint32_t)(pitch < 0 ? -pitch : pitch);
}

bool kiln_access_is_dense(const struct kl_access *a) { return distance_of(a) <= 2 * a->n - (a->n == 1); }

bool kiln_access_halves(const struct kl_access *a) {
  const uint32_t pitch = distance_of(a);
  return is_power_of_2(pitch) && pitch < 2 * a->n;
}

/* Shuffles of rows are counted one by one where they cannot be halved again and again until components are
 * left; of loads and transpositions two run at a time. */
bool kiln_access_is_wide(const struct kl_access *a) {
  const uint32_t pitch = distance_of(a), n = a->n;
  if (pitch == 0 || kiln_access_halves(a)) return false;
  const uint32_t registers = kiln_record_cost(a);
  if (registers == 0) return false;
  return (pitch + n * (pitch - 1)) * a->size > (uint64_t)WORD * REGISTER_COST * registers;
}

static LLVMValueRef offset_from(struct kl_lanes *l, LLVMValueRef base, int64_t bytes) {
  LLVMValueRef offset = LLVMConstInt(l->e->map->i64, (uint64_t)bytes, true);
  return bytes == 0 ? base : LLVMBuildGEP2(l->e->b, l->e->map->i8, base, &offset, 1, "");
}

LLVMValueRef kiln_access_shuffle(struct kl_lanes *l, LLVMValueRef a, LLVMValueRef b, const int *from,
                                 unsigned n) {
  LLVMValueRef index[4 * KL_MOST_LANES];
  for (unsigned i = 0; i < n; i++)
    index[i] = from[i] < 0 ? LLVMGetPoison(l->e->map->i32) : kiln_lanes_number(l, (uint64_t)from[i]);
  if (b == NULL) b = LLVMGetPoison(LLVMTypeOf(a));
  return LLVMBuildShuffleVector(l->e->b, a, b, LLVMConstVector(index, n), "");
}

static LLVMValueRef reverse(struct kl_lanes *l, LLVMValueRef v) {
  int from[KL_MOST_LANES];
  if (kiln_lanes_is_full(v)) return v;
  for (unsigned i = 0; i < l->width; i++) from[i] = (int)(l->width - 1 - i);
  return kiln_access_shuffle(l, v, NULL, from, l->width);
}

static struct rows describe(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask) {
  int64_t pitch = kiln_access_pitch(a), low = kiln_access_extent(a).low;
  struct rows r = {.l = l, .part = a->type[0], .width = l->width, .n = a->n, .backwards = pitch < 0};
  r.pitch = (uint32_t)(pitch < 0 ? -pitch : pitch);
  uint32_t first = 0, last = 0;
  for (uint32_t p = 0; p < r.pitch; p++) r.owner[p] = KL_NONE;
  for (uint32_t k = 0; k < a->n; k++) {
    r.place[k] = (uint32_t)((a->offset[k] - low) / (int64_t)a->size);
    r.owner[r.place[k]] = k;
    if (a->offset[k] == low) first = k;
    if (r.place[k] > last) last = r.place[k];
  }
  r.align = kiln_access_align(a, first);
  r.count = (l->width - 1) * r.pitch + last + 1;
  r.base = offset_from(l, a->base, low + (r.backwards ? a->shape.stride * (int64_t)(l->width - 1) : 0));
  r.mask = r.backwards ? reverse(l, mask) : mask;
  return r;
}

/* ---- rows ---- */

/* Row j begins at this element. The last one of a load ends with the last element used: what lies behind may
 * be on a page that is not there. */
static uint32_t start_of(const struct rows *r, uint32_t j) {
  uint32_t start = j * r->width;
  return kiln_lanes_is_full(r->mask) && start + r->width > r->count ? r->count - r->width : start;
}

static uint32_t row_count(const struct rows *r) { return (r->count + r->width - 1) / r->width; }

/* The same by bits of a 64-bit word: those of the lanes are spread by one instruction, to the first place
 * that each uses, and multiplied to the others. As vectors of truth values, they would become vectors of
 * words and back, and on Sapphire Rapids what makes such a vector waits for the register's last value. NULL:
 * no such word. */
static LLVMValueRef deposited_mask(const struct rows *r, uint32_t start) {
  const struct kl_lanes *l = r->l;
  LLVMBuilderRef b = l->e->b;
  LLVMTypeRef i64 = l->e->map->i64, bits = LLVMIntTypeInContext(l->e->env->context, r->width);
  const uint32_t elements = r->width * r->pitch, most = 64;
  bool at_once = elements <= most;
  if (!l->e->program->deposits || r->width < 8 || r->width > most || (!at_once && start % r->pitch != 0))
    return NULL;
  uint64_t places = 0, used = 0;
  uint32_t first = 0;
  while (r->owner[first] == KL_NONE) first++;
  for (uint32_t p = first; p < r->pitch; p++) used |= (uint64_t)(r->owner[p] != KL_NONE) << (p - first);
  for (uint32_t e = first; e < (at_once ? elements : r->width); e += r->pitch) places |= (uint64_t)1 << e;
  LLVMValueRef word = LLVMBuildZExtOrBitCast(b, LLVMBuildBitCast(b, r->mask, bits, ""), i64, "");
  if (!at_once) word = LLVMBuildLShr(b, word, LLVMConstInt(i64, start / r->pitch, false), "");
  LLVMValueRef args[] = {word, LLVMConstInt(i64, places, false)};
  word = kiln_lanes_intrinsic(r->l, "llvm.x86.bmi.pdep.64", NULL, 0, args, 2);
  word = LLVMBuildMul(b, word, LLVMConstInt(i64, used, false), "");
  if (at_once) word = LLVMBuildLShr(b, word, LLVMConstInt(i64, start, false), "");
  if (bits != i64) word = LLVMBuildTrunc(b, word, bits, "");
  return LLVMBuildBitCast(b, word, LLVMTypeOf(r->mask), "");
}

/* The elements of row j, from element `start` on, that lanes which are on use. */
static LLVMValueRef row_mask(const struct rows *r, uint32_t start, bool all) {
  int from[KL_MOST_LANES];
  LLVMValueRef on[KL_MOST_LANES];
  bool full = kiln_lanes_is_full(r->mask);
  for (unsigned x = 0; x < r->width; x++) {
    uint32_t e = start + x;
    bool used = e < r->count && r->owner[e % r->pitch] != KL_NONE;
    on[x] = LLVMConstInt(r->l->e->map->i1, used || (full && all), false);
    from[x] = (int)(used ? e / r->pitch : r->width);
  }
  if (full) return LLVMConstVector(on, r->width);
  if (r->pitch == 1) return r->mask;
  LLVMValueRef deposited = deposited_mask(r, start);
  if (deposited != NULL) return deposited;
  return kiln_access_shuffle(r->l, r->mask, LLVMConstNull(LLVMTypeOf(r->mask)), from, r->width);
}

static LLVMValueRef row_address(const struct rows *r, uint32_t start) {
  return offset_from(r->l, r->base, (int64_t)(start * kiln_map_size(r->l->e->map, r->part)));
}

static unsigned row_align(const struct rows *r, uint32_t start) {
  unsigned align = r->align;
  uint64_t offset = start * kiln_map_size(r->l->e->map, r->part);
  while (offset % align != 0) align /= 2;
  return align;
}

static void load_all(const struct rows *r, LLVMValueRef *row) {
  for (uint32_t j = 0; j < row_count(r); j++) {
    uint32_t start = start_of(r, j);
    row[j] = kiln_lanes_load_row(r->l, r->part, row_address(r, start), row_align(r, start),
                                 row_mask(r, start, true));
  }
}

/* ---- from rows to components ---- */

/* Every second element of two rows; `shift`: the second begins that much earlier than where the first ends.
 */
static LLVMValueRef half_of(const struct rows *r, LLVMValueRef a, LLVMValueRef b, unsigned odd,
                            unsigned shift) {
  int from[KL_MOST_LANES];
  for (unsigned i = 0; i < r->width; i++) {
    unsigned e = 2 * i + odd, limit = 2 * r->width;
    if (e >= r->width) e += shift;
    from[i] = e < limit ? (int)e : -1;
  }
  return kiln_access_shuffle(r->l, a, b, from, r->width);
}

static bool is_wanted(const struct rows *r, uint32_t first, uint32_t step) {
  for (uint32_t p = first; p < r->pitch; p += step)
    if (r->owner[p] != KL_NONE) return true;
  return false;
}

/* n rows that hold the places first, first + step, ... in turn: to halves until one place is left. */
static void halve(const struct rows *r, LLVMValueRef *row, uint32_t n, uint32_t first, uint32_t step,
                  unsigned shift, LLVMValueRef *out) {
  LLVMValueRef half[KL_MOST_PITCH];
  if (n == 1) {
    if (r->owner[first] != KL_NONE) out[r->owner[first]] = row[0];
    return;
  }
  for (unsigned odd = 0; odd < 2; odd++) {
    if (!is_wanted(r, first + odd * step, 2 * step)) continue;
    for (uint32_t j = 0; j < n / 2; j++)
      half[j] = half_of(r, row[2 * j], row[2 * j + 1], odd, j == n / 2 - 1 ? shift : 0);
    halve(r, half, n / 2, first + odd * step, 2 * step, 0, out);
  }
}

static uint64_t part_size(const struct rows *r) { return kiln_map_size(r->l->e->map, r->part); }

/* n rows, a power of 2, that hold n places in turn; the last one begins `shift` elements earlier. */
static void split(const struct rows *r, LLVMValueRef *row, uint32_t n, unsigned shift, LLVMValueRef *out) {
  LLVMValueRef placed[KL_MOST_PITCH];
  const uint64_t size = part_size(r);
  if (!kiln_parts_fit(r->l, size, n)) {
    halve(r, row, n, 0, 1, shift, out);
    return;
  }
  kiln_parts_split(r->l, row, size, n, shift, placed);
  for (uint32_t k = 0; k < r->n; k++) out[k] = placed[r->place[k]];
}

/* A component taken from one row after the other. */
static LLVMValueRef pick(const struct rows *r, const LLVMValueRef *row, uint32_t place) {
  int from[KL_MOST_LANES];
  LLVMValueRef made = NULL;
  uint32_t done = 0; /* lanes */
  for (uint32_t j = 0; j < row_count(r) && done < r->width; j++) {
    uint32_t start = start_of(r, j), end = start + r->width, before = done;
    for (unsigned i = 0; i < r->width; i++) from[i] = i < done ? (int)i : -1;
    for (; done < r->width && done * r->pitch + place < end; done++)
      from[done] = (int)(done * r->pitch + place - start + (made != NULL ? r->width : 0));
    if (done == before) continue;
    made = made == NULL ? kiln_access_shuffle(r->l, row[j], NULL, from, r->width)
                        : kiln_access_shuffle(r->l, made, row[j], from, r->width);
  }
  return made;
}

/* ---- narrow elements within words ---- */

/* A pitch is a word of 32 bits, of bytes also 64, of which lanes use some elements: those are shifted down
 * and the rest cut off, with nothing to cut where they become words anyway. Halving rows of bytes takes three
 * instructions for each shuffle. To cut many lanes' words of 64 bits for one byte takes as long. */
static bool is_in_words(const struct rows *r) {
  const uint64_t size = part_size(r), word = r->pitch * size;
  if (size >= WORD || r->n == r->pitch || r->width < 4 || !kiln_lanes_is_full(r->mask)) return false;
  return word == WORD || (size == 1 && word == 2 * WORD && (r->n > 1 || r->width <= 8));
}

/* So many words from this element on. */
static LLVMValueRef load_words(const struct rows *r, uint32_t start, unsigned n) {
  LLVMTypeRef word = LLVMIntTypeInContext(r->l->e->env->context, (unsigned)(8 * r->pitch * part_size(r)));
  LLVMValueRef made = LLVMBuildLoad2(r->l->e->b, LLVMVectorType(word, n), row_address(r, start), "");
  LLVMSetAlignment(made, row_align(r, start));
  return made;
}

/* The words of all lanes. Those of the second half of the lanes begin `early` elements before what they use,
 * and end with it. */
static LLVMValueRef load_all_words(const struct rows *r, uint32_t early) {
  const unsigned half = r->width / 2;
  int from[KL_MOST_LANES];
  if (early == 0) return load_words(r, 0, r->width);
  for (unsigned i = 0; i < r->width; i++) from[i] = (int)i;
  return kiln_access_shuffle(r->l, load_words(r, 0, half), load_words(r, half * r->pitch - early, half), from,
                             r->width);
}

static void split_words(const struct rows *r, LLVMValueRef *out) {
  const uint32_t early = r->width * r->pitch - r->count;
  LLVMBuilderRef b = r->l->e->b;
  LLVMValueRef words = load_all_words(r, early), shift[KL_MOST_LANES];
  LLVMTypeRef word = LLVMGetElementType(LLVMTypeOf(words));
  const uint64_t bits = 8 * part_size(r);
  LLVMTypeRef part = kiln_lanes_type(r->l, LLVMIntTypeInContext(r->l->e->env->context, (unsigned)bits));
  for (uint32_t k = 0; k < r->n; k++) {
    for (unsigned i = 0; i < r->width; i++)
      shift[i] = LLVMConstInt(word, bits * (r->place[k] + (i < r->width / 2 ? 0 : early)), false);
    out[k] = LLVMBuildTrunc(b, LLVMBuildLShr(b, words, LLVMConstVector(shift, r->width), ""), part, "");
  }
}

static LLVMValueRef as_type(struct kl_lanes *l, LLVMValueRef v, LLVMTypeRef part) {
  LLVMTypeRef type = kiln_lanes_type(l, part);
  if (LLVMTypeOf(v) == type) return v;
  if (LLVMGetTypeKind(part) == LLVMPointerTypeKind) return LLVMBuildIntToPtr(l->e->b, v, type, "");
  if (LLVMGetTypeKind(LLVMGetElementType(LLVMTypeOf(v))) == LLVMPointerTypeKind)
    v = LLVMBuildPtrToInt(l->e->b, v, kiln_lanes_type(l, l->e->map->i64), "");
  return LLVMTypeOf(v) == type ? v : LLVMBuildBitCast(l->e->b, v, type, "");
}

/* As many components as a pitch has elements, of which the whole is at hand. */
static bool is_in_pieces(const struct rows *r) {
  return r->n == r->pitch && kiln_pieces_fit(r->l, part_size(r), r->n);
}

static void split_pieces(const struct rows *r, const LLVMValueRef *row, LLVMValueRef *out) {
  LLVMValueRef placed[KL_MOST_PITCH];
  kiln_pieces_split(r->l, row, part_size(r), r->n, placed);
  for (uint32_t k = 0; k < r->n; k++) out[k] = placed[r->place[k]];
}

static void merge_pieces(const struct rows *r, const LLVMValueRef *value, LLVMValueRef *row) {
  LLVMValueRef placed[KL_MOST_PITCH];
  for (uint32_t k = 0; k < r->n; k++) placed[r->place[k]] = value[k];
  kiln_pieces_merge(r->l, placed, part_size(r), r->n, row);
}

/* Component k at place k, all of one type. */
static bool is_in_order(const struct rows *r, const struct kl_access *a) {
  for (uint32_t k = 0; k < r->n; k++)
    if (r->place[k] != k || a->type[k] != a->type[0]) return false;
  return !r->backwards && r->n > 1;
}

void kiln_access_load_rows(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask,
                           LLVMValueRef *out) {
  struct rows r = describe(l, a, mask);
  LLVMValueRef row[KL_MOST_PITCH];
  uint32_t rows = row_count(&r);
  const bool in_words = is_in_words(&r);
  if (!in_words) load_all(&r, row);
  if (in_words) {
    split_words(&r, out);
  } else if (r.pitch == 1) {
    out[0] = row[0];
  } else if (is_power_of_2(r.pitch) && rows == r.pitch && r.width > 1) {
    split(&r, row, rows, (rows - 1) * r.width - start_of(&r, rows - 1), out);
  } else if (is_in_pieces(&r)) {
    split_pieces(&r, row, out);
  } else {
    for (uint32_t k = 0; k < r.n; k++) out[k] = pick(&r, row, r.place[k]);
  }
  for (uint32_t k = 0; k < r.n; k++) {
    if (r.backwards) out[k] = reverse(l, out[k]);
    out[k] = as_type(l, out[k], a->type[k]);
  }
  if (rows == r.n && r.pitch == r.n && is_in_order(&r, a)) kiln_packed_remember(l, row, out, r.n);
}

/* ---- from components to rows ---- */

/* The first or second half of two rows' elements in turn. */
static LLVMValueRef mix(const struct rows *r, LLVMValueRef a, LLVMValueRef b, unsigned second) {
  int from[KL_MOST_LANES];
  for (unsigned i = 0; i < r->width; i++) from[i] = (int)((second * r->width + i) / 2 + (i % 2) * r->width);
  return kiln_access_shuffle(r->l, a, b, from, r->width);
}

/* Components first, first + step, ... in turn, as n rows. */
static void mix_all(const struct rows *r, LLVMValueRef *value, uint32_t first, uint32_t step, uint32_t n,
                    LLVMValueRef *row) {
  LLVMValueRef even[KL_MOST_PITCH], odd[KL_MOST_PITCH];
  if (n == 1) {
    row[0] = value[r->owner[first]];
    return;
  }
  mix_all(r, value, first, 2 * step, n / 2, even);
  mix_all(r, value, first + step, 2 * step, n / 2, odd);
  for (uint32_t j = 0; j < n / 2; j++)
    for (unsigned second = 0; second < 2; second++) row[2 * j + second] = mix(r, even[j], odd[j], second);
}

/* All n places, a power of 2, as n rows. */
static void merge(const struct rows *r, LLVMValueRef *value, uint32_t n, LLVMValueRef *row) {
  LLVMValueRef placed[KL_MOST_PITCH];
  const uint64_t size = part_size(r);
  if (!kiln_parts_fit(r->l, size, n)) {
    mix_all(r, value, 0, 1, n, row);
    return;
  }
  for (uint32_t k = 0; k < n; k++) placed[r->place[k]] = value[k];
  kiln_parts_merge(r->l, placed, size, n, row);
}

/* A row put together from one component after the other. */
static LLVMValueRef compose(const struct rows *r, LLVMValueRef *value, uint32_t j) {
  int from[KL_MOST_LANES];
  bool there[KL_MOST_LANES] = {false};
  LLVMValueRef made = NULL;
  for (uint32_t k = 0; k < r->n; k++) {
    bool any = false;
    for (unsigned x = 0; x < r->width; x++) {
      uint32_t e = j * r->width + x;
      bool own = e < r->count && e % r->pitch == r->place[k];
      from[x] = own ? (int)(e / r->pitch + (made != NULL ? r->width : 0)) : there[x] ? (int)x : -1;
      there[x] |= own;
      any |= own;
    }
    if (!any) continue;
    made = made == NULL ? kiln_access_shuffle(r->l, value[k], NULL, from, r->width)
                        : kiln_access_shuffle(r->l, made, value[k], from, r->width);
  }
  return made;
}

/* Processors without registers for masks are slow to store some elements of a row: up to 12 turns. */
static bool goes_by_runs(const struct rows *r) {
  return r->l->e->program->native < 16 && kiln_lanes_is_full(r->mask) && r->n != r->pitch;
}

static bool is_used(const struct rows *r, uint32_t e) {
  return e < r->count && r->owner[e % r->pitch] != KL_NONE;
}

/* A row's elements that lie side by side, by stores of 1, 2, 4... of them. */
static void store_runs(const struct rows *r, LLVMValueRef row, uint32_t start) {
  int from[KL_MOST_LANES];
  for (unsigned x = 0, n; x < r->width; x += n) {
    for (n = 0; x + n < r->width && is_used(r, start + x + n); n++) from[n] = (int)(x + n);
    while (!is_power_of_2(n)) n &= n - 1;
    if (n == 0) {
      n = 1;
      continue;
    }
    LLVMValueRef run = n == 1 ? LLVMBuildExtractElement(r->l->e->b, row, kiln_lanes_number(r->l, x), "")
                              : kiln_access_shuffle(r->l, row, NULL, from, n);
    LLVMSetAlignment(LLVMBuildStore(r->l->e->b, run, row_address(r, start + x)), row_align(r, start + x));
  }
}

static void store_all(const struct rows *r, LLVMValueRef *row, uint32_t rows) {
  for (uint32_t j = 0; j < rows; j++)
    if (row[j] != NULL && goes_by_runs(r)) store_runs(r, row[j], j * r->width);
    else if (row[j] != NULL)
      kiln_lanes_store_row(r->l, row[j], row_address(r, j * r->width), row_align(r, j * r->width),
                           row_mask(r, j * r->width, false));
}

/* ---- stores that pass by the caches ---- */

/* Every byte is written; lines are whole where the first one begins with a line. */
static bool is_whole_lines(const struct rows *r, uint32_t rows) {
  uint64_t row = r->width * kiln_map_size(r->l->e->map, r->part);
  return r->n == r->pitch && kiln_lanes_is_full(r->mask) && rows == r->n && rows * row % KL_LINE == 0 &&
         (row & (row - 1)) == 0;
}

static void stream_rows(const struct rows *r, LLVMValueRef *row, uint32_t rows) {
  struct kl_emit *e = r->l->e;
  uint64_t bytes = r->width * kiln_map_size(e->map, r->part);
  LLVMBasicBlockRef aligned = kiln_emit_new_block(e, "stream"), other = kiln_emit_new_block(e, ""),
                    done = kiln_emit_new_block(e, "");
  LLVMValueRef address = LLVMBuildPtrToInt(e->b, r->base, e->map->i64, "");
  LLVMValueRef rest = LLVMBuildAnd(e->b, address, LLVMConstInt(e->map->i64, KL_LINE - 1, false), "");
  kiln_emit_likely(e, LLVMBuildCondBr(e->b, LLVMBuildIsNull(e->b, rest, ""), aligned, other));
  LLVMPositionBuilderAtEnd(e->b, aligned);
  for (uint32_t j = 0; j < rows; j++) {
    LLVMValueRef made = LLVMBuildStore(e->b, row[j], row_address(r, j * r->width));
    LLVMSetAlignment(made, bytes < KL_LINE ? (unsigned)bytes : KL_LINE);
    kiln_stream_mark(e, made);
  }
  LLVMBuildBr(e->b, done);
  LLVMPositionBuilderAtEnd(e->b, other);
  store_all(r, row, rows);
  LLVMBuildBr(e->b, done);
  LLVMPositionBuilderAtEnd(e->b, done);
}

/* Words are made by shifts and masks, in all of which shuffles would be looked for, through all of it and by
 * bytes: ten times as long as all else, to find nothing. */
static void fence_words(const struct rows *r, LLVMValueRef *component) {
  for (uint32_t k = 0; r->n > 1 && k < r->n; k++)
    if (LLVMTypeOf(component[k]) == kiln_lanes_type(r->l, r->l->e->map->i32))
      component[k] = kiln_lanes_fence(r->l, component[k]);
}

void kiln_access_store_rows(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask,
                            LLVMValueRef *value) {
  struct rows r = describe(l, a, mask);
  LLVMValueRef row[KL_MOST_PITCH], from[KL_MOST_COMPONENTS];
  uint32_t rows = row_count(&r);
  for (uint32_t k = 0; k < r.n; k++) {
    from[k] = as_type(l, value[k], r.part);
    if (r.backwards) from[k] = reverse(l, from[k]);
  }
  if (r.n == r.pitch && is_in_order(&r, a) && kiln_packed_rows(l, from, r.n, row)) {
    rows = r.n;
  } else {
    fence_words(&r, from);
    if (is_power_of_2(r.pitch) && r.n == r.pitch) merge(&r, from, r.pitch, row);
    else if (is_in_pieces(&r)) merge_pieces(&r, from, row);
    else
      for (uint32_t j = 0; j < rows; j++) row[j] = compose(&r, from, j);
    if (rows == r.n && r.pitch == r.n && is_in_order(&r, a)) kiln_packed_made(l, row, value, r.n, 0);
  }
  if (a->streams && is_whole_lines(&r, rows)) stream_rows(&r, row, rows);
  else store_all(&r, row, rows);
}

/* ---- rows that come from elsewhere ---- */

/* first: one of those that are to be split or merged. */
static struct rows plain_rows(struct kl_lanes *l, LLVMValueRef first, uint32_t n) {
  LLVMTypeRef part = LLVMGetElementType(LLVMTypeOf(first));
  struct rows r = {.l = l, .part = part, .width = l->width, .pitch = n, .n = n, .count = n * l->width};
  for (uint32_t k = 0; k < n; k++) r.place[k] = r.owner[k] = k;
  return r;
}

void kiln_rows_split(struct kl_lanes *l, LLVMValueRef *row, uint32_t n, LLVMValueRef *out) {
  struct rows r = plain_rows(l, row[0], n);
  split(&r, row, n, 0, out);
}

void kiln_rows_merge(struct kl_lanes *l, LLVMValueRef *component, uint32_t n, LLVMValueRef *row) {
  struct rows r = plain_rows(l, component[0], n);
  merge(&r, component, n, row);
}
