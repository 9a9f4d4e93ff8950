/* Which processors share a memory node or a cache: what division by affinity domain goes by. */
#ifndef KILN_DRIVERS_CPU_AFFINITY_H
#define KILN_DRIVERS_CPU_AFFINITY_H

#include "base/ocl.h"

#include <stdbool.h>
#include <stdint.h>

/* The number of the group that processor cpu belongs to in an affinity domain (one
 * CL_DEVICE_AFFINITY_DOMAIN_* bit, not NEXT_PARTITIONABLE). False if hwloc is not installed or does not tell.
 * The first call opens hwloc and reads the machine, which takes some milliseconds. */
bool kiln_affinity_group(uint32_t cpu, cl_device_affinity_domain domain, uint32_t *group_out);

#endif
