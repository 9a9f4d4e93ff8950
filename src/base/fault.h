/* The fault handler: one sigaction for SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT, in place with the first
 * queue or build, that acts only on a thread whose record is set and else chains to whatever was installed
 * before. KILN_FAULT_HANDLER=0 leaves the host's handlers alone. */
#ifndef KILN_BASE_FAULT_H
#define KILN_BASE_FAULT_H

#include <setjmp.h>
#include <stdbool.h>

struct kiln_fault_record {
  /* KERNEL: the handler jumps to `recover`, signal and address filled in and the signal mask put back by the
     handler itself, so sigsetjmp(recover, 0) is enough. COMPILE: the handler calls `park` on the alternate
     stack; it must not return. Either way the thread's record is cleared first. */
  enum { KILN_FAULT_KERNEL, KILN_FAULT_COMPILE } kind;
  sigjmp_buf recover;
  void (*park)(struct kiln_fault_record *record);
  int signal;
  void *address;
};

/* Idempotent, thread-safe. Returns false when KILN_FAULT_HANDLER switches it off (records are then ignored).
 */
bool kiln_fault_install(void);
/* Gives the calling thread an alternate signal stack unless it has one; *borrowed_out tells whether it did,
 * for kiln_fault_stack_leave on a host thread. Returns false without memory. */
bool kiln_fault_stack_enter(bool *borrowed_out);
void kiln_fault_stack_leave(bool borrowed);
/* Sets the calling thread's record, NULL to clear; returns the one before. */
struct kiln_fault_record *kiln_fault_set(struct kiln_fault_record *record);

#endif
