// Volatile accesses of neighbours side by side, as reductions written for lanes in lock-step have: one access of all
// lanes, each as often as the program says.
// run: -k copy -g 1000 '[1000]=i' '[1000]' 1000
// expect: 1: 2*i
// run: -k copy -g 1000 -l 8 '[1000]=i' '[1000]' 501
// expect: 1: i<501 ? 2*i : 0
// run: -k wraps -g 256 '(uchar)[256]=i' '(uchar)[256]' 250
// expect: 1: (i+250)%256
// run: -k back -g 200 '[200]=i' '[200]'
// expect: 1: 199-i
// run: -k sums -g 512 -l 128 '[512]=i%11' '[4]'
// expect: 1: sum(k,0,128,a0[128*i+k])
// run: -k twice -g 64 -l 64 '[64]=i' '[64]'
// expect: 1: 3*i+1
// run: -k shared -g 64 -l 16 '[1]=7' '[64]' '[1]'
// expect: 1: 7+i
// expect: 2: 5
// run: -k wide -g 64 '(float4)[64]=i' '(float4)[64]'
// expect: 1: i+1
// run: -k own -g 64 '[64]=i'
// expect: 0: i*4
// run: -k doubles -g 100 '(double)[100]=i' '(double)[100]'
// expect: 1: i/2
kernel void copy(global volatile int *a, global volatile int *b, int n) {
  int i = get_global_id(0);
  if (i < n) b[i] = a[i] + a[i];
}
/* a row that goes around the end of an index */
kernel void wraps(global const volatile uchar *a, global volatile uchar *b, uchar n) {
  uchar i = get_global_id(0), k = i + n;
  b[i] = a[k];
}
kernel void back(global volatile int *a, global volatile int *b) {
  int i = get_global_id(0);
  b[i] = a[199 - i];
}
kernel void sums(global const int *a, global int *o) {
  local volatile int m[128];
  uint l = get_local_id(0);
  m[l] = a[get_global_id(0)];
  for (uint s = 64; s > 0; s >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < s) m[l] += m[l + s];
  }
  if (l == 0) o[get_group_id(0)] = m[0];
}
/* stores that all are done, in their order */
kernel void twice(global volatile int *a, global volatile int *b) {
  int i = get_global_id(0);
  b[i] = a[i];
  b[i] = b[i] * 2 + a[i];
  b[i] = b[i] + 1;
}
kernel void shared(global volatile int *a, global int *b, global volatile int *c) {
  int i = get_global_id(0);
  b[i] = *a + i;
  *c = 5;
}
kernel void wide(global volatile float4 *a, global volatile float4 *b) {
  int i = get_global_id(0);
  b[i] = a[i] + 1;
}
kernel void own(global int *a) {
  volatile int x[4];
  int i = get_global_id(0);
  for (int k = 0; k < 4; k++) x[k] = a[i];
  a[i] = x[0] + x[1] + x[2] + x[3];
}
kernel void doubles(global volatile double *a, global volatile double *b) {
  int i = get_global_id(0);
  b[i] = a[i] / 2;
}
