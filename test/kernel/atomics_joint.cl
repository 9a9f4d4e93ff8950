// Atomics of many work-items on one address, all and some of them, with and without their results; local ones; in loops.
// run: -k totals -g 1000 -l 50 '[9]=0'
// expect: 0: i==0 ? 1000*999/2 : i==1 ? -1000*999/2 : i==2 ? -(1+2+4+8+16+32+64) : i==3 ? 127 : i==4 ? 0 : i==5 ? 999 : i==6 ? -999 : i==7 ? 334 : 1000
// run: -k found -g 64 -l 64 '[64]=1' '[9]'
// expect: 0: 0
// run: -k found -g 37 -l 37 '[37]=1' '[9]'
// expect: 0: 0
// run: -k wide -g 96 -l 32 '[96]' '[1]'
// expect: 1: 96*95/2 * 4294967296
// expect: 0: 0
// run: -k append -g 256 -l 64 '[1]' '[2048]' 1600
// expect: 0: 1600
// expect: 1: i < 1600 ? 1 : 0
// run: -k append_in_loop -g 64 -l 32 '[1]' '[700]' 2000
// expect: 0: 667
// expect: 1: i < 667 ? 1 : 0
// run: -k histogram -g 4096 -l 128 '[16]'
// expect: 0: 256
// run: -k local_results -g 64 -l 32 '[64]'
// expect: 0: 0
// run: -k search -g 64 -l 32 '[8]=10*i' '[1]=100' '[64]' '[1]'
// expect: 3: 8
// expect: 2: i < 8 ? 1 : 0
// run: -k tickets -g 64 -l 16 '[2]' '[64]'
// expect: 0: i==0 ? 64 : 0
// expect: 1: 1
// run: -k locks -g 64 -l 16 '[2]'
// expect: 0: i==0 ? 0 : 64
// run: -k nobody -g 64 -l 64 '[64]=1' '[1]'
// expect: 0: 1
// run: -k ordered -g 128 -l 32 '[128]' '[3]' -b '-cl-std=CL3.0'
// expect: 0: 1
// expect: 1: i==0 ? 128 : i==1 ? 128*127/2 : -128
// run: -k same -g 256 -l 64 3 '[256]' '[256]' '[256]' '[2]' '[2]' --name same
// expect: 1: i < 175 ? 1 : 0
// expect: 2: i < 175 ? 1 : 0
// expect: 3: 1
// expect: 4: i==0 ? 3*175 : uint(0-175)
// expect: 5: i==0 ? 256*5 : 0
// run: -k for_one -g 256 -l 64 '[4]' '[256]' 5
// expect: 0: i==0 ? 4*7 : i==1 ? 4*5 : i==2 ? 3 : 4
// expect: 1: i%64==0 ? 2 : 1
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

kernel void totals(global int *r) {
  int i = get_global_id(0);
  atomic_add(r, i);
  atomic_sub(r + 1, i);
  if (i == 0) atomic_dec(r + 2); // all bits on, so that taking bits away shows
  atomic_or(r + 3, i < 7 ? 1 << i : 0);
  atomic_xor(r + 4, i & 1 ? 5 : -6);
  atomic_xor(r + 4, i & 1 ? 5 : -6);
  atomic_max(r + 5, i);
  atomic_min(r + 6, -i);
  if (i % 3 == 0) atomic_inc(r + 7);
  atomic_add((global uint *)r + 8, 1u);
  if (i < 7) atomic_sub(r + 2, (1 << i) - (i == 0));
}

// Work-items of a group come one after the other here: what the i-th finds follows from those before it.
int value(int i) { return (i * 37 + 11) % 64 - 20; }
kernel void found(global int *bad, global int *r) {
  int i = get_global_id(0);
  bool odd = i & 1;
  int a = atomic_add(r, value(i)), s = atomic_sub(r + 1, value(i)), x = atomic_xor(r + 2, value(i));
  int lo = atomic_min(r + 3, value(i)), hi = atomic_max(r + 4, value(i)), o = atomic_or(r + 5, 1 << (i & 31));
  int n = atomic_and(r + 6, ~(1 << (i & 31))), c = 0;
  uint u = atomic_max((volatile global uint *)r + 8, (uint)(i + 7));
  if (odd) c = atomic_inc(r + 7);
  int sum = 0, xored = 0, least = 0, most = 0, bits = 0, odds = 0;
  for (int k = 0; k < i; k++) {
    sum += value(k);
    xored ^= value(k);
    least = min(least, value(k));
    most = max(most, value(k));
    bits |= 1 << (k & 31);
    odds += k & 1;
  }
  bad[i] = (a != sum) + 2 * (s != -sum) + 4 * (x != xored) + 8 * (lo != least) + 16 * (hi != most) + 32 * (o != bits) +
           64 * (n != 0) + (odd ? 128 * (c != odds) : 0) + 256 * (u != (i == 0 ? 0u : i + 6u));
}

// All add or take away the same, some of them or all: each finds a multiple of it, none finds what another does.
kernel void same(uint step, global int *up, global int *down, global int *all, global uint *ends, global ulong *wide) {
  int i = get_global_id(0);
  if (i % 7 != 2 && i % 5 != 1) {
    uint a = atomic_add(ends, step);
    uint b = 0 - atomic_sub(ends + 1, 1);
    atomic_add(&up[a / step], a % step == 0);
    atomic_inc(&down[b]);
  }
  ulong c = atom_add(wide, 5ul);
  atomic_add(&all[c / 5], c % 5 == 0);
}

kernel void wide(global int *bad, global long *r) {
  long i = get_global_id(0);
  long old = atom_add(r, i << 32);
  bad[i] = (old & 0xFFFFFFFF) != 0;
}

kernel void append(global int *n, global int *slots, int limit) {
  for (int k = get_global_id(0); k < limit; k += get_global_size(0)) atomic_inc(&slots[atomic_inc(n)]);
}

kernel void append_in_loop(global int *n, global int *slots, int limit) {
  for (int k = get_global_id(0); k < limit; k += get_global_size(0))
    if (k % 3 == 0) atomic_inc(&slots[atomic_add(n, 1)]);
}

kernel void histogram(global int *bins) {
  local int mine[16];
  int l = get_local_id(0);
  if (l < 16) mine[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_inc(&mine[(get_global_id(0) * 7) % 16]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l < 16) atomic_add(&bins[l], mine[l]);
}

kernel void local_results(global int *bad) {
  local int n, last, won;
  local float f;
  int l = get_local_id(0);
  if (l == 0) n = won = 0, last = -1, f = 2.5f;
  barrier(CLK_LOCAL_MEM_FENCE);
  int mine = atomic_inc(&n), before = atomic_xchg(&last, l);
  bool first = atomic_cmpxchg(&won, 0, l + 1) == 0;
  float old = atomic_xchg(&f, 2.5f);
  barrier(CLK_LOCAL_MEM_FENCE);
  bad[get_global_id(0)] = (mine < 0 || mine > 31) + 2 * (n != 32) + 4 * (before == l) + 8 * (first != (won == l + 1)) +
                          16 * (old != 2.5f);
}

// What a loop finds is counted in it; its end lies in global memory, as does the table that it searches.
kernel void search(global const uint *keys, global const uint *count, global uint *found, global uint *n) {
  volatile const uint one = 1;
  uint g = get_global_id(0);
  for (uint i = 0; i < *count; i++)
    for (uint k = 0; k < 8 && keys[k] <= i; k++)
      if (keys[k] == i && i % 64 == g) {
        uint at = atomic_add(n, one);
        atomic_add(&found[at], one);
      }
}

// One after the other through two counters: whoever waits may wait for another lane.
kernel void tickets(global int *r, global int *done) {
  int mine = atomic_inc(r);
  if (mine >= 0) atomic_inc(&done[mine]);
}

kernel void locks(global int *r) {
  bool waiting = true;
  while (waiting) {
    if (atomic_cmpxchg(r, 0, 1) == 0) {
      r[1]++;
      atomic_xchg(r, 0);
      waiting = false;
    }
  }
}

kernel void nobody(global int *fine, global int *r) {
  int i = get_global_id(0);
  global int *none = i < 0 ? r : 0;
  if (fine[i] == 2) atomic_add(none, 1);
}

#if __OPENCL_C_VERSION__ >= 300
kernel void ordered(global int *seen, global atomic_int *r) {
  int i = get_global_id(0);
  int mine = atomic_fetch_add(r, 1);
  atomic_fetch_add_explicit(r + 1, i, memory_order_acq_rel, memory_scope_device);
  atomic_fetch_sub_explicit(r + 2, 1, memory_order_relaxed, memory_scope_all_svm_devices);
  local atomic_int n;
  if (get_local_id(0) == 0) atomic_init(&n, 0);
  barrier(CLK_LOCAL_MEM_FENCE);
  int rank = atomic_fetch_add_explicit(&n, 1, memory_order_seq_cst, memory_scope_work_group);
  barrier(CLK_LOCAL_MEM_FENCE);
  seen[mine] = rank >= 0 && rank < 32 && atomic_load(&n) == 32;
}
#endif
/* one work-item of a group: what it finds is what other groups have made */
kernel void for_one(global int *sum, global int *found, int x) {
  local int first;
  int lid = get_local_id(0), old = -1;
  if (lid == 0) first = atomic_add(&sum[0], 7);
  if (x == lid) atomic_add(&sum[1], lid);
  if (lid == 3) atomic_max(&sum[2], lid);
  if (lid * 2 == 8) atomic_inc(&sum[3]);
  if (lid == 0) old = atomic_add(&sum[3], 0);
  barrier(CLK_LOCAL_MEM_FENCE);
  found[get_global_id(0)] = (first >= 0 && first < 4 * 7 && first % 7 == 0) + (lid == 0 && old >= 0);
}
