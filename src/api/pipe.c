/* Pipes, which no device supports yet: the answers that the specification prescribes for that (appendix H).
 */
#include "api/check.h"
#include "api/table.h"
#include "core/context.h"

static cl_int create(kiln_context *context, const char *where) {
  /* CL_INVALID_CONTEXT if context is not a valid context */
  cl_int err = kiln_check_handle(NULL, context, KILN_T_CONTEXT, where, "context");
  if (err != CL_SUCCESS) return err;
  /* CL_INVALID_OPERATION if no devices in context support pipes */
  return kiln_fail(context, CL_INVALID_OPERATION, where,
                   "none of the %u devices of context %p supports pipes", context->num_devices,
                   (void *)context);
}

cl_mem kiln_clCreatePipe(cl_context context, cl_mem_flags flags, cl_uint pipe_packet_size,
                         cl_uint pipe_max_packets, const cl_pipe_properties *properties,
                         cl_int *errcode_ret) {
  cl_int err = create(context, __func__);
  if (errcode_ret != NULL) *errcode_ret = err;
  return NULL;
}

cl_int kiln_clGetPipeInfo(cl_mem pipe, cl_pipe_info param_name, size_t param_value_size, void *param_value,
                          size_t *param_value_size_ret) {
  /* "Returns CL_INVALID_MEM_OBJECT since pipe cannot be a valid pipe object" */
  return kiln_fail(NULL, CL_INVALID_MEM_OBJECT, __func__, "pipe %p is not a pipe", (void *)pipe);
}
