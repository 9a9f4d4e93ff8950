// A long function that functions call in loops from many places: expanded everywhere it would be ten times the code and
// too much for lanes. The same is computed with its rounds in a loop, too.
// run: -k hashes -g 77 '(ulong)[77]=i*2654435761' '(int)[77]'
// expect: 1: 1
typedef struct {
  ulong h[4], block[8];
  uint used, is_short;
} state;
#define ROUND(a, b, c, d, k)                                                                                             \
  a += (b & c ^ ~b & d) + s->block[(k) & 7] + 0x9e3779b97f4a7c15ul * ((k) + 1);                                          \
  a = rotate(a, (ulong)(k) % 61 + 1) ^ b;
#define ROUNDS4(k) ROUND(a, b, c, d, k) ROUND(b, c, d, a, k + 1) ROUND(c, d, a, b, k + 2) ROUND(d, a, b, c, k + 3)
#define ROUNDS16(k) ROUNDS4(k) ROUNDS4(k + 4) ROUNDS4(k + 8) ROUNDS4(k + 12)
#define ROUNDS64(k) ROUNDS16(k) ROUNDS16(k + 16) ROUNDS16(k + 32) ROUNDS16(k + 48)
void mix(state *s) {
  ulong a = s->h[0], b = s->h[1], c = s->h[2], d = s->h[3];
  if (s->is_short) {
    for (int k = 0; k < 256; k++) {
      ROUND(a, b, c, d, k)
      const ulong first = a;
      a = b, b = c, c = d, d = first;
    }
  } else {
    ROUNDS64(0) ROUNDS64(64) ROUNDS64(128) ROUNDS64(192)
  }
  s->h[0] += a, s->h[1] += b, s->h[2] += c, s->h[3] += d;
}
void put(state *s, ulong x) {
  s->block[s->used++] = x;
  if (s->used == 8) mix(s), s->used = 0;
}
void put_many(state *s, ulong x, uint n) {
  for (uint k = 0; k < n; k++) put(s, x + k);
}
void finish(state *s) {
  put(s, 1);
  while (s->used != 0) put(s, 0);
  mix(s);
}
ulong hash(ulong x, uint is_short) {
  state s = {.h = {1, 2, 3, 4}, .is_short = is_short};
  for (uint r = 0; r < 5; r++) {
    put_many(&s, x, r & 1 ? 3 : 7);
    if (r % 3) put_many(&s, s.h[0], 5);
    if (r % 7) put_many(&s, s.h[1] ^ x, 2 + (x & 3));
    put_many(&s, s.h[2], r & 1 ? 7 : 3);
    finish(&s);
  }
  return s.h[0] ^ s.h[3];
}
kernel void hashes(global const ulong *in, global int *same) {
  const size_t g = get_global_id(0);
  same[g] = hash(in[g], 0) == hash(in[g], 1);
}
