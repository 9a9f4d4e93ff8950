/* read_imagef, read_imagei, read_imageui and read_imageh with a sampler: OpenCL C 3.0, section 6.15.15.2. */
#include "image_sample.h"

#define READ_F(T, D, A, C)                                                                         \
  OVER float4 read_imagef(read_only T i, sampler_t s, COORDS_##T(C) c) {                           \
    return sample(__kiln_image(i), __kiln_sampler(s), D, A, four(c));                              \
  }
#define READ_DEPTH(T, D, A, C)                                                                     \
  OVER float read_imagef(read_only T i, sampler_t s, COORDS_##T(C) c) {                            \
    return sample(__kiln_image(i), __kiln_sampler(s), D, A, four(c)).x;                            \
  }
#define READ_H(T, D, A, C)                                                                         \
  OVER half4 read_imageh(read_only T i, sampler_t s, COORDS_##T(C) c) {                            \
    return __builtin_convertvector(sample(__kiln_image(i), __kiln_sampler(s), D, A, four(c)), half4); \
  }
#define READ_I(T, D, A, C)                                                                         \
  OVER int4 read_imagei(read_only T i, sampler_t s, COORDS_##T(C) c) {                             \
    return __builtin_astype(nearest_bits(__kiln_image(i), __kiln_sampler(s), D, A, four(c)), int4); \
  }                                                                                                \
  OVER uint4 read_imageui(read_only T i, sampler_t s, COORDS_##T(C) c) {                           \
    return nearest_bits(__kiln_image(i), __kiln_sampler(s), D, A, four(c));                        \
  }

FOR_COLOR_IMAGES(READ_F, float)
FOR_COLOR_IMAGES(READ_F, int)
FOR_COLOR_IMAGES(READ_H, float)
FOR_COLOR_IMAGES(READ_H, int)
FOR_COLOR_IMAGES(READ_I, float)
FOR_COLOR_IMAGES(READ_I, int)
FOR_DEPTH_IMAGES(READ_DEPTH, float)
FOR_DEPTH_IMAGES(READ_DEPTH, int)
