/* Owns what happens to one chunk of work on one thread: cutting into units, the fault record, floating-point
 * state. Knows nothing of lists, sleeping and waking. */
#include "base/fault.h"
#include "drivers/cpu/bytes.h"
#include "drivers/cpu/code.h"
#include "drivers/cpu/fpu.h"
#include "drivers/cpu/print.h"
#include "drivers/cpu/shares.h"
#include "drivers/cpu/team.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

enum {
  PIECE_BYTES = 256 << 10, /* unit of a copy or fill */
  WHOLE_BYTES = 1 << 20,   /* up to here a copy is one unit */
  CHUNKS_PER_THREAD = 8,
  ITEMS_PER_CHUNK = 256,       /* at least, while the cost of a group is unknown */
  SHORT_TICKS = 15000,         /* about 5 us: less than it takes to wake a thread */
  CHUNK_TICKS = 6000,          /* about 2 us: a chunk's least, so that taking it does not show */
  TABLE_CHUNKS_PER_THREAD = 2, /* where each chunk makes tables and empties them */
  TABLE_CHUNK_TICKS = 48000    /* the same */
};

/* ---- units ---- */

/* A box whose rows and slices follow each other without gaps. */
static bool is_dense(size_t width, size_t height, size_t depth, size_t row, size_t slice) {
  return (height == 1 || row == width) && (depth == 1 || slice == width * height);
}

static bool is_plain_copy(const struct kiln_copy *c) {
  return is_dense(c->width, c->height, c->depth, c->src_row, c->src_slice) &&
         is_dense(c->width, c->height, c->depth, c->dst_row, c->dst_slice);
}

static bool is_plain_fill(const struct kiln_fill *f) {
  return is_dense(f->width, f->height, f->depth, f->row, f->slice);
}

static uint64_t pieces(uint64_t size) {
  return size <= WHOLE_BYTES ? 1 : (size + PIECE_BYTES - 1) / PIECE_BYTES;
}

static uint64_t count_units(const struct kiln_work *work) {
  switch (work->type) {
  case KILN_WORK_RANGE:
    return work->range.total_groups;
  case KILN_WORK_COPY: {
    uint64_t rows = work->copy.height * work->copy.depth;
    return is_plain_copy(&work->copy) ? pieces(work->copy.width * rows) : rows;
  }
  case KILN_WORK_FILL: {
    uint64_t rows = work->fill.height * work->fill.depth;
    return is_plain_fill(&work->fill) ? pieces(work->fill.width * rows) : rows;
  }
  default:
    return 1;
  }
}

static uint64_t divide_up(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

/* Calls of the range's code do, so that few long ones take less time. */
static bool makes_tables(const struct kiln_work *work) {
  return work->type == KILN_WORK_RANGE && work->range.code->tallies;
}

static uint64_t cost_of(const struct kiln_work *work) {
  if (work->type != KILN_WORK_RANGE) return 0;
  return atomic_load_explicit(&work->range.code->cost, memory_order_relaxed);
}

/* The rows worth taking at once. */
static uint64_t least_rows(size_t width) { return width == 0 ? 1 : divide_up(PIECE_BYTES, width); }

/* The least units worth taking at once. */
static uint64_t least_chunk(const struct kiln_work *work) {
  if (work->type == KILN_WORK_COPY) return is_plain_copy(&work->copy) ? 1 : least_rows(work->copy.width);
  if (work->type == KILN_WORK_FILL) return is_plain_fill(&work->fill) ? 1 : least_rows(work->fill.width);
  if (work->type != KILN_WORK_RANGE) return 1;
  uint64_t cost = cost_of(work);
  if (cost != 0) return divide_up((makes_tables(work) ? TABLE_CHUNK_TICKS : CHUNK_TICKS) * 16, cost);
  const uint32_t *local = work->range.launch.local_size;
  uint64_t items = (uint64_t)local[0] * local[1] * local[2];
  return items == 0 ? 1 : divide_up(ITEMS_PER_CHUNK, items);
}

/* Groups that run as one are taken together: a vector that is not filled takes as long. */
static uint64_t fill_lanes(const struct kiln_work *work, uint64_t chunk) {
  if (work->type != KILN_WORK_RANGE) return chunk;
  const uint32_t *local = work->range.launch.local_size, lanes = work->range.code->lanes;
  if (lanes == 1 || local[0] >= lanes) return chunk;
  uint64_t together = divide_up(lanes, local[0]);
  return divide_up(chunk, together) * together;
}

static uint32_t chunks_per_thread(const struct kiln_work *work) {
  return makes_tables(work) ? TABLE_CHUNKS_PER_THREAD : CHUNKS_PER_THREAD;
}

uint32_t kiln_run_plan(struct kiln_work *work, uint32_t threads) {
  uint64_t total = count_units(work);
  uint64_t chunk = total / ((uint64_t)threads * chunks_per_thread(work)), least = least_chunk(work);
  if (chunk < least) chunk = least;
  chunk = fill_lanes(work, chunk);
  uint64_t share = divide_up(total, threads);
  /* A range's least is a guess: never at the price of an idle thread. */
  if (work->type == KILN_WORK_RANGE && chunk > share && !kiln_run_is_short(work)) chunk = share;
  if (chunk == 0) chunk = 1;
  kiln_shares_join(work, total);
  work->chunk = chunk;
  work->least_chunk = fill_lanes(work, least);
  work->threads = threads;
  uint64_t chunks = divide_up(total, chunk);
  return chunks == 0 ? 1 : chunks < threads ? (uint32_t)chunks : threads;
}

/* Groups that wait for those before them find these begun, as some programs hope (scans in one pass). */
static bool begins_in_order(const struct kiln_work *work) {
  return work->type == KILN_WORK_RANGE && (work->range.flags & KILN_KERNEL_WAITS) != 0;
}

void kiln_run_cut(struct kiln_share_pool *pool, struct kiln_work *work) {
  if (begins_in_order(work)) return;
  kiln_shares_cut(pool, work, fill_lanes(work, divide_up(work->total_units, work->threads)));
}

bool kiln_run_is_short(const struct kiln_work *work) {
  uint64_t cost = cost_of(work);
  return cost != 0 && cost * work->range.total_groups < (uint64_t)SHORT_TICKS * 16;
}

/* ---- running units ---- */

static void copy_rows(const struct kiln_copy *copy, uint64_t first, uint64_t last, bool stream) {
  for (uint64_t i = first; i < last; i++) {
    uint64_t y = i % copy->height, z = i / copy->height;
    kiln_bytes_copy(copy->dst + z * copy->dst_slice + y * copy->dst_row,
                    copy->src + z * copy->src_slice + y * copy->src_row, copy->width, stream);
  }
}

/* Bytes [*from, *to) of a copy or fill of size bytes that units [first, last) of total stand for. */
static void piece_range(uint64_t size, uint64_t total, uint64_t first, uint64_t last, size_t *from,
                        size_t *to) {
  *from = total == 1 ? 0 : first * PIECE_BYTES;
  *to = last == total ? size : last * PIECE_BYTES;
}

static void run_copy(const struct kiln_lane *lane, const struct kiln_work *work, uint64_t first,
                     uint64_t last) {
  const struct kiln_copy *copy = &work->copy;
  size_t size = copy->width * copy->height * copy->depth, from, to;
  bool stream = size > lane->copy_stream_bytes;
  if (!is_plain_copy(copy)) {
    copy_rows(copy, first, last, stream);
    return;
  }
  piece_range(size, work->total_units, first, last, &from, &to);
  kiln_bytes_copy(copy->dst + from, copy->src + from, to - from, stream);
}

static void fill_rows(const struct kiln_fill *fill, uint64_t first, uint64_t last, bool stream) {
  for (uint64_t i = first; i < last; i++)
    kiln_bytes_fill(fill->dst + i / fill->height * fill->slice + i % fill->height * fill->row, fill->width,
                    fill->pattern, fill->pattern_size, stream);
}

/* Pieces start at a multiple of the pattern because it divides 128. */
static void run_fill(const struct kiln_lane *lane, const struct kiln_work *work, uint64_t first,
                     uint64_t last) {
  const struct kiln_fill *fill = &work->fill;
  size_t size = fill->width * fill->height * fill->depth, from, to;
  bool stream = size > lane->fill_stream_bytes;
  if (!is_plain_fill(fill)) {
    fill_rows(fill, first, last, stream);
    return;
  }
  piece_range(size, work->total_units, first, last, &from, &to);
  kiln_bytes_fill(fill->dst + from, to - from, fill->pattern, fill->pattern_size, stream);
}

static void run_chunk(struct kiln_lane *lane, struct kiln_work *work, uint64_t first, uint64_t last) {
  switch (work->type) {
  case KILN_WORK_RANGE:
    if (lane->worker.printf != NULL) lane->worker.printf->order = first;
    kiln_locate_group(&work->range.launch, first, lane->worker.group);
    work->range.code->function(&work->range.launch, &lane->worker, first, last);
    break;
  case KILN_WORK_COPY:
    run_copy(lane, work, first, last);
    break;
  case KILN_WORK_FILL:
    run_fill(lane, work, first, last);
    break;
  case KILN_WORK_NATIVE:
    work->native.function(work->native.args);
    break;
  case KILN_WORK_NOTHING:
    break;
  }
}

/* Returns how many units it ran. */
static uint64_t run_chunks(struct kiln_lane *lane, struct kiln_work *work, kiln_more_fn *more) {
  uint64_t ran = 0, first, last, start = more == NULL ? 0 : kiln_ticks();
  struct kiln_taker taker = kiln_taker_begin(lane->shares, work);
  while (kiln_take(&taker, &first, &last)) {
    run_chunk(lane, work, first, last);
    ran += last - first;
    if (more == NULL || last == work->total_units || kiln_ticks() - start < SHORT_TICKS) continue;
    more(lane, work);
    more = NULL;
  }
  return ran;
}

/* Folds what a thread measured into the running mean. */
static void learn_cost(struct kiln_code *code, uint64_t ticks, uint64_t units) {
  if (units == 0) return;
  uint64_t now = ticks * 16 / units + 1, old = atomic_load_explicit(&code->cost, memory_order_relaxed);
  atomic_store_explicit(&code->cost, old == 0 ? now : (old * 3 + now) / 4, memory_order_relaxed);
}

static void run_measured(struct kiln_lane *lane, struct kiln_work *work, kiln_more_fn *more) {
  uint64_t start = kiln_ticks();
  uint64_t ran = run_chunks(lane, work, more);
  if (work->type == KILN_WORK_RANGE) learn_cost(work->range.code, kiln_ticks() - start, ran);
}

/* ---- faults ---- */

static const char *signal_text(int number) {
  switch (number) {
  case SIGSEGV:
    return "SIGSEGV (invalid memory access)";
  case SIGBUS:
    return "SIGBUS (memory that cannot be accessed)";
  case SIGFPE:
    return "SIGFPE (arithmetic trap)";
  case SIGILL:
    return "SIGILL (instruction the processor does not have, or a trap)";
  default:
    return "a signal";
  }
}

/* The first fault is the work's; what nobody has started yet is dropped. */
static void note_fault(struct kiln_work *work, const struct kiln_fault_record *record) {
  kiln_shares_drop(work);
  int none = 0;
  if (!atomic_compare_exchange_strong(&work->fault, &none, CL_OUT_OF_RESOURCES)) return;
  const char *what = work->type == KILN_WORK_RANGE  ? "kernel "
                     : work->type == KILN_WORK_COPY ? "copy"
                                                    : "fill";
  snprintf(work->fault_message, sizeof work->fault_message, "%s%s was ended by %s at address %p", what,
           work->type == KILN_WORK_RANGE ? work->range.code->name : "", signal_text(record->signal),
           record->address);
}

static void run_guarded(struct kiln_lane *lane, struct kiln_work *work, kiln_more_fn *more) {
  struct kiln_fault_record record = {.kind = KILN_FAULT_KERNEL};
  struct kiln_fault_record *before = kiln_fault_set(&record);
  if (sigsetjmp(record.recover, 0) == 0) run_measured(lane, work, more);
  else note_fault(work, &record);
  kiln_fault_set(before);
}

static void refuse(struct kiln_work *work, const char *what, uint64_t needed, uint64_t limit) {
  kiln_shares_drop(work);
  int none = 0;
  if (!atomic_compare_exchange_strong(&work->fault, &none, CL_OUT_OF_RESOURCES)) return;
  snprintf(work->fault_message, sizeof work->fault_message,
           "kernel %s needs %llu bytes of %s, the device has %llu", work->range.code->name,
           (unsigned long long)needed, what, (unsigned long long)limit);
}

/* Whether the lane's memory is enough for a group; else the work fails. */
static bool fits(struct kiln_lane *lane, struct kiln_work *work) {
  const struct kiln_range *range = &work->range;
  if (range->local_bytes > lane->local_bytes)
    refuse(work, "local memory", range->local_bytes, lane->local_bytes);
  else if (range->arena_bytes > lane->worker.arena_size)
    refuse(work, "private memory", range->arena_bytes, lane->worker.arena_size);
  else return true;
  return false;
}

/* ---- entry ---- */

static void run_range(struct kiln_lane *lane, struct kiln_work *work, kiln_more_fn *more) {
  if (!fits(lane, work)) return;
  if (work->range.arena_bytes > lane->arena_touched) lane->arena_touched = work->range.arena_bytes;
  kiln_lane_touch_local(lane, work->range.local_bytes);
  bool prints = work->range.flags & KILN_KERNEL_PRINTF;
  struct kiln_printf print;
  if (prints) kiln_print_begin(&print, lane->prints);
  lane->worker.printf = prints ? &print : NULL;
  run_guarded(lane, work, more);
  lane->worker.printf = NULL;
  if (prints) kiln_print_end(&print, work);
}

void kiln_run_units(struct kiln_lane *lane, struct kiln_work *work, kiln_more_fn *more) {
  uint32_t word = kiln_fpu_get();
  kiln_fpu_set(
      kiln_fpu_for_kernels(work->type == KILN_WORK_RANGE && (work->range.flags & KILN_KERNEL_DENORMS_ZERO)));
  if (work->type == KILN_WORK_RANGE) run_range(lane, work, more);
  else if (work->type == KILN_WORK_NATIVE) run_chunk(lane, work, 0, 1);
  else run_guarded(lane, work, more);
  kiln_fpu_set(word);
}
