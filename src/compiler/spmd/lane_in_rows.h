/* OpenCL vectors that loops carry: sums of what lies in memory side by side, for all lanes. */
#ifndef KILN_COMPILER_SPMD_LANE_IN_ROWS_H
#define KILN_COMPILER_SPMD_LANE_IN_ROWS_H

#include "compiler/spmd/shape.h"

/* By value: it is best had in rows, in the order of memory, and not by components. These are phis of loops
 * that are fed by loads whose lanes follow one another, component by component alike, where nothing in the
 * loop asks for a single component of what is made on the way; and what they are made of. NULL: there are no
 * such phis. */
bool *kiln_in_rows_find(struct kl_env *env, const struct kl_func *f, const struct kl_shapes *shapes,
                        const struct kl_plan *plan, struct kl_map *map);

#endif
