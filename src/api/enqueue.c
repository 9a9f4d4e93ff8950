/* Commands that move no bytes of their own: native kernels, markers, barriers. */
#include "api/check.h"
#include "api/table.h"
#include "core/command.h"
#include "core/mem.h"
#include "core/queue.h"

#include <string.h>

/* ---- native kernels ---- */

struct native_args {
  void *args;
  size_t size;
  cl_uint num_mems;
  const cl_mem *mems;
  const void **locations;
};

static cl_int check_native_mem(kiln_context *context, const struct native_args *a, cl_uint i,
                               const char *where) {
  /* CL_INVALID_MEM_OBJECT if one or more memory objects specified in mem_list are not valid or are not buffer
     objects; "or NULL", which the function then finds in its place. */
  kiln_mem *mem = a->mems[i];
  if (mem != NULL) {
    cl_int err = kiln_check_handle_at(context, mem, KILN_T_MEM, where, "mem_list", i);
    if (err != CL_SUCCESS) return err;
    if (mem->type != CL_MEM_OBJECT_BUFFER)
      return kiln_fail(context, CL_INVALID_MEM_OBJECT, where, "mem_list[%u] %p is no buffer", i, (void *)mem);
    if (mem->context != context)
      return kiln_fail(context, CL_INVALID_CONTEXT, where,
                       "mem_list[%u] %p belongs to another context than command_queue", i, (void *)mem);
  }
  size_t at = (size_t)((uintptr_t)a->locations[i] - (uintptr_t)a->args);
  if (at <= a->size && a->size - at >= sizeof(void *)) return CL_SUCCESS;
  return kiln_fail(context, CL_INVALID_VALUE, where, "args_mem_loc[%u] lies outside the %zu bytes of args", i,
                   a->size);
}

static cl_int check_native_args(kiln_context *context, const struct native_args *a, const char *where) {
  /* CL_INVALID_VALUE if args is a NULL value and cb_args > 0, or if args is a NULL value and num_mem_objects
   * > 0. */
  if (a->args == NULL && (a->size > 0 || a->num_mems > 0))
    return kiln_fail(context, CL_INVALID_VALUE, where,
                     "args is NULL, but cb_args is %zu and num_mem_objects %u", a->size, a->num_mems);
  /* CL_INVALID_VALUE if args is not NULL and cb_args is 0. */
  if (a->args != NULL && a->size == 0)
    return kiln_fail(context, CL_INVALID_VALUE, where, "args is not NULL, but cb_args is 0");
  /* CL_INVALID_VALUE if num_mem_objects > 0 and mem_list or args_mem_loc are NULL. */
  if (a->num_mems > 0 && (a->mems == NULL || a->locations == NULL))
    return kiln_fail(context, CL_INVALID_VALUE, where, "num_mem_objects is %u, but %s is NULL", a->num_mems,
                     a->mems == NULL ? "mem_list" : "args_mem_loc");
  /* CL_INVALID_VALUE if num_mem_objects = 0 and mem_list or args_mem_loc are not NULL. */
  if (a->num_mems == 0 && (a->mems != NULL || a->locations != NULL))
    return kiln_fail(context, CL_INVALID_VALUE, where, "num_mem_objects is 0, but %s is not NULL",
                     a->mems != NULL ? "mem_list" : "args_mem_loc");
  for (cl_uint i = 0; i < a->num_mems; i++) {
    cl_int err = check_native_mem(context, a, i, where);
    if (err != CL_SUCCESS) return err;
  }
  return CL_SUCCESS;
}

/* Copies args into the command and replaces the memory objects by their addresses there. */
static cl_int copy_native_args(kiln_cmd *cmd, const struct native_args *a) {
  if (a->args == NULL) return CL_SUCCESS;
  cl_int err = kiln_cmd_args(cmd, a->size);
  if (err != CL_SUCCESS) return err;
  memcpy(cmd->args, a->args, a->size);
  for (cl_uint i = 0; err == CL_SUCCESS && i < a->num_mems; i++) {
    const void *address = a->mems[i] != NULL ? a->mems[i]->data : NULL;
    memcpy(cmd->args + ((uintptr_t)a->locations[i] - (uintptr_t)a->args), &address, sizeof address);
    if (a->mems[i] != NULL) err = kiln_cmd_hold(cmd, a->mems[i]);
  }
  return err;
}

CL_API_ENTRY cl_int CL_API_CALL kiln_clEnqueueNativeKernel(cl_command_queue command_queue,
                                                           void(CL_CALLBACK *user_func)(void *), void *args,
                                                           size_t cb_args, cl_uint num_mem_objects,
                                                           const cl_mem *mem_list, const void **args_mem_loc,
                                                           cl_uint num_events_in_wait_list,
                                                           const cl_event *event_wait_list, cl_event *event) {
  KILN_CHECK(NULL, command_queue, QUEUE);
  kiln_context *context = command_queue->context;
  KILN_CHECK_WAIT_LIST(context, num_events_in_wait_list, event_wait_list);
  /* CL_INVALID_VALUE if user_func is NULL. */
  KILN_REQUIRE(context, user_func != NULL, CL_INVALID_VALUE, "user_func is NULL");
  struct native_args a = {args, cb_args, num_mem_objects, mem_list, args_mem_loc};
  cl_int err = check_native_args(context, &a, __func__);
  if (err != CL_SUCCESS) return err;
  /* CL_INVALID_OPERATION if the device associated with command_queue cannot execute the native kernel. */
  KILN_REQUIRE(context, command_queue->device->backend->caps.native_kernels, CL_INVALID_OPERATION,
               "%s cannot execute native kernels", command_queue->device->backend->caps.name);
  kiln_cmd *cmd;
  err = kiln_cmd_create(command_queue, CL_COMMAND_NATIVE_KERNEL, &cmd);
  if (err != CL_SUCCESS) return err;
  err = copy_native_args(cmd, &a);
  if (err != CL_SUCCESS) {
    kiln_cmd_discard(&cmd);
    return err;
  }
  cmd->work.type = KILN_WORK_NATIVE;
  cmd->work.native.function = user_func;
  cmd->work.native.args = args == NULL ? NULL : cmd->args;
  return kiln_cmd_enqueue(cmd, num_events_in_wait_list, event_wait_list, event, false);
}

/* ---- markers and barriers: kiln_cmd_enqueue gives these types their order ---- */

static cl_int enqueue_order(kiln_queue *queue, cl_command_type type, cl_uint num_waits, const cl_event *waits,
                            cl_event *event, const char *where) {
  cl_int err = kiln_check_handle(NULL, queue, KILN_T_QUEUE, where, "command_queue");
  if (err == CL_SUCCESS) err = kiln_check_wait_list(queue->context, num_waits, waits, where);
  if (err != CL_SUCCESS) return err;
  kiln_cmd *cmd;
  err = kiln_cmd_create(queue, type, &cmd);
  return err != CL_SUCCESS ? err : kiln_cmd_enqueue(cmd, num_waits, waits, event, false);
}

CL_API_ENTRY cl_int CL_API_CALL kiln_clEnqueueMarkerWithWaitList(cl_command_queue command_queue,
                                                                 cl_uint num_events_in_wait_list,
                                                                 const cl_event *event_wait_list,
                                                                 cl_event *event) {
  return enqueue_order(command_queue, CL_COMMAND_MARKER, num_events_in_wait_list, event_wait_list, event,
                       __func__);
}

CL_API_ENTRY cl_int CL_API_CALL kiln_clEnqueueBarrierWithWaitList(cl_command_queue command_queue,
                                                                  cl_uint num_events_in_wait_list,
                                                                  const cl_event *event_wait_list,
                                                                  cl_event *event) {
  return enqueue_order(command_queue, CL_COMMAND_BARRIER, num_events_in_wait_list, event_wait_list, event,
                       __func__);
}

CL_API_ENTRY cl_int CL_API_CALL kiln_clEnqueueMarker(cl_command_queue command_queue, cl_event *event) {
  KILN_CHECK(NULL, command_queue, QUEUE);
  /* CL_INVALID_VALUE if event is a NULL value (OpenCL 1.1, section 5.10). */
  KILN_REQUIRE(command_queue->context, event != NULL, CL_INVALID_VALUE, "event is NULL");
  return enqueue_order(command_queue, CL_COMMAND_MARKER, 0, NULL, event, __func__);
}

CL_API_ENTRY cl_int CL_API_CALL kiln_clEnqueueBarrier(cl_command_queue command_queue) {
  return enqueue_order(command_queue, CL_COMMAND_BARRIER, 0, NULL, NULL, __func__);
}

CL_API_ENTRY cl_int CL_API_CALL kiln_clEnqueueWaitForEvents(cl_command_queue command_queue,
                                                            cl_uint num_events, const cl_event *event_list) {
  KILN_CHECK(NULL, command_queue, QUEUE);
  /* CL_INVALID_VALUE if num_events is zero or event_list is NULL (OpenCL 1.1, section 5.10). */
  KILN_REQUIRE(command_queue->context, num_events != 0 && event_list != NULL, CL_INVALID_VALUE,
               "num_events is %u and event_list %p", num_events, (const void *)event_list);
  /* CL_INVALID_EVENT if event objects specified in event_list are not valid events. */
  for (cl_uint i = 0; i < num_events; i++) {
    cl_int err =
        kiln_check_handle_at(command_queue->context, event_list[i], KILN_T_EVENT, __func__, "event_list", i);
    if (err != CL_SUCCESS) return err;
  }
  return enqueue_order(command_queue, CL_COMMAND_BARRIER, num_events, event_list, NULL, __func__);
}
