/* Platform and device choice, plain OpenCL 1.2. */
#include "device.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *ex_device_text(cl_device_id device, cl_device_info what) {
  size_t bytes = 0;
  EX_CHECK(clGetDeviceInfo(device, what, 0, NULL, &bytes));
  char *text = ex_alloc(bytes + 1, 1);
  EX_CHECK(clGetDeviceInfo(device, what, bytes, text, NULL));
  return text;
}

static char *platform_name(cl_platform_id platform) {
  size_t bytes = 0;
  EX_CHECK(clGetPlatformInfo(platform, CL_PLATFORM_NAME, 0, NULL, &bytes));
  char *name = ex_alloc(bytes + 1, 1);
  EX_CHECK(clGetPlatformInfo(platform, CL_PLATFORM_NAME, bytes, name, NULL));
  return name;
}

static cl_platform_id find_platform(void) {
  cl_uint count = 0;
  EX_CHECK(clGetPlatformIDs(0, NULL, &count));
  cl_platform_id *platforms = ex_alloc(count, sizeof *platforms);
  EX_CHECK(clGetPlatformIDs(count, platforms, NULL));

  const char *wanted = getenv("EXAMPLES_PLATFORM");
  cl_platform_id found = NULL;
  for (cl_uint i = 0; i < count && found == NULL; i++) {
    char *name = platform_name(platforms[i]);
    if (wanted == NULL || strstr(name, wanted) != NULL) found = platforms[i];
    free(name);
  }
  free(platforms);
  if (found == NULL) ex_die("no OpenCL platform is called \"%s\"", wanted ? wanted : "");
  return found;
}

static cl_device_id find_device(cl_platform_id platform, cl_device_type type, const char *wanted) {
  cl_uint count = 0;
  cl_int code = clGetDeviceIDs(platform, type, 0, NULL, &count);
  if (code == CL_DEVICE_NOT_FOUND) return NULL;
  EX_CHECK_CODE(code, "clGetDeviceIDs");
  cl_device_id *devices = ex_alloc(count, sizeof *devices);
  EX_CHECK(clGetDeviceIDs(platform, type, count, devices, NULL));

  cl_device_id found = NULL;
  for (cl_uint i = 0; i < count && found == NULL; i++) {
    char *name = ex_device_text(devices[i], CL_DEVICE_NAME);
    if (wanted == NULL || strstr(name, wanted) != NULL) found = devices[i];
    free(name);
  }
  free(devices);
  return found;
}

cl_device_id ex_device_find(cl_device_type type) {
  cl_platform_id platform = find_platform();
  const char *wanted = getenv("EXAMPLES_DEVICE");
  if (wanted != NULL && type == CL_DEVICE_TYPE_DEFAULT) type = CL_DEVICE_TYPE_ALL;
  cl_device_id device = find_device(platform, type, wanted);
  if (device == NULL) return NULL;

  char *platform_text = platform_name(platform);
  char *device_text = ex_device_text(device, CL_DEVICE_NAME);
  printf("device: %s / %s\n", platform_text, device_text);
  free(device_text);
  free(platform_text);
  return device;
}

struct ex_device ex_device_open(void) {
  struct ex_device device = {.id = ex_device_find(CL_DEVICE_TYPE_DEFAULT)};
  if (device.id == NULL) ex_die("no OpenCL device");
  EX_CHECK(clGetDeviceInfo(device.id, CL_DEVICE_PLATFORM, sizeof device.platform, &device.platform, NULL));
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)device.platform, 0};
  cl_int code;
  device.context = clCreateContext(properties, 1, &device.id, NULL, NULL, &code);
  EX_CHECK_CODE(code, "clCreateContext");
  device.queue = clCreateCommandQueue(device.context, device.id, CL_QUEUE_PROFILING_ENABLE, &code);
  EX_CHECK_CODE(code, "clCreateCommandQueue");
  return device;
}

void ex_device_close(struct ex_device *device) {
  EX_CHECK(clReleaseCommandQueue(device->queue));
  EX_CHECK(clReleaseContext(device->context));
  memset(device, 0, sizeof *device);
}

bool ex_device_has_extension(cl_device_id device, const char *name) {
  char *list = ex_device_text(device, CL_DEVICE_EXTENSIONS);
  bool found = false;
  char *rest = list;
  for (char *word; !found && (word = strtok_r(rest, " ", &rest)) != NULL;) found = strcmp(word, name) == 0;
  free(list);
  return found;
}

bool ex_device_runs_native(cl_device_id device) {
  cl_device_exec_capabilities can = 0;
  EX_CHECK(clGetDeviceInfo(device, CL_DEVICE_EXECUTION_CAPABILITIES, sizeof can, &can, NULL));
  return (can & CL_EXEC_NATIVE_KERNEL) != 0;
}

cl_mem ex_device_buffer(const struct ex_device *device, cl_mem_flags flags, size_t bytes,
                        const void *contents) {
  cl_int code;
  if (contents != NULL) flags |= CL_MEM_COPY_HOST_PTR;
  /* the API takes a pointer to non-const for the sake of CL_MEM_USE_HOST_PTR; this only copies */
  cl_mem buffer = clCreateBuffer(device->context, flags, bytes, (void *)contents, &code);
  EX_CHECK_CODE(code, "clCreateBuffer");
  return buffer;
}

void ex_device_read(const struct ex_device *device, cl_mem buffer, void *target, size_t bytes) {
  EX_CHECK(clEnqueueReadBuffer(device->queue, buffer, CL_TRUE, 0, bytes, target, 0, NULL, NULL));
}
