// Reductions of 1 M floats: a tree in local memory with a partial sum per group of 256, and a strided sum with one
// atomic add per item.
// run: -k tree -g 1048576 -l 256 '[1048576]=i%7' '[4096]' 'local[256]' --bytes '4*g0' --name tree
// expect: 1: sum(k,256*i,256*i+256,a0[k])
// run: -k strided -g 4096 -l 64 1048576 '[1048576]=i%7' '[1]' --bytes '4*a0' --name strided_atomic
// expect: 2: sum(k,0,1048576,a1[k])
kernel void tree(global const float *in, global float *out, local float *part) {
  int l = get_local_id(0);
  part[l] = in[get_global_id(0)];
  for (int half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < half_size) part[l] += part[l + half_size];
  }
  if (l == 0) out[get_group_id(0)] = part[0];
}
kernel void strided(int n, global const int *in, global int *out) {
  int sum = 0;
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) sum += in[i];
  atomic_add(out, sum);
}
