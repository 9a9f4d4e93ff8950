/* One kernel launch through plain OpenCL, on any platform. */
#include "tool/launch.h"

#include "tool/args.h"
#include "tool/explain.h"
#include "tool/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool launch_ok(cl_int err, const char *call) {
  return err == CL_SUCCESS || tool_error("%s failed: %s", call, tool_cl_error(err));
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
  if (!launch_ok(err, "clCreateProgramWithSource")) return false;
  char *explain = l->c->explain ? explain_option(l->c) : strdup("");
  char *options = tool_format("%s -cl-kernel-arg-info %s", l->c->build_options, explain);
  free(explain);
  tool_progress("building %s", l->c->file);
  double start = tool_now_ms();
  err = clBuildProgram(l->program, 1, &l->device, options, NULL, NULL);
  l->build_ms = tool_now_ms() - start;
  free(options);
  fetch_log(l);
  if (err == CL_SUCCESS) return true;
  return tool_error("%s does not build (%s):\n%s", l->c->file, tool_cl_error(err), l->log);
}

static bool no_such_kernel(const struct launch *l, char *list) {
  const char *names[64] = {NULL};
  char *copy = strdup(list);
  int count = 0;
  for (char *save = NULL, *name = strtok_r(copy, ";", &save); name != NULL && count < 63;
       name = strtok_r(NULL, ";", &save))
    names[count++] = name;
  const char *near = words_nearest(l->kernel_name, names);
  if (near != NULL) tool_error("%s has no kernel '%s'; did you mean '%s'?", l->c->file, l->kernel_name, near);
  else tool_error("%s has no kernel '%s', only %s", l->c->file, l->kernel_name, list);
  free(copy);
  return false;
}

static bool choose_kernel(struct launch *l) {
  cl_int err;
  char names[4096] = "";
  clGetProgramInfo(l->program, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, NULL);
  if (names[0] == '\0') return tool_error("%s has no kernel", l->c->file);
  if (l->c->kernel != NULL) snprintf(l->kernel_name, sizeof l->kernel_name, "%s", l->c->kernel);
  else snprintf(l->kernel_name, sizeof l->kernel_name, "%.*s", (int)strcspn(names, ";"), names);
  l->kernel = clCreateKernel(l->program, l->kernel_name, &err);
  if (err == CL_INVALID_KERNEL_NAME) return no_such_kernel(l, names);
  return launch_ok(err, "clCreateKernel");
}

bool launch_open(struct launch *l, const struct run_case *c, const char *platform) {
  cl_int err;
  *l = (struct launch){.c = c};
  if (!tool_find_device(platform, &l->platform, &l->device)) return false;
  l->context = clCreateContext(NULL, 1, &l->device, NULL, NULL, &err);
  if (!launch_ok(err, "clCreateContext")) return false;
  l->queue = clCreateCommandQueue(l->context, l->device, CL_QUEUE_PROFILING_ENABLE, &err);
  return launch_ok(err, "clCreateCommandQueue") && build(l) && choose_kernel(l) && args_make(l);
}

/* ---- run ---- */

static bool write_argument(const struct launch *l, const struct launch_arg *a) {
  static const size_t origin[3];
  size_t bytes = a->count * value_element_bytes(&a->type);
  if (a->image[0] == 0)
    return launch_ok(clEnqueueWriteBuffer(l->queue, a->mem, CL_TRUE, 0, bytes, a->before, 0, NULL, NULL),
                     "clEnqueueWriteBuffer");
  return launch_ok(
      clEnqueueWriteImage(l->queue, a->mem, CL_TRUE, origin, a->image, 0, 0, a->before, 0, NULL, NULL),
      "clEnqueueWriteImage");
}

static bool read_argument(const struct launch *l, const struct launch_arg *a) {
  static const size_t origin[3];
  size_t bytes = a->count * value_element_bytes(&a->type);
  if (a->image[0] == 0)
    return launch_ok(clEnqueueReadBuffer(l->queue, a->mem, CL_TRUE, 0, bytes, a->after, 0, NULL, NULL),
                     "clEnqueueReadBuffer");
  return launch_ok(
      clEnqueueReadImage(l->queue, a->mem, CL_TRUE, origin, a->image, 0, 0, a->after, 0, NULL, NULL),
      "clEnqueueReadImage");
}

bool launch_once(struct launch *l, double *seconds_out) {
  const struct run_case *c = l->c;
  if (c->dims == 0) return tool_error("no global size (-g) given");
  for (unsigned k = 0; k < l->num_args; k++)
    if (l->args[k].kind == LAUNCH_BUFFER && !write_argument(l, &l->args[k])) return false;
  cl_event event;
  double called = tool_now_ms();
  cl_int err = clEnqueueNDRangeKernel(l->queue, l->kernel, c->dims, c->offset, c->global,
                                      c->has_local ? c->local : NULL, 0, NULL, &event);
  if (!launch_ok(err, "clEnqueueNDRangeKernel")) return false;
  err = clWaitForEvents(1, &event);
  l->launch_ms = tool_now_ms() - called;
  cl_int status = CL_COMPLETE;
  clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
  if (err != CL_SUCCESS || status < 0)
    return tool_error("kernel %s ended with %s", l->kernel_name, tool_cl_error(status < 0 ? status : err));
  cl_ulong start = 0, end = 0;
  clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL);
  clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
  *seconds_out = (double)(end - start) * 1e-9;
  return launch_ok(clReleaseEvent(event), "clReleaseEvent");
}

bool launch_fetch(struct launch *l) {
  for (unsigned k = 0; k < l->num_args; k++)
    if (l->args[k].kind == LAUNCH_BUFFER && !read_argument(l, &l->args[k])) return false;
  return true;
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
