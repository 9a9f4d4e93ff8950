/* Command queues: creation, queries, flush and finish. */
#include "core/queue.h"

#include "api/check.h"
#include "api/info.h"
#include "api/table.h"
#include "core/context.h"

#include <string.h>

enum {
  HOST_BITS = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE,
  DEVICE_BITS = CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT
};

static cl_int check_device(kiln_context *context, kiln_device *device, const char *where) {
  /* CL_INVALID_DEVICE if device is not a valid device */
  cl_int err = kiln_check_handle(context, device, KILN_T_DEVICE, where, "device");
  /* CL_INVALID_DEVICE if device is not associated with context */
  if (err == CL_SUCCESS && !kiln_context_has_device(context, device))
    err =
        kiln_fail(context, CL_INVALID_DEVICE, where, "device %p (%s) is none of the %u devices of context %p",
                  (void *)device, device->backend->caps.name, context->num_devices, (void *)context);
  return err;
}

static cl_int check_bits(kiln_context *context, kiln_device *device, cl_command_queue_properties bits,
                         cl_command_queue_properties known, const char *where) {
  /* CL_INVALID_VALUE if values specified in properties are not valid */
  if ((bits & ~known) != 0)
    return kiln_fail(context, CL_INVALID_VALUE, where, "properties 0x%llX have bits beyond 0x%llX",
                     (unsigned long long)bits, (unsigned long long)known);
  /* "If CL_QUEUE_ON_DEVICE is set, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE must also be set"; "[
     CL_QUEUE_ON_DEVICE_DEFAULT] can only be used with CL_QUEUE_ON_DEVICE" */
  if ((bits & CL_QUEUE_ON_DEVICE) != 0 && (bits & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0)
    return kiln_fail(
        context, CL_INVALID_VALUE, where,
        "properties 0x%llX have CL_QUEUE_ON_DEVICE without CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE",
        (unsigned long long)bits);
  if ((bits & DEVICE_BITS) == CL_QUEUE_ON_DEVICE_DEFAULT)
    return kiln_fail(context, CL_INVALID_VALUE, where,
                     "properties 0x%llX have CL_QUEUE_ON_DEVICE_DEFAULT without CL_QUEUE_ON_DEVICE",
                     (unsigned long long)bits);
  /* CL_INVALID_QUEUE_PROPERTIES if values specified in properties are valid but are not supported by device
   */
  if ((bits & DEVICE_BITS) != 0)
    return kiln_fail(context, CL_INVALID_QUEUE_PROPERTIES, where,
                     "properties 0x%llX ask for an on-device queue, which %s does not support",
                     (unsigned long long)bits, device->backend->caps.name);
  return CL_SUCCESS;
}

/* Goes through the list once: bits of CL_QUEUE_PROPERTIES and whether CL_QUEUE_SIZE is given. */
static cl_int parse_list(kiln_context *context, const cl_queue_properties *properties,
                         cl_command_queue_properties *bits_out, bool *sized_out, uint32_t *size_out,
                         const char *where) {
  bool has_bits = false;
  uint32_t n = 0;
  for (; properties[n] != 0; n += 2) {
    bool *given = properties[n] == CL_QUEUE_PROPERTIES ? &has_bits
                  : properties[n] == CL_QUEUE_SIZE     ? sized_out
                                                       : NULL;
    /* CL_INVALID_VALUE if values specified in properties are not valid */
    if (given == NULL)
      return kiln_fail(context, CL_INVALID_VALUE, where, "properties[%u], 0x%llX, is no property of a queue",
                       n, (unsigned long long)properties[n]);
    if (*given)
      return kiln_fail(context, CL_INVALID_VALUE, where, "properties[%u], 0x%llX, stands there a second time",
                       n, (unsigned long long)properties[n]);
    *given = true;
    if (given == &has_bits) *bits_out = properties[n + 1];
  }
  *size_out = n + 1;
  return CL_SUCCESS;
}

static cl_int create_with_properties(kiln_context *context, kiln_device *device,
                                     const cl_queue_properties *properties, kiln_queue **queue_out,
                                     const char *where) {
  /* CL_INVALID_CONTEXT if context is not a valid context */
  cl_int err = kiln_check_handle(NULL, context, KILN_T_CONTEXT, where, "context");
  if (err == CL_SUCCESS) err = check_device(context, device, where);
  cl_command_queue_properties bits = 0;
  bool sized = false;
  uint32_t size = 0;
  if (err == CL_SUCCESS && properties != NULL)
    err = parse_list(context, properties, &bits, &sized, &size, where);
  if (err == CL_SUCCESS) err = check_bits(context, device, bits, HOST_BITS | DEVICE_BITS, where);
  /* CL_QUEUE_SIZE "can only be specified if CL_QUEUE_ON_DEVICE is set" */
  if (err == CL_SUCCESS && sized)
    err = kiln_fail(context, CL_INVALID_VALUE, where,
                    "properties give CL_QUEUE_SIZE without CL_QUEUE_ON_DEVICE");
  if (err == CL_SUCCESS) err = kiln_queue_create(context, device, bits, queue_out);
  if (err != CL_SUCCESS) return err;
  if (size > 0) memcpy((*queue_out)->list, properties, size * sizeof *properties);
  (*queue_out)->list_size = size;
  return CL_SUCCESS;
}

cl_command_queue kiln_clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                         const cl_queue_properties *properties,
                                                         cl_int *errcode_ret) {
  KILN_RETURN_HANDLE(cl_command_queue, errcode_ret,
                     create_with_properties(context, device, properties, &out, __func__));
}

cl_command_queue kiln_clCreateCommandQueueWithPropertiesKHR(cl_context context, cl_device_id device,
                                                            const cl_queue_properties_khr *properties,
                                                            cl_int *errcode_ret) {
  KILN_RETURN_HANDLE(cl_command_queue, errcode_ret,
                     create_with_properties(context, device, properties, &out, __func__));
}

static cl_int create_with_bits(kiln_context *context, kiln_device *device, cl_command_queue_properties bits,
                               kiln_queue **queue_out, const char *where) {
  /* CL_INVALID_CONTEXT if context is not a valid context */
  cl_int err = kiln_check_handle(NULL, context, KILN_T_CONTEXT, where, "context");
  if (err == CL_SUCCESS) err = check_device(context, device, where);
  /* "Only command-queue properties specified in this table can be used" */
  if (err == CL_SUCCESS) err = check_bits(context, device, bits, HOST_BITS, where);
  return err == CL_SUCCESS ? kiln_queue_create(context, device, bits, queue_out) : err;
}

cl_command_queue kiln_clCreateCommandQueue(cl_context context, cl_device_id device,
                                           cl_command_queue_properties properties, cl_int *errcode_ret) {
  KILN_RETURN_HANDLE(cl_command_queue, errcode_ret,
                     create_with_bits(context, device, properties, &out, __func__));
}

cl_int kiln_clSetDefaultDeviceCommandQueue(cl_context context, cl_device_id device,
                                           cl_command_queue command_queue) {
  /* CL_INVALID_CONTEXT if context is not a valid context */
  KILN_CHECK(NULL, context, CONTEXT);
  cl_int err = check_device(context, device, __func__);
  if (err != CL_SUCCESS) return err;
  /* CL_INVALID_OPERATION if device does not support a replaceable default on-device queue */
  return kiln_fail(context, CL_INVALID_OPERATION, __func__, "device %s does not support on-device queues",
                   device->backend->caps.name);
}

cl_int kiln_clRetainCommandQueue(cl_command_queue command_queue) {
  /* CL_INVALID_COMMAND_QUEUE if command_queue is not a valid command-queue */
  KILN_CHECK(NULL, command_queue, QUEUE);
  KILN_REQUIRE(NULL, kiln_object_api_retain(command_queue), CL_INVALID_COMMAND_QUEUE,
               "command_queue %p is being destroyed", (void *)command_queue);
  return CL_SUCCESS;
}

cl_int kiln_clReleaseCommandQueue(cl_command_queue command_queue) {
  /* CL_INVALID_COMMAND_QUEUE if command_queue is not a valid command-queue */
  KILN_CHECK(NULL, command_queue, QUEUE);
  /* "clReleaseCommandQueue performs an implicit flush" */
  cl_int err = kiln_queue_flush(command_queue);
  if (err != CL_SUCCESS) return err;
  KILN_REQUIRE(command_queue->context, kiln_object_api_release(command_queue), CL_INVALID_COMMAND_QUEUE,
               "command_queue %p was released more often than retained", (void *)command_queue);
  return CL_SUCCESS;
}

cl_int kiln_clGetCommandQueueInfo(cl_command_queue command_queue, cl_command_queue_info param_name,
                                  size_t param_value_size, void *param_value, size_t *param_value_size_ret) {
  /* CL_INVALID_COMMAND_QUEUE if command_queue is not a valid command-queue */
  KILN_CHECK(NULL, command_queue, QUEUE);
  const kiln_queue *queue = command_queue;
  struct kiln_info info = {queue->context,   __func__,    param_name,
                           param_value_size, param_value, param_value_size_ret};
  switch (param_name) {
  case CL_QUEUE_CONTEXT:
    return kiln_info_value(&info, cl_context, queue->context);
  case CL_QUEUE_DEVICE:
    return kiln_info_value(&info, cl_device_id, queue->device);
  case CL_QUEUE_REFERENCE_COUNT:
    return kiln_info_value(&info, cl_uint, atomic_load(&queue->object.api_refs));
  case CL_QUEUE_PROPERTIES:
    return kiln_info_value(&info, cl_command_queue_properties, queue->properties);
  case CL_QUEUE_PROPERTIES_ARRAY:
    return kiln_info_bytes(&info, queue->list, queue->list_size * sizeof *queue->list);
  case CL_QUEUE_DEVICE_DEFAULT: /* "Returns NULL if the device ... does not support on-device queues" */
    return kiln_info_value(&info, cl_command_queue, NULL);
  case CL_QUEUE_SIZE:
    /* CL_INVALID_COMMAND_QUEUE if command_queue is not a valid command-queue for param_name */
    return kiln_fail(queue->context, CL_INVALID_COMMAND_QUEUE, __func__,
                     "CL_QUEUE_SIZE is asked of command_queue %p, which is no device queue",
                     (void *)command_queue);
  default:
    /* CL_INVALID_VALUE if param_name is not one of the supported values */
    return kiln_info_unknown(&info);
  }
}

cl_int kiln_clSetCommandQueueProperty(cl_command_queue command_queue, cl_command_queue_properties properties,
                                      cl_bool enable, cl_command_queue_properties *old_properties) {
  /* CL_INVALID_COMMAND_QUEUE if command_queue is not a valid command-queue */
  KILN_CHECK(NULL, command_queue, QUEUE);
  /* CL_INVALID_OPERATION if no devices in the context associated with command_queue support modifying the
     properties of a command-queue */
  return kiln_fail(command_queue->context, CL_INVALID_OPERATION, __func__,
                   "properties 0x%llX: a queue keeps the properties it was created with",
                   (unsigned long long)properties);
}

cl_int kiln_clFlush(cl_command_queue command_queue) {
  /* CL_INVALID_COMMAND_QUEUE if command_queue is not a valid host command-queue */
  KILN_CHECK(NULL, command_queue, QUEUE);
  return kiln_queue_flush(command_queue);
}

cl_int kiln_clFinish(cl_command_queue command_queue) {
  /* CL_INVALID_COMMAND_QUEUE if command_queue is not a valid host command-queue */
  KILN_CHECK(NULL, command_queue, QUEUE);
  return kiln_queue_finish(command_queue);
}
