/* What happens when a shared library is opened, found out in a child process: a library that crashes or ends
 * its host does that to the child. */
#ifndef KILN_TOOL_LIBRARY_H
#define KILN_TOOL_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

enum library_verdict {
  LIBRARY_GOOD,
  LIBRARY_BAD,
  LIBRARY_DEADLY /* it ends the process that opens it */
};

/* GOOD if the library opens and has the symbol; else why not, as text. path without a slash is searched for
 * as the dynamic linker does. */
enum library_verdict library_opens(const char *path, const char *symbol, char *why, size_t size);
/* GOOD if it opens as an OpenCL driver does and lists platforms; why then says how many. */
enum library_verdict library_is_driver(const char *path, char *why, size_t size);

#endif
