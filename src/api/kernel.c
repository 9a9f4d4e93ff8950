/* Kernel objects: creation, arguments, queries (specification chapter "Kernel Objects"). */
#include "core/kernel.h"

#include "api/check.h"
#include "api/info.h"
#include "api/kernel.h"
#include "api/table.h"
#include "core/image.h"
#include "core/image_format.h"
#include "core/launch.h"
#include "core/sampler.h"

#include <string.h>

/* ---- creation and reference counts ---- */

static cl_int create(cl_program program, const char *name, cl_kernel *out, const char *where) {
  /* CL_INVALID_PROGRAM if program is not a valid program object. */
  cl_int err = kiln_check_handle(NULL, program, KILN_T_PROGRAM, where, "program");
  if (err != CL_SUCCESS) return err;
  /* CL_INVALID_VALUE if kernel_name is NULL. */
  if (name == NULL) return kiln_fail(program->context, CL_INVALID_VALUE, where, "kernel_name is NULL");
  return kiln_kernel_create(program, name, where, out);
}

CL_API_ENTRY cl_kernel CL_API_CALL kiln_clCreateKernel(cl_program program, const char *kernel_name,
                                                       cl_int *errcode_ret) {
  KILN_RETURN_HANDLE(cl_kernel, errcode_ret, create(program, kernel_name, &out, __func__));
}

/* Makes all kernels of image; kernels whose definition differs among devices are left out. */
static cl_int create_all(kiln_program *program, const struct kiln_program_image *image, cl_kernel *kernels,
                         cl_uint *count_out, const char *where) {
  cl_uint made = 0;
  for (uint32_t k = 0; k < image->num_kernels; k++) {
    cl_int err = kiln_kernel_create(program, image->kernels[k].name, where, &kernels[made]);
    if (err == CL_SUCCESS) made++;
    else if (err != CL_INVALID_KERNEL_DEFINITION) {
      while (made > 0) kiln_object_api_release(kernels[--made]);
      return err;
    }
  }
  *count_out = made;
  return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL kiln_clCreateKernelsInProgram(cl_program program, cl_uint num_kernels,
                                                              cl_kernel *kernels, cl_uint *num_kernels_ret) {
  /* CL_INVALID_PROGRAM if program is not a valid program object. */
  KILN_CHECK(NULL, program, PROGRAM);
  /* CL_INVALID_PROGRAM_EXECUTABLE if there is no successfully built executable for any device in program. */
  struct kiln_build *build = kiln_program_executable(program);
  KILN_REQUIRE(program->context, build != NULL, CL_INVALID_PROGRAM_EXECUTABLE,
               "program %p has no successfully built executable", (void *)program);
  const struct kiln_program_image *image = kiln_build_executable(build);
  cl_uint count = image->num_kernels;
  cl_int err = CL_SUCCESS;
  /* CL_INVALID_VALUE if kernels is not NULL and num_kernels is less than the number of kernels in program. */
  if (kernels != NULL && num_kernels < count)
    err = kiln_fail(program->context, CL_INVALID_VALUE, __func__,
                    "num_kernels %u is less than the %u kernels of the program", num_kernels, count);
  else if (kernels != NULL) err = create_all(program, image, kernels, &count, __func__);
  kiln_build_unref(&build);
  if (err == CL_SUCCESS && num_kernels_ret != NULL) *num_kernels_ret = count;
  return err;
}

static cl_int clone_kernel(cl_kernel source, cl_kernel *out, const char *where) {
  /* CL_INVALID_KERNEL if kernel is not a valid kernel object. */
  cl_int err = kiln_check_handle(NULL, source, KILN_T_KERNEL, where, "source_kernel");
  return err == CL_SUCCESS ? kiln_kernel_clone(source, out) : err;
}

CL_API_ENTRY cl_kernel CL_API_CALL kiln_clCloneKernel(cl_kernel source_kernel, cl_int *errcode_ret) {
  KILN_RETURN_HANDLE(cl_kernel, errcode_ret, clone_kernel(source_kernel, &out, __func__));
}

CL_API_ENTRY cl_int CL_API_CALL kiln_clRetainKernel(cl_kernel kernel) {
  /* CL_INVALID_KERNEL if kernel is not a valid kernel object. */
  KILN_CHECK(NULL, kernel, KERNEL);
  KILN_REQUIRE(kernel->program->context, kiln_object_api_retain(kernel), CL_INVALID_KERNEL,
               "kernel %p was already released", (void *)kernel);
  return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL kiln_clReleaseKernel(cl_kernel kernel) {
  /* CL_INVALID_KERNEL if kernel is not a valid kernel object. */
  KILN_CHECK(NULL, kernel, KERNEL);
  cl_kernel held = kiln_ref(kernel);
  bool released = kiln_object_api_release(kernel);
  if (atomic_load(&kernel->object.api_refs) == 0) kiln_kernel_detach(kernel);
  kiln_context *context = kiln_ref(kernel->program->context);
  kiln_unref(&held);
  cl_int err = CL_SUCCESS;
  if (!released)
    err = kiln_fail(context, CL_INVALID_KERNEL, __func__, "kernel %p was already released", (void *)kernel);
  kiln_unref(&context);
  return err;
}

/* ---- clSetKernelArg ---- */

struct arg_call {
  kiln_kernel *kernel;
  cl_uint index;
  const struct kiln_arg_info *info;
  size_t size;
  const void *value;
  const char *where;
};

static kiln_context *context_of(const kiln_kernel *kernel) { return kernel->program->context; }

static cl_int wrong_size(const struct arg_call *c, size_t expected, const char *what) {
  return kiln_fail(context_of(c->kernel), CL_INVALID_ARG_SIZE, c->where,
                   "arg_size is %zu, but argument %u (%s) of kernel %s is %s of %zu bytes", c->size, c->index,
                   c->info->name, c->kernel->info->name, what, expected);
}

/* The memory object that arg_value points to; NULL if there is none. */
static cl_int find_mem(const struct arg_call *c, kiln_mem **mem_out) {
  kiln_mem *mem = NULL;
  kiln_context *context = context_of(c->kernel);
  /* CL_INVALID_ARG_SIZE if arg_value points to a memory object and arg_size is not equal to sizeof(cl_mem) */
  if (c->size != sizeof mem) return wrong_size(c, sizeof mem, "a cl_mem");
  if (c->value != NULL) memcpy(&mem, c->value, sizeof mem);
  if (mem != NULL) {
    /* CL_INVALID_MEM_OBJECT if arg_value is not NULL, and does not point to NULL, and does not point to a
     * valid memory object */
    cl_int err = kiln_check_handle(context, mem, KILN_T_MEM, c->where, "*arg_value");
    if (err != CL_SUCCESS) return err;
    /* CL_INVALID_CONTEXT if the context associated with kernel and an OpenCL object pointed to by arg_value
     * are not the same */
    if (mem->context != context)
      return kiln_fail(context, CL_INVALID_CONTEXT, c->where,
                       "argument %u (%s): memory object %p belongs to another context", c->index,
                       c->info->name, (void *)mem);
  }
  *mem_out = mem;
  return CL_SUCCESS;
}

static cl_int set_buffer(const struct arg_call *c) {
  kiln_mem *mem;
  cl_int err = find_mem(c, &mem);
  if (err != CL_SUCCESS) return err;
  /* CL_INVALID_MEM_OBJECT if arg_value points to a valid memory object, but the memory object is not valid
     for the kernel argument specified by arg_index */
  if (mem != NULL && mem->type != CL_MEM_OBJECT_BUFFER)
    return kiln_fail(context_of(c->kernel), CL_INVALID_MEM_OBJECT, c->where,
                     "argument %u (%s) takes a buffer, and memory object %p is none", c->index, c->info->name,
                     (void *)mem);
  /* If arg_value is NULL or points to NULL, then the kernel argument will be set to NULL. */
  kiln_kernel_set_buffer(c->kernel, c->index, mem);
  return CL_SUCCESS;
}

/* Whether an image argument takes an image of that type and format. */
static cl_int check_image(const struct arg_call *c, const struct kiln_image *image) {
  kiln_context *context = context_of(c->kernel);
  cl_channel_order order = image->format.image_channel_order;
  /* CL_INVALID_MEM_OBJECT if arg_value points to a valid memory object, but the memory object is not valid
     for the kernel argument specified by arg_index */
  if ((c->info->image & ~(uint32_t)KILN_ARG_DEPTH) != image->mem.type)
    return kiln_fail(context, CL_INVALID_MEM_OBJECT, c->where,
                     "argument %u (%s) takes an %s, and memory object %p is of type 0x%X", c->index,
                     c->info->name, c->info->type_name, (const void *)image, image->mem.type);
  if ((c->info->image & KILN_ARG_DEPTH) && order != CL_DEPTH)
    return kiln_fail(context, CL_INVALID_MEM_OBJECT, c->where,
                     "argument %u (%s) takes a depth image, and memory object %p has channel order 0x%X",
                     c->index, c->info->name, (const void *)image, order);
  if (c->info->access == CL_KERNEL_ARG_ACCESS_READ_WRITE &&
      !kiln_image_format_is_supported(&image->format, CL_MEM_KERNEL_READ_AND_WRITE, image->mem.type))
    return kiln_fail(context, CL_INVALID_MEM_OBJECT, c->where,
                     "argument %u (%s) is read_write, which images of channel order 0x%X cannot be", c->index,
                     c->info->name, order);
  return CL_SUCCESS;
}

static cl_int set_image(const struct arg_call *c) {
  kiln_context *context = context_of(c->kernel);
  kiln_mem *mem;
  cl_int err = find_mem(c, &mem);
  if (err != CL_SUCCESS) return err;
  /* CL_INVALID_MEM_OBJECT if arg_value is NULL, or points to NULL, and it must point to a valid memory object
   */
  if (mem == NULL)
    return kiln_fail(context, CL_INVALID_MEM_OBJECT, c->where,
                     "argument %u (%s) takes an image, but there is no memory object", c->index,
                     c->info->name);
  if (!kiln_mem_is_image(mem))
    return kiln_fail(context, CL_INVALID_MEM_OBJECT, c->where,
                     "argument %u (%s) takes an image, and memory object %p is none", c->index, c->info->name,
                     (void *)mem);
  err = check_image(c, kiln_image_of(mem));
  if (err != CL_SUCCESS) return err;
  /* CL_INVALID_ARG_VALUE if the argument is an image declared with the read_only qualifier and arg_value
     points to an image object created with CL_MEM_WRITE_ONLY, or if it is declared with the write_only
     qualifier and arg_value points to an image object created with CL_MEM_READ_ONLY. */
  bool reads = c->info->access != CL_KERNEL_ARG_ACCESS_WRITE_ONLY;
  bool writes = c->info->access == CL_KERNEL_ARG_ACCESS_WRITE_ONLY ||
                c->info->access == CL_KERNEL_ARG_ACCESS_READ_WRITE;
  if ((reads && (mem->flags & CL_MEM_WRITE_ONLY)) || (writes && (mem->flags & CL_MEM_READ_ONLY)))
    return kiln_fail(context, CL_INVALID_ARG_VALUE, c->where,
                     "argument %u (%s) %s the image, which was created with flags 0x%llX", c->index,
                     c->info->name,
                     !writes  ? "reads"
                     : !reads ? "writes"
                              : "reads and writes",
                     (unsigned long long)mem->flags);
  kiln_kernel_set_image(c->kernel, c->index, mem);
  return CL_SUCCESS;
}

static cl_int set_sampler(const struct arg_call *c) {
  kiln_context *context = context_of(c->kernel);
  kiln_sampler *sampler = NULL;
  /* CL_INVALID_ARG_SIZE if arg_value points to a sampler object and arg_size is not equal to
   * sizeof(cl_sampler) */
  if (c->size != sizeof sampler) return wrong_size(c, sizeof sampler, "a cl_sampler");
  /* CL_INVALID_SAMPLER if the kernel argument is a sampler, but arg_value does not point to a valid sampler
   * object */
  if (c->value != NULL) memcpy(&sampler, c->value, sizeof sampler);
  cl_int err = kiln_check_handle(context, sampler, KILN_T_SAMPLER, c->where, "*arg_value");
  if (err != CL_SUCCESS) return err;
  /* CL_INVALID_CONTEXT if the context associated with kernel and an OpenCL object pointed to by arg_value are
   * not the same */
  if (sampler->context != context)
    return kiln_fail(context, CL_INVALID_CONTEXT, c->where,
                     "argument %u (%s): sampler %p belongs to another context", c->index, c->info->name,
                     (void *)sampler);
  kiln_kernel_set_sampler(c->kernel, c->index, sampler);
  return CL_SUCCESS;
}

static cl_int set_local(const struct arg_call *c) {
  /* If the kernel argument being set is a pointer to the local address space, then arg_value must be NULL */
  if (c->value != NULL)
    return kiln_fail(context_of(c->kernel), CL_INVALID_ARG_VALUE, c->where,
                     "argument %u (%s) points to local memory, but arg_value is not NULL", c->index,
                     c->info->name);
  /* CL_INVALID_ARG_SIZE if the kernel argument is a pointer to the local address space and arg_size is zero.
   */
  if (c->size == 0)
    return kiln_fail(context_of(c->kernel), CL_INVALID_ARG_SIZE, c->where,
                     "arg_size is 0, but argument %u (%s) needs local memory", c->index, c->info->name);
  kiln_kernel_set_local(c->kernel, c->index, c->size);
  return CL_SUCCESS;
}

static cl_int set_value(const struct arg_call *c) {
  /* CL_INVALID_ARG_SIZE if arg_value points to the data to be used as the kernel argument value and arg_size
     does not match the size of the data type for the argument */
  if (c->size != c->info->size) return wrong_size(c, c->info->size, c->info->type_name);
  if (c->value == NULL)
    return kiln_fail(context_of(c->kernel), CL_INVALID_ARG_VALUE, c->where,
                     "arg_value is NULL, but argument %u (%s) of kernel %s is passed by value", c->index,
                     c->info->name, c->kernel->info->name);
  kiln_kernel_set_value(c->kernel, c->index, c->value);
  return CL_SUCCESS;
}

/* No device supports pipes, so there is no object that could be meant. */
static cl_int refuse_pipe(const struct arg_call *c) {
  /* CL_INVALID_MEM_OBJECT if arg_value points to a valid memory object, but the memory object is not valid
   * for the kernel argument specified by arg_index */
  return kiln_fail(context_of(c->kernel), CL_INVALID_MEM_OBJECT, c->where,
                   "argument %u (%s) takes a pipe, which no device of the context supports", c->index,
                   c->info->name);
}

static cl_int set_arg(const struct arg_call *c) {
  switch (c->info->kind) {
  case KILN_ARG_VALUE:
    return set_value(c);
  case KILN_ARG_GLOBAL:
    return set_buffer(c);
  case KILN_ARG_LOCAL:
    return set_local(c);
  case KILN_ARG_IMAGE:
    return set_image(c);
  case KILN_ARG_SAMPLER:
    return set_sampler(c);
  default:
    return refuse_pipe(c);
  }
}

static cl_int check_index(kiln_kernel *kernel, cl_uint index, const char *where) {
  /* CL_INVALID_ARG_INDEX if arg_index is not a valid argument index */
  if (index < kernel->info->num_args) return CL_SUCCESS;
  return kiln_fail(context_of(kernel), CL_INVALID_ARG_INDEX, where,
                   "arg_index is %u, but kernel %s has %u arguments", index, kernel->info->name,
                   kernel->info->num_args);
}

CL_API_ENTRY cl_int CL_API_CALL kiln_clSetKernelArg(cl_kernel kernel, cl_uint arg_index, size_t arg_size,
                                                    const void *arg_value) {
  /* CL_INVALID_KERNEL if kernel is not a valid kernel */
  KILN_CHECK(NULL, kernel, KERNEL);
  cl_int err = check_index(kernel, arg_index, __func__);
  if (err != CL_SUCCESS) return err;
  struct arg_call call = {kernel, arg_index, &kernel->info->args[arg_index], arg_size, arg_value, __func__};
  return set_arg(&call);
}

/* ---- clGetKernelInfo, clGetKernelArgInfo ---- */

CL_API_ENTRY cl_int CL_API_CALL kiln_clGetKernelInfo(cl_kernel kernel, cl_kernel_info param_name,
                                                     size_t param_value_size, void *param_value,
                                                     size_t *param_value_size_ret) {
  /* CL_INVALID_KERNEL if kernel is a not a valid kernel object. */
  KILN_CHECK(NULL, kernel, KERNEL);
  struct kiln_info info = {context_of(kernel), __func__,    param_name,
                           param_value_size,   param_value, param_value_size_ret};
  switch (param_name) {
  case CL_KERNEL_FUNCTION_NAME:
    return kiln_info_string(&info, kernel->info->name);
  case CL_KERNEL_NUM_ARGS:
    return kiln_info_value(&info, cl_uint, kernel->info->num_args);
  case CL_KERNEL_REFERENCE_COUNT:
    return kiln_info_value(&info, cl_uint, atomic_load(&kernel->object.api_refs));
  case CL_KERNEL_CONTEXT:
    return kiln_info_value(&info, cl_context, context_of(kernel));
  case CL_KERNEL_PROGRAM:
    return kiln_info_value(&info, cl_program, kernel->program);
  case CL_KERNEL_ATTRIBUTES:
    /* For kernels not created from OpenCL C source and the clCreateProgramWithSource API call the string
       returned from this query will be empty. */
    return kiln_info_string(&info,
                            kernel->program->origin == KILN_FROM_BINARY ? "" : kernel->info->attributes);
  default:
    return kiln_info_unknown(&info);
  }
}

/* A program from source always has the information, one from a binary if it was built for it. */
static bool knows_arguments(const kiln_kernel *kernel) {
  if (!(kernel->info->flags & KILN_KERNEL_ARG_INFO)) return false;
  for (uint32_t i = 0; i < kernel->num_builds; i++)
    if (kernel->infos[i] == kernel->info)
      return kernel->program->origin != KILN_FROM_BINARY || kernel->builds[i]->kernel_arg_info;
  return false;
}

CL_API_ENTRY cl_int CL_API_CALL kiln_clGetKernelArgInfo(cl_kernel kernel, cl_uint arg_index,
                                                        cl_kernel_arg_info param_name,
                                                        size_t param_value_size, void *param_value,
                                                        size_t *param_value_size_ret) {
  /* CL_INVALID_KERNEL if kernel is a not a valid kernel object. */
  KILN_CHECK(NULL, kernel, KERNEL);
  cl_int err = check_index(kernel, arg_index, __func__);
  if (err != CL_SUCCESS) return err;
  /* CL_KERNEL_ARG_INFO_NOT_AVAILABLE if the argument information is not available for kernel. */
  KILN_REQUIRE(context_of(kernel), knows_arguments(kernel), CL_KERNEL_ARG_INFO_NOT_AVAILABLE,
               "kernel %s comes from a binary that was built without -cl-kernel-arg-info",
               kernel->info->name);
  const struct kiln_arg_info *arg = &kernel->info->args[arg_index];
  struct kiln_info info = {context_of(kernel), __func__,    param_name,
                           param_value_size,   param_value, param_value_size_ret};
  switch (param_name) {
  case CL_KERNEL_ARG_ADDRESS_QUALIFIER:
    return kiln_info_value(&info, cl_kernel_arg_address_qualifier, arg->address);
  case CL_KERNEL_ARG_ACCESS_QUALIFIER:
    return kiln_info_value(&info, cl_kernel_arg_access_qualifier, arg->access);
  case CL_KERNEL_ARG_TYPE_NAME:
    return kiln_info_string(&info, arg->type_name);
  case CL_KERNEL_ARG_TYPE_QUALIFIER:
    return kiln_info_value(&info, cl_kernel_arg_type_qualifier, arg->qualifier);
  case CL_KERNEL_ARG_NAME:
    return kiln_info_string(&info, arg->name);
  default:
    return kiln_info_unknown(&info);
  }
}

/* ---- clGetKernelWorkGroupInfo ---- */

cl_int kiln_check_kernel_device(kiln_kernel *kernel, cl_device_id *device, const char *where) {
  kiln_program *program = kernel->program;
  /* CL_INVALID_DEVICE if device is not in the list of devices associated with kernel or if device is NULL but
     there is more than one device associated with kernel. */
  if (*device == NULL && program->num_devices == 1) *device = program->devices[0];
  if (*device == NULL)
    return kiln_fail(program->context, CL_INVALID_DEVICE, where,
                     "device is NULL, but the kernel has %u devices", program->num_devices);
  if (kiln_program_device_index(program, *device) < program->num_devices) return CL_SUCCESS;
  return kiln_fail(program->context, CL_INVALID_DEVICE, where, "device %p is none of the kernel's %u devices",
                   (void *)*device, program->num_devices);
}

/* Also a multiple of what sub-groups are of: both are powers of two. */
static size_t preferred_multiple(const struct kiln_kernel_info *k, const struct kiln_caps *caps) {
  size_t lanes = caps->native_width_bits < 64 ? 1 : caps->native_width_bits / 32;
  return lanes > k->subgroup_size ? lanes : k->subgroup_size;
}

static cl_int work_group_info(const struct kiln_info *info, kiln_kernel *kernel, cl_device_id device) {
  const struct kiln_caps *caps = &device->backend->caps;
  const struct kiln_kernel_info *k = kernel->info;
  struct kiln_build *build;
  kiln_kernel_find(kernel, device, &build,
                   &k); /* else the device cannot run it, and k tells what others would do */
  switch (info->param) {
  case CL_KERNEL_GLOBAL_WORK_SIZE:
    /* CL_INVALID_VALUE if param_name is CL_KERNEL_GLOBAL_WORK_SIZE and kernel is not a built-in kernel. */
    return kiln_fail(info->context, CL_INVALID_VALUE, info->where,
                     "CL_KERNEL_GLOBAL_WORK_SIZE is for built-in kernels, and kernel %s is none", k->name);
  case CL_KERNEL_WORK_GROUP_SIZE:
    return kiln_info_value(info, size_t, kiln_local_size_max(k, caps));
  case CL_KERNEL_COMPILE_WORK_GROUP_SIZE: {
    size_t size[3] = {k->reqd_size[0], k->reqd_size[1], k->reqd_size[2]};
    return kiln_info_bytes(info, size, sizeof size);
  }
  case CL_KERNEL_LOCAL_MEM_SIZE:
    return kiln_info_value(info, cl_ulong, kiln_kernel_local_bytes(kernel, k));
  case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
    return kiln_info_value(info, size_t, preferred_multiple(k, caps));
  case CL_KERNEL_PRIVATE_MEM_SIZE:
    return kiln_info_value(info, cl_ulong, k->private_bytes);
  case CL_KERNEL_SPILL_MEM_SIZE_INTEL: /* cl_intel_required_subgroup_size; of variables that may be memory */
    return kiln_info_value(info, cl_ulong, k->private_bytes);
  default:
    return kiln_info_unknown(info);
  }
}

CL_API_ENTRY cl_int CL_API_CALL kiln_clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
                                                              cl_kernel_work_group_info param_name,
                                                              size_t param_value_size, void *param_value,
                                                              size_t *param_value_size_ret) {
  /* CL_INVALID_KERNEL if kernel is a not a valid kernel object. */
  KILN_CHECK(NULL, kernel, KERNEL);
  cl_int err = kiln_check_kernel_device(kernel, &device, __func__);
  if (err != CL_SUCCESS) return err;
  struct kiln_info info = {context_of(kernel), __func__,    param_name,
                           param_value_size,   param_value, param_value_size_ret};
  return work_group_info(&info, kernel, device);
}
