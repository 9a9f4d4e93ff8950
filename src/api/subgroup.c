/* clGetKernelSubGroupInfo: how work-groups of a kernel divide into sub-groups. */
#include "api/check.h"
#include "api/info.h"
#include "api/kernel.h"
#include "api/table.h"
#include "core/launch.h"

#include <string.h>

struct query {
  struct kiln_info info;
  size_t input_size;
  const size_t *input;      /* input_value */
  size_t size;              /* of a sub-group */
  size_t required_size;     /* the same where the source requires it, else 0 */
  size_t most;              /* work-items of a group */
  const uint32_t *required; /* the only local size, where the kernel has one; else zeros */
};

/* CL_INVALID_VALUE if [...] the size in bytes specified by input_value_size is not valid or if input_value is
   NULL. */
static cl_int check_input(const struct query *q, size_t most) {
  KILN_REQUIRE(q->info.context, q->input != NULL, CL_INVALID_VALUE, "input_value is NULL");
  KILN_REQUIRE(q->info.context,
               q->input_size >= sizeof(size_t) && q->input_size <= most * sizeof(size_t) &&
                   q->input_size % sizeof(size_t) == 0,
               CL_INVALID_VALUE, "input_value_size %zu is not that of 1 to %zu size_t values", q->input_size,
               most);
  return CL_SUCCESS;
}

static size_t group_items(const struct query *q) {
  size_t items = 1;
  for (size_t i = 0; i < q->input_size / sizeof(size_t); i++) items *= q->input[i];
  return items;
}

/* The last one may be smaller. */
static size_t most_groups(const struct query *q) { return (q->most + q->size - 1) / q->size; }

static cl_int count_for_range(const struct query *q) {
  cl_int err = check_input(q, 3);
  if (err != CL_SUCCESS) return err;
  return kiln_info_value(&q->info, size_t, (group_items(q) + q->size - 1) / q->size);
}

static cl_int size_for_range(const struct query *q) {
  cl_int err = check_input(q, 3);
  return err != CL_SUCCESS ? err : kiln_info_value(&q->info, size_t, q->size);
}

/* As many dimensions as param_value has room for. */
static cl_int local_for_count(const struct query *q) {
  cl_int err = check_input(q, 1);
  if (err != CL_SUCCESS) return err;
  size_t local[3] = {0}, dims = q->info.value == NULL ? 3 : q->info.capacity / sizeof(size_t);
  if (dims < 1) dims = 1;
  if (dims > 3) dims = 3;
  if (q->input[0] == most_groups(q) && q->required[0] != 0) {
    for (size_t d = 0; d < 3; d++) local[d] = q->required[d];
  } else if (q->input[0] > 0 && q->input[0] <= most_groups(q) && q->required[0] == 0) {
    local[0] = q->input[0] == most_groups(q) ? q->most : q->input[0] * q->size;
    local[1] = local[2] = 1;
  }
  return kiln_info_bytes(&q->info, local, dims * sizeof *local);
}

static cl_int answer(const struct query *q) {
  switch (q->info.param) {
  case CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE:
    return size_for_range(q);
  case CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE:
    return count_for_range(q);
  case CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT:
    return local_for_count(q);
  case CL_KERNEL_MAX_NUM_SUB_GROUPS:
    return kiln_info_value(&q->info, size_t, most_groups(q));
  case CL_KERNEL_COMPILE_NUM_SUB_GROUPS: /* OpenCL C has no way to say it */
    return kiln_info_value(&q->info, size_t, 0);
  case CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL: /* cl_intel_required_subgroup_size */
    return kiln_info_value(&q->info, size_t, q->required_size);
  default:
    return kiln_info_unknown(&q->info);
  }
}

static cl_int sub_group_info(cl_kernel kernel, cl_device_id device, struct query *q) {
  /* CL_INVALID_KERNEL if kernel is a not a valid kernel object. */
  cl_int err = kiln_check_handle(NULL, kernel, KILN_T_KERNEL, q->info.where, "kernel");
  if (err == CL_SUCCESS) err = kiln_check_kernel_device(kernel, &device, q->info.where);
  if (err != CL_SUCCESS) return err;
  q->info.context = kernel->program->context;
  /* CL_INVALID_OPERATION if device does not support sub-groups. */
  if (!kiln_device_has_feature(device, "__opencl_c_subgroups"))
    return kiln_fail(q->info.context, CL_INVALID_OPERATION, q->info.where, "%s does not support sub-groups",
                     device->backend->caps.name);
  const struct kiln_kernel_info *k = kernel->info;
  struct kiln_build *build;
  kiln_kernel_find(kernel, device, &build, &k);
  q->size = k->subgroup_size;
  q->required_size = k->reqd_subgroup;
  q->required = k->reqd_size;
  q->most = kiln_local_size_max(k, &device->backend->caps);
  return answer(q);
}

CL_API_ENTRY cl_int CL_API_CALL kiln_clGetKernelSubGroupInfo(cl_kernel kernel, cl_device_id device,
                                                             cl_kernel_sub_group_info param_name,
                                                             size_t input_value_size, const void *input_value,
                                                             size_t param_value_size, void *param_value,
                                                             size_t *param_value_size_ret) {
  struct query q = {{NULL, __func__, param_name, param_value_size, param_value, param_value_size_ret},
                    input_value_size,
                    input_value,
                    .size = 1,
                    .most = 1};
  return sub_group_info(kernel, device, &q);
}

CL_API_ENTRY cl_int CL_API_CALL kiln_clGetKernelSubGroupInfoKHR(
    cl_kernel kernel, cl_device_id device, cl_kernel_sub_group_info param_name, size_t input_value_size,
    const void *input_value, size_t param_value_size, void *param_value, size_t *param_value_size_ret) {
  struct query q = {{NULL, __func__, param_name, param_value_size, param_value, param_value_size_ret},
                    input_value_size,
                    input_value,
                    .size = 1,
                    .most = 1};
  return sub_group_info(kernel, device, &q);
}
