/* See sample.h. */
#include "sample.h"

#include <math.h>

/* A good mix of the bits of a counter (splitmix64), so that any sample can be made on its own. */
static uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

static const double specials[] = {0,    1,    2,   3,   0.5, 1.5,  0.25, 10,  100,  7,   89,
                                  1e-5, 1000, 128, 150, 710, 1024, 1075, 0.7, 1e10, 2.5, 171};
enum { NUM_SPECIALS = sizeof specials / sizeof *specials, NUM_EXTREMES = 7 };
/* each with both signs, and the extremes of the type */
enum { NUM_FIRST = 2 * (NUM_SPECIALS + NUM_EXTREMES) };

static uint64_t sign_bit(enum number_type type) { return (uint64_t)1 << (8 * number_formats[type].size - 1); }

static uint64_t special(enum number_type type, uint64_t i) {
  uint64_t sign = i % 2 ? sign_bit(type) : 0;
  unsigned fraction = (unsigned)number_formats[type].digits - 1;
  uint64_t infinity = (sign_bit(type) - 1) >> fraction << fraction, normal = (uint64_t)1 << fraction;
  const uint64_t extremes[NUM_EXTREMES] = {infinity,   infinity - 1, infinity | normal >> 1, 1,
                                           normal - 1, normal,       infinity - normal};
  i /= 2;
  if (i < NUM_SPECIALS) return number_bits(type, specials[i]) | sign;
  return extremes[i - NUM_SPECIALS] | sign;
}

/* Random significand and sign, exponent from low to high (of the type's bias). */
static uint64_t with_exponent(enum number_type type, uint64_t random, int low, int high) {
  const struct number_format *f = &number_formats[type];
  unsigned fraction = (unsigned)f->digits - 1;
  uint64_t e = (uint64_t)(low + (int)(random >> 40) % (high - low + 1) + f->most);
  uint64_t rest = mix(random);
  return (rest & (sign_bit(type) | (((uint64_t)1 << fraction) - 1))) | e << fraction;
}

/* The number nearest to a multiple of pi/4. */
static uint64_t near_quarter_turn(enum number_type type, uint64_t random) {
  double k = (double)(random >> 44) * (random & 1 ? 1.0 : 0.001);
  uint64_t bits = number_bits(type, floor(k) * M_PI_4);
  return bits + (random >> 3 & 3) - 1;
}

/* At any distance from 1, 2, 3 or 4, where some functions are 0 or turn. */
static uint64_t near_whole(enum number_type type, uint64_t random) {
  unsigned fraction = (unsigned)number_formats[type].digits - 1;
  uint64_t distance = (mix(random) & (((uint64_t)1 << fraction) - 1)) >> (random >> 8) % fraction;
  uint64_t bits = number_bits(type, (double)(1 + (random >> 20) % 4));
  return (random >> 30 & 1 ? bits + distance : bits - distance) | (random >> 31 & 1 ? sign_bit(type) : 0);
}

static uint64_t any_number(enum number_type type, uint64_t random) {
  uint64_t all = sign_bit(type) | (sign_bit(type) - 1);
  int most = number_formats[type].most, near = most < 24 ? most : 12;
  switch (random % 7) {
  case 0:
    return mix(random) & all;
  case 1:
    return with_exponent(type, random, -near, near);
  case 2:
    return with_exponent(type, random, -3, 3);
  case 3:
    return near_quarter_turn(type, random);
  case 4:
    return near_whole(type, random);
  case 5: /* by the edges of exponents */
    return (with_exponent(type, random, -near, most) & ~((uint64_t)0x3ff)) + (random >> 20 & 15) - 8;
  default:
    return with_exponent(type, random, -most + 1, most);
  }
}

/* An exponent y for which a^y is likely neither 0 nor infinite. */
static double matching_power(enum number_type type, double a, uint64_t random) {
  double range = number_formats[type].most + number_formats[type].digits,
         t = (double)(random >> 11) * 0x1p-53;
  double l = log2(fabs(a));
  return l == 0.0 || !isfinite(l) ? 2.0 : (2.0 * t - 1.0) * range / l;
}

/* b to an a: unrelated, of similar size, next to it, or an exponent. */
static uint64_t partner(enum number_type type, uint64_t a, uint64_t random) {
  unsigned fraction = (unsigned)number_formats[type].digits - 1;
  uint64_t rest = mix(random + 1);
  switch (random % 4) {
  case 0:
    return (a + ((rest % 9 - 4) << fraction)) ^ (rest >> 20 & (((uint64_t)1 << fraction) - 1));
  case 1:
    return (a + rest % 1024 - 512) ^ (rest & sign_bit(type));
  case 2:
    return number_bits(type, matching_power(type, number_value(type, a), rest));
  default:
    return any_number(type, rest);
  }
}

static int32_t integer(enum number_type type, uint64_t a, uint64_t random) {
  if (random % 4 == 0) return (int32_t)mix(random);
  if (random % 4 == 1) return (int32_t)(mix(random) % 2001) - 1000;
  if (random % 4 == 2) return (int32_t)(mix(random) % 21) - 10;
  double n = matching_power(type, number_value(type, a), mix(random));
  return fabs(n) < 0x1p31 ? (int32_t)n : 1;
}

static void fill_random(struct sample *s, uint64_t number, enum number_type type) {
  uint64_t random = mix(number);
  s->bits[0] = any_number(type, random);
  s->bits[1] = partner(type, s->bits[0], mix(random));
  s->bits[2] =
      random % 3 == 0 ? partner(type, s->bits[0], mix(random + 2)) : any_number(type, mix(random + 3));
  if (random % 5 == 0) /* for sums of products: c nearly -ab */
    s->bits[2] = number_bits(type, -number_value(type, s->bits[0]) * number_value(type, s->bits[1]));
  s->i = integer(type, s->bits[0], mix(random + 4));
}

void sample_fill(struct sample *out, size_t n, uint64_t first, enum number_type type,
                 enum arguments arguments, bool sweep) {
  uint64_t combinations = arguments == ONE ? NUM_FIRST : (uint64_t)NUM_FIRST * NUM_FIRST;
  for (size_t k = 0; k < n; k++) {
    uint64_t number = first + k;
    if (sweep) {
      out[k] = (struct sample){.bits = {number}};
    } else if (number < combinations) {
      uint64_t j = number / NUM_FIRST;
      out[k] = (struct sample){.bits = {special(type, number % NUM_FIRST), special(type, j % NUM_FIRST),
                                        special(type, (number + j) % NUM_FIRST)}};
      double value = number_value(type, out[k].bits[1]);
      out[k].i = fabs(value) < 0x1p31 ? (int32_t)value : value > 0 ? INT32_MAX : INT32_MIN;
    } else {
      fill_random(&out[k], number, type);
    }
  }
}
