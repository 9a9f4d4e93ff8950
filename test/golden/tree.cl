// golden: 1 4; describe,lower; -g 64 -l 16 '[64]=i' '[4]' 'local[16]'
kernel void tree(global const float *in, global float *out, local float *part) {
  int l = get_local_id(0);
  part[l] = in[get_global_id(0)];
  for (int half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < half_size) part[l] += part[l + half_size];
  }
  if (l == 0) out[get_group_id(0)] = part[0];
}
