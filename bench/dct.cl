// Discrete cosine transforms of the 8 x 8 blocks of a 512 x 512 plane, rows then columns through local memory.
// run: -k dct8x8 -g 512,512 -l 8,8 '[262144]=rand(i)*255-128' '[262144]' '[64]=((i-i%8)==0 ? sqrt(0.125) : 0.5)*cos((2*(i%8)+1)*((i-i%8)/8)*pi/16)' --flops '32*g0*g1' --name block_8x8
// expect: 1/997: sum(y,0,8,a2[(((i-i%512)/512)%8)*8+y]*sum(x,0,8,a2[(i%8)*8+x]*a0[((i-i%512)/512-((i-i%512)/512)%8+y)*512+i%512-i%8+x])) ~ 1e-3
kernel void dct8x8(global const float *in, global float *out, constant float *basis) {
  local float block[8][8], rows[8][8];
  int u = get_local_id(0), v = get_local_id(1);
  size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0);
  block[v][u] = in[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0;
  for (int x = 0; x < 8; x++) sum += basis[u * 8 + x] * block[v][x];
  rows[v][u] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  sum = 0;
  for (int y = 0; y < 8; y++) sum += basis[v * 8 + y] * rows[y][u];
  out[i] = sum;
}
