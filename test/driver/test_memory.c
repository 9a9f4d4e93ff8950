/* Memory of buffers: alignment, and blocks that the next buffer of about their size gets; pages of local
 * memory. */
#include "base/alloc.h"
#include "drivers/cpu/memory.h"
#include "drivers/cpu/team.h"
#include "support.h"
#include "test.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, MIB = 1 << 20 };

static uint8_t *get(kiln_device *device, size_t size) {
  void *address = NULL;
  assert_int_equal(kiln_memory_alloc(device->backend, size, &address), CL_SUCCESS);
  memset(address, 1, size);
  return address;
}

static void large_blocks_are_used_again(void **state) {
  kiln_device *device = support_root();
  uint8_t *first = get(device, 8 * MIB);
  assert_int_equal((uintptr_t)first % (2 * MIB), 0);
  kiln_memory_free(device->backend, first, 8 * MIB);
  uint8_t *again = get(device, 8 * MIB - 100); /* of the same eighth */
  assert_ptr_equal(again, first);
  uint8_t *other = get(device, 8 * MIB);
  assert_ptr_not_equal(other, first);
  kiln_memory_free(device->backend, again, 8 * MIB - 100);
  kiln_memory_free(device->backend, other, 8 * MIB);
  uint8_t *larger = get(device, 16 * MIB);
  assert_true(larger != first && larger != other);
  kiln_memory_free(device->backend, larger, 16 * MIB);
  kiln_unref(&device);
}

static void few_blocks_are_kept_and_none_is_lost(void **state) {
  enum { BLOCKS = 40 };
  kiln_device *device = support_root();
  size_t live = kiln_alloc_live();
  uint8_t *block[BLOCKS];
  for (size_t i = 0; i < BLOCKS; i++) block[i] = get(device, (2 + i % 3) * MIB);
  for (size_t i = 0; i < BLOCKS; i++) kiln_memory_free(device->backend, block[i], (2 + i % 3) * MIB);
  assert_true(kiln_alloc_live() > live && kiln_alloc_live() <= live + 16);
  kiln_memory_forget();
  assert_int_equal(kiln_alloc_live(), live);
  uint8_t *small = get(device, MIB);
  kiln_memory_free(device->backend, small, MIB);
  assert_int_equal(kiln_alloc_live(), live);
  kiln_unref(&device);
}

static void small_buffers_are_zeroed(void **state) {
  kiln_device *device = support_root();
  const size_t sizes[] = {1, 63, 188, 5000, 60000};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    kiln_memory_free(device->backend, get(device, sizes[i]), sizes[i]);
    void *again = NULL;
    assert_int_equal(kiln_memory_alloc(device->backend, sizes[i], &again), CL_SUCCESS);
    for (size_t k = 0; k < sizes[i]; k++) assert_int_equal(((uint8_t *)again)[k], 0);
    kiln_memory_free(device->backend, again, sizes[i]);
  }
  kiln_unref(&device);
}

static size_t pages_of(const struct kiln_lane *lane) {
  unsigned char has[MIB / PAGE];
  size_t pages = lane->worker.local_size / PAGE, count = 0;
  assert_int_equal(mincore(lane->worker.local, pages * PAGE, has), 0);
  for (size_t i = 0; i < pages; i++) count += has[i] & 1;
  return count;
}

/* Vectors that look beyond an array without loading anything take long where there is no page. */
static void local_memory_has_pages(void **state) {
  const struct kiln_team_options options = {.local_bytes = MIB / 2, .arena_bytes = MIB};
  struct kiln_lane lane;
  assert_int_equal(kiln_lane_init(&lane, NULL, &options, NULL, NULL), CL_SUCCESS);
  kiln_lane_touch_local(&lane, 0);
  assert_int_equal(pages_of(&lane), 0);
  kiln_lane_touch_local(&lane, 8192);
  size_t some = pages_of(&lane);
  assert_in_range(some, 8192 / PAGE + 1, MIB / 4 / PAGE);
  kiln_lane_touch_local(&lane, 100);
  assert_int_equal(pages_of(&lane), some);
  kiln_lane_touch_local(&lane, MIB / 2);
  assert_int_equal(pages_of(&lane), MIB / 2 / PAGE);
  kiln_lane_finish(&lane);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(large_blocks_are_used_again),
      cmocka_unit_test(few_blocks_are_kept_and_none_is_lost),
      cmocka_unit_test(small_buffers_are_zeroed),
      cmocka_unit_test(local_memory_has_pages),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
