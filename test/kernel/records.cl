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
// run: -k by_index -g 100 '[700]=i' '(int)[100]=i*37%100' '[100]' '[100]'
// expect: 2: 7*(7*(i*37%100))+21
// expect: 3: i*37%100%3>0 ? 3*(7*(i*37%100))+9 : 0-1
// run: -k doubles -g 100 '(double)[300]=i' '(int)[100]=i*37%100' '(double)[100]'
// expect: 2: 9*(i*37%100)+8
// run: -k mixed -g 100 '(int)[500]=i' '(int)[100]=i*37%100' '(int)[100]'
// expect: 2: 0
// run: -k far -g 30 '[720]=i' '[30]'
// expect: 1: 6*24*i+1+6+7+9+11+12
// run: -k triples -g 100 '[300]=i' '(int)[100]=99-i' '[100]'
// expect: 2: 18*(99-i)+8
// run: -k of_ones_own -g 21 '(int2)[21]=i+100' '(uint)[21]=20-i' '(int2)[21]' 0
// expect: 2: i%2+100+2*(20-floor(i/2))

typedef struct { float4 a, b, c; } three;
typedef struct { float x, y, z, u, v, w, t; } seven;
typedef struct { double x, y, z; } doubles3;
typedef struct { int kind; float x, y, z; int next; } mixed_record;

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

kernel void by_index(global const float *p, global const int *index, global float *all, global float *some) {
  global const seven *in = (global const seven *)p;
  int i = get_global_id(0), k = index[i];
  seven s = in[k];
  all[i] = s.x + s.y + s.z + s.u + s.v + s.w + s.t;
  float sum = -1;
  if (k % 3 > 0) sum = in[k].y + in[k].t + in[k].z;
  some[i] = sum;
}

kernel void doubles(global const double *p, global const int *index, global double *out) {
  global const doubles3 *in = (global const doubles3 *)p;
  doubles3 s = in[index[get_global_id(0)]];
  out[get_global_id(0)] = s.x + s.y * 1 + s.z + 5;
}

kernel void mixed(global const int *p, global const int *index, global int *wrong) {
  global const mixed_record *in = (global const mixed_record *)p;
  int i = get_global_id(0), k = index[i];
  mixed_record r = in[k];
  wrong[i] = (r.kind != 5 * k) + (as_int(r.x) != 5 * k + 1) + (as_int(r.y) != 5 * k + 2) + (as_int(r.z) != 5 * k + 3) +
             (r.next != 5 * k + 4);
}

/* further from each other than rows reach, with gaps, out of order */
kernel void far(global const float *p, global float *out) {
  int i = get_global_id(0);
  global const float *at = p + 24 * i;
  out[i] = at[7] + at[1] + at[12] + at[6] + at[11] + at[9];
}

/* no fourth word behind the last one */
kernel void triples(global const float *p, global const int *index, global float *out) {
  int i = get_global_id(0), k = index[i];
  out[i] = p[3 * k] + 2 * p[3 * k + 1] + 3 * p[3 * k + 2];
}

/* private, lane by lane */
kernel void of_ones_own(global const int2 *in, global const uint *offsets, global int2 *out, uint from) {
  int2 own[21];
  int i = get_global_id(0);
  own[i] = (int2)(int)0;
  vstore2(in[i], offsets[i], (int *)own + from);
  int *at = (int *)(own + offsets[i]) + from;
  global int *to = (global int *)(out + offsets[i]) + from;
  for (uint k = 0; k < 2; k++) to[k] = at[k];
}
