/* Every allocation of Kiln's own code passes here: counted, and able to fail on demand in tests. */
#ifndef KILN_BASE_ALLOC_H
#define KILN_BASE_ALLOC_H

#include <stdbool.h>
#include <stddef.h>

/* Like malloc, calloc, realloc, free. NULL when memory is short or a test says so. */
void *kiln_alloc(size_t size);
void *kiln_zalloc(size_t size);
void *kiln_realloc(void *p, size_t size);
void kiln_free(void *p);
char *kiln_strdup(const char *s);
/* size bytes of memory aligned to align (a power of two, at least sizeof(void *)); free with kiln_free. */
void *kiln_alloc_aligned(size_t align, size_t size);

/* Tests: let the n-th allocation from now on fail (1 is the next), counting those of the calling thread, so
 * that what other threads do changes nothing; 0 switches this off, SIZE_MAX counts only. One thread does
 * this. Returns how many were counted since the last call. */
size_t kiln_alloc_fail_nth(size_t n);
/* The same, counting those of all other threads. */
size_t kiln_alloc_fail_nth_elsewhere(size_t n);
/* Whether one has failed since the switch was set. */
bool kiln_alloc_has_failed(void);
/* Allocations not yet freed. */
size_t kiln_alloc_live(void);

#endif
