/* Owns the geometry of boxes in pitched memory. Knows no objects. */
#include "core/rect.h"

#include <stdint.h>

static bool add_product(size_t *sum, size_t a, size_t b) {
  size_t product;
  return !__builtin_mul_overflow(a, b, &product) && !__builtin_add_overflow(*sum, product, sum);
}

bool kiln_rect_bounds(const struct kiln_rect *rect, const size_t *region, size_t *start_out,
                      size_t *end_out) {
  size_t start = rect->origin[0];
  if (!add_product(&start, rect->origin[1], rect->row) || !add_product(&start, rect->origin[2], rect->slice))
    return false;
  size_t end = start;
  if (!add_product(&end, region[1] - 1, rect->row) || !add_product(&end, region[2] - 1, rect->slice) ||
      __builtin_add_overflow(end, region[0], &end))
    return false;
  *start_out = start;
  *end_out = end;
  return true;
}

static uintptr_t box_end(const struct kiln_box *b) {
  return (uintptr_t)b->start + (b->depth - 1) * b->slice + (b->height - 1) * b->row + b->width;
}

/* The largest i below count with i * pitch <= offset. */
static size_t step_below(size_t offset, size_t pitch, size_t count) {
  if (count == 1) return 0; /* the pitch means nothing then and may be anything */
  size_t i = offset / pitch;
  return i < count ? i : count - 1;
}

/* Whether any of the bytes [first, last] is the box's. */
static bool box_touches(const struct kiln_box *b, const uint8_t *first, const uint8_t *last) {
  if (last < b->start) return false;
  /* Only the last row that starts at or before `last` can reach the interval: rows do not overlap. */
  size_t rest = (size_t)(last - b->start);
  size_t z = step_below(rest, b->slice, b->depth);
  rest -= z * b->slice;
  size_t y = step_below(rest, b->row, b->height);
  return first < b->start + z * b->slice + y * b->row + b->width;
}

static bool any_row_touches(const struct kiln_box *rows, const struct kiln_box *other) {
  for (size_t z = 0; z < rows->depth; z++)
    for (size_t y = 0; y < rows->height; y++) {
      const uint8_t *row = rows->start + z * rows->slice + y * rows->row;
      if (box_touches(other, row, row + rows->width - 1)) return true;
    }
  return false;
}

/* Boxes of equal pitches, low starting `delta` bytes before the other: they share a byte when some difference
 * of slices and rows brings two rows so near each other. Rows within a slice span less than the slice, so two
 * differences each need a look, and for rounding three of rows. */
static bool shifted_meet(const struct kiln_box *low, const struct kiln_box *high, size_t delta) {
  size_t slices = low->depth > 1 ? delta / low->slice : 0;
  int64_t row = low->height > 1 || high->height > 1 ? (int64_t)low->row : 0;
  for (size_t dz = slices; dz <= slices + 1 && dz < low->depth; dz++) {
    int64_t rest = (int64_t)delta - (int64_t)(dz * low->slice);
    int64_t rows = row != 0 ? rest / row : 0;
    for (int64_t dy = rows - 1; dy <= rows + 1; dy++) {
      if (dy <= -(int64_t)high->height || dy >= (int64_t)low->height) continue;
      int64_t dx = rest - dy * row;
      if (dx > -(int64_t)high->width && dx < (int64_t)low->width) return true;
    }
  }
  return false;
}

bool kiln_boxes_meet(const struct kiln_box *a, const struct kiln_box *b) {
  if (box_end(a) <= (uintptr_t)b->start || box_end(b) <= (uintptr_t)a->start) return false;
  size_t rows_a = a->height * a->depth, rows_b = b->height * b->depth;
  bool same_rows = a->row == b->row || (a->height == 1 && b->height == 1);
  bool same_slices = a->slice == b->slice || (a->depth == 1 && b->depth == 1);
  if (rows_a == 1 || rows_b == 1 || !same_rows || !same_slices)
    return rows_a <= rows_b ? any_row_touches(a, b) : any_row_touches(b, a);
  return a->start <= b->start ? shifted_meet(a, b, (size_t)(b->start - a->start))
                              : shifted_meet(b, a, (size_t)(a->start - b->start));
}

bool kiln_copy_overlaps(const struct kiln_copy *c) {
  const struct kiln_box src = {c->src, c->width, c->height, c->depth, c->src_row, c->src_slice};
  const struct kiln_box dst = {c->dst, c->width, c->height, c->depth, c->dst_row, c->dst_slice};
  return kiln_boxes_meet(&src, &dst);
}
