/* Work-group collectives: each ends a region, whose loop over work-items gathers the values in a variable
 * (the total) in linear order; the region after it begins with the result. With several work-items at a time
 * the total becomes a vector that is folded once, and a scan a prefix with carry. */
#ifndef KILN_COMPILER_SPMD_COLLECTIVE_H
#define KILN_COMPILER_SPMD_COLLECTIVE_H

#include "compiler/spmd/group.h"

/* The collective before a region when somebody uses its result, else KL_NONE. */
uint32_t kiln_collective_wanted(const struct kl_group *g, uint32_t region);

/* ---- one work-item at a time ---- */
/* Before the loops of a region: the result of the collective that the region follows, if all share it. */
void kiln_collective_take(struct kl_group *g, uint32_t region);
/* Before the loops of a region that may end at the collective before `region`; after take. */
void kiln_collective_open(struct kl_group *g, uint32_t region);
/* Where a work-item ends at the collective before `region`: adds its value; a scan leaves the result. */
void kiln_collective_give(struct kl_group *g, uint32_t region);

/* ---- several (lane_collective.c): the same steps ---- */
LLVMValueRef kiln_lane_collective_take(struct kl_group *g, uint32_t region); /* NULL: none, or a scan */
void kiln_lane_collective_open(struct kl_group *g, uint32_t region);
/* For the lanes of mask; a scan's result for its slot, or NULL. */
LLVMValueRef kiln_lane_collective_give(struct kl_group *g, uint32_t region, LLVMValueRef mask);

#endif
