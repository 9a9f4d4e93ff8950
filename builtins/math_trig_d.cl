/* Trigonometric functions of double; see math_trig.cl, whose plan they follow.
 * Cody and Waite's reduction serves |x| < 2^30. */
#include "math_d.h"

OVER ulong mul_hi(ulong, ulong);

/* The bits of 2/pi, from one word before the point on. */
__constant ulong two_over_pi[20] = {
    0,                  0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41,
    0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab};

INLINE ulong bits_at(int i, int shift) {
  ulong next = shift == 0 ? 0 : two_over_pi[i + 1] >> (64 - shift);
  return two_over_pi[i] << shift | next;
}

/* x 2/pi modulo 4 in 128 bits, 126 of them behind the point; low half through the pointer. |x| >= 2^30. */
INLINE ulong fixed_large(double x, __private ulong *low) {
  ulong b = as_ulong(x);
  int e = (int)(b >> 52 & 0x7ff) - 1075; /* |x| = m 2^e, -23 < e <= 971 */
  e = e > 971 ? 0 : e;
  ulong m = (b & 0x000fffffffffffff) | 0x0010000000000000;
  int start = e + 62, i = start >> 6, shift = start & 63;
  ulong w0 = bits_at(i, shift), w1 = bits_at(i + 1, shift), w2 = bits_at(i + 2, shift);
  *low = m * w1 + mul_hi(m, w2);
  return m * w0 + mul_hi(m, w1) + (*low < m * w1);
}

COLD int __kiln_trig_large_quadrant(double x) {
  ulong low, high = fixed_large(x, &low);
  int q = (int)(high >> 62) + (int)(high >> 61 & 1);
  return as_long(x) < 0 ? -q : q;
}

/* The angle beyond whole quarter turns, and what rounding took of it. */
INLINE double angle_large(double x, __private double *rest) {
  ulong low, high = fixed_large(x, &low);
  high = high << 2 | low >> 62;
  low <<= 2;
  bool negative = (long)high < 0; /* the fraction, nearest to 0 */
  high = negative ? ~high + (low == 0) : high;
  low = negative ? -low : low;
  int zeros = high ? (int)__builtin_clzg(high, 64) : 0;
  high = zeros ? high << zeros | low >> (64 - zeros) : high;
  double f = (double)(high >> 11), fl = (double)(high & 0x7ff) * 0x1p-11;
  double t = term_of(fl, PIO2_HI, f * PIO2_LO), r = term_precise(f, PIO2_HI, t), scale = 0x1p-53 * pow2_double(-zeros);
  bool special = !(fabs_of(x) < INFINITY), minus = negative != (as_long(x) < 0);
  *rest = negate_if((t - rest_of(r, f, PIO2_HI)) * scale, minus);
  return special ? NAN : negate_if(r * scale, minus);
}

COLD double __kiln_trig_large(double x) {
  double rest;
  return angle_large(x, &rest);
}

/* |x| < 2^30. pi/2 in three parts, all positive so that -0 stays. */
INLINE double reduce_small(double x, __private int *q) {
  double t = nearest_of(x, 0x1.45f306dc9c883p-1, q);
  return rest_of_parts(x, t, PIO2_HI, 0x1.1a62633145c06p-54, 0x1.c1cd129024e09p-107);
}

INLINE double reduce(double x, __private int *q) {
  double r = reduce_small(x, q);
  if (unlikely(!(fabs_of(x) < 0x1p+30))) {
    r = __kiln_trig_large(x);
    *q = __kiln_trig_large_quadrant(x);
  }
  return r;
}

/* On |r| <= pi/4, minimax: sine relative 2^-68, cosine 2^-64. The sine is r and its rest, the cosine 1 - z/2 and
 * its rest, z = r r. */
INLINE double sine_rest(double r, double low) {
  double z = r * r;
  double p = POLY6(z, -0x1.5555555555555p-3, 0x1.111111111110bp-7, -0x1.a01a01a018a44p-13, 0x1.71de3a532c45dp-19,
                   -0x1.ae645286ccd75p-26, 0x1.612087621fba9p-33, -0x1.aa9f91f0eb462p-41);
  return term_of(r * z, p, low);
}

INLINE double cosine_rest(double z) {
  double p = POLY5(z, 0x1.555555555554bp-5, -0x1.6c16c16c150b6p-10, 0x1.a01a019c9d568p-16,
                   -0x1.27e4f7fa98896p-22, 0x1.1ee9e11906e17p-29, -0x1.8fa8d3872d14bp-37);
  double h = 0.5 * z, w = 1.0 - h;
  return term_of(z * z, p, (1.0 - w) - h);
}

INLINE double sin_near_zero(double r) { return r + sine_rest(r, 0.0); }

INLINE double cos_near_zero(double r) {
  double z = r * r;
  return (1.0 - 0.5 * z) + cosine_rest(z);
}

INLINE double turn(double s, double c, int q) { return negate_if(q & 1 ? c : s, q & 2); }

/* x = t pi + r, |r| <= pi/2. Beyond 2^30 from quarter turns; more: how many to add. *n: half turns. */
INLINE double reduce_half(double x, double t, int more, __private int *n) {
  double r = rest_of_parts(x, t, PI_HI, 0x1.1a62633145c06p-53, 0x1.c1cd129024e09p-106);
  if (unlikely(!(fabs_of(x) < 0x1p+30))) {
    r = __kiln_trig_large(x);
    int q = __kiln_trig_large_quadrant(x) + more;
    bool odd = q & 1, up = r > 0.0;
    *n = (q + (odd & up)) >> 1;
    r -= odd ? copysign_of(PIO2_HI, r) : 0.0;
  }
  return r;
}

/* sin(n pi + r): half turns make do with one polynomial. Minimax relative, 2^-61.7. */
INLINE double sine_of_half_turns(double r, int n) {
  double z = r * r;
  double p = POLY7(z, -0x1.5555555555555p-3, 0x1.11111111110c1p-7, -0x1.a01a01a0148bcp-13, 0x1.71de3a5287c74p-19,
                   -0x1.ae6454cb573ap-26, 0x1.6123cb28fe174p-33, -0x1.ae431d9701dbfp-41, 0x1.8829a2c914df4p-49);
  return copysign_of(term_of(r * z, p, r), negate_if(r, n & 1));
}

OVER double sin(double x) {
  int n;
  double t = nearest_of(x, INVPI_HI, &n);
  double r = reduce_half(x, t, 0, &n);
  return sine_of_half_turns(r, n);
}

/* sin(x + pi/2) */
OVER double cos(double x) {
  int n;
  double t = nearest(term_of(x, INVPI_HI, 0.5), &n) - 0.5;
  double r = reduce_half(x, t, 1, &n);
  return sine_of_half_turns(r, n);
}

#define SINCOS(SPACE)                                                                              \
  OVER double sincos(double x, SPACE double *cosine) {                                             \
    int q;                                                                                         \
    double r = reduce(x, &q), s = sin_near_zero(r), c = cos_near_zero(r);                     \
    double y = turn(s, c, q);                                                                      \
    *cosine = turn(s, c, q + 1);                                                                   \
    return fabs_of(x) < 0x1p-27 ? x : y;                                                           \
  }
FOR_SPACES(SINCOS)

/* Sine over cosine, both in two parts: half a unit in the last place, as references that round the angle to a
 * double are off by four themselves. */
COLD double __kiln_tan_large(double x) {
  double rest, r = angle_large(x, &rest), z = r * r, zl = -rest_of(z, r, r);
  double sl = sine_rest(r, rest), w = 1.0 - 0.5 * z, cl = cosine_rest(z) - term_of(0.5, zl, r * rest);
  bool odd = __kiln_trig_large_quadrant(x) & 1;
  double n = odd ? -w : r, nl = odd ? -cl : sl, d = odd ? r : w, dl = odd ? sl : cl;
  double a = n + nl, al = nl - (a - n), b = d + dl, bl = dl - (b - d), y = a / b;
  return y + (rest_of(a, y, b) + term_of(-y, bl, al)) / b;
}

/* As the float function; minimax relative, 2^-55. */
INLINE double tan_of_rest(double r, int q) {
  double z = r * r;
  double n = r * POLY3(z, 1.0, -0x1.06b8f80c91b7p-3, 0x1.6fc351924929fp-9, -0x1.f625a2c0692ep-18);
  double d = POLY3(z, 1.0, -0x1.d8b1d15b9e2eap-2, 0x1.7e7993925d73ep-6, -0x1.b51d3fea845bep-13);
  return quotient(q & 1 ? -d : n, q & 1 ? n : d);
}

OVER double tan(double x) {
  int q;
  double r = reduce_small(x, &q), y = tan_of_rest(r, q);
  if (unlikely(!(fabs_of(x) < 0x1p+30))) y = __kiln_tan_large(x);
  return y;
}

/* x modulo 2, from -1 to 1; exact. */
INLINE double half_turns(double x) { return term_of(-2.0, rint_of(0.5 * x), x); }

/* sin(pi r) for |r| <= 1/2; minimax relative, 2^-61; the first coefficient, near pi, in two parts. */
INLINE double sinpi_near_zero(double r) {
  double p = POLY8(r * r, 0x1.18855f68a8481p-53, -0x1.4abbce625be52p+2, 0x1.466bc6775aa6ep+1, -0x1.32d2cce627543p-1,
                   0x1.50783485190cap-4, -0x1.e3074ddd1d695p-8, 0x1.e8f35e9d58319p-12, -0x1.6f79770c2d50fp-16,
                   0x1.9d1b869195c75p-21);
  return term_precise(r, PI_HI, r * p);
}

OVER double sinpi(double x) {
  double u = half_turns(x), y = sinpi_near_zero(fabs_of(u) > 0.5 ? copysign_of(1.0, u) - u : u);
  return y == 0.0 ? copysign_of(0.0, x) : y;
}

OVER double cospi(double x) { return sinpi_near_zero(0.5 - fabs_of(half_turns(x))) + 0.0; }

OVER double tanpi(double x) {
  int q;
  double u = half_turns(x), r = term_of(nearest(u + u, &q), -0.5, u) * PI_HI;
  double at_zero = q & 1 ? negate_if(INFINITY, q & 2) : negate_if(copysign_of(0.0, x), q & 2);
  return r == 0.0 ? at_zero : tan_of_rest(r, q);
}
