/* One pass of a least-significant-digit radix sort of (key, value) pairs: a stable sort by the
 * four bits of the key from `shift` up. Eight passes sort 32-bit keys.
 *
 * A block is 512 pairs: a work-group of 128 work-items with four consecutive pairs each, a uint4.
 *
 *   sort_blocks    sorts each block by the digit, in local memory
 *   count_digits   counts each digit in each block
 *   scan_blocks    turns the counts, digit by digit, into the places where the runs go
 *   scan_add       (the second half of that, when there are more counts than a work-group scans)
 *   scatter        moves each pair to its place
 *
 * All local exchange goes through barriers; nothing assumes that work-items run in step. */
#define ITEMS 128
#define BLOCK (4 * ITEMS)
#define DIGITS 16

static uint digit_of(uint key, uint shift) { return (key >> shift) & (DIGITS - 1); }

/* The sum of the values of the work-items before this one. `sums` ends up holding the sums
 * including the work-item itself, so that its last element is the total; it may be used again
 * after another barrier. */
static uint scan_items(uint value, __local uint *sums) {
  const uint me = get_local_id(0);
  sums[me] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint distance = 1; distance < ITEMS; distance *= 2) {
    const uint before = me >= distance ? sums[me - distance] : 0;
    barrier(CLK_LOCAL_MEM_FENCE); /* everybody has read */
    sums[me] += before;
    barrier(CLK_LOCAL_MEM_FENCE); /* everybody has written */
  }
  return sums[me] - value;
}

/* The sums of the elements of `four` before each, from `start`. */
static uint4 scan_four(uint4 four, uint start) {
  return start + (uint4)(0, four.x, four.x + four.y, four.x + four.y + four.z);
}

/* Where each of a work-item's pairs goes when the block is split by one bit of the key: those
 * with 0 to the front, those with 1 behind them, both in their old order. */
static uint4 split_places(uint4 keys, uint bit, __local uint *sums) {
  const uint4 zero = 1 - ((keys >> bit) & 1);
  const uint4 zeros_before = scan_four(zero, scan_items(zero.x + zero.y + zero.z + zero.w, sums));
  const uint zeros = sums[ITEMS - 1];
  const uint4 index = 4 * (uint)get_local_id(0) + (uint4)(0, 1, 2, 3);
  const uint4 if_one = zeros + (index - zeros_before);
  return select(if_one, zeros_before, zero == 1);
}

/* Puts each work-item's four numbers at their places in the block; returns the four that are now
 * its own. */
static uint4 exchange(uint4 four, uint4 places, __local uint *block) {
  block[places.x] = four.x;
  block[places.y] = four.y;
  block[places.z] = four.z;
  block[places.w] = four.w;
  barrier(CLK_LOCAL_MEM_FENCE); /* all are in place */
  const uint4 mine = vload4(get_local_id(0), block);
  barrier(CLK_LOCAL_MEM_FENCE); /* all are read: the block may be written again */
  return mine;
}

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
sort_blocks(__global const uint4 *keys, __global const uint4 *values, __global uint4 *sorted_keys,
            __global uint4 *sorted_values, uint shift) {
  __local uint block[BLOCK];
  __local uint sums[ITEMS];
  const size_t me = get_global_id(0);
  uint4 key = keys[me], value = values[me];

  for (uint bit = shift; bit < shift + 4; bit++) {
    const uint4 places = split_places(key, bit, sums);
    key = exchange(key, places, block);
    value = exchange(value, places, block);
  }
  sorted_keys[me] = key;
  sorted_values[me] = value;
}

/* Counts the digits of each sorted block. counts[digit][block] is what the scan wants;
 * starts[block][digit] is where in the block the run of that digit begins. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
count_digits(__global const uint4 *sorted_keys, __global uint *counts, __global uint *starts,
             uint shift) {
  __local uint bins[DIGITS];
  const uint me = get_local_id(0), block = get_group_id(0), blocks = get_num_groups(0);
  const uint4 key = sorted_keys[get_global_id(0)];

  if (me < DIGITS) bins[me] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_inc(&bins[digit_of(key.x, shift)]);
  atomic_inc(&bins[digit_of(key.y, shift)]);
  atomic_inc(&bins[digit_of(key.z, shift)]);
  atomic_inc(&bins[digit_of(key.w, shift)]);
  barrier(CLK_LOCAL_MEM_FENCE);

  if (me < DIGITS) {
    uint start = 0;
    for (uint digit = 0; digit < me; digit++) start += bins[digit];
    counts[me * blocks + block] = bins[me];
    starts[block * DIGITS + me] = start;
  }
}

/* Turns each block of 512 numbers into the sums of those before, and gives its total. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
scan_blocks(__global uint4 *numbers, __global uint *totals) {
  __local uint sums[ITEMS];
  const size_t me = get_global_id(0);
  const uint4 four = numbers[me];
  numbers[me] = scan_four(four, scan_items(four.x + four.y + four.z + four.w, sums));
  if (get_local_id(0) == 0) totals[get_group_id(0)] = sums[ITEMS - 1];
}

/* Adds to each block what came before it. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
scan_add(__global uint4 *numbers, __global const uint *before) {
  numbers[get_global_id(0)] += before[get_group_id(0)];
}

/* Moves the pairs of each sorted block to their places among all. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
scatter(__global const uint4 *sorted_keys, __global const uint4 *sorted_values,
        __global uint *keys, __global uint *values, __global const uint *places,
        __global const uint *starts, uint shift) {
  __local uint moves[DIGITS]; /* from an index in the block to a place among all, for each digit */
  const uint me = get_local_id(0), block = get_group_id(0), blocks = get_num_groups(0);
  if (me < DIGITS) moves[me] = places[me * blocks + block] - starts[block * DIGITS + me];
  barrier(CLK_LOCAL_MEM_FENCE);

  const uint4 key = sorted_keys[get_global_id(0)], value = sorted_values[get_global_id(0)];
  const uint4 place = (uint4)(moves[digit_of(key.x, shift)], moves[digit_of(key.y, shift)],
                              moves[digit_of(key.z, shift)], moves[digit_of(key.w, shift)]) +
                      4 * me + (uint4)(0, 1, 2, 3);
  keys[place.x] = key.x;
  keys[place.y] = key.y;
  keys[place.z] = key.z;
  keys[place.w] = key.w;
  values[place.x] = value.x;
  values[place.y] = value.y;
  values[place.z] = value.z;
  values[place.w] = value.w;
}
