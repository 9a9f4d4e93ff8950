/* Reading images: addressing, filtering and what the bits become. OpenCL C 3.0, chapters 8.2 and 8.3. */
#ifndef KILN_BUILTINS_IMAGE_SAMPLE_H
#define KILN_BUILTINS_IMAGE_SAMPLE_H

#include "image.h"

/* CLK_ADDRESS_* of a sampler's bits. */
#define ADDRESS_MASK 14u

/* 256 entries, which no short code matches: the places of sRGB values on the linear scale, rounded to float.
 */
static __constant float srgb_to_linear[256] = {
    0, 0x1.3e4568p-12f, 0x1.3e4568p-11f, 0x1.dd681cp-11f, 0x1.3e4568p-10f, 0x1.8dd6c2p-10f,
    0x1.dd681cp-10f, 0x1.167cbap-9f, 0x1.3e4568p-9f, 0x1.660e14p-9f, 0x1.8dd6c2p-9f,
    0x1.b6a31cp-9f, 0x1.e1e31ep-9f, 0x1.07c38cp-8f, 0x1.1fcc2cp-8f, 0x1.390ffap-8f,
    0x1.53936cp-8f, 0x1.6f5adep-8f, 0x1.8c6a94p-8f, 0x1.aac6cp-8f, 0x1.ca7382p-8f, 0x1.eb74e2p-8f,
    0x1.06e76cp-7f, 0x1.18c2a6p-7f, 0x1.2b4e0ap-7f, 0x1.3e8b7cp-7f, 0x1.527cd6p-7f,
    0x1.6723eep-7f, 0x1.7c8292p-7f, 0x1.929a88p-7f, 0x1.a96d92p-7f, 0x1.c0fd68p-7f,
    0x1.d94bbep-7f, 0x1.f25a44p-7f, 0x1.061552p-6f, 0x1.135f3ep-6f, 0x1.210bb8p-6f,
    0x1.2f1b8cp-6f, 0x1.3d8f84p-6f, 0x1.4c6866p-6f, 0x1.5ba6fap-6f, 0x1.6b4c04p-6f,
    0x1.7b5842p-6f, 0x1.8bcc74p-6f, 0x1.9ca958p-6f, 0x1.adefaap-6f, 0x1.bfa02p-6f, 0x1.d1bb74p-6f,
    0x1.e4425ap-6f, 0x1.f73586p-6f, 0x1.054ad4p-5f, 0x1.0f31bap-5f, 0x1.194fccp-5f,
    0x1.23a55ep-5f, 0x1.2e32c8p-5f, 0x1.38f86p-5f, 0x1.43f678p-5f, 0x1.4f2d64p-5f, 0x1.5a9d76p-5f,
    0x1.664702p-5f, 0x1.722a56p-5f, 0x1.7e47c8p-5f, 0x1.8a9fa4p-5f, 0x1.97323ap-5f,
    0x1.a3ffd8p-5f, 0x1.b108dp-5f, 0x1.be4d6cp-5f, 0x1.cbcdfap-5f, 0x1.d98ac6p-5f, 0x1.e7841cp-5f,
    0x1.f5ba48p-5f, 0x1.0216cap-4f, 0x1.096f26p-4f, 0x1.10e65cp-4f, 0x1.187c9p-4f, 0x1.2031e8p-4f,
    0x1.280688p-4f, 0x1.2ffa92p-4f, 0x1.380e2ap-4f, 0x1.404174p-4f, 0x1.489494p-4f,
    0x1.5107acp-4f, 0x1.599adep-4f, 0x1.624e4ep-4f, 0x1.6b221ep-4f, 0x1.74167p-4f, 0x1.7d2b66p-4f,
    0x1.86612p-4f, 0x1.8fb7cp-4f, 0x1.992f68p-4f, 0x1.a2c83ap-4f, 0x1.ac8256p-4f, 0x1.b65ddcp-4f,
    0x1.c05aecp-4f, 0x1.ca79a8p-4f, 0x1.d4ba3p-4f, 0x1.df1ca2p-4f, 0x1.e9a12p-4f, 0x1.f447cap-4f,
    0x1.ff10bcp-4f, 0x1.04fe0cp-3f, 0x1.0a84fep-3f, 0x1.101d44p-3f, 0x1.15c6eep-3f,
    0x1.1b8208p-3f, 0x1.214ea6p-3f, 0x1.272cd4p-3f, 0x1.2d1ca2p-3f, 0x1.331e1ep-3f,
    0x1.393158p-3f, 0x1.3f566p-3f, 0x1.458d42p-3f, 0x1.4bd60ep-3f, 0x1.5230d4p-3f, 0x1.589dap-3f,
    0x1.5f1c84p-3f, 0x1.65ad8ap-3f, 0x1.6c50c4p-3f, 0x1.73063ep-3f, 0x1.79ce06p-3f,
    0x1.80a82ep-3f, 0x1.8794cp-3f, 0x1.8e93ccp-3f, 0x1.95a55ep-3f, 0x1.9cc986p-3f, 0x1.a40052p-3f,
    0x1.ab49cep-3f, 0x1.b2a60ap-3f, 0x1.ba1512p-3f, 0x1.c196f4p-3f, 0x1.c92bbep-3f,
    0x1.d0d37cp-3f, 0x1.d88e3ep-3f, 0x1.e05c0ep-3f, 0x1.e83cfcp-3f, 0x1.f03116p-3f,
    0x1.f83866p-3f, 0x1.00297ep-2f, 0x1.044072p-2f, 0x1.086116p-2f, 0x1.0c8b7p-2f, 0x1.10bf86p-2f,
    0x1.14fd6p-2f, 0x1.194502p-2f, 0x1.1d9676p-2f, 0x1.21f1bep-2f, 0x1.2656e4p-2f, 0x1.2ac5ecp-2f,
    0x1.2f3edep-2f, 0x1.33c1cp-2f, 0x1.384e98p-2f, 0x1.3ce56cp-2f, 0x1.418642p-2f, 0x1.46312p-2f,
    0x1.4ae60ep-2f, 0x1.4fa51p-2f, 0x1.546e2cp-2f, 0x1.59416cp-2f, 0x1.5e1edp-2f, 0x1.630664p-2f,
    0x1.67f82ap-2f, 0x1.6cf428p-2f, 0x1.71fa68p-2f, 0x1.770aecp-2f, 0x1.7c25bcp-2f,
    0x1.814adcp-2f, 0x1.867a54p-2f, 0x1.8bb428p-2f, 0x1.90f86p-2f, 0x1.9647p-2f, 0x1.9ba01p-2f,
    0x1.a10394p-2f, 0x1.a67192p-2f, 0x1.abea1p-2f, 0x1.b16d14p-2f, 0x1.b6faa4p-2f, 0x1.bc92c6p-2f,
    0x1.c2357ep-2f, 0x1.c7e2d2p-2f, 0x1.cd9acap-2f, 0x1.d35d6ap-2f, 0x1.d92ab6p-2f,
    0x1.df02b8p-2f, 0x1.e4e57p-2f, 0x1.ead2e8p-2f, 0x1.f0cb26p-2f, 0x1.f6ce2cp-2f, 0x1.fcdcp-2f,
    0x1.017a56p-1f, 0x1.048c18p-1f, 0x1.07a34ap-1f, 0x1.0abfeep-1f, 0x1.0de208p-1f,
    0x1.11099ap-1f, 0x1.1436a8p-1f, 0x1.176932p-1f, 0x1.1aa13ep-1f, 0x1.1ddecap-1f,
    0x1.2121dep-1f, 0x1.246a7ap-1f, 0x1.27b8ap-1f, 0x1.2b0c54p-1f, 0x1.2e6598p-1f, 0x1.31c46ep-1f,
    0x1.3528dcp-1f, 0x1.3892ep-1f, 0x1.3c028p-1f, 0x1.3f77bcp-1f, 0x1.42f29ap-1f, 0x1.467318p-1f,
    0x1.49f93ep-1f, 0x1.4d850ap-1f, 0x1.511682p-1f, 0x1.54ada4p-1f, 0x1.584a78p-1f,
    0x1.5becfep-1f, 0x1.5f9538p-1f, 0x1.634328p-1f, 0x1.66f6d4p-1f, 0x1.6ab03ap-1f, 0x1.6e6f6p-1f,
    0x1.723448p-1f, 0x1.75fef4p-1f, 0x1.79cf64p-1f, 0x1.7da59ep-1f, 0x1.8181a4p-1f,
    0x1.856378p-1f, 0x1.894b1cp-1f, 0x1.8d3892p-1f, 0x1.912bdep-1f, 0x1.9525p-1f, 0x1.9923fep-1f,
    0x1.9d28d8p-1f, 0x1.a13392p-1f, 0x1.a5442cp-1f, 0x1.a95aacp-1f, 0x1.ad771p-1f, 0x1.b1995ep-1f,
    0x1.b5c198p-1f, 0x1.b9efbep-1f, 0x1.be23d4p-1f, 0x1.c25ddep-1f, 0x1.c69ddcp-1f,
    0x1.cae3d2p-1f, 0x1.cf2fcp-1f, 0x1.d381aap-1f, 0x1.d7d994p-1f, 0x1.dc377ep-1f, 0x1.e09b6ap-1f,
    0x1.e5055cp-1f, 0x1.e97556p-1f, 0x1.edeb5cp-1f, 0x1.f2676cp-1f, 0x1.f6e98cp-1f,
    0x1.fb71bcp-1f, 0x1p0f,
};

/* ---- bits to values ---- */

INLINE float4 fixed_value(desc d, uint4 bits) {
  float4 f = __builtin_convertvector(__builtin_astype(bits, int4), float4) * of_desc(d->scale);
  if (!is_signed(d)) return f;
  return f > -1.0f ? f : (float4)(-1.0f);
}

INLINE float4 half_value(uint4 bits) {
  ushort4 narrow = __builtin_convertvector(bits, ushort4);
  return __builtin_convertvector(__builtin_astype(narrow, half4), float4);
}

INLINE float4 srgb_value(desc d, uint4 bits) {
  return (float4)(srgb_to_linear[bits.x & 255], srgb_to_linear[bits.y & 255],
                  srgb_to_linear[bits.z & 255], fixed_value(d, bits).w);
}

INLINE float4 value_of(desc d, uint4 bits) {
  switch (d->texel) {
  case KILN_TEXEL_HALF: return half_value(bits);
  case KILN_TEXEL_FLOAT: return __builtin_astype(bits, float4);
  case KILN_TEXEL_SRGB: return srgb_value(d, bits);
  default: return fixed_value(d, bits);
  }
}

/* ---- one axis: index of an element, and whether it is one ---- */

INLINE bool is_clamp(uint sampler) { return (sampler & ADDRESS_MASK) == CLK_ADDRESS_CLAMP; }

/* Only CLK_ADDRESS_CLAMP has something outside. */
INLINE int index_of(float i, float last, uint sampler, __private bool *inside) {
  *inside &= !is_clamp(sampler) | ((i >= 0.0f) & (i <= last));
  return (int)clamp_to(i, 0.0f, last);
}

INLINE int index_of(int i, uint n, uint sampler, __private bool *inside) {
  *inside &= !is_clamp(sampler) | ((uint)i < n);
  return clamp_to(i, 0, (int)n - 1);
}

/* The coordinate counted in elements. */
INLINE float unnormalized(float s, float size, uint sampler) {
  switch (sampler & ADDRESS_MASK) {
  case CLK_ADDRESS_REPEAT: return (s - floor_of(s)) * size;
  case CLK_ADDRESS_MIRRORED_REPEAT: return fabs_of(s - 2.0f * rint_of(0.5f * s)) * size;
  default: return sampler & CLK_NORMALIZED_COORDS_TRUE ? s * size : s;
  }
}

/* What is beyond one end comes in at the other. */
INLINE float wrapped(float i, float size, uint sampler) {
  float low = i < 0.0f ? i + size : i;
  low = low > size - 1.0f ? low - size : low;
  return (sampler & ADDRESS_MASK) == CLK_ADDRESS_REPEAT ? low : i;
}

INLINE int nearest_index(float s, uint n, uint sampler, __private bool *inside) {
  float size = (float)n, i = floor_of(unnormalized(s, size, sampler));
  return index_of(wrapped(i, size, sampler), size - 1.0f, sampler, inside);
}

/* Both neighbours and the weight of the second. */
struct pair {
  int at[2];
  bool inside[2];
  float weight;
};

INLINE struct pair linear_pair(float s, uint n, uint sampler) {
  struct pair p;
  float size = (float)n, u = unnormalized(s, size, sampler) - 0.5f, i = floor_of(u);
  p.weight = u - i;
  p.inside[0] = p.inside[1] = true;
  p.at[0] = index_of(wrapped(i, size, sampler), size - 1.0f, sampler, &p.inside[0]);
  p.at[1] = index_of(wrapped(i + 1.0f, size, sampler), size - 1.0f, sampler, &p.inside[1]);
  return p;
}

/* ---- whole coordinates ---- */

/* The start of what the layer holds. */
#define LAYER(C) (d->data + (array ? layer_offset(d, dims, layer_of(dims == 1 ? (C).y : (C).z, d->array_size)) : 0))

INLINE uint4 nearest_bits(desc d, uint sampler, int dims, bool array, float4 c) {
  bool inside = true;
  int x = nearest_index(c.x, d->width, sampler, &inside), y = 0, z = 0;
  if (dims > 1) y = nearest_index(c.y, d->height, sampler, &inside);
  if (dims > 2) z = nearest_index(c.z, d->depth, sampler, &inside);
  return load_bits(d, LAYER(c) + row_offset(d, dims, y, z), x, inside);
}

/* Integer coordinates: never normalized, never filtered. */
INLINE uint4 nearest_bits(desc d, uint sampler, int dims, bool array, int4 c) {
  bool inside = true;
  int x = index_of(c.x, d->width, sampler, &inside), y = 0, z = 0;
  if (dims > 1) y = index_of(c.y, d->height, sampler, &inside);
  if (dims > 2) z = index_of(c.z, d->depth, sampler, &inside);
  return load_bits(d, LAYER(c) + row_offset(d, dims, y, z), x, inside);
}

/* One element after the other, so that the code is there once: 2, 4 or 8 of them. */
INLINE float4 linear_value(desc d, uint sampler, int dims, bool array, float4 c) {
  struct pair x = linear_pair(c.x, d->width, sampler), y = x, z = x;
  if (dims > 1) y = linear_pair(c.y, d->height, sampler);
  if (dims > 2) z = linear_pair(c.z, d->depth, sampler);
  bytes base = LAYER(c);
  float4 sum = 0.0f;
  for (int n = 0; n < 1 << dims; n++) {
    bool right = n & 1, low = n & 2, deep = n & 4;
    bool inside = right ? x.inside[1] : x.inside[0];
    float weight = right ? x.weight : 1.0f - x.weight;
    if (dims > 1) inside &= low ? y.inside[1] : y.inside[0], weight *= low ? y.weight : 1.0f - y.weight;
    if (dims > 2) inside &= deep ? z.inside[1] : z.inside[0], weight *= deep ? z.weight : 1.0f - z.weight;
    bytes row = base + row_offset(d, dims, low ? y.at[1] : y.at[0], deep ? z.at[1] : z.at[0]);
    sum += weight * value_of(d, load_bits(d, row, right ? x.at[1] : x.at[0], inside));
  }
  return sum;
}

INLINE float4 sample(desc d, uint sampler, int dims, bool array, float4 c) {
  if (sampler & CLK_FILTER_LINEAR) return linear_value(d, sampler, dims, array, c);
  return value_of(d, nearest_bits(d, sampler, dims, array, c));
}
INLINE float4 sample(desc d, uint sampler, int dims, bool array, int4 c) {
  return value_of(d, nearest_bits(d, sampler, dims, array, c));
}

#endif
