/* write_imagef, write_imagei, write_imageui and write_imageh: OpenCL C 3.0, section 6.15.15.4, and chapter 8.3.
 * Writes outside the image, which are not defined, change nothing. */
#include "image.h"

/* ---- values to the components' bits ---- */

INLINE uint4 fixed_bits(desc d, float4 f) {
  float4 high = of_desc(d->gain), low = -__builtin_convertvector(of_desc(d->sign), float4);
  f *= high;
  if (is_signed(d)) f = f == f ? f : (float4)(0.0f);
  f = f > low ? f : low; /* not a number: low, which is 0 where there is no sign */
  f = f < high ? f : high;
  return __builtin_astype(__builtin_convertvector(rint_of(f), int4), uint4);
}

INLINE uint4 half_bits(float4 f) {
  return __builtin_convertvector(__builtin_astype(__builtin_convertvector(f, half4), ushort4), uint4);
}

/* c to the power of 5/12: from the twelfth root, by way of the third, which three steps of Newton's make
 * from a guess that divides the exponent. Not more than 2^-20 off. */
INLINE float4 power_of_5_12(float4 c) {
  float4 third = __builtin_convertvector(__builtin_astype(c, int4), float4) * (1.0f / 3.0f);
  float4 t = __builtin_astype(__builtin_convertvector(third, int4) + 0x2a5137a0, float4);
  t = (2.0f * t + c / (t * t)) * (1.0f / 3.0f);
  t = (2.0f * t + c / (t * t)) * (1.0f / 3.0f);
  t = (2.0f * t + c / (t * t)) * (1.0f / 3.0f);
  float4 root = sqrt_of(sqrt_of(t));
  return root * root * root * root * root;
}

INLINE uint4 srgb_bits(desc d, float4 f) {
  float4 c = f > 0.0f ? f : (float4)(0.0f);
  c = c < 1.0f ? c : (float4)(1.0f);
  c = c < 0.0031308f ? 12.92f * c : 1.055f * power_of_5_12(c) - 0.055f;
  uint4 bits = __builtin_convertvector(c * 255.0f + 0.5f, uint4);
  bits.w = fixed_bits(d, f).w;
  return bits;
}

INLINE uint4 bits_of(desc d, float4 f) {
  switch (d->texel) {
  case KILN_TEXEL_HALF: return half_bits(f);
  case KILN_TEXEL_FLOAT: return __builtin_astype(f, uint4);
  case KILN_TEXEL_SRGB: return srgb_bits(d, f);
  default: return fixed_bits(d, f);
  }
}

INLINE uint4 bits_of(desc d, half4 h) { return bits_of(d, __builtin_convertvector(h, float4)); }

/* Out of range: the nearest that the type has. */
INLINE uint4 bits_of(desc d, int4 v) {
  int4 half_range = __builtin_astype(of_desc(d->sign), int4), low = -half_range, high = half_range - 1;
  v = v > low ? v : low;
  v = v < high ? v : high;
  return __builtin_astype(v, uint4);
}

INLINE uint4 bits_of(desc d, uint4 v) {
  uint4 high = of_desc(d->mask);
  return v < high ? v : high;
}

/* ---- elements ---- */

typedef ushort ushort_anywhere __attribute__((aligned(1)));
typedef uint uint_anywhere __attribute__((aligned(1)));
typedef uint2 uint2_anywhere __attribute__((aligned(1)));
typedef uint4 uint4_anywhere __attribute__((aligned(1)));

INLINE uint whole(uint4 p) { return p.x | p.y | p.z | p.w; }

INLINE void store_bits(desc d, __global uchar *row, int x, uint4 bits) {
  uint4 p = (bits & of_desc(d->put)) << of_desc(d->shift);
  switch (d->element_size) {
  case 1: row[x] = (uchar)whole(p); break;
  case 2: ((__global ushort_anywhere *)row)[x] = (ushort)whole(p); break;
  case 4: ((__global uint_anywhere *)row)[x] = whole(p); break;
  case 8: {
    uint first = d->wide ? p.x : p.x | p.y, second = (d->wide ? p.y : 0) | p.z | p.w;
    ((__global uint2_anywhere *)row)[x] = (uint2)(first, second);
    break;
  }
  default: ((__global uint4_anywhere *)row)[x] = p;
  }
}

INLINE void put(desc d, int dims, bool array, int4 c, uint4 bits) {
  uint layer = dims == 1 ? c.y : c.z;
  bool inside = (uint)c.x < d->width;
  if (dims > 1) inside &= (uint)c.y < d->height;
  if (dims > 2) inside &= (uint)c.z < d->depth;
  if (array) inside &= layer < d->array_size;
  if (!inside) return;
  ulong at = row_offset(d, dims, c.y, c.z) + (array ? layer_offset(d, dims, layer) : 0);
  store_bits(d, d->data + at, c.x, bits);
}

/* ---- functions ---- */

#define WRITE(T, D, A, ACCESS, NAME, V)                                                            \
  OVER void NAME(ACCESS T i, COORDS_##T(int) c, V v) {                                             \
    desc d = __kiln_image(i);                                                                      \
    put(d, D, A, four(c), bits_of(d, v));                                                          \
  }
#define WRITE_DEPTH(T, D, A, ACCESS)                                                               \
  OVER void write_imagef(ACCESS T i, COORDS_##T(int) c, float v) {                                 \
    desc d = __kiln_image(i);                                                                      \
    put(d, D, A, four(c), bits_of(d, (float4)(v)));                                                \
  }
#define WRITE_KINDS(T, D, A, ACCESS)                                                               \
  WRITE(T, D, A, ACCESS, write_imagef, float4) WRITE(T, D, A, ACCESS, write_imageh, half4)         \
  WRITE(T, D, A, ACCESS, write_imagei, int4) WRITE(T, D, A, ACCESS, write_imageui, uint4)

FOR_COLOR_IMAGES(WRITE_KINDS, write_only)
FOR_COLOR_IMAGES(WRITE_KINDS, read_write)
WRITE_KINDS(image1d_buffer_t, 1, false, write_only)
WRITE_KINDS(image1d_buffer_t, 1, false, read_write)
FOR_DEPTH_IMAGES(WRITE_DEPTH, write_only)
FOR_DEPTH_IMAGES(WRITE_DEPTH, read_write)
