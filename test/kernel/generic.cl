// Pointers that may point anywhere: access, tests of the space, and functions that take them.
// run: -b -cl-std=CL3.0 -g 64 -l 16 -k spaces '[64]=i' '[64]' 'local[16]' --name spaces
// expect: 1: 0
int wrong(int *p, int space) {
  int bad = 0;
  if ((to_global(p) != 0) != (space == 0)) bad |= 1;
  if ((to_local(p) != 0) != (space == 1)) bad |= 2;
  if ((to_private(p) != 0) != (space == 2)) bad |= 4;
  cl_mem_fence_flags fence = get_fence(p);
  if (fence != (space == 0 ? CLK_GLOBAL_MEM_FENCE : space == 1 ? CLK_LOCAL_MEM_FENCE : 0) && space != 2) bad |= 8;
  if (space == 0 && *to_global(p) != *p) bad |= 16;
  if (space == 1 && *to_local(p) != *p) bad |= 32;
  return bad;
}
kernel void spaces(global int *in, global int *out, local int *part) {
  local int other[4];
  int own[5];
  size_t i = get_global_id(0), l = get_local_id(0);
  part[l] = in[i];
  if (l == 0) other[1] = 7;
  own[l % 5] = in[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  int *p = &own[l % 5];
  int bad = wrong(p, 2) << 24 | wrong(in + i, 0) | wrong(part + l, 1) << 8 | wrong(&other[1], 1) << 16;
  int *chosen = l % 3 == 0 ? (int *)(in + i) : l % 3 == 1 ? (int *)(part + l) : p;
  *chosen += 1000;
  if (*chosen != (int)i + 1000) bad |= 1 << 30;
  bad |= wrong(chosen, l % 3);
  out[i] = bad;
}

// run: -b -cl-std=CL3.0 -g 32 -l 8 -k functions '[32]=i*0.75+0.25' '[32]' 'local[8]' 'local[8]' --name 'results through pointers'
// expect: 1: 1
float through(float x, float *f, int *n) { return fract(x, f) + modf(x, f) + frexp(x, n) + sincos(x, f) + lgamma_r(x, n); }
float plain_private(float x, private float *f, private int *n) {
  return fract(x, f) + modf(x, f) + frexp(x, n) + sincos(x, f) + lgamma_r(x, n);
}
kernel void functions(global const float *in, global int *out, local float *f, local int *n) {
  size_t i = get_global_id(0), l = get_local_id(0);
  float own, other;
  int number, second;
  float a = through(in[i], f + l, n + l), b = through(in[i], &own, &number), c = plain_private(in[i], &other, &second);
  float d = remquo(in[i], 0.3f, n + l), e = remquo(in[i], 0.3f, &number);
  atomic_int turns;
  atomic_init(&turns, 1);
  atomic_fetch_add_explicit(&turns, 2, memory_order_acq_rel, memory_scope_work_item);
  float4 v = vload4(0, (float *)in + 2);
  vstore2(v.xy, 0, (float *)&v + 2);
  out[i] = a == b && b == c && f[l] == own && own == other && d == e && n[l] == number &&
           atomic_load(&turns) == 3 && all(v.zw == vload2(1, in));
}

// Stores to one object under two address spaces, with one to other memory between them: all of them are done.
// run: -b -cl-std=CL3.0 -g 64 -k mixed_spaces '[128]' '[64]=i'
// expect: 0: i<64 ? 3209+10000*(193-i%4) : 5
struct mixed { char a; uint b; int c; uchar d[4]; };
kernel void mixed_spaces(global uint *out, global const uint *in) {
  uint i = get_global_id(0);
  struct mixed m;
  m.b = 2;
  m.c = 3;
  for (int k = 0; k < 4; k++) m.d[k] = 60 + k;
  out[i + 64] = 5;
  char *p = (char *)(struct mixed *)&m;
  *p = 9;
  m.d[in[i] & 3] = 7;
  out[i] = m.a + 100 * m.b + 1000 * m.c + 10000 * (m.d[0] + m.d[1] + m.d[2] + m.d[3]);
}
