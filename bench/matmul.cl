// Matrix products, row-major, checked against the definition.
// run: -k naive -g 128,128 -l 16,16 128 '[16384]=rand(i)' '[16384]=rand(i+9)' '[16384]' --flops '2*g0*g1*a0' --name naive
// expect: 3: sum(k,0,128,a1[(i-i%128)+k]*a2[k*128+i%128]) ~ 1e-4
// run: -k tiled -g 128,128 -l 16,16 128 '[16384]=rand(i)' '[16384]=rand(i+9)' '[16384]' --flops '2*g0*g1*a0' --name tiled
// expect: 3: sum(k,0,128,a1[(i-i%128)+k]*a2[k*128+i%128]) ~ 1e-4
#define TILE 16
kernel void naive(int n, global const float *a, global const float *b, global float *c) {
  int col = get_global_id(0), row = get_global_id(1);
  float sum = 0;
  for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + col];
  c[row * n + col] = sum;
}
kernel void tiled(int n, global const float *a, global const float *b, global float *c) {
  local float ta[TILE][TILE], tb[TILE][TILE];
  int lx = get_local_id(0), ly = get_local_id(1), col = get_global_id(0), row = get_global_id(1);
  float sum = 0;
  for (int t = 0; t < n / TILE; t++) {
    ta[ly][lx] = a[row * n + t * TILE + lx];
    tb[ly][lx] = b[(t * TILE + ly) * n + col];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < TILE; k++) sum += ta[ly][k] * tb[k][lx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + col] = sum;
}
