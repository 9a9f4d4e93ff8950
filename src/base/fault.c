/* Owns the one signal handler of the process that is ours and the alternate stacks it runs on. Knows of
 * kernels and compiles only what their record says. */
#include "base/fault.h"

#include "base/config.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

static const int fault_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
enum { NUM_SIGNALS = sizeof fault_signals / sizeof *fault_signals };
static struct sigaction before[NUM_SIGNALS]; /* what was installed when we came */

/* Read in the handler: must not be allocated lazily there. */
static _Thread_local struct kiln_fault_record *current __attribute__((tls_model("initial-exec")));

/* ---- chaining ---- */

/* The default action: for a fault of this thread's own code, returning runs the instruction again; a signal
 * that was sent must be sent again. */
static void chain_default(int number, const siginfo_t *info) {
  struct sigaction fresh = {.sa_handler = SIG_DFL};
  sigaction(number, &fresh, NULL);
  if (info->si_code <= 0) syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), number);
}

static void chain_handler(const struct sigaction *old, int number, siginfo_t *info, void *context) {
  sigset_t mask = old->sa_mask, saved;
  if ((old->sa_flags & SA_NODEFER) == 0) sigaddset(&mask, number);
  pthread_sigmask(SIG_BLOCK, &mask, &saved);
  if (old->sa_flags & SA_SIGINFO) old->sa_sigaction(number, info, context);
  else old->sa_handler(number);
  pthread_sigmask(SIG_SETMASK, &saved, NULL);
}

static void chain(int number, siginfo_t *info, void *context) {
  unsigned i = 0;
  while (i < NUM_SIGNALS - 1 && fault_signals[i] != number) i++;
  const struct sigaction *old = &before[i];
  if (old->sa_flags & SA_SIGINFO || (old->sa_handler != SIG_DFL && old->sa_handler != SIG_IGN)) {
    chain_handler(old, number, info, context);
    return;
  }
  /* The kernel does not let a thread ignore its own fault; one that was sent it does. */
  if (old->sa_handler == SIG_IGN && info->si_code <= 0) return;
  chain_default(number, info);
}

/* ---- the handler ---- */

/* Whether record is about this signal: a kernel's own instruction faulted (not a signal somebody sent), or
 * the compiler did, abort() included. */
static bool concerns(const struct kiln_fault_record *record, int number, const siginfo_t *info) {
  if (record == NULL) return false;
  if (record->kind == KILN_FAULT_COMPILE) return info->si_code > 0 || number == SIGABRT;
  return info->si_code > 0 && number != SIGABRT;
}

static void handle(int number, siginfo_t *info, void *context) {
  struct kiln_fault_record *record = current;
  if (!concerns(record, number, info)) {
    chain(number, info, context);
    return;
  }
  record->signal = number;
  record->address = info->si_addr;
  current = NULL;
  if (record->kind == KILN_FAULT_COMPILE) {
    record->park(record);
    return;
  }
  /* The jump leaves the handler without the kernel's help, so the mask is put back here; the owner of the
     record need not save it, which would cost a system call per launch. */
  pthread_sigmask(SIG_SETMASK, &((ucontext_t *)context)->uc_sigmask, NULL);
  siglongjmp(record->recover, 1);
}

bool kiln_fault_install(void) {
  static atomic_bool installed;
  if (kiln_config_int(KILN_CONFIG_FAULT_HANDLER, 1) == 0) return false;
  if (atomic_load_explicit(&installed, memory_order_acquire)) return true;
  struct sigaction ours = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigemptyset(&ours.sa_mask);
  for (unsigned i = 0; i < NUM_SIGNALS; i++) {
    /* Two threads may both come here: neither may take our own handler for what was before. */
    struct sigaction old;
    sigaction(fault_signals[i], NULL, &old);
    if ((old.sa_flags & SA_SIGINFO) && old.sa_sigaction == handle) continue;
    before[i] = old;
    sigaction(fault_signals[i], &ours, NULL);
  }
  atomic_store_explicit(&installed, true, memory_order_release);
  return true;
}

struct kiln_fault_record *kiln_fault_set(struct kiln_fault_record *record) {
  struct kiln_fault_record *old = current;
  current = record;
  return old;
}

/* ---- alternate stacks ---- */

enum { STACK_MINIMUM = 64 << 10, STACK_MARGIN = 32 << 10, GUARD = 4096 };

static pthread_key_t stack_key; /* frees the thread's stack when it ends */
static pthread_once_t stack_once = PTHREAD_ONCE_INIT;
static bool have_key;
static _Thread_local uint8_t *own_stack; /* above a guard page; kept for the next time */

/* Wide registers are saved on this stack: their size is the kernel's to tell. */
static size_t stack_size(void) {
  long least = sysconf(_SC_MINSIGSTKSZ);
  size_t size = (least > 0 ? (size_t)least : 0) + STACK_MARGIN;
  size = size < STACK_MINIMUM ? STACK_MINIMUM : size;
  return (size + GUARD - 1) & ~(size_t)(GUARD - 1);
}

static void stack_free(void *stack) {
  stack_t current_stack;
  if (sigaltstack(NULL, &current_stack) == 0 && current_stack.ss_sp == stack)
    sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
  munmap((uint8_t *)stack - GUARD, stack_size() + GUARD);
}

static void make_key(void) { have_key = pthread_key_create(&stack_key, stack_free) == 0; }

static uint8_t *stack_get(void) {
  if (own_stack != NULL) return own_stack;
  pthread_once(&stack_once, make_key);
  if (!have_key) return NULL;
  uint8_t *memory = mmap(NULL, stack_size() + GUARD, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return NULL;
  mprotect(memory, GUARD, PROT_NONE);
  if (pthread_setspecific(stack_key, memory + GUARD) != 0) {
    munmap(memory, stack_size() + GUARD);
    return NULL;
  }
  return own_stack = memory + GUARD;
}

bool kiln_fault_stack_enter(bool *borrowed_out) {
  stack_t old;
  *borrowed_out = false;
  if (sigaltstack(NULL, &old) != 0) return false;
  if ((old.ss_flags & SS_DISABLE) == 0) return true;
  stack_t ours = {.ss_sp = stack_get(), .ss_size = stack_size()};
  if (ours.ss_sp == NULL || sigaltstack(&ours, NULL) != 0) return false;
  *borrowed_out = true;
  return true;
}

void kiln_fault_stack_leave(bool borrowed) {
  if (borrowed) sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
}
