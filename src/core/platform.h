/* The one platform and its root devices. */
#ifndef KILN_CORE_PLATFORM_H
#define KILN_CORE_PLATFORM_H

#include "core/device.h"

enum { KILN_MAX_ROOT_DEVICES = 16 };

/* What the platform reports: OpenCL 3.0 until 3.1 is whole. */
#define KILN_PLATFORM_VERSION CL_MAKE_VERSION(3, 0, 0)

struct _cl_platform_id {
  struct kiln_object object;
  uint32_t num_devices;
  kiln_device *devices[KILN_MAX_ROOT_DEVICES];
};

/* Opens the drivers at the first call (thread-safe; tried again while no device could be opened); never NULL,
 * the devices may be none. Handles stay valid in a child after fork. */
kiln_platform *kiln_platform_get(void);

/* Devices of the platform that match a CL_DEVICE_TYPE_* mask (checked by the caller), into devices_out; how
 * many. */
uint32_t kiln_platform_match(const kiln_platform *platform, cl_device_type type,
                             kiln_device *devices_out[KILN_MAX_ROOT_DEVICES]);

#endif
