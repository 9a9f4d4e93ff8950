/* Loops in which each turn looks something up where the turn before has found where to look, or may have
 * stored at a place that it has found (RC4). */
#ifndef KILN_COMPILER_SPMD_CHASE_H
#define KILN_COMPILER_SPMD_CHASE_H

#include "compiler/spmd/lane_cost.h"

/* By loop: turns of the processor from what it carries, through a load at an address that comes of it, to
 * what it carries next, in scalar code; 0: it does not chase. Where branches meet, which processors foretell,
 * the longest way counts, without what decides. Inner loops are left out. Arena memory of in->env. */
uint32_t *kiln_chases_find(const struct kl_lane_costs *in, const struct kiln_loops *loops);

#endif
