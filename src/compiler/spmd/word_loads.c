/* Finds what is loaded as words; see word_loads.h. Must not know lanes. */
#include "compiler/spmd/word_loads.h"

#include "compiler/spmd/address.h"
#include "compiler/spmd/apart.h"
#include "compiler/spmd/lanes.h"

enum { MOST_AHEAD = 200 };

struct cell {
  struct kl_address first;
  uint64_t size; /* of an element */
  uint32_t member[KL_CELL];
};

static uint64_t narrow_size(struct kl_map *map, const struct kl_func *f, uint32_t i) {
  if (f->inst[i].op != LLVMLoad || !kiln_is_ordinary(f->inst[i].v)) return 0;
  LLVMTypeRef type = kiln_map_type(map, LLVMTypeOf(f->inst[i].v));
  const uint64_t size = kiln_map_size(map, type);
  return kiln_type_parts(type) == 1 && size < 4 ? size : 0;
}

/* Element of the cell; KL_CELL: it lies in another. */
static unsigned element_of(const struct cell *c, const struct kl_address *at) {
  const int64_t whole = KL_CELL * (int64_t)c->size;
  const int64_t from = c->first.offset - ((c->first.offset % whole) + whole) % whole, in = at->offset - from;
  const bool is_in = in >= 0 && in < whole && in % (int64_t)c->size == 0;
  return is_in ? (unsigned)(in / (int64_t)c->size) : KL_CELL;
}

/* What load i would load. */
static bool may_change(const struct kl_func *f, uint32_t by, uint32_t i) {
  if (f->inst[by].op == LLVMStore) return !kiln_accesses_are_apart(f, by, i);
  return kiln_may_write(f->inst[by].v);
}

/* All elements of the cell are loaded, load i the first of them. */
static bool find_cell(struct kl_map *map, const struct kl_func *f, uint32_t i, struct cell *c) {
  const struct kl_block *block = &f->block[f->inst[i].bb];
  unsigned found = 1;
  *c = (struct cell){.first = kiln_address_find(map, f, kl_pointer_of(f, i)), .size = narrow_size(map, f, i)};
  if (!c->first.ok) return false;
  for (uint32_t k = i + 1; k < block->first + block->n && k < i + MOST_AHEAD && found < KL_CELL; k++) {
    if (may_change(f, k, i)) return false;
    if (narrow_size(map, f, k) != c->size) continue;
    const struct kl_address at = kiln_address_find(map, f, kl_pointer_of(f, k));
    if (!kiln_addresses_differ_by_constant(&c->first, &at)) continue;
    const unsigned element = element_of(c, &at);
    if (element == KL_CELL || element == element_of(c, &c->first) || c->member[element] != 0) continue;
    c->member[element] = k;
    found++;
  }
  return found == KL_CELL;
}

bool *kiln_word_loads_find(struct kl_env *env, struct kl_map *map, const struct kl_func *f) {
  bool *with = kl_new(env, (size_t)f->nvalue + 1, bool);
  struct cell c;
  for (uint32_t i = f->narg; i < f->ninst; i++) {
    if (f->inst[i].bb == KL_NONE || with[i] || narrow_size(map, f, i) == 0 || !find_cell(map, f, i, &c))
      continue;
    for (unsigned k = 0; k < KL_CELL; k++)
      if (c.member[k] != 0) with[c.member[k]] = true;
  }
  return with;
}
