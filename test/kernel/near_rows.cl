// Work-items that read what their neighbours have just stored in local memory, some of them only, and with stores by some
// in between.
// run: -k segments -g 256 -l 64 '[256]=i*2654435761>>13' '[256]'
// expect: 1: 0
// run: -k segments -g 256 -l 32 '[256]=i*2654435761>>13' '[256]'
// expect: 1: 0
// run: -k between -g 256 -l 64 '[256]=i*2654435761>>13' '[256]'
// expect: 1: 0
// run: -k between -g 192 -l 16 '[256]=i*2654435761>>13' '[256]'
// expect: 1: 0
// run: -k doubles -g 256 -l 64 '[256]=i*2654435761>>13' '[256]'
// expect: 1: 0
kernel void segments(global const uint *in, global int *wrong) { // sums that begin anew at multiples of 7
  local int sum[64], segment[64];
  int l = get_local_id(0), i = get_global_id(0), first = i - l, good = 0, own = 0;
  for (int k = first; k <= i; k++) own += in[k] % 7 == 0;
  sum[l] = in[i] & 1023;
  segment[l] = own;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int d = 1; d < 64; d *= 2) {
    int add = l >= d && segment[l - d] == segment[l] ? sum[l - d] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum[l] += add;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int k = i; k >= first; k--) {
    good += in[k] & 1023;
    if (in[k] % 7 == 0) break;
  }
  wrong[i] = sum[l] != good;
}
int left_of(global const uint *in, int i, int l) { return l > 0 && in[i] % 3 != 0 ? (int)(in[i - 1] & 1023) : -1; }
int after(global const uint *in, int i, int l) { return in[i] % 5 == 0 ? left_of(in, i, l) + 7 : (int)(in[i] & 1023); }
kernel void between(global const uint *in, global int *wrong) {
  local int t[64];
  int l = get_local_id(0), i = get_global_id(0);
  t[l] = in[i] & 1023;
  barrier(CLK_LOCAL_MEM_FENCE);
  int a = -1, b = -2, c = -3;
  if (l > 0 && in[i] % 3 != 0) a = t[l - 1];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (in[i] % 5 == 0) t[l] = a + 7;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l > 1 && in[i] % 2 != 0) b = t[l - 2];
  if (l > 2 && in[i] % 11 != 0) c = t[l - 3] + t[l];
  int good_b = l > 1 && in[i] % 2 != 0 ? after(in, i - 2, l - 2) : -2,
      good_c = l > 2 && in[i] % 11 != 0 ? after(in, i - 3, l - 3) + after(in, i, l) : -3;
  wrong[i] = (a != left_of(in, i, l)) + (b != good_b) * 2 + (c != good_c) * 4;
}
kernel void doubles(global const uint *in, global int *wrong) { // two rows of an array of arrays in turn
  local double t[2][64];
  int l = get_local_id(0), i = get_global_id(0), p = 0;
  double good = 0;
  t[0][l] = in[i] & 1023;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int d = 1; d < 64; d *= 2) {
    t[1 - p][l] = l >= d ? t[p][l] + t[p][l - d] : t[p][l];
    p = 1 - p;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int k = i - l; k <= i; k++) good += in[k] & 1023;
  wrong[i] = t[p][l] != good;
}
