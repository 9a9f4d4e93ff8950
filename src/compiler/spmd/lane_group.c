/* Loads and stores that lie side by side. */
#include "compiler/spmd/address.h"
#include "compiler/spmd/apart.h"
#include "compiler/spmd/lane_access.h"
#include "compiler/spmd/word_loads.h"

enum { MOST_AHEAD = 400, MOST_PASSED = 32, MOST_NEAR = 32, WORD = 4 /* bytes */ };

/* ---- neighbours ---- */

/* Bytes from the address that a search began with. */
struct extent {
  uint32_t inst;
  int64_t from, to;
};

struct search {
  struct kl_lanes *l;
  struct kl_neighbours *found;
  uint32_t first; /* instruction */
  struct kl_address place;
  uint64_t size;  /* of a component */
  int64_t stride; /* 0: of records anywhere */
  uint32_t components;
  struct extent passed[MOST_PASSED]; /* loads between stores that are searched, stores between loads */
  uint32_t npassed;
};

/* Neither reads nor writes memory. */
static bool is_pure(const struct kl_inst *inst) {
  switch (inst->op) {
  case KL_DROP:
  case KL_LIFETIME:
  case KL_QUERY:
  case LLVMGetElementPtr:
  case LLVMICmp:
  case LLVMFCmp:
  case LLVMSelect:
  case LLVMFNeg:
  case LLVMFreeze:
  case LLVMExtractElement:
  case LLVMInsertElement:
  case LLVMShuffleVector:
  case LLVMExtractValue:
  case LLVMInsertValue:
  case LLVMAddrSpaceCast:
    return true;
  case LLVMCall:
    return kiln_call_is_pure(inst->v);
  default:
    return (inst->op >= LLVMAdd && inst->op <= LLVMXor) || (inst->op >= LLVMTrunc && inst->op <= LLVMBitCast);
  }
}

static int64_t stride_of(struct kl_lanes *l, uint32_t pointer) {
  struct kl_shape shape = kiln_lanes_checked_shape(l, pointer);
  return shape.kind != KL_STRIDED ? 0 : shape.stride < 0 ? -shape.stride : shape.stride;
}

static bool is_load(const struct search *s) { return s->l->e->f->inst[s->first].op == LLVMLoad; }

/* Records that lie anywhere, or far from each other. (Of private objects whose elements lie lane by lane,
 * what follows in the source is a row further.) */
static bool is_record_anywhere(const struct search *s, struct kl_shape shape) {
  if (s->l->shapes->unit[kl_pointer_of(s->l->e->f, s->first)] != 0) return false;
  const bool is_far = shape.kind == KL_STRIDED && s->stride > KL_MOST_PITCH * (int64_t)s->size;
  return s->l->map->rows == 1 && shape.alike == 0 && (shape.kind == KL_VARYING || is_far);
}

static bool start(struct search *s, struct kl_lanes *l, uint32_t i, struct kl_neighbours *found) {
  const struct kl_func *f = l->e->f;
  LLVMTypeRef type = kiln_access_type(l->e->map, f, i);
  *s = (struct search){.l = l, .found = found, .first = i, .components = kiln_type_parts(type)};
  *found = (struct kl_neighbours){.inst = {i}, .n = 1};
  s->size = kiln_map_size(l->e->map, kiln_type_part(type, 0));
  s->stride = stride_of(l, kl_pointer_of(f, i));
  const struct kl_shape shape = kiln_lanes_checked_shape(l, kl_pointer_of(f, i));
  if (f->inst[i].op == LLVMStore && shape.alike != 0) return false;
  const bool has_cells = s->stride > (int64_t)s->size && s->stride <= KL_MOST_PITCH * (int64_t)s->size;
  if (!has_cells && !is_record_anywhere(s, shape)) return false;
  if (!has_cells) s->stride = 0;
  s->place = kiln_address_find(l->e->map, f, kl_pointer_of(f, i));
  return s->place.ok;
}

/* Cells from the root on, of the stride's size: what lies in one is no other lane's. Of records anywhere, of
 * some narrow elements or of MOST_NEAR. */
static int64_t cell_of(const struct search *s, int64_t offset) {
  const int64_t whole = s->size < WORD ? KL_CELL * (int64_t)s->size : MOST_NEAR;
  const int64_t size = s->stride == 0 ? whole : s->stride;
  return offset >= 0 ? offset / size : -((-offset + size - 1) / size);
}

/* In the cell of the first access; loads of words anywhere, as near as registers are loaded together. */
static bool is_near(const struct search *s, int64_t offset) {
  const int64_t distance = offset - s->place.offset;
  if (s->stride == 0 && s->size >= WORD && is_load(s)) return distance >= -MOST_NEAR && distance <= MOST_NEAR;
  return cell_of(s, offset) == cell_of(s, s->place.offset);
}

static int64_t bytes_of(const struct search *s, uint32_t access) {
  return (int64_t)(kiln_type_parts(kiln_access_type(s->l->e->map, s->l->e->f, access)) * s->size);
}

static struct extent extent_of(const struct search *s, uint32_t access, int64_t offset) {
  return (struct extent){access, offset, offset + bytes_of(s, access)};
}

static struct extent extent_found(const struct search *s, uint32_t k) {
  return extent_of(s, s->found->inst[k], s->found->offset[k]);
}

static bool overlap(struct extent a, struct extent b) { return a.from < b.to && b.from < a.to; }

/* Two stores to one component have an order, which a row of all of them does not keep. */
static bool lies_on_another(const struct search *s, uint32_t i, int64_t offset) {
  const bool is_store = s->l->e->f->inst[i].op == LLVMStore;
  for (uint32_t k = 0; k < s->found->n; k++)
    if (offset == s->found->offset[k] || (is_store && overlap(extent_found(s, k), extent_of(s, i, offset))))
      return true;
  return false;
}

static bool is_other_object(const struct search *s, uint32_t i) {
  const struct kl_func *f = s->l->e->f;
  return kiln_is_ordinary(f->inst[i].v) && kiln_are_apart(kiln_address_root(f->inst[s->place.root].v),
                                                          kiln_address_root(f->inst[kl_pointer_of(f, i)].v));
}

/* An access of the other kind, to another object or at a known distance: which of the two comes first matters
 * only where they overlap, which they are asked for later. */
static bool pass(struct search *s, uint32_t i) {
  const struct kl_func *f = s->l->e->f;
  if (!kiln_is_ordinary(f->inst[i].v)) return false;
  if (is_other_object(s, i)) return true;
  const struct kl_address place = kiln_address_find(s->l->e->map, f, kl_pointer_of(f, i));
  if (!kiln_addresses_differ_by_constant(&s->place, &place)) return false;
  LLVMTypeRef type = kiln_access_type(s->l->e->map, s->l->e->f, i);
  int64_t from = place.offset - s->place.offset,
          bytes = (int64_t)(kiln_type_parts(type) * kiln_map_size(s->l->e->map, kiln_type_part(type, 0)));
  if (s->npassed < MOST_PASSED) s->passed[s->npassed] = (struct extent){i, from, from + bytes};
  s->npassed++;
  return true;
}

/* A load is done before stores that it follows. */
static bool lies_on_passed(const struct search *s, struct extent load) {
  if (s->npassed > MOST_PASSED) return true;
  for (uint32_t k = 0; k < s->npassed; k++)
    if (overlap(s->passed[k], load)) return true;
  return false;
}

/* Stores are done after loads that they come before. */
static bool lie_on_passed(const struct search *s) {
  uint32_t last = 0;
  if (s->npassed > MOST_PASSED) return true;
  for (uint32_t k = 0; k < s->found->n; k++)
    if (s->found->inst[k] > last) last = s->found->inst[k];
  for (uint32_t p = 0; p < s->npassed; p++)
    for (uint32_t k = 0; k < s->found->n; k++)
      if (s->passed[p].inst > s->found->inst[k] && s->passed[p].inst < last &&
          overlap(s->passed[p], extent_found(s, k)))
        return true;
  return false;
}

/* Stores whose places follow different patterns would not find each other from either side. */
static bool has_same_pattern(const struct search *s, uint32_t i) {
  const struct kl_func *f = s->l->e->f;
  const struct kl_shape a = kiln_lanes_checked_shape(s->l, kl_pointer_of(f, s->first)),
                        b = kiln_lanes_checked_shape(s->l, kl_pointer_of(f, i));
  return a.kind == b.kind && a.stride == b.stride && a.alike == b.alike;
}

/* Instruction i is one more; 0: it is something else; -1: it lies on one of those found. */
static int add(struct search *s, uint32_t i) {
  const struct kl_func *f = s->l->e->f;
  LLVMTypeRef type = kiln_access_type(s->l->e->map, s->l->e->f, i);
  if (!kiln_is_ordinary(f->inst[i].v) || kiln_map_size(s->l->e->map, kiln_type_part(type, 0)) != s->size)
    return 0;
  const struct kl_address place = kiln_address_find(s->l->e->map, f, kl_pointer_of(f, i));
  if (!kiln_addresses_differ_by_constant(&s->place, &place) || !is_near(s, place.offset)) return 0;
  if (!is_load(s) && !has_same_pattern(s, i)) return 0;
  s->components += kiln_type_parts(type);
  if (s->found->n == KL_MOST_COMPONENTS || s->components > KL_MOST_COMPONENTS) return -1;
  int64_t offset = place.offset - s->place.offset;
  if (lies_on_another(s, i, offset)) return -1;
  if (f->inst[i].op == LLVMLoad && lies_on_passed(s, extent_of(s, i, offset))) return -1;
  s->found->inst[s->found->n] = i;
  s->found->offset[s->found->n++] = offset;
  return 1;
}

static uint32_t end_of(const struct kl_func *f, uint32_t i) {
  const struct kl_block *b = &f->block[f->inst[i].bb];
  return b->first + b->n;
}

static unsigned space_of(const struct kl_func *f, uint32_t access) {
  return LLVMGetPointerAddressSpace(LLVMTypeOf(f->inst[kl_pointer_of(f, access)].v));
}

/* An ordinary access to another kind of memory, which has nothing to do with that of `first`. */
static bool is_elsewhere(const struct kl_func *f, uint32_t first, uint32_t i) {
  unsigned op = f->inst[i].op;
  if ((op != LLVMLoad && op != LLVMStore) || !kiln_is_ordinary(f->inst[i].v)) return false;
  unsigned a = space_of(f, first), b = space_of(f, i);
  return a != b && a != KL_AS_GENERIC && b != KL_AS_GENERIC;
}

void kiln_neighbours_of_load(struct kl_lanes *l, uint32_t i, struct kl_neighbours *found) {
  const struct kl_func *f = l->e->f;
  struct search s;
  if (!start(&s, l, i, found)) return;
  for (uint32_t k = i + 1; k < end_of(f, i) && k < i + MOST_AHEAD; k++) {
    if (f->inst[k].op == LLVMLoad && kiln_is_ordinary(f->inst[k].v)) {
      if (l->done_pass[k] != l->e->pass && l->shapes->of[k].kind == KL_VARYING && add(&s, k) < 0) return;
    } else if (!is_pure(&f->inst[k]) && !is_elsewhere(f, i, k) &&
               (f->inst[k].op != LLVMStore || !pass(&s, k))) {
      return;
    }
  }
}

static bool find_stores(struct search *s, uint32_t i, int step) {
  const struct kl_func *f = s->l->e->f;
  uint32_t first = f->block[f->inst[i].bb].first, end = end_of(f, i);
  for (uint32_t k = i + (uint32_t)step; k >= first && k < end; k += (uint32_t)step) {
    if (is_pure(&f->inst[k]) || is_elsewhere(f, i, k)) continue;
    if (f->inst[k].op == LLVMLoad && pass(s, k)) continue;
    if (f->inst[k].op != LLVMStore || space_of(f, k) != space_of(f, i)) return true;
    if (is_other_object(s, k)) continue;
    int added = add(s, k);
    if (added < 0) return false;
    if (added == 0) return true;
  }
  return true;
}

/* A power of 2 of components side by side, of 16 bytes at least, of narrow ones as many as make a word: each
 * lane's go out as registers. */
static bool is_block(const struct search *s) {
  int64_t low = 0, high = 0;
  for (uint32_t k = 0; k < s->found->n; k++) {
    const struct extent e = extent_found(s, k);
    if (e.from < low) low = e.from;
    if (e.to > high) high = e.to;
  }
  const uint64_t bytes = s->components * s->size;
  return (uint64_t)(high - low) == bytes && bytes >= (s->size < WORD ? WORD : 16) &&
         (bytes & (bytes - 1)) == 0;
}

/* From the lowest address on, which offsets count from. */
static void sort(struct kl_neighbours *found) {
  for (uint32_t k = 1; k < found->n; k++)
    for (uint32_t j = k; j > 0 && found->offset[j] < found->offset[j - 1]; j--) {
      const uint32_t inst = found->inst[j];
      const int64_t offset = found->offset[j];
      found->inst[j] = found->inst[j - 1];
      found->offset[j] = found->offset[j - 1];
      found->inst[j - 1] = inst;
      found->offset[j - 1] = offset;
    }
  for (uint32_t k = found->n; k-- > 0;) found->offset[k] -= found->offset[0];
}

/* What each store finds is what all of them find: the run of stores around it that fit, in one address space,
 * as what lies elsewhere is the same for all of them then. One that does not fit in with all is done alone,
 * as are all when two lie on each other. */
void kiln_neighbours_of_store(struct kl_lanes *l, uint32_t i, struct kl_neighbours *found) {
  struct search s;
  if (!start(&s, l, i, found)) return;
  struct kl_neighbours alone = *found;
  bool ok = find_stores(&s, i, 1);
  uint32_t after = found->n - 1;
  ok = ok && find_stores(&s, i, -1) && !lie_on_passed(&s) && (s.stride != 0 || is_block(&s));
  if (!ok) *found = alone;
  else if (after > 0) found->n = 0;
  else sort(found);
}

/* ---- columns ---- */

/* An access of one component that is a row if its check holds. (Of constants there may be a table, which has
 * a form of its own.) */
static bool is_column(struct kl_lanes *l, uint32_t i) {
  const struct kl_func *f = l->e->f;
  if ((f->inst[i].op != LLVMStore && f->inst[i].op != LLVMLoad) || !kiln_is_ordinary(f->inst[i].v))
    return false;
  const uint32_t pointer = kl_pointer_of(f, i);
  LLVMTypeRef type = kiln_access_type(l->e->map, f, i);
  const struct kl_shape checked = kiln_lanes_checked_shape(l, pointer);
  return l->map->rows == 1 && kiln_type_parts(type) == 1 && l->shapes->unit[pointer] == 0 &&
         kiln_lanes_shape(l, pointer).kind == KL_VARYING && checked.kind == KL_STRIDED &&
         checked.alike == 0 && checked.stride == (int64_t)kiln_map_size(l->e->map, type) &&
         (f->inst[i].op == LLVMStore || l->shapes->of[i].kind == KL_VARYING) &&
         LLVMIsAGlobalVariable(kiln_address_root(f->inst[pointer].v)) == NULL;
}

/* What a load of the same block has loaded, which may be one that is done later. */
static bool uses_column(struct kl_lanes *l, uint32_t i) {
  const struct kl_func *f = l->e->f;
  for (uint32_t k = 0; k < f->inst[i].nops; k++) {
    const uint32_t v = kl_operand(f, i, k);
    if (f->inst[v].op == LLVMLoad && f->inst[v].bb == f->inst[i].bb && is_column(l, v)) return true;
  }
  return false;
}

/* The next one of its kind, with nothing between them that touches memory or, between loads, uses what they
 * load; i itself: none. */
static uint32_t next_column(struct kl_lanes *l, uint32_t i) {
  const struct kl_func *f = l->e->f;
  const bool is_load = f->inst[i].op == LLVMLoad;
  for (uint32_t k = i + 1; k < end_of(f, i) && k < i + MOST_AHEAD; k++) {
    if (is_load && uses_column(l, k)) return i;
    if (f->inst[k].op == f->inst[i].op && is_column(l, k)) return k;
    if (!is_pure(&f->inst[k])) return i;
  }
  return i;
}

static uint32_t place_in(const struct kl_columns *c, uint32_t i) {
  uint32_t k = 0;
  while (k < c->n && c->inst[k] != i) k++;
  return k;
}

const struct kl_columns *kiln_columns_of(struct kl_lanes *l, uint32_t i) {
  struct kl_columns *c = &l->columns;
  const uint32_t place = place_in(c, i);
  if (c->pass == l->e->pass && place > 0 && place < c->n) return c;
  *c = (struct kl_columns){.inst = {i}, .n = 1, .pass = l->e->pass};
  if (!is_column(l, i)) return c;
  for (uint32_t at = i, next; c->n < KL_MOST_COLUMNS && (next = next_column(l, at)) != at; at = next)
    c->inst[c->n++] = next;
  return c;
}
