/* Owns the build threads and their list of jobs; knows not what they do. */
#include "core/jobs.h"

#include "base/lock.h"
#include "base/os.h"
#include "core/fork.h"

#include <signal.h>
#include <stddef.h>

static struct kiln_lock lock = KILN_LOCK_INIT(KILN_RANK_BASE); /* all of the below */
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static struct kiln_job *first;
static unsigned threads, idle; /* idle: those that look for a job */

static struct kiln_job *next_job(void) {
  kiln_lock(&lock);
  idle++;
  while (first == NULL) kiln_cond_wait(&work, &lock);
  struct kiln_job *job = first;
  first = job->next;
  idle--;
  kiln_unlock(&lock);
  return job;
}

static void *thread_main(void *unused) {
  for (;;) {
    struct kiln_job *job = next_job();
    job->run(job); /* may free job */
  }
  return NULL;
}

/* The host's signals are for the host's threads; only faults of our own stay open. */
static void block_signals(sigset_t *before) {
  static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
  sigset_t all;
  sigfillset(&all);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset(&all, faults[i]);
  pthread_sigmask(SIG_SETMASK, &all, before);
}

static bool start_thread(void) {
  pthread_t thread;
  pthread_attr_t attr;
  sigset_t before;
  if (pthread_attr_init(&attr) != 0) return false;
  pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
  block_signals(&before);
  bool ok = pthread_create(&thread, &attr, thread_main, NULL) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attr);
  if (ok) pthread_setname_np(thread, "kiln-build");
  return ok;
}

static unsigned count_jobs(void) {
  unsigned n = 0;
  for (const struct kiln_job *job = first; job != NULL; job = job->next) n++;
  return n;
}

/* One thread more, where those that wait are too few for what is in line. The lock is held. */
static void grow(void) {
  unsigned most = kiln_os_processors();
  if (most > KILN_MOST_JOB_THREADS) most = KILN_MOST_JOB_THREADS;
  if (threads < most && count_jobs() >= idle && start_thread()) threads++;
}

static void insert(struct kiln_job *job, bool front) {
  struct kiln_job **link = &first;
  while (!front && *link != NULL) link = &(*link)->next;
  job->next = *link;
  *link = job;
}

void kiln_job_submit(struct kiln_job *job, bool urgent) {
  kiln_fork_watch();
  kiln_lock(&lock);
  grow();
  bool queued = threads > 0;
  if (queued) {
    insert(job, urgent);
    pthread_cond_signal(&work);
  }
  kiln_unlock(&lock);
  if (!queued) job->run(job);
}

void kiln_job_hurry(struct kiln_job *job) {
  kiln_lock(&lock);
  struct kiln_job **link = &first;
  while (*link != NULL && *link != job) link = &(*link)->next;
  if (*link != NULL) {
    *link = job->next;
    insert(job, true);
  }
  kiln_unlock(&lock);
}

void kiln_jobs_fork(enum kiln_fork_phase phase) {
  if (phase == KILN_FORK_PREPARE) {
    pthread_mutex_lock(&lock.mutex);
    return;
  }
  if (phase ==
      KILN_FORK_CHILD) { /* the threads stayed behind, and the objects their jobs are about are dead here */
    threads = idle = 0;
    first = NULL;
    work = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
  }
  pthread_mutex_unlock(&lock.mutex);
}
