/* Owns the callback thread and its queue. Knows nothing of events. */
#include "core/defer.h"

#include "base/lock.h"

#include <pthread.h>
#include <signal.h>

enum { MAX_THREADS = 64 };

static struct {
  struct kiln_lock lock; /* all of this */
  pthread_cond_t posted;
  struct kiln_deferred *first, **last;
  unsigned threads, asleep; /* asleep: in a wait that a callback made */
} pool = {.lock = KILN_LOCK_INIT(KILN_RANK_BASE), .posted = PTHREAD_COND_INITIALIZER, .last = &pool.first};

static _Thread_local bool is_callback_thread;

/* A child has none of these threads, and what was queued belongs to the parent. */
static void in_child(void) {
  kiln_lock_init(&pool.lock, KILN_RANK_BASE);
  pool.posted = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
  pool.first = NULL;
  pool.last = &pool.first;
  pool.threads = pool.asleep = 0;
}

static struct kiln_deferred *take(void) {
  struct kiln_deferred *deferred = pool.first;
  if (deferred == NULL) return NULL;
  pool.first = deferred->next;
  if (pool.first == NULL) pool.last = &pool.first;
  return deferred;
}

/* Serves the queue; ends when it is empty and another thread is there to serve it. */
static void *serve(void *unused) {
  is_callback_thread = true;
  pthread_setname_np(pthread_self(), "kiln-callback");
  kiln_lock(&pool.lock);
  for (;;) {
    struct kiln_deferred *deferred = take();
    if (deferred != NULL) {
      kiln_unlock(&pool.lock);
      deferred->run(deferred);
      kiln_lock(&pool.lock);
    } else if (pool.threads - pool.asleep > 1) {
      break;
    } else {
      kiln_cond_wait(&pool.posted, &pool.lock);
    }
  }
  pool.threads--;
  kiln_unlock(&pool.lock);
  return NULL;
}

/* The host's signals are not for this thread. */
static bool spawn(void) {
  sigset_t all, saved;
  sigfillset(&all);
  static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
  for (unsigned i = 0; i < sizeof own / sizeof *own; i++) sigdelset(&all, own[i]);
  pthread_sigmask(SIG_SETMASK, &all, &saved);
  pthread_t id;
  bool started = pthread_create(&id, NULL, serve, NULL) == 0;
  if (started) pthread_detach(id);
  pthread_sigmask(SIG_SETMASK, &saved, NULL);
  return started;
}

/* A thread that is not asleep. Lock held. */
static bool have_thread(void) {
  if (pool.threads > pool.asleep) return true;
  if (pool.threads == MAX_THREADS || !spawn()) return false;
  pool.threads++;
  return true;
}

static void watch_forks(void) { pthread_atfork(NULL, NULL, in_child); }

cl_int kiln_deferred_start(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, watch_forks);
  kiln_lock(&pool.lock);
  bool ok = have_thread() || pool.threads > 0;
  kiln_unlock(&pool.lock);
  return ok ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
}

void kiln_deferred_post(struct kiln_deferred *deferred) {
  deferred->next = NULL;
  kiln_lock(&pool.lock);
  *pool.last = deferred;
  pool.last = &deferred->next;
  have_thread();
  kiln_unlock(&pool.lock);
  pthread_cond_signal(&pool.posted);
}

void kiln_deferred_sleep(void) {
  if (!is_callback_thread) return;
  kiln_lock(&pool.lock);
  pool.asleep++;
  if (pool.first != NULL) have_thread();
  kiln_unlock(&pool.lock);
}

void kiln_deferred_wake(void) {
  if (!is_callback_thread) return;
  kiln_lock(&pool.lock);
  pool.asleep--;
  kiln_unlock(&pool.lock);
}
