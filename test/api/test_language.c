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

/* ---- what the device says of itself and what sources see ---- */

/* Names of the specifications that a source may ask for; all of them beside those a device lists must be
 * absent. */
static const char *const extensions[] = {"cl_khr_3d_image_writes",
                                         "cl_khr_async_work_group_copy_fence",
                                         "cl_khr_depth_images",
                                         "cl_khr_device_enqueue_local_arg_types",
                                         "cl_khr_expect_assume",
                                         "cl_khr_extended_async_copies",
                                         "cl_khr_extended_bit_ops",
                                         "cl_khr_fp16",
                                         "cl_khr_fp64",
                                         "cl_khr_gl_msaa_sharing",
                                         "cl_khr_int64_base_atomics",
                                         "cl_khr_int64_extended_atomics",
                                         "cl_khr_integer_dot_product",
                                         "cl_khr_kernel_clock",
                                         "cl_khr_mipmap_image",
                                         "cl_khr_mipmap_image_writes",
                                         "cl_khr_select_fprounding_mode",
                                         "cl_khr_srgb_image_writes",
                                         "cl_khr_subgroup_ballot",
                                         "cl_khr_subgroup_clustered_reduce",
                                         "cl_khr_subgroup_extended_types",
                                         "cl_khr_subgroup_named_barrier",
                                         "cl_khr_subgroup_non_uniform_arithmetic",
                                         "cl_khr_subgroup_non_uniform_vote",
                                         "cl_khr_subgroup_rotate",
                                         "cl_khr_subgroup_shuffle",
                                         "cl_khr_subgroup_shuffle_relative",
                                         "cl_khr_subgroups",
                                         "cl_khr_work_group_uniform_arithmetic",
                                         "cl_ext_cxx_for_opencl",
                                         "cl_ext_float_atomics",
                                         "cl_ext_image_raw10_raw12",
                                         "cl_amd_media_ops",
                                         "cl_amd_printf",
                                         "cl_intel_subgroups",
                                         "cl_intel_required_subgroup_size"};
static const char *const features[] = {"__opencl_c_3d_image_writes",
                                       "__opencl_c_atomic_order_acq_rel",
                                       "__opencl_c_atomic_order_seq_cst",
                                       "__opencl_c_atomic_scope_all_devices",
                                       "__opencl_c_atomic_scope_device",
                                       "__opencl_c_device_enqueue",
                                       "__opencl_c_ext_fp16_global_atomic_add",
                                       "__opencl_c_ext_fp16_global_atomic_load_store",
                                       "__opencl_c_ext_fp16_global_atomic_min_max",
                                       "__opencl_c_ext_fp16_local_atomic_add",
                                       "__opencl_c_ext_fp16_local_atomic_load_store",
                                       "__opencl_c_ext_fp16_local_atomic_min_max",
                                       "__opencl_c_ext_fp32_global_atomic_add",
                                       "__opencl_c_ext_fp32_global_atomic_min_max",
                                       "__opencl_c_ext_fp32_local_atomic_add",
                                       "__opencl_c_ext_fp32_local_atomic_min_max",
                                       "__opencl_c_ext_fp64_global_atomic_add",
                                       "__opencl_c_ext_fp64_global_atomic_min_max",
                                       "__opencl_c_ext_fp64_local_atomic_add",
                                       "__opencl_c_ext_fp64_local_atomic_min_max",
                                       "__opencl_c_ext_image_raw10_raw12",
                                       "__opencl_c_fp64",
                                       "__opencl_c_generic_address_space",
                                       "__opencl_c_images",
                                       "__opencl_c_int64",
                                       "__opencl_c_integer_dot_product_input_4x8bit",
                                       "__opencl_c_integer_dot_product_input_4x8bit_packed",
                                       "__opencl_c_kernel_clock_scope_device",
                                       "__opencl_c_kernel_clock_scope_sub_group",
                                       "__opencl_c_kernel_clock_scope_work_group",
                                       "__opencl_c_pipes",
                                       "__opencl_c_program_scope_global_variables",
                                       "__opencl_c_read_write_images",
                                       "__opencl_c_subgroups",
                                       "__opencl_c_work_group_collective_functions"};

static cl_name_version *list_of(const struct fixture *f, cl_device_info param, size_t *count_out) {
  static cl_name_version list[128];
  size_t size = 0;
  expect_success(kiln_clGetDeviceInfo(f->device, param, sizeof list, list, &size));
  *count_out = size / sizeof *list;
  return list;
}

static bool lists(const struct fixture *f, cl_device_info param, const char *name) {
  size_t count;
  const cl_name_version *list = list_of(f, param, &count);
  for (size_t i = 0; i < count; i++)
    if (strcmp(list[i].name, name) == 0) return true;
  return false;
}

static void put_check(char *source, size_t size, const char *name, bool present) {
  size_t at = strlen(source);
  snprintf(source + at, size - at, "#if%s %s\n#error \"%s is %s\"\n#endif\n", present ? "ndef" : "def", name,
           name, present ? "missing" : "there");
}

static void macros_match_the_lists(void **state) {
  struct fixture *f = *state;
  static char old[1 << 14] = "", new[1 << 15] = "";
  for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++) {
    bool listed = lists(f, CL_DEVICE_EXTENSIONS_WITH_VERSION, extensions[i]);
    put_check(old, sizeof old, extensions[i], listed);
    put_check(new, sizeof new, extensions[i], listed);
  }
  for (size_t i = 0; i < sizeof features / sizeof *features; i++)
    put_check(new, sizeof new, features[i], lists(f, CL_DEVICE_OPENCL_C_FEATURES, features[i]));
  expect_quiet_build(f, old, "-cl-std=CL1.2");
  expect_quiet_build(f, new, "-cl-std=CL3.0");
}

/* No feature is listed that this test does not know. */
static void listed_features_are_known(void **state) {
  struct fixture *f = *state;
  size_t count, known;
  const cl_name_version *list = list_of(f, CL_DEVICE_OPENCL_C_FEATURES, &count);
  for (size_t i = 0; i < count; i++) {
    for (known = 0; known < sizeof features / sizeof *features; known++)
      if (strcmp(features[known], list[i].name) == 0) break;
    if (known == sizeof features / sizeof *features) fail_msg("%s", list[i].name);
  }
}

/* Every version of the list builds, and the source is told so. */
static void listed_versions_build(void **state) {
  struct fixture *f = *state;
  size_t count;
  const cl_name_version *list = list_of(f, CL_DEVICE_OPENCL_C_ALL_VERSIONS, &count);
  assert_true(count >= 4);
  for (size_t i = 0; i < count; i++) {
    char options[32], text[256];
    unsigned major = CL_VERSION_MAJOR(list[i].version), minor = CL_VERSION_MINOR(list[i].version);
    assert_string_equal(list[i].name, "OpenCL C");
    snprintf(options, sizeof options, "-cl-std=CL%u.%u", major, minor);
    snprintf(text, sizeof text,
             "#if %u >= 120 && __OPENCL_C_VERSION__ != %u\n#error version\n#endif\nkernel void k() {}",
             major * 100 + minor * 10, major * 100 + minor * 10);
    expect_quiet_build(f, text, options);
  }
  expect_quiet_build(f, "#if __OPENCL_C_VERSION__ != 120\n#error version\n#endif", NULL);
}

/* Clang knows this extension from OpenCL C 2.0 on; the macro is there always, as the conformance suite wants.
 */
static bool can_be_enabled(const char *extension, bool before_2) {
  return !before_2 || strcmp(extension, "cl_khr_srgb_image_writes") != 0;
}

/* Each extension and pragma of the list may be enabled; "all" may be disabled. */
static void enable_all(struct fixture *f, bool before_2, const char *options) {
  size_t count;
  char text[1 << 14] = "#pragma OPENCL EXTENSION all : disable\n";
  const cl_name_version *list = list_of(f, CL_DEVICE_EXTENSIONS_WITH_VERSION, &count);
  for (size_t i = 0; i < count; i++) {
    size_t at = strlen(text);
    if (can_be_enabled(list[i].name, before_2))
      snprintf(text + at, sizeof text - at, "#ifdef %s\n#pragma OPENCL EXTENSION %s : enable\n#endif\n",
               list[i].name, list[i].name);
  }
  expect_quiet_build(f, text, options);
}

static void listed_extensions_can_be_enabled(void **state) {
  enable_all(*state, true, "-cl-std=CL1.2 -Werror");
  enable_all(*state, false, "-cl-std=CL2.0 -Werror");
  enable_all(*state, false, "-cl-std=CL3.0 -Werror");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_standard_compiler_option_is_taken),
      cmocka_unit_test(every_standard_linker_option_is_taken),
      cmocka_unit_test(macros_match_the_lists),
      cmocka_unit_test(listed_features_are_known),
      cmocka_unit_test(listed_versions_build),
      cmocka_unit_test(listed_extensions_can_be_enabled),
  };
  return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
