/* Owns the order in which the modules of the core go through a fork. */
#include "core/fork.h"

#include <pthread.h>
#include <stddef.h>

static void each(enum kiln_fork_phase phase) {
  kiln_platform_fork(phase);
  kiln_jobs_fork(phase);
  kiln_cache_fork(phase);
  kiln_program_image_fork(phase);
}

static void prepare(void) { each(KILN_FORK_PREPARE); }
static void in_parent(void) { each(KILN_FORK_PARENT); }
static void in_child(void) { each(KILN_FORK_CHILD); }
static void watch_once(void) { pthread_atfork(prepare, in_parent, in_child); }

void kiln_fork_watch(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, watch_once);
}
