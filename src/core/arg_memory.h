/* What arguments of a kernel point to. */
#ifndef KILN_CORE_ARG_MEMORY_H
#define KILN_CORE_ARG_MEMORY_H

#include "core/kernel.h"

/* Another argument of the kernel lies in the same memory object as argument i, which is one. Caller holds
 * kernel->lock. */
bool kiln_arg_is_shared(const kiln_kernel *kernel, const struct kiln_kernel_info *info, uint32_t i);
/* Some argument points to memory of the host's (SVM), which may be part of any object. Likewise. */
bool kiln_args_have_host_memory(const kiln_kernel *kernel, const struct kiln_kernel_info *info);

/* No argument is such memory, and no two lie in the same memory object. Likewise. */
bool kiln_args_are_apart(const kiln_kernel *kernel, const struct kiln_kernel_info *info);

#endif
