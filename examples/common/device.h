/* Finds a device and opens what nearly every program needs: a context and a profiling queue. */
#ifndef EXAMPLES_COMMON_DEVICE_H
#define EXAMPLES_COMMON_DEVICE_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ex_device {
  cl_platform_id platform;
  cl_device_id id;
  cl_context context;
  cl_command_queue queue; /* in order, with profiling */
};

/* The first device of `type` on the platform whose name contains $EXAMPLES_PLATFORM (the first
 * platform if unset) whose own name contains $EXAMPLES_DEVICE; NULL when there is none. Prints
 * what it chose. */
cl_device_id ex_device_find(cl_device_type type);

/* The default device with context and queue; ends the program when there is none. */
struct ex_device ex_device_open(void);
void ex_device_close(struct ex_device *device);

/* A string from clGetDeviceInfo, by the usual two calls; free() it. */
char *ex_device_text(cl_device_id device, cl_device_info what);

/* True if the device lists the extension of exactly this name. */
bool ex_device_has_extension(cl_device_id device, const char *name);

/* True if clEnqueueNativeKernel works on it. */
bool ex_device_runs_native(cl_device_id device);

/* clCreateBuffer, with CL_MEM_COPY_HOST_PTR added when there is something to copy. */
cl_mem ex_device_buffer(const struct ex_device *device, cl_mem_flags flags, size_t bytes,
                        const void *contents);

/* Blocking transfer of a whole buffer to the host. */
void ex_device_read(const struct ex_device *device, cl_mem buffer, void *target, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
