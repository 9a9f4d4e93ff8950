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
