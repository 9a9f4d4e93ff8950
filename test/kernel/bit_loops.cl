// Loops that count bits one by one, which become one instruction, and some that only look like them.
// run: -k ones -g 4096 '[4096]=floor(rand(i)*4294967296)*(i%7>0)' '[4096]'
// expect: 1: 0
// run: -k turns -g 4096 '[4096]=floor(rand(i)*4294967296)>>i%32' '[4096]'
// expect: 1: 0
// run: -k logarithms -g 4096 '[4096]=floor(rand(i)*4294967296)>>i%33' '[4096]'
// expect: 1: 0
// run: -k longs -g 4096 '[4096]=floor(rand(i)*4294967296)*(i%7>0)' '[4096]'
// expect: 1: 0
// run: -k others -g 4096 '[4096]=floor(rand(i)*65536)' '[4096]'
// expect: 1: 0
kernel void ones(global const uint *in, global uint *wrong) {
  uint i = get_global_id(0), x = in[i], n = popcount(x), a = 0, b = 0, c = 0, d = 0, e = 5, f = 0;
  for (uint v = x; v != 0; v &= v - 1) a++;
  for (uint v = x; v; v >>= 1) b += v & 1;
  for (uint v = x; v > 0; v = (v - 1) & v) c += 3;
  uint v = x;
  do { // once for none
    d++;
    v &= v - 1;
  } while (v);
  v = x;
  while (v) {
    if (v & 1) e += 2;
    v >>= 1;
  }
  for (uchar s = x; s; s &= s - 1) f++;
  wrong[i] = (a != n) + (b != n) * 2 + (c != 3 * n) * 4 + (d != n + (x == 0)) * 8 + (e != 5 + 2 * n) * 16 +
             (f != popcount((uchar)x)) * 32 + (v != 0) * 64;
}
kernel void turns(global const uint *in, global uint *wrong) {
  uint i = get_global_id(0), x = in[i], length = 32 - clz(x), a = 0, b = 0, n = 0, c = 7, zeros = 0;
  for (uint v = x; v; v >>= 1) a++;
  uint v = x;
  do {
    b++;
    v >>= 1;
  } while (v);
  for (v = x; v; v >>= 1, c += 2) n += v & 1; // two counters
  for (v = x; v; v >>= 1)
    if (!(v & 1)) zeros++;
  wrong[i] = (a != length) + (b != length + (x == 0)) * 2 + (n != popcount(x)) * 4 + (c != 7 + 2 * length) * 8 +
             (zeros != length - popcount(x)) * 16;
}
kernel void longs(global const uint *in, global uint *wrong) {
  uint i = get_global_id(0);
  ulong x = (ulong)in[i] * in[i], n = popcount(x), a = 0;
  uint b = 0;
  uchar c = 200; // wraps
  for (ulong v = x; v != 0; v &= v - 1) a++;
  for (ulong v = x; v; v >>= 1) b += v & 1;
  for (ulong v = x; v; v &= v - 1) c++;
  wrong[i] = (a != n) + (b != n) * 2 + (c != (uchar)(200 + n)) * 4;
}
// What is wanted is another value of the loop, another bit, a sign that stays, or a sum of what is seen on the way.
kernel void others(global const uint *in, global uint *wrong) {
  uint i = get_global_id(0), x = in[i] | 1, last = 0, second = 0, sum = 0, k = 0, expected = 0, steps = 0;
  for (uint v = x; v != 0; v &= v - 1) last = v;
  for (uint v = x; v; v >>= 1) second += v >> 1 & 1;
  for (uint v = x; v; v >>= 1) sum += v;
  for (int j = 0; j < 16; j++) expected += x >> j;
  for (int v = -(int)x; v != -1; v >>= 1) k++;
  for (uint v = x; v > 1; v &= v - 1) steps++;
  wrong[i] = (last != 1u << (31 - clz(x))) + (second != popcount(x) - 1) * 2 + (sum != expected) * 4 +
             (k != 32 - clz(x - 1)) * 8 + (steps != (x == 1 ? 0 : popcount(x))) * 16;
}
// The count before the last turn is asked for.
kernel void logarithms(global const uint *in, global uint *wrong) {
  uint i = get_global_id(0), x = in[i], length = 32 - clz(x), n = 0, m = 5, k = 0;
  for (uint v = x; v >>= 1;) n++;
  ulong wide = (ulong)x << 20;
  while (wide >>= 1) m += 2;
  for (uint v = x; v > 1; v >>= 1) k++;
  uint floored = x == 0 ? 0 : length - 1, wider = x == 0 ? 0 : length + 19;
  wrong[i] = (n != floored) + (m != 5 + 2 * wider) * 2 + (k != floored) * 4;
}
