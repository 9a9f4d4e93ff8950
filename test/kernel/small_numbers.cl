// Launches of several dimensions with few ids in each and small integers as arguments, as images have them, get code
// that presumes so. What does not fit gets other code.
// run: -k copy -g 64,32 '[2048]=i' '[2048]' 64
// expect: 1: a0[i]
// run: -k copy -g 64,32 -l 8,4 '[2048]=i' '[2048]' 64
// expect: 1: a0[i]
// run: -k shifted -g 16,8 '[1000]=i' '[128]' -100 500
// expect: 1: 400+i
// run: -k shifted -g 16,8 '[10000]=i' '[128]' 9000 0
// expect: 1: 9000+i
// run: -k wraps -g 64,4 '[1024]=i' '[256]' 4294967040
// expect: 1: i
// run: -k wraps -g 64,4 '[1024]=i' '[256]' 256
// expect: 1: 512+i
// run: -k wide -g 5000,2 '[10000]=i' '[10000]' 5000
// expect: 1: a0[i]*2
// run: -k wide -g 64,2 -o 5000,0 '[10128]=i' '[10128]' 5064
// expect: 1: i>=5000 && i<5064 || i>=10064 ? a0[i]*2 : 0
// run: -k mixed -g 32,8 '[256]=i' '[256]' 32 1e9 -5 3000000000
// expect: 1: a0[i]+1
// run: -k limits -g 16,16 '[2]' 8191 8192
// expect: 0: i==0 ? 8191*8191+255 : 8192-1
// run: -k limits -g 16,16 '[2]' 8192 8191
// expect: 0: i==0 ? 8192*8192+255 : 8191-1
kernel void copy(global const float *a, global float *o, int w) {
  int x = get_global_id(0), y = get_global_id(1), at = mad24(y, w, x);
  o[at] = a[at];
}
/* negative numbers are large ones */
kernel void shifted(global const int *a, global int *o, int by, uint from) {
  uint x = get_global_id(0), y = get_global_id(1), at = from + y * 16 + x + by;
  o[y * 16 + x] = a[at];
}
kernel void wraps(global const int *a, global int *o, uint by) {
  uint x = get_global_id(0), y = get_global_id(1), at = y * 64 + x + by + 256;
  o[y * 64 + x] = a[at];
}
kernel void wide(global const int *a, global int *o, int w) {
  uint x = get_global_id(0), y = get_global_id(1);
  o[y * w + x] = a[y * w + x] * 2;
}
/* numbers of other types may be any */
kernel void mixed(global const int *a, global int *o, int w, float f, char c, long l) {
  uint x = get_global_id(0), y = get_global_id(1), at = y * w + x;
  o[at] = a[at] + (f > 1e8f && c == -5 && l == 3000000000);
}
kernel void limits(global int *o, uint m, uint n) {
  uint x = get_global_id(0), y = get_global_id(1);
  if (y == 15 && x == 15) o[0] = m * m + y * 16 + x;
  if (y == 0 && x == 0) o[1] = n - 1;
}
