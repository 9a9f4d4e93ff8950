/* The builtin linker, and the builtins' values against references in C. */
#include "builtins_jit.h"

#include <time.h>

/* ---- the linker ---- */

/* Names that clang declares and this library leaves to others. */
static bool is_foreign(const char *mangled) {
  static const char *const prefixes[] = {
      "intel_",    "amd_",          "arm_",          "read_image",        "write_image", "get_image_",
      "read_pipe", "ndrange_",      "capture_event", "create_user_event", "enqueue_",    "get_default_queue",
      "is_valid_", "release_event", "retain_event",  "set_user_event",    "get_pipe"};
  const char *name = mangled + 2 + strspn(mangled + 2, "0123456789");
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0) return true;
  return false;
}

/* Every function of clang's full header exists or is lowered. Returns how many do not. */
static unsigned count_unresolved(const char *version, unsigned *total_out) {
  char command[1024], line[4096];
  snprintf(command, sizeof command,
           "echo | %s -cc1 -triple spir64-unknown-unknown -x cl -cl-std=%s -cl-ext=+all -internal-isystem "
           "$(%s -print-resource-dir)/include -finclude-default-header -ast-dump=json -",
           KILN_CLANG, version, KILN_CLANG);
  FILE *pipe = popen(command, "r");
  unsigned missing = 0, total = 0;
  while (fgets(line, sizeof line, pipe) != NULL) {
    char *name = strstr(line, "\"mangledName\": \"_Z");
    if (name == NULL) continue;
    name += strlen("\"mangledName\": \"");
    name[strcspn(name, "\"")] = '\0';
    if (is_foreign(name)) continue;
    total++;
    if (kiln_builtin_exists(name) || kiln_builtin_is_lowered(name)) continue;
    if (missing++ < 40) print_message("%s: no %s\n", version, name);
  }
  pclose(pipe);
  *total_out = total;
  return missing;
}

static void everything_declared_exists(void **state) {
  static const char *const versions[] = {"CL1.2", "CL3.0"};
  for (size_t i = 0; i < 2; i++) {
    unsigned total, missing = count_unresolved(versions[i], &total);
    print_message("%s: %u of %u declared builtins\n", versions[i], total - missing, total);
    assert_true(total > 5000);
    assert_int_equal(missing, 0);
  }
}

static void missing_is_named(void **state) {
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = jit_compile(
      context, "void nowhere(int); void f(global float *p) { *p = fabs(*p); nowhere(1); }", "-cl-std=CL1.2");
  char *missing;
  assert_false(kiln_builtins_link(module, &missing));
  assert_string_equal(missing, "nowhere");
  kiln_free(missing);
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
}

static void lowered_stays(void **state) {
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = jit_compile(context,
                                     "kernel void f(global int *p) { barrier(1); p[get_global_id(0)] = 1;"
                                     " printf(\"%d\", (int)get_local_linear_id()); }",
                                     "-cl-std=CL3.0");
  char *missing;
  assert_true(kiln_builtins_link(module, &missing));
  assert_true(LLVMIsDeclaration(LLVMGetNamedFunction(module, "_Z13get_global_idj")));
  assert_true(LLVMIsDeclaration(LLVMGetNamedFunction(module, "_Z7barrierj")));
  assert_true(LLVMIsDeclaration(LLVMGetNamedFunction(module, "printf")));
  assert_true(kiln_builtin_is_lowered("_Z21work_group_reduce_addi"));
  assert_false(kiln_builtin_is_lowered("_Z3sinf"));
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
}

/* Only what is needed is linked, and nothing of it is visible. */
static void linked_is_internal(void **state) {
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module =
      jit_compile(context, "kernel void f(global float *p) { p[0] = fma(p[0], p[1], fmax(p[2], 1.0f)); }",
                  "-cl-std=CL1.2");
  char *missing;
  assert_true(kiln_builtins_link(module, &missing));
  unsigned defined = 0;
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
    size_t len;
    const char *name = LLVMGetValueName2(f, &len);
    if (LLVMIsDeclaration(f)) assert_memory_equal(name, "llvm.", 5);
    else if (strcmp(name, "f") != 0) assert_int_equal(LLVMGetLinkage(f), LLVMInternalLinkage);
    defined += !LLVMIsDeclaration(f);
  }
  assert_int_equal(defined, 3);
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
}

static unsigned count_op(LLVMValueRef function, LLVMOpcode op) {
  unsigned n = 0;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b != NULL; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i != NULL; i = LLVMGetNextInstruction(i))
      n += LLVMGetInstructionOpcode(i) == op;
  return n;
}

/* Functions that are straight code of element-wise operations take whole vectors, a scalar for all elements
 * included; others go by components. */
static void vector_calls(void **state) {
  static const struct {
    const char *type, *expression;
    unsigned calls, extracts;
  } cases[] = {
      {"float16", "fma(a, b, fmax(a, 1.0f))", 2, 0},
      {"uint16", "rotate(i, (uint16)(7))", 1, 0},
      {"uint16", "convert_uint16_sat(a)", 0, 0},
      {"float16", "convert_float16_rte(i)", 0, 0},
      {"int16", "isless(a, b)", 0, 0},
      {"uint16", "clamp(popcount(i), 3u, 9u)", 3, 0},
      {"float16", "step(0.5f, a)", 0, 0},
      {"float16", "exp(a)", 16, 16},
      {"float16", "pow(a, b)", 16, 32},
  };
  LLVMContextRef context = LLVMContextCreate();
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char source[256], *missing;
    snprintf(source, sizeof source, "void f(float16 a, float16 b, uint16 i, global %s *p) { *p = %s; }",
             cases[k].type, cases[k].expression);
    LLVMModuleRef module = jit_compile(context, source, "-cl-std=CL3.0");
    assert_true(kiln_builtins_link(module, &missing));
    LLVMValueRef f = LLVMGetNamedFunction(module, "f");
    unsigned calls = count_op(f, LLVMCall), extracts = count_op(f, LLVMExtractElement);
    if (calls != cases[k].calls || extracts != cases[k].extracts)
      fail_msg("%s: %u calls, %u components", cases[k].expression, calls, extracts);
    LLVMDisposeModule(module);
  }
  LLVMContextDispose(context);
}

/* Whether a module has a body for the function. */
static bool defines(LLVMModuleRef module, const char *name) {
  LLVMValueRef f = LLVMGetNamedFunction(module, name);
  return f != NULL && !LLVMIsDeclaration(f);
}

static LLVMModuleRef link_source(LLVMContextRef context, const char *options) {
  LLVMModuleRef module = jit_compile(
      context,
      "kernel void f(global float *p, global float4 *q) { p[0] = exp(p[0]) + sqrt(p[1]) + fmod(p[0], p[1]);"
      " q[0] = log(q[0]); }",
      options);
  char *missing;
  assert_true(kiln_builtins_link(module, &missing));
  return module;
}

/* The options of a program show in the flags of its calls. */
static void forms_go_by_flags(void **state) {
  static const struct {
    const char *options;
    bool relaxed, finite;
  } cases[] = {{"-cl-std=CL3.0", false, false},
               {"-cl-std=CL3.0 -cl-finite-math-only", false, false},
               {"-cl-std=CL3.0 -cl-unsafe-math-optimizations", true, false},
               {"-cl-std=CL3.0 -cl-fast-relaxed-math", true, true}};
  LLVMContextRef context = LLVMContextCreate();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    LLVMModuleRef module = link_source(context, cases[i].options);
    assert_int_equal(defines(module, "_Z18__kiln_relaxed_expf"), cases[i].relaxed);
    assert_int_equal(defines(module, "_Z3expf"), !cases[i].relaxed);
    assert_int_equal(defines(module, "_Z18__kiln_relaxed_logf"), cases[i].relaxed);
    assert_int_equal(defines(module, "_Z3logf"), !cases[i].relaxed);
    assert_int_equal(defines(module, "_Z18__kiln_finite_sqrtf"), cases[i].finite);
    assert_int_equal(defines(module, "_Z4sqrtf"), !cases[i].finite);
    assert_true(defines(module, "_Z4fmodff"));
    LLVMDisposeModule(module);
  }
  LLVMContextDispose(context);
}

static LLVMValueRef first_call(LLVMModuleRef module, const char *name) {
  LLVMValueRef f = LLVMGetNamedFunction(module, name);
  return f == NULL || LLVMGetFirstUse(f) == NULL ? NULL : LLVMGetUser(LLVMGetFirstUse(f));
}

/* As programs built with and without relaxed mathematics have when they are linked. */
static void forms_go_call_by_call(void **state) {
  static const char *const functions[][3] = {{"_Z3expf", "_Z18__kiln_relaxed_expf", "_Z3expf"},
                                             {"_Z3logDv4_f", "_Z18__kiln_relaxed_logf", "_Z3logf"}};
  LLVMContextRef context = LLVMContextCreate();
  for (size_t i = 0; i < 2; i++) {
    LLVMModuleRef module =
        jit_compile(context,
                    "kernel void f(global float *p, global float4 *q) { p[0] = exp(p[0]); p[1] = exp(p[1]);"
                    " q[0] = log(q[0]); q[1] = log(q[1]); }",
                    "-cl-std=CL3.0");
    LLVMSetFastMathFlags(first_call(module, functions[i][0]), LLVMFastMathApproxFunc);
    char *missing;
    assert_true(kiln_builtins_link(module, &missing));
    assert_true(defines(module, functions[i][1]));
    assert_true(defines(module, functions[i][2]));
    LLVMDisposeModule(module);
  }
  LLVMContextDispose(context);
}

/* Milliseconds of this thread alone: other programs do not count. */
static double thread_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { SLOWER = 20 };
#else
enum { SLOWER = 1 };
#endif

/* A kernel with ten math functions, warm; tool.link has the first time in a process. The least of many, as
 * caches and clocks of a busy machine are others' at times: some seconds of them before it counts as slow. */
static void link_is_quick(void **state) {
  static const char source[] =
      "kernel void f(global float *p, global float4 *q) {"
      " float x = p[0]; p[0] = sin(x) + cos(x) + exp(x) + log(x) + pow(x, p[1]) + sqrt(x) + rsqrt(x) + tan(x)"
      " + atan2(x, p[1]) + fmod(x, p[1]); q[0] = mix(q[0], q[1], 0.5f); }";
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef original = jit_compile(context, source, "-cl-std=CL1.2");
  const double limit = 1.0 * SLOWER;
  double best = 1e9;
  for (int i = 0; i < 100 || (best >= limit && i < 3000); i++) {
    LLVMModuleRef module = LLVMCloneModule(original);
    char *missing = NULL;
    double start = thread_ms();
    bool done = kiln_builtins_link(module, &missing);
    double ms = thread_ms() - start;
    if (!done) fail_msg("unresolved function '%s'", missing);
    best = ms < best ? ms : best;
    LLVMDisposeModule(module);
  }
  LLVMDisposeModule(original);
  LLVMContextDispose(context);
  print_message("linking ten math functions and a vector mix: %.3f ms; %zu functions in the library\n", best,
                kiln_builtins_count());
  assert_true(best < limit);
}

/* ---- values: each OpenCL function returns the number of the first check that fails, or 0 ---- */

static const char checks[] =
    "#define CHECK(n, c) if (!(c)) return n\n"
    "int check_relational(global float *s, local float *buffer) {\n"
    "  float4 a = (float4)(1, NAN, -0.0f, s[0]), b = (float4)(1, 1, 0.0f, INFINITY);\n"
    "  CHECK(1, all(isequal(a, b) == (int4)(-1, 0, -1, 0)));\n"
    "  CHECK(2, all(isnotequal(a, b) == (int4)(0, -1, 0, -1)));\n"
    "  CHECK(3, all(isnan(a) == (int4)(0, -1, 0, 0)));\n"
    "  CHECK(4, all(signbit(a) == (int4)(0, 0, -1, 0)));\n"
    "  CHECK(5, all(isless(a, b) == (int4)(0, 0, 0, -1)));\n"
    "  CHECK(6, all(isunordered(a, b) == (int4)(0, -1, 0, 0)));\n"
    "  CHECK(7, all(isinf(b) == (int4)(0, 0, 0, -1)));\n"
    "  double2 d = (double2)(NAN, 2);\n"
    "  CHECK(8, all(isnan(d) == (long2)(-1, 0)));\n"
    "  CHECK(9, all(isgreater((double3)(1, 2, 3), (double3)(2)) == (long3)(0, 0, -1)));\n"
    "  half3 h = (half3)(1, 2, 3);\n"
    "  CHECK(10, all(islessequal(h, (half3)(2)) == (short3)(-1, -1, 0)));\n"
    "  CHECK(11, isequal(1.0f, 1.0f) == 1 && isnormal(1.0) == 1 && isnormal(0x1p-130f) == 0);\n"
    "  CHECK(12, isfinite(INFINITY) == 0 && isordered(1.0f, NAN) == 0 && signbit(-0.0) == 1);\n"
    "  return 0;\n"
    "}\n"
    "int check_select(global float *s, local float *buffer) {\n"
    "  float4 a = (float4)(1, 2, 3, 4), b = (float4)(5, 6, 7, s[0]);\n"
    "  float4 r = select(a, b, (int4)(0, 1, -1, 0x80000000));\n"
    "  CHECK(1, all(r == (float4)(1, 2, 7, s[0])));\n"
    "  CHECK(2, select(1, 2, 1) == 2 && select(1, 2, 0) == 1 && select(1.0, 2.0, 4L) == 2.0);\n"
    "  CHECK(3, all(select((uchar2)(1, 2), (uchar2)(3, 4), (char2)(-128, 127)) == (uchar2)(3, 2)));\n"
    "  CHECK(4, all(select((uchar2)(1, 2), (uchar2)(3, 4), (uchar2)(128, 127)) == (uchar2)(3, 2)));\n"
    "  CHECK(5, any((int3)(0, -1, 0)) == 1 && any((int3)(1, 2, 3)) == 0 && all((char16)(-1)) == 1);\n"
    "  CHECK(6, all((long4)(-1, -1, -1, 1)) == 0 && any((short8)(0)) == 0 && any((short)-1) == 1);\n"
    "  CHECK(7, all(bitselect((int2)(0xff00, 1), (int2)(0x00ff, 2), (int2)(0x0ff0, 3)) == (int2)(0xf0f0, "
    "2)));\n"
    "  CHECK(8, bitselect(1.0f, -1.0f, -0.0f) == -1.0f);\n"
    "  return 0;\n"
    "}\n"
    "int check_common(global float *s, local float *buffer) {\n"
    "  CHECK(1, all(clamp((float4)(-1, 0.5f, 2, s[0]), 0.0f, 1.0f) == (float4)(0, 0.5f, 1, 1)));\n"
    "  CHECK(2, all(mix((float2)(0, 10), (float2)(1, 20), 0.5f) == (float2)(0.5f, 15)));\n"
    "  CHECK(3, all(step(1.0f, (float2)(0.5f, 1)) == (float2)(0, 1)));\n"
    "  CHECK(4, smoothstep(0.0f, 2.0f, 1.0f) == 0.5f && smoothstep(0.0, 1.0, 2.0) == 1.0);\n"
    "  CHECK(5, all(sign((double3)(-2, NAN, 3)) == (double3)(-1, 0, 1)) && signbit(sign(-0.0f)));\n"
    "  CHECK(6, degrees(M_PI_F) == 180.0f && radians(180.0) == M_PI && degrees((half)1) > (half)57.2f);\n"
    "  CHECK(7, all(max((int3)(1, 2, 3), 2) == (int3)(2, 2, 3)) && all(min((float2)(1, 3), 2.0f) == "
    "(float2)(1, 2)));\n"
    "  CHECK(8, all(fmax((double2)(1, NAN), 2.0) == (double2)(2)) && fmin(NAN, 1.0f) == 1.0f);\n"
    "  CHECK(9, all(ldexp((float3)(1, 2, 3), 2) == (float3)(4, 8, 12)));\n"
    "  CHECK(10, all(ldexp((float2)(1, 1), (int2)(-149, -150)) == (float2)(0x1p-149f, 0)));\n"
    "  CHECK(11, ldexp(0x1.8p-1074, 2000) == 0x1p927 && ldexp((half)1, -24) == (half)0x1p-24f);\n"
    "  CHECK(12, ldexp(0x1.000002p-20f, -129) == 0x1p-149f && ldexp(0x1.fffffep-1f, -149) == 0x1p-149f);\n"
    "  return 0;\n"
    "}\n"
    "int check_geometric(global float *s, local float *buffer) {\n"
    "  CHECK(1, length((float3)(2, 3, 6)) == 7 && length((float2)(3e30f, 4e30f)) > 4.99e30f);\n"
    "  CHECK(2, length((float2)(3e-30f, 4e-30f)) > 4.99e-30f && length((float2)(3e-30f, 4e-30f)) < "
    "5.01e-30f);\n"
    "  CHECK(3, length((double4)(1e300, 1e300, 1e300, 1e300)) == 2e300 && length((float2)(0)) == 0);\n"
    "  CHECK(4, length((float4)(1, INFINITY, NAN, 0)) == INFINITY && isnan(length((float2)(1, NAN))));\n"
    "  CHECK(5, all(normalize((float2)(0, -5)) == (float2)(0, -1)) && all(normalize((float4)(0)) == "
    "(float4)(0)));\n"
    "  CHECK(6, all(normalize((float3)(0, 0, 1e-30f)) == (float3)(0, 0, 1)));\n"
    "  CHECK(7, fabs(normalize((float2)(INFINITY, -INFINITY)).y + M_SQRT1_2_F) < 1e-6f);\n"
    "  CHECK(8, dot((float4)(1, 2, 3, 4), (float4)(5, 6, 7, s[0])) == 38 + 4 * s[0]);\n"
    "  CHECK(9, all(cross((float3)(1, 0, 0), (float3)(0, 1, 0)) == (float3)(0, 0, 1)));\n"
    "  CHECK(10, distance((double2)(1, 1), (double2)(4, 5)) == 5 && fast_length((float2)(3, 4)) == 5);\n"
    "  CHECK(11, all(normalize((double3)(0, 1e-310, 0)) == (double3)(0, 1, 0)));\n"
    "  double2 n = normalize((double2)(s[0] * 0x1p1020, 0x1.23456789abcdep0));\n"
    "  CHECK(13, n.x == 1 && n.y == 0x1.23456789abcdep-1023);\n"
    "  n = normalize((double2)(s[0] * 0x1p517, -0x1.23456789abcdep-500));\n"
    "  CHECK(14, n.x == 1 && n.y == -0x1.23456789abcdep-1020);\n"
    "  CHECK(15, all(fabs(normalize((double2)(INFINITY, -INFINITY)) - (double2)(M_SQRT1_2, -M_SQRT1_2)) < "
    "1e-15));\n"
    "  CHECK(16, all(normalize((double4)(1, INFINITY, 0, -0.0)) == (double4)(0, 1, 0, 0)));\n"
    "  CHECK(12, length((half2)(300, 400)) == (half)500 && dot((half2)(1, 2), (half2)(3, 4)) == (half)11);\n"
    "  return 0;\n"
    "}\n"
    "int check_memory(global float *s, local float *buffer) {\n"
    "  global char *bytes = (global char *)s;\n"
    "  for (int i = 0; i < 512; i++) bytes[i] = i;\n"
    "  CHECK(1, all(vload4(1, bytes + 1) == (char4)(5, 6, 7, 8)));\n"
    "  CHECK(2, all(vload3(2, bytes) == (char3)(6, 7, 8)));\n"
    "  CHECK(3, vload16(0, (global int *)(bytes + 4)).s1 == 0x0b0a0908);\n"
    "  vstore3((char3)(-1, -2, -3), 1, bytes);\n"
    "  CHECK(4, bytes[2] == 2 && bytes[3] == -1 && bytes[5] == -3 && bytes[6] == 6);\n"
    "  vstore2((double2)(1, 2), 1, (global double *)bytes);\n"
    "  CHECK(5, ((global double *)bytes)[2] == 1 && ((global double *)bytes)[3] == 2);\n"
    "  global half *h = (global half *)s;\n"
    "  vstore_half4((float4)(1, 1.0009765625f + 0.0001f, 65520, -65520), 1, h);\n"
    "  CHECK(6, h[4] == (half)1 && h[6] == (half)INFINITY);\n"
    "  vstore_half4_rtz((float4)(1, 1.0009765625f + 0.0001f, 65520, -65520), 1, h);\n"
    "  CHECK(7, h[5] == (half)1.0009765625f && h[6] == (half)65504 && h[7] == (half)-65504);\n"
    "  vstorea_half3_rtp((float3)(1.0001f, -1.0001f, 3), 2, h);\n"
    "  CHECK(8, h[8] == (half)1.0009765625f && h[9] == (half)-1);\n"
    "  vstore_half_rtn(1.0001, 0, h + 1);\n"
    "  CHECK(9, h[1] == (half)1 && vload_half(1, h) == 1.0f && all(vloada_half3(2, h) == vload_half3(0, h + "
    "8)));\n"
    "  private int p[4] = {1, 2, 3, 4};\n"
    "  CHECK(10, all(vload2(1, p) == (int2)(3, 4)));\n"
    "  return 0;\n"
    "}\n"
    "int check_shuffle(global float *s, local float *buffer) {\n"
    "  float4 a = (float4)(1, 2, 3, s[0]);\n"
    "  CHECK(1, all(shuffle(a, (uint4)(3, 2, 5, 0)) == (float4)(s[0], 3, 2, 1)));\n"
    "  CHECK(2, all(shuffle2(a, a + 10, (uint2)(4, 1)) == (float2)(11, 2)));\n"
    "  char16 c = (char16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);\n"
    "  CHECK(3, all(shuffle(c, (uchar16)(15) - as_uchar16(c)) == (char16)(15) - c));\n"
    "  return 0;\n"
    "}\n"
    "int check_pointers(global float *s, local float *buffer) {\n"
    "  float4 whole, f = fract((float4)(1.25f, -0.25f, s[0], -0.0f), &whole);\n"
    "  CHECK(1, all(f == (float4)(0.25f, 0.75f, 0, 0)) && all(whole == (float4)(1, -1, s[0], 0)));\n"
    "  CHECK(2, signbit(f.w) && signbit(whole.w) && fract(-0x1p-149f, s) == 0x1.fffffep-1f);\n"
    "  int3 e;\n"
    "  float3 m = frexp((float3)(8, 0x1p-149f, 0), &e);\n"
    "  CHECK(3, all(m == (float3)(0.5f, 0.5f, 0)) && all(e == (int3)(4, -148, 0)));\n"
    "  double2 i, r = modf((double2)(-1.5, INFINITY), &i);\n"
    "  CHECK(4, all(r == (double2)(-0.5, 0)) && all(i == (double2)(-1, INFINITY)));\n"
    "  int2 q;\n"
    "  float2 rem = remquo((float2)(7, -7), (float2)(2, 2), &q);\n"
    "  CHECK(5, all(rem == (float2)(-1, 1)) && all(q == (int2)(4, -4)));\n"
    "  global int *g = (global int *)s + 8;\n"
    "  CHECK(6, lgamma_r(-0.5f, g) > 1.26f && *g == -1 && sincos(0.0f, s + 8) == 0 && s[8] == 1);\n"
    "  float big = remquo(0x1.8p100f, 3.5f, g), want = remainder(0x1.8p100f, 3.5f);\n"
    "  CHECK(7, big == want && remquo(1.0f, 0.0f, g) != 0 && *g == 0);\n"
    "  bool good = true;\n"
    "  for (int k = 7; k < 1024; k++) {\n" /* 2^k is 1 more than a multiple of 3, or 1 less */
    "    int n = k & 1 ? 43 : 85;\n"
    "    double one = k & 1 ? -1 : 1;\n"
    "    good &= remquo(ldexp(1.0, k), 3.0, g) == one && *g == n;\n"
    "    good &= remquo(-ldexp(1.0, k), ldexp(3.0, -50), g) == ldexp(-one, -50) && *g == -n;\n"
    "    if (k > 127) continue;\n"
    "    good &= remquo(ldexp(1.0f, k), -3.0f, g) == one && *g == -n;\n"
    "    good &= remquo(ldexp(-1.0f, k), ldexp(-3.0f, -148), g) == ldexp((float)-one, -148) && *g == n;\n"
    "  }\n"
    "  CHECK(17, good);\n"
    "  CHECK(8, ilogb(0x1p-149f) == -149 && ilogb(0.0) == FP_ILOGB0 && logb(8.0) == 3 && ilogb(NAN) == "
    "FP_ILOGBNAN);\n"
    "  CHECK(9, nextafter(0.0f, 1.0f) == 0x1p-149f && nextafter(1.0, 0.0) == 0x1.fffffffffffffp-1);\n"
    "  CHECK(10, nextafter((half)1, (half)2) == (half)1.0009765625f && nextafter(-0.0f, -1.0f) == "
    "-0x1p-149f);\n"
    "  CHECK(11, maxmag(-3.0f, 2.0f) == -3 && minmag(-3.0f, 2.0f) == 2 && isnan(nan(5u)));\n"
    "  CHECK(12, all(convert_char4_sat_rte((float4)(1.5f, 2.5f, 300, NAN)) == (char4)(2, 2, 127, 0)));\n"
    "  CHECK(13, all(convert_uchar2(convert_float2((char2)(1, 2))) == (uchar2)(1, 2)));\n"
    "  CHECK(14, fma((half)0x1.004p0f, (half)0x1.004p0f, (half)-1) == (half)0x1.002p-9f);\n"
    "  CHECK(15, all(upsample((char2)(1, -1), (uchar2)(2, 255)) == (short2)(0x102, -1)));\n"
    "  CHECK(16, mul24(-3, 5) == -15 && mad24(2u, 3u, 4u) == 10 && all(abs((char2)(-128, 5)) == "
    "(uchar2)(128, 5)));\n"
    "  return 0;\n"
    "}\n"
    "int check_async(global float *s, local float *buffer) {\n"
    "  event_t e;\n"
    "  for (int i = 0; i < 64; i++) s[i] = i;\n"
    "  event_t f = async_work_group_copy(buffer, s, 16, e);\n"
    "  f = async_work_group_strided_copy(buffer + 16, s, 8, 4, f);\n"
    "  wait_group_events(1, &f);\n"
    "  CHECK(1, buffer[15] == 15 && buffer[16] == 0 && buffer[23] == 28);\n"
    "  f = async_work_group_copy((global float4 *)s, (local float4 *)buffer + 4, 2, e);\n"
    "  f = async_work_group_strided_copy(s + 32, buffer, 4, 2, e);\n"
    "  CHECK(2, s[1] == 4 && s[7] == 28 && s[32] == 0 && s[38] == 3 && s[33] == 33);\n"
    "  for (int i = 0; i < 64; i++) s[i] = i;\n"
    "  f = async_work_group_copy_2D2D(buffer, 1, s, 2, 4, 3, 2, 8, 4, e);\n"
    "  CHECK(3, buffer[1] == 2 && buffer[3] == 4 && buffer[5] == 10 && buffer[7] == 12);\n"
    "  f = async_work_group_copy_3D3D(s, 0, buffer, 1, 2, 2, 2, 2, 4, 8, 2, 4, e);\n"
    "  CHECK(4, s[0] == buffer[0] || s[0] != 0);\n"
    "  prefetch(s, 4);\n"
    "  async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE);\n"
    "  return 0;\n"
    "}\n"
    "int check_atomics(global float *s, local float *buffer) {\n"
    "  global int *p = (global int *)s;\n"
    "  global uint *u = (global uint *)s;\n"
    "  *p = 5;\n"
    "  CHECK(1, atomic_add(p, 3) == 5 && *p == 8 && atomic_inc(p) == 8 && atomic_dec(p) == 9 && *p == 8);\n"
    "  CHECK(2, atomic_cmpxchg(p, 8, 20) == 8 && *p == 20 && atomic_cmpxchg(p, 8, 1) == 20 && *p == 20);\n"
    "  CHECK(3, atomic_min(p, -1) == 20 && *p == -1 && atomic_max(u, 7u) == 0xffffffff && *p == -1);\n"
    "  CHECK(4, atomic_xchg(s, 2.5f) != 3.0f && *s == 2.5f && atom_and(p, 0) != 0 && atom_or(p, 6) == 0);\n"
    "  global long *l = (global long *)s;\n"
    "  *l = 1;\n"
    "  CHECK(5, atom_sub(l, 5L) == 1 && *l == -4 && atom_xor(l, -1L) == -4 && *l == 3);\n"
    "  global atomic_int *a = (global atomic_int *)s;\n"
    "  atomic_init(a, 4);\n"
    "  CHECK(6, atomic_fetch_add(a, 2) == 4 && atomic_load(a) == 6);\n"
    "  int expected = 1;\n"
    "  CHECK(7, !atomic_compare_exchange_strong(a, &expected, 9) && expected == 6);\n"
    "  CHECK(8, atomic_compare_exchange_weak_explicit(a, &expected, 9, memory_order_relaxed, "
    "memory_order_relaxed,\n"
    "           memory_scope_work_group) && atomic_load_explicit(a, memory_order_acquire) == 9);\n"
    "  atomic_store_explicit(a, 11, memory_order_release);\n"
    "  CHECK(9, atomic_exchange_explicit(a, 0, memory_order_acq_rel) == 11);\n"
    "  global atomic_flag *flag = (global atomic_flag *)s;\n"
    "  CHECK(10, !atomic_flag_test_and_set(flag) && atomic_flag_test_and_set(flag));\n"
    "  atomic_flag_clear(flag);\n"
    "  global atomic_float *f = (global atomic_float *)s;\n"
    "  atomic_store(f, 1.5f);\n"
    "  CHECK(11, atomic_fetch_add_explicit(f, 2.0f, memory_order_relaxed) == 1.5f && atomic_load(f) == "
    "3.5f);\n"
    "  CHECK(12, atomic_fetch_min_explicit(f, 2.0f, memory_order_relaxed) == 3.5f && atomic_load(f) == "
    "2.0f);\n"
    "  mem_fence(CLK_GLOBAL_MEM_FENCE);\n"
    "  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);\n"
    "  return 0;\n"
    "}\n";

static void values(void **state) {
  static const char *const names[] = {"check_relational", "check_select", "check_common",
                                      "check_geometric",  "check_memory", "check_shuffle",
                                      "check_pointers",   "check_async",  "check_atomics"};
  size_t size;
  const char *header = kiln_builtins_extra_header(&size);
  assert_int_equal(size, strlen(header));
  char *source = malloc(size + sizeof checks + 256);
  sprintf(source,
          "#define cl_khr_extended_async_copies 1\n#define cl_khr_async_work_group_copy_fence 1\n%s"
          "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n%s",
          header, checks);
  unsigned bad = 0;
  LLVMOrcLLJITRef jit = jit_load(source, "-cl-std=CL3.0", true);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    static float scratch[1024] __attribute__((aligned(128)));
    scratch[0] = 8.0f;
    int failed = ((int (*)(float *, float *))(uintptr_t)jit_symbol(jit, names[i]))(scratch, scratch + 512);
    if (failed) print_message("%s fails at %d\n", names[i], failed);
    bad += failed != 0;
  }
  free(source);
  jit_check(LLVMOrcDisposeLLJIT(jit));
  assert_int_equal(bad, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(missing_is_named),
      cmocka_unit_test(lowered_stays),
      cmocka_unit_test(linked_is_internal),
      cmocka_unit_test(vector_calls),
      cmocka_unit_test(link_is_quick),
      cmocka_unit_test(forms_go_by_flags),
      cmocka_unit_test(forms_go_call_by_call),
      cmocka_unit_test(values),
      cmocka_unit_test(everything_declared_exists),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
