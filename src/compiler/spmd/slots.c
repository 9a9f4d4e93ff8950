/* Deals out context slots; see slots.h. */
#include "compiler/spmd/slots.h"

#include "compiler/spmd/lanes.h"

#include <string.h>

enum { MOST_TRIED = 64 }; /* slots that a value is compared with */

/* Sets of regions, a bit each. */
struct dealer {
  struct kl_plan_job *job;
  uint32_t words;
  uint64_t **alive;  /* by value: regions at whose start it is alive; NULL: it needs no slot */
  uint64_t **taken;  /* by slot: regions at whose start one of its values is alive; NULL: not to be shared */
  LLVMTypeRef *type; /* by slot: of one of its values */
};

static struct kl_context_slot slot_for(uint64_t size, uint32_t align) {
  return (struct kl_context_slot){(size + align - 1) & ~(uint64_t)(align - 1), align, 1, false};
}

uint32_t kiln_slot_add(struct kl_plan_job *job, uint64_t size, uint32_t align) {
  struct kl_plan *plan = job->plan;
  plan->slots[plan->nslot] = slot_for(size, align);
  return plan->nslot++;
}

static void find_alive(struct dealer *d, const bool *kept) {
  const struct kl_plan *plan = d->job->plan;
  for (uint32_t r = 1; r < plan->nregion; r++) {
    const struct kl_list *live = &plan->region[r].live;
    for (uint32_t i = 0; i < live->n; i++) {
      uint64_t **set = &d->alive[live->at[i]];
      if (!kept[live->at[i]]) continue;
      if (*set == NULL) *set = kl_new(d->job->env, d->words, uint64_t);
      (*set)[r / 64] |= UINT64_C(1) << r % 64;
    }
  }
}

static LLVMTypeRef type_of(const struct dealer *d, uint32_t v) {
  return kiln_map_type(d->job->map, LLVMTypeOf(d->job->f->inst[v].v));
}

/* Component k of all work-items lies together: only where components are of equal size does each vector of
 * work-items write over its own old values and nobody else's. */
static bool has_same_parts(const struct dealer *d, LLVMTypeRef a, LLVMTypeRef b) {
  struct kl_map *map = d->job->map;
  uint32_t n = kiln_type_parts(a);
  if (n != kiln_type_parts(b)) return false;
  for (uint32_t k = 0; k < n; k++)
    if (kiln_map_size(map, kiln_type_part(a, k)) != kiln_map_size(map, kiln_type_part(b, k))) return false;
  return true;
}

static bool may_share(const struct dealer *d, uint32_t slot, uint32_t v, struct kl_context_slot wanted) {
  const struct kl_context_slot *s = &d->job->plan->slots[slot];
  if (d->taken[slot] == NULL || s->size != wanted.size || s->align != wanted.align) return false;
  if (!has_same_parts(d, d->type[slot], type_of(d, v))) return false;
  for (uint32_t w = 0; w < d->words; w++)
    if (d->taken[slot][w] & d->alive[v][w]) return false;
  return true;
}

static bool has_slot(const struct dealer *d, uint32_t v) {
  return v < d->job->f->ninst && d->job->plan->keep[v] == KL_KEEP_ITEM;
}

/* The slot of a phi that v goes into or of a value that goes into the phi v; KL_NONE if there is none. */
static uint32_t slot_of_same_variable(const struct dealer *d, uint32_t v, struct kl_context_slot wanted) {
  const struct kl_func *f = d->job->f;
  const struct kl_uses *uses = &d->job->uses;
  for (uint32_t k = 0; f->inst[v].op == LLVMPHI && k < f->inst[v].nops; k += 2) {
    uint32_t o = kl_operand(f, v, k);
    if (has_slot(d, o) && may_share(d, d->job->plan->slot[o], v, wanted)) return d->job->plan->slot[o];
  }
  for (uint32_t k = uses->first[v]; k < uses->first[v + 1]; k++) {
    uint32_t user = uses->at[k];
    if (f->inst[user].op == LLVMPHI && has_slot(d, user) && may_share(d, d->job->plan->slot[user], v, wanted))
      return d->job->plan->slot[user];
  }
  return KL_NONE;
}

static uint32_t choose_slot(struct dealer *d, uint32_t v, uint32_t first, struct kl_context_slot wanted) {
  uint32_t slot = slot_of_same_variable(d, v, wanted);
  if (slot != KL_NONE) return slot;
  uint32_t end = d->job->plan->nslot;
  for (slot = end - first > MOST_TRIED ? end - MOST_TRIED : first; slot < end; slot++)
    if (may_share(d, slot, v, wanted)) return slot;
  slot = kiln_slot_add(d->job, wanted.size, wanted.align);
  d->taken[slot] = kl_new(d->job->env, d->words, uint64_t);
  d->type[slot] = type_of(d, v);
  d->job->plan->slots[slot].parts = kiln_type_parts(d->type[slot]);
  return slot;
}

/* Room for the value as it is and for its components one by one, where a truth value takes a byte. */
static struct kl_context_slot slot_of_type(struct kl_map *map, LLVMTypeRef type) {
  uint64_t size = kiln_map_size(map, type), parts = 0;
  for (uint32_t k = 0; k < kiln_type_parts(type); k++) parts += kiln_map_size(map, kiln_type_part(type, k));
  return slot_for(size > parts ? size : parts, kiln_map_align(map, type));
}

void kiln_slots_deal(struct kl_plan_job *job, const bool *kept) {
  const struct kl_func *f = job->f;
  struct kl_plan *plan = job->plan;
  struct dealer d = {.job = job,
                     .words = plan->nregion / 64 + 1,
                     .alive = kl_new(job->env, f->nvalue, uint64_t *),
                     .taken = kl_new(job->env, (size_t)f->ninst + 1, uint64_t *),
                     .type = kl_new(job->env, (size_t)f->ninst + 1, LLVMTypeRef)};
  uint32_t first = plan->nslot;
  find_alive(&d, kept);
  for (uint32_t v = f->narg; v < f->ninst; v++) {
    if (d.alive[v] == NULL) continue;
    struct kl_context_slot wanted = slot_of_type(job->map, type_of(&d, v));
    plan->slot[v] = choose_slot(&d, v, first, wanted);
    plan->keep[v] = KL_KEEP_ITEM;
    for (uint32_t w = 0; w < d.words; w++) d.taken[plan->slot[v]][w] |= d.alive[v][w];
  }
}

bool kiln_slot_is_current(const struct kl_plan *plan, const struct kl_func *f, const struct kl_region *region,
                          uint32_t v) {
  bool found = false;
  if (f->inst[v].op != LLVMPHI || plan->keep[v] != KL_KEEP_ITEM) return false;
  for (uint32_t k = 0; k < f->inst[v].nops; k += 2) {
    uint32_t o = kl_operand(f, v, k);
    if (!kiln_region_has(region, kl_operand(f, v, k + 1))) continue;
    if (o < f->narg || o >= f->ninst || plan->keep[o] != KL_KEEP_ITEM || plan->slot[o] != plan->slot[v] ||
        kiln_region_has(region, f->inst[o].bb))
      return false;
    found = true;
  }
  return found;
}
