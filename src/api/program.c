/* Program objects: creation, reference counts, queries (specification chapter "Program Objects"). */
#include "core/program.h"

#include "api/check.h"
#include "api/info.h"
#include "api/table.h"
#include "base/alloc.h"
#include "core/binary.h"

#include <string.h>

/* ---- creation ---- */

static cl_int create_with_source(cl_context context, cl_uint count, const char **strings,
                                 const size_t *lengths, cl_program *out, const char *where) {
  /* CL_INVALID_CONTEXT if context is not a valid context. */
  cl_int err = kiln_check_handle(NULL, context, KILN_T_CONTEXT, where, "context");
  if (err != CL_SUCCESS) return err;
  /* CL_INVALID_VALUE if count is zero or if strings or any entry in strings is NULL. */
  if (count == 0 || strings == NULL)
    return kiln_fail(context, CL_INVALID_VALUE, where, "%s", count == 0 ? "count is 0" : "strings is NULL");
  for (cl_uint i = 0; i < count; i++)
    if (strings[i] == NULL)
      return kiln_fail(context, CL_INVALID_VALUE, where, "strings[%u] of %u is NULL", i, count);
  return kiln_program_from_source(context, count, strings, lengths, out);
}

CL_API_ENTRY cl_program CL_API_CALL kiln_clCreateProgramWithSource(cl_context context, cl_uint count,
                                                                   const char **strings,
                                                                   const size_t *lengths,
                                                                   cl_int *errcode_ret) {
  KILN_RETURN_HANDLE(cl_program, errcode_ret,
                     create_with_source(context, count, strings, lengths, &out, __func__));
}

/* device_list of the calls that load something for each device. */
static cl_int check_devices(cl_context context, cl_uint num_devices, const cl_device_id *devices,
                            const char *where) {
  /* CL_INVALID_VALUE if device_list is NULL or num_devices is zero. */
  if (devices == NULL || num_devices == 0)
    return kiln_fail(context, CL_INVALID_VALUE, where, "%s",
                     devices == NULL ? "device_list is NULL" : "num_devices is 0");
  /* CL_INVALID_DEVICE if any device in device_list is not in the list of devices associated with context. */
  for (cl_uint i = 0; i < num_devices; i++)
    if (!kiln_context_has_device(context, devices[i]))
      return kiln_fail(context, CL_INVALID_DEVICE, where, "device_list[%u] %p is no device of the context", i,
                       (void *)devices[i]);
  return CL_SUCCESS;
}

static cl_int check_binaries(cl_context context, cl_uint num_devices, const size_t *lengths,
                             const unsigned char **binaries, cl_int *binary_status, const char *where) {
  /* CL_INVALID_VALUE if lengths or binaries is NULL or if any entry in lengths[i] is zero or binaries[i] is
   * NULL. */
  if (lengths == NULL || binaries == NULL)
    return kiln_fail(context, CL_INVALID_VALUE, where, "%s is NULL",
                     lengths == NULL ? "lengths" : "binaries");
  cl_int err = CL_SUCCESS;
  for (cl_uint i = 0; i < num_devices; i++) {
    bool present = lengths[i] != 0 && binaries[i] != NULL;
    if (binary_status != NULL) binary_status[i] = present ? CL_SUCCESS : CL_INVALID_VALUE;
    if (!present && err == CL_SUCCESS)
      err = kiln_fail(context, CL_INVALID_VALUE, where, "%s[%u] is %s",
                      lengths[i] == 0 ? "lengths" : "binaries", i, lengths[i] == 0 ? "0" : "NULL");
  }
  return err;
}

static cl_int create_with_binary(cl_context context, cl_uint num_devices, const cl_device_id *devices,
                                 const size_t *lengths, const unsigned char **binaries, cl_int *binary_status,
                                 cl_program *out, const char *where) {
  /* CL_INVALID_CONTEXT if context is not a valid context. */
  cl_int err = kiln_check_handle(NULL, context, KILN_T_CONTEXT, where, "context");
  if (err == CL_SUCCESS) err = check_devices(context, num_devices, devices, where);
  if (err == CL_SUCCESS) err = check_binaries(context, num_devices, lengths, binaries, binary_status, where);
  if (err != CL_SUCCESS) return err;
  /* CL_INVALID_BINARY if an invalid program binary was encountered for any device. */
  return kiln_program_from_binaries(context, num_devices, devices, lengths, binaries, binary_status, out);
}

CL_API_ENTRY cl_program CL_API_CALL kiln_clCreateProgramWithBinary(
    cl_context context, cl_uint num_devices, const cl_device_id *device_list, const size_t *lengths,
    const unsigned char **binaries, cl_int *binary_status, cl_int *errcode_ret) {
  KILN_RETURN_HANDLE(cl_program, errcode_ret,
                     create_with_binary(context, num_devices, device_list, lengths, binaries, binary_status,
                                        &out, __func__));
}

static cl_int create_with_built_in_kernels(cl_context context, cl_uint num_devices,
                                           const cl_device_id *devices, const char *names, cl_program *out,
                                           const char *where) {
  /* CL_INVALID_CONTEXT if context is not a valid context. */
  cl_int err = kiln_check_handle(NULL, context, KILN_T_CONTEXT, where, "context");
  if (err == CL_SUCCESS) err = check_devices(context, num_devices, devices, where);
  if (err != CL_SUCCESS) return err;
  /* CL_INVALID_VALUE if kernel_names is NULL or kernel_names contains a kernel name that is not supported by
     any of the devices in device_list. */
  if (names == NULL) return kiln_fail(context, CL_INVALID_VALUE, where, "kernel_names is NULL");
  return kiln_fail(context, CL_INVALID_VALUE, where,
                   "kernel_names is \"%s\", but the devices have no built-in kernels", names);
}

CL_API_ENTRY cl_program CL_API_CALL kiln_clCreateProgramWithBuiltInKernels(cl_context context,
                                                                           cl_uint num_devices,
                                                                           const cl_device_id *device_list,
                                                                           const char *kernel_names,
                                                                           cl_int *errcode_ret) {
  KILN_RETURN_HANDLE(
      cl_program, errcode_ret,
      create_with_built_in_kernels(context, num_devices, device_list, kernel_names, &out, __func__));
}

static cl_int create_with_il(cl_context context, cl_program *out, const char *where) {
  /* CL_INVALID_CONTEXT if context is not a valid context. */
  cl_int err = kiln_check_handle(NULL, context, KILN_T_CONTEXT, where, "context");
  if (err != CL_SUCCESS) return err;
  /* CL_INVALID_OPERATION if no devices in context support intermediate language programs. */
  return kiln_fail(context, CL_INVALID_OPERATION, where,
                   "none of the %u devices of the context supports programs in an intermediate language",
                   context->num_devices);
}

CL_API_ENTRY cl_program CL_API_CALL kiln_clCreateProgramWithIL(cl_context context, const void *il,
                                                               size_t length, cl_int *errcode_ret) {
  KILN_RETURN_HANDLE(cl_program, errcode_ret, create_with_il(context, &out, __func__));
}

CL_API_ENTRY cl_program CL_API_CALL kiln_clCreateProgramWithILKHR(cl_context context, const void *il,
                                                                  size_t length, cl_int *errcode_ret) {
  KILN_RETURN_HANDLE(cl_program, errcode_ret, create_with_il(context, &out, __func__));
}

/* ---- reference counts, what no device supports ---- */

CL_API_ENTRY cl_int CL_API_CALL kiln_clRetainProgram(cl_program program) {
  /* CL_INVALID_PROGRAM if program is not a valid program object. */
  KILN_CHECK(NULL, program, PROGRAM);
  KILN_REQUIRE(program->context, kiln_object_api_retain(program), CL_INVALID_PROGRAM,
               "program %p was already released", (void *)program);
  return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL kiln_clReleaseProgram(cl_program program) {
  /* CL_INVALID_PROGRAM if program is not a valid program object. */
  KILN_CHECK(NULL, program, PROGRAM);
  KILN_REQUIRE(program->context, kiln_object_api_release(program), CL_INVALID_PROGRAM,
               "program %p was already released", (void *)program);
  return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL kiln_clSetProgramReleaseCallback(
    cl_program program, void(CL_CALLBACK *pfn_notify)(cl_program, void *), void *user_data) {
  /* CL_INVALID_PROGRAM if program is not a valid program object. */
  KILN_CHECK(NULL, program, PROGRAM);
  /* CL_INVALID_OPERATION if no devices in the context associated with program support destructors for program
   * scope global variables. */
  return kiln_fail(program->context, CL_INVALID_OPERATION, __func__,
                   "no device of the context supports destructors of program scope variables");
}

CL_API_ENTRY cl_int CL_API_CALL kiln_clSetProgramSpecializationConstant(cl_program program, cl_uint spec_id,
                                                                        size_t spec_size,
                                                                        const void *spec_value) {
  /* CL_INVALID_PROGRAM if program is not a valid program object ... */
  KILN_CHECK(NULL, program, PROGRAM);
  /* CL_INVALID_OPERATION if no devices associated with program support intermediate language programs. */
  return kiln_fail(program->context, CL_INVALID_OPERATION, __func__,
                   "no device of the program supports programs in an intermediate language");
}

/* ---- clGetProgramInfo ---- */

static cl_int info_binary_sizes(const struct kiln_info *info, kiln_program *program) {
  uint32_t n = program->num_devices;
  size_t *sizes = kiln_zalloc(n * sizeof *sizes);
  cl_int err = sizes == NULL ? kiln_fail_oom(info->context) : CL_SUCCESS;
  for (uint32_t i = 0; err == CL_SUCCESS && i < n; i++) {
    struct kiln_build *build = kiln_program_build_for(program, program->devices[i]);
    err = kiln_binary_size(build, &sizes[i]);
    kiln_build_unref(&build);
  }
  if (err == CL_SUCCESS) err = kiln_info_bytes(info, sizes, n * sizeof *sizes);
  kiln_free(sizes);
  return err;
}

/* param_value is an array of pointers to the application's memory; NULL entries are skipped. */
static cl_int info_binaries(const struct kiln_info *info, kiln_program *program) {
  size_t bytes = program->num_devices * sizeof(unsigned char *);
  if (info->value == NULL) return kiln_info_bytes(info, NULL, bytes);
  unsigned char **out = info->value;
  cl_int err = kiln_info_bytes(info, out, info->capacity < bytes ? bytes : 0); /* the size check alone */
  for (uint32_t i = 0; err == CL_SUCCESS && i < program->num_devices; i++) {
    if (out[i] == NULL) continue;
    struct kiln_build *build = kiln_program_build_for(program, program->devices[i]);
    err = kiln_binary_copy(build, out[i]);
    kiln_build_unref(&build);
  }
  if (err == CL_SUCCESS && info->size_out != NULL) *info->size_out = bytes;
  return err;
}

static cl_int info_kernel_names(const struct kiln_info *info, const struct kiln_program_image *image) {
  struct kiln_blob b = {0};
  for (uint32_t k = 0; k < image->num_kernels; k++) {
    if (k > 0) kiln_blob_put(&b, ";", 1);
    kiln_blob_put(&b, image->kernels[k].name, strlen(image->kernels[k].name));
  }
  kiln_blob_put(&b, "", 1);
  cl_int err = b.failed ? kiln_fail_oom(info->context) : kiln_info_bytes(info, b.data, b.size);
  kiln_blob_finish(&b);
  return err;
}

/* The queries that need an executable. */
static cl_int info_of_executable(const struct kiln_info *info, kiln_program *program) {
  struct kiln_build *build = kiln_program_executable(program);
  /* CL_INVALID_PROGRAM_EXECUTABLE if param_name is CL_PROGRAM_NUM_KERNELS, CL_PROGRAM_KERNEL_NAMES,
     CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, or CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT and a successful program
     executable has not been built for at least one device in the list of devices associated with program. */
  if (build == NULL)
    return kiln_fail(info->context, CL_INVALID_PROGRAM_EXECUTABLE, info->where,
                     "param_name 0x%X needs an executable, and none was built for program %p", info->param,
                     (void *)program);
  const struct kiln_program_image *image = kiln_build_executable(build);
  cl_int err;
  if (info->param == CL_PROGRAM_NUM_KERNELS) err = kiln_info_value(info, size_t, image->num_kernels);
  else if (info->param == CL_PROGRAM_KERNEL_NAMES) err = info_kernel_names(info, image);
  else err = kiln_info_value(info, cl_bool, CL_FALSE); /* constructors, destructors: on no device */
  kiln_build_unref(&build);
  return err;
}

CL_API_ENTRY cl_int CL_API_CALL kiln_clGetProgramInfo(cl_program program, cl_program_info param_name,
                                                      size_t param_value_size, void *param_value,
                                                      size_t *param_value_size_ret) {
  /* CL_INVALID_PROGRAM if program is a not a valid program object. */
  KILN_CHECK(NULL, program, PROGRAM);
  struct kiln_info info = {program->context, __func__,    param_name,
                           param_value_size, param_value, param_value_size_ret};
  switch (param_name) {
  case CL_PROGRAM_REFERENCE_COUNT:
    return kiln_info_value(&info, cl_uint, atomic_load(&program->object.api_refs));
  case CL_PROGRAM_CONTEXT:
    return kiln_info_value(&info, cl_context, program->context);
  case CL_PROGRAM_NUM_DEVICES:
    return kiln_info_value(&info, cl_uint, program->num_devices);
  case CL_PROGRAM_DEVICES:
    return kiln_info_bytes(&info, program->devices, program->num_devices * sizeof *program->devices);
  case CL_PROGRAM_SOURCE:
    return kiln_info_string(&info, program->source);
  case CL_PROGRAM_IL:
    return kiln_info_bytes(&info, NULL, 0);
  case CL_PROGRAM_BINARY_SIZES:
    return info_binary_sizes(&info, program);
  case CL_PROGRAM_BINARIES:
    return info_binaries(&info, program);
  case CL_PROGRAM_NUM_KERNELS:
  case CL_PROGRAM_KERNEL_NAMES:
  case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
  case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT:
    return info_of_executable(&info, program);
  default:
    return kiln_info_unknown(&info);
  }
}

/* ---- clGetProgramBuildInfo ---- */

static cl_program_binary_type binary_type(const struct kiln_build *build) {
  const struct kiln_program_image *image = kiln_build_image(build);
  switch (image == NULL ? KILN_PROGRAM_IMAGE_NONE : image->type) {
  case KILN_PROGRAM_IMAGE_OBJECT:
    return CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
  case KILN_PROGRAM_IMAGE_LIBRARY:
    return CL_PROGRAM_BINARY_TYPE_LIBRARY;
  case KILN_PROGRAM_IMAGE_EXECUTABLE:
    return CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
  default:
    return CL_PROGRAM_BINARY_TYPE_NONE;
  }
}

/* "The total amount of storage, in bytes, used by program variables in the global address space." */
static size_t globals_size(const struct kiln_build *build) {
  const struct kiln_program_image *image = kiln_build_image(build);
  return image == NULL ? 0 : image->globals.size;
}

static cl_int build_info(const struct kiln_info *info, const struct kiln_build *build) {
  cl_build_status status = atomic_load_explicit(&build->status, memory_order_acquire);
  switch (info->param) {
  case CL_PROGRAM_BUILD_STATUS:
    return kiln_info_value(info, cl_build_status, status);
  case CL_PROGRAM_BUILD_OPTIONS:
    return kiln_info_string(info, build->options);
  case CL_PROGRAM_BUILD_LOG:
    return kiln_info_string(info, status == CL_BUILD_IN_PROGRESS ? "" : build->log);
  case CL_PROGRAM_BINARY_TYPE:
    return kiln_info_value(info, cl_program_binary_type, binary_type(build));
  case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE:
    return kiln_info_value(info, size_t, globals_size(build));
  default:
    return kiln_info_unknown(info);
  }
}

CL_API_ENTRY cl_int CL_API_CALL kiln_clGetProgramBuildInfo(cl_program program, cl_device_id device,
                                                           cl_program_build_info param_name,
                                                           size_t param_value_size, void *param_value,
                                                           size_t *param_value_size_ret) {
  /* CL_INVALID_PROGRAM if program is a not a valid program object. */
  KILN_CHECK(NULL, program, PROGRAM);
  /* CL_INVALID_DEVICE if device is not in the list of devices associated with program. */
  KILN_REQUIRE(program->context, kiln_program_device_index(program, device) < program->num_devices,
               CL_INVALID_DEVICE, "device %p is none of the program's %u devices", (void *)device,
               program->num_devices);
  struct kiln_info info = {program->context, __func__,    param_name,
                           param_value_size, param_value, param_value_size_ret};
  struct kiln_build *build = kiln_program_build_for(program, device);
  cl_int err = build_info(&info, build);
  kiln_build_unref(&build);
  return err;
}
