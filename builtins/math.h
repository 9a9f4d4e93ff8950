/* Parts that several math functions share. Everything is branch-free.
 *
 * Polynomials: minimax (Remez) in multiple precision for the interval and the
 * weight that the comment names, then rounded to the type. */
#ifndef KILN_BUILTINS_MATH_H
#define KILN_BUILTINS_MATH_H

#include "kiln.h"

/* Horner's rule, the highest coefficient last. */
#define POLY1(x, a, b) term_of(b, x, a)
#define POLY2(x, a, b, c) term_of(POLY1(x, b, c), x, a)
#define POLY3(x, a, ...) term_of(POLY2(x, __VA_ARGS__), x, a)
#define POLY4(x, a, ...) term_of(POLY3(x, __VA_ARGS__), x, a)
#define POLY5(x, a, ...) term_of(POLY4(x, __VA_ARGS__), x, a)
#define POLY6(x, a, ...) term_of(POLY5(x, __VA_ARGS__), x, a)
#define POLY7(x, a, ...) term_of(POLY6(x, __VA_ARGS__), x, a)
#define POLY8(x, a, ...) term_of(POLY7(x, __VA_ARGS__), x, a)
#define POLY9(x, a, ...) term_of(POLY8(x, __VA_ARGS__), x, a)
#define POLY10(x, a, ...) term_of(POLY9(x, __VA_ARGS__), x, a)
#define POLY11(x, a, ...) term_of(POLY10(x, __VA_ARGS__), x, a)
#define POLY12(x, a, ...) term_of(POLY11(x, __VA_ARGS__), x, a)
#define POLY13(x, a, ...) term_of(POLY12(x, __VA_ARGS__), x, a)
#define POLY14(x, a, ...) term_of(POLY13(x, __VA_ARGS__), x, a)
#define POLY15(x, a, ...) term_of(POLY14(x, __VA_ARGS__), x, a)
#define POLY16(x, a, ...) term_of(POLY15(x, __VA_ARGS__), x, a)
#define POLY17(x, a, ...) term_of(POLY16(x, __VA_ARGS__), x, a)
#define POLY18(x, a, ...) term_of(POLY17(x, __VA_ARGS__), x, a)

/* The same as two chains, z = x^2: what has one polynomial after the other waits half as long. */
#define CHAINS10(x, z, a, b, c, d, e, f, g, h, i, j, k) \
  term_of(POLY4(z, b, d, f, h, j), x, POLY5(z, a, c, e, g, i, k))
#define CHAINS12(x, z, a, b, c, d, e, f, g, h, i, j, k, l, m) \
  term_of(POLY5(z, b, d, f, h, j, l), x, POLY6(z, a, c, e, g, i, k, m))
#define CHAINS16(x, z, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q) \
  term_of(POLY7(z, b, d, f, h, j, l, n, p), x, POLY8(z, a, c, e, g, i, k, m, o, q))
#define CHAINS20(x, z, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u) \
  term_of(POLY9(z, b, d, f, h, j, l, n, p, r, t), x, POLY10(z, a, c, e, g, i, k, m, o, q, s, u))

/* Constants as sums of shrinking parts. */
#define LN2_HI_F 0x1.62e42ep-1f /* both parts positive: products with an infinite exponent agree */
#define LN2_LO_F 0x1.efa39ep-25f
/* 16 bits, so that products with exponents are exact, and the rest. */
#define LN2_SHORT_F 0x1.62e4p-1f
#define LN2_REST_F 0x1.7f7d1cp-20f
#define LOG10_2_SHORT_F 0x1.3441p-2f
#define LOG10_2_REST_F 0x1.a84fbcp-21f
#define PI_HI_F 0x1.921fb6p+1f
#define PI_LO_F -0x1.777a5cp-24f
#define PIO2_HI_F 0x1.921fb6p+0f
#define PIO2_LO_F -0x1.777a5cp-25f
#define PIO2_LO2_F -0x1.ee59dap-50f
#define LOG2E_HI_F 0x1.715476p+0f
#define LOG2E_LO_F 0x1.4ae0cp-26f
#define LOG10E_HI_F 0x1.bcb7b2p-2f
#define LOG10E_LO_F -0x1.5b235ep-27f
#define INVPI_HI_F 0x1.45f306p-2f
#define INVPI_LO_F 0x1.b9391p-27f

/* ---- the larger and the smaller; the other one where one is NaN ---- */

/* Not every target has those of two halfs, so they are compared; with a constant for y one comparison is left. */
INLINE float most(float x, float y) { return max_of(x, y); }
INLINE double most(double x, double y) { return max_of(x, y); }
INLINE half most(half x, half y) { return (x > y) | (y != y) ? x : y; }
INLINE float least(float x, float y) { return min_of(x, y); }
INLINE double least(double x, double y) { return min_of(x, y); }
INLINE half least(half x, half y) { return (x < y) | (y != y) ? x : y; }

/* ---- what some processors have as one instruction ---- */

/* Constant by the time a kernel is lowered; all but the look-ups is only there when the first is true. */
#define PURE __attribute__((const))
PURE bool __kiln_avx512(void);
PURE bool __kiln_fused(void); /* fma is one instruction */
PURE float __kiln_scalef_f(float p, float n); /* p 2^floor(n), rounded once */
PURE double __kiln_scalef_d(double p, double n);
/* |x| = 2^e m, 0.75 <= m < 1.5 (after the second e where m < 1). Exponents of 0 and infinity are -inf and inf,
 * with m = 1; m of negative numbers is NaN. */
PURE float __kiln_getexp_f(float x);
PURE double __kiln_getexp_d(double x);
PURE float __kiln_getmant_f(float x);
PURE double __kiln_getmant_d(double x);
PURE float __kiln_rcp14_f(float x); /* 1/x to 2^-14 */
PURE double __kiln_rcp14_d(double x);
PURE float __kiln_rsqrt14_f(float x);
PURE double __kiln_rsqrt14_d(double x); /* 1/sqrt x to 2^-14 */
PURE float __kiln_reduce_f(float x);    /* x - rint(x); 0 for infinities */
/* Number i modulo 16 of the constants that follow it: one instruction, or a load from a table. */
PURE float __kiln_look_up_f(int i, float, float, float, float, float, float, float, float, float, float, float,
                            float, float, float, float, float);
PURE double __kiln_look_up_d(ulong i, double, double, double, double, double, double, double, double, double, double,
                             double, double, double, double, double, double);

/* ---- products in two parts ----
 * Without fma the error of a float's product is known in double, that of a double's by halves (Dekker, Numerische
 * Mathematik 18, 1971); neither factor nor product is near the ends of the range. */

/* The upper 26 bits (Veltkamp). */
INLINE double upper_half(double x) {
  double t = x * 0x1.0000002p+27;
  return t - (t - x);
}

INLINE double product_exact(double a, double b, __private double *low) {
  double p = a * b;
  if (__kiln_fused()) {
    *low = fma_of(a, b, -p);
  } else {
    double ah = upper_half(a), al = a - ah, bh = upper_half(b), bl = b - bh;
    *low = term_of(al, bl, term_of(al, bh, term_of(ah, bl, term_of(ah, bh, -p))));
  }
  return p;
}

/* x y + z, all of the product's bits in it; |z| is not larger than |x y|. */
INLINE float term_precise(float x, float y, float z) {
  return __kiln_fused() ? fma_of(x, y, z) : (float)((double)x * (double)y + (double)z);
}

INLINE double term_precise(double x, double y, double z) {
  if (__kiln_fused()) return fma_of(x, y, z);
  double low, p = product_exact(x, y, &low);
  return p + (low + z);
}

/* z - x y, which nearly cancel or of which x y is 0: -0 stays. */
INLINE float rest_of(float z, float x, float y) {
  return __kiln_fused() ? fma_of(-x, y, z) : (float)((double)z - (double)x * (double)y);
}

INLINE double rest_of(double z, double x, double y) {
  if (__kiln_fused()) return fma_of(-x, y, z);
  double low, p = product_exact(x, y, &low);
  return (z - p) - low;
}

/* z - t (a + b + c), the parts shrinking; likewise, and where only z - t a nearly cancels. */
INLINE float rest_of_parts(float z, float t, float a, float b, float c) {
  if (__kiln_fused()) return term_of(t, -c, fma_of(t, -b, fma_of(t, -a, z)));
  return (float)(((double)z - (double)t * (double)a) - (double)t * ((double)b + (double)c));
}

INLINE double rest_of_parts(double z, double t, double a, double b, double c) {
  double r = rest_of(z, t, a);
  if (__kiln_fused()) return term_of(t, -c, fma_of(t, -b, r));
  double low, p = product_exact(t, b, &low);
  return (r - p) - term_of(t, c, low);
}

/* ---- float ---- */

/* 2^n for a normal result. */
INLINE float pow2_float(int n) { return as_float((n + 127) << 23); }

/* x to the nearest integer, |x| < 2^22, without a conversion that NaN would make undefined: NaN gives NaN and
 * any *n. */
INLINE float nearest(float x, __private int *n) {
  float t = x + 0x1.8p+23f;
  *n = as_int(t) - 0x4b400000;
  return t - 0x1.8p+23f;
}

/* The integer nearest to x c, likewise. */
INLINE float nearest_of(float x, float c, __private int *n) {
  float t = term_of(x, c, 0x1.8p+23f);
  *n = as_int(t) - 0x4b400000;
  return t - 0x1.8p+23f;
}

/* p 2^n for 1/2 < p < 2 and -280 <= n <= 250, rounded once; t is n as float. What vanishes is made of 0:
 * processors take a hundred turns and more for a result that underflows. */
INLINE float scale(float p, float t, int n) {
  p = t < -150.0f ? 0.0f : p;
  if (__kiln_avx512()) return __kiln_scalef_f(p, t);
  int half_way = n >> 1;
  return p * pow2_float(half_way) * pow2_float(n - half_way);
}

/* e^r for |r| <= ln2/2: 1 + r + r^2 q(r); q minimax relative, 2^-28. */
INLINE float exp_near_zero(float r) {
  float q = POLY4(r, 0x1.fffffcp-2f, 0x1.55549p-3f, 0x1.5558f4p-5f, 0x1.123a6cp-7f, 0x1.6a2352p-10f);
  return 1.0f + term_of(r * r, q, r);
}

/* e^x 2^k, -110 <= x <= 100 or NaN, small k. */
INLINE float exp_scaled(float x, int k) {
  int n;
  float t = nearest_of(x, LOG2E_HI_F, &n);
  float r = term_of(t, -LN2_REST_F, term_of(t, -LN2_SHORT_F, x)); /* the first is exact */
  return scale(exp_near_zero(r), k == 0 ? t : t + (float)k, n + k);
}

/* x = 2^e m, 3/4 <= m < 3/2, for x > 0; elsewhere the logarithm's value follows from e and m where there is
 * AVX-512. */
INLINE float split_mantissa(float x, __private float *m) {
  if (__kiln_avx512()) {
    *m = __kiln_getmant_f(x);
    return __kiln_getexp_f(x) - __kiln_getexp_f(*m);
  }
  bool tiny = x < 0x1p-126f;
  int b = as_int(tiny ? x * 0x1p+24f : x) - 0x3f400000;
  *m = as_float((b & 0x007fffff) + 0x3f400000);
  return (float)(b >> 23) - (tiny ? 24.0f : 0.0f);
}

/* x = 2^e (1 + f), likewise. */
INLINE float split_float(float x, __private float *f) {
  float m, e = split_mantissa(x, &m);
  *f = m - 1.0f;
  return e;
}

/* ln(1 + f) - f for -1/4 <= f <= 1/2: -f^2/2 + f^3 P(f); P minimax relative to the logarithm, 2^-24.6. */
INLINE float log_tail(float f) {
  float p = POLY6(f, 0x1.5555b2p-2f, -0x1.ffececp-3f, 0x1.993ce8p-3f, -0x1.57d5cp-3f, 0x1.313e34p-3f,
                  -0x1.f031fap-4f, 0x1.c773f8p-5f);
  return f * f * term_of(f, p, -0.5f);
}

/* What a logarithm of x gives where r was computed from split_float(x). */
INLINE float log_special(float x, float r) {
  if (__kiln_avx512()) return r; /* e and m have brought it along */
  float s = x < 0.0f ? NAN : x;  /* +inf and NaN stay */
  s = x == 0.0f ? -INFINITY : s;
  return x > 0.0f && x < INFINITY ? r : s;
}

/* a/b to a unit of the last place or so, where neither 1/b nor the quotient is at the ends of the range. */
INLINE float quotient(float a, float b) {
  if (!__kiln_avx512()) return a / b;
  float y = __kiln_rcp14_f(b), q = a * y;
  return fma_of(q, fma_of(-b, y, 1.0f), q);
}

/* 1/sqrt x to a unit of the last place or so, for normal x. */
INLINE float one_over_root(float x) {
  if (!__kiln_avx512()) return 1.0f / sqrt_of(x);
  float y = __kiln_rsqrt14_f(x), e = fma_of(-(x * y), y, 1.0f);
  return fma_of(y * e, 0.5f, y);
}

/* 2^-e for an integral e, |e| < 126 where it is used. */
INLINE float pow2_negative(float e, bool used) {
  return __kiln_avx512() ? __kiln_scalef_f(1.0f, -e) : pow2_float(used ? -(int)e : 0);
}

/* ---- double, as precise as float functions need ---- */

INLINE double pow2_double(int n) { return as_double((ulong)(long)(n + 1023) << 52); }

INLINE double nearest(double x, __private int *n) {
  double t = x + 0x1.8p+52;
  *n = (int)as_long(t);
  return t - 0x1.8p+52;
}

/* 2^t for a normal result and an integral t, without integers of another size. */
INLINE double pow2_of(double t) { return as_double(as_ulong(t + 0x1.80000000003ffp+52) << 52); }

/* x's bits and this: m, 0.75 <= m < 1.5, in the low 52, the exponent that goes with it and 1024 above them. */
#define EXPONENT_TO_1024 0x0018000000000000ul
INLINE double exponent_of(ulong b) { return as_double(b >> 52 | 0x4330000000000000) - 0x1.00000000004p+52; }

/* 1/b to 2^-42, where neither end of the range is near. */
INLINE double reciprocal_medium(double b) {
  if (!__kiln_avx512()) return 1.0 / b;
  double y = __kiln_rcp14_d(b), e = fma_of(-b, y, 1.0);
  return fma_of(y, fma_of(e, e, e), y);
}

/* log2 of a positive normal a to 2^-41 relative: atanh series in s = (m - 1)/(m + 1), minimax. */
INLINE double log2_medium(double a) {
  ulong b = as_ulong(a) + 0x00195f619980c433; /* as EXPONENT_TO_1024, for sqrt(1/2) <= m < sqrt(2) */
  double m = as_double((b & 0x000fffffffffffff) + 0x3fe6a09e667f3bcd);
  double s = (m - 1.0) * reciprocal_medium(m + 1.0), z = s * s;
  double p = POLY5(z, 0x1.71547652b824fp+1, 0x1.ec709dc540bf4p-1, 0x1.2776c28e1f5ffp-1, 0x1.a61a32f8d621cp-2,
                   0x1.4794a5255c844p-2, 0x1.21bb16d44fff7p-2);
  return term_of(s, p, exponent_of(b));
}

/* 2^t to 2^-29 relative, minimax, for |t| < 1000 or NaN. */
INLINE double exp2_medium(double t) {
  int n;
  double whole = nearest(t, &n), r = t - whole;
  double p = POLY6(r, 0x1.ffffffff4b39p-1, 0x1.62e430d30d3e6p-1, 0x1.ebfbe1117f0d2p-3, 0x1.c6aec8a84a865p-5,
                   0x1.3b2993a6e7a95p-7, 0x1.5f4a9b12842bcp-10, 0x1.449a9670a0eafp-13);
  return __kiln_avx512() ? __kiln_scalef_d(p, whole) : p * pow2_of(whole);
}

#endif
