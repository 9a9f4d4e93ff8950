/* Owns the form in which extensions, features and versions are listed; what is listed stands in
 * base/features.h. */
#include "api/versions.h"

#include "base/features.h"
#include "core/device.h"

#include <stdio.h>
#include <string.h>

static const struct row {
  const char *name;
  cl_version version;
} extensions[] =
    {
#define X(name, major, minor, patch, in_kernel) {#name, CL_MAKE_VERSION(major, minor, patch)},
        KILN_EXTENSION_TABLE(X)
#undef X
},
  features[] = {
#define X(name, major, minor, patch) {#name, CL_MAKE_VERSION(major, minor, patch)},
      KILN_FEATURE_TABLE(X)
#undef X
};
enum {
  NUM_EXTENSIONS = sizeof extensions / sizeof *extensions,
  NUM_FEATURES = sizeof features / sizeof *features
};

#define X(name, ...) _Static_assert(sizeof #name <= CL_NAME_VERSION_MAX_NAME_SIZE, "name too long");
KILN_EXTENSION_TABLE(X)
KILN_FEATURE_TABLE(X)
#undef X

cl_int kiln_info_version_string(const struct kiln_info *info, const char *what, cl_version version) {
  char text[64];
  snprintf(text, sizeof text, "%s %u.%u Kiln %s", what, CL_VERSION_MAJOR(version), CL_VERSION_MINOR(version),
           KILN_VERSION);
  return kiln_info_string(info, text);
}

static bool all_have(kiln_device *const *devices, uint32_t num_devices, const char *extension) {
  for (uint32_t i = 0; i < num_devices; i++)
    if (!kiln_device_has_extension(devices[i], extension)) return false;
  return true;
}

cl_int kiln_info_extensions(const struct kiln_info *info, kiln_device *const *devices, uint32_t num_devices) {
  char text[NUM_EXTENSIONS * CL_NAME_VERSION_MAX_NAME_SIZE] = "";
  size_t length = 0;
  for (size_t i = 0; i < NUM_EXTENSIONS; i++)
    if (all_have(devices, num_devices, extensions[i].name))
      length += (size_t)sprintf(text + length, "%s%s", length == 0 ? "" : " ", extensions[i].name);
  return kiln_info_string(info, text);
}

static void put(cl_name_version *list, size_t *count, const char *name, cl_version version) {
  cl_name_version *entry = &list[(*count)++];
  memset(entry, 0, sizeof *entry);
  entry->version = version;
  memcpy(entry->name, name, strlen(name));
}

cl_int kiln_info_extension_versions(const struct kiln_info *info, kiln_device *const *devices,
                                    uint32_t num_devices) {
  cl_name_version list[NUM_EXTENSIONS];
  size_t count = 0;
  for (size_t i = 0; i < NUM_EXTENSIONS; i++)
    if (all_have(devices, num_devices, extensions[i].name))
      put(list, &count, extensions[i].name, extensions[i].version);
  return kiln_info_bytes(info, list, count * sizeof *list);
}

cl_int kiln_info_features(const struct kiln_info *info, const kiln_device *device) {
  cl_name_version list[NUM_FEATURES];
  size_t count = 0;
  for (size_t i = 0; i < NUM_FEATURES; i++)
    if (kiln_device_has_feature(device, features[i].name))
      put(list, &count, features[i].name, features[i].version);
  return kiln_info_bytes(info, list, count * sizeof *list);
}

cl_int kiln_info_language_versions(const struct kiln_info *info, const kiln_device *device) {
  static const cl_version versions[] = {CL_MAKE_VERSION(1, 0, 0), CL_MAKE_VERSION(1, 1, 0),
                                        CL_MAKE_VERSION(1, 2, 0), CL_MAKE_VERSION(3, 0, 0)};
  cl_name_version list[sizeof versions / sizeof *versions + 1];
  size_t count = 0;
  for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) put(list, &count, "OpenCL C", versions[i]);
  if (device->backend->caps.target.device_version >= 310)
    put(list, &count, "OpenCL C", CL_MAKE_VERSION(3, 1, 0));
  return kiln_info_bytes(info, list, count * sizeof *list);
}
