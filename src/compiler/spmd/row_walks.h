/* Loops in which each lane goes along a row of its own (`a[i * n + k]`, k by k): some turns at once, so that
 * what lanes load of their rows and store to them are records, which are transposed, and not an address for
 * each lane and element. */
#ifndef KILN_COMPILER_SPMD_ROW_WALKS_H
#define KILN_COMPILER_SPMD_ROW_WALKS_H

#include "compiler/spmd/lane_cost.h"
#include "compiler/spmd/lane_plan.h"

/* Turns of the loop to be taken at once; 0: it stays. Stores would keep loads of later turns from coming
 * first, unless they are known to lie elsewhere: then they are blocks of rows, too. in: env, map and f. */
uint64_t kiln_row_walks_turns(const struct kl_lane_costs *in, const struct kl_shapes *shapes, uint32_t loop);

/* Marks such loops of the kernel for kiln_spmd_unroll_hinted, unless the program has a say in it, and those
 * whose hints wait for lanes (hinted_loops.h). lanes: as planned for the kernel as it is. True if there are
 * any: the kernel is to be unrolled, read and planned again. */
bool kiln_row_walks_mark(struct kl_env *env, const struct kl_program *program,
                         const struct kl_lane_plan *lanes);

#endif
