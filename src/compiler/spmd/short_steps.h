/* Butterflies and bitonic networks that are launched step by step: their steps get shorter than a vector. */
#ifndef KILN_COMPILER_SPMD_SHORT_STEPS_H
#define KILN_COMPILER_SPMD_SHORT_STEPS_H

#include "compiler/spmd/group.h"

/* At the builder's position, before region r, which is the only one: whether this launch's steps are so long
 * that the lanes of a vector find neighbours (i1). Where they do not, every vector would gather and scatter,
 * and work-items run one at a time. NULL: the kernel has no steps that an argument says, or has no such form.
 */
LLVMValueRef kiln_short_steps_test(struct kl_group *g, uint32_t r);

#endif
