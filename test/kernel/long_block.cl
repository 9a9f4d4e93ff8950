// Straight code of thousands of instructions, which is put in order in pieces: sums, comparisons and choices.
// run: -k long_block -g 1003 '[1003]' '[1003]'
// expect: 1: 3334269162
// run: -b -kiln-width=1 -k long_block -g 1003 '[1003]' '[1003]'
// expect: 1: 3334269162
#define ROUND(a, b, c, d, n, r)                                                                    \
  a += (b & c | ~b & d) + (n) * 0x9e3779b9u;                                                         \
  a = rotate(a, (uint)r) + (a < c ? b : max(c, d));
#define FOUR(n)                                                                                    \
  ROUND(a, b, c, d, n, 7) ROUND(d, a, b, c, n + 1, 12) ROUND(c, d, a, b, n + 2, 17) ROUND(b, c, d, a, n + 3, 22)
#define MORE(X) X X X X X X X X

kernel void long_block(global const uint *x, global uint *y) {
  const uint at = get_global_id(0);
  uint a = x[at], b = 0x67452301, c = 0xefcdab89, d = 0x98badcfe;
  MORE(MORE(FOUR(0) FOUR(4)))
  y[at] = a + b + c + d;
}
