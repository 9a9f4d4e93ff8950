/* Kiln's own additions for applications; everything else is OpenCL. */
#ifndef KILN_KILN_H
#define KILN_KILN_H

#include <CL/cl.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One sentence about the calling thread's last failed OpenCL call on Kiln, "" if none; valid until its next
 * failing call. Found with clGetExtensionFunctionAddressForPlatform(platform, "kiln_last_error"). */
typedef const char *kiln_last_error_fn(void);

/* What was detected of a device and why (processors in the affinity mask, quota, features, cache folder):
 * lines of text, at most size bytes with the NUL. Returns the length without it, 0 if the device is not
 * Kiln's. Found by name like kiln_last_error, as "kiln_device_report". */
typedef size_t kiln_device_report_fn(cl_device_id device, size_t size, char *text);

#ifdef __cplusplus
}
#endif

#endif
