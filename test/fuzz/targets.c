/* The readers under test. */
#include "fuzz.h"

#include "base/alloc.h"
#include "base/config.h"
#include "base/hash.h"
#include "base/os.h"
#include "compiler/compiler.h"
#include "core/binary.h"
#include "core/cache.h"
#include "core/variant.h"
#include "drivers/cpu/code.h"
#include "drivers/cpu/memory.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void seed_options(void) {
  static const char *const texts[] = {
      "-cl-std=CL3.0 -D A=1 -I \"a b\" -cl-mad-enable -w", "-DA=\\\"text\\\" -DC=' ' -Wno-x -O2",
      "-create-library -enable-link-options -cl-fast-relaxed-math", "-kiln-width=8 -kiln-explain -g -Werror"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) fuzz_seed(texts[i], strlen(texts[i]));
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
  static struct kiln_arg_info args[] = {{"a", "int*", 0, 0, 0, KILN_ARG_GLOBAL, 8, 0, 8, 0, 0, 0, 0, 0},
                                        {"l", "int*", 0, 0, 0, KILN_ARG_LOCAL, 0, 8, 4, 0, 0, 0, 0, 0}};
  static struct kiln_kernel_info kernel = {"k", "", 2,  args, 12, {8, 1, 1}, {0, 0, 0},
                                           128, 16, 32, 1,    0,  3,         {0}};
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
    fuzz_seed(b.data, b.size);
    kiln_blob_finish(&b);
  }
  struct kiln_blob b = {0};
  const struct kiln_reply reply = {
      .log = "log", .image = image, .object = (uint8_t *)"object", .object_size = 6};
  kiln_reply_put(&b, &reply);
  fuzz_seed(b.data, b.size);
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
  fuzz_seed(data, size);
  kiln_free(data);
}

static void try_object(const uint8_t *data, size_t size) {
  struct kiln_code *code = NULL;
  char *message = NULL;
  if (kiln_code_load(fuzz_device->backend, data, size, "fuzz", &code, &message) == CL_SUCCESS)
    kiln_code_unload(fuzz_device->backend, code);
  kiln_free(message);
}

/* ---- program binaries ---- */

/* Where a binary says how long the rest is, and its checksum; the rest follows. */
enum { BINARY_SIZE_AT = 16, BINARY_CHECKSUM_AT = 24, BINARY_HEADER = 32 };

static struct kiln_build *a_build(void) {
  struct kiln_blob b = {0};
  struct kiln_program_image image = an_image(), copy = {0};
  kiln_program_image_put(&b, &image);
  struct kiln_reader r = kiln_reader_init(b.data, b.size);
  kiln_program_image_read(&r, &copy); /* all its own memory, as the build frees it */
  kiln_blob_finish(&b);
  struct kiln_build *build = kiln_build_new(fuzz_device);
  struct kiln_product *product = kiln_product_new(&copy);
  if (build == NULL || product == NULL || kiln_build_adopt(build, product) != CL_SUCCESS) exit(2);
  kiln_build_publish(build, CL_BUILD_SUCCESS);
  return build;
}

static void add_variant(struct kiln_build *build, const void *object, size_t size) {
  const struct kiln_spec spec = {.local_size = {8, 1, 1}};
  struct kiln_variant *v = kiln_variant_add(build, &build->product->image.kernels[0], &spec);
  if (v == NULL) exit(2);
  v->object.data = kiln_alloc(size);
  v->object.size = size;
  memcpy(v->object.data, object, size);
}

static void seed_binary(void) {
  struct kiln_build *build = a_build();
  for (int variants = 0; variants < 2; variants++) {
    size_t size = 0;
    if (variants != 0) add_variant(build, "object", 6);
    if (kiln_binary_size(build, &size) != CL_SUCCESS) exit(2);
    uint8_t *data = malloc(size);
    kiln_binary_copy(build, data);
    fuzz_seed(data, size);
    free(data);
  }
  kiln_build_unref(&build);
}

static void read_binary(const uint8_t *data, size_t size) {
  char why[256];
  struct kiln_build *build = kiln_build_new(fuzz_device);
  if (build == NULL) exit(2);
  kiln_binary_read(data, size, build, why, sizeof why);
  kiln_build_publish(build, CL_BUILD_ERROR);
  kiln_build_unref(&build);
  kiln_memory_forget(); /* what large program-scope variables leave behind is not lost */
}

/* As it is, and with a length and a checksum that are right. */
static void try_binary(const uint8_t *data, size_t size) {
  read_binary(data, size);
  if (size < BINARY_HEADER) return;
  uint8_t *sealed = malloc(size);
  uint64_t rest = size - BINARY_HEADER, checksum = kiln_hash64(data + BINARY_HEADER, rest);
  memcpy(sealed, data, size);
  memcpy(sealed + BINARY_SIZE_AT, &rest, sizeof rest);
  memcpy(sealed + BINARY_CHECKSUM_AT, &checksum, sizeof checksum);
  read_binary(sealed, size);
  free(sealed);
}

/* ---- entries of the cache ---- */

static const struct kiln_key entry_key = {{UINT64_C(0x1122334455667788), 42}};

/* The file that holds the entry of that key. */
static void entry_path(char *out, size_t size) {
  char folder[512];
  if (!kiln_disk_folder(folder, sizeof folder)) exit(2);
  snprintf(out, size, "%s/11/1122334455667788%016x", folder, 42);
}

static void seed_entry(void) {
  char path[640];
  if (setenv("KILN_CACHE_DIR", "fuzz-entry.cache", 1) != 0) exit(2);
  uint8_t *data;
  size_t size;
  if (!kiln_disk_put(KILN_CACHE_OBJECT, &entry_key, "payload", 7)) exit(2);
  entry_path(path, sizeof path);
  if (!kiln_os_read_file(path, &data, &size)) exit(2);
  fuzz_seed(data, size);
  kiln_free(data);
}

static void try_entry(const uint8_t *data, size_t size) {
  char path[640];
  uint8_t *payload;
  size_t payload_size;
  entry_path(path, sizeof path);
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0 || write(fd, data, size) != (ssize_t)size) exit(2);
  close(fd);
  if (kiln_disk_get(KILN_CACHE_OBJECT, &entry_key, &payload, &payload_size)) kiln_free(payload);
}

const struct fuzz_target fuzz_targets[] = {{"options", seed_options, try_options},
                                           {"wire", seed_wire, try_wire},
                                           {"object", seed_object, try_object},
                                           {"binary", seed_binary, try_binary},
                                           {"entry", seed_entry, try_entry}};
const unsigned num_fuzz_targets = sizeof fuzz_targets / sizeof *fuzz_targets;
