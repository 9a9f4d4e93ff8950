/* Inverse trigonometric functions of float. */
#include "math.h"

/* asin near zero: s + s z P(z) with z = s^2 <= 1/4; P minimax relative, 2^-31. */
INLINE float asin_near_zero(float s, float z) {
  float p = POLY5(z, 0x1.55554cp-3f, 0x1.3338ap-4f, 0x1.6ca99cp-5f, 0x1.04bd9ap-5f, 0x1.d67fap-7f,
                  0x1.344412p-5f);
  return term_of(s * z, p, s);
}

/* asin a = pi/2 - 2 asin sqrt((1 - a)/2) above one half. p is the asin that the caller finishes. */
INLINE bool asin_parts(float a, __private float *p) {
  bool big = a > 0.5f;
  float z = big ? 0.5f * (1.0f - a) : a * a;
  *p = asin_near_zero(big ? sqrt_of(z) : a, z);
  return big;
}

OVER float asin(float x) {
  float p;
  bool big = asin_parts(fabs_of(x), &p);
  float r = PIO2_HI_F - (2.0f * p - PIO2_LO_F);
  return copysign_of(big ? r : p, x);
}

OVER float acos(float x) {
  float p;
  bool big = asin_parts(fabs_of(x), &p);
  float small = PIO2_HI_F - (copysign_of(p, x) - PIO2_LO_F);
  float positive = p + p;
  float negative = 2.0f * (PIO2_HI_F - (p - PIO2_LO_F));
  float r = x < 0.0f ? negative : positive;
  return big ? r : small;
}

INLINE float over_pi(float p) { return term_precise(p, INVPI_HI_F, p * INVPI_LO_F); }

OVER float asinpi(float x) {
  float p;
  bool big = asin_parts(fabs_of(x), &p);
  p = over_pi(p);
  return copysign_of(big ? term_of(p, -2.0f, 0.5f) : p, x);
}

OVER float acospi(float x) {
  float p;
  bool big = asin_parts(fabs_of(x), &p);
  p = over_pi(p);
  float r = x < 0.0f ? term_of(p, -2.0f, 1.0f) : p + p;
  return big ? r : 0.5f - copysign_of(p, x);
}

/* atan of 0 <= t <= 1: t + t z P(z); P minimax relative, 2^-28.5. */
INLINE float atan_unit(float t) {
  float z = t * t;
  float p = POLY8(z, -0x1.55553ep-2f, 0x1.9991fep-3f, -0x1.2421b6p-3f, 0x1.c09ap-4f, -0x1.583496p-4f,
                  0x1.dac9f4p-5f, -0x1.fed17ap-6f, 0x1.65a672p-7f, -0x1.d6301p-10f);
  return term_of(t * z, p, t);
}

OVER float atan(float x) {
  float a = fabs_of(x);
  bool big = a > 1.0f;
  float p = atan_unit(big ? 1.0f / a : a);
  return copysign_of(big ? PIO2_HI_F - (p - PIO2_LO_F) : p, x);
}

OVER float atanpi(float x) {
  float a = fabs_of(x);
  bool big = a > 1.0f;
  float p = over_pi(atan_unit(big ? 1.0f / a : a));
  return copysign_of(big ? 0.5f - p : p, x);
}

/* Smaller over larger of |y| and |x|, with 0/0 = 0 and inf/inf = 1; *steep when |y| is the larger. */
INLINE float atan2_ratio(float y, float x, __private bool *steep) {
  float a = fabs_of(y), b = fabs_of(x);
  *steep = a > b;
  float low = *steep ? b : a, high = *steep ? a : b;
  float t = low / high;
  t = low == INFINITY ? 1.0f : t;
  return high == 0.0f ? 0.0f : t;
}

OVER float atan2(float y, float x) {
  bool steep;
  float t = atan2_ratio(y, x, &steep);
  float p = atan_unit(t);
  p = t == 1.0f ? 0x1.921fb6p-1f : p;
  float r = steep ? PIO2_HI_F - (p - PIO2_LO_F) : p;
  float back = PI_HI_F - (r - PI_LO_F);
  r = as_int(x) < 0 ? back : r;
  return x != x || y != y ? x + y : copysign_of(r, y);
}

OVER float atan2pi(float y, float x) {
  bool steep;
  float t = atan2_ratio(y, x, &steep);
  float p = over_pi(atan_unit(t));
  p = t == 1.0f ? 0.25f : p;
  float r = steep ? 0.5f - p : p;
  r = as_int(x) < 0 ? 1.0f - r : r;
  return x != x || y != y ? x + y : copysign_of(r, y);
}
