// Transposes of 1024 x 1024 floats: straight, and through a padded local tile.
// run: -k direct -g 1024,1024 -l 16,16 '[1048576]=i' '[1048576]' --bytes '8*g0*g1' --name direct
// expect: 1: a0[(i%1024)*1024+(i-i%1024)/1024]
// run: -k tiled -g 1024,1024 -l 16,16 '[1048576]=i' '[1048576]' --bytes '8*g0*g1' --name tiled
// expect: 1: a0[(i%1024)*1024+(i-i%1024)/1024]
kernel void direct(global const float *in, global float *out) {
  size_t x = get_global_id(0), y = get_global_id(1);
  out[x * get_global_size(1) + y] = in[y * get_global_size(0) + x];
}
kernel void tiled(global const float *in, global float *out) {
  local float tile[16][17];
  size_t lx = get_local_id(0), ly = get_local_id(1), gx = get_group_id(0) * 16, gy = get_group_id(1) * 16;
  tile[ly][lx] = in[(gy + ly) * get_global_size(0) + gx + lx];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[(gx + ly) * get_global_size(1) + gy + lx] = tile[lx][ly];
}
