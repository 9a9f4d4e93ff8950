/* What ids can be at most, and what is made of them: sums and products that cannot wrap say so from then on
 * (nuw, nsw and their like), as a size_t's would in C. An index of type uint is then as good as one of type
 * int or size_t: neighbours are known without checks, and pairs at 2 * i and 2 * i + 1 as pairs. Divisions
 * say where signed ones are as good as unsigned ones (KL_POSITIVE). */
#ifndef KILN_COMPILER_SPMD_BOUNDS_H
#define KILN_COMPILER_SPMD_BOUNDS_H

#include "compiler/compiler.h"
#include "compiler/spmd/ir.h"

/* Marks instructions of f, the kernel, for launches that spec describes. What it tells holds for lanes a
 * vector or a row beyond the launch, too. info may be NULL: nothing is known of arguments. */
void kiln_bounds_mark(struct kl_env *env, struct kl_func *f, const struct kiln_spec *spec,
                      const struct kiln_kernel_info *info);
/* Finds arguments of the kernel f that are KILN_ARG_FACTOR. */
void kiln_bounds_note_factors(const struct kl_func *f, struct kiln_kernel_info *info);

#endif
