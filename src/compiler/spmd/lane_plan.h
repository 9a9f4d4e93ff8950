/* Decides, before any code is emitted, whether and how a kernel runs several work-items at a time. */
#ifndef KILN_COMPILER_SPMD_LANE_PLAN_H
#define KILN_COMPILER_SPMD_LANE_PLAN_H

#include "compiler/compiler.h"
#include "compiler/spmd/flow.h"
#include "compiler/spmd/shape.h"

struct kl_lane_plan {
  unsigned width;  /* work-items at a time; 1: scalar code, and nothing else here is set */
  bool whole_rows; /* rows of full groups have no rest */
  struct kl_shapes shapes;
  struct kl_flow *flow; /* by region */
  uint8_t **kept;       /* by region, by value: used after a loop that lanes leave at different turns */
  uint32_t **latches;   /* by region, by loop of its flow: edges back to the header */
};

/* width: what the processor's registers suggest for 32-bit values, a power of 2; 1 or 0: scalar code. */
void kiln_lane_plan_make(struct kl_lane_plan *lanes, struct kl_env *env, struct kl_program *program,
                         const struct kl_plan *plan, const struct kiln_spec *spec, unsigned width);
/* For a function that is the kernel of `program`, called for lanes->width lanes; varies: by argument. False
 * if it has no vector form. */
bool kiln_lane_plan_function(struct kl_lane_plan *lanes, struct kl_env *env, struct kl_program *program,
                             const struct kl_plan *plan, bool *varies);
static inline bool kiln_lane_plan_is_kept(const struct kl_lane_plan *p, uint32_t region, uint32_t value) {
  return p->kept[region][value];
}
static inline uint32_t kiln_lane_plan_latches(const struct kl_lane_plan *p, uint32_t region, uint32_t loop) {
  return p->latches[region][loop];
}

#endif
