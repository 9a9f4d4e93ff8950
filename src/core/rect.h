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

/* Whether source and destination share a byte. Both boxes lie within memory that exists, so that no extent
 * overflows. One step when both have the same pitches, else at most one per row. */
bool kiln_copy_overlaps(const struct kiln_copy *copy);

#endif
