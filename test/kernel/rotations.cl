/* Rotations by whole bytes, there and back. */

// run: -k rotations -g 1003 '[1003]=i*40503' '[1003]'
// expect: 1: i*40503+1
kernel void rotations(global const uint *x, global uint *y) {
  const uint at = get_global_id(0), there = rotate(x[at] + 1, 24u);
  y[at] = rotate(there ^ 0x5a5a5a5au, 8u) ^ 0x5a5a5a5au;
}

// run: -k rotations_long -g 1003 '[1003]=i*40503' '[1003]'
// expect: 1: i*40503+1
kernel void rotations_long(global const ulong *x, global ulong *y) {
  const ulong at = get_global_id(0), there = rotate(x[at] + 1, 48ul);
  y[at] = rotate(there ^ 0x5a5a5a5a5a5a5a5aul, 16ul) ^ 0x5a5a5a5a5a5a5a5aul;
}
