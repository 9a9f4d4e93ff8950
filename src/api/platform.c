/* Platform queries. */
#include "core/platform.h"
#include "api/check.h"
#include "api/info.h"
#include "api/table.h"
#include "api/versions.h"

cl_int kiln_clGetPlatformIDs(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms) {
  return kiln_clIcdGetPlatformIDsKHR(num_entries, platforms, num_platforms);
}

/* The resolution of both clocks: CLOCK_MONOTONIC counts nanoseconds. */
enum { HOST_TIMER_RESOLUTION_NS = 1 };

cl_int kiln_clGetPlatformInfo(cl_platform_id platform, cl_platform_info param_name, size_t param_value_size,
                              void *param_value, size_t *param_value_size_ret) {
  /* "platform refers to the platform ID returned by clGetPlatformIDs or can be NULL": then it is this one */
  if (platform == NULL) platform = kiln_platform_get();
  /* CL_INVALID_PLATFORM if platform is not a valid platform */
  KILN_CHECK(NULL, platform, PLATFORM);
  struct kiln_info info = {NULL, __func__, param_name, param_value_size, param_value, param_value_size_ret};
  switch (param_name) {
  case CL_PLATFORM_PROFILE:
    return kiln_info_string(&info, "FULL_PROFILE");
  case CL_PLATFORM_VERSION:
    return kiln_info_version_string(&info, "OpenCL", KILN_PLATFORM_VERSION);
  case CL_PLATFORM_NUMERIC_VERSION:
    return kiln_info_value(&info, cl_version, KILN_PLATFORM_VERSION);
  case CL_PLATFORM_NAME:
  case CL_PLATFORM_VENDOR:
    return kiln_info_string(&info, "Kiln");
  case CL_PLATFORM_EXTENSIONS:
    return kiln_info_extensions(&info, platform->devices, platform->num_devices);
  case CL_PLATFORM_EXTENSIONS_WITH_VERSION:
    return kiln_info_extension_versions(&info, platform->devices, platform->num_devices);
  case CL_PLATFORM_HOST_TIMER_RESOLUTION:
    return kiln_info_value(&info, cl_ulong, HOST_TIMER_RESOLUTION_NS);
  case CL_PLATFORM_ICD_SUFFIX_KHR:
    return kiln_info_string(&info, "KILN");
  default:
    /* CL_INVALID_VALUE if param_name is not one of the supported values */
    return kiln_info_unknown(&info);
  }
}

/* Looked up by loaders with dlsym. */
extern __typeof__(clGetPlatformInfo) clGetPlatformInfo
    __attribute__((visibility("default"), alias("kiln_clGetPlatformInfo")));
