/* Shared virtual memory, which no device supports yet: each entry point answers as the specification
 * prescribes for that (appendix H). */
#include "api/check.h"
#include "api/table.h"
#include "core/context.h"
#include "core/kernel.h"
#include "core/queue.h"

static cl_int no_svm(kiln_queue *queue, const char *where) {
  /* CL_INVALID_COMMAND_QUEUE if command_queue is not a valid host command-queue */
  cl_int err = kiln_check_handle(NULL, queue, KILN_T_QUEUE, where, "command_queue");
  if (err != CL_SUCCESS) return err;
  /* CL_INVALID_OPERATION if the device associated with command_queue does not support SVM */
  return kiln_fail(queue->context, CL_INVALID_OPERATION, where, "%s does not support shared virtual memory",
                   queue->device->backend->caps.name);
}

void *kiln_clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment) {
  /* "will fail if context is not a valid context, or no devices in context support SVM" */
  if (kiln_check_handle(NULL, context, KILN_T_CONTEXT, __func__, "context") == CL_SUCCESS)
    kiln_fail(context, CL_INVALID_OPERATION, __func__,
              "none of the %u devices of context %p supports shared virtual memory", context->num_devices,
              (void *)context);
  return NULL;
}

void kiln_clSVMFree(cl_context context, void *svm_pointer) {
  /* "If no devices in context support SVM, no action occurs." */
}

cl_int kiln_clEnqueueSVMFree(cl_command_queue command_queue, cl_uint num_svm_pointers, void *svm_pointers[],
                             void(CL_CALLBACK *pfn_free_func)(cl_command_queue, cl_uint, void *[], void *),
                             void *user_data, cl_uint num_events_in_wait_list,
                             const cl_event *event_wait_list, cl_event *event) {
  return no_svm(command_queue, __func__);
}

cl_int kiln_clEnqueueSVMMemcpy(cl_command_queue command_queue, cl_bool blocking_copy, void *dst_ptr,
                               const void *src_ptr, size_t size, cl_uint num_events_in_wait_list,
                               const cl_event *event_wait_list, cl_event *event) {
  return no_svm(command_queue, __func__);
}

cl_int kiln_clEnqueueSVMMemFill(cl_command_queue command_queue, void *svm_ptr, const void *pattern,
                                size_t pattern_size, size_t size, cl_uint num_events_in_wait_list,
                                const cl_event *event_wait_list, cl_event *event) {
  return no_svm(command_queue, __func__);
}

cl_int kiln_clEnqueueSVMMap(cl_command_queue command_queue, cl_bool blocking_map, cl_map_flags flags,
                            void *svm_ptr, size_t size, cl_uint num_events_in_wait_list,
                            const cl_event *event_wait_list, cl_event *event) {
  return no_svm(command_queue, __func__);
}

cl_int kiln_clEnqueueSVMUnmap(cl_command_queue command_queue, void *svm_ptr, cl_uint num_events_in_wait_list,
                              const cl_event *event_wait_list, cl_event *event) {
  return no_svm(command_queue, __func__);
}

cl_int kiln_clEnqueueSVMMigrateMem(cl_command_queue command_queue, cl_uint num_svm_pointers,
                                   const void **svm_pointers, const size_t *sizes,
                                   cl_mem_migration_flags flags, cl_uint num_events_in_wait_list,
                                   const cl_event *event_wait_list, cl_event *event) {
  return no_svm(command_queue, __func__);
}

cl_int kiln_clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint arg_index, const void *arg_value) {
  /* CL_INVALID_KERNEL if kernel is not a valid kernel object */
  KILN_CHECK(NULL, kernel, KERNEL);
  kiln_context *context = kernel->program->context;
  /* CL_INVALID_OPERATION if no devices in the context associated with kernel support SVM */
  return kiln_fail(context, CL_INVALID_OPERATION, __func__,
                   "none of the %u devices of context %p supports shared virtual memory",
                   context->num_devices, (void *)context);
}

cl_int kiln_clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info param_name, size_t param_value_size,
                                const void *param_value) {
  /* CL_INVALID_KERNEL if kernel is a not a valid kernel object */
  KILN_CHECK(NULL, kernel, KERNEL);
  kiln_context *context = kernel->program->context;
  /* CL_INVALID_VALUE if param_name is not valid */
  KILN_REQUIRE(context,
               param_name == CL_KERNEL_EXEC_INFO_SVM_PTRS ||
                   param_name == CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM,
               CL_INVALID_VALUE, "param_name 0x%X is not one of this call's", param_name);
  /* CL_INVALID_OPERATION if no devices in the context associated with kernel support SVM; appendix H: for
     either param_name */
  return kiln_fail(context, CL_INVALID_OPERATION, __func__,
                   "none of the %u devices of context %p supports shared virtual memory",
                   context->num_devices, (void *)context);
}
