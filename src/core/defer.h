/* The process's callback thread: user callbacks run there, no lock held; they may enqueue and wait. While one
 * waits, another thread takes over. */
#ifndef KILN_CORE_DEFER_H
#define KILN_CORE_DEFER_H

#include "base/ocl.h"

#include <stdbool.h>

struct kiln_deferred {
  struct kiln_deferred *next;
  void (*run)(struct kiln_deferred *deferred); /* owns *deferred from then on */
};

/* Brings up the thread unless it runs; to be called before anything is posted. CL_OUT_OF_RESOURCES. */
cl_int kiln_deferred_start(void);
/* Queues deferred, oldest first; never fails or blocks. */
void kiln_deferred_post(struct kiln_deferred *deferred);

/* Around a sleep of the calling thread; nothing happens unless it is a callback thread. */
void kiln_deferred_sleep(void);
void kiln_deferred_wake(void);

#endif
