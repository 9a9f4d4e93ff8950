// Loops that put a private array in order by changing places: values, indices, two arrays at once, with a count of the
// changes, where both places may be one; and indices that a loop goes along.
// run: -k values -g 160 '[2560]=(i*7+floor(i/16)*3)%16' '[2560]'
// expect: 1: i%16
// run: -k bytes -g 160 '(char)[2560]=(i*7+floor(i/16)*3)%16-8' '(char)[2560]'
// expect: 1: 7-i%16
// run: -k by_index -g 160 '[2560]=(i*7+floor(i/16)*3)%16' '[2560]'
// expect: 1: i%16
// run: -k pairs -g 160 '[2560]=(i*7+floor(i/16)*3)%16' '[2560]' '[2560]'
// expect: 1: i%16
// expect: 2: 3*(i%16)+1
// run: -k counted -g 160 '[2560]=(i+floor(i/16))%16' '[160]'
// expect: 1: (i%16)*(16-i%16)
// run: -k one_place -g 160 15 '[2560]' --name one_place
// expect: 1: 2
// run: -k one_place -g 160 0 '[2560]' --name first_place
// expect: 1: i%16==0?2:1
// run: -k along -g 160 '[2560]=(i*i)%23' '[160]'
// expect: 1: sum(k,0,15,abs(a0[16*i+k*3%16]-a0[16*i+(k*3+3)%16]))
#define ORDER(type, name, below)                                                                             \
  kernel void name(global const type *in, global type *out) {                                                \
    type a[16];                                                                                              \
    int i = get_global_id(0) * 16;                                                                           \
    for (int k = 0; k < 16; k++) a[k] = in[i + k];                                                           \
    for (int last = 15; last > 0; last--)                                                                    \
      for (int k = 0; k < last; k++)                                                                         \
        if (a[k + 1] below a[k]) {                                                                           \
          type other = a[k];                                                                                 \
          a[k] = a[k + 1];                                                                                   \
          a[k + 1] = other;                                                                                  \
        }                                                                                                    \
    for (int k = 0; k < 16; k++) out[i + k] = a[k];                                                          \
  }
ORDER(float, values, <)
ORDER(char, bytes, >)
kernel void by_index(global const float *in, global float *out) {
  float key[16];
  uchar at[16];
  int i = get_global_id(0) * 16;
  for (int k = 0; k < 16; k++) {
    key[k] = in[i + k];
    at[k] = k;
  }
  for (int last = 15; last > 0; last--)
    for (int k = 0; k < last; k++)
      if (key[at[k]] > key[at[k + 1]]) {
        uchar other = at[k];
        at[k] = at[k + 1];
        at[k + 1] = other;
      }
  for (int k = 0; k < 16; k++) out[i + k] = key[at[k]];
}
kernel void pairs(global const float *in, global float *keys, global float *values) {
  float key[16], value[16];
  int i = get_global_id(0) * 16;
  for (int k = 0; k < 16; k++) {
    key[k] = in[i + k];
    value[k] = 3 * key[k] + 1;
  }
  for (int last = 15; last > 0; last--)
    for (int k = 0; k < last; k++) {
      float a = key[k], b = key[k + 1], c = value[k], d = value[k + 1];
      if (a > b) {
        key[k] = b;
        key[k + 1] = a;
        value[k] = d;
        value[k + 1] = c;
      }
    }
  for (int k = 0; k < 16; k++) {
    keys[i + k] = key[k];
    values[i + k] = value[k];
  }
}
kernel void counted(global const float *in, global float *out) {
  float a[16];
  int i = get_global_id(0), changes = 0;
  for (int k = 0; k < 16; k++) a[k] = in[16 * i + k];
  for (int last = 15; last > 0; last--)
    for (int k = 0; k < last; k++)
      if (a[k] > a[k + 1]) {
        float other = a[k];
        a[k] = a[k + 1];
        a[k + 1] = other;
        changes++;
      }
  out[i] = changes;
}
kernel void one_place(uint mask, global float *out) {
  float a[16];
  uint i = get_global_id(0) * 16;
  for (uint k = 0; k < 16; k++) a[k] = i < 1000000 ? 5 : k;
  for (uint k = 0; k < 16; k++)
    if (a[k] >= a[k & mask]) {
      a[k] = 1;
      a[k & mask] = 2;
    }
  for (uint k = 0; k < 16; k++) out[i + k] = a[k];
}
kernel void along(global const float *in, global float *out) {
  float key[16], sum = 0;
  int at[16], i = get_global_id(0);
  for (int k = 0; k < 16; k++) {
    key[k] = in[16 * i + k];
    at[k] = k * 3 & 15;
  }
  for (int k = 0; k < 15; k++) sum += fabs(key[at[k]] - key[at[k + 1]]);
  out[i] = sum;
}
