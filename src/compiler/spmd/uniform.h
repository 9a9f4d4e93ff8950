/* Which values are the same for all work-items of a group, or of a vector of them (that get that far). */
#ifndef KILN_COMPILER_SPMD_UNIFORM_H
#define KILN_COMPILER_SPMD_UNIFORM_H

#include "compiler/spmd/program.h"

/* Who is compared: all work-items of a group, or those of a vector, which differ in local ids of certain
 * dimensions only (bit d: dimension d). */
enum { KL_LEVEL_GROUP = 8 };

struct kl_uniform {
  uint8_t *varying; /* by value: work-items may disagree in one execution */
  uint8_t
      *leaves;    /* by value: the same for all in each turn of a loop, which they leave at different turns */
  uint8_t *mixes; /* by value: a phi where paths meet that work-items take differently */
  bool *loop_diverges; /* by loop: work-items leave it at different turns */
  bool *meets;         /* by loop: there is a barrier in every turn */
  bool *agreed; /* by block: whether its branch leaves a loop is the same for all, as barriers want it */
  struct kiln_loops loops;
  struct kiln_tree dom, postdom;
};
/* varies: by argument, true when work-items may have different ones; apart: by value, likewise; NULL: they do
 * not. level: KL_LEVEL_GROUP, or bits of dimensions. */
void kiln_uniform_find(struct kl_uniform *u, struct kl_env *env, const struct kl_program *program,
                       const struct kl_uses *uses, const bool *varies, const bool *apart, unsigned level);
/* The block ends in a branch that work-items may take differently. */
bool kiln_uniform_is_divergent(const struct kl_uniform *u, const struct kl_func *f, uint32_t block);
/* One side of such a branch, and nobody comes there another way. */
bool kiln_uniform_is_side(const struct kl_uniform *u, const struct kl_func *f, uint32_t block);
/* A use in block `at` of a value computed in a loop that work-items leave at different turns, after it. */
bool kiln_uniform_is_left(const struct kl_uniform *u, const struct kl_func *f, uint32_t value, uint32_t at);

#endif
