/* A fixture's surroundings for tests of buffers and commands: buffers, a second context, a queue without
 * order. */
#ifndef KILN_TEST_API_WORLD_H
#define KILN_TEST_API_WORLD_H

#include "api/fixture.h"

#include "core/mem.h"

#include <string.h>

static inline cl_mem make_buffer(cl_context context, cl_mem_flags flags, size_t size, void *host_ptr) {
  cl_int err = 12345;
  cl_mem mem = kiln_clCreateBuffer(context, flags, size, host_ptr, &err);
  expect_success(err);
  assert_non_null(mem);
  return mem;
}

static inline cl_mem make_part(cl_mem buffer, cl_mem_flags flags, size_t origin, size_t size) {
  cl_int err = 12345;
  const cl_buffer_region region = {origin, size};
  cl_mem mem = kiln_clCreateSubBuffer(buffer, flags, CL_BUFFER_CREATE_TYPE_REGION, &region, &err);
  expect_success(err);
  assert_non_null(mem);
  return mem;
}

static inline cl_context make_context(cl_device_id device) {
  cl_int err = 12345;
  cl_context context = kiln_clCreateContext(NULL, 1, &device, NULL, NULL, &err);
  expect_success(err);
  return context;
}

static inline cl_command_queue make_queue(cl_context context, cl_device_id device,
                                          cl_command_queue_properties bits) {
  cl_int err = 12345;
  const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, bits, 0};
  cl_command_queue queue = kiln_clCreateCommandQueueWithProperties(context, device, properties, &err);
  expect_success(err);
  return queue;
}

static inline cl_event make_user_event(cl_context context) {
  cl_int err = 12345;
  cl_event event = kiln_clCreateUserEvent(context, &err);
  expect_success(err);
  return event;
}

static inline void drop_buffer(cl_mem mem) { expect_success(kiln_clReleaseMemObject(mem)); }
static inline void drop_context(cl_context context) { expect_success(kiln_clReleaseContext(context)); }
static inline void drop_queue(cl_command_queue queue) { expect_success(kiln_clReleaseCommandQueue(queue)); }
static inline void drop_event(cl_event event) { expect_success(kiln_clReleaseEvent(event)); }

static inline cl_int status_of(cl_event event) {
  cl_int status = 12345;
  expect_success(kiln_clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
  return status;
}

static inline cl_uint base_align(cl_device_id device) {
  cl_uint bits = 0;
  expect_success(kiln_clGetDeviceInfo(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof bits, &bits, NULL));
  return bits / 8;
}

/* xorshift: the same numbers in every run of a test. */
static inline uint32_t random_next(uint64_t *seed) {
  *seed ^= *seed << 13;
  *seed ^= *seed >> 7;
  *seed ^= *seed << 17;
  return (uint32_t)(*seed >> 16);
}
static inline uint32_t random_below(uint64_t *seed, uint32_t limit) { return random_next(seed) % limit; }

static inline void random_fill(uint64_t *seed, uint8_t *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)random_next(seed);
}

#endif
