/* Inside of the compiler's client: the ways a serialised request can be run. Nothing here reads a request. */
#ifndef KILN_COMPILER_CLIENT_CLIENT_H
#define KILN_COMPILER_CLIENT_CLIENT_H

#include "base/blob.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kiln_run_end {
  KILN_RUN_DONE,    /* reply holds bytes */
  KILN_RUN_CRASHED, /* the compiler died or hung: why says how */
  KILN_RUN_REFUSED, /* this way is closed, nothing was run: try another */
  KILN_RUN_NO_MEMORY,
  KILN_RUN_NO_COMPILER, /* a file is missing or unfit: why says which */
  KILN_RUN_LEFT         /* it had waited long for others to end, nothing was run: as its caller wished */
};

struct kiln_run {
  const struct kiln_blob *request;
  struct kiln_blob reply;
  bool in_helper; /* not on the thread of this process */
  char why[512];
};

/* Runs on the compile thread of this process. Blocks. may_leave, unless NULL, is asked time and again while
 * others have the thread for long; true: KILN_RUN_LEFT. */
enum kiln_run_end kiln_run_on_thread(struct kiln_run *run, bool (*may_leave)(void));
/* Runs in a process of its own. Blocks. */
enum kiln_run_end kiln_run_in_helper(struct kiln_run *run);

/* Path of libkiln-compiler.so, or of the helper; false if it does not fit. */
bool kiln_compiler_path(char *out, size_t size);
bool kiln_helper_path(char *out, size_t size);

/* Seconds a request may run; at least 1. */
uint64_t kiln_compile_timeout(void);

struct kiln_request;
/* Saves what is needed to repeat a request that killed the compiler. The folder's path, or a sentence that
 * says why there is none, goes to out. */
void kiln_reproducer_write(const struct kiln_request *request, const struct kiln_blob *bytes, char *out,
                           size_t size);

#endif
