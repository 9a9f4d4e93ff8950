/* What a call of a function of the program costs, which mostly has a vector form. */
#ifndef KILN_COMPILER_SPMD_CALLED_COST_H
#define KILN_COMPILER_SPMD_CALLED_COST_H

#include "compiler/spmd/lane_cost.h"

/* Whether the instruction calls such a function; those that access images are none. */
bool kiln_calls_function(const struct kl_inst *inst);
/* Operations on registers that it consists of for `width` work-items (1: in scalar code), as far as that is
 * looked at: loops count once, what it calls itself as a call. */
double kiln_called_cost(const struct kl_lane_costs *in, const struct kl_inst *call, unsigned width);

#endif
