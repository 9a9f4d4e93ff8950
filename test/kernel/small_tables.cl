// Look-ups in constant tables of few elements, which lie in registers where these can be picked from; in larger ones.
// run: -k numbers -g 999 '[999]=i*2654435761>>7' '[999]'
// expect: 1: 0
// run: -k numbers -g 999 -l 3 '[999]=i*2654435761>>7' '[999]'
// expect: 1: 0
// run: -k reals -g 999 '[999]=i*2654435761>>7' '[999]'
// expect: 1: 0
// run: -k sizes -g 999 '[999]=i*2654435761>>7' '[999]'
// expect: 1: 0
// run: -k indices -g 999 '[999]=i*2654435761>>7' '[999]'
// expect: 1: 0
// run: -k masked -g 999 '[999]=i*2654435761>>7' '[999]'
// expect: 1: 0
// run: -k text -g 999 '[999]=i*2654435761>>7' '[999]'
// expect: 1: 0
// run: -k steps -g 999 '[999]=i*2654435761>>7' '[999]'
// expect: 1: 0
#define F(k) ((k) * 37 % 101 - 50)
#define F4(k) F(k), F(k + 1), F(k + 2), F(k + 3)
#define F16(k) F4(k), F4(k + 4), F4(k + 8), F4(k + 12)
constant char chars[16] = {F16(0)};
constant ushort ushorts[32] = {F16(0), F16(16)};
constant int ints[64] = {F16(0), F16(16), F16(32), F16(48)};
constant long longs[8] = {F4(0), F4(4)};
constant ulong ulongs[32] = {F16(0), F16(16)};
kernel void numbers(global const uint *in, global int *wrong) {
  uint i = get_global_id(0), x = in[i];
  wrong[i] = (chars[x % 16] != (char)F(x % 16 + 0)) + (ushorts[x % 32] != (ushort)F((int)(x % 32))) * 2 +
             (ints[x % 64] != F((int)(x % 64))) * 4 + (longs[x % 8] != F((long)(x % 8))) * 8 +
             (ulongs[x % 32] != (ulong)F((long)(x % 32))) * 16;
}
kernel void reals(global const uint *in, global int *wrong) {
  const float floats[16] = {F16(0)};
  const double doubles[16] = {F16(0)};
  uint i = get_global_id(0), x = in[i];
  wrong[i] = (floats[x % 16] != (float)F((int)(x % 16))) + (doubles[x % 16] != (double)F((int)(x % 16))) * 2;
}
kernel void sizes(global const uint *in, global int *wrong) {
  const int one[1] = {F(0)}, three[3] = {F(0), F(1), F(2)}, nine[9] = {F4(0), F4(4), F(8)},
            seventeen[17] = {F16(0), F(16)}, forty[40] = {F16(0), F16(16), F4(32), F4(36)},
            more[65] = {F16(0), F16(16), F16(32), F16(48), F(64)};
  uint i = get_global_id(0);
  int x = in[i] % 65u;
  wrong[i] = (one[x % 1] != F(0)) + (three[x % 3] != F(x % 3)) * 2 + (nine[x % 9] != F(x % 9)) * 4 +
             (seventeen[x % 17] != F(x % 17)) * 8 + (forty[x % 40] != F(x % 40)) * 16 + (more[x] != F(x)) * 32;
}
kernel void indices(global const uint *in, global int *wrong) {
  uint i = get_global_id(0), x = in[i];
  uchar a = x % 16;
  short b = x % 64;
  ulong c = x % 64;
  wrong[i] = (chars[a] != (char)F((int)a)) + (ints[b] != F((int)b)) * 2 + (ints[c] != F((int)c)) * 4 +
             (ints[63 - (int)(x % 64)] != F(63 - (int)(x % 64))) * 8 + (ints[i % 64] != F((int)(i % 64))) * 16 +
             (ints[get_group_id(0) % 64] != F((int)(get_group_id(0) % 64))) * 32;
}
kernel void masked(global const uint *in, global int *wrong) {
  uint i = get_global_id(0), x = in[i];
  int sum = 0, good = 0;
  for (uint k = x % 7; k > 0; k--) {
    if (x < 64) sum += ints[x]; // seldom, and other lanes would be past the end
    else sum += chars[(x + k) & 15];
    good += x < 64 ? F((int)x) : F((int)((x + k) & 15));
  }
  wrong[i] = sum != good;
}
kernel void text(global const uint *in, global int *wrong) {
  constant char *digits = "0123456789abcdef";
  uint i = get_global_id(0), bad = 0;
  for (int k = 0; k < 8; k++) {
    int digit = in[i] >> (28 - 4 * k) & 15;
    bad += digits[digit] != (digit < 10 ? '0' + digit : 'a' + digit - 10);
  }
  wrong[i] = bad;
}
kernel void steps(global const uint *in, global int *wrong) { // what is found says where to look next
  uint i = get_global_id(0);
  int at = in[i] % 64, k = at;
  const uchar next[64] = {3, 7, 1, 62, 5, 9, 12, 33, 2, 4, 6, 8, 10, 63, 14, 16, 18, 20, 22, 24, 26, 28,
                          30, 32, 34, 36, 38, 40, 42, 44, 46, 48, 50, 52, 54, 56, 58, 60, 0, 11, 13, 15, 17, 19,
                          21, 23, 25, 27, 29, 31, 35, 37, 39, 41, 43, 45, 47, 49, 51, 53, 55, 57, 59, 61};
  int sum = 0, good = 0;
  for (int turn = 0; turn < 9; turn++) sum += at = next[at];
  for (int turn = 0; turn < 9; turn++) {
    int found = 0;
    for (int j = 0; j < 64; j++) found += j == k ? next[j] : 0;
    good += k = found;
  }
  wrong[i] = sum != good;
}
