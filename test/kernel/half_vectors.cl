// What processors that do not compute with halves make of vectors of them: what floats give, rounded to halves.
// run: -b -cl-std=CL3.0 -g 1003 -k vectors '[4012]=i*1.7-900' '[1003]'
// expect: 1: 1
// run: -b '-cl-std=CL3.0 -kiln-width=1' -g 1003 -k vectors '[4012]=i*1.7-900' '[1003]'
// expect: 1: 1
// run: -b -cl-std=CL3.0 -g 1000 -k sums '[1000]' '[1000]'
// expect: 1: 1
// run: -b '-cl-std=CL3.0 -kiln-width=1' -g 1000 -k sums '[1000]' '[1000]'
// expect: 1: 1
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

int same(half4 x, float4 y) { return all(as_short4(x) == as_short4(convert_half4(y))); }

kernel void vectors(global const float4 *in, global int *good) {
  size_t i = get_global_id(0);
  half4 x = convert_half4(in[i] * 0.37f), y = convert_half4(in[i] * -0.0013f);
  float4 a = convert_float4(x), b = convert_float4(y);
  int ok = same(floor(x), floor(a)) && same(ceil(x), ceil(a)) && same(trunc(x), trunc(a));
  ok &= same(rint(x), rint(a)) && same(round(y), round(b)) && same(sqrt(fabs(x)), sqrt(fabs(a)));
  ok &= same(fmax(x, y), fmax(a, b)) && same(fmin(x, y), fmin(a, b)) && same(x * y, a * b);
  ok &= all(islessgreater(x, y) == convert_short4(islessgreater(a, b))) && all(isnan(x) == (short4)0);
  ok &= all((x == y) == convert_short4(a == b)) && all((x >= y) == convert_short4(a >= b));
  ok &= all(convert_short4(x) == convert_short4(a)) && all(convert_uchar4_sat(x) == convert_uchar4_sat(a));
  ok &= all(fabs(convert_float4(mad(x, y, x)) - (a * b + a)) <= 0.002f * (fabs(a * b) + fabs(a)));
  good[i] = ok;
}

/* x, y, z, x y + z: whether it is rounded once or, the product first, twice; not a float's sum rounded to a half. */
constant ushort terms[5][4] = {{0x58f6, 0xc423, 0xa9df, 0xe121}, {0x998d, 0xf059, 0x84f6, 0x4e09},
                               {0x4f35, 0xe098, 0xbc3f, 0xf423}, {0x147b, 0xefbf, 0x1227, 0xc857},
                               {0xdcb7, 0x9e49, 0x82ef, 0x3f69}};

kernel void sums(global const int *zero, global int *good) {
  size_t i = get_global_id(0);
  constant ushort *t = terms[i % 5 + zero[i]];
  half4 x = as_half(t[0]), y = as_half(t[1]), z = as_half(t[2]);
  half one = x.x * y.x + z.x;
  half4 four = x * y + z;
  good[i] = as_ushort(one) == t[3] && all(as_ushort4(four) == t[3]);
}
