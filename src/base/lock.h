/* Mutexes with ranks: a thread takes them in rising rank only; debug builds assert it. Each mutex's
 * declaration lists what it guards. No lock is held over a user callback, a compile, a wait or a driver's
 * submit. A thread that finds a mutex taken spins a little before it sleeps. */
#ifndef KILN_BASE_LOCK_H
#define KILN_BASE_LOCK_H

#include <pthread.h>
#include <stdbool.h>

enum kiln_rank {
  KILN_RANK_PLATFORM = 1,
  KILN_RANK_CONTEXT,
  KILN_RANK_PROGRAM,
  KILN_RANK_KERNEL,
  KILN_RANK_QUEUE,
  KILN_RANK_GRAPH,
  KILN_RANK_MEM,
  KILN_RANK_DRIVER,
  KILN_RANK_BASE
};

struct kiln_lock {
  pthread_mutex_t mutex;
  enum kiln_rank rank;
};

#define KILN_LOCK_INIT(r)                                                                                    \
  { PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP, (r) }
void kiln_lock_init(struct kiln_lock *lock, enum kiln_rank rank);
void kiln_lock_finish(struct kiln_lock *lock);
void kiln_lock(struct kiln_lock *lock);
bool kiln_trylock(struct kiln_lock *lock); /* true if taken */
void kiln_unlock(struct kiln_lock *lock);
/* pthread_cond_wait on lock's mutex; the rank stays held. */
void kiln_cond_wait(pthread_cond_t *cond, struct kiln_lock *lock);

#endif
