/* Powers and roots of double: y log2 x as a pair of doubles, then 2 to that, both by tables. */
#include "math_d.h"

/* m c - 1 where it is exact, as m c is near 1 and c has 20 bits at most. */
INLINE double less_one(double m, double c) {
  if (__kiln_fused()) return fma_of(m, c, -1.0);
  double upper = as_double(as_ulong(m) & ~0xffffful);
  return (upper * c - 1.0) + (m - upper) * c;
}

/* s + a b as a pair, |s| >= |a b| or s == 0. */
INLINE double add_product(double s, double a, double b, __private double *low) {
  if (__kiln_fused()) {
    double high = fma_of(a, b, s);
    *low = fma_of(a, b, s - high);
    return high;
  }
  double pl, p = product_exact(a, b, &pl), high = sum_exact(s, p, low);
  *low += pl;
  return high;
}

/* log2 of a >= 0 to 2^-61 relative, as float's log2_pair; r^2 is a pair, too. The polynomial that follows is minimax
 * relative to the sum, 2^-64; its constant is the lower part of -1/(2 ln 2). Of 0 and infinity low is anything. */
INLINE double log2_pair(double a, __private double *low) {
  double m, e = split_mantissa(a, &m);
  ulong i = as_ulong(m + 0x1.8p+48);
  double c = __kiln_look_up_d(i, 0x1p+0, 0x1.ep-1, 0x1.c8p-1, 0x1.bp-1, 0x1.98p-1, 0x1.88p-1, 0x1.7p-1, 0x1.6p-1,
                              0x1.58p-1, 0x0p+0, 0x0p+0, 0x0p+0, 0x1.5p+0, 0x1.4p+0, 0x1.2p+0, 0x1.1p+0);
  double t = __kiln_look_up_d(i, 0x0p+0, 0x1.7d60496cfcp-4, 0x1.563dc29ffap-3, 0x1.f5fd8a9064p-3, 0x1.4f6fbb2cecp-2,
                              0x1.8a8980abfcp-2, 0x1.e7df5fe539p-2, 0x1.14c560fe688p-1, 0x1.25c0a0463cp-1, 0x0p+0,
                              0x0p+0, 0x0p+0, -0x1.91bba891f1p-2, -0x1.49a784bcd2p-2, -0x1.5c01a39fbep-3,
                              -0x1.663f6fac9p-4);
  double tl = __kiln_look_up_d(i, 0x0p+0, -0x1.2ce6312ebb81dp-46, 0x1.964190e41bca7p-44, -0x1.cb6f70109b0f1p-47,
                               0x1.661e393a16b95p-44, -0x1.66cccab240e9p-45, -0x1.532c412ba94dbp-44,
                               0x1.7c407050799bfp-44, -0x1.50520a377c7ecp-45, 0x0p+0, 0x0p+0, 0x0p+0,
                               -0x1.c22d2cad415aep-44, 0x1.1d406db502403p-44, 0x1.2f0c0bfe9dbecp-44,
                               -0x1.3167ccc538261p-44);
  double r = less_one(m, c), zl, z = product_exact(r, r, &zl), low1, low2;
  double first = add_product(e + t, r, LOG2E_HI, &low1), high = add_product(first, z, -0.5 * LOG2E_HI, &low2);
  double rest = low1 + low2;
  rest += term_of(zl, -0.5 * LOG2E_HI, term_of(r, LOG2E_LO, tl));
  double even = POLY5(z, -0.5 * LOG2E_LO, -0x1.71547652b83p-2, -0x1.ec709dc39846cp-3, -0x1.7154769de2b61p-3,
                      -0x1.2775b69729e09p-3, -0x1.ef9b4a506a2a2p-4);
  double odd = POLY4(z, 0x1.ec709dc3a0407p-2, 0x1.2776c50eee951p-2, 0x1.a6176336604e8p-3, 0x1.484987c3eccb6p-3,
                     0x1.0e8948e591d99p-3);
  *low = term_of(z, term_of(r, odd, even), rest);
  if (__kiln_avx512()) return high; /* e has brought the ends along */
  high = a == 0.0 ? -INFINITY : high;
  return a < INFINITY ? high : a;
}

/* Results of pairs are for exponents within this; beyond and for NaN see exp2_limit. */
#define MOST_EXPONENT 1200.0
INLINE bool in_range(double t) { return fabs_of(t) < MOST_EXPONENT; }

/* 2^(t + low), |low| < 8: sixteenths of the exponent by table, as pairs, so that x^1 and small powers of integers come
 * out exact; the rest minimax, 2^-56.8. */
INLINE double exp2_pair(double t, double low) {
  double shifted = (t + low) + 0x1.8p+48, whole = shifted - 0x1.8p+48, r = (t - whole) + low;
  ulong i = as_ulong(shifted);
  double c = __kiln_look_up_d(i, 0x1p+0, 0x1.0b5586cf9890fp+0, 0x1.172b83c7d517bp+0, 0x1.2387a6e756238p+0,
                              0x1.306fe0a31b715p+0, 0x1.3dea64c123422p+0, 0x1.4bfdad5362a27p+0, 0x1.5ab07dd485429p+0,
                              0x1.6a09e667f3bcdp+0, 0x1.7a11473eb0187p+0, 0x1.8ace5422aa0dbp+0, 0x1.9c49182a3f09p+0,
                              0x1.ae89f995ad3adp+0, 0x1.c199bdd85529cp+0, 0x1.d5818dcfba487p+0, 0x1.ea4afa2a490dap+0);
  double cl = __kiln_look_up_d(i, 0x0p+0, 0x1.8a62e4adc610bp-54, -0x1.19041b9d78a76p-55, 0x1.9b07eb6c70573p-54,
                               0x1.6f46ad23182e4p-55, 0x1.ada0911f09ebcp-55, 0x1.d4397afec42e2p-56,
                               0x1.6324c054647adp-54, -0x1.bdd3413b26456p-54, -0x1.41577ee04992fp-55,
                               0x1.6e9f156864b27p-54, 0x1.c7c46b071f2bep-56, 0x1.7a1cd345dcc81p-54,
                               0x1.11065895048ddp-55, 0x1.2ed02d75b3707p-55, -0x1.e9c23179c2893p-54);
  double p = POLY5(r, 0x1.62e42fefa39fdp-1, 0x1.ebfbdff82c58fp-3, 0x1.c6b08d6e88f41p-5, 0x1.3b2ab6fb62282p-7,
                   0x1.5d89beee01b74p-10, 0x1.4309f10a42a79p-13);
  double power = c + term_of(c, r * p, cl);
  return scale(power, __kiln_avx512() ? whole : as_double(i & ~15ul) - 0x1.8p+48); /* scalef takes the floor */
}

/* 2^t where r is that only for exponents in range. */
INLINE double exp2_limit(double t, double r) {
  r = t >= MOST_EXPONENT ? INFINITY : r;
  r = t <= -MOST_EXPONENT ? 0.0 : r;
  return t != t ? t : r;
}

/* The same, where few exponents are out of range. */
INLINE double exp2_limited(double t, double r) {
  if (unlikely(!in_range(t))) r = exp2_limit(t, r);
  return r;
}

/* ---- the functions ---- */

/* |x|^y where *t, the first part of the exponent, is in range. */
INLINE double power_in_range(double x, double y, __private double *t) {
  double low, high = log2_pair(fabs_of(x), &low), tl;
  product_exact(high, __kiln_fused() ? y : clamp_to(y, -0x1p+900, 0x1p+900), &tl);
  *t = high * y;
  return exp2_pair(*t, term_of(low, y, tl));
}

/* |x|^y with the limits at 0 and infinity. */
INLINE double power(double x, double y) {
  double exponent, r = power_in_range(x, y, &exponent);
  return exp2_limited(exponent, r);
}

/* What x^y is where x is not positive and finite or y not finite; r is |x|^y where both are finite and x is not
 * 0. */
INLINE double power_special(double x, double y, double r) {
  double a = fabs_of(x), half_y = 0.5 * y;
  bool integer = y == trunc_of(y); /* infinities, too */
  bool odd = integer & (half_y != trunc_of(half_y));
  bool limit = (a == 0.0) | (a == INFINITY) | (fabs_of(y) == INFINITY);
  double end = (a > 1.0) == (y > 0.0) ? INFINITY : 0.0;
  r = limit ? (a == 1.0 ? 1.0 : end) : r;
  r = negate_if(r, (as_long(x) < 0) & odd);
  r = ((x < 0.0) & (x > -INFINITY) & !integer) ? NAN : r;
  r = ((x != x) | (y != y)) ? x + y : r;
  return ((x == 1.0) | (y == 0.0)) ? 1.0 : r;
}

OVER double pow(double x, double y) {
  double t, r = power_in_range(x, y, &t);
  if (unlikely(!((x > 0.0) & in_range(t)))) r = power_special(x, y, exp2_limit(t, r));
  return r;
}

OVER double powr(double x, double y) {
  double r = power(x, y);
  return x < 0.0 ? NAN : r;
}

/* r with the sign that x has where n is odd. */
INLINE double with_sign(double r, double x, int n) {
  return as_double(as_ulong(r) ^ (as_ulong(x) & ((ulong)n << 63)));
}

OVER double pown(double x, int n) {
  double r = power(x, (double)n);
  return n == 0 ? 1.0 : with_sign(r, x, n);
}

/* |x|^(1/n) */
INLINE double root(double x, int n) {
  double low, high = log2_pair(fabs_of(x), &low), d = (double)n, over = reciprocal(d), t = high * over;
  return exp2_limited(t, exp2_pair(t, (rest_of(high, t, d) + low) * over));
}

OVER double rootn(double x, int n) {
  double r = root(x, n);
  bool bad = n == 0 || (x < 0.0 && !(n & 1));
  return bad ? NAN : with_sign(r, x, n);
}

/* As the float function; one more step. Bits become numbers by way of 2^52. */
OVER double cbrt(double x) {
  double a = fabs_of(x);
  bool tiny = a < 0x1p-1022;
  a = tiny ? a * 0x1p+54 : a;
  double bits = as_double(as_ulong(a) >> 12 | 0x4330000000000000) - 0x1p+52;
  double r = as_double(as_ulong(term_of(bits, -0x1.5555555555555p-2, 0x1.553ee978d4fdfp+52)) << 12);
  for (int step = 0; step < 2; step++) {
    double h = term_of(-(a * r), r * r, 1.0);
    r = term_of(r * h, term_of(h, 0x1.c71c71c71c71cp-3, 0x1.5555555555555p-2), r);
  }
  double y = a * r * r;
  double h = rest_of(1.0, r, y);
  y = term_of(y * h, 0x1.5555555555555p-1, y);
  y = tiny ? y * 0x1p-18 : y;
  return a < INFINITY ? copysign_of(y, x) : x;
}

OVER double hypot(double x, double y) {
  double s = term_of(x, x, y * y), r = sqrt_quick(s);
  if (unlikely(!(s > 0x1p-900 && s < INFINITY))) {
    double a = fabs_of(x), b = fabs_of(y);
    bool large = a > 1.0 || b > 1.0;
    double down = large ? 0x1p-600 : 0x1p+600, up = large ? 0x1p+600 : 0x1p-600;
    a *= down;
    b *= down;
    r = up * sqrt_of(term_of(a, a, b * b));
    r = fabs_of(x) == INFINITY || fabs_of(y) == INFINITY ? INFINITY : r;
  }
  return r;
}
