// Streaming kernels: bytes moved per launch as STREAM counts them.
// run: -k add -g 4194304 '[4194304]=i' '[4194304]=1' '[4194304]' --bytes '12*g0' --name add
// expect: 2: float(a0[i])+1
// run: -k triad -g 4194304 3 '[4194304]=rand(i)' '[4194304]=rand(i+7)' '[4194304]' --bytes '12*g0' --name triad
// expect: 3: a1[i]+3*a2[i] ~ 1e-6
// run: -k add4 -g 1048576 '[1048576]=i' '[1048576]=1' '[1048576]' --bytes '48*g0' --name add_float4
// expect: 2: float(a0[i])+1
kernel void add(global const float *a, global const float *b, global float *c) {
  size_t i = get_global_id(0);
  c[i] = a[i] + b[i];
}
kernel void triad(float s, global const float *a, global const float *b, global float *c) {
  size_t i = get_global_id(0);
  c[i] = a[i] + s * b[i];
}
kernel void add4(global const float4 *a, global const float4 *b, global float4 *c) {
  size_t i = get_global_id(0);
  c[i] = a[i] + b[i];
}
