// Sums along rows of each work-item's own, of reals whose order the program lets change: short rows and long ones,
// whose lengths are known at the launch, in the loop's limit or near it.
// run: -k sum -g 300 '[1500]=i%7' '[300]' 5 -b -cl-fast-relaxed-math
// expect: 1: sum(k,0,5,(5*i+k)%7)
// run: -k sum -g 300 '[30000]=i%7' '[300]' 100 -b -cl-fast-relaxed-math
// expect: 1: sum(k,0,100,(100*i+k)%7)
// run: -k product -g 100 -l 10 '[4040]=i%5' '[100]' 40 -b -cl-fast-relaxed-math
// expect: 1: sum(k,0,40,((40*i+k)%5)*((40*i+40+k)%5))
// run: -k product -g 100 -l 10 '[909]=i%5' '[100]' 9 -b -cl-fast-relaxed-math
// expect: 1: sum(k,0,9,((9*i+k)%5)*((9*i+9+k)%5))
// run: -k product -g 100 -l 10 '[4040]=i%5' '[100]' 40
// expect: 1: sum(k,0,40,((40*i+k)%5)*((40*i+40+k)%5))
// run: -k variance -g 64 '(double)[4096]=i%11' '(double)[64]' '(long)64' -b -cl-unsafe-math-optimizations
// expect: 1: 64*sum(k,0,64,((64*i+k)%11)*((64*i+k)%11))-sum(k,0,64,(64*i+k)%11)*sum(k,0,64,(64*i+k)%11)
// run: -k transposed -g 20,12 -l 4,4 '[480]=i%5' '[800]=i%7' '[240]' 40 -b -cl-fast-relaxed-math
// expect: 2: sum(k,0,40,((40*int(i/20)+k)%5)*((40*(i%20)+k)%7))
// run: -k inner -g 70 '[7000]=i%9' '[70]' 100 -b -cl-fast-relaxed-math
// expect: 1: sum(k,1,99,((100*i+k-1)%9)+2*((100*i+k)%9)+((100*i+k+1)%9))
// run: -k left -g 50 '[2000]=i%3' '[50]' 40 -b -cl-fast-relaxed-math
// expect: 1: 1000-sum(k,0,40,(40*i+k)%3)
// run: -k some -g 50 '[2000]=i%13' '[50]' 40 -b -cl-fast-relaxed-math
// expect: 1: sum(k,0,40,((40*i+k)%13>5)*((40*i+k)%13))
// run: -k none -g 50 '[2000]=i%13' '[50]' -3 -b -cl-fast-relaxed-math
// expect: 1: 0
kernel void sum(global const float *a, global float *o, int n) {
  int i = get_global_id(0);
  float s = 0;
  for (int k = 0; k < n; k++) s += a[i * n + k];
  o[i] = s;
}
kernel void product(global const float *a, global float *o, int n) {
  int i = get_global_id(0);
  float s = 0;
  for (int k = 0; k < n; k++) s += a[i * n + k] * a[(i + 1) * n + k];
  o[i] = s;
}
#ifdef cl_khr_fp64
kernel void variance(global const double *a, global double *o, long n) {
  size_t i = get_global_id(0);
  double s = 0, q = 0;
  for (long k = 0; k < n; k++) {
    double v = a[i * n + k];
    s += v;
    q += v * v;
  }
  o[i] = n * q - s * s;
}
#endif
kernel void transposed(global const float *a, global const float *b, global float *o, uint n) {
  uint x = get_global_id(0), y = get_global_id(1);
  float s = 0;
  for (uint k = 0; k < n; k++) s += a[y * n + k] * b[x * n + k];
  o[y * get_global_size(0) + x] = s;
}
kernel void inner(global const float *a, global float *o, int n) {
  int i = get_global_id(0);
  float s = 0;
  for (int k = 1; k < n - 1; k++) s += a[i * n + k - 1] + 2 * a[i * n + k] + a[i * n + k + 1];
  o[i] = s;
}
kernel void left(global const float *a, global float *o, int n) {
  int i = get_global_id(0);
  float s = 1000;
  for (int k = 0; k < n; k++) s -= a[i * n + k];
  o[i] = s;
}
kernel void some(global const float *a, global float *o, int n) {
  int i = get_global_id(0);
  float s = 0;
  for (int k = 0; k < n; k++)
    if (a[i * n + k] > 5) s += a[i * n + k];
  o[i] = s;
}
kernel void none(global const float *a, global float *o, int n) {
  int i = get_global_id(0);
  float s = 0;
  for (int k = 0; k < n; k++) s += a[i * n + k];
  o[i] = s;
}
