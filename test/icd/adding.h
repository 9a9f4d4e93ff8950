/* A small program over OpenCL for tests of processes: everything from clGetPlatformIDs to a verified result.
 */
#ifndef KILN_TEST_ICD_ADDING_H
#define KILN_TEST_ICD_ADDING_H

#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ADDING_ITEMS = 4096 };

struct adding {
  cl_platform_id platform;
  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
  cl_program program;
  cl_kernel kernel;
  cl_mem a, b, c;
};

/* For functions that return 0 or the line of what went wrong. */
#define OR_LINE(condition)                                                                                   \
  do {                                                                                                       \
    if (condition) break;                                                                                    \
    fprintf(stderr, "%s:%d: " #condition "\n", __FILE__, __LINE__);                                          \
    return __LINE__;                                                                                         \
  } while (0)

/* Opens everything; text makes the source differ from others', so that it is compiled and not found. */
static inline int adding_open(struct adding *s, const char *text) {
  cl_int err;
  OR_LINE(clGetPlatformIDs(1, &s->platform, NULL) == CL_SUCCESS);
  OR_LINE(clGetDeviceIDs(s->platform, CL_DEVICE_TYPE_ALL, 1, &s->device, NULL) == CL_SUCCESS);
  s->context = clCreateContext(NULL, 1, &s->device, NULL, NULL, &err);
  OR_LINE(err == CL_SUCCESS);
  s->queue = clCreateCommandQueue(s->context, s->device, 0, &err);
  OR_LINE(err == CL_SUCCESS);
  const char *source[] = {"/* ", text,
                          " */ kernel void add(global const int *a, global const int *b, global int *c) {"
                          "  size_t i = get_global_id(0); c[i] = a[i] + b[i]; }"};
  s->program = clCreateProgramWithSource(s->context, 3, source, NULL, &err);
  OR_LINE(err == CL_SUCCESS);
  OR_LINE(clBuildProgram(s->program, 0, NULL, "", NULL, NULL) == CL_SUCCESS);
  s->kernel = clCreateKernel(s->program, "add", &err);
  OR_LINE(err == CL_SUCCESS);
  cl_mem *mems[] = {&s->a, &s->b, &s->c};
  for (cl_uint i = 0; i < 3; i++) {
    *mems[i] = clCreateBuffer(s->context, 0, ADDING_ITEMS * sizeof(cl_int), NULL, &err);
    OR_LINE(err == CL_SUCCESS);
    OR_LINE(clSetKernelArg(s->kernel, i, sizeof(cl_mem), mems[i]) == CL_SUCCESS);
  }
  return 0;
}

static inline int adding_run(struct adding *s) {
  cl_int a[ADDING_ITEMS], b[ADDING_ITEMS], c[ADDING_ITEMS];
  for (int i = 0; i < ADDING_ITEMS; i++) a[i] = i, b[i] = 3 * i + 1, c[i] = -1;
  size_t items = ADDING_ITEMS;
  OR_LINE(clEnqueueWriteBuffer(s->queue, s->a, CL_FALSE, 0, sizeof a, a, 0, NULL, NULL) == CL_SUCCESS);
  OR_LINE(clEnqueueWriteBuffer(s->queue, s->b, CL_FALSE, 0, sizeof b, b, 0, NULL, NULL) == CL_SUCCESS);
  OR_LINE(clEnqueueNDRangeKernel(s->queue, s->kernel, 1, NULL, &items, NULL, 0, NULL, NULL) == CL_SUCCESS);
  OR_LINE(clEnqueueReadBuffer(s->queue, s->c, CL_TRUE, 0, sizeof c, c, 0, NULL, NULL) == CL_SUCCESS);
  for (int i = 0; i < ADDING_ITEMS; i++) OR_LINE(c[i] == 4 * i + 1);
  return 0;
}

static inline int adding_close(struct adding *s) {
  OR_LINE(clReleaseMemObject(s->a) == CL_SUCCESS && clReleaseMemObject(s->b) == CL_SUCCESS);
  OR_LINE(clReleaseMemObject(s->c) == CL_SUCCESS && clReleaseKernel(s->kernel) == CL_SUCCESS);
  OR_LINE(clReleaseProgram(s->program) == CL_SUCCESS && clReleaseCommandQueue(s->queue) == CL_SUCCESS);
  OR_LINE(clReleaseContext(s->context) == CL_SUCCESS);
  return 0;
}

static inline int adding_whole(const char *text) {
  struct adding s;
  int line = adding_open(&s, text);
  if (line == 0) line = adding_run(&s);
  return line == 0 ? adding_close(&s) : line;
}

/* Runs function(data) in a child that has `seconds`; its result, or -signal. */
static inline int in_child(int (*function)(void *), void *data, unsigned seconds) {
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    alarm(seconds);
    _exit(function(data) != 0);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return -1000;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

#endif
