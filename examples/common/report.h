/* What an example says at its end: one line for people, one for examples/summary. */
#ifndef EXAMPLES_COMMON_REPORT_H
#define EXAMPLES_COMMON_REPORT_H

#include "options.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ex_report {
  const char *example; /* the executable's name */
  char size[48];       /* "1024 x 1024" */
  double ms;           /* kernel time of the fastest run; 0 if no kernel runs */
  double work;         /* bytes or operations in that run */
  const char *unit;    /* what 1e9 `work` a second is called: "GB/s", "GFLOP/s" */
  bool ok;             /* did the check pass? */
};

/* Prints the report, appends the result line if a file was asked for, returns the exit code. */
int ex_report_finish(const struct ex_options *options, const struct ex_report *report);

/* The same for an example that cannot run on this device: skipped, or failed if EXAMPLES_NO_SKIP is
 * set, for a platform on which all must run. */
int ex_report_skip(const struct ex_options *options, const char *example, const char *why);

#ifdef __cplusplus
}
#endif
#endif
