/* base/blob: round trip, and reads past the end that fail and stay failed. */
#include "base/alloc.h"
#include "base/blob.h"
#include "test.h"

#include <string.h>

static void round_trip(void **state) {
  struct kiln_blob b = {0};
  kiln_blob_put_u32(&b, 7);
  kiln_blob_put_string(&b, "line");
  kiln_blob_put_u64(&b, UINT64_MAX);
  assert_false(b.failed);
  struct kiln_reader r = kiln_reader_init(b.data, b.size);
  assert_int_equal(kiln_read_u32(&r), 7);
  char *s = kiln_read_string(&r);
  assert_string_equal(s, "line");
  assert_true(kiln_read_u64(&r) == UINT64_MAX);
  assert_false(r.failed);
  assert_int_equal(kiln_read_u32(&r), 0);
  assert_true(r.failed);
  kiln_free(s);
  kiln_blob_finish(&b);
}

static void length_past_end_fails(void **state) {
  struct kiln_blob b = {0};
  kiln_blob_put_u64(&b, UINT64_MAX);
  struct kiln_reader r = kiln_reader_init(b.data, b.size);
  size_t size = 1;
  assert_null(kiln_read_bytes(&r, &size));
  assert_int_equal(size, 0);
  assert_true(r.failed);
  kiln_blob_finish(&b);
}

static void failed_allocation_sticks(void **state) {
  struct kiln_blob b = {0};
  kiln_alloc_fail_nth(1);
  kiln_blob_put_u32(&b, 1);
  kiln_alloc_fail_nth(0);
  kiln_blob_put_u32(&b, 2);
  assert_true(b.failed);
  kiln_blob_finish(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(round_trip), cmocka_unit_test(length_past_end_fails),
                                     cmocka_unit_test(failed_allocation_sticks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
