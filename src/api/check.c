/* The shared checks of the entry points. */
#include "api/check.h"

#include "core/command.h"

#include <stdio.h>

static const char *type_name(enum kiln_type type) {
  switch (type) {
#define X(T, tag, name, code)                                                                                \
  case KILN_T_##T:                                                                                           \
    return name;
    KILN_OBJECT_TABLE(X)
#undef X
  default:
    return "object";
  }
}

static cl_int type_error(enum kiln_type type) {
  switch (type) {
#define X(T, tag, name, code)                                                                                \
  case KILN_T_##T:                                                                                           \
    return code;
    KILN_OBJECT_TABLE(X)
#undef X
  default:
    return CL_INVALID_VALUE;
  }
}

/* The sentence about a handle that is no live object of that type. */
static cl_int fail_handle(kiln_context *context, cl_int code, const void *handle, enum kiln_type type,
                          const char *where, const char *argument) {
  if (handle == NULL) return kiln_fail(context, code, where, "%s is NULL", argument);
  const struct kiln_object *object = handle;
  if (kiln_object_has_table(object) && object->type == (uint32_t)type)
    return kiln_fail(context, code, where,
                     "%s %p was created before fork; create a new %s in the child process", argument, handle,
                     type_name(type));
  return kiln_fail(context, code, where, "%s %p is not a live %s", argument, handle, type_name(type));
}

static cl_int fail_entry(kiln_context *context, cl_int code, const void *handle, enum kiln_type type,
                         const char *where, const char *list, unsigned index) {
  char argument[64];
  snprintf(argument, sizeof argument, "%s[%u]", list, index);
  return fail_handle(context, code, handle, type, where, argument);
}

cl_int kiln_check_handle(kiln_context *context, const void *handle, enum kiln_type type, const char *where,
                         const char *argument) {
  if (kiln_object_is(handle, type)) return CL_SUCCESS;
  return fail_handle(context, type_error(type), handle, type, where, argument);
}

cl_int kiln_check_handle_at(kiln_context *context, const void *handle, enum kiln_type type, const char *where,
                            const char *list, unsigned index) {
  if (kiln_object_is(handle, type)) return CL_SUCCESS;
  return fail_entry(context, type_error(type), handle, type, where, list, index);
}

cl_int kiln_check_wait_list(kiln_context *context, cl_uint num_events, const cl_event *events,
                            const char *where) {
  /* CL_INVALID_EVENT_WAIT_LIST if event_wait_list is NULL and num_events_in_wait_list > 0, or event_wait_list
     is not NULL and num_events_in_wait_list is 0, or if event objects in event_wait_list are not valid
     events. */
  if ((events == NULL) != (num_events == 0))
    return kiln_fail(context, CL_INVALID_EVENT_WAIT_LIST, where,
                     "event_wait_list is %s and num_events_in_wait_list is %u",
                     events == NULL ? "NULL" : "not NULL", num_events);
  for (cl_uint i = 0; i < num_events; i++) {
    if (!kiln_object_is(events[i], KILN_T_EVENT))
      return fail_entry(context, CL_INVALID_EVENT_WAIT_LIST, events[i], KILN_T_EVENT, where,
                        "event_wait_list", i);
    /* CL_INVALID_CONTEXT if the context associated with command_queue and events in event_wait_list are not
     * the same. */
    if (events[i]->context != context)
      return kiln_fail(context, CL_INVALID_CONTEXT, where,
                       "event_wait_list[%u] %p belongs to another context", i, (void *)events[i]);
  }
  return CL_SUCCESS;
}
