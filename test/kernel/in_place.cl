// Records changed in place, component after component: the loads of all components are done before the stores, and
// these together, where they do not overlap. Where they do, the order is the program's.
// run: -k scale -g 1000 '[3000]=i%97' 3.0 1000
// expect: 0: a0[i]*3
// run: -k scale -g 1000 -l 8 '[3000]=i%97' 3.0 997
// expect: 0: i<2991 ? a0[i]*3 : a0[i]
// run: -k some -g 512 '[2048]=i%97' 2.0
// expect: 0: i%4==3 ? a0[i] : a0[i]*2
// run: -k grey -g 300 '(uchar)[900]=i*7%256'
// expect: 0: int((a0[3*int(i/3)]+2*a0[3*int(i/3)+1]+a0[3*int(i/3)+2])/4)
// run: -k chain -g 300 '[1200]=i%5'
// expect: 0: i%4==0 ? a0[i] : i%4==1 ? a0[i-1]+a0[i] : i%4==2 ? a0[i-2]+a0[i-1]+a0[i] : a0[i-3]+a0[i-2]+a0[i-1]+a0[i]
// run: -k twice -g 256 '[768]=i%7' '[1]=2'
// expect: 0: i%3==0 ? a0[i]*2 : i%3==1 ? a0[i-1]*2+1 : a0[i-2]*2+a0[i]
// run: -k wide -g 128 '[1024]=i%11'
// expect: 0: i%8==4 ? a0[i-4] : i%8==5 ? a0[i-4] : i%8==6 ? a0[i-5]+5 : i%8==7 ? 9 : a0[i]
// run: -k many -g 64 '[1024]=i%13'
// expect: 0: i%16==15 ? sum(k,0,15,a0[i-15+k])+a0[i] : a0[i]+1
// run: -k neighbour -g 64 '[256]=i%13' '[64]'
// expect: 1: a0[4*i+1]
// expect: 0: i%4==0 ? a0[i+1] : i%4==1 ? 7 : a0[i]
// run: -k branches -g 256 '[768]=i%9' 4
// expect: 0: a0[3*int(i/3)]>4 ? a0[i]+10 : a0[i]
// run: -k rows -g 64 '[192]=i%9' '[192]=i%5' 6
// expect: 0: a0[i]+6*a1[i]
// run: -k even -g 1000 '[2000]=i' '[1000]=i*3'
// expect: 0: i%2==0 ? a1[int(i/2)] : a0[i]
// run: -k five -g 1000 '(double)[5000]=i' '(double)[1000]=i*3'
// expect: 0: i%5==1||i%5==2||i%5==3 ? a1[int(i/5)]+i%5 : a0[i]
// run: -k bytes -g 1000 '(uchar)[4000]=i%256' '(uchar)[1000]=i%50'
// expect: 0: i%4==3 ? i%256 : a1[int(i/4)]*(i%4+1)
// run: -k down -g 100 '[400]=i' '[100]=i*3'
// expect: 0: i%4==0||i%4==2 ? a1[99-int(i/4)]+i%4 : a0[i]
kernel void scale(global float *a, float f, uint n) {
  size_t i = get_global_id(0);
  if (i >= n) return;
  global float *p = a + 3 * i;
  p[0] *= f, p[1] *= f, p[2] *= f;
}
/* the fourth component is another's */
kernel void some(global float *a, float f) {
  global float *p = a + 4 * get_global_id(0);
  p[0] *= f, p[1] *= f, p[2] *= f;
}
kernel void grey(global uchar *a) {
  global uchar *p = a + 3 * get_global_id(0);
  uchar y = (p[0] + 2 * p[1] + p[2]) / 4;
  p[0] = y, p[1] = y, p[2] = y;
}
/* each load sees the store before it */
kernel void chain(global float *a) {
  global float *p = a + 4 * get_global_id(0);
  for (int k = 1; k < 4; k++) p[k] = p[k - 1] + p[k];
}
/* what may be the same memory lies between */
kernel void twice(global float *a, global const float *f) {
  global float *p = a + 3 * get_global_id(0);
  p[0] = p[0] * f[0];
  p[1] = p[0] + 1;
  p[2] = p[0] + p[2];
}
/* components of different sizes that overlap */
kernel void wide(global float *a) {
  global float *p = a + 8 * get_global_id(0);
  float2 low = vload2(0, p);
  vstore2(low, 0, p + 4);
  p[6] = p[5] + 5;
  float4 high = vload4(0, p + 4);
  p[7] = high.z - high.y + 4;
}
/* more loads between stores than are looked at */
kernel void many(global float *a) {
  global float *p = a + 16 * get_global_id(0);
  float s = 0;
#pragma unroll
  for (int k = 0; k < 15; k++) s += p[k], p[k] += 1, s += p[15] - p[14] - p[15] + p[14];
  p[15] += s;
}
kernel void neighbour(global float *a, global float *b) {
  size_t i = get_global_id(0);
  global float *p = a + 4 * i;
  float old = p[1];
  p[0] = old;
  p[1] = 7;
  b[i] = old;
}
kernel void branches(global float *a, float limit) {
  global float *p = a + 3 * get_global_id(0);
  if (p[0] > limit) p[0] += 10, p[1] += 10, p[2] += 10;
}
/* sums in memory, turn after turn */
kernel void rows(global float *a, global const float *b, int n) {
  size_t i = get_global_id(0);
  global float *p = a + 3 * i;
  for (int k = 0; k < n; k++) p[0] += b[3 * i], p[1] += b[3 * i + 1], p[2] += b[3 * i + 2];
}
kernel void even(global float *a, global const float *b) {
  size_t i = get_global_id(0);
  a[2 * i] = b[i];
}
kernel void five(global double *a, global const double *b) {
  size_t i = get_global_id(0);
  a[5 * i + 1] = b[i] + 1, a[5 * i + 2] = b[i] + 2, a[5 * i + 3] = b[i] + 3;
}
kernel void bytes(global uchar4 *a, global const uchar *b) {
  size_t i = get_global_id(0);
  a[i].xyz = (uchar3)(b[i], b[i] * 2, b[i] * 3);
}
kernel void down(global float *a, global const float *b) {
  size_t i = get_global_id(0);
  global float *p = a + 4 * (99 - i);
  p[0] = b[i], p[2] = b[i] + 2;
}
