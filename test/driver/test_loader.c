/* load and unload: an object with every kind of relocation runs, damaged ones are refused and never crash. */
#include "support.h"
#include "test.h"

#include "drivers/cpu/symbols.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct loader_result { /* as in loader_object.c */
  double sum;
  char name[8];
  int counter, zero, same;
  float fused;
  uint8_t bytes[600];
};

static kiln_device *device;
static uint8_t *object;
static size_t object_size;

static int set_up(void **state) {
  device = support_root();
  return kiln_os_read_file(LOADER_OBJECT, &object, &object_size) ? 0 : -1;
}

static int tear_down(void **state) {
  kiln_free(object);
  kiln_unref(&device);
  return 0;
}

static void expect_result(const struct loader_result *result, int counter) {
  assert_true(result->sum == 8.0);
  assert_string_equal(result->name, "second");
  assert_int_equal(result->counter, counter);
  assert_int_equal(result->same, 0);
  assert_true(result->fused == 8.5f);
  assert_int_equal(result->bytes[399], 4);
  assert_int_equal(result->bytes[400], 0);
}

static void object_runs(void **state) {
  struct kiln_code *code = NULL;
  char *message = NULL;
  assert_int_equal(kiln_code_load(device->backend, object, object_size, "test", &code, &message), CL_SUCCESS);
  assert_null(message);
  assert_int_equal(code->lanes, 8);
  assert_true(kiln_code_any_number(code));
  struct loader_result result = {0}, *pointer = &result;
  struct kiln_launch launch = {.args = (const uint8_t *)&pointer};
  struct kiln_worker worker = {0};
  code->function(&launch, &worker, 0, 4);
  expect_result(&result, 44);
  kiln_code_unload(device->backend, code);
  /* Loaded anew, data starts anew. */
  assert_int_equal(kiln_code_load(device->backend, object, object_size, "test", &code, &message), CL_SUCCESS);
  memset(&result, 0, sizeof result);
  code->function(&launch, &worker, 0, 4);
  expect_result(&result, 44);
  kiln_code_unload(device->backend, code);
}

/* Loads a damaged copy, at the end of its allocation so that sanitizers see reads past it. */
static cl_int try_load(const uint8_t *bytes, size_t size) {
  struct kiln_code *code = NULL;
  char *message = NULL;
  uint8_t *copy = malloc(size == 0 ? 1 : size);
  memcpy(copy, bytes, size);
  cl_int err = kiln_code_load(device->backend, copy, size, "damaged", &code, &message);
  assert_true((err == CL_SUCCESS) == (message == NULL));
  kiln_code_unload(device->backend, code);
  kiln_free(message);
  free(copy);
  return err;
}

static void truncated_objects_are_refused(void **state) {
  for (size_t size = 0; size < object_size; size += size < 200 ? 1 : 37)
    assert_int_equal(try_load(object, size), CL_INVALID_BINARY);
}

static void flipped_bits_never_crash(void **state) {
  uint8_t *copy = malloc(object_size);
  srand(1);
  for (int i = 0; i < 20000; i++) {
    memcpy(copy, object, object_size);
    int flips = 1 + rand() % 4;
    for (int f = 0; f < flips; f++) copy[(size_t)rand() % object_size] ^= (uint8_t)(1 << rand() % 8);
    try_load(copy, object_size);
  }
  /* The headers and tables are where damage would hurt most. */
  Elf64_Ehdr header;
  memcpy(&header, object, sizeof header);
  for (size_t at = 0; at < sizeof header + header.e_shnum * sizeof(Elf64_Shdr); at++) {
    size_t offset = at < sizeof header ? at : header.e_shoff + at - sizeof header;
    static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
    for (int v = 0; v < 5; v++) {
      memcpy(copy, object, object_size);
      copy[offset] = values[v];
      try_load(copy, object_size);
    }
  }
  free(copy);
}

static void unknown_symbols_are_named(void **state) {
  uint8_t *copy = malloc(object_size);
  memcpy(copy, object, object_size);
  uint8_t *name = memmem(copy, object_size, "\0fmaf", 6);
  assert_non_null(name);
  name[4] = 'q';
  struct kiln_code *code = NULL;
  char *message = NULL;
  assert_int_equal(kiln_code_load(device->backend, copy, object_size, "test", &code, &message),
                   CL_INVALID_BINARY);
  assert_string_equal(message, "symbol fmaq is undefined");
  kiln_free(message);
  free(copy);
}

static void allocation_failures_are_clean(void **state) {
  for (size_t n = 1;; n++) {
    struct kiln_code *code = NULL;
    char *message = NULL;
    size_t live = kiln_alloc_live();
    kiln_alloc_fail_nth(n);
    cl_int err = kiln_code_load(device->backend, object, object_size, "test", &code, &message);
    bool failed = kiln_alloc_fail_nth(0) >= n;
    kiln_free(message);
    kiln_code_unload(device->backend, code);
    assert_int_equal(kiln_alloc_live(), live);
    if (!failed) {
      assert_int_equal(err, CL_SUCCESS);
      return;
    }
  }
}

static void perf_map_lists_the_kernel(void **state) {
  char path[64];
  snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
  setenv("KILN_PERF_MAP", "1", 1);
  struct kiln_code *code = NULL;
  assert_int_equal(kiln_code_load(device->backend, object, object_size, "my_kernel", &code, NULL),
                   CL_SUCCESS);
  unsetenv("KILN_PERF_MAP");
  uint8_t *text = NULL;
  size_t size;
  assert_true(kiln_os_read_file(path, &text, &size));
  unlink(path);
  char line[64];
  snprintf(line, sizeof line, "%llx ", (unsigned long long)(uintptr_t)code->function);
  assert_non_null(strstr((char *)text, line));
  assert_non_null(strstr((char *)text, " my_kernel\n"));
  kiln_free(text);
  kiln_code_unload(device->backend, code);
}

/* What LLVM makes of instructions that a processor lacks (a half's maximum is a float's, by a call). */
static void functions_of_code_generation(void **state) {
  static const char *const names[] = {"memcpy", "fmaf",   "fmodf",         "fmaxf",
                                      "fminf",  "floorf", "__extendhfsf2", "__truncsfhf2"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) assert_true(kiln_symbol_address(names[i]) != 0);
  assert_true(kiln_symbol_address("system") == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(object_runs),
      cmocka_unit_test(truncated_objects_are_refused),
      cmocka_unit_test(flipped_bits_never_crash),
      cmocka_unit_test(unknown_symbols_are_named),
      cmocka_unit_test(functions_of_code_generation),
      cmocka_unit_test(allocation_failures_are_clean),
      cmocka_unit_test(perf_map_lists_the_kernel),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
