/* The geometry of rectangular transfers: where a box of bytes lies in memory with pitches, and whether two
 * such boxes share a byte. */
#ifndef KILN_CORE_RECT_H
#define KILN_CORE_RECT_H

#include "drivers/driver.h"

#include <stdbool.h>
#include <stddef.h>

/* One side of a rectangular transfer; pitches in bytes, not 0, row >= region[0], slice >= region[1] * row. */
struct kiln_rect {
  const size_t *origin; /* x in bytes, y in rows, z in slices */
  size_t row, slice;
};

/* Offsets of the first byte of the region and of the one past its last; false when they exceed SIZE_MAX. */
bool kiln_rect_bounds(const struct kiln_rect *rect, const size_t *region, size_t *start_out, size_t *end_out);

/* A box in memory that exists: depth slices of height rows of width bytes, none of them 0; rows are disjoint
 * and in rising order. The pitch of a dimension of extent 1 means nothing. */
struct kiln_box {
  const uint8_t *start;
  size_t width, height, depth, row, slice;
};

/* Whether two boxes share a byte. One step when both have the same pitches or one is a single row, else at
 * most one for each row of the box that has fewer. */
bool kiln_boxes_meet(const struct kiln_box *a, const struct kiln_box *b);
/* Whether source and destination share a byte. */
bool kiln_copy_overlaps(const struct kiln_copy *copy);

#endif
