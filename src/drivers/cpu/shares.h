/* How the threads of a team share the units of one work.
 *
 * Each thread has a share, a range of its own, from which it takes chunks; when that is empty it takes from
 * the others'. So threads end together whatever units cost, and a launch that comes again runs where it ran
 * before: what it reads and writes is still in that processor's caches, and in its own node's memory where
 * launches and fills touched it first. Work that one thread begins alone, because it may be short, is one
 * share of all. */
#ifndef KILN_DRIVERS_CPU_SHARES_H
#define KILN_DRIVERS_CPU_SHARES_H

#include "drivers/driver.h"

#include <sched.h>

/* Where shares lie, for some works at a time, and which share is near which processor. */
struct kiln_share_pool {
  struct kiln_share *shares; /* num_tables tables of `threads` shares */
  uint32_t threads, num_tables;
  atomic_uint taken; /* bit i: table i */
  uint32_t num_processors;
  uint16_t rank[CPU_SETSIZE]; /* of a processor among those of the team */
};

/* For a team of `threads` on processors `cpus`. CL_OUT_OF_HOST_MEMORY. */
cl_int kiln_share_pool_init(struct kiln_share_pool *pool, uint32_t threads, const cpu_set_t *cpus);
void kiln_share_pool_finish(struct kiln_share_pool *pool);

/* Makes units [0, total) one share. Sets total_units, shares and num_shares of work. */
void kiln_shares_join(struct kiln_work *work, uint64_t total);
/* Cuts work of which nothing is taken yet, and that no other thread has joined, into shares of `size` units,
 * the last one smaller, at most one for each thread. Work stays as it is if all tables are taken. */
void kiln_shares_cut(struct kiln_share_pool *pool, struct kiln_work *work, uint64_t size);
/* No thread takes from work any more: its table is for others. */
void kiln_shares_release(struct kiln_share_pool *pool, struct kiln_work *work);

/* Drops the units that nobody has taken. */
void kiln_shares_drop(struct kiln_work *work);
/* How many chunks of the size that comes next are left. */
uint64_t kiln_shares_chunks_left(const struct kiln_work *work);

/* One thread's way through the shares. */
struct kiln_taker {
  struct kiln_work *work;
  uint32_t at, empty; /* the share it takes from; how many it found empty */
};

/* Begins with the share of the processor that the caller runs on, or the next one if another thread has that.
 */
struct kiln_taker kiln_taker_begin(const struct kiln_share_pool *pool, struct kiln_work *work);
/* Takes units [*first, *last); false if none is left. */
bool kiln_take(struct kiln_taker *taker, uint64_t *first, uint64_t *last);

#endif
