/* See device.h. */
#include "device.h"

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct build {
  cl_program program;
  cl_kernel apply, sweep;
};

static struct {
  cl_device_id id;
  cl_context context;
  cl_command_queue queue;
  struct build builds[DEVICE_BUILDS];
  cl_mem samples, results;
} device;

/* apply: one struct sample and one 64-bit result per work-item. */
static const char source[] =
    "typedef struct { ulong bits[3]; int i; } sample;\n"
    "BITS value(BITS ba, BITS bb, BITS bc, int i) {\n"
    "  TYPE a = as_TYPE(ba), b = as_TYPE(bb), c = as_TYPE(bc), second, r;\n"
    "  CODE;\n"
    "  return as_BITS(r);\n"
    "}\n"
    "kernel void apply(global const sample *s, global ulong *result) {\n"
    "  size_t k = get_global_id(0);\n"
    "  result[k] = value((BITS)s[k].bits[0], (BITS)s[k].bits[1], (BITS)s[k].bits[2], s[k].i);\n"
    "}\n"
    "kernel void sweep(uint first, uint step, global uint *result) {\n"
    "  uint k = get_global_id(0);\n"
    "  result[k] = value((BITS)(first + k * step), 0, 0, 0);\n"
    "}\n";

static bool good(cl_int err, const char *what) {
  if (err != CL_SUCCESS) fprintf(stderr, "accuracy: %s: error %d\n", what, err);
  return err == CL_SUCCESS;
}

bool device_open(void) {
  cl_platform_id platform;
  cl_int err = clGetPlatformIDs(1, &platform, NULL);
  if (!good(err, "clGetPlatformIDs")) return false;
  err = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device.id, NULL);
  if (!good(err, "clGetDeviceIDs")) return false;
  device.context = clCreateContext(NULL, 1, &device.id, NULL, NULL, &err);
  if (!good(err, "clCreateContext")) return false;
  device.queue = clCreateCommandQueueWithProperties(device.context, device.id, NULL, &err);
  if (!good(err, "clCreateCommandQueueWithProperties")) return false;
  device.samples =
      clCreateBuffer(device.context, CL_MEM_READ_ONLY, DEVICE_BATCH * sizeof(struct sample), NULL, &err);
  if (!good(err, "clCreateBuffer")) return false;
  device.results =
      clCreateBuffer(device.context, CL_MEM_WRITE_ONLY, DEVICE_SWEEP * sizeof(uint32_t), NULL, &err);
  return good(err, "clCreateBuffer");
}

static void drop(struct build *b) {
  if (b->apply != NULL) clReleaseKernel(b->apply);
  if (b->sweep != NULL) clReleaseKernel(b->sweep);
  if (b->program != NULL) clReleaseProgram(b->program);
  *b = (struct build){NULL, NULL, NULL};
}

void device_close(void) {
  for (unsigned i = 0; i < DEVICE_BUILDS; i++) drop(&device.builds[i]);
  clReleaseMemObject(device.samples);
  clReleaseMemObject(device.results);
  clReleaseCommandQueue(device.queue);
  clReleaseContext(device.context);
}

const char *device_name(void) {
  static char name[512];
  char platform[200] = "", text[200] = "";
  cl_platform_id id = NULL;
  clGetDeviceInfo(device.id, CL_DEVICE_PLATFORM, sizeof id, &id, NULL);
  clGetPlatformInfo(id, CL_PLATFORM_NAME, sizeof platform - 1, platform, NULL);
  clGetDeviceInfo(device.id, CL_DEVICE_NAME, sizeof text - 1, text, NULL);
  snprintf(name, sizeof name, "%s, %s", platform, text);
  return name;
}

bool device_has(enum number_type type) {
  static const cl_device_info queries[NUM_TYPES] = {CL_DEVICE_HALF_FP_CONFIG, CL_DEVICE_SINGLE_FP_CONFIG,
                                                    CL_DEVICE_DOUBLE_FP_CONFIG};
  cl_device_fp_config config = 0;
  return clGetDeviceInfo(device.id, queries[type], sizeof config, &config, NULL) == CL_SUCCESS && config != 0;
}

static void print_log(const struct build *b) {
  size_t size = 0;
  clGetProgramBuildInfo(b->program, device.id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
  char *log = malloc(size + 1);
  if (log == NULL) return;
  clGetProgramBuildInfo(b->program, device.id, CL_PROGRAM_BUILD_LOG, size, log, NULL);
  fprintf(stderr, "%.*s\n", (int)size, log);
  free(log);
}

/* The program's text for the function: `size` bytes at text. Returns where it starts. */
static const char *program_text(const struct function *function, enum number_type type, char *text,
                                size_t size) {
  static const char *const calls[] = {
      [ONE] = "%s(a)", [TWO] = "%s(a,b)", [THREE] = "%s(a,b,c)", [WITH_INT] = "%s(a,i)"};
  static const char *const bits[NUM_TYPES] = {"ushort", "uint", "ulong"};
  char code[256] = "r=";
  if (function->code != NULL) snprintf(code, sizeof code, "%s", function->code);
  else snprintf(code + 2, sizeof code - 2, calls[function->arguments], function->name);
  const char *name = number_formats[type].name;
  snprintf(text, size,
           "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n#define TYPE %s\n#define as_TYPE as_%s\n"
           "#define BITS %s\n#define as_BITS as_%s\n#define CODE %s\n%s",
           name, name, bits[type], bits[type], code, source);
  return type == HALF ? text : strchr(text, '\n') + 1;
}

bool device_build(unsigned build, const struct function *function, enum number_type type,
                  const char *options) {
  struct build *b = &device.builds[build];
  char text[2048];
  const char *start = program_text(function, type, text, sizeof text);
  cl_int err;
  drop(b);
  b->program = clCreateProgramWithSource(device.context, 1, &start, NULL, &err);
  if (!good(err, "clCreateProgramWithSource")) return false;
  err = clBuildProgram(b->program, 1, &device.id, options, NULL, NULL);
  if (err != CL_SUCCESS) print_log(b);
  if (!good(err, "clBuildProgram")) return false;
  b->apply = clCreateKernel(b->program, "apply", &err);
  if (err == CL_SUCCESS) b->sweep = clCreateKernel(b->program, "sweep", &err);
  if (!good(err, "clCreateKernel")) return false;
  err = clSetKernelArg(b->apply, 0, sizeof device.samples, &device.samples);
  if (err == CL_SUCCESS) err = clSetKernelArg(b->apply, 1, sizeof device.results, &device.results);
  if (err == CL_SUCCESS) err = clSetKernelArg(b->sweep, 2, sizeof device.results, &device.results);
  return good(err, "clSetKernelArg");
}

/* Runs the kernel on n items and reads `size` bytes of results. */
static bool run(cl_kernel kernel, size_t n, void *results, size_t size) {
  cl_int err = clEnqueueNDRangeKernel(device.queue, kernel, 1, NULL, &n, NULL, 0, NULL, NULL);
  if (err == CL_SUCCESS)
    err = clEnqueueReadBuffer(device.queue, device.results, CL_TRUE, 0, size, results, 0, NULL, NULL);
  return good(err, "running the function");
}

bool device_run(unsigned build, const struct sample *samples, size_t n, uint64_t *results) {
  cl_int err = clEnqueueWriteBuffer(device.queue, device.samples, CL_FALSE, 0, n * sizeof *samples, samples,
                                    0, NULL, NULL);
  return good(err, "clEnqueueWriteBuffer") &&
         run(device.builds[build].apply, n, results, n * sizeof *results);
}

bool device_sweep(unsigned build, uint32_t first, uint32_t step, size_t n, uint32_t *results) {
  cl_kernel kernel = device.builds[build].sweep;
  cl_int err = clSetKernelArg(kernel, 0, sizeof first, &first);
  if (err == CL_SUCCESS) err = clSetKernelArg(kernel, 1, sizeof step, &step);
  return good(err, "clSetKernelArg") && run(kernel, n, results, n * sizeof *results);
}
