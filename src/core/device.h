/* Devices: root devices of the drivers and sub-devices made of their compute units. */
#ifndef KILN_CORE_DEVICE_H
#define KILN_CORE_DEVICE_H

#include "core/object.h"
#include "drivers/driver.h"

struct _cl_device_id {
  struct kiln_object object;
  kiln_platform *platform;
  struct kiln_driver_device *backend; /* owned; backend->caps is what the device reports */
  kiln_device *parent;                /* held; NULL for a root device */
  /* Sub-device: how it was made, in the terms of clCreateSubDevices (or CL_DEVICE_PARTITION_BY_NAMES_EXT),
     0-ended; owned. */
  cl_device_partition_property *partition;
  uint32_t partition_size; /* entries incl. terminator; 0 for a root device */
};

/* Takes backend over, also when it fails. Errors: CL_OUT_OF_HOST_MEMORY. */
cl_int kiln_device_create_root(kiln_platform *platform, struct kiln_driver_device *backend,
                               kiln_device **device_out);

/* A sub-device of the given compute units (indices within parent) with a copy of the property list that made
 * it. Errors: the driver's, CL_OUT_OF_HOST_MEMORY. */
cl_int kiln_device_create_part(kiln_device *parent, const uint32_t *units, uint32_t num_units,
                               const cl_device_partition_property *partition, uint32_t partition_size,
                               kiln_device **device_out);

/* The root device at the top of the chain of parents. */
kiln_device *kiln_device_root(kiln_device *device);

/* Whether the device lists an extension or an OpenCL C feature macro of base/features.h. */
bool kiln_device_has_extension(const kiln_device *device, const char *name);
bool kiln_device_has_feature(const kiln_device *device, const char *macro);

#endif
