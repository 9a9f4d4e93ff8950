/* Kernel arguments from the words of a command line, and what expressions see of them. */
#ifndef KILN_TOOL_ARGS_H
#define KILN_TOOL_ARGS_H

#include "tool/expr.h"
#include "tool/launch.h"

/* Makes and sets every argument of the launch's kernel; false after a message. */
bool args_make(struct launch *l);
/* Global size and arguments; i and n are the caller's. */
struct expr_scope args_scope(const struct launch *l);

#endif
