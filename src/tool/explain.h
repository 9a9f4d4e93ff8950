/* `kiln run --explain`: the source beside what became of it. */
#ifndef KILN_TOOL_EXPLAIN_H
#define KILN_TOOL_EXPLAIN_H

#include "tool/case.h"

#include <stdbool.h>

/* The build option that fills the log; malloc'ed. */
char *explain_option(const struct run_case *c);
/* Prints what the build log of c says of a kernel, each remark below its line of the source. False after a
 * message. */
bool explain_print(const struct run_case *c, const char *kernel, const char *log);

#endif
