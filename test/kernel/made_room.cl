// Lists kept in order, where each new element goes behind a loop that makes room for it: with what belongs to it, of
// more elements, with the loop from the front, as sorting; and what is loaded behind such a loop.
// run: -k best -g 160 '[2560]=(i*7+floor(i/16)*3)%16' '[1280]' '(int)[1280]'
// expect: 1: i%8
// expect: 2: (7*(i%8+48-3*(floor(i/8)%16)))%16
// run: -k best_of_bytes -g 160 '(char)[2560]=(i*7+floor(i/16)*3)%16-8' '(char)[1280]'
// expect: 1: i%8-8
// run: -k order -g 160 '[2560]=(i*7+floor(i/16)*3)%16' '[2560]'
// expect: 1: i%16
// run: -k median -g 160 '[1440]=(i*2+floor(i/9)*3)%9' '[160]'
// expect: 1: 4
// run: -k from_front -g 160 '[2560]=(i*7+floor(i/16)*3)%16' '[1280]'
// expect: 1: i%8
// run: -k stopped -g 160 '[1280]=(i*3+floor(i/8)*5)%8' '[160]'
// expect: 1: 10*a0[8*i+7]+(a0[8*i+7]==0?0:8)
#define BEST(name, type, ...)                                                                                \
  kernel void name(global const type *in, global type *out __VA_ARGS__) {                                    \
    type d[8];                                                                                               \
    int at[8], i = get_global_id(0);                                                                         \
    for (int k = 0; k < 8; k++) {                                                                            \
      d[k] = 100;                                                                                            \
      at[k] = -1;                                                                                            \
    }                                                                                                        \
    for (int r = 0; r < 16; r++) {                                                                           \
      type x = in[16 * i + r];                                                                               \
      if (x < d[7]) {                                                                                        \
        int k = 7;                                                                                           \
        while (k > 0 && d[k - 1] > x) {                                                                      \
          d[k] = d[k - 1];                                                                                   \
          at[k] = at[k - 1];                                                                                 \
          k--;                                                                                               \
        }                                                                                                    \
        d[k] = x;                                                                                            \
        at[k] = r;                                                                                           \
      }                                                                                                      \
    }                                                                                                        \
    for (int k = 0; k < 8; k++) out[8 * i + k] = d[k];                                                       \
    PLACES                                                                                                   \
  }
#define PLACES for (int k = 0; k < 8; k++) places[8 * i + k] = at[k];
BEST(best, float, , global int *places)
#undef PLACES
#define PLACES
BEST(best_of_bytes, char, )
kernel void order(global const float *in, global float *out) {
  float h[16];
  int i = get_global_id(0);
  for (int r = 0; r < 16; r++) {
    float x = in[16 * i + r];
    int k = r;
    while (k > 0 && h[k - 1] > x) {
      h[k] = h[k - 1];
      k--;
    }
    h[k] = x;
  }
  for (int k = 0; k < 16; k++) out[16 * i + k] = h[k];
}
kernel void median(global const float *in, global float *out) {
  float h[9];
  int i = get_global_id(0);
  for (int k = 0; k < 9; k++) h[k] = in[9 * i + k];
  for (int a = 1; a < 9; a++) {
    float x = h[a];
    int k = a - 1;
    while (k >= 0 && h[k] > x) {
      h[k + 1] = h[k];
      k--;
    }
    h[k + 1] = x;
  }
  out[i] = h[4];
}
kernel void from_front(global const float *in, global float *out) {
  float d[8];
  int i = get_global_id(0);
  for (int k = 0; k < 8; k++) d[k] = 100;
  for (int r = 0; r < 16; r++) {
    float x = in[16 * i + r];
    for (int j = 0; j < 8; j++)
      if (x < d[j]) {
        for (int k = 7; k > j; k--) d[k] = d[k - 1];
        d[j] = x;
        break;
      }
  }
  for (int k = 0; k < 8; k++) out[8 * i + k] = d[k];
}
// The first of 1, 2, ... 8 from the end on that is the last of the eight, or what is there where none is.
kernel void stopped(global const float *in, global float *out) {
  float a[9];
  int i = get_global_id(0), k = 8;
  for (int j = 0; j < 9; j++) a[j] = j;
  const float x = in[8 * i + 7];
  while (k > 0 && a[k] > x) {
    a[k] *= 2;
    k--;
  }
  out[i] = 10 * a[k] + (a[k] == 0 ? 0 : 8);
}
