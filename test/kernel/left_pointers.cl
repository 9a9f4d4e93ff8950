// A pointer goes on in every turn of a loop that work-items leave at turns of their own; each has that of its own last
// turn after the loop, also where a loop that hands on what its turn before has stored (here only as both buffers are
// known to lie apart) has brought all loops a form in which such values pass through phis of one way.
// run: -k terminate -g 37 '(uint)[37]=(i*7)%33' '(int)[37*33]' '(int)[37*33]' '(uint)[37]'
// expect: 3: loop(34,k=0:k+1,t=0:(t*3+(k<i*7%33?99:k==i*7%33?0:100))%10007,t)
// expect: 1: 3*(i%33)
kernel void terminate(global const uint *len, global int *sums, global int *other, global uint *out) {
  size_t g = get_global_id(0);
  ushort text[34];
  for (int i = 0; i < 34; i++) text[i] = 100;
  ushort *to = text;
  for (uint n = len[g]; n != 0; n--) *to++ = 99;
  *to = 0;
  for (int k = 1; k < 33; k++) {
    sums[g * 33 + k] = sums[g * 33 + k - 1] + 3;
    other[g * 33 + k] = k;
  }
  uint total = 0;
  for (int i = 0; i < 34; i++) total = (total * 3 + text[i]) % 10007;
  out[g] = total;
}
