/* Loops along rows, which become vectors by themselves. */
#ifndef KILN_COMPILER_SPMD_ROW_LOOP_H
#define KILN_COMPILER_SPMD_ROW_LOOP_H

#include "compiler/spmd/lane_cost.h"

/* The loop is one block, and how many turns it takes is known when it begins. */
bool kiln_row_loop_is_counted(const struct kl_lane_costs *in, const struct kiln_loops *loops, uint32_t loop);
/* Bytes that the address of an access grows by in a turn of the innermost loop around it; INT64_MIN: not
 * known; 0 for private arrays, of which nothing is asked. */
int64_t kiln_row_loop_step(const struct kl_lane_costs *in, const struct kiln_loops *loops, uint32_t access);

/* Loop `loop` of a work-item is one block that goes along rows, one, two or four elements in each turn
 * (*each_out: at most), and carries sums, of reals if their order may change, and the like only: in scalar
 * code LLVM makes vectors along the rows of it. */
enum kl_row_loop { KL_NO_ROW, KL_READ_ROW, KL_SUMMED_REALS /* read, too */, KL_WRITTEN_ROW };
enum kl_row_loop kiln_row_loop_find(const struct kl_lane_costs *in, const struct kiln_loops *loops,
                                    uint32_t loop, uint32_t *each_out);

#endif
