/* Errors: the first to know one writes its sentence; callers pass the code on. */
#ifndef KILN_CORE_ERROR_H
#define KILN_CORE_ERROR_H

#include "base/ocl.h"

/* Formats the sentence once into the calling thread's last-error text, logs it on channel api, calls the
 * context's error callback (context may be NULL; no lock may be held), and returns code. where is __func__ of
 * an entry point or NULL; "kiln_" is dropped from it. The sentence names the argument, its value, the limit
 * and whose limit. */
cl_int kiln_fail(kiln_context *context, cl_int code, const char *where, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* CL_OUT_OF_HOST_MEMORY, without allocating. */
cl_int kiln_fail_oom(kiln_context *context);
/* "CL_INVALID_VALUE" for a code. */
const char *kiln_error_name(cl_int code);
/* The calling thread's last sentence, "" if none; valid until its next failing call. */
const char *kiln_last_error(void);

#define KILN_REQUIRE(context, condition, code, ...)                                                          \
  do {                                                                                                       \
    if (__builtin_expect(!(condition), 0)) return kiln_fail((context), (code), __func__, __VA_ARGS__);       \
  } while (0)

#endif
