// Sums that loops keep in memory: carried in registers where nothing else of the loop meets them, and left in memory where
// another access may, or other work-items look on.
// run: -k recs -g 256 -l 64 '(float)[1024]=i%7' '(float)[1024]=i%5' 3
// expect: 0: i%7+3*sum(k,0,64,a1[4*int(int(i/4)/64)*64+4*k+i%4])
// run: -k recs -g 256 -l 64 '(float)[1024]=i%7' '(float)[1024]=i%5' 0
// expect: 0: i%7
// run: -k told_apart -g 100 '[300]=i' '[6400]=i%7' 64
// expect: 0: i%3==0 ? i+sum(k,0,64,(k*100+i/3)%7) : i
// run: -k told_apart -g 100 '[300]=i' '[6400]=i%7' 0
// expect: 0: i
// run: -k may_meet -g 64 '[128]=1' 64
// expect: 0: i<64 ? 1 : pow(2,20)
// run: -k last -g 128 -l 64 '[128]' '[64]=i' 20
// expect: 0: 19*3+a1[(i+19)%64]
// run: -k bytes -g 32 '(uint)[32]=0' 8
// expect: 0: 3+3*256+5*256*256+10*256*256*256
// run: -k in_turns -g 64 -l 64 '[64]' 6
// expect: 0: 64*i+1024
// run: -k counted -g 256 -l 64 '[1]' 5
// expect: 0: 256*5
// run: -k own -g 64 '[64]' 9
// expect: 0: 9*i+36
// run: -b -cl-std=CL3.0 -k blended -g 60 -l 1 '(uint)[128]=i' 3 5 '(uint)[120]'
// expect: 3: i%2==0?102:3
typedef struct { float v, x, y, z; } rec;
kernel void recs(global rec *f, global const rec *r, int n) {
  local rec a[64];
  int i = get_global_id(0), l = get_local_id(0);
  a[l] = r[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < n; k++)
    for (int j = 0; j < 64; j++) {
      f[i].v += a[j].v;
      f[i].x += a[j].x;
      f[i].y += a[j].y;
      f[i].z += a[j].z;
    }
}
kernel void told_apart(global float *restrict o, global const float *restrict in, int n) {
  int i = get_global_id(0);
  for (int k = 0; k < n; k++) o[3 * i] += in[k * 100 + i];
}
// o[64 + i] is read through another index: turn 20 ends it
kernel void may_meet(global float *o, int at) {
  int i = get_global_id(0);
  for (int k = 0; k < 20; k++) o[64 + i] += o[at + i];
}
kernel void last(global int *o, constant int *c, int n) {
  local int three[64];
  int i = get_global_id(0), l = get_local_id(0);
  three[l] = 3;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < n; k++) o[i] = k * three[63 - l] + c[(i + k) & 63];
}
// the last byte is part of what is counted beside it
kernel void bytes(global uint *o, int n) {
  int i = get_global_id(0);
  global uchar *b = (global uchar *)(o + i);
  for (int k = 0; k < n; k++) {
    b[0] = k & 3;
    b[1] = b[0];
    b[2] = k - 2;
    *(global ushort *)(b + 2) += 0x100 + (b[3] & 4) * 0x40;
    if (b[3] > 12) b[3] = 13;
  }
}
kernel void in_turns(global float *o, int n) {
  local float a[64];
  int i = get_local_id(0);
  a[i] = i;
  for (int k = 0; k < n; k++) {
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] += i + 32 * (k == 0) + (k > 0) * (a[i] - i);
  }
  o[i] = a[i];
}
kernel void counted(global int *o, int n) {
  for (int k = 0; k < n; k++) atomic_inc(o);
}
kernel void own(global int *o, int n) {
  int i = get_global_id(0), sums[5] = {0};
  for (int k = 0; k < n; k++) sums[i % 5] += i + k;
  o[i] = sums[i % 5];
}
struct numbered { ushort3 numbers; uint other; };
kernel void blended(global const uint *in, uint n, ushort low, global uint *out) {
  local float2 kept[1];
  const uint item = get_local_id(0), i = get_global_id(0);
  struct numbered p;
  p.numbers = (ushort3)(7);
  if (in[i] != 99)
    for (int k = 0; k < (int)n; k++) {
      kept[item] = convert_float2(rotate(vload2((item ^ 20u) & 31u, in), vload2(item & 31u, in)));
      p.numbers.s0 = low | 8;
      if (((global const char *)in)[k + 2] == ((global const char *)in)[i + 64]) break;
    }
  if (in[5] == 3) p.numbers = p.numbers.yzx;
  out[2 * i] = kept[item].s1 + p.numbers.s0 + p.numbers.s2;
  out[2 * i + 1] += in[n];
}
