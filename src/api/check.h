/* Handle checks and wait-list checks of the entry points. A handle is checked before its first dereference;
 * each check stands under the specification's own line. */
#ifndef KILN_API_CHECK_H
#define KILN_API_CHECK_H

#include "core/error.h"
#include "core/object.h"

/* CL_INVALID_<OBJECT> unless handle is a live one of that type. Use through KILN_CHECK. */
cl_int kiln_check_handle(kiln_context *context, const void *handle, enum kiln_type type, const char *where,
                         const char *argument);

/* The same for entry `index` of a list. */
cl_int kiln_check_handle_at(kiln_context *context, const void *handle, enum kiln_type type, const char *where,
                            const char *list, unsigned index);

/* In an entry point: KILN_CHECK(NULL, command_queue, QUEUE); returns the error from the calling function. */
#define KILN_CHECK(context, handle, TYPE)                                                                    \
  do {                                                                                                       \
    cl_int check_error_ = kiln_check_handle((context), (handle), KILN_T_##TYPE, __func__, #handle);          \
    if (__builtin_expect(check_error_ != CL_SUCCESS, 0)) return check_error_;                                \
  } while (0)

/* CL_INVALID_EVENT_WAIT_LIST if list and count disagree or an entry is no event; CL_INVALID_CONTEXT if an
 * event is of another context. */
cl_int kiln_check_wait_list(kiln_context *context, cl_uint num_events, const cl_event *events,
                            const char *where);

#define KILN_CHECK_WAIT_LIST(context, num, list)                                                             \
  do {                                                                                                       \
    cl_int check_error_ = kiln_check_wait_list((context), (num), (list), __func__);                          \
    if (__builtin_expect(check_error_ != CL_SUCCESS, 0)) return check_error_;                                \
  } while (0)

/* For entry points that return a handle: a cl_int function with an output does the work, so NULL with
 * CL_SUCCESS cannot be written. */
#define KILN_RETURN_HANDLE(type, errcode_ret, call_with_out)                                                 \
  do {                                                                                                       \
    type out = NULL;                                                                                         \
    cl_int handle_error_ = (call_with_out);                                                                  \
    if ((errcode_ret) != NULL) *(errcode_ret) = handle_error_;                                               \
    return handle_error_ == CL_SUCCESS ? out : NULL;                                                         \
  } while (0)

#endif
