/* Boxes in pitched memory: overlap and bounds against a map of every byte. */
#include "test.h"

#include "core/rect.h"

#include <stdlib.h>
#include <string.h>

enum { SPACE = 1 << 12 };

static uint64_t seed = 88172645463325252ull;
static size_t below(size_t limit) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (size_t)(seed >> 11) % limit;
}

struct box {
  size_t start, row, slice;
};

static bool fits(const struct box *b, const size_t *region) {
  return b->start + (region[2] - 1) * b->slice + (region[1] - 1) * b->row + region[0] <= SPACE;
}

static struct box random_box(const size_t *region) {
  struct box b;
  do {
    b.row = region[0] + below(below(2) ? 3 : 40);
    b.slice = b.row * (region[1] + below(3));
    b.start = below(below(2) ? 64 : SPACE);
  } while (!fits(&b, region));
  return b;
}

/* Whether the two share a byte, by marking every one. */
static bool brute(const struct box *s, const size_t *s_region, const struct box *d, const size_t *d_region) {
  static uint8_t map[SPACE];
  memset(map, 0, sizeof map);
  for (size_t z = 0; z < s_region[2]; z++)
    for (size_t y = 0; y < s_region[1]; y++)
      memset(map + s->start + z * s->slice + y * s->row, 1, s_region[0]);
  for (size_t z = 0; z < d_region[2]; z++)
    for (size_t y = 0; y < d_region[1]; y++)
      if (memchr(map + d->start + z * d->slice + y * d->row, 1, d_region[0]) != NULL) return true;
  return false;
}

static void check(const struct box *s, const struct box *d, const size_t *region) {
  static uint8_t memory[SPACE];
  const struct kiln_copy copy = {.src = memory + s->start,
                                 .dst = memory + d->start,
                                 .width = region[0],
                                 .height = region[1],
                                 .depth = region[2],
                                 .src_row = s->row,
                                 .src_slice = s->slice,
                                 .dst_row = d->row,
                                 .dst_slice = d->slice};
  bool found = kiln_copy_overlaps(&copy), expected = brute(s, region, d, region);
  if (found != expected)
    fail_msg("%zu x %zu x %zu: %zu (%zu, %zu) and %zu (%zu, %zu): %s instead of %s", region[0], region[1],
             region[2], s->start, s->row, s->slice, d->start, d->row, d->slice, found ? "overlap" : "apart",
             expected ? "overlap" : "apart");
}

static void random_region(size_t *region) {
  region[0] = 1 + below(12);
  region[1] = 1 + below(6);
  region[2] = 1 + below(4);
}

static void overlap_of_equal_pitches(void **state) {
  for (int i = 0; i < 60000; i++) {
    size_t region[3];
    random_region(region);
    struct box s = random_box(region), d = s;
    do d.start = below(below(2) ? s.start + 100 : SPACE);
    while (!fits(&d, region));
    check(&s, &d, region);
  }
}

static void overlap_of_other_pitches(void **state) {
  for (int i = 0; i < 60000; i++) {
    size_t region[3];
    random_region(region);
    struct box s = random_box(region), d = random_box(region);
    check(&s, &d, region);
  }
}

static struct kiln_box as_box(const uint8_t *memory, const struct box *b, const size_t *region) {
  return (struct kiln_box){memory + b->start, region[0], region[1], region[2], b->row, b->slice};
}

/* Two regions of one image, or a part of a buffer and a region of an image in it. */
static void boxes_of_other_shapes(void **state) {
  static uint8_t memory[SPACE];
  for (int i = 0; i < 120000; i++) {
    size_t whole[3], part[3];
    random_region(whole);
    struct box s = random_box(whole), d = s;
    for (int k = 0; k < 3; k++) part[k] = 1 + below(whole[k]);
    d.start += below(whole[0] - part[0] + 1) + below(whole[1] - part[1] + 1) * s.row +
               below(whole[2] - part[2] + 1) * s.slice;
    if (below(3) == 0) { /* one row, which may be longer than the other's */
      d = (struct box){below(SPACE - 100), 0, 0};
      part[0] = 1 + below(100);
      part[1] = part[2] = 1;
    }
    size_t first[3] = {1 + below(whole[0]), 1 + below(whole[1]), 1 + below(whole[2])};
    struct kiln_box a = as_box(memory, &s, first), b = as_box(memory, &d, part);
    bool expected = brute(&s, first, &d, part);
    assert_int_equal(kiln_boxes_meet(&a, &b), expected);
    assert_int_equal(kiln_boxes_meet(&b, &a), expected);
  }
}

/* A pitch that nothing is multiplied by may be anything. */
static void unused_pitches(void **state) {
  static const size_t one_row[] = {8, 1, 1}, one_slice[] = {8, 3, 1};
  const struct box huge = {100, SIZE_MAX / 2, SIZE_MAX - 1}, tight = {100, 8, 8}, next = {108, 8, 16};
  const struct box rows = {100, 20, SIZE_MAX - 19}, between = {110, 20, 60}, beside = {92, 20, SIZE_MAX};
  check(&huge, &tight, one_row);
  check(&tight, &huge, one_row);
  check(&huge, &next, one_row);
  check(&rows, &between, one_slice);
  check(&rows, &beside, one_slice);
  check(&beside, &rows, one_slice);
}

static void bounds(void **state) {
  const size_t origin[] = {3, 2, 1}, region[] = {5, 4, 2}, zero[] = {0, 0, 0}, one[] = {1, 1, 1};
  struct kiln_rect rect = {origin, 10, 100};
  size_t start = 0, end = 0;
  assert_true(kiln_rect_bounds(&rect, region, &start, &end));
  assert_int_equal(start, 123);
  assert_int_equal(end, 123 + 100 + 30 + 5);
  rect = (struct kiln_rect){zero, SIZE_MAX, SIZE_MAX};
  assert_true(kiln_rect_bounds(&rect, one, &start, &end));
  assert_int_equal(end, 1);
  const size_t far_x[] = {SIZE_MAX, 0, 0}, far_y[] = {0, 3, 0}, far_z[] = {0, 0, 5};
  rect = (struct kiln_rect){far_x, 1, 1};
  assert_false(kiln_rect_bounds(&rect, one, &start, &end));
  rect = (struct kiln_rect){far_y, SIZE_MAX / 2, 0};
  assert_false(kiln_rect_bounds(&rect, one, &start, &end));
  rect = (struct kiln_rect){far_z, 1, SIZE_MAX / 4};
  assert_false(kiln_rect_bounds(&rect, one, &start, &end));
  rect = (struct kiln_rect){zero, SIZE_MAX / 3 + 1, 1};
  assert_false(kiln_rect_bounds(&rect, region, &start, &end));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(overlap_of_equal_pitches),
      cmocka_unit_test(overlap_of_other_pitches),
      cmocka_unit_test(boxes_of_other_shapes),
      cmocka_unit_test(unused_pitches),
      cmocka_unit_test(bounds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
