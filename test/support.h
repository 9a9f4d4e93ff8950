/* A context and a device for tests of the scheduler, without the API above it. */
#ifndef KILN_TEST_SUPPORT_H
#define KILN_TEST_SUPPORT_H

#include "base/alloc.h"
#include "base/fault.h"
#include "base/os.h"
#include "core/context.h"
#include "core/graph.h"
#include "core/queue.h"
#include "drivers/cpu/code.h"

#include <signal.h>
#include <string.h>
#include <time.h>

__attribute__((weak)) const char *kiln_compiler_version(void);
__attribute__((weak)) const char *kiln_compiler_version(void) { return "test"; }

/* A device object over an open backend. */
static inline kiln_device *support_device(struct kiln_driver_device *backend) {
  kiln_device *device = kiln_object_new(KILN_T_DEVICE, sizeof *device);
  device->backend = backend;
  return device;
}

static inline kiln_device *support_root(void) {
  struct kiln_driver_device *backend = NULL;
  return kiln_driver_cpu.open(0, &backend) == CL_SUCCESS ? support_device(backend) : NULL;
}

static inline kiln_context *support_context(void) {
  kiln_context *context = kiln_object_new(KILN_T_CONTEXT, sizeof *context);
  kiln_lock_init(&context->graph_lock, KILN_RANK_GRAPH);
  kiln_lock_init(&context->lock, KILN_RANK_CONTEXT);
  return context;
}

/* Enqueues `groups` groups of one item of code. */
static inline cl_int support_range(kiln_queue *queue, struct kiln_code *code, uint64_t groups, void *args,
                                   cl_uint num_waits, const cl_event *waits, cl_event *event_out) {
  kiln_cmd *cmd = NULL;
  cl_int err = kiln_cmd_create(queue, CL_COMMAND_NDRANGE_KERNEL, &cmd);
  if (err == CL_SUCCESS) err = kiln_cmd_args(cmd, sizeof args);
  if (err != CL_SUCCESS) return err;
  memcpy(cmd->args, &args, sizeof args);
  struct kiln_launch *launch = &cmd->work.range.launch;
  cmd->work.type = KILN_WORK_RANGE;
  cmd->work.range.code = code;
  cmd->work.range.total_groups = groups;
  launch->work_dim = 1;
  for (int i = 0; i < 3; i++) {
    launch->global_size[i] = launch->num_groups[i] = i == 0 ? groups : 1;
    launch->local_size[i] = 1;
  }
  return kiln_cmd_enqueue(cmd, num_waits, waits, event_out, false);
}

static inline cl_int support_native(kiln_queue *queue, void(CL_CALLBACK *function)(void *), void *args,
                                    cl_uint num_waits, const cl_event *waits, cl_event *event_out) {
  kiln_cmd *cmd = NULL;
  cl_int err = kiln_cmd_create(queue, CL_COMMAND_NATIVE_KERNEL, &cmd);
  if (err != CL_SUCCESS) return err;
  cmd->work.type = KILN_WORK_NATIVE;
  cmd->work.native.function = function;
  cmd->work.native.args = args;
  return kiln_cmd_enqueue(cmd, num_waits, waits, event_out, false);
}

/* A marker or barrier. */
static inline cl_int support_marker(kiln_queue *queue, cl_command_type type, cl_uint num_waits,
                                    const cl_event *waits, cl_event *event_out) {
  kiln_cmd *cmd = NULL;
  cl_int err = kiln_cmd_create(queue, type, &cmd);
  return err == CL_SUCCESS ? kiln_cmd_enqueue(cmd, num_waits, waits, event_out, false) : err;
}

static inline void *support_args(const struct kiln_launch *launch) {
  void *args;
  memcpy(&args, launch->args, sizeof args);
  return args;
}

static inline void support_release(cl_event event) { kiln_object_api_release(event); }

/* cmocka puts handlers of its own around tests and fixtures: the first call, from main, installs and remembers
 * Kiln's, later ones put them back. */
static inline void support_faults(void) {
  static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
  static struct sigaction ours[4];
  static bool known;
  kiln_fault_install();
  for (int i = 0; i < 4; i++) sigaction(signals[i], known ? &ours[i] : NULL, known ? NULL : &ours[i]);
  known = true;
}

/* A write to a page that is never mapped, which sanitizers do not look at. */
static inline void support_crash(void) { __asm__ volatile("movl $1, 16" ::: "memory"); }

static inline void support_sleep_ms(long ms) {
  nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

#endif
