/* Rotations by whole bytes, there and back. */

// run: -k rotations -g 1003 '[1003]=i*40503' '[1003]'
// expect: 1: i*40503+1
kernel void rotations(global const uint *x, global uint *y) {
  const uint at = get_global_id(0), there = rotate(x[at] + 1, 24u);
  y[at] = rotate(there ^ 0x5a5a5a5au, 8u) ^ 0x5a5a5a5au;
}

// run: -k rotations_long -g 1003 '[1003]=i*40503' '[1003]'
// expect: 1: i*40503+1
kernel void rotations_long(global const ulong *x, global ulong *y) {
  const ulong at = get_global_id(0), there = rotate(x[at] + 1, 48ul);
  y[at] = rotate(there ^ 0x5a5a5a5a5a5a5a5aul, 16ul) ^ 0x5a5a5a5a5a5a5a5aul;
}

/* Rounds of a hash function, of zeros that only memory knows. */
#define ROUND(a, b, c, d, n)                                   \
  a += (b & c | ~b & d) + n * 0x9e3779b9u;                     \
  a = rotate(a, (uint)n) + b;

// run: -k rounds -g 1003 '[1003]' '[1003]'
// expect: 1: 4065566956
kernel void rounds(global const uint *x, global uint *y) {
  const uint at = get_global_id(0);
  uint a = x[at], b = 0x67452301, c = 0xefcdab89, d = 0x98badcfe;
  ROUND(a, b, c, d, 1) ROUND(d, a, b, c, 2) ROUND(c, d, a, b, 3) ROUND(b, c, d, a, 4) ROUND(a, b, c, d, 5)
  ROUND(d, a, b, c, 6) ROUND(c, d, a, b, 7) ROUND(b, c, d, a, 8) ROUND(a, b, c, d, 9) ROUND(d, a, b, c, 10)
  ROUND(c, d, a, b, 11) ROUND(b, c, d, a, 12) ROUND(a, b, c, d, 13) ROUND(d, a, b, c, 14) ROUND(c, d, a, b, 15)
  ROUND(b, c, d, a, 16) ROUND(a, b, c, d, 17) ROUND(d, a, b, c, 18) ROUND(c, d, a, b, 19) ROUND(b, c, d, a, 20)
  ROUND(a, b, c, d, 21) ROUND(d, a, b, c, 22) ROUND(c, d, a, b, 23) ROUND(b, c, d, a, 24)
  y[at] = a + b + c + d;
}
