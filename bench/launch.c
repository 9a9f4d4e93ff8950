/* Cost of a launch on the first platform: 10,000 empty launches on an in-order queue and one clFinish, and a
 * launch with clFinish at a time: medians of several rounds. And launches of some 10 us with clFinish, so
 * long after the last one ended, with and without the buffers written in between: median and 90th percentile.
 * Microseconds. Use OCL_ICD_VENDORS to name one platform alone. */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LAUNCHES = 10000, SINGLE = 2000, ROUNDS = 9, PAUSED = 400 };
enum { ITEMS = 16384, BYTES = ITEMS * 32 }; /* of the launches of some 10 us */

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static cl_command_queue queue;
static cl_kernel kernel, sum;
static cl_mem buffers[3];

static int prepare(void) {
  cl_platform_id platform;
  cl_device_id device;
  cl_int err;
  if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
      clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
    return 0;
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
  queue = clCreateCommandQueue(context, device, 0, &err);
  const char *source =
      "kernel void nothing(void) {}\n"
      "kernel void sum(global const ushort16 *x, global const ushort16 *y, global ushort16 *z) {\n"
      "  size_t i = get_global_id(0);\n"
      "  z[i] = x[i] + y[i]; }";
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
  if (clBuildProgram(program, 1, &device, "", NULL, NULL) != CL_SUCCESS) return 0;
  kernel = clCreateKernel(program, "nothing", &err);
  if (err == CL_SUCCESS) sum = clCreateKernel(program, "sum", &err);
  for (cl_uint k = 0; k < 3 && err == CL_SUCCESS; k++) {
    buffers[k] = clCreateBuffer(context, CL_MEM_READ_WRITE, BYTES, NULL, &err);
    if (err == CL_SUCCESS) err = clSetKernelArg(sum, k, sizeof *buffers, &buffers[k]);
  }
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

static void pause_for(double us) {
  struct timespec t = {.tv_nsec = (long)(us * 1e3)};
  if (us > 100) nanosleep(&t, NULL);
  else
    for (double end = now_us() + us; now_us() < end;) continue;
}

static int write_buffers(void) {
  static char zeros[BYTES];
  for (int k = 0; k < 2; k++)
    if (clEnqueueWriteBuffer(queue, buffers[k], CL_TRUE, 0, BYTES, zeros, 0, NULL, NULL) != CL_SUCCESS)
      return 0;
  return 1;
}

/* Times of PAUSED launches, each so many microseconds after the last. */
static int measure_paused(double us, int writes, double *times) {
  const size_t items = ITEMS;
  for (int k = 0; k < PAUSED; k++) {
    if ((writes || k == 0) && !write_buffers()) return 0;
    pause_for(us);
    double start = now_us();
    if (clEnqueueNDRangeKernel(queue, sum, 1, NULL, &items, NULL, 0, NULL, NULL) != CL_SUCCESS) return 0;
    if (clFinish(queue) != CL_SUCCESS) return 0;
    times[k] = now_us() - start;
  }
  return 1;
}

static int by_value(const void *x, const void *y) {
  double p = *(const double *)x, q = *(const double *)y;
  return (p > q) - (p < q);
}

static int report_paused(void) {
  static const double pauses[] = {0, 30, 60, 200, 1000};
  double times[PAUSED];
  for (int writes = 0; writes < 2; writes++)
    for (size_t k = 0; k < sizeof pauses / sizeof *pauses; k++) {
      if (!measure_paused(pauses[k], writes, times)) return fprintf(stderr, "launch: a launch failed\n"), 1;
      qsort(times, PAUSED, sizeof *times, by_value);
      printf("%4.0f us after the last%s: %.1f us (90 of 100 within %.1f)\n", pauses[k],
             writes ? ", buffers written" : "", times[PAUSED / 2], times[PAUSED * 9 / 10]);
    }
  return 0;
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
  return report_paused();
}
