/* Integer builtins of all eight types against 128-bit arithmetic. */
#include "builtins_jit.h"

typedef __int128 wide;

static const struct {
  const char *name;
  unsigned bits;
  bool sign;
} types[] = {{"char", 8, true}, {"uchar", 8, false}, {"short", 16, true}, {"ushort", 16, false},
             {"int", 32, true}, {"uint", 32, false}, {"long", 64, true},  {"ulong", 64, false}};
enum { TYPES = 8, COUNT = 20000 };

/* The type under test, for the references. */
static unsigned bits;
static bool sign;

static wide smallest(void) { return sign ? -((wide)1 << (bits - 1)) : 0; }
static wide largest(void) { return ((wide)1 << (bits - sign)) - 1; }
static wide clamp_wide(wide v) { return v < smallest() ? smallest() : v > largest() ? largest() : v; }
static uint64_t raw(wide v) { return (uint64_t)v & (bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1); }

static wide r_abs(wide a, wide b, wide c) { return a < 0 ? -a : a; }
static wide r_abs_diff(wide a, wide b, wide c) { return a > b ? a - b : b - a; }
static wide r_add_sat(wide a, wide b, wide c) { return clamp_wide(a + b); }
static wide r_sub_sat(wide a, wide b, wide c) { return clamp_wide(a - b); }
static wide r_hadd(wide a, wide b, wide c) { return (a + b) >> 1; }
static wide r_rhadd(wide a, wide b, wide c) { return (a + b + 1) >> 1; }
static wide r_max(wide a, wide b, wide c) { return a > b ? a : b; }
static wide r_min(wide a, wide b, wide c) { return a < b ? a : b; }
static wide r_clamp(wide a, wide b, wide c) {
  wide lo = b < c ? b : c, hi = b < c ? c : b;
  return a < lo ? lo : a > hi ? hi : a;
}
static wide r_clz(wide a, wide b, wide c) { return raw(a) == 0 ? bits : (unsigned)__builtin_clzll(raw(a)) - (64 - bits); }
static wide r_ctz(wide a, wide b, wide c) { return raw(a) == 0 ? bits : (unsigned)__builtin_ctzll(raw(a)); }
static wide r_popcount(wide a, wide b, wide c) { return __builtin_popcountll(raw(a)); }
static wide r_rotate(wide a, wide b, wide c) {
  unsigned s = (unsigned)(raw(b) % bits);
  return s == 0 ? a : (wide)(raw(a) << s | raw(a) >> (bits - s));
}
/* Unsigned 64-bit products need all 128 bits. */
static unsigned __int128 product(wide a, wide b) { return (unsigned __int128)a * (unsigned __int128)b; }
static wide r_mul_hi(wide a, wide b, wide c) {
  return sign ? a * b >> bits : (wide)(product(a, b) >> bits);
}
static wide r_mad_hi(wide a, wide b, wide c) { return r_mul_hi(a, b, 0) + c; }
static wide r_mad_sat(wide a, wide b, wide c) {
  if (!sign) {
    unsigned __int128 p = product(a, b);
    return p + (unsigned __int128)c > (unsigned __int128)largest() ? largest() : (wide)p + c;
  }
  return clamp_wide(a * b + c);
}
static wide r_bit_reverse(wide a, wide b, wide c) {
  uint64_t r = 0;
  for (unsigned i = 0; i < bits; i++) r |= (raw(a) >> i & 1) << (bits - 1 - i);
  return (wide)r;
}
/* Offset and count from the third operand, in range. */
static unsigned offset_of(wide c) { return (unsigned)(raw(c) & 0xff) % bits; }
static unsigned count_of(wide c) { return (unsigned)(raw(c) >> 3 & 0x7f) % (bits - offset_of(c) + 1); }
static uint64_t ones(unsigned n) { return n == 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1; }
static wide r_insert(wide a, wide b, wide c) {
  uint64_t m = count_of(c) == 0 ? 0 : ones(count_of(c)) << offset_of(c);
  return (wide)((raw(a) & ~m) | (raw(b) << offset_of(c) & m));
}
static wide r_extract_u(wide a, wide b, wide c) { return (wide)(raw(a) >> offset_of(c) & ones(count_of(c))); }
static wide r_extract_s(wide a, wide b, wide c) {
  unsigned n = count_of(c);
  uint64_t f = raw(a) >> offset_of(c) & ones(n);
  return n == 0 ? 0 : f >> (n - 1) & 1 ? (wide)f - ((wide)1 << n) : (wide)f;
}
static wide r_bitselect(wide a, wide b, wide c) { return (wide)((raw(a) & ~raw(c)) | (raw(b) & raw(c))); }
static wide r_select(wide a, wide b, wide c) { return c ? b : a; }

static const struct {
  const char *name, *call;
  wide (*reference)(wide, wide, wide);
} functions[] = {
    {"abs", "abs(x)", r_abs},
    {"abs_diff", "abs_diff(x, y)", r_abs_diff},
    {"add_sat", "add_sat(x, y)", r_add_sat},
    {"sub_sat", "sub_sat(x, y)", r_sub_sat},
    {"hadd", "hadd(x, y)", r_hadd},
    {"rhadd", "rhadd(x, y)", r_rhadd},
    {"max", "max(x, y)", r_max},
    {"min", "min(x, y)", r_min},
    {"clamp", "clamp(x, min(y, z), max(y, z))", r_clamp},
    {"clz", "clz(x)", r_clz},
    {"ctz", "ctz(x)", r_ctz},
    {"popcount", "popcount(x)", r_popcount},
    {"rotate", "rotate(x, y)", r_rotate},
    {"mul_hi", "mul_hi(x, y)", r_mul_hi},
    {"mad_hi", "mad_hi(x, y, z)", r_mad_hi},
    {"mad_sat", "mad_sat(x, y, z)", r_mad_sat},
    {"bit_reverse", "bit_reverse(x)", r_bit_reverse},
    {"insert", "bitfield_insert(x, y, OFFSET(z), COUNT(z))", r_insert},
    {"extract_u", "bitfield_extract_unsigned(x, OFFSET(z), COUNT(z))", r_extract_u},
    {"extract_s", "bitfield_extract_signed(x, OFFSET(z), COUNT(z))", r_extract_s},
    {"bitselect", "bitselect(x, y, z)", r_bitselect},
    {"select", "select(x, y, z)", r_select},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

typedef void batch(void *out, const void *a, const void *b, const void *c, int n);
static LLVMOrcLLJITRef jit;

static uint64_t random_bits(void) {
  static uint64_t seed = 88172645463325252u;
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return seed;
}

/* Edges often, small numbers often. */
static uint64_t sample(void) {
  static const uint64_t edges[] = {0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000,
                                   0xffffffff, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff};
  uint64_t r = random_bits();
  if (r % 4 == 0) return edges[r / 4 % (sizeof edges / sizeof *edges)];
  return random_bits() >> (r / 4 % 64);
}

static wide extend(uint64_t v) {
  v = raw((wide)v);
  return sign && v >> (bits - 1) & 1 ? (wide)v - ((wide)1 << bits) : (wide)v;
}

static unsigned check(size_t f, size_t t) {
  static uint64_t in[3][COUNT], out[COUNT];
  uint8_t *bytes[3];
  bits = types[t].bits;
  sign = types[t].sign;
  unsigned size = bits / 8, bad = 0;
  for (int k = 0; k < 3; k++) {
    bytes[k] = (uint8_t *)in[k];
    for (int i = 0; i < COUNT; i++) {
      uint64_t v = sample();
      memcpy(bytes[k] + (size_t)i * size, &v, size);
    }
  }
  char symbol[64];
  snprintf(symbol, sizeof symbol, "t_%s_%s", functions[f].name, types[t].name);
  ((batch *)(uintptr_t)jit_symbol(jit, symbol))(out, in[0], in[1], in[2], COUNT);
  for (int i = 0; i < COUNT; i++) {
    uint64_t v[3] = {0, 0, 0}, got = 0;
    for (int k = 0; k < 3; k++) memcpy(&v[k], bytes[k] + (size_t)i * size, size);
    memcpy(&got, (uint8_t *)out + (size_t)i * size, size);
    uint64_t want = raw(functions[f].reference(extend(v[0]), extend(v[1]), extend(v[2])));
    if (got != want && bad++ == 0)
      print_message("%s(%llx, %llx, %llx) gives %llx, want %llx\n", symbol, (unsigned long long)v[0],
                    (unsigned long long)v[1], (unsigned long long)v[2], (unsigned long long)got,
                    (unsigned long long)want);
  }
  return bad;
}

static void all_functions(void **state) {
  unsigned bad = 0;
  for (size_t f = 0; f < FUNCTIONS; f++)
    for (size_t t = 0; t < TYPES; t++) bad += check(f, t) != 0;
  assert_int_equal(bad, 0);
}

static void load(void) {
  static char source[65536];
  size_t len = 0;
  for (size_t t = 0; t < TYPES; t++) {
    const char *n = types[t].name;
    const char *u = types[t].sign ? "u" : "";
    len += (size_t)snprintf(source + len, sizeof source - len,
                            "#undef OFFSET\n#undef COUNT\n"
                            "#define OFFSET(z) ((uint)((z) & 0xff) %% %u)\n"
                            "#define COUNT(z) (((uint)((%s%s)(z) >> 3) & 0x7f) %% (%u - OFFSET(z) + 1))\n",
                            types[t].bits, u, n, types[t].bits);
    for (size_t f = 0; f < FUNCTIONS; f++)
      len += (size_t)snprintf(source + len, sizeof source - len,
                              "void t_%s_%s(global %s *o, global const %s *a, global const %s *b, global const %s *c,"
                              " int n) { for (int i = 0; i < n; i++) { %s x = a[i], y = b[i], z = c[i];"
                              " o[i] = %s; } }\n",
                              functions[f].name, n, n, n, n, n, n, functions[f].call);
  }
  assert_true(len + 1 < sizeof source);
  jit = jit_load(source, "-cl-std=CL3.0", true);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_functions)};
  load();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
