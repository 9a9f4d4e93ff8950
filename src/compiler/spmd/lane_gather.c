/* Accesses with an address of its own for each lane. */
#include "compiler/spmd/lane_access.h"
#include "compiler/spmd/lane_private.h"
#include "compiler/spmd/lane_routine.h"

#include <string.h>

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

LLVMValueRef kiln_lanes_gather(struct kl_lanes *l, LLVMTypeRef part, LLVMValueRef from, unsigned align,
                               LLVMValueRef mask) {
  LLVMTypeRef types[] = {kiln_lanes_type(l, part), LLVMTypeOf(from)};
  LLVMValueRef args[] = {from, kiln_lanes_number(l, align), mask, LLVMGetPoison(types[0])};
  return kiln_lanes_intrinsic(l, "llvm.masked.gather", types, 2, args, 4);
}

static LLVMValueRef gather_one(struct kl_lanes *l, const struct kl_access *a, uint32_t k, LLVMValueRef mask) {
  LLVMValueRef made;
  struct kl_access one = *a;
  one.n = 1;
  one.type[0] = a->type[k];
  one.offset[0] = a->offset[k];
  if (kiln_narrow_gather(l, &one, mask, &made)) return made;
  return kiln_lanes_gather(l, a->type[k], kiln_access_addresses(l, a, k), kiln_access_align(a, k), mask);
}

static void scatter_one(struct kl_lanes *l, const struct kl_access *a, uint32_t k, LLVMValueRef mask,
                        LLVMValueRef value) {
  LLVMValueRef to = kiln_access_addresses(l, a, k);
  LLVMTypeRef types[] = {LLVMTypeOf(value), LLVMTypeOf(to)};
  LLVMValueRef args[] = {value, to, kiln_lanes_number(l, kiln_access_align(a, k)), mask};
  kiln_lanes_intrinsic(l, "llvm.masked.scatter", types, 2, args, 4);
}

/* ---- all components ---- */

bool kiln_access_can_gather(const struct kl_lanes *l, const struct kl_access *a) {
  return l->e->program->native >= 16 && (a->size >= 4 || kiln_access_align(a, 0) >= a->size);
}

bool kiln_access_can_scatter(const struct kl_lanes *l, const struct kl_access *a) {
  return l->e->program->native >= 16 && a->size >= 4;
}

/* Without an instruction for it the code generator makes code for each lane. AVX2 gathers, but takes twice as
 * many instructions for bytes. */
static bool has_instruction(struct kl_lanes *l, const struct kl_access *a, bool is_store) {
  const unsigned native = l->e->program->native;
  if (native < 16) return native >= 8 && a->size >= 4 && !is_store;
  return is_store ? kiln_access_can_scatter(l, a) : kiln_access_can_gather(l, a);
}

/* In code that seldom runs: an instruction for each component, where there is one; else a loop. */
static bool is_short(struct kl_lanes *l, const struct kl_access *a, bool is_store) {
  return l->seldom && has_instruction(l, a, is_store);
}

static bool is_left_over(struct kl_lanes *l, const struct kl_access *a, bool is_store) {
  return l->seldom && !has_instruction(l, a, is_store) && a->n * l->width > KL_AS_SHORT;
}

enum { MOST_RARE = 4 }; /* gathers of an access in code that seldom runs, beyond which a loop is shorter */

/* Addresses take 8 bytes each; to cut a narrow element out takes as much again. */
bool kiln_access_is_long(const struct kl_lanes *l, const struct kl_access *a) {
  return a->n * (l->width + 7) / 8 * (a->size < 4 ? 2 : 1) > MOST_RARE;
}

static bool wants_loop(struct kl_lanes *l, const struct kl_access *a, bool is_store, bool rare) {
  if (has_instruction(l, a, is_store)) return rare && kiln_access_is_long(l, a);
  if (rare || l->elements >= l->most_elements || (is_store && kiln_access_is_compact(a))) return true;
  l->elements += a->n;
  return false;
}

bool kiln_access_goes_in_loop(struct kl_lanes *l, const struct kl_access *a, bool rare) {
  const bool is_store = l->e->f->inst[a->inst[0]].op == LLVMStore;
  return !has_instruction(l, a, is_store) && (rare || is_left_over(l, a, is_store));
}

void kiln_access_gather(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask, bool rare,
                        LLVMValueRef *out) {
  rare |= is_left_over(l, a, false);
  if (!rare && kiln_private_load_rows(l, a, out)) return;
  if (!rare && !is_short(l, a, false) && kiln_private_load(l, a, mask, out)) return;
  if (kiln_called_load(l, a, mask, rare, out)) return;
  if (!rare && !is_short(l, a, false) && kiln_access_load_lanes(l, a, mask, out)) return;
  struct kl_access pairs;
  LLVMValueRef pair[KL_MOST_COMPONENTS];
  if (has_instruction(l, a, false) && kiln_access_as_pairs(l, a, &pairs)) {
    kiln_access_gather(l, &pairs, mask, rare, pair);
    kiln_pairs_split(l, a, pair, out);
  } else if (wants_loop(l, a, false, rare)) kiln_access_load_loop(l, a, 1, mask, rare, out);
  else if (!kiln_narrow_gather(l, a, mask, out))
    for (uint32_t k = 0; k < a->n; k++) out[k] = gather_one(l, a, k, mask);
}

void kiln_access_scatter(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask, bool rare,
                         LLVMValueRef *value) {
  rare |= is_left_over(l, a, true);
  if (!rare && kiln_private_store_rows(l, a, mask, value)) return;
  if (!rare && !is_short(l, a, true) && kiln_private_store(l, a, mask, value)) return;
  if (kiln_called_store(l, a, mask, false, value)) return;
  if (!rare && !is_short(l, a, true) && kiln_access_store_lanes(l, a, mask, value)) return;
  struct kl_access pairs;
  LLVMValueRef pair[KL_MOST_COMPONENTS];
  if (has_instruction(l, a, true) && kiln_access_as_pairs(l, a, &pairs)) {
    kiln_pairs_join(l, a, value, pair);
    kiln_access_scatter(l, &pairs, mask, rare, pair);
  } else if (wants_loop(l, a, true, rare)) {
    if (!kiln_called_store(l, a, mask, true, value)) kiln_access_store_loop(l, a, 1, mask, rare, value);
  } else
    for (uint32_t k = 0; k < a->n; k++) scatter_one(l, a, k, mask, value[k]);
}
