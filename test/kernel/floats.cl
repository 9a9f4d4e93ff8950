// Floating point: corner cases, contraction, and the options that relax it. Values come in as arguments, so that the
// processor and not the compiler computes.
// run: -k checks -g 1 0 1 3 '[64]'
// expect: 3: 0
// run: -k checks -g 1 0 1 3 '[64]' -b '-cl-opt-disable'
// expect: 3: 0
// run: -k checks -g 1 0 1 3 '[64]' -b '-cl-mad-enable -cl-std=CL3.0'
// expect: 3: 0
// run: -k relaxed -g 64 '[64]=i+1' '[64]=64-i' '[64]' -b '-cl-fast-relaxed-math'
// expect: 2: (a0[i]*a1[i]+a0[i])/a1[i] ~ 1e-5
// run: -k relaxed -g 64 '[64]=i+1' '[64]=64-i' '[64]' -b '-cl-finite-math-only -cl-no-signed-zeros'
// expect: 2: (a0[i]*a1[i]+a0[i])/a1[i] ~ 1e-5
// run: -k relaxed -g 64 '[64]=i+1' '[64]=64-i' '[64]' -b '-cl-unsafe-math-optimizations -cl-mad-enable'
// expect: 2: (a0[i]*a1[i]+a0[i])/a1[i] ~ 1e-5
// run: -k relaxed_macro -g 1 1 '[1]' -b '-cl-fast-relaxed-math'
// expect: 1: 1
// run: -k relaxed_macro -g 1 0 '[1]'
// expect: 1: 1
// run: -k constants -g 1 3 '[2]' -b '-cl-single-precision-constant'
// expect: 1: i==0 ? float(3*float(0.1)) : 4
// run: -k constants -g 1 3 '[2]'
// expect: 1: i==0 ? double(3*double(0.1)) : 8
// run: -k denormals -g 16 '[16]=i*0.00000000000000000000000000000000000000000000140129846432' 0.5 '[16]' '[16]'
// expect: 3: a0[i]
// run: -k quotients -g 64 '[64]=i+1' '[64]=3+i%5' '[64]' -b '-cl-fp32-correctly-rounded-divide-sqrt'
// expect: 2: float(a0[i]/a1[i]) ~ 1e-7
// run: -k unfused -g 64 '[64]=1+i*0.0001' '[64]'
// expect: 1: 0
// run: -k to_integers -g 8 '[8]=i<4?(i-1.5)*1e20:i==4?nan:i*1.75' '[8]'
// expect: 1: 0
// run: -k error_ends -g 24 '(double)[24]=i%4==0 ? 0 : i%4==1 ? 28 : i%4==2 ? 0-28 : 1000' '(double)[24]'
// expect: 1: i%4==0 ? 1 : i%4==2 ? 2 : 0
#define CHECK(condition) out[k++] = (condition) ? 0 : __LINE__

kernel void checks(float zero, float one, float three, global int *out) {
  int k = 0;
  float inf = one / zero, nan_ = zero / zero;
  CHECK(isinf(inf) && inf > FLT_MAX && -inf < -FLT_MAX && isnan(nan_) && isnan(inf - inf) && isnan(inf * zero));
  CHECK(!(nan_ == nan_) && nan_ != nan_ && !(nan_ < one) && !(nan_ > one) && !(nan_ <= one) && !(nan_ >= one));
  CHECK(!isequal(nan_, nan_) && isunordered(nan_, one) && isnotequal(nan_, one) && !isordered(one, nan_));
  float minus_zero = -zero;
  CHECK(minus_zero == zero && signbit(minus_zero) && !signbit(zero) && one / minus_zero == -inf);
  CHECK(signbit(zero * -one) && !signbit(zero + minus_zero) && signbit(minus_zero + minus_zero) && !signbit(one - one));
  CHECK(as_int(-nan_) < 0 != as_int(nan_) < 0 && as_int(fabs(-inf)) == 0x7f800000);
  CHECK(one / three == 0x1.555556p-2f && (one / three) * three == one && sqrt(three * three) == three);
  CHECK((double)one / (double)three == 0x1.5555555555555p-2 && (float)(one / (double)three) == 0x1.555556p-2f);
  float big = 16777216.0f * one;
  CHECK(big + one == big && (big + one) - big == zero && big + 2 * one == 16777218.0f);
  CHECK(FLT_MAX * (one + one) == inf && FLT_MIN / 2 * one * 2 == FLT_MIN && (double)FLT_MAX * 2 < DBL_MAX);
  CHECK((int)(three / 2) == 1 && (int)(-three / 2) == -1 && (uint)(three * 1e9f) == 3000000000u);
  CHECK((float)16777217 == 16777216.0f && (float)ULONG_MAX == 0x1p64f);
  CHECK((float)(uint)(4294967040.0f * one) == 4294967040.0f && (uchar)(int)(300 * one) == 44 && (bool)(one / three));
  CHECK(convert_int_rtp(one / three) == 1 && convert_int_rtn(-one / three) == -1 && convert_int_rte(2.5f * one) == 2);
  CHECK(convert_uchar_sat(three * 100) == 255 && convert_char_sat(-three * 100) == -128 && convert_int_sat(nan_) == 0);
  CHECK(convert_int_sat(inf) == INT_MAX && convert_long_sat(-inf) == LONG_MIN && convert_uint_sat(-one) == 0);
  CHECK(fmin(nan_, one) == one && fmax(one, nan_) == one && min(one, three) == one && clamp(three, zero, one) == one);
  CHECK(clamp(nan_, zero, one) == zero && clamp(three, nan_, one) == one && clamp(three, zero, nan_) == three);
  CHECK(fma(big, big, -big * big) == zero && mad(one, three, one) == 4 && fma(one, nan_, one) != one);
  CHECK(rint(2.5f * one) == 2 && round(2.5f * one) == 3 && trunc(-2.5f * one) == -2 && floor(-0.5f * one) == -1);
  CHECK(signbit(ceil(-0.5f * one)) && ceil(-0.5f * one) == 0 && fmod(-7 * one, three) == -1);
  CHECK(1e-40f * one > zero && 1e-45f * one * 0.25f == zero && as_int(1e-45f * one) == 1);
  CHECK(isfinite(FLT_MAX * one) && isnormal(FLT_MIN * one) && !isnormal(FLT_MIN * one / 2) && !isnormal(zero));
  float counter = zero;
  for (float f = zero; f < three; f += 0.5f) counter++;
  CHECK(counter == 6 && counter-- == 6 && -counter == -5 && !zero);
  CHECK(nextafter(one, inf) == 0x1.000002p0f && ilogb(8 * one) == 3 && ldexp(three, 2) == 12 && copysign(one, -zero) == -1);
  CHECK(any(isnan((float4)(one, zero, nan_, inf))) && all(isinf((float2)(inf, -inf)) == -1));
}

kernel void relaxed(global const float *a, global const float *b, global float *out) {
  size_t i = get_global_id(0);
  out[i] = (a[i] * b[i] + a[i]) / b[i];
}

kernel void relaxed_macro(int wanted, global int *out) {
#ifdef __FAST_RELAXED_MATH__
  out[0] = wanted == 1 && __FAST_RELAXED_MATH__ == 1;
#else
  out[0] = wanted == 0;
#endif
}

kernel void constants(float x, global double *out) {
  out[0] = x * 0.1;
  out[1] = sizeof(0.1);
}

kernel void denormals(global const float *x, float half_, global float *halved, global float *same) {
  size_t i = get_global_id(0);
  halved[i] = x[i] * half_;
  same[i] = (x[i] * 4) * half_ * half_;
}

kernel void quotients(global const float *a, global const float *b, global float *out) {
  out[get_global_id(0)] = a[get_global_id(0)] / b[get_global_id(0)];
}

kernel void unfused(global const float *x, global float *out) {
#pragma OPENCL FP_CONTRACT OFF
  float v = x[get_global_id(0)], product = v * v;
  out[get_global_id(0)] = v * v - product; /* a fused form shows the rounding */
}

/* Values out of range give some integer, the same one wherever it is used. */
kernel void to_integers(global const float *x, global int *out) {
  size_t i = get_global_id(0);
  int v = (int)x[i];
  uint u = (uint)x[i];
  bool in_range = i >= 5, ok = v == v + 0 && (v < 10) == !(v >= 10) && (u < 10) == !(u >= 10);
  out[i] = !(ok && (!in_range || v == (int)(i * 7 / 4)));
}

// Exact where it is constant, and at 0.
kernel void error_ends(global const double *in, global double *out) {
  out[get_global_id(0)] = erfc(in[get_global_id(0)]);
}
