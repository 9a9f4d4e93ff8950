// What sub-groups have in common in a loop that work-items leave at different turns, used after a barrier: each has what
// there was in its last turn.
// run: -k first_left -g 64 -l 64 -b -cl-std=CL3.0 '[64]=i%8+1' '[64]'
// expect: 1: 17*(i%8)
// run: -k vector_left -g 64 -l 64 -b -cl-std=CL3.0 '[64]=i%8+1' '(uint)[256]'
// expect: 1: 17*(floor(i/4)%8)+i%4
// run: -k votes_left -g 64 -l 64 -b -cl-std=CL3.0 '[64]=i%8+1' '[64]'
// expect: 1: 1+2*(i%8==7)
// run: -k ballot_left -g 64 -l 64 -b -cl-std=CL3.0 '[64]=i%8+1' '[64]'
// expect: 1: 8-i%8
#define LEFT(name, type, found, out, result) \
  kernel __attribute__((intel_reqd_sub_group_size(8))) void name(global const uint *a, global out *b) { \
    uint i = get_global_id(0), n = a[i], k = 0; \
    type w; \
    do { \
      w = found; \
      k++; \
    } while (k < n); \
    barrier(CLK_LOCAL_MEM_FENCE); \
    b[i] = result; \
  }
LEFT(first_left, uint, sub_group_broadcast_first(16 * (i % 8) + k), uint, w)
LEFT(vector_left, uint4, sub_group_non_uniform_broadcast((uint4)(0, 1, 2, 3) + 16 * (i % 8) + k, k), uint4, w)
LEFT(votes_left, uint,
     (sub_group_non_uniform_any(i % 8 == k) != 0) + 2 * (sub_group_non_uniform_all(i % 8 == k) != 0), uint, w)
LEFT(ballot_left, uint4, sub_group_ballot(1), uint, sub_group_ballot_bit_count(w))
