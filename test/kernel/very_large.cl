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

// Steps that some lanes take and others do not: under masks, code grows.
// run: -k masked -g 100 '[100]=i' '[100]' 1
// expect: 1: loop(500, k=0:k+1, x=i:x%(k%5+2)==0 ? x+k+1 : x, x)
#define CHOICE(k) if (x % ((k) % 5 + 2) == 0) x += (k) + s, out[i] = x, y += x * x, y ^= y >> 3, y += x << 2, y -= x;
#define CHOICES(k) CHOICE(k) CHOICE(k + 1) CHOICE(k + 2) CHOICE(k + 3) CHOICE(k + 4) CHOICE(k + 5) CHOICE(k + 6) CHOICE(k + 7) CHOICE(k + 8) CHOICE(k + 9)
#define ALL(k) CHOICES(k) CHOICES(k + 10) CHOICES(k + 20) CHOICES(k + 30) CHOICES(k + 40) CHOICES(k + 50) CHOICES(k + 60) CHOICES(k + 70) CHOICES(k + 80) CHOICES(k + 90)
kernel void masked(global const uint *in, global uint *out, uint s) {
  uint i = get_global_id(0), x = in[i], y = x;
  ALL(0) ALL(100) ALL(200) ALL(300) ALL(400)
  out[i] = y == 77 ? y : x;
}
