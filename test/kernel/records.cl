// Records of several registers, of which only some parts are used, or all of an odd number: by lane and transposed.
// run: -k first_and_last -g 100 '[1200]=i' '[1200]=0-1'
// expect: 1: i%12<4 ? i+8+i : i%12>7 ? 2*(i-8) : 0-1
// run: -k all_three -g 100 '[1200]=i' '[100]'
// expect: 1: 144*i+66
// run: -k backwards -g 100 '[1200]=i' '[100]'
// expect: 1: 4*(12*(99-i)+4)+6
// run: -k wide -g 100 '(double)[1200]=i' '(double)[600]=0-1'
// expect: 1: i%6<2 || i%6>3 ? 2*i : 0-1
// run: -k eight -g 100 '[1200]=i' '[1200]=0-1'
// expect: 1: i%12>3 ? i+1 : 0-1
// run: -k some -g 100 '[1200]=i' '[1200]=0-1'
// expect: 1: floor(i/12)%3>0 && i%12>3 && i%12<8 ? i*2 : 0-1
// run: -k unaligned -g 100 '[500]=i' '[500]=0-1'
// expect: 1: i%5<4 ? i*3 : 0-1
// run: -k part_set -g 64 '[1024]=i*7%5' '[64]' 8
// expect: 1: 0

typedef struct { float4 a, b, c; } three;

kernel void first_and_last(global const float *x, global float *y) {
  global const three *in = (global const three *)x;
  global three *out = (global three *)y;
  int i = get_global_id(0);
  out[i].a = in[i].a + in[i].c;
  out[i].c = 2 * in[i].a;
}

kernel void all_three(global const float *x, global float *out) {
  global const three *in = (global const three *)x;
  int i = get_global_id(0);
  float4 s = in[i].c + in[i].a + in[i].b;
  out[i] = s.x + s.y + s.z + s.w;
}

kernel void backwards(global const float *x, global float *out) {
  global const three *in = (global const three *)x;
  int i = get_global_id(0);
  float4 s = in[99 - i].b;
  out[i] = s.x + s.y + s.z + s.w;
}

kernel void wide(global const double2 *in, global double2 *out) {
  int i = get_global_id(0);
  out[3 * i + 2] = 2 * in[3 * i + 2];
  out[3 * i] = 2 * in[3 * i];
}

kernel void eight(global const float *in, global float *out) {
  int i = get_global_id(0);
  vstore8(vload8(0, in + 12 * i + 4) + 1, 0, out + 12 * i + 4);
}

kernel void some(global const float *x, global float *y) {
  global const three *in = (global const three *)x;
  global three *out = (global three *)y;
  int i = get_global_id(0);
  if (i % 3 > 0) out[i].b = in[i].b * 2;
}

kernel void unaligned(global const float *in, global float *out) {
  int i = get_global_id(0);
  vstore4(vload4(0, in + 5 * i) * 3, 0, out + 5 * i);
}

/* an array of each turn, of which a turn sets some elements and reads those only */
kernel void part_set(global const int *in, global int *wrong, int n) {
  int i = get_global_id(0), bad = 0;
  for (int r = 0; r < n; r++) {
    int v[3];
    for (int j = 0; j < 3; j++)
      if (in[i + r + j] > 1) v[j] = in[i + r + j] + r;
    for (int j = 0; j < 3; j++)
      if (in[i + r + j] > 1 && v[j] != in[i + r + j] + r) bad++;
  }
  wrong[i] = bad;
}
