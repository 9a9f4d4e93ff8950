// Loops whose counters choose elements of private arrays: up and down, by tables, in triangles, beside indices that are
// not known, and with more turns than are unrolled.
// run: -k turned -g 200 '(ulong)[5000]=i*2654435761' '(ulong)[200]'
// expect: 1: 0
// run: -k triangle -g 100 '[5500]=i%97' '[100]'
// expect: 1: 0
// run: -k down -g 100 '[2000]=i%97' '[100]'
// expect: 1: 0
// run: -k unknown -g 100 '[2000]=i%97' '[100]'
// expect: 1: 0
// run: -k long_rows -g 100 '[6400]=i%97' '[100]'
// expect: 1: 0
// run: -k stops -g 100 '[2000]=i%97' '[100]'
// expect: 1: 0
// run: -k rounds -g 96 -l 32 '[1920]=i%97' '[96]'
// expect: 1: 0
// run: -g 640 -k sort_down '[5120]=i*7919%251' '[5120]' --name 'bounds by an outer counter'
// expect: 1: i%8==0 || r1[i-1]<=r1[i] ? r1[i] : nan
// expect: 1/97: r1[i]+sum(k,i-i%8,i-i%8+8,r1[k]-a0[k])
// run: -g 640 -k sort_up '[5760]=i*7919%251' '[5760]' --name 'beginning by an outer counter'
// expect: 1: i%9==0 || r1[i-1]<=r1[i] ? r1[i] : nan
// expect: 1/97: r1[i]+sum(k,i-i%9,i-i%9+9,r1[k]-a0[k])
// run: -g 640 -k three_counters '[2560]=1+i%7' '[2560]' --name 'three counters'
// expect: 1: sum(j,0,i%4+1,sum(k,0,j+1,a0[i-i%4+k]*(j-k+1)))
kernel void turned(global const ulong *in, global ulong *wrong) {
  const int place[24] = {10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1},
            by[24] = {1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44};
  int i = get_global_id(0);
  ulong s[25], bad = 0;
  for (int k = 0; k < 25; k++) s[k] = in[i * 25 + k];
  for (int round = 0; round < 3; round++) {
    ulong t = s[1];
    for (int k = 0; k < 24; k++) {
      ulong b = s[place[k]];
      s[place[k]] = rotate(t, (ulong)by[k]);
      t = b;
    }
  }
  for (int k = 0; k < 24; k++) { // each has gone three places on
    int first = (k + 21) % 24;
    ulong x = in[i * 25 + place[first]];
    for (int step = 1; step <= 3; step++) x = rotate(x, (ulong)by[(first + step) % 24]);
    bad += s[place[k]] != x;
  }
  wrong[i] = bad + (s[0] != in[i * 25]);
}
kernel void triangle(global const int *in, global int *wrong) {
  int i = get_global_id(0), a[55], bad = 0;
  for (int r = 0; r < 10; r++)
    for (int c = 0; c <= r; c++) a[r * (r + 1) / 2 + c] = in[i * 55 + r * (r + 1) / 2 + c] + r;
  for (int r = 9; r >= 0; r--)
    for (int c = 0; c <= r; c++) bad += a[r * (r + 1) / 2 + c] != in[i * 55 + r * (r + 1) / 2 + c] + r;
  wrong[i] = bad;
}
kernel void down(global const int *in, global int *wrong) {
  int i = get_global_id(0), a[20], bad = 0, sum = 0, good = 0;
  for (int k = 19; k >= 0; k--) a[k] = in[i * 20 + 19 - k];
  for (int k = 0; k < 20; k++) bad += a[k] != in[i * 20 + 19 - k];
  for (int k = 18; k > 0; k -= 3) sum += a[k] * a[k - 1] + a[19 - k];
  for (int k = 18; k > 0; k -= 3) good += in[i * 20 + 19 - k] * in[i * 20 + 20 - k] + in[i * 20 + k];
  wrong[i] = bad + (sum != good);
}
kernel void unknown(global const int *in, global int *wrong) { // one of 20, and all of them
  int i = get_global_id(0), a[20], bad = 0, k = in[i * 20] % 20;
  for (int j = 0; j < 20; j++) a[j] = in[i * 20 + j];
  a[k] += 5;
  for (int j = 0; j < 20; j++) bad += a[j] != in[i * 20 + j] + (j == k) * 5;
  wrong[i] = bad;
}
kernel void long_rows(global const int *in, global int *wrong) {
  int i = get_global_id(0), a[64], bad = 0;
  for (int j = 0; j < 64; j++) a[j] = in[i * 64 + j];
  for (int turn = 0; turn < 64; turn++) { // to the left, by one
    int first = a[0];
    for (int j = 0; j < 63; j++) a[j] = a[j + 1];
    a[63] = first + 1;
  }
  for (int j = 0; j < 64; j++) bad += a[j] != in[i * 64 + j] + 1;
  wrong[i] = bad;
}
kernel void stops(global const int *in, global int *wrong) {
  int i = get_global_id(0), a[20], n = 0, sum = 0, good = 0;
  for (int j = 0; j < 20; j++) a[j] = in[i * 20 + j];
  for (int j = 0; j < 20; j++) {
    if (a[j] == 50) break;
    sum += a[j];
  }
  while (n < 20 && in[i * 20 + n] != 50) good += in[i * 20 + n++];
  wrong[i] = sum != good;
}
kernel void rounds(global const int *in, global int *wrong) {
  local int shared[32];
  int i = get_global_id(0), l = get_local_id(0), a[20], bad = 0;
  for (int j = 0; j < 20; j++) a[j] = in[i * 20 + j];
  for (int j = 0; j < 20; j++) {
    shared[l] = a[j];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[j] += shared[l ^ 1];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int j = 0; j < 20; j++) bad += a[j] != in[i * 20 + j] + in[(i ^ 1) * 20 + j];
  wrong[i] = bad;
}
kernel void sort_down(global const int *x, global int *o) {
  int h[8], i = get_global_id(0);
  for (int k = 0; k < 8; k++) h[k] = x[8 * i + k];
  for (int a = 0; a < 8; a++)
    for (int b = 0; b < 7 - a; b++)
      if (h[b] > h[b + 1]) {
        int t = h[b];
        h[b] = h[b + 1];
        h[b + 1] = t;
      }
  for (int k = 0; k < 8; k++) o[8 * i + k] = h[k];
}
kernel void sort_up(global const int *x, global int *o) {
  int h[9], i = get_global_id(0);
  for (int k = 0; k < 9; k++) h[k] = x[9 * i + k];
  for (int a = 0; a < 8; a++)
    for (int b = a + 1; b < 9; b++)
      if (h[a] > h[b]) {
        int t = h[a];
        h[a] = h[b];
        h[b] = t;
      }
  for (int k = 0; k < 9; k++) o[9 * i + k] = h[k];
}
kernel void three_counters(global const int *x, global int *o) {
  int h[4], s[4] = {0, 0, 0, 0}, i = get_global_id(0);
  for (int k = 0; k < 4; k++) h[k] = x[4 * i + k];
  for (int a = 0; a < 4; a++)
    for (int b = 0; b <= a; b++)
      for (int c = 0; c <= b; c++) s[a] += h[c] * (b - c + 1);
  for (int k = 0; k < 4; k++) o[4 * i + k] = s[k];
}
// run: -k stays -g 1000 '(int)[1000]' 3
// expect: 0: loop(30,k=0:k+1,x=0:(x*3+i%7*5+21+k*11+x%13*2+i%7*3%17+(x+k)%19)%1009,x)

kernel void stays(global int *out, int n) {
  int i = get_global_id(0) % 7, p[30], q[30], x = 0;
  for (int k = 0; k < 30; k++) p[k] = i;
  for (int k = 0; k < 30; k++) q[k] = n;
  for (int k = 0; k < 30; k++)
    x = (x * 3 + p[k] * 5 + q[k] * 7 + k * 11 + x % 13 * 2 + p[k] * q[k] % 17 + (x + k) % 19) % 1009;
  out[get_global_id(0)] = x;
}
