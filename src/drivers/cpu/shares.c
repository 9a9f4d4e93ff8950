/* Owns the tables of shares, who begins with which, and how many units a thread takes at a time. Knows
 * nothing of what a unit is. */
#include "drivers/cpu/shares.h"

#include "base/alloc.h"

enum { LINE = 64, MOST_TABLES = 8 }; /* more works at a time are rare: they do with one share */

_Static_assert(sizeof(struct kiln_share) == LINE, "threads that take from their own shares meet in no line");

/* ---- the pool ---- */

cl_int kiln_share_pool_init(struct kiln_share_pool *pool, uint32_t threads, const cpu_set_t *cpus) {
  *pool = (struct kiln_share_pool){.threads = threads};
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
    pool->rank[cpu] = (uint16_t)pool->num_processors;
    pool->num_processors += CPU_ISSET(cpu, cpus) != 0;
  }
  pool->num_tables = threads < MOST_TABLES ? threads : MOST_TABLES;
  pool->shares = kiln_alloc_aligned(LINE, (size_t)pool->num_tables * threads * sizeof *pool->shares);
  return pool->shares == NULL ? CL_OUT_OF_HOST_MEMORY : CL_SUCCESS;
}

void kiln_share_pool_finish(struct kiln_share_pool *pool) { kiln_free(pool->shares); }

static struct kiln_share *take_table(struct kiln_share_pool *pool) {
  for (uint32_t i = 0; i < pool->num_tables; i++)
    if ((atomic_fetch_or_explicit(&pool->taken, 1u << i, memory_order_acquire) >> i & 1) == 0)
      return pool->shares + (size_t)i * pool->threads;
  return NULL;
}

static void release_table(struct kiln_share_pool *pool, const struct kiln_share *table) {
  uint32_t index = (uint32_t)((size_t)(table - pool->shares) / pool->threads);
  atomic_fetch_and_explicit(&pool->taken, ~(1u << index), memory_order_release);
}

/* ---- work's shares ---- */

static void set_share(struct kiln_share *share, uint64_t first, uint64_t end) {
  atomic_store_explicit(&share->next, first, memory_order_relaxed);
  share->end = end;
  atomic_store_explicit(&share->claimed, false, memory_order_relaxed);
}

void kiln_shares_join(struct kiln_work *work, uint64_t total) {
  work->total_units = total;
  work->shares = &work->whole;
  work->num_shares = 1;
  set_share(&work->whole, 0, total);
}

void kiln_shares_cut(struct kiln_share_pool *pool, struct kiln_work *work, uint64_t size) {
  uint64_t total = work->total_units, count = size == 0 ? 0 : (total + size - 1) / size;
  if (count < 2 || count > pool->threads) return;
  struct kiln_share *table = take_table(pool);
  if (table == NULL) return;
  for (uint64_t i = 0; i < count; i++)
    set_share(&table[i], i * size, (i + 1) * size < total ? (i + 1) * size : total);
  work->shares = table;
  work->num_shares = (uint32_t)count;
}

void kiln_shares_release(struct kiln_share_pool *pool, struct kiln_work *work) {
  if (work->shares != &work->whole) release_table(pool, work->shares);
  work->shares = &work->whole;
  work->num_shares = 1;
}

void kiln_shares_drop(struct kiln_work *work) {
  for (uint32_t i = 0; i < work->num_shares; i++)
    atomic_store_explicit(&work->shares[i].next, work->shares[i].end, memory_order_relaxed);
}

/* ---- taking ---- */

/* How many units to take when `left` are: fewer and fewer towards the end, so that threads end together
 * (guided self-scheduling: Polychronopoulos and Kuck, IEEE Transactions on Computers C-36, 1987). */
static uint64_t next_chunk(const struct kiln_work *work, uint64_t left) {
  uint64_t takers = work->num_shares > 1 ? 1 : work->threads; /* as a rule */
  uint64_t size = left / (2 * takers), least = work->least_chunk;
  size = size < least ? least : size - size % least;
  if (size > work->chunk) size = work->chunk;
  return size < left ? size : left;
}

static uint64_t left_in(const struct kiln_share *share) {
  uint64_t next = atomic_load_explicit(&share->next, memory_order_relaxed);
  return next < share->end ? share->end - next : 0;
}

uint64_t kiln_shares_chunks_left(const struct kiln_work *work) {
  uint64_t chunks = 0;
  for (uint32_t i = 0; i < work->num_shares; i++) {
    uint64_t left = left_in(&work->shares[i]), size = next_chunk(work, left);
    if (left != 0) chunks += (left + size - 1) / size;
  }
  return chunks;
}

static bool take_from(struct kiln_work *work, struct kiln_share *share, uint64_t *first, uint64_t *last) {
  uint64_t next = atomic_load_explicit(&share->next, memory_order_relaxed);
  do {
    if (next >= share->end) return false;
    *last = next + next_chunk(work, share->end - next);
  } while (!atomic_compare_exchange_weak_explicit(&share->next, &next, *last, memory_order_relaxed,
                                                  memory_order_relaxed));
  *first = next;
  return true;
}

/* Near processors' shares lie side by side. */
static uint32_t share_of_processor(const struct kiln_share_pool *pool, uint32_t num_shares) {
  int cpu = sched_getcpu();
  if (cpu < 0 || cpu >= CPU_SETSIZE || pool->num_processors == 0) return 0;
  uint32_t share = (uint32_t)((uint64_t)pool->rank[cpu] * num_shares / pool->num_processors);
  return share < num_shares ? share : 0; /* not a processor of the team: a host's */
}

struct kiln_taker kiln_taker_begin(const struct kiln_share_pool *pool, struct kiln_work *work) {
  struct kiln_taker taker = {.work = work};
  uint32_t count = work->num_shares, near = count == 1 ? 0 : share_of_processor(pool, count);
  for (uint32_t i = 0; i < count; i++) {
    taker.at = (near + i) % count;
    if (!atomic_exchange_explicit(&work->shares[taker.at].claimed, true, memory_order_relaxed)) break;
  }
  return taker;
}

bool kiln_take(struct kiln_taker *taker, uint64_t *first, uint64_t *last) {
  struct kiln_work *work = taker->work;
  for (; taker->empty < work->num_shares; taker->empty++) {
    if (take_from(work, &work->shares[taker->at], first, last)) return true;
    taker->at = (taker->at + 1) % work->num_shares;
  }
  return false;
}
