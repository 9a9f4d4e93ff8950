/* The compile thread: opens libkiln-compiler.so and runs requests one after the other on a stack of 1 GiB.
 * Owns what happens when the compiler dies on it: after a crash, a fatal error or a timeout the thread is
 * parked for ever, since locks may be taken and data half written, and the way is closed for this process.
 *
 * Nothing of the host is touched from then on: the library has a heap of its own, the dead thread only posts
 * a semaphore, and those who wait take it from there. */
#include "compiler/client/client.h"

#include "base/abi.h"
#include "base/alloc.h"
#include "base/config.h"
#include "base/fault.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/os.h"
#include "compiler/compiler.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PATIENCE_NS 100000000u /* in line; a helper starts in half of it */
#define STACK_BYTES ((size_t)1 << 30)
#define STACK_LEAST ((size_t)16 << 20)

/* A request under way. Its waiter and the thread hold it: a thread that hangs keeps its share. */
struct job {
  struct job *next;
  struct kiln_blob request; /* a copy: the waiter may give up */
  struct kiln_blob reply;
  /* Written last: the thread sanitizer does not know sem_clockwait, by which the waiter learns of it. */
  _Atomic(enum kiln_run_end) end;
  char why[512];
  sem_t done;
  atomic_uint refs;
  atomic_uint_fast64_t started_ns; /* 0 while it queues */
};

enum way { WAY_NEW, WAY_OPEN, WAY_CLOSED /* the thread is dead or cannot be had */ };

static struct kiln_lock lock =
    KILN_LOCK_INIT(KILN_RANK_BASE); /* guards all of this but `current` for the handler */
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static enum way way;
static struct job *first, *last;    /* queued */
static struct job *_Atomic current; /* on the thread; written under the lock, read by park() */
static pthread_t thread;
static struct kiln_fault_record record;

static void job_release(struct job *job) {
  if (atomic_fetch_sub(&job->refs, 1) != 1) return;
  sem_destroy(&job->done);
  kiln_blob_finish(&job->request);
  kiln_blob_finish(&job->reply);
  kiln_free(job);
}

static struct job *job_new(const struct kiln_blob *request) {
  struct job *job = kiln_zalloc(sizeof *job);
  if (job == NULL) return NULL;
  atomic_init(&job->refs, 2);
  sem_init(&job->done, 0, 0);
  kiln_blob_put(&job->request, request->data, request->size);
  if (!job->request.failed) return job;
  atomic_store(&job->refs, 1);
  job_release(job);
  return NULL;
}

/* ---- the end of the thread ---- */

/* Only what a signal handler may do. */
static _Noreturn void park_with(const char *what, size_t length) {
  struct job *job = atomic_load(&current);
  if (job != NULL) {
    if (length >= sizeof job->why) length = sizeof job->why - 1;
    memcpy(job->why, what, length);
    job->why[length] = '\0';
    job->end = KILN_RUN_CRASHED;
    sem_post(&job->done);
  }
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  for (;;) pause();
}

static const char *signal_text(int number) {
  switch (number) {
  case SIGSEGV:
    return "segmentation fault or stack overflow (signal 11)";
  case SIGBUS:
    return "bus error (signal 7)";
  case SIGFPE:
    return "arithmetic fault (signal 8)";
  case SIGILL:
    return "illegal instruction (signal 4)";
  case SIGABRT:
    return "abort (signal 6)";
  default:
    return "fatal signal";
  }
}

static void park_on_signal(struct kiln_fault_record *r) {
  const char *text = signal_text(r->signal);
  park_with(text, strlen(text));
}

static void park_on_fatal(const char *reason) {
  if (reason == NULL) reason = "fatal error";
  park_with(reason, strlen(reason));
}

/* ---- the thread ---- */

static const struct kiln_compiler_api *open_library(char *why, size_t size) {
  char path[4096];
  if (!kiln_compiler_path(path, sizeof path)) {
    snprintf(why, size, "the path of libkiln-compiler.so cannot be found");
    return NULL;
  }
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  kiln_compiler_entry_fn *entry = NULL;
  if (library != NULL) *(void **)&entry = dlsym(library, "kiln_compiler_entry");
  if (entry == NULL) {
    const char *reason = dlerror();
    snprintf(why, size, "%.500s", reason == NULL ? path : reason);
    return NULL;
  }
  const struct kiln_compiler_api *api = entry();
  if (api->abi_version == KILN_ABI_VERSION) {
    api->catch_fatal(park_on_fatal);
    return api;
  }
  snprintf(why, size, "%.300s has interface version %u, needed is %u", path, api->abi_version,
           KILN_ABI_VERSION);
  return NULL;
}

static void keep_reply(void *user, const void *bytes, size_t size) {
  struct job *job = user;
  kiln_blob_put(&job->reply, bytes, size);
}

static void run_job(const struct kiln_compiler_api *api, const char *why, struct job *job) {
  if (api == NULL) {
    snprintf(job->why, sizeof job->why, "%s", why);
    job->end = KILN_RUN_NO_COMPILER;
    return;
  }
  atomic_store(&job->started_ns, kiln_os_now_ns());
  api->run(job->request.data, job->request.size, keep_reply, job);
  job->end = job->reply.size == 0 || job->reply.failed ? KILN_RUN_NO_MEMORY : KILN_RUN_DONE;
}

static struct job *take_job(void) {
  kiln_lock(&lock);
  while (first == NULL) kiln_cond_wait(&wake, &lock);
  struct job *job = first;
  first = job->next;
  atomic_store(&current, job);
  kiln_unlock(&lock);
  return job;
}

static void *thread_main(void *unused) {
  (void)unused;
  pthread_setname_np(pthread_self(), "kiln-compile");
  bool borrowed;
  kiln_fault_stack_enter(&borrowed);
  kiln_fault_set(&record);
  struct job *job = take_job(); /* current is set while the library is opened: see in_child */
  char why[512] = "";
  const struct kiln_compiler_api *api = open_library(why, sizeof why);
  for (;; job = take_job()) {
    run_job(api, why, job);
    kiln_lock(&lock);
    atomic_store(&current, NULL);
    kiln_unlock(&lock);
    sem_post(&job->done);
    job_release(job);
  }
  return NULL;
}

/* ---- fork: the child has no compile thread. It gets a new one unless LLVM was in the middle of something.
 * ---- */

/* Past the rank check: other modules' fork handlers take locks of lower rank after this one. */
static void before_fork(void) { pthread_mutex_lock(&lock.mutex); }
static void in_parent(void) { pthread_mutex_unlock(&lock.mutex); }
static void in_child(void) {
  if (way == WAY_OPEN) way = atomic_load(&current) == NULL ? WAY_NEW : WAY_CLOSED;
  first = last = NULL; /* their waiters are not here */
  atomic_store(&current, NULL);
  pthread_cond_init(&wake, NULL);
  pthread_mutex_unlock(&lock.mutex);
}
static void watch_forks(void) { pthread_atfork(before_fork, in_parent, in_child); }

/* Reserved, not used: pages are taken as the stack grows; one at the low end stays closed. */
static void *stack_reserve(size_t *size_out) {
  for (size_t size = STACK_BYTES; size >= STACK_LEAST; size /= 4) {
    char *stack = mmap(NULL, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED) continue;
    madvise(stack, size, MADV_NOHUGEPAGE);
    mprotect(stack, 65536, PROT_NONE);
    *size_out = size;
    return stack;
  }
  return NULL;
}

static bool thread_start(void) {
  size_t size;
  void *stack = stack_reserve(&size);
  if (stack == NULL) return false;
  record = (struct kiln_fault_record){.kind = KILN_FAULT_COMPILE, .park = park_on_signal};
  sigset_t blocked, before;
  sigfillset(&blocked);
  for (const int *s = (const int[]){SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, 0}; *s != 0; s++)
    sigdelset(&blocked, *s);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, stack, size);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_sigmask(SIG_SETMASK, &blocked, &before);
  int err = pthread_create(&thread, &attributes, thread_main, NULL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  if (err != 0) munmap(stack, size);
  return err == 0;
}

/* ---- the waiter ---- */

static bool enqueue(struct job *job) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, watch_forks);
  kiln_lock(&lock);
  if (way == WAY_NEW) way = kiln_fault_install() && thread_start() ? WAY_OPEN : WAY_CLOSED;
  bool open = way == WAY_OPEN;
  if (open) {
    if (first == NULL) first = job;
    else last->next = job;
    last = job;
    pthread_cond_signal(&wake);
  }
  kiln_unlock(&lock);
  return open;
}

/* The thread is dead: nobody else may wait for it. */
static void close_way(void) {
  kiln_lock(&lock);
  way = WAY_CLOSED;
  struct job *job = first;
  first = last = NULL;
  kiln_unlock(&lock);
  while (job != NULL) {
    struct job *next = job->next;
    job->end = KILN_RUN_REFUSED;
    sem_post(&job->done);
    job_release(job);
    job = next;
  }
}

static bool wait_until(sem_t *sem, uint64_t deadline_ns) {
  struct timespec t = {.tv_sec = (time_t)(deadline_ns / 1000000000u),
                       .tv_nsec = (long)(deadline_ns % 1000000000u)};
  int err;
  do err = sem_clockwait(sem, CLOCK_MONOTONIC, &t);
  while (err != 0 && errno == EINTR);
  return err == 0;
}

/* Out of the line, if may_leave says so; false: it stays, or its turn has come. */
static bool take_back(struct job *job, bool (*may_leave)(void)) {
  kiln_lock(&lock);
  struct job **link = &first, *before = NULL;
  for (; *link != NULL && *link != job; link = &(*link)->next) before = *link;
  bool leaves = *link != NULL && may_leave();
  if (leaves) {
    *link = job->next;
    if (last == job) last = before;
  }
  kiln_unlock(&lock);
  if (leaves) job_release(job); /* the line's share */
  return leaves;
}

/* Until its turn comes, or its end; true: it has left. */
static bool stand_in_line(struct job *job, bool (*may_leave)(void)) {
  while (atomic_load(&job->started_ns) == 0) {
    if (wait_until(&job->done, kiln_os_now_ns() + PATIENCE_NS)) {
      sem_post(&job->done); /* for wait_for */
      return false;
    }
    if (take_back(job, may_leave)) return true;
  }
  return false;
}

/* Waits for the job's end; a job that runs too long is ended by a signal to its thread, which parks on it. */
static void wait_for(struct job *job) {
  const uint64_t limit = kiln_compile_timeout() * 1000000000u;
  for (;;) {
    uint64_t started = atomic_load(&job->started_ns);
    if (wait_until(&job->done, (started == 0 ? kiln_os_now_ns() : started) + limit)) return;
    started = atomic_load(&job->started_ns);
    if (started != 0 && kiln_os_now_ns() - started >= limit) break;
  }
  kiln_lock(&lock);
  if (atomic_load(&current) == job) pthread_kill(thread, SIGABRT);
  kiln_unlock(&lock);
  bool parked = wait_until(&job->done, kiln_os_now_ns() + 5000000000u);
  if (parked && job->end == KILN_RUN_DONE) return; /* it finished just now */
  snprintf(job->why, sizeof job->why, "no end after %llu seconds", (unsigned long long)(limit / 1000000000u));
  job->end = KILN_RUN_CRASHED;
}

enum kiln_run_end kiln_run_on_thread(struct kiln_run *run, bool (*may_leave)(void)) {
  struct job *job = job_new(run->request);
  if (job == NULL) return KILN_RUN_NO_MEMORY;
  if (!enqueue(job)) {
    job_release(job);
    job_release(job);
    return KILN_RUN_REFUSED;
  }
  if (may_leave != NULL && stand_in_line(job, may_leave)) {
    job_release(job);
    return KILN_RUN_LEFT;
  }
  wait_for(job);
  enum kiln_run_end end = job->end;
  if (end == KILN_RUN_CRASHED) close_way();
  if (end == KILN_RUN_DONE) {
    run->reply = job->reply;
    job->reply = (struct kiln_blob){0};
  }
  memcpy(run->why, job->why, sizeof run->why);
  job_release(job);
  return end;
}
