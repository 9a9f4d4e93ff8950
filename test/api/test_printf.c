/* What printf writes, from the kernel's call to the host's stdout: OpenCL C 3.0, section 6.15.14. */
#include "api/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- stdout to a file for a while ---- */

static int saved_stdout;

static FILE *capture_begin(void) {
  FILE *file = tmpfile();
  assert_non_null(file);
  fflush(stdout);
  saved_stdout = dup(1);
  dup2(fileno(file), 1);
  return file;
}

/* What was written, as text that the caller frees. */
static char *capture_end(FILE *file, size_t *size_out) {
  fflush(stdout);
  dup2(saved_stdout, 1);
  close(saved_stdout);
  *size_out = (size_t)lseek(fileno(file), 0, SEEK_END);
  char *text = malloc(*size_out + 1);
  assert_non_null(text);
  assert_int_equal(pread(fileno(file), text, *size_out, 0), *size_out);
  text[*size_out] = '\0';
  fclose(file);
  return text;
}

/* ---- kernels ---- */

static cl_program build(const struct fixture *f, const char *source, const char *options) {
  static char log[8192];
  cl_int err = 12345;
  cl_program program = kiln_clCreateProgramWithSource(f->context, 1, &source, NULL, &err);
  expect_success(err);
  err = kiln_clBuildProgram(program, 1, &f->device, options, NULL, NULL);
  expect_success(kiln_clGetProgramBuildInfo(program, f->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
  if (err != CL_SUCCESS || log[0] != '\0') fail_msg("error %d, %s\n%s", err, log, source);
  return program;
}

/* Runs kernel `name` over `global` items, `local` a group, and gives what it wrote. */
static char *output_of(const struct fixture *f, cl_program program, const char *name, size_t global,
                       size_t local, cl_mem arg) {
  cl_int err = 12345;
  size_t size;
  cl_kernel kernel = kiln_clCreateKernel(program, name, &err);
  expect_success(err);
  if (arg != NULL) expect_success(kiln_clSetKernelArg(kernel, 0, sizeof arg, &arg));
  FILE *file = capture_begin();
  err = kiln_clEnqueueNDRangeKernel(f->queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
  cl_int finished = kiln_clFinish(f->queue);
  char *text = capture_end(file, &size);
  expect_success(err);
  expect_success(finished);
  expect_success(kiln_clReleaseKernel(kernel));
  return text;
}

struct line {
  const char *call, *text; /* arguments of printf; what it must write */
};

/* One kernel that makes every call, a line each. */
static void expect_lines(const struct fixture *f, const struct line *lines, size_t count,
                         const char *options) {
  size_t room = 128, used = 0, wrong = 0;
  for (size_t i = 0; i < count; i++) room += strlen(lines[i].call) + 32;
  char *source = malloc(room);
  assert_non_null(source);
  used += (size_t)sprintf(source, "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\nkernel void k() {\n");
  for (size_t i = 0; i < count; i++)
    used += (size_t)sprintf(source + used, "  printf(%s);\n  printf(\"\\n\");\n", lines[i].call);
  sprintf(source + used, "}\n");
  cl_program program = build(f, source, options);
  char *text = output_of(f, program, "k", 1, 1, NULL), *at = text;
  for (size_t i = 0; i < count; i++) {
    char *end = strchr(at, '\n');
    assert_non_null(end);
    *end = '\0';
    if (strcmp(at, lines[i].text) != 0)
      print_message("printf(%s) wrote '%s', not '%s'\n", lines[i].call, at, lines[i].text), wrong++;
    at = end + 1;
  }
  assert_int_equal(wrong, 0);
  assert_string_equal(at, "");
  free(text);
  free(source);
  expect_success(kiln_clReleaseProgram(program));
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- conversions ---- */

static void integers_are_written(void **state) {
  static const struct line lines[] = {
      {"\"%d %i %d\", 0, -5, INT_MIN", "0 -5 -2147483648"},
      {"\"%u %o %x %X\", 4000000000u, 8, 255, 0xabc", "4000000000 10 ff ABC"},
      {"\"%5d|%-5d|%05d|%+d|% d\", 42, 42, 42, 42, 42", "   42|42   |00042|+42| 42"},
      {"\"%.4d|%8.3d|%-8.3d|%08.3d|%.0d|\", 7, 7, 7, 7, 0", "0007|     007|007     |     007||"},
      {"\"%#x %#X %#o %#x\", 255, 255, 8, 0", "0xff 0XFF 010 0"},
      {"\"%-+6d|%+-6d|%- 6d|\", 3, -3, 3", "+3    |-3    | 3    |"},
      {"\"%ld %lu %lx\", LONG_MIN, ULONG_MAX, 0x123456789abcdefL",
       "-9223372036854775808 18446744073709551615 123456789abcdef"},
      {"\"%hhd %hhu %hhx\", (char)-1, (uchar)255, (char)-2", "-1 255 fe"},
      {"\"%hd %hu %hx\", (short)-1, (ushort)65535, (short)-2", "-1 65535 fffe"},
      {"\"%hhd %hd\", (char)127, (short)-32768", "127 -32768"},
      {"\"%d %d %d\", true, (char)'a', (short)-3", "1 97 -3"},
      {"\"%20ld|%-20ld|%020ld\", -1L, -1L, -1L",
       "                  -1|-1                  |-0000000000000000001"},
  };
  expect_lines(*state, lines, COUNT(lines), NULL);
}

static void reals_are_written(void **state) {
  static const struct line lines[] = {
      {"\"%f %F %f\", 1.5f, -2.25, 0.1f", "1.500000 -2.250000 0.100000"},
      {"\"%e %E %e\", 12345.678, 1e-10f, 0.0f", "1.234568e+04 1.000000E-10 0.000000e+00"},
      {"\"%g %G %g %g\", 0.0001, 1e-5, 100000.0f, 1e6f", "0.0001 1E-05 100000 1e+06"},
      {"\"%a %A %a\", 1.0f, 255.5f, -0x1.8p-3", "0x1p+0 0X1.FFP+7 -0x1.8p-3"},
      {"\"%.2f|%8.2f|%-8.2f|%08.2f|%+.1f|% .1f\", 3.14159f, 3.14159f, 3.14159f, 3.14159f, 2.0f, 2.0f",
       "3.14|    3.14|3.14    |00003.14|+2.0| 2.0"},
      {"\"%.0f %#.0f %#g %.3g %.e\", 2.5, 3.0, 1.0, 1234.5, 15.0", "2 3. 1.00000 1.23e+03 2e+01"},
      {"\"%f %F %e %G\", INFINITY, -INFINITY, INFINITY, INFINITY", "inf -INF inf INF"},
      {"\"%5f|%-5F|%05f\", fabs(NAN), fabs(NAN), INFINITY", "  nan|NAN  |  inf"},
      {"\"%.3a %.0a\", 1.999f, 1.75f", "0x1.ffcp+0 0x2p+0"},
      {"\"%.20f\", 0.1", "0.10000000000000000555"},
      {"\"%.15g\", 1e300 * 1.5", "1.5e+300"},
      {"\"%g\", 0x1p-149f", "1.4013e-45"},
  };
  expect_lines(*state, lines, COUNT(lines), NULL);
}

static void vectors_are_written(void **state) {
  static const struct line lines[] = {
      {"\"%2.2v4hlf\", (float4)(1, 2, 3, 4)", "1.00,2.00,3.00,4.00"},
      {"\"%#v4hhx\", (uchar4)(0xFA, 0xFB, 0xFC, 0xFD)", "0xfa,0xfb,0xfc,0xfd"},
      {"\"%v2hhd|%v3hhd|%v3hhu\", (char2)(-1, 2), (char3)(1, -2, 3), (uchar3)(255, 0, 1)",
       "-1,2|1,-2,3|255,0,1"},
      {"\"%v4hd|%v4hu\", (short4)(-1, 2, -3, 4), (ushort4)(65535, 1, 2, 3)", "-1,2,-3,4|65535,1,2,3"},
      {"\"%v2hld|%v4hlu|%v3hlx\", (int2)(-1, INT_MIN), (uint4)(UINT_MAX), (uint3)(10, 11, 12)",
       "-1,-2147483648|4294967295,4294967295,4294967295,4294967295|a,b,c"},
      {"\"%v2ld|%v2lu|%v2lX\", (long2)(-1, LONG_MIN), (ulong2)(ULONG_MAX, 0), (ulong2)(255, 10)",
       "-1,-9223372036854775808|18446744073709551615,0|FF,A"},
      {"\"%v8hhd\", (char8)(1, 2, 3, 4, 5, 6, 7, 8)", "1,2,3,4,5,6,7,8"},
      {"\"%v16hd\", (short16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, -15)",
       "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,-15"},
      {"\"%v16hlo\", (uint16)(8)", "10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10"},
      {"\"%v3hlf|%v2hle|%v2hlg|%v2hla\", (float3)(1, 2, 3), (float2)(0.5f, 10), (float2)(0.5f, 1e10f), "
       "(float2)(1, -2)",
       "1.000000,2.000000,3.000000|5.000000e-01,1.000000e+01|0.5,1e+10|0x1p+0,-0x1p+1"},
      {"\"%v2lf|%.1v8lf\", (double2)(-0.125, INFINITY), (double8)(2)",
       "-0.125000,inf|2.0,2.0,2.0,2.0,2.0,2.0,2.0,2.0"},
      {"\"%v2lG|%v2lA\", (double2)(1e-7, NAN), (double2)(-0.0, 0.5)", "1E-07,NAN|-0X0P+0,0X1P-1"},
      {"\"%5v2hld|%-5v2hld|%05v2hld|%+v2hld\", (int2)(1, -2), (int2)(1, -2), (int2)(1, -2), (int2)(1, -2)",
       "    1,   -2|1    ,-2   |00001,-0002|+1,-2"},
      {"\"%2.2v4hf\", (half4)(1.0h, -2.5h, 65504.0h, 0x1p-24h)", "1.00,-2.50,65504.00,0.00"},
      {"\"%v2he\", (half2)(0x1p-14h, INFINITY)", "6.103516e-05,inf"},
      {"\"%8.3v2hlf|\", (float2)(1.5f, -2.5f)", "   1.500,  -2.500|"},
      {"\"%d %v2hld %s\", 7, (int2)(8, 9), \"ten\"", "7 8,9 ten"},
  };
  expect_lines(*state, lines, COUNT(lines), NULL);
}

static void text_is_written(void **state) {
  static const struct line lines[] = {
      {"\"\"", ""},
      {"\"plain\"", "plain"},
      {"\"100%% %d%%\", 5", "100% 5%"},
      {"\"%c%c%c|%3c|%-3c|\", 'a', 66, 'c', 'd', 'e'", "aBc|  d|e  |"},
      {"\"%s|%8s|%-8s|%.2s|%5.1s|%.0s|\", \"text\", \"text\", \"text\", \"text\", \"text\", \"text\"",
       "text|    text|text    |te|    t||"},
      {"\"%s%s\", \"\", \"x\"", "x"},
      {"\"tab\\there \\\"quoted\\\" \\x41\"", "tab\there \"quoted\" A"},
      {"\"%p|%5p\", (void *)0, (void *)0", "0x0|  0x0"},
      {"\"%p\", (global int *)0x1234", "0x1234"},
  };
  expect_lines(*state, lines, COUNT(lines), NULL);
}

/* Size and difference lengths; from OpenCL C 3.1 on, before that an extra. */
static void sizes_are_written(void **state) {
  static const struct line lines[] = {
      {"\"%zu %zx %zd\", (size_t)-1, sizeof(int16), (size_t)5", "18446744073709551615 40 5"},
      {"\"%td %ti %tx\", (ptrdiff_t)-7, (ptrdiff_t)LONG_MIN, (ptrdiff_t)255", "-7 -9223372036854775808 ff"},
      {"\"%5zu|%-5td|\", (size_t)3, (ptrdiff_t)-3", "    3|-3   |"},
  };
  struct fixture *f = *state;
  if (f->device->backend->caps.target.device_version >= 310)
    expect_lines(f, lines, COUNT(lines), "-cl-std=CL3.1");
  expect_lines(*state, lines, COUNT(lines), "-cl-std=CL3.0");
}

/* cl_amd_printf: OpenCL C 1.0 and 1.1 have no printf of their own. */
static void early_versions_have_printf(void **state) {
  static const struct line lines[] = {
      {"\"%d %s %v4hlf\", 1, \"two\", (float4)(3)", "1 two 3.000000,3.000000,3.000000,3.000000"}};
  expect_lines(*state, lines, COUNT(lines), "-cl-std=CL1.1");
  expect_lines(*state, lines, COUNT(lines), "-cl-std=CL1.2");
  expect_lines(*state, lines, COUNT(lines), "-cl-std=CL3.0");
  static const char *const options[] = {"-cl-std=CL1.0", "-cl-std=CL1.1", NULL};
  for (size_t i = 0; i < COUNT(options); i++) {
    static const char source[] = "#ifndef cl_amd_printf\n#error absent\n#endif\n"
                                 "#pragma OPENCL EXTENSION cl_amd_printf : enable\n"
                                 "kernel void k() { printf(\"from %d\", __OPENCL_C_VERSION__); }";
    cl_program program = build(*state, source, options[i]);
    char *text = output_of(*state, program, "k", 1, 1, NULL);
    assert_string_equal(text, i == 0 ? "from 100" : i == 1 ? "from 110" : "from 120");
    free(text);
    expect_success(kiln_clReleaseProgram(program));
  }
}

/* ---- many items ---- */

/* An item's lines stand in the order it wrote them, none is lost, and barriers order items. */
static void order_is_kept_within_an_item(void **state) {
  struct fixture *f = *state;
  static const char source[] = "kernel void k() {\n"
                               "  for (int i = 0; i < 3; i++) {\n"
                               "    printf(\"%d %d\\n\", (int)get_global_id(0), i);\n"
                               "    if (i == 1) barrier(CLK_LOCAL_MEM_FENCE);\n"
                               "  }\n"
                               "}\n";
  enum { ITEMS = 512, GROUP = 64 };
  cl_program program = build(f, source, NULL);
  char *text = output_of(f, program, "k", ITEMS, GROUP, NULL);
  int seen[ITEMS] = {0}, lines = 0, ahead[ITEMS / GROUP] = {0};
  for (char *at = text; *at != '\0'; at = strchr(at, '\n') + 1, lines++) {
    int item = -1, i = -1;
    assert_int_equal(sscanf(at, "%d %d\n", &item, &i), 2);
    assert_in_range(item, 0, ITEMS - 1);
    assert_int_equal(i, seen[item]++);
    if (i == 1) ahead[item / GROUP]++;
    if (i == 2) assert_int_equal(ahead[item / GROUP], GROUP);
  }
  assert_int_equal(lines, 3 * ITEMS);
  free(text);
  expect_success(kiln_clReleaseProgram(program));
}

/* Only items that get there print, and each its own values. */
static void only_active_items_print(void **state) {
  struct fixture *f = *state;
  static const char source[] =
      "kernel void k() {\n"
      "  int i = get_global_id(0);\n"
      "  if (i % 3 == 0) printf(\"<%d %v2hld>\", i, (int2)(i, -i));\n"
      "  else if (i % 3 == 1) for (int j = 0; j < i % 5; j++) printf(\"<%d %v2hld>\", i, (int2)(j, 0));\n"
      "}\n";
  enum { ITEMS = 100 };
  cl_program program = build(f, source, NULL);
  char *text = output_of(f, program, "k", ITEMS, 20, NULL);
  int counts[ITEMS] = {0}, i = -1, x = -1, y = -1, used = 0;
  for (char *at = text; sscanf(at, "<%d %d,%d>%n", &i, &x, &y, &used) == 3; at += used) {
    assert_in_range(i, 0, ITEMS - 1);
    assert_int_equal(x, i % 3 == 0 ? i : counts[i]);
    assert_int_equal(y, i % 3 == 0 ? -i : 0);
    counts[i]++;
  }
  for (i = 0; i < ITEMS; i++) assert_int_equal(counts[i], i % 3 == 0 ? 1 : i % 3 == 1 ? i % 5 : 0);
  free(text);
  expect_success(kiln_clReleaseProgram(program));
}

/* Section 6.15.14: 0, or -1 when nothing could be stored; what was stored is written whole. */
static void a_full_buffer_is_reported(void **state) {
  struct fixture *f = *state;
  static const char source[] = "kernel void k(global int *results) {\n"
                               "  results[get_global_id(0)] = printf(\"%6d\\n\", (int)get_global_id(0));\n"
                               "}\n";
  enum { ITEMS = 1 << 17 };
  cl_int err = 12345;
  cl_mem buffer = kiln_clCreateBuffer(f->context, 0, ITEMS * sizeof(cl_int), NULL, &err);
  expect_success(err);
  cl_program program = build(f, source, NULL);
  char *text = output_of(f, program, "k", ITEMS, 64, buffer);
  cl_int *results = malloc(ITEMS * sizeof *results);
  assert_non_null(results);
  expect_success(kiln_clEnqueueReadBuffer(f->queue, buffer, CL_TRUE, 0, ITEMS * sizeof *results, results, 0,
                                          NULL, NULL));
  int stored = 0, written = 0;
  for (int i = 0; i < ITEMS; i++) {
    assert_true(results[i] == 0 || results[i] == -1);
    stored += results[i] == 0;
  }
  for (char *at = text; *at != '\0'; at += 7, written++) {
    int item = atoi(at);
    assert_int_equal(at[6], '\n');
    assert_in_range(item, 0, ITEMS - 1);
    assert_int_equal(results[item], 0);
  }
  assert_int_equal(written, stored);
  assert_true(stored >= 10000 && stored < ITEMS);
  free(text);
  free(results);
  expect_success(kiln_clReleaseProgram(program));
  expect_success(kiln_clReleaseMemObject(buffer));
}

/* The output is there when the event says the command is complete, and commands write in their order. */
static void output_comes_with_the_end_of_the_command(void **state) {
  struct fixture *f = *state;
  static const char source[] = "kernel void a() { printf(\"a\"); }\nkernel void b() { printf(\"b\"); }\n";
  cl_program program = build(f, source, NULL);
  cl_int err = 12345;
  cl_kernel a = kiln_clCreateKernel(program, "a", &err), b = kiln_clCreateKernel(program, "b", &err);
  expect_success(err);
  char text[8] = "";
  ssize_t size = 0;
  FILE *file = capture_begin();
  for (int i = 0; i < 3 && err == CL_SUCCESS; i++) {
    cl_event done;
    size_t one = 1, unused;
    err = kiln_clEnqueueNDRangeKernel(f->queue, i == 1 ? b : a, 1, NULL, &one, NULL, 0, NULL,
                                      i == 2 ? &done : NULL);
    if (i < 2 || err != CL_SUCCESS) continue;
    err = kiln_clWaitForEvents(1, &done);
    size = pread(fileno(file), text, sizeof text - 1, 0);
    kiln_clReleaseEvent(done);
    free(capture_end(file, &unused));
  }
  expect_success(err);
  assert_int_equal(size, 3);
  assert_string_equal(text, "aba");
  expect_success(kiln_clReleaseKernel(a));
  expect_success(kiln_clReleaseKernel(b));
  expect_success(kiln_clReleaseProgram(program));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(integers_are_written),
      cmocka_unit_test(reals_are_written),
      cmocka_unit_test(vectors_are_written),
      cmocka_unit_test(text_is_written),
      cmocka_unit_test(sizes_are_written),
      cmocka_unit_test(early_versions_have_printf),
      cmocka_unit_test(order_is_kept_within_an_item),
      cmocka_unit_test(only_active_items_print),
      cmocka_unit_test(a_full_buffer_is_reported),
      cmocka_unit_test(output_comes_with_the_end_of_the_command),
  };
  return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
