/* Event profiling. */
#define _POSIX_C_SOURCE 200809L
#include "timing.h"

#include "check.h"

#include <time.h>

double ex_timing_take_ms(cl_event event) {
  cl_ulong start = 0, end = 0;
  EX_CHECK(clWaitForEvents(1, &event));
  EX_CHECK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL));
  EX_CHECK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL));
  EX_CHECK(clReleaseEvent(event));
  return (double)(end - start) * 1e-6;
}

double ex_timing_best_ms(const struct ex_device *device, cl_kernel kernel, cl_uint dimensions,
                         const size_t *global, const size_t *local, int runs) {
  double best = 0;
  for (int run = -1; run < runs; run++) {
    cl_event event;
    EX_CHECK(clEnqueueNDRangeKernel(device->queue, kernel, dimensions, NULL, global, local, 0, NULL, &event));
    double ms = ex_timing_take_ms(event);
    if (run <= 0 || ms < best) best = ms; /* run -1 is the warm-up: run 0 replaces it */
  }
  return best;
}

double ex_timing_now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}
