// Kernels of thousands of instructions, as hash functions by macros: lanes make them wider, not longer.
// run: -k rounds -g 100 '[100]=i' '[100]' 1
// expect: 1: loop(1600, k=0:k+1, x=uint(i+1):uint(x^(uint(x*32)+floor(x/4)+uint(k%7+1))), x)
#define ONE(k) x ^= (x << 5) + (x >> 2) + (uint)((k) % 7 + s);
#define TEN(k) ONE(k) ONE(k + 1) ONE(k + 2) ONE(k + 3) ONE(k + 4) ONE(k + 5) ONE(k + 6) ONE(k + 7) ONE(k + 8) ONE(k + 9)
#define HUNDRED(k) TEN(k) TEN(k + 10) TEN(k + 20) TEN(k + 30) TEN(k + 40) TEN(k + 50) TEN(k + 60) TEN(k + 70) TEN(k + 80) TEN(k + 90)
kernel void rounds(global const uint *in, global uint *out, uint s) {
  uint x = in[get_global_id(0)] + s;
  HUNDRED(0) HUNDRED(100) HUNDRED(200) HUNDRED(300) HUNDRED(400) HUNDRED(500) HUNDRED(600) HUNDRED(700)
  HUNDRED(800) HUNDRED(900) HUNDRED(1000) HUNDRED(1100) HUNDRED(1200) HUNDRED(1300) HUNDRED(1400) HUNDRED(1500)
  out[get_global_id(0)] = x;
}

// An address for each lane in every step: in lanes there would be code for each lane.
// run: -k looked_up -g 100 '[256]=i*2654435761%4294967291' '[100]' 1
// expect: 1: loop(1600, k=0:k+1, x=uint(i+1):uint(floor(x/256)+a0[uint(x+k)&255]), x)
#define STEP(k) x = (x >> 8) + table[(x + k * s) & 255];
#define STEPS(k) STEP(k) STEP(k + 1) STEP(k + 2) STEP(k + 3) STEP(k + 4) STEP(k + 5) STEP(k + 6) STEP(k + 7) STEP(k + 8) STEP(k + 9)
#define MANY(k) STEPS(k) STEPS(k + 10) STEPS(k + 20) STEPS(k + 30) STEPS(k + 40) STEPS(k + 50) STEPS(k + 60) STEPS(k + 70) STEPS(k + 80) STEPS(k + 90)
kernel void looked_up(global const uint *table, global uint *out, uint s) {
  uint x = get_global_id(0) + s;
  MANY(0) MANY(100) MANY(200) MANY(300) MANY(400) MANY(500) MANY(600) MANY(700)
  MANY(800) MANY(900) MANY(1000) MANY(1100) MANY(1200) MANY(1300) MANY(1400) MANY(1500)
  out[get_global_id(0)] = x;
}
