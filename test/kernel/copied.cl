// Records copied as a whole from and to private arrays, at places that lanes choose: changing places, from global memory,
// with vectors and arrays in them, with gaps, onto themselves, and in a heap.
// run: -k swapped -g 150 '[750]' '(int)[750]'
// expect: 0: i%5==0?floor(i/5)%5:i%5==floor(i/5)%5?0:i%5
// expect: 1: 10*(i%5==0?floor(i/5)%5:i%5==floor(i/5)%5?0:i%5)
// run: -k with_gaps -g 150 '(int)[750]'
// expect: 0: 11*(i%5==0?floor(i/5)%5:i%5==floor(i/5)%5?0:i%5)
// run: -k fetched -g 150 '(float)[1200]=i' '(float)[1200]'
// expect: 1: 8*(floor(i/8)%3)+i%8+(i%8==4?100:0)
// run: -k onto_itself -g 150 '[450]'
// expect: 0: i%3+(i%3==floor(i/3)%3?0:5)
// run: -k in_heap -g 150 '[1200]=(i*3+floor(i/8)*5)%8' '(int)[1200]'
// expect: 1: (3*(i%8+8*5-floor(i/8)*5%8))%8
struct item {
  float w;
  int id;
};
struct gaps {
  char c;
  int n;
};
struct large {
  float4 v;
  float a[2];
  float b, c;
};
kernel void swapped(global float *out, global int *ids) {
  struct item a[5], other;
  int i = get_global_id(0), p = i % 5;
  for (int k = 0; k < 5; k++) {
    a[k].w = k;
    a[k].id = 10 * k;
  }
  other = a[p];
  a[p] = a[0];
  a[0] = other;
  for (int k = 0; k < 5; k++) {
    out[5 * i + k] = a[k].w;
    ids[5 * i + k] = a[k].id;
  }
}
kernel void with_gaps(global int *out) {
  struct gaps a[5], other;
  int i = get_global_id(0), p = i % 5;
  for (int k = 0; k < 5; k++) {
    a[k].c = k;
    a[k].n = 10 * k;
  }
  other = a[p];
  a[p] = a[0];
  a[0] = other;
  for (int k = 0; k < 5; k++) out[5 * i + k] = a[k].c + a[k].n;
}
kernel void fetched(global const struct large *in, global struct large *out) {
  struct large a[3];
  int i = get_global_id(0), p = i % 3;
  for (int k = 0; k < 3; k++) a[k] = in[k];
  a[p].a[0] += 100;
  out[i] = a[p];
}
kernel void onto_itself(global float *out) {
  struct item a[3];
  int i = get_global_id(0), p = i % 3;
  for (int k = 0; k < 3; k++) {
    a[k].w = k;
    a[k].id = 5;
  }
  a[p] = a[i % 3];
  a[p].id = 0;
  for (int k = 0; k < 3; k++) out[3 * i + k] = a[k].w + a[k].id;
}
// The ids of eight items by weight.
kernel void in_heap(global const float *in, global int *out) {
  struct item h[9];
  int i = get_global_id(0), n = 0;
  for (int r = 0; r < 8; r++) {
    int k = n++;
    for (; k > 0 && h[(k - 1) / 2].w > in[8 * i + r]; k = (k - 1) / 2) h[k] = h[(k - 1) / 2];
    h[k].w = in[8 * i + r];
    h[k].id = r;
  }
  for (int r = 0; r < 8; r++) {
    out[8 * i + r] = h[0].id;
    struct item x = h[--n];
    int k = 0;
    for (int c = 1; c < n; c = 2 * k + 1) {
      if (c + 1 < n && h[c + 1].w < h[c].w) c++;
      if (h[c].w >= x.w) break;
      h[k] = h[c];
      k = c;
    }
    h[k] = x;
  }
}
