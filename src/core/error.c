/* Owns the last-error text of each thread and the way to a context's error callback. */
#include "core/error.h"

#include "base/log.h"
#include "core/context.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char last_error[512];

const char *kiln_last_error(void) { return last_error; }

/* X(code) for every code an entry point can return. */
/* clang-format off */
#define KILN_ERROR_CODES(X) \
  X(CL_SUCCESS) \
  X(CL_DEVICE_NOT_FOUND) \
  X(CL_DEVICE_NOT_AVAILABLE) \
  X(CL_COMPILER_NOT_AVAILABLE) \
  X(CL_MEM_OBJECT_ALLOCATION_FAILURE) \
  X(CL_OUT_OF_RESOURCES) \
  X(CL_OUT_OF_HOST_MEMORY) \
  X(CL_PROFILING_INFO_NOT_AVAILABLE) \
  X(CL_MEM_COPY_OVERLAP) \
  X(CL_IMAGE_FORMAT_MISMATCH) \
  X(CL_IMAGE_FORMAT_NOT_SUPPORTED) \
  X(CL_BUILD_PROGRAM_FAILURE) \
  X(CL_MAP_FAILURE) \
  X(CL_MISALIGNED_SUB_BUFFER_OFFSET) \
  X(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) \
  X(CL_COMPILE_PROGRAM_FAILURE) \
  X(CL_LINKER_NOT_AVAILABLE) \
  X(CL_LINK_PROGRAM_FAILURE) \
  X(CL_DEVICE_PARTITION_FAILED) \
  X(CL_KERNEL_ARG_INFO_NOT_AVAILABLE) \
  X(CL_INVALID_VALUE) \
  X(CL_INVALID_DEVICE_TYPE) \
  X(CL_INVALID_PLATFORM) \
  X(CL_INVALID_DEVICE) \
  X(CL_INVALID_CONTEXT) \
  X(CL_INVALID_QUEUE_PROPERTIES) \
  X(CL_INVALID_COMMAND_QUEUE) \
  X(CL_INVALID_HOST_PTR) \
  X(CL_INVALID_MEM_OBJECT) \
  X(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR) \
  X(CL_INVALID_IMAGE_SIZE) \
  X(CL_INVALID_SAMPLER) \
  X(CL_INVALID_BINARY) \
  X(CL_INVALID_BUILD_OPTIONS) \
  X(CL_INVALID_PROGRAM) \
  X(CL_INVALID_PROGRAM_EXECUTABLE) \
  X(CL_INVALID_KERNEL_NAME) \
  X(CL_INVALID_KERNEL_DEFINITION) \
  X(CL_INVALID_KERNEL) \
  X(CL_INVALID_ARG_INDEX) \
  X(CL_INVALID_ARG_VALUE) \
  X(CL_INVALID_ARG_SIZE) \
  X(CL_INVALID_KERNEL_ARGS) \
  X(CL_INVALID_WORK_DIMENSION) \
  X(CL_INVALID_WORK_GROUP_SIZE) \
  X(CL_INVALID_WORK_ITEM_SIZE) \
  X(CL_INVALID_GLOBAL_OFFSET) \
  X(CL_INVALID_EVENT_WAIT_LIST) \
  X(CL_INVALID_EVENT) \
  X(CL_INVALID_OPERATION) \
  X(CL_INVALID_GL_OBJECT) \
  X(CL_INVALID_BUFFER_SIZE) \
  X(CL_INVALID_MIP_LEVEL) \
  X(CL_INVALID_GLOBAL_WORK_SIZE) \
  X(CL_INVALID_PROPERTY) \
  X(CL_INVALID_IMAGE_DESCRIPTOR) \
  X(CL_INVALID_COMPILER_OPTIONS) \
  X(CL_INVALID_LINKER_OPTIONS) \
  X(CL_INVALID_DEVICE_PARTITION_COUNT) \
  X(CL_INVALID_PIPE_SIZE) \
  X(CL_INVALID_DEVICE_QUEUE) \
  X(CL_INVALID_SPEC_ID) \
  X(CL_MAX_SIZE_RESTRICTION_EXCEEDED) \
  X(CL_DEVICE_PARTITION_FAILED_EXT) \
  X(CL_INVALID_PARTITION_COUNT_EXT) \
  X(CL_INVALID_PARTITION_NAME_EXT) \
  X(CL_PLATFORM_NOT_FOUND_KHR) \
  X(CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR) \
  X(CL_INVALID_EGL_OBJECT_KHR)
/* clang-format on */

const char *kiln_error_name(cl_int code) {
  switch (code) {
#define X(name)                                                                                              \
  case name:                                                                                                 \
    return #name;
    KILN_ERROR_CODES(X)
#undef X
  default:
    return "unknown error";
  }
}

/* The sentence is complete in last_error: tell whoever listens. A callback that fails in calls of its own
 * changes neither the text it was given nor what its caller finds afterwards. */
static cl_int report(kiln_context *context, cl_int code) {
  kiln_log(KILN_LOG_API, KILN_LOG_ERROR, "%s", last_error);
  if (context == NULL || context->notify == NULL) return code;
  char sentence[sizeof last_error];
  memcpy(sentence, last_error, sizeof sentence);
  context->notify(sentence, NULL, 0, context->notify_data);
  memcpy(last_error, sentence, sizeof last_error);
  return code;
}

cl_int kiln_fail(kiln_context *context, cl_int code, const char *where, const char *format, ...) {
  char sentence[400];
  va_list ap;
  va_start(ap, format);
  vsnprintf(sentence, sizeof sentence, format, ap);
  va_end(ap);
  if (where != NULL && strncmp(where, "kiln_", 5) == 0) where += 5;
  snprintf(last_error, sizeof last_error, "%s%s%s: %s", where == NULL ? "" : where, where == NULL ? "" : ": ",
           kiln_error_name(code), sentence);
  return report(context, code);
}

cl_int kiln_fail_oom(kiln_context *context) {
  snprintf(last_error, sizeof last_error, "CL_OUT_OF_HOST_MEMORY: host memory is short");
  return report(context, CL_OUT_OF_HOST_MEMORY);
}
