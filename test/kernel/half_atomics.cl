// Atomics of half: loads, stores, exchanges, sums, minima and maxima, in global, local and generic memory.
// run: -b '-cl-std=CL3.0' -k one_address -g 64 -l 16 '[6]'
// expect: 0: i==0 ? 64 : i==1 ? -64 : i==2 ? 63 : i==3 ? 0 : 7
// run: -b '-cl-std=CL3.0' -k in_local -g 64 -l 16 '[16]'
// expect: 0: i%4==0 ? 16*1.5 : i%4==1 ? (i-1)/4*16+15 : i%4==2 ? -(i-2)/4*16-15 : 2.25
// run: -b '-cl-std=CL3.0' -k neighbours -g 100 -l 10 '[100]'
// expect: 0: i+0.5
// run: -b '-cl-std=CL3.0' -k rounds -g 40 -l 8 '[2]'
// expect: 0: i==0 ? 2048 : 2048+2*40
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

global half plain[8];
#define AT(k) ((volatile global atomic_half *)&plain[k])

kernel void one_address(global float *r) {
  float i = get_global_id(0);
  atomic_fetch_add(AT(0), 1.0h);
  atomic_fetch_sub(AT(1), 1.0h);
  atomic_fetch_max_explicit(AT(2), (half)i, memory_order_relaxed);
  atomic_fetch_min_explicit(AT(3), (half)i, memory_order_acq_rel, memory_scope_device);
  atomic_store(AT(4), 7.0h);
  atomic_exchange(AT(5), 7.0h);
  // the last to come reads what all have made
  static global atomic_int done;
  if (atomic_fetch_add(&done, 1) == 63)
    for (int k = 0; k < 6; k++) r[k] = atomic_load(AT(k));
}

half added(volatile atomic_half *p, half v) { return atomic_fetch_add_explicit(p, v, memory_order_relaxed); }

kernel void in_local(global float *r) {
  local atomic_half sum, most, least, swapped;
  int i = get_global_id(0), k = get_local_id(0);
  if (k == 0) {
    atomic_store(&sum, 0.0h);
    atomic_store(&most, -60000.0h);
    atomic_store(&least, 60000.0h);
    atomic_store(&swapped, 2.25h);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  added(&sum, 1.5h);
  atomic_fetch_max(&most, (half)i);
  atomic_fetch_min(&least, (half)-i);
  half old = atomic_exchange_explicit(&swapped, 2.25h, memory_order_relaxed);
  barrier(CLK_LOCAL_MEM_FENCE);
  global float *out = r + get_group_id(0) * 4;
  if (k == 0) {
    out[0] = atomic_load(&sum);
    out[1] = atomic_load(&most);
    out[2] = atomic_load_explicit(&least, memory_order_acquire);
    out[3] = old;
  }
}

// A half beside another: neither may disturb the other.
global half beside[100];
kernel void neighbours(global float *r) {
  int i = get_global_id(0);
  volatile global atomic_half *p = (volatile global atomic_half *)&beside[i];
  atomic_store(p, 0.0h);
  for (int k = 0; k < i; k++) atomic_fetch_add(p, 1.0h);
  atomic_fetch_add(p, 0.5h);
  r[i] = atomic_load_explicit(p, memory_order_relaxed);
}

// 2048 + 1 is no half: each sum is rounded to even.
global half rounding[2] = {2048.0h, 2048.0h};
kernel void rounds(global float *r) {
  static global atomic_int done;
  atomic_fetch_add((volatile global atomic_half *)&rounding[0], 1.0h);
  atomic_fetch_add((volatile global atomic_half *)&rounding[1], 2.0h);
  if (atomic_fetch_add(&done, 1) == 39)
    for (int k = 0; k < 2; k++) r[k] = atomic_load((volatile global atomic_half *)&rounding[k]);
}
