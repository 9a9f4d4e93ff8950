/* Error functions and gamma functions of float. */
#include "math.h"

/* erf x / x as a polynomial in x^2 <= 1, minimax relative, 2^-24.6. */
INLINE float erf_small(float x, float z) {
  float p = POLY5(z, 0x1.20dd74p+0f, -0x1.812674p-2f, 0x1.ce0942p-4f, -0x1.b5a35cp-6f, 0x1.4246d2p-8f,
                  -0x1.273facp-11f);
  return x * p;
}

/* erfc a = e^(-a^2) P(u)/(a + 2), u = (a - 2)/(a + 2), 0.49 <= a <= 10.2; P minimax relative, 2^-33.6. The
 * rounding error of a^2 is put back as a factor. */
INLINE float erfc_large(float a) {
  a = a > 10.2f ? 10.2f : a;
  float w = 1.0f / (a + 2.0f), u = (a - 2.0f) * w;
  float p = POLY10(u, 0x1.058672p+0f, -0x1.5fd386p-1f, 0x1.1e2deep-2f, -0x1.2a891p-5f, -0x1.606dc4p-6f,
                      0x1.a8b392p-8f, 0x1.94e534p-9f, -0x1.bb4f2ep-11f, -0x1.571ad6p-11f, 0x1.f46208p-15f,
                      0x1.ff3a4p-14f);
  float s = a >= 10.2f ? 150.0f : a * a; /* what vanishes does so at once */
  return exp_scaled(-s, 0) * term_of(p, rest_of(s, a, a), p) * w;
}

/* erf a / a in pieces of 1/4 about its multiples i/4: polynomials in a - i/4, minimax relative, 2^-23.3; from 3.87
 * on it is 1. */
INLINE float erf_by_pieces(float a) {
  a = a > 3.87f ? 3.87f : a;
  float t = a + 0x1p+21f, r = a - (t - 0x1p+21f);
  int i = as_int(t);
  float c4 = __kiln_look_up_f(i, 0x1.c70552p-4f, 0x1.6a73ecp-4f, 0x1.081a86p-5f, -0x1.9311acp-6f, -0x1.cd1136p-5f,
                              -0x1.d878ccp-5f, -0x1.4b118p-5f, -0x1.42d5a2p-6f, -0x1.34f2c6p-8f, 0x1.6d7afp-9f,
                              0x1.4882c8p-8f, 0x1.3494f2p-8f, 0x1.dfde78p-9f, 0x1.5b6016p-9f, 0x1.ed9a6p-10f,
                              0x1.5faadap-10f);
  float c3 = __kiln_look_up_f(i, 0x1.0e17ap-12f, 0x1.aa13dep-4f, 0x1.53d0cp-3f, 0x1.594d4p-3f, 0x1.014f06p-3f,
                              0x1.105906p-4f, 0x1.0eb9a2p-6f, -0x1.b69d3ep-7f, -0x1.99b36p-6f, -0x1.a0c0bcp-6f,
                              -0x1.5bd624p-6f, -0x1.0a4604p-6f, -0x1.8ac9c8p-7f, -0x1.23decep-7f, -0x1.b47b2cp-8f,
                              -0x1.4bb714p-8f);
  float c2 = __kiln_look_up_f(i, -0x1.812ab8p-2f, -0x1.57652cp-2f, -0x1.d6dc1ap-3f, -0x1.9a7e82p-4f, 0x1.990cacp-7f,
                              0x1.5aa28ap-4f, 0x1.d4d7f2p-4f, 0x1.d35452p-4f, 0x1.93ca94p-4f, 0x1.44092cp-4f,
                              0x1.f7607ep-5f, 0x1.846dbcp-5f, 0x1.2e2228p-5f, 0x1.dcc02ep-6f, 0x1.7e09bcp-6f,
                              0x1.36aca8p-6f);
  float c1 = __kiln_look_up_f(i, 0x1.df5938p-23f, -0x1.730596p-3f, -0x1.4c3786p-2f, -0x1.a0cd18p-2f, -0x1.b5dac4p-2f,
                              -0x1.9b130ap-2f, -0x1.667f2cp-2f, -0x1.2b07f2p-2f, -0x1.e87182p-3f, -0x1.8d737p-3f,
                              -0x1.45c324p-3f, -0x1.0e589p-3f, -0x1.c6e92p-4f, -0x1.83bf9p-4f, -0x1.4e5c52p-4f,
                              -0x1.23451ep-4f);
  float c0 = __kiln_look_up_f(i, 0x1.20dd76p+0f, 0x1.1af54ep+0f, 0x1.0a7ef6p+0f, 0x1.e57b74p-1f, 0x1.af767ap-1f,
                              0x1.7a0518p-1f, 0x1.49c38ep-1f, 0x1.20ac04p-1f, 0x1.fd9ae2p-2f, 0x1.c67206p-2f,
                              0x1.996eeep-2f, 0x1.74538p-2f, 0x1.555368p-2f, 0x1.3b1358p-2f, 0x1.24923ap-2f,
                              0x1.11111p-2f);
  return a * POLY4(r, c0, c1, c2, c3, c4);
}

/* Above 1 it is 1 - 2^Q(a), Q minimax in what it does to the result, 2^-29; from 4 on 1. */
INLINE float erf_by_exponent(float a) {
  float b = a > 4.0f ? 4.0f : a;
  float q = POLY6(b, -0x1.025312p-11f, -0x1.a0448cp+0f, -0x1.d75f3ap-1f, -0x1.30a4aep-3f, 0x1.02182ap-5f,
                  -0x1.16b24ep-8f, 0x1.19f322p-12f);
  int n;
  float t = nearest(q, &n), r = q - t;
  float p = POLY5(r, 0x1.000002p+0f, 0x1.62e428p-1f, 0x1.ebf918p-3f, 0x1.c6b6e4p-5f, 0x1.3d0c52p-7f, 0x1.5c08e4p-10f);
  return 1.0f - scale(p, t, n);
}

OVER float erf(float x) {
  float a = fabs_of(x);
  if (__kiln_avx512()) return copysign_of(erf_by_pieces(a), x);
  float large = copysign_of(erf_by_exponent(a), x);
  float small = erf_small(x, x * x);
  return a < 1.0f ? small : large;
}

/* erf x / x as a quotient of polynomials in x^2 <= 16, minimax relative, 2^-24; 5.7 ulp with rounding. */
OVER float __kiln_relaxed_erf(float x) {
  if (__kiln_avx512()) return erf(x); /* as fast */
  float a = fabs_of(x);
  a = a > 4.0f ? 4.0f : a;
  float z = a * a;
  float p = POLY5(z, 0x1.20dd74p+0f, 0x1.8bfcf8p-3f, 0x1.b2cf56p-5f, 0x1.fbec72p-9f, 0x1.2a2224p-12f, 0x1.0abc7ep-19f);
  float q = POLY5(z, 1.0f, 0x1.026678p-1f, 0x1.d826bp-4f, 0x1.f1ca88p-7f, 0x1.363c84p-10f, 0x1.39d994p-15f);
  float r = a * p / q;
  return copysign_of(r > 1.0f ? 1.0f : r, x);
}

OVER float erfc(float x) {
  float a = fabs_of(x);
  float r = erfc_large(a < 0.5f ? 0.5f : a);
  r = x < 0.0f ? 2.0f - r : r;
  float small = 1.0f - erf_small(x, x * x);
  return a < 0.5f ? small : r;
}

/* ---- gamma, in double ---- */

/* y (y + 1) ... (y + 7) */
INLINE double rising(double y) {
  return y * (y + 1.0) * (y + 2.0) * (y + 3.0) * ((y + 4.0) * (y + 5.0) * (y + 6.0) * (y + 7.0));
}

/* log2 Gamma(z), z >= 8: Stirling's series to z^-5; the next term is below 2^-31. */
INLINE double stirling_log2(double z) {
  double w = 1.0 / z, v = w * w;
  double series = w * POLY2(v, 1.0 / 12, -1.0 / 360, 1.0 / 1260);
  double t = term_of(z - 0.5, log2_medium(z), 0x1.536439a4c6efcp+0);
  return term_of(series - z, 0x1.71547652b82fep+0, t);
}

/* sin(pi y) for any y >= 0: odd polynomial minimax relative, 2^-35.5, on |d| <= 1/2. */
INLINE double sinpi_medium(double y) {
  double h = 0.5 * y, w = 2.0 * (h - rint_of(h)); /* y modulo 2, in [-1, 1] */
  double a = fabs_of(w), d = a > 0.5 ? 1.0 - a : a, z = d * d;
  double p = d * POLY5(z, 0x1.921fb5441e32cp+1, -0x1.4abbce4f1011fp+2, 0x1.466bbfbf823eap+1,
                       -0x1.32d11177b3cecp-1, 0x1.500fe26f98174p-4, -0x1.cc3205735c9f7p-8);
  return copysign_of(p, w);
}

/* For x < 0: Gamma(x) = -pi / (x' sin(pi x') Gamma(x')) up to signs, x' = -x. */
OVER float tgamma(float x) {
  double y = (double)fabs_of(x);
  double sine = sinpi_medium(y);
  y = y > 60.0 ? 60.0 : y; /* infinite or zero in float */
  double e = exp2_medium(stirling_log2(y + 8.0)), p = rising(y); /* Gamma(y) = e/p */
  double s = y * sine * e;
  double r = (x < 0.0f ? -0x1.921fb54442d18p+1 * p : e) / (x < 0.0f ? s : p);
  bool integer = x == floor_of(x);
  r = x < -60.0f ? copysign_of(0.0, r) : r;
  r = x == 0.0f ? (double)copysign_of(INFINITY, x) : r;
  r = x < 0.0f && integer ? NAN : r; /* -infinity among them */
  return x != x ? x : (float)r;
}

INLINE double ln_medium(double a) { return log2_medium(a) * 0x1.62e42fefa39efp-1; }

/* ln Gamma(y), y >= 0. Below 8 by way of 2 + d, |d| <= 1/2, where it is d G(d) (minimax relative, 2^-47), so that
 * it is exact about its zeros 1 and 2; above by Stirling's series (the tail minimax, 2^-44). */
INLINE double lgamma_positive(double y) {
  double k = rint_of(y), d = y - k, p = 1.0;
  for (int j = 2; j < 8; j++) p *= k > (double)j ? d + (double)j : 1.0; /* Gamma(y) = p Gamma(2 + d) */
  double under = k < 1.0 ? y * (y + 1.0) : y;                             /* or Gamma(2 + d) / under */
  bool small = y < 8.0, below = k < 2.0;
  double l = ln_medium(small ? (below ? under : p) : y);
  double g = POLY14(d, 0x1.b0ee6072093eap-2, 0x1.4a34cc4a6140bp-2, -0x1.13e001a5628f2p-4, 0x1.51322ac53fc6bp-6,
                       -0x1.e404fbf1e7324p-8, 0x1.7add723559cfp-9, -0x1.38ac6f90ab71p-10, 0x1.0b35a204f47f4p-11,
                       -0x1.d3f59162bfa3bp-13, 0x1.a179b4bcddc43p-14, -0x1.79b2a6c234c55p-15, 0x1.516fa0b969215p-16,
                       -0x1.305bfce19c68dp-17, 0x1.69b09671aaab1p-18, -0x1.6dee0cb6a3612p-19);
  double z = small ? 8.0 : y, w = reciprocal_medium(z), v = w * w;
  double tail = w * POLY3(v, 0x1.555555554f00bp-4, -0x1.6c16bb09a8c2dp-9, 0x1.9ff9c1a7c423ep-11,
                             -0x1.2af29ba58b7d7p-11);
  double large = term_of(z, l - 1.0, term_of(l, -0.5, tail + 0x1.d67f1c864beb5p-1)); /* ln sqrt(2 pi) */
  return small ? term_of(d, g, below ? -l : l) : large;
}

INLINE float lgamma_of(float x, __private int *sign) {
  double y = (double)fabs_of(x), r = lgamma_positive(y);
  bool pole = x == 0.0f;
  *sign = 1;
  if (x < 0.0f) { /* Gamma(x) = -pi / (y sin(pi y) Gamma(y)) */
    double s = sinpi_medium(y);
    r = -ln_medium(y * fabs_of(s) * 0x1.45f306dc9c883p-2) - r;
    *sign = s > 0.0 ? -1 : 1;
    pole = x == floor_of(x);
  }
  *sign = pole ? 0 : *sign;
  r = pole || fabs_of(x) == INFINITY ? INFINITY : r;
  return x != x ? x : (float)r;
}

OVER float lgamma(float x) {
  int sign;
  return lgamma_of(x, &sign);
}

#define LGAMMA_R(SPACE)                                                                            \
  OVER float lgamma_r(float x, SPACE int *sign) {                                                  \
    int s;                                                                                         \
    float r = lgamma_of(x, &s);                                                                    \
    *sign = s;                                                                                     \
    return r;                                                                                      \
  }
FOR_SPACES(LGAMMA_R)
