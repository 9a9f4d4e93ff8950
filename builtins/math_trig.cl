/* Trigonometric functions of float.
 *
 * x = q pi/2 + r, |r| <= pi/4, with pi/2 in three parts while
 * |x| < 2^17 (Cody and Waite): the first difference is exact, the rest is off
 * by 2^-58 at most, and no float is nearer to a multiple of pi/2 than 2^-30.
 * Beyond, a cold function multiplies by the bits of 2/pi that matter (Payne
 * and Hanek) in integers. */
#include "math.h"

/* The bits of 2/pi from one word before the point on. */
__constant uint two_over_pi[8] = {0,          0xa2f9836e, 0x4e441529, 0xfc2757d1,
                                  0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab};

/* 32 bits of two_over_pi from bit `shift` of word i on. */
INLINE uint bits_at(int i, uint shift) {
  ulong two = (ulong)two_over_pi[i] << 32 | two_over_pi[i + 1];
  return (uint)(two >> (32 - shift));
}

/* Low word: r as bits; high word: q. For |x| >= 2^17; infinities and NaN give NaN. */
COLD ulong __kiln_trig_large(float x) {
  uint b = as_uint(x);
  int e = (int)(b >> 23 & 0xff) - 150; /* |x| = m 2^e, -10 < e <= 104 */
  uint m = (b & 0x007fffff) | 0x00800000;
  bool special = e > 104;
  e = special ? 0 : e;
  /* x 2/pi modulo 4 with 62 bits behind the point: the bits of 2/pi worth 2^(1-e) and less. */
  uint start = (uint)(e + 30), i = start >> 5, shift = start & 31;
  ulong p = (ulong)m * bits_at((int)i + 1, shift) + ((ulong)m * bits_at((int)i + 2, shift) >> 32);
  p += (ulong)(m * bits_at((int)i, shift)) << 32;
  long fraction = (long)(p << 2);
  int q = (int)(p >> 62) + (fraction < 0);
  float r = (float)((double)fraction * 0x1.921fb54442d18p-64);
  bool negative = b >> 31;
  r = special ? NAN : negative ? -r : r;
  return (ulong)(uint)(negative ? -q : q) << 32 | as_uint(r);
}

INLINE float reduce(float x, __private int *q) {
  float t = nearest_of(x, 0x1.45f306p-1f, q);
  float r = rest_of_parts(x, t, PIO2_HI_F, PIO2_LO_F, PIO2_LO2_F);
  if (unlikely(!(fabs_of(x) < 0x1p+17f))) {
    ulong large = __kiln_trig_large(x);
    r = as_float((uint)large);
    *q = (int)(large >> 32);
  }
  return r;
}

/* On |r| <= pi/4, minimax: sine relative 2^-27.9, cosine 2^-33. */
INLINE float sin_near_zero(float r) {
  float z = r * r;
  float p = POLY2(z, -0x1.555546p-3f, 0x1.110778p-7f, -0x1.9953f6p-13f);
  return term_of(r * z, p, r);
}

INLINE float cos_near_zero(float r) {
  float z = r * r;
  float p = POLY2(z, 0x1.55554ap-5f, -0x1.6c0c28p-10f, 0x1.99e80cp-16f);
  return term_of(z * z, p, term_of(z, -0.5f, 1.0f));
}

/* One of the two: the coefficients are chosen, not the results. */
INLINE float sin_or_cos_near_zero(float r, bool cosine) {
  float z = r * r;
  float p = POLY2(z, cosine ? 0x1.55554ap-5f : -0x1.555546p-3f, cosine ? -0x1.6c0c28p-10f : 0x1.110778p-7f,
                  cosine ? 0x1.99e80cp-16f : -0x1.9953f6p-13f);
  return term_of((cosine ? z : r) * z, p, cosine ? term_of(z, -0.5f, 1.0f) : r);
}

INLINE float negate_if(float x, int bit) { return as_float(as_int(x) ^ (bit ? (int)0x80000000 : 0)); }

/* sin of q pi/2 + r from sin r and cos r. */
INLINE float turn(float s, float c, int q) { return negate_if(q & 1 ? c : s, q & 2); }

/* Like __kiln_trig_large in half turns: x = n pi + r, |r| <= pi/2. */
COLD ulong __kiln_sin_large(float x) {
  ulong large = __kiln_trig_large(x);
  float r = as_float((uint)large);
  int q = (int)(large >> 32);
  bool odd = q & 1;
  q += odd ? (r > 0.0f ? 1 : -1) : 0;
  r -= odd ? copysign_of(PIO2_HI_F, r) : 0.0f;
  return (ulong)(uint)(q >> 1) << 32 | as_uint(r);
}

/* sin(n pi + r), |r| <= pi/2, but for the sign: half turns make do with one polynomial. Minimax relative to
 * sin, 2^-27.3. */
INLINE float sine_of_rest(float r) {
  float z = r * r;
  float p = POLY3(z, -0x1.55554cp-3f, 0x1.110edap-7f, -0x1.9f70eep-13f, 0x1.5dc8c4p-19f);
  return term_of(r * z, p, r);
}

/* x = n pi + r with pi in three parts, all positive so that -0 stays. */
OVER float sin(float x) {
  int n;
  float t = nearest_of(x, INVPI_HI_F, &n);
  float r = rest_of_parts(x, t, 0x1.921fb4p+1f, 0x1.4442dp-23f, 0x1.84698ap-47f);
  if (unlikely(!(fabs_of(x) < 0x1p+17f))) {
    ulong large = __kiln_sin_large(x);
    r = as_float((uint)large);
    n = (int)(large >> 32);
  }
  return copysign_of(sine_of_rest(r), negate_if(r, n & 1));
}

OVER float cos(float x) {
  int q;
  float r = reduce(x, &q);
  return negate_if(sin_or_cos_near_zero(r, !(q & 1)), (q + 1) & 2);
}

#define SINCOS(SPACE)                                                                              \
  OVER float sincos(float x, SPACE float *cosine) {                                                \
    int q;                                                                                         \
    float r = reduce(x, &q), s = sin_near_zero(r), c = cos_near_zero(r);                     \
    float y = turn(s, c, q);                                                                       \
    *cosine = turn(s, c, q + 1);                                                                   \
    return fabs_of(x) < 0x1p-13f ? x : y;                                                          \
  }
FOR_SPACES(SINCOS)

/* tan(q pi/2 + r) as n/d, both even polynomials but for r; minimax relative, 2^-35, |r| <= pi/4. */
INLINE float tan_of_rest(float r, int q) {
  float z = r * r;
  float n = r * POLY2(z, 1.0f, -0x1.c81c7p-4f, 0x1.19bb92p-10f);
  float d = POLY2(z, 1.0f, -0x1.c75c72p-2f, 0x1.05aadp-6f);
  return quotient(q & 1 ? -d : n, q & 1 ? n : d);
}

/* The parts of pi/2 are positive so that -0 stays. */
OVER float tan(float x) {
  int q;
  float t = nearest_of(x, 0x1.45f306p-1f, &q);
  float r = rest_of_parts(x, t, 0x1.921fb4p+0f, 0x1.4442dp-24f, 0x1.84698ap-48f);
  if (unlikely(!(fabs_of(x) < 0x1p+17f))) {
    ulong large = __kiln_trig_large(x);
    r = as_float((uint)large);
    q = (int)(large >> 32);
  }
  return tan_of_rest(r, q);
}

/* ---- of pi x: the reduction is exact ---- */

/* x modulo 2, from -1 to 1; exact. */
INLINE float half_turns(float x) { return term_of(-2.0f, rint_of(0.5f * x), x); }

/* sin(pi r) for |r| <= 1/2; minimax relative, 2^-27; the first coefficient, near pi, in two parts. */
INLINE float sinpi_near_zero(float r) {
  float p = POLY4(r * r, -0x1.bf2e0ap-24f, -0x1.4abbc2p+2f, 0x1.4668bp+1f, -0x1.324ccap-1f, 0x1.3daff6p-4f);
  return term_precise(r, PI_HI_F, r * p);
}

OVER float sinpi(float x) {
  float u = half_turns(x), y = sinpi_near_zero(fabs_of(u) > 0.5f ? copysign_of(1.0f, u) - u : u);
  return y == 0.0f ? copysign_of(0.0f, x) : y;
}

OVER float cospi(float x) { return sinpi_near_zero(0.5f - fabs_of(half_turns(x))) + 0.0f; }

/* x modulo 2 = q/2 + r/pi, |r| <= pi/4. Zeros at integers take the sign of x, turned at odd ones; poles at n + 1/2
 * are +inf for even n. */
OVER float tanpi(float x) {
  int q;
  float u = half_turns(x), r = term_of(nearest(u + u, &q), -0.5f, u) * PI_HI_F;
  float at_zero = q & 1 ? negate_if(INFINITY, q & 2) : negate_if(copysign_of(0.0f, x), q & 2);
  return r == 0.0f ? at_zero : tan_of_rest(r, q);
}

/* ---- half_ ---- */

OVER float half_sin(float x) { return sin(x); }
OVER float half_cos(float x) { return cos(x); }
OVER float half_tan(float x) { return tan(x); }
