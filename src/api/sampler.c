/* Samplers: creation and queries. */
#include "core/sampler.h"

#include "api/check.h"
#include "api/info.h"
#include "api/table.h"

#include <string.h>

static bool is_addressing(cl_ulong mode) {
  return mode == CL_ADDRESS_NONE || mode == CL_ADDRESS_CLAMP_TO_EDGE || mode == CL_ADDRESS_CLAMP ||
         mode == CL_ADDRESS_REPEAT || mode == CL_ADDRESS_MIRRORED_REPEAT;
}

struct wish {
  cl_ulong normalized, addressing, filter;
};

/* CL_INVALID_VALUE if addressing_mode, filter_mode, normalized_coords or a combination of these arguments are
 * not valid */
static cl_int check_values(kiln_context *context, const struct wish *wish, const char *where) {
  if (wish->normalized != CL_TRUE && wish->normalized != CL_FALSE)
    return kiln_fail(context, CL_INVALID_VALUE, where,
                     "normalized_coords is %llu, neither CL_TRUE nor CL_FALSE",
                     (unsigned long long)wish->normalized);
  if (!is_addressing(wish->addressing))
    return kiln_fail(context, CL_INVALID_VALUE, where, "addressing_mode 0x%llX is no addressing mode",
                     (unsigned long long)wish->addressing);
  if (wish->filter != CL_FILTER_NEAREST && wish->filter != CL_FILTER_LINEAR)
    return kiln_fail(context, CL_INVALID_VALUE, where, "filter_mode 0x%llX is no filter mode",
                     (unsigned long long)wish->filter);
  if (wish->normalized == CL_FALSE &&
      (wish->addressing == CL_ADDRESS_REPEAT || wish->addressing == CL_ADDRESS_MIRRORED_REPEAT))
    return kiln_fail(context, CL_INVALID_VALUE, where,
                     "addressing_mode 0x%llX repeats, which needs normalized coordinates",
                     (unsigned long long)wish->addressing);
  return CL_SUCCESS;
}

static cl_int create(kiln_context *context, const struct wish *wish, kiln_sampler **sampler_out,
                     const char *where) {
  cl_int err = check_values(context, wish, where);
  if (err != CL_SUCCESS) return err;
  /* CL_INVALID_OPERATION if images are not supported by any device associated with context */
  if (!kiln_context_has_images(context))
    return kiln_fail(context, CL_INVALID_OPERATION, where,
                     "none of the %u devices of context %p supports images", context->num_devices,
                     (void *)context);
  err = kiln_sampler_create(context, (cl_bool)wish->normalized, (cl_addressing_mode)wish->addressing,
                            (cl_filter_mode)wish->filter, sampler_out);
  return err == CL_SUCCESS ? CL_SUCCESS : kiln_fail_oom(context);
}

/* CL_INVALID_VALUE if the property name in sampler_properties is not a supported property name or if the same
 * property name is specified more than once */
static cl_int parse_list(kiln_context *context, const cl_sampler_properties *properties, struct wish *wish,
                         uint32_t *size_out, const char *where) {
  bool given[3] = {false};
  uint32_t n = 0;
  for (; properties[n] != 0; n += 2) {
    int which = properties[n] == CL_SAMPLER_NORMALIZED_COORDS ? 0
                : properties[n] == CL_SAMPLER_ADDRESSING_MODE ? 1
                : properties[n] == CL_SAMPLER_FILTER_MODE     ? 2
                                                              : -1;
    if (which < 0)
      return kiln_fail(context, CL_INVALID_VALUE, where,
                       "sampler_properties[%u], 0x%llX, is no property of a sampler", n,
                       (unsigned long long)properties[n]);
    if (given[which])
      return kiln_fail(context, CL_INVALID_VALUE, where,
                       "sampler_properties[%u], 0x%llX, stands there a second time", n,
                       (unsigned long long)properties[n]);
    given[which] = true;
    *(which == 0 ? &wish->normalized : which == 1 ? &wish->addressing : &wish->filter) = properties[n + 1];
  }
  *size_out = n + 1;
  return CL_SUCCESS;
}

static cl_int create_with_properties(kiln_context *context, const cl_sampler_properties *properties,
                                     kiln_sampler **sampler_out, const char *where) {
  /* CL_INVALID_CONTEXT if context is not a valid context */
  cl_int err = kiln_check_handle(NULL, context, KILN_T_CONTEXT, where, "context");
  struct wish wish = {CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST};
  uint32_t size = 0;
  if (err == CL_SUCCESS && properties != NULL) err = parse_list(context, properties, &wish, &size, where);
  if (err == CL_SUCCESS) err = create(context, &wish, sampler_out, where);
  if (err != CL_SUCCESS) return err;
  if (size > 0) memcpy((*sampler_out)->list, properties, size * sizeof *properties);
  (*sampler_out)->list_size = size;
  return CL_SUCCESS;
}

cl_sampler kiln_clCreateSamplerWithProperties(cl_context context,
                                              const cl_sampler_properties *sampler_properties,
                                              cl_int *errcode_ret) {
  KILN_RETURN_HANDLE(cl_sampler, errcode_ret,
                     create_with_properties(context, sampler_properties, &out, __func__));
}

static cl_int create_with_values(kiln_context *context, const struct wish *wish, kiln_sampler **sampler_out,
                                 const char *where) {
  /* CL_INVALID_CONTEXT if context is not a valid context */
  cl_int err = kiln_check_handle(NULL, context, KILN_T_CONTEXT, where, "context");
  return err == CL_SUCCESS ? create(context, wish, sampler_out, where) : err;
}

cl_sampler kiln_clCreateSampler(cl_context context, cl_bool normalized_coords,
                                cl_addressing_mode addressing_mode, cl_filter_mode filter_mode,
                                cl_int *errcode_ret) {
  const struct wish wish = {normalized_coords, addressing_mode, filter_mode};
  KILN_RETURN_HANDLE(cl_sampler, errcode_ret, create_with_values(context, &wish, &out, __func__));
}

cl_int kiln_clRetainSampler(cl_sampler sampler) {
  /* CL_INVALID_SAMPLER if sampler is not a valid sampler object */
  KILN_CHECK(NULL, sampler, SAMPLER);
  KILN_REQUIRE(NULL, kiln_object_api_retain(sampler), CL_INVALID_SAMPLER, "sampler %p is being destroyed",
               (void *)sampler);
  return CL_SUCCESS;
}

cl_int kiln_clReleaseSampler(cl_sampler sampler) {
  /* CL_INVALID_SAMPLER if sampler is not a valid sampler object */
  KILN_CHECK(NULL, sampler, SAMPLER);
  KILN_REQUIRE(sampler->context, kiln_object_api_release(sampler), CL_INVALID_SAMPLER,
               "sampler %p was released more often than retained", (void *)sampler);
  return CL_SUCCESS;
}

cl_int kiln_clGetSamplerInfo(cl_sampler sampler, cl_sampler_info param_name, size_t param_value_size,
                             void *param_value, size_t *param_value_size_ret) {
  /* CL_INVALID_SAMPLER if sampler is a not a valid sampler object */
  KILN_CHECK(NULL, sampler, SAMPLER);
  struct kiln_info info = {sampler->context, __func__,    param_name,
                           param_value_size, param_value, param_value_size_ret};
  switch (param_name) {
  case CL_SAMPLER_REFERENCE_COUNT:
    return kiln_info_value(&info, cl_uint, atomic_load(&sampler->object.api_refs));
  case CL_SAMPLER_CONTEXT:
    return kiln_info_value(&info, cl_context, sampler->context);
  case CL_SAMPLER_NORMALIZED_COORDS:
    return kiln_info_value(&info, cl_bool, sampler->normalized);
  case CL_SAMPLER_ADDRESSING_MODE:
    return kiln_info_value(&info, cl_addressing_mode, sampler->addressing);
  case CL_SAMPLER_FILTER_MODE:
    return kiln_info_value(&info, cl_filter_mode, sampler->filter);
  case CL_SAMPLER_PROPERTIES:
    return kiln_info_bytes(&info, sampler->list, sampler->list_size * sizeof *sampler->list);
  default:
    /* CL_INVALID_VALUE if param_name is not one of the supported values */
    return kiln_info_unknown(&info);
  }
}
