/* Inverse trigonometric functions of double; see math_arc.cl. */
#include "math_d.h"

/* P minimax relative on z <= 1/4, 2^-59.8. */
INLINE double asin_near_zero(double s, double z) {
  double p = CHAINS12(z, z * z, 0x1.5555555555578p-3, 0x1.333333332de12p-4, 0x1.6db6db7237f0ap-5, 0x1.f1c71a86bc0bdp-6,
                    0x1.6e8be074e2aa4p-6, 0x1.1c49d3b0d31ccp-6, 0x1.ca22434192807p-7, 0x1.756f2ab201351p-7,
                    0x1.61bb00be7544p-7, 0x1.de6f15f300467p-9, 0x1.65eb22d3749a9p-6, -0x1.5b482b3b1db76p-6,
                    0x1.0c505abcb6291p-5);
  return term_of(s * z, p, s);
}

INLINE bool asin_parts(double a, __private double *p) {
  bool big = a > 0.5;
  double z = big ? 0.5 * (1.0 - a) : a * a;
  *p = asin_near_zero(big ? sqrt_of(z) : a, z);
  return big;
}

OVER double asin(double x) {
  double p;
  bool big = asin_parts(fabs_of(x), &p);
  double r = PIO2_HI - (2.0 * p - PIO2_LO);
  return copysign_of(big ? r : p, x);
}

OVER double acos(double x) {
  double p;
  bool big = asin_parts(fabs_of(x), &p);
  double small = PIO2_HI - (copysign_of(p, x) - PIO2_LO);
  double negative = 2.0 * (PIO2_HI - (p - PIO2_LO));
  double r = x < 0.0 ? negative : p + p;
  return big ? r : small;
}

INLINE double over_pi(double p) { return term_precise(p, INVPI_HI, p * INVPI_LO); }

OVER double asinpi(double x) {
  double p;
  bool big = asin_parts(fabs_of(x), &p);
  p = over_pi(p);
  return copysign_of(big ? term_of(p, -2.0, 0.5) : p, x);
}

OVER double acospi(double x) {
  double p;
  bool big = asin_parts(fabs_of(x), &p);
  p = over_pi(p);
  double r = x < 0.0 ? term_of(p, -2.0, 1.0) : p + p;
  return big ? r : 0.5 - copysign_of(p, x);
}

/* atan(low/high) for 0 <= low <= high, 2^-900 <= high < 2^1000: above tan(pi/8) turned by pi/4, which is one
 * division still. P minimax relative on z <= tan^2(pi/8), 2^-59.5. *turned: pi/4 is to be added. */
INLINE double atan_part(double low, double high, __private bool *turned) {
  bool turn = low > high * 0x1.a827999fcef32p-2;
  double t = (turn ? low - high : low) / (turn ? low + high : high);
  double z = t * t, w = z * z; /* two chains */
  double even = POLY5(w, -0x1.555555555553dp-2, -0x1.24924922ac535p-3, -0x1.745cf8d0a1193p-4, -0x1.10ebac7d450bp-4,
                      -0x1.9cceecd69ec7ap-5, -0x1.25508db6ba894p-6);
  double odd = POLY4(w, 0x1.9999999995832p-3, 0x1.c71c70e5accedp-4, 0x1.3b111831c8edap-4, 0x1.df0e899f99df3p-5,
                     0x1.37cae8d6d109ep-5);
  double p = term_of(odd, z, even);
  *turned = turn;
  return term_of(t * z, p, t);
}

/* steep: pi/2 less the angle; back: pi less that. The constants as pairs, the angle subtracted once. */
INLINE double atan_finish(double p, bool turned, bool steep, bool back) {
  double hi = turned ? 0.5 * PIO2_HI : 0.0, lo = turned ? 0.5 * PIO2_LO : 0.0;
  hi = steep ? PIO2_HI - hi : hi;
  lo = steep ? PIO2_LO - lo : lo;
  p = steep ? -p : p;
  hi = back ? PI_HI - hi : hi;
  lo = back ? PI_LO - lo : lo;
  p = back ? -p : p;
  return hi + (p + lo);
}

/* The same of a and 1, or of 1 and a where that is *steep; beyond 2^120 it is nothing. */
INLINE double atan_part_of(double a, __private bool *turned, __private bool *steep) {
  *steep = a > 1.0;
  double high = a > 0x1p+120 ? 0x1p+120 : a;
  return atan_part(*steep ? 1.0 : a, *steep ? high : 1.0, turned);
}

OVER double atan(double x) {
  bool steep, turned;
  double p = atan_part_of(fabs_of(x), &turned, &steep);
  return copysign_of(atan_finish(p, turned, steep, false), x);
}

/* In units of pi the constants are exact. */
INLINE double atanpi_finish(double p, bool turned, bool steep, bool back) {
  double h = turned ? 0.25 : 0.0;
  p = over_pi(p);
  h = steep ? 0.5 - h : h;
  p = steep ? -p : p;
  h = back ? 1.0 - h : h;
  p = back ? -p : p;
  return h + p;
}

OVER double atanpi(double x) {
  bool steep, turned;
  double p = atan_part_of(fabs_of(x), &turned, &steep);
  return copysign_of(atanpi_finish(p, turned, steep, false), x);
}

/* 0/0 counts as 0/1, inf/inf as 1/1, finite/inf is 0. */
INLINE double atan2_part(double y, double x, __private bool *turned, __private bool *steep) {
  double a = fabs_of(y), b = fabs_of(x);
  *steep = a > b;
  double low = *steep ? b : a, high = *steep ? a : b;
  low = high < INFINITY ? low : low == INFINITY ? 1.0 : 0.0;
  high = high == 0.0 || high == INFINITY ? 1.0 : high;
  double to_middle = high > 0x1p+900 ? 0x1p-200 : high < 0x1p-900 ? 0x1p+200 : 1.0;
  return atan_part(low * to_middle, high * to_middle, turned);
}

OVER double atan2(double y, double x) {
  bool turned, steep;
  double p = atan2_part(y, x, &turned, &steep);
  double r = atan_finish(p, turned, steep, as_long(x) < 0);
  return x != x || y != y ? x + y : copysign_of(r, y);
}

OVER double atan2pi(double y, double x) {
  bool turned, steep;
  double p = atan2_part(y, x, &turned, &steep);
  double r = atanpi_finish(p, turned, steep, as_long(x) < 0);
  return x != x || y != y ? x + y : copysign_of(r, y);
}
