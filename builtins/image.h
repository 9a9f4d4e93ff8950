/* Images in software: what the builtins of image_*.cl share. OpenCL C 3.0, section 6.15.15 and chapter 8.
 *
 * Format, sampler and sizes are the same for all work-items in nearly all kernels, coordinates are not: every
 * switch here is on the former, and the latter meet selects only. No lane ever touches memory outside the
 * image, whatever the coordinates: indices are clamped to it even where the result does not matter. */
#ifndef KILN_BUILTINS_IMAGE_H
#define KILN_BUILTINS_IMAGE_H

#include "base/image_desc.h"
#include "kiln.h"

typedef const __constant struct kiln_image_desc *desc;
typedef const __global uchar *bytes;
typedef uint4 uint4_in_desc __attribute__((aligned(4)));
typedef float4 float4_in_desc __attribute__((aligned(4)));

/* The compiler knows these: what an image and a sampler are. */
#define CONST __attribute__((const, overloadable))
CONST uint __kiln_sampler(sampler_t);

/* The element of `size` bytes with number x of a row: for each component the 32 bits that hold it, but of 8
 * bytes twice the first half and twice the second. Has a form for vectors of work-items of its own
 * (lane_texel.c), so it stays a function. */
uint4 __kiln_texel(uint size, bytes row, int x);

/* M(type, dimensions, is array, ...) for each type of image */
#define FOR_COLOR_IMAGES(M, ...)                                                                   \
  M(image1d_t, 1, false, ##__VA_ARGS__) M(image1d_array_t, 1, true, ##__VA_ARGS__)                 \
  M(image2d_t, 2, false, ##__VA_ARGS__) M(image2d_array_t, 2, true, ##__VA_ARGS__)                 \
  M(image3d_t, 3, false, ##__VA_ARGS__)
#define FOR_DEPTH_IMAGES(M, ...)                                                                   \
  M(image2d_depth_t, 2, false, ##__VA_ARGS__) M(image2d_array_depth_t, 2, true, ##__VA_ARGS__)
#define FOR_IMAGES(M, ...)                                                                         \
  FOR_COLOR_IMAGES(M, ##__VA_ARGS__) M(image1d_buffer_t, 1, false, ##__VA_ARGS__)                  \
  FOR_DEPTH_IMAGES(M, ##__VA_ARGS__)

#define DECLARE(T, D, A)                                                                           \
  CONST desc __kiln_image(read_only T);                                                            \
  CONST desc __kiln_image(write_only T);                                                           \
  CONST desc __kiln_image(read_write T);
FOR_IMAGES(DECLARE)

/* Coordinates: the image's own, then the layer. The types that functions take, and these as four. */
#define COORDS_image1d_t(T) T
#define COORDS_image1d_buffer_t(T) T
#define COORDS_image1d_array_t(T) T##2
#define COORDS_image2d_t(T) T##2
#define COORDS_image2d_depth_t(T) T##2
#define COORDS_image2d_array_t(T) T##4
#define COORDS_image2d_array_depth_t(T) T##4
#define COORDS_image3d_t(T) T##4

INLINE int4 four(int c) { return (int4)(c, 0, 0, 0); }
INLINE int4 four(int2 c) { return (int4)(c, 0, 0); }
INLINE int4 four(int4 c) { return c; }
INLINE float4 four(float c) { return (float4)(c, 0, 0, 0); }
INLINE float4 four(float2 c) { return (float4)(c, 0, 0); }
INLINE float4 four(float4 c) { return c; }

INLINE uint4 of_desc(const __constant uint *four) { return *(const __constant uint4_in_desc *)four; }
INLINE bool is_signed(desc d) { return (d->sign[0] | d->sign[1] | d->sign[2] | d->sign[3]) != 0; }
INLINE float4 of_desc(const __constant float *four) { return *(const __constant float4_in_desc *)four; }

/* ---- places ---- */

/* Not a number gives `low`. */
INLINE float clamp_to(float x, float low, float high) {
  x = x > low ? x : low;
  return x < high ? x : high;
}
INLINE int clamp_to(int x, int low, int high) {
  x = x > low ? x : low;
  return x < high ? x : high;
}

/* The layer that a coordinate names: chapter 8.4. */
INLINE int layer_of(float c, uint n) { return (int)clamp_to(rint_of(c), 0.0f, (float)(n - 1)); }
INLINE int layer_of(int c, uint n) { return clamp_to(c, 0, (int)n - 1); }

/* Bytes to the layer. */
INLINE ulong layer_offset(desc d, int dims, int layer) {
  return (ulong)(uint)layer * (dims == 1 ? d->row_pitch : d->slice_pitch);
}

INLINE uint size_of(desc d, int axis) { return axis == 0 ? d->width : axis == 1 ? d->height : d->depth; }

/* Where the row begins in which an element lies. */
INLINE ulong row_offset(desc d, int dims, int y, int z) {
  ulong at = 0;
  if (dims > 1) at += (ulong)(uint)y * d->row_pitch;
  if (dims > 2) at += (ulong)(uint)z * d->slice_pitch;
  return at;
}

/* ---- elements ---- */

/* The components' bits; those of the border colour where not inside. */
INLINE uint4 load_bits(desc d, bytes row, int x, bool inside) {
  uint4 words = __kiln_texel(d->element_size, row, x);
  words.y = d->wide ? words.z : words.y;
  words = inside ? words : (uint4)(0);
  return ((words >> of_desc(d->shift) & of_desc(d->mask)) ^ of_desc(d->sign)) - of_desc(d->bias);
}

#endif
