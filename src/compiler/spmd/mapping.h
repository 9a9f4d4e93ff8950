/* Which work-items of a group are the lanes of a vector: `run` neighbours of one dimension, in each of `rows`
 * rows that follow one another in another dimension; or neighbours by linear local id, wherever rows end. */
#ifndef KILN_COMPILER_SPMD_MAPPING_H
#define KILN_COMPILER_SPMD_MAPPING_H

#include "compiler/compiler.h"
#include "compiler/spmd/program.h"

struct kl_mapping {
  unsigned width;         /* lanes: run * rows; 1: one work-item at a time */
  unsigned along, across; /* dimensions, 0 to 2: of the lanes of a row; from row to row */
  unsigned run, rows;     /* powers of two */
  unsigned rest;          /* lanes for the rest of a row, at most run */
  bool linear;            /* neighbours by linear local id: run is the width, along 0, rows 1 */
};

/* A mapping of one row. */
static inline struct kl_mapping kiln_mapping_row(unsigned along, unsigned width) {
  return (struct kl_mapping){width, along, along == 0, width, 1, width, false};
}
static inline struct kl_mapping kiln_mapping_linear(unsigned width) {
  return (struct kl_mapping){width, 0, 1, width, 1, width, true};
}
bool kiln_mapping_is_same(const struct kl_mapping *a, const struct kl_mapping *b);
/* Full groups have no rest in the last vector of a row. */
bool kiln_mapping_has_whole_rows(const struct kiln_spec *spec, const struct kl_mapping *map);
/* Lanes that are a sub-group of `size`, in linear order, for the groups of a launch. one_row: lanes cannot
 * lie in several; uniform: no group is smaller than the others. */
struct kl_mapping kiln_mapping_of_sub_group(const struct kiln_spec *spec, unsigned size, bool uniform,
                                            bool one_row);
/* Work-items can tell from the query (KL_Q_...) where their group begins or ends, or how many there are. */
bool kiln_mapping_shows_group(unsigned query);
/* Nothing ties the work-items of a group together, and none can tell to which group it belongs: neighbouring
 * groups may run as one. Local arguments that it uses tie them; not looked at when info is NULL. */
bool kiln_mapping_is_free(const struct kl_program *program, const struct kiln_kernel_info *info);
/* Groups of the first dimension that run as one, at most; 1: no others, 0: any number. width: lanes of a row.
 */
uint32_t kiln_mapping_merge(const struct kiln_spec *spec, unsigned width);

#endif
