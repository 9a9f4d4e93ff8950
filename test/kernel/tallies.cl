// Atomics whose results nobody uses: large launches gather them by thread. Few and many addresses (more than a thread
// keeps; so many that others do not enter, or that it looks no more), all operations, both widths, under masks, around
// barriers, beside other accesses.
// run: -g 30000 -k counts '[30000]=i*7919%3000' '[3000]=i'
// expect: 1: 10+i
// run: -g 30000 -l 100 -k counts '[30000]=i*7919%3000' '[3000]=i'
// expect: 1: 10+i
// run: -g 3000 -k counts '[3000]=i*7919%3000' '[3000]=i'
// expect: 1: 1+i
// run: -g 90000 -k counts '[90000]=i*7919%30000' '[30000]=i'
// expect: 1: 3+i
// run: -g 90000 -l 100 -k counts '[90000]=i*7919%5000' '[5000]=i'
// expect: 1: 18+i
// run: -g 60000 -l 100 -k counts '[60000]=i%3 ? i : 7' '[60000]=i'
// expect: 1: i+(i%3!=0)+(i==7 ? 20000 : 0)
// run: -g 65536 -l 64 -k twice '[65536]=i' '(ulong)[65536]=i' '(int)[65536]=i'
// expect: 1: 3+i
// expect: 2: i-2
// run: -g 30001 -k extremes '[50]=-5' '[50]=5' '[50]=0'
// expect: 0: i==0 ? 30000 : 29950+i
// expect: 1: i==0 ? -30000 : -29950-i
// expect: 2: i==0 ? 30000 : 29950+i
// run: -g 34816 -k bits '[64]=0' '[64]=4294967295' '[64]=i'
// expect: 0: 4294967295
// expect: 1: 0
// expect: 2: 4294967295-i
// run: -g 20000 -k wide '[7]=4294967295' '[7]=0'
// expect: 0: 4294967295-(i<1 ? 2858 : 2857)
// expect: 1: (i<1 ? 2858 : 2857)*(4294967296)
// run: -g 20000 -k masked '[100]=1'
// expect: 0: 1+(i%3==0 ? 200*i : 0)
// run: -g 20480 -l 256 -k grouped '[20480]=i%16' '[16]=0' 'local[16]'
// expect: 1: 1280
// run: -g 20000 -k several '[20]=0'
// expect: 0: 20000
// run: -g 20000 -k looked_at '[20]=7' '[20000]'
// expect: 0: 1007
// expect: 1: r1[i]>=7 ? r1[i] : 0
// run: -g 30000 -k ordered '[30000]=i*7919%3000' '[3000]=i' '[10]=0' -b -cl-std=CL3.0
// expect: 1: 10+i
// expect: 2: 3000
// run: -g 20480 -l 64 -k chained '[64]=0' '[20480]' '[2]=0' -b -cl-std=CL3.0
// expect: 0: 320
// expect: 1: 0
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

kernel void counts(global const int *in, global int *bins) { atomic_inc(&bins[in[get_global_id(0)]]); }

kernel void extremes(global int *most, global int *least, global uint *most_unsigned) {
  int i = get_global_id(0);
  atomic_max(&most[i % 50], i);
  atomic_min(&least[i % 50], -i);
  atomic_max(&most_unsigned[i % 50], (uint)i);
}

/* Each bit comes 17 times. */
kernel void bits(global uint *set, global uint *cleared, global uint *changed) {
  uint i = get_global_id(0), at = i % 64, bit = 1u << i / 64 % 32;
  atomic_or(&set[at], bit);
  atomic_and(&cleared[at], ~bit);
  atomic_xor(&changed[at], bit);
}

kernel void wide(global ulong *down, global ulong *up) {
  size_t i = get_global_id(0);
  atom_sub(&down[i % 7], 1ul);
  atom_add(&up[i % 7], 1ul << 32);
}

/* Two tables; one after the other is of no use. */
kernel void twice(global const int *in, global ulong *up, global int *down) {
  int i = get_global_id(0);
  atom_add(&up[in[i]], 1ul);
  for (int k = 0; k < 2; k++) {
    atomic_dec(&down[in[i]]);
    if (k == i % 2) atom_add(&up[in[i] ^ 1], 2ul);
  }
}

kernel void masked(global int *sums) {
  int i = get_global_id(0);
  if (i % 100 % 3 == 0) atomic_add(&sums[i % 100], i % 100);
}

kernel void grouped(global const int *in, global int *bins, local int *own) {
  size_t l = get_local_id(0);
  if (l < 16) own[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_inc(&own[in[get_global_id(0)]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l < 16) atomic_add(&bins[l], own[l]);
}

/* Two operations on one place keep their order. */
kernel void several(global int *out) {
  int i = get_global_id(0);
  atomic_add(&out[i % 20], 1);
  atomic_max(&out[i % 20], 20000);
  atomic_min(&out[i % 20], 20000);
}

kernel void looked_at(global int *counts, global int *found) {
  int i = get_global_id(0);
  atomic_inc(&counts[i % 20]);
  found[i] = counts[i % 20];
}

#if __OPENCL_C_VERSION__ >= 300
/* Sequentially consistent ones, through pointers of any memory; nothing else could tell in which order. */
kernel void ordered(global const int *in, global int *bins, global uint *more) {
  atomic_fetch_add((volatile atomic_int *)&bins[in[get_global_id(0)]], 1);
  atomic_fetch_add_explicit((global atomic_uint *)&more[get_global_id(0) % 10], 1u, memory_order_acq_rel,
                            memory_scope_device);
}

/* Whoever draws the last number of a round has to find what the others of the round added before they drew. */
kernel void chained(global int *sums, global int *bad, global uint *round) {
  size_t i = get_global_id(0);
  atomic_fetch_add((global atomic_int *)&sums[i % 64], 1);
  uint drawn = atomic_fetch_add((global atomic_uint *)round, 1u);
  if (drawn == get_global_size(0) - 1)
    for (int k = 0; k < 64; k++) bad[i] |= atomic_load((global atomic_int *)&sums[k]) != (int)get_global_size(0) / 64;
}
#endif
