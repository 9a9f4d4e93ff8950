/* Arguments to try a function with. */
#ifndef KILN_TEST_ACCURACY_SAMPLE_H
#define KILN_TEST_ACCURACY_SAMPLE_H

#include "number.h"
#include "reference.h"

struct sample {
  uint64_t bits[3]; /* of a, b, c */
  int32_t i;        /* b of WITH_INT */
};

/* Fills n samples, the first-th and the following; the same for the same numbers. Special values and their
 * combinations come first, then random ones of several kinds. sweep: every bit pattern of a in turn. */
void sample_fill(struct sample *out, size_t n, uint64_t first, enum number_type type,
                 enum arguments arguments, bool sweep);

#endif
