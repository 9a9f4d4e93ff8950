/* Owns what happens between enqueue and end of a command: when it becomes ready, its status, who is told.
 * Knows queues by two functions and devices by their driver.
 *
 * Ending and watching meet without a lock: who wants to hear of an event sets watched, then looks at status;
 * who ends it sets status, then looks at watched. All four are sequentially consistent, so one sees the
 * other, and an event nobody watches costs no graph lock. */
#include "core/graph.h"

#include "base/alloc.h"
#include "base/log.h"
#include "base/os.h"
#include "core/context.h"
#include "core/error.h"
#include "core/queue.h"

#include <stdio.h>

/* ---- commands that became ready ---- */

/* A list per thread instead of a call per command: a chain of commands that end at once (markers, failures)
 * costs no stack. */
static _Thread_local struct {
  kiln_cmd *first, *last;
  bool running;
} ready;

void kiln_graph_settle(kiln_cmd *cmd) {
  if (atomic_fetch_sub_explicit(&cmd->pending, 1, memory_order_acq_rel) != 1) return;
  cmd->ready_next = NULL;
  *(ready.first == NULL ? &ready.first : &ready.last->ready_next) = cmd;
  ready.last = cmd;
}

void kiln_cmd_fail(kiln_cmd *cmd, cl_int status) {
  int none = 0;
  atomic_compare_exchange_strong_explicit(&cmd->failure, &none, status, memory_order_relaxed,
                                          memory_order_relaxed);
}

/* ---- callbacks ---- */

static void run_callback(struct kiln_deferred *deferred) {
  struct kiln_event_callback *callback = (struct kiln_event_callback *)deferred;
  callback->function(callback->event, callback->status, callback->user_data);
  kiln_unref(&callback->event);
  kiln_free(callback);
}

/* The spec tells a function its own trigger, unless the command ended abnormally. */
static void post_callback(struct kiln_event_callback *callback, cl_int status) {
  callback->status = status < 0 ? status : callback->trigger;
  kiln_deferred_post(&callback->deferred);
}

/* Unlinks the callbacks whose trigger `status` has reached, in the order of registration: the list has the
 * newest first. Graph lock held. */
static struct kiln_event_callback *reached_callbacks(kiln_event *event, cl_int status) {
  struct kiln_event_callback *reached = NULL, **at = &event->callbacks;
  while (*at != NULL) {
    struct kiln_event_callback *callback = *at;
    if (callback->trigger < status) {
      at = &callback->next;
      continue;
    }
    *at = callback->next;
    callback->next = reached;
    reached = callback;
  }
  return reached;
}

static void post_callbacks(struct kiln_event_callback *callback, cl_int status) {
  while (callback != NULL) {
    struct kiln_event_callback *next = callback->next;
    post_callback(callback, status);
    callback = next;
  }
}

cl_int kiln_event_add_callback(kiln_event *event, cl_int trigger,
                               void(CL_CALLBACK *function)(cl_event, cl_int, void *), void *user_data) {
  cl_int err = kiln_deferred_start();
  if (err != CL_SUCCESS) return kiln_fail(event->context, err, NULL, "the callback thread cannot be started");
  struct kiln_event_callback *callback = kiln_zalloc(sizeof *callback);
  if (callback == NULL) return kiln_fail_oom(event->context);
  callback->deferred.run = run_callback;
  callback->event = kiln_ref(event);
  callback->trigger = trigger;
  callback->function = function;
  callback->user_data = user_data;
  kiln_lock(&event->context->graph_lock);
  atomic_fetch_or(&event->watched, trigger == CL_COMPLETE ? KILN_WATCH_END : KILN_WATCH_PROGRESS);
  cl_int status = atomic_load(&event->status);
  if (status > trigger) {
    callback->next = event->callbacks;
    event->callbacks = callback;
  }
  kiln_unlock(&event->context->graph_lock);
  if (status <= trigger) post_callback(callback, status);
  return CL_SUCCESS;
}

/* ---- status ---- */

/* Submitted and running. */
static void advance(kiln_cmd *cmd, cl_int status) {
  atomic_store(&cmd->status, status);
  if ((atomic_load(&cmd->watched) & KILN_WATCH_PROGRESS) == 0) return;
  kiln_lock(&cmd->context->graph_lock);
  struct kiln_event_callback *reached = reached_callbacks(cmd, status);
  kiln_unlock(&cmd->context->graph_lock);
  post_callbacks(reached, status);
}

/* Takes event's place among the reasons of those who wait for it. Graph lock held; event is held by the
 * caller, so the edges' references are not the last. */
static void release_waiters(kiln_event *event, cl_int status) {
  struct kiln_edge *edge = event->waiters;
  event->waiters = NULL;
  while (edge != NULL) {
    struct kiln_edge *next = edge->next;
    if (status < 0) kiln_cmd_fail(edge->waiter, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    kiln_unref(&edge->source);
    kiln_graph_settle(edge->waiter); /* the edge may be gone after this */
    edge = next;
  }
}

/* Tells everyone that event, whose status has just been set to an end, has ended. */
static void announce_end(kiln_event *event, cl_int status) {
  kiln_event_wake(event);
  if (atomic_load(&event->watched) == 0) return;
  kiln_lock(&event->context->graph_lock);
  release_waiters(event, status);
  struct kiln_event_callback *callbacks = reached_callbacks(event, status);
  kiln_unlock(&event->context->graph_lock);
  post_callbacks(callbacks, status);
}

/* ---- a command's way ---- */

static void stamp(const kiln_cmd *cmd, uint64_t *time) {
  if (cmd->queue->properties & CL_QUEUE_PROFILING_ENABLE) *time = kiln_os_now_ns();
}

static void end_command(kiln_cmd *cmd, cl_int status) {
  if (status < 0) atomic_store_explicit(&cmd->failure, status, memory_order_relaxed);
  if (cmd->finish != NULL) cmd->finish(cmd);
  kiln_cmd_drop_held(cmd);
  stamp(cmd, &cmd->ended_ns);
  if (cmd->started_ns == 0) cmd->started_ns = cmd->ended_ns; /* it never ran */
  if (cmd->submitted_ns == 0) cmd->submitted_ns = cmd->started_ns;
  atomic_store(&cmd->status, status);
  announce_end(cmd, status);
  kiln_queue_remove(cmd->queue, cmd);
  kiln_unref(&cmd);
}

static void on_started(struct kiln_work *work) {
  kiln_cmd *cmd = (kiln_cmd *)((char *)work - offsetof(kiln_cmd, work));
  stamp(cmd, &cmd->started_ns);
  advance(cmd, CL_RUNNING);
}

static void on_done(struct kiln_work *work, cl_int status, const char *message) {
  kiln_cmd_done((kiln_cmd *)((char *)work - offsetof(kiln_cmd, work)), status, message);
}

static bool has_work(const kiln_cmd *cmd) {
  return cmd->work.type != KILN_WORK_NOTHING &&
         !(cmd->work.type == KILN_WORK_RANGE && cmd->work.range.total_groups == 0);
}

/* cmd is ready: it runs, or ends here. */
static void start_command(kiln_cmd *cmd) {
  cl_int failure = atomic_load_explicit(&cmd->failure, memory_order_relaxed);
  if (failure != 0) {
    end_command(cmd, failure);
    return;
  }
  stamp(cmd, &cmd->submitted_ns);
  advance(cmd, CL_SUBMITTED);
  if (has_work(cmd)) {
    struct kiln_driver_device *backend = cmd->queue->device->backend;
    cmd->work.started = on_started;
    cmd->work.done = on_done;
    /* Once it has been handed over it may end at any time, and its queue and device with it. */
    kiln_ref(cmd);
    backend->driver->submit(backend, &cmd->work);
    kiln_unref(&cmd);
    return;
  }
  on_started(&cmd->work);
  end_command(cmd, CL_COMPLETE);
}

static void run_ready(void) {
  while (ready.first != NULL) {
    kiln_cmd *cmd = ready.first;
    ready.first = cmd->ready_next;
    start_command(cmd);
  }
}

/* A driver that ends work within submit comes here again: the outer call goes on with what became ready. */
void kiln_graph_run_ready(void) {
  if (ready.running) return;
  ready.running = true;
  run_ready();
  ready.running = false;
}

void kiln_graph_before_wait(void) {
  if (ready.running) run_ready();
}

/* ---- failures ---- */

struct failure_report {
  struct kiln_deferred deferred; /* stays first */
  kiln_context *context;         /* held */
  cl_int status;
  char message[200];
};

static void deliver_report(struct kiln_deferred *deferred) {
  struct failure_report *report = (struct failure_report *)deferred;
  kiln_fail(report->context, report->status, NULL, "%s", report->message);
  kiln_unref(&report->context);
  kiln_free(report);
}

/* The context's error callback is the user's: it runs where user callbacks do. */
static void report_failure(kiln_cmd *cmd, cl_int status, const char *message) {
  kiln_log(KILN_LOG_SCHED, KILN_LOG_ERROR, "command failed status %d: %s", status, message);
  if (cmd->context->notify == NULL) return;
  if (kiln_deferred_start() != CL_SUCCESS) return;
  struct failure_report *report = kiln_zalloc(sizeof *report);
  if (report == NULL) return;
  report->deferred.run = deliver_report;
  report->context = kiln_ref(cmd->context);
  report->status = status;
  snprintf(report->message, sizeof report->message, "%s", message);
  kiln_deferred_post(&report->deferred);
}

void kiln_cmd_done(kiln_cmd *cmd, cl_int status, const char *message) {
  if (status < 0 && message != NULL) report_failure(cmd, status, message);
  end_command(cmd, status);
  kiln_graph_run_ready();
}

/* ---- edges ---- */

void kiln_graph_add_edges(kiln_cmd *cmd, cl_uint num_waits, const cl_event *waits) {
  kiln_lock(&cmd->context->graph_lock);
  for (cl_uint i = 0; i < num_waits; i++) {
    kiln_event *source = waits[i];
    atomic_fetch_or(&source->watched, KILN_WATCH_END);
    cl_int status = atomic_load(&source->status);
    if (status < 0) kiln_cmd_fail(cmd, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    if (status <= CL_COMPLETE) continue;
    struct kiln_edge *edge = &cmd->edges[cmd->num_edges++];
    *edge = (struct kiln_edge){.next = source->waiters, .waiter = cmd, .source = kiln_ref(source)};
    source->waiters = edge;
    atomic_fetch_add_explicit(&cmd->pending, 1, memory_order_relaxed);
  }
  kiln_unlock(&cmd->context->graph_lock);
}

/* ---- user events ---- */

cl_int kiln_user_event_create(kiln_context *context, cl_event *event_out) {
  kiln_event *event = kiln_object_new(KILN_T_EVENT, sizeof *event);
  if (event == NULL) return kiln_fail_oom(context);
  event->context = kiln_ref(context);
  event->type = CL_COMMAND_USER;
  event->edges = event->edges_inline;
  atomic_store_explicit(&event->status, CL_SUBMITTED, memory_order_relaxed);
  *event_out = event;
  return CL_SUCCESS;
}

cl_int kiln_user_event_set(kiln_event *event, cl_int status) {
  int unset = CL_SUBMITTED;
  kiln_ref(event);
  bool first = atomic_compare_exchange_strong(&event->status, &unset, status);
  if (first) announce_end(event, status);
  kiln_graph_run_ready();
  kiln_context *context = event->context;
  cl_int err = first ? CL_SUCCESS
                     : kiln_fail(context, CL_INVALID_OPERATION, NULL,
                                 "the status of the user event was set before, to %d", unset);
  kiln_unref(&event);
  return err;
}
