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
// run: -k unsigneds -g 256 -l 64 '[256]=i*2654435761>>13' '[256]'
// expect: 1: 0
// run: -k unsigneds -g 160 -l 32 '[256]=i*2654435761>>13' '[256]'
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
kernel void unsigneds(global const uint *in, global int *wrong) { // the index wraps where nobody reads
  local uint sum[64], most[64];
  uint l = get_local_id(0), i = get_global_id(0), good = 0, best = 0;
  sum[l] = in[i] & 1023;
  most[l] = in[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint d = 1; d < 64; d *= 2) {
    uint before = l >= d ? sum[l - d] : 0, other = most[l];
    if (l >= d && in[i] % 4 != 0) other = max(other, most[l - d]);
    barrier(CLK_LOCAL_MEM_FENCE);
    sum[l] += before;
    if (d == 1) most[l] = other;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (uint k = i - l; k <= i; k++) good += in[k] & 1023;
  best = l > 0 && in[i] % 4 != 0 ? max(in[i], in[i - 1]) : in[i];
  wrong[i] = (sum[l] != good) + (most[l] != best) * 2;
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
