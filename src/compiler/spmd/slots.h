/* Context slots: the places in the arena where values and private arrays of each work-item live across
 * barriers. */
#ifndef KILN_COMPILER_SPMD_SLOTS_H
#define KILN_COMPILER_SPMD_SLOTS_H

#include "compiler/spmd/regions.h"

/* A slot of its own; size and alignment in bytes. Returns its number. */
uint32_t kiln_slot_add(struct kl_plan_job *job, uint64_t size, uint32_t align);
/* Marks the values that cross barriers and are `kept` with KL_KEEP_ITEM, and deals out their slots. Values
 * that are never alive together share one: a variable of a loop around barriers then stays where it is. Wants
 * liveness. */
void kiln_slots_deal(struct kl_plan_job *job, const bool *kept);

#endif
