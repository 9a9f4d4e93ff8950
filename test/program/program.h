/* Programs through the entry points, with the compiler and the CPU device as they are. */
#ifndef KILN_TEST_PROGRAM_PROGRAM_H
#define KILN_TEST_PROGRAM_PROGRAM_H

#include "api/fixture.h"

#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static inline cl_program program_of(const struct fixture *f, const char *source) {
  cl_int err;
  cl_program program = kiln_clCreateProgramWithSource(f->context, 1, &source, NULL, &err);
  expect_success(err);
  return program;
}

/* The build log; the next call overwrites it. */
static inline const char *program_log(const struct fixture *f, cl_program program) {
  static char log[1 << 16];
  size_t size = 0;
  expect_success(kiln_clGetProgramBuildInfo(program, f->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size));
  assert_true(size >= 1 && size <= sizeof log);
  expect_success(kiln_clGetProgramBuildInfo(program, f->device, CL_PROGRAM_BUILD_LOG, size, log, NULL));
  assert_int_equal(strlen(log) + 1, size);
  return log;
}

static inline void program_expect_log(const struct fixture *f, cl_program program, const char *text) {
  const char *log = program_log(f, program);
  if (strstr(log, text) != NULL) return;
  print_error("expected in the log: %s\nlog: %s\n", text, log);
  fail();
}

static inline cl_program program_build(const struct fixture *f, const char *source, const char *options) {
  cl_program program = program_of(f, source);
  cl_int err = kiln_clBuildProgram(program, 0, NULL, options, NULL, NULL);
  if (err != CL_SUCCESS) print_error("%s\n", program_log(f, program));
  assert_int_equal(err, CL_SUCCESS);
  return program;
}

/* Runs kernel "k", whose one argument is a buffer of n ints, over n work-items in groups of local (0: the
 * runtime's choice). data goes in and out. The error of the launch, the event or the reading. */
static inline cl_int program_run(const struct fixture *f, cl_program program, cl_int *data, size_t n,
                                 size_t local) {
  cl_int err;
  cl_kernel kernel = kiln_clCreateKernel(program, "k", &err);
  expect_success(err);
  cl_mem buffer = kiln_clCreateBuffer(f->context, CL_MEM_COPY_HOST_PTR, n * sizeof *data, data, &err);
  expect_success(err);
  expect_success(kiln_clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
  cl_event event = NULL;
  err =
      kiln_clEnqueueNDRangeKernel(f->queue, kernel, 1, NULL, &n, local == 0 ? NULL : &local, 0, NULL, &event);
  if (err == CL_SUCCESS) {
    kiln_clFinish(f->queue);
    expect_success(kiln_clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof err, &err, NULL));
    expect_success(kiln_clReleaseEvent(event));
  }
  if (err == CL_SUCCESS)
    err = kiln_clEnqueueReadBuffer(f->queue, buffer, CL_TRUE, 0, n * sizeof *data, data, 0, NULL, NULL);
  expect_success(kiln_clReleaseMemObject(buffer));
  expect_success(kiln_clReleaseKernel(kernel));
  return err;
}

/* Builds and runs a small kernel: the compiler works. */
static inline void program_expect_works(const struct fixture *f, cl_int factor) {
  char source[128];
  cl_int data[64];
  for (cl_int i = 0; i < 64; i++) data[i] = i;
  snprintf(source, sizeof source, "kernel void k(global int *a) { a[get_global_id(0)] *= %d; }", factor);
  cl_program program = program_build(f, source, "");
  assert_int_equal(program_run(f, program, data, 64, 16), CL_SUCCESS);
  for (cl_int i = 0; i < 64; i++) assert_int_equal(data[i], i * factor);
  expect_success(kiln_clReleaseProgram(program));
}

/* A fresh folder, emptied by program_remove. */
static inline const char *program_folder(void) {
  static char folder[64];
  snprintf(folder, sizeof folder, "/tmp/kiln-test-program-%d", (int)getpid());
  return folder;
}

static inline void program_remove(const char *folder) {
  char command[200];
  snprintf(command, sizeof command, "chmod -R u+rwx %s 2>/dev/null; rm -rf %s", folder, folder);
  if (system(command) != 0) print_error("%s\n", command);
}

/* main of a test program: all tests, or the one named on the command line. */
#define program_main(tests, argc, argv)                                                                      \
  ((argc) > 1 ? (cmocka_set_test_filter((argv)[1]), 0) : 0, cmocka_run_group_tests((tests), NULL, NULL))

#endif
