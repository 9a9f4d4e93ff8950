/* Stores that may pass by the caches: through arguments that nothing is read through. Whether they do is
 * decided for each launch (core/stream.h), when it is known how much is written. */
#ifndef KILN_COMPILER_SPMD_STREAM_H
#define KILN_COMPILER_SPMD_STREAM_H

#include "compiler/compiler.h"
#include "compiler/spmd/emit.h"

/* Fills in kiln_arg_info.stored of each argument of the kernel. False if all are 0. */
bool kiln_stream_find(struct kl_env *env, const struct kl_program *program, struct kiln_kernel_info *info);
/* Lanes that a launch which streams has to have side by side so that lines are stored whole, and in long
 * pieces where a work-item goes as far from one to the next as the launch is long. native: 32-bit values in a
 * register.
 */
unsigned kiln_stream_lanes(const struct kiln_spec *spec, const struct kiln_kernel_info *info,
                           unsigned native);
/* By argument of the kernel, for kl_emit.streams. */
const bool *kiln_stream_arguments(struct kl_env *env, const struct kiln_kernel_info *info);
enum { KL_LINE = 64 }; /* bytes that memory is written by */

/* The launch streams, and the address lies in what such an argument points to. */
bool kiln_stream_is(const struct kl_emit *e, uint32_t pointer);
/* Has a store of whole lines pass by the caches. */
void kiln_stream_mark(const struct kl_emit *e, LLVMValueRef store);
/* Makes what was stored that way visible before what follows: at the end of a call. */
void kiln_stream_end(struct kl_emit *e);

#endif
