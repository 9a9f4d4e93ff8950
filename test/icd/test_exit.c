/* The end of a process, and of the loader: with work in flight, with objects never released, from any thread.
 */
#include "test.h"

#include "icd/adding.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

enum { TIMES = 20 };

/* Runs function in a child that ends by exit() with 42 or in a way of its own. */
static int exit_in_child(void (*function)(void)) {
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    alarm(60);
    function();
    exit(42);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return -1000;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void expect_clean(void (*function)(void)) {
  for (int i = 0; i < TIMES; i++) assert_int_equal(exit_in_child(function), 42);
}

#define MUST(condition)                                                                                      \
  do {                                                                                                       \
    if (!(condition)) _exit(1);                                                                              \
  } while (0)

static struct adding s;

static void open_all(void) { MUST(adding_open(&s, "exit") == 0); }

/* ---- work in flight ---- */

static void CL_CALLBACK sleep_a_while(void *args) { usleep(300000); }

static void flood(cl_command_queue queue) {
  size_t items = ADDING_ITEMS;
  for (int i = 0; i < 3000; i++)
    MUST(clEnqueueNDRangeKernel(queue, s.kernel, 1, NULL, &items, NULL, 0, NULL, NULL) == CL_SUCCESS);
}

static void with_ranges_in_flight(void) {
  open_all();
  flood(s.queue);
}

static void with_native_kernel_in_flight(void) {
  open_all();
  MUST(clEnqueueNativeKernel(s.queue, sleep_a_while, NULL, 0, 0, NULL, NULL, 0, NULL, NULL) == CL_SUCCESS);
  flood(s.queue);
}

static void with_everything_released_but_running(void) {
  with_native_kernel_in_flight();
  MUST(adding_close(&s) == 0);
}

static void with_commands_that_never_start(void) {
  open_all();
  cl_int err;
  cl_event user = clCreateUserEvent(s.context, &err);
  MUST(err == CL_SUCCESS && clEnqueueMarkerWithWaitList(s.queue, 1, &user, NULL) == CL_SUCCESS);
  flood(s.queue);
}

static void while_building(void) {
  char text[64];
  open_all();
  snprintf(text, sizeof text, "exit while building %d", (int)getpid());
  const char *source[] = {"/* ", text,
                          " */ kernel void k(global float *p) { p[get_global_id(0)] = sin(p[1]); }"};
  cl_int err;
  cl_program program = clCreateProgramWithSource(s.context, 3, source, NULL, &err);
  MUST(clBuildProgram(program, 0, NULL, "", NULL, NULL) == CL_SUCCESS);
  cl_kernel kernel = clCreateKernel(program, "k", &err);
  MUST(clSetKernelArg(kernel, 0, sizeof s.a, &s.a) == CL_SUCCESS);
  size_t items = 64;
  MUST(clEnqueueNDRangeKernel(s.queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL) == CL_SUCCESS);
}

static void exit_with_ranges(void **state) { expect_clean(with_ranges_in_flight); }
static void exit_with_native(void **state) { expect_clean(with_native_kernel_in_flight); }
static void exit_with_all_released(void **state) { expect_clean(with_everything_released_but_running); }
static void exit_with_blocked(void **state) { expect_clean(with_commands_that_never_start); }
static void exit_while_building(void **state) { expect_clean(while_building); }

/* ---- other ends ---- */

static void *wait_for_ever(void *event) {
  clWaitForEvents(1, (cl_event *)event);
  return NULL;
}

static void while_threads_wait(void) {
  open_all();
  cl_int err;
  static cl_event user;
  user = clCreateUserEvent(s.context, &err);
  pthread_t thread;
  MUST(pthread_create(&thread, NULL, wait_for_ever, &user) == 0);
  usleep(2000);
}

static void CL_CALLBACK leave(cl_event event, cl_int status, void *data) { exit(42); }

static void from_a_callback(void) {
  open_all();
  cl_event event;
  flood(s.queue);
  MUST(clEnqueueMarkerWithWaitList(s.queue, 0, NULL, &event) == CL_SUCCESS);
  MUST(clSetEventCallback(event, CL_COMPLETE, leave, NULL) == CL_SUCCESS);
  for (;;) pause();
}

/* What a static destructor of a C++ program does. */
static void release_late(void) { MUST(adding_run(&s) == 0 && adding_close(&s) == 0); }

static void released_at_exit(void) {
  MUST(atexit(release_late) == 0);
  open_all();
}

static void exit_while_threads_wait(void **state) { expect_clean(while_threads_wait); }
static void exit_from_callback(void **state) { expect_clean(from_a_callback); }
static void exit_releases(void **state) { expect_clean(released_at_exit); }

/* ---- the library unloaded ---- */

/* The file named in the .icd of this build. */
static void *open_driver(void) {
  char path[4096] = "", file[4200];
  snprintf(file, sizeof file, "%s/kiln.icd", getenv("OCL_ICD_VENDORS"));
  FILE *icd = fopen(file, "r");
  MUST(icd != NULL && fscanf(icd, "%4095s", path) == 1);
  fclose(icd);
  return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static void library_closed_while_busy(void) {
  void *library = open_driver();
  MUST(library != NULL);
  open_all();
  flood(s.queue);
  MUST(clEnqueueNativeKernel(s.queue, sleep_a_while, NULL, 0, 0, NULL, NULL, 0, NULL, NULL) == CL_SUCCESS);
  for (int i = 0; i < 3; i++) dlclose(library); /* the loader's own reference with it */
  usleep(20000);
  MUST(clFinish(s.queue) == CL_SUCCESS && adding_close(&s) == 0);
}

static void library_may_be_closed(void **state) { expect_clean(library_closed_while_busy); }

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exit_with_ranges),       cmocka_unit_test(exit_with_native),
      cmocka_unit_test(exit_with_all_released), cmocka_unit_test(exit_with_blocked),
      cmocka_unit_test(exit_while_building),    cmocka_unit_test(exit_while_threads_wait),
      cmocka_unit_test(exit_from_callback),     cmocka_unit_test(exit_releases),
      cmocka_unit_test(library_may_be_closed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
