/* Launches: from a kernel, its argument values and a range to a command in a queue. */
#ifndef KILN_CORE_LAUNCH_H
#define KILN_CORE_LAUNCH_H

#include "core/kernel.h"
#include "core/queue.h"

/* A checked range; dimensions beyond work_dim have offset 0 and sizes 1. */
struct kiln_ndrange {
  cl_uint work_dim;
  size_t offset[3], global[3], local[3];
};

/* The largest work-group of a kernel on a device, in work-items: CL_KERNEL_WORK_GROUP_SIZE. */
size_t kiln_launch_max_group(const struct kiln_kernel_info *info, const struct kiln_caps *caps);
/* The local size for a launch that gives none. Divides the global size when the kernel needs uniform groups.
 * False if it cannot because reqd_work_group_size does not. */
bool kiln_launch_choose_local(const struct kiln_kernel_info *info, const struct kiln_caps *caps,
                              struct kiln_ndrange *range);
/* Lays out a group's local memory: automatic variables, then the local arguments. Returns the bytes needed;
 * packed may be NULL, else it gets the offsets of the local arguments. */
uint64_t kiln_place_locals(const struct kiln_kernel_info *info, const struct kiln_arg *args, uint8_t *packed);

/* Enqueues kernel over range on queue; all arguments are set. info and build are those of the queue's device.
 * event_out may be NULL. CL_OUT_OF_RESOURCES if code generation failed before or the groups are too many,
 * CL_OUT_OF_HOST_MEMORY. No lock held. */
cl_int kiln_launch(kiln_queue *queue, kiln_kernel *kernel, struct kiln_build *build,
                   const struct kiln_kernel_info *info, const struct kiln_ndrange *range,
                   cl_command_type type, cl_uint num_waits, const cl_event *waits, cl_event *event_out);

#endif
