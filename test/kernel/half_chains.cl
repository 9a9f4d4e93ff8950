// Operations on halves take longer than those on floats: loops that carry them have twice as many in flight.
// run: -k sums -g 700 -l 100 '(half)[700]' 0.5 60
// expect: 0: i%100+1 ~ 0.002
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void sums(global half *out, float by, int n) {
  const half x = (half)by, start = (half)get_local_id(0);
  half y = start;
  for (int i = 0; i < n; i++) y = mad(y, x, x);
  out[get_global_id(0)] = y + start;
}
