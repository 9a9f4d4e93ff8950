/* Functions that stay functions, for a vector of work-items: one form for each way their arguments change
 * from lane to lane. */
#ifndef KILN_COMPILER_SPMD_LANE_FUNCTION_H
#define KILN_COMPILER_SPMD_LANE_FUNCTION_H

#include "compiler/spmd/lanes.h"

struct kl_lane_function;

/* Emits a call of a function with a body for the lanes of the mask; false: it has no such form. */
bool kiln_lanes_function(struct kl_lanes *l, uint32_t inst);
/* Emits the bodies of all forms that calls have asked for, and of those that these call. */
void kiln_lane_functions_emit(struct kl_emit *e);

#endif
