/* Indices that jump from lane to lane, though a check may find them in a row. */
#ifndef KILN_COMPILER_SPMD_LANE_JUMPS_H
#define KILN_COMPILER_SPMD_LANE_JUMPS_H

#include "compiler/spmd/shape.h"

struct kl_jumps {
  bool is_segmented; /* it looks at bits by a mask that a loop changes, as in butterflies and bitonic
                        networks, whose steps get shorter than a vector; the longer a vector, the sooner */
  uint64_t period;   /* elements after which a constant remainder in it begins anew; 0: none does */
  uint32_t ends; /* bounds at which indices stop, turn or begin anew: ends of rows whose length is unknown */
};

/* Of a value for which a check stands, with all that leads to it. */
struct kl_jumps kiln_jumps_find(const struct kl_func *f, const struct kl_shapes *shapes, uint32_t value);

#endif
