/* What compiled kernels and the driver that runs them agree on (design: compiler.md 2.4).
 * The compiler emits code against these layouts: change them together with KILN_ABI_VERSION, which is part of
 * every cache key and binary; those that binaries have of programs (compiler/client/wire.c), too. Static
 * asserts in compiler and driver pin the offsets. */
#ifndef KILN_BASE_ABI_H
#define KILN_BASE_ABI_H

#include "base/image_desc.h"

#include <stdint.h>

#define KILN_ABI_VERSION 15u

enum { KILN_MAX_SUB_GROUP = 32 }; /* work-items of a sub-group at most: the lanes of the longest vectors */

/* One launch; constant while it runs, shared by all workers. Sizes in work-items or work-groups. */
struct kiln_launch {
  const uint8_t *args; /* packed kernel arguments, naturally aligned; layout: kiln_arg_info.offset; the
                          block itself is aligned to 16 */
  uint8_t *globals;    /* program-scope variables of (program, device); NULL if none */
  uint64_t global_offset[3];
  uint64_t global_size[3];
  uint64_t num_groups[3]; /* remainders of a non-uniform launch counted */
  uint32_t local_size[3]; /* enqueued local size; the last group of a dimension may be smaller */
  uint32_t work_dim;
};

/* One worker thread's view; valid during one call of a work-group function. */
struct kiln_worker {
  uint8_t *local;             /* local-memory block: automatic __local variables first, then local arguments;
                                 aligned to 128 */
  uint8_t *arena;             /* context arena for values that live across barriers; 64-byte aligned */
  uint64_t arena_size;        /* bytes; at least local items * kiln_kernel_info.private_bound */
  uint64_t local_size;        /* bytes of local that the launch uses, or more */
  struct kiln_printf *printf; /* where printf records of this worker go; NULL: kernel does not print */
  uint64_t group[3];          /* coordinates of the call's first work-group; kiln_locate_group */
};

/* The coordinates of the work-group of a linear number. The caller's C finds them: in each kernel it would be
 * two divisions with a way of their own for small numbers. */
static inline void kiln_locate_group(const struct kiln_launch *launch, uint64_t linear, uint64_t group[3]) {
  const uint64_t row = launch->num_groups[0], plane = row * launch->num_groups[1];
  group[0] = linear;
  group[1] = group[2] = 0;
  if (linear < row) return;
  group[2] = linear / plane;
  group[1] = linear % plane / row;
  group[0] = linear % row;
}

/* A variant of a kernel: runs work-groups [first, last) in linear order (x fastest). */
typedef void kiln_group_fn(const struct kiln_launch *launch, struct kiln_worker *worker, uint64_t first,
                           uint64_t last);

/* The symbol under which an object file defines its variant. */
#define KILN_ENTRY_SYMBOL "kiln_entry"
/* A uint32_t, there if neighbouring work-groups of the first dimension run as one: so many work-items of a
 * row take the time of one. */
#define KILN_LANES_SYMBOL "kiln_lanes"
/* A uint32_t, there if the code would be the same for any number of work-items (kiln_spec.most and grain), as
 * it runs them one at a time. */
#define KILN_ANY_NUMBER_SYMBOL "kiln_any_number"
/* A uint32_t, there if each call makes tables and empties them in the end: few long calls take less time. */
#define KILN_TALLIES_SYMBOL "kiln_tallies"

/* printf: compiled code asks for room with this function (one of the loader's fixed symbols) and fills it:
 *   record = { uint64_t format; items... }, each item = { uint32_t tag; uint32_t reserved; payload }, payload
 * padded to 8 bytes. format is the address of the format string. Returns NULL when the ring is full: printf
 * gives -1. */
#define KILN_PRINTF_SYMBOL "kiln_printf_reserve"
void *kiln_printf_reserve(struct kiln_worker *worker, uint32_t bytes);

/* Item tags: kind | element bytes << 8 | element count << 16. A string or pointer is one 8-byte address. */
enum kiln_printf_kind { KILN_PRINTF_INT = 1, KILN_PRINTF_FLOAT = 2, KILN_PRINTF_POINTER = 3 };

#endif
