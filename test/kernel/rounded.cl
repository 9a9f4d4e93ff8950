// Numbers rounded to integers: halves to even ones or away from zero, limits, what is no number; as scalars, in lanes and
// by components.
// run: -k to_even -g 1000 '[1000]=(i-500)/4' '[1000]' '[1000]'
// expect: 1: abs(a0[i]-trunc(a0[i]))==0.5?2*round(a0[i]/2):round(a0[i])
// expect: 2: abs(a0[i]-trunc(a0[i]))==0.5?2*round(a0[i]/2):round(a0[i])
// run: -k doubles -g 1000 '(double)[1000]=(i-500)*4294967+(i%4)/4' '[1000]'
// expect: 1: abs(a0[i]-trunc(a0[i]))==0.5?2*round(a0[i]/2):round(a0[i])
// run: -k away -g 1000 '[1000]=(i-500)/2' '[1000]' '[1000]'
// expect: 1: round(a0[i])
// expect: 2: trunc(a0[i])
// run: -k bytes -g 1000 '(float4)[1000]=(i-2000)/4' '(uchar4)[1000]' '(char4)[1000]' '(short4)[1000]'
// expect: 1: i%9==4?0:min(255,max(0,abs(a0[i]-trunc(a0[i]))==0.5?2*round(a0[i]/2):round(a0[i])))
// expect: 2: i%9==4?0:min(127,max(-128,floor(a0[i])))
// expect: 3: i%9==4?0:min(32767,max(-32768,trunc(a0[i]*100)))
// run: -k words -g 1000 '[1000]=(i-500)*16777216' '(int)[1000]' '(uint)[1000]'
// expect: 1: i%9==4?0:min(2147483647,max(-2147483648,a0[i]))
// expect: 2: i%9==4?0:min(4294967295,max(0,a0[i]))
// run: -k whole -g 1000 '[1000]=(i-500)*exp2(i%40)/64' '(int4)[1000]' '(int4)[1000]'
// expect: 1: 0
// expect: 2: 0
// run: -k longs -g 4096 '(int4)[4096]'
// expect: 0: 0

kernel void to_even(global const float *a, global int *cast, global int *converted) {
  int i = get_global_id(0);
  cast[i] = (int)rint(a[i]);
  converted[i] = convert_int_rte(a[i]);
}

kernel void doubles(global const double *a, global int *out) {
  int i = get_global_id(0);
  out[i] = convert_int_rte(a[i]);
}

/* the second: of the largest number below each half, which is none */
kernel void away(global const float *a, global float *out, global float *below) {
  int i = get_global_id(0);
  out[i] = round(a[i]);
  below[i] = round(nextafter(a[i], 0.0f));
}

kernel void bytes(global const float4 *a, global uchar4 *unsigned_ones, global char4 *signed_ones, global short4 *shorts) {
  int i = get_global_id(0);
  int4 place = i * 4 + (int4)(0, 1, 2, 3);
  float4 x = select(a[i], NAN, place % 9 == 4);
  unsigned_ones[i] = convert_uchar4_sat_rte(x);
  signed_ones[i] = convert_char4_sat_rtn(x);
  shorts[i] = convert_short4_sat(x * 100);
}

kernel void words(global const float *a, global int *out, global uint *unsigned_ones) {
  int i = get_global_id(0);
  float x = i % 9 == 4 ? NAN : a[i];
  out[i] = convert_int_sat(x);
  unsigned_ones[i] = convert_uint_sat_rte(x);
}

/* Both of each number and of NaN: what integers make of it, with the sign of the number; 0 where the bits agree. */
#define WHOLE(T, I, LARGE)                                                                             \
  int4 whole_##T(T x) {                                                                                \
    T cut = fabs(x) < LARGE ? copysign((T)(I)x, x) : x;                                                \
    T down = cut > x ? cut - 1 : cut, up = cut < x ? copysign(cut + 1, x) : cut, rest = fabs(x - cut); \
    T away = cut + copysign((T)1, x);                                                                  \
    T even = rest > 0.5f || (rest == 0.5f && (I)cut % 2 != 0) ? away : cut;                            \
    T got[4] = {trunc(x), floor(x), ceil(x), rint(x)}, want[4] = {cut, down, up, even};                \
    int4 wrong = 0;                                                                                    \
    for (int k = 0; k < 4; k++) wrong += got[k] != want[k] || signbit(got[k]) != signbit(want[k]);     \
    return wrong;                                                                                      \
  }
WHOLE(float, int, 0x1p23f)
WHOLE(double, long, 0x1p52)

kernel void whole(global const float *a, global int4 *floats, global int4 *doubles) {
  int i = get_global_id(0);
  double wide = a[i] * 1000003.0 / 65536;
  floats[i] = whole_float(a[i]) + !isnan(floor(i % 2 ? NAN : a[i] / 0.0f * 0.0f));
  doubles[i] = whole_double(wide) + !isnan(ceil((double)NAN * wide));
}

/* Numbers of 24 and 53 bits, shifted, against shifts of integers; integers against their halves. */
kernel void longs(global int4 *wrong) {
  int i = get_global_id(0), shift = i % 63 - 52, float_shift = i % 63 - 23;
  ulong hash = (ulong)(i + 1) * 0x9e3779b97f4a7c15, bits = hash >> 12 | 1ul << 52, few = hash >> 41 | 1 << 23;
  double x = as_double(hash >> 12 | (ulong)(1075 + shift) << 52);
  float y = as_float((uint)(hash >> 41) | (uint)(150 + float_shift) << 23);
  ulong want = shift < 0 ? bits >> -shift : bits << shift, other = float_shift < 0 ? few >> -float_shift : few << float_shift;
  long v = (long)hash >> i % 40;
  double number = (double)(int)(v >> 32) * 0x1p32 + (double)(uint)v;
  wrong[i] = (int4)((ulong)x != want, (long)-x != -(long)want, (ulong)y != other || (long)-y != -(long)other,
                    (double)v != number) != 0;
}
