/* Owns the files of the cache: <folder>/<2 hex digits>/<32 hex digits>, each a header and one payload. A file
 * that is not whole, of another version or of another user is a miss; the folder's size is kept below
 * KILN_CACHE_SIZE by deleting what was used longest ago. */
#include "base/abi.h"
#include "base/alloc.h"
#include "base/config.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/os.h"
#include "compiler/compiler.h"
#include "core/cache.h"
#include "core/trim.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DISK_FORMAT = 1, PATH_BYTES = 4096 };

struct header {
  char magic[8];
  uint32_t format, level, abi, reserved;
  uint64_t version; /* hash of kiln_compiler_version() */
  uint64_t key[2];
  uint64_t size, checksum; /* of the payload */
};
_Static_assert(sizeof(struct header) == 64, "the header's layout is the file format");

static const char magic[8] = {'k', 'i', 'l', 'n', 'c', 'a', 'c', 'h'};

static struct header make_header(enum kiln_cache_level level, const struct kiln_key *key, const void *data,
                                 size_t size) {
  const char *version = kiln_compiler_version();
  struct header h = {.format = DISK_FORMAT, .level = level, .abi = KILN_ABI_VERSION, .size = size};
  memcpy(h.magic, magic, sizeof magic);
  memcpy(h.key, key->h, sizeof h.key);
  h.version = kiln_hash64(version, strlen(version));
  h.checksum = kiln_hash64(data, size);
  return h;
}

bool kiln_disk_folder(char *out, size_t size) {
  const char *base = kiln_config(KILN_CONFIG_CACHE_DIR), *tail = "";
  if (base == NULL) {
    base = getenv("XDG_CACHE_HOME");
    tail = "/kiln";
    if (base == NULL || base[0] != '/') {
      base = getenv("HOME");
      tail = "/.cache/kiln";
    }
  }
  if (base == NULL || *base == '\0') return false;
  int length = snprintf(out, size, "%s%s", base, tail);
  if (length < 0 || (size_t)length >= size) return false;
  while (length > 1 && out[length - 1] == '/') out[--length] = '\0';
  return true;
}

static bool path_of(const struct kiln_key *key, char *out) {
  char folder[PATH_BYTES - 64];
  if (!kiln_disk_folder(folder, sizeof folder)) return false;
  snprintf(out, PATH_BYTES, "%s/%02x/%016llx%016llx", folder, (unsigned)(key->h[0] >> 56),
           (unsigned long long)key->h[0], (unsigned long long)key->h[1]);
  return true;
}

static bool read_all(int fd, void *out, size_t size) {
  for (size_t got = 0; got < size;) {
    ssize_t n = read(fd, (uint8_t *)out + got, size - got);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    got += (size_t)n;
  }
  return true;
}

/* Code is run from these files, so they must be ours (or root's) and nobody else's to write. */
static bool is_trusted(const struct stat *st) {
  return S_ISREG(st->st_mode) && (st->st_uid == geteuid() || st->st_uid == 0) && (st->st_mode & S_IWOTH) == 0;
}

/* The payload; or NULL, and *damage says why if the file is of no use to anybody. */
static uint8_t *read_payload(int fd, enum kiln_cache_level level, const struct kiln_key *key,
                             size_t *size_out, const char **damage) {
  struct stat st;
  struct header found;
  *damage = NULL;
  if (fstat(fd, &st) != 0 || !is_trusted(&st)) return NULL;
  if (!read_all(fd, &found, sizeof found) || (uint64_t)st.st_size != sizeof found + found.size) {
    *damage = "is cut off";
    return NULL;
  }
  uint8_t *data = kiln_alloc((size_t)found.size);
  if (data == NULL) return NULL;
  if (read_all(fd, data, (size_t)found.size)) {
    struct header wanted = make_header(level, key, data, (size_t)found.size);
    if (memcmp(&found, &wanted, sizeof found) == 0) {
      *size_out = (size_t)found.size;
      return data;
    }
  }
  *damage = "is damaged or of another version";
  kiln_free(data);
  return NULL;
}

bool kiln_disk_get(enum kiln_cache_level level, const struct kiln_key *key, uint8_t **data_out,
                   size_t *size_out) {
  char path[PATH_BYTES];
  if (!path_of(key, path)) return false;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const char *damage;
  uint8_t *data = read_payload(fd, level, key, size_out, &damage);
  if (data != NULL) futimens(fd, NULL); /* the time of last use; may fail on a read-only file system */
  close(fd);
  if (damage != NULL) {
    kiln_log(KILN_LOG_CACHE, KILN_LOG_ERROR, "entry %s %s, deleted", path, damage);
    unlink(path);
  }
  if (data == NULL) return false;
  kiln_log(KILN_LOG_CACHE, KILN_LOG_DEBUG, "hit level %d bytes %zu %s", level, *size_out, path);
  *data_out = data;
  return true;
}

bool kiln_disk_put(enum kiln_cache_level level, const struct kiln_key *key, const void *data, size_t size) {
  char path[PATH_BYTES], folder[PATH_BYTES];
  long long cap = kiln_config_int(KILN_CONFIG_CACHE_SIZE, 1 << 30);
  if (cap < 0 || sizeof(struct header) + size > (uint64_t)cap || !path_of(key, path)) return false;
  uint8_t *file = kiln_alloc(sizeof(struct header) + size);
  if (file == NULL) return false;
  struct header h = make_header(level, key, data, size);
  memcpy(file, &h, sizeof h);
  memcpy(file + sizeof h, data, size);
  bool ok = kiln_os_publish_file(path, file, sizeof h + size);
  kiln_free(file);
  if (!ok) kiln_log(KILN_LOG_CACHE, KILN_LOG_INFO, "cannot write %s, kept in memory", path);
  if (ok && kiln_disk_folder(folder, sizeof folder))
    kiln_trim_cache(folder, (unsigned)(key->h[0] >> 56), (uint64_t)cap);
  return ok;
}

void kiln_disk_drop(const struct kiln_key *key) {
  char path[PATH_BYTES];
  if (path_of(key, path)) unlink(path);
}

/* Whether entries could be written below path: it, or the nearest of its parents that exists, is ours to
 * write. */
static bool is_writable(const char *path) {
  char parent[PATH_BYTES];
  snprintf(parent, sizeof parent, "%s", path);
  while (access(parent, F_OK) != 0) {
    char *slash = strrchr(parent, '/');
    if (slash == NULL || slash == parent) break;
    *slash = '\0';
  }
  struct stat st;
  return stat(parent, &st) == 0 && S_ISDIR(st.st_mode) && access(parent, W_OK | X_OK) == 0;
}

void kiln_cache_describe(char *out, size_t size) {
  char folder[PATH_BYTES];
  uint64_t bytes, entries;
  if (!kiln_disk_folder(folder, sizeof folder)) {
    snprintf(out, size, "in memory only: no folder is set");
  } else if (!is_writable(folder)) {
    snprintf(out, size, "in memory only: %s cannot be written", folder);
  } else {
    kiln_cache_usage(folder, &bytes, &entries);
    snprintf(out, size, "%s, %.1f MiB in %llu entries, at most %.1f", folder, (double)bytes / 1048576,
             (unsigned long long)entries, (double)kiln_config_int(KILN_CONFIG_CACHE_SIZE, 1 << 30) / 1048576);
  }
}
