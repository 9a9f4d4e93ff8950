/* Which code under masks runs for one lane after the other, as scalars: where some lanes are off and the
 * others each have addresses of their own, as in reductions of neighbours (`if (id % (2 * step) == 0)`), it
 * costs less, and is shorter. */
#ifndef KILN_COMPILER_SPMD_SERIAL_REGIONS_H
#define KILN_COMPILER_SPMD_SERIAL_REGIONS_H

#include "compiler/spmd/lane_cost.h"

struct kl_serial_regions {
  struct kl_lane_turns turns;
  double cost;     /* of all of it, for a vector */
  double in_loops; /* of that, regions with a turn of a loop */
  double left_out; /* of a work-item: what it does not run of it, as scalar code would not either */
};
/* turns: by loop; bounds: kiln_id_bounds_find; vectors: by block, what it costs for vectors. */
struct kl_serial_regions kiln_serial_regions_find(const struct kl_lane_costs *in,
                                                  const struct kl_shapes *shapes, const uint32_t *turns,
                                                  const bool *bounds, const struct kl_lane_cost *vectors);

#endif
