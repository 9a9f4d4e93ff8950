/* `kiln info`: what Kiln sees and why, through OpenCL's own queries and Kiln's device report. */
#include "base/config.h"
#include "tool/tool.h"
#include "tool/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
  bool config;
  char *platform;
};

static const struct argp_option option_table[] = {
    {"config", 'c', NULL, 0, "every environment variable Kiln reads, its value and help", 0},
    {"platform", 'p', "NAME", 0, "another platform's devices", 0},
    {0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  struct options *o = state->input;
  switch (key) {
  case 'c':
    o->config = true;
    return 0;
  case 'p':
    o->platform = arg;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static int print_config(void) {
#define X(id, name, value, help)                                                                             \
  {                                                                                                          \
    const char *set = getenv(name), *fallback = value;                                                       \
    printf("%-22s %s%s\n    %s\n", name,                                                                     \
           set != NULL        ? set                                                                          \
           : fallback != NULL ? fallback                                                                     \
                              : "(not set)",                                                                 \
           set != NULL ? "  [from the environment]" : "", help);                                             \
  }
  KILN_CONFIG_TABLE(X)
#undef X
  return 0;
}

static void print_text(cl_device_id device, cl_device_info what, const char *label) {
  size_t size = 0;
  if (clGetDeviceInfo(device, what, 0, NULL, &size) != CL_SUCCESS || size == 0) return;
  char *text = tool_alloc(size + 1);
  clGetDeviceInfo(device, what, size, text, NULL);
  printf("  %-18s %s\n", label, text);
  free(text);
}

static unsigned long long number(cl_device_id device, cl_device_info what) {
  unsigned char bytes[8] = {0};
  size_t size = 0;
  unsigned long long value = 0;
  if (clGetDeviceInfo(device, what, sizeof bytes, bytes, &size) != CL_SUCCESS) return 0;
  memcpy(&value, bytes, size < sizeof value ? size : sizeof value);
  return value;
}

static void print_report(cl_platform_id platform, cl_device_id device) {
  kiln_device_report_fn *report =
      (kiln_device_report_fn *)(uintptr_t)clGetExtensionFunctionAddressForPlatform(platform,
                                                                                   "kiln_device_report");
  if (report == NULL) return;
  char text[8192];
  if (report(device, sizeof text, text) > 0) printf("%s", text);
}

static void print_images(cl_device_id device) {
  if (!number(device, CL_DEVICE_IMAGE_SUPPORT)) {
    printf("  %-18s none\n", "images");
    return;
  }
  printf("  %-18s 2D up to %llu x %llu, 3D up to %llu x %llu x %llu, arrays of %llu\n", "images",
         number(device, CL_DEVICE_IMAGE2D_MAX_WIDTH), number(device, CL_DEVICE_IMAGE2D_MAX_HEIGHT),
         number(device, CL_DEVICE_IMAGE3D_MAX_WIDTH), number(device, CL_DEVICE_IMAGE3D_MAX_HEIGHT),
         number(device, CL_DEVICE_IMAGE3D_MAX_DEPTH), number(device, CL_DEVICE_IMAGE_MAX_ARRAY_SIZE));
}

static void print_device(cl_platform_id platform, cl_device_id device) {
  print_text(device, CL_DEVICE_NAME, "device");
  print_text(device, CL_DEVICE_VERSION, "version");
  print_text(device, CL_DRIVER_VERSION, "driver");
  printf("  %-18s %llu\n", "compute units", number(device, CL_DEVICE_MAX_COMPUTE_UNITS));
  printf("  %-18s %.1f GiB, at most %.1f in one buffer\n", "global memory",
         (double)number(device, CL_DEVICE_GLOBAL_MEM_SIZE) / 1073741824.0,
         (double)number(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE) / 1073741824.0);
  printf("  %-18s %llu KiB\n", "local memory", number(device, CL_DEVICE_LOCAL_MEM_SIZE) >> 10);
  printf("  %-18s %llu\n", "work-group size", number(device, CL_DEVICE_MAX_WORK_GROUP_SIZE));
  print_images(device);
  print_text(device, CL_DEVICE_EXTENSIONS, "extensions");
  print_report(platform, device);
}

int tool_info(int argc, char **argv) {
  struct options o = {.platform = "kiln"};
  const struct argp parser = {
      .options = option_table,
      .parser = parse_option,
      .doc = "Devices of Kiln: what was detected and why (affinity mask, cgroup quota, processor features, "
             "kernel cache)."};
  if (!words_parse(&parser, "kiln info", argc, argv, &o, NULL)) return 2;
  if (o.config) return print_config();
  cl_platform_id platform;
  cl_device_id devices[16];
  cl_uint count = 0;
  if (!tool_find_device(o.platform, &platform, devices)) return 1;
  char name[256] = "", version[256] = "";
  clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL);
  clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof version, version, NULL);
  printf("%s, %s\n", name, version);
  clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 16, devices, &count);
  for (cl_uint k = 0; k < count && k < 16; k++) print_device(platform, devices[k]);
  return 0;
}
