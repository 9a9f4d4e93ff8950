/* Carries out a case on a platform: build, arguments, launches, read-back, checks. */
#ifndef KILN_TOOL_LAUNCH_H
#define KILN_TOOL_LAUNCH_H

#include "tool/case.h"
#include "tool/tool.h"
#include "tool/value.h"

struct launch_arg {
  enum { LAUNCH_VALUE, LAUNCH_BUFFER, LAUNCH_LOCAL, LAUNCH_NULL } kind;
  struct value_type type;
  bool opaque;          /* a struct, or a type of another name: bytes */
  size_t count;         /* elements */
  size_t image[3];      /* size of an image, one deep; {0}: a LAUNCH_BUFFER is a buffer */
  void *before, *after; /* host copies of a buffer; before: the value of LAUNCH_VALUE */
  cl_mem mem;
};

struct launch {
  const struct run_case *c;
  cl_platform_id platform;
  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
  cl_program program;
  cl_kernel kernel;
  char kernel_name[256];
  unsigned num_args;
  struct launch_arg args[CASE_MAX_ARGS];
  double build_ms;
  double launch_ms; /* of the last launch, from its call to its end as the host sees them */
  char *log;        /* build log, "" if none */
};

/* Builds the case's kernel on its platform and prepares its arguments; false after a message (with the build
 * log). */
bool launch_open(struct launch *l, const struct run_case *c, const char *platform);
/* One launch from fresh buffers; kernel seconds from event profiling. */
bool launch_once(struct launch *l, double *seconds_out);
/* Reads the buffers back (needed before check, show and output). */
bool launch_fetch(struct launch *l);
/* Every expectation; false after messages that name the first wrong component. */
bool launch_check(const struct launch *l);
/* Value of an expression that may use g0..g2 and scalar arguments. */
bool launch_expr(const struct launch *l, const char *text, long double *out);
void launch_close(struct launch *l);
/* True, or false after a message that names the failed call. */
bool launch_ok(cl_int err, const char *call);

#endif
