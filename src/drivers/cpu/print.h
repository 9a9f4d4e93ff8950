/* printf of kernels: records are stored while the command runs and written to stdout before it is done. */
#ifndef KILN_DRIVERS_CPU_PRINT_H
#define KILN_DRIVERS_CPU_PRINT_H

#include "base/abi.h"
#include "base/lock.h"
#include "drivers/driver.h"

enum { KILN_PRINT_BYTES = 1 << 20, KILN_PRINT_BLOCK_BYTES = 16 << 10 };

struct kiln_print_block {
  struct kiln_print_block *next;        /* of the same thread's stream; in the pool: free blocks */
  struct kiln_print_block *next_stream; /* in the first block of a stream: the work's other streams */
  uint32_t used;                        /* bytes of data */
  uint8_t data[KILN_PRINT_BLOCK_BYTES - 24] __attribute__((aligned(8)));
};

/* The blocks of a team: KILN_PRINT_BYTES in all, and one more for each thread. Reserved at the first printf.
 */
struct kiln_print_pool {
  struct kiln_lock lock; /* rank BASE: what follows */
  uint32_t blocks;       /* how many the pool has room for */
  struct kiln_print_block *memory, *free;
  uint32_t made; /* blocks of memory handed out at least once */
};

void kiln_print_pool_init(struct kiln_print_pool *pool, uint32_t threads);
void kiln_print_pool_finish(struct kiln_print_pool *pool);

/* One thread's output while it takes part in one work. */
struct kiln_printf {
  struct kiln_print_pool *pool;
  struct kiln_print_block *first, *last;
  uint64_t order; /* first group of the chunk that runs: records are written in rising order */
};

void kiln_print_begin(struct kiln_printf *print, struct kiln_print_pool *pool);
void kiln_print_end(struct kiln_printf *print, struct kiln_work *work);
/* Writes everything a finished work printed, in the order of its groups, and gives the blocks back. */
void kiln_print_drain(struct kiln_print_pool *pool, struct kiln_work *work);

/* ---- format.c ---- */

/* Where formatted text goes. */
struct kiln_text {
  void (*write)(struct kiln_text *text, const char *bytes, size_t size);
  void *data;
};
/* Formats one record (abi.h), given without its header: format address, then items up to `end`. */
void kiln_print_record(struct kiln_text *text, const uint8_t *record, const uint8_t *end);

#endif
