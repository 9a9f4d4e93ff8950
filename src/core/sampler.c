/* Owns sampler objects. */
#include "core/sampler.h"

#include "base/alloc.h"

cl_int kiln_sampler_create(kiln_context *context, cl_bool normalized, cl_addressing_mode addressing,
                           cl_filter_mode filter, kiln_sampler **sampler_out) {
  kiln_sampler *sampler = kiln_object_new(KILN_T_SAMPLER, sizeof *sampler);
  if (sampler == NULL) return CL_OUT_OF_HOST_MEMORY;
  sampler->context = kiln_ref(context);
  sampler->normalized = normalized;
  sampler->addressing = addressing;
  sampler->filter = filter;
  *sampler_out = sampler;
  return CL_SUCCESS;
}

void kiln_sampler_destroy(kiln_sampler *sampler) {
  kiln_unref(&sampler->context);
  kiln_free(sampler);
}
