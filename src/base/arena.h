/* Bump memory for one job, such as a compile: allocations are freed together. */
#ifndef KILN_BASE_ARENA_H
#define KILN_BASE_ARENA_H

#include <setjmp.h>
#include <stddef.h>

struct kiln_arena {
  struct kiln_arena_chunk *chunks; /* newest first; NULL: empty, the zeroed struct is valid */
  size_t used;                     /* bytes of the newest chunk given out */
  jmp_buf *no_memory;              /* where to go when memory is short; never NULL while allocating */
};

/* count * size zeroed bytes, aligned to 16. Never NULL: without memory it jumps to *no_memory with value 1.
 */
void *kiln_arena_alloc(struct kiln_arena *arena, size_t count, size_t size);
/* Frees everything; the arena is empty and may be used again. */
void kiln_arena_finish(struct kiln_arena *arena);

#endif
