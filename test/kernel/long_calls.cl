// A kernel that calls long functions several times: in a loop they are expanded, what stands in none stays calls.
// run: -k rounds -g 100 '[100]=i*77' '[100]' 5
// expect: 1: 0
// run: -k rounds -g 100 '[100]=i*77' '[100]' 5 -b '-kiln-width=1'
// expect: 1: 0
#define STEP(k) \
  v[(k) % 4] = rotate(v[(k) % 4] + (v[((k) + 1) % 4] ^ key), 5u + (k) % 7); \
  v[((k) + 2) % 4] ^= v[((k) + 3) % 4] * 3u + (k);
#define STEPS(k) STEP(k) STEP(k + 1) STEP(k + 2) STEP(k + 3) STEP(k + 4) STEP(k + 5) STEP(k + 6) STEP(k + 7)

#define ALL STEPS(0) STEPS(8) STEPS(16) STEPS(24) STEPS(32) STEPS(40) STEPS(48) STEPS(56)
#define FUNCTION(n, x) \
  void n(private uint *v, uint key) { v[0] += x; ALL }
FUNCTION(mix0, 10)
FUNCTION(mix1, 11)
FUNCTION(mix2, 12)
FUNCTION(mix3, 13)
FUNCTION(mix4, 14)
FUNCTION(mix5, 15)
FUNCTION(mix6, 16)
FUNCTION(mix7, 17)
#define MIX(k) \
  mix0(v, k); mix1(v, k); mix2(v, k); mix3(v, k); mix4(v, k); mix5(v, k); mix6(v, k); mix7(v, k);

kernel void rounds(global const uint *in, global uint *out, uint n) {
  int i = (int)get_global_id(0);
  uint v[4] = {in[i], 1, 2, 3}, sum = 0;
  MIX(0) MIX(1) MIX(2) MIX(3) MIX(4)
  for (int k = 0; k < 4; k++) sum += v[k] * (k + 1);
  v[0] = in[i], v[1] = 1, v[2] = 2, v[3] = 3;
  for (uint k = 0; k < n; k++) { MIX(k) }
  for (int k = 0; k < 4; k++) sum -= v[k] * (k + 1);
  out[i] = sum;
}
