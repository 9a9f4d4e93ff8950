/* Branches that ask whether ids lie within bounds, as in `if (get_global_id(0) < n)`: though lanes may part
 * there, few vectors do. */
#ifndef KILN_COMPILER_SPMD_ID_BOUNDS_H
#define KILN_COMPILER_SPMD_ID_BOUNDS_H

#include "compiler/spmd/lane_cost.h"

/* By block: it ends in such a branch. */
bool *kiln_id_bounds_find(const struct kl_lane_costs *in, const struct kl_shapes *shapes);

#endif
