// Atomics of OpenCL C 1.x under both their names: 32 bits as atomic_ (1.1) and atom_ (the 1.0 extensions),
// 64 bits as atom_.

// run: -g 96 -l 8 -k words -b -cl-std=CL1.0 '[12]=i==10 ? 1000 : i==6||i==7 ? -1 : 0'
// expect: 0: i==0 ? 96*97/2 : i==1 ? -96*97/2 : i==2 ? 96 : i==3 ? -96 : i==4 ? 96 : i==5 ? 96*5 : r0[i]
// expect: 0: i==6 ? 0 : i==7 ? -1 : i==8 ? (1<<30)-1 : i==9 ? 0 : i==10 ? 1 : i==11 ? 96 : r0[i]
// run: -g 96 -l 8 -k words -b '-cl-std=CL1.2 -DNAME=atomic_' '[12]=i==10 ? 1000 : i==6||i==7 ? -1 : 0'
// expect: 0: i==0 ? 96*97/2 : i==1 ? -96*97/2 : i==2 ? 96 : i==3 ? -96 : i==4 ? 96 : i==5 ? 96*5 : r0[i]
// expect: 0: i==6 ? 0 : i==7 ? -1 : i==8 ? (1<<30)-1 : i==9 ? 0 : i==10 ? 1 : i==11 ? 96 : r0[i]
#pragma OPENCL EXTENSION cl_khr_global_int32_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_global_int32_extended_atomics : enable
#pragma OPENCL EXTENSION cl_khr_local_int32_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_local_int32_extended_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#ifndef NAME
#define NAME atom_
#endif
#define PASTE(a, b) a##b
#define JOIN(a, b) PASTE(a, b)
#define A(op) JOIN(NAME, op)

#define BODY(T)                                                                                              \
  int i = get_global_id(0);                                                                                  \
  local T l[2];                                                                                              \
  if (get_local_id(0) == 0) l[0] = l[1] = 0;                                                                 \
  barrier(CLK_LOCAL_MEM_FENCE);                                                                              \
  A(add)(r, (T)(i + 1));                                                                                     \
  A(sub)(r + 1, (T)(i + 1));                                                                                 \
  A(inc)(r + 2);                                                                                             \
  A(dec)(r + 3);                                                                                             \
  for (T seen = r[4]; A(cmpxchg)(r + 4, seen, seen + 1) != seen;) seen = A(or)(r + 4, 0);                    \
  A(add)(l, 5);                                                                                              \
  A(inc)(l + 1);                                                                                             \
  A(and)(r + 6, (T)(i == 50 ? 0 : -1));                                                                      \
  A(or)(r + 7, (T)(i == 5 ? -1 : 0));                                                                        \
  A(or)(r + 8, (T)1 << (i % 30));                                                                            \
  A(xor)(r + 9, (T)(i / 2));                                                                                 \
  A(min)(r + 10, (T)(i + 1));                                                                                \
  A(max)(r + 11, (T)(i + 1));                                                                                \
  barrier(CLK_LOCAL_MEM_FENCE);                                                                              \
  if (get_local_id(0) == 0) A(add)(r + 5, A(xchg)(l, 0) - (T)(l[1] == 8 && A(cmpxchg)(l + 1, 8, 3) == 8 && l[1] == 3 ? 0 : 1))

kernel void words(global volatile int *r) { BODY(int); }

// run: -g 96 -l 8 -k longs '[12]=i==10 ? 1000 : i==6||i==7 ? -1 : 0'
// expect: 0: i==0 ? 96*97/2 : i==1 ? -96*97/2 : i==2 ? 96 : i==3 ? -96 : i==4 ? 96 : i==5 ? 96*5 : r0[i]
// expect: 0: i==6 ? 0 : i==7 ? -1 : i==8 ? (1<<30)-1 : i==9 ? 0 : i==10 ? 1 : i==11 ? 96 : r0[i]
// run: -g 96 -l 8 -k longs -b -cl-std=CL3.0 '[12]=i==10 ? 1000 : i==6||i==7 ? -1 : 0'
// expect: 0: i==0 ? 96*97/2 : i==1 ? -96*97/2 : i==2 ? 96 : i==3 ? -96 : i==4 ? 96 : i==5 ? 96*5 : r0[i]
#undef NAME
#define NAME atom_
kernel void longs(global volatile long *r) { BODY(long); }

// run: -g 64 -l 16 -k swap '[1]=-1' '[65]'
// expect: 1: i == 64 ? r1[i] : 1
// Each value put in comes out once: counted here.
kernel void swap(global volatile float *cell, global volatile int *count) {
  int i = get_global_id(0);
  float old = atomic_xchg(cell, (float)i);
  atomic_inc(count + (old < 0 ? 64 : (int)old));
  if (old < 0) atomic_add(count + 64, 100);
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  if (atomic_inc(count + 64) % 100 == 64) atomic_inc(count + (int)atomic_xchg(cell, -1.0f));
}
