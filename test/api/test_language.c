/* What the real compiler makes of options and language versions, against what the device says of itself. */
#include "api/fixture.h"

#include <stdio.h>
#include <string.h>

static cl_program source_of(const struct fixture *f, const char *text) {
  cl_int err = 12345;
  cl_program program = kiln_clCreateProgramWithSource(f->context, 1, &text, NULL, &err);
  expect_success(err);
  return program;
}

static const char *log_of(const struct fixture *f, cl_program program) {
  static char log[8192];
  expect_success(kiln_clGetProgramBuildInfo(program, f->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
  return log;
}

/* The build must succeed without a word. */
static void expect_quiet_build(const struct fixture *f, const char *text, const char *options) {
  cl_program program = source_of(f, text);
  cl_int err = kiln_clBuildProgram(program, 1, &f->device, options, NULL, NULL);
  const char *log = log_of(f, program);
  if (err != CL_SUCCESS || log[0] != '\0') fail_msg("%s: error %d, log: %s", options, err, log);
  expect_success(kiln_clReleaseProgram(program));
}

static const char plain[] = "kernel void k(global float *x) { *x = sqrt(*x) / 3.0f + x[1] * x[2]; }";

/* Specification, "Compiler Options": each of them is accepted by builds and compiles. */
static void every_standard_compiler_option_is_taken(void **state) {
  static const char *const options[] = {"-D A",
                                        "-DA=1",
                                        "-D A=1",
                                        "-I /",
                                        "-I/",
                                        "-cl-single-precision-constant",
                                        "-cl-denorms-are-zero",
                                        "-cl-fp32-correctly-rounded-divide-sqrt",
                                        "-cl-opt-disable",
                                        "-cl-strict-aliasing",
                                        "-cl-uniform-work-group-size -cl-std=CL2.0",
                                        "-cl-no-subgroup-ifp -cl-std=CL2.0",
                                        "-cl-mad-enable",
                                        "-cl-no-signed-zeros",
                                        "-cl-unsafe-math-optimizations",
                                        "-cl-finite-math-only",
                                        "-cl-fast-relaxed-math",
                                        "-w",
                                        "-Werror",
                                        "-cl-kernel-arg-info",
                                        "-g"};
  struct fixture *f = *state;
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    expect_quiet_build(f, plain, options[i]);
    cl_program program = source_of(f, plain);
    expect_success(kiln_clCompileProgram(program, 1, &f->device, options[i], 0, NULL, NULL, NULL, NULL));
    assert_string_equal(log_of(f, program), "");
    expect_success(kiln_clReleaseProgram(program));
  }
}

/* Specification, "Linker Options". */
static void every_standard_linker_option_is_taken(void **state) {
  static const char *const options[] = {"-create-library",
                                        "-create-library -enable-link-options",
                                        "-cl-denorms-are-zero",
                                        "-cl-no-signed-zeros",
                                        "-cl-unsafe-math-optimizations",
                                        "-cl-finite-math-only",
                                        "-cl-fast-relaxed-math",
                                        "-cl-no-subgroup-ifp"};
  struct fixture *f = *state;
  cl_program object = source_of(f, plain);
  expect_success(kiln_clCompileProgram(object, 1, &f->device, NULL, 0, NULL, NULL, NULL, NULL));
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    cl_int err = 12345;
    cl_program linked =
        kiln_clLinkProgram(f->context, 1, &f->device, options[i], 1, &object, NULL, NULL, &err);
    expect_success(err);
    assert_string_equal(log_of(f, linked), "");
    expect_success(kiln_clReleaseProgram(linked));
  }
  expect_success(kiln_clReleaseProgram(object));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_standard_compiler_option_is_taken),
      cmocka_unit_test(every_standard_linker_option_is_taken),
  };
  return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
