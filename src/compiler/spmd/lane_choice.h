/* Chooses the mapping of work-items to lanes (compiler.md 2.6): the dimension along which accesses are
 * contiguous, how many lanes, in how many rows. */
#ifndef KILN_COMPILER_SPMD_LANE_CHOICE_H
#define KILN_COMPILER_SPMD_LANE_CHOICE_H

#include "compiler/spmd/abreast.h"
#include "compiler/spmd/lane_cost.h"

struct kl_lane_choice {
  struct kl_lane_costs costs;
  struct kl_program *program;
  const struct kiln_spec *spec;
  unsigned most;  /* lanes, where none are forced; 0: any number */
  bool merges;    /* neighbouring groups of the first dimension run as one where that fills vectors */
  unsigned lanes; /* for the sake of stores past the caches (kiln_stream_lanes): if the code stays short */
};

/* The best mapping, and the shapes and code for one lane after the other (serial_regions.h) that go with it.
 * A width of 1: scalar code costs less; *abreast is how it costs least: two work-items side by side,
 * or NULL for one at a time. */
struct kl_mapping kiln_lane_choose(const struct kl_lane_choice *in, struct kl_shapes *shapes,
                                   struct kl_lane_turns *turns, struct kl_abreast **abreast,
                                   struct kl_lane_estimate *estimate);

/* Work-items of a sub-group: the lanes of a register for the types that the kernel computes with, at least 4;
 * 1 where there are no lanes. */
unsigned kiln_lane_sub_group(const struct kl_program *program, unsigned native);

#endif
