/* kiln_cmd: one tagged struct for every enqueued command; it is also the command's cl_event. Commands come
 * from their queue's pool, arguments inline, so nothing is allocated from enqueue to run (an argument block
 * over KILN_CMD_INLINE_ARGS bytes or a list over KILN_CMD_INLINE_REFS objects is the exception, allocated at
 * enqueue). */
#ifndef KILN_CORE_COMMAND_H
#define KILN_CORE_COMMAND_H

#include "core/object.h"
#include "drivers/driver.h"

enum { KILN_CMD_INLINE_ARGS = 256, KILN_CMD_INLINE_REFS = 12, KILN_CMD_INLINE_EDGES = 6 };

struct kiln_edge {
  struct kiln_edge *next;
  kiln_cmd *waiter;
}; /* in the list of the command waited for */

struct kiln_event_callback {
  struct kiln_event_callback *next;
  cl_int trigger; /* CL_SUBMITTED, CL_RUNNING or CL_COMPLETE */
  void(CL_CALLBACK *function)(cl_event, cl_int, void *);
  void *user_data;
};

struct _cl_event {
  struct kiln_object object;
  kiln_context *context; /* held */
  kiln_queue *queue;     /* held; NULL for a user event */
  cl_command_type type;  /* CL_COMMAND_* */
  atomic_int status;     /* CL_QUEUED ... CL_COMPLETE or a negative error; moves downwards only */
  uint64_t queued_ns, submitted_ns, started_ns, ended_ns;

  /* guarded by context->graph_lock */
  struct kiln_edge *waiters; /* commands that wait for this one */
  struct kiln_event_callback *callbacks;
  cl_int failed_wait; /* first negative status among awaited events, else 0 */
  /* end of guarded */
  kiln_cmd *next_waiter; /* commands that wait for the same variant of a kernel (variant.c) */
  atomic_uint pending;   /* reasons not to run yet: events, code being compiled, queue order; 0: ready */

  kiln_cmd *queue_next, *queue_prev; /* the queue's list of unfinished commands, oldest first; queue lock */
  struct kiln_work work;

  /* What the command holds until done: dropped by the graph on completion. */
  void *refs_inline[KILN_CMD_INLINE_REFS];
  void **refs;
  uint32_t num_refs, refs_capacity;
  struct kiln_edge edges_inline[KILN_CMD_INLINE_EDGES];
  struct kiln_edge *edges; /* inline or one allocation; one per awaited event */
  uint32_t num_edges;

  uint8_t args_inline[KILN_CMD_INLINE_ARGS] __attribute__((aligned(128)));
  uint8_t *args; /* packed kernel arguments: inline or allocated, 128-byte aligned */

  /* Called by the graph after execution, before completion is published (unmap bookkeeping, printf...); may
   * be NULL. */
  void (*finish)(kiln_cmd *cmd);
  void *finish_data[3];
};

/* A command of type for queue, its work of type KILN_WORK_NOTHING, from the queue's pool; two internal
 * references: the caller's and the graph's. Errors: CL_OUT_OF_HOST_MEMORY. */
cl_int kiln_cmd_create(kiln_queue *queue, cl_command_type type, kiln_cmd **cmd_out);
/* Gives up a command that was never enqueued. */
void kiln_cmd_discard(kiln_cmd **cmd);
/* Room for size bytes of packed arguments, zeroed, 128-byte aligned; sets cmd->args and
 * work.range.launch.args. */
cl_int kiln_cmd_args(kiln_cmd *cmd, size_t size);
/* Holds object until the command is done. */
cl_int kiln_cmd_hold(kiln_cmd *cmd, void *object);

/* Hands the command to its queue: waits = events to wait for (checked by the caller). In an in-order queue it
 * also waits for the command before. event_out may be NULL; else it gets the application's reference. If
 * blocking, returns when the command is done: CL_SUCCESS, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST if an
 * awaited event failed, or the command's own error. Consumes the caller's reference in every case. No lock
 * held. */
cl_int kiln_cmd_enqueue(kiln_cmd *cmd, cl_uint num_waits, const cl_event *waits, cl_event *event_out,
                        bool blocking);

/* One more reason to wait, before kiln_cmd_enqueue; kiln_cmd_unblock takes it back (any thread, no lock held)
 * and, when status is negative, makes the command fail with it. */
void kiln_cmd_block(kiln_cmd *cmd);
void kiln_cmd_unblock(kiln_cmd *cmd, cl_int status);

#endif
