/* Building, compiling and linking programs; unloading the compiler. */
#include "api/check.h"
#include "api/table.h"
#include "base/alloc.h"
#include "core/cache.h"
#include "core/order.h"

#include <string.h>

/* ---- checks shared by the three calls ---- */

static cl_int check_device_list(kiln_context *context, cl_uint num_devices, const cl_device_id *devices,
                                const char *where) {
  /* CL_INVALID_VALUE if device_list is NULL and num_devices is greater than zero, or if device_list is not
   * NULL and num_devices is zero. */
  if ((devices == NULL) == (num_devices == 0)) return CL_SUCCESS;
  return kiln_fail(context, CL_INVALID_VALUE, where, "device_list is %s, but num_devices is %u",
                   devices == NULL ? "NULL" : "not NULL", num_devices);
}

static cl_int check_notify(kiln_context *context, bool has_notify, const void *user_data, const char *where) {
  /* CL_INVALID_VALUE if pfn_notify is NULL but user_data is not NULL. */
  if (has_notify || user_data == NULL) return CL_SUCCESS;
  return kiln_fail(context, CL_INVALID_VALUE, where, "pfn_notify is NULL, but user_data is %p", user_data);
}

static cl_int check_program_devices(kiln_program *program, cl_uint num_devices, const cl_device_id *devices,
                                    const char *where) {
  /* CL_INVALID_DEVICE if any device in device_list is not in the list of devices associated with program. */
  for (cl_uint i = 0; i < num_devices; i++)
    if (kiln_program_device_index(program, devices[i]) == program->num_devices)
      return kiln_fail(program->context, CL_INVALID_DEVICE, where,
                       "device_list[%u] %p is none of the program's %u devices", i, (void *)devices[i],
                       program->num_devices);
  return CL_SUCCESS;
}

/* CL_INVALID_BUILD_OPTIONS, CL_INVALID_COMPILER_OPTIONS or CL_INVALID_LINKER_OPTIONS if the options specified
 * by options are invalid. */
static cl_int check_options(kiln_context *context, const char *text, enum kiln_options_use use,
                            bool *library_out, const char *where) {
  struct kiln_options options;
  char *bad = NULL;
  cl_int err = kiln_options_parse(text == NULL ? "" : text, use, &options, &bad);
  if (err == CL_OUT_OF_HOST_MEMORY) err = kiln_fail_oom(context);
  else if (err != CL_SUCCESS)
    err = kiln_fail(context, err, where, "options \"%.200s\": \"%s\" is not understood", text,
                    bad == NULL ? "" : bad);
  kiln_free(bad);
  if (err != CL_SUCCESS) return err;
  if (library_out != NULL) *library_out = options.create_library != 0;
  kiln_options_finish(&options);
  return CL_SUCCESS;
}

/* ---- clBuildProgram ---- */

/* If program is created with clCreateProgramWithBinary, then the program binary must be an executable binary
 * (not a compiled binary or library). */
static cl_int check_binary_types(kiln_program *program, const char *where) {
  if (program->origin != KILN_FROM_BINARY) return CL_SUCCESS;
  for (uint32_t i = 0; i < program->num_devices; i++) {
    struct kiln_build *build = kiln_program_build(program, i);
    const struct kiln_program_image *image = kiln_build_image(build);
    bool fits = image == NULL || image->type == KILN_PROGRAM_IMAGE_EXECUTABLE;
    kiln_build_unref(&build);
    /* CL_INVALID_BINARY if program is created with clCreateProgramWithBinary and devices listed in
       device_list do not have a valid program binary loaded. */
    if (!fits)
      return kiln_fail(program->context, CL_INVALID_BINARY, where,
                       "the binary for %s is a compiled object or a library, which clLinkProgram takes",
                       program->devices[i]->backend->caps.name);
  }
  return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL kiln_clBuildProgram(cl_program program, cl_uint num_devices,
                                                    const cl_device_id *device_list, const char *options,
                                                    void(CL_CALLBACK *pfn_notify)(cl_program, void *),
                                                    void *user_data) {
  /* CL_INVALID_PROGRAM if program is not a valid program object. */
  KILN_CHECK(NULL, program, PROGRAM);
  kiln_context *context = program->context;
  cl_int err = check_device_list(context, num_devices, device_list, __func__);
  if (err == CL_SUCCESS) err = check_notify(context, pfn_notify != NULL, user_data, __func__);
  if (err == CL_SUCCESS) err = check_program_devices(program, num_devices, device_list, __func__);
  if (err == CL_SUCCESS) err = check_binary_types(program, __func__);
  if (err == CL_SUCCESS) err = check_options(context, options, KILN_OPTIONS_BUILD, NULL, __func__);
  if (err != CL_SUCCESS) return err;
  /* CL_INVALID_OPERATION if program was not created with clCreateProgramWithSource, clCreateProgramWithIL or
     clCreateProgramWithBinary. */
  KILN_REQUIRE(context, program->origin != KILN_FROM_LINK, CL_INVALID_OPERATION,
               "program %p was made by clLinkProgram and is not built again", (void *)program);
  struct kiln_order order = {.kind = KILN_ORDER_BUILD,
                             .num_devices = num_devices,
                             .devices = device_list,
                             .options = options,
                             .notify = pfn_notify,
                             .user_data = user_data};
  return kiln_program_order(program, &order, __func__);
}

/* ---- clCompileProgram ---- */

static cl_int check_headers(kiln_program *program, cl_uint count, const cl_program *headers,
                            const char **names, const char *where) {
  kiln_context *context = program->context;
  /* CL_INVALID_VALUE if num_input_headers is zero and header_include_names or input_headers are not NULL or
     if num_input_headers is not zero and header_include_names or input_headers are NULL. */
  if ((count == 0) != (headers == NULL) || (count == 0) != (names == NULL))
    return kiln_fail(context, CL_INVALID_VALUE, where,
                     "num_input_headers is %u, input_headers is %s and header_include_names is %s", count,
                     headers == NULL ? "NULL" : "not NULL", names == NULL ? "NULL" : "not NULL");
  for (cl_uint i = 0; i < count; i++) {
    cl_int err = kiln_check_handle(context, headers[i], KILN_T_PROGRAM, where, "input_headers entry");
    if (err != CL_SUCCESS) return err;
    if (headers[i]->source == NULL)
      return kiln_fail(
          context, CL_INVALID_PROGRAM, where,
          "input_headers[%u] %p has no source: it was not created with clCreateProgramWithSource", i,
          (void *)headers[i]);
    if (names[i] == NULL)
      return kiln_fail(context, CL_INVALID_VALUE, where, "header_include_names[%u] is NULL", i);
    /* CL_INVALID_CONTEXT if the context associated with program and programs in input_headers are not the
     * same. */
    if (headers[i]->context != context)
      return kiln_fail(context, CL_INVALID_CONTEXT, where, "input_headers[%u] %p belongs to another context",
                       i, (void *)headers[i]);
  }
  return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL kiln_clCompileProgram(
    cl_program program, cl_uint num_devices, const cl_device_id *device_list, const char *options,
    cl_uint num_input_headers, const cl_program *input_headers, const char **header_include_names,
    void(CL_CALLBACK *pfn_notify)(cl_program, void *), void *user_data) {
  /* CL_INVALID_PROGRAM if program is not a valid program object. */
  KILN_CHECK(NULL, program, PROGRAM);
  kiln_context *context = program->context;
  cl_int err = check_device_list(context, num_devices, device_list, __func__);
  if (err == CL_SUCCESS)
    err = check_headers(program, num_input_headers, input_headers, header_include_names, __func__);
  if (err == CL_SUCCESS) err = check_notify(context, pfn_notify != NULL, user_data, __func__);
  if (err == CL_SUCCESS) err = check_program_devices(program, num_devices, device_list, __func__);
  if (err == CL_SUCCESS) err = check_options(context, options, KILN_OPTIONS_COMPILE, NULL, __func__);
  if (err != CL_SUCCESS) return err;
  /* CL_INVALID_OPERATION if program has no source or IL available, i.e. it has not been created with one of
     clCreateProgramWithIL, clCreateProgramWithSource. */
  KILN_REQUIRE(context, program->origin == KILN_FROM_SOURCE, CL_INVALID_OPERATION,
               "program %p has no source: it was not created with clCreateProgramWithSource",
               (void *)program);
  struct kiln_order order = {.kind = KILN_ORDER_COMPILE,
                             .num_devices = num_devices,
                             .devices = device_list,
                             .options = options,
                             .num_programs = num_input_headers,
                             .programs = input_headers,
                             .header_names = header_include_names,
                             .notify = pfn_notify,
                             .user_data = user_data};
  return kiln_program_order(program, &order, __func__);
}

/* ---- clLinkProgram ---- */

static cl_int check_inputs(kiln_context *context, cl_uint count, const cl_program *programs,
                           const char *where) {
  /* CL_INVALID_VALUE if num_input_programs is zero and input_programs is NULL or if num_input_programs is
     zero and input_programs is not NULL or if num_input_programs is not zero and input_programs is NULL. */
  if (count == 0 || programs == NULL)
    return kiln_fail(context, CL_INVALID_VALUE, where, "%s",
                     count == 0 ? "num_input_programs is 0" : "input_programs is NULL");
  for (cl_uint i = 0; i < count; i++) {
    /* CL_INVALID_PROGRAM if programs specified in input_programs are not valid program objects. */
    cl_int err = kiln_check_handle(context, programs[i], KILN_T_PROGRAM, where, "input_programs entry");
    if (err != CL_SUCCESS) return err;
    /* CL_INVALID_CONTEXT if the context associated with programs in input_programs is not the same as
     * context. */
    if (programs[i]->context != context)
      return kiln_fail(context, CL_INVALID_CONTEXT, where, "input_programs[%u] %p belongs to another context",
                       i, (void *)programs[i]);
  }
  return CL_SUCCESS;
}

static cl_int check_context_devices(kiln_context *context, cl_uint num_devices, const cl_device_id *devices,
                                    const char *where) {
  /* CL_INVALID_DEVICE if any device in device_list is not in the list of devices associated with context. */
  for (cl_uint i = 0; i < num_devices; i++)
    if (!kiln_context_has_device(context, devices[i]))
      return kiln_fail(context, CL_INVALID_DEVICE, where, "device_list[%u] %p is no device of the context", i,
                       (void *)devices[i]);
  return CL_SUCCESS;
}

/* A link that fails gives a program all the same: its log can be asked for. */
static cl_int link_program(cl_context context, struct kiln_order *order, cl_program *out, const char *where) {
  /* CL_INVALID_CONTEXT if context is not a valid context. */
  cl_int err = kiln_check_handle(NULL, context, KILN_T_CONTEXT, where, "context");
  if (err == CL_SUCCESS) err = check_device_list(context, order->num_devices, order->devices, where);
  if (err == CL_SUCCESS) err = check_inputs(context, order->num_programs, order->programs, where);
  if (err == CL_SUCCESS) err = check_notify(context, order->notify != NULL, order->user_data, where);
  if (err == CL_SUCCESS) err = check_context_devices(context, order->num_devices, order->devices, where);
  if (err == CL_SUCCESS)
    err = check_options(context, order->options, KILN_OPTIONS_LINK, &order->library, where);
  if (err != CL_SUCCESS) return err;
  kiln_program *program;
  bool all = order->num_devices == 0;
  err = kiln_program_for_link(context, all ? context->num_devices : order->num_devices,
                              all ? context->devices : order->devices, &program);
  if (err != CL_SUCCESS) return err;
  err = kiln_program_order(program, order, where);
  if (err == CL_SUCCESS || err == CL_LINK_PROGRAM_FAILURE) *out = program;
  else kiln_unref(&program);
  return err;
}

CL_API_ENTRY cl_program CL_API_CALL kiln_clLinkProgram(cl_context context, cl_uint num_devices,
                                                       const cl_device_id *device_list, const char *options,
                                                       cl_uint num_input_programs,
                                                       const cl_program *input_programs,
                                                       void(CL_CALLBACK *pfn_notify)(cl_program, void *),
                                                       void *user_data, cl_int *errcode_ret) {
  struct kiln_order order = {.kind = KILN_ORDER_LINK,
                             .num_devices = num_devices,
                             .devices = device_list,
                             .options = options,
                             .num_programs = num_input_programs,
                             .programs = input_programs,
                             .notify = pfn_notify,
                             .user_data = user_data};
  cl_program out = NULL;
  cl_int err = link_program(context, &order, &out, __func__);
  if (errcode_ret != NULL) *errcode_ret = err;
  return out;
}

/* ---- unloading ---- */

static void unload(void) {
  kiln_compiler_unload();
  kiln_cache_forget();
}

CL_API_ENTRY cl_int CL_API_CALL kiln_clUnloadPlatformCompiler(cl_platform_id platform) {
  /* CL_INVALID_PLATFORM if platform is not a valid platform. */
  KILN_CHECK(NULL, platform, PLATFORM);
  unload();
  return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL kiln_clUnloadCompiler(void) {
  unload();
  return CL_SUCCESS;
}
