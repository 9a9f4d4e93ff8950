/* Hashes (XXH3): keys of the cache and checksums of what is stored. Not for adversaries: a checksum finds
 * damage, it proves no author. */
#ifndef KILN_BASE_HASH_H
#define KILN_BASE_HASH_H

#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>

/* Of size bytes; the hash of an included file (kiln_include.hash) and every checksum. */
uint64_t kiln_hash64(const void *data, size_t size);

/* A 128-bit key built piece by piece. Pieces are put with their length, so that ("ab","c") and ("a","bc")
 * differ. No allocation. */
struct kiln_hash {
  alignas(64) uint8_t state[640];
};
void kiln_hash_init(struct kiln_hash *h);
void kiln_hash_bytes(struct kiln_hash *h, const void *data, size_t size);
void kiln_hash_string(struct kiln_hash *h, const char *s); /* NULL as "" */
void kiln_hash_u32(struct kiln_hash *h, uint32_t v);
void kiln_hash_end(struct kiln_hash *h, uint64_t out[2]);

#endif
