// Sparse matrix times vector, CSR, 65536 rows of about 16 entries at scattered columns: an item a row, and a group of
// 16 items a row.
// run: -k by_row -g 65536 -l 64 '[65537]=16*i' '[1048576]=rand(i)*65536' '[1048576]=rand(i+3)' '[65536]=rand(i+8)' '[65536]' --flops '2*16*g0' --name row_per_item
// expect: 4/31: sum(k,a0[i],a0[i+1],a2[k]*a3[a1[k]]) ~ 1e-5
// run: -k by_group -g 1048576 -l 64 '[65537]=16*i' '[1048576]=rand(i)*65536' '[1048576]=rand(i+3)' '[65536]=rand(i+8)' '[65536]' --flops '2*g0' --name row_per_16_items
// expect: 4/31: sum(k,a0[i],a0[i+1],a2[k]*a3[a1[k]]) ~ 1e-5
kernel void by_row(global const uint *start, global const uint *column, global const float *value,
                   global const float *x, global float *y) {
  uint row = get_global_id(0);
  float sum = 0;
  for (uint k = start[row]; k < start[row + 1]; k++) sum += value[k] * x[column[k]];
  y[row] = sum;
}
kernel void by_group(global const uint *start, global const uint *column, global const float *value,
                     global const float *x, global float *y) {
  local float part[64];
  uint l = get_local_id(0), lane = l % 16, row = get_global_id(0) / 16;
  float sum = 0;
  for (uint k = start[row] + lane; k < start[row + 1]; k += 16) sum += value[k] * x[column[k]];
  part[l] = sum;
  for (uint d = 8; d > 0; d /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < d) part[l] += part[l + d];
  }
  if (lane == 0) y[row] = part[l];
}
