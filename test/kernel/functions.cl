// Functions: by-value structures and vectors, several callers, kernels that call kernels, deep call chains, and callees
// that stay out of line yet ask for ids.
// run: -k structures -g 32 '[32]=i' '[32]'
// expect: 1: i*6+3
// run: -k outer -g 32 -l 8 '[32]=i'
// expect: 0: 2*((i-i%8)+7-i%8)+1
// run: -k inner -g 32 -l 8 '[32]=i' 2
// expect: 0: 2*((i-i%8)+7-i%8)
// run: -k deep -g 16 '[16]=i' '[16]'
// expect: 1: i+pow(2,12)
// run: -k ids -g 24,4 -l 6,2 -o 3,5 '[96]'
// expect: 0: 0
// run: -k vectors -g 8 '[8]=i' '[8]'
// expect: 1: 120+16*i
// run: -k prototypes -g 8 '[8]'
// expect: 0: i%2==0 ? 1 : 0
// run: -k over_calls -g 64 '(int)[64]=i' '(int)[64]' 1
// expect: 1: 19*i+5
// run: -k ids -g 24,4 -l 6,2 -o 3,5 '[96]' -b '-cl-opt-disable'
// expect: 0: 0
// run: -k outer -g 32 -l 8 '[32]=i' -b '-cl-opt-disable'
// expect: 0: 2*((i-i%8)+7-i%8)+1
struct big {
  int values[16];
  double weight;
};
struct small {
  char a;
  short b;
};
struct big fill(int x) {
  struct big b;
  for (int i = 0; i < 16; i++) b.values[i] = x;
  b.weight = x;
  return b;
}
__attribute__((noinline)) int weigh(struct big b, struct small s) {
  b.values[3] *= 2;
  return b.values[3] + b.values[4] + (int)b.weight * 3 + s.a + s.b;
}
kernel void structures(global const int *in, global int *out) {
  size_t i = get_global_id(0);
  struct big b = fill(in[i]);
  struct small s = {1, 2};
  out[i] = weigh(b, s);
  if (b.values[3] != in[i]) out[i] = -1;
}

kernel void inner(global int *x, int factor) {
  local int turned[8];
  int l = get_local_id(0);
  turned[7 - l] = x[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  x[get_global_id(0)] = factor * turned[l];
}
kernel void outer(global int *x) {
  inner(x, 2);
  barrier(CLK_LOCAL_MEM_FENCE);
  x[get_global_id(0)] += 1;
}

int f0(int x) { return x + 1; }
#define TWICE(f, g) int f(int x) { return g(g(x)); }
TWICE(f1, f0) TWICE(f2, f1) TWICE(f3, f2) TWICE(f4, f3) TWICE(f5, f4) TWICE(f6, f5)
TWICE(f7, f6) TWICE(f8, f7) TWICE(f9, f8) TWICE(f10, f9) TWICE(f11, f10) TWICE(f12, f11)
kernel void deep(global const int *in, global int *out) { out[get_global_id(0)] = f12(in[get_global_id(0)]); }

__attribute__((noinline)) size_t place(uint d) {
  return get_group_id(d) * get_local_size(d) + get_local_id(d) + get_global_offset(d);
}
__attribute__((noinline)) bool agrees(uint d) {
  return place(d) == get_global_id(d) && get_num_groups(d) * get_local_size(d) == get_global_size(d);
}
kernel void ids(global int *out) {
  int x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
  uint none = 3 + x;
  bool high = get_global_id(none) == 0 && get_global_size(none) == 1 && get_local_size(none) == 1 &&
              get_num_groups(none) == 1 && get_local_id(none) == 0 && get_group_id(none) == 0 &&
              get_global_offset(none) == 0 && get_global_size(2) == 1;
  out[y * get_global_size(0) + x] = !(agrees(0) && agrees(1) && agrees(2) && high && get_work_dim() == 2);
}

float16 spread(float x) { return (float16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) + x; }
float3 shrink(float16 v) { return (float3)(v.s0 + v.s3 + v.s6 + v.s9 + v.sc + v.sf, v.s1 + v.s4 + v.s7 + v.sa + v.sd, v.s2 + v.s5 + v.s8 + v.sb + v.se); }
kernel void vectors(global const int *in, global int *out) {
  float3 v = shrink(spread(in[get_global_id(0)]));
  out[get_global_id(0)] = (int)(v.x + v.y + v.z);
}

int later(int);
kernel void prototypes(global int *out) { out[get_global_id(0)] = later(get_global_id(0)); }
int later(int x) { return x % 2 == 0; }

// What a loop has in registers stays there over calls of functions that leave most of them alone.
__attribute__((noinline)) int step(int x) { return x * 3 + 1; }
kernel void over_calls(global const int *in, global int *out, int n) {
  size_t i = get_global_id(0);
  int a = in[i], b = a, c = a, d = a;
  for (int k = 0; k < n; k++) {
    a = step(a) + b;
    b = step(b) + c;
    c = step(c) + d;
    d = step(d) + a;
  }
  out[i] = a + b + c + d;
}
