/* Which values are the same for all work-items of a group (that get that far). */
#ifndef KILN_COMPILER_SPMD_UNIFORM_H
#define KILN_COMPILER_SPMD_UNIFORM_H

#include "compiler/spmd/program.h"

struct kl_uniform {
  uint8_t *varying; /* by value: work-items may disagree in one execution */
  uint8_t
      *leaves; /* by value: the same for all in each turn of a loop, which they leave at different turns */
  struct kiln_tree postdom;
};
/* own: by argument, true when each work-item has its own copy of what it points to. */
void kiln_uniform_find(struct kl_uniform *u, struct kl_env *env, const struct kl_program *program,
                       const struct kl_uses *uses, const bool *own);
/* The block ends in a branch that work-items may take differently. */
bool kiln_uniform_is_divergent(const struct kl_uniform *u, const struct kl_func *f, uint32_t block);

#endif
