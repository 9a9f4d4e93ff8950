/* See device.h. */
#include "device.h"

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
  cl_device_id id;
  cl_context context;
  cl_command_queue queue;
  cl_program program;
  cl_kernel kernel;
  cl_mem samples, results;
} device;

/* One struct sample and one 64-bit result per work-item. */
static const char source[] =
    "typedef struct { ulong bits[3]; int i; } sample;\n"
    "kernel void apply(global const sample *s, global ulong *result) {\n"
    "  size_t k = get_global_id(0);\n"
    "  BITS ba = (BITS)s[k].bits[0], bb = (BITS)s[k].bits[1], bc = (BITS)s[k].bits[2];\n"
    "  TYPE a = as_TYPE(ba), b = as_TYPE(bb), c = as_TYPE(bc), second, r;\n"
    "  int i = s[k].i;\n"
    "  CODE;\n"
    "  result[k] = as_BITS(r);\n"
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
      clCreateBuffer(device.context, CL_MEM_WRITE_ONLY, DEVICE_BATCH * sizeof(uint64_t), NULL, &err);
  return good(err, "clCreateBuffer");
}

static void drop_program(void) {
  if (device.kernel != NULL) clReleaseKernel(device.kernel);
  if (device.program != NULL) clReleaseProgram(device.program);
  device.kernel = NULL;
  device.program = NULL;
}

void device_close(void) {
  drop_program();
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

static void print_log(void) {
  size_t size = 0;
  clGetProgramBuildInfo(device.program, device.id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
  char *log = malloc(size + 1);
  if (log == NULL) return;
  clGetProgramBuildInfo(device.program, device.id, CL_PROGRAM_BUILD_LOG, size, log, NULL);
  fprintf(stderr, "%.*s\n", (int)size, log);
  free(log);
}

bool device_build(const struct function *function, enum number_type type, const char *options) {
  static const char *const calls[] = {
      [ONE] = "%s(a)", [TWO] = "%s(a,b)", [THREE] = "%s(a,b,c)", [WITH_INT] = "%s(a,i)"};
  static const char *const bits[NUM_TYPES] = {"ushort", "uint", "ulong"};
  char text[2048], code[256] = "r=", *at = code + 2;
  if (function->code != NULL) snprintf(code, sizeof code, "%s", function->code);
  else snprintf(at, sizeof code - 2, calls[function->arguments], function->name);
  const char *name = number_formats[type].name;
  snprintf(text, sizeof text,
           "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n#define TYPE %s\n#define as_TYPE as_%s\n"
           "#define BITS %s\n#define as_BITS as_%s\n#define CODE %s\n%s",
           name, name, bits[type], bits[type], code, source);
  const char *start = type == HALF ? text : strchr(text, '\n') + 1;
  cl_int err;
  drop_program();
  device.program = clCreateProgramWithSource(device.context, 1, &start, NULL, &err);
  if (!good(err, "clCreateProgramWithSource")) return false;
  err = clBuildProgram(device.program, 1, &device.id, options, NULL, NULL);
  if (err != CL_SUCCESS) print_log();
  if (!good(err, "clBuildProgram")) return false;
  device.kernel = clCreateKernel(device.program, "apply", &err);
  if (!good(err, "clCreateKernel")) return false;
  err = clSetKernelArg(device.kernel, 0, sizeof device.samples, &device.samples);
  if (err == CL_SUCCESS) err = clSetKernelArg(device.kernel, 1, sizeof device.results, &device.results);
  return good(err, "clSetKernelArg");
}

bool device_run(const struct sample *samples, size_t n, uint64_t *results) {
  cl_int err = clEnqueueWriteBuffer(device.queue, device.samples, CL_FALSE, 0, n * sizeof *samples, samples,
                                    0, NULL, NULL);
  if (err == CL_SUCCESS)
    err = clEnqueueNDRangeKernel(device.queue, device.kernel, 1, NULL, &n, NULL, 0, NULL, NULL);
  if (err == CL_SUCCESS)
    err = clEnqueueReadBuffer(device.queue, device.results, CL_TRUE, 0, n * sizeof *results, results, 0, NULL,
                              NULL);
  return good(err, "running the function");
}
