/* Program binaries in other processes: without source, on processors with fewer features, in parts; and the
 * cache folder when it is missing, closed or full. Processes are this program again: COMMAND FILE. */
#include "program/program.h"

#include "base/os.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

static const char *self;

static const char source[] = "float twice(float x) { return x * 2; }\n"
                             "kernel void k(global int *a) { size_t i = get_global_id(0);\n"
                             "  local int l[64]; l[get_local_id(0)] = a[i]; barrier(CLK_LOCAL_MEM_FENCE);\n"
                             "  a[i] = (int)twice(l[get_local_size(0) - 1 - get_local_id(0)]) + 1; }\n";

static void expect_right(const struct fixture *f, cl_program program) {
  cl_int data[64];
  for (cl_int i = 0; i < 64; i++) data[i] = i;
  assert_int_equal(program_run(f, program, data, 64, 16), CL_SUCCESS);
  for (cl_int i = 0; i < 64; i++) assert_int_equal(data[i], 2 * (i / 16 * 16 + 15 - i % 16) + 1);
}

static void write_binary(cl_program program, const char *path) {
  size_t size;
  expect_success(kiln_clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
  unsigned char *data = malloc(size);
  expect_success(kiln_clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof data, &data, NULL));
  assert_true(kiln_os_publish_file(path, data, size));
  free(data);
}

static cl_program read_binary(const struct fixture *f, const char *path, cl_int *err) {
  uint8_t *data;
  size_t size;
  assert_true(kiln_os_read_file(path, &data, &size));
  const unsigned char *bytes = data;
  cl_program program = kiln_clCreateProgramWithBinary(f->context, 1, &f->device, &size, &bytes, NULL, err);
  kiln_free(data);
  return program;
}

/* ---- what the other processes do ---- */

static void load_and_run(const struct fixture *f, const char *path) {
  cl_int err;
  cl_program program = read_binary(f, path, &err);
  expect_success(err);
  expect_success(kiln_clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
  expect_right(f, program);
  expect_success(kiln_clReleaseProgram(program));
}

/* A binary that was harmed: refused, or right. */
static void load_if_possible(const struct fixture *f, const char *path) {
  cl_int err;
  cl_program program = read_binary(f, path, &err);
  if (program == NULL) {
    assert_int_equal(err, CL_INVALID_BINARY);
    return;
  }
  expect_success(kiln_clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
  expect_right(f, program);
  expect_success(kiln_clReleaseProgram(program));
}

static void link_and_run(const struct fixture *f, const char *path) {
  cl_int err;
  cl_program object = read_binary(f, path, &err);
  expect_success(err);
  cl_program linked = kiln_clLinkProgram(f->context, 0, NULL, NULL, 1, &object, NULL, NULL, &err);
  expect_success(err);
  expect_right(f, linked);
  expect_success(kiln_clReleaseProgram(linked));
  expect_success(kiln_clReleaseProgram(object));
}

static void build_and_run(const struct fixture *f, const char *path) {
  (void)path;
  cl_program program = program_build(f, source, "");
  expect_right(f, program);
  expect_success(kiln_clReleaseProgram(program));
}

static const struct {
  const char *name;
  void (*run)(const struct fixture *f, const char *path);
} commands[] = {
    {"load", load_and_run}, {"try", load_if_possible}, {"link", link_and_run}, {"build", build_and_run}};

static const char *command_name, *command_path;

static void carry_out(void **state) {
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    if (strcmp(commands[i].name, command_name) == 0) {
      commands[i].run(*state, command_path);
      return;
    }
  fail();
}

static void expect_process(const char *environment, const char *command, const char *path) {
  char line[700];
  snprintf(line, sizeof line, "%s %s %s %s >/dev/null", environment, self, command, path);
  int status = system(line);
  if (status != 0) print_error("%s\n", line);
  assert_int_equal(status, 0);
}

/* ---- binaries ---- */

static const char *binary_path(void) {
  static char path[128];
  snprintf(path, sizeof path, "%s/program", program_folder());
  return path;
}

static void another_process_needs_no_source(void **state) {
  struct fixture *f = *state;
  cl_program program = program_build(f, source, "-cl-mad-enable");
  write_binary(program, binary_path());
  expect_process("KILN_CACHE_DIR=", "load", binary_path());
  expect_right(f, program);
  write_binary(program, binary_path()); /* with machine code: no compiler is needed */
  expect_process("KILN_CACHE_DIR= KILN_COMPILER=/dev/null/none", "load", binary_path());
  expect_success(kiln_clReleaseProgram(program));
}

static void a_processor_with_fewer_features_makes_its_own_code(void **state) {
  struct fixture *f = *state;
  cl_program program = program_build(f, source, "");
  expect_right(f, program);
  write_binary(program, binary_path());
  expect_process("KILN_CACHE_DIR= KILN_CPU_FEATURES=sse2", "load", binary_path());
  expect_process("KILN_CACHE_DIR= KILN_CPU_FEATURES=sse4.2", "load", binary_path());
  expect_process("KILN_CACHE_DIR= KILN_CPU_FEATURES=avx2", "load", binary_path());
  expect_success(kiln_clReleaseProgram(program));
}

static void objects_and_libraries_link_in_another_process(void **state) {
  struct fixture *f = *state;
  cl_int err;
  cl_program object = program_of(f, source);
  expect_success(kiln_clCompileProgram(object, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
  write_binary(object, binary_path());
  expect_process("KILN_CACHE_DIR=", "link", binary_path());
  cl_program library =
      kiln_clLinkProgram(f->context, 0, NULL, "-create-library", 1, &object, NULL, NULL, &err);
  expect_success(err);
  write_binary(library, binary_path());
  expect_process("KILN_CACHE_DIR=", "link", binary_path());
  expect_success(kiln_clReleaseProgram(library));
  expect_success(kiln_clReleaseProgram(object));
}

static void harmed_binaries_are_refused_or_right(void **state) {
  struct fixture *f = *state;
  cl_program program = program_build(f, source, "");
  expect_right(f, program);
  write_binary(program, binary_path());
  uint8_t *data;
  size_t size;
  assert_true(kiln_os_read_file(binary_path(), &data, &size));
  for (size_t at = 7; at < size; at += size / 7) {
    data[at] ^= 0x10;
    assert_true(kiln_os_publish_file(binary_path(), data, size));
    data[at] ^= 0x10;
    expect_process("KILN_CACHE_DIR=", "try", binary_path());
    assert_true(kiln_os_publish_file(binary_path(), data, at));
    expect_process("KILN_CACHE_DIR=", "try", binary_path());
  }
  kiln_free(data);
  expect_success(kiln_clReleaseProgram(program));
}

/* ---- the cache folder ---- */

static void without_a_home_programs_build(void **state) {
  expect_process("env -u KILN_CACHE_DIR -u HOME -u XDG_CACHE_HOME", "build", "-");
  expect_process("env -u KILN_CACHE_DIR -u XDG_CACHE_HOME HOME=/dev/null/at/all", "build", "-");
  expect_process("env -u KILN_CACHE_DIR -u XDG_CACHE_HOME HOME=/proc/1", "build", "-");
  expect_process("KILN_CACHE_DIR=/dev/null/x", "build", "-");
  expect_process("KILN_CACHE_DIR=/dev/full", "build", "-");
}

/* A limit on the size of files stands for a full disk: writes end early. */
static void a_full_disk_is_no_error(void **state) {
  char environment[200], command[400];
  snprintf(environment, sizeof environment, "ulimit -f 1; trap '' XFSZ; KILN_CACHE_DIR=%s/full",
           program_folder());
  expect_process(environment, "build", "-");
  snprintf(environment, sizeof environment, "KILN_CACHE_DIR=%s/full", program_folder());
  expect_process(environment, "build", "-"); /* what was cut short misleads nobody */
  expect_process(environment, "build", "-");
  snprintf(command, sizeof command,
           "for f in $(find %s/full -type f); do head -c 100 $f > $f.x; mv $f.x $f; done", program_folder());
  assert_int_equal(system(command), 0);
  expect_process(environment, "build", "-");
  snprintf(command, sizeof command,
           "for f in $(find %s/full -type f); do head -c 3000 /dev/urandom > $f; done", program_folder());
  assert_int_equal(system(command), 0);
  expect_process(environment, "build", "-");
}

static int close_and_remove(void **state) {
  program_remove(program_folder());
  return fixture_close(state);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, fixture_open, close_and_remove)

int main(int argc, char **argv) {
  const struct CMUnitTest command[] = {
      cmocka_unit_test_setup_teardown(carry_out, fixture_open, fixture_close)};
  const struct CMUnitTest tests[] = {
      TEST(another_process_needs_no_source),
      TEST(a_processor_with_fewer_features_makes_its_own_code),
      TEST(objects_and_libraries_link_in_another_process),
      TEST(harmed_binaries_are_refused_or_right),
      TEST(without_a_home_programs_build),
      TEST(a_full_disk_is_no_error),
  };
  self = argv[0];
  if (argc != 3) return cmocka_run_group_tests(tests, NULL, NULL);
  command_name = argv[1];
  command_path = argv[2];
  return cmocka_run_group_tests(command, NULL, NULL);
}
