// A bound that goes through a short group turn by turn, as in triangular systems: within a vector as often as not.
// run: -k rows -g 48 -l 16 '[768]=i%13' '[768]'
// expect: 1: i%16<=int(i/16)%16 ? sum(k,0,i%16+1,(i-i%16+k)%13) : i%13
kernel void rows(global const int *in, global int *out) {
  local int t[16 * 17];
  int x = get_local_id(0), base = get_group_id(0) * 256;
  for (int k = 0; k < 16; k++) t[k * 17 + x] = in[base + k * 16 + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 1; k < 16; k++) {
    if (x >= k) t[x * 17 + k] += t[x * 17 + k - 1];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int k = 0; k < 16; k++) out[base + k * 16 + x] = t[k * 17 + x];
}

// Along diagonals, as dynamic programming goes.
// run: -k diagonals -g 32 -l 16 '[512]=(i*7)%19' '[512]'
// expect: 1/7: sum(k,0,min(i%16,int(i/16)%16)+1,((i-17*k)*7)%19)
kernel void diagonals(global const int *in, global int *out) {
  local int t[17 * 17];
  int x = get_local_id(0), base = get_group_id(0) * 256;
  for (int k = 0; k < 17; k++) t[k * 17] = t[k] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int m = 0; m < 16; m++) {
    if (x <= m) {
      int y = m - x;
      t[(y + 1) * 17 + x + 1] = t[y * 17 + x] + in[base + y * 16 + x];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int m = 14; m >= 0; m--) {
    if (x <= m) {
      int c = x + 15 - m, r = 15 - x;
      t[(r + 1) * 17 + c + 1] = t[r * 17 + c] + in[base + r * 16 + c];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int k = 0; k < 16; k++) out[base + k * 16 + x] = t[(k + 1) * 17 + x + 1];
}
