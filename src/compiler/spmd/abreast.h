/* Two work-items side by side in scalar code: each instruction of the one stands beside the same of the
 * other, so that a processor that would wait for the results of one has the other to go on with. For kernels
 * that compute with OpenCL vectors as long as registers, in chains.
 *
 * Code that all work-items run together is there once, with the values of both; what lies between a branch
 * that they may take differently and the place where their ways meet is there twice, one after the other. A
 * work-item whose neighbour is missing or has returned runs as both: each step done twice does what it did
 * once. What may not be done twice stands under a branch. */
#ifndef KILN_COMPILER_SPMD_ABREAST_H
#define KILN_COMPILER_SPMD_ABREAST_H

#include "compiler/spmd/plan.h"
#include "compiler/spmd/uniform.h"

struct kl_group;

struct kl_abreast {
  const struct kl_uniform *uniform;
  uint32_t *branch; /* by block: the branch after whose block each work-item runs this one for itself; or
                       KL_NONE */
  bool *parts;      /* by block: its branch is such a one */
  bool *leaves;     /* by block: its branch leads out of the kernel those that are done, the others on */
};

/* Whether the kernel can run so; uniform: of vectors along dimension 0, must outlive *a. */
bool kiln_abreast_find(struct kl_abreast *a, struct kl_env *env, const struct kl_program *program,
                       const struct kl_plan *plan, const struct kl_uniform *uniform);
/* The kernel's only region for ids.local_id[0] and the one after it, at the builder's position; ends with
 * branches to the group's latch. */
void kiln_abreast_emit(struct kl_group *g, const struct kl_abreast *plan);

#endif
