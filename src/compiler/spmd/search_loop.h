/* Loops that look for something: along rows, or among divisors. */
#ifndef KILN_COMPILER_SPMD_SEARCH_LOOP_H
#define KILN_COMPILER_SPMD_SEARCH_LOOP_H

#include "compiler/spmd/lane_cost.h"

/* What work-items leave a loop by. Lanes go around until the last of them has found it, while a work-item by
 * itself goes no further than it must. */
enum kl_search {
  KL_NO_SEARCH,
  KL_SEARCH_ROW,    /* what they read, each along a row of its own: ends of strings, the first difference */
  KL_SEARCH_TEXT,   /* the same, each from its own place in one text, by narrow elements without masks */
  KL_SEARCH_DIVISOR /* the first number that divides their own */
};

/* By loop. Arena memory of in->env. */
enum kl_search *kiln_search_loops_find(const struct kl_lane_costs *in, const struct kl_shapes *shapes);
/* Turns until the last of so many lanes has left, over those that one takes: along rows and texts when
 * leaving is as likely in one turn as in the next; of divisors when there are few or none to some numbers, as
 * to primes. */
double kiln_search_turns(enum kl_search search, unsigned lanes);

#endif
