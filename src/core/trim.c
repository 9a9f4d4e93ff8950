/* Owns the choice of cache entries to delete. Entries are spread evenly over 256 shards by their hash, so one
 * shard's size times 256 estimates the whole; only an estimate above the cap pays for looking at every file.
 */
#include "core/trim.h"

#include "base/alloc.h"
#include "base/log.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SHARDS = 256, STALE_SECONDS = 3600 };

struct file {
  struct timespec used;
  uint64_t size;
  uint16_t shard;
  char name[54];
};

struct listing {
  struct file *files;
  size_t count, capacity;
  uint64_t bytes;
};

static bool append(struct listing *l, const struct file *f) {
  if (l->count == l->capacity) {
    size_t capacity = l->capacity == 0 ? 64 : l->capacity * 2;
    struct file *files = kiln_realloc(l->files, capacity * sizeof *files);
    if (files == NULL) return false;
    l->files = files;
    l->capacity = capacity;
  }
  l->files[l->count++] = *f;
  l->bytes += f->size;
  return true;
}

/* A writer that died left its temporary file, which has a dot in its name. */
static bool is_litter(const struct file *f) {
  return strchr(f->name, '.') != NULL && time(NULL) - f->used.tv_sec > STALE_SECONDS;
}

static void list_entry(int dir, const char *name, unsigned shard, struct listing *l) {
  struct stat st;
  struct file f = {.shard = (uint16_t)shard};
  if (strlen(name) >= sizeof f.name || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0) return;
  if (!S_ISREG(st.st_mode)) return;
  strcpy(f.name, name);
  f.used = st.st_mtim;
  f.size = (uint64_t)st.st_size;
  if (is_litter(&f)) unlinkat(dir, name, 0);
  else append(l, &f);
}

static void list_shard(const char *folder, unsigned shard, struct listing *l) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%02x", folder, shard);
  DIR *dir = opendir(path);
  if (dir == NULL) return;
  for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
    if (entry->d_name[0] != '.') list_entry(dirfd(dir), entry->d_name, shard, l);
  closedir(dir);
}

static int by_use(const void *a, const void *b) {
  const struct timespec *x = &((const struct file *)a)->used, *y = &((const struct file *)b)->used;
  if (x->tv_sec != y->tv_sec) return x->tv_sec < y->tv_sec ? -1 : 1;
  return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

/* Oldest use first, down to nine tenths of cap, so that the next entries need no new look at everything. */
static void delete_oldest(const char *folder, struct listing *l, uint64_t cap) {
  char path[4096];
  size_t deleted = 0;
  uint64_t before = l->bytes;
  qsort(l->files, l->count, sizeof *l->files, by_use);
  /* the newest is the entry just written: it stays */
  for (; deleted + 1 < l->count && l->bytes > cap - cap / 10; deleted++) {
    const struct file *f = &l->files[deleted];
    int length = snprintf(path, sizeof path, "%s/%02x/%s", folder, f->shard, f->name);
    if (length > 0 && (size_t)length < sizeof path) unlink(path);
    l->bytes -= f->size;
  }
  kiln_log(KILN_LOG_CACHE, KILN_LOG_INFO, "trimmed entries %zu bytes %llu to %llu", deleted,
           (unsigned long long)before, (unsigned long long)l->bytes);
}

void kiln_trim_cache(const char *folder, unsigned shard, uint64_t cap) {
  struct listing l = {0};
  list_shard(folder, shard, &l);
  if (l.bytes > cap / SHARDS) {
    l.count = 0;
    l.bytes = 0;
    for (unsigned s = 0; s < SHARDS; s++) list_shard(folder, s, &l);
    if (l.bytes > cap) delete_oldest(folder, &l, cap);
  }
  kiln_free(l.files);
}

void kiln_cache_usage(const char *folder, uint64_t *bytes_out, uint64_t *entries_out) {
  struct listing l = {0};
  for (unsigned s = 0; s < SHARDS; s++) list_shard(folder, s, &l);
  *bytes_out = l.bytes;
  *entries_out = l.count;
  kiln_free(l.files);
}
