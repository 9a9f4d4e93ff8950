/* Owns device objects, root and sub; what they report is their backend's caps. */
#include "core/device.h"

#include "base/alloc.h"
#include "base/features.h"

#include <string.h>

/* A root device outlives everything: its memory is its own and its counts never reach zero. */
cl_int kiln_device_create_root(kiln_platform *platform, struct kiln_driver_device *backend,
                               kiln_device **device_out) {
  kiln_device *device = kiln_object_new(KILN_T_DEVICE, sizeof *device);
  if (device == NULL) {
    backend->driver->close(backend);
    return CL_OUT_OF_HOST_MEMORY;
  }
  device->platform = platform;
  device->backend = backend;
  *device_out = device;
  return CL_SUCCESS;
}

cl_int kiln_device_create_part(kiln_device *parent, const uint32_t *units, uint32_t num_units,
                               const cl_device_partition_property *partition, uint32_t partition_size,
                               kiln_device **device_out) {
  kiln_device *device = kiln_object_new(KILN_T_DEVICE, sizeof *device);
  if (device == NULL) return CL_OUT_OF_HOST_MEMORY;
  cl_int err = CL_OUT_OF_HOST_MEMORY;
  device->platform = parent->platform;
  device->parent = kiln_ref(parent);
  device->partition_size = partition_size;
  device->partition = kiln_alloc(partition_size * sizeof *partition);
  if (device->partition == NULL) goto fail;
  memcpy(device->partition, partition, partition_size * sizeof *partition);
  err = parent->backend->driver->partition(parent->backend, units, num_units, &device->backend);
  if (err != CL_SUCCESS) goto fail;
  *device_out = device;
  return CL_SUCCESS;
fail:
  kiln_unref(&device);
  return err;
}

void kiln_device_destroy(kiln_device *device) {
  if (device->backend != NULL) device->backend->driver->close(device->backend);
  kiln_free(device->partition);
  kiln_unref(&device->parent);
  kiln_object_free(device);
}

kiln_device *kiln_device_root(kiln_device *device) {
  while (device->parent != NULL) device = device->parent;
  return device;
}

/* Rows of base/features.h that not every device has. */
static bool has_row(const struct kiln_caps *caps, const char *name) {
  if (strstr(name, "fp64") != NULL) return caps->fp64;
  if (strstr(name, "fp16") != NULL) return caps->fp16;
  if (strstr(name, "image") != NULL) return caps->target.image_support != 0;
  return true;
}

/* A word of a list with spaces between; NULL is an empty one. */
static bool has_word(const char *list, const char *word) {
  size_t length = strlen(word);
  for (const char *at = list; at != NULL && (at = strstr(at, word)) != NULL; at += length)
    if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) return true;
  return false;
}

bool kiln_device_has_extension(const kiln_device *device, const char *name) {
#define X(row, major, minor, patch, in_kernel)                                                               \
  if (strcmp(name, #row) == 0) return has_row(&device->backend->caps, name);
  KILN_EXTENSION_TABLE(X)
#undef X
  return false;
}

bool kiln_device_has_feature(const kiln_device *device, const char *macro) {
#define X(row, major, minor, patch)                                                                          \
  if (strcmp(macro, #row) == 0) return has_word(device->backend->caps.target.feature_macros, macro);
  KILN_FEATURE_TABLE(X)
#undef X
  return false;
}
