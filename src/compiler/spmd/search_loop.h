/* Loops that look for something along rows. */
#ifndef KILN_COMPILER_SPMD_SEARCH_LOOP_H
#define KILN_COMPILER_SPMD_SEARCH_LOOP_H

#include "compiler/spmd/lane_cost.h"

/* By loop: whether work-items leave it by what they read in it, each along a row of its own (the length of a
 * string, the first difference of two). Lanes go around until the last of them has found it, while a
 * work-item by itself reads its row no further than it must. Arena memory of in->env. */
bool *kiln_search_loops_find(const struct kl_lane_costs *in, const struct kl_shapes *shapes);
/* Turns until the last of so many lanes has left, over those that one takes, when leaving is as likely in one
 * turn as in the next. */
double kiln_search_turns(unsigned lanes);

#endif
