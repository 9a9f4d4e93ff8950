/* OpenCL's own names for the whole project: Debian's headers plus what they lack (see below).
 * The only file that includes the headers of the folder CL. */
#ifndef KILN_BASE_OCL_H
#define KILN_BASE_OCL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_gl.h>
#include <CL/cl_icd.h>

#include <stddef.h>
#include <stdint.h>

/* ---- what Debian's headers (February 2023) lack ---- */

/* cl_khr_icd 2.0: stands in the dispatch table in the place of clGetPlatformIDs and clUnloadCompiler. */
#ifndef CL_ICD2_TAG_KHR
#if INTPTR_MAX == INT32_MAX
#define CL_ICD2_TAG_KHR ((intptr_t)0x434C3331)
#else
#define CL_ICD2_TAG_KHR ((intptr_t)0x4F50454E434C3331)
#endif
CL_API_ENTRY void *CL_API_CALL clIcdGetFunctionAddressForPlatformKHR(cl_platform_id platform,
                                                                     const char *func_name);
CL_API_ENTRY cl_int CL_API_CALL clIcdSetPlatformDispatchDataKHR(cl_platform_id platform, void *dispatch_data);
#endif

/* OpenCL 3.1 */
CL_API_ENTRY cl_int CL_API_CALL clGetKernelSuggestedLocalWorkSize(cl_command_queue command_queue,
                                                                  cl_kernel kernel, cl_uint work_dim,
                                                                  const size_t *global_work_offset,
                                                                  const size_t *global_work_size,
                                                                  size_t *suggested_local_work_size);

/* The dispatch table with OpenCL 3.1's member, which Debian's cl_icd.h ends before. */
struct kiln_icd_dispatch {
  cl_icd_dispatch core;
  __typeof__(clGetKernelSuggestedLocalWorkSize) *clGetKernelSuggestedLocalWorkSize;
};
_Static_assert(offsetof(struct kiln_icd_dispatch, clGetKernelSuggestedLocalWorkSize) ==
                   offsetof(cl_icd_dispatch, clSetContextDestructorCallback) + sizeof(void *),
               "cl_icd.h already ends with OpenCL 3.1's member");

/* cl_khr_kernel_clock */
#ifndef CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR
#define CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR 0x1076
typedef cl_bitfield cl_device_kernel_clock_capabilities_khr;
#define CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR (1 << 0)
#define CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR (1 << 1)
#define CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR (1 << 2)
#endif

/* cl_ext_float_atomics */
#ifndef CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT
#define CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT 0x4231
#define CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT 0x4232
#define CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT 0x4233
typedef cl_bitfield cl_device_fp_atomic_capabilities_ext;
#define CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT (1 << 0)
#define CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT (1 << 1)
#define CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT (1 << 2)
#define CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT (1 << 16)
#define CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT (1 << 17)
#define CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT (1 << 18)
#endif

typedef struct _cl_platform_id kiln_platform;
typedef struct _cl_device_id kiln_device;
typedef struct _cl_context kiln_context;
typedef struct _cl_command_queue kiln_queue;
typedef struct _cl_event kiln_event;
typedef struct _cl_mem kiln_mem;
typedef struct _cl_sampler kiln_sampler;
typedef struct _cl_program kiln_program;
typedef struct _cl_kernel kiln_kernel;

/* A command is its event: one allocation, recycled by its queue. */
typedef struct _cl_event kiln_cmd;

#endif
