/* Owns the operating-system calls that several layers need. */
#include "base/os.h"

#include "base/alloc.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

uint64_t kiln_os_now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t kiln_os_thread_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

unsigned kiln_os_processors(void) {
  cpu_set_t set;
  int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  return count < 1 ? 1 : (unsigned)count;
}

static bool read_all(int fd, uint8_t *data, size_t size) {
  for (size_t got = 0; got < size;) {
    ssize_t n = read(fd, data + got, size - got);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    got += (size_t)n;
  }
  return true;
}

bool kiln_os_read_file(const char *path, uint8_t **data_out, size_t *size_out) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  struct stat st;
  uint8_t *data = NULL;
  bool ok = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
            (data = kiln_alloc((size_t)st.st_size + 1)) != NULL && read_all(fd, data, (size_t)st.st_size);
  close(fd);
  if (!ok) {
    kiln_free(data);
    return false;
  }
  data[st.st_size] = 0;
  *data_out = data;
  *size_out = (size_t)st.st_size;
  return true;
}

/* Creates the folders above the last component of path, which it changes and restores. */
static void make_folders(char *path) {
  for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    mkdir(path, 0700);
    *slash = '/';
  }
}

static bool write_all(int fd, const uint8_t *data, size_t size) {
  while (size > 0) {
    ssize_t n = write(fd, data, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    data += n;
    size -= (size_t)n;
  }
  return true;
}

bool kiln_os_publish_file(const char *path, const void *data, size_t size) {
  char temporary[4096];
  int length = snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
  if (length < 0 || (size_t)length >= sizeof temporary) return false;
  int fd = mkostemp(temporary, O_CLOEXEC);
  if (fd < 0 && errno == ENOENT) {
    make_folders(temporary);
    snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    fd = mkostemp(temporary, O_CLOEXEC);
  }
  if (fd < 0) return false;
  bool ok = write_all(fd, data, size);
  ok = close(fd) == 0 && ok;
  ok = ok && rename(temporary, path) == 0;
  if (!ok) unlink(temporary);
  return ok;
}

bool kiln_os_folder_of(const void *address, char *out, size_t size) {
  Dl_info info;
  char resolved[4096];
  if (dladdr(address, &info) == 0 || info.dli_fname == NULL || realpath(info.dli_fname, resolved) == NULL)
    return false;
  char *slash = strrchr(resolved, '/');
  if (slash == NULL) return false;
  *slash = '\0';
  int length = snprintf(out, size, "%s", resolved);
  return length >= 0 && (size_t)length < size;
}

unsigned kiln_os_fork_generation;

static void in_child(void) { kiln_os_fork_generation++; }
static void watch_once(void) { pthread_atfork(NULL, NULL, in_child); }

void kiln_os_watch_forks(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, watch_once);
}
