/* How ranges of several dimensions are best cut into groups. */
#ifndef KILN_COMPILER_SPMD_TILING_H
#define KILN_COMPILER_SPMD_TILING_H

#include "compiler/spmd/plan.h"

/* For a kernel whose groups nothing ties together. Unknown when it asks for ids of one dimension only, or
 * is too large for a search. */
struct kiln_tiling kiln_tiling_find(struct kl_env *env, struct kl_program *program,
                                    const struct kl_plan *plan);

#endif
