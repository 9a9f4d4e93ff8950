// Hashing of 256 K words: 64 rounds of a 32-bit mixer, and FNV-1a over 64 bytes of each item's own row.
// run: -k mix32 -g 262144 '[262144]' --items '64*g0' --name mix32
// expect: 0/37: loop(64, x=i:uint((x^(x>>15))*739982445)^(uint((x^(x>>15))*739982445)>>12), x)
// run: -k fnv -g 65536 '[4194304]=rand(i)*256' '[65536]' --items '64*g0' --name fnv1a
// expect: 1/37: loop(64, h=2166136261:uint((h^a0[64*i+k])*16777619), k=0:k+1, h)
kernel void mix32(global uint *out) {
  uint x = get_global_id(0);
  for (int k = 0; k < 64; k++) {
    x = (x ^ (x >> 15)) * 739982445u;
    x ^= x >> 12;
  }
  out[get_global_id(0)] = x;
}
kernel void fnv(global const uchar *in, global uint *out) {
  size_t i = get_global_id(0);
  uint h = 2166136261u;
  for (int k = 0; k < 64; k++) h = (h ^ in[64 * i + k]) * 16777619u;
  out[i] = h;
}
