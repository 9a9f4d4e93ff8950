/* What happens when a shared library is opened, found out in a child process: a library that crashes or ends
 * its host does that to the child. */
#ifndef KILN_TOOL_LIBRARY_H
#define KILN_TOOL_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/* True if the library opens and has the symbol; else why not, as text. path without a slash is searched for
 * as the dynamic linker does. */
bool library_opens(const char *path, const char *symbol, char *why, size_t size);
/* True if it opens as an OpenCL driver does and lists platforms; why then says how many. */
bool library_is_driver(const char *path, char *why, size_t size);

#endif
