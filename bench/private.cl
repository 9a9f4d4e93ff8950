// Private arrays: 12 KiB that each item goes through three times, 16 keys that it puts in order by an array of indices, a
// cosine transform of eight numbers as it is written down, with the cosines in its loops, a tally of a row's bytes, and a heap
// of its largest.
// run: -k large -g 8192 -l 64 '[11192]=i' '[8192]' --items '3000*g0' --name large_array
// expect: 1: i+1499.5
// run: -k by_index -g 65536 -l 64 '[1048576]=rand(i)*65536' '[1048576]' --items '16*g0' --name order_by_index
// expect: 1: i%16==0 || r1[i-1]<=r1[i] ? r1[i] : nan
// expect: 1/4099: r1[i]+sum(k,i-i%16,i-i%16+16,r1[k]-a0[k])
// run: -k transform -g 131072 -l 64 '[1048576]=rand(i)' '[1048576]' --items '8*g0' --name cosine_transform
// expect: 1/1021: sum(n,0,8,a0[i-i%8+n]*cos(0.39269908*(i%8)*(n+0.5))) ~ 1e-4
// run: -k tally -g 16384 '(uchar)[4194304]=i*i*7919/3%251' '[262144]' --items '256*g0' --name tally
// expect: 1/17: sum(k,0,256,floor(a0[floor(i/16)*256+k]/16)==i%16)
// run: -k largest -g 8192 '(uchar)[2097152]=(i%256*(2*(floor(i/256)%128)+1)+floor(i/256)*5)%256' '[8192]' --items '256*g0' --name largest
// expect: 1/17: 2012
kernel void large(global const float *in, global float *out) {
  float a[3000];
  int i = get_global_id(0);
  for (int k = 0; k < 3000; k++) a[k] = in[i + k];
  for (int k = 0; k < 2999; k++) a[k] = 0.5f * (a[k] + a[k + 1]) - (i + k); /* 0.5 */
  float sum = 0;
  for (int k = 0; k < 2999; k++) sum += a[k];
  out[i] = sum + i;
}
kernel void by_index(global const uint *in, global uint *out) {
  uint key[16], at[16], i = get_global_id(0);
  for (uint k = 0; k < 16; k++) {
    key[k] = in[16 * i + k];
    at[k] = k;
  }
  for (uint last = 15; last > 0; last--)
    for (uint k = 0; k < last; k++)
      if (key[at[k]] > key[at[k + 1]]) {
        uint other = at[k];
        at[k] = at[k + 1];
        at[k + 1] = other;
      }
  for (uint k = 0; k < 16; k++) out[16 * i + k] = key[at[k]];
}
kernel void transform(global const float *in, global float *out) {
  float v[8];
  int i = get_global_id(0);
  for (int k = 0; k < 8; k++) v[k] = in[8 * i + k];
  for (int k = 0; k < 8; k++) {
    float sum = 0;
    for (int n = 0; n < 8; n++) sum += v[n] * cos(0.39269908f * k * (n + 0.5f));
    out[8 * i + k] = sum;
  }
}
kernel void tally(global const uchar *in, global uint *out) {
  int row = get_global_id(0);
  uint count[16] = {0};
  for (int k = 0; k < 256; k++) count[in[256 * row + k] >> 4]++;
  for (int k = 0; k < 16; k++) out[16 * row + k] = count[k];
}
// The sum of a row's 8 largest, which lie in a heap.
kernel void largest(global const uchar *in, global uint *out) {
  int row = get_global_id(0);
  uint heap[8], sum = 0;
  for (int k = 0; k < 8; k++) heap[k] = 0;
  for (int k = 0; k < 256; k++) {
    uint next = in[256 * row + k];
    if (next <= heap[0]) continue;
    int at = 0;
    for (int below = 1; below < 8; below = 2 * at + 1) {
      if (below < 7 && heap[below + 1] < heap[below]) below++;
      if (heap[below] >= next) break;
      heap[at] = heap[below];
      at = below;
    }
    heap[at] = next;
  }
  for (int k = 0; k < 8; k++) sum += heap[k];
  out[row] = sum;
}
