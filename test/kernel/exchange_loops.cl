// Floats and doubles that work-items add to memory by exchanging them until nobody came between; other loops that try
// again; and loops that wait, which only look like those.
// run: -k add -g 4096 -l 64 '[64]=i' '[4096]=i%8' '[4096]=i*7'
// expect: 0: i+sum(k,0,4096,(k*7)%64==i?k%8:0)
// run: -k read_anew -g 4096 -l 64 '[64]=i' '[4096]=i%8' '[4096]=i*7'
// expect: 0: i+sum(k,0,4096,(k*7)%64==i?k%8:0)
// run: -k take_away -g 4096 -l 64 '[64]=i' '[4096]=i%8' '[4096]=i*7'
// expect: 0: i-sum(k,0,4096,(k*7)%64==i?k%8:0)
// run: -k doubles -g 4096 -l 64 '[64]=i' '[4096]=i%8' '[4096]=i*7'
// expect: 0: i+sum(k,0,4096,(k*7)%64==i?k%8:0)
// run: -k one_place -g 4096 -l 64 '[2]=5' '[4096]=i%8'
// expect: 0: 5+(i==0?sum(k,0,4096,k%3==0?a1[k]:0):0-sum(k,0,4096,a1[k]))
// run: -k places -g 1024 -l 64 '[1]' '[1024]' '[1024]=1'
// expect: 0: 1024
// expect: 1: 1
// run: -k in_groups -g 4096 -l 64 '[4096]' '[4096]=i%8' '[4096]=i*7'
// expect: 0: sum(k,i-i%64,i-i%64+64,a2[k]%16==i%64?a1[k]:0)+(i%64==16?sum(k,i-i%64,i-i%64+64,a1[k]):0)
// run: -k most -g 4096 -l 64 '[64]=0' '[4096]=(i*977)%8191' '[4096]=i*7'
// expect: 0: loop(4096,n=0:max(n,(k*7)%64==i?(k*977)%8191:0),k=0:k+1,n)
// run: -k strong -g 4096 -l 64 '[64]=0' '[4096]=i*7' -b -cl-std=CL2.0
// expect: 0: sum(k,0,4096,(k*7)%64==i?2*(k%2)+1:0)
// run: -k tagged -g 1024 -l 64 '[1024]' '[1024]=i*i'
// expect: 0: i%64<32?sum(k,i-i%64,i-i%64+64,(k*k)%32==i%64):0
// run: -k steps -g 64 -l 64 '[64]' '[64]=3'
// expect: 0: 8
// run: -k attempts -g 1024 -l 64 '[1024]' '[1024]=i%8' '[1024]=i*7'
// expect: 0: i%64+sum(k,i-i%64,i-i%64+64,a2[k]%16==i%64?a1[k]:0)
// run: -k other_attempts -g 64 -l 64 '[64]=i' '[64]=i%8'
// expect: 0: i+2*(i%8)
// run: -k attempts_tell -g 64 -l 64 '[64]=i' '[64]=i%8' '[64]'
// expect: 0: i+i%8
// expect: 2: i
// run: -k in_turn -g 64 -l 64 '[2]'
// expect: 0: i==0?64:0
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

#define ADD(name, space, real, bits, exchange, op)                                                           \
  void name(volatile space real *to, real x) {                                                               \
    union {                                                                                                  \
      bits n;                                                                                                \
      real r;                                                                                                \
    } sum, expected, found;                                                                                  \
    found.r = *to;                                                                                           \
    do {                                                                                                     \
      expected.r = found.r;                                                                                  \
      sum.r = expected.r op x;                                                                               \
      found.n = exchange((volatile space bits *)to, expected.n, sum.n);                                      \
    } while (found.n != expected.n);                                                                         \
  }
ADD(add_global, global, float, uint, atomic_cmpxchg, +)
ADD(sub_global, global, float, uint, atomic_cmpxchg, -)
ADD(add_local, local, float, uint, atomic_cmpxchg, +)
ADD(add_double, global, double, ulong, atom_cmpxchg, +)

kernel void add(global float *out, global const float *in, global const int *where) {
  size_t i = get_global_id(0);
  add_global(out + where[i] % 64, in[i]);
}

kernel void read_anew(global float *out, global const float *in, global const int *where) {
  size_t i = get_global_id(0);
  volatile global int *to = (volatile global int *)(out + where[i] % 64);
  int old, sum;
  do {
    old = atomic_add(to, 0);
    sum = as_int(in[i] + as_float(old));
  } while (atomic_cmpxchg(to, old, sum) != old);
}

kernel void take_away(global float *out, global const float *in, global const int *where) {
  size_t i = get_global_id(0);
  sub_global(out + where[i] % 64, in[i]);
}

kernel void doubles(global double *out, global const double *in, global const int *where) {
  size_t i = get_global_id(0);
  add_double(out + where[i] % 64, in[i]);
}

/* Of all lanes, and of some. */
kernel void one_place(global float *out, global const float *in) {
  size_t i = get_global_id(0);
  sub_global(out + 1, in[i]);
  if (i % 3 == 0) add_global(out, in[i]);
}

/* What was there is wanted, too: a place for each. */
kernel void places(global float *count, global int *taken, global const float *one) {
  volatile global uint *to = (volatile global uint *)count;
  uint old = *to, found;
  while ((found = atomic_cmpxchg(to, old, as_uint(as_float(old) + one[get_global_id(0)]))) != old)
    old = found;
  taken[(int)as_float(old)] += 1;
}

kernel void in_groups(global float *out, global const float *in, global const int *where) {
  local float bins[17];
  size_t i = get_global_id(0), l = get_local_id(0);
  if (l < 17) bins[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  add_local(bins + where[i] % 16, in[i]);
  add_local(bins + 16, in[i]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l < 17) out[i] = bins[l];
}

/* Leaves at once where there is more already. */
kernel void most(global float *out, global const float *in, global const int *where) {
  size_t i = get_global_id(0);
  volatile global uint *to = (volatile global uint *)(out + where[i] % 64);
  float x = in[i];
  uint old = *to;
  while (as_float(old) < x) {
    uint found = atomic_cmpxchg(to, old, as_uint(x));
    if (found == old) break;
    old = found;
  }
}

#if __OPENCL_C_VERSION__ >= 200
kernel void strong(global atomic_int *out, global const int *where) {
  size_t i = get_global_id(0);
  global atomic_int *to = out + where[i] % 64;
  int old = atomic_load_explicit(to, memory_order_relaxed);
  while (!atomic_compare_exchange_strong_explicit(to, &old, old + 2 * (int)(i % 2) + 1, memory_order_relaxed,
                                                  memory_order_relaxed))
    ;
}
#endif

/* Before there were atomics on local memory: each writes with a mark of its own, and looks whether it stayed.
 */
kernel void tagged(global uint *out, global const uint *in) {
  volatile local uint bins[32];
  size_t i = get_global_id(0), l = get_local_id(0);
  if (l < 32) bins[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint to = in[i] % 32, count;
  do {
    count = bins[to] & 0x3ffffff;
    count = (uint)l << 26 | (count + 1);
    bins[to] = count;
  } while (bins[to] != count);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = l < 32 ? bins[l] & 0x3ffffff : 0;
}

/* Is as many steps on as others left it: nobody is waited for, but the loop is none that only tries again. */
kernel void steps(global int *out, global const int *in) {
  size_t i = get_global_id(0);
  volatile global int *to = out + i;
  for (int k = 0; k < 4; k++) {
    int old = *to;
    if (atomic_cmpxchg(to, old, old + 2) != old) k--;
  }
}

/* A few attempts before the loop, as programs write them to save its turns: nothing that it does not do. */
#define TRY(to, x)                                                                                           \
  {                                                                                                          \
    expected.r = found.r;                                                                                    \
    sum.r = expected.r + (x);                                                                                \
    found.n = atomic_cmpxchg((volatile TO uint *)to, expected.n, sum.n);                                     \
    if (found.n == expected.n) goto done;                                                                    \
  }
#define ATTEMPT(name, space, x0, result)                                                                     \
  result name(volatile space float *to, float x) {                                                           \
    union {                                                                                                  \
      uint n;                                                                                                \
      float r;                                                                                               \
    } sum, expected, found;                                                                                  \
    found.r = *to;                                                                                           \
    TRY(to, x0)                                                                                              \
    TRY(to, x)                                                                                               \
    TRY(to, x)                                                                                               \
    do {                                                                                                     \
      expected.r = found.r;                                                                                  \
      sum.r = expected.r + x;                                                                                \
      found.n = atomic_cmpxchg((volatile space uint *)to, expected.n, sum.n);                                \
    } while (found.n != expected.n);                                                                         \
  done:                                                                                                      \
    return (result)expected.r;                                                                               \
  }
#define TO local
ATTEMPT(try_local, local, x, void)
#undef TO
#define TO global
ATTEMPT(try_twice_first, global, x + x, void)
ATTEMPT(try_and_tell, global, x, float)
#undef TO

kernel void attempts(global float *out, global const float *in, global const int *where) {
  local float sum[64];
  size_t i = get_global_id(0), l = get_local_id(0);
  sum[l] = l;
  barrier(CLK_LOCAL_MEM_FENCE);
  try_local(sum + where[i] % 16, in[i]);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = sum[l];
}

kernel void other_attempts(global float *out, global const float *in) {
  size_t i = get_global_id(0);
  try_twice_first(out + i, in[i]);
}

kernel void attempts_tell(global float *out, global const float *in, global float *before) {
  size_t i = get_global_id(0);
  before[i] = try_and_tell(out + i, in[i]);
}

/* A lock: in lanes all would wait for the one that has it. */
kernel void in_turn(volatile global int *data) {
  volatile global int *lock = data + 1;
  bool done = false;
  while (!done) {
    if (atomic_cmpxchg(lock, 0, 1) == 0) {
      data[0] = data[0] + 1;
      atomic_xchg(lock, 0);
      done = true;
    }
  }
}
