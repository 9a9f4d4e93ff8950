// Powers of known exponents, which become products, against those of exponents that are only known as the kernel runs:
// all kinds of numbers, the ends of the range, zeros and infinities of both signs. Differences of more than a few units
// in the last place are counted, and those of zeros' signs and between numbers and what is none.
// run: -k many_lanes -g 1024 '[1024]=i/1024' 2
// expect: 0: pow(2,pow(2,i/1024)) ~ 1e-5
// run: -k floats -g 40000 '[16]=i==0?0.5:i==1?1.5:i==2?-0.5:i==3?-1.5:i==4?2:i==5?3:i==6?-2:i==7?-3:i==8?-1:i==9?1:i==10?0:i==11?12:i==12?-6:i==13?3.5:i==14?-3.5:4' '[4]'
// expect: 1: 0
// run: -k doubles -g 40000 '[16]=i==0?0.5:i==1?1.5:i==2?-0.5:i==3?-1.5:i==4?2:i==5?3:i==6?-2:i==7?-3:i==8?-1:i==9?1:i==10?0:i==11?12:i==12?-6:i==13?3.5:i==14?-3.5:4' '[4]'
// expect: 1: 0
// run: -k halves -g 65536 '[16]=i==0?0.5:i==1?1.5:i==2?-0.5:i==3?-1.5:i==4?2:i==5?3:i==6?-2:i==7?-3:i==8?-1:i==9?1:i==10?0:i==11?12:i==12?-6:i==13?3.5:i==14?-3.5:4' '[4]'
// expect: 1: 0
// run: -k integers -g 40000 '[8]=i==0?2:i==1?3:i==2?-2:i==3?-1:i==4?1:i==5?-3:i==6?12:0' '[4]'
// expect: 1: 0
// run: -k bases -g 40000 '[2]=i==0?2:10' '[4]'
// expect: 1: 0
// run: -k floats -g 40000 '[16]=i==0?0.5:i==1?1.5:i==2?-0.5:i==3?-1.5:i==4?2:i==5?3:i==6?-2:i==7?-3:i==8?-1:i==9?1:i==10?0:i==11?12:i==12?-6:i==13?3.5:i==14?-3.5:4' '[4]' -b -cl-denorms-are-zero --name flushed
// expect: 1: 0
// run: -k relaxed -g 1000 '[1000]=0.01*i+0.1' '[1000]' -b -cl-fast-relaxed-math
// expect: 1: a0[i]*a0[i]+pow(a0[i],-1.5)+exp2(a0[i])+sqrt(a0[i]) ~ 1e-5
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define LIMIT 12 /* units in the last place; sixteen are allowed */

uint hash(uint x) {
  x = (x ^ 61) ^ x >> 16;
  x *= 9;
  x ^= x >> 4;
  x *= 0x27d4eb2d;
  return x ^ x >> 15;
}
/* The first are special; then any bits, then numbers near 1. */
float float_of(uint i) {
  const uint special[] = {0,          0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 1,          0x80000001,
                          0x007fffff, 0x00800000, 0x80800000, 0x7f7fffff, 0xff7fffff, 0x3f800000, 0xbf800000,
                          0x7f000001, 0x7e800000, 0x40000000, 0xc0000000, 0x00000100, 0x20000000};
  if (i < 20) return as_float(special[i]);
  uint bits = hash(i);
  return as_float(i % 2 ? bits : (bits & 0x83ffffff) + 0x3e000000);
}
double double_of(uint i) {
  const ulong special[] = {0,
                           0x8000000000000000,
                           0x7ff0000000000000,
                           0xfff0000000000000,
                           0x7ff8000000000000,
                           1,
                           0x8000000000000001,
                           0x000fffffffffffff,
                           0x0010000000000000,
                           0x7fefffffffffffff,
                           0xffefffffffffffff,
                           0x3ff0000000000000,
                           0xbff0000000000000,
                           0x7fe0000000000001,
                           0x7fd0000000000000};
  if (i < 15) return as_double(special[i]);
  ulong bits = (ulong)hash(i) << 32 | hash(~i);
  return as_double(i % 2 ? bits : (bits & 0x807fffffffffffff) + 0x3fc0000000000000);
}
bool wrong_float(float a, float b) {
  if (isnan(a) || isnan(b)) return isnan(a) != isnan(b);
  if (signbit(a) != signbit(b)) return true;
  return a != b && abs_diff(as_uint(a), as_uint(b)) > LIMIT;
}
bool wrong_double(double a, double b) {
  if (isnan(a) || isnan(b)) return isnan(a) != isnan(b);
  if (signbit(a) != signbit(b)) return true;
  return a != b && abs_diff(as_ulong(a), as_ulong(b)) > LIMIT;
}
bool wrong_half(half a, half b) {
  if (isnan(a) || isnan(b)) return isnan(a) != isnan(b);
  if (signbit(a) != signbit(b)) return true;
  return a != b && abs_diff(as_ushort(a), as_ushort(b)) > 1;
}
#define ALL(WRONG, SUFFIX, T)                                                                               \
  ONE(WRONG, 0, 0.5##SUFFIX, T) ONE(WRONG, 1, 1.5##SUFFIX, T) ONE(WRONG, 2, -0.5##SUFFIX, T) \
  ONE(WRONG, 3, -1.5##SUFFIX, T) ONE(WRONG, 4, 2.0##SUFFIX, T) ONE(WRONG, 5, 3.0##SUFFIX, T) \
  ONE(WRONG, 6, -2.0##SUFFIX, T) ONE(WRONG, 7, -3.0##SUFFIX, T) ONE(WRONG, 8, -1.0##SUFFIX, T) \
  ONE(WRONG, 9, 1.0##SUFFIX, T) ONE(WRONG, 10, 0.0##SUFFIX, T) ONE(WRONG, 11, 12.0##SUFFIX, T) \
  ONE(WRONG, 12, -6.0##SUFFIX, T) ONE(WRONG, 13, 3.5##SUFFIX, T)                                    \
  ONE(WRONG, 14, -3.5##SUFFIX, T) ONE(WRONG, 15, 4.0##SUFFIX, T)
#define ONE(WRONG, K, C, T)                                                                                 \
  if (WRONG(pow(x, C), pow(x, e[K]))) atomic_inc(wrong);                                                           \
  if (WRONG(powr(x, C), powr(x, e[K]))) atomic_inc(wrong + 1);                                                     \
  if (WRONG(pow((T##2)(x, 1), (T##2)(C)).x, pow(x, e[K]))) atomic_inc(wrong + 2);

kernel void floats(global const float *e, global int *wrong) {
  float x = float_of(get_global_id(0));
  ALL(wrong_float, f, float)
}
kernel void doubles(global const double *e, global int *wrong) {
  double x = double_of(get_global_id(0));
  ALL(wrong_double, , double)
}
kernel void halves(global const half *e, global int *wrong) {
  half x = as_half((ushort)get_global_id(0));
  ALL(wrong_half, h, half)
}
#define INTEGER(K, C)                                                                                              \
  if (wrong_float(pown(x, C), pown(x, n[K]))) atomic_inc(wrong);                                                   \
  if (wrong_double(pown(d, C), pown(d, n[K]))) atomic_inc(wrong + 1);                                              \
  if (wrong_float(rootn(x, C), rootn(x, n[K]))) atomic_inc(wrong + 2);                                             \
  if (wrong_double(rootn(d, C), rootn(d, n[K]))) atomic_inc(wrong + 3);
kernel void integers(global const int *n, global int *wrong) {
  float x = float_of(get_global_id(0));
  double d = double_of(get_global_id(0));
  INTEGER(0, 2) INTEGER(1, 3) INTEGER(2, -2) INTEGER(3, -1) INTEGER(4, 1) INTEGER(5, -3) INTEGER(6, 12) INTEGER(7, 0)
}
kernel void bases(global const float *b, global int *wrong) {
  float y = float_of(get_global_id(0));
  if (wrong_float(pow(2.0f, y), pow(b[0], y))) atomic_inc(wrong);
  if (wrong_float(pow(10.0f, y), pow(b[1], y))) atomic_inc(wrong + 1);
}
kernel void relaxed(global const float *a, global float *o) {
  float x = a[get_global_id(0)];
  o[get_global_id(0)] = pow(x, 2.0f) + pow(x, -1.5f) + pow(2.0f, x) + powr(x, 0.5f);
}
/* Chains of so many operations on few values go in several vectors side by side. */
kernel void many_lanes(global float *a, uint loop) {
  float r = a[get_global_id(0)];
  for (; loop > 0; loop--) r = exp2(r);
  a[get_global_id(0)] = r;
}
