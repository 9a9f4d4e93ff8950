/* Steps of kiln_plan_make that walk the graph: regions, what lives across barriers, private objects. */
#ifndef KILN_COMPILER_SPMD_REGIONS_H
#define KILN_COMPILER_SPMD_REGIONS_H

#include "compiler/spmd/plan.h"
#include "compiler/spmd/uniform.h"

struct kl_plan_job {
  struct kl_env *env;
  struct kl_map *map;
  struct kl_program *program;
  const struct kl_func *f;
  struct kl_plan *plan;
  struct kl_uses uses;
  struct kl_uniform uniform;
  uint32_t *region_at; /* by block: the region that it starts, or KL_NONE */
  bool *again;         /* by value: cheap enough to compute again */
  bool *crosses;       /* by value: live at the start of some region */
};

bool kiln_is_group_value(const struct kl_plan_job *job, uint32_t value);
void kiln_regions_find(struct kl_plan_job *job);
/* Fills region.live and job->crosses; wants job->again. */
void kiln_regions_liveness(struct kl_plan_job *job);
/* Some work-items may return from a region while others end at a barrier. */
bool kiln_regions_exit_early(struct kl_plan_job *job);

/* May its contents be read after a barrier that follows the writing? */
bool kiln_object_outlives(struct kl_plan_job *job, uint32_t value);

#endif
