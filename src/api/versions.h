/* Version strings and lists of names with versions, made from base/features.h, for the info queries. */
#ifndef KILN_API_VERSIONS_H
#define KILN_API_VERSIONS_H

#include "api/info.h"

#include <stdint.h>

/* "<what> 3.0 Kiln <version of Kiln>" */
cl_int kiln_info_version_string(const struct kiln_info *info, const char *what, cl_version version);

/* Extensions that all devices of the list have: names separated by spaces, or cl_name_version[]. */
cl_int kiln_info_extensions(const struct kiln_info *info, kiln_device *const *devices, uint32_t num_devices);
cl_int kiln_info_extension_versions(const struct kiln_info *info, kiln_device *const *devices,
                                    uint32_t num_devices);
/* CL_DEVICE_OPENCL_C_FEATURES and CL_DEVICE_OPENCL_C_ALL_VERSIONS. */
cl_int kiln_info_features(const struct kiln_info *info, const kiln_device *device);
cl_int kiln_info_language_versions(const struct kiln_info *info, const kiln_device *device);

#endif
