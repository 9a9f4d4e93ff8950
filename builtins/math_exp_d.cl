/* Exponentials, logarithms and hyperbolic functions of double; see
 * math_exp.cl, whose plan they follow. */
#include "math_d.h"

OVER double exp(double x) { return exp_scaled(clamp_to(x, -800.0, 800.0), 0.0, 0); }

OVER double exp2(double x) {
  int n;
  x = clamp_to(x, -1100.0, 1100.0);
  double t = nearest(x, &n), f = x - t;
  double low, r = product_exact(f, LN2_HI, &low);
  return scale(exp_near_zero(r, term_of(f, LN2_LO, low)), t);
}

OVER double exp10(double x) {
  int n;
  x = clamp_to(x, -340.0, 340.0);
  double t = nearest(x * 0x1.a934f0979a371p+1, &n);
  double f = term_of(t, -LOG10_2_REST, term_of(t, -LOG10_2_SHORT, x));
  double low, r = product_exact(f, 0x1.26bb1bbb55516p+1, &low);
  return scale(exp_near_zero(r, term_of(f, -0x1.f48ad494ea3e9p-53, low)), t);
}

OVER double expm1(double x) {
  int n;
  double y = clamp_to(x, -60.0, 710.0);
  double t = nearest(y * LOG2E_HI, &n);
  double r = term_of(t, -LN2_REST, term_of(t, -LN2_SHORT, y));
  double q = POLY10(r, 0x1p-1, 0x1.5555555555559p-3, 0x1.555555555555ap-5, 0x1.111111110f61p-7,
                    0x1.6c16c16c1436fp-10, 0x1.a01a01b02c239p-13, 0x1.a01a01b0fdbcap-16, 0x1.71ddf78e66b58p-19,
                    0x1.27e4c50859376p-22, 0x1.af60341dd188fp-26, 0x1.1f9650a6b0795p-29);
  q = term_of(r * r, q, r);
  double h = pow2_of(t - 1.0);
  double e = 2.0 * term_of(h, q, h - 0.5);
  return fabs_of(x) < 0x1p-55 ? x : e;
}

OVER double log(double x) {
  double f, e = split_any(x, &f);
  double r = f + term_of(e, LN2_LO, log_tail(f));
  return log_special(x, term_of(e, LN2_HI, r));
}

OVER double log2(double x) {
  double f, e = split_any(x, &f);
  double t = term_of(f, LOG2E_LO, log_tail(f) * LOG2E_HI);
  return log_special(x, e + term_precise(f, LOG2E_HI, t));
}

OVER double log10(double x) {
  double f, e = split_any(x, &f);
  double t = term_of(f, LOG10E_LO, log_tail(f) * LOG10E_HI);
  t = term_of(f, LOG10E_HI, term_of(e, LOG10_2_LO, t));
  return log_special(x, term_of(e, LOG10_2_HI, t));
}

INLINE double log1p_of(double x) {
  double u = 1.0 + x;
  double f, e = split_any(u, &f);
  bool plain = fabs_of(e) < 128.0;
  double s = pow2_negative(e, plain);
  f = plain ? term_of(x, s, s - 1.0) : f;
  double r = f + term_of(e, LN2_LO, log_tail(f));
  return log_special(u, term_of(e, LN2_HI, r));
}

OVER double log1p(double x) { return copysign_of(log1p_of(x), x); }

OVER double asinh(double x) {
  double a = fabs_of(x);
  bool big = a > 0x1p+50;
  double z = a * a;
  double w = a + quotient(z, 1.0 + sqrt_quick(z + 1.0));
  double r = log1p_of(big ? a : w) + (big ? LN2_HI : 0.0);
  return a < 0x1p-28 ? x : copysign_of(r, x);
}

OVER double acosh(double x) {
  bool big = x > 0x1p+50;
  double t = x - 1.0;
  double w = t + sqrt_of(term_of(t, t, t + t));
  double r = log1p_of(big ? x : w) + (big ? LN2_HI : 0.0);
  return x < 1.0 ? NAN : r;
}

OVER double atanh(double x) {
  double a = fabs_of(x);
  double r = 0.5 * log1p_of((a + a) / (1.0 - a));
  return a < 0x1p-28 ? x : copysign_of(r, x);
}

/* Odd polynomial below 1, minimax relative, 2^-63. */
OVER double sinh(double x) {
  double a = fabs_of(x), z = a * a;
  double p = POLY6(z, 0x1.5555555555556p-3, 0x1.11111111110a1p-7, 0x1.a01a01a0291fcp-13, 0x1.71de3a45f71d9p-19,
                   0x1.ae6467668e275p-26, 0x1.611a3a1efb196p-33, 0x1.b4cf790971329p-41);
  p = term_of(a * z, p, a);
  double e = exp_scaled(a > 711.0 ? 711.0 : a, 0.0, -1);
  e = e - 0.25 / e;
  return copysign_of(a < 1.0 ? p : e, x);
}

OVER double cosh(double x) {
  double a = fabs_of(x);
  double e = exp_scaled(a > 711.0 ? 711.0 : a, 0.0, -1);
  return e + 0.25 / e;
}

OVER double tanh(double x) {
  double a = fabs_of(x);
  double e = expm1(a > 20.0 ? 40.0 : a + a);
  double r = e / (e + 2.0);
  return a < 0x1p-28 ? x : copysign_of(r, x);
}
