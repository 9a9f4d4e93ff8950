/* Contexts: creation, queries, destructor callbacks. */
#include "core/context.h"

#include "api/check.h"
#include "api/info.h"
#include "api/subdevice.h"
#include "api/table.h"
#include "core/destructor.h"
#include "core/platform.h"

#include <stdio.h>

typedef void(CL_CALLBACK *notify_fn)(const char *, const void *, size_t, void *);

static cl_int check_property(kiln_context *context, const cl_context_properties *property,
                             kiln_platform **platform, const char *where) {
  switch (property[0]) {
  case CL_CONTEXT_PLATFORM:
    /* CL_INVALID_PLATFORM if the platform specified in properties is not a valid platform */
    *platform = (kiln_platform *)property[1];
    return kiln_check_handle(context, *platform, KILN_T_PLATFORM, where, "CL_CONTEXT_PLATFORM in properties");
  case CL_CONTEXT_INTEROP_USER_SYNC:
    /* CL_INVALID_PROPERTY if the value specified for a supported property name is not valid */
    if (property[1] == CL_TRUE || property[1] == CL_FALSE) return CL_SUCCESS;
    return kiln_fail(context, CL_INVALID_PROPERTY, where,
                     "CL_CONTEXT_INTEROP_USER_SYNC in properties is %lld, neither CL_TRUE nor CL_FALSE",
                     (long long)property[1]);
  default:
    /* CL_INVALID_PROPERTY if a context property name in properties is not a supported property name */
    return kiln_fail(context, CL_INVALID_PROPERTY, where,
                     "property name 0x%llX in properties is not supported", (unsigned long long)property[0]);
  }
}

static cl_int check_properties(kiln_context *context, const cl_context_properties *properties,
                               kiln_platform **platform, const char *where) {
  *platform = kiln_platform_get();
  for (const cl_context_properties *p = properties; p != NULL && p[0] != 0; p += 2) {
    cl_int err = check_property(context, p, platform, where);
    if (err != CL_SUCCESS) return err;
    /* CL_INVALID_PROPERTY if the same property name is specified more than once */
    for (const cl_context_properties *q = properties; q < p; q += 2)
      if (q[0] == p[0])
        return kiln_fail(context, CL_INVALID_PROPERTY, where,
                         "property name 0x%llX stands more than once in properties",
                         (unsigned long long)p[0]);
  }
  return CL_SUCCESS;
}

static cl_int check_devices(kiln_context *context, cl_uint num_devices, const cl_device_id *devices,
                            const char *where) {
  for (cl_uint i = 0; i < num_devices; i++) {
    char argument[32];
    snprintf(argument, sizeof argument, "devices[%u]", i);
    cl_int err = kiln_check_handle(context, devices[i], KILN_T_DEVICE, where, argument);
    if (err != CL_SUCCESS) return err;
  }
  return CL_SUCCESS;
}

/* pfn_notify is told of errors during creation too: through this context that never becomes one. */
static kiln_context unborn(notify_fn notify, void *user_data) {
  return (kiln_context){.notify = notify, .notify_data = user_data};
}

static cl_int create(const cl_context_properties *properties, cl_uint num_devices,
                     const cl_device_id *devices, notify_fn pfn_notify, void *user_data,
                     kiln_context **context_out, const char *where) {
  kiln_context early = unborn(pfn_notify, user_data);
  kiln_platform *platform;
  cl_int err = check_properties(&early, properties, &platform, where);
  if (err != CL_SUCCESS) return err;
  /* CL_INVALID_VALUE if devices is NULL */
  if (devices == NULL) return kiln_fail(&early, CL_INVALID_VALUE, where, "devices is NULL");
  /* CL_INVALID_VALUE if num_devices is equal to zero */
  if (num_devices == 0) return kiln_fail(&early, CL_INVALID_VALUE, where, "num_devices is 0");
  /* CL_INVALID_VALUE if pfn_notify is NULL and user_data is not NULL */
  if (pfn_notify == NULL && user_data != NULL)
    return kiln_fail(&early, CL_INVALID_VALUE, where, "user_data is not NULL but pfn_notify is");
  /* CL_INVALID_DEVICE if any device in devices is not a valid device */
  err = check_devices(&early, num_devices, devices, where);
  if (err != CL_SUCCESS) return err;
  err = kiln_context_create(platform, properties, num_devices, devices, pfn_notify, user_data, context_out);
  return err == CL_SUCCESS ? CL_SUCCESS : kiln_fail_oom(&early);
}

cl_context kiln_clCreateContext(const cl_context_properties *properties, cl_uint num_devices,
                                const cl_device_id *devices, notify_fn pfn_notify, void *user_data,
                                cl_int *errcode_ret) {
  KILN_RETURN_HANDLE(cl_context, errcode_ret,
                     create(properties, num_devices, devices, pfn_notify, user_data, &out, __func__));
}

static cl_int create_from_type(const cl_context_properties *properties, cl_device_type device_type,
                               notify_fn pfn_notify, void *user_data, kiln_context **context_out,
                               const char *where) {
  kiln_context early = unborn(pfn_notify, user_data);
  kiln_platform *platform;
  cl_int err = check_properties(&early, properties, &platform, where);
  if (err != CL_SUCCESS) return err;
  /* CL_INVALID_VALUE if pfn_notify is NULL and user_data is not NULL */
  if (pfn_notify == NULL && user_data != NULL)
    return kiln_fail(&early, CL_INVALID_VALUE, where, "user_data is not NULL but pfn_notify is");
  /* CL_INVALID_DEVICE_TYPE if device_type is not a valid value */
  if (!kiln_device_type_is_valid(device_type))
    return kiln_fail(&early, CL_INVALID_DEVICE_TYPE, where,
                     "device_type 0x%llX is not a combination of CL_DEVICE_TYPE_* bits",
                     (unsigned long long)device_type);
  kiln_device *devices[KILN_MAX_ROOT_DEVICES];
  uint32_t count = kiln_platform_match(platform, device_type, devices);
  /* CL_DEVICE_NOT_FOUND if no devices that match device_type and property values specified in properties were
     found */
  if (count == 0)
    return kiln_fail(&early, CL_DEVICE_NOT_FOUND, where, "none of the %u devices has device_type 0x%llX",
                     platform->num_devices, (unsigned long long)device_type);
  err = kiln_context_create(platform, properties, count, devices, pfn_notify, user_data, context_out);
  return err == CL_SUCCESS ? CL_SUCCESS : kiln_fail_oom(&early);
}

cl_context kiln_clCreateContextFromType(const cl_context_properties *properties, cl_device_type device_type,
                                        notify_fn pfn_notify, void *user_data, cl_int *errcode_ret) {
  KILN_RETURN_HANDLE(cl_context, errcode_ret,
                     create_from_type(properties, device_type, pfn_notify, user_data, &out, __func__));
}

cl_int kiln_clRetainContext(cl_context context) {
  /* CL_INVALID_CONTEXT if context is not a valid OpenCL context */
  KILN_CHECK(NULL, context, CONTEXT);
  KILN_REQUIRE(NULL, kiln_object_api_retain(context), CL_INVALID_CONTEXT, "context %p is being destroyed",
               (void *)context);
  return CL_SUCCESS;
}

cl_int kiln_clReleaseContext(cl_context context) {
  /* CL_INVALID_CONTEXT if context is not a valid OpenCL context */
  KILN_CHECK(NULL, context, CONTEXT);
  KILN_REQUIRE(context, kiln_object_api_release(context), CL_INVALID_CONTEXT,
               "context %p was released more often than retained", (void *)context);
  return CL_SUCCESS;
}

cl_int kiln_clGetContextInfo(cl_context context, cl_context_info param_name, size_t param_value_size,
                             void *param_value, size_t *param_value_size_ret) {
  /* CL_INVALID_CONTEXT if context is not a valid context */
  KILN_CHECK(NULL, context, CONTEXT);
  struct kiln_info info = {context,          __func__,    param_name,
                           param_value_size, param_value, param_value_size_ret};
  switch (param_name) {
  case CL_CONTEXT_REFERENCE_COUNT:
    return kiln_info_value(&info, cl_uint, atomic_load(&context->object.api_refs));
  case CL_CONTEXT_NUM_DEVICES:
    return kiln_info_value(&info, cl_uint, context->num_devices);
  case CL_CONTEXT_DEVICES:
    return kiln_info_bytes(&info, context->devices, context->num_devices * sizeof *context->devices);
  case CL_CONTEXT_PROPERTIES:
    return kiln_info_bytes(&info, context->properties,
                           context->properties_size * sizeof *context->properties);
  default:
    /* CL_INVALID_VALUE if param_name is not one of the supported values */
    return kiln_info_unknown(&info);
  }
}

cl_int kiln_clSetContextDestructorCallback(cl_context context,
                                           void(CL_CALLBACK *pfn_notify)(cl_context, void *),
                                           void *user_data) {
  /* CL_INVALID_CONTEXT if context is not a valid context */
  KILN_CHECK(NULL, context, CONTEXT);
  /* CL_INVALID_VALUE if pfn_notify is NULL */
  KILN_REQUIRE(context, pfn_notify != NULL, CL_INVALID_VALUE, "pfn_notify is NULL");
  /* a handle is a pointer: both kinds of callback are called alike */
  cl_int err = kiln_destructor_push(&context->lock, &context->destructors,
                                    (void(CL_CALLBACK *)(void *, void *))(void *)pfn_notify, user_data);
  return err == CL_SUCCESS ? CL_SUCCESS : kiln_fail_oom(context);
}
