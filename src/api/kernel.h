/* Checks that queries about kernels share. */
#ifndef KILN_API_KERNEL_H
#define KILN_API_KERNEL_H

#include "core/kernel.h"

/* The device a query is about; NULL stands for the only one. CL_INVALID_DEVICE if it is none of the kernel's.
 */
cl_int kiln_check_kernel_device(kiln_kernel *kernel, cl_device_id *device, const char *where);

#endif
