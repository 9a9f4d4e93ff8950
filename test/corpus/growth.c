/* How compile time and code grow with the size of a kernel: generated kernels of several shapes. Usage:
 *   growth [-x FACTOR] [-s SHAPE] [-o TRACE] LINES...     (default: 50 500 5000)
 * Prints, for each shape and size, ms of the first half, ms of code generation, instructions emitted, and
 * how many times as long it took as the size before. Status 1 where this is more than FACTOR (default 2.5, as
 * machines are noisy) times what n log n gives: sizes are to be large enough that what every compile takes is
 * small. */
#include "corpus.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static FILE *out;

static void put(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void put(const char *format, ...) {
  va_list ap;
  va_start(ap, format);
  vfprintf(out, format, ap);
  va_end(ap);
}

/* ---- shapes: n lines between the first and the last ones of the kernel ---- */

static void straight(int n) {
  for (int k = 0; k < n; k += 2)
    put("  x = x * %d.5f + a[i + %d];\n  y = fmax(y - x, %d.25f) * x;\n", k % 7, k, k % 11);
}

static void branches(int n) {
  for (int k = 0; k < n; k += 4)
    put("  if (x > %d.0f)\n    x = x * 0.5f + a[i + %d];\n  else\n    y += x * %d.5f;\n", k % 9, k, k % 5);
}

static void ladder(int n) {
  for (int k = 0; k < n; k += 2) put("  if (i == %d)\n    x += y * %d.5f;\n  else ", 3 * k + 1, k);
  put("y = x;\n");
}

static void choice(int n) {
  put("  switch ((int)a[i]) {\n");
  for (int k = 0; k < n; k += 2) put("  case %d: x = y * %d.5f;\n    break;\n", k, k);
  put("  }\n");
}

static void loops(int n) {
  for (int k = 0; k < n; k += 5)
    put("  for (int p = 0; p < n; p++) {\n    for (int q = p; q < i; q++)\n      x = x * 0.5f + a[q + %d];\n"
        "    y += x;\n  }\n",
        k);
}

/* Each work-item along rows of its own; the array has room for four times as many rows as there are lines. */
static void rows(int n) {
  put("  for (int p = 0; p < n; p++) {\n");
  for (int k = 0; k < n; k++)
    put("    b[((i & 3) * %d + %d) * n + p] = a[((i & 3) * %d + %d) * n + p] * 0.5f;\n", n, k, n, k);
  put("  }\n");
}

static void nest(int n) {
  int depth = n / 10 < 12 ? n / 10 : 12;
  for (int k = 0; k < n; k += 10) {
    if (k / 10 % depth == 0)
      for (int d = 0; d < depth; d++) put("  for (int p%d = 0; p%d < n; p%d++) {\n", d, d, d);
    put("  x = x * 0.5f + a[p0 + %d];\n  if (x > y)\n    y += x;\n", k);
    if (k / 10 % depth == depth - 1 || k + 10 >= n)
      for (int d = 0; d < depth; d++) put("  }\n");
  }
}

static void barriers(int n) {
  for (int k = 0; k < n; k += 3)
    put("  m[l] = x + %d.0f;\n  barrier(CLK_LOCAL_MEM_FENCE);\n  x += m[(l + %d) %% 64] * y;%s\n", k % 13,
        k % 64, k % 6 == 0 ? "" : "  barrier(CLK_LOCAL_MEM_FENCE);");
}

static void variables(int n) {
  for (int k = 0; k < n / 2; k++) put("  float v%d = a[i + %d] * %d.5f;\n", k, 2 * k, k % 7);
  for (int k = 0; k < n / 2; k++) put("  x = x * v%d + y;\n", (k * 7 + 3) % (n / 2));
}

static void kept(int n) {
  for (int k = 0; k < n / 2; k++) put("  float v%d = a[i + %d] * x;\n", k, 3 * k);
  put("  barrier(CLK_LOCAL_MEM_FENCE);\n");
  for (int k = 0; k < n / 2; k++) put("  x += v%d * m[%d];\n", n / 2 - 1 - k, k % 64);
}

static void arrays(int n) {
  put("  float t[16];\n  for (int k = 0; k < 16; k++) t[k] = a[i + k];\n");
  for (int k = 0; k < n; k += 2) put("  t[(i + %d) & 15] += x;\n  x = x * 0.5f + t[(n + %d) & 15];\n", k, k);
}

static void vectors(int n) {
  put("  float4 v = (float4)(x, y, x, y);\n");
  for (int k = 0; k < n; k += 2)
    put("  v = v.yzwx * %d.5f + vload4(i + %d, a);\n  vstore4(v, i + %d, b + 64);\n", k % 5, k, k);
  put("  x = v.x + v.w;\n");
}

static void bytes(int n) {
  for (int k = 0; k < n; k += 2)
    put("  x += table[(i * %d + (int)y) & 255];\n  to[(int)x & 255] = (uchar)i;\n", k + 3);
}

/* As hash functions have them: sums that a loop carries. */
static void rounds(int n) {
  put("  uint p = i, q = n;\n  for (int t = 0; t < n; t++) {\n");
  for (int k = 0; k < n; k += 2)
    put("    p += rotate(q, %uu) + (uint)a[%d];\n    q += (p ^ q >> %d) + %du;\n", 1 + k % 30, k % 16,
        1 + k % 13, 77 * k + 1);
  put("  }\n  x += p ^ q;\n");
}

static void calls(int n) {
  for (int k = 0; k < n; k += 10) put("  x += f%d(x, y, a, i);\n", k / 10);
}

static void functions(int n) {
  for (int k = 0; k < n; k += 10) {
    put("float f%d(float x, float y, global const float *a, int i) {\n", k / 10);
    for (int j = 0; j < 7; j++) put("  x = x * y + %d.5f;\n", j);
    put("  return x > y ? a[i + %d] : %s;\n}\n", k, k == 0 ? "y" : "x");
  }
}

/* Test programs: bytes set and compared by functions, loops in a row once these are inlined. */
static void checks(int n) {
  for (int k = 0; k < n; k += 4)
    put("  {\n    uchar p[%d], q[%d];\n    fill(p, i, %d);\n    fill(q, n, %d);\n    x += unequal(p, q, "
        "%d);\n  }\n",
        3 + k % 29, 3 + k % 29, 3 + k % 29, 3 + k % 29, 3 + k % 29);
}

static void checking(int n) {
  (void)n;
  put("void fill(uchar *p, uchar c, int n) {\n  for (int i = 0; i < n; i++) p[i] = c;\n}\n"
      "int unequal(const uchar *p, const uchar *q, int n) {\n  int bad = 0;\n"
      "  for (int i = 0; i < n; i++)\n    if (p[i] != q[i]) bad += i;\n  return bad;\n}\n");
}

static const struct shape {
  const char *name;
  void (*body)(int lines), (*before)(int lines);
} shapes[] = {{"straight", straight, NULL}, {"branches", branches, NULL},   {"ladder", ladder, NULL},
              {"switch", choice, NULL},     {"loops", loops, NULL},         {"nest", nest, NULL},
              {"barriers", barriers, NULL}, {"variables", variables, NULL}, {"kept", kept, NULL},
              {"arrays", arrays, NULL},     {"vectors", vectors, NULL},     {"bytes", bytes, NULL},
              {"rounds", rounds, NULL},     {"calls", calls, functions},    {"checks", checks, checking},
              {"rows", rows, NULL}};

static char *generate(const struct shape *shape, int lines) {
  char *text = NULL;
  size_t size = 0;
  out = open_memstream(&text, &size);
  if (out == NULL) return NULL;
  if (shape->before != NULL) shape->before(lines);
  put("kernel void k(global const float *a, global float *b, int n, global const uchar *table, global uchar "
      "*to) {\n"
      "  local float m[64];\n  int i = (int)get_global_id(0), l = (int)get_local_id(0);\n"
      "  float x = a[i], y = a[i + 1];\n  m[l] = x;\n");
  shape->body(lines);
  put("  b[i] = x + y + m[l];\n}\n");
  fclose(out);
  return text;
}

/* ---- one compile ---- */

static cl_int launch(const struct device *on, cl_kernel kernel, int lines) {
  size_t size = 64, bytes = ((size_t)lines * 16 + 4096) * sizeof(float);
  cl_int err, one = 1;
  cl_mem buffers[4];
  for (cl_uint i = 0; i < 4; i++) {
    float zero = 0;
    buffers[i] = clCreateBuffer(on->context, CL_MEM_READ_WRITE, bytes, NULL, &err);
    clEnqueueFillBuffer(on->queue, buffers[i], &zero, sizeof zero, 0, bytes, 0, NULL, NULL);
    clSetKernelArg(kernel, i < 2 ? i : i + 1, sizeof *buffers, &buffers[i]);
  }
  clSetKernelArg(kernel, 2, sizeof one, &one);
  err = clEnqueueNDRangeKernel(on->queue, kernel, 1, NULL, &size, &size, 0, NULL, NULL);
  if (err == CL_SUCCESS) err = clFinish(on->queue);
  for (int i = 0; i < 4; i++) clReleaseMemObject(buffers[i]);
  return err;
}

/* False, with words on why, if there is no optimised code. */
static bool measure(const struct device *on, const struct shape *shape, int lines, struct trace *t) {
  char *source = generate(shape, lines);
  cl_int err = CL_OUT_OF_HOST_MEMORY;
  cl_program program = NULL;
  cl_kernel kernel = NULL;
  if (source != NULL) program = clCreateProgramWithSource(on->context, 1, (const char **)&source, NULL, &err);
  if (err == CL_SUCCESS) err = clBuildProgram(program, 1, &on->id, "", NULL, NULL);
  if (err == CL_SUCCESS) kernel = clCreateKernel(program, "k", &err);
  if (err == CL_SUCCESS) err = launch(on, kernel, lines);
  trace_take(t, "k");
  if (kernel != NULL) clReleaseKernel(kernel);
  if (program != NULL) clReleaseProgram(program);
  free(source);
  if (err != CL_SUCCESS) printf("%s of %d lines: error %d\n", shape->name, lines, err);
  if (t->failed) printf("%s of %d lines: no optimised code\n", shape->name, lines);
  return err == CL_SUCCESS && !t->failed;
}

/* ---- all ---- */

static double allowed(int before, int now) { return now * log(now) / (before * log(before)); }

static bool grow(const struct device *on, const struct shape *shape, char **sizes, int count, double factor) {
  double last = 0;
  int before = 0;
  bool ok = true;
  for (int i = 0; i < count; i++) {
    int lines = atoi(sizes[i]);
    struct trace t;
    if (!measure(on, shape, lines, &t)) return false;
    double ms = t.front_ms + t.code_ms;
    bool fits = before == 0 || ms / last <= factor * allowed(before, lines);
    printf("%-10s %6d lines %10.1f ms first half %10.1f ms code %8u instructions", shape->name, lines,
           t.front_ms, t.code_ms, t.after);
    if (before != 0) printf(" %6.1f times%s", ms / last, fits ? "" : ": more than n log n");
    printf("  %s\n", t.lanes);
    fflush(stdout);
    ok &= fits;
    before = lines;
    last = ms;
  }
  return ok;
}

int main(int argc, char **argv) {
  static char *usual[] = {"50", "500", "5000"};
  const char *only = NULL, *trace = NULL;
  double factor = 2.5;
  struct device on;
  bool ok = true;
  for (int c; (c = getopt(argc, argv, "x:s:o:")) != -1;) {
    if (c == 'x') factor = atof(optarg);
    else if (c == 's') only = optarg;
    else if (c == 'o') trace = optarg;
    else return 2;
  }
  setenv("KILN_LOG", "compile:debug", 1);
  setenv("KILN_CACHE_DIR", "", 1);
  struct trace first;
  if (!trace_start(trace) || !device_open(&on) || !device_warm_up(&on)) return 2;
  trace_take(&first, "warm");
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    if (only == NULL || strcmp(only, shapes[i].name) == 0)
      ok &= grow(&on, &shapes[i], optind < argc ? argv + optind : usual, optind < argc ? argc - optind : 3,
                 factor);
  return ok ? 0 : 1;
}
