/* Owns the dispatch table, the lookup of entry points by name and cl_khr_icd. Knows no object but the
 * platform. */
#include "api/check.h"
#include "api/report.h"
#include "api/table.h"
#include "core/platform.h"

#include <string.h>

#define ENTRY(name) .name = kiln_##name,
#define ENTRIES                                                                                              \
  KILN_CORE_ENTRY_POINTS(ENTRY) KILN_DISPATCHED_EXTENSIONS(ENTRY) KILN_SHARING_ENTRY_POINTS(ENTRY)

const struct kiln_icd_dispatch kiln_dispatch = {
    .core = {.clGetPlatformIDs = (void *)CL_ICD2_TAG_KHR,
             .clUnloadCompiler = (void *)CL_ICD2_TAG_KHR,
             ENTRIES},
    .clGetKernelSuggestedLocalWorkSize = kiln_clGetKernelSuggestedLocalWorkSizeKHR,
};
const struct kiln_icd_dispatch kiln_plain_dispatch = {
    .core = {KILN_TAGGED_ENTRY_POINTS(ENTRY) ENTRIES},
    .clGetKernelSuggestedLocalWorkSize = kiln_clGetKernelSuggestedLocalWorkSizeKHR,
};

struct entry {
  const char *name;
  void *address;
};

/* What applications find. */
static const struct entry entries[] = {
#define X(name) {#name, (void *)kiln_##name},
    KILN_TAGGED_ENTRY_POINTS(X) KILN_CORE_ENTRY_POINTS(X) KILN_DISPATCHED_EXTENSIONS(X)
        KILN_NAMED_EXTENSIONS(X)
#undef X
            {"clGetKernelSuggestedLocalWorkSize", (void *)kiln_clGetKernelSuggestedLocalWorkSizeKHR},
    {"kiln_last_error", (void *)kiln_last_error},
    {"kiln_device_report", (void *)kiln_device_report},
};

/* What a loader that manages the dispatch finds besides. */
static const struct entry sharing_entries[] = {
#define X(name) {#name, (void *)kiln_##name},
    KILN_SHARING_ENTRY_POINTS(X)
#undef X
};

static void *find(const struct entry *list, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(list[i].name, name) == 0) return list[i].address;
  return NULL;
}

void *kiln_clGetExtensionFunctionAddress(const char *func_name) {
  return func_name == NULL ? NULL : find(entries, sizeof entries / sizeof *entries, func_name);
}

void *kiln_clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *func_name) {
  return kiln_object_is(platform, KILN_T_PLATFORM) ? kiln_clGetExtensionFunctionAddress(func_name) : NULL;
}

void *kiln_clIcdGetFunctionAddressForPlatformKHR(cl_platform_id platform, const char *func_name) {
  void *address = kiln_clGetExtensionFunctionAddressForPlatform(platform, func_name);
  if (address == NULL && func_name != NULL && kiln_object_is(platform, KILN_T_PLATFORM))
    address = find(sharing_entries, sizeof sharing_entries / sizeof *sharing_entries, func_name);
  return address;
}

cl_int kiln_clIcdSetPlatformDispatchDataKHR(cl_platform_id platform, void *dispatch_data) {
  /* CL_INVALID_PLATFORM if platform is not a valid platform */
  KILN_CHECK(NULL, platform, PLATFORM);
  kiln_object_set_dispatch_data(dispatch_data);
  kiln_object_take_dispatch_data(&platform->object);
  for (uint32_t i = 0; i < platform->num_devices; i++)
    kiln_object_take_dispatch_data(&platform->devices[i]->object);
  return CL_SUCCESS;
}

cl_int kiln_clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms) {
  /* CL_INVALID_VALUE if num_entries is equal to zero and platforms is not NULL */
  KILN_REQUIRE(NULL, platforms == NULL || num_entries > 0, CL_INVALID_VALUE,
               "num_entries is 0 and platforms is not NULL");
  /* CL_INVALID_VALUE if both num_platforms and platforms are NULL */
  KILN_REQUIRE(NULL, platforms != NULL || num_platforms != NULL, CL_INVALID_VALUE,
               "platforms and num_platforms are both NULL");
  if (platforms != NULL) platforms[0] = kiln_platform_get();
  if (num_platforms != NULL) *num_platforms = 1;
  return CL_SUCCESS;
}

/* The three names that loaders look up with dlsym, and cl_khr_icd 2's two. */
#define EXPORT(name) extern __typeof__(name) name __attribute__((visibility("default"), alias("kiln_" #name)))
EXPORT(clGetExtensionFunctionAddress);
EXPORT(clIcdGetPlatformIDsKHR);
EXPORT(clIcdGetFunctionAddressForPlatformKHR);
EXPORT(clIcdSetPlatformDispatchDataKHR);
