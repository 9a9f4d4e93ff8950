/* The device report: the driver's findings and the kernel cache in use. */
#include "api/report.h"

#include "core/cache.h"
#include "core/device.h"

#include <stdio.h>
#include <string.h>

size_t kiln_device_report(cl_device_id device, size_t size, char *text) {
  if (!kiln_object_is(device, KILN_T_DEVICE) || text == NULL || size == 0) return 0;
  device->backend->driver->describe(device->backend, text, size);
  char cache[4500];
  kiln_cache_describe(cache, sizeof cache);
  size_t length = strlen(text);
  snprintf(text + length, size - length, "  %-18s %s\n", "kernel cache", cache);
  return strlen(text);
}
