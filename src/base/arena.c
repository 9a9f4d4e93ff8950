/* Bump allocator; see arena.h. Owns chunks of at least 64 KiB. */
#include "base/arena.h"

#include "base/alloc.h"

#include <stdint.h>
#include <string.h>

struct kiln_arena_chunk {
  struct kiln_arena_chunk *next;
  size_t size; /* of bytes[] */
  _Alignas(16) unsigned char bytes[];
};

static void *fail(struct kiln_arena *arena) { longjmp(*arena->no_memory, 1); }

static struct kiln_arena_chunk *add_chunk(struct kiln_arena *arena, size_t need) {
  size_t size =
      need > 65536 - sizeof(struct kiln_arena_chunk) ? need : 65536 - sizeof(struct kiln_arena_chunk);
  struct kiln_arena_chunk *chunk = kiln_alloc(sizeof *chunk + size);
  if (chunk == NULL) return fail(arena);
  chunk->size = size;
  chunk->next = arena->chunks;
  arena->chunks = chunk;
  arena->used = 0;
  return chunk;
}

void *kiln_arena_alloc(struct kiln_arena *arena, size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2) return fail(arena);
  bytes = (bytes + 15) & ~(size_t)15;
  struct kiln_arena_chunk *chunk = arena->chunks;
  if (chunk == NULL || chunk->size - arena->used < bytes) chunk = add_chunk(arena, bytes);
  void *p = chunk->bytes + arena->used;
  arena->used += bytes;
  return memset(p, 0, bytes);
}

void kiln_arena_finish(struct kiln_arena *arena) {
  while (arena->chunks != NULL) {
    struct kiln_arena_chunk *chunk = arena->chunks;
    arena->chunks = chunk->next;
    kiln_free(chunk);
  }
  arena->used = 0;
}
