// Programs that take global ids apart themselves: the quotient by the local size is the group's id, the remainder the
// local one, but not with an offset, with groups that are not full, by the size of another dimension, or of a byte.
// run: -k by_size -g 1024 -l 64 '[1024]' '[1024]'
// expect: 0: int(i/64)
// expect: 1: i%64
// run: -k by_size -g 1024 -l 64 -o 5 '[1029]' '[1029]'
// expect: 0: i<5 ? 0 : int(i/64)
// expect: 1: i<5 ? 0 : i%64
// run: -k by_size -b -cl-std=CL3.0 -g 1000 -l 64 '[1000]' '[1000]'
// expect: 0: int(i/(i<960 ? 64 : 40))
// expect: 1: i%(i<960 ? 64 : 40)
// run: -k by_size -g 96 -l 1 '[96]' '[96]'
// expect: 0: i
// expect: 1: 0
// run: -k by_full_size -b -cl-std=CL3.0 -g 1000 -l 64 '[1000]' '[1000]'
// expect: 0: int(i/64)
// expect: 1: i%64
// run: -k by_number -g 1024 -l 64 '[1024]' '[1024]'
// expect: 0: int(i/64)+int(i/64)
// expect: 1: i%64*100+i%64
// run: -k by_number -g 1024 -l 32 '[1024]' '[1024]'
// expect: 0: int(i/64)+int(i/64)
// expect: 1: i%64*100+i%64
// run: -k by_number -b -cl-std=CL3.0 -g 1000 -l 64 '[1000]' '[1000]'
// expect: 0: int(i/64)+int(i/64)
// expect: 1: i%64*100+i%64
// run: -k joined -g 768 -l 48 '[768]' '[768]'
// expect: 0: int(i/48)
// expect: 1: i%48
// run: -k joined -g 768 -l 48 -o 7 '[768]' '[768]'
// expect: 0: int(i/48)
// expect: 1: i%48
// run: -k shifted -g 512 -l 32 -o 3 '[512]' '[512]'
// expect: 0: int(i/32)
// expect: 1: i%32
// run: -k shifted -g 512 -l 64 '[512]' '[512]'
// expect: 0: int((int(i/64)*32+i%64)/32)
// expect: 1: (int(i/64)*32+i%64)%32
// run: -k other_size -g 64,64 -l 16,8 '[4096]' '[4096]'
// expect: 0: int(i%64/8)
// expect: 1: i%64%8
// run: -k of_bytes -g 1024 -l 64 '[1024]' '[1024]'
// expect: 0: int(i%256/64)
// expect: 1: i%256%64
// run: -k of_vectors -g 1024 -l 64 '[1024]' '[1024]'
// expect: 0: int(i/64)
// expect: 1: i%64
// run: -k tree -g 4096 -l 64 '[64]' '[65536]=i%7' 1024 local[64]
// expect: 0: sum(k,0,1024,(i*1024+k)%7)
// run: -k tree -b -cl-std=CL3.0 -g 4096 -l 64 '[64]' '[65536]=i%7' 1000 local[64]
// expect: 0: sum(k,0,1000,(i*1000+k)%7)
kernel void of_vectors(global int *group, global int *item) {
  ulong2 i = (ulong2)(get_global_id(0), get_local_size(0));
  int2 part = convert_int2(i) / 64, rest = convert_int2(i) % (int)get_local_size(0);
  group[get_global_id(0)] = part.x;
  item[get_global_id(0)] = rest.x;
}
kernel void by_size(global int *group, global int *item) {
  int i = get_global_id(0), n = get_local_size(0);
  group[i] = i / n;
  item[i] = i % n;
}
#if __OPENCL_C_VERSION__ >= 200
kernel void by_full_size(global uint *group, global uint *item) {
  size_t i = get_global_id(0), n = get_enqueued_local_size(0);
  group[i] = i / n;
  item[i] = i % n;
}
#endif
kernel void by_number(global int *group, global int *item) {
  int i = get_global_id(0), own = get_local_id(0);
  group[i] = i / 64 + (i >> 6) + own - own;
  item[i] = i % 64 * 100 + (i & 63);
}
kernel void joined(global int *group, global int *item) {
  uint n = get_local_size(0), i = get_group_id(0) * n + get_local_id(0);
  group[i] = i / n;
  item[i] = i % n;
}
kernel void shifted(global int *group, global int *item) {
  int i = (get_group_id(0) << 5) + get_local_id(0), to = get_global_id(0) - get_global_offset(0);
  group[to] = i >> 5;
  item[to] = i & 31;
}
kernel void other_size(global int *group, global int *item) {
  int x = get_global_id(0), n = get_local_size(1), to = get_global_id(1) * get_global_size(0) + x;
  group[to] = x / n;
  item[to] = x % n;
}
kernel void of_bytes(global int *group, global int *item) {
  int i = get_global_id(0);
  uchar low = i;
  group[i] = low / get_local_size(0);
  item[i] = low % get_local_size(0);
}
kernel void tree(global float *out, global const float *in, int n, local float *part) {
  const int id = get_global_id(0), size = get_local_size(0), row = id / size, item = id % size;
  float sum = 0;
  for (int k = item; k < n; k += size) sum += in[row * n + k];
  part[item] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int half_size = size / 2; half_size > 0; half_size /= 2) {
    if (item < half_size) part[item] += part[item + half_size];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (item == 0) out[row] = part[0];
}
