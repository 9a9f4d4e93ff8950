/* A command queue: order, pool of commands, list of unfinished ones. */
#ifndef KILN_CORE_QUEUE_H
#define KILN_CORE_QUEUE_H

#include "base/lock.h"
#include "core/command.h"

struct kiln_cmd_slab; /* memory of several commands; command.c */

struct _cl_command_queue {
  struct kiln_object object;
  kiln_context *context;                  /* held */
  kiln_device *device;                    /* held */
  cl_command_queue_properties properties; /* bits */
  cl_queue_properties list[16];           /* as given to clCreateCommandQueueWithProperties, 0-terminated */
  uint32_t list_size;                     /* entries incl. the 0; 0: none given */
  struct kiln_lock lock;                  /* guards what follows, recycled excepted */
  kiln_cmd *first, *last;                 /* unfinished commands, oldest first */
  kiln_cmd *last_barrier;                 /* out of order: every later command waits for it */
  uint64_t next_sequence;
  kiln_cmd *pool; /* commands for reuse, through queue_next */
  struct kiln_cmd_slab *slabs;
  _Atomic(kiln_cmd *)
      recycled; /* finished commands on their way to pool: pushed by anyone, taken as a whole */
};

/* Starts the device's threads if need be. properties are checked by the caller. */
cl_int kiln_queue_create(kiln_context *context, kiln_device *device, cl_command_queue_properties properties,
                         kiln_queue **queue_out);
/* Returns when every command enqueued before the call is done; helps with NDRanges. */
cl_int kiln_queue_finish(kiln_queue *queue);
cl_int kiln_queue_flush(kiln_queue *queue);

/* ---- between command.c, graph.c and queue.c; no lock held ---- */

/* Puts cmd at the end of the list and, unless it may run at once, adds its turn to cmd->pending. */
void kiln_queue_append(kiln_queue *queue, kiln_cmd *cmd);
/* Takes a command that has ended out of the list; settles those whose turn has come. */
void kiln_queue_remove(kiln_queue *queue, kiln_cmd *cmd);
/* Drops what a command holds but its edges. */
void kiln_cmd_drop_held(kiln_cmd *cmd);
void kiln_cmd_slabs_free(struct kiln_cmd_slab *slab);

#endif
