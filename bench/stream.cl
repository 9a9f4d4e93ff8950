// Streaming: bytes moved per launch as STREAM counts them.
// run: -k copy -g 4194304 '[4194304]=i' '[4194304]' --bytes '8*g0' --name copy
// expect: 1/17: a0[i]
// run: -k add -g 4194304 '[4194304]=i' '[4194304]=1' '[4194304]' --bytes '12*g0' --name add
// expect: 2/17: float(a0[i])+1
// run: -k add_below -g 4194304 '[4194304]=i' '[4194304]=1' '[4194304]' 4194303 --bytes '12*g0' --name add_below
// expect: 2/17: i<4194303 ? float(a0[i])+1 : 0
// run: -k triad -g 4194304 3 '[4194304]=rand(i)' '[4194304]=rand(i+7)' '[4194304]' --bytes '12*g0' --name triad
// expect: 3/17: a1[i]+3*a2[i] ~ 1e-6
// run: -k triad4 -g 1048576 3 '[1048576]=rand(i)' '[1048576]=rand(i+7)' '[1048576]' --bytes '48*g0' --name triad_float4
// expect: 3/17: a1[i]+3*a2[i] ~ 1e-6
// run: -k triad16 -g 262144 3 '[262144]=rand(i)' '[262144]=rand(i+7)' '[262144]' --bytes '192*g0' --name triad_float16
// expect: 3/17: a1[i]+3*a2[i] ~ 1e-6
// run: -k triad -g 33554432 3 '[33554432]=i%1021' '[33554432]=i%509' '[33554432]' --bytes '12*g0' --name triad_large
// expect: 3/1021: i%1021+3*(i%509)
// run: -k scale_double -g 2097152 3 '[2097152]=rand(i)' '[2097152]' --bytes '16*g0' --name scale_double
// expect: 2/17: 3*a1[i]
// run: -k add_uchar -g 4194304 '[4194304]=i' '[4194304]=3*i' '[4194304]' --bytes '3*g0' --name add_uchar
// expect: 2/17: (a0[i]+a1[i])&255
// run: -k add_long -g 2097152 '[2097152]=i' '[2097152]=3*i' '[2097152]' --bytes '24*g0' --name add_long
// expect: 2/17: 4*i
// run: -k axpy_steps -g 65536 -l 64 4194304 '[4194304]=i' 1 '[4194304]=1' 1 --bytes '12*a0' --name axpy_steps
// expect: 3/17: i/2+1
kernel void copy(global const float *a, global float *b) {
  size_t i = get_global_id(0);
  b[i] = a[i];
}
kernel void add(global const float *a, global const float *b, global float *c) {
  size_t i = get_global_id(0);
  c[i] = a[i] + b[i];
}
/* As programs of other languages have it: launches are longer than what there is to do. */
kernel void add_below(global const float *a, global const float *b, global float *c, int n) {
  int i = get_global_id(0);
  if (i < n) c[i] = a[i] + b[i];
}
kernel void triad(float s, global const float *a, global const float *b, global float *c) {
  size_t i = get_global_id(0);
  c[i] = a[i] + s * b[i];
}
kernel void triad4(float s, global const float4 *a, global const float4 *b, global float4 *c) {
  size_t i = get_global_id(0);
  c[i] = a[i] + s * b[i];
}
kernel void triad16(float s, global const float16 *a, global const float16 *b, global float16 *c) {
  size_t i = get_global_id(0);
  c[i] = a[i] + s * b[i];
}
kernel void scale_double(double s, global const double *a, global double *b) {
  size_t i = get_global_id(0);
  b[i] = s * a[i];
}
kernel void add_uchar(global const uchar *a, global const uchar *b, global uchar *c) {
  size_t i = get_global_id(0);
  c[i] = a[i] + b[i];
}
kernel void add_long(global const long *a, global const long *b, global long *c) {
  size_t i = get_global_id(0);
  c[i] = a[i] + b[i];
}
/* as libraries of linear algebra have it: steps of the whole launch, elements at distances that are given */
kernel void axpy_steps(int n, global const float *x, int dx, global float *y, int dy) {
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) y[i * dy] = 0.5f * x[i * dx] + 1;
}
