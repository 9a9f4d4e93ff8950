/* Moving and repeating bytes; past the caches when they could not hold them anyhow. */
#ifndef KILN_DRIVERS_CPU_BYTES_H
#define KILN_DRIVERS_CPU_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* stream: the destination does not go through the caches, which saves reading it first and leaves in them
 * what is there. To be used when the whole of a command exceeds the last cache. */
void kiln_bytes_copy(uint8_t *dst, const uint8_t *src, size_t size, bool stream);
/* Repeats a pattern of pattern_size bytes, a power of two up to 128, over size bytes. */
void kiln_bytes_fill(uint8_t *dst, size_t size, const uint8_t *pattern, size_t pattern_size, bool stream);

#endif
