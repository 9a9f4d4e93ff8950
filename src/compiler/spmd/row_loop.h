/* Loops along rows, which become vectors by themselves. */
#ifndef KILN_COMPILER_SPMD_ROW_LOOP_H
#define KILN_COMPILER_SPMD_ROW_LOOP_H

#include "compiler/spmd/lane_cost.h"

/* Loop `loop` of a work-item is one block that reads neighbouring elements turn by turn, writes nothing and
 * carries sums of integers and the like only: in scalar code LLVM makes vectors along the row of it. */
bool kiln_is_row_loop(const struct kl_lane_costs *in, const struct kiln_loops *loops, uint32_t loop);

#endif
