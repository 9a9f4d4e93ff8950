/* Owns the course of a build, compile or link: which builds of the program it replaces, what is compiled once
 * for several devices, when status and callback come. Knows no cache and no code generation. */
#include "core/order.h"

#include "base/alloc.h"
#include "base/log.h"
#include "core/binary.h"
#include "core/defer.h"
#include "core/error.h"
#include "core/graph.h"
#include "core/jobs.h"
#include "core/variant.h"

#include <string.h>

/* One order under way. */
struct task {
  struct kiln_job job;
  struct kiln_deferred told; /* the call of notify */
  kiln_program *program;     /* held */
  enum kiln_order_kind kind;
  bool library;
  const char *where; /* static */
  uint32_t num;      /* builds it makes, in state CL_BUILD_IN_PROGRESS, held, and their devices' positions */
  struct kiln_build **builds;
  struct kiln_build **old; /* what they replaced, until it can be let go */
  uint32_t *positions;
  char *options;
  uint32_t num_programs;
  kiln_program **headers; /* COMPILE: held, num_programs */
  char **header_names;
  struct kiln_source_header *texts; /* views of headers and header_names */
  struct kiln_product **inputs;     /* LINK: num_programs for each build, held; NULL: nothing to link there */
  void(CL_CALLBACK *notify)(cl_program, void *);
  void *user_data;
};

static void task_free(struct task *t) {
  for (uint32_t i = 0; t->builds != NULL && i < t->num; i++) kiln_build_unref(&t->builds[i]);
  for (uint32_t i = 0; t->old != NULL && i < t->num; i++) kiln_build_unref(&t->old[i]);
  for (uint32_t i = 0; t->headers != NULL && i < t->num_programs; i++) kiln_unref(&t->headers[i]);
  for (uint32_t i = 0; t->header_names != NULL && i < t->num_programs; i++) kiln_free(t->header_names[i]);
  for (uint32_t i = 0; t->inputs != NULL && i < t->num * t->num_programs; i++)
    kiln_product_unref(&t->inputs[i]);
  kiln_free(t->builds);
  kiln_free(t->old);
  kiln_free(t->positions);
  kiln_free(t->headers);
  kiln_free(t->header_names);
  kiln_free(t->texts);
  kiln_free(t->inputs);
  kiln_free(t->options);
  kiln_unref(&t->program);
  kiln_free(t);
}

/* ---- preparing: everything that can fail comes before the program changes ---- */

static bool add_device(struct task *t, kiln_device *device) {
  uint32_t position = kiln_program_device_index(t->program, device);
  for (uint32_t i = 0; i < t->num; i++)
    if (t->positions[i] == position) return true; /* listed twice */
  struct kiln_build *build = kiln_build_new(device);
  if (build == NULL) return false;
  build->options = kiln_strdup(t->options);
  atomic_store(&build->status, CL_BUILD_IN_PROGRESS);
  t->positions[t->num] = position;
  t->builds[t->num++] = build;
  return build->options != NULL;
}

static bool add_devices(struct task *t, const struct kiln_order *order) {
  bool all = order->num_devices == 0;
  uint32_t n = all ? t->program->num_devices : order->num_devices;
  t->builds = kiln_zalloc(n * sizeof *t->builds);
  t->old = kiln_zalloc(n * sizeof *t->old);
  t->positions = kiln_zalloc(n * sizeof *t->positions);
  if (t->builds == NULL || t->old == NULL || t->positions == NULL) return false;
  for (uint32_t i = 0; i < n; i++)
    if (!add_device(t, all ? t->program->devices[i] : order->devices[i])) return false;
  return true;
}

static bool add_headers(struct task *t, const struct kiln_order *order) {
  uint32_t n = t->num_programs;
  t->headers = kiln_zalloc(n * sizeof *t->headers);
  t->header_names = kiln_zalloc(n * sizeof *t->header_names);
  t->texts = kiln_zalloc(n * sizeof *t->texts);
  if (t->headers == NULL || t->header_names == NULL || t->texts == NULL) return false;
  for (uint32_t i = 0; i < n; i++) {
    kiln_program *header = t->headers[i] = kiln_ref(order->programs[i]);
    t->header_names[i] = kiln_strdup(order->header_names[i]);
    if (t->header_names[i] == NULL) return false;
    t->texts[i] = (struct kiln_source_header){t->header_names[i], header->source, header->source_size};
  }
  return true;
}

/* The compiled object or library of program for device, held; NULL if there is none. */
static cl_int linkable(kiln_program *program, kiln_device *device, const char *where,
                       struct kiln_product **product_out) {
  cl_int err = CL_SUCCESS;
  *product_out = NULL;
  struct kiln_build *build = kiln_program_build_for(program, device);
  if (build == NULL) return CL_SUCCESS;
  const struct kiln_program_image *image = kiln_build_image(build);
  if (image != NULL &&
      (image->type == KILN_PROGRAM_IMAGE_OBJECT || image->type == KILN_PROGRAM_IMAGE_LIBRARY))
    *product_out = kiln_product_ref(build->product);
  /* CL_INVALID_OPERATION if the compilation or build of a program executable for any of the devices listed in
     device_list by a previous call to clCompileProgram or clBuildProgram for program has not completed. */
  else if (atomic_load(&build->status) == CL_BUILD_IN_PROGRESS)
    err = kiln_fail(program->context, CL_INVALID_OPERATION, where,
                    "program %p is still being compiled for %s", (void *)program, device->backend->caps.name);
  kiln_build_unref(&build);
  return err;
}

/* For each device either all programs have something to link or none has. */
static cl_int add_inputs(struct task *t, const struct kiln_order *order) {
  kiln_context *context = t->program->context;
  uint32_t devices_linked = 0;
  t->inputs = kiln_zalloc((size_t)t->num * t->num_programs * sizeof *t->inputs);
  if (t->inputs == NULL) return kiln_fail_oom(context);
  for (uint32_t d = 0; d < t->num; d++) {
    uint32_t found = 0, missing = 0;
    for (uint32_t i = 0; i < t->num_programs; i++) {
      struct kiln_product **slot = &t->inputs[d * t->num_programs + i];
      cl_int err = linkable(order->programs[i], t->builds[d]->device, t->where, slot);
      if (err != CL_SUCCESS) return err;
      if (*slot != NULL) found++;
      else missing = i;
    }
    /* CL_INVALID_OPERATION if the rules for devices containing compiled binaries or libraries as described in
       input_programs argument above are not followed. */
    if (found != 0 && found != t->num_programs)
      return kiln_fail(context, CL_INVALID_OPERATION, t->where,
                       "input_programs[%u] has no compiled binary or library for %s, others have one",
                       missing, t->builds[d]->device->backend->caps.name);
    devices_linked += found != 0;
  }
  if (devices_linked > 0) return CL_SUCCESS;
  return kiln_fail(
      context, CL_INVALID_OPERATION, t->where,
      "no input program has a compiled binary or library for any of the devices; compile them with "
      "clCompileProgram first");
}

static cl_int prepare(struct task *t, const struct kiln_order *order) {
  t->options = kiln_strdup(order->options == NULL ? "" : order->options);
  bool ok = t->options != NULL && add_devices(t, order);
  if (ok && t->num_programs > 0 && t->kind == KILN_ORDER_COMPILE) ok = add_headers(t, order);
  if (!ok) return kiln_fail_oom(t->program->context);
  return t->kind == KILN_ORDER_LINK ? add_inputs(t, order) : CL_SUCCESS;
}

/* Replaces the program's builds by the task's, unless that must not be. */
static cl_int begin(struct task *t) {
  kiln_program *program = t->program;
  const char *busy = NULL;
  kiln_lock(&program->lock);
  uint32_t kernels = program->num_kernels;
  for (uint32_t i = 0; i < t->num; i++)
    if (atomic_load(&program->builds[t->positions[i]]->status) == CL_BUILD_IN_PROGRESS)
      busy = t->builds[i]->device->backend->caps.name;
  bool may = busy == NULL && kernels == 0;
  for (uint32_t i = 0; may && i < t->num; i++) { /* the old builds move to the task until the lock is free */
    struct kiln_build *old = program->builds[t->positions[i]];
    program->builds[t->positions[i]] = kiln_build_ref(t->builds[i]);
    t->old[i] = old;
  }
  kiln_unlock(&program->lock);
  /* CL_INVALID_OPERATION if the build of a program executable for any of the devices listed in device_list by
     a previous call to clBuildProgram for program has not completed. */
  if (busy != NULL)
    return kiln_fail(program->context, CL_INVALID_OPERATION, t->where,
                     "a build of this program for %s has not completed", busy);
  /* CL_INVALID_OPERATION if there are kernel objects attached to program. */
  if (kernels > 0)
    return kiln_fail(program->context, CL_INVALID_OPERATION, t->where,
                     "%u kernel objects are attached to the program; release them before building it again",
                     kernels);
  return CL_SUCCESS;
}

/* ---- running ---- */

static struct kiln_request request_for(const struct task *t, uint32_t i) {
  struct kiln_request r = {.target = t->builds[i]->device->backend->caps.target, .options = t->options};
  if (t->kind == KILN_ORDER_LINK) {
    r.kind = KILN_REQUEST_LINK;
    r.library = t->library;
    return r; /* the inputs are the caller's to add */
  }
  r.kind = KILN_REQUEST_COMPILE;
  r.source = t->program->source;
  r.source_size = t->program->source_size;
  r.num_headers = t->num_programs;
  r.headers = t->texts;
  r.executable = t->kind == KILN_ORDER_BUILD;
  return r;
}

/* Compiles or links for the i-th build: enum kiln_reply_status. */
static uint32_t make(const struct task *t, uint32_t i, char **log_out, struct kiln_product **product_out) {
  struct kiln_request r = request_for(t, i);
  const struct kiln_program_image **images = NULL;
  *log_out = NULL;
  *product_out = NULL;
  if (t->kind == KILN_ORDER_LINK) {
    images = kiln_alloc(t->num_programs * sizeof(struct kiln_program_image *));
    if (images == NULL) return KILN_REPLY_NO_MEMORY;
    for (uint32_t p = 0; p < t->num_programs; p++) images[p] = &t->inputs[i * t->num_programs + p]->image;
    r.num_inputs = t->num_programs;
    r.inputs = images;
  }
  uint32_t status = kiln_product_make(&r, log_out, product_out);
  kiln_free(images);
  return status;
}

static cl_int failure_code(enum kiln_order_kind kind, uint32_t status) {
  static const cl_int failed[] = {[KILN_ORDER_BUILD] = CL_BUILD_PROGRAM_FAILURE,
                                  [KILN_ORDER_COMPILE] = CL_COMPILE_PROGRAM_FAILURE,
                                  [KILN_ORDER_LINK] = CL_LINK_PROGRAM_FAILURE};
  if (status == KILN_REPLY_NO_MEMORY) return CL_OUT_OF_HOST_MEMORY;
  if (status == KILN_REPLY_NO_COMPILER)
    return kind == KILN_ORDER_LINK ? CL_LINKER_NOT_AVAILABLE : CL_COMPILER_NOT_AVAILABLE;
  return failed[kind];
}

/* The first line of a log that speaks of an error, else its first line: for the one-sentence message. */
static int first_error(const char *log, const char **line_out) {
  const char *line = log == NULL ? "" : log, *error = strstr(line, "error:");
  if (error != NULL) {
    line = error;
    while (line > log && line[-1] != '\n') line--;
  }
  *line_out = line;
  return (int)strcspn(line, "\n");
}

static cl_int report_failure(const struct task *t, const struct kiln_build *build, cl_int code) {
  const char *line;
  int length = first_error(build->log, &line);
  if (code == CL_OUT_OF_HOST_MEMORY) return kiln_fail_oom(t->program->context);
  return kiln_fail(t->program->context, code, t->where, "%s: %.*s (the whole log: CL_PROGRAM_BUILD_LOG)",
                   build->device->backend->caps.name, length, line);
}

/* Gives build its result and publishes it. product is borrowed, log is copied. */
static cl_int settle(const struct task *t, struct kiln_build *build, uint32_t status, const char *log,
                     struct kiln_product *product) {
  cl_int err = status == KILN_REPLY_OK ? CL_SUCCESS : failure_code(t->kind, status);
  build->log = kiln_strdup(log == NULL ? "" : log);
  if (build->log == NULL) err = CL_OUT_OF_HOST_MEMORY;
  if (err == CL_SUCCESS) err = kiln_build_adopt(build, kiln_product_ref(product));
  if (err != CL_SUCCESS) report_failure(t, build, err);
  kiln_build_publish(build, err == CL_SUCCESS ? CL_BUILD_SUCCESS : CL_BUILD_ERROR);
  return err;
}

static bool same_inputs(const struct task *t, uint32_t a, uint32_t b) {
  for (uint32_t p = 0; t->inputs != NULL && p < t->num_programs; p++)
    if (t->inputs[a * t->num_programs + p] != t->inputs[b * t->num_programs + p]) return false;
  return true;
}

static bool in_progress(const struct kiln_build *build) {
  return atomic_load(&build->status) == CL_BUILD_IN_PROGRESS;
}

/* One compile or link serves every device with the same feature table. */
static cl_int run_from(struct task *t, uint32_t first) {
  char *log;
  struct kiln_product *product;
  const struct kiln_target *target = &t->builds[first]->device->backend->caps.target;
  uint32_t status = make(t, first, &log, &product);
  cl_int result = CL_SUCCESS;
  for (uint32_t i = first; i < t->num; i++) {
    struct kiln_build *build = t->builds[i];
    if (!in_progress(build) || !kiln_target_same_table(target, &build->device->backend->caps.target) ||
        !same_inputs(t, first, i))
      continue;
    cl_int err = settle(t, build, status, log, product);
    if (result == CL_SUCCESS) result = err;
  }
  kiln_product_unref(&product);
  kiln_free(log);
  return result;
}

/* A binary is read again for each build: the program keeps it. */
static cl_int run_binary(struct task *t, uint32_t i) {
  char why[200];
  const struct kiln_bytes *binary = &t->program->binaries[t->positions[i]];
  cl_int err = kiln_binary_read(binary->data, binary->size, t->builds[i], why, sizeof why);
  if (err == CL_INVALID_BINARY) err = kiln_fail(t->program->context, err, t->where, "%s", why);
  kiln_build_publish(t->builds[i], err == CL_SUCCESS ? CL_BUILD_SUCCESS : CL_BUILD_ERROR);
  return err;
}

static cl_int run(struct task *t) {
  cl_int result = CL_SUCCESS;
  for (uint32_t i = 0; i < t->num; i++) {
    cl_int err = CL_SUCCESS;
    if (!in_progress(t->builds[i])) continue;
    if (t->kind == KILN_ORDER_LINK && t->inputs[i * t->num_programs] == NULL)
      kiln_build_publish(t->builds[i], CL_BUILD_NONE);
    else if (t->program->origin == KILN_FROM_BINARY) err = run_binary(t, i);
    else err = run_from(t, i);
    if (result == CL_SUCCESS) result = err;
  }
  for (uint32_t i = 0; i < t->num; i++) kiln_build_precompile(t->builds[i]);
  return result;
}

static cl_int start_callbacks(kiln_context *context, const char *where) {
  cl_int err = kiln_deferred_start();
  return err == CL_SUCCESS ? err : kiln_fail(context, err, where, "the callback thread cannot be started");
}

static void notify_and_free(struct kiln_deferred *told) {
  struct task *t = (struct task *)((char *)told - offsetof(struct task, told));
  t->notify(t->program, t->user_data);
  task_free(t);
}

static void run_job(struct kiln_job *job) {
  struct task *t = (struct task *)job; /* its first member */
  run(t);
  /* User callbacks run where they may wait for what this thread has yet to compile. */
  kiln_deferred_post(&t->told);
}

cl_int kiln_program_order(kiln_program *program, const struct kiln_order *order, const char *where) {
  struct task *t = kiln_zalloc(sizeof *t);
  if (t == NULL) return kiln_fail_oom(program->context);
  t->program = kiln_ref(program);
  t->kind = order->kind;
  t->library = order->library;
  t->where = where;
  t->num_programs = order->num_programs;
  t->notify = order->notify;
  t->user_data = order->user_data;
  t->job.run = run_job;
  t->told.run = notify_and_free;
  cl_int err = prepare(t, order);
  if (err == CL_SUCCESS && t->notify != NULL) err = start_callbacks(program->context, where);
  if (err == CL_SUCCESS) err = begin(t);
  if (err == CL_SUCCESS && t->notify != NULL) {
    kiln_job_submit(&t->job, false);
    return CL_SUCCESS;
  }
  if (err == CL_SUCCESS) err = run(t);
  task_free(t);
  return err;
}
