// Tree reduction in local memory, a partial sum per group of 256.
// run: -g 1048576 -l 256 '[1048576]=i%7' '[4096]' 'local[256]' --bytes '4*g0' --name tree
// expect: 1: sum(k,256*i,256*i+256,a0[k])
kernel void tree(global const float *in, global float *out, local float *part) {
  int l = get_local_id(0);
  part[l] = in[get_global_id(0)];
  for (int half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < half_size) part[l] += part[l + half_size];
  }
  if (l == 0) out[get_group_id(0)] = part[0];
}
