/* Faults in compiled kernels: the command ends with an error and a message, everything else goes on. */
#include "api/world.h"

#include "base/fault.h"

#include <signal.h>
#include <stdatomic.h>
#include <time.h>

/* cmocka puts handlers of its own around each test; the fixture's, made first, are put back. */
static struct sigaction ours[4];
static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
static void use_own_handlers(void) {
  for (int i = 0; i < 4; i++) sigaction(signals[i], &ours[i], NULL);
}

static const char source[] =
    "kernel void follow(global int *p) { p[get_global_id(0)] = 1; }\n"
    "kernel void stop(global int *p) { if (get_global_id(0) == 17) __builtin_trap(); p[get_global_id(0)] = "
    "1; }\n"
    "kernel void divide(global int *p) { p[get_global_id(0)] = 100 / p[get_global_id(0)]; }\n"
    "kernel void add(global int *p) { p[get_global_id(0)] += 1; }\n";

static cl_program program;
static atomic_int reports;

static void CL_CALLBACK note(const char *text, const void *info, size_t size, void *data) {
  if (strstr(text, data) != NULL) atomic_fetch_add(&reports, 1);
}

struct world {
  cl_context context;
  cl_command_queue in_order, other;
  cl_mem mem;
};

static void open_world(struct world *w, struct fixture *f, const char *report) {
  const char *text = source;
  cl_int err = 12345;
  w->context = kiln_clCreateContext(NULL, 1, &f->device, note, (void *)report, &err);
  expect_success(err);
  w->in_order = make_queue(w->context, f->device, 0);
  w->other = make_queue(w->context, f->device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  w->mem = make_buffer(w->context, 0, 4096, NULL);
  program = kiln_clCreateProgramWithSource(w->context, 1, &text, NULL, &err);
  expect_success(err);
  expect_success(kiln_clBuildProgram(program, 0, NULL, "", NULL, NULL));
  cl_int zero = 0;
  expect_success(kiln_clEnqueueFillBuffer(w->in_order, w->mem, &zero, 4, 0, 4096, 0, NULL, NULL));
  expect_success(kiln_clFinish(w->in_order));
}

static void close_world(struct world *w) {
  drop_buffer(w->mem);
  expect_success(kiln_clReleaseProgram(program));
  drop_queue(w->in_order);
  drop_queue(w->other);
  drop_context(w->context);
}

static cl_event launch(cl_command_queue queue, const char *name, cl_mem mem) {
  static const size_t items = 1024, group = 16;
  cl_int err = 12345;
  cl_event event = NULL;
  cl_kernel kernel = kiln_clCreateKernel(program, name, &err);
  expect_success(err);
  expect_success(kiln_clSetKernelArg(kernel, 0, sizeof mem, mem == NULL ? NULL : &mem));
  expect_success(kiln_clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, &event));
  expect_success(kiln_clReleaseKernel(kernel));
  return event;
}

/* The faulty command among others; wait: this thread helps to run it, else it looks on. */
static void fault_among_others(struct world *w, const char *kernel, cl_mem mem, bool wait) {
  cl_event before = launch(w->in_order, "add", w->mem), beside = launch(w->other, "add", w->mem);
  cl_event faulty = launch(w->in_order, kernel, mem), after = launch(w->in_order, "add", w->mem);
  cl_event marker = NULL;
  expect_success(kiln_clEnqueueMarkerWithWaitList(w->other, 1, &faulty, &marker));
  while (!wait && status_of(marker) > CL_COMPLETE) nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
  assert_int_equal(kiln_clWaitForEvents(1, &faulty), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  assert_int_equal(status_of(faulty), CL_OUT_OF_RESOURCES);
  expect_success(kiln_clFinish(w->in_order));
  expect_success(kiln_clFinish(w->other));
  assert_int_equal(status_of(marker), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  cl_event good[] = {before, beside, after};
  for (int i = 0; i < 3; i++) {
    assert_int_equal(status_of(good[i]), CL_COMPLETE);
    drop_event(good[i]);
  }
  drop_event(faulty);
  drop_event(marker);
}

static void expect_reports(int count) {
  for (int i = 0; i < 5000 && atomic_load(&reports) < count; i++)
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  assert_int_equal(atomic_load(&reports), count);
}

static void null_pointers(void **state) {
  struct world w;
  open_world(&w, *state, "kernel follow was ended by SIGSEGV (invalid memory access) at address");
  use_own_handlers();
  atomic_store(&reports, 0);
  for (int i = 0; i < 20; i++) fault_among_others(&w, "follow", NULL, i % 2);
  expect_reports(20);
  close_world(&w);
}

static void bad_instructions(void **state) {
  struct world w;
  open_world(&w, *state, "kernel stop was ended by SIGILL");
  use_own_handlers();
  atomic_store(&reports, 0);
  for (int i = 0; i < 20; i++) fault_among_others(&w, "stop", w.mem, i % 2);
  expect_reports(20);
  close_world(&w);
}

/* "does not cause an exception but will result in an unspecified value": no fault at all. */
static void division_by_zero(void **state) {
  struct world w;
  open_world(&w, *state, "");
  use_own_handlers();
  cl_event event = launch(w.in_order, "divide", w.mem);
  expect_success(kiln_clWaitForEvents(1, &event));
  assert_int_equal(status_of(event), CL_COMPLETE);
  drop_event(event);
  close_world(&w);
}

int main(void) {
  kiln_fault_install();
  for (int i = 0; i < 4; i++) sigaction(signals[i], NULL, &ours[i]);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(null_pointers),
      cmocka_unit_test(bad_instructions),
      cmocka_unit_test(division_by_zero),
  };
  return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
