/* Components in odd numbers, as in RGB bytes, where the processor shuffles narrow elements only within pieces
 * of 16 bytes, and words within a register. A piece has E elements, a power of 2; n components are odd in
 * number. Vector p gets every n-th piece of the rows, from piece p on. Then place o of each of its pieces
 * holds component (E * p + o) mod n, another in each of the n vectors: n - 1 blends by places collect a
 * component, and one shuffle within pieces brings it in order, as n and E have no common divisor. For 32 RGB
 * pixels with AVX2: 12 instructions for what takes 42 element by element. */
#include "compiler/spmd/lane_access.h"

enum { PIECE = 16, WORD = 4 /* bytes */ };

struct pieces {
  struct kl_lanes *l;
  uint32_t n; /* components, rows, vectors of pieces */
  uint32_t e; /* elements of a piece */
};

/* In how much of a vector one instruction brings elements of this size anywhere: a register, if they are
 * words. */
static uint64_t piece_bytes(const struct kl_lanes *l, uint64_t size) {
  return size < WORD ? PIECE : WORD * l->e->program->native;
}

bool kiln_pieces_fit(const struct kl_lanes *l, uint64_t size, uint32_t n) {
  const unsigned native = l->e->program->native;
  const bool is_odd = n % 2 == 1 && n > 1;
  return is_odd && (size < WORD ? native < 16 : size == WORD && native == 8) &&
         l->width * size % piece_bytes(l, size) == 0;
}

/* Of vectors of l->width elements: element x of the result is element place[x] of source[of[x]]. */
static LLVMValueRef collect(const struct pieces *p, const LLVMValueRef *source, const uint32_t *of,
                            const uint32_t *place) {
  const unsigned width = p->l->width;
  int from[KL_MOST_LANES];
  LLVMValueRef made = NULL;
  for (uint32_t k = 0; k < p->n; k++) {
    bool any = false;
    for (unsigned x = 0; x < width; x++) {
      if (of[x] == k) from[x] = (int)(place[x] + (made != NULL ? width : 0));
      else from[x] = of[x] < k ? (int)x : -1;
      any |= of[x] == k;
    }
    if (!any) continue;
    made = kiln_access_shuffle(p->l, made != NULL ? made : source[k], made != NULL ? source[k] : NULL, from,
                               width);
  }
  return made;
}

/* By places, each element from its own place in one of the sources: of the vectors of pieces, to collect
 * component `wanted`; or (by_component) of components brought to their places, to make vector `wanted`. */
static LLVMValueRef blend(const struct pieces *p, const LLVMValueRef *source, uint32_t wanted,
                          bool by_component) {
  uint32_t of[KL_MOST_LANES], place[KL_MOST_LANES];
  for (unsigned x = 0; x < p->l->width; x++) {
    const uint32_t o = x % p->e;
    place[x] = x;
    for (uint32_t k = 0; k < p->n; k++) {
      const uint32_t vector = by_component ? wanted : k, component = by_component ? k : wanted;
      if ((p->e * vector + o) % p->n == component) of[x] = k;
    }
  }
  return collect(p, source, of, place);
}

/* Moves element t of component c, in each piece, to the place where it lies in the vectors of pieces
 * (to_places), or back. */
static LLVMValueRef reorder(const struct pieces *p, LLVMValueRef v, uint32_t c, bool to_places) {
  int from[KL_MOST_LANES];
  for (unsigned x = 0; x < p->l->width; x++) {
    const uint32_t t = x % p->e, piece = x - t, place = (p->n * t + c) % p->e;
    if (to_places) from[piece + place] = (int)x;
    else from[x] = (int)(piece + place);
  }
  return kiln_access_shuffle(p->l, v, NULL, from, p->l->width);
}

/* Piece j of vector v is piece n * j + v of the rows. */
static void deal(const struct pieces *p, const LLVMValueRef *source, bool to_rows, LLVMValueRef *out) {
  uint32_t of[KL_MOST_LANES], place[KL_MOST_LANES];
  const uint32_t each = p->l->width / p->e; /* pieces of a vector, or row */
  for (uint32_t k = 0; k < p->n; k++) {
    for (unsigned x = 0; x < p->l->width; x++) {
      const uint32_t piece = x / p->e, number = to_rows ? k * each + piece : p->n * piece + k;
      of[x] = to_rows ? number % p->n : number / each;
      place[x] = (to_rows ? number / p->n : number % each) * p->e + x % p->e;
    }
    out[k] = collect(p, source, of, place);
  }
}

void kiln_pieces_split(struct kl_lanes *l, const LLVMValueRef *row, uint64_t size, uint32_t n,
                       LLVMValueRef *component) {
  const struct pieces p = {.l = l, .n = n, .e = (uint32_t)(piece_bytes(l, size) / size)};
  LLVMValueRef vector[KL_MOST_PITCH];
  deal(&p, row, false, vector);
  for (uint32_t c = 0; c < n; c++) component[c] = reorder(&p, blend(&p, vector, c, false), c, false);
}

void kiln_pieces_merge(struct kl_lanes *l, const LLVMValueRef *component, uint64_t size, uint32_t n,
                       LLVMValueRef *row) {
  const struct pieces p = {.l = l, .n = n, .e = (uint32_t)(piece_bytes(l, size) / size)};
  LLVMValueRef placed[KL_MOST_PITCH], vector[KL_MOST_PITCH];
  for (uint32_t c = 0; c < n; c++) placed[c] = reorder(&p, component[c], c, true);
  for (uint32_t v = 0; v < n; v++) vector[v] = blend(&p, placed, v, true);
  deal(&p, vector, true, row);
}
