/* Samplers. */
#ifndef KILN_CORE_SAMPLER_H
#define KILN_CORE_SAMPLER_H

#include "core/context.h"

struct _cl_sampler {
  struct kiln_object object;
  kiln_context *context; /* held */
  cl_bool normalized;
  cl_addressing_mode addressing;
  cl_filter_mode filter;
  cl_sampler_properties list[7]; /* as given to clCreateSamplerWithProperties, 0-terminated */
  uint32_t list_size;            /* entries incl. the 0; 0: none given */
};

/* Arguments are checked by the caller. Errors: CL_OUT_OF_HOST_MEMORY. */
cl_int kiln_sampler_create(kiln_context *context, cl_bool normalized, cl_addressing_mode addressing,
                           cl_filter_mode filter, kiln_sampler **sampler_out);

/* What kernels get: OpenCL C's CLK_NORMALIZED_COORDS_* | CLK_ADDRESS_* | CLK_FILTER_*. */
uint32_t kiln_sampler_value(const kiln_sampler *sampler);

#endif
