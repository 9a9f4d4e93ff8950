/* Rounding to half from float and double in each mode, on bits: the processor
 * stays in round-to-nearest. */
#ifndef KILN_BUILTINS_HALF_H
#define KILN_BUILTINS_HALF_H

#include "kiln.h"

INLINE ushort half_bits(half h) { return __builtin_astype(h, ushort); }
INLINE half half_from_bits(ushort b) { return __builtin_astype(b, half); }

/* Round to odd: truncated, with the last bit set when anything was cut off. Rounding that again, to fewer bits
 * in any mode, gives what one rounding would. */
INLINE float float_to_odd(double d) {
  float f = (float)d;
  double back = (double)f;
  uint b = __builtin_astype(f, uint);
  b = __builtin_fabs(back) > __builtin_fabs(d) ? b - 1 : b;
  b |= back != d;
  bool special = d != d || __builtin_fabs(d) == INFINITY;
  return special ? f : __builtin_astype(b, float);
}

/* From the nearest half, one step back where it went the wrong way. Magnitudes grow with the bits. */
INLINE half half_rte(float f) { return (half)f; }
INLINE half half_rtz(float f) {
  half h = (half)f;
  ushort b = half_bits(h);
  return half_from_bits(__builtin_fabsf((float)h) > __builtin_fabsf(f) ? (ushort)(b - 1) : b);
}
INLINE half half_rtp(float f) {
  half h = (half)f;
  ushort b = half_bits(h);
  ushort up = (ushort)(b & 0x8000 ? b - 1 : b + 1);
  return half_from_bits((float)h < f ? up : b);
}
INLINE half half_rtn(float f) {
  half h = (half)f;
  ushort b = half_bits(h);
  ushort down = (ushort)(b & 0x8000 ? b + 1 : b - 1);
  return half_from_bits((float)h > f ? down : b);
}

INLINE half half_rte(double d) { return (half)d; }
INLINE half half_rtz(double d) { return half_rtz(float_to_odd(d)); }
INLINE half half_rtp(double d) { return half_rtp(float_to_odd(d)); }
INLINE half half_rtn(double d) { return half_rtn(float_to_odd(d)); }

#endif
