// Groups of a few work-items that only want to know where they are: several run as one, as if they had asked for their
// places in the launch. What they see of their groups stays the same, with offsets and in more dimensions.
// run: -b -cl-std=CL3.0 -k places -g 60 -l 4 -o 3 '(int)[60]' '(int)[60]' '(int)[60]' '(int)[60]'
// expect: 0: i%4
// expect: 1: int(i/4)
// expect: 2: 4*100+15
// expect: 3: i%4
// run: -b -cl-std=CL3.0 -k places -g 66 -l 3 '(int)[66]' '(int)[66]' '(int)[66]' '(int)[66]'
// expect: 0: i%3
// expect: 1: int(i/3)
// expect: 2: 3*100+22
// expect: 3: i%3
// run: -b -cl-std=CL3.0 -k planes -g 40,3 -l 8,1 -o 2,5 '(int)[120]'
// expect: 0: i%8+10*int(i%40/8)+100*int(i/40)+10000*5+100000*3
// run: -b -cl-std=CL3.0 -k rows -g 60 -l 2 '(float)[200]=i' 5 '(float)[200]'
// expect: 2: i%5<2&&i<150?2*i+1:0 ~ 0.001
kernel void places(global int *in, global int *number, global int *sizes, global int *linear) {
  const size_t i = get_global_id(0) - get_global_offset(0);
  in[i] = get_local_id(0);
  number[i] = get_group_id(0);
  sizes[i] = get_local_size(0) * 100 + get_num_groups(0);
  linear[i] = get_local_linear_id();
}

kernel void planes(global int *out) {
  const size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
  const int at = get_local_id(0) + 10 * get_group_id(0) + 100 * get_group_id(1) + 1000 * get_local_id(1);
  out[y * get_global_size(0) + x] = at + 10000 * get_num_groups(0) + 100000 * get_num_groups(1);
}

kernel void rows(global const float *a, int stride, global float *out) {
  const int at = get_group_id(0) * stride + get_local_id(0);
  float x = a[at];
  for (int i = 0; i < 40; i++) x = x * 0.5f + a[at];
  out[at] = 0.5f * x + a[at] + 1;
}
