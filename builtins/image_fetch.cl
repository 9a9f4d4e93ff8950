/* The read_image functions without a sampler: OpenCL C 3.0, section 6.15.15.3. */
#include "image_sample.h"

#define FETCH(D, A) nearest_bits(d, CLK_ADDRESS_NONE, D, A, four(c))

#define FETCH_F(T, D, A, ACCESS)                                                                   \
  OVER float4 read_imagef(ACCESS T i, COORDS_##T(int) c) {                                         \
    desc d = __kiln_image(i);                                                                      \
    return value_of(d, FETCH(D, A));                                                               \
  }
#define FETCH_DEPTH(T, D, A, ACCESS)                                                               \
  OVER float read_imagef(ACCESS T i, COORDS_##T(int) c) {                                          \
    desc d = __kiln_image(i);                                                                      \
    return value_of(d, FETCH(D, A)).x;                                                             \
  }
#define FETCH_H(T, D, A, ACCESS)                                                                   \
  OVER half4 read_imageh(ACCESS T i, COORDS_##T(int) c) {                                          \
    desc d = __kiln_image(i);                                                                      \
    return __builtin_convertvector(value_of(d, FETCH(D, A)), half4);                               \
  }
#define FETCH_I(T, D, A, ACCESS)                                                                   \
  OVER int4 read_imagei(ACCESS T i, COORDS_##T(int) c) {                                           \
    desc d = __kiln_image(i);                                                                      \
    return __builtin_astype(FETCH(D, A), int4);                                                    \
  }                                                                                                \
  OVER uint4 read_imageui(ACCESS T i, COORDS_##T(int) c) {                                         \
    desc d = __kiln_image(i);                                                                      \
    return FETCH(D, A);                                                                            \
  }

#define FETCH_ALL(T, D, A)                                                                         \
  FETCH_F(T, D, A, read_only) FETCH_F(T, D, A, read_write) FETCH_H(T, D, A, read_only)             \
  FETCH_H(T, D, A, read_write) FETCH_I(T, D, A, read_only) FETCH_I(T, D, A, read_write)
FOR_COLOR_IMAGES(FETCH_ALL)
FETCH_ALL(image1d_buffer_t, 1, false)
FOR_DEPTH_IMAGES(FETCH_DEPTH, read_only)
FOR_DEPTH_IMAGES(FETCH_DEPTH, read_write)
