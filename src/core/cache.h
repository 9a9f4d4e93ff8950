/* The kernel cache: payloads by 128-bit key, one file each, or in memory when there is no folder to write to.
 * What is in a payload is its user's business. Never an error: what cannot be read is a miss, what cannot be
 * written is kept in memory. Any thread, no lock held. */
#ifndef KILN_CORE_CACHE_H
#define KILN_CORE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kiln_key {
  uint64_t h[2];
};

enum kiln_cache_level {
  KILN_CACHE_PROGRAM_IMAGE = 1, /* level 1: front-end results */
  KILN_CACHE_OBJECT = 2         /* level 2: machine code */
};

/* The payload stored under key, a fresh copy (kiln_alloc); false on a miss. Counts as a use of the entry. */
bool kiln_cache_get(enum kiln_cache_level level, const struct kiln_key *key, uint8_t **data_out,
                    size_t *size_out);
void kiln_cache_put(enum kiln_cache_level level, const struct kiln_key *key, const void *data, size_t size);
/* Forgets an entry whose payload proved to be bad or stale. */
void kiln_cache_drop(enum kiln_cache_level level, const struct kiln_key *key);
/* Frees the entries held in memory. */
void kiln_cache_forget(void);

/* ---- the part on disk (disk.c) ---- */

/* Where entries go and how many there are, as text for people. */
void kiln_cache_describe(char *out, size_t size);
/* True if there is a folder to use; its path without a slash at the end. */
bool kiln_disk_folder(char *out, size_t size);
bool kiln_disk_get(enum kiln_cache_level level, const struct kiln_key *key, uint8_t **data_out,
                   size_t *size_out);
bool kiln_disk_put(enum kiln_cache_level level, const struct kiln_key *key, const void *data, size_t size);
void kiln_disk_drop(const struct kiln_key *key);

#endif
