/* What the subcommands of `kiln` share. A program, not a library: it may print and exit. Exit status: 0, all
 * went well; 1, something failed; 2, wrong usage. */
#ifndef KILN_TOOL_TOOL_H
#define KILN_TOOL_TOOL_H

#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue: works on every platform */
#include "kiln/kiln.h"

#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Subcommands: argv[0] is the subcommand's name; return the exit status. */
int tool_info(int argc, char **argv);
int tool_doctor(int argc, char **argv);
int tool_run(int argc, char **argv);
int tool_bench(int argc, char **argv);
int tool_compile(int argc, char **argv);

/* Prints "kiln: <sentence>" on stderr; returns false so that callers can pass failure on. */
bool tool_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Allocation that ends the program when memory is short. */
void *tool_alloc(size_t size);
char *tool_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Whole file, NUL after the end; NULL after an error message. */
char *tool_read_file(const char *path, size_t *size_out);
bool tool_write_file(const char *path, const void *data, size_t size);
/* For qsort: doubles, the least first. */
int tool_by_value(const void *a, const void *b);
/* Milliseconds of a clock that only goes forward. */
double tool_now_ms(void);
/* What messages are about from now on, put in front of them: "a.cl:3", say. NULL: nothing. Not copied. */
void tool_place(const char *place);
/* A line that overwrites itself, when stderr is a terminal; NULL clears it. */
void tool_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* "CL_INVALID_VALUE" or "error -30". */
const char *tool_cl_error(cl_int code);

/* Before the first OpenCL call: when no Kiln is registered with the loader, add the one of the build that
 * this program belongs to, for this process. */
void tool_register_kiln(void);
/* The folder this program lies in. */
const char *tool_folder(void);
/* Where the loader looks for .icd files: usually a folder. */
const char *tool_vendors(void);
bool tool_is_icd_name(const char *name);
/* The first device of the platform whose name contains `name` (case-insensitive); false after an error
 * message. */
bool tool_find_device(const char *name, cl_platform_id *platform_out, cl_device_id *device_out);

#endif
