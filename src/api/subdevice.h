/* The division of devices, shared by device.c, subdevice.c and fission.c. */
#ifndef KILN_API_SUBDEVICE_H
#define KILN_API_SUBDEVICE_H

#include "api/info.h"
#include "core/device.h"

/* The affinity domains that divide device, CL_DEVICE_AFFINITY_DOMAIN_*; NEXT_PARTITIONABLE with any; 0: none.
 */
cl_device_affinity_domain kiln_device_affinity_domains(kiln_device *device);

/* The core partitioning schemes of device; how many, 0 if it cannot be divided. */
uint32_t kiln_device_partition_schemes(kiln_device *device, cl_device_partition_property schemes_out[3]);

/* clCreateSubDevices in the core's terms; CL_DEVICE_PARTITION_BY_NAMES_EXT is understood besides. fission:
 * errors are those of cl_ext_device_fission. */
cl_int kiln_device_divide(kiln_device *device, const cl_device_partition_property *properties,
                          cl_uint num_devices, cl_device_id *out_devices, cl_uint *num_devices_ret,
                          bool fission, const char *where);

/* Answer the list queries about division (fission: those of cl_ext_device_fission); false for another
 * param_name. */
bool kiln_partition_query(const struct kiln_info *info, kiln_device *device, cl_int *err_out);
bool kiln_fission_query(const struct kiln_info *info, kiln_device *device, cl_int *err_out);

/* A non-empty combination of CL_DEVICE_TYPE_* bits, or CL_DEVICE_TYPE_ALL (device.c). */
bool kiln_device_type_is_valid(cl_device_type type);

#endif
