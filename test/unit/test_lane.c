/* Memory of a thread that runs work-groups: where masked vectors may seem to reach there are pages. */
#include "test.h"

#include "drivers/cpu/team.h"

#include <sys/mman.h>

enum { PAGE = 4096, AROUND = 64 << 10, LOCAL = 1 << 20, USED = 5000 };

static bool has_pages(uint8_t *from, size_t bytes) {
  unsigned char in_core[(AROUND + LOCAL) / PAGE];
  const size_t n = (bytes + PAGE - 1) / PAGE;
  assert_int_equal(mincore(from, bytes, in_core), 0);
  for (size_t i = 0; i < n; i++)
    if ((in_core[i] & 1) == 0) return false;
  return true;
}

static void there_are_pages_around_local_memory(void **state) {
  const struct kiln_team_options options = {.local_bytes = LOCAL, .arena_bytes = PAGE};
  struct kiln_lane lane;
  assert_int_equal(kiln_lane_init(&lane, NULL, &options, NULL, NULL), CL_SUCCESS);
  kiln_lane_touch_local(&lane, 0);
  assert_false(has_pages(lane.worker.local, PAGE));
  kiln_lane_touch_local(&lane, USED);
  assert_true(has_pages(lane.worker.local - AROUND, AROUND));
  assert_true(has_pages(lane.worker.local, USED + AROUND));
  assert_false(has_pages(lane.worker.local, LOCAL));
  kiln_lane_touch_local(&lane, LOCAL);
  assert_true(has_pages(lane.worker.local, LOCAL));
  kiln_lane_finish(&lane);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(there_are_pages_around_local_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
