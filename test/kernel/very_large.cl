// Kernels of thousands of instructions, as hash functions by macros: lanes make them wider, not longer.
// run: -k rounds -g 100 '[100]=i' '[100]' 1
// expect: 1: loop(1600, k=0:k+1, x=uint(i+1):uint(x^(uint(x*32)+floor(x/4)+uint(k%7+1))), x)
#define TEN(F, k) F(k) F(k + 1) F(k + 2) F(k + 3) F(k + 4) F(k + 5) F(k + 6) F(k + 7) F(k + 8) F(k + 9)
#define HUNDRED(F, k) \
  TEN(F, k) TEN(F, k + 10) TEN(F, k + 20) TEN(F, k + 30) TEN(F, k + 40) \
  TEN(F, k + 50) TEN(F, k + 60) TEN(F, k + 70) TEN(F, k + 80) TEN(F, k + 90)
#define FIVE_HUNDRED(F, k) HUNDRED(F, k) HUNDRED(F, k + 100) HUNDRED(F, k + 200) HUNDRED(F, k + 300) HUNDRED(F, k + 400)
#define ALL_1600(F) FIVE_HUNDRED(F, 0) FIVE_HUNDRED(F, 500) FIVE_HUNDRED(F, 1000) HUNDRED(F, 1500)
#define ROUND(k) x ^= (x << 5) + (x >> 2) + (uint)((k) % 7 + s);
kernel void rounds(global const uint *in, global uint *out, uint s) {
  uint x = in[get_global_id(0)] + s;
  ALL_1600(ROUND)
  out[get_global_id(0)] = x;
}

// An address for each lane in every step: in lanes there would be code for each lane.
// run: -k looked_up -g 100 '[256]=i*2654435761%4294967291' '[100]' 1
// expect: 1: loop(1600, k=0:k+1, x=uint(i+1):uint(floor(x/256)+a0[uint(x+k)&255]), x)
#define STEP(k) x = (x >> 8) + table[(x + (k) * s) & 255];
kernel void looked_up(global const uint *table, global uint *out, uint s) {
  uint x = get_global_id(0) + s;
  ALL_1600(STEP)
  out[get_global_id(0)] = x;
}

// Steps that some lanes take and others do not: under masks, code grows.
// run: -k masked -g 100 '[100]=i' '[100]' 1
// expect: 1: loop(500, k=0:k+1, x=i:x%(k%5+2)==0 ? x+k+1 : x, x)
#define CHOICE(k) if (x % ((k) % 5 + 2) == 0) x += (k) + s, out[i] = x, y += x * x, y ^= y >> 3, y += x << 2, y -= x;
kernel void masked(global const uint *in, global uint *out, uint s) {
  uint i = get_global_id(0), x = in[i], y = x;
  FIVE_HUNDRED(CHOICE, 0)
  out[i] = y == 77 ? y : x;
}

// Steps from barrier to barrier, each of which would be a loop over vectors.
// run: -k regions -g 64 -l 64 '[64]=i' '[64]' 1
// expect: 1: loop(1600, k=0:k+1, x=i+1:uint(x*3+k%9+1), x)
#define PASS(k) m[l] = x; barrier(CLK_LOCAL_MEM_FENCE); x = m[l] * 3 + (k) % 9 + s;
kernel void regions(global const uint *in, global uint *out, uint s) {
  local uint m[64];
  uint l = get_local_id(0), x = in[l] + s;
  ALL_1600(PASS)
  out[l] = x;
}
