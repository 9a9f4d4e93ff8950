/* Owns queue objects: the list of unfinished commands and whose turn it is. */
#include "core/queue.h"

#include "base/alloc.h"
#include "base/fault.h"
#include "base/os.h"
#include "core/context.h"
#include "core/error.h"
#include "core/graph.h"

cl_int kiln_queue_create(kiln_context *context, kiln_device *device, cl_command_queue_properties properties,
                         kiln_queue **queue_out) {
  kiln_os_watch_forks();
  kiln_fault_install();
  cl_int err = device->backend->driver->start(device->backend);
  if (err != CL_SUCCESS)
    return kiln_fail(context, err, NULL, "the threads of device %s cannot be started",
                     device->backend->caps.name);
  kiln_queue *queue = kiln_object_new(KILN_T_QUEUE, sizeof *queue);
  if (queue == NULL) return kiln_fail_oom(context);
  kiln_lock_init(&queue->lock, KILN_RANK_QUEUE);
  queue->context = kiln_ref(context);
  queue->device = kiln_ref(device);
  queue->properties = properties;
  *queue_out = queue;
  return CL_SUCCESS;
}

/* The last reference is gone, so every command is back in the pool. */
void kiln_queue_destroy(kiln_queue *queue) {
  kiln_cmd_slabs_free(queue->slabs);
  kiln_lock_finish(&queue->lock);
  kiln_unref(&queue->device);
  kiln_unref(&queue->context);
  kiln_object_free(queue);
}

/* ---- order ---- */

void kiln_queue_append(kiln_queue *queue, kiln_cmd *cmd) {
  kiln_lock(&queue->lock);
  cmd->sequence = queue->next_sequence++;
  cmd->queue_prev = queue->last;
  cmd->queue_next = NULL;
  *(queue->last == NULL ? &queue->first : &queue->last->queue_next) = cmd;
  queue->last = cmd;
  cmd->turn = KILN_TURN_COME;
  if (cmd->waits_for_all) cmd->turn = queue->first == cmd ? KILN_TURN_COME : KILN_TURN_FIRST;
  else if (queue->last_barrier != NULL) cmd->turn = KILN_TURN_BARRIER;
  if (cmd->turn != KILN_TURN_COME) atomic_fetch_add_explicit(&cmd->pending, 1, memory_order_relaxed);
  if (cmd->is_barrier) queue->last_barrier = cmd;
  kiln_unlock(&queue->lock);
}

static void come(kiln_cmd *cmd) {
  cmd->turn = KILN_TURN_COME;
  kiln_graph_settle(cmd);
}

/* The barrier is done: those behind it may run, up to the next barrier, which has its own followers. */
static void pass_barrier(kiln_queue *queue, kiln_cmd *barrier) {
  if (queue->last_barrier == barrier) queue->last_barrier = NULL;
  for (kiln_cmd *cmd = barrier->queue_next; cmd != NULL; cmd = cmd->queue_next) {
    if (cmd->turn == KILN_TURN_BARRIER) come(cmd);
    if (cmd->is_barrier) return;
  }
}

void kiln_queue_remove(kiln_queue *queue, kiln_cmd *cmd) {
  kiln_lock(&queue->lock);
  if (cmd->is_barrier) pass_barrier(queue, cmd);
  *(cmd->queue_prev == NULL ? &queue->first : &cmd->queue_prev->queue_next) = cmd->queue_next;
  *(cmd->queue_next == NULL ? &queue->last : &cmd->queue_next->queue_prev) = cmd->queue_prev;
  if (queue->first != NULL && queue->first->turn == KILN_TURN_FIRST) come(queue->first);
  kiln_unlock(&queue->lock);
}

/* ---- finish ---- */

/* A command before `end` that has not ended, held: the youngest of an in-order queue, which ends last, else
 * the oldest. Commands that ended but still stand in the list are passed by. */
static kiln_cmd *unfinished(kiln_queue *queue, uint64_t end) {
  bool in_order = (queue->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0;
  kiln_lock(&queue->lock);
  kiln_cmd *cmd = in_order ? queue->last : queue->first;
  while (cmd != NULL && (cmd->sequence >= end || atomic_load(&cmd->status) <= CL_COMPLETE))
    cmd = in_order ? cmd->queue_prev : cmd->queue_next;
  kiln_ref(cmd);
  kiln_unlock(&queue->lock);
  return cmd;
}

cl_int kiln_queue_finish(kiln_queue *queue) {
  kiln_lock(&queue->lock);
  uint64_t end = queue->next_sequence;
  kiln_unlock(&queue->lock);
  for (;;) {
    kiln_cmd *cmd = unfinished(queue, end);
    if (cmd == NULL) return CL_SUCCESS;
    kiln_event_wait(cmd);
    kiln_unref(&cmd);
  }
}

/* Commands go to the device as soon as they are ready. */
cl_int kiln_queue_flush(kiln_queue *queue) { return CL_SUCCESS; }
