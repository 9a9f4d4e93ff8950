/* How a kernel is cut at its barriers, and what each of its values becomes: decided before any code is
 * emitted.
 *
 * A region is the code from the entry (region 0) or from a barrier (region of that number) to the next
 * barriers and returns; all work-items run a region before any starts the next one. Blocks may lie in several
 * regions. */
#ifndef KILN_COMPILER_SPMD_PLAN_H
#define KILN_COMPILER_SPMD_PLAN_H

#include "compiler/spmd/program.h"

/* How a value gets from the region that computes it to the ones that use it. */
enum kl_keep {
  KL_KEEP_NONE,  /* it does not: computed and used within one run of a region */
  KL_KEEP_GROUP, /* one variable: the same for all work-items */
  KL_KEEP_AGAIN, /* computed again from ids and arguments */
  KL_KEEP_ITEM   /* a context slot per work-item */
};

/* Where a private array lies. */
enum kl_place {
  KL_PLACE_NONE,   /* no private array */
  KL_PLACE_STACK,  /* one on the stack, for the work-item that runs */
  KL_PLACE_SHARED, /* one in the arena, for the work-item that runs: large ones */
  KL_PLACE_ITEM    /* one per work-item in the arena */
};

struct kl_region {
  uint32_t entry;          /* block */
  uint32_t after;          /* the barrier or collective that it follows; KL_NONE: region 0 */
  uint32_t *block, nblock; /* in reverse post-order */
  struct kl_list live;     /* values that a use after the entry takes from before it */
  struct kl_list next;     /* barriers at which it may end */
  bool returns;
};

/* Bytes per work-item in the arena: a value or an array. */
struct kl_context_slot {
  uint64_t size;
  uint32_t align;
  uint32_t parts; /* components, each of which lies together for all work-items */
  bool is_object;
};

struct kl_plan {
  struct kl_region *region; /* number of barriers + 1; entry KL_NONE when nothing reaches it */
  uint32_t nregion;
  uint8_t *varying; /* by value: work-items may disagree */
  uint8_t *keep;    /* by value: enum kl_keep */
  uint8_t *place;   /* by value: enum kl_place of allocas */
  uint32_t *slot;   /* by value: context slot of KL_KEEP_ITEM, which values may share, and KL_PLACE_ITEM */
  const struct kl_shape *arguments; /* by argument; NULL: the same in all lanes, as in kernels */
  const uint8_t *units;             /* by argument, where there are shapes: kl_shapes.unit */
  const bool *apart; /* by value: taken for varying, as lanes may come to it one by one; NULL: none is */
  struct kl_context_slot *slots;
  uint32_t nslot;
  uint64_t shared_bytes, *shared_at; /* KL_PLACE_SHARED: size of their block; offset by value */
  uint32_t shared_align;
  uint64_t stack_bytes; /* of KL_PLACE_STACK */
  uint32_t exit_slot;   /* of the mask, when exits_early */
  bool exits_early;     /* work-items may return while others go on to a barrier: needs a mask */
};

void kiln_plan_make(struct kl_plan *plan, struct kl_env *env, struct kl_program *program);
/* Arena bytes that one work-item accounts for, at most: frames and shared arrays count in full. */
uint64_t kiln_plan_bound(const struct kl_plan *plan, const struct kl_program *program);
bool kiln_region_has(const struct kl_region *region, uint32_t block);
/* v is a phi of the region into which only what its slot holds at the region's start can come (slots.c). */
bool kiln_slot_is_current(const struct kl_plan *plan, const struct kl_func *f, const struct kl_region *region,
                          uint32_t v);
/* A byval argument. */
bool kiln_is_byval(LLVMValueRef fn, uint32_t arg);
LLVMTypeRef kiln_byval_type(struct kl_map *map, LLVMValueRef fn, uint32_t arg);

#endif
