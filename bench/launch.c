/* Cost of a launch on the first platform: 10,000 empty launches on an in-order queue and one clFinish, and a
 * launch with clFinish at a time. Medians of several rounds, microseconds. Use OCL_ICD_VENDORS to name one
 * platform alone. */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LAUNCHES = 10000, SINGLE = 2000, ROUNDS = 9 };

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static cl_command_queue queue;
static cl_kernel kernel;

static int prepare(void) {
  cl_platform_id platform;
  cl_device_id device;
  cl_int err;
  if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
      clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
    return 0;
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
  queue = clCreateCommandQueue(context, device, 0, &err);
  const char *source = "kernel void nothing(void) {}";
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
  if (clBuildProgram(program, 1, &device, "", NULL, NULL) != CL_SUCCESS) return 0;
  kernel = clCreateKernel(program, "nothing", &err);
  return err == CL_SUCCESS;
}

/* Microseconds per launch of `count` launches with a clFinish after every `every` of them. */
static double measure(int count, int every) {
  size_t one = 1;
  double start = now_us();
  for (int k = 1; k <= count; k++) {
    if (clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL) != CL_SUCCESS) return -1;
    if (k % every == 0 && clFinish(queue) != CL_SUCCESS) return -1;
  }
  return (now_us() - start) / count;
}

static int by_value(const void *x, const void *y) {
  double p = *(const double *)x, q = *(const double *)y;
  return (p > q) - (p < q);
}

int main(void) {
  double stream[ROUNDS], single[ROUNDS];
  if (!prepare() || measure(100, 1) < 0)
    return fprintf(stderr, "launch: no platform, or its kernel does not build\n"), 1;
  for (int k = 0; k < ROUNDS; k++) {
    stream[k] = measure(LAUNCHES, LAUNCHES);
    single[k] = measure(SINGLE, 1);
    if (stream[k] < 0 || single[k] < 0) return fprintf(stderr, "launch: a launch failed\n"), 1;
  }
  qsort(stream, ROUNDS, sizeof *stream, by_value);
  qsort(single, ROUNDS, sizeof *single, by_value);
  printf("%d launches, one clFinish: %.3f us each (best %.3f); launch + clFinish: %.3f us (best %.3f)\n",
         LAUNCHES, stream[ROUNDS / 2], stream[0], single[ROUNDS / 2], single[0]);
  return 0;
}
