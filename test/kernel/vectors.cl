// Vector literals, components, conversions, operators, comparisons and selection.
// run: -k checks -g 1 2 '[80]'
// expect: 1: 0
// run: -k checks -g 1 2 '[80]' -b '-cl-opt-disable'
// expect: 1: 0
// run: -k checks -g 1 2 '[80]' -b '-cl-std=CL1.0'
// expect: 1: 0
// run: -k checks -g 1 2 '[80]' -b '-cl-std=CL3.0'
// expect: 1: 0
// run: -k arguments -g 8 2 1,2 1,2,3 1,2,3,4 7 9 '[8]=i' '[8]' '[32]'
// expect: 8: 0
// run: -k threes -g 16 '[16]=i' '[16]=2*i'
// expect: 1: 3*(a0[i]+a1[i])
// run: -k component_tests -g 1000 '[16000]=i*7919%13' '[16000]=i*104729%11' 5 '[1000]'
// expect: 3: 0
// run: -k component_tests -g 1000 '[16000]=i*7919%13' '[16000]=i*104729%11' 5 '[1000]' -b '-kiln-width=1'
// expect: 3: 0
// run: -k component_tests -g 1000 '[16000]=i*7919%13' '[16000]=i*104729%11' 5 '[1000]' -b '-cl-opt-disable'
// expect: 3: 0
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define CHECK(condition) out[k++] = (condition) ? 0 : __LINE__
#define SAME(a, b) CHECK(all((a) == (b)))

kernel void checks(int n, global int *out) {
  int k = 0;
  int4 v = (int4)(n, n + 1, n + 2, n + 3);
  SAME(v, (int4)(2, 3, 4, 5));
  SAME((int4)(n), (int4)(2, 2, 2, 2));
  SAME((int4)((int2)(1, n), (int2)(3, 4)), (int4)(1, 2, 3, 4));
  SAME((int8)(n, v.xyz, v.lo, v.wz), (int8)(2, 2, 3, 4, 2, 3, 5, 4));
  SAME(v.hi, (int2)(4, 5));
  SAME(v.even, (int2)(2, 4));
  SAME(v.odd, (int2)(3, 5));
  SAME(v.s3210, (int4)(5, 4, 3, 2));
  SAME(v.xxyy, (int4)(2, 2, 3, 3));
  SAME(v.lo.s10, (int2)(3, 2));
  CHECK(v.odd.hi == 5);
  int16 w = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, n + 13);
  SAME(w.sFEDC, (int4)(15, 14, 13, 12));
  SAME(w.sabcdef01, (int8)(10, 11, 12, 13, 14, 15, 0, 1));
  SAME(w.hi.even, (int4)(8, 10, 12, 14));
  SAME(w.odd.odd.odd, (int2)(7, 15));
  CHECK(w.sA + w.sa == 20);
  int3 t = (int3)(1, n, 3);
  SAME(t.hi, (int2)(3, t.hi.y)); /* the fourth is undefined */
  SAME(t.zyx, (int3)(3, 2, 1));
  v.xz = (int2)(7, 8);
  v.w += 10;
  SAME(v, (int4)(7, 3, 8, 15));
  v.lo = v.hi;
  SAME(v, (int4)(8, 15, 8, 15));
  v.s1 = v.s0++;
  SAME(v, (int4)(9, 8, 8, 15));
  w.s0f = (int2)(-1, -2);
  w.even.hi = (int4)(n);
  CHECK(w.s0 == -1 && w.sf == -2 && w.s8 == 2 && w.sE == 2 && w.s9 == 9);
  v.yx = v.xy;
  SAME(v.xy, (int2)(8, 9));
  float4 f = (float4)(1.5f, -2.5f, 0, n);
  SAME(f * 2 + 1, (float4)(4, -4, 1, 5));
  SAME(2 / f.xw, (float2)(2 / 1.5f, 1));
  SAME(-f, (float4)(-1.5f, 2.5f, -0.0f, -2));
  SAME(convert_int4(f), (int4)(1, -2, 0, 2));
  SAME(v + 1, (int4)(10, 9, 9, 16).yxzw);
  SAME((int4)(7, -7, 8, -8) / 2, (int4)(3, -3, 4, -4));
  SAME((int4)(7, -7, 8, -8) % (int4)(4, 4, 3, -3), (int4)(3, -3, 2, -2));
  SAME(~(uint2)(0, n), (uint2)(0xffffffffu, 0xfffffffdu));
  SAME((char4)(100, n, 3, 4) + (char)100, (char4)(-56, 102, 103, 104));
  SAME((uchar4)(200, n, 3, 4) * (uchar)2, (uchar4)(144, 4, 6, 8));
  SAME((short2)(1, n) << (short2)(15, 17), (short2)(-32768, 4));
  SAME((uint2)(1, 0x80000000u) >> 31, (uint2)(0, 1));
  SAME((int2)(-8, 8) >> (int2)(1, 33), (int2)(-4, 4));
  SAME((int4)(1, 2, 3, 4) < 3, (int4)(-1, -1, 0, 0));
  SAME((float4)(1, 2, NAN, 4) == (float4)(1, 3, NAN, 4), (int4)(-1, 0, 0, -1));
  SAME((float4)(1, 2, NAN, 4) != (float4)(1, 3, NAN, 4), (int4)(0, -1, -1, 0));
  SAME((double2)(1, n) >= 2.0, (long2)(0, -1));
  SAME((uchar2)(255, 1) > (uchar)127, (char2)(-1, 0));
  SAME((int2)(n, 0) && (int2)(1, 1), (int2)(-1, 0));
#if __OPENCL_C_VERSION__ >= 120 /* not before */
  SAME((float2)(n, 0) || (float2)(0, 0), (int2)(-1, 0));
#endif
  SAME(!(int4)(0, 1, n, -1), (int4)(-1, 0, 0, 0));
  SAME((int4)(-1, 0, 1, (int)0x80000000) ? (int4)(1) : (int4)(2), (int4)(1, 2, 2, 1));
  SAME((long2)(-1, 0) ? (double2)(1, n) : (double2)(3, 4), (double2)(1, 4));
  SAME((int2)(-1, 0) ? (float2)(1.5f) : 2.5f, (float2)(1.5f, 2.5f));
  SAME(n == 2 ? (int2)(1, 2) : (int2)(3, 4), (int2)(1, 2));
  CHECK(any((int2)(0, -1)) && !any((int2)(1, 1)) && all((char3)(-1, -2, -128)) && !all((long2)(-1, 0)));
  SAME(select((int2)(1, 2), (int2)(3, 4), (int2)(0, -1)), (int2)(1, 4));
  int2 grown = (int2)(n, 1);
  grown += grown;
  grown -= (int2)(1, 1);
  grown *= 3;
  grown <<= 1;
  grown |= 1;
  grown ^= (int2)(2, 4);
  SAME(grown, (int2)(17, 3));
  SAME(++grown, (int2)(18, 4));
  SAME(grown--, (int2)(18, 4));
  int index = n;
  CHECK(((int *)&w)[index + 1] == 3 && ((float *)&f)[index - 1] == -2.5f);
  int8 array[3] = {(int8)(1), (int8)(n), (int8)(3)};
  array[index - 1].s5 = 9;
  CHECK(array[1].s5 == 9 && array[1].s4 == 2 && array[index].s0 == 3);
  SAME(shuffle((int4)(4, 5, 6, 7), (uint4)(3, 2, 1, n)), (int4)(7, 6, 5, 6));
  SAME(upsample((char2)(1, -1), (uchar2)(2, 255)), (short2)(258, -1));
  SAME(convert_uchar4_sat((float4)(300, -5, 7.6f, n)), (uchar4)(255, 0, 7, 2));
}

kernel void arguments(int n, char2 a, short3 b, int4 c, ulong8 d, double16 e, global const float *f, global double16 *g,
                      global int *out) {
  int k = 0;
  CHECK(a.x == 1 && a.y == n && b.x == 1 && b.y == 2 && b.z == 3);
  SAME(c, (int4)(1, 2, 3, 4));
  SAME(d, (ulong8)(7));
  SAME(e, (double16)(9));
  CHECK(f[3] == 3 && ((size_t)g & 127) == 0);
  g[get_global_id(0)] = e * (double)n;
  SAME(g[get_global_id(0)].s0123, (double4)(18));
}

/* Each is stored in four places. */
kernel void threes(global const int3 *a, global int3 *b) {
  size_t i = get_global_id(0);
  int3 private_copy[2] = {a[i], b[i]};
  b[i] = (private_copy[0] + private_copy[1]) * 3;
}

/* One after the other and all at once. */
#define EACH(OP, BETWEEN)                                                                                               \
  (x.s0 OP y.s0 BETWEEN x.s1 OP y.s1 BETWEEN x.s2 OP y.s2 BETWEEN x.s3 OP y.s3 BETWEEN x.s4 OP y.s4 BETWEEN x.s5 OP y   \
       .s5 BETWEEN x.s6 OP y.s6 BETWEEN x.s7 OP y.s7 BETWEEN x.s8 OP y.s8 BETWEEN x.s9 OP y.s9 BETWEEN x.sa OP y        \
       .sa BETWEEN x.sb OP y.sb BETWEEN x.sc OP y.sc BETWEEN x.sd OP y.sd BETWEEN x.se OP y.se BETWEEN x.sf OP y.sf)
kernel void component_tests(global const int16 *a, global const int16 *b, int one, global int *wrong) {
  size_t i = get_global_id(0);
  int16 x = a[i], y = b[i];
  int w = 0;
  if (EACH(==, ||)) w += 1;
  if (EACH(!=, &&)) w += 2;
  if (x.s0 == one || x.s5 == one || x.sa == one || x.sf == one) w += 4;
  if (x.s1 < y.s1 && x.s2 < y.s2 && x.s3 < y.s3 && x.s4 < y.s4) w += 8;
  if (x.s0 == y.s1 || x.s1 == y.s2 || x.s2 == y.s3 || x.s3 == y.s4) w += 16;
  if (x.s0 == y.s0 || x.s1 == y.s1 || x.s2 == y.s2 || x.s3 == y.s3 || w > 20) w += 32;
  int right = any(x == y) ? 1 : 2;
  if (any(x.s05af == one)) right += 4;
  if (all(x.s1234 < y.s1234)) right += 8;
  if (any(x.s0123 == y.s1234)) right += 16;
  if (any(x.s0123 == y.s0123) || right > 20) right += 32;
  wrong[i] = w - right;
}
