/* What clGetKernelSubGroupInfo says of a kernel holds when it runs: for every shape of a group, at every
 * forced width, and where a binary meets a processor with other registers. Processes are this program again.
 */
#include "program/program.h"

#include "base/os.h"

static const char *self;

#define ASK                                                                                                  \
  "kernel void k(global uint *a) {\n"                                                                        \
  "  size_t i = 5 * get_global_linear_id();\n"                                                               \
  "  a[i] = get_max_sub_group_size(); a[i + 1] = get_num_sub_groups(); a[i + 2] = get_sub_group_size();\n"   \
  "  a[i + 3] = get_sub_group_id(); a[i + 4] = get_sub_group_local_id();\n"

static const struct kind {
  const char *name, *source;
  size_t size; /* 0: a power of two from 4 on */
} kinds[] = {
    {"ints", ASK "}\n", 0},
    {"doubles", ASK "  if (a[0] > 1000) a[0] = sqrt((double)a[i]) * (double)a[i + 1];\n}\n", 0},
    {"wide", ASK "  float16 x = (float16)(a[i]); if (a[0] > 1000) a[0] = (x * x + x).s3;\n}\n", 0},
    {"one", "__attribute__((intel_reqd_sub_group_size(1)))\n" ASK "}\n", 1},
    {"two", "__attribute__((intel_reqd_sub_group_size(2)))\n" ASK "}\n", 2},
    {"many", "__attribute__((intel_reqd_sub_group_size(32)))\n" ASK "}\n", 32},
    {"required", "__attribute__((intel_reqd_sub_group_size(8)))\n" ASK "}\n", 8},
    {"waiting", ASK "  while (atomic_or(a, 0) == 77777) a[i] = 0;\n}\n", 1},
    {"waiting together",
     "__attribute__((intel_reqd_sub_group_size(8)))\n" ASK
     "  while (atomic_or(a, 0) == 77777) a[i] = 0;\n}\n",
     8},
    {"endless",
     "__attribute__((intel_reqd_sub_group_size(8)))\n" ASK "  if (get_local_id(0) == 77777) for (;;) {}\n}\n",
     8},
    {"never", /* what is known of the condition makes an endless loop of this one */
     "__attribute__((intel_reqd_sub_group_size(8)))\n" ASK
     "  if ((ushort)((ushort)get_local_id(0) >> 31)) for (int j = 0; j < 3; j++) {}\n}\n",
     8},
    {"vectors of truth values",
     "__attribute__((intel_reqd_sub_group_size(8)))\n" ASK
     "  int4 x = (int)get_local_id(0) + (int4)(1, 2, 3, 4), z = x / (int)a[i + 1];\n"
     "  barrier(CLK_GLOBAL_MEM_FENCE);\n" /* division asks twice whether x is the least value */
     "  z = z - x / (int)a[i + 4];\n"
     "  if (z.x + z.y + z.z + z.w == 77777) a[i] = 0;\n}\n",
     8},
    {"cases that go on",
     "__attribute__((intel_reqd_sub_group_size(8)))\n" ASK "  switch (a[5]) {\n  case 77777: break;\n"
     "  case 77778: if (get_local_id(0) % 2) a[i] = sub_group_non_uniform_reduce_add(1u);\n"
     "  default: a[i] = sub_group_broadcast(a[i], 0u);\n  }\n}\n",
     8},
    {"turns that end in two places",
     "__attribute__((intel_reqd_sub_group_size(8)))\n" ASK "  uint j = 0;\n  for (;;) {\n    j++;\n"
     "    if (a[5] == 77777 + j) continue;\n    a[i] = get_max_sub_group_size();\n    if (j > 3) break;\n"
     "  }\n}\n",
     8},
    {"turns with and without a barrier", /* the way on from it enters the turns without at two places */
     "__attribute__((intel_reqd_sub_group_size(8)))\n" ASK "  for (uint j = 0; j < a[5]; j++) {\n"
     "    if (a[4] > j + 7) {\n      barrier(CLK_GLOBAL_MEM_FENCE);\n      if (a[3] == j) continue;\n    }\n"
     "    if (a[2] > 77777) a[i] = j;\n  }\n}\n",
     8},
};

/* ---- one kernel ---- */

static size_t ask(cl_kernel k, cl_kernel_sub_group_info what, const size_t *local) {
  size_t answer = 0;
  expect_success(
      kiln_clGetKernelSubGroupInfo(k, NULL, what, 3 * sizeof *local, local, sizeof answer, &answer, NULL));
  return answer;
}

static void expect_counts(cl_kernel k, const size_t *local, const cl_uint *got, size_t linear) {
  size_t items = local[0] * local[1] * local[2],
         size = ask(k, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, local),
         count = ask(k, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, local), first = linear / size * size;
  assert_int_equal(count, (items + size - 1) / size);
  assert_int_equal(got[0], size);
  assert_int_equal(got[1], count);
  assert_int_equal(got[2], items - first < size ? items - first : size);
  assert_int_equal(got[3], linear / size);
  assert_int_equal(got[4], linear % size);
}

/* Two groups in each dimension. */
static void run_shape(const struct fixture *f, cl_kernel k, const size_t *local) {
  size_t global[3], n = 5;
  for (int d = 0; d < 3; d++) n *= global[d] = 2 * local[d];
  cl_int err;
  cl_uint *got = calloc(n, sizeof *got), *at = got;
  cl_mem buffer = kiln_clCreateBuffer(f->context, CL_MEM_COPY_HOST_PTR, n * sizeof *got, got, &err);
  expect_success(err);
  expect_success(kiln_clSetKernelArg(k, 0, sizeof buffer, &buffer));
  expect_success(kiln_clEnqueueNDRangeKernel(f->queue, k, 3, NULL, global, local, 0, NULL, NULL));
  expect_success(kiln_clEnqueueReadBuffer(f->queue, buffer, CL_TRUE, 0, n * sizeof *got, got, 0, NULL, NULL));
  for (size_t z = 0; z < global[2]; z++)
    for (size_t y = 0; y < global[1]; y++)
      for (size_t x = 0; x < global[0]; x++, at += 5)
        expect_counts(k, local, at, (z % local[2] * local[1] + y % local[1]) * local[0] + x % local[0]);
  expect_success(kiln_clReleaseMemObject(buffer));
  free(got);
}

static size_t expect_agreement(const struct fixture *f, cl_program program) {
  static const size_t locals[][3] = {{1, 1, 1},  {3, 1, 1}, {16, 1, 1}, {33, 1, 1}, {5, 7, 1},
                                     {16, 2, 1}, {8, 8, 1}, {4, 4, 2},  {2, 3, 5},  {1, 40, 1}};
  cl_int err;
  cl_kernel k = kiln_clCreateKernel(program, "k", &err);
  expect_success(err);
  for (size_t i = 0; i < sizeof locals / sizeof *locals; i++) run_shape(f, k, locals[i]);
  size_t size = ask(k, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, locals[0]);
  for (size_t x = 1; x <= 2 * size + 1; x++) run_shape(f, k, (size_t[]){x, 1, 1});
  expect_success(kiln_clReleaseKernel(k));
  return size;
}

static void expect_size(const struct kind *kind, size_t size) {
  if (kind->size != 0) assert_int_equal(size, kind->size);
  else assert_true(size >= 4 && (size & (size - 1)) == 0);
}

/* ---- tests ---- */

static void code_agrees_with_queries(void **state) {
  const struct fixture *f = *state;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    cl_program program = program_build(f, kinds[i].source, "-cl-std=CL3.0");
    expect_size(&kinds[i], expect_agreement(f, program));
    expect_success(kiln_clReleaseProgram(program));
  }
}

static void a_forced_width_changes_nothing(void **state) {
  const struct fixture *f = *state;
  cl_program program = program_build(f, kinds[0].source, "-cl-std=CL3.0");
  size_t size = expect_agreement(f, program);
  expect_success(kiln_clReleaseProgram(program));
  for (int width = 1; width <= 32; width *= 4) {
    char options[64];
    snprintf(options, sizeof options, "-cl-std=CL3.0 -kiln-width=%d", width);
    program = program_build(f, kinds[0].source, options);
    assert_int_equal(expect_agreement(f, program), size);
    expect_success(kiln_clReleaseProgram(program));
  }
}

/* ---- cl_intel_required_subgroup_size ---- */

static void the_required_size_is_told(void **state) {
  const struct fixture *f = *state;
  static const char source[] = "#ifndef cl_intel_required_subgroup_size\n#error absent\n#endif\n"
                               "__attribute__((intel_reqd_sub_group_size(8))) " ASK "}\n"
                               "kernel void plain(global int *a) { *a = 1; }\n";
  cl_program program = program_build(f, source, "-cl-std=CL3.0");
  cl_int err;
  cl_kernel required = kiln_clCreateKernel(program, "k", &err),
            plain = kiln_clCreateKernel(program, "plain", &err);
  static const size_t local[3] = {16, 1, 1};
  assert_int_equal(ask(required, CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL, local), 8);
  assert_int_equal(ask(plain, CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL, local), 0);
  char text[64];
  expect_success(kiln_clGetKernelInfo(required, CL_KERNEL_ATTRIBUTES, sizeof text, text, NULL));
  assert_string_equal(text, "intel_reqd_sub_group_size(8)");
  cl_ulong bytes = 77;
  expect_success(
      kiln_clGetKernelWorkGroupInfo(plain, NULL, CL_KERNEL_SPILL_MEM_SIZE_INTEL, sizeof bytes, &bytes, NULL));
  assert_int_equal(bytes, 0);
  expect_success(kiln_clReleaseKernel(required));
  expect_success(kiln_clReleaseKernel(plain));
  expect_success(kiln_clReleaseProgram(program));
}

static void every_size_of_the_device_can_be_required(void **state) {
  const struct fixture *f = *state;
  size_t sizes[16], bytes;
  expect_success(
      kiln_clGetDeviceInfo(f->device, CL_DEVICE_SUB_GROUP_SIZES_INTEL, sizeof sizes, sizes, &bytes));
  assert_true(bytes >= 4 * sizeof *sizes);
  for (size_t i = 0; i < bytes / sizeof *sizes; i++) {
    char source[1000];
    snprintf(source, sizeof source, "__attribute__((intel_reqd_sub_group_size(%zu))) %s", sizes[i],
             ASK "}\n");
    cl_program program = program_build(f, source, "-cl-std=CL3.0");
    assert_int_equal(expect_agreement(f, program), sizes[i]);
    expect_success(kiln_clReleaseProgram(program));
  }
}

static void expect_refusal(const struct fixture *f, const char *source, const char *message) {
  cl_int err;
  char log[1000] = "";
  cl_program program = kiln_clCreateProgramWithSource(f->context, 1, &source, NULL, &err);
  expect_success(err);
  assert_int_equal(kiln_clBuildProgram(program, 0, NULL, "-cl-std=CL3.0", NULL, NULL),
                   CL_BUILD_PROGRAM_FAILURE);
  expect_success(kiln_clGetProgramBuildInfo(program, f->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
  if (strstr(log, message) == NULL) fail_msg("%s", log);
  expect_success(kiln_clReleaseProgram(program));
}

/* Other programs would go on with a size that they do not expect. */
static void a_size_that_cannot_be_is_refused(void **state) {
  const struct fixture *f = *state;
  expect_refusal(f, "__attribute__((intel_reqd_sub_group_size(12))) " ASK "}\n",
                 "kernel 'k': intel_reqd_sub_group_size(12) is no power of two from 1 to 32");
  expect_refusal(f, "__attribute__((intel_reqd_sub_group_size(64))) " ASK "}\n",
                 "intel_reqd_sub_group_size(64) is no power of two from 1 to 32");
  expect_refusal(
      f,
      /* so many blocks that the loop keeps its two entries */
      "#define R(x) x x x x x x x x\n#define STEP if (a[a[i]] & 1) a[i + 1]++; else a[i + 2] ^= 3;\n"
      "__attribute__((intel_reqd_sub_group_size(8))) " ASK
      "  uint j = 0;\n  if (get_local_id(0) % 2) goto in;\n"
      "  for (; j < a[0]; j++) { a[i] += j; in: R(R(R(STEP))) }\n}\n",
      "kernel 'k': intel_reqd_sub_group_size(8) cannot be met, only sub-groups of one work-item: there "
      "are jumps into the middle of loops");
}

/* ---- binaries ---- */

static const char *binary_path(void) {
  static char path[128];
  snprintf(path, sizeof path, "%s/program", program_folder());
  return path;
}

static void expect_process(const char *environment, size_t size) {
  char line[600];
  snprintf(line, sizeof line, "KILN_CACHE_DIR= %s %s %s %zu >/dev/null", environment, self, binary_path(),
           size);
  if (system(line) != 0) fail_msg("%s", line);
}

static void a_binary_keeps_its_size(void **state) {
  const struct fixture *f = *state;
  cl_program program = program_build(f, kinds[0].source, "-cl-std=CL3.0");
  size_t size = expect_agreement(f, program), bytes;
  expect_success(kiln_clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL));
  unsigned char *data = malloc(bytes);
  expect_success(kiln_clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof data, &data, NULL));
  assert_true(kiln_os_publish_file(binary_path(), data, bytes));
  free(data);
  expect_process("KILN_CPU_FEATURES=sse2", size);
  expect_process("KILN_CPU_FEATURES=avx2", size);
  char unoptimised[200]; /* the optimiser dies: code is made without it */
  snprintf(unoptimised, sizeof unoptimised,
           "KILN_CPU_FEATURES=sse4.2 KILN_INJECT=abort:optimise KILN_CRASH_DIR=%s", program_folder());
  expect_process(unoptimised, size);
  expect_success(kiln_clReleaseProgram(program));
}

/* ---- the other process ---- */

static const char *given_path;
static size_t expected_size;

static void load_and_check(void **state) {
  const struct fixture *f = *state;
  uint8_t *data;
  size_t bytes;
  cl_int err;
  assert_true(kiln_os_read_file(given_path, &data, &bytes));
  const unsigned char *view = data;
  cl_program program = kiln_clCreateProgramWithBinary(f->context, 1, &f->device, &bytes, &view, NULL, &err);
  expect_success(err);
  kiln_free(data);
  expect_success(kiln_clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
  assert_int_equal(expect_agreement(f, program), expected_size);
  expect_success(kiln_clReleaseProgram(program));
}

static int close_and_remove(void **state) {
  program_remove(program_folder());
  return fixture_close(state);
}

int main(int argc, char **argv) {
  const struct CMUnitTest check[] = {
      cmocka_unit_test_setup_teardown(load_and_check, fixture_open, fixture_close)};
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(code_agrees_with_queries, fixture_open, fixture_close),
      cmocka_unit_test_setup_teardown(a_forced_width_changes_nothing, fixture_open, fixture_close),
      cmocka_unit_test_setup_teardown(the_required_size_is_told, fixture_open, fixture_close),
      cmocka_unit_test_setup_teardown(every_size_of_the_device_can_be_required, fixture_open, fixture_close),
      cmocka_unit_test_setup_teardown(a_size_that_cannot_be_is_refused, fixture_open, fixture_close),
      cmocka_unit_test_setup_teardown(a_binary_keeps_its_size, fixture_open, close_and_remove),
  };
  self = argv[0];
  if (argc != 3) return cmocka_run_group_tests(tests, NULL, NULL);
  given_path = argv[1];
  expected_size = strtoul(argv[2], NULL, 10);
  return cmocka_run_group_tests(check, NULL, NULL);
}
