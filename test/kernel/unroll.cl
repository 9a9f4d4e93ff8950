// Loops that are unrolled for what becomes known so, and that the program asks to be unrolled in part: turns that are left over, rings in private arrays, counters that
// begin below zero, conditions and barriers within.

// run: -k rests -g 40 -l 8 [40] [64]=3*i-40 0
// expect: 0: 0
// run: -k rests -g 40 -l 8 [40] [64]=i 7
// expect: 0: 21 + 7 * i
// run: -k rests -g 40 [40] [64]=i 16
// expect: 0: 120 + 16 * i
kernel void rests(global int *out, global const int *in, int n) {
  int g = get_global_id(0), sum = 0;
#pragma unroll 4
  for (int i = 0; i < n; i++) sum += in[i] + g;
  out[g] = sum;
}

// Three places before the counter: what was put in five turns ago.
// run: -k ring -g 24 [24] [64]=i*i 3
// expect: 0: 3 + i
// run: -k ring -g 24 [24] [64]=i*i 13
// expect: 0: 210 + 2 * i
kernel void ring(global int *out, global const int *in, int n) {
  int g = get_global_id(0), r[4] = {g, 1, 2, g + 3}, sum = 0;
  __attribute__((opencl_unroll_hint(4))) for (int i = 0; i < n; i++) {
    sum += r[i & 3];
    r[i % 4] = in[i];
  }
  out[g] = sum;
}

// The remainder of a negative number is negative.
// run: -k below_zero -g 20 [20]
// expect: 0: i
kernel void below_zero(global int *out) {
  int sum = get_global_id(0);
#pragma unroll 4
  for (int i = -18; i < 10; i++) sum += i % 4 + (i & 3) - 1;
  out[get_global_id(0)] = sum;
}

// run: -k branches -g 64 -l 16 [64] [64]=i 30
// expect: 0: i % 2 == 0 ? 435 : 30
kernel void branches(global int *out, global const int *in, int n) {
  local int shared[16];
  int g = get_global_id(0), l = get_local_id(0), sum = 0;
#pragma unroll 2
  for (int i = 0; i < n; i++) {
    shared[l] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (g % 2 == 0) sum += shared[15 - l];
    else sum++;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[g] = sum;
}

// What cosines are asked about is known once both loops are unrolled: none is left.
// run: -k transform -g 40 [320] [320]=(i-i%8)/8
// expect: 0: i%8==0 ? i : 0
kernel void transform(global int *out, global const int *in) {
  int g = get_global_id(0);
  float v[8], r[8];
  for (int k = 0; k < 8; k++) v[k] = in[8 * g + k];
  for (int k = 0; k < 8; k++) {
    float sum = 0;
    for (int n = 0; n < 8; n++) sum += v[n] * cos(0.39269908f * k * (n + 0.5f));
    r[k] = sum;
  }
  for (int k = 0; k < 8; k++) out[8 * g + k] = convert_int_rte(r[k]);
}

// Functions of more than counters stay, as do those of ids.
// run: -k partly -g 40 [40] [40]=i
// expect: 0: 8*i+28
kernel void partly(global int *out, global const int *in) {
  int g = get_global_id(0), sum = 0;
  for (int k = 0; k < 8; k++) sum += max((int)get_global_id(k & 0), in[g]) + (int)sqrt((float)(k * k));
  out[g] = sum;
}

// Without private arrays, in more turns than LLVM takes, and in two dimensions.
// run: -k series -g 40 [40] [64]=i
// expect: 0: 8*i+68
// run: -k weighted -g 20,10 -l 5,5 '(float)[416]' '(float)[416]=i' 26
// expect: 0: i%26>2 && i%26<23 && i>78 && i<338 ? i : 0 ~ 1e-5
kernel void series(global int *out, global const int *in) {
  int g = get_global_id(0);
  float sum = 0;
  for (int n = 0; n < 16; n++) sum += in[g + n] * (1 + cos(M_PI_F * n)) / 2; /* the even ones */
  out[g] = convert_int_rte(sum) + 12;
}
kernel void weighted(global float *out, global const float *in, int w) {
  int x = get_global_id(0) + 3, y = get_global_id(1) + 3;
  float s = 0, t = 0;
  for (int j = -3; j <= 3; j++)
    for (int i = -3; i <= 3; i++) {
      float weight = exp(-(i * i + j * j) * 0.08f);
      s += weight * in[(y + j) * w + x + i];
      t += weight;
    }
  out[y * w + x] = s / t;
}

// Hints for rows of bytes or shorts of each work-item's own wait for lanes; a filter over bytes has them.
// run: -k row -g 50 [50] '(uchar)[1850]=i%7' 37
// expect: 0: sum(k,0,37,(i*37+k)%7)
// run: -k row -g 3 [3] '(uchar)[3000]=i%200' 1000
// expect: 0: sum(k,0,1000,(i*1000+k)%200)
// run: -k product -g 50 [50] '(short)[1850]=i%7-3' '(char)[37]=i-18' 37
// expect: 0: sum(k,0,37,((i*37+k)%7-3)*(k-18))
// run: -k filter -g 90 [90] '(uchar)[112]=i%7' '(uchar)[23]=i' 23
// expect: 0: sum(k,0,23,(i+k)%7*k)
kernel void row(global int *out, global const uchar *in, int n) {
  int i = get_global_id(0), sum = 0;
#pragma unroll 4
  for (int k = 0; k < n; k++) sum += in[i * n + k];
  out[i] = sum;
}
kernel void product(global int *out, global const short *in, global const char *by, int n) {
  int i = get_global_id(0), sum = 0;
#pragma unroll
  for (int k = 0; k < n; k++) sum += in[i * n + k] * by[k];
  out[i] = sum;
}
kernel void filter(global int *out, global const uchar *in, global const uchar *by, int n) {
  int i = get_global_id(0), sum = 0;
  __attribute__((opencl_unroll_hint(4)))
  for (int k = 0; k < n; k++) sum += in[i + k] * by[k];
  out[i] = sum;
}
