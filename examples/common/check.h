/* Ends the program with a readable message when an OpenCL call fails. An example has nothing
 * better to do than to stop; a library would return the code instead. */
#ifndef EXAMPLES_COMMON_CHECK_H
#define EXAMPLES_COMMON_CHECK_H

#include <CL/cl.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Exit codes of every example. 77 is what CTest and Automake take for "skipped". */
enum { EX_EXIT_OK = 0, EX_EXIT_MISMATCH = 1, EX_EXIT_ERROR = 2, EX_EXIT_SKIPPED = 77 };

/* For calls that return their code. */
#define EX_CHECK(call) ex_check((call), #call, __FILE__, __LINE__)

/* For calls that return an object and leave their code in `code`. */
#define EX_CHECK_CODE(code, name) ex_check((code), (name), __FILE__, __LINE__)

void ex_check(cl_int code, const char *call, const char *file, int line);

/* "CL_INVALID_VALUE" for -30; "unknown code" for what this header does not know. */
const char *ex_error_name(cl_int code);

/* Prints like printf to stderr and exits with EX_EXIT_ERROR. */
#ifdef __GNUC__
__attribute__((format(printf, 1, 2), noreturn))
#endif
void ex_die(const char *format, ...);

/* Zeroed memory for `count` elements, aligned to a page; never NULL. Release with free(). */
void *ex_alloc(size_t count, size_t size);

#ifdef __cplusplus
}
#endif
#endif
