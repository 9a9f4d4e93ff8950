// Sub-group functions against loops over the sub-group, whatever its size; every work-item checks its own results.
// run: -k turns_with_barriers -g 48 -l 48 '[48]' '[64]' 3 -b '-cl-std=CL3.0'
// expect: 0: 123
// run: -k turns_with_barriers -g 21,10 -l 7,10 '[210]' '[64]=i' 4 -b '-cl-std=CL3.0'
// expect: 0: 1234
// run: -k shared_bounds -g 96 -l 48 '[96]' '[64]=i' 7 -b '-cl-std=CL3.0'
// expect: 0: 4095
// run: -b -cl-std=CL3.0 -g 96 -l 48 -k lanes '[96]=i*29%83-20' '[96]' 'local[48]' --name 'ids and sums'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 30,4 -l 12,2 -k lanes '[120]=i*29%83-20' '[120]' 'local[24]' --name 'two dimensions, unequal groups'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 40 -l 1 -k lanes '[40]=i*29%83-20' '[40]' 'local[1]' --name 'ids and sums, groups of 1'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 33 -l 5 -k lanes '[33]=i*29%83-20' '[33]' 'local[5]' --name 'ids and sums, groups of 5'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 70 -l 17 -k lanes '[70]=i*29%83-20' '[70]' 'local[17]' --name 'ids and sums, groups of 17'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 66 -l 33 -k lanes '[66]=i*29%83-20' '[66]' 'local[33]' --name 'ids and sums, groups of 33'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 15,21 -l 5,7 -k lanes '[315]=i*29%83-20' '[315]' 'local[35]' --name 'ids and sums, groups of 5 x 7'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 16,8 -l 8,4 -k lanes '[128]=i*29%83-20' '[128]' 'local[32]' --name 'ids and sums, groups of 8 x 4'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 12,12 -l 4,4 -k lanes '[144]=i*29%83-20' '[144]' 'local[16]' --name 'ids and sums, groups of 4 x 4'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 9,9 -l 4,4 -k lanes '[81]=i*29%83-20' '[81]' 'local[16]' --name 'ids and sums, groups of 4 x 4, some smaller'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 32,6 -l 16,3 -k lanes '[192]=i*29%83-20' '[192]' 'local[48]' --name 'ids and sums, groups of 16 x 3'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 40,6 -l 16,3 -k lanes '[240]=i*29%83-20' '[240]' 'local[48]' --name 'ids and sums, groups of 16 x 3, some smaller'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 1,60 -l 1,30 -k lanes '[60]=i*29%83-20' '[60]' 'local[30]' --name 'ids and sums, groups of 1 x 30'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 4,6,5 -l 2,3,5 -k lanes '[120]=i*29%83-20' '[120]' 'local[30]' --name 'ids and sums, groups of 2 x 3 x 5'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 5,6,7 -l 4,4,2 -k lanes '[210]=i*29%83-20' '[210]' 'local[32]' --name 'ids and sums, groups of 4 x 4 x 2, some smaller'
// expect: 1: 0
kernel void lanes(global const int *in, global int *wrong, local int *part) {
  size_t i = get_global_linear_id(), l = get_local_linear_id(), items = 1;
  for (int d = 0; d < 3; d++) items *= get_local_size(d);
  uint size = get_sub_group_size(), most = get_max_sub_group_size(), lane = get_sub_group_local_id();
  int x = in[i], bad = 0;
  part[l] = x;
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  if (get_sub_group_id() * most + lane != l || lane >= size || size > most) bad |= 1;
  if (((get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0)) != l) bad |= 128;
  for (int d = 0; d < 3; d++)
    if (get_global_id(d) != get_group_id(d) * get_enqueued_local_size(d) + get_local_id(d) + get_global_offset(d)) bad |= 256;
  if (get_num_sub_groups() != (items + most - 1) / most || get_enqueued_num_sub_groups() < get_num_sub_groups()) bad |= 2;
  int sum = 0, through = 0, low = INT_MAX, high_before = INT_MIN, any = 0, all = 1;
  for (uint k = 0; k < size; k++) {
    int y = part[l - lane + k];
    sum += y;
    if (k <= lane) through += y;
    if (k < lane) high_before = max(high_before, y);
    low = min(low, y);
    any |= y > 50;
    all &= y > -15;
  }
  if (sub_group_reduce_add(x) != sum || sub_group_reduce_min(x) != low) bad |= 4;
  if (sub_group_scan_inclusive_add(x) != through || sub_group_scan_exclusive_max(x) != high_before) bad |= 8;
  if ((sub_group_any(x > 50) != 0) != any || (sub_group_all(x > -15) != 0) != all) bad |= 16;
  if (sub_group_broadcast(x, size - 1) != part[l - lane + size - 1]) bad |= 32;
  if (sub_group_scan_exclusive_add((ulong)2) != 2 * lane || sub_group_reduce_max((float)lane) != size - 1) bad |= 64;
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);
  wrong[i] = bad;
}

// The extensions, for any size up to 32.
// run: -b -cl-std=CL3.0 -g 64 -l 32 -k extensions '[64]=i*7%13' '[64]' 'local[32]' --name extensions
// expect: 1: 0
kernel void extensions(global const int *in, global int *wrong, local int *part) {
  size_t i = get_global_id(0), l = get_local_id(0);
  uint size = get_sub_group_size(), lane = get_sub_group_local_id();
  local int *group = part + (l - lane);
  int x = in[i], bad = 0, odd = x & 1, product = 1, product_before = 1, differs = 0;
  part[l] = x;
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  uint mask = 0;
  for (uint k = 0; k < size; k++) {
    if (group[k] & 1) mask |= 1u << k;
    product *= group[k] | 1;
    if (k < lane) product_before *= group[k] | 1;
    differs |= group[k] != x;
  }
  uint4 ballot = sub_group_ballot(odd);
  uint to_lane = (2u << lane) - 1;
  if (ballot.x != mask || any(ballot.yzw != 0)) bad |= 1;
  if (sub_group_inverse_ballot(ballot) != odd || sub_group_ballot_bit_extract(ballot, lane) != odd) bad |= 2;
  if (sub_group_ballot_bit_count(ballot) != popcount(mask)) bad |= 4;
  if (sub_group_ballot_inclusive_scan(ballot) != popcount(mask & to_lane)) bad |= 8;
  if (sub_group_ballot_exclusive_scan(ballot) != popcount(mask & to_lane >> 1)) bad |= 16;
  if (mask && (sub_group_ballot_find_lsb(ballot) != ctz(mask) || sub_group_ballot_find_msb(ballot) != 31 - clz(mask)))
    bad |= 32;
  if (get_sub_group_eq_mask().x != 1u << lane || get_sub_group_lt_mask().x != (1u << lane) - 1 ||
      get_sub_group_le_mask().x != to_lane || ((get_sub_group_ge_mask().x ^ get_sub_group_gt_mask().x) != 1u << lane))
    bad |= 64;
  if (sub_group_shuffle(x, lane ^ (size > 1)) != group[lane ^ (size > 1)] || sub_group_shuffle_xor(x, 0) != x) bad |= 128;
  if (sub_group_shuffle_up(x, 0) != x || sub_group_shuffle_down(x, 0) != x) bad |= 256;
  if ((size == get_max_sub_group_size() && sub_group_rotate(x, 1) != group[(lane + 1) % size]) || sub_group_clustered_rotate(x, 3, 1) != x) bad |= 512;
  if (sub_group_clustered_reduce_add(x, 1) != x || sub_group_clustered_reduce_logical_and(x, 1) != (x != 0)) bad |= 1024;
  if (sub_group_non_uniform_reduce_mul(x | 1) != product) bad |= 2048;
  if (sub_group_non_uniform_scan_exclusive_mul(x | 1) != product_before) bad |= 4096;
  if (sub_group_non_uniform_reduce_logical_or(odd) != (mask != 0)) bad |= 8192;
  if ((sub_group_non_uniform_all_equal(x) != 0) == differs || (sub_group_elect() != 0) == (lane != 0)) bad |= 16384;
  float4 v = (float4)(x, lane, 0, 1);
  if (any(sub_group_broadcast(v, 0) != (float4)(group[0], 0, 0, 1)) || sub_group_broadcast_first((char)x) != group[0])
    bad |= 1 << 15;
  if (size == 1 || lane % 2) /* some lanes only */
    if (sub_group_non_uniform_broadcast((short)lane, size > 1) != (size > 1) || !sub_group_non_uniform_any(1)) bad |= 1 << 16;
  if (sub_group_scan_inclusive_max((uchar)lane) != lane || sub_group_reduce_add((short)1) != size) bad |= 1 << 17;
  wrong[i] = bad;
}

// Products and logic over the work-group.
// run: -b -cl-std=CL3.0 -g 24 -l 8 -k uniform_arithmetic '[24]=i*5%7' '[24]' --name 'work-group uniform arithmetic'
// expect: 1: 0
kernel void uniform_arithmetic(global const int *in, global int *wrong) {
  size_t i = get_global_id(0), first = i - get_local_id(0);
  int x = in[i], bits = 0, ones = -1, flip = 0, both = 1, before = 0;
  float product = 1, so_far = 1;
  for (size_t k = first; k < first + get_local_size(0); k++) {
    bits |= in[k];
    ones &= in[k] | 4;
    flip ^= in[k];
    product *= in[k] + 1;
    both &= in[k] != 0;
    if (k <= i) so_far *= in[k] + 1;
    if (k < i) before ^= in[k] != 0;
  }
  int bad = 0;
  if (work_group_reduce_or(x) != bits || work_group_reduce_and(x | 4) != ones || work_group_reduce_xor((ulong)x) != flip)
    bad |= 1;
  if (work_group_reduce_mul(x + 1.0f) != product || work_group_scan_inclusive_mul(x + 1.0) != so_far) bad |= 2;
  if (work_group_reduce_logical_and(x) != both || work_group_scan_exclusive_logical_xor(x) != before) bad |= 4;
  wrong[i] = bad;
}

// Every type: reductions, scans and broadcasts.
// run: -b -cl-std=CL3.0 -g 3 -l 1 -k types '[3]=i*37%101-50' '[3]' 'local[1]' --name 'types, groups of 1'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 9 -l 3 -k types '[9]=i*37%101-50' '[9]' 'local[3]' --name 'types, groups of 3'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 48 -l 16 -k types '[48]=i*37%101-50' '[48]' 'local[16]' --name 'types, groups of 16'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 51 -l 17 -k types '[51]=i*37%101-50' '[51]' 'local[17]' --name 'types, groups of 17'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 99 -l 33 -k types '[99]=i*37%101-50' '[99]' 'local[33]' --name 'types, groups of 33'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 15,14 -l 5,7 -k types '[210]=i*37%101-50' '[210]' 'local[35]' --name 'types, groups of 5,7'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 16,4 -l 8,4 -k types '[64]=i*37%101-50' '[64]' 'local[32]' --name 'types, groups of 8,4'
// expect: 1: 0
#define REDUCTIONS(T, bit)                                                                                          \
  {                                                                                                                 \
    T sum = 0, to = 0, before = 0, least = group[0], most_to = group[0];                                            \
    for (uint k = 0; k < size; k++) {                                                                               \
      T y = group[k];                                                                                               \
      sum += y;                                                                                                     \
      least = y < least ? y : least;                                                                                \
      if (k < lane) before += y;                                                                                    \
      if (k > lane) continue;                                                                                       \
      to += y;                                                                                                      \
      most_to = y > most_to ? y : most_to;                                                                          \
    }                                                                                                               \
    if (sub_group_reduce_add((T)x) != sum || sub_group_reduce_min((T)x) != least) bad |= bit;                       \
    if (sub_group_scan_inclusive_add((T)x) != to || sub_group_scan_exclusive_add((T)x) != before) bad |= bit;       \
    if (sub_group_scan_inclusive_max((T)x) != most_to) bad |= bit;                                                  \
    if (sub_group_broadcast((T)x, size / 2) != (T)group[size / 2]) bad |= bit;                                      \
    if (sub_group_non_uniform_broadcast((T)x, 0) != (T)group[0] || sub_group_broadcast_first((T)x) != (T)group[0]) bad |= bit; \
    if ((sub_group_non_uniform_all_equal((T)x) != 0) != (size == 1) || !sub_group_non_uniform_all_equal((T)3)) bad |= bit; \
  }
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void types(global const int *in, global int *wrong, local int *part) {
  size_t i = get_global_linear_id(), l = get_local_linear_id();
  uint size = get_sub_group_size(), lane = get_sub_group_local_id();
  local int *group = part + (l - lane);
  int x = in[i], bad = 0;
  part[l] = x;
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  REDUCTIONS(char, 1) REDUCTIONS(uchar, 2) REDUCTIONS(short, 4) REDUCTIONS(ushort, 8) REDUCTIONS(int, 16)
  REDUCTIONS(uint, 32) REDUCTIONS(long, 64) REDUCTIONS(ulong, 128) REDUCTIONS(float, 256) REDUCTIONS(half, 512)
  double8 wide = sub_group_broadcast((double8)(x, x + 1, x + 2, x + 3, x + 4, x + 5, x + 6, x + 7), size - 1);
  if (wide.s0 != group[size - 1] || wide.s7 != group[size - 1] + 7) bad |= 1024;
  uchar3 narrow = sub_group_non_uniform_broadcast((uchar3)(lane, 7, x), 0);
  if (narrow.x != 0 || narrow.y != 7 || narrow.z != (uchar)group[0]) bad |= 2048;
  wrong[i] = bad;
}
// Mostly doubles, so sub-groups may be of another size.
// run: -b -cl-std=CL3.0 -g 9 -l 3 -k doubles '[9]=i*37%101-50' '[9]' 'local[3]' --name 'doubles, groups of 3'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 99 -l 33 -k doubles '[99]=i*37%101-50' '[99]' 'local[33]' --name 'doubles, groups of 33'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 15,14 -l 5,7 -k doubles '[210]=i*37%101-50' '[210]' 'local[35]' --name 'doubles, groups of 5,7'
// expect: 1: 0
kernel void doubles(global const int *in, global int *wrong, local int *part) {
  size_t i = get_global_linear_id(), l = get_local_linear_id();
  uint size = get_sub_group_size(), lane = get_sub_group_local_id();
  local int *group = part + (l - lane);
  int x = in[i], bad = 0;
  part[l] = x;
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  REDUCTIONS(double, 1)
  wrong[i] = bad;
}

// Every type: values that move from work-item to work-item.
// run: -b -cl-std=CL3.0 -g 3 -l 1 -k exchange '[3]=i*37%101-50' '[3]' 'local[1]' --name 'exchange, groups of 1'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 9 -l 3 -k exchange '[9]=i*37%101-50' '[9]' 'local[3]' --name 'exchange, groups of 3'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 48 -l 16 -k exchange '[48]=i*37%101-50' '[48]' 'local[16]' --name 'exchange, groups of 16'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 51 -l 17 -k exchange '[51]=i*37%101-50' '[51]' 'local[17]' --name 'exchange, groups of 17'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 99 -l 33 -k exchange '[99]=i*37%101-50' '[99]' 'local[33]' --name 'exchange, groups of 33'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 15,14 -l 5,7 -k exchange '[210]=i*37%101-50' '[210]' 'local[35]' --name 'exchange, groups of 5,7'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 16,4 -l 8,4 -k exchange '[64]=i*37%101-50' '[64]' 'local[32]' --name 'exchange, groups of 8,4'
// expect: 1: 0
#define MOVES(T, bit)                                                                                              \
  {                                                                                                                 \
    T v = (T)x;                                                                                                     \
    if (sub_group_shuffle(v, other) != (T)group[other]) bad |= bit;                                                 \
    T crossed = sub_group_shuffle_xor(v, 1), up = sub_group_shuffle_up(v, 1), down = sub_group_shuffle_down(v, shift); \
    T turned = sub_group_rotate(v, 3), wound = sub_group_clustered_rotate(v, 1, 2);                                 \
    T pairs = sub_group_clustered_reduce_max(v, 2), all = sub_group_clustered_reduce_add(v, 4);                     \
    if ((lane ^ 1) < size && crossed != (T)group[lane ^ 1]) bad |= bit;                                             \
    if (lane > 0 && up != (T)group[lane - 1]) bad |= bit;                                                           \
    if (lane + shift < size && down != (T)group[lane + shift]) bad |= bit;                                          \
    if (size == most && turned != (T)group[(lane + 3) % size]) bad |= bit;                                          \
    if (most < 4) continue;                                                                                         \
    if ((lane | 1) < size && wound != (T)group[lane ^ 1]) bad |= bit;                                               \
    T top = (T)group[lane & ~1], sum = 0;                                                                           \
    if ((lane | 1) < size) top = (T)group[lane | 1] > top ? (T)group[lane | 1] : top;                               \
    for (uint k = lane & ~3; k < (lane & ~3) + 4 && k < size; k++) sum += (T)group[k];                              \
    if (pairs != top || all != sum) bad |= bit;                                                                     \
  }
kernel void exchange(global const int *in, global int *wrong, local int *part) {
  size_t i = get_global_linear_id(), l = get_local_linear_id();
  uint size = get_sub_group_size(), lane = get_sub_group_local_id(), most = get_max_sub_group_size();
  local int *group = part + (l - lane);
  int x = in[i], bad = 0;
  part[l] = x;
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  uint other = (lane * 5 + 3) % size, shift = (uint)in[0] % 3;
  for (int once = 0; once < 1; once++) MOVES(char, 1)
  for (int once = 0; once < 1; once++) MOVES(ushort, 2)
  for (int once = 0; once < 1; once++) MOVES(int, 4)
  for (int once = 0; once < 1; once++) MOVES(ulong, 8)
  for (int once = 0; once < 1; once++) MOVES(float, 16)
  for (int once = 0; once < 1; once++) MOVES(half, 32)
  for (int once = 0; once < 1; once++) MOVES(double, 64)
  wrong[i] = bad;
}

// Where some work-items of a sub-group are elsewhere, only the others count.
// run: -b -cl-std=CL3.0 -g 3 -l 1 -k divergent '[3]=i*37%101-50' '[3]' 'local[1]' --name 'divergent, groups of 1'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 9 -l 3 -k divergent '[9]=i*37%101-50' '[9]' 'local[3]' --name 'divergent, groups of 3'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 48 -l 16 -k divergent '[48]=i*37%101-50' '[48]' 'local[16]' --name 'divergent, groups of 16'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 51 -l 17 -k divergent '[51]=i*37%101-50' '[51]' 'local[17]' --name 'divergent, groups of 17'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 99 -l 33 -k divergent '[99]=i*37%101-50' '[99]' 'local[33]' --name 'divergent, groups of 33'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 15,14 -l 5,7 -k divergent '[210]=i*37%101-50' '[210]' 'local[35]' --name 'divergent, groups of 5,7'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 16,4 -l 8,4 -k divergent '[64]=i*37%101-50' '[64]' 'local[32]' --name 'divergent, groups of 8,4'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -k some_turns -g 96 -l 32 '[8]=i%3' '[96]' 6
// expect: 1: sum(k,0,6,k%3==1 ? 0 : 8*(31-i%32+i%8)-28+k)
kernel void divergent(global const int *in, global int *wrong, local int *part) {
  size_t i = get_global_linear_id(), l = get_local_linear_id();
  uint size = get_sub_group_size(), lane = get_sub_group_local_id();
  local int *group = part + (l - lane);
  int x = in[i], bad = 0, turns = 0, expected = 0;
  part[l] = x;
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  int side = x & 1, sum = 0, before = 0, first = size, ones = 0, same = 1, positive = 0;
  for (uint k = 0; k < size; k++) {
    if ((group[k] & 1) != side) continue;
    if (first == size) first = k;
    sum += group[k];
    if (k < lane) before += group[k];
    if (group[k] > 0) ones |= 1 << k;
    same &= group[k] == x;
    positive |= group[k] > 0;
  }
  if (side) {
    if (sub_group_non_uniform_reduce_add(x) != sum || sub_group_non_uniform_scan_exclusive_add(x) != before) bad |= 1;
    if (sub_group_broadcast_first(x) != group[first] || (sub_group_elect() != 0) != (lane == first)) bad |= 2;
    if (sub_group_ballot(x > 0).x != ones || (sub_group_non_uniform_any(x > 0) != 0) != positive) bad |= 4;
    if (sub_group_non_uniform_scan_inclusive_add(x) != before + x) bad |= 8;
  } else {
    if (sub_group_non_uniform_reduce_add((long)x) != sum || sub_group_non_uniform_reduce_xor(x ^ x) != 0) bad |= 16;
    if ((sub_group_non_uniform_all_equal(x) != 0) != same || sub_group_ballot(1).x >> lane == 0) bad |= 32;
    if ((sub_group_non_uniform_all(x > 0) != 0) != (ones == sub_group_ballot(1).x)) bad |= 64;
    if (sub_group_non_uniform_reduce_min((float)x) > x || sub_group_non_uniform_reduce_logical_and(1) != 1) bad |= 128;
  }
  for (int k = 0; k < x % 5; k++) turns += sub_group_non_uniform_reduce_add(1); /* left at different turns */
  for (uint k = 0; k < size; k++) expected += max(min(group[k] % 5, x % 5), 0);
  if (turns != expected) bad |= 256;
  wrong[i] = bad;
}

// Local memory within a sub-group, private arrays, a sum in two steps.
// run: -b -cl-std=CL3.0 -g 3 -l 1 -k together '[3]=i*37%101-50' '[3]' 'local[1]' --name 'together, groups of 1'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 9 -l 3 -k together '[9]=i*37%101-50' '[9]' 'local[3]' --name 'together, groups of 3'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 48 -l 16 -k together '[48]=i*37%101-50' '[48]' 'local[16]' --name 'together, groups of 16'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 51 -l 17 -k together '[51]=i*37%101-50' '[51]' 'local[17]' --name 'together, groups of 17'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 99 -l 33 -k together '[99]=i*37%101-50' '[99]' 'local[33]' --name 'together, groups of 33'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 15,14 -l 5,7 -k together '[210]=i*37%101-50' '[210]' 'local[35]' --name 'together, groups of 5,7'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 16,4 -l 8,4 -k together '[64]=i*37%101-50' '[64]' 'local[32]' --name 'together, groups of 8,4'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 40 -l 32 -k together '[40]=i*37%101-50' '[40]' 'local[32]' --name 'together, whole vectors and smaller groups, 32'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 20,9 -l 8,4 -k together '[180]=i*37%101-50' '[180]' 'local[32]' --name 'together, whole vectors and smaller groups, 8,4'
// expect: 1: 0
kernel void together(global const int *in, global int *wrong, local int *part) {
  size_t i = get_global_linear_id(), l = get_local_linear_id(), items = 1;
  for (int d = 0; d < 3; d++) items *= get_local_size(d);
  local int sums[64], values[64];
  uint size = get_sub_group_size(), lane = get_sub_group_local_id(), id = get_sub_group_id();
  int x = in[i], bad = 0, own[5];
  part[l] = 0;
  values[l] = x;
  for (int k = 0; k < 5; k++) own[k] = x + k;
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);
  part[l - lane + (lane + 1) % size] = x;
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);
  int left = part[l], sum = sub_group_reduce_add(x);
  if (sub_group_elect()) sums[id] = sum;
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  int total = 0, mine = 0;
  for (uint k = 0; k < get_num_sub_groups(); k++) total += sums[k];
  for (size_t k = 0; k < items; k++) mine += values[k];
  if (left != values[l - lane + (lane + size - 1) % size]) bad |= 1;
  if (total != mine || work_group_reduce_add(x) != mine) bad |= 2;
  int y = sub_group_shuffle(own[lane % 5], (lane + 2) % size);
  if (y != values[l - lane + (lane + 2) % size] + (lane + 2) % size % 5) bad |= 4;
  wrong[i] = bad;
}

/* Barriers in some turns of a loop; which, is the same for all, but nobody can know that beforehand. */
kernel __attribute__((intel_reqd_sub_group_size(8))) void some_turns(global const uint *in, global uint *out, uint n) {
  local uint part[32];
  uint l = get_local_id(0), sum = 0, turn = 0;
  for (uint i = 0; i < n; i++) {
    turn = i;
    if (in[get_global_id(0) / 1000 + i] == 1) continue;
    part[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += sub_group_reduce_add(part[31 - l]) + turn;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = sum;
}

// A result of a sub-group that lives across a collective in some turns of a loop: it cannot come apart, and planning ends.
// run: -b -cl-std=CL3.0 -k across_turns -g 64 -l 16 '[64]' '[64]=5' 3
// expect: 0: sum(k,0,3,(10+k)*(i%16+1)+3*(5+k))
kernel void across_turns(global uint *out, global const uint *in, uint n) {
  uint item = get_local_id(0), sum = 0;
  for (uint i = 0; i < n; i++) {
    uint lowest = sub_group_reduce_min(in[item] + i);
    if (in[item / 1000u + 3u] % 3u != 1u) sum += work_group_scan_inclusive_add(in[item] + lowest);
    sum += lowest * 3;
  }
  out[get_global_id(0)] = sum;
}

// A barrier in some turns of a loop, as far as one can see: the counter, which all share, is there for every sub-group
// as it was when the first one came by.
kernel void turns_with_barriers(global uint *out, global const uint *in, uint n) {
  uint item = get_local_linear_id(), seen = 0;
  for (uint turn = 0; turn < n; turn++) {
    if (in[item / 1000] != 1) {
      barrier(CLK_LOCAL_MEM_FENCE);
      seen = seen * 10 + turn + 1;
    }
  }
  if (get_sub_group_id() == 1000) seen++;
  out[get_global_linear_id()] = seen;
}

// A loop that may be left at different turns, as far as one can see, and in it one with a barrier: its bound, which all
// share, is there after the barrier.
kernel void shared_bounds(global uint *out, global const uint *in, uint n) {
  uint item = get_local_linear_id(), seen = 0, turns = in[item / 1000 + 4];
  for (uint i = 0; i < turns % 5; i++) {
    if ((get_local_size(0) + get_num_groups(0)) % 5 == 4) break;
    for (uint j = 0; j < n % 4; j++) {
      barrier(CLK_LOCAL_MEM_FENCE);
      seen = seen * 2 + 1;
    }
  }
  if (get_sub_group_id() == 1000) seen++;
  out[get_global_linear_id()] = seen;
}

// The same, where what is carried around the barrier differs by turn: one for a group, but not for a lane to see.
// run: -k shared_state -g 96 -l 48 '[96]' '[64]=i' 7 -b '-cl-std=CL3.0'
// expect: 0: 4095
kernel void shared_state(global uint *out, global const uint *in, uint n) {
  uint item = get_local_linear_id(), seen = 0, turns = in[item / 1000 + 4];
  for (uint i = 0; i < turns % 5; i++) {
    if ((get_local_size(0) + get_num_groups(0)) % 5 == 4) break;
    if (n % 4 > 0) {
      out[get_global_linear_id()] = i;
      uint j = 0;
      do {
        barrier(CLK_LOCAL_MEM_FENCE);
        seen = seen * 2 + 1;
        j++;
      } while (j < n % 4);
    }
  }
  if (get_sub_group_id() == 1000) seen++;
  out[get_global_linear_id()] = seen;
}

// Two numbers side by side, of which lanes find only one at a known distance: each is stored.
// run: -k two_patterns -g 16,12 -l 16,4 '[384]' '[64]=i' -b '-cl-std=CL3.0'
// expect: 0: i%2==0 ? 5 : 17
kernel void two_patterns(global uint *out, global const uint *in) {
  uint item = get_local_linear_id(), self = get_global_linear_id(), extra = 0;
  if (get_sub_group_id() == 1000) extra = in[item];
  for (int j = 0; j < 5; j++) {
    out[2 * self] = vload4((j * 3 + (item - 33 < 16 ? item - 33 : 11)) & 15, in).s1;
    if (1 < ((global const char *)in)[(item * 4) & 255]) break;
  }
  barrier(CLK_GLOBAL_MEM_FENCE);
  out[2 * self] = 5 + extra;
  out[2 * self + 1] += in[17];
}

// A division that LLVM does behind a loop and a barrier, before which its guard stays: what a sub-group divides by alike.
// run: -b -cl-std=CL3.0 -g 48 -l 16 -k sunk_division '(short)[96]=i*37%101+7' '(short)[96]' 'local[16]'
// expect: 1: floor(a0[i]/a0[floor(i/8)*8+i%2])+120
__attribute__((intel_reqd_sub_group_size(4)))
kernel void sunk_division(global const short *in, global short *out, local int *part) {
  size_t i = get_global_id(0), l = get_local_id(0);
  short2 x = vload2(i, in);
  short2 d = (short2)(sub_group_broadcast((int)x.x, 0u), sub_group_broadcast((int)x.y, 0u)), q = x / d, rest = x % d;
  part[l] = l + (rest.x > 200);
  barrier(CLK_LOCAL_MEM_FENCE);
  int sum = 0;
  for (int k = 0; k < 16; k++) sum += part[(l + k) % 16];
  vstore2(q + (short2)sum, i, out);
}
// run: -b -cl-std=CL3.0 -g 64 -l 64 -k no_turns '(uint)[1024]=i' '(uint)[64]'
// expect: 1: 63+32
/* A sum of an id and a constant that both sides of a collective compute, in turns that not all lanes seem to have: the
 * inner loop is never entered. */
__attribute__((intel_reqd_sub_group_size(32))) kernel void no_turns(global const uint *in, global uint *out) {
  uint item = get_local_linear_id(), turns = get_local_size(0) + get_num_groups(0);
  float x = 0;
  for (uint i = 0;; i++) {
    if (i >= turns % 4) break;
    uint inner = 4 * (uint)(0 != work_group_all(in[(item - 23) & 63] != 32767));
    for (uint k = 0;; k++) {
      if (k >= inner % 4) break;
      x += in[inner + (item - 23 < 128 ? item - 23 : 22)];
      switch (in[4 * item + 17] % 5) {
      case 2:
        for (int m = max((int)item - 3, 2); m < min((int)item + 1, 7); m += 2) { }
      }
    }
  }
  out[get_global_id(0)] = x + work_group_reduce_max(item) + get_sub_group_size();
}
