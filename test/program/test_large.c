/* Sources of a size or depth that nobody writes by hand: a right result or a clear error, and in time. */
#include "program/program.h"

#include "base/blob.h"

#include <stdarg.h>

static struct kiln_blob text;

__attribute__((format(printf, 1, 2))) static void put(const char *format, ...) {
  char piece[256];
  va_list ap;
  va_start(ap, format);
  int length = vsnprintf(piece, sizeof piece, format, ap);
  va_end(ap);
  assert_true(length >= 0 && (size_t)length < sizeof piece);
  kiln_blob_put(&text, piece, (size_t)length);
}

static void repeat(const char *piece, int count) {
  for (int i = 0; i < count; i++) kiln_blob_put(&text, piece, strlen(piece));
}

static const char *source(void) {
  kiln_blob_put(&text, "", 1);
  assert_false(text.failed);
  return (const char *)text.data;
}

/* Runs the source over 64 work-items and compares a[i] with expected(i). */
static void expect_results(const struct fixture *f, cl_int (*expected)(cl_int)) {
  cl_int data[64];
  for (cl_int i = 0; i < 64; i++) data[i] = i;
  cl_program program = program_build(f, source(), "");
  assert_int_equal(program_run(f, program, data, 64, 0), CL_SUCCESS);
  for (cl_int i = 0; i < 64; i++) assert_int_equal(data[i], expected(i));
  expect_success(kiln_clReleaseProgram(program));
  program_expect_works(f, 3);
}

static void expect_refused(const struct fixture *f, const char *why) {
  cl_program program = program_of(f, source());
  assert_int_equal(kiln_clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
  program_expect_log(f, program, why);
  expect_success(kiln_clReleaseProgram(program));
  program_expect_works(f, 3);
}

/* ---- size ---- */

static cl_int plus_1(cl_int i) { return i + 1; }

static void ten_megabytes_of_comment(void **state) {
  put("/*");
  repeat("a line of no meaning, as long as lines are, to be skipped by everyone\n", 150000);
  put("*/\nkernel void k(global int *a) { a[get_global_id(0)] += 1; }\n");
  assert_true(text.size > 10000000);
  expect_results(*state, plus_1);
}

static void ten_megabytes_of_functions(void **state) {
  for (int i = 0; i < 100000; i++)
    put("int f%d(int x) { return (x + %d) * (x >> %d) - (x ^ %d) / (x | 1) + x * x - 12345678 + (x << 3); "
        "}\n",
        i, i, i % 31, i * 7);
  put("kernel void k(global int *a) { a[get_global_id(0)] += 1 + 0 * f99999(3); }\n");
  assert_true(text.size > 10000000);
  expect_results(*state, plus_1);
}

static void ten_megabytes_on_one_line(void **state) {
  put("kernel void k(global int *a) { a[get_global_id(0)] += 1; } ");
  repeat("struct s; ", 1000000);
  expect_results(*state, plus_1);
}

static void ten_megabytes_of_nonsense(void **state) {
  repeat("this is } no kernel { \" \\ \x01 \xff ' ( ", 300000);
  expect_refused(*state, "kernel.cl:1:1: error:");
}

static void a_name_of_a_megabyte(void **state) {
  put("kernel void k(global int *a) { int ");
  repeat("n", 1 << 20);
  put(" = 1; a[get_global_id(0)] += ");
  repeat("n", 1 << 20);
  put("; }");
  expect_results(*state, plus_1);
}

static void two_thousand_kernels(void **state) {
  for (int i = 0; i < 2000; i++)
    put("kernel void k%d(global int *a, float4 b) { a[get_global_id(0)] += %d; }\n", i, i);
  put("kernel void k(global int *a) { a[get_global_id(0)] += 1; }\n");
  expect_results(*state, plus_1);
}

/* ---- expressions ---- */

enum { TERMS = 100000 };

static cl_int sum_of_terms(cl_int x) {
  cl_uint sum = 0;
  for (int i = 0; i < TERMS; i++) sum += (cl_uint)x * (cl_uint)(i % 97 + 1) ^ (cl_uint)(i & 5);
  return (cl_int)sum;
}

static void a_sum_of_100000_terms(void **state) {
  put("kernel void k(global int *a) { int x = a[get_global_id(0)]; a[get_global_id(0)] = 0");
  for (int i = 0; i < TERMS; i++) put(" + (x * %d ^ %d)", i % 97 + 1, i & 5);
  put("; }");
  expect_results(*state, sum_of_terms);
}

/* Exact in any order: all partial sums are integers below 2^24. */
static cl_int sum_of_floats(cl_int x) { return (x & 3) * TERMS; }

static void a_sum_of_100000_floats(void **state) {
  put("kernel void k(global int *a) { float x = a[get_global_id(0)] & 3; a[get_global_id(0)] = (int)(0");
  repeat(" + x", TERMS);
  put("); }");
  expect_results(*state, sum_of_floats);
}

static void parentheses_nested_100000_deep(void **state) {
  put("kernel void k(global int *a) { a[0] = ");
  repeat("(", TERMS);
  put("1");
  repeat(")", TERMS);
  put("; }");
  expect_refused(*state, "bracket nesting level exceeded maximum");
}

static void blocks_nested_100000_deep(void **state) {
  put("kernel void k(global int *a) ");
  repeat("{", TERMS);
  repeat("}", TERMS);
  expect_refused(*state, "bracket nesting level exceeded maximum");
}

static cl_int parity_of(cl_int i) { return i ^ 1; }

static void unary_operators_20000_deep(void **state) {
  put("kernel void k(global int *a) { a[get_global_id(0)] = ");
  repeat("~ ", 20000);
  put("a[get_global_id(0)] ^ 1; }");
  expect_results(*state, parity_of);
}

/* ---- statements ---- */

static cl_int branch_of(cl_int x) { return x == 0 ? 7 : x % 3 == 1 ? (x / 3) * 31 % 1009 : -1; }

static void twenty_thousand_else_ifs(void **state) {
  put("kernel void k(global int *a) { int x = a[get_global_id(0)], r = -1;\nif (x == 0) r = 7;\n");
  for (int i = 0; i < 20000; i++) put("else if (x == %d) r = %d;\n", i * 3 + 1, i * 31 % 1009);
  put("a[get_global_id(0)] = r; }");
  expect_results(*state, branch_of);
}

static void a_switch_of_20000_cases(void **state) {
  put("kernel void k(global int *a) { int r = -1;\nswitch (a[get_global_id(0)]) {\ncase 0: r = 7; break;\n");
  for (int i = 0; i < 20000; i++) put("case %d: r = %d; break;\n", i * 3 + 1, i * 31 % 1009);
  put("} a[get_global_id(0)] = r; }");
  expect_results(*state, branch_of);
}

/* ---- calls ---- */

enum { CALLS = 17 };

static cl_int double_call(int depth, cl_uint x, cl_int id) {
  if (depth == 0) return (cl_int)(x * 3 + 1 + (cl_uint)id);
  return double_call(depth - 1, x, id) ^ double_call(depth - 1, x + (cl_uint)depth, id);
}

static void put_callers(const char *parameters, const char *first, const char *second) {
  for (int i = 1; i <= CALLS; i++)
    put("uint f%d(%s) { return f%d(%s) ^ f%d(%s + %d%s); }\n", i, parameters, i - 1, first, i - 1, second, i,
        strchr(first, ',') == NULL ? "" : ", l");
}

static cl_int calls(cl_int x) { return double_call(CALLS, (cl_uint)x, 0); }
static cl_int calls_with_ids(cl_int x) { return double_call(CALLS, (cl_uint)x, x); }

static void functions_that_call_twice(void **state) {
  put("uint f0(uint x) { return x * 3 + 1; }\n");
  put_callers("uint x", "x", "x");
  put("kernel void k(global int *a) { a[get_global_id(0)] = f17(a[get_global_id(0)]); }");
  expect_results(*state, calls);
}

static void functions_that_call_twice_and_ask_for_ids(void **state) {
  put("uint f0(uint x) { return x * 3 + 1 + get_global_id(0); }\n");
  put_callers("uint x", "x", "x");
  put("kernel void k(global int *a) { a[get_global_id(0)] = f17(a[get_global_id(0)]); }");
  expect_results(*state, calls_with_ids);
}

static void functions_that_call_twice_by_pointer(void **state) {
  put("uint f0(uint *x) { return *x * 3 + 1; }\n");
  for (int i = 1; i <= CALLS; i++)
    put("uint f%d(uint *x) { uint y = *x + %d; return f%d(x) ^ f%d(&y); }\n", i, i, i - 1, i - 1);
  put("kernel void k(global int *a) { uint v = a[get_global_id(0)]; a[get_global_id(0)] = f17(&v); }");
  expect_results(*state, calls);
}

static void functions_that_call_twice_and_meet_a_barrier(void **state) {
  put("uint f0(uint x, local uint *l) { *l = x; barrier(1); return x * 3 + 1; }\n");
  put_callers("uint x, local uint *l", "x, l", "x");
  put("kernel void k(global int *a) { local uint l; a[0] = f17(a[0], &l); }");
  expect_refused(*state, "instructions when its functions are expanded; the limit is");
}

static void a_chain_of_5000_calls(void **state) {
  put("int f0(int x) { return x + 1; }\n");
  for (int i = 1; i < 5000; i++)
    put("int f%d(int x) { int p[4] = {x, x, x, x}; return f%d(p[x & 3]); }\n", i, i - 1);
  put("kernel void k(global int *a) { a[get_global_id(0)] = f4999(a[get_global_id(0)]); }");
  expect_results(*state, plus_1);
}

/* ---- private memory ---- */

static size_t group_size_of(const struct fixture *f, cl_program program) {
  cl_int err;
  size_t size = 0;
  cl_kernel kernel = kiln_clCreateKernel(program, "k", &err);
  expect_success(err);
  expect_success(
      kiln_clGetKernelWorkGroupInfo(kernel, f->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size, NULL));
  expect_success(kiln_clReleaseKernel(kernel));
  return size;
}

/* A megabyte per work-item, live over a barrier: CL_KERNEL_WORK_GROUP_SIZE shrinks, and holds. */
static void a_megabyte_of_private_arrays(void **state) {
  struct fixture *f = *state;
  put("kernel void k(global int *a) { int p[262144], g = get_global_id(0);\n"
      "for (int i = 0; i < 262144; i++) p[i] = i * 7 + g;\nbarrier(CLK_GLOBAL_MEM_FENCE);\n");
  put("int s = 0; for (int i = 0; i < 262144; i += 257) s += p[i * 5 + 3 & 262143];\na[g] = s; }");
  cl_program program = program_build(f, source(), "");
  size_t most = 0, n = group_size_of(f, program);
  expect_success(kiln_clGetDeviceInfo(f->device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof most, &most, NULL));
  assert_true(n >= 1 && n < most && n <= 256);
  cl_int *data = calloc(2 * n, sizeof *data);
  assert_int_equal(program_run(f, program, data, 2 * n, n), CL_SUCCESS);
  for (size_t g = 0; g < 2 * n; g++) {
    cl_int sum = 0;
    for (cl_int i = 0; i < 262144; i += 257) sum += ((i * 5 + 3) & 262143) * 7 + (cl_int)g;
    assert_int_equal(data[g], sum);
  }
  assert_int_equal(program_run(f, program, data, 2 * n, 2 * n), CL_INVALID_WORK_GROUP_SIZE);
  free(data);
  expect_success(kiln_clReleaseProgram(program));
}

/* More than a worker's arena holds: the command fails, and nothing else. */
static void a_gigabyte_of_private_arrays(void **state) {
  struct fixture *f = *state;
  cl_int data[4] = {0};
  put("kernel void k(global int *a) { volatile int p[1 << 28]; p[a[0]] = 1; barrier(1); a[1] = p[a[0]]; }");
  cl_program program = program_build(f, source(), "");
  assert_int_equal(group_size_of(f, program), 1);
  assert_int_equal(program_run(f, program, data, 4, 1), CL_OUT_OF_RESOURCES);
  expect_success(kiln_clReleaseProgram(program));
  program_expect_works(f, 3);
}

/* ---- the preprocessor ---- */

static void macros_that_double_16_times(void **state) {
  put("#define m0 +1\n");
  for (int i = 1; i <= 16; i++) put("#define m%d m%d m%d\n", i, i - 1, i - 1);
  put("kernel void k(global int *a) { a[get_global_id(0)] += 1 - 65536 m16; }");
  expect_results(*state, plus_1);
}

static void a_file_that_includes_itself(void **state) {
  struct fixture *f = *state;
  cl_program program = program_of(f, "#include \"self.h\"\n");
  cl_program header = program_of(f, "#include \"self.h\"\n");
  const char *name = "self.h";
  assert_int_equal(kiln_clCompileProgram(program, 0, NULL, NULL, 1, &header, &name, NULL, NULL),
                   CL_COMPILE_PROGRAM_FAILURE);
  program_expect_log(f, program, "#include nested too deeply");
  expect_success(kiln_clReleaseProgram(header));
  expect_success(kiln_clReleaseProgram(program));
}

static int clear(void **state) {
  kiln_blob_finish(&text);
  return fixture_close(state);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, fixture_open, clear)

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      TEST(ten_megabytes_of_comment),
      TEST(ten_megabytes_of_functions),
      TEST(ten_megabytes_on_one_line),
      TEST(ten_megabytes_of_nonsense),
      TEST(a_name_of_a_megabyte),
      TEST(two_thousand_kernels),
      TEST(a_sum_of_100000_terms),
      TEST(a_sum_of_100000_floats),
      TEST(parentheses_nested_100000_deep),
      TEST(blocks_nested_100000_deep),
      TEST(unary_operators_20000_deep),
      TEST(twenty_thousand_else_ifs),
      TEST(a_switch_of_20000_cases),
      TEST(functions_that_call_twice),
      TEST(functions_that_call_twice_and_ask_for_ids),
      TEST(functions_that_call_twice_by_pointer),
      TEST(functions_that_call_twice_and_meet_a_barrier),
      TEST(a_chain_of_5000_calls),
      TEST(a_megabyte_of_private_arrays),
      TEST(a_gigabyte_of_private_arrays),
      TEST(macros_that_double_16_times),
      TEST(a_file_that_includes_itself),
  };
  setenv("KILN_CACHE_DIR", "", 1); /* or the second run would test the cache */
  return program_main(tests, argc, argv);
}
