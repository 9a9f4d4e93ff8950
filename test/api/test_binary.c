/* Program binaries: what they carry, other processors, broken ones. */
#include "api/fake_compiler.h"

#include "core/cache.h"
#include "core/kernel.h"

static const char source[] = "kernel void k(int n) {}\n"
                             "__attribute__((reqd_work_group_size(8,4,1)))\nkernel void fixed() {}\n";

struct binary {
  size_t size;
  unsigned char *data;
};

static struct binary binary_of(cl_program program) {
  struct binary b;
  expect_success(kiln_clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof b.size, &b.size, NULL));
  assert_true(b.size > 0);
  b.data = malloc(b.size);
  expect_success(kiln_clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof b.data, &b.data, NULL));
  return b;
}

static cl_program load(const struct fixture *f, const struct binary *b, cl_int *err) {
  const unsigned char *data = b->data;
  cl_int status = 99;
  cl_program program =
      kiln_clCreateProgramWithBinary(f->context, 1, &f->device, &b->size, &data, &status, err);
  assert_int_equal(status, *err);
  return program;
}

/* Runs kernel k of a built program. */
static void run(const struct fixture *f, cl_program program) {
  cl_int n = 5;
  cl_kernel kernel = fake_kernel_of(program, "k");
  expect_success(kiln_clSetKernelArg(kernel, 0, sizeof n, &n));
  fake_run(f, kernel, 64, 16);
  assert_string_equal(fake_last_launch()->kernel, "k");
  assert_memory_equal(fake_last_launch()->args, &n, sizeof n);
  expect_success(kiln_clReleaseKernel(kernel));
}

static void run_loaded(const struct fixture *f, cl_program program) {
  expect_success(kiln_clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
  run(f, program);
}

/* A binary with the code of k for local size 16; the cache is empty again. */
static struct binary make(const struct fixture *f, const char *options) {
  cl_program program = fake_build(f, source, options);
  run(f, program);
  struct binary b = binary_of(program);
  expect_success(kiln_clReleaseProgram(program));
  fake_drain();
  fake_clear_cache();
  kiln_cache_forget();
  fake_reset();
  return b;
}

static void a_binary_needs_no_compiler(void **state) {
  struct fixture *f = *state;
  struct binary b = make(f, "-D A");
  cl_int err;
  cl_program program = load(f, &b, &err);
  expect_success(err);
  cl_program_binary_type type;
  cl_build_status status;
  char text[16];
  expect_success(
      kiln_clGetProgramBuildInfo(program, f->device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL));
  assert_int_equal(type, CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
  expect_success(
      kiln_clGetProgramBuildInfo(program, f->device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
  assert_int_equal(status, CL_BUILD_NONE);
  assert_null(kiln_clCreateKernel(program, "k", &err));
  assert_int_equal(err, CL_INVALID_PROGRAM_EXECUTABLE);
  run_loaded(f, program);
  fake_expect_count(fake.compiles, 0);
  fake_expect_count(fake.codegens, 0); /* under failure the binary may lack what is made ahead of its use */
  expect_success(kiln_clGetProgramInfo(program, CL_PROGRAM_SOURCE, sizeof text, text, NULL));
  assert_string_equal(text, "");
  expect_error(CL_INVALID_OPERATION, "has no source",
               kiln_clCompileProgram(program, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
  run_loaded(f, program); /* again: the program keeps its binary */
  expect_success(kiln_clReleaseProgram(program));
  free(b.data);
}

static void a_binary_of_a_binary(void **state) {
  struct fixture *f = *state;
  struct binary b = make(f, NULL);
  cl_int err;
  cl_program program = load(f, &b, &err);
  struct binary unbuilt = binary_of(program);
  run_loaded(f, program);
  struct binary again = binary_of(program);
  expect_success(kiln_clReleaseProgram(program));
  fake_clear_cache();
  program = load(f, &again, &err);
  run_loaded(f, program);
  expect_success(kiln_clReleaseProgram(program));
  program = load(f, &unbuilt, &err);
  run_loaded(f, program);
  if (!alloc_fail_active()) assert_int_equal(fake.codegens, 0); /* under failure one may be missing in each */
  expect_success(kiln_clReleaseProgram(program));
  free(b.data);
  free(again.data);
  free(unbuilt.data);
}

static void another_processor_makes_its_own_code(void **state) {
  struct fixture *f = *state;
  struct kiln_target *target = &f->device->backend->caps.target;
  const char *features = target->features;
  struct binary b = make(f, NULL);
  cl_int err;
  fake_drain(); /* the compile thread reads it */
  target->features = "+another";
  cl_program program = load(f, &b, &err);
  run_loaded(f, program);
  struct binary other = binary_of(program); /* waits for code under way */
  fake_expect_count(fake.compiles, 0);
  fake_expect_count(fake.codegens, 2); /* k, and fixed with the build */
  free(other.data);
  expect_success(kiln_clReleaseProgram(program));
  target->features = features;
  free(b.data);
}

static void objects_and_libraries_link_after_loading(void **state) {
  struct fixture *f = *state;
  cl_int err;
  cl_program program = fake_source(f, source);
  expect_success(kiln_clCompileProgram(program, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
  struct binary object = binary_of(program);
  expect_success(kiln_clReleaseProgram(program));
  cl_program loaded = load(f, &object, &err), library;
  expect_success(err);
  expect_error(CL_INVALID_BINARY, "compiled object or a library",
               kiln_clBuildProgram(loaded, 0, NULL, NULL, NULL, NULL));
  library = kiln_clLinkProgram(f->context, 0, NULL, "-create-library", 1, &loaded, NULL, NULL, &err);
  expect_success(err);
  struct binary archive = binary_of(library);
  cl_program reloaded = load(f, &archive, &err);
  cl_program_binary_type type;
  expect_success(
      kiln_clGetProgramBuildInfo(reloaded, f->device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL));
  assert_int_equal(type, CL_PROGRAM_BINARY_TYPE_LIBRARY);
  program = kiln_clLinkProgram(f->context, 0, NULL, NULL, 1, &reloaded, NULL, NULL, &err);
  expect_success(err);
  cl_kernel kernel = fake_kernel_of(program, "k");
  expect_success(kiln_clReleaseKernel(kernel));
  cl_program all[] = {loaded, library, reloaded, program};
  for (int i = 0; i < 4; i++) expect_success(kiln_clReleaseProgram(all[i]));
  free(object.data);
  free(archive.data);
}

static void attributes_and_arguments_after_loading(void **state) {
  struct fixture *f = *state;
  const char *options[] = {NULL, "-cl-kernel-arg-info"};
  for (int i = 0; i < 2; i++) {
    struct binary b = make(f, options[i]);
    cl_int err;
    char text[64];
    cl_program program = load(f, &b, &err);
    expect_success(kiln_clBuildProgram(program, 0, NULL, options[i], NULL, NULL));
    cl_kernel kernel = fake_kernel_of(program, "fixed"), k = fake_kernel_of(program, "k");
    expect_success(kiln_clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES, sizeof text, text, NULL));
    assert_string_equal(text, "");
    if (i == 1) expect_success(kiln_clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_NAME, sizeof text, text, NULL));
    else
      expect_error(CL_KERNEL_ARG_INFO_NOT_AVAILABLE, "without -cl-kernel-arg-info",
                   kiln_clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_NAME, sizeof text, text, NULL));
    expect_success(kiln_clReleaseKernel(k));
    expect_success(kiln_clReleaseKernel(kernel));
    expect_success(kiln_clReleaseProgram(program));
    free(b.data);
  }
}

/* ---- the queries ---- */

static void the_size_holds_until_the_binary_is_taken(void **state) {
  struct fixture *f = *state;
  cl_int n = 1;
  cl_program program = fake_build(f, source, NULL);
  cl_kernel kernel = fake_kernel_of(program, "k");
  expect_success(kiln_clSetKernelArg(kernel, 0, sizeof n, &n));
  size_t before, after;
  expect_success(kiln_clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof before, &before, NULL));
  unsigned char *data = malloc(before + 1);
  data[before] = 0xa5;
  fake_run(f, kernel, 64, 16); /* more code */
  expect_success(kiln_clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof data, &data, NULL));
  assert_int_equal(data[before], 0xa5);
  expect_success(kiln_clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof after, &after, NULL));
  assert_true(after > before);
  unsigned char *none = NULL;
  expect_success(kiln_clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof none, &none, NULL));
  expect_success(kiln_clGetProgramInfo(program, CL_PROGRAM_BINARIES, 0, NULL, &after));
  assert_int_equal(after, sizeof none);
  expect_error(CL_INVALID_VALUE, "7 is smaller than the 8",
               kiln_clGetProgramInfo(program, CL_PROGRAM_BINARIES, 7, &data, NULL));
  free(data);
  expect_success(kiln_clReleaseKernel(kernel));
  expect_success(kiln_clReleaseProgram(program));
}

static void creation_checks_its_arguments(void **state) {
  struct fixture *f = *state;
  const unsigned char byte = 0, *data = &byte, *none = NULL;
  cl_device_id junk = not_a_handle();
  size_t size = 1, zero = 0;
  cl_int status = 99;
  expect_no_handle(CL_INVALID_CONTEXT, "context",
                   kiln_clCreateProgramWithBinary(NULL, 1, &f->device, &size, &data, NULL, &err));
  expect_no_handle(CL_INVALID_VALUE, "device_list is NULL",
                   kiln_clCreateProgramWithBinary(f->context, 1, NULL, &size, &data, NULL, &err));
  expect_no_handle(CL_INVALID_VALUE, "num_devices is 0",
                   kiln_clCreateProgramWithBinary(f->context, 0, &f->device, &size, &data, NULL, &err));
  expect_no_handle(CL_INVALID_DEVICE, "device_list[0]",
                   kiln_clCreateProgramWithBinary(f->context, 1, &junk, &size, &data, NULL, &err));
  expect_no_handle(CL_INVALID_VALUE, "lengths is NULL",
                   kiln_clCreateProgramWithBinary(f->context, 1, &f->device, NULL, &data, NULL, &err));
  expect_no_handle(CL_INVALID_VALUE, "lengths[0] is 0",
                   kiln_clCreateProgramWithBinary(f->context, 1, &f->device, &zero, &data, &status, &err));
  assert_int_equal(status, CL_INVALID_VALUE);
  expect_no_handle(CL_INVALID_VALUE, "binaries[0] is NULL",
                   kiln_clCreateProgramWithBinary(f->context, 1, &f->device, &size, &none, NULL, &err));
  expect_no_handle(CL_INVALID_BINARY, "was not made by Kiln",
                   kiln_clCreateProgramWithBinary(f->context, 1, &f->device, &size, &data, &status, &err));
  assert_int_equal(status, CL_INVALID_BINARY);
}

/* ---- broken binaries ---- */

/* From one position to the next; further when every allocation is to fail in turn. */
static size_t step(size_t usual) { return alloc_fail_active() ? 301 : usual; }

static void every_cut_is_noticed(void **state) {
  struct fixture *f = *state;
  struct binary b = make(f, NULL);
  for (size_t size = 1; size < b.size; size += step(1)) {
    unsigned char *copy = malloc(size); /* so that a sanitizer sees a read past the end */
    memcpy(copy, b.data, size);
    cl_int err;
    assert_null(load(f, &(struct binary){size, copy}, &err));
    assert_int_equal(err, CL_INVALID_BINARY);
    free(copy);
  }
  free(b.data);
}

static void every_flipped_bit_is_noticed(void **state) {
  struct fixture *f = *state;
  struct binary b = make(f, NULL);
  for (size_t bit = 0; bit < b.size * 8; bit += step(1)) {
    cl_int err;
    b.data[bit / 8] ^= (unsigned char)(1 << bit % 8);
    assert_null(load(f, &b, &err));
    assert_int_equal(err, CL_INVALID_BINARY);
    b.data[bit / 8] ^= (unsigned char)(1 << bit % 8);
  }
  free(b.data);
}

static void sign(struct binary *b) {
  uint64_t checksum = kiln_hash64(b->data + 32, b->size - 32);
  memcpy(b->data + 24, &checksum, sizeof checksum);
}

/* Nonsense with a good checksum, as a fuzzer would make it: refused or loaded, never a crash. */
static void nonsense_does_no_harm(void **state) {
  struct fixture *f = *state;
  struct binary b = make(f, NULL);
  for (size_t at = 32; at < b.size; at += step(1)) {
    for (int value = 0; value < 3; value++) {
      static const unsigned char values[] = {0, 1, 255};
      unsigned char saved = b.data[at];
      cl_int err;
      b.data[at] = values[value];
      sign(&b);
      cl_program program = load(f, &b, &err);
      if (program != NULL) expect_success(kiln_clReleaseProgram(program));
      else assert_int_equal(err, CL_INVALID_BINARY);
      b.data[at] = saved;
    }
  }
  free(b.data);
}

static void other_versions_are_told_apart(void **state) {
  struct fixture *f = *state;
  struct binary b = make(f, NULL);
  const unsigned char *data = b.data;
  b.data[8] = 77;
  expect_no_handle(CL_INVALID_BINARY, "has format 77",
                   kiln_clCreateProgramWithBinary(f->context, 1, &f->device, &b.size, &data, NULL, &err));
  free(b.data);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, fake_open_fixture, fake_close_fixture)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(a_binary_needs_no_compiler),
      TEST(a_binary_of_a_binary),
      TEST(another_processor_makes_its_own_code),
      TEST(objects_and_libraries_link_after_loading),
      TEST(attributes_and_arguments_after_loading),
      TEST(the_size_holds_until_the_binary_is_taken),
      TEST(creation_checks_its_arguments),
      TEST(every_cut_is_noticed),
      TEST(every_flipped_bit_is_noticed),
      TEST(nonsense_does_no_harm),
      TEST(other_versions_are_told_apart),
  };
  return alloc_fail_run_group(tests, NULL, NULL);
}
