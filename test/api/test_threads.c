/* Many host threads on one context: shared and own queues, buffers, events, kernels, programs. Asserts belong
 * to the test's own thread, so the others only count what went wrong. */
#include "api/fake_compiler.h"

#include "api/world.h"

#include <pthread.h>

enum { THREADS = 8, BYTES = 4096 };

struct worker {
  struct fixture *f;
  cl_mem shared_mem;
  cl_event shared_event;
  cl_program program;
  int number, times;
  cl_int err; /* the first error */
};

/* The first thing that failed stays. */
static bool ok(struct worker *w, cl_int err) {
  if (w->err == CL_SUCCESS) w->err = err;
  return w->err == CL_SUCCESS;
}

static void run_threads(void **state, void *(*run)(void *), int times, const struct worker *common) {
  pthread_t threads[THREADS];
  struct worker workers[THREADS];
  for (int i = 0; i < THREADS; i++) {
    workers[i] = common != NULL ? *common : (struct worker){0};
    workers[i].f = *state;
    workers[i].number = i;
    workers[i].times = rounds(times);
    assert_int_equal(pthread_create(&threads[i], NULL, run, &workers[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < THREADS; i++) assert_int_equal(workers[i].err, CL_SUCCESS);
}

/* The entry points themselves: these threads do not retry. */
#define RAW(name) (kiln_##name)

/* ---- transfers through one queue ---- */

static void write_copy_read(struct worker *w, cl_command_queue queue, uint64_t *seed) {
  cl_int err = CL_SUCCESS;
  uint8_t bytes[BYTES], found[BYTES];
  random_fill(seed, bytes, BYTES);
  cl_mem a = RAW(clCreateBuffer)(w->f->context, 0, BYTES, NULL, &err);
  if (!ok(w, err)) return;
  cl_mem b = RAW(clCreateBuffer)(w->f->context, 0, BYTES, NULL, &err);
  cl_event written = NULL, copied = NULL;
  if (ok(w, err)) ok(w, RAW(clEnqueueWriteBuffer)(queue, a, CL_FALSE, 0, BYTES, bytes, 0, NULL, &written));
  if (written != NULL) ok(w, RAW(clEnqueueCopyBuffer)(queue, a, b, 0, 0, BYTES, 1, &written, &copied));
  if (copied != NULL) ok(w, RAW(clEnqueueReadBuffer)(queue, b, CL_TRUE, 0, BYTES, found, 1, &copied, NULL));
  if (w->err == CL_SUCCESS && memcmp(bytes, found, BYTES) != 0) w->err = -1000;
  if (written != NULL) RAW(clReleaseEvent)(written);
  if (copied != NULL) RAW(clReleaseEvent)(copied);
  if (b != NULL) RAW(clReleaseMemObject)(b);
  RAW(clReleaseMemObject)(a);
}

static void *transfer(void *data) {
  struct worker *w = data;
  uint64_t seed = 100 + (uint64_t)w->number;
  for (int i = 0; i < w->times && w->err == CL_SUCCESS; i++) write_copy_read(w, w->f->queue, &seed);
  return NULL;
}

static void one_queue(void **state) { run_threads(state, transfer, 200, NULL); }

/* ---- queues come and go ---- */

static void *transfer_through_own_queues(void *data) {
  struct worker *w = data;
  uint64_t seed = 200 + (uint64_t)w->number;
  for (int i = 0; i < w->times && w->err == CL_SUCCESS; i++) {
    cl_int err;
    cl_queue_properties bits = i % 2 == 0 ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, bits, 0};
    cl_command_queue queue =
        RAW(clCreateCommandQueueWithProperties)(w->f->context, w->f->device, properties, &err);
    if (!ok(w, err)) break;
    write_copy_read(w, queue, &seed);
    ok(w, RAW(clFinish)(queue));
    RAW(clReleaseCommandQueue)(queue);
  }
  return NULL;
}

static void own_queues(void **state) { run_threads(state, transfer_through_own_queues, 100, NULL); }

/* ---- one event, awaited and asked by all ---- */

static atomic_int called;
static void CL_CALLBACK count_call(cl_event event, cl_int status, void *data) {
  atomic_fetch_add(&called, 1);
}

static void *use_event(void *data) {
  struct worker *w = data;
  cl_event marker = NULL;
  cl_int status;
  for (int i = 0; i < w->times && w->err == CL_SUCCESS; i++) {
    ok(w, RAW(clRetainEvent)(w->shared_event));
    ok(w, RAW(clSetEventCallback)(w->shared_event, CL_COMPLETE, count_call, NULL));
    ok(w,
       RAW(clGetEventInfo)(w->shared_event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    ok(w, RAW(clReleaseEvent)(w->shared_event));
  }
  ok(w, RAW(clEnqueueMarkerWithWaitList)(w->f->queue, 1, &w->shared_event, &marker));
  if (w->number == 0) ok(w, RAW(clSetUserEventStatus)(w->shared_event, CL_COMPLETE));
  if (marker == NULL) return NULL;
  ok(w, RAW(clWaitForEvents)(1, &marker));
  RAW(clReleaseEvent)(marker);
  return NULL;
}

static void one_event(void **state) {
  struct fixture *f = *state;
  int times = 100;
  struct worker common = {.shared_event = make_user_event(f->context)};
  atomic_store(&called, 0);
  run_threads(state, use_event, times, &common);
  for (int i = 0; i < 20000 && called < THREADS * rounds(times); i++) usleep(500);
  assert_int_equal(called, THREADS * rounds(times));
  drop_event(common.shared_event);
}

/* ---- one buffer, mapped by all ---- */

static void *map_shared(void *data) {
  struct worker *w = data;
  size_t offset = (size_t)w->number * BYTES;
  for (int i = 0; i < w->times && w->err == CL_SUCCESS; i++) {
    cl_int err;
    uint8_t *p = RAW(clEnqueueMapBuffer)(w->f->queue, w->shared_mem, CL_TRUE, CL_MAP_WRITE, offset, BYTES, 0,
                                         NULL, NULL, &err);
    if (!ok(w, err)) break;
    memset(p, i, BYTES); /* each its own part: no conflict */
    ok(w, RAW(clEnqueueUnmapMemObject)(w->f->queue, w->shared_mem, p, 0, NULL, NULL));
  }
  return NULL;
}

static void one_buffer(void **state) {
  struct fixture *f = *state;
  struct worker common = {.shared_mem = make_buffer(f->context, 0, THREADS * BYTES, NULL)};
  run_threads(state, map_shared, 200, &common);
  expect_success(kiln_clFinish(f->queue));
  cl_uint maps = 1;
  uint8_t found[THREADS * BYTES];
  expect_success(kiln_clGetMemObjectInfo(common.shared_mem, CL_MEM_MAP_COUNT, sizeof maps, &maps, NULL));
  assert_int_equal(maps, 0);
  expect_success(
      kiln_clEnqueueReadBuffer(f->queue, common.shared_mem, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL));
  for (size_t i = 0; i < sizeof found; i++) assert_int_equal(found[i], (uint8_t)(rounds(200) - 1));
  drop_buffer(common.shared_mem);
}

/* ---- kernels of one program ---- */

static void *launch_kernels(void *data) {
  struct worker *w = data;
  for (int i = 0; i < w->times && w->err == CL_SUCCESS; i++) {
    cl_int err;
    cl_kernel kernel = RAW(clCreateKernel)(w->program, "k", &err);
    if (!ok(w, err)) break;
    size_t n = 64, local = (size_t)1 << i % 3;
    ok(w, RAW(clSetKernelArg)(kernel, 0, sizeof i, &i));
    cl_kernel clone = RAW(clCloneKernel)(kernel, &err);
    ok(w, err);
    ok(w, RAW(clEnqueueNDRangeKernel)(w->f->queue, kernel, 1, NULL, &n, &local, 0, NULL, NULL));
    if (clone != NULL) ok(w, RAW(clEnqueueTask)(w->f->queue, clone, 0, NULL, NULL));
    if (clone != NULL) ok(w, RAW(clReleaseKernel)(clone));
    ok(w, RAW(clReleaseKernel)(kernel));
  }
  return NULL;
}

static void one_program(void **state) {
  struct fixture *f = *state;
  struct worker common = {.program = fake_build(f, "kernel void k(int n) {}", NULL)};
  run_threads(state, launch_kernels, 100, &common);
  expect_success(kiln_clFinish(f->queue));
  assert_int_equal(fake_num_launches, THREADS * rounds(100) * 2);
  expect_success(kiln_clReleaseProgram(common.program));
}

/* ---- errors: each thread has its own last sentence ---- */

static void *fail_in_own_words(void *data) {
  struct worker *w = data;
  for (int i = 0; i < w->times && w->err == CL_SUCCESS; i++) {
    char text[80];
    snprintf(text, sizeof text, "param_name 0x%X is not one", (unsigned)w->number + 1);
    if (RAW(clGetContextInfo)(w->f->context, (cl_uint)w->number + 1, 0, NULL, NULL) != CL_INVALID_VALUE ||
        strstr(kiln_last_error(), text) == NULL)
      w->err = -1000;
  }
  return NULL;
}

static void own_errors(void **state) { run_threads(state, fail_in_own_words, 1000, NULL); }

/* ---- contexts come and go ---- */

static void *use_contexts(void *data) {
  struct worker *w = data;
  uint64_t seed = 300 + (uint64_t)w->number;
  for (int i = 0; i < w->times && w->err == CL_SUCCESS; i++) {
    cl_int err;
    struct fixture own = *w->f;
    struct worker other = {.f = &own};
    own.context = RAW(clCreateContext)(NULL, 1, &w->f->device, NULL, NULL, &err);
    if (!ok(w, err)) break;
    own.queue = RAW(clCreateCommandQueueWithProperties)(own.context, own.device, NULL, &err);
    RAW(clReleaseContext)(own.context); /* the queue holds it */
    if (!ok(w, err)) break;
    write_copy_read(&other, own.queue, &seed);
    ok(w, other.err);
    RAW(clReleaseCommandQueue)(own.queue);
  }
  return NULL;
}

static void own_contexts(void **state) { run_threads(state, use_contexts, 50, NULL); }

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_queue),    cmocka_unit_test(own_queues),  cmocka_unit_test(one_event),
      cmocka_unit_test(one_buffer),   cmocka_unit_test(one_program), cmocka_unit_test(own_errors),
      cmocka_unit_test(own_contexts),
  };
  return alloc_fail_run_group(tests, fake_open_fixture, fake_close_fixture);
}
