// Private arrays of few elements, at places that lanes choose: as stacks, turned, counted in, as rows of a matrix, as
// records, with an index that is one too high, and of wide and narrow elements.
// run: -k stack -g 150 '[150]'
// expect: 0: sum(k,0,7,k<=i%7?3*k*(i%7-k+1):0)
// run: -k turned -g 150 '[1200]'
// expect: 0: (i%8+8-floor(i/8)%8)%8
// run: -k turned_bytes -g 150 '(uchar)[2400]'
// expect: 0: (i%16+16-floor(i/16)%16)%16
// run: -k turned_doubles -g 150 '(double)[900]'
// expect: 0: (i%6+6-floor(i/6)%6)%6+0.5
// run: -k counted -g 150 '(int)[3600]=(i*i)%11' '(int)[1200]'
// expect: 1: sum(k,0,24,a0[24*floor(i/8)+k]%8==i%8?1:0)
// run: -k counted_bytes -g 150 '(int)[3600]=(i*i)%11' '(int)[1200]'
// expect: 1: sum(k,0,24,a0[24*floor(i/8)+k]%8==i%8?1:0)
// run: -k rows -g 150 '[5400]'
// expect: 0: floor(i%36/6)==0?6*(floor(i/36)%6)+i%6:floor(i%36/6)==floor(i/36)%6?i%6:i%36
// run: -k rows_of_three -g 150 '[1350]'
// expect: 0: floor(i%9/3)==0?3*(floor(i/9)%3)+i%3:floor(i%9/3)==floor(i/9)%3?i%3:i%9
// run: -k records -g 150 '[750]' '(int)[750]'
// expect: 0: i%5+(i%5==floor(i/5)%5?4:0)
// expect: 1: i%5==floor(i/5)%5?4:0
// run: -k beyond -g 150 '[450]'
// expect: 0: i%3==floor(i/3)%3?10:i%3
// run: -k vectors -g 150 '(float4)[600]'
// expect: 0: floor(i/4)%4==floor(i/16)%4?2*(4*(floor(i/4)%4)+i%4):4*(floor(i/4)%4)+i%4
// run: -k masked -g 150 '[600]'
// expect: 0: floor(i/4)%3==0&&i%4==floor(i/4)%4?-1:i%4
kernel void stack(global float *out) {
  float c[8], s = 0;
  int i = get_global_id(0), n = 0;
  for (int j = 0; j <= i % 7; j++) c[n++] = 3 * j;
  for (int w = 1; n > 0; w++) s += c[--n] * w;
  out[i] = s;
}
#define TURN(name, type, n, from)                                                                            \
  kernel void name(global type *out) {                                                                       \
    type c[n], d[n];                                                                                         \
    int i = get_global_id(0);                                                                                \
    for (int k = 0; k < n; k++) c[k] = k + from;                                                             \
    for (int k = 0; k < n; k++) d[(k + i) % n] = c[k];                                                       \
    for (int k = 0; k < n; k++) out[i * n + k] = d[k];                                                       \
  }
TURN(turned, float, 8, 0)
TURN(turned_bytes, uchar, 16, 0)
TURN(turned_doubles, double, 6, 0.5)
#define COUNT(name, type)                                                                                    \
  kernel void name(global const int *in, global int *out) {                                                  \
    type c[8];                                                                                               \
    int i = get_global_id(0);                                                                                \
    for (int k = 0; k < 8; k++) c[k] = 0;                                                                    \
    for (int k = 0; k < 24; k++) c[in[24 * i + k] & 7]++;                                                    \
    for (int k = 0; k < 8; k++) out[8 * i + k] = c[k];                                                       \
  }
COUNT(counted, int)
COUNT(counted_bytes, uchar)
#define ROWS(name, n)                                                                                        \
  kernel void name(global float *out) {                                                                      \
    float m[n][n];                                                                                           \
    int i = get_global_id(0), p = i % n;                                                                     \
    for (int k = 0; k < n * n; k++) m[k / n][k % n] = k;                                                     \
    for (int k = 0; k < n; k++) {                                                                            \
      float other = m[0][k];                                                                                 \
      m[0][k] = m[p][k];                                                                                     \
      m[p][k] = other;                                                                                       \
    }                                                                                                        \
    for (int k = 0; k < n * n; k++) out[i * n * n + k] = m[k / n][k % n];                                    \
  }
ROWS(rows, 6)
ROWS(rows_of_three, 3)
struct record {
  float a;
  int n;
};
kernel void records(global float *out, global int *counts) {
  struct record r[5];
  int i = get_global_id(0), at = i % 5;
  for (int k = 0; k < 5; k++) {
    r[k].a = k;
    r[k].n = 0;
  }
  for (int k = 0; k < 4; k++) {
    r[at].n++;
    r[at].a += r[at].n - k;
  }
  for (int k = 0; k < 5; k++) {
    out[5 * i + k] = r[k].a;
    counts[5 * i + k] = r[k].n;
  }
}
kernel void beyond(global float *out) {
  float a[3];
  int i = get_global_id(0), next = i % 3 + 1;
  for (int k = 0; k < 3; k++) a[k] = k;
  a[next - 1] = 10;
  for (int k = 0; k < 3; k++) out[3 * i + k] = a[k];
}
kernel void vectors(global float4 *out) {
  float4 v[4];
  int i = get_global_id(0), at = i % 4;
  for (int k = 0; k < 4; k++) v[k] = (float4)(4 * k, 4 * k + 1, 4 * k + 2, 4 * k + 3);
  v[at] += v[at];
  for (int k = 0; k < 4; k++) out[4 * i + k] = v[k];
}
kernel void masked(global float *out) {
  float a[4];
  int i = get_global_id(0);
  for (int k = 0; k < 4; k++) a[k] = k;
  if (i % 3 == 0) a[i % 4] = -1;
  for (int k = 0; k < 4; k++) out[4 * i + k] = a[k];
}
