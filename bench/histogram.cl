// Histograms of 1 M bytes in 256 bins: bins in local memory that groups add up at the end, and in global memory at once.
// Weights of 1 M neighbours splatted on the 16 bins from a sixteenth of their place on, as on a coarse grid.
// run: -k local_bins -g 65536 -l 256 '[1048576]=rand(i)*rand(i+5)*256' '[256]' --items '16*g0' --name local
// expect: 1/51: sum(k,0,1048576,a0[k]==i)
// run: -k global_bins -g 65536 -l 256 '[1048576]=rand(i)*rand(i+5)*256' '[256]' --items '16*g0' --name global
// expect: 1/51: sum(k,0,1048576,a0[k]==i)
// run: -k weights -g 1048576 -l 256 '[1048576]=floor(i/16)+rand(i)*16' '[1048576]=i%3' '[65552]' --items g0 --name weights
// expect: 2/61: sum(k,max(16*i-256,0),min(16*i+16,1048576),floor(a0[k])==i?k%3:0)
kernel void local_bins(global const uchar *in, global uint *bins) {
  local uint own[256];
  uint l = get_local_id(0), base = get_group_id(0) * 4096;
  own[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = 0; k < 16; k++) atomic_inc(&own[in[base + k * 256 + l]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&bins[l], own[l]);
}
kernel void global_bins(global const uchar *in, global uint *bins) {
  uint l = get_local_id(0), base = get_group_id(0) * 4096;
  for (uint k = 0; k < 16; k++) atomic_inc(&bins[in[base + k * 256 + l]]);
}
/* floats, added by exchanging them until nobody came between */
kernel void weights(global const uint *where, global const float *weight, global float *bins) {
  size_t i = get_global_id(0);
  volatile global uint *bin = (volatile global uint *)(bins + where[i]);
  uint old = *bin, expected;
  do {
    expected = old;
    old = atomic_cmpxchg(bin, expected, as_uint(as_float(expected) + weight[i]));
  } while (old != expected);
}
