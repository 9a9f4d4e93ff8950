/* What a build log says: file, line and column, the line and a caret; and what the language forbids. */
#include "program/program.h"

static void expect_log(const struct fixture *f, const char *source, const char *options, const char *text) {
  cl_program program = program_of(f, source);
  cl_int err = kiln_clBuildProgram(program, 0, NULL, options, NULL, NULL);
  if (err != CL_BUILD_PROGRAM_FAILURE) print_error("builds: %s\n", source);
  assert_int_equal(err, CL_BUILD_PROGRAM_FAILURE);
  program_expect_log(f, program, text);
  assert_non_null(strstr(kiln_last_error(), "error: "));
  expect_success(kiln_clReleaseProgram(program));
}

static void place_line_and_caret(void **state) {
  expect_log(*state, "kernel void k(global int *a) {\n  a[0] = nope;\n}\n", "",
             "kernel.cl:2:10: error: use of undeclared identifier 'nope'\n"
             "    2 |   a[0] = nope;\n"
             "      |          ^\n");
}

static void line_directives_are_respected(void **state) {
  expect_log(*state, "#line 70 \"other.cl\"\nkernel void k(global int *a) { a[0] = nope; }\n", "",
             "other.cl:70:39: error: use of undeclared identifier 'nope'\n"
             "   70 | kernel void k(global int *a) { a[0] = nope; }\n");
}

static void embedded_headers_are_named(void **state) {
  struct fixture *f = *state;
  cl_program program = program_of(f, "#include \"folder/h.h\"\nkernel void k() {}\n");
  cl_program header = program_of(f, "\nint x = ;\n");
  const char *name = "folder/h.h";
  assert_int_equal(kiln_clCompileProgram(program, 0, NULL, NULL, 1, &header, &name, NULL, NULL),
                   CL_COMPILE_PROGRAM_FAILURE);
  program_expect_log(f, program,
                     "h.h:2:9: error: expected expression\n    2 | int x = ;\n      |         ^\n");
  expect_success(kiln_clReleaseProgram(header));
  expect_success(kiln_clReleaseProgram(program));
}

static void warnings_are_told_and_silenced(void **state) {
  struct fixture *f = *state;
  static const char source[] = "kernel void k(global int *a) {\n#warning mind\n  a[0] = 1; }";
  cl_program program = program_build(f, source, "");
  program_expect_log(f, program, "kernel.cl:2:2: warning: mind");
  expect_success(kiln_clReleaseProgram(program));
  program = program_build(f, source, "-w");
  assert_string_equal(program_log(f, program), "");
  expect_success(kiln_clReleaseProgram(program));
  expect_log(f, source, "-Werror", "kernel.cl:2:2: error: mind");
}

/* ---- recursion ---- */

static void recursion_names_the_cycle(void **state) {
  expect_log(*state,
             "int f(int n) { return n ? f(n - 1) : 0; }\nkernel void k(global int *a) { a[0] = f(3); }\n", "",
             "kernel.cl:1:27: error: recursion is not allowed in OpenCL C: f -> f\n"
             "    1 | int f(int n) { return n ? f(n - 1) : 0; }\n"
             "      |                           ^\n");
  expect_log(*state,
             "int h(int);\nint f(int n) { return h(n); }\nint g(int n) { return f(n); }\n"
             "int h(int n) { return g(n); }\nkernel void k(global int *a) { a[0] = f(3); }\n",
             "", "error: recursion is not allowed in OpenCL C: f -> h -> g -> f\n");
  expect_log(*state, "kernel void k(global int *a) { if (a[0]--) k(a); }\n", "",
             "recursion is not allowed in OpenCL C: k -> k");
  expect_log(*state, "int unused(int n) { return unused(n); }\nkernel void k() {}\n", "-cl-std=CL3.0",
             "recursion is not allowed in OpenCL C: unused -> unused");
}

static void expect_link_failure(const struct fixture *f, cl_uint count, const char *const *sources,
                                const char *text) {
  cl_int err;
  cl_program parts[2];
  for (cl_uint i = 0; i < count; i++) {
    parts[i] = program_of(f, sources[i]);
    expect_success(kiln_clCompileProgram(parts[i], 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
  }
  cl_program linked = kiln_clLinkProgram(f->context, 0, NULL, NULL, count, parts, NULL, NULL, &err);
  assert_int_equal(err, CL_LINK_PROGRAM_FAILURE);
  assert_non_null(strstr(kiln_last_error(), text));
  if (linked != NULL) expect_success(kiln_clReleaseProgram(linked));
  for (cl_uint i = 0; i < count; i++) expect_success(kiln_clReleaseProgram(parts[i]));
}

static void recursion_over_linked_programs_names_the_cycle(void **state) {
  const char *const sources[] = {
      "int g(int);\nint f(int n) { return g(n); }\nkernel void k(global int *a) { a[0] = f(3); }\n",
      "int f(int);\nint g(int n) { return n ? f(n - 1) : 0; }\n"};
  expect_link_failure(*state, 2, sources, "recursion is not allowed in OpenCL C: ");
}

static void what_is_called_must_be_defined(void **state) {
  const char *source = "int missing(int);\nkernel void k(global int *a) { a[0] = missing(1); }\n";
  expect_log(*state, source, "",
             "kernel.cl:2:39: error: unresolved function: 'missing' is called but not defined\n");
  expect_link_failure(*state, 1, &source, "unresolved function: 'missing'");
}

/* ---- what OpenCL C does not have: a message, the line and a caret each ---- */

static const struct {
  const char *line, *message;
} forbidden[] = {
    {"kernel void k(global int *a) { int (*p)(int) = f; a[0] = p(3); }",
     "pointers to functions are not allowed"},
    {"kernel void k(global int *a) { a[0] = (int)(size_t)&f; }", "taking address of function is not allowed"},
    {"kernel void k(global int *a, int n) { int b[n]; b[0] = 1; a[0] = b[0]; }",
     "variable length arrays are not supported in OpenCL"},
    {"struct s { int a : 3; };", "bit-fields are not supported in OpenCL"},
    {"kernel void k(float4 x) { int4 y = x; }", "with an expression of incompatible type"},
    {"kernel void k(float4 x) { float2 y = x; }", "with an expression of incompatible type"},
    {"kernel void k(float4 x) { int4 y = (int4)x; }", "invalid conversion between ext-vector type"},
    {"kernel void k(global int *a, local int *b) { a = b; }", "changes address space of pointer"},
    {"kernel void k(global int *a) { int *p = a; }", "changes address space of pointer"},
    {"kernel void k(global int *a) { local int *p = (local int *)a; }", "changes address space of pointer"},
    {"kernel int k() { return 1; }", "kernel must have void return type"},
    {"kernel void k() { __asm__(\"nop\"); }", "inline assembly is not supported in OpenCL C"},
    {"kernel void k(global int *a) { a[0] = (int)(size_t)__builtin_alloca(4); }",
     "is not available in OpenCL C"},
    {"#include <stdio.h>", "file not found"},
};

static void forbidden_things_have_a_caret(void **state) {
  struct fixture *f = *state;
  for (size_t i = 0; i < sizeof forbidden / sizeof *forbidden; i++) {
    char source[400], place[512];
    snprintf(source, sizeof source, "int f(int n) { return n; }\n%s\n", forbidden[i].line);
    cl_program program = program_of(f, source);
    cl_int err = kiln_clBuildProgram(program, 0, NULL, NULL, NULL, NULL);
    if (err != CL_BUILD_PROGRAM_FAILURE) print_error("builds: %s\n", forbidden[i].line);
    assert_int_equal(err, CL_BUILD_PROGRAM_FAILURE);
    snprintf(place, sizeof place, "\n    2 | %s\n      | ", forbidden[i].line);
    program_expect_log(f, program, forbidden[i].message);
    program_expect_log(f, program, "kernel.cl:2:");
    program_expect_log(f, program, place);
    const char *caret = strstr(program_log(f, program), place) + strlen(place);
    assert_non_null(memchr(caret, '^', strcspn(caret, "\n")));
    expect_success(kiln_clReleaseProgram(program));
  }
}

/* ---- options ---- */

static void bad_options_are_named(void **state) {
  struct fixture *f = *state;
  cl_int err;
  cl_program program = program_of(f, "kernel void k() {}");
  expect_error(CL_INVALID_BUILD_OPTIONS, "\"-nonsense\" is not understood",
               kiln_clBuildProgram(program, 0, NULL, "-w -nonsense", NULL, NULL));
  expect_error(CL_INVALID_COMPILER_OPTIONS, "\"-create-library\" is not understood",
               kiln_clCompileProgram(program, 0, NULL, "-create-library", 0, NULL, NULL, NULL, NULL));
  expect_success(kiln_clCompileProgram(program, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
  assert_null(kiln_clLinkProgram(f->context, 0, NULL, "-DA", 1, &program, NULL, NULL, &err));
  assert_int_equal(err, CL_INVALID_LINKER_OPTIONS);
  assert_non_null(strstr(kiln_last_error(), "\"-DA\" is not understood"));
  expect_success(kiln_clReleaseProgram(program));
}

static void definitions_reach_the_source(void **state) {
  struct fixture *f = *state;
  cl_int data[1] = {0};
  cl_program program = program_build(f,
                                     "constant char s[] = T; kernel void k(global int *a) { a[0] = F(2) + N "
                                     "+ C + sizeof s + (s[1] == ' '); }",
                                     "-D N=100 -DF(x)=((x)*1000) -DC=' ' \"-DT=\\\"a b\\\"\" -DGONE -UGONE");
  assert_int_equal(program_run(f, program, data, 1, 0), CL_SUCCESS);
  assert_int_equal(data[0], 2000 + 100 + ' ' + 4 + 1);
  expect_success(kiln_clReleaseProgram(program));
}

static void kernels_are_explained_on_request(void **state) {
  struct fixture *f = *state;
  static const char source[] = "kernel void k(global int *a) { local int l[32]; l[get_local_id(0)] = a[0];\n"
                               "barrier(CLK_LOCAL_MEM_FENCE); a[get_global_id(0)] = l[0]; }\n"
                               "kernel void plain(global int *a) { a[0] = 1; }\n";
  cl_program program = program_build(f, source, "-kiln-explain");
  program_expect_log(f, program, "cut into regions at its barriers;");
  program_expect_log(f, program, "128 bytes of local variables");
  program_expect_log(f, program, "no barrier: one region; 0 bytes private");
  program_expect_log(f, program, "\nkernel 'plain', groups of 64 x 1 x 1: ");
  expect_success(kiln_clReleaseProgram(program));
  program = program_build(f, source, "");
  assert_string_equal(program_log(f, program), "");
  expect_success(kiln_clReleaseProgram(program));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, fixture_open, fixture_close)

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      TEST(place_line_and_caret),
      TEST(line_directives_are_respected),
      TEST(embedded_headers_are_named),
      TEST(warnings_are_told_and_silenced),
      TEST(recursion_names_the_cycle),
      TEST(recursion_over_linked_programs_names_the_cycle),
      TEST(what_is_called_must_be_defined),
      TEST(forbidden_things_have_a_caret),
      TEST(bad_options_are_named),
      TEST(definitions_reach_the_source),
      TEST(kernels_are_explained_on_request),
  };
  return program_main(tests, argc, argv);
}
