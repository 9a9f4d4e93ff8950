/* Private arrays whose elements lie lane by lane, at places that lanes choose. */
#ifndef KILN_COMPILER_SPMD_LANE_PRIVATE_H
#define KILN_COMPILER_SPMD_LANE_PRIVATE_H

#include "compiler/spmd/lane_access.h"

/* Not the same element for all lanes. */
bool kiln_private_is_choosing(const struct kl_access *a);
/* Of the lanes' elements, from the array's start, as words: cheaper to take out of their vector than
 * addresses are. Not negative, since they are within the array. NULL: there are none. */
LLVMValueRef kiln_private_offsets(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask,
                                  LLVMValueRef *base);

/* ---- arrays of few elements (lane_few_rows.c) ---- */
/* Rows of a private array in which a pointer may be, where each is asked which lanes mean it; 0: there are
 * too many. native: 32-bit elements of a register. */
uint32_t kiln_private_rows(struct kl_map *map, const struct kl_func *f, const struct kl_shapes *shapes,
                           uint32_t pointer, unsigned native);
/* False: there are more rows. */
bool kiln_private_load_rows(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef *out);
bool kiln_private_store_rows(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask,
                             LLVMValueRef *value);

/* ---- others, lane after lane (lane_private.c) ---- */
/* Lane after lane. False: it is to be done another way. */
bool kiln_private_load(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask, LLVMValueRef *out);
bool kiln_private_store(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask,
                        LLVMValueRef *value);

/* By instruction: the store that changes an element in place with it, as a load, an operation or that store;
 * KL_NONE: none does. native: 32-bit elements of a register. Owned by env. */
uint32_t *kiln_updates_find(struct kl_env *env, const struct kl_func *f, const struct kl_shapes *shapes,
                            unsigned native, struct kl_map *map);
/* Changes an element of each lane that is on. a: of the store. */
void kiln_lanes_update(struct kl_lanes *l, uint32_t store, const struct kl_access *a);

#endif
