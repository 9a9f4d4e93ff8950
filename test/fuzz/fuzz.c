/* Readers of bytes from outside, fed with seeds that are cut, flipped, spliced and blown up. What a target
 * does with them is up to it; a crash, a report of a sanitizer or memory that is lost ends the run.
 *
 * fuzz TARGET SECONDS [SEED [FILE...]]: files are tried as they are, then mutated along with the target's own
 * seeds. The input under way lies in fuzz-TARGET.input while the run lasts. */
#include "base/alloc.h"
#include "base/os.h"
#include "compiler/compiler.h"
#include "support.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_SEEDS = 64, MOST_BYTES = 1 << 16 };

struct bytes {
  uint8_t *data;
  size_t size;
};

static struct bytes seeds[MOST_SEEDS];
static unsigned num_seeds;
static kiln_device *device;
static uint64_t state = 1;

static uint64_t random_number(uint64_t below) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return below == 0 ? 0 : (state >> 11) % below;
}

static void add_seed(const void *data, size_t size) {
  if (num_seeds == MOST_SEEDS || size > MOST_BYTES) return;
  seeds[num_seeds].data = malloc(size + 1);
  memcpy(seeds[num_seeds].data, data, size);
  seeds[num_seeds++].size = size;
}

/* ---- targets ---- */

static void seed_options(void) {
  static const char *const texts[] = {
      "-cl-std=CL3.0 -D A=1 -I \"a b\" -cl-mad-enable -w", "-DA=\\\"text\\\" -DC=' ' -Wno-x -O2",
      "-create-library -enable-link-options -cl-fast-relaxed-math", "-kiln-width=8 -kiln-explain -g -Werror"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) add_seed(texts[i], strlen(texts[i]));
}

static void try_options(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1), *bad = NULL;
  struct kiln_options options;
  memcpy(text, data, size);
  text[size] = '\0';
  for (int use = KILN_OPTIONS_BUILD; use <= KILN_OPTIONS_LINK; use++) {
    if (kiln_options_parse(text, (enum kiln_options_use)use, &options, &bad) == CL_SUCCESS)
      kiln_options_finish(&options);
    kiln_free(bad);
    bad = NULL;
  }
  free(text);
}

static struct kiln_kernel_info *a_kernel(void) {
  static struct kiln_arg_info args[] = {{"a", "int*", 0, 0, 0, KILN_ARG_GLOBAL, 8, 0, 8, 0},
                                        {"l", "int*", 0, 0, 0, KILN_ARG_LOCAL, 0, 8, 4, 0}};
  static struct kiln_kernel_info kernel = {"k", "", 2, args, 12, {8, 1, 1}, {0, 0, 0}, 128, 16, 32, 1, 3};
  return &kernel;
}

static struct kiln_program_image an_image(void) {
  static struct kiln_include includes[] = {{"/a.h", 1, 0}};
  return (struct kiln_program_image){.type = KILN_PROGRAM_IMAGE_EXECUTABLE,
                                     .bitcode = (uint8_t *)"code",
                                     .bitcode_size = 4,
                                     .num_kernels = 1,
                                     .kernels = a_kernel(),
                                     .options = "-w",
                                     .num_includes = 1,
                                     .includes = includes};
}

static void seed_wire(void) {
  struct kiln_program_image image = an_image();
  const struct kiln_program_image *inputs[] = {&image, &image};
  const struct kiln_target target = {"+avx2", "", "", "", 300, 64, 0, 1};
  struct kiln_request q = {
      .kind = KILN_REQUEST_CODEGEN, .target = target, .options = "", .image = &image, .kernel = "k"};
  for (int kind = 0; kind <= KILN_REQUEST_CODEGEN; kind++) {
    struct kiln_blob b = {0};
    q.kind = (uint32_t)kind;
    q.inputs = inputs;
    q.num_inputs = kind == KILN_REQUEST_LINK ? 2 : 0;
    kiln_request_put(&b, &q);
    add_seed(b.data, b.size);
    kiln_blob_finish(&b);
  }
  struct kiln_blob b = {0};
  const struct kiln_reply reply = {
      .log = "log", .image = image, .object = (uint8_t *)"object", .object_size = 6};
  kiln_reply_put(&b, &reply);
  add_seed(b.data, b.size);
  kiln_blob_finish(&b);
}

static void try_wire(const uint8_t *data, size_t size) {
  struct kiln_reader r = kiln_reader_init(data, size);
  struct kiln_request request;
  struct kiln_reply reply;
  kiln_request_read(&r, &request);
  kiln_request_finish(&request);
  r = kiln_reader_init(data, size);
  kiln_reply_read(&r, &reply);
  kiln_reply_finish(&reply);
}

static void seed_object(void) {
  uint8_t *data;
  size_t size;
  if (!kiln_os_read_file(LOADER_OBJECT, &data, &size)) exit(2);
  add_seed(data, size);
  kiln_free(data);
}

static void try_object(const uint8_t *data, size_t size) {
  struct kiln_code *code = NULL;
  char *message = NULL;
  if (kiln_code_load(device->backend, data, size, "fuzz", &code, &message) == CL_SUCCESS)
    kiln_code_unload(device->backend, code);
  kiln_free(message);
}

static const struct target {
  const char *name;
  void (*seed)(void);
  void (*attempt)(const uint8_t *data, size_t size);
} targets[] = {{"options", seed_options, try_options},
               {"wire", seed_wire, try_wire},
               {"object", seed_object, try_object}};

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
static void attempt(const struct target *t, const uint8_t *data, size_t size) {
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

static void fuzz(const struct target *t, uint64_t seconds) {
  uint8_t *input = open_input(t->name);
  uint64_t count = 0, end = kiln_os_now_ns() + seconds * 1000000000u;
  for (unsigned i = 0; i < num_seeds; i++) attempt(t, seeds[i].data, seeds[i].size);
  for (; kiln_os_now_ns() < end; count++) {
    const struct bytes *seed = &seeds[random_number(num_seeds)];
    size_t size = seed->size;
    memcpy(input, seed->data, size);
    for (uint64_t n = 1 + random_number(8); n > 0; n--) size = mutate(input, size);
    attempt(t, input, size);
  }
  printf("%s: %llu inputs\n", t->name, (unsigned long long)count);
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  if (argc > 3) state = strtoull(argv[3], NULL, 0) | 1;
  device = support_root();
  for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
    if (strcmp(targets[i].name, argv[1]) != 0) continue;
    targets[i].seed();
    for (int k = 4; k < argc; k++) {
      uint8_t *data;
      size_t size;
      if (!kiln_os_read_file(argv[k], &data, &size)) return 2;
      add_seed(data, size);
      kiln_free(data);
    }
    fuzz(&targets[i], strtoull(argv[2], NULL, 0));
    kiln_unref(&device);
    return 0;
  }
  return 2;
}
