/* From a .cl file of this folder to a kernel. */
#ifndef EXAMPLES_COMMON_PROGRAM_H
#define EXAMPLES_COMMON_PROGRAM_H

#include "device.h"

#include <CL/cl.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The text of EXAMPLES_DIR/`path`, ended by a NUL; free() it. Ends the program if unreadable. */
char *ex_program_source(const char *path);

/* The text of the build log, by the two-call idiom; free() it. */
char *ex_program_log(cl_program program, cl_device_id device);

/* Builds EXAMPLES_DIR/`path`; on failure prints the log and ends the program. */
cl_program ex_program_build(const struct ex_device *device, const char *path, const char *options);

cl_kernel ex_program_kernel(cl_program program, const char *name);

#ifdef __cplusplus
}
#endif
#endif
