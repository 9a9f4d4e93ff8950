/* Launches: from a kernel, its argument values and a range to a command in a queue. */
#ifndef KILN_CORE_LAUNCH_H
#define KILN_CORE_LAUNCH_H

#include "core/kernel.h"
#include "core/local_size.h"
#include "core/queue.h"

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
