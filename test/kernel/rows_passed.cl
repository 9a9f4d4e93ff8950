// Functions that stay functions and take private arrays: filled and added up, by all lanes and by some, through each
// other, at places that lanes choose, one of several, across barriers, and large ones, for which they have no form.
// run: -k filled -g 150 '[150]'
// expect: 0: sum(k,0,8,(i%5+k)*(k+1))
// run: -k some -g 150 '[150]'
// expect: 0: i%3==0?sum(k,0,8,(i%5+k)*(k+1)):-1
// run: -k through -g 150 '[150]'
// expect: 0: sum(k,0,4,(i%5+k)*(k+1))+10*sum(k,0,4,(i%7+k)*(k+1))
// run: -k rows -g 150 '[150]'
// expect: 0: sum(k,0,4,(4*(i%3)+k)*(k+1))
// run: -k one_of_two -g 150 '[150]'
// expect: 0: sum(k,0,8,((i%2==0?i%5:i%7)+k)*(k+1))
// run: -k turns -g 150 '[150]'
// expect: 0: sum(k,0,8,(i%5+i%4+k)*(k+1))
// run: -k across -g 192 -l 64 '[192]'
// expect: 0: sum(k,0,8,(i%5+k)*(k+1))+(floor(i/64)*64+63-i%64)
// run: -k in_order -g 150 '(short)[1200]=(i*3+floor(i/8)*5)%8' '(short)[1200]'
// expect: 1: i%8
// run: -k large -g 150 '[150]'
// expect: 0: sum(k,0,8,(i%5+k)*(k+1))+5*(i%5)
// run: -k mixed -g 150 '[150]'
// expect: 0: 2*(i%5)+1.5
__attribute__((noinline)) void fill(float *a, int n, float from) {
  for (int k = 0; k < n; k++) a[k] = from + k;
}
__attribute__((noinline)) float weigh(const float *a, int n) {
  float sum = 0;
  for (int k = 0; k < n; k++) sum += a[k] * (k + 1);
  return sum;
}
__attribute__((noinline)) float both(float *a, float x, float y) {
  fill(a, 4, x);
  fill(a + 4, 4, y);
  return weigh(a, 4) + 10 * weigh(a + 4, 4);
}
kernel void filled(global float *out) {
  float a[8];
  int i = get_global_id(0);
  fill(a, 8, i % 5);
  out[i] = weigh(a, 8);
}
kernel void some(global float *out) {
  float a[8], sum = -1;
  int i = get_global_id(0);
  if (i % 3 == 0) {
    fill(a, 8, i % 5);
    sum = weigh(a, 8);
  }
  out[i] = sum;
}
kernel void through(global float *out) {
  float a[8];
  int i = get_global_id(0);
  out[i] = both(a, i % 5, i % 7);
}
kernel void rows(global float *out) {
  float m[3][4];
  int i = get_global_id(0);
  fill(m[0], 12, 0);
  out[i] = weigh(m[i % 3], 4);
}
kernel void one_of_two(global float *out) {
  float a[8], b[8];
  int i = get_global_id(0);
  fill(a, 8, i % 5);
  fill(b, 8, i % 7);
  out[i] = weigh(i % 2 == 0 ? a : b, 8);
}
kernel void turns(global float *out) {
  float a[8];
  int i = get_global_id(0);
  for (int k = 0; k <= i % 4; k++) fill(a, 8, i % 5 + k);
  out[i] = weigh(a, 8);
}
kernel void across(global float *out) {
  float a[8];
  local float other[64];
  int i = get_global_id(0), l = get_local_id(0);
  fill(a, 8, i % 5);
  other[63 - l] = i;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = weigh(a, 8) + other[l];
}
__attribute__((noinline)) void insert(short *a, int n, short x) {
  int k = n;
  while (k > 0 && a[k - 1] > x) {
    a[k] = a[k - 1];
    k--;
  }
  a[k] = x;
}
kernel void in_order(global const short *in, global short *out) {
  short a[8];
  int i = get_global_id(0);
  for (int k = 0; k < 8; k++) insert(a, k, in[8 * i + k]);
  for (int k = 0; k < 8; k++) out[8 * i + k] = a[k];
}
#define LARGE(name)                                                                                          \
  __attribute__((noinline)) float name(const float *a, int n) {                                              \
    float own[1900];                                                                                         \
    for (int k = 0; k < 1900; k++) own[k] = a[k % n];                                                        \
    return own[n];                                                                                           \
  }
LARGE(large1)
LARGE(large2)
LARGE(large3)
LARGE(large4)
LARGE(large5)
kernel void large(global float *out) {
  float a[8];
  int i = get_global_id(0);
  fill(a, 8, i % 5);
  out[i] = weigh(a, 8) + large1(a, 8) + large2(a, 8) + large3(a, 8) +
           large4(a, 8) + large5(a, 8);
}
__attribute__((noinline)) float halves(float *a) {
  ((uint *)a)[1] = as_uint(1.5f);
  *(ulong *)(a + 2) = ((ulong)as_uint(a[0]) << 32) | as_uint(a[0]);
  return a[1];
}
kernel void mixed(global float *out) {
  float __attribute__((aligned(8))) a[4];
  int i = get_global_id(0);
  fill(a, 4, i % 5);
  const float sum = halves(a);
  out[i] = sum + a[2] + a[3];
}
