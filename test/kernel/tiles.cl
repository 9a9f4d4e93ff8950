// Kernels in which nothing ties a group together run in groups of Kiln's choice: any local size gives the same
// result, whatever dimension is contiguous. Global ids put together by hand are known where groups are uniform.

// run: -g 509,67 -k rows 509 '[34103]'
// expect: 1: i
// run: -g 509,67 -k rows -b -cl-std=CL3.0 509 '[34103]'
// expect: 1: i
// run: -g 509,67 -l 1,1 -k rows 509 '[34103]'
// expect: 1: i
// run: -g 509,67 -l 1,67 -k rows 509 '[34103]'
// expect: 1: i
// run: -g 512,64 -l 8,8 -k rows 512 '[32768]'
// expect: 1: i
// run: -g 509,67 -l 30,4 -k rows -b -cl-std=CL3.0 509 '[34103]'
// expect: 1: i
// run: -g 3,1021 -k rows 3 '[3063]'
// expect: 1: i
// run: -g 1021,2 -k rows 1021 '[2042]'
// expect: 1: i
kernel void rows(int width, global int *out) {
  int x = get_global_id(0), y = get_global_id(1);
  out[y * width + x] += y * width + x;
}

// run: -g 67,509 -k columns 509 '[34103]'
// expect: 1: i
// run: -g 67,509 -l 67,1 -k columns 509 '[34103]'
// expect: 1: i
// run: -g 64,512 -l 64,1 -k columns 512 '[32768]'
// expect: 1: i
// run: -g 67,509 -l 64,2 -k columns -b -cl-std=CL3.0 509 '[34103]'
// expect: 1: i
kernel void columns(int height, global int *out) {
  int x = get_global_id(0), y = get_global_id(1);
  out[x * height + y] += x * height + y;
}

// run: -g 131,127 -k turn 131 127 '[16637]=i' '[16637]'
// expect: 3: mod(i,127)*131 + floor(i/127)
// run: -g 131,127 -l 131,1 -k turn 131 127 '[16637]=i' '[16637]'
// expect: 3: mod(i,127)*131 + floor(i/127)
// run: -g 131,127 -l 4,4 -k turn -b -cl-std=CL3.0 131 127 '[16637]=i' '[16637]'
// expect: 3: mod(i,127)*131 + floor(i/127)
kernel void turn(int width, int height, global const int *in, global int *out) {
  int x = get_global_id(0), y = get_global_id(1);
  out[x * height + y] += in[y * width + x];
}

// run: -g 13,11,41 -o 2,3,5 -k last '[5863]'
// expect: 0: i
// run: -g 13,11,41 -o 2,3,5 -l 13,11,1 -k last '[5863]'
// expect: 0: i
// run: -g 13,11,41 -l 4,4,4 -k last -b -cl-std=CL3.0 '[5863]'
// expect: 0: i
kernel void last(global int *out) {
  int x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
  int z = get_global_id(2) - get_global_offset(2);
  int at = (x * 11 + y) * 41 + z;
  out[at] += at;
}

// run: -g 96 -l 8 -o 7 -k by_hand '[96]' '[96]'
// expect: 0: i
// expect: 1: 96
// run: -g 97 -l 8 -o 7 -k by_hand -b -cl-std=CL3.0 '[104]' '[104]'
// expect: 0: i<96 ? i : 0
// expect: 1: i<96 ? 104 : 0
// run: -g 96 -l 8 -k by_hand -b -cl-std=CL3.0 '[96]' '[96]'
// expect: 0: i
// expect: 1: 96
kernel void by_hand(global int *id, global int *size) {
  int group = get_group_id(0), threads = get_local_size(0), thread = get_local_id(0);
  int i = group * threads + thread;
  if (threads == 8) id[i] = get_local_id(0) + get_local_size(0) * get_group_id(0);
  if (threads == 8) size[i] = get_num_groups(0) * get_local_size(0);
}

// Two dimensions mixed up are no global id.
// run: -g 4,8 -l 2,4 -k mixed '[32]'
// expect: 0: mod(i,2) + 2*floor(i/16)
kernel void mixed(global int *out) {
  int i = get_local_id(0) + get_group_id(1) * get_local_size(0);
  int x = get_global_id(0), y = get_global_id(1);
  out[y * 4 + x] = i;
}

// Rows of a vector whose indices go up by equal steps, or only seem to: differences, factors of either sign, sums
// and products that wrap, types that begin again.
// run: -g 8,24 -l 2,8 -k steps 3 -5 4294967291 '[1152]' '[2048]' '[524288]'
// expect: 3: 1
// expect: 4: (floor(i/8) >= 250) + (floor(i/8) < 18)
// expect: 5: (floor(i/8) >= 65528) + (floor(i/8) < 16)
// run: -g 8,24 -l 4,8 -k steps 3 -5 4294967291 '[1152]' '[2048]' '[524288]'
// expect: 3: 1
// expect: 4: (floor(i/8) >= 250) + (floor(i/8) < 18)
// expect: 5: (floor(i/8) >= 65528) + (floor(i/8) < 16)
// run: -g 8,24 -l 4,4 -k steps 3 -5 4294967291 '[1152]' '[2048]' '[524288]'
// expect: 3: 1
// expect: 4: (floor(i/8) >= 250) + (floor(i/8) < 18)
// expect: 5: (floor(i/8) >= 65528) + (floor(i/8) < 16)
// run: -g 8,24 -l 4,6 -k steps 3 -5 4294967291 '[1152]' '[2048]' '[524288]'
// expect: 3: 1
// expect: 4: (floor(i/8) >= 250) + (floor(i/8) < 18)
// expect: 5: (floor(i/8) >= 65528) + (floor(i/8) < 16)
kernel void steps(int three, int minus_five, uint wraps, global int *out, global int *bytes, global int *shorts) {
  barrier(CLK_LOCAL_MEM_FENCE); /* ties the group together */
  int x = get_global_id(0), y = get_global_id(1);
  uint uy = y;
  uchar byte = 250 + y;
  short number = 32760 + y;
  out[(y * 8 + x) * 6]++;
  (out + 1)[((23 - y) * 8 + 7 - x) * 6]++;
  (out + 2)[(ulong)((y << 3) + x) * 6]++;
  (out + 3)[(y * minus_five + (y << 1) + y * three) * 8 + y * 48 + x * 6]++;
  (out + 4)[((ulong)(uy * wraps) + 5 * y & 0xffffffff) + (y * 8 + x) * 6]++;
  (out + 5)[uy * wraps + uy * 53 + x * 6]++;
  bytes[byte * 8 + x]++;
  shorts[(number + 32768) * 8 + x]++;
}
