/* Owns conversions of half precision numbers without the processor's help. */
#include "base/half.h"

#include <string.h>

float kiln_half_to_float(uint16_t half) {
  uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = (half >> 10) & 31, fraction = half & 1023, bits;
  if (exponent == 31) bits = sign | 0x7f800000 | fraction << 13 | (fraction != 0 ? 0x400000 : 0);
  else if (exponent != 0) bits = sign | (exponent + 112) << 23 | fraction << 13;
  else {
    float value = (float)fraction * 0x1p-24f;
    memcpy(&bits, &value, sizeof bits);
    bits |= sign;
  }
  float result;
  memcpy(&result, &bits, sizeof result);
  return result;
}

uint16_t kiln_half_from_double(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  uint16_t sign = (uint16_t)(bits >> 48 & 0x8000);
  uint64_t fraction = bits & 0xfffffffffffff;
  int exponent = (int)(bits >> 52 & 2047) - 1023;
  if (exponent == 1024) return sign | 0x7c00 | (fraction != 0 ? 0x200 | (uint16_t)(fraction >> 42) : 0);
  if (exponent < -25) return sign; /* includes zero */
  uint64_t significand = fraction | (uint64_t)1 << 52;
  int drop = exponent < -14 ? 42 + (-14 - exponent) : 42;
  uint64_t kept = significand >> drop, rest = significand & (((uint64_t)1 << drop) - 1);
  uint64_t middle = (uint64_t)1 << (drop - 1);
  kept += rest > middle || (rest == middle && (kept & 1));
  uint64_t result = exponent < -14 ? kept : ((uint64_t)(exponent + 14) << 10) + kept;
  return sign | (uint16_t)(result >= 0x7c00 ? 0x7c00 : result);
}
