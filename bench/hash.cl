// Hashing of 256 K words: 64 rounds of a 32-bit mixer, and FNV-1a over 64 bytes of each item's own row. And a
// search as in password crackers: 16 candidates an item, few of which are found and appended to a list. And what they
// search with, 64 rounds of a hash whose state and message are twelve words: a candidate a time, or as hashcat has it,
// sixteen in an OpenCL vector.
// run: -k mix32 -g 262144 '[262144]' --items '64*g0' --name mix32
// expect: 0/37: loop(64, x=i:uint((x^(x>>15))*739982445)^(uint((x^(x>>15))*739982445)>>12), x)
// run: -k fnv -g 65536 '[4194304]=rand(i)*256' '[65536]' --items '64*g0' --name fnv1a
// expect: 1/37: loop(64, h=2166136261:uint((h^a0[64*i+k])*16777619), k=0:k+1, h)
// run: -k search -g 16384 '[1]=16' '[4096]' '[1]' --items '16*g0' --name search
// expect: 2: sum(c,0,262144,loop(8, x=c:uint((x^(x>>15))*739982445)^(uint((x^(x>>15))*739982445)>>12), x)%4096==7)
// expect: 1: i >= r2[0] || loop(8, x=r1[i]:uint((x^(x>>15))*739982445)^(uint((x^(x>>15))*739982445)>>12), x)%4096==7 ? r1[i] : nan
// run: -k digest -g 8192 '[256]=40503*i' 256 '[8192]' --items '256*g0' --name digest
// expect: 2/97: sum(j,0,256,loop(64, a=1732584193:d, b=4023233417:uint(b+(uint((a+(d^(b&(c^d)))+p)*128)|((uint(a+(d^(b&(c^d)))+p))>>25))), c=2562383102:b, d=271733878:c, p=uint(i*2654435761)^(j*40503):q, q=1:r, r=2:s, s=3:t, t=4:u, u=5:v, v=6:w, w=7:uint((p^s^u^w)*2)|((p^s^u^w)>>31), b)%4096==7)
// run: -k digest16 -g 8192 '[256]=40503*i' 16 '[8192]' --items '256*g0' --name digest_uint16
// expect: 2/97: sum(j,0,256,loop(64, a=1732584193:d, b=4023233417:uint(b+(uint((a+(d^(b&(c^d)))+p)*128)|((uint(a+(d^(b&(c^d)))+p))>>25))), c=2562383102:b, d=271733878:c, p=uint(i*2654435761)^(j*40503):q, q=1:r, r=2:s, s=3:t, t=4:u, u=5:v, v=6:w, w=7:uint((p^s^u^w)*2)|((p^s^u^w)>>31), b)%4096==7)
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
#define ROUND(T, a, b, c, d, w0, w3, w5, w7)                                                                    \
  a = b + rotate(a + (d ^ (b & (c ^ d))) + w0, (T)(7));                                                           \
  w0 = rotate(w0 ^ w3 ^ w5 ^ w7, (T)(1));
#define DIGEST(T, first)                                                                                     \
  T a = 1732584193, b = 4023233417, c = 2562383102, d = 271733878;                                           \
  T w0 = first, w1 = 1, w2 = 2, w3 = 3, w4 = 4, w5 = 5, w6 = 6, w7 = 7;                                      \
  _Pragma("unroll") for (int t = 0; t < 8; t++) {                                                            \
    ROUND(T, a, b, c, d, w0, w3, w5, w7)                                                                        \
    ROUND(T, d, a, b, c, w1, w4, w6, w0)                                                                        \
    ROUND(T, c, d, a, b, w2, w5, w7, w1)                                                                        \
    ROUND(T, b, c, d, a, w3, w6, w0, w2)                                                                        \
    ROUND(T, a, b, c, d, w4, w7, w1, w3)                                                                        \
    ROUND(T, d, a, b, c, w5, w0, w2, w4)                                                                        \
    ROUND(T, c, d, a, b, w6, w1, w3, w5)                                                                        \
    ROUND(T, b, c, d, a, w7, w2, w4, w6)                                                                        \
  }
kernel void digest(constant uint *right, uint count, global uint *hits) {
  uint left = get_global_id(0) * 2654435761u, n = 0;
  for (uint i = 0; i < count; i++) {
    DIGEST(uint, left ^ right[i])
    n += (b & 4095) == 7;
  }
  hits[get_global_id(0)] = n;
}
kernel void digest16(constant uint16 *right, uint count, global uint *hits) {
  uint left = get_global_id(0) * 2654435761u;
  int16 n = 0;
  for (uint i = 0; i < count; i++) {
    DIGEST(uint16, left ^ right[i])
    n -= (b & 4095) == 7;
  }
  int8 eight = n.lo + n.hi;
  int4 four = eight.lo + eight.hi;
  hits[get_global_id(0)] = four.x + four.y + four.z + four.w;
}
