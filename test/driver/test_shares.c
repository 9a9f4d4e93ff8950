/* Shares: every unit is taken once, whoever takes; each thread begins with its own and goes on to the
 * others'. */
#include "test.h"

#include "compiler/compiler.h"
#include "drivers/cpu/code.h"
#include "drivers/cpu/shares.h"
#include "drivers/cpu/team.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS = 5 };

static struct kiln_share_pool pool;

static cpu_set_t mask_of_caller(void) {
  cpu_set_t mask;
  assert_int_equal(sched_getaffinity(0, sizeof mask, &mask), 0);
  return mask;
}

static int set_up(void **state) {
  cpu_set_t mask = mask_of_caller();
  return kiln_share_pool_init(&pool, THREADS, &mask) == CL_SUCCESS ? 0 : -1;
}

static int tear_down(void **state) {
  kiln_share_pool_finish(&pool);
  return 0;
}

/* Of `total` units, cut for THREADS threads. */
static void begin(struct kiln_work *work, uint64_t total, uint64_t chunk, uint64_t least) {
  *work = (struct kiln_work){.chunk = chunk, .least_chunk = least, .threads = THREADS};
  kiln_shares_join(work, total);
  kiln_shares_cut(&pool, work, (total + THREADS - 1) / THREADS);
}

/* Which thread takes next: a row of pseudo-random numbers. */
static uint32_t next_of(uint32_t *state) { return (*state = *state * 1664525 + 1013904223) >> 16; }

static void every_unit_is_taken_once(void **state) {
  uint32_t turn = 1;
  for (uint64_t total = 0; total < 5000; total = total * 3 / 2 + 1)
    for (unsigned takers = 1; takers <= THREADS + 2; takers++) {
      struct kiln_work work;
      struct kiln_taker taker[THREADS + 2];
      uint8_t *count = calloc(total + 1, 1);
      begin(&work, total, 1 + total / 40, 1 + total / 400);
      for (unsigned i = 0; i < takers; i++) taker[i] = kiln_taker_begin(&pool, &work);
      for (unsigned idle = 0, i = 0; idle < takers; i = next_of(&turn) % takers) {
        uint64_t first, last;
        if (!kiln_take(&taker[i], &first, &last)) {
          for (idle = 0; idle < takers && !kiln_take(&taker[idle], &first, &last);) idle++;
          if (idle == takers) break;
        }
        assert_true(first < last && last <= total);
        for (uint64_t unit = first; unit < last; unit++) count[unit]++;
      }
      for (uint64_t unit = 0; unit < total; unit++) assert_int_equal(count[unit], 1);
      assert_int_equal(kiln_shares_chunks_left(&work), 0);
      kiln_shares_release(&pool, &work);
      free(count);
    }
}

static void each_begins_with_a_share_of_its_own(void **state) {
  struct kiln_work work;
  bool begun[THREADS] = {false};
  begin(&work, 1000, 25, 5);
  assert_int_equal(work.num_shares, THREADS);
  for (int i = 0; i < THREADS; i++) {
    struct kiln_taker taker = kiln_taker_begin(&pool, &work);
    assert_false(begun[taker.at]);
    begun[taker.at] = true;
  }
  kiln_shares_release(&pool, &work);
}

static void own_units_come_first(void **state) {
  struct kiln_work work;
  begin(&work, 1000, 25, 5);
  struct kiln_taker taker = kiln_taker_begin(&pool, &work);
  uint64_t from = taker.at * 200, first, last, taken = 0;
  while (taken < 200 && kiln_take(&taker, &first, &last)) {
    assert_true(first >= from && last <= from + 200 && last - first <= 25 && (last - first) % 5 == 0);
    taken += last - first;
  }
  assert_int_equal(taken, 200);
  assert_true(kiln_take(&taker, &first, &last)); /* the next one's */
  assert_int_equal(first, (from + 200) % 1000);
  kiln_shares_release(&pool, &work);
}

/* A launch that comes again finds what it read and wrote in the same caches. */
static void a_processor_keeps_its_share(void **state) {
  cpu_set_t all = mask_of_caller(), only;
  uint32_t before = 0, rank = 0, processors = (uint32_t)CPU_COUNT(&all);
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
    if (!CPU_ISSET(cpu, &all)) continue;
    CPU_ZERO(&only);
    CPU_SET(cpu, &only);
    assert_int_equal(sched_setaffinity(0, sizeof only, &only), 0);
    struct kiln_work work;
    begin(&work, 1000, 25, 5);
    uint32_t at = kiln_taker_begin(&pool, &work).at;
    assert_int_equal(at, rank++ * THREADS / processors);
    assert_true(at >= before);
    before = at;
    kiln_shares_release(&pool, &work);
  }
  assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
}

static void too_few_units_are_not_cut(void **state) {
  struct kiln_work work;
  begin(&work, 1, 1, 1);
  assert_int_equal(work.num_shares, 1);
  begin(&work, 3, 1, 1);
  assert_int_equal(work.num_shares, 3);
  kiln_shares_release(&pool, &work);
}

/* Scans in one pass, say: with shares, all threads might wait for groups that nobody runs. */
static void groups_that_wait_begin_in_order(void **state) {
  struct kiln_code code = {.lanes = 1};
  for (int waits = 0; waits < 2; waits++) {
    struct kiln_work work = {.type = KILN_WORK_RANGE,
                             .range = {.code = &code,
                                       .launch = {.local_size = {64, 1, 1}},
                                       .total_groups = 1000,
                                       .flags = waits ? KILN_KERNEL_WAITS : 0}};
    uint64_t first, last, next = 0;
    kiln_run_plan(&work, THREADS);
    kiln_run_cut(&pool, &work);
    assert_int_equal(work.num_shares, waits ? 1 : THREADS);
    for (int i = 0; waits && i < 2 * THREADS; i++, next = last) {
      struct kiln_taker taker = kiln_taker_begin(&pool, &work);
      assert_true(kiln_take(&taker, &first, &last));
      assert_int_equal(first, next);
    }
    kiln_shares_release(&pool, &work);
  }
}

static void works_without_a_table_are_one_share(void **state) {
  struct kiln_work works[THREADS + 1];
  for (int i = 0; i < THREADS; i++) {
    begin(&works[i], 100, 5, 1);
    assert_int_equal(works[i].num_shares, THREADS);
  }
  begin(&works[THREADS], 100, 5, 1);
  assert_int_equal(works[THREADS].num_shares, 1);
  kiln_shares_release(&pool, &works[THREADS]);
  kiln_shares_release(&pool, &works[2]);
  begin(&works[2], 100, 5, 1);
  assert_int_equal(works[2].num_shares, THREADS);
  for (int i = 0; i < THREADS; i++) kiln_shares_release(&pool, &works[i]);
}

static void what_is_dropped_is_not_taken(void **state) {
  struct kiln_work work;
  uint64_t first, last;
  begin(&work, 1000, 25, 5);
  struct kiln_taker taker = kiln_taker_begin(&pool, &work);
  assert_true(kiln_take(&taker, &first, &last));
  assert_int_equal(last - first, 25);
  kiln_shares_drop(&work);
  assert_false(kiln_take(&taker, &first, &last));
  assert_int_equal(kiln_shares_chunks_left(&work), 0);
  kiln_shares_release(&pool, &work);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_unit_is_taken_once),
      cmocka_unit_test(each_begins_with_a_share_of_its_own),
      cmocka_unit_test(own_units_come_first),
      cmocka_unit_test(a_processor_keeps_its_share),
      cmocka_unit_test(too_few_units_are_not_cut),
      cmocka_unit_test(groups_that_wait_begin_in_order),
      cmocka_unit_test(works_without_a_table_are_one_share),
      cmocka_unit_test(what_is_dropped_is_not_taken),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
