/* Owns the blocks that printf records are stored in and their way to stdout. Knows nothing of formats
 * (format.c). */
#include "drivers/cpu/print.h"

#include "drivers/cpu/team.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* What lies before each record. */
struct header {
  uint32_t bytes; /* of the record, rounded up to 8 */
  uint32_t reserved;
  uint64_t order;
};

/* ---- blocks ---- */

void kiln_print_pool_init(struct kiln_print_pool *pool, uint32_t threads) {
  memset(pool, 0, sizeof *pool);
  kiln_lock_init(&pool->lock, KILN_RANK_BASE);
  pool->blocks = KILN_PRINT_BYTES / KILN_PRINT_BLOCK_BYTES + threads;
}

void kiln_print_pool_finish(struct kiln_print_pool *pool) {
  if (pool->memory != NULL) munmap(pool->memory, pool->blocks * sizeof *pool->memory);
  pool->memory = NULL;
  kiln_lock_finish(&pool->lock);
}

/* Pages are committed as blocks are used: mapping them all is cheap. Lock held. */
static bool reserve(struct kiln_print_pool *pool) {
  if (pool->memory != NULL) return true;
  void *memory = mmap(NULL, pool->blocks * sizeof *pool->memory, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  pool->memory = memory;
  return true;
}

static struct kiln_print_block *block_get(struct kiln_print_pool *pool) {
  kiln_lock(&pool->lock);
  struct kiln_print_block *block = pool->free;
  if (block != NULL) pool->free = block->next;
  else if (reserve(pool) && pool->made < pool->blocks) block = &pool->memory[pool->made++];
  kiln_unlock(&pool->lock);
  if (block == NULL) return NULL;
  block->next = NULL;
  block->next_stream = NULL;
  block->used = 0;
  return block;
}

static void block_put(struct kiln_print_pool *pool, struct kiln_print_block *block) {
  kiln_lock(&pool->lock);
  block->next = pool->free;
  pool->free = block;
  kiln_unlock(&pool->lock);
}

/* ---- storing ---- */

void kiln_print_begin(struct kiln_printf *print, struct kiln_print_pool *pool) {
  *print = (struct kiln_printf){.pool = pool};
}

static bool add_block(struct kiln_printf *print) {
  struct kiln_print_block *block = block_get(print->pool);
  if (block == NULL) return false;
  *(print->last == NULL ? &print->first : &print->last->next) = block;
  print->last = block;
  return true;
}

/* The record starts zeroed, so that one a fault left half written reads as ended. */
void *kiln_printf_reserve(struct kiln_worker *worker, uint32_t bytes) {
  struct kiln_printf *print = worker->printf;
  if (print == NULL || bytes > sizeof print->last->data - sizeof(struct header)) return NULL;
  bytes = (bytes + 7) & ~7u;
  uint32_t needed = bytes + (uint32_t)sizeof(struct header);
  bool room = print->last != NULL && print->last->used + needed <= sizeof print->last->data;
  if (!room && !add_block(print)) return NULL;
  uint8_t *at = print->last->data + print->last->used;
  print->last->used += needed;
  memcpy(at, &(struct header){.bytes = bytes, .order = print->order}, sizeof(struct header));
  return memset(at + sizeof(struct header), 0, bytes);
}

void kiln_print_end(struct kiln_printf *print, struct kiln_work *work) {
  if (print->first == NULL) return;
  struct kiln_print_block *head = atomic_load_explicit(&work->printed, memory_order_relaxed);
  do print->first->next_stream = head;
  while (!atomic_compare_exchange_weak_explicit(&work->printed, &head, print->first, memory_order_release,
                                                memory_order_relaxed));
}

/* ---- writing ---- */

static void to_stdout(struct kiln_text *text, const char *bytes, size_t size) {
  fwrite_unlocked(bytes, 1, size, stdout);
}

/* Each stream is a chain of blocks read from `at` on; its records are in rising order already. */
struct reading {
  struct kiln_print_block *block;
  uint32_t at;
};

static bool peek(struct reading *r, struct header *header) {
  if (r->block == NULL || r->at == r->block->used) return false;
  memcpy(header, r->block->data + r->at, sizeof *header);
  return true;
}

/* Writes the records of r's chunk that is next; gives back blocks that are through. */
static void write_chunk(struct kiln_print_pool *pool, struct kiln_text *text, struct reading *r,
                        uint64_t order) {
  struct header header;
  while (peek(r, &header) && header.order == order) {
    const uint8_t *record = r->block->data + r->at + sizeof header;
    kiln_print_record(text, record, record + header.bytes);
    r->at += (uint32_t)sizeof header + header.bytes;
    if (r->at < r->block->used) continue;
    struct kiln_print_block *done = r->block;
    r->block = done->next;
    r->at = 0;
    block_put(pool, done);
  }
}

/* Streams beyond this many are written after the others: more threads than that print in one command only on
 * very large machines, and their order is not promised. */
enum { MERGED = 256 };

static uint32_t open_streams(struct kiln_print_block **list, struct reading *streams) {
  uint32_t n = 0;
  for (; *list != NULL && n < MERGED; n++) {
    streams[n] = (struct reading){.block = *list};
    *list = (*list)->next_stream;
  }
  return n;
}

static void merge(struct kiln_print_pool *pool, struct kiln_text *text, struct reading *streams, uint32_t n) {
  for (;;) {
    struct header least = {.order = UINT64_MAX}, header;
    struct reading *from = NULL;
    for (uint32_t i = 0; i < n; i++)
      if (peek(&streams[i], &header) && (from == NULL || header.order < least.order)) {
        from = &streams[i];
        least = header;
      }
    if (from == NULL) return;
    write_chunk(pool, text, from, least.order);
  }
}

/* Numbers look the same whatever the host's language is. */
static locale_t c_locale;
static void make_locale(void) { c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0); }

static locale_t enter_locale(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_locale);
  return c_locale == (locale_t)0 ? (locale_t)0 : uselocale(c_locale);
}

void kiln_print_drain(struct kiln_print_pool *pool, struct kiln_work *work) {
  struct kiln_print_block *list = atomic_exchange_explicit(&work->printed, NULL, memory_order_acquire);
  struct reading streams[MERGED];
  struct kiln_text text = {.write = to_stdout};
  locale_t before = enter_locale();
  flockfile(stdout);
  while (list != NULL) merge(pool, &text, streams, open_streams(&list, streams));
  fflush_unlocked(stdout);
  funlockfile(stdout);
  if (before != (locale_t)0) uselocale(before);
}
