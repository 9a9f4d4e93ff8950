/* A small generator with a fixed seed, so that every run on every machine sees the same data.
 * splitmix64: one addition and a mix a number, passes the usual tests. */
#ifndef EXAMPLES_COMMON_RANDOM_H
#define EXAMPLES_COMMON_RANDOM_H

#include <stdint.h>

static inline uint64_t ex_random(uint64_t *state) {
  uint64_t z = (*state += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

/* Uniform in [0, 1), a multiple of 2^-24. */
static inline float ex_random_float(uint64_t *state) { return (float)(ex_random(state) >> 40) * 0x1p-24f; }

#endif
