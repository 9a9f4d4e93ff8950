// Work-item functions in every dimension, those beyond the launch's and those that are no dimension; barriers and
// fences under all their names.

// run: -g 6,4,2 -l 3,2,1 -o 5,7,9 -k ids '[48]'
// expect: 0: 1
// run: -g 6,4,2 -l 3,2,1 -k ids -b -cl-std=CL3.0 '[48]'
// expect: 0: 1
// run: -g 7,5,3 -l 3,2,2 -o 1,2,3 -k ids -b -cl-std=CL2.0 '[105]'
// expect: 0: 1
// run: -g 7,5,3 -l 3,2,2 -k ids -b -cl-std=CL3.0 '[105]'
// expect: 0: 1
kernel void ids(global int *good) {
  size_t at = 0, items = 1, inner = 0;
  bool ok = get_work_dim() == 3;
  for (uint d = 3; d-- > 0;) {
    size_t id = get_global_id(d) - get_global_offset(d), groups = get_num_groups(d);
    size_t whole = get_group_id(d) + 1 < groups ? get_local_size(d) : 0;
#if __OPENCL_C_VERSION__ >= 200
    size_t group = get_enqueued_local_size(d);
#else
    size_t group = get_local_size(d);
#endif
    ok &= id < get_global_size(d) && id == get_group_id(d) * group + get_local_id(d);
    ok &= get_local_id(d) < get_local_size(d) && (whole == 0 || whole == group);
    ok &= groups == (get_global_size(d) + group - 1) / group;
    at = at * get_global_size(d) + id;
    inner = inner * get_local_size(d) + get_local_id(d);
  }
  for (uint d = 3; d < 70; d += 22) {
    ok &= get_global_id(d) == 0 && get_local_id(d) == 0 && get_group_id(d) == 0 && get_global_offset(d) == 0;
    ok &= get_global_size(d) == 1 && get_local_size(d) == 1 && get_num_groups(d) == 1;
  }
#if __OPENCL_C_VERSION__ >= 200
  ok &= get_global_linear_id() == at && get_local_linear_id() == inner && get_enqueued_local_size(99) == 1;
#endif
  good[at] = ok;
}

// run: -g 64 -l 16 -k turns '[64]=i' '[64]'
// expect: 1: 16*floor(i/16) + mod(i+3,16)
// run: -g 64 -l 16 -k turns -b -cl-std=CL1.0 '[64]=i' '[64]'
// expect: 1: 16*floor(i/16) + mod(i+3,16)
// run: -g 64 -l 16 -k turns -b -cl-std=CL2.0 '[64]=i' '[64]'
// expect: 1: 16*floor(i/16) + mod(i+3,16)
// run: -g 64 -l 16 -k turns -b -cl-std=CL3.0 '[64]=i' '[64]'
// expect: 1: 16*floor(i/16) + mod(i+3,16)
#if __OPENCL_C_VERSION__ >= 200
#define MEET(n)                                                                                              \
  n == 0   ? work_group_barrier(CLK_LOCAL_MEM_FENCE)                                                         \
  : n == 1 ? work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_scope_work_group)         \
           : barrier(CLK_LOCAL_MEM_FENCE)
#else
#define MEET(n) barrier(n == 0 ? CLK_LOCAL_MEM_FENCE : CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#endif
// Values move one place a turn.
kernel void turns(global const int *in, global int *out) {
  local int t[2][16];
  int l = get_local_id(0);
  t[0][l] = in[get_global_id(0)];
  MEET(0);
  t[1][l] = t[0][(l + 1) % 16];
  mem_fence(CLK_LOCAL_MEM_FENCE);
  MEET(1);
  t[0][l] = t[1][(l + 1) % 16];
  write_mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  read_mem_fence(CLK_LOCAL_MEM_FENCE);
  MEET(2);
  out[get_global_id(0)] = t[0][(l + 1) % 16];
}
