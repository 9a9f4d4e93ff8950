/* What the planner of lanes (lane_plan.c) and that of its regions (lane_region_plan.c) share; nobody else's.
 */
#ifndef KILN_COMPILER_SPMD_LANE_PLANNER_H
#define KILN_COMPILER_SPMD_LANE_PLANNER_H

#include "compiler/spmd/lane_plan.h"

struct kl_lane_planner {
  struct kl_lane_plan *lanes;
  struct kl_env *env;
  struct kl_program *program;
  const struct kl_func *f;
  const struct kl_plan *plan;
  struct kl_uses uses;
  uint32_t *node_of; /* by block, in the region at hand; KL_NONE elsewhere */
  bool *apart;       /* by value: kl_plan.apart of the next try; NULL: there is none */
  bool found_apart;
};

/* Flows of all regions, and the values that loops keep for lanes which have left them. False: some region has
 * no form in lanes, or has one only where values that p->apart now names are each lane's own. */
bool kiln_lane_plan_regions(struct kl_lane_planner *p);

#endif
