// Half arithmetic that processors leave to wider types, scalar and by components.
// run: -b -cl-std=CL3.0 -g 64 -l 16 -k halfs '[64]=i*0.37-9' '[64]' --name 'half functions'
// expect: 1: 1
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void halfs(global const float *in, global int *good) {
  size_t i = get_global_id(0);
  half x = (half)in[i], y = (half)1.5;
  half4 v = (half4)(x, y, -x, (half)NAN), w = (half4)(y);
  int ok = fmax(x, y) == (x > y ? x : y) && fmin(x, y) == (x < y ? x : y);
  half4 most = fmax(v, w), least = fmin(v, w);
  ok &= most.s0 == max(x, y) && least.s2 == min((half)-x, y) && most.s3 == y && least.s3 == y;
  ok &= maxmag(x, (half)0) == x && minmag(y, (half)-1.5) == (half)-1.5 && clamp(x, (half)0, y) >= 0;
  ok &= fma(x, y, (half)0) == x * y && fabs(x - rint(x)) <= 0.5h && floor(x) <= x && ceil(x) >= x;
  ok &= convert_half_rtz(65519.0f) == 65504.0h && convert_int4_sat(v).s3 == 0 && (float)convert_half_rtp(1e-9) > 0;
  ok &= isnan(v.s3) && all(isequal(v.xy, v.xy)) && any(select(v, w, (short4)(-1)) == w);
  ok &= work_group_reduce_max(x) >= x && sub_group_broadcast(y, 0) == y;
  ok &= fabs(sin(x) - (half)sin((float)x)) <= 0.001h && dot(w, w) == 9.0h;
  half slot[3];
  vstore_half(in[i], 1, slot);
  ok &= vload_half(1, slot) == (float)x;
  good[i] = ok;
}
