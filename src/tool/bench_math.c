/* `kiln bench math`: nanoseconds per element of each math function on one core, as a kernel and as calls of
 * SLEEF and libmvec from C on the same arrays, which fit in the core's cache. */
#include "tool/bench.h"
#include "tool/math.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENTS = 8192, PASSES = 64, SLEEF = BENCH_MAX_PLATFORMS, LIBMVEC, COLUMNS };

/* A platform's share: one core of it, and the kernel of the function at hand. */
struct engine {
  const char *name;
  cl_device_id device;
  bool is_part; /* device is a sub-device of ours */
  cl_context context;
  cl_command_queue queue;
  cl_mem x, y, out;
  cl_program program;
  cl_kernel kernel;
};

struct math_bench {
  const struct bench_options *o;
  struct engine engine[BENCH_MAX_PLATFORMS];
  void *x, *y, *out[COLUMNS];
  double ns[COLUMNS]; /* per element; NAN: none */
  cJSON *rows;
};

/* ---- one core ---- */

static bool take_core(struct engine *e, cl_device_id device) {
  const cl_device_partition_property one[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1,
                                              CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
  cl_uint units = 1;
  clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
  e->device = device;
  if (units == 1) return true;
  e->is_part = clCreateSubDevices(device, one, 1, &e->device, NULL) == CL_SUCCESS;
  return e->is_part || tool_error("%s: its device cannot be divided, so one core cannot be timed", e->name);
}

static cl_mem buffer(struct engine *e) {
  return clCreateBuffer(e->context, CL_MEM_READ_WRITE, ELEMENTS * sizeof(double), NULL, NULL);
}

static bool engine_open(struct engine *e, const char *name) {
  cl_platform_id platform;
  cl_device_id device;
  e->name = name;
  if (!tool_find_device(name, &platform, &device) || !take_core(e, device)) return false;
  cl_int err;
  e->context = clCreateContext(NULL, 1, &e->device, NULL, NULL, &err);
  if (!launch_ok(err, "clCreateContext")) return false;
  e->queue = clCreateCommandQueue(e->context, e->device, CL_QUEUE_PROFILING_ENABLE, &err);
  if (!launch_ok(err, "clCreateCommandQueue")) return false;
  e->x = buffer(e), e->y = buffer(e), e->out = buffer(e);
  return e->x != NULL && e->y != NULL && e->out != NULL ? true : tool_error("%s: no memory", name);
}

static void engine_drop_kernel(struct engine *e) {
  if (e->kernel != NULL) clReleaseKernel(e->kernel);
  if (e->program != NULL) clReleaseProgram(e->program);
  e->kernel = NULL;
  e->program = NULL;
}

static void engine_close(struct engine *e) {
  engine_drop_kernel(e);
  if (e->x != NULL) clReleaseMemObject(e->x);
  if (e->y != NULL) clReleaseMemObject(e->y);
  if (e->out != NULL) clReleaseMemObject(e->out);
  if (e->queue != NULL) clReleaseCommandQueue(e->queue);
  if (e->context != NULL) clReleaseContext(e->context);
  if (e->is_part) clReleaseDevice(e->device);
}

static bool engine_build(struct engine *e, const struct math_function *f, const char *type) {
  /* out may be a or b, so no pass is idle */
  char *source = tool_format(
      "kernel void f(int passes, global const %s *a, global const %s *b, global %s *out) {\n"
      "  size_t i = get_global_id(0);\n"
      "  for (int p = 0; p < passes; p++) {\n    %s x = a[i], y = b[i];\n    out[i] = %s;\n  }\n}\n",
      type, type, type, type, f->call);
  const cl_int passes = PASSES;
  const char *text = source;
  cl_int err;
  engine_drop_kernel(e);
  e->program = clCreateProgramWithSource(e->context, 1, &text, NULL, &err);
  if (err == CL_SUCCESS) err = clBuildProgram(e->program, 0, NULL, "", NULL, NULL);
  if (err == CL_SUCCESS) e->kernel = clCreateKernel(e->program, "f", &err);
  free(source);
  if (err != CL_SUCCESS) return tool_error("%s of %s does not build: %s", f->name, type, tool_cl_error(err));
  clSetKernelArg(e->kernel, 0, sizeof passes, &passes);
  clSetKernelArg(e->kernel, 1, sizeof e->x, &e->x);
  clSetKernelArg(e->kernel, 2, sizeof e->y, &e->y);
  return launch_ok(clSetKernelArg(e->kernel, 3, sizeof e->out, &e->out), "clSetKernelArg");
}

static bool engine_run(struct engine *e, double *ns_out) {
  const size_t global = ELEMENTS, local = 1024;
  cl_ulong start = 0, end = 0;
  cl_event event;
  cl_int err = clEnqueueNDRangeKernel(e->queue, e->kernel, 1, NULL, &global, &local, 0, NULL, &event);
  if (!launch_ok(err, "clEnqueueNDRangeKernel")) return false;
  err = clWaitForEvents(1, &event);
  if (err == CL_SUCCESS)
    err = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL);
  if (err == CL_SUCCESS)
    err = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
  clReleaseEvent(event);
  *ns_out = (double)(end - start) / (ELEMENTS * PASSES);
  return launch_ok(err, "clWaitForEvents");
}

static bool engine_prepare(struct math_bench *m, struct engine *e, const struct math_function *f,
                           bool is_double, void *out) {
  size_t bytes = ELEMENTS * (is_double ? sizeof(double) : sizeof(float));
  double ns;
  if (!engine_build(e, f, is_double ? "double" : "float")) return false;
  clEnqueueWriteBuffer(e->queue, e->x, CL_TRUE, 0, bytes, m->x, 0, NULL, NULL);
  clEnqueueWriteBuffer(e->queue, e->y, CL_TRUE, 0, bytes, m->y, 0, NULL, NULL);
  return engine_run(e, &ns) &&
         launch_ok(clEnqueueReadBuffer(e->queue, e->out, CL_TRUE, 0, bytes, out, 0, NULL, NULL),
                   "clEnqueueReadBuffer");
}

/* ---- data ---- */

static void fill(const struct math_function *f, bool is_double, void *array, uint64_t seed) {
  for (size_t i = 0; i < ELEMENTS; i++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    double v = f->low + (f->high - f->low) * ((double)(seed >> 11) * 0x1p-53);
    if (is_double) ((double *)array)[i] = v;
    else ((float *)array)[i] = (float)v;
  }
}

static double element(const void *array, bool is_double, size_t i) {
  return is_double ? ((const double *)array)[i] : ((const float *)array)[i];
}

/* That both computed the same function; how exactly is for the accuracy tests. */
static bool agree(const struct math_function *f, bool is_double, const void *a, const void *b,
                  const char *other) {
  for (size_t i = 0; i < ELEMENTS; i++) {
    double p = element(a, is_double, i), q = element(b, is_double, i), far = fabs(p - q);
    if (p == q || (isnan(p) && isnan(q)) || far <= 1e-5 * fabs(q) || far < 1e-6) continue;
    return tool_error("%s of %s: kiln gives %.9g, %s %.9g", f->name, is_double ? "double" : "float", p, other,
                      q);
  }
  return true;
}

/* ---- measuring ---- */

static double median(double *values, int n) {
  qsort(values, (size_t)n, sizeof *values, tool_by_value);
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static double time_library(struct math_bench *m, const struct math_vector *v, void *out) {
  double start = tool_now_ms();
  for (int pass = 0; pass < PASSES; pass++) math_apply(v, m->x, m->y, out, ELEMENTS);
  return (tool_now_ms() - start) * 1e6 / (ELEMENTS * PASSES);
}

/* All columns in turn, round by round; the medians count. */
static bool measure(struct math_bench *m, const struct math_vector library[2]) {
  static double times[COLUMNS][BENCH_MAX_ROUNDS];
  for (int round = 0; round < m->o->rounds; round++) {
    for (int p = 0; p < m->o->num_platforms; p++)
      if (!engine_run(&m->engine[p], &times[p][round])) return false;
    for (int k = 0; k < 2; k++)
      if (library[k].call != NULL) times[SLEEF + k][round] = time_library(m, &library[k], m->out[SLEEF + k]);
  }
  for (int c = 0; c < COLUMNS; c++) {
    bool there = c < SLEEF ? c < m->o->num_platforms : library[c - SLEEF].call != NULL;
    m->ns[c] = there ? median(times[c], m->o->rounds) : NAN;
  }
  return true;
}

static const char *column_name(const struct math_bench *m, int c) {
  return c == SLEEF ? "sleef" : c == LIBMVEC ? "libmvec" : m->o->platforms[c];
}

static bool check(struct math_bench *m, const struct math_function *f, bool is_double) {
  for (int c = SLEEF; c < COLUMNS; c++)
    if (!isnan(m->ns[c]) && !agree(f, is_double, m->out[0], m->out[c], column_name(m, c))) return false;
  return true;
}

static void report(struct math_bench *m, const struct math_function *f, bool is_double) {
  double best = INFINITY;
  cJSON *row = cJSON_CreateObject();
  cJSON_AddStringToObject(row, "function", f->name);
  cJSON_AddStringToObject(row, "type", is_double ? "double" : "float");
  bool table = m->o->json == NULL || strcmp(m->o->json, "-") != 0;
  if (table) printf("%-10s %-6s", f->name, is_double ? "double" : "float");
  for (int c = 0; c < COLUMNS; c++) {
    if (c < SLEEF && c >= m->o->num_platforms) continue;
    if (c > 0 && m->ns[c] < best) best = m->ns[c];
    if (!isnan(m->ns[c])) cJSON_AddNumberToObject(row, column_name(m, c), m->ns[c]);
    if (table && isnan(m->ns[c])) printf(" %9s", "-");
    else if (table) printf(" %9.3f", m->ns[c]);
  }
  if (table && isinf(best)) printf(" %9s\n", "-");
  else if (table) printf(" %9.2f\n", best / m->ns[0]);
  fflush(stdout);
  cJSON_AddItemToArray(m->rows, row);
}

static bool one_function(struct math_bench *m, const struct math_function *f, bool is_double) {
  const struct math_vector library[2] = {math_find_sleef(f, is_double), math_find_libmvec(f, is_double)};
  tool_progress("%s of %s", f->name, is_double ? "double" : "float");
  fill(f, is_double, m->x, 1);
  fill(f, is_double, m->y, 2);
  bool ok = true;
  for (int p = 0; p < m->o->num_platforms && ok; p++)
    ok = engine_prepare(m, &m->engine[p], f, is_double, m->out[p]);
  ok = ok && measure(m, library);
  tool_progress(NULL);
  if (ok) report(m, f, is_double);
  return ok && check(m, f, is_double);
}

/* ---- the command ---- */

static void print_head(const struct math_bench *m) {
  if (m->o->json != NULL && strcmp(m->o->json, "-") == 0) return;
  printf("ns per element on one core, median of %d rounds of %d passes over %d elements\n%-10s %-6s",
         m->o->rounds, PASSES, ELEMENTS, "function", "type");
  for (int c = 0; c < COLUMNS; c++)
    if (c >= SLEEF || c < m->o->num_platforms) printf(" %9.9s", column_name(m, c));
  printf(" best/kiln\n");
}

static bool open_all(struct math_bench *m) {
  size_t bytes = ELEMENTS * sizeof(double);
  m->x = aligned_alloc(64, bytes);
  m->y = aligned_alloc(64, bytes);
  for (int c = 0; c < COLUMNS; c++) m->out[c] = aligned_alloc(64, bytes);
  for (int p = 0; p < m->o->num_platforms; p++)
    if (!engine_open(&m->engine[p], m->o->platforms[p])) return false;
  return true;
}

static bool close_all(struct math_bench *m) {
  bool ok = bench_write_json(m->o, m->rows);
  for (int p = 0; p < m->o->num_platforms; p++) engine_close(&m->engine[p]);
  for (int c = 0; c < COLUMNS; c++) free(m->out[c]);
  free(m->x);
  free(m->y);
  cJSON_Delete(m->rows);
  return ok;
}

static int list(void) {
  for (size_t k = 0; k < num_math_functions; k++) printf("%s\n", math_functions[k].name);
  return 0;
}

int bench_math(const struct bench_options *o, const char *only) {
  if (o->list) return list();
  struct math_bench m = {.o = o, .rows = cJSON_CreateArray()};
  int failed = 0, done = 0;
  bool ok = open_all(&m);
  if (ok) print_head(&m);
  for (size_t k = 0; k < num_math_functions && ok; k++) {
    if (only != NULL && strcmp(only, math_functions[k].name) != 0) continue;
    done++;
    for (int is_double = 0; is_double < 2; is_double++)
      failed += !one_function(&m, &math_functions[k], is_double);
  }
  ok = close_all(&m) && ok;
  if (ok && done == 0) return tool_error("'%s' is not among the functions; --list prints them", only), 1;
  return failed > 0 || !ok;
}
