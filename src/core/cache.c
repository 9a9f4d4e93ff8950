/* Owns the entries held in memory when the disk cannot take them, least recently used first out; knows not
 * what is in them. */
#include "core/cache.h"

#include "base/alloc.h"
#include "base/config.h"
#include "base/lock.h"
#include "core/fork.h"

#include <string.h>

#define HASH_NONFATAL_OOM 1
#define uthash_malloc(size) kiln_alloc(size)
#define uthash_free(p, size) kiln_free(p)
#include <uthash.h>

enum { MEMORY_BYTES = 64 << 20 };

struct entry {
  struct kiln_key key;
  size_t size;
  UT_hash_handle hh; /* in order of use, oldest first */
  uint8_t data[];
};

static struct kiln_lock lock = KILN_LOCK_INIT(KILN_RANK_BASE); /* entries, held_bytes */
static struct entry *entries;
static size_t held_bytes;

/* All of the table's functions: the lock is held. */

static struct entry *find(const struct kiln_key *key) {
  struct entry *e;
  HASH_FIND(hh, entries, key, sizeof *key, e);
  return e;
}

static void drop(struct entry *e) {
  HASH_DEL(entries, e);
  held_bytes -= e->size;
  kiln_free(e);
}

static bool add(struct entry *e) {
  HASH_ADD(hh, entries, key, sizeof e->key, e);
  if (e->hh.tbl == NULL) return false; /* no memory for the table */
  held_bytes += e->size;
  return true;
}

static bool memory_get(const struct kiln_key *key, uint8_t **data_out, size_t *size_out) {
  kiln_lock(&lock);
  struct entry *e = entries == NULL ? NULL : find(key);
  uint8_t *copy = e == NULL ? NULL : kiln_alloc(e->size);
  if (copy != NULL) {
    memcpy(copy, e->data, e->size);
    *data_out = copy;
    *size_out = e->size;
    held_bytes -= e->size; /* to the end of the order */
    HASH_DEL(entries, e);
    if (!add(e)) kiln_free(e);
  }
  kiln_unlock(&lock);
  return copy != NULL;
}

static void memory_put(const struct kiln_key *key, const void *data, size_t size) {
  if (size > MEMORY_BYTES / 2) return;
  struct entry *e = kiln_zalloc(sizeof *e + size);
  if (e == NULL) return;
  e->key = *key;
  e->size = size;
  memcpy(e->data, data, size);
  kiln_lock(&lock);
  struct entry *old = find(key);
  if (old != NULL) drop(old);
  while (entries != NULL && held_bytes + size > MEMORY_BYTES) drop(entries);
  bool kept = add(e);
  kiln_unlock(&lock);
  if (!kept) kiln_free(e);
}

/* Stages are dumped while they run, so a dump wants everything compiled anew. */
static bool must_compile(void) {
  const char *dump = kiln_config(KILN_CONFIG_DUMP);
  return dump != NULL && *dump != '\0';
}

bool kiln_cache_get(enum kiln_cache_level level, const struct kiln_key *key, uint8_t **data_out,
                    size_t *size_out) {
  if (must_compile()) return false;
  return memory_get(key, data_out, size_out) || kiln_disk_get(level, key, data_out, size_out);
}

void kiln_cache_put(enum kiln_cache_level level, const struct kiln_key *key, const void *data, size_t size) {
  kiln_fork_watch();
  if (!kiln_disk_put(level, key, data, size)) memory_put(key, data, size);
}

void kiln_cache_drop(enum kiln_cache_level level, const struct kiln_key *key) {
  kiln_lock(&lock);
  struct entry *e = entries == NULL ? NULL : find(key);
  if (e != NULL) drop(e);
  kiln_unlock(&lock);
  kiln_disk_drop(key);
}

void kiln_cache_forget(void) {
  kiln_lock(&lock);
  while (entries != NULL) drop(entries);
  kiln_unlock(&lock);
}

void kiln_cache_fork(enum kiln_fork_phase phase) {
  if (phase == KILN_FORK_PREPARE) pthread_mutex_lock(&lock.mutex);
  else pthread_mutex_unlock(&lock.mutex);
}
