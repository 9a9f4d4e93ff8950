/* What most tests of entry points begin with: a platform, a device, a context, a queue. */
#ifndef KILN_TEST_API_FIXTURE_H
#define KILN_TEST_API_FIXTURE_H

#include "api/expect.h"

#include "api/table.h"
#include "core/context.h"
#include "core/platform.h"

struct fixture {
  cl_platform_id platform;
  cl_device_id device;
  cl_context context;
  cl_command_queue queue; /* in order, profiling enabled */
};

static inline int fixture_open(void **state) {
  static struct fixture f;
  cl_int err = CL_SUCCESS;
  expect_success(kiln_clGetPlatformIDs(1, &f.platform, NULL));
  expect_success(kiln_clGetDeviceIDs(f.platform, CL_DEVICE_TYPE_DEFAULT, 1, &f.device, NULL));
  f.context = kiln_clCreateContext(NULL, 1, &f.device, NULL, NULL, &err);
  expect_success(err);
  const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
  f.queue = kiln_clCreateCommandQueueWithProperties(f.context, f.device, properties, &err);
  expect_success(err);
  *state = &f;
  return 0;
}

static inline int fixture_close(void **state) {
  struct fixture *f = *state;
  expect_success(kiln_clReleaseCommandQueue(f->queue));
  expect_success(kiln_clReleaseContext(f->context));
  return 0;
}

/* A pointer that is no handle of any kind but may be read. */
static inline void *not_a_handle(void) {
  static uint64_t zeros[64];
  return zeros;
}

#endif
