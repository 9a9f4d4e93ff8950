// Sine and cosine of one angle, which are computed together: as exact as alone, at any angle, and where only some
// work-items ask for them.
// run: -k both -g 1024 '[1024]=(i-512)*0.37' '[1024]' '[1024]' --name small
// expect: 1: sin(a0[i]) ~ 4e-7
// expect: 2: cos(a0[i]) ~ 4e-7
// run: -k both -g 1024 '[1024]=(i-512)*12345.678' '[1024]' '[1024]' --name large
// expect: 1: sin(a0[i]) ~ 4e-7
// expect: 2: cos(a0[i]) ~ 4e-7
// run: -k both -g 1024 '[1024]=(i-512)*0.37' '[1024]' '[1024]' -b -cl-fast-relaxed-math --name relaxed
// expect: 1: sin(a0[i]) ~ 5e-4
// expect: 2: cos(a0[i]) ~ 5e-4
// run: -k native -g 1024 '[1024]=(i-512)*0.006' '[1024]' '[1024]'
// expect: 1: sin(a0[i]) ~ 3e-7
// expect: 2: cos(a0[i]) ~ 3e-7
// run: -k both_vectors -g 256 '[256]=(i-512)*0.37' '[256]' '[256]'
// expect: 1: sin(a0[i]) ~ 4e-7
// expect: 2: cos(a0[i]) ~ 4e-7
// run: -k both_doubles -g 512 '[512]=(i-512)*0.37' '[512]' '[512]'
// expect: 1: sin(a0[i]) ~ 1e-15
// expect: 2: cos(a0[i]) ~ 1e-15
// run: -k both_halves -g 512 '[512]=(i-512)*0.25' '[512]' '[512]' --name halves
// expect: 1: sin(a0[i]) ~ 1e-3
// expect: 2: cos(a0[i]) ~ 1e-3
// run: -k for_some -g 1024 '[1024]=(i-512)*0.37' '[1024]'
// expect: 1: i%3==0 ? sin(a0[i])*cos(a0[i]) : i%3==1 ? cos(a0[i]) : a0[i] ~ 1e-6
// run: -k specials -g 4 '[4]=i==0?nan:i==1?1e39:i==2?-1e39:-0.0' '[1]'
// expect: 1: 0
// run: -k tangent -g 2000 '[2000]=(i-999.5)*exp2(30+i*0.48)' '[2000]' --name tangent_of_large
// expect: 1: tan(a0[i]) ~ 2.3e-16
// run: -k cosines -g 512 '[512]=(i-512)*0.37' '[512]' -b -cl-fast-relaxed-math --name relaxed_vectors
// expect: 1: cos(a0[i]) ~ 5e-4
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
/* As Fourier transforms use them for their factors: as exact as a float has room for within a turn. */
kernel void native(global const float *x, global float *s, global float *c) {
  int i = get_global_id(0);
  s[i] = native_sin(x[i]);
  c[i] = native_cos(x[i]);
}
kernel void both(global const float *x, global float *s, global float *c) {
  size_t i = get_global_id(0);
  float angle = x[i];
  c[i] = cos(angle);
  s[i] = sin(angle);
}
kernel void both_vectors(global const float4 *x, global float4 *s, global float4 *c) {
  size_t i = get_global_id(0);
  float4 angle = x[i];
  s[i] = sin(angle);
  c[i] = cos(angle);
}
kernel void both_doubles(global const double2 *x, global double2 *s, global double2 *c) {
  size_t i = get_global_id(0);
  double2 angle = x[i];
  s[i] = sin(angle);
  c[i] = cos(angle);
}
kernel void both_halves(global const half2 *x, global half2 *s, global half2 *c) {
  size_t i = get_global_id(0);
  half2 angle = x[i];
  s[i] = sin(angle);
  c[i] = cos(angle);
}
kernel void for_some(global const float *x, global float *y) {
  size_t i = get_global_id(0);
  float angle = x[i], r = angle;
  if (i % 3 == 0) r = sin(angle) * cos(angle);
  else if (i % 3 == 1) r = cos(angle);
  y[i] = r;
}
// Not a number stays one, infinities make one, and the sine of -0 is -0.
kernel void specials(global const float *x, global int *wrong) {
  size_t i = get_global_id(0);
  float s = sin(x[i]), c = cos(x[i]);
  bool ok = i < 3 ? isnan(s) && isnan(c) : as_uint(s) == 0x80000000u && c == 1.0f;
  if (!ok) atomic_inc(wrong);
}
/* next to the exact result, or it */
kernel void tangent(global const double *x, global double *y) { y[get_global_id(0)] = tan(x[get_global_id(0)]); }
/* nothing else is called: what the options allow the kernel must not reach into the library's rounding */
kernel void cosines(global const float2 *x, global float2 *y) { y[get_global_id(0)] = cos(x[get_global_id(0)]); }
