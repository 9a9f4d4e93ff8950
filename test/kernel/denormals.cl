// Kernels that may flush denormals get what zero gives or what the value gives, never something else.
// run: -g 8 -k logs -b -cl-fast-relaxed-math '[8]=pow(2,-140-i)' '[8]'
// expect: 1: 1
// run: -g 8 -k logs -b -cl-denorms-are-zero '[8]=pow(2,-140-i)' '[8]'
// expect: 1: 1
// run: -g 8 -k logs '[8]=pow(2,-140-i)' '[8]'
// expect: 1: 1
kernel void logs(global const float *x, global int *good) {
  size_t i = get_global_id(0);
  float r = log2(x[i]), s = log(x[i]);
  bool kept = r == -140.0f - i && fabs(s / r - 0.6931472f) < 1e-6f;
  good[i] = kept || (as_uint(r) == 0xff800000 && as_uint(s) == 0xff800000);
}

// run: -g 8 -k tests '[8]=(i-4)*pow(2,-140)' '[8]'
// expect: 1: i == 4 ? 0 : i < 4 ? 4 : 7
// run: -g 8 -k tests -b -cl-denorms-are-zero '[8]=(i-4)*pow(2,-140)' '[8]'
// expect: 1: 0
// The processor flushes what comparisons read, so class tests made of them must agree.
kernel void tests(global const float *x, global int *out) {
  size_t i = get_global_id(0);
  float v = x[i];
  int r = v > 0.0f && v < INFINITY;
  r |= (v > 0.0f) << 1;
  out[i] = r | (v != 0.0f) << 2;
}

// run: -g 8 -k rest -b -cl-denorms-are-zero '[8]=24910214*pow(2,-121)' '[8]=22600516*pow(2,-141)' '[8]'
// expect: 2: 1
// run: -g 8 -k rest -b -cl-fast-relaxed-math '[8]=24910214*pow(2,-121)' '[8]=22600516*pow(2,-141)' '[8]'
// expect: 2: 1
// run: -g 8 -k rest '[8]=24910214*pow(2,-121)' '[8]=22600516*pow(2,-141)' '[8]'
// expect: 2: 1
// The quotient is just below an integer: the difference from the next one is denormal, the remainder is not.
kernel void rest(global const float *x, global const float *y, global int *good) {
  size_t i = get_global_id(0);
  good[i] = fmod(x[i], y[i]) == 0x1.58c7ap-117f;
}

// run: -g 8 -k small_halves -b '-cl-std=CL3.0 -cl-denorms-are-zero' '[8]=(i+1)*pow(2,-24)' '[8]'
// expect: 1: 1
// run: -g 8 -k small_halves -b '-cl-std=CL3.0 -cl-fast-relaxed-math' '[8]=(i+1)*pow(2,-24)' '[8]'
// expect: 1: 1
// run: -g 8 -k small_halves -b -cl-std=CL3.0 '[8]=(i+1)*pow(2,-24)' '[8]'
// expect: 1: 1
// Halves are not flushed, whatever the options.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void small_halves(global const half *x, global int *good) {
  int i = get_global_id(0) + 1, log = 31 - clz(i), e;
  half v = x[i - 1], m = frexp(v, &e);
  good[i - 1] = m * (half)(2 << log) == i && e == log - 23 && ilogb(v) == log - 24 && logb(v) == log - 24 &&
                fabs(v) < 0x1p-14h && v != 0;
}

// run: -g 8 -k small_divisors -b '-cl-std=CL3.0 -cl-fast-relaxed-math' '[8]=(i+1)*pow(2,-20)' '[8]=pow(2,-24)' '[8]' '[8]'
// expect: 2: (i+1)*16
// expect: 3: (8-i)*16
// run: -g 8 -k small_divisors -b -cl-std=CL3.0 '[8]=(i+1)*pow(2,-20)' '[8]=pow(2,-24)' '[8]' '[8]'
// expect: 2: (i+1)*16
// expect: 3: (8-i)*16
// The reciprocal of the divisor is beyond halves, for one quotient and for several.
kernel void small_divisors(global const half *x, global const half *y, global half *out, global half *other) {
  size_t i = get_global_id(0);
  half d = y[i];
  out[i] = x[i] / d;
  other[i] = x[7 - i] / d;
}
