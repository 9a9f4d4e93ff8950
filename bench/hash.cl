// Hashing of 256 K words: 64 rounds of a 32-bit mixer, and FNV-1a over 64 bytes of each item's own row. And a
// search as in password crackers: 16 candidates an item, few of which are found and appended to a list.
// run: -k mix32 -g 262144 '[262144]' --items '64*g0' --name mix32
// expect: 0/37: loop(64, x=i:uint((x^(x>>15))*739982445)^(uint((x^(x>>15))*739982445)>>12), x)
// run: -k fnv -g 65536 '[4194304]=rand(i)*256' '[65536]' --items '64*g0' --name fnv1a
// expect: 1/37: loop(64, h=2166136261:uint((h^a0[64*i+k])*16777619), k=0:k+1, h)
// run: -k search -g 16384 '[1]=16' '[4096]' '[1]' --items '16*g0' --name search
// expect: 2: sum(c,0,262144,loop(8, x=c:uint((x^(x>>15))*739982445)^(uint((x^(x>>15))*739982445)>>12), x)%4096==7)
// expect: 1: i >= r2[0] || loop(8, x=r1[i]:uint((x^(x>>15))*739982445)^(uint((x^(x>>15))*739982445)>>12), x)%4096==7 ? r1[i] : nan
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
kernel void search(global const uint *candidates, global uint *found, global uint *end) {
  uint first = get_global_id(0) * *candidates;
  for (uint i = 0; i < *candidates; i++) {
    uint x = first + i;
    for (int k = 0; k < 8; k++) {
      x = (x ^ (x >> 15)) * 739982445u;
      x ^= x >> 12;
    }
    if (x % 4096 == 7) found[atomic_inc(end)] = first + i;
  }
}
