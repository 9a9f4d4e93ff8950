/* One kernel launch through plain OpenCL, on any platform. */
#include "tool/launch.h"

#include "tool/data.h"
#include "tool/expr.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static bool cl_ok(cl_int err, const char *call) {
  return err == CL_SUCCESS || tool_error("%s failed: %s", call, tool_cl_error(err));
}

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* ---- build ---- */

static void fetch_log(struct launch *l) {
  size_t size = 0;
  if (clGetProgramBuildInfo(l->program, l->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) != CL_SUCCESS)
    size = 0;
  l->log = tool_alloc(size + 1);
  if (size > 0) clGetProgramBuildInfo(l->program, l->device, CL_PROGRAM_BUILD_LOG, size, l->log, NULL);
}

static bool build(struct launch *l) {
  size_t size;
  cl_int err;
  char *source = tool_read_file(l->c->file, &size);
  if (source == NULL) return false;
  l->program = clCreateProgramWithSource(l->context, 1, (const char **)&source, &size, &err);
  free(source);
  if (!cl_ok(err, "clCreateProgramWithSource")) return false;
  char *options =
      tool_format("%s -cl-kernel-arg-info%s", l->c->build_options, l->c->explain ? " -kiln-explain" : "");
  double start = now_ms();
  err = clBuildProgram(l->program, 1, &l->device, options, NULL, NULL);
  l->build_ms = now_ms() - start;
  free(options);
  fetch_log(l);
  if (err == CL_SUCCESS) return true;
  return tool_error("%s does not build (%s):\n%s", l->c->file, tool_cl_error(err), l->log);
}

static bool choose_kernel(struct launch *l) {
  cl_int err;
  if (l->c->kernel != NULL) snprintf(l->kernel_name, sizeof l->kernel_name, "%s", l->c->kernel);
  else {
    char names[4096] = "";
    clGetProgramInfo(l->program, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, NULL);
    snprintf(l->kernel_name, sizeof l->kernel_name, "%.*s", (int)strcspn(names, ";"), names);
    if (l->kernel_name[0] == '\0') return tool_error("%s has no kernel", l->c->file);
  }
  l->kernel = clCreateKernel(l->program, l->kernel_name, &err);
  if (err == CL_INVALID_KERNEL_NAME) return tool_error("%s has no kernel '%s'", l->c->file, l->kernel_name);
  return cl_ok(err, "clCreateKernel");
}

/* ---- arguments ---- */

/* aK in expressions: the value before the run; rK: after it. */
static bool argument_value(const struct expr_scope *scope, unsigned k, bool after, long double index,
                           long double *out) {
  const struct launch *l = scope->user;
  if (k >= l->num_args) return tool_error("expression: there is no argument %u", k);
  const struct launch_arg *a = &l->args[k];
  const void *data = after && a->kind == LAUNCH_BUFFER ? a->after : a->before;
  if (data == NULL) return tool_error("expression: argument %u has no value here", k);
  size_t limit = a->count * a->type.width;
  if (!(index >= 0 && index < (long double)limit))
    return tool_error("expression: component %.0Lf of argument %u, which has %zu", index, k, limit);
  *out = value_load(&a->type, data, (size_t)index);
  return true;
}

static struct expr_scope scope_of(const struct launch *l) {
  struct expr_scope scope = {.argument = argument_value, .user = l};
  for (int d = 0; d < 3; d++) scope.global[d] = (long double)(d < (int)l->c->dims ? l->c->global[d] : 1);
  return scope;
}

bool launch_expr(const struct launch *l, const char *text, long double *out) {
  struct expr *e = expr_parse(text);
  struct expr_scope scope = scope_of(l);
  bool ok = e != NULL && expr_eval(e, &scope, out);
  expr_free(e);
  return ok;
}

static bool fill(const struct launch *l, struct launch_arg *a, const char *text) {
  struct expr *e = expr_parse(text);
  struct expr_scope scope = scope_of(l);
  size_t n = a->count * a->type.width;
  scope.n = (long double)n;
  bool ok = e != NULL;
  for (size_t k = 0; ok && k < n; k++) {
    long double value;
    scope.i = (long double)k;
    ok = expr_eval(e, &scope, &value);
    if (ok) value_store(&a->type, a->before, k, value);
  }
  expr_free(e);
  return ok;
}

static bool parse_count(const struct launch *l, const char *text, size_t *count_out, const char **rest_out) {
  const char *open = strchr(text, '['), *close = text;
  int depth = 0;
  for (close = open; *close != '\0'; close++) { /* the bracket that matches: counts may index arguments */
    depth += *close == '[';
    if (*close == ']' && --depth == 0) break;
  }
  if (*close == '\0') return tool_error("argument '%s' lacks ']'", text);
  char *count = strndup(open + 1, (size_t)(close - open - 1));
  long double value;
  bool ok = launch_expr(l, count, &value);
  free(count);
  if (!ok) return false;
  if (!(value >= 1 && value < 1e12L)) return tool_error("argument '%s' has no sensible count", text);
  *count_out = (size_t)value;
  *rest_out = close + 1;
  return true;
}

static bool make_buffer(struct launch *l, struct launch_arg *a, const char *text) {
  a->kind = LAUNCH_BUFFER;
  const char *rest = text;
  if (text[0] == '[' && !parse_count(l, text, &a->count, &rest)) return false;
  if (rest[0] == '=') rest++;
  if (rest[0] == '@') {
    size_t wanted = a->count;
    a->before = data_read(rest + 1, &a->type, &a->count);
    if (a->before == NULL) return false;
    if (wanted > a->count) return tool_error("%s has %zu elements, not %zu", rest + 1, a->count, wanted);
  } else {
    a->before = tool_alloc(a->count * value_element_bytes(&a->type));
    if (rest[0] != '\0' && !fill(l, a, rest)) return false;
  }
  cl_int err;
  size_t bytes = a->count * value_element_bytes(&a->type);
  a->after = tool_alloc(bytes);
  a->mem = clCreateBuffer(l->context, CL_MEM_READ_WRITE, bytes, NULL, &err);
  return cl_ok(err, "clCreateBuffer");
}

static bool make_value(struct launch *l, struct launch_arg *a, const char *text) {
  a->kind = LAUNCH_VALUE;
  a->count = 1;
  a->before = tool_alloc(value_element_bytes(&a->type));
  char *copy = strdup(text);
  unsigned k = 0;
  bool ok = true;
  for (char *save = NULL, *part = strtok_r(copy, ",", &save); ok && part != NULL;
       part = strtok_r(NULL, ",", &save), k++) {
    long double value;
    ok = k < a->type.width ? launch_expr(l, part, &value)
                           : tool_error("'%s' has more than %u components", text, a->type.width);
    if (ok) value_store(&a->type, a->before, k, value);
    for (unsigned rest = k + 1; ok && rest < a->type.width; rest++)
      value_store(&a->type, a->before, rest, value); /* one value: all */
  }
  free(copy);
  return ok;
}

static bool read_signature(struct launch *l, unsigned k, struct launch_arg *a, bool *pointer_out) {
  char name[256] = "";
  cl_int err = clGetKernelArgInfo(l->kernel, k, CL_KERNEL_ARG_TYPE_NAME, sizeof name, name, NULL);
  if (!cl_ok(err, "clGetKernelArgInfo")) return false;
  *pointer_out = strchr(name, '*') != NULL;
  if (value_type_parse(name, &a->type)) return true;
  a->opaque = true;
  return value_type_parse("uchar", &a->type);
}

static bool make_arg(struct launch *l, unsigned k, const char *text) {
  struct launch_arg *a = &l->args[k];
  bool pointer;
  if (!read_signature(l, k, a, &pointer)) return false;
  const char *rest;
  if (strncmp(text, "local[", 6) == 0) {
    a->kind = LAUNCH_LOCAL;
    return parse_count(l, text, &a->count, &rest) &&
           cl_ok(clSetKernelArg(l->kernel, k, a->count * value_element_bytes(&a->type), NULL),
                 "clSetKernelArg");
  }
  if (strcmp(text, "null") == 0) {
    a->kind = LAUNCH_NULL;
    return cl_ok(clSetKernelArg(l->kernel, k, sizeof(cl_mem), NULL), "clSetKernelArg");
  }
  if (pointer || text[0] == '[' || text[0] == '@')
    return make_buffer(l, a, text) &&
           cl_ok(clSetKernelArg(l->kernel, k, sizeof a->mem, &a->mem), "clSetKernelArg");
  return make_value(l, a, text) &&
         cl_ok(clSetKernelArg(l->kernel, k, value_element_bytes(&a->type), a->before), "clSetKernelArg");
}

static bool make_args(struct launch *l) {
  cl_uint wanted = 0;
  clGetKernelInfo(l->kernel, CL_KERNEL_NUM_ARGS, sizeof wanted, &wanted, NULL);
  if (wanted != l->c->num_args)
    return tool_error("kernel %s takes %u arguments, %u are given", l->kernel_name, wanted, l->c->num_args);
  for (unsigned k = 0; k < wanted; k++) {
    l->num_args = k; /* expressions may use the arguments before this one */
    if (!make_arg(l, k, l->c->args[k])) return false;
  }
  l->num_args = wanted;
  return true;
}

bool launch_open(struct launch *l, const struct run_case *c, const char *platform) {
  cl_int err;
  *l = (struct launch){.c = c};
  if (!tool_find_device(platform, &l->platform, &l->device)) return false;
  l->context = clCreateContext(NULL, 1, &l->device, NULL, NULL, &err);
  if (!cl_ok(err, "clCreateContext")) return false;
  l->queue = clCreateCommandQueue(l->context, l->device, CL_QUEUE_PROFILING_ENABLE, &err);
  return cl_ok(err, "clCreateCommandQueue") && build(l) && choose_kernel(l) && make_args(l);
}

/* ---- run ---- */

bool launch_once(struct launch *l, double *seconds_out) {
  const struct run_case *c = l->c;
  if (c->dims == 0) return tool_error("no global size (-g) given");
  for (unsigned k = 0; k < l->num_args; k++) {
    struct launch_arg *a = &l->args[k];
    if (a->kind == LAUNCH_BUFFER &&
        !cl_ok(clEnqueueWriteBuffer(l->queue, a->mem, CL_TRUE, 0, a->count * value_element_bytes(&a->type),
                                    a->before, 0, NULL, NULL),
               "clEnqueueWriteBuffer"))
      return false;
  }
  cl_event event;
  cl_int err = clEnqueueNDRangeKernel(l->queue, l->kernel, c->dims, c->offset, c->global,
                                      c->has_local ? c->local : NULL, 0, NULL, &event);
  if (!cl_ok(err, "clEnqueueNDRangeKernel")) return false;
  err = clWaitForEvents(1, &event);
  cl_int status = CL_COMPLETE;
  clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
  if (err != CL_SUCCESS || status < 0)
    return tool_error("kernel %s ended with %s", l->kernel_name, tool_cl_error(status < 0 ? status : err));
  cl_ulong start = 0, end = 0;
  clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL);
  clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
  *seconds_out = (double)(end - start) * 1e-9;
  return cl_ok(clReleaseEvent(event), "clReleaseEvent");
}

bool launch_fetch(struct launch *l) {
  for (unsigned k = 0; k < l->num_args; k++) {
    struct launch_arg *a = &l->args[k];
    if (a->kind == LAUNCH_BUFFER &&
        !cl_ok(clEnqueueReadBuffer(l->queue, a->mem, CL_TRUE, 0, a->count * value_element_bytes(&a->type),
                                   a->after, 0, NULL, NULL),
               "clEnqueueReadBuffer"))
      return false;
  }
  return true;
}

static bool close_enough(const struct value_type *type, long double got, long double want,
                         long double tolerance) {
  char rounded[8];
  value_store(type, rounded, 0, want); /* what the type can hold */
  want = value_load(type, rounded, 0);
  if (got == want || (isnan(got) && isnan(want))) return true;
  long double scale = fabsl(want) > 1 ? fabsl(want) : 1;
  return tolerance > 0 && fabsl(got - want) <= tolerance * scale;
}

static bool check_one(const struct launch *l, const struct case_item *item) {
  if (item->argument >= l->num_args || l->args[item->argument].kind != LAUNCH_BUFFER)
    return tool_error("--expect: argument %u is no buffer", item->argument);
  const struct launch_arg *a = &l->args[item->argument];
  struct value_type scalar = a->type;
  scalar.width = scalar.stride = 1;
  struct expr *e = expr_parse(item->text);
  struct expr_scope scope = scope_of(l);
  size_t n = a->count * a->type.width, wrong = 0;
  scope.n = (long double)n;
  bool ok = e != NULL;
  for (size_t k = 0; ok && k < n; k++) {
    long double want, got = value_load(&a->type, a->after, k);
    scope.i = (long double)k;
    ok = expr_eval(e, &scope, &want);
    if (!ok || close_enough(&scalar, got, want, item->tolerance)) continue;
    if (wrong++ == 0) {
      char *text = strdup(value_text(&a->type, got));
      tool_error("%s: argument %u, component %zu is %s, expected %s", l->c->file, item->argument, k, text,
                 value_text(&a->type, want));
      free(text);
    }
  }
  expr_free(e);
  if (wrong > 0)
    tool_error("%s: argument %u: %zu of %zu components are wrong", l->c->file, item->argument, wrong, n);
  return ok && wrong == 0;
}

bool launch_check(const struct launch *l) {
  bool ok = true;
  for (unsigned k = 0; k < l->c->num_expects; k++) ok = check_one(l, &l->c->expects[k]) && ok;
  return ok;
}

void launch_close(struct launch *l) {
  for (unsigned k = 0; k < CASE_MAX_ARGS; k++) {
    free(l->args[k].before);
    free(l->args[k].after);
    if (l->args[k].mem != NULL) clReleaseMemObject(l->args[k].mem);
  }
  if (l->kernel != NULL) clReleaseKernel(l->kernel);
  if (l->program != NULL) clReleaseProgram(l->program);
  if (l->queue != NULL) clReleaseCommandQueue(l->queue);
  if (l->context != NULL) clReleaseContext(l->context);
  free(l->log);
  *l = (struct launch){0};
}
