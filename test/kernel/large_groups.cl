// Groups of 4096 work-items with barriers: a launch of 1024 x 1024, as in a textbook.
// run: -k transpose -g 1024,1024 -l 64,64 '[1048576]=i%1000' '[1048576]' --name transpose
// expect: 1: a0[(i%1024)*1024+floor(i/1024)]
// run: -k count -g 65536 -l 4096 '[65536]=i%7' '[16]' --name reduction
// expect: 1: sum(j,0,4096,(i*4096+j)%7)
// run: -k rounds -g 256,128 -l 64,64 20 '[32768]=i%100' --name rounds
// expect: 1: (i - i%64 + (i%64+20)%64)%100
kernel void transpose(global const int *in, global int *out) {
  local int tile[64][65];
  int lx = get_local_id(0), ly = get_local_id(1), gx = get_group_id(0), gy = get_group_id(1);
  tile[ly][lx] = in[(gy * 64 + ly) * 1024 + gx * 64 + lx];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[(gx * 64 + ly) * 1024 + gy * 64 + lx] = tile[lx][ly];
}

kernel void count(global const int *in, global int *out) {
  local int part[4096];
  int l = get_local_id(0);
  part[l] = in[get_global_id(0)];
  for (int s = 2048; s > 0; s >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < s) part[l] += part[l + s];
  }
  if (l == 0) out[get_group_id(0)] = part[0];
}

/* Each row is turned by one place a round. */
kernel void rounds(int n, global int *x) {
  local int a[64][64];
  int lx = get_local_id(0), ly = get_local_id(1);
  size_t at = get_global_id(1) * get_global_size(0) + get_global_id(0);
  int v = x[at];
  for (int i = 0; i < n; i++) {
    a[ly][lx] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    v = a[ly][(lx + 1) % 64];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  x[at] = v;
}
