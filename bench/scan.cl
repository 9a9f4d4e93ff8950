// Exclusive prefix sums of blocks of 512: by doubling (256 items, two elements each), and by up- and down-sweep.
// run: -k doubling -g 262144 -l 256 '[524288]=i%11' '[524288]' --bytes '8*2*g0' --name doubling
// expect: 1: i%512==0 ? 0 : r1[i-1]+a0[i-1]
// run: -k sweep -g 262144 -l 256 '[524288]=i%11' '[524288]' --bytes '8*2*g0' --name up_down_sweep
// expect: 1: i%512==0 ? 0 : r1[i-1]+a0[i-1]
kernel void doubling(global const uint *in, global uint *out) {
  local uint sums[256];
  uint l = get_local_id(0), i = 2 * get_global_id(0);
  uint first = in[i], both = first + in[i + 1];
  sums[l] = both;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint d = 1; d < 256; d *= 2) {
    uint before = l >= d ? sums[l - d] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[l] += before;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  uint start = sums[l] - both;
  out[i] = start;
  out[i + 1] = start + first;
}
kernel void sweep(global const uint *in, global uint *out) {
  local uint t[512];
  uint l = get_local_id(0), base = 512 * get_group_id(0), offset = 1;
  t[2 * l] = in[base + 2 * l];
  t[2 * l + 1] = in[base + 2 * l + 1];
  for (uint d = 256; d > 0; d /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < d) t[offset * (2 * l + 2) - 1] += t[offset * (2 * l + 1) - 1];
    offset *= 2;
  }
  if (l == 0) t[511] = 0;
  for (uint d = 1; d < 512; d *= 2) {
    offset /= 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < d) {
      uint left = offset * (2 * l + 1) - 1, right = offset * (2 * l + 2) - 1, value = t[left];
      t[left] = t[right];
      t[right] += value;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[base + 2 * l] = t[2 * l];
  out[base + 2 * l + 1] = t[2 * l + 1];
}
