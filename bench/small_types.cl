// Narrow arithmetic: dot products of 64 signed bytes and of whole rows, floats stored as half, 16-bit saturating sums,
// colours of three bytes.
// run: -k dot8 -g 65536 '[1048576]=(i*7)%251-125' '[1048576]=(i*13)%241-120' '[65536]' --items '64*g0' --name dot_char4
// expect: 2/17: sum(k,0,64,a0[64*i+k]*a1[64*i+k])
// run: -k half_axpy -g 524288 2 '(half)[524288]=i%100' '(half)[524288]=i%17' --bytes '6*g0' --name half_axpy
// expect: 2/17: 2*a1[i]+a2[i]
// run: -k saturate -g 1048576 '[1048576]=rand(i)*65535-32768' '[1048576]=rand(i+4)*65535-32768' '[1048576]' --bytes '6*g0' --name add_sat_short
// expect: 2/17: min(max(a0[i]+a1[i],-32768),32767)
// run: -k dot_rows -g 4096 '[4194304]=(i*7)%251-125' '[1024]=(i*13)%241-120' '[4096]' --items '1024*g0' --name dot_rows
// expect: 2/17: sum(k,0,1024,a0[1024*i+k]*a1[k])
// run: -k colours -g 1048576 '[3145728]=i*7%251' '[3145728]' --items g0 --name rgb_bytes
// expect: 1/17: i%3==0 ? int((a0[i-i%3]+a0[i-i%3+1]+a0[i-i%3+2])/3) : int(((i%3==1 ? a0[i-1] : a0[i])+int((a0[i-i%3]+a0[i-i%3+1]+a0[i-i%3+2])/3))/2)
// run: -k int4_weights -g 32,64 '(float8)[8192]' '(uchar4)[16384]=i*7%251' '(float4)[8192]=rand(i)' 256 --flops '16384*g0*g1' --name int4_weights
// expect: 0/31: sum(k,0,256,a2[(k*32+floor(i/32)%32)*4+floor(i/8)%4]*((i%2==0 ? a1[(floor(i/1024)*256+k)*4+floor(i%8/2)]>>4 : a1[(floor(i/1024)*256+k)*4+floor(i%8/2)]&15)-8)) ~ 1e-4
kernel void dot8(global const char4 *a, global const char4 *b, global int *out) {
  size_t i = get_global_id(0);
  int sum = 0;
  for (int k = 0; k < 16; k++) {
    int4 p = convert_int4(a[16 * i + k]) * convert_int4(b[16 * i + k]);
    sum += p.x + p.y + p.z + p.w;
  }
  out[i] = sum;
}
kernel void half_axpy(float s, global const half *x, global half *y) {
  size_t i = get_global_id(0);
  vstore_half(s * vload_half(i, x) + vload_half(i, y), i, y);
}
kernel void saturate(global const short *a, global const short *b, global short *c) {
  size_t i = get_global_id(0);
  c[i] = add_sat(a[i], b[i]);
}
kernel void dot_rows(global const char *a, global const char *x, global int *y) {
  int row = get_global_id(0), sum = 0;
  for (int k = 0; k < 1024; k++) sum += a[row * 1024 + k] * x[k];
  y[row] = sum;
}
kernel void colours(global const uchar *a, global uchar *o) {
  size_t i = 3 * get_global_id(0);
  uchar r = a[i], g = a[i + 1], b = a[i + 2], m = (r + g + b) / 3;
  o[i] = m;
  o[i + 1] = (r + m) / 2;
  o[i + 2] = (b + m) / 2;
}

// Four rows of a matrix by weights of four bits, which become eight floats at a time.
kernel void int4_weights(global float8 *out, global const uchar4 *weights, global const float4 *in, int n) {
  int x = get_global_id(0), y = get_global_id(1), width = get_global_size(0), at = (y * width + x) * 4;
  float8 sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
  for (int k = 0; k < n; k++) {
    uchar4 b = weights[y * n + k];
    float4 v = in[k * width + x];
    float8 w;
    w.s0 = b.s0 >> 4;
    w.s1 = b.s0 & 15;
    w.s2 = b.s1 >> 4;
    w.s3 = b.s1 & 15;
    w.s4 = b.s2 >> 4;
    w.s5 = b.s2 & 15;
    w.s6 = b.s3 >> 4;
    w.s7 = b.s3 & 15;
    w -= 8;
    sum0 += v.s0 * w;
    sum1 += v.s1 * w;
    sum2 += v.s2 * w;
    sum3 += v.s3 * w;
  }
  out[at] = sum0;
  out[at + 1] = sum1;
  out[at + 2] = sum2;
  out[at + 3] = sum3;
}
