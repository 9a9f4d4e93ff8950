// Sorts of blocks in local memory: bitonic, 512 keys by 256 items; and one radix digit of 4 bits by one-bit splits, 512
// keys by 128 items as uint4; and 16 keys of each item's own by insertion in a private array. Checked: order within each
// block and the sum of its keys (the second: by digit only).
// run: -k bitonic -g 131072 -l 256 '[262144]=rand(i)*65536' '[262144]' --items '2*g0' --name bitonic
// expect: 1: i%512==0 || r1[i-1]<=r1[i] ? r1[i] : nan
// expect: 1/262144: r1[0]+sum(k,0,262144,r1[k]-a0[k])
// run: -k radix_block -g 65536 -l 128 '[65536]=rand(i)*65536' '[65536]' 4 --items '4*g0' --name radix_block
// expect: 1: i%512==0 || ((r1[i-1]>>4)&15)<=((r1[i]>>4)&15) ? r1[i] : nan
// expect: 1/262144: r1[0]+sum(k,0,262144,r1[k]-a0[k])
// run: -k insertion -g 65536 '[1048576]=rand(i)*65536' '[1048576]' --items '16*g0' --name private_insertion
// expect: 1: i%16==0 || r1[i-1]<=r1[i] ? r1[i] : nan
// expect: 1/4099: r1[i]+sum(k,i-i%16,i-i%16+16,r1[k]-a0[k])
kernel void bitonic(global const uint *in, global uint *out) {
  local uint keys[512];
  uint l = get_local_id(0), base = 512 * get_group_id(0);
  keys[l] = in[base + l];
  keys[l + 256] = in[base + l + 256];
  for (uint size = 2; size <= 512; size *= 2)
    for (uint stride = size / 2; stride > 0; stride /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      uint low = 2 * l - (l & (stride - 1)), high = low + stride;
      bool up = (low & size) == 0;
      uint a = keys[low], b = keys[high];
      if ((a > b) == up) {
        keys[low] = b;
        keys[high] = a;
      }
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[base + l] = keys[l];
  out[base + l + 256] = keys[l + 256];
}
kernel __attribute__((reqd_work_group_size(128, 1, 1))) void radix_block(global const uint4 *in, global uint4 *out,
                                                                         uint shift) {
  local uint sums[128], block[512];
  uint l = get_local_id(0);
  uint4 key = in[get_global_id(0)];
  for (uint bit = shift; bit < shift + 4; bit++) {
    uint4 zero = 1 - ((key >> bit) & 1);
    uint own = zero.x + zero.y + zero.z + zero.w;
    sums[l] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint d = 1; d < 128; d *= 2) {
      uint before = l >= d ? sums[l - d] : 0;
      barrier(CLK_LOCAL_MEM_FENCE);
      sums[l] += before;
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    uint zeros = sums[127];
    uint4 before = sums[l] - own + (uint4)(0, zero.x, zero.x + zero.y, zero.x + zero.y + zero.z);
    uint4 place = select(zeros + 4 * l + (uint4)(0, 1, 2, 3) - before, before, zero == 1);
    block[place.x] = key.x;
    block[place.y] = key.y;
    block[place.z] = key.z;
    block[place.w] = key.w;
    barrier(CLK_LOCAL_MEM_FENCE);
    key = vload4(l, block);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = key;
}
kernel void insertion(global const uint *in, global uint *out) {
  uint keys[16], base = 16 * get_global_id(0);
  for (int k = 0; k < 16; k++) {
    uint key = in[base + k];
    int at = k;
    for (; at > 0 && keys[at - 1] > key; at--) keys[at] = keys[at - 1];
    keys[at] = key;
  }
  for (int k = 0; k < 16; k++) out[base + k] = keys[k];
}
