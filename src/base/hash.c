/* Owns the choice of hash function; no other file includes xxhash. */
#include "base/hash.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

_Static_assert(sizeof(XXH3_state_t) <= sizeof(struct kiln_hash), "kiln_hash holds a whole XXH3 state");

static XXH3_state_t *state_of(struct kiln_hash *h) { return (XXH3_state_t *)h->state; }

uint64_t kiln_hash64(const void *data, size_t size) { return XXH3_64bits(data, size); }

void kiln_hash_init(struct kiln_hash *h) { XXH3_128bits_reset(state_of(h)); }

void kiln_hash_bytes(struct kiln_hash *h, const void *data, size_t size) {
  uint64_t length = size;
  XXH3_128bits_update(state_of(h), &length, sizeof length);
  if (size > 0) XXH3_128bits_update(state_of(h), data, size);
}

void kiln_hash_string(struct kiln_hash *h, const char *s) {
  kiln_hash_bytes(h, s, s == NULL ? 0 : strlen(s));
}

void kiln_hash_u32(struct kiln_hash *h, uint32_t v) { XXH3_128bits_update(state_of(h), &v, sizeof v); }

void kiln_hash_end(struct kiln_hash *h, uint64_t out[2]) {
  XXH128_hash_t digest = XXH3_128bits_digest(state_of(h));
  out[0] = digest.low64;
  out[1] = digest.high64;
}
