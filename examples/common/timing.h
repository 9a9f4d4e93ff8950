/* Kernel times from event profiling, host times from the monotonic clock. */
#ifndef EXAMPLES_COMMON_TIMING_H
#define EXAMPLES_COMMON_TIMING_H

#include "device.h"

#include <CL/cl.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Waits for the event; milliseconds from its start to its end. Releases it. */
double ex_timing_take_ms(cl_event event);

/* Enqueues the kernel once to warm up and then `runs` times; the fastest run in milliseconds.
 * The kernel must give the same result each time. */
double ex_timing_best_ms(const struct ex_device *device, cl_kernel kernel, cl_uint dimensions,
                         const size_t *global, const size_t *local, int runs);

/* Milliseconds of a clock that only goes forward. */
double ex_timing_now_ms(void);

#ifdef __cplusplus
}
#endif
#endif
