/* Owns the rank check: a per-thread bit set of the ranks held. */
#include "base/lock.h"

#include <assert.h>

static _Thread_local unsigned held; /* bit r: a lock of rank r is held */

static void note_taken(enum kiln_rank rank) {
  assert((held >> rank) == 0 && "lock taken below or beside one already held");
  held |= 1u << rank;
}

static void note_given(enum kiln_rank rank) { held &= ~(1u << rank); }

void kiln_lock_init(struct kiln_lock *lock, enum kiln_rank rank) {
  lock->mutex = (pthread_mutex_t)PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
  lock->rank = rank;
}

void kiln_lock_finish(struct kiln_lock *lock) { pthread_mutex_destroy(&lock->mutex); }

void kiln_lock(struct kiln_lock *lock) {
  note_taken(lock->rank);
  pthread_mutex_lock(&lock->mutex);
}

bool kiln_trylock(struct kiln_lock *lock) {
  if (pthread_mutex_trylock(&lock->mutex) != 0) return false;
  note_taken(lock->rank);
  return true;
}

void kiln_unlock(struct kiln_lock *lock) {
  pthread_mutex_unlock(&lock->mutex);
  note_given(lock->rank);
}

void kiln_cond_wait(pthread_cond_t *cond, struct kiln_lock *lock) { pthread_cond_wait(cond, &lock->mutex); }
