// Volatile local memory, as programs for warps declare it: reductions with and without barriers in a row, by some lanes,
// of types of all sizes, at strides and anywhere.
// run: -k tree -g 1024 -l 128 '[1024]=i%7' '[8]'
// expect: 1: sum(k,128*i,128*i+128,a0[k])
// run: -k tree -g 1024 -l 128 '[1024]=i%7' '[8]' -b -cl-opt-disable
// expect: 1: sum(k,128*i,128*i+128,a0[k])
// run: -k leaps -g 1024 -l 128 '[1024]=i%7' '[8]'
// expect: 1: sum(k,128*i,128*i+128,a0[k])
// run: -k bytes -g 1024 -l 64 '[1024]=i%3' '[16]'
// expect: 1: sum(k,64*i,64*i+64,a0[k])
// run: -k pairs -g 1024 -l 64 '[1024]=i%3' '[16]'
// expect: 1: sum(k,64*i,64*i+64,a0[k])
// run: -k anywhere -g 1024 -l 64 '[1024]=i*37+5' '[1024]'
// expect: 1: i-i%64+(i*37+5)%64
// run: -k shared -g 1024 -l 64 '[1024]=i%5' '[1024]'
// expect: 1: a0[i-i%64]+a0[i-i%64+63]*(i%2)
// run: -k doubles -g 1024 -l 128 '[1024]=i%7' '[8]'
// expect: 1: sum(k,128*i,128*i+128,a0[k])
#define TREE(name, type, steps, who, other)                              \
  kernel void name(global const type *in, global type *out) {           \
    local volatile type s[128];                                          \
    uint l = get_local_id(0), n = get_local_size(0);                     \
    s[l] = in[get_global_id(0)];                                         \
    barrier(CLK_LOCAL_MEM_FENCE);                                        \
    for (steps) {                                                        \
      if (who) s[l] += s[other];                                         \
      barrier(CLK_LOCAL_MEM_FENCE);                                      \
    }                                                                    \
    if (l == 0) out[get_group_id(0)] = s[0];                             \
  }
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
TREE(tree, float, uint k = n / 2; k > 0; k /= 2, l < k, l + k)
TREE(leaps, int, uint k = 1; k < n; k *= 2, l % (2 * k) == 0, l + k)
TREE(bytes, uchar, uint k = n / 2; k > 0; k /= 2, l < k, l + k)
TREE(doubles, double, uint k = 1; k < n; k *= 2, l % (2 * k) == 0 && l + k < n, l + k)

kernel void pairs(global const int *in, global int *out) {
  local volatile int s[128];
  uint l = get_local_id(0);
  s[2 * l] = in[get_global_id(0)];
  s[2 * l + 1] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = 32; k > 0; k /= 2) {
    if (l < k) s[2 * l] += s[2 * (l + k)];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0) out[get_group_id(0)] = s[0] + s[1];
}

kernel void anywhere(global const uint *in, global uint *out) {
  local volatile uint s[64];
  uint i = get_global_id(0), l = get_local_id(0);
  s[(l * 5) % 64] = i - l + (l * 5) % 64;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = s[in[i] % 64];
}

kernel void shared(global const int *in, global int *out) {
  local volatile int first, last;
  uint i = get_global_id(0), l = get_local_id(0);
  if (l == 0) first = in[i];
  if (l == 63) last = in[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  int x = first;
  if (l & 1) x += last;
  out[i] = x;
}
