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
