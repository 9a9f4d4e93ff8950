/* A command queue: order, pool of commands, list of unfinished ones. */
#ifndef KILN_CORE_QUEUE_H
#define KILN_CORE_QUEUE_H

#include "base/lock.h"
#include "core/command.h"

struct _cl_command_queue {
  struct kiln_object object;
  kiln_context *context;                  /* held */
  kiln_device *device;                    /* held */
  cl_command_queue_properties properties; /* bits */
  cl_queue_properties list[16];           /* as given to clCreateCommandQueueWithProperties, 0-terminated */
  uint32_t list_size;                     /* entries incl. the 0; 0: none given */
  struct kiln_lock lock;                  /* guards first, last, last_barrier, pool */
  kiln_cmd *first, *last;                 /* unfinished commands, oldest first */
  kiln_cmd *last_barrier;                 /* out of order: every later command waits for it */
  kiln_cmd *pool;                         /* finished commands for reuse */
};

/* Starts the device's threads if need be. properties are checked by the caller. */
cl_int kiln_queue_create(kiln_context *context, kiln_device *device, cl_command_queue_properties properties,
                         kiln_queue **queue_out);
/* Returns when every command enqueued before the call is done; helps with NDRanges. */
cl_int kiln_queue_finish(kiln_queue *queue);
cl_int kiln_queue_flush(kiln_queue *queue);

#endif
