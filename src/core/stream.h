/* Whether the stores of a launch pass by the caches. */
#ifndef KILN_CORE_STREAM_H
#define KILN_CORE_STREAM_H

#include "core/kernel.h"
#include "core/local_size.h"

/* True if the launch writes whole buffers (kiln_arg_info.stored) that it does not read, and together with
 * what it reads these are well over the last-level cache: then nothing of them would be found there later.
 * Caller holds kernel->lock. */
bool kiln_stream_pays(const kiln_kernel *kernel, const struct kiln_kernel_info *info,
                      const struct kiln_caps *caps, const struct kiln_ndrange *range);

#endif
