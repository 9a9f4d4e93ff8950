/* Forms of float functions for calls under -cl-unsafe-math-optimizations: OpenCL C 3.0, section 7.4, the table
 * for unsafe math. The linker puts __kiln_relaxed_F in the place of F where the call allows approximations.
 *
 * What the table leaves undefined (NaN, large angles, denormals) is not looked after, but infinities are where that
 * is free. A product and a sum are one operation or two, as the processor has it. */
#include "math.h"

#pragma OPENCL FP_CONTRACT ON

#define RELAXED(F) OVER float __kiln_relaxed_##F
#define NATIVE(F) OVER float native_##F
#define BOTH(F, FORM)                                                                              \
  RELAXED(F)(float x) { return FORM(x); }                                                          \
  NATIVE(F)(float x) { return FORM(x); }

INLINE float flip_sign(float x, int bits) { return as_float(as_int(x) ^ bits); }

/* ---- exponentials ---- */

/* 2^y: 1 + r q(r), minimax relative, 2^-23. */
INLINE float two_to(float y) {
  int n = 0;
  float t, r;
  bool small = y < -126.0f;
  if (__kiln_avx512()) {
    t = rint_of(y);
    r = __kiln_reduce_f(y);
  } else {
    y = y < 128.0f ? y : 128.0f;
    t = nearest(y, &n);
    r = y - t;
  }
  float q = POLY4(r, 0x1.62e42ap-1f, 0x1.ebf9bcp-3f, 0x1.c6b752p-5f, 0x1.3cea88p-7f, 0x1.5bba14p-10f);
  float p = term_of(r, q, 1.0f);
  if (__kiln_avx512()) return __kiln_scalef_f(small ? 0.0f : p, t);
  return small ? 0.0f : as_float(as_int(p) + (int)((uint)n << 23));
}

INLINE float e_to(float x) { return two_to(x * LOG2E_HI_F); }
INLINE float ten_to(float x) { return two_to(x * 0x1.a934fp+1f); }

BOTH(exp, e_to)
BOTH(exp2, two_to)
BOTH(exp10, ten_to)

/* ---- logarithms ---- */

/* One logarithm. LOG2: of 2. With AVX-512 x = 2^e m, c near 1/m by the first bits of m, exactly 1 about 1:
 * log x = e log 2 - log c + r P(r), r = m c - 1, -1/32 <= r < 1/16; T0...: -log c. Otherwise x = 2^e (1 + f),
 * log x = e log 2 + f W(f). Both minimax relative, 2^-22.9 and 2^-22.5. */
#define LOGARITHM(F, LOG2, P, W, ...)                                                              \
  INLINE float F(float x) {                                                                        \
    if (__kiln_avx512()) {                                                                         \
      float m = __kiln_getmant_f(x), e = __kiln_getexp_f(x) - __kiln_getexp_f(m);                  \
      int i = as_int(m) >> 19;                                                                     \
      float r = term_of(m, __kiln_look_up_f(i, RECIPROCALS), -1.0f);                                \
      return term_of(r, P(r), term_of(e, LOG2, __kiln_look_up_f(i, __VA_ARGS__)));                   \
    }                                                                                              \
    int b = as_int(x) - 0x3f400000;                                                                \
    float f = as_float((b & 0x007fffff) + 0x3f400000) - 1.0f;                                      \
    float r = term_of((float)(b >> 23), LOG2, f * W(f));                                            \
    return x < 0x1p-126f ? -INFINITY : r;                                                          \
  }
#define RECIPROCALS                                                                                \
  0x1p+0f, 0x1.d41d42p-1f, 0x1.bacf92p-1f, 0x1.a41a42p-1f, 0x1.8f9c18p-1f, 0x1.7d05f4p-1f,         \
      0x1.6c16c2p-1f, 0x1.5c9882p-1f, 0x1.4e5e0ap+0f, 0x1.414142p+0f, 0x1.3521dp+0f,               \
      0x1.29e412p+0f, 0x1.1f7048p+0f, 0x1.15b1e6p+0f, 0x1.0c9714p+0f, 0x1p+0f

#define LN_P(r) POLY3(r, 0x1.fffffep-1f, -0x1.00015ap-1f, 0x1.5588f8p-2f, -0x1.e9597ep-3f)
#define LN_W(f)                                                                                    \
  POLY7(f, 0x1.000002p+0f, -0x1.000048p-1f, 0x1.554bfap-2f, -0x1.ff8652p-3f, 0x1.9bd002p-3f,       \
        -0x1.63c87ap-3f, 0x1.216baep-3f, -0x1.1039p-4f)
LOGARITHM(ln_of, 0x1.62e43p-1f, LN_P, LN_W, 0x0p+0f, 0x1.6f0d28p-4f, 0x1.29552cp-3f, 0x1.9525a8p-3f, 0x1.fb918cp-3f,
          0x1.2e8e2cp-2f, 0x1.5d1bdap-2f, 0x1.89a33ap-2f, -0x1.1178e6p-2f, -0x1.d10384p-3f, -0x1.823c18p-3f,
          -0x1.365fc6p-3f, -0x1.da7278p-4f, -0x1.4d3116p-4f, -0x1.894a84p-5f, 0x0p+0f)

#define LOG2_P(r) POLY3(r, 0x1.715476p+0f, -0x1.71566ap-1f, 0x1.ecbb1cp-2f, -0x1.60fdbap-2f)
#define LOG2_W(f)                                                                                  \
  POLY7(f, 0x1.71547ap+0f, -0x1.7154dep-1f, 0x1.ec631ep-2f, -0x1.70fcbp-2f, 0x1.290f58p-2f,        \
        -0x1.00a4aep-2f, 0x1.a18bb2p-3f, -0x1.88bbf8p-4f)
LOGARITHM(log2_of, 1.0f, LOG2_P, LOG2_W, 0x0p+0f, 0x1.08c588p-3f, 0x1.acf5dep-3f, 0x1.24407ap-2f, 0x1.6e222p-2f,
          0x1.b47ecp-2f, 0x1.f7a854p-2f, 0x1.1bf314p-1f, -0x1.8a897ep-2f, -0x1.4f6fbep-2f, -0x1.169c06p-2f,
          -0x1.bfc674p-3f, -0x1.563dc4p-3f, -0x1.e0b1bp-4f, -0x1.1bb314p-4f, 0x0p+0f)

#define LOG10_P(r) POLY3(r, 0x1.bcb7bp-2f, -0x1.bcba0ap-3f, 0x1.28a75p-3f, -0x1.a90b2cp-4f)
#define LOG10_W(f)                                                                                 \
  POLY7(f, 0x1.bcb7b6p-2f, -0x1.bcb82ep-3f, 0x1.287256p-3f, -0x1.bc4ep-4f, 0x1.65b22p-4f,          \
        -0x1.35078p-4f, 0x1.f6c66ep-5f, -0x1.d8e63p-6f)
LOGARITHM(log10_of, 0x1.344136p-2f, LOG10_P, LOG10_W, 0x0p+0f, 0x1.3ed118p-5f, 0x1.02428ap-4f, 0x1.5fe804p-4f,
          0x1.b8de52p-4f, 0x1.06cbd6p-3f, 0x1.2f3b68p-3f, 0x1.55e8c6p-3f, -0x1.db11ecp-4f, -0x1.93e7e2p-4f,
          -0x1.4f7abp-4f, -0x1.0d966ap-4f, -0x1.9c197cp-5f, -0x1.21681cp-5f, -0x1.559bb8p-6f, 0x0p+0f)

BOTH(log, ln_of)
BOTH(log2, log2_of)
BOTH(log10, log10_of)

/* ---- roots ---- */

BOTH(rsqrt, one_over_root)

/* ---- powers: 2^(y log2 x) ---- */

RELAXED(powr)(float x, float y) { return two_to(y * log2_of(x)); }
NATIVE(powr)(float x, float y) { return two_to(y * log2_of(x)); }

RELAXED(pow)(float x, float y) {
  float half_y = 0.5f * y;
  bool odd = half_y != rint_of(half_y); /* where y is no integer x is not negative */
  return flip_sign(two_to(y * log2_of(fabs_of(x))), odd ? as_int(x) & (int)0x80000000 : 0);
}

RELAXED(pown)(float x, int n) {
  return flip_sign(two_to((float)n * log2_of(fabs_of(x))), as_int(x) & (int)((uint)n << 31));
}

RELAXED(rootn)(float x, int n) {
  return flip_sign(two_to(log2_of(fabs_of(x)) * quotient(1.0f, (float)n)), as_int(x) & (int)((uint)n << 31));
}

/* ---- trigonometric functions, reduced as if |x| were below 2^17 ---- */

/* sin r for |r| <= pi/2, minimax, 2^-27: Fourier transforms take their factors from here. */
INLINE float sine_near_zero(float r) {
  float z = r * r;
  float p = POLY3(z, -0x1.555548p-3f, 0x1.110e6ap-7f, -0x1.9f5fe2p-13f, 0x1.5cf82ap-19f);
  return term_of(r * z, p, r);
}

/* The integer nearest to x c, |x c| < 2^22, and as *n. */
INLINE float nearest_product(float x, float c, __private int *n) {
  float t = term_of(x, c, 0x1.8p+23f);
  *n = as_int(t);
  return t - 0x1.8p+23f;
}

/* x - t pi */
INLINE float rest_of_half_turns(float x, float t) { return term_of(t, -0x1.4442dp-23f, term_of(t, -0x1.921fb4p+1f, x)); }

INLINE float sine(float x) {
  int n;
  float t = nearest_product(x, INVPI_HI_F, &n);
  return flip_sign(sine_near_zero(rest_of_half_turns(x, t)), (int)((uint)n << 31));
}

/* By half turns and a quarter. */
INLINE float cosine(float x) {
  int n;
  float t = nearest(term_of(x, INVPI_HI_F, 0.5f), &n) - 0.5f;
  return flip_sign(sine_near_zero(rest_of_half_turns(x, t)), (int)((uint)n << 31));
}

/* tan(q pi/2 + r) = n/d; minimax relative, 2^-23.8, |r| <= pi/4. */
INLINE float tangent(float x) {
  int q;
  float t = nearest_product(x, 0x1.45f306p-1f, &q);
  float r = rest_of_half_turns(x, 0.5f * t), z = r * r;
  float n = r * term_of(z, -0x1.87ce8ap-4f, 1.0f);
  float d = POLY2(z, 1.0f, -0x1.b748fcp-2f, 0x1.3cb66p-7f);
  return quotient(q & 1 ? -d : n, q & 1 ? n : d);
}

BOTH(sin, sine)
BOTH(cos, cosine)
BOTH(tan, tangent)

#define SINCOS(SPACE)                                                                              \
  RELAXED(sincos)(float x, SPACE float *c) {                                                       \
    *c = cosine(x);                                                                                \
    return sine(x);                                                                                \
  }
FOR_SPACES(SINCOS)

/* sin(pi r) for |r| <= 1/2, minimax, 2^-28. */
INLINE float sine_of_half_turns(float r) {
  float z = r * r;
  return r * POLY4(z, 0x1.921fb4p+1f, -0x1.4abbb6p+2f, 0x1.46676ep+1f, -0x1.3232f6p-1f, 0x1.3c4afap-4f);
}

RELAXED(sinpi)(float x) {
  int n;
  float t = nearest(x, &n);
  return flip_sign(sine_of_half_turns(x - t), (int)((uint)n << 31));
}

RELAXED(cospi)(float x) {
  int n;
  float t = nearest(x + 0.5f, &n) - 0.5f;
  return flip_sign(sine_of_half_turns(x - t), (int)((uint)n << 31));
}

/* ---- inverse trigonometric functions ---- */

/* atan t for |t| <= 1, minimax relative, 2^-17.6. */
INLINE float atan_near_zero(float t) {
  float z = t * t;
  float p = POLY4(z, -0x1.551548p-2f, 0x1.91c872p-3f, -0x1.f5d24ep-4f, 0x1.e17226p-5f, -0x1.c947dcp-7f);
  return term_of(t * z, p, t);
}

RELAXED(atan)(float x) {
  float a = fabs_of(x);
  bool big = a > 1.0f;
  float p = atan_near_zero(big ? quotient(1.0f, a) : a);
  return copysign_of(big ? PIO2_HI_F - p : p, x);
}

RELAXED(atan2)(float y, float x) {
  float a = fabs_of(y), b = fabs_of(x);
  bool steep = a > b;
  float low = steep ? b : a, high = steep ? a : b;
  float t = quotient(low, high);
  float p = atan_near_zero(high == 0.0f ? 0.0f : t);
  float r = steep ? PIO2_HI_F - p : p;
  r = as_int(x) < 0 ? PI_HI_F - r : r;
  return copysign_of(r, y);
}

/* asin a for 0 <= a <= 1 is p, or pi/2 - 2p where *big. Minimax relative, 2^-19. */
INLINE float asin_part(float a, __private bool *big) {
  *big = a > 0.5f;
  float z = *big ? term_of(a, -0.5f, 0.5f) : a * a, s = *big ? sqrt_of(z) : a;
  return term_of(s * z, POLY2(z, 0x1.559be6p-3f, 0x1.268066p-4f, 0x1.069562p-4f), s);
}

RELAXED(asin)(float x) {
  bool big;
  float p = asin_part(fabs_of(x), &big);
  return copysign_of(big ? term_of(p, -2.0f, PIO2_HI_F) : p, x);
}

RELAXED(acos)(float x) {
  bool big;
  float p = asin_part(fabs_of(x), &big);
  float near_end = x < 0.0f ? term_of(p, -2.0f, PI_HI_F) : p + p;
  return big ? near_end : PIO2_HI_F - copysign_of(p, x);
}

/* ---- hyperbolic functions ---- */

RELAXED(cosh)(float x) {
  float e = two_to(term_of(fabs_of(x), LOG2E_HI_F, -1.0f)); /* half of e^|x| */
  return e + quotient(0.25f, e);
}

/* Below 1/4 by the first terms of the series, 2^-18 relative. */
RELAXED(sinh)(float x) {
  float a = fabs_of(x), z = x * x;
  float e = two_to(term_of(a, LOG2E_HI_F, -1.0f));
  float small = term_of(x * z, term_of(z, 0x1.111112p-7f, 0x1.555556p-3f), x);
  return a < 0.25f ? small : copysign_of(e - quotient(0.25f, e), x);
}

/* 1 - 2/(e^2a + 1) */
RELAXED(tanh)(float x) {
  float a = fabs_of(x), z = x * x;
  float e = two_to((a < 10.0f ? a : 10.0f) * (2.0f * LOG2E_HI_F));
  float small = term_of(x * z, term_of(z, 0x1.111112p-3f, -0x1.555556p-2f), x);
  return a < 0.25f ? small : copysign_of(term_of(quotient(1.0f, e + 1.0f), -2.0f, 1.0f), x);
}
