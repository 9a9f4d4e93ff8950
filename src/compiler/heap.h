/* The private heap of libkiln-compiler.so: the names --wrap gives to libc's allocator, and trimming. */
#ifndef KILN_COMPILER_HEAP_H
#define KILN_COMPILER_HEAP_H

#include <stddef.h>

/* Gives unused pages back to the system; called between requests. */
void kiln_heap_trim(void);

void *__wrap_malloc(size_t size);
void __wrap_free(void *p);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);
void *__wrap_memalign(size_t align, size_t size);
int __wrap_posix_memalign(void **out, size_t align, size_t size);
void *__wrap_reallocarray(void *p, size_t count, size_t size);
size_t __wrap_malloc_usable_size(void *p);
int __wrap___cxa_atexit(void (*function)(void *), void *argument, void *handle);

void __real_free(void *p);
void *__real_realloc(void *p, size_t size);
size_t __real_malloc_usable_size(void *p);

#endif
