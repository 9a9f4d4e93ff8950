// Work-group collectives against sums over the group.
// run: -b -cl-std=CL3.0 -g 192 -l 64 -k sums '[192]=i%11' '[192]' '[192]' '[192]' --name sums
// expect: 1: sum(k,i-i%64,i-i%64+64,a0[k])
// expect: 2: sum(k,i-i%64,i+1,a0[k])
// expect: 3: sum(k,i-i%64,i,a0[k])
// run: -b -cl-std=CL3.0 -g 100 -l 64 -k sums '[100]=i%11' '[100]' '[100]' '[100]' --name 'sums of unequal groups'
// expect: 1: sum(k,i-i%64,min(100,i-i%64+64),a0[k])
// expect: 2: sum(k,i-i%64,i+1,a0[k])
// expect: 3: sum(k,i-i%64,i,a0[k])
kernel void sums(global const int *in, global int *all, global int *through, global int *before) {
  size_t i = get_global_id(0);
  int x = in[i];
  all[i] = work_group_reduce_add(x);
  through[i] = work_group_scan_inclusive_add(x);
  before[i] = work_group_scan_exclusive_add(x);
}

// run: -b -cl-std=CL3.0 -g 8,6 -l 4,3 -k places '[48]=i' '[48]' '[48]' --name 'linear order in two dimensions'
// expect: 1: a0[i%8-i%4+2+((i-i%8)/8-(i-i%8)/8%3+1)*8]
// expect: 2: i%4+(i-i%8)/8%3*4
kernel void places(global const float *in, global float *one, global ulong *order) {
  size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0);
  one[i] = work_group_broadcast(in[i], 2, 1);
  order[i] = work_group_scan_exclusive_add((ulong)1);
}

// run: -b -cl-std=CL3.0 -g 128 -l 32 -k extremes '[128]=i*37%101-50' '[128]' '[128]' '[128]' --name extremes
// expect: 3: 1
kernel void extremes(global const int *in, global double *least, global uint *most, global int *good) {
  size_t i = get_global_id(0), first = i - get_local_id(0);
  double d = in[i];
  uint u = in[i];
  least[i] = work_group_reduce_min(d);
  most[i] = work_group_reduce_max(u);
  float low = work_group_scan_inclusive_min((float)in[i]), below = work_group_scan_exclusive_max((float)in[i]);
  double m = INFINITY;
  uint n = 0;
  float so_far = INFINITY, high = -INFINITY;
  for (size_t k = first; k < first + get_local_size(0); k++) {
    m = fmin(m, (double)in[k]);
    n = max(n, (uint)in[k]);
    if (k <= i) so_far = fmin(so_far, (float)in[k]);
    if (k < i) high = fmax(high, (float)in[k]);
  }
  good[i] = m == least[i] && n == most[i] && low == so_far && below == high;
}

// A loop that ends when the group agrees; values live through it, and one collective feeds the next.
// run: -b -cl-std=CL3.0 -g 64 -l 16 -k loop '[64]=i%16' '[64]' '[64]' --name 'loop on a collective'
// expect: 1: 16
// expect: 2: 15*16+i%16*100
kernel void loop(global const int *in, global int *turns, global int *left) {
  size_t i = get_global_id(0);
  int x = in[i], mine = x * 100, count = 0, gathered = 0;
  while (work_group_any(x >= 0)) {
    int top = work_group_reduce_max(x);
    int who = work_group_scan_exclusive_add(x == top);
    if (x == top && who == 0) x = -1;
    gathered += work_group_reduce_add(x < 0 ? 1 : 0) > count ? 15 : 0;
    count++;
  }
  turns[i] = work_group_all(x == -1) ? count : -1;
  left[i] = gathered + mine;
}

// In a helper, under a uniform condition, result unused: only the program's order counts.
// run: -b -cl-std=CL3.0 -g 32 -l 8 -k helper 3 '[32]=i' '[32]' --name 'in a function'
// expect: 2: sum(k,i-i%8,i-i%8+8,a1[k])+3
int total(int x) {
  work_group_reduce_add(x);
  return work_group_broadcast(work_group_scan_inclusive_add(x), get_local_size(0) - 1);
}
kernel void helper(int n, global const int *in, global int *out) {
  int r = 0;
  if (n > 2) r = total(in[get_global_id(0)]);
  out[get_global_id(0)] = r + n;
}

// Every type, against loops over the group in linear order; every work-item checks its own results.
// run: -b -cl-std=CL3.0 -g 21 -l 7 -k types '[21]=i*7%11-3' '[21]' 'local[7]' --name 'groups of 7'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 61 -l 33 -k types '[61]=i*7%11-3' '[61]' 'local[33]' --name 'groups of 33, the last smaller'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 300 -l 200 -k types '[300]=i*7%11-3' '[300]' 'local[200]' --name 'groups of 200'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 13,15 -l 5,7 -k types '[195]=i*7%11-3' '[195]' 'local[35]' --name 'groups of 5 x 7'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 16,8 -l 8,4 -k types '[128]=i*7%11-3' '[128]' 'local[32]' --name 'groups of 8 x 4'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 7,10 -l 4,4 -k types '[70]=i*7%11-3' '[70]' 'local[16]' --name 'groups of 4 x 4, some smaller'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 4,6,5 -l 2,3,5 -k types '[120]=i*7%11-3' '[120]' 'local[30]' --name 'groups of 2 x 3 x 5'
// expect: 1: 0
#define CHECK(T, bit)                                                                                                \
  {                                                                                                                  \
    T sum = 0, to = 0, before = 0, least = part[0], most = part[0], least_to = part[0], most_to = part[0];           \
    for (size_t k = 0; k < items; k++) {                                                                             \
      T y = part[k];                                                                                                 \
      sum += y;                                                                                                      \
      least = y < least ? y : least;                                                                                 \
      most = y > most ? y : most;                                                                                    \
      if (k < l) before += y;                                                                                        \
      if (k > l) continue;                                                                                           \
      to += y;                                                                                                       \
      least_to = y < least_to ? y : least_to;                                                                        \
      most_to = y > most_to ? y : most_to;                                                                           \
    }                                                                                                                \
    if (work_group_reduce_add((T)v) != sum || work_group_reduce_min((T)v) != least) bad |= bit;                      \
    if (work_group_reduce_max((T)v) != most || work_group_scan_inclusive_add((T)v) != to) bad |= bit;                \
    if (work_group_scan_exclusive_add((T)v) != before || work_group_scan_inclusive_min((T)v) != least_to) bad |= bit; \
    if (work_group_scan_inclusive_max((T)v) != most_to) bad |= bit;                                                  \
    if (work_group_broadcast((T)(v * 3), a, b, c) != (T)(part[place] * 3)) bad |= bit;                               \
  }
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void types(global const int *in, global int *wrong, local int *part) {
  size_t i = get_global_linear_id(), l = get_local_linear_id(), items = 1;
  for (int d = 0; d < 3; d++) items *= get_local_size(d);
  size_t a = get_local_size(0) / 2, b = get_local_size(1) / 2, c = get_local_size(2) / 2;
  size_t place = (c * get_local_size(1) + b) * get_local_size(0) + a;
  int v = in[i], bad = 0;
  part[l] = v;
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  CHECK(int, 1) CHECK(uint, 2) CHECK(long, 4) CHECK(ulong, 8) CHECK(float, 16) CHECK(double, 32) CHECK(half, 64)
  wrong[i] = bad;
}
