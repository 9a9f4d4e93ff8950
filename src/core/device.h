/* Devices: root devices of the drivers and sub-devices made of their compute units. */
#ifndef KILN_CORE_DEVICE_H
#define KILN_CORE_DEVICE_H

#include "core/object.h"
#include "drivers/driver.h"

struct _cl_device_id {
  struct kiln_object object;
  kiln_platform *platform;
  struct kiln_driver_device *backend;         /* owned; backend->caps is what the device reports */
  kiln_device *parent;                        /* held; NULL for a root device */
  uint32_t *units;                            /* sub-device: indices within the parent */
  cl_device_partition_property partition[80]; /* how it was made, 0-ended */
  uint32_t partition_size;                    /* entries incl. terminator; 0 for a root device */
};

/* The root device at the top of the chain of parents. */
kiln_device *kiln_device_root(kiln_device *device);

#endif
