// Sums of groups of 256, and exclusive prefix sums of blocks of 512, by what OpenCL has for them: collectives of the
// work-group, and of sub-groups of whatever size.
// run: -b -cl-std=CL3.0 -k group_sum -g 1048576 -l 256 '[1048576]=i%7' '[4096]' --bytes '4*g0' --name work_group_reduce
// expect: 1: sum(k,256*i,256*i+256,a0[k])
// run: -b -cl-std=CL3.0 -k sub_group_sum -g 1048576 -l 256 '[1048576]=i%7' '[4096]' --bytes '4*g0' --name sub_group_reduce
// expect: 1: sum(k,256*i,256*i+256,a0[k])
// run: -b -cl-std=CL3.0 -k group_scan -g 262144 -l 256 '[524288]=i%11' '[524288]' --bytes '8*2*g0' --name work_group_scan
// expect: 1: i%512==0 ? 0 : r1[i-1]+a0[i-1]
// run: -b -cl-std=CL3.0 -k sub_group_scan -g 262144 -l 256 '[524288]=i%11' '[524288]' --bytes '8*2*g0' --name sub_group_scan
// expect: 1: i%512==0 ? 0 : r1[i-1]+a0[i-1]
kernel void group_sum(global const float *in, global float *out) {
  float sum = work_group_reduce_add(in[get_global_id(0)]);
  if (get_local_id(0) == 0) out[get_group_id(0)] = sum;
}
kernel void sub_group_sum(global const float *in, global float *out) {
  local float part[256];
  float sum = sub_group_reduce_add(in[get_global_id(0)]);
  if (get_sub_group_local_id() == 0) part[get_sub_group_id()] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) != 0) return;
  float all = 0;
  for (uint k = 0; k < get_num_sub_groups(); k++) all += part[k];
  out[get_group_id(0)] = all;
}
kernel void group_scan(global const uint *in, global uint *out) {
  uint i = 2 * get_global_id(0), first = in[i], start = work_group_scan_exclusive_add(first + in[i + 1]);
  out[i] = start;
  out[i + 1] = start + first;
}
kernel void sub_group_scan(global const uint *in, global uint *out) {
  local uint sums[256];
  uint i = 2 * get_global_id(0), first = in[i], both = first + in[i + 1];
  uint before = sub_group_scan_exclusive_add(both), id = get_sub_group_id();
  if (get_sub_group_local_id() == get_sub_group_size() - 1) sums[id] = before + both;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint start = before;
  for (uint k = 0; k < id; k++) start += sums[k];
  out[i] = start;
  out[i + 1] = start + first;
}
