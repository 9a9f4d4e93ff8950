// Sub-groups in loops that leave before their barrier in some turns: what all lanes have in common in a turn is wanted
// after a barrier, and in the next turn before one, where it is not known that they are in the same turn.
// run: -k used -g 31,11 -l 16,4 '[682]' '[512]=i*7' 1 -b -cl-std=CL3.0
// expect: 0: int(i/2)%31>15?(i%2==0?0:a1[int(i/2)%64]):i%2==0?a1[14+int((int(int(i/2)/31)%4*16+int(i/2)%31)/28)]:1023
// run: -k kept -g 31,11 -l 16,4 '[682]' '[512]=i*7' 1 -b -cl-std=CL3.0
// expect: 0: int(i/2)%31>15?(i%2==0?0:a1[int(i/2)%64]):i%2==0?7+int(i/2)%31:1023

kernel void used(global uint *out, global const uint *in, uint n) {
  uint item = get_local_id(1) * get_local_size(0) + get_local_id(0);
  uint self = get_global_id(1) * get_global_size(0) + get_global_id(0);
  uint first = in[item], found = in[self & 63], turns = (uint)get_local_size(0) + (uint)get_num_groups(0);
  for (uint i = 0; i < turns % 4; i++) {
    uint one = in[(n + (uint)get_group_id(0)) % 64];
    if (one % 5 == 4) break;
    out[2 * self] = in[(one * 2 + item / 28) & 63];
    work_group_barrier(CLK_GLOBAL_MEM_FENCE);
    uint by = (n + 3) % get_max_sub_group_size();
    uint from = (get_sub_group_local_id() + by) & (get_max_sub_group_size() - 1);
    uint x = first == 127 ? found : 33, y = sub_group_rotate(x, (int)by), on = sub_group_ballot(1).x;
    found = from < 32 && (on >> (from & 31) & 1) != 0 ? y | 1023 : x | 1023;
  }
  out[2 * self + 1] = found;
}

kernel void kept(global uint *out, global const uint *in, uint n) {
  uint item = get_local_id(1) * get_local_size(0) + get_local_id(0);
  uint self = get_global_id(1) * get_global_size(0) + get_global_id(0);
  uint first = in[item], found = in[self & 63], turns = (uint)get_local_size(0) + (uint)get_num_groups(0);
  for (uint i = 0; i < turns % 4; i++) {
    uint one = in[(n + (uint)get_group_id(0)) % 64];
    if (one % 5 == 4) break;
    work_group_barrier(CLK_GLOBAL_MEM_FENCE);
    out[2 * self] = one + (uint)get_global_id(0);
    work_group_barrier(CLK_GLOBAL_MEM_FENCE);
    uint by = (n + 3) % get_max_sub_group_size();
    uint from = (get_sub_group_local_id() + by) & (get_max_sub_group_size() - 1);
    uint x = first == 127 ? found : 33, y = sub_group_rotate(x, (int)by), on = sub_group_ballot(1).x;
    found = from < 32 && (on >> (from & 31) & 1) != 0 ? y | 1023 : x | 1023;
  }
  out[2 * self + 1] = found;
}
