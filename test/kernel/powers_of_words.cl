// Components in powers of 2, of words and pairs of words: all of them, some, backwards, with lanes off.
// run: -g 1000 -k turn8 '[8000]=i' '[8000]' --name 'eight words'
// expect: 1: a0[i-i%8+(i+3)%8]+i%8
// run: -g 1000 -k turn16 '[16000]=i' '[16000]' --name 'sixteen words'
// expect: 1: a0[i-i%16+(i+5)%16]*2
// run: -g 1000 -k turn4 '(double)[4000]=i' '(double)[4000]' --name 'four pairs'
// expect: 1: a0[i-i%4+(i+1)%4]+i%4
// run: -g 1000 -k turn2 '(double)[2000]=i' '(double)[2000]' --name 'two pairs'
// expect: 1: a0[i-i%2+(i+1)%2]*3+i%2
// run: -g 1000 -k three '(float)[4000]=i' '[3000]' --name 'three of four'
// expect: 1: a0[(i-i%3)/3*4+2-i%3]
// run: -g 1000 -k back '(float)[4000]=i' '(float)[4000]' --name backwards
// expect: 1: a0[3996-(i-i%4)+(i+1)%4]
// run: -g 1000 -k apart '[8000]=i' '[8000]' --name 'lanes off'
// expect: 1: (i-i%8)/8%3==0 ? a0[i-i%8+(i+1)%8]+a0[i-i%8] : 0
kernel void turn8(global const int *x, global int *o) {
  size_t i = get_global_id(0);
  for (int k = 0; k < 8; k++) o[8 * i + k] = x[8 * i + (k + 3) % 8] + k;
}
kernel void turn16(global const float *x, global float *o) {
  size_t i = get_global_id(0);
  for (int k = 0; k < 16; k++) o[16 * i + k] = x[16 * i + (k + 5) % 16] * 2;
}
kernel void turn4(global const double4 *x, global double4 *o) {
  size_t i = get_global_id(0);
  o[i] = x[i].yzwx + (double4)(0, 1, 2, 3);
}
kernel void turn2(global const double2 *x, global double2 *o) {
  size_t i = get_global_id(0);
  double2 v = x[i];
  o[i] = (double2)(v.y * 3, v.x * 3 + 1);
}
kernel void three(global const float4 *x, global float *o) {
  size_t i = get_global_id(0);
  o[3 * i] = x[i].z, o[3 * i + 1] = x[i].y, o[3 * i + 2] = x[i].x;
}
kernel void back(global const float4 *x, global float4 *o) {
  size_t i = get_global_id(0);
  o[i] = x[get_global_size(0) - 1 - i].yzwx;
}
kernel void apart(global const int *x, global int *o) {
  size_t i = get_global_id(0);
  if (i % 3 == 0)
    for (int k = 0; k < 8; k++) o[8 * i + k] = x[8 * i + (k + 1) % 8] + x[8 * i];
}
