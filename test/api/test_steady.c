/* In the steady state nothing is allocated from enqueue to run: neither by the thread that enqueues nor by
 * those that execute. */
#include "api/images.h"

#include "base/alloc.h"

#include <stdlib.h>

enum { BYTES = 4096, WARM_UP = 3000, ROUNDS = 300 };

struct steady {
  bool ordered;
  struct fixture *f;
  cl_command_queue queue;
  cl_program program;
  cl_kernel kernel;
  cl_mem a, b, image;
};

static void CL_CALLBACK nothing(void *args) {}

static void open_steady(struct steady *s, struct fixture *f, cl_command_queue_properties bits) {
  const char *source =
      "kernel void k(global int *p, local int *l) { l[0] = 1; p[get_global_id(0)] += l[0]; }";
  cl_int err = CL_SUCCESS;
  s->f = f;
  s->queue = make_queue(f->context, f->device, bits);
  s->program = kiln_clCreateProgramWithSource(f->context, 1, &source, NULL, &err);
  expect_success(err);
  expect_success(kiln_clBuildProgram(s->program, 0, NULL, "", NULL, NULL));
  s->kernel = kiln_clCreateKernel(s->program, "k", &err);
  expect_success(err);
  s->a = make_buffer(f->context, 0, BYTES, NULL);
  s->b = make_buffer(f->context, 0, BYTES, NULL);
  s->image = make_image(f->context, 0, &rgba8, &image_shapes[2], NULL);
  expect_success(kiln_clSetKernelArg(s->kernel, 0, sizeof s->a, &s->a));
  expect_success(kiln_clSetKernelArg(s->kernel, 1, 64, NULL));
}

static void close_steady(struct steady *s) {
  expect_success(kiln_clReleaseKernel(s->kernel));
  expect_success(kiln_clReleaseProgram(s->program));
  drop_buffer(s->a);
  drop_buffer(s->b);
  drop_buffer(s->image);
  drop_queue(s->queue);
}

/* One of each kind; waits: one event of the command before, or none. */
static cl_event enqueue(struct steady *s, int kind, cl_event wait) {
  static uint8_t host[BYTES];
  static const size_t items = BYTES / 4, group = 64;
  static const uint32_t pattern = 7;
  static const float color[4] = {0, 1, 0, 1};
  static const size_t origin[3] = {1, 1, 0}, region[3] = {5, 4, 1};
  cl_uint n = wait != NULL;
  const cl_event *waits = n == 0 ? NULL : &wait;
  cl_event event = NULL;
  switch (kind % 11) {
  case 0:
    expect_success(
        kiln_clEnqueueNDRangeKernel(s->queue, s->kernel, 1, NULL, &items, &group, n, waits, &event));
    break;
  case 1:
    expect_success(kiln_clEnqueueWriteBuffer(s->queue, s->a, CL_FALSE, 0, BYTES, host, n, waits, &event));
    break;
  case 2:
    expect_success(kiln_clEnqueueReadBuffer(s->queue, s->b, CL_TRUE, 0, BYTES, host, n, waits, &event));
    break;
  case 3:
    expect_success(kiln_clEnqueueCopyBuffer(s->queue, s->a, s->b, 0, 0, BYTES, n, waits, &event));
    break;
  case 4:
    expect_success(kiln_clEnqueueFillBuffer(s->queue, s->b, &pattern, 4, 0, BYTES, n, waits, &event));
    break;
  case 5:
    expect_success(kiln_clEnqueueMarkerWithWaitList(s->queue, n, waits, &event));
    break;
  case 6:
    expect_success(kiln_clEnqueueBarrierWithWaitList(s->queue, n, waits, &event));
    break;
  case 7:
    expect_success(kiln_clEnqueueFillImage(s->queue, s->image, color, origin, region, n, waits, &event));
    break;
  case 8:
    expect_success(
        kiln_clEnqueueCopyImageToBuffer(s->queue, s->image, s->a, origin, region, 16, n, waits, &event));
    break;
  case 9:
    expect_success(
        kiln_clEnqueueReadImage(s->queue, s->image, CL_FALSE, origin, region, 0, 0, host, n, waits, &event));
    break;
  default:
    expect_success(kiln_clEnqueueNativeKernel(s->queue, nothing, NULL, 0, 0, NULL, NULL, n, waits, &event));
  }
  return event;
}

/* Bursts of commands of all kinds, each waiting for the one before or, where the queue orders them, for none.
 */
static void work(struct steady *s, int count) {
  cl_event last = NULL;
  for (int i = 0; i < count; i++) {
    cl_event event = enqueue(s, i, s->ordered && i % 3 == 0 ? NULL : last);
    if (last != NULL) drop_event(last);
    last = event;
    if (i % 50 == 49) expect_success(kiln_clFinish(s->queue));
  }
  expect_success(kiln_clWaitForEvents(1, &last));
  drop_event(last);
  expect_success(kiln_clFinish(s->queue));
}

static void expect_no_allocation(struct fixture *f, cl_command_queue_properties bits) {
  struct steady s;
  open_steady(&s, f, bits);
  s.ordered = (bits & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0;
  work(&s, WARM_UP); /* code is made, pools grow to what the bursts need */
  kiln_alloc_fail_nth(SIZE_MAX);
  work(&s, ROUNDS);
  assert_int_equal(kiln_alloc_fail_nth(0), 0);
  kiln_alloc_fail_nth_elsewhere(SIZE_MAX);
  work(&s, ROUNDS);
  assert_int_equal(kiln_alloc_fail_nth(0), 0);
  close_steady(&s);
}

static void in_order(void **state) { expect_no_allocation(*state, 0); }
static void out_of_order(void **state) {
  expect_no_allocation(*state, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}
static void with_profiling(void **state) { expect_no_allocation(*state, CL_QUEUE_PROFILING_ENABLE); }

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(in_order),
      cmocka_unit_test(out_of_order),
      cmocka_unit_test(with_profiling),
  };
  return cmocka_run_group_tests(tests, images_open, fixture_close);
}
