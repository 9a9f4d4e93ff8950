/* The one platform and its root devices. */
#ifndef KILN_CORE_PLATFORM_H
#define KILN_CORE_PLATFORM_H

#include "core/device.h"

enum { KILN_MAX_ROOT_DEVICES = 16 };

struct _cl_platform_id {
  struct kiln_object object;
  uint32_t num_devices;
  kiln_device *devices[KILN_MAX_ROOT_DEVICES];
};

/* Opens the drivers at the first call (thread-safe; again after fork); never NULL, the devices may be none.
 */
kiln_platform *kiln_platform_get(void);

#endif
