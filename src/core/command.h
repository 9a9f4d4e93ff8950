/* kiln_cmd: one tagged struct for every enqueued command; it is also the command's cl_event. Commands come
 * from their queue's pool, arguments inline, so nothing is allocated from enqueue to run (an argument block
 * over KILN_CMD_INLINE_ARGS bytes or a list over KILN_CMD_INLINE_REFS objects is the exception, allocated at
 * enqueue). */
#ifndef KILN_CORE_COMMAND_H
#define KILN_CORE_COMMAND_H

#include "core/defer.h"
#include "core/object.h"
#include "drivers/driver.h"

enum { KILN_CMD_INLINE_ARGS = 256, KILN_CMD_INLINE_REFS = 12, KILN_CMD_INLINE_EDGES = 6 };

struct kiln_edge { /* in the list of the event waited for; all guarded by that context's graph lock */
  struct kiln_edge *next;
  kiln_cmd *waiter;
  kiln_event *source; /* held; NULL once it has ended */
};

struct kiln_event_callback {
  struct kiln_deferred deferred; /* once the trigger is reached; stays first */
  struct kiln_event_callback *next;
  kiln_event *event; /* held */
  cl_int trigger;    /* CL_SUBMITTED, CL_RUNNING or CL_COMPLETE */
  cl_int status;     /* what the function is told: the trigger, or a negative error */
  void(CL_CALLBACK *function)(cl_event, cl_int, void *);
  void *user_data;
};

/* What somebody waits for: the end, or also a status before it. */
enum { KILN_WATCH_END = 1, KILN_WATCH_PROGRESS = 2 };

/* Why a command waits for its turn in the queue; guarded by the queue's lock. */
enum kiln_turn {
  KILN_TURN_COME,
  KILN_TURN_FIRST,  /* until it is the oldest unfinished command: in order, or waits for all before it */
  KILN_TURN_BARRIER /* until the barrier before it is done */
};

struct _cl_event {
  struct kiln_object object;
  kiln_context *context; /* held, through the queue if there is one */
  kiln_queue *queue;     /* held; NULL for a user event */
  cl_command_type type;  /* CL_COMMAND_* */
  atomic_int status;     /* CL_QUEUED ... CL_COMPLETE or a negative error; moves downwards only */
  atomic_uint sleepers;  /* threads asleep on status */
  /* KILN_WATCH_* bits, set before waiters or callbacks grow: who then finds status not yet there may rely on
     the thread that brings it there to look at both. */
  atomic_uint watched;
  uint64_t queued_ns, submitted_ns, started_ns, ended_ns; /* 0 unless the queue has profiling enabled */

  /* guarded by context->graph_lock */
  struct kiln_edge *waiters;             /* commands that wait for this one */
  struct kiln_event_callback *callbacks; /* newest first */
  /* end of guarded */
  kiln_cmd *next_waiter; /* commands that wait for the same variant of a kernel (variant.c) */
  atomic_int failure;    /* 0, or the negative status the command ends with */
  /* Reasons not to run yet: being enqueued, events, code being compiled, its turn in the queue; 0: ready. */
  atomic_uint pending;

  kiln_cmd *queue_next, *queue_prev; /* the queue's list of unfinished commands, oldest first; queue lock */
  uint64_t sequence;                 /* position among all commands of the queue */
  enum kiln_turn turn;               /* queue lock */
  bool waits_for_all, is_barrier;    /* constant once enqueued */
  kiln_cmd *ready_next;              /* in the list of the thread that made it ready */
  struct kiln_work work;

  /* What the command holds until done: dropped by the graph on completion. */
  void *refs_inline[KILN_CMD_INLINE_REFS];
  void **refs;
  uint32_t num_refs, refs_capacity;
  struct kiln_edge edges_inline[KILN_CMD_INLINE_EDGES];
  struct kiln_edge *edges; /* inline or one allocation; one per awaited event */
  uint32_t num_edges;

  /* Called by the graph after execution, before completion is published (unmap bookkeeping...), on whatever
     thread ends the command; also when the command failed or never ran: failure is negative then. May be
     NULL. */
  void (*finish)(kiln_cmd *cmd);
  void *finish_data[3];

  uint8_t *args; /* packed kernel arguments: inline or allocated, 128-byte aligned */
  uint8_t args_inline[KILN_CMD_INLINE_ARGS] __attribute__((aligned(128)));
};

/* A command of type for queue, its work zeroed (KILN_WORK_NOTHING), from the queue's pool; two internal
 * references: the caller's and the graph's. Markers and barriers without wait list wait for all commands
 * before them, by their type. Errors: CL_OUT_OF_HOST_MEMORY. */
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
 * and, when status is negative, makes the command fail with it. Each block holds the command until its
 * unblock, so a blocked command may be discarded. */
void kiln_cmd_block(kiln_cmd *cmd);
void kiln_cmd_unblock(kiln_cmd *cmd, cl_int status);

#endif
