// Integer arithmetic: promotion, wrapping, shifts, division and the cases the specification leaves open, which must
// not end the program.
// run: -k checks -g 1 1 '[64]'
// expect: 1: 0
// run: -k checks -g 1 1 '[64]' -b '-cl-opt-disable'
// expect: 1: 0
// run: -k by_zero -g 64 '[64]=i-32' '[64]=i%8==3?0:i%8-4' '[64]'
// expect: 2: a1[i]==0 ? 0 : trunc(a0[i]/a1[i])*1000 + a0[i]-a1[i]*trunc(a0[i]/a1[i])
// run: -k ints -g 4096 '[4096]=floor(rand(i)*4294967296)' '[4096]=floor(rand(i+1)*pow(2,1+i%32))|1' '[4096]' '[4096]'
// expect: 2: floor(a0[i]/a1[i])
// expect: 3: trunc(int(a0[i])/int(a1[i]))*3+int(a0[i])-int(a1[i])*trunc(int(a0[i])/int(a1[i]))
// run: -k near -g 4096 '[4096]' '[4096]'
// expect: 0: i%64==0 ? 0 : 2*floor(4294967295/(1+i))
// expect: 1: 0
// run: -k all_widths -g 16 0 0-1 '[16]'
// expect: 2: 1
// run: -k all_widths -g 16 0 0-1 '[16]' -b '-cl-opt-disable'
// expect: 2: 1
// run: -k vectors -g 16 0 '[16]=1+i'
// expect: 1: floor(i/4)*4+1+i%4
// run: -k known_divisors -g 256 '[256]=(i-128)*7919'
// expect: 0: trunc((i-128)*7919/7) + mod((i-128)*7919,10) + trunc((i-128)*7919/-16) + mod((i-128)*7919,8)
// run: -k wide_quotients -g 400000 '[4]'
// expect: 0: 0
// run: -k wide_quotients_signed -g 400000 '[4]'
// expect: 0: 0
// run: -k wide_known_divisors -g 400000 '[4]'
// expect: 0: 0
// run: -k wide_quotients_masked -g 400000 '[4]'
// expect: 0: 0
// run: -k three_words -g 4096 '[4]'
// expect: 0: 0
// run: -k three_words -g 4096 '[4]' -b -kiln-width=1
// expect: 0: 0
// run: -k shared_divisors -g 4096 '[4096]' 97
// expect: 0: 0
// run: -k shared_divisors -g 4096 '[4096]' 1
// expect: 0: 0
// run: -k shared_divisors_masked -g 4096 '[4096]'
// expect: 0: 0
// run: -k small_quotients -g 65536 '[65536]'
// expect: 0: 0
// run: -k shifts -g 128 '[128]'
// expect: 0: i<64 ? 1<<(i%32) : (1<<31)>>(i%32)
// run: -k indices -g 64 '[64]=i'
// expect: 0: i+1
#define CHECK(condition) out[k++] = (condition) ? 0 : __LINE__

kernel void checks(int one, global int *out) {
  int k = 0;
  uchar uc = 255 * one;
  char c = -128 * one;
  ushort us = 65535 * one;
  short s = -32768 * one;
  uint u = one;
  ulong ul = one;
  long l = one;
  CHECK(uc + one == 256 && (uchar)(uc + one) == 0 && c - one == -129 && (char)(c - one) == 127);
  CHECK(us + one == 65536 && (ushort)(us + one) == 0 && (short)(s - one) == 32767);
  CHECK(u - 2 == 0xffffffffu && u - 2 > 0 && -u == 0xffffffffu && (int)u - 2 < 0);
  CHECK(ul - 2 == 0xffffffffffffffffUL && (long)u - 2 == -1);
  CHECK((u << 31) + (u << 31) == 0 && (u << 31) * 2 == 0 && (ul << 63) + (ul << 63) == 0);
  CHECK(-1 * one < 0u == 0 && -1L * one < 0u && (uchar)-1 == 255);
  CHECK((int)(0x80000000u * u) == INT_MIN && (l << 31) == 2147483648L && (one << 31) == INT_MIN);
  CHECK((uint)-1 / (uint)one == UINT_MAX && (ulong)-1 % 10 == 5 && -7 * one / 2 == -3 && -7 * one % 2 == -1);
  CHECK(~one == -2 && (one ^ -1) == -2 && (c & 0xff) == 128 && (s | 1) == -32767);
  CHECK((uc << 4) == 4080 && (c >> 3) == -16 && (uc >> 3) == 31);
  CHECK(c++ == -128 && c == -127 && --c == -128 && (uc += 2) == 1 && (us >>= 4) == 4095);
  CHECK((c -= 1) == 127 && (s *= 2) == 0 && (l = -l) == -1);
  CHECK(0x7fffffff + (long)one == 2147483648L && 4294967295 == 0xffffffffL && 2147483648 > 0);
  CHECK(010 == 8 && 0xffu == 255 && 'A' == 65 && '\n' == 10 && '\x41' == 65);
  CHECK(mul24(one * 3, 5) == 15 && mad24(one, 2, 3) == 5 && mul_hi(u << 31, 4u) == 2 && mul_hi(l << 62, 8L) == -2);
  CHECK(add_sat(c, (char)one) == 127 && sub_sat(uc, (uchar)2) == 0 && hadd(uc, (uchar)2) == 1);
  CHECK(rotate(u, 33u) == 2 && rotate((uchar)0x81, (uchar)4) == 0x18 && clz(u) == 31 && popcount(-one) == 32);
  CHECK(abs(INT_MIN * one) == 0x80000000u && abs_diff(INT_MIN * one, INT_MAX) == 0xffffffffu);
  CHECK(((void)one, one + 2) == 3 && (one ? 4 : 5) == 4 && (one && 0) == 0 && (one || 1 / (one - 1)) == 1);
  int untouched = 5;
  (void)(one == 0 && (untouched = 6));
  CHECK(untouched == 5 && (!one) == 0 && !!u == 1);
  CHECK((size_t)&out[1] - (size_t)out == 4 && &out[5] - out == 5 && *(out + one) == out[one] && 0 [out] == out[0]);
}

kernel void by_zero(global const int *a, global const int *b, global int *out) {
  size_t i = get_global_id(0);
  int q = a[i] / b[i], r = a[i] % b[i];
  out[i] = b[i] == 0 ? 0 : q * 1000 + r;
}

#define DIVIDE(T, MIN) \
  { \
    T least = (T)(MIN), x = least / (T)minus, y = least % (T)minus, z = least / (T)zero, w = (T)i % (T)zero; \
    sink += (int)x + (int)y + (int)z + (int)w; \
    T a = (T)(zero + 7); \
    ok &= a / (T)(zero + 2) == (T)3 && a % (T)(zero + 2) == (T)1; \
  }
kernel void all_widths(int zero, int minus, global int *out) {
  int i = get_global_id(0), sink = 0, ok = 1;
  DIVIDE(char, CHAR_MIN)
  DIVIDE(uchar, UCHAR_MAX)
  DIVIDE(short, SHRT_MIN)
  DIVIDE(ushort, USHRT_MAX)
  DIVIDE(int, INT_MIN)
  DIVIDE(uint, UINT_MAX)
  DIVIDE(long, LONG_MIN)
  DIVIDE(ulong, ULONG_MAX)
  out[i] = ok | (sink == 0x12345678 ? 2 & ok : 0);
}

kernel void vectors(int zero, global int *out) {
  size_t i = get_global_id(0);
  int4 d = (int4)(zero, 1, zero - 1, 2), least = (int4)(INT_MIN), q = least / d, r = least % d;
  uint4 uq = (uint4)(7) / as_uint4(d);
  char16 c = (char16)((char)-128) / (char16)((char)(zero - 1));
  long2 l = (long2)(LONG_MIN) % (long2)(zero - 1, zero);
  bool right = q.y == INT_MIN && q.w == INT_MIN / 2 && r.w == 0 && uq.w == 3 && uq.z == 0 && uq.y == 7;
  out[i] = right ? i + 1 : q.x + r.x + c.s0 + (int)l.x;
}

kernel void known_divisors(global int *x) {
  size_t i = get_global_id(0);
  x[i] = x[i] / 7 + x[i] % 10 + x[i] / -16 + x[i] % 8;
}

/* The count is taken modulo the width. */
kernel void shifts(global uint *out) {
  uint i = get_global_id(0);
  out[i] = i < 64 ? 1u << i : 0x80000000u >> (i + 32);
}

kernel void indices(global int *x) {
  uint i = get_global_id(0);
  global int *p = x + 32;
  x[(uchar)(i + 256)] += 1;
  if (p[(int)(i - 32u)] != (int)i + 1) x[i] = -1;
}
/* Of all lanes at once, every size of divisor. */
kernel void ints(global const uint *x, global const uint *y, global uint *u, global int *s) {
  size_t i = get_global_id(0);
  u[i] = x[i] / y[i];
  int a = (int)x[i], b = (int)y[i];
  s[i] = a / b * 3 + a % b;
}
/* Quotients next to whole numbers, under a mask; and of narrow types, all against multiplication. */
kernel void near(global uint *whole, global uint *wrong) {
  uint i = get_global_id(0), d = i + 1, q = 0xFFFFFFFFu / d, last = q * d;
  if (i % 64) whole[i] = last / d + (last - 1) / d + 1;
  uchar cx = i, cy = i >> 4 | 1;
  short sx = i * 40503, sy = (short)(i * 7 - 9999) | 1;
  int cq = cx / cy, cr = cx % cy, sq = sx / sy, sr = sx % sy;
  wrong[i] = (cq * cy + cr != cx) + (cr >= cy) * 2 + (sq * sy + sr != sx) * 4 + (abs(sr) >= abs(sy)) * 8u;
}

/* 64 bits: of every size, powers of 2, multiples and their neighbours. q and r are right when q * y + r is x without
 * overflow and r is less than y. */
ulong bits_of(uint i) {
  ulong x = (i + 1) * 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  return x ^ x >> 27;
}
ulong divisor_of(uint i) {
  ulong y = bits_of(2 * i + 1) >> (i * 7 % 64);
  if (i % 5 == 0) y = (1ul << (i / 5 % 64)) + i / 320 % 3 - 1;
  return y == 0 ? 1 : y;
}
ulong dividend_of(uint i, ulong y) {
  ulong x = bits_of(2 * i) >> (i * 11 % 64);
  return i % 3 == 0 ? x / y * y + i / 3 % 3 - 1 : i % 97 == 0 ? 0 - (ulong)(i % 2) : x;
}
bool is_right(ulong x, ulong y, ulong q, ulong r) { return q * y + r == x && mul_hi(q, y) == 0 && r < y; }
bool is_right_signed(long x, long y, long q, long r) {
  bool signs = (q == 0 || (q < 0) == ((x < 0) != (y < 0))) && (r == 0 || (r < 0) == (x < 0));
  return signs && is_right(abs(x), abs(y), abs(q), abs(r));
}
kernel void wide_quotients(global int *wrong) {
  uint i = get_global_id(0);
  ulong y = divisor_of(i), x = dividend_of(i, y);
  if (!is_right(x, y, x / y, x % y)) atomic_inc(wrong);
}
kernel void wide_quotients_signed(global int *wrong) {
  uint i = get_global_id(0);
  ulong magnitude = divisor_of(i);
  long y = i & 1 ? magnitude : -magnitude, x = dividend_of(i, magnitude);
  if (i & 2) x = -(ulong)x;
  if (y == 0 || (x == LONG_MIN && y == -1)) return;
  if (!is_right_signed(x, y, x / y, x % y)) atomic_inc(wrong);
}
#define BY(Y) (is_right(dividend_of(i, Y), Y, dividend_of(i, Y) / Y, dividend_of(i, Y) % Y))
#define BY_SIGNED(Y) (is_right_signed(x, Y, x / Y, x % Y))
kernel void wide_known_divisors(global int *wrong) {
  uint i = get_global_id(0);
  long x = bits_of(i) << (i % 3 * 20);
  bool right = BY(3ul) && BY(10ul) && BY(1000000007ul) && BY(0xffffffffffffffc5ul) && BY(0x8000000000000001ul) &&
               BY(0xfffffffful) && BY(64ul) && BY_SIGNED(7l) && BY_SIGNED(-10l) && BY_SIGNED(0x7fffffffffffffffl) &&
               BY_SIGNED(-8l) && BY_SIGNED(1000000007l);
  if (!right) atomic_inc(wrong);
}
kernel void wide_quotients_masked(global int *wrong) {
  uint i = get_global_id(0);
  ulong y = bits_of(i) & 3, x = bits_of(i + 7), q = 0, r = x;
  if (y != 0) {
    q = x / y;
    r = x % y;
  }
  if (y != 0 ? !is_right(x, y, q, r) : r != x) atomic_inc(wrong);
}

/* Bitwise functions of three words: their value for each of the eight cases, looked up bit by bit. */
#define F0(a, b, c) ((a & b) | (c & (a ^ b)))
#define F1(a, b, c) ((a & ~b) ^ (c | (a & b)))
#define F2(a, b, c) ((~(a | b) & c) | (a & b & ~c))
#define F3(a, b, c) (((a ^ b) & (b ^ c)) | (a & ~c))
#define F4(a, b, c) ~((a | c) ^ (b & c) ^ (a & ~b))
ulong look_up(uint truth, ulong a, ulong b, ulong c) {
  ulong made = 0;
  for (int k = 0; k < 64; k++) {
    uint which = (a >> k & 1) * 4 + (b >> k & 1) * 2 + (c >> k & 1);
    made |= (ulong)(truth >> which & 1) << k;
  }
  return made;
}
#define WRONG(F)                                                                                                        \
  (F(a, b, c) != look_up(F(0xf0, 0xcc, 0xaa), a, b, c)) + (F(x, y, z) != (uint)look_up(F(0xf0, 0xcc, 0xaa), a, b, c)) + \
      any(F(p, q, r) != convert_uint4((ulong4)look_up(F(0xf0, 0xcc, 0xaa), a, b, c) >> (ulong4)(0, 8, 16, 24)))
kernel void three_words(global int *wrong) {
  uint i = get_global_id(0);
  ulong a = bits_of(3 * i), b = bits_of(3 * i + 1), c = bits_of(3 * i + 2);
  uint x = a, y = b, z = c;
  const ulong4 by = (ulong4)(0, 8, 16, 24);
  uint4 p = convert_uint4((ulong4)a >> by), q = convert_uint4((ulong4)b >> by), r = convert_uint4((ulong4)c >> by);
  int n = WRONG(F0) + WRONG(F1) + WRONG(F2) + WRONG(F3) + WRONG(F4);
  if (n != 0) atomic_add(wrong, n);
}

/* Of sums of bytes, which are known to be small: q * d + r is x, and r is at least 0 and less than d. */
#define BY_SMALL(X, D) (((X) / (D)) * (D) + (X) % (D) == (X) && (X) % (D) >= 0 && (X) % (D) < (D))
kernel void small_quotients(global int *wrong) {
  uint i = get_global_id(0), n = 0;
  uchar a = i, b = i >> 8, c = i * 7919 >> 4;
  ushort s = i;
  int sum = a + b + c, weighed = 77 * a + 150 * b + 29 * c;
  n += !BY_SMALL(sum, 3) + !BY_SMALL(sum, 9) + !BY_SMALL(sum, 255) + !BY_SMALL(sum, 765) + !BY_SMALL(sum, 1000);
  n += !BY_SMALL(weighed, 255) + !BY_SMALL(weighed, 257) + !BY_SMALL(weighed, 3) + !BY_SMALL(weighed, 65279);
  n += !BY_SMALL((uint)s, 3u) + !BY_SMALL((uint)s, 641u) + !BY_SMALL((uint)s, 65535u) + !BY_SMALL(s * 255, 7);
  n += sum / 3 != (int)floor((a + b + c) / 3.0f) || sum / 255 != (sum >= 255) + (sum >= 510) + (sum >= 765);
  wrong[i] = n;
}

// One divisor for all lanes: a multiplication. Dividends beside its multiples, large and small.
kernel void shared_divisors(global uint *wrong, uint step) {
  uint i = get_global_id(0), bad = 0;
  for (uint k = 0; k < 32; k++) {
    uint d = (1u << k) + step % (k + 1);
    uint q = (0xffffffffu / d) - (i % 4 == 3 ? i : 0), x = q * d - 1 + i % 4;
    uint back = x / d, rest = x % d;
    bad += back * d + rest != x || rest >= d;
    int s = (int)d < 2 ? 2 : (int)d, t = (int)x, h = t / -s, g = t % s;
    bad += (long)h * -s + g != t || (g != 0 && (g < 0) != (t < 0)) || abs(g) >= (uint)s;
  }
  for (uint k = 0; k < 16; k++) {
    ushort d = (1u << k) + step % (k + 1);
    ushort q = 0xffff / d - i % 8, x = q * d - 1 + i % 3, back = x / d, rest = x % d;
    bad += (ushort)(back * d + rest) != x || rest >= d;
    short t = (short)x, s = d & 0x7fff ? d & 0x7fff : 1, h = t / s, g = t % s;
    bad += h * s + g != t || (g != 0 && (g < 0) != (t < 0)) || abs(g) >= s;
    uchar c = x, u = d % 255 + 1;
    bad += (uchar)(c / u * u + c % u) != c || c % u >= u;
  }
  wrong[i] = bad;
}

// Lanes leave one by one.
kernel void shared_divisors_masked(global uint *wrong) {
  uint i = get_global_id(0), found = 0, expected = 0;
  for (uint d = 2; d * d <= i; d++)
    if (i % d == 0) {
      found = d;
      break;
    }
  for (uint d = 63; d > 1; d--)
    if (d * d <= i && d * (uint)((float)i / d + 0.5f) == i) expected = d;
  wrong[i] = found != expected;
}
