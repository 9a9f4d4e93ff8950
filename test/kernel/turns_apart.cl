// Sums of parts of the data, again and again without what lies far above the mean. All work-items of a group leave the
// loop in the same turn, but only the program knows that: barriers stand between turns that lanes could be in at once.
// run: -k clipped -g 320 -l 16 '(int)[2000]=i%200==100?100000:10' '(int)[21]=i*100' '(int)[20]' 5 'local[64]'
// expect: 2: i%2==0?1000:990
// run: -k clipped -g 1280 -l 64 '(int)[2000]=i%200==100?100000:10' '(int)[21]=i*100' '(int)[20]' 5 'local[256]'
// expect: 2: i%2==0?1000:990
// run: -k clipped -g 320 -l 16 '(int)[2000]=i%200==100?100000:10' '(int)[21]=i*100' '(int)[20]' 0 'local[64]'
// expect: 2: i%2==0?1000:100990

int total(global const int *x, int from, int to, volatile local int *sum) {
  int id = get_local_id(0), active = get_local_size(0), s = 0;
  for (int k = from + id; k < to; k += active) s += x[k];
  sum[id] = s;
  barrier(CLK_LOCAL_MEM_FENCE);
  while (active > 1) {
    active /= 2;
    if (id < active) sum[id] += sum[id + active];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  return sum[x[from + id] >> 20]; /* the same for all, but the compiler cannot know */
}

int leave_out(global int *x, int from, int to, int most, volatile local int *count) {
  count[0] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = from; k < to; k += get_local_size(0)) {
    int at = k + get_local_id(0);
    if (at < to && x[at] > most) {
      x[at] = 0;
      atomic_inc(count);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  return count[0];
}

kernel void clipped(global int *x, global const int *start, global int *out, int cycles, local int *sum) {
  volatile local int count[1];
  int from = start[get_group_id(0)], to = start[get_group_id(0) + 1], n = to - from;
  int s = total(x, from, to, sum);
  for (int i = 0; i < cycles; i++) {
    if (s < 0) break;
    int left_out = leave_out(x, from, to, 2 * s / n, count);
    if (left_out == 0) break;
    n -= left_out;
    s = total(x, from, to, sum);
    if (s < 10) {
      s = -1;
      break;
    }
  }
  if (get_local_id(0) == 0) out[get_group_id(0)] = s;
}
