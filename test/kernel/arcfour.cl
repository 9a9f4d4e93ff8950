// RC4: each byte of the key stream comes of swaps in a private array, at places that loads before it give. A work-item
// waits for them; its neighbour runs meanwhile. The first key's stream stands in RFC 6229, in 2.
// run: -k streams -g 300 '(uint)[300]'
// expect: 0: i%3==0?2597111706:i%3==1?1567640232:2782927265
#define STEP(k)                                                                                                          \
  place = (place + state[i] + key[k]) & 255;                                                                             \
  exchange(state + i, state + place);                                                                                    \
  i++;
#define STEPS(k) STEP(k) STEP(k + 1) STEP(k + 2) STEP(k + 3)
void exchange(uchar *x, uchar *y) {
  const uchar old = *x;
  *x = *y;
  *y = old;
}
kernel void streams(global uint *out) {
  const size_t g = get_global_id(0);
  uint words[64], word = 0, place = 0;
  uchar *state = (uchar *)words, key[16];
  for (int i = 0; i < 64; i++) words[i] = 0x03020100 + i * 0x04040404;
  for (int i = 0; i < 16; i++) key[i] = (i + 1) * (g % 3 + 1);
  for (uint i = 0; i < 256;) { STEPS(0) STEPS(4) STEPS(8) STEPS(12) }
  place = 0;
  for (uint i = 1; i <= 4; i++) {
    place = (place + state[i]) & 255;
    exchange(state + i, state + place);
    word |= (uint)state[(state[i] + state[place]) & 255] << 8 * (i - 1);
  }
  out[g] = word;
}
