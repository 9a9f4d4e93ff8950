/* Readers of bytes from outside, fed with seeds that are cut, flipped, spliced and blown up. What a target
 * does with them is up to it; a crash, a report of a sanitizer or memory that is lost ends the run.
 *
 * fuzz TARGET SECONDS [SEED [FILE...]]: files are tried as they are, then mutated along with the target's own
 * seeds. The input under way lies in fuzz-TARGET.input while the run lasts. In a build of the preset `fuzz`
 * inputs that reach new code become seeds, and with KEEP=FOLDER in the environment files: the corpus. */
#include "fuzz.h"

#include "base/alloc.h"
#include "base/os.h"
#include "support.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_SEEDS = 4096, MOST_BYTES = 1 << 16 };

struct bytes {
  uint8_t *data;
  size_t size;
};

static struct bytes seeds[MOST_SEEDS];
static unsigned num_seeds;
kiln_device *fuzz_device;
static uint64_t state = 1;

/* ---- coverage ---- */

#ifdef KILN_FUZZ
static uint8_t reached[1 << 20];
static bool is_new;

/* Called by GCC's instrumented code at each basic block. */
__attribute__((visibility("default"))) void __sanitizer_cov_trace_pc(void);
__attribute__((no_sanitize("address", "undefined"), no_sanitize_coverage)) void
__sanitizer_cov_trace_pc(void) {
  uint64_t pc = (uint64_t)__builtin_return_address(0);
  uint8_t *at = &reached[(pc * 0x9E3779B97F4A7C15u) >> 44];
  if (*at != 0) return;
  *at = 1;
  is_new = true;
}
#else
static const bool is_new = false;
#endif

static void keep(const char *target, const uint8_t *data, size_t size) {
  static unsigned count;
  const char *folder = getenv("KEEP");
  char path[512];
  if (folder == NULL) return;
  snprintf(path, sizeof path, "%s/%s-%03u", folder, target, count++);
  if (!kiln_os_publish_file(path, data, size)) exit(2);
}

/* ---- seeds ---- */

static uint64_t random_number(uint64_t below) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return below == 0 ? 0 : (state >> 11) % below;
}

void fuzz_seed(const void *data, size_t size) {
  if (num_seeds == MOST_SEEDS || size > MOST_BYTES) return;
  seeds[num_seeds].data = malloc(size + 1);
  memcpy(seeds[num_seeds].data, data, size);
  seeds[num_seeds++].size = size;
}

/* ---- mutation ---- */

static size_t insert_bytes(uint8_t *data, size_t size, size_t at) {
  const struct bytes *from = &seeds[random_number(num_seeds)];
  size_t start = random_number(from->size + 1), count = random_number(from->size - start + 1);
  if (count > MOST_BYTES - size) count = MOST_BYTES - size;
  memmove(data + at + count, data + at, size - at);
  memcpy(data + at, from->data + start, count);
  return size + count;
}

static void write_number(uint8_t *data, size_t size, size_t at) {
  static const uint64_t values[] = {0,     1,         2,          127,       255,       32768,
                                    65535, INT32_MAX, UINT32_MAX, INT64_MAX, UINT64_MAX};
  uint64_t value = values[random_number(sizeof values / sizeof *values)];
  size_t width = (size_t)1 << random_number(4);
  if (at + width <= size) memcpy(data + at, &value, width);
}

static size_t mutate(uint8_t *data, size_t size) {
  size_t at = random_number(size + 1);
  switch (random_number(6)) {
  case 0:
    return at; /* cut */
  case 1:
    return insert_bytes(data, size, at);
  case 2: { /* leave some out */
    size_t count = random_number(size - at + 1);
    memmove(data + at, data + at + count, size - at - count);
    return size - count;
  }
  case 3:
    write_number(data, size, at);
    return size;
  default:
    if (at < size) data[at] ^= (uint8_t)(1u << random_number(8));
    return size;
  }
}

/* The bytes at the end of a readable page, so that a step past them is a fault. */
static void attempt(const struct fuzz_target *t, const uint8_t *data, size_t size) {
  static uint8_t *page;
  size_t live = kiln_alloc_live();
  if (page == NULL) {
    page = mmap(NULL, MOST_BYTES + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED || mprotect(page + MOST_BYTES, 4096, PROT_NONE) != 0) exit(2);
  }
  uint8_t *copy = page + MOST_BYTES - size;
  memcpy(copy, data, size);
  t->attempt(copy, size);
  if (kiln_alloc_live() == live) return;
  fprintf(stderr, "memory is lost\n");
  abort();
}

static uint8_t *open_input(const char *name) {
  char path[256];
  snprintf(path, sizeof path, "fuzz-%s.input", name);
  int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0 || ftruncate(fd, MOST_BYTES) != 0) exit(2);
  uint8_t *input = mmap(NULL, MOST_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (input == MAP_FAILED) exit(2);
  return input;
}

static void attempt_new(const struct fuzz_target *t, const uint8_t *data, size_t size) {
#ifdef KILN_FUZZ
  is_new = false;
#endif
  attempt(t, data, size);
  if (!is_new) return;
  fuzz_seed(data, size);
  keep(t->name, data, size);
}

static void fuzz(const struct fuzz_target *t, uint64_t seconds) {
  uint8_t *input = open_input(t->name);
  uint64_t count = 0, end = kiln_os_now_ns() + seconds * 1000000000u;
  for (unsigned i = 0, n = num_seeds; i < n; i++) attempt_new(t, seeds[i].data, seeds[i].size);
  for (; kiln_os_now_ns() < end; count++) {
    const struct bytes *seed = &seeds[random_number(num_seeds)];
    size_t size = seed->size;
    memcpy(input, seed->data, size);
    for (uint64_t n = 1 + random_number(8); n > 0; n--) size = mutate(input, size);
    attempt_new(t, input, size);
  }
  printf("%s: %u seeds, %llu inputs\n", t->name, num_seeds, (unsigned long long)count);
}

static bool add_file(const char *path) {
  uint8_t *data;
  size_t size;
  if (!kiln_os_read_file(path, &data, &size)) return false;
  fuzz_seed(data, size);
  kiln_free(data);
  return true;
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  if (argc > 3) state = strtoull(argv[3], NULL, 0) | 1;
  fuzz_device = support_root();
  for (unsigned i = 0; i < num_fuzz_targets; i++) {
    if (strcmp(fuzz_targets[i].name, argv[1]) != 0) continue;
    fuzz_targets[i].seed();
    for (int k = 4; k < argc; k++)
      if (!add_file(argv[k])) return 2;
    fuzz(&fuzz_targets[i], strtoull(argv[2], NULL, 0));
    kiln_unref(&fuzz_device);
    return 0;
  }
  return 2;
}
