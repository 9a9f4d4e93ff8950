// What kernels of other programs have shown to be wrong, each as small as it gets.
// run: -k places_of_pairs -g 128 -l 64 '[256]=i' '[128]'
// expect: 1: 4*(i-i%64+63-i%64)+1

// An address kept over a barrier, whose index is not.
kernel void places_of_pairs(global const float2 *in, global float *out) {
  local float2 m[512];
  uint l = (uint)get_local_id(0), q = l / 4, r = l % 4;
  local float2 *to = m + (r + q * 8 + (q & 1) * 4);
  float2 v = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  *to = v;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint from = 63 - l, fq = from / 4;
  float2 w = m[from % 4 + fq * 8 + (fq & 1) * 4];
  out[get_global_id(0)] = w.x + w.y;
}
