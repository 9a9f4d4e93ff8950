/* Parts that several double functions share. Branch-free, like math.h. */
#ifndef KILN_BUILTINS_MATH_D_H
#define KILN_BUILTINS_MATH_D_H

#include "math.h"

#define LN2_HI 0x1.62e42fefa39efp-1
#define LN2_LO 0x1.abc9e3b39803fp-56
/* 40 bits, so that products with exponents are exact, and the rest. */
#define LN2_SHORT 0x1.62e42fefa2p-1
#define LN2_REST 0x1.9ef35793c7673p-41
#define LOG10_2_SHORT 0x1.34413509f4p-2
#define LOG10_2_REST 0x1.cff7988f8959bp-41
#define LOG2E_HI 0x1.71547652b82fep+0
#define LOG2E_LO 0x1.777d0ffda0d24p-56
#define LOG10E_HI 0x1.bcb7b1526e50ep-2
#define LOG10E_LO 0x1.95355baaafad3p-57
#define LOG10_2_HI 0x1.34413509f79fep-2 /* both parts positive, see LN2_HI_F */
#define LOG10_2_LO 0x1.e623e2566b02ep-55
#define PI_HI 0x1.921fb54442d18p+1
#define PI_LO 0x1.1a62633145c07p-53
#define PIO2_HI 0x1.921fb54442d18p+0
#define PIO2_LO 0x1.1a62633145c07p-54
#define INVPI_HI 0x1.45f306dc9c883p-2
#define INVPI_LO -0x1.6b01ec5417056p-56

/* ---- pairs: an unevaluated sum of a double and a smaller one ---- */

INLINE double sum_exact(double a, double b, __private double *low) { /* |a| >= |b| or a == 0 */
  double s = a + b;
  *low = b - (s - a);
  return s;
}

/* The integer nearest to x c, |x c| < 2^30; NaN gives NaN and any *n. */
INLINE double nearest_of(double x, double c, __private int *n) {
  double t = term_of(x, c, 0x1.8p+52);
  *n = (int)as_long(t);
  return t - 0x1.8p+52;
}

/* p 2^t for 1/2 < p < 2 and an integral t, -2100 <= t <= 2040, rounded once; 0 as in math.h. */
INLINE double scale(double p, double t) {
  p = t < -1075.0 ? 0.0 : p;
  if (__kiln_avx512()) return __kiln_scalef_d(p, t);
  int n;
  double half_way = nearest(0.5 * t, &n), rest = t - half_way;
  return p * pow2_of(half_way) * pow2_of(rest);
}

INLINE double clamp_to(double x, double lo, double hi) {
  x = x < lo ? lo : x;
  return x > hi ? hi : x;
}

INLINE double negate_if(double x, int bit) {
  return as_double(as_ulong(x) ^ (bit ? 0x8000000000000000u : 0));
}

/* e^(r + low) for |r| <= ln2/2: minimax relative to r^2, 2^-58; two chains, as all that calls it is one. */
INLINE double exp_near_zero(double r, double low) {
  double z = r * r;
  double even = POLY4(z, 0x1.000000000000ap-1, 0x1.555555555087cp-5, 0x1.6c16c1842a198p-10, 0x1.a0199a0c53efap-16,
                      0x1.28ad72dd1dd64p-22);
  double odd = POLY4(z, 0x1.55555555554fap-3, 0x1.1111111127be6p-7, 0x1.a01a012a57713p-13, 0x1.71df2552a3075p-19,
                     0x1.ad7f6e8eaa133p-26);
  return 1.0 + (r + term_of(z, term_of(odd, r, even), low));
}

/* e^(x + low) 2^k for -800 <= x <= 800 or NaN and small k; low is small beside 1. */
INLINE double exp_scaled(double x, double low, int k) {
  int n;
  double t = nearest_of(x, LOG2E_HI, &n);
  double r = term_of(t, -LN2_REST, term_of(t, -LN2_SHORT, x) + low); /* the product and the difference are exact */
  return scale(exp_near_zero(r, 0.0), k == 0 ? t : t + (double)k);
}

/* x = 2^e m, 3/4 <= m < 3/2, for x > 0; elsewhere the logarithm's value follows from e and m where there is
 * AVX-512. */
INLINE double split_mantissa(double x, __private double *m) {
  if (__kiln_avx512()) {
    *m = __kiln_getmant_d(x);
    return __kiln_getexp_d(x) - __kiln_getexp_d(*m);
  }
  bool tiny = x < 0x1p-1022;
  ulong b = as_ulong(tiny ? x * 0x1p+54 : x) + EXPONENT_TO_1024;
  *m = as_double((b & 0x000fffffffffffff) + 0x3fe8000000000000);
  return exponent_of(b) - (tiny ? 54.0 : 0.0);
}

/* x = 2^e (1 + f), likewise. */
INLINE double split_any(double x, __private double *f) {
  double m, e = split_mantissa(__kiln_avx512() ? x + 0.0 : x, &m); /* of -0 the mantissa would be -1 */
  *f = m - 1.0;
  return e;
}

/* 1/b to 2^-53 or so, where neither end of the range is near. */
INLINE double reciprocal(double b) {
  if (!__kiln_avx512()) return 1.0 / b;
  double y = __kiln_rcp14_d(b), e = fma_of(-b, y, 1.0);
  return fma_of(y, fma_of(e, fma_of(e, e, e), e), y); /* y (1 + e + e^2 + e^3 + ...) */
}

/* a/b to a unit of the last place or so, likewise. */
INLINE double quotient(double a, double b) { return __kiln_avx512() ? a * reciprocal(b) : a / b; }

/* sqrt s to a unit of the last place or so, where s is neither 0 nor near the ends of the range: Goldschmidt's steps
 * from 2^-14. */
INLINE double sqrt_quick(double s) {
  if (!__kiln_avx512()) return sqrt_of(s);
  double y = __kiln_rsqrt14_d(s), r = s * y, h = 0.5 * y;
  double e = fma_of(-r, h, 0.5);
  r = fma_of(r, e, r);
  h = fma_of(h, e, h);
  return fma_of(fma_of(-r, r, s), h, r);
}

/* 2^-e for an integral e, |e| < 1022 where it is used. */
INLINE double pow2_negative(double e, bool used) {
  return __kiln_avx512() ? __kiln_scalef_d(1.0, -e) : pow2_of(used ? -e : 0.0);
}

/* ln(1 + f) - f for -1/4 <= f <= 1/2 by s = f/(2 + f): with h = f^2/2 it is s (h + R) - h, R = z P(z), z = s^2;
 * P minimax relative to the logarithm, 2^-56. */
INLINE double log_tail(double f) {
  double s = quotient(f, 2.0 + f), z = s * s, h = 0.5 * f * f;
  double p = POLY6(z, 0x1.5555555555773p-1, 0x1.99999998f1753p-2, 0x1.249249b1afe8fp-2, 0x1.c71c01a7c2f9dp-3,
                   0x1.7474d8b0c608fp-3, 0x1.3853936473f16p-3, 0x1.3ab8c1ba8fc15p-3);
  return term_of(s, term_of(z, p, h), -h);
}

/* What a logarithm of x gives where r was computed from split_any(x). */
INLINE double log_special(double x, double r) {
  if (__kiln_avx512()) return r;
  double s = x < 0.0 ? NAN : x; /* +inf and NaN stay */
  s = x == 0.0 ? -INFINITY : s;
  return x > 0.0 && x < INFINITY ? r : s;
}

/* ln of a >= 0 to 2^-62 relative, as a pair: the atanh series in s = f/(2 + f), with s, z = s^2 and the term
 * 2/3 s z as pairs. Of 0, infinity and NaN low is anything. */
INLINE double log_pair(double x, __private double *low) {
  double f, e = split_any(x, &f);
  double dl, d = sum_exact(2.0, f, &dl), over = reciprocal(d);
  double s = f * over, s2 = s + s;
  double sl = term_of(-s, dl, rest_of(f, s, d)) * over;
  double zl, z = product_exact(s, s, &zl), z2 = z * z;
  zl = term_of(s2, sl, zl);
  /* after 2/3, minimax: 2^-62 of the sum */
  double even = POLY3(z2, 0x1.999999999a7bfp-2, 0x1.c71c73b43a4a6p-3, 0x1.3b30eb31c5f2ap-3, 0x1.19cbef72eb43p-3);
  double odd = POLY2(z2, 0x1.2492492313266p-2, 0x1.745c7672145b2p-3, 0x1.0e138d23a2dc4p-3);
  double ul, u = product_exact(z, 0x1.5555555555555p-1, &ul); /* 2/3 z */
  ul = term_of(z, 0x1.5555555555555p-55, term_of(zl, 0x1.5555555555555p-1, ul));
  ul = term_of(z2, term_of(odd, z, even), ul);
  double vl, v = product_exact(s, u, &vl);
  vl = term_of(s, ul, term_of(sl, u, vl));
  double al, a = sum_exact(s2, v, &al);
  al += term_of(sl, 2.0, vl);
  double bl, b = sum_exact(e * LN2_SHORT, a, &bl);
  double high = sum_exact(b, term_of(e, LN2_REST, al) + bl, low);
  if (__kiln_avx512()) return fabs_of(e) < INFINITY ? high : e;
  high = x == 0.0 ? -INFINITY : high;
  return x < INFINITY ? high : x;
}

/* |x|^y where t + low = y ln|x|; low does not count where t is beyond what gives neither 0 nor infinity. */
INLINE double power_of_log(double t, double low, int k) {
  low = fabs_of(t) < 800.0 ? low : 0.0;
  return exp_scaled(clamp_to(t, -800.0, 800.0), low, k);
}

#endif
