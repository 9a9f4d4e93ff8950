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
  kiln_object_free(sampler);
}

/* The names of OpenCL C are its headers' alone. */
enum {
  CLK_NORMALIZED = 1,
  CLK_TO_EDGE = 2,
  CLK_CLAMP = 4,
  CLK_REPEAT = 6,
  CLK_MIRRORED = 8,
  CLK_NEAREST = 0x10,
  CLK_LINEAR = 0x20
};

uint32_t kiln_sampler_value(const kiln_sampler *sampler) {
  uint32_t address = sampler->addressing == CL_ADDRESS_CLAMP_TO_EDGE     ? CLK_TO_EDGE
                     : sampler->addressing == CL_ADDRESS_CLAMP           ? CLK_CLAMP
                     : sampler->addressing == CL_ADDRESS_REPEAT          ? CLK_REPEAT
                     : sampler->addressing == CL_ADDRESS_MIRRORED_REPEAT ? CLK_MIRRORED
                                                                         : 0;
  return address | (sampler->normalized ? CLK_NORMALIZED : 0) |
         (sampler->filter == CL_FILTER_LINEAR ? CLK_LINEAR : CLK_NEAREST);
}
