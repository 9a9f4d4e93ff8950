/* Error functions and gamma functions of double; see math_gamma.cl. */
#include "math_d.h"

OVER double log(double);
OVER double sinpi(double);

/* erf x / x in x^2 <= 1, minimax relative, 2^-62.7. */
INLINE double erf_small(double x, double z) {
  double p = POLY12(z, 0x1.20dd750429b6dp+0, -0x1.812746b0379e6p-2, 0x1.ce2f21a042b2p-4, -0x1.b82ce3128499cp-6,
                    0x1.565bcd0db02e5p-8, -0x1.c02db3d8ed262p-11, 0x1.f9a321a11dff6p-14, -0x1.f4d1df394e86p-17,
                    0x1.b9def19e1a3b5p-20, -0x1.5f1d36c38a634p-23, 0x1.f7a4123bfaec5p-27, -0x1.386ac0efb86f2p-30,
                    0x1.0579ab2ba8782p-34);
  return x * p;
}

/* As the float function: Q to 2^-54, 2^r to 2^-52; from 6 on 1. */
OVER double erf(double x) {
  double a = fabs_of(x);
  double b = a > 6.0 ? 6.0 : a;
  double q = CHAINS16(b, b * b, -0x1.9bcc988f512f3p-20, -0x1.a0bd86d93025ep+0, -0x1.d647e111a5477p-1, -0x1.2f41dfdd26864p-3,
                    0x1.bdec9ed614712p-6, 0x1.b9bce39f3e265p-11, -0x1.8cdcd9e8d1114p-9, 0x1.5be7ab0cfba37p-10,
                    -0x1.5ce585279ba07p-12, 0x1.52c8002481708p-15, 0x1.5db6d2a54066bp-18, -0x1.02d09420063ccp-18,
                    0x1.0a5cab93a595fp-20, -0x1.4f4dcdb12e92ap-23, 0x1.0e41c753eeaf3p-26, -0x1.02804794a0eafp-30,
                    0x1.c15ce1d60a47bp-36);
  int n;
  double t = nearest(q, &n), r = q - t;
  double p = CHAINS10(r, r * r, 0x1p+0, 0x1.62e42fefa3a17p-1, 0x1.ebfbdff82c3b9p-3, 0x1.c6b08d703d48ap-5,
                    0x1.3b2ab6fbde0fdp-7, 0x1.5d87fe9cc5dcp-10, 0x1.43091260557efp-13, 0x1.ffcb55e81f847p-17,
                    0x1.62c157f05f7cep-20, 0x1.b6740fd1b5fedp-24, 0x1.e3991b58a612p-28);
  double large = copysign_of(1.0 - scale(p, t), x);
  double small = erf_small(x, x * x);
  return a < 1.0 ? small : large;
}

/* erfc a = e^(-a^2) P(u)/(a + 3.5), u = (a - 3.5)/(a + 3.5), 0 <= a <= 27.5; P minimax relative, 2^-52.2. */
OVER double erfc(double x) {
  double a = fabs_of(x);
  a = a > 27.5 ? 27.5 : a;
  double w = 1.0 / (a + 3.5), u = (a - 3.5) * w;
  double p = CHAINS20(u, u * u, 0x1.1649466cd0bf1p+0, -0x1.e02749166d55fp-1, 0x1.6362dd2801b47p-1, -0x1.bdb3c1808c0cfp-2,
                      0x1.ce500ceb4501p-3, -0x1.7a232e1cbee2ep-4, 0x1.b27b27555fcbbp-6, -0x1.a06c1f458bcb7p-9,
                      -0x1.5630e6d97fc8ep-10, 0x1.769ee250a843ep-11, -0x1.60d229e7bad41p-15, -0x1.39a51bc153d8ep-14,
                      0x1.38b19a164c111p-16, 0x1.e658e6ae0c99bp-18, -0x1.c48f48908ee1dp-19, -0x1.ac2985921b8c5p-21,
                      0x1.18f745bef7c77p-21, 0x1.df6a4e699d618p-24, -0x1.0e9fc983725acp-24, -0x1.f5f597b2e81edp-27,
                      0x1.4b5ac67c7608ap-29);
  double sl, s = product_exact(a, a, &sl);
  double r = exp_scaled(-s, -sl, 0) * (p * w);
  return x < 0.0 ? 2.0 - r : r;
}

/* ---- gamma ---- */

/* ln Gamma(z + zl), z >= 8, as a pair: Stirling's series, the tail minimax in 1/z^2, absolute 2^-66. */
INLINE double stirling(double z, double zl, __private double *low) {
  double w = 1.0 / z, v = w * w;
  double tail = w * POLY7(v, 0x1.5555555555555p-4, -0x1.6c16c16c16b32p-9, 0x1.a01a019ee9bf9p-11,
                          -0x1.38137ecdbbfd3p-11, 0x1.b94f76df7864cp-11, -0x1.f600ebcc644fep-10,
                          0x1.96ef665994f55p-8, -0x1.560fa44a9f41p-6);
  double ll, l = log_pair(z, &ll);
  bool huge = z > 0x1p+900; /* z ln z may overflow where the result does not: all by 2^-20, what is small is lost */
  double up = huge ? 0x1p+20 : 1.0, down = huge ? 0x1p-20 : 1.0;
  double h = (z - 0.5) * down; /* exact */
  double tl, t = product_exact(h, l, &tl);
  tl += term_of(h, ll, l * zl);
  double sl, s = sum_exact(t, -z * down, &sl);
  double cl, c = sum_exact(s, 0x1.d67f1c864beb5p-1, &cl); /* ln sqrt(2 pi) */
  double high = sum_exact(c, (sl + cl) + (tl + tail), low);
  *low *= up;
  return high * up;
}

/* Gamma(y) 2^k for y > 0. */
INLINE double gamma_positive(double y, int k) {
  bool shift = y < 8.0;
  double z = shift ? y + 8.0 : y;
  double zl = shift ? y - (z - 8.0) : 0.0;
  double product = y * (y + 1.0) * (y + 2.0) * (y + 3.0) * ((y + 4.0) * (y + 5.0) * (y + 6.0) * (y + 7.0));
  double low, l = stirling(z, zl, &low);
  return power_of_log(l, low, k) / (shift ? product : 1.0);
}

/* For x = -y < 0: Gamma(x) = -pi/(y sin(pi y) Gamma(y)). Gamma(y) is taken smaller by 2^300 where it would
 * overflow before the quotient vanishes. */
OVER double tgamma(double x) {
  double y = fabs_of(x);
  y = y > 200.0 ? 200.0 : y;
  bool deep = x < -140.0;
  double g = gamma_positive(y, deep ? -300 : 0);
  double s = y * sinpi(fabs_of(x)) * g;
  double r = (x < 0.0 ? -PI_HI : g) / (x < 0.0 ? s : 1.0);
  r *= deep ? 0x1p-300 : 1.0;
  double tiny = 1.0 / x;
  r = y < 0x1p-60 ? tiny : r;
  r = x < 0.0 && x == floor_of(x) ? NAN : r; /* -infinity among them */
  return x != x ? x : r;
}

/* ln Gamma(y), y >= 0. Below 8 by way of 2 + d, |d| <= 1/2, where it is d G(d) (minimax relative, 2^-59), so that
 * it is exact about its zeros 1 and 2; above by Stirling's series (the tail minimax, 2^-57). */
INLINE double lgamma_positive(double y) {
  double k = rint_of(y), d = y - k, p = 1.0;
  for (int j = 2; j < 8; j++) p *= k > (double)j ? d + (double)j : 1.0; /* Gamma(y) = p Gamma(2 + d) */
  double under = k < 1.0 ? y * (y + 1.0) : y;                             /* or Gamma(2 + d) / under */
  bool small = y < 8.0, below = k < 2.0;
  double l = log(small ? (below ? under : p) : y);
  double g = POLY18(d, 0x1.b0ee6072093cep-2, 0x1.4a34cc4a60fa7p-2, -0x1.13e001a557616p-4, 0x1.51322ac7d8009p-6,
                       -0x1.e404fc21888aap-8, 0x1.7add6eae55948p-9, -0x1.38ac5c309c5ffp-10, 0x1.0b36af367e12p-11,
                       -0x1.d3fd4943c61fep-13, 0x1.a127dc28aeddbp-14, -0x1.78defda00b122p-15, 0x1.5806f50eac7a5p-16,
                       -0x1.3ca940d0ebdcep-17, 0x1.263ea842fef26p-18, -0x1.131ce834b1d5p-19, 0x1.ee177c6d8804p-21,
                       -0x1.c3069abe6e592p-22, 0x1.2b073336e0a9ep-22, -0x1.33b5881251425p-23);
  double z = small ? 8.0 : y, w = 1.0 / z, v = w * w;
  double tail = w * POLY5(v, 0x1.5555555555553p-4, -0x1.6c16c16bb84b8p-9, 0x1.a019fd44ceebfp-11,
                             -0x1.380ec92adf75fp-11, 0x1.b6fda03d6ff88p-11, -0x1.b162e1563d1d5p-10);
  double large = term_of(z, l - 1.0, term_of(l, -0.5, tail + 0x1.d67f1c864beb5p-1)); /* ln sqrt(2 pi) */
  return small ? term_of(d, g, below ? -l : l) : large;
}

INLINE double lgamma_of(double x, __private int *sign) {
  double y = fabs_of(x), r = lgamma_positive(y);
  bool pole = x == 0.0;
  *sign = 1;
  if (x < 0.0) { /* Gamma(x) = -pi / (y sin(pi y) Gamma(y)) */
    double s = sinpi(y), product = y < 0x1p-60 ? 1.0 : y * fabs_of(s) * INVPI_HI;
    r = y < 0x1p-60 ? r : -log(product) - r;
    *sign = s > 0.0 ? -1 : 1;
    pole = x == floor_of(x);
  }
  *sign = pole ? 0 : *sign;
  r = pole || y > 0x1.754d9278b51a7p+1014 ? INFINITY : r;
  return x != x ? x : r;
}

OVER double lgamma(double x) {
  int sign;
  return lgamma_of(x, &sign);
}

#define LGAMMA_R(SPACE)                                                                            \
  OVER double lgamma_r(double x, SPACE int *sign) {                                                \
    int s;                                                                                         \
    double r = lgamma_of(x, &s);                                                                   \
    *sign = s;                                                                                     \
    return r;                                                                                      \
  }
FOR_SPACES(LGAMMA_R)
