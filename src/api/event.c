/* Events: waiting, queries, user events, callbacks, profiling. */
#include "api/check.h"
#include "api/info.h"
#include "api/table.h"
#include "core/context.h"
#include "core/graph.h"
#include "core/queue.h"

cl_int kiln_clWaitForEvents(cl_uint num_events, const cl_event *event_list) {
  /* CL_INVALID_VALUE if num_events is zero or event_list is NULL */
  KILN_REQUIRE(NULL, num_events > 0, CL_INVALID_VALUE, "num_events is 0");
  KILN_REQUIRE(NULL, event_list != NULL, CL_INVALID_VALUE, "event_list is NULL");
  for (cl_uint i = 0; i < num_events; i++) {
    /* CL_INVALID_EVENT if event objects specified in event_list are not valid event objects */
    cl_int err = kiln_check_handle_at(NULL, event_list[i], KILN_T_EVENT, __func__, "event_list", i);
    if (err != CL_SUCCESS) return err;
    /* CL_INVALID_CONTEXT if events specified in event_list do not belong to the same context */
    KILN_REQUIRE(event_list[0]->context, event_list[i]->context == event_list[0]->context, CL_INVALID_CONTEXT,
                 "event_list[%u] %p belongs to another context than event_list[0]", i, (void *)event_list[i]);
  }
  kiln_context *context = event_list[0]->context;
  cl_int err = kiln_events_wait(num_events, event_list);
  /* CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST if the execution status of any of the events in event_list
     is a negative integer value */
  for (cl_uint i = 0; err == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST && i < num_events; i++) {
    int status = atomic_load(&event_list[i]->status);
    if (status < 0)
      return kiln_fail(context, err, __func__, "event_list[%u] %p ended with %d, %s", i,
                       (void *)event_list[i], status, kiln_error_name(status));
  }
  return err;
}

cl_int kiln_clGetEventInfo(cl_event event, cl_event_info param_name, size_t param_value_size,
                           void *param_value, size_t *param_value_size_ret) {
  /* CL_INVALID_EVENT if event is a not a valid event object */
  KILN_CHECK(NULL, event, EVENT);
  struct kiln_info info = {event->context,   __func__,    param_name,
                           param_value_size, param_value, param_value_size_ret};
  switch (param_name) {
  case CL_EVENT_COMMAND_QUEUE:
    return kiln_info_value(&info, cl_command_queue, event->queue);
  case CL_EVENT_CONTEXT:
    return kiln_info_value(&info, cl_context, event->context);
  case CL_EVENT_COMMAND_TYPE:
    return kiln_info_value(&info, cl_command_type, event->type);
  case CL_EVENT_COMMAND_EXECUTION_STATUS:
    return kiln_info_value(&info, cl_int, atomic_load(&event->status));
  case CL_EVENT_REFERENCE_COUNT:
    return kiln_info_value(&info, cl_uint, atomic_load(&event->object.api_refs));
  default:
    /* CL_INVALID_VALUE if param_name is not one of the supported values */
    return kiln_info_unknown(&info);
  }
}

cl_int kiln_clRetainEvent(cl_event event) {
  /* CL_INVALID_EVENT if event is not a valid event object */
  KILN_CHECK(NULL, event, EVENT);
  KILN_REQUIRE(NULL, kiln_object_api_retain(event), CL_INVALID_EVENT, "event %p is being destroyed",
               (void *)event);
  return CL_SUCCESS;
}

cl_int kiln_clReleaseEvent(cl_event event) {
  /* CL_INVALID_EVENT if event is not a valid event object */
  KILN_CHECK(NULL, event, EVENT);
  KILN_REQUIRE(event->context, kiln_object_api_release(event), CL_INVALID_EVENT,
               "event %p was released more often than retained", (void *)event);
  return CL_SUCCESS;
}

/* ---- user events ---- */

static cl_int create_user_event(kiln_context *context, cl_event *event_out, const char *where) {
  /* CL_INVALID_CONTEXT if context is not a valid context */
  cl_int err = kiln_check_handle(NULL, context, KILN_T_CONTEXT, where, "context");
  return err == CL_SUCCESS ? kiln_user_event_create(context, event_out) : err;
}

cl_event kiln_clCreateUserEvent(cl_context context, cl_int *errcode_ret) {
  KILN_RETURN_HANDLE(cl_event, errcode_ret, create_user_event(context, &out, __func__));
}

cl_int kiln_clSetUserEventStatus(cl_event event, cl_int execution_status) {
  /* CL_INVALID_EVENT if event is not a valid user event object */
  KILN_CHECK(NULL, event, EVENT);
  KILN_REQUIRE(event->context, event->type == CL_COMMAND_USER, CL_INVALID_EVENT,
               "event %p is that of a command, 0x%X, not a user event", (void *)event, event->type);
  /* CL_INVALID_VALUE if the execution_status is not CL_COMPLETE or a negative integer value */
  KILN_REQUIRE(event->context, execution_status <= CL_COMPLETE, CL_INVALID_VALUE,
               "execution_status %d is neither CL_COMPLETE nor negative", execution_status);
  /* CL_INVALID_OPERATION if the execution_status for event has already been changed by a previous call */
  return kiln_user_event_set(event, execution_status);
}

/* ---- callbacks ---- */

cl_int kiln_clSetEventCallback(cl_event event, cl_int command_exec_callback_type,
                               void(CL_CALLBACK *pfn_notify)(cl_event, cl_int, void *), void *user_data) {
  /* CL_INVALID_EVENT if event is not a valid event object */
  KILN_CHECK(NULL, event, EVENT);
  /* CL_INVALID_VALUE if pfn_event_notify is NULL or if command_exec_callback_type is not CL_SUBMITTED,
     CL_RUNNING, or CL_COMPLETE */
  KILN_REQUIRE(event->context, pfn_notify != NULL, CL_INVALID_VALUE, "pfn_notify is NULL");
  KILN_REQUIRE(event->context,
               command_exec_callback_type == CL_SUBMITTED || command_exec_callback_type == CL_RUNNING ||
                   command_exec_callback_type == CL_COMPLETE,
               CL_INVALID_VALUE,
               "command_exec_callback_type %d is none of CL_SUBMITTED, CL_RUNNING and CL_COMPLETE",
               command_exec_callback_type);
  return kiln_event_add_callback(event, command_exec_callback_type, pfn_notify, user_data);
}

/* ---- profiling ---- */

static cl_int check_profiled(kiln_event *event, const char *where) {
  /* CL_PROFILING_INFO_NOT_AVAILABLE if event is a user event object */
  if (event->queue == NULL)
    return kiln_fail(event->context, CL_PROFILING_INFO_NOT_AVAILABLE, where, "event %p is a user event",
                     (void *)event);
  /* if the CL_QUEUE_PROFILING_ENABLE flag is not set for the command-queue */
  if ((event->queue->properties & CL_QUEUE_PROFILING_ENABLE) == 0)
    return kiln_fail(event->context, CL_PROFILING_INFO_NOT_AVAILABLE, where,
                     "the queue of event %p was created without CL_QUEUE_PROFILING_ENABLE", (void *)event);
  /* if the execution status of the command identified by event is not CL_COMPLETE */
  int status = atomic_load(&event->status);
  if (status != CL_COMPLETE)
    return kiln_fail(event->context, CL_PROFILING_INFO_NOT_AVAILABLE, where,
                     "the execution status of event %p is %d, not CL_COMPLETE", (void *)event, status);
  return CL_SUCCESS;
}

cl_int kiln_clGetEventProfilingInfo(cl_event event, cl_profiling_info param_name, size_t param_value_size,
                                    void *param_value, size_t *param_value_size_ret) {
  /* CL_INVALID_EVENT if event is a not a valid event object */
  KILN_CHECK(NULL, event, EVENT);
  cl_int err = check_profiled(event, __func__);
  if (err != CL_SUCCESS) return err;
  struct kiln_info info = {event->context,   __func__,    param_name,
                           param_value_size, param_value, param_value_size_ret};
  switch (param_name) {
  case CL_PROFILING_COMMAND_QUEUED:
    return kiln_info_value(&info, cl_ulong, event->queued_ns);
  case CL_PROFILING_COMMAND_SUBMIT:
    return kiln_info_value(&info, cl_ulong, event->submitted_ns);
  case CL_PROFILING_COMMAND_START:
    return kiln_info_value(&info, cl_ulong, event->started_ns);
  case CL_PROFILING_COMMAND_END:
  case CL_PROFILING_COMMAND_COMPLETE: /* no child commands: the same as END */
    return kiln_info_value(&info, cl_ulong, event->ended_ns);
  default:
    /* CL_INVALID_VALUE if param_name is not one of the supported values */
    return kiln_info_unknown(&info);
  }
}
