/* What every turn of a loop does alike. */
#ifndef KILN_COMPILER_SPMD_STEADY_LOAD_H
#define KILN_COMPILER_SPMD_STEADY_LOAD_H

#include "compiler/spmd/lane_cost.h"

/* By instruction: code generation takes it out of its loop, of which every turn does it for all lanes, from
 * the same addresses, and none writes where it might read. Arena memory of in->env. */
bool *kiln_steady_loads_find(const struct kl_lane_costs *in, const struct kl_shapes *shapes);

#endif
