/* Every scalar conversion, in every rounding mode, saturated and not, against the processor's own rounding modes
 * through long double, which holds every value of every type exactly. */
#include "builtins_jit.h"

#include <fenv.h>

enum kind { CHAR, UCHAR, SHORT, USHORT, INT, UINT, LONG, ULONG, HALF, FLOAT, DOUBLE, KINDS };

static const struct {
  const char *name;
  unsigned size;
  bool real, sign;
} types[KINDS] = {{"char", 1, false, true},  {"uchar", 1, false, false}, {"short", 2, false, true},
                  {"ushort", 2, false, false}, {"int", 4, false, true},  {"uint", 4, false, false},
                  {"long", 8, false, true},  {"ulong", 8, false, false}, {"half", 2, true, true},
                  {"float", 4, true, true},  {"double", 8, true, true}};

static const struct {
  const char *suffix;
  int mode; /* -1: the default of the target's kind */
} modes[] = {{"", -1}, {"_rte", FE_TONEAREST}, {"_rtz", FE_TOWARDZERO}, {"_rtp", FE_UPWARD}, {"_rtn", FE_DOWNWARD}};
enum { MODES = 5, MAX_VALUES = 70000 };

/* ---- values: bits in a uint64_t ---- */

static uint64_t values[KINDS][MAX_VALUES];
static unsigned counts[KINDS];

static long double half_value(uint16_t h) {
  int e = h >> 10 & 31;
  long double m = h & 0x3ff;
  long double v = e == 31 ? (m == 0.0L ? (long double)INFINITY : (long double)NAN)
                  : e == 0 ? ldexpl(m, -24) : ldexpl(m + 1024, e - 25);
  return h >> 15 ? -v : v;
}

static long double value_of(enum kind k, uint64_t bits) {
  float f;
  double d;
  switch (k) {
  case CHAR: return (int8_t)bits;
  case UCHAR: return (uint8_t)bits;
  case SHORT: return (int16_t)bits;
  case USHORT: return (uint16_t)bits;
  case INT: return (int32_t)bits;
  case UINT: return (uint32_t)bits;
  case LONG: return (int64_t)bits;
  case ULONG: return bits;
  case HALF: return half_value((uint16_t)bits);
  case FLOAT: memcpy(&f, &bits, 4); return f;
  default: memcpy(&d, &bits, 8); return d;
  }
}

static void add(enum kind k, uint64_t bits) {
  if (types[k].size < 8) bits &= (UINT64_C(1) << 8 * types[k].size) - 1;
  if (counts[k] < MAX_VALUES) values[k][counts[k]++] = bits;
}

static void add_float(float f) {
  for (int i = -2; i <= 2; i++) {
    uint32_t u;
    memcpy(&u, &f, 4);
    add(FLOAT, u + (uint32_t)i);
  }
}

static void add_double(double d) {
  uint64_t u;
  memcpy(&u, &d, 8);
  for (int i = -2; i <= 2; i++) add(DOUBLE, u + (uint64_t)i);
  add_float((float)d);
}

static uint64_t random_bits(void) {
  static uint64_t seed = 88172645463325252u;
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return seed;
}

static void make_values(void) {
  for (unsigned i = 0; i < 65536; i++) {
    if (i < 256) add(CHAR, i), add(UCHAR, i);
    if (i % 5 == 0 || i < 300) add(SHORT, i), add(USHORT, i);
    if (i % 3 == 0 || (i & 0x3ff) < 8) add(HALF, i);
  }
  /* around every power of two: neighbours, and the halfway points of shorter mantissas */
  for (int p = 0; p < 64; p++)
    for (int q = 0; q < 64; q++)
      for (int d = -1; d <= 1; d++) {
        uint64_t v = (UINT64_C(1) << p) + (q < p ? UINT64_C(1) << q : 0) + (uint64_t)d;
        add(LONG, v), add(LONG, -v), add(ULONG, v), add(ULONG, -v);
        if (p < 32) add(INT, v), add(INT, -v), add(UINT, v), add(UINT, -v);
        if (d == 0) add_double((double)v), add_double(-(double)v), add_double((double)v * 0.5);
      }
  /* halfway between halves, and next to it */
  for (unsigned h = 0; h < 0x7c00; h += 37) {
    double middle = (double)(half_value((uint16_t)h) + half_value((uint16_t)(h + 1))) / 2;
    add_double(h == 0x7bff ? 65520.0 : middle);
    add_double((double)half_value((uint16_t)h));
  }
  add_double(65520.0), add_double(65504.0), add_double(65536.0), add_double(0x1p-25), add_double(0x1p-26);
  for (int i = 0; i < 3000; i++) {
    for (enum kind k = 0; k < KINDS; k++) add(k, random_bits() >> (k == LONG || k == ULONG ? random_bits() % 64 : 0));
    add_float((float)((double)(int64_t)random_bits() * 0x1p-40));
    add_double((double)(int64_t)random_bits() * 0x1p-40);
    add_double(ldexp((double)(int64_t)random_bits(), -190));
  }
  add(FLOAT, 0x7f800000), add(FLOAT, 0xff800000), add(FLOAT, 0x7fc00000), add(FLOAT, 0x7f7fffff);
  add(DOUBLE, 0x7ff0000000000000), add(DOUBLE, 0xfff0000000000000), add(DOUBLE, 0x7ff8000000000000);
  add(DOUBLE, 0x7fefffffffffffff), add(DOUBLE, 0xffefffffffffffff), add_double(0.0), add_double(-0.0);
}

/* ---- references ---- */

static long double smallest(enum kind k) { return types[k].sign ? -ldexpl(1, 8 * (int)types[k].size - 1) : 0; }
static long double largest(enum kind k) {
  return ldexpl(1, 8 * (int)types[k].size - types[k].sign) - 1;
}

static uint64_t mask(enum kind k, uint64_t v) {
  return types[k].size == 8 ? v : v & ((UINT64_C(1) << 8 * types[k].size) - 1);
}

static long double round_to_integer(long double v, int mode) {
  switch (mode) {
  case FE_TONEAREST: return rintl(v);
  case FE_UPWARD: return ceill(v);
  case FE_DOWNWARD: return floorl(v);
  default: return truncl(v);
  }
}

static uint16_t half_bits(long double v, int mode) {
  uint16_t sign = signbit(v) ? 0x8000 : 0;
  long double a = fabsl(v);
  if (isnan(v)) return 0x7e00;
  if (isinf(v)) return sign | 0x7c00;
  int e = a == 0.0L ? -14 : ilogbl(a);
  e = e < -14 ? -14 : e;
  long double q = ldexpl(a, 10 - e), low = floorl(q), rest = q - low;
  bool away = mode == FE_TONEAREST ? rest > 0.5L || (rest == 0.5L && fmodl(low, 2) == 1)
              : mode == FE_UPWARD ? rest > 0 && !sign : mode == FE_DOWNWARD ? rest > 0 && sign : false;
  uint32_t bits = (uint32_t)low + ((uint32_t)(e + 14) << 10) + away; /* low has the hidden bit when normal */
  bool infinite = bits >= 0x7c00;
  if (infinite && (e > 15 || bits > 0x7c00 || rest != 0 || low > 2047)) {
    bool to_inf = mode == FE_TONEAREST || (mode == FE_UPWARD && !sign) || (mode == FE_DOWNWARD && sign);
    bits = to_inf ? 0x7c00 : 0x7bff;
  }
  return sign | (uint16_t)bits;
}

/* The expected bits; false when the result is unspecified. */
static bool expect(enum kind to, enum kind from, uint64_t bits, int mode, bool saturated, uint64_t *out) {
  long double v = value_of(from, bits);
  float f;
  double d;
  if (!types[to].real) {
    if (isnan(v)) {
      *out = 0;
      return saturated;
    }
    long double r = round_to_integer(v, mode == -1 ? FE_TOWARDZERO : mode);
    bool inside = r >= smallest(to) && r <= largest(to);
    if (!inside && !saturated && types[from].real) return false;
    if (!inside && !saturated) {
      *out = mask(to, bits); /* modulo */
      if (types[from].sign && v < 0) *out = mask(to, (uint64_t)(int64_t)v);
      return true;
    }
    r = r < smallest(to) ? smallest(to) : r > largest(to) ? largest(to) : r;
    *out = mask(to, r < 0 ? (uint64_t)(int64_t)r : (uint64_t)r);
    return true;
  }
  mode = mode == -1 ? FE_TONEAREST : mode;
  *out = 0;
  fesetround(mode);
  volatile long double source = v;
  if (to == HALF) *out = half_bits(v, mode);
  if (to == FLOAT) f = (float)source, memcpy(out, &f, 4);
  if (to == DOUBLE) d = (double)source, memcpy(out, &d, 8);
  fesetround(FE_TONEAREST);
  return true;
}

/* ---- the run ---- */

typedef void batch(void *out, const void *in, int n);

static char *make_source(void) {
  size_t cap = 1 << 20, len = 0;
  char *source = malloc(cap);
  for (enum kind to = 0; to < KINDS; to++)
    for (enum kind from = 0; from < KINDS; from++)
      for (unsigned m = 0; m < MODES; m++)
        for (int sat = 0; sat <= !types[to].real; sat++) {
          const char *s = sat ? "_sat" : "";
          len += (size_t)snprintf(source + len, cap - len,
                                  "void t_%s%s%s_%s(global %s *o, global const %s *a, int n)"
                                  " { for (int i = 0; i < n; i++) o[i] = convert_%s%s%s(a[i]); }\n",
                                  types[to].name, s, modes[m].suffix, types[from].name, types[to].name,
                                  types[from].name, types[to].name, s, modes[m].suffix);
        }
  assert_true(len < cap);
  return source;
}

static LLVMOrcLLJITRef jit;

/* Errors of one conversion over all values of the source type. */
static unsigned check(enum kind to, enum kind from, unsigned m, bool sat) {
  static uint8_t in[MAX_VALUES * 8], out[MAX_VALUES * 8];
  char symbol[64];
  snprintf(symbol, sizeof symbol, "t_%s%s%s_%s", types[to].name, sat ? "_sat" : "", modes[m].suffix, types[from].name);
  batch *run = (batch *)(uintptr_t)jit_symbol(jit, symbol);
  for (unsigned i = 0; i < counts[from]; i++) memcpy(in + i * types[from].size, &values[from][i], types[from].size);
  run(out, in, (int)counts[from]);
  unsigned bad = 0;
  for (unsigned i = 0; i < counts[from]; i++) {
    uint64_t want, got = 0;
    if (!expect(to, from, values[from][i], modes[m].mode, sat, &want)) continue;
    memcpy(&got, out + i * types[to].size, types[to].size);
    bool both_nan = types[to].real && isnan(value_of(to, got)) && isnan(value_of(to, want));
    if (got == want || both_nan) continue;
    if (bad++ == 0)
      print_message("%s: %La gives %llx, want %llx\n", symbol, value_of(from, values[from][i]),
                    (unsigned long long)got, (unsigned long long)want);
  }
  return bad;
}

static void all_conversions(void **state) {
  unsigned bad = 0, count = 0;
  for (enum kind to = 0; to < KINDS; to++)
    for (enum kind from = 0; from < KINDS; from++)
      for (unsigned m = 0; m < MODES; m++)
        for (int sat = 0; sat <= !types[to].real; sat++) {
          bad += check(to, from, m, sat) != 0;
          count++;
        }
  print_message("%u conversions, %u wrong\n", count, bad);
  assert_int_equal(bad, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_conversions)};
  make_values();
  char *source = make_source();
  jit = jit_load(source, "-cl-std=CL1.2", true);
  free(source);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
