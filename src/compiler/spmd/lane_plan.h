/* Decides, before any code is emitted, whether and how a kernel runs several work-items at a time. */
#ifndef KILN_COMPILER_SPMD_LANE_PLAN_H
#define KILN_COMPILER_SPMD_LANE_PLAN_H

#include "compiler/compiler.h"
#include "compiler/spmd/flow.h"
#include "compiler/spmd/lane_cost.h"
#include "compiler/spmd/shape.h"

struct kl_lane_plan {
  unsigned width;     /* work-items at a time; 1: scalar code, and nothing else here but sub_group is set */
  unsigned sub_group; /* work-items of a sub-group; the width, where the kernel asks for them */
  bool is_sub_group;  /* a vector is a sub-group, or would be */
  const char *why;    /* width is 1: the reason */
  struct kl_lane_estimate estimate; /* all 0: there is none */
  bool any_number;                  /* width is 1, and would be in launches of any number of work-items */
  bool merges;    /* neighbouring groups of the first dimension run as one: kiln_mapping_merge */
  uint32_t grain; /* merged groups have a multiple of so many items in a row; 0: any number */

  struct kl_abreast *abreast; /* width is 1: how two work-items run side by side; NULL: they do not */

  struct kl_shapes shapes;
  struct kl_shapes rest; /* for the rest of a row, where that takes fewer lanes: shapes.map.rest */
  struct kl_lane_turns turns;
  struct kl_flow *flow; /* by region */
  uint8_t **kept;       /* by region, by value: used after a loop that lanes leave at different turns */
  uint32_t **latches;   /* by region, by loop of its flow: edges back to the header */
};

/* native: 32-bit values in a register of the processor, a power of 2; 1 or 0: scalar code. spec->width goes
 * first. info: of the kernel. */
void kiln_lane_plan_make(struct kl_lane_plan *lanes, struct kl_env *env, struct kl_program *program,
                         const struct kl_plan *plan, const struct kiln_kernel_info *info,
                         const struct kiln_spec *spec, unsigned native);
/* The size of the kernel's sub-groups, fixed for all launches: `wanted`, or if that is 0 by the registers of
 * the processor (`native`, as above) and the types of the kernel's values. 1 when it uses them and work-items
 * cannot be lanes in some launch, or should not be; who asks for a size gets it if it can be had (work-items
 * of a sub-group have no right to wait for each other). *why_out: why that is; NULL otherwise. */
unsigned kiln_lane_plan_sub_group(struct kl_env *env, struct kl_program *program, const struct kl_plan *plan,
                                  unsigned native, unsigned wanted, const char **why_out);
/* For a function that is the kernel of `program` and called for the lanes of `map`; plan->arguments is there.
 * small_ids: as kiln_shapes_find has it. False if it has no vector form. */
bool kiln_lane_plan_function(struct kl_lane_plan *lanes, struct kl_env *env, struct kl_program *program,
                             const struct kl_plan *plan, const struct kl_mapping *map, bool small_ids);
/* The mapping, or why there is none, as text of at most size bytes with its NUL. */
void kiln_lane_plan_describe(const struct kl_lane_plan *lanes, char *out, size_t size);
static inline bool kiln_lane_plan_is_kept(const struct kl_lane_plan *p, uint32_t region, uint32_t value) {
  return p->kept[region][value];
}
static inline uint32_t kiln_lane_plan_latches(const struct kl_lane_plan *p, uint32_t region, uint32_t loop) {
  return p->latches[region][loop];
}

#endif
