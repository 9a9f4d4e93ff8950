/* Sizes of work-groups: the largest one, the one for launches that give none, and the one that is really used
 * where the kernel cannot tell. */
#ifndef KILN_CORE_LOCAL_SIZE_H
#define KILN_CORE_LOCAL_SIZE_H

#include "drivers/driver.h"

#include <stdbool.h>
#include <stddef.h>

/* A checked range; dimensions beyond work_dim have offset 0 and sizes 1. */
struct kiln_ndrange {
  cl_uint work_dim;
  size_t offset[3], global[3], local[3];
};

static inline bool kiln_ndrange_is_empty(const struct kiln_ndrange *range) {
  return range->global[0] == 0 || range->global[1] == 0 || range->global[2] == 0;
}

/* Work-items of the launch: there may be more than 64 bits hold. */
static inline double kiln_ndrange_items(const struct kiln_ndrange *range) {
  return (double)range->global[0] * (double)range->global[1] * (double)range->global[2];
}

/* The largest work-group of a kernel on a device, in work-items: CL_KERNEL_WORK_GROUP_SIZE. */
size_t kiln_local_size_max(const struct kiln_kernel_info *info, const struct kiln_caps *caps);
/* The local size for a launch that gives none. Divides the global size when the kernel needs uniform groups.
 * False if it cannot because reqd_work_group_size does not. */
bool kiln_local_size_choose(const struct kiln_kernel_info *info, const struct kiln_caps *caps,
                            struct kiln_ndrange *range);
/* Replaces range->local by another size where nothing ties a group together (KILN_KERNEL_FREE), so that
 * nobody can tell, and the given one leaves lanes empty or memory read more often than need be. */
void kiln_local_size_tile(const struct kiln_kernel_info *info, const struct kiln_caps *caps,
                          struct kiln_ndrange *range);

#endif
