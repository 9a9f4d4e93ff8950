// Sub-group functions against loops over the sub-group, whatever its size; every work-item checks its own results.
// run: -b -cl-std=CL3.0 -g 96 -l 48 -k lanes '[96]=i*29%83-20' '[96]' 'local[48]' --name 'ids and sums'
// expect: 1: 0
// run: -b -cl-std=CL3.0 -g 30,4 -l 12,2 -k lanes '[120]=i*29%83-20' '[120]' 'local[24]' --name 'two dimensions, unequal groups'
// expect: 1: 0
kernel void lanes(global const int *in, global int *wrong, local int *part) {
  size_t i = get_global_linear_id(), l = get_local_linear_id(), items = 1;
  for (int d = 0; d < 3; d++) items *= get_local_size(d);
  uint size = get_sub_group_size(), most = get_max_sub_group_size(), lane = get_sub_group_local_id();
  int x = in[i], bad = 0;
  part[l] = x;
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  if (get_sub_group_id() * most + lane != l || lane >= size || size > most) bad |= 1;
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
  if (sub_group_rotate(x, 1) != group[(lane + 1) % size] || sub_group_clustered_rotate(x, 3, 1) != x) bad |= 512;
  if (sub_group_clustered_reduce_add(x, 1) != x || sub_group_clustered_reduce_logical_and(x, 1) != (x != 0)) bad |= 1024;
  if (sub_group_non_uniform_reduce_mul(x | 1) != product) bad |= 2048;
  if (sub_group_non_uniform_scan_exclusive_mul(x | 1) != product_before) bad |= 4096;
  if (sub_group_non_uniform_reduce_logical_or(odd) != (mask != 0)) bad |= 8192;
  if ((sub_group_non_uniform_all_equal(x) != 0) == differs || (sub_group_elect() != 0) == (lane != 0)) bad |= 16384;
  float4 v = (float4)(x, lane, 0, 1);
  if (any(sub_group_broadcast(v, 0) != (float4)(group[0], 0, 0, 1)) || sub_group_broadcast_first((char)x) != group[0])
    bad |= 1 << 15;
  if (size == 1 || lane % 2) /* some lanes only */
    if (sub_group_non_uniform_broadcast((short)lane, lane) != (short)lane || !sub_group_non_uniform_any(1)) bad |= 1 << 16;
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
