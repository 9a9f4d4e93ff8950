// Groups of 16384 work-items with barriers: a launch of 1024 x 1024, as in a textbook.
// run: -k transpose -g 1024,1024 -l 128,128 '[1048576]=i%1000' '[1048576]' --name transpose
// expect: 1: a0[(i%1024)*1024+floor(i/1024)]
// run: -k count -g 65536 -l 16384 '[65536]=i%7' '[4]' --name reduction
// expect: 1: sum(j,0,16384,(i*16384+j)%7)
// run: -k rounds -g 256,128 -l 128,128 20 '[32768]=i%100' --name rounds
// expect: 1: (i - i%128 + (i%128+20)%128)%100
kernel void transpose(global const int *in, global int *out) {
  local int tile[128][129];
  int lx = get_local_id(0), ly = get_local_id(1), gx = get_group_id(0), gy = get_group_id(1);
  tile[ly][lx] = in[(gy * 128 + ly) * 1024 + gx * 128 + lx];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[(gx * 128 + ly) * 1024 + gy * 128 + lx] = tile[lx][ly];
}

kernel void count(global const int *in, global int *out) {
  local int part[16384];
  int l = get_local_id(0);
  part[l] = in[get_global_id(0)];
  for (int s = 8192; s > 0; s >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < s) part[l] += part[l + s];
  }
  if (l == 0) out[get_group_id(0)] = part[0];
}

/* Each row is turned by one place a round. */
kernel void rounds(int n, global int *x) {
  local int a[128][128];
  int lx = get_local_id(0), ly = get_local_id(1);
  size_t at = get_global_id(1) * get_global_size(0) + get_global_id(0);
  int v = x[at];
  for (int i = 0; i < n; i++) {
    a[ly][lx] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    v = a[ly][(lx + 1) % 128];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  x[at] = v;
}
