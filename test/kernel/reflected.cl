// Indices that most work-items leave as they are, where the others go around a loop until they are inside, or take another
// one: read and written side by side where a vector's follow one another, and by themselves where they do not.
// run: -k reflected -g 110 '[300]=i' '[110]' 100 -5 --name reflected
// expect: 1: 300+3*(i<5?5-i:i>104?203-i:i-5)
// run: -k reflected -g 640 '[4800]=i' '[640]' 1600 0 --name inside
// expect: 1: 4800+3*i
// run: -k reflected -g 64 '[9]=i' '[64]' 3 -7 --name often
// expect: 1: 9+3*(2-abs(2-(i+1)%4))
// run: -k around -g 500 '[100]=i*i' '[500]' 100 250
// expect: 1: a0[(i+50)%100]
// run: -k around -g 500 '[100]=i*i' '[500]' 100 -1250 --name back
// expect: 1: a0[(i+50)%100]
// run: -k bytes_around -g 700 '(uchar)[300]=i%251' '(uchar)[700]' 300 77
// expect: 1: a0[(i+77)%300]
// run: -k vectors_around -g 200 '(float4)[90]=i' '(float4)[200]' 90 33
// expect: 1: 4*((floor(i/4)+33)%90)+i%4
// run: -k stored -g 320 '[320]' 320 77
// expect: 0: (i+243)%320
// run: -k some -g 300 '[100]=i*i' '[300]' 100 30
// expect: 1: i%3==0?-1:a0[(i+30)%100]
// run: -k others -g 400 '(uchar)[400]=i%97==5' '[800]=i*3' '[400]'
// expect: 2: i%97==5?3*(799-i):6*i
// run: -k others -g 400 '(uchar)[400]=1' '[800]=i*3' '[400]' --name all_others
// expect: 2: 3*(799-i)
#define REFLECT(x, n)                                                                                        \
  while (x < 0 || x >= n)                                                                                    \
    if (x < 0) x = -x;                                                                                       \
    else x = 2 * n - 2 - x;
#define AROUND(x, n)                                                                                         \
  while (x < 0) x += n;                                                                                      \
  while (x >= n) x -= n;
kernel void reflected(global const float *in, global float *out, int n, int shift) {
  int i = get_global_id(0), x = i + shift;
  REFLECT(x, n)
  float sum = 0;
  for (int row = 0; row < 3; row++) sum += in[row * n + x];
  out[i] = sum;
}
kernel void around(global const float *in, global float *out, int n, int shift) {
  int i = get_global_id(0), x = i + shift;
  AROUND(x, n)
  out[i] = in[x];
}
kernel void bytes_around(global const uchar *in, global uchar *out, int n, int shift) {
  long i = get_global_id(0), x = i + shift;
  AROUND(x, n)
  out[i] = in[x];
}
kernel void vectors_around(global const float4 *in, global float4 *out, int n, int shift) {
  int i = get_global_id(0), x = i + shift;
  AROUND(x, n)
  out[i] = in[x];
}
kernel void stored(global float *out, int n, int shift) {
  int i = get_global_id(0), x = i + shift;
  AROUND(x, n)
  out[x] = i;
}
kernel void some(global const float *in, global float *out, int n, int shift) {
  int i = get_global_id(0), x = i + shift;
  float y = -1;
  if (i % 3 != 0) {
    AROUND(x, n)
    y = in[x];
  }
  out[i] = y;
}
kernel void others(global const uchar *which, global const float *in, global float *out) {
  int i = get_global_id(0), x = 2 * i;
  if (which[i]) {
    x = 799 - i;
    out[i] = x;
  }
  out[i] = in[x];
}
