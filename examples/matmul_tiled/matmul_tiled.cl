/* C = A B for square row-major matrices whose order is a multiple of TILE.
 *
 * A work-group computes one TILE x TILE tile of C. It walks along a row of tiles of A and down a
 * column of tiles of B; each pair is brought into local memory once and then used TILE times. */
#define TILE 16

__kernel void matmul_tiled(int order, __global const float *a, __global const float *b,
                           __global float *c) {
  __local float a_tile[TILE][TILE];
  __local float b_tile[TILE][TILE];

  const int x = get_local_id(0), y = get_local_id(1);
  const int column = get_group_id(0) * TILE + x;
  const int row = get_group_id(1) * TILE + y;
  float sum = 0.0f;

  for (int tile = 0; tile < order / TILE; tile++) {
    a_tile[y][x] = a[row * order + (tile * TILE + x)];
    b_tile[y][x] = b[(tile * TILE + y) * order + column];
    barrier(CLK_LOCAL_MEM_FENCE); /* both tiles are complete */

    for (int k = 0; k < TILE; k++) sum += a_tile[y][k] * b_tile[k][x];
    barrier(CLK_LOCAL_MEM_FENCE); /* nobody reads them any more */
  }
  c[row * order + column] = sum;
}
