/* Owns waiting: help with what the wait needs, spin, sleep. Knows no queue's order beyond "whose turn". */
#include "base/os.h"
#include "core/context.h"
#include "core/graph.h"
#include "core/queue.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- sleeping ---- */

/* Sleepers count themselves before they look at status; who ends the event looks at the count after. */
static void sleep_until_end(kiln_event *event) {
  kiln_deferred_sleep();
  atomic_fetch_add(&event->sleepers, 1);
  for (int status; (status = atomic_load(&event->status)) > CL_COMPLETE;)
    syscall(SYS_futex, &event->status, FUTEX_WAIT_PRIVATE, status, NULL, NULL, 0);
  atomic_fetch_sub(&event->sleepers, 1);
  kiln_deferred_wake();
}

void kiln_event_wake(kiln_event *event) {
  if (atomic_load(&event->sleepers) != 0)
    syscall(SYS_futex, &event->status, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

static bool ended(kiln_event *event) {
  return atomic_load_explicit(&event->status, memory_order_acquire) <= CL_COMPLETE;
}

/* ---- helping ---- */

/* How far one search for something to run goes. */
enum { VISITS = 32, DEPTH = 8, AHEAD = 4 };

struct search {
  kiln_device *device; /* only its work: other devices make progress on their own */
  int visits;
};

static bool help_toward(struct search *search, kiln_event *event, int depth);

/* The work may be anyone's to finish, so cmd is held by the caller. */
static bool help_with(struct search *search, kiln_cmd *cmd) {
  struct kiln_driver_device *backend = cmd->queue->device->backend;
  enum kiln_work_type type = cmd->work.type;
  if (cmd->queue->device != search->device) return false;
  if (type != KILN_WORK_RANGE && type != KILN_WORK_COPY && type != KILN_WORK_FILL) return false;
  return backend->driver->help(backend, &cmd->work);
}

/* Commands that stand before cmd in its queue and that it waits for: held, at most AHEAD of them. */
static int commands_ahead(kiln_cmd *cmd, kiln_cmd *ahead[AHEAD]) {
  int n = 0;
  kiln_lock(&cmd->queue->lock);
  if (cmd->turn != KILN_TURN_COME)
    for (kiln_cmd *c = cmd->queue->first; c != NULL && c != cmd && n < AHEAD; c = c->queue_next)
      if (!ended(c)) ahead[n++] = kiln_ref(c);
  kiln_unlock(&cmd->queue->lock);
  return n;
}

static bool help_ahead(struct search *search, kiln_cmd *cmd, int depth) {
  kiln_cmd *ahead[AHEAD];
  int n = commands_ahead(cmd, ahead);
  bool helped = false;
  for (int i = 0; i < n; i++) {
    if (!helped) helped = help_toward(search, ahead[i], depth);
    kiln_unref(&ahead[i]);
  }
  return helped;
}

/* The i-th event that cmd still waits for, held; NULL once it has ended. */
static kiln_event *awaited(kiln_cmd *cmd, uint32_t i) {
  kiln_lock(&cmd->context->graph_lock);
  kiln_event *source = kiln_ref(cmd->edges[i].source);
  kiln_unlock(&cmd->context->graph_lock);
  return source;
}

static bool help_awaited(struct search *search, kiln_cmd *cmd, int depth) {
  for (uint32_t i = 0; i < cmd->num_edges && search->visits > 0; i++) {
    kiln_event *source = awaited(cmd, i);
    if (source == NULL) continue;
    bool helped = help_toward(search, source, depth);
    kiln_unref(&source);
    if (helped) return true;
  }
  return false;
}

/* Runs something that event, which the caller holds, needs in order to end. False if nothing was found. */
static bool help_toward(struct search *search, kiln_event *event, int depth) {
  if (event->queue == NULL || depth == DEPTH || search->visits-- <= 0 || ended(event)) return false;
  if (atomic_load(&event->status) != CL_QUEUED) return help_with(search, event);
  return help_ahead(search, event, depth + 1) || help_awaited(search, event, depth + 1);
}

/* ---- waiting ---- */

/* Looks at status for a while; true once event has ended. */
static bool spin(kiln_event *event, uint64_t ns) {
  uint64_t end = kiln_os_now_ns() + ns;
  do
    for (int i = 0; i < 16; i++) {
      if (ended(event)) return true;
      kiln_os_pause();
    }
  while (kiln_os_now_ns() < end);
  return ended(event);
}

cl_int kiln_event_wait(kiln_event *event) {
  kiln_graph_before_wait();
  uint64_t budget = event->queue == NULL ? 0 : event->queue->device->backend->caps.wait_spin_ns;
  uint64_t spun = 0, pause = 500;
  while (!ended(event)) {
    struct search search = {.device = event->queue == NULL ? NULL : event->queue->device, .visits = VISITS};
    if (help_toward(&search, event, 0)) {
      spun = 0;
      pause = 500;
      continue;
    }
    /* A search takes locks that those who work need too: each comes later than the one before. */
    if (spun >= budget) sleep_until_end(event);
    else if (spin(event, pause)) break;
    spun += pause;
    pause *= 2;
  }
  return atomic_load(&event->status);
}

cl_int kiln_events_wait(cl_uint count, const cl_event *events) {
  cl_int result = CL_SUCCESS;
  for (cl_uint i = 0; i < count; i++) {
    kiln_event *event = kiln_ref(events[i]);
    if (kiln_event_wait(event) < 0) result = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    kiln_unref(&event);
  }
  return result;
}
