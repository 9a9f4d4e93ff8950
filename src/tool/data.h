/* Buffers from and to files: raw bytes, CSV (numbers separated by commas, spaces or lines), PNG. */
#ifndef KILN_TOOL_DATA_H
#define KILN_TOOL_DATA_H

#include "tool/value.h"

/* Reads path into fresh memory as elements of type; *count_out elements. PNG components become 0..255 for
 * integers, 0..1 for floats, in the image's own channels (converted to the type's width if it is 3 or 4).
 * NULL after a message. */
void *data_read(const char *path, const struct value_type *type, size_t *count_out);
/* Writes count elements by the ending of path: .csv, .png or raw. A PNG needs pixels_per_row (0: square). */
bool data_write(const char *path, const struct value_type *type, const void *data, size_t count,
                size_t pixels_per_row);

#endif
