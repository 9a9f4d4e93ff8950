// Matrix products C = A B of order 256, row-major, checked at every 61st element against the definition.
// run: -k naive -g 256,256 -l 16,16 256 '[65536]=rand(i)' '[65536]=rand(i+9)' '[65536]' --flops '2*g0*g1*a0' --name naive
// expect: 3/61: sum(k,0,256,a1[(i-i%256)+k]*a2[k*256+i%256]) ~ 1e-4
// run: -k naive_rows -g 256,256 -l 16,16 256 '[65536]=rand(i)' '[65536]=rand(i+9)' '[65536]' --flops '2*g0*g1*a0' --name naive_row_first
// expect: 3/61: sum(k,0,256,a1[(i-i%256)+k]*a2[k*256+i%256]) ~ 1e-4
// run: -k tiled -g 256,256 -l 16,16 256 '[65536]=rand(i)' '[65536]=rand(i+9)' '[65536]' --flops '2*g0*g1*a0' --name tiled
// expect: 3/61: sum(k,0,256,a1[(i-i%256)+k]*a2[k*256+i%256]) ~ 1e-4
// run: -b -cl-fast-relaxed-math -k tiled -g 256,256 -l 16,16 256 '[65536]=rand(i)' '[65536]=rand(i+9)' '[65536]' --flops '2*g0*g1*a0' --name tiled_relaxed
// expect: 3/61: sum(k,0,256,a1[(i-i%256)+k]*a2[k*256+i%256]) ~ 1e-4
// run: -k blocked -g 64,64 -l 16,16 256 '[65536]=rand(i)' '[65536]=rand(i+9)' '[65536]' --flops '2*16*g0*g1*a0' --name register_blocked
// expect: 3/61: sum(k,0,256,a1[(i-i%256)+k]*a2[k*256+i%256]) ~ 1e-4
// run: -k in_memory -g 256,256 -l 16,16 256 '[65536]=rand(i)' '[65536]=rand(i+9)' '[65536]' --flops '2*g0*g1*a0' --name in_memory
// expect: 3/61: sum(k,0,256,a1[(i-i%256)+k]*a2[k*256+i%256]) ~ 1e-4
#define TILE 16
kernel void naive(int n, global const float *a, global const float *b, global float *c) {
  int col = get_global_id(0), row = get_global_id(1);
  float sum = 0;
  for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + col];
  c[row * n + col] = sum;
}
/* the textbook's other order: the first dimension walks down a column */
kernel void naive_rows(int n, global const float *a, global const float *b, global float *c) {
  int row = get_global_id(0), col = get_global_id(1);
  float sum = 0;
  for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + col];
  c[row * n + col] = sum;
}
/* sums that stay in memory, which could be that of a factor as far as the source tells */
kernel void in_memory(int n, global const float *a, global const float *b, global float *c) {
  int col = get_global_id(0), row = get_global_id(1);
  c[row * n + col] = 0;
  for (int k = 0; k < n; k++) c[row * n + col] += a[row * n + k] * b[k * n + col];
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
/* a group of 16 x 16 computes 64 x 64 of C, 4 x 4 an item, through local tiles 16 deep */
kernel void blocked(int n, global const float *a, global const float *b, global float *c) {
  local float ta[TILE][64 + 1], tb[TILE][64];
  int lx = get_local_id(0), ly = get_local_id(1);
  int row0 = get_group_id(1) * 64, col0 = get_group_id(0) * 64;
  float sum[4][4] = {{0}};
  for (int t = 0; t < n; t += TILE) {
    for (int r = 0; r < 4; r++) {
      ta[lx][ly + 16 * r] = a[(row0 + ly + 16 * r) * n + t + lx];
      tb[ly][lx + 16 * r] = b[(t + ly) * n + col0 + lx + 16 * r];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < TILE; k++) {
      float x[4], y[4];
      for (int r = 0; r < 4; r++) {
        x[r] = ta[k][ly + 16 * r];
        y[r] = tb[k][lx + 16 * r];
      }
      for (int r = 0; r < 4; r++)
        for (int s = 0; s < 4; s++) sum[r][s] += x[r] * y[s];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int r = 0; r < 4; r++)
    for (int s = 0; s < 4; s++) c[(row0 + ly + 16 * r) * n + col0 + lx + 16 * s] = sum[r][s];
}
