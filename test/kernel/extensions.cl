// What OpenCL C 2.0 and 3.0 have where the device reports it, and pragmas.
// run: -k checks -g 64 -l 16 '[64]=i' '[64]' -b '-cl-std=CL3.0'
// expect: 1: i
// run: -k checks -g 64 -l 16 '[64]=i' '[64]' -b '-cl-std=CL2.0'
// expect: 1: i
// run: -k checks -g 64 -l 16 '[64]=i' '[64]'
// expect: 1: i
// run: -k remainder -g 21 -l 8 '[21]' -b '-cl-std=CL2.0'
// expect: 0: i<16 ? 80808 : 80508
// run: -k remainder -g 24 -l 8 '[24]' -b '-cl-std=CL2.0 -cl-uniform-work-group-size'
// expect: 0: 80808
// run: -k hints -g 100 '[100]=i' '[100]=-1'
// expect: 1: i%4==3 ? 100+i : floor(i/4)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION all : disable
#pragma OPENCL FP_CONTRACT ON
#ifdef __opencl_c_program_scope_global_variables
global int counter = 3;
#endif
#if __OPENCL_C_VERSION__ == 200 || defined(__opencl_c_generic_address_space)
int first(int *p) { return p[0]; } /* any address space */
#endif

kernel void checks(global int *in, global int *out) {
  size_t i = get_global_id(0);
  int v = in[i];
#if __OPENCL_C_VERSION__ == 200 || defined(__opencl_c_generic_address_space)
  local int shared[16];
  shared[get_local_id(0)] = v;
  int *which = i & 1 ? (int *)&shared[get_local_id(0)] : (int *)&in[i];
  v = first(which) + first(&v) - *which;
  if (to_global(&in[i]) != &in[i] || to_local(&in[i]) != 0 || to_local(&shared[1]) != &shared[1]) v = -1;
  if (to_private(&v) != &v || to_global(&v) != 0 || to_private(&shared[0]) != 0) v = -2;
#endif
#if __OPENCL_C_VERSION__ >= 200
  work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (get_global_linear_id() != i || get_local_linear_id() != get_local_id(0)) v = -3;
#endif
  out[i] = v;
}

#if __OPENCL_C_VERSION__ >= 200
kernel void remainder(global int *out) {
  out[get_global_id(0)] = get_local_size(0) * 100 + get_enqueued_local_size(0) * 10000 + 8;
}
#endif

/* What a program says of its values: to be true, and to be likely. */
kernel void hints(global const int *in, global int *out) {
  size_t i = get_global_id(0);
  int v = in[i];
  __builtin_assume(v >= 0);
  if (__builtin_expect((v & 3) == 3, 0)) {
    out[i] = v + 100;
    return;
  }
  out[i] = v / 4;
}
