/* Executing kernels: ranges, tasks, the suggested local size (specification chapter "Executing Kernels"). */
#include "api/check.h"
#include "api/table.h"
#include "core/image.h"
#include "core/launch.h"

#include <string.h>

/* One call to execute a kernel, or to ask how it would be. */
struct call {
  kiln_queue *queue;
  kiln_kernel *kernel;
  kiln_context *context; /* the queue's */
  const struct kiln_caps *caps;
  struct kiln_build *build;
  const struct kiln_kernel_info *info;
  struct kiln_ndrange range;
  const char *where;
};

static cl_int check_handles(struct call *c) {
  /* CL_INVALID_COMMAND_QUEUE if command_queue is not a valid host command-queue */
  cl_int err = kiln_check_handle(NULL, c->queue, KILN_T_QUEUE, c->where, "command_queue");
  if (err != CL_SUCCESS) return err;
  c->context = c->queue->context;
  c->caps = &c->queue->device->backend->caps;
  /* CL_INVALID_KERNEL if kernel is not a valid kernel */
  err = kiln_check_handle(c->context, c->kernel, KILN_T_KERNEL, c->where, "kernel");
  if (err != CL_SUCCESS) return err;
  /* CL_INVALID_CONTEXT if the context associated with command_queue and kernel are not the same */
  if (c->kernel->program->context != c->context)
    return kiln_fail(c->context, CL_INVALID_CONTEXT, c->where,
                     "kernel %s and command_queue belong to two contexts", c->kernel->info->name);
  /* CL_INVALID_PROGRAM_EXECUTABLE if there is no successfully built program executable available for the
     device associated with command_queue */
  if (!kiln_kernel_find(c->kernel, c->queue->device, &c->build, &c->info))
    return kiln_fail(c->context, CL_INVALID_PROGRAM_EXECUTABLE, c->where, "kernel %s was not built for %s",
                     c->kernel->info->name, c->caps->name);
  return CL_SUCCESS;
}

/* From ARG_MISALIGNED on: those that come after the checks of the range. */
enum arg_fault { ARGS_GOOD, ARG_UNSET, ARG_DEAD, ARG_MISALIGNED, ARG_TOO_LARGE };

static enum arg_fault arg_fault(const struct call *c, uint32_t i) {
  const struct kiln_arg *arg = &c->kernel->args[i];
  if (!arg->set) return ARG_UNSET;
  if (arg->mem == NULL) return ARGS_GOOD;
  if (!kiln_object_is(arg->mem, KILN_T_MEM)) return ARG_DEAD;
  if (kiln_mem_is_image(arg->mem))
    return kiln_image_fits(kiln_image_of(arg->mem), c->caps) ? ARGS_GOOD : ARG_TOO_LARGE;
  bool misaligned = arg->mem->parent != NULL && arg->mem->origin % (c->caps->mem_base_align_bits / 8) != 0;
  return misaligned ? ARG_MISALIGNED : ARGS_GOOD;
}

/* The first fault among the arguments and where it is: unset or dead arguments before misaligned ones. */
static enum arg_fault find_fault(const struct call *c, uint32_t *index_out, size_t *origin_out) {
  enum arg_fault found = ARGS_GOOD;
  kiln_lock(&c->kernel->lock);
  uint32_t num_args =
      c->info->num_args; /* NOLINT(clang-analyzer-core.NullDereference): found when it was checked */
  for (uint32_t i = 0; i < num_args && (found == ARGS_GOOD || found >= ARG_MISALIGNED); i++) {
    enum arg_fault fault = arg_fault(c, i);
    if (fault == ARGS_GOOD || (fault >= ARG_MISALIGNED && found != ARGS_GOOD)) continue;
    found = fault;
    *index_out = i;
    if (fault == ARG_MISALIGNED) *origin_out = c->kernel->args[i].mem->origin;
  }
  kiln_unlock(&c->kernel->lock);
  return found;
}

static cl_int report_fault(const struct call *c, enum arg_fault fault, uint32_t i, size_t origin) {
  const char *name = c->info->args[i].name, *kernel = c->info->name;
  /* CL_INVALID_KERNEL_ARGS if any kernel arguments for kernel have not been set */
  if (fault == ARG_UNSET)
    return kiln_fail(c->context, CL_INVALID_KERNEL_ARGS, c->where,
                     "argument %u (%s) of kernel %s has not been set", i, name, kernel);
  if (fault == ARG_DEAD)
    return kiln_fail(c->context, CL_INVALID_KERNEL_ARGS, c->where,
                     "argument %u (%s) of kernel %s is a memory object that was released", i, name, kernel);
  /* CL_INVALID_IMAGE_SIZE if an image object is specified as an argument value for kernel and the image
     dimensions are not supported by the device associated with command_queue. CL_IMAGE_FORMAT_NOT_SUPPORTED
     cannot be: all devices support the same formats. */
  if (fault == ARG_TOO_LARGE)
    return kiln_fail(c->context, CL_INVALID_IMAGE_SIZE, c->where,
                     "argument %u (%s) of kernel %s is an image larger than %s supports", i, name, kernel,
                     c->caps->name);
  /* CL_MISALIGNED_SUB_BUFFER_OFFSET if a kernel argument for kernel is a sub-buffer object and the offset
     specified when the sub-buffer object is created is not aligned to CL_DEVICE_MEM_BASE_ADDR_ALIGN for the
     device associated with command_queue. */
  return kiln_fail(
      c->context, CL_MISALIGNED_SUB_BUFFER_OFFSET, c->where,
      "argument %u (%s) of kernel %s is a sub-buffer at offset %zu, no multiple of the %u bytes of %s", i,
      name, kernel, origin, c->caps->mem_base_align_bits / 8, c->caps->name);
}

static cl_int check_range(struct call *c, cl_uint dim, const size_t *offset, const size_t *global) {
  /* CL_INVALID_WORK_DIMENSION if work_dim is not valid for the device associated with command_queue */
  if (dim < 1 || dim > 3)
    return kiln_fail(c->context, CL_INVALID_WORK_DIMENSION, c->where, "work_dim is %u, not 1, 2 or 3", dim);
  c->range = (struct kiln_ndrange){dim, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}};
  for (cl_uint i = 0; i < dim; i++) {
    if (offset != NULL) c->range.offset[i] = offset[i];
    c->range.global[i] = global == NULL ? 0 : global[i];
    /* CL_INVALID_GLOBAL_OFFSET if the value specified in global_work_size plus the corresponding value in
       global_work_offset for any dimensions is greater than the maximum value representable by size_t on the
       device associated with command_queue */
    if (c->range.global[i] > SIZE_MAX - c->range.offset[i])
      return kiln_fail(
          c->context, CL_INVALID_GLOBAL_OFFSET, c->where,
          "global_work_offset[%u] %zu plus global_work_size[%u] %zu exceeds the largest size_t, %zu", i,
          c->range.offset[i], i, c->range.global[i], (size_t)SIZE_MAX);
  }
  return CL_SUCCESS;
}

static cl_int fail_size(const struct call *c, cl_int code, cl_uint i, const char *what, size_t limit) {
  return kiln_fail(c->context, code, c->where, "local_work_size[%u] %zu %s %zu (kernel %s)", i,
                   c->range.local[i], what, limit, c->info->name);
}

/* Without a local size one is chosen; it has nothing to fail but reqd_work_group_size. */
static cl_int choose_local(struct call *c) {
  if (kiln_local_size_choose(c->info, c->caps, &c->range)) return CL_SUCCESS;
  return kiln_fail(
      c->context, CL_INVALID_WORK_GROUP_SIZE, c->where,
      "the global size does not divide into groups of reqd_work_group_size(%u, %u, %u) of kernel %s",
      c->info->reqd_size[0], c->info->reqd_size[1], c->info->reqd_size[2], c->info->name);
}

static cl_int check_group(struct call *c, const size_t *local) {
  size_t items = 1, most = kiln_local_size_max(c->info, c->caps);
  bool uniform = (c->info->flags & KILN_KERNEL_UNIFORM_GROUPS) != 0;
  for (cl_uint i = 0; i < c->range.work_dim; i++) c->range.local[i] = local[i];
  for (cl_uint i = 0; i < c->range.work_dim; i++) {
    /* CL_INVALID_WORK_GROUP_SIZE if local_work_size is not NULL and if the total number of work-items in the
     * work-group is zero */
    if (local[i] == 0)
      return kiln_fail(c->context, CL_INVALID_WORK_GROUP_SIZE, c->where, "local_work_size[%u] is 0", i);
    /* CL_INVALID_WORK_GROUP_SIZE if local_work_size is not NULL, if the work-group size must be uniform, and
       if the global_work_size is not evenly divisible by the local_work_size */
    if (uniform && c->range.global[i] % local[i] != 0)
      return fail_size(c, CL_INVALID_WORK_GROUP_SIZE, i,
                       "does not divide, as the program's options demand, global_work_size",
                       c->range.global[i]);
  }
  /* CL_INVALID_WORK_GROUP_SIZE if local_work_size is not NULL and if the local_work_size does not match the
   * required work-group size for kernel */
  for (cl_uint i = 0; c->info->reqd_size[0] != 0 && i < 3; i++)
    if (c->range.local[i] != c->info->reqd_size[i])
      return fail_size(c, CL_INVALID_WORK_GROUP_SIZE, i, "is not that of reqd_work_group_size,",
                       c->info->reqd_size[i]);
  /* CL_INVALID_WORK_ITEM_SIZE if the number of work-items specified in any dimension of local_work_size is
     not valid for the device associated with command_queue */
  for (cl_uint i = 0; i < c->range.work_dim; i++)
    if (local[i] > c->caps->max_item_sizes[i])
      return fail_size(c, CL_INVALID_WORK_ITEM_SIZE, i,
                       "exceeds the device's CL_DEVICE_MAX_WORK_ITEM_SIZES of", c->caps->max_item_sizes[i]);
  /* CL_INVALID_WORK_GROUP_SIZE if local_work_size is not NULL and if the total number of work-items in the
     work-group is greater than the maximum work-group size supported for kernel on the device associated with
     command_queue */
  for (cl_uint i = 0; i < 3; i++)
    if (__builtin_mul_overflow(items, c->range.local[i], &items) || items > most)
      return kiln_fail(
          c->context, CL_INVALID_WORK_GROUP_SIZE, c->where,
          "local_work_size (%zu, %zu, %zu) has more work-items than CL_KERNEL_WORK_GROUP_SIZE of kernel "
          "%s, %zu",
          c->range.local[0], c->range.local[1], c->range.local[2], c->info->name, most);
  return CL_SUCCESS;
}

static cl_int check_local_memory(const struct call *c) {
  uint64_t needed = kiln_kernel_local_bytes(c->kernel, c->info);
  if (needed <= c->caps->local_mem_bytes) return CL_SUCCESS;
  return kiln_fail(
      c->context, CL_OUT_OF_RESOURCES, c->where,
      "kernel %s needs %llu bytes of local memory (%u for its variables, the rest for its arguments), %s "
      "has %u",
      c->info->name, (unsigned long long)needed, c->info->local_bytes, c->caps->name,
      c->caps->local_mem_bytes);
}

/* What an enqueue and the query of the suggested size check alike, in the specification's order. */
static cl_int check_all(struct call *c, cl_uint dim, const size_t *offset, const size_t *global,
                        const size_t *local, bool may_be_empty) {
  uint32_t index = 0;
  size_t origin = 0;
  enum arg_fault fault = find_fault(c, &index, &origin);
  if (fault != ARGS_GOOD && fault < ARG_MISALIGNED) return report_fault(c, fault, index, origin);
  cl_int err = check_range(c, dim, offset, global);
  if (err != CL_SUCCESS) return err;
  for (cl_uint i = 0; !may_be_empty && i < dim; i++)
    /* CL_INVALID_GLOBAL_WORK_SIZE if global_work_size is NULL or if any of the values specified in
       global_work_size[0], ... global_work_size[work_dim - 1] are zero */
    if (c->range.global[i] == 0)
      return kiln_fail(c->context, CL_INVALID_GLOBAL_WORK_SIZE, c->where, "global_work_size%s",
                       global == NULL ? " is NULL" : " has a dimension of 0");
  err = local == NULL ? choose_local(c) : check_group(c, local);
  if (err != CL_SUCCESS) return err;
  if (fault != ARGS_GOOD) return report_fault(c, fault, index, origin);
  return check_local_memory(c);
}

CL_API_ENTRY cl_int CL_API_CALL kiln_clEnqueueNDRangeKernel(
    cl_command_queue command_queue, cl_kernel kernel, cl_uint work_dim, const size_t *global_work_offset,
    const size_t *global_work_size, const size_t *local_work_size, cl_uint num_events_in_wait_list,
    const cl_event *event_wait_list, cl_event *event) {
  struct call c = {.queue = command_queue, .kernel = kernel, .where = __func__};
  cl_int err = check_handles(&c);
  if (err == CL_SUCCESS)
    err = check_all(&c, work_dim, global_work_offset, global_work_size, local_work_size, true);
  if (err != CL_SUCCESS) return err;
  KILN_CHECK_WAIT_LIST(c.context, num_events_in_wait_list, event_wait_list);
  return kiln_launch(command_queue, kernel, c.build, c.info, &c.range, CL_COMMAND_NDRANGE_KERNEL,
                     num_events_in_wait_list, event_wait_list, event);
}

CL_API_ENTRY cl_int CL_API_CALL kiln_clEnqueueTask(cl_command_queue command_queue, cl_kernel kernel,
                                                   cl_uint num_events_in_wait_list,
                                                   const cl_event *event_wait_list, cl_event *event) {
  static const size_t one = 1;
  struct call c = {.queue = command_queue, .kernel = kernel, .where = __func__};
  cl_int err = check_handles(&c);
  /* CL_INVALID_WORK_GROUP_SIZE if a work-group size is specified for kernel in the program source and it is
   * not (1, 1, 1): check_group finds that. */
  if (err == CL_SUCCESS) err = check_all(&c, 1, NULL, &one, &one, true);
  if (err != CL_SUCCESS) return err;
  KILN_CHECK_WAIT_LIST(c.context, num_events_in_wait_list, event_wait_list);
  return kiln_launch(command_queue, kernel, c.build, c.info, &c.range, CL_COMMAND_TASK,
                     num_events_in_wait_list, event_wait_list, event);
}

CL_API_ENTRY cl_int CL_API_CALL kiln_clGetKernelSuggestedLocalWorkSizeKHR(cl_command_queue command_queue,
                                                                          cl_kernel kernel, cl_uint work_dim,
                                                                          const size_t *global_work_offset,
                                                                          const size_t *global_work_size,
                                                                          size_t *suggested_local_work_size) {
  struct call c = {.queue = command_queue, .kernel = kernel, .where = __func__};
  cl_int err = check_handles(&c);
  if (err == CL_SUCCESS) err = check_all(&c, work_dim, global_work_offset, global_work_size, NULL, false);
  if (err != CL_SUCCESS) return err;
  /* CL_INVALID_VALUE if suggested_local_work_size is NULL */
  KILN_REQUIRE(c.context, suggested_local_work_size != NULL, CL_INVALID_VALUE,
               "suggested_local_work_size is NULL");
  memcpy(suggested_local_work_size, c.range.local, work_dim * sizeof *suggested_local_work_size);
  return CL_SUCCESS;
}
