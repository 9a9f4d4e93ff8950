/* Sorts (key, value) pairs by 32-bit keys, least significant digit first, four bits a pass. The
 * value of a pair is its index before, so that the check sees whether the sort is stable. */
#include "check.h"
#include "device.h"
#include "merge_sort.h"
#include "options.h"
#include "program.h"
#include "random.h"
#include "report.h"
#include "timing.h"

#include <stdio.h>
#include <stdlib.h>

/* As in radix_sort.cl. */
enum { ITEMS = 128, BLOCK = 4 * ITEMS, DIGITS = 16, DIGIT_BITS = 4, KEY_BITS = 32 };

enum { LEVELS = 3 }; /* a scan of 512^3 counts: enough for 2^32 pairs */

struct sorter {
  struct ex_device device;
  cl_program program;
  cl_kernel sort_blocks, count_digits, scan_blocks, scan_add, scatter;
  size_t blocks;
  cl_mem keys, values;               /* between passes */
  cl_mem sorted_keys, sorted_values; /* within a pass */
  cl_mem starts;
  int levels;                  /* of the scan */
  size_t level_blocks[LEVELS]; /* of counts[n] */
  cl_mem counts[LEVELS + 1];   /* [0]: one a digit and block; [n + 1]: totals of [n]'s blocks */
  double ms;                   /* kernel time so far */
};

static size_t blocks_for(size_t count) { return (count + BLOCK - 1) / BLOCK; }

static void make_kernels(struct sorter *sorter) {
  sorter->program = ex_program_build(&sorter->device, "radix_sort/radix_sort.cl", "");
  sorter->sort_blocks = ex_program_kernel(sorter->program, "sort_blocks");
  sorter->count_digits = ex_program_kernel(sorter->program, "count_digits");
  sorter->scan_blocks = ex_program_kernel(sorter->program, "scan_blocks");
  sorter->scan_add = ex_program_kernel(sorter->program, "scan_add");
  sorter->scatter = ex_program_kernel(sorter->program, "scatter");
}

/* A buffer of whole blocks, all zero. */
static cl_mem zeroed_blocks(const struct sorter *sorter, size_t blocks) {
  void *zeros = ex_alloc(blocks * BLOCK, sizeof(cl_uint));
  cl_mem buffer =
      ex_device_buffer(&sorter->device, CL_MEM_READ_WRITE, blocks * BLOCK * sizeof(cl_uint), zeros);
  free(zeros);
  return buffer;
}

static void make_buffers(struct sorter *sorter) {
  sorter->keys = zeroed_blocks(sorter, sorter->blocks);
  sorter->values = zeroed_blocks(sorter, sorter->blocks);
  sorter->sorted_keys = zeroed_blocks(sorter, sorter->blocks);
  sorter->sorted_values = zeroed_blocks(sorter, sorter->blocks);
  sorter->starts = zeroed_blocks(sorter, blocks_for(DIGITS * sorter->blocks));
  size_t count = DIGITS * sorter->blocks;
  do {
    if (sorter->levels == LEVELS) ex_die("too many blocks to scan");
    sorter->counts[sorter->levels] = zeroed_blocks(sorter, blocks_for(count));
    count = sorter->level_blocks[sorter->levels++] = blocks_for(count);
  } while (count > 1);
  sorter->counts[sorter->levels] = zeroed_blocks(sorter, 1);
}

static struct sorter sorter_open(size_t count) {
  struct sorter sorter = {.device = ex_device_open(), .blocks = blocks_for(count)};
  make_kernels(&sorter);
  make_buffers(&sorter);
  return sorter;
}

static void sorter_close(struct sorter *sorter) {
  for (int level = 0; level <= sorter->levels; level++) EX_CHECK(clReleaseMemObject(sorter->counts[level]));
  EX_CHECK(clReleaseMemObject(sorter->starts));
  EX_CHECK(clReleaseMemObject(sorter->sorted_values));
  EX_CHECK(clReleaseMemObject(sorter->sorted_keys));
  EX_CHECK(clReleaseMemObject(sorter->values));
  EX_CHECK(clReleaseMemObject(sorter->keys));
  EX_CHECK(clReleaseKernel(sorter->scatter));
  EX_CHECK(clReleaseKernel(sorter->scan_add));
  EX_CHECK(clReleaseKernel(sorter->scan_blocks));
  EX_CHECK(clReleaseKernel(sorter->count_digits));
  EX_CHECK(clReleaseKernel(sorter->sort_blocks));
  EX_CHECK(clReleaseProgram(sorter->program));
  ex_device_close(&sorter->device);
}

/* Sets `count` buffers as the first arguments and, if `shift` is not negative, that after them. */
static void set_arguments(cl_kernel kernel, cl_uint count, const cl_mem *buffers, int shift) {
  for (cl_uint i = 0; i < count; i++) EX_CHECK(clSetKernelArg(kernel, i, sizeof buffers[i], &buffers[i]));
  const cl_uint bits = (cl_uint)shift;
  if (shift >= 0) EX_CHECK(clSetKernelArg(kernel, count, sizeof bits, &bits));
}

/* Runs a kernel over `blocks` blocks and adds up its time. */
static void launch(struct sorter *sorter, cl_kernel kernel, size_t blocks) {
  const size_t global = blocks * ITEMS, local = ITEMS;
  cl_event event;
  EX_CHECK(clEnqueueNDRangeKernel(sorter->device.queue, kernel, 1, NULL, &global, &local, 0, NULL, &event));
  sorter->ms += ex_timing_take_ms(event);
}

/* Replaces each of the counts by the sum of those before it: within blocks, then the same for the
 * totals of the blocks, and so on until one block holds all the totals; then back down, adding. */
static void scan(struct sorter *sorter) {
  for (int level = 0; level < sorter->levels; level++) {
    set_arguments(sorter->scan_blocks, 2, &sorter->counts[level], -1);
    launch(sorter, sorter->scan_blocks, sorter->level_blocks[level]);
  }
  for (int level = sorter->levels - 2; level >= 0; level--) {
    set_arguments(sorter->scan_add, 2, &sorter->counts[level], -1);
    launch(sorter, sorter->scan_add, sorter->level_blocks[level]);
  }
}

/* Sorts by the four bits from `shift`. */
static void sort_pass(struct sorter *s, int shift) {
  const cl_mem sort[] = {s->keys, s->values, s->sorted_keys, s->sorted_values};
  set_arguments(s->sort_blocks, 4, sort, shift);
  launch(s, s->sort_blocks, s->blocks);

  const cl_mem count[] = {s->sorted_keys, s->counts[0], s->starts};
  set_arguments(s->count_digits, 3, count, shift);
  launch(s, s->count_digits, s->blocks);

  scan(s);

  const cl_mem scatter[] = {s->sorted_keys, s->sorted_values, s->keys, s->values, s->counts[0], s->starts};
  set_arguments(s->scatter, 6, scatter, shift);
  launch(s, s->scatter, s->blocks);
}

/* Pairs as two arrays of whole blocks. The last block is filled up with the greatest key: as the
 * sort is stable, the filling ends up behind every real pair and can be cut off. */
struct columns {
  cl_uint *keys, *values;
  size_t bytes; /* of each */
};

static struct columns columns_new(const struct pair *pairs, size_t count) {
  const size_t padded = blocks_for(count) * BLOCK;
  struct columns columns = {.bytes = padded * sizeof(cl_uint)};
  columns.keys = ex_alloc(padded, sizeof *columns.keys);
  columns.values = ex_alloc(padded, sizeof *columns.values);
  for (size_t i = 0; i < padded; i++) {
    columns.keys[i] = i < count ? pairs[i].key : UINT32_MAX;
    columns.values[i] = i < count ? pairs[i].value : UINT32_MAX;
  }
  return columns;
}

static void columns_free(struct columns *columns) {
  free(columns->values);
  free(columns->keys);
}

static void transfer(struct sorter *sorter, cl_mem buffer, const cl_uint *from, size_t bytes) {
  EX_CHECK(clEnqueueWriteBuffer(sorter->device.queue, buffer, CL_TRUE, 0, bytes, from, 0, NULL, NULL));
}

/* Sorts `columns` into `sorted` on the device; the kernel time of the fastest of `runs`. */
static double sort_on_device(const struct columns *columns, struct columns *sorted, int runs) {
  struct sorter sorter = sorter_open(columns->bytes / sizeof(cl_uint));
  double best = 0;
  for (int run = 0; run < runs; run++) {
    transfer(&sorter, sorter.keys, columns->keys, columns->bytes);
    transfer(&sorter, sorter.values, columns->values, columns->bytes);
    sorter.ms = 0;
    for (int shift = 0; shift < KEY_BITS; shift += DIGIT_BITS) sort_pass(&sorter, shift);
    if (run == 0 || sorter.ms < best) best = sorter.ms;
  }
  ex_device_read(&sorter.device, sorter.keys, sorted->keys, sorted->bytes);
  ex_device_read(&sorter.device, sorter.values, sorted->values, sorted->bytes);
  sorter_close(&sorter);
  return best;
}

/* Each key occurs about 16 times, so that there is something to be stable about; the first few
 * are the greatest key, which is that of the filling. */
static struct pair *random_pairs(size_t count) {
  struct pair *pairs = ex_alloc(count, sizeof *pairs);
  uint64_t seed = 1;
  for (size_t i = 0; i < count; i++) {
    uint64_t which = ex_random(&seed) % (count / 16);
    pairs[i].key = i < 5 ? UINT32_MAX : (uint32_t)ex_random(&which);
    pairs[i].value = (uint32_t)i;
  }
  return pairs;
}

/* Sorts `pairs` on the host and compares. */
static bool order_is_right(struct pair *pairs, size_t count, const struct columns *sorted) {
  merge_sort(pairs, count);
  for (size_t i = 0; i < count; i++) {
    if (sorted->keys[i] == pairs[i].key && sorted->values[i] == pairs[i].value) continue;
    printf("at %zu: key %08x value %u, not key %08x value %u\n", i, sorted->keys[i], sorted->values[i],
           pairs[i].key, pairs[i].value);
    return false;
  }
  return true;
}

int main(int argc, char **argv) {
  struct ex_options options = ex_options_parse(argc, argv);
  const size_t count = options.small ? 100003 : (size_t)4 << 20;
  struct pair *pairs = random_pairs(count);
  struct columns columns = columns_new(pairs, count), sorted = columns_new(pairs, count);

  struct ex_report report = {.example = "radix_sort", .unit = "GB/s"};
  if (options.small) snprintf(report.size, sizeof report.size, "%zu pairs", count);
  else snprintf(report.size, sizeof report.size, "%zu M pairs", count >> 20);
  report.ms = sort_on_device(&columns, &sorted, ex_options_runs(&options, 3));
  /* every pass reads and writes every pair twice: sort_blocks and scatter */
  report.work = 4.0 * KEY_BITS / DIGIT_BITS * sizeof(struct pair) * (double)count;
  printf("%.1f M pairs/s\n", (double)count / report.ms * 1e-3);
  ex_options_damage(&options, sorted.values, count * sizeof *sorted.values);
  report.ok = order_is_right(pairs, count, &sorted);

  columns_free(&sorted);
  columns_free(&columns);
  free(pairs);
  return ex_report_finish(&options, &report);
}
