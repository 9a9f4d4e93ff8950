/* Error codes to names, and the two ways out of a failing example. */
#include "check.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EX_ERROR_NAMES(X)                                                                                    \
  X(CL_SUCCESS)                                                                                              \
  X(CL_DEVICE_NOT_FOUND)                                                                                     \
  X(CL_DEVICE_NOT_AVAILABLE)                                                                                 \
  X(CL_COMPILER_NOT_AVAILABLE)                                                                               \
  X(CL_MEM_OBJECT_ALLOCATION_FAILURE)                                                                        \
  X(CL_OUT_OF_RESOURCES)                                                                                     \
  X(CL_OUT_OF_HOST_MEMORY)                                                                                   \
  X(CL_PROFILING_INFO_NOT_AVAILABLE)                                                                         \
  X(CL_MEM_COPY_OVERLAP)                                                                                     \
  X(CL_IMAGE_FORMAT_MISMATCH)                                                                                \
  X(CL_IMAGE_FORMAT_NOT_SUPPORTED)                                                                           \
  X(CL_BUILD_PROGRAM_FAILURE)                                                                                \
  X(CL_MAP_FAILURE)                                                                                          \
  X(CL_MISALIGNED_SUB_BUFFER_OFFSET)                                                                         \
  X(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)                                                            \
  X(CL_COMPILE_PROGRAM_FAILURE)                                                                              \
  X(CL_LINKER_NOT_AVAILABLE)                                                                                 \
  X(CL_LINK_PROGRAM_FAILURE)                                                                                 \
  X(CL_DEVICE_PARTITION_FAILED)                                                                              \
  X(CL_KERNEL_ARG_INFO_NOT_AVAILABLE)                                                                        \
  X(CL_INVALID_VALUE)                                                                                        \
  X(CL_INVALID_DEVICE_TYPE)                                                                                  \
  X(CL_INVALID_PLATFORM)                                                                                     \
  X(CL_INVALID_DEVICE)                                                                                       \
  X(CL_INVALID_CONTEXT)                                                                                      \
  X(CL_INVALID_QUEUE_PROPERTIES)                                                                             \
  X(CL_INVALID_COMMAND_QUEUE)                                                                                \
  X(CL_INVALID_HOST_PTR)                                                                                     \
  X(CL_INVALID_MEM_OBJECT)                                                                                   \
  X(CL_INVALID_BINARY)                                                                                       \
  X(CL_INVALID_BUILD_OPTIONS)                                                                                \
  X(CL_INVALID_PROGRAM)                                                                                      \
  X(CL_INVALID_PROGRAM_EXECUTABLE)                                                                           \
  X(CL_INVALID_KERNEL_NAME)                                                                                  \
  X(CL_INVALID_KERNEL_DEFINITION)                                                                            \
  X(CL_INVALID_KERNEL)                                                                                       \
  X(CL_INVALID_ARG_INDEX)                                                                                    \
  X(CL_INVALID_ARG_VALUE)                                                                                    \
  X(CL_INVALID_ARG_SIZE)                                                                                     \
  X(CL_INVALID_KERNEL_ARGS)                                                                                  \
  X(CL_INVALID_WORK_DIMENSION)                                                                               \
  X(CL_INVALID_WORK_GROUP_SIZE)                                                                              \
  X(CL_INVALID_WORK_ITEM_SIZE)                                                                               \
  X(CL_INVALID_GLOBAL_OFFSET)                                                                                \
  X(CL_INVALID_EVENT_WAIT_LIST)                                                                              \
  X(CL_INVALID_EVENT)                                                                                        \
  X(CL_INVALID_OPERATION)                                                                                    \
  X(CL_INVALID_BUFFER_SIZE)                                                                                  \
  X(CL_INVALID_GLOBAL_WORK_SIZE)                                                                             \
  X(CL_INVALID_PROPERTY)                                                                                     \
  X(CL_INVALID_COMPILER_OPTIONS)                                                                             \
  X(CL_INVALID_LINKER_OPTIONS)                                                                               \
  X(CL_INVALID_DEVICE_PARTITION_COUNT)

const char *ex_error_name(cl_int code) {
  switch (code) {
#define EX_CASE(name)                                                                                        \
  case name:                                                                                                 \
    return #name;
    EX_ERROR_NAMES(EX_CASE)
#undef EX_CASE
  case -1001:
    return "CL_PLATFORM_NOT_FOUND_KHR"; /* from the ICD loader; defined in cl_ext.h */
  default:
    return "unknown code";
  }
}

void ex_check(cl_int code, const char *call, const char *file, int line) {
  if (code == CL_SUCCESS) return;
  const char *slash = strrchr(file, '/');
  ex_die("%s:%d: %s\n  failed with %s (%d)", slash ? slash + 1 : file, line, call, ex_error_name(code), code);
}

void ex_die(const char *format, ...) {
  va_list args;
  va_start(args, format);
  fflush(stdout);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  exit(EX_EXIT_ERROR);
}

void *ex_alloc(size_t count, size_t size) {
  const size_t page = 4096;
  if (size != 0 && count > (SIZE_MAX - page) / size) ex_die("%zu x %zu bytes: too much", count, size);
  size_t bytes = (count * size + page - 1) / page * page;
  void *memory = aligned_alloc(page, bytes ? bytes : page);
  if (memory == NULL) ex_die("out of memory: %zu bytes", bytes);
  return memset(memory, 0, bytes);
}
