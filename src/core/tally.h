/* Whether threads gather what a launch's atomics add up to (compiler/spmd/tally.h). */
#ifndef KILN_CORE_TALLY_H
#define KILN_CORE_TALLY_H

#include "core/kernel.h"
#include "core/local_size.h"

/* True if the launch is large enough for tables and nothing else of it may look at the memory that
 * kiln_arg_info.tallied arguments point to. Caller holds kernel->lock. */
bool kiln_tally_pays(const kiln_kernel *kernel, const struct kiln_kernel_info *info,
                     const struct kiln_ndrange *range);

#endif
