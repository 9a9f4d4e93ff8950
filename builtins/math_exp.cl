/* Exponentials and logarithms of float.
 *
 * e^x = 2^n e^r with n the integer nearest to x/ln2, r = x - n ln2 in two parts
 * (Cody and Waite). ln x = e ln2 + ln(1 + f), 2/3 <= 1 + f < 4/3, so that the
 * two never cancel. */
#include "math.h"

/* Arguments beyond which the result does not change; NaN passes. */
INLINE float clamp_to(float x, float lo, float hi) {
  x = x < lo ? lo : x;
  return x > hi ? hi : x;
}

OVER float exp(float x) { return exp_scaled(clamp_to(x, -110.0f, 90.0f), 0); }

/* (2^r - 1)/r, minimax on |r| <= 1/2 relative to 2^r, 2^-27.5. */
OVER float exp2(float x) {
  int n;
  x = clamp_to(x, -160.0f, 130.0f);
  float t = nearest(x, &n), r = x - t;
  float p = POLY5(r, 0x1.62e432p-1f, 0x1.ebfbe6p-3f, 0x1.c6ada6p-5f, 0x1.3b21c6p-7f, 0x1.5fbfb4p-10f,
                  0x1.4bcd6p-13f);
  return scale(term_of(r, p, 1.0f), t, n);
}

OVER float exp10(float x) {
  int n;
  x = clamp_to(x, -48.0f, 40.0f);
  float t = nearest_of(x, 0x1.a934fp+1f, &n);
  float r = term_of(t, -LOG10_2_REST_F, term_of(t, -LOG10_2_SHORT_F, x));
  r = term_of(r, 0x1.26bb1cp+1f, r * -0x1.12aabap-25f);
  return scale(exp_near_zero(r), t, n);
}

/* 2^n (e^r - 1) + (2^n - 1), at half the size because n may be 128. */
OVER float expm1(float x) {
  int n;
  float y = clamp_to(x, -30.0f, 89.0f);
  float t = nearest_of(y, LOG2E_HI_F, &n);
  float r = term_of(t, -LN2_REST_F, term_of(t, -LN2_SHORT_F, y));
  float q = POLY5(r, 0x1p-1f, 0x1.555556p-3f, 0x1.5554a8p-5f, 0x1.11108ap-7f, 0x1.6d7b7cp-10f, 0x1.a1a93p-13f);
  q = term_of(r * r, q, r);
  float h = pow2_float(n - 1);
  float e = 2.0f * term_of(h, q, h - 0.5f);
  return fabs_of(x) < 0x1p-26f ? x : e;
}

OVER float log(float x) {
  float f, e = split_float(x, &f);
  float r = f + term_of(e, LN2_LO_F, log_tail(f));
  return log_special(x, term_of(e, LN2_HI_F, r));
}

/* Logarithms to other bases: f C + f^2 R(f), C in two parts, R minimax relative, 2^-25. */
OVER float log2(float x) {
  float f, e = split_float(x, &f);
  float p = POLY7(f, -0x1.715494p-1f, 0x1.ec716ep-2f, -0x1.713baap-2f, 0x1.272014p-2f, -0x1.f10daep-3f,
                  0x1.bab88p-3f, -0x1.648c12p-3f, 0x1.3fe24p-4f);
  float t = f * term_of(f, p, LOG2E_LO_F);
  return log_special(x, e + term_precise(f, LOG2E_HI_F, t));
}

OVER float log10(float x) {
  float f, e = split_float(x, &f);
  float p = POLY7(f, -0x1.bcb7d4p-3f, 0x1.287af4p-3f, -0x1.bc99d4p-4f, 0x1.635dc4p-4f, -0x1.2b4188p-4f,
                  0x1.0a8b5ep-4f, -0x1.ad5358p-5f, 0x1.812daep-6f);
  float t = term_of(f, term_of(f, p, LOG10E_LO_F), e * LOG10_2_REST_F);
  return log_special(x, term_of(e, LOG10_2_SHORT_F, term_precise(f, LOG10E_HI_F, t)));
}

/* 1 + x = 2^e (1 + f) with the exponent of 1 + x as rounded, but f from x itself; where x is so large that the
 * 1 is lost, or 1 + x is not positive and finite, the rounded sum's f will do. */
INLINE float log1p_of(float x) {
  float u = 1.0f + x;
  float f, e = split_float(u, &f);
  bool plain = fabs_of(e) < 64.0f;
  float s = pow2_negative(e, plain);
  f = plain ? term_of(x, s, s - 1.0f) : f;
  float r = f + term_of(e, LN2_LO_F, log_tail(f));
  return log_special(u, term_of(e, LN2_HI_F, r));
}

OVER float log1p(float x) { return copysign_of(log1p_of(x), x); }

/* ---- half_: the same code ---- */

#define HALF(F)                                                                                    \
  OVER float half_##F(float x) { return F(x); }
HALF(exp) HALF(exp2) HALF(exp10) HALF(log) HALF(log2) HALF(log10)

/* ---- inverse hyperbolic functions, by way of log1p ---- */

/* a + a^2/(1 + sqrt(a^2 + 1)) = asinh's argument less 1; beyond 2^20 it is 2a. */
OVER float asinh(float x) {
  float a = fabs_of(x);
  bool big = a > 0x1p+20f;
  float z = a * a;
  float w = a + quotient(z, 1.0f + sqrt_of(z + 1.0f));
  float r = log1p_of(big ? a : w) + (big ? LN2_HI_F : 0.0f);
  return a < 0x1p-13f ? x : copysign_of(r, x);
}

OVER float acosh(float x) {
  bool big = x > 0x1p+20f;
  float t = x - 1.0f;
  float w = t + sqrt_of(term_of(t, t, t + t));
  float r = log1p_of(big ? x : w) + (big ? LN2_HI_F : 0.0f);
  return x < 1.0f ? NAN : r;
}

OVER float atanh(float x) {
  float a = fabs_of(x);
  float r = 0.5f * log1p_of((a + a) / (1.0f - a));
  return a < 0x1p-13f ? x : copysign_of(r, x);
}

/* ---- hyperbolic functions ---- */

/* Below 1 an odd polynomial (minimax relative, 2^-34), above it e^a/2 - e^-a/2. */
OVER float sinh(float x) {
  float a = fabs_of(x), z = a * a;
  float p = POLY3(z, 0x1.555556p-3f, 0x1.111136p-7f, 0x1.9ffe12p-13f, 0x1.7a267cp-19f);
  p = term_of(a * z, p, a);
  float e = exp_scaled(a > 90.0f ? 90.0f : a, -1);
  e = e - 0.25f / e;
  return copysign_of(a < 1.0f ? p : e, x);
}

OVER float cosh(float x) {
  float a = fabs_of(x);
  float e = exp_scaled(a > 90.0f ? 90.0f : a, -1);
  return e + 0.25f / e;
}

/* Below 0.6 an odd polynomial (minimax relative, 2^-33), above it 1 - 2/(e^2a + 1). */
OVER float tanh(float x) {
  float a = fabs_of(x), z = a * a;
  float p = POLY5(z, -0x1.555554p-2f, 0x1.11109p-3f, -0x1.b9f72cp-5f, 0x1.63ef6cp-6f, -0x1.0e00dcp-7f,
                  0x1.20cc66p-9f);
  p = term_of(a * z, p, a);
  float e = exp_scaled(a > 10.0f ? 20.0f : a + a, 0);
  e = 1.0f - 2.0f / (e + 1.0f);
  return copysign_of(a < 0.6f ? p : e, x);
}
