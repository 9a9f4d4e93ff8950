/* The largest error of a function over many arguments. Knows nothing of reports. */
#ifndef KILN_TEST_ACCURACY_MEASURE_H
#define KILN_TEST_ACCURACY_MEASURE_H

#include "device.h"

struct measure {
  uint64_t samples; /* for what is not swept */
  uint32_t step;    /* sweeps of float go from one bit pattern to the step-th next; 0: no sweeps */
  const char *builds[DEVICE_BUILDS]; /* build options; each is measured */
  unsigned num_builds;
  bool relaxed; /* float under -cl-fast-relaxed-math: errors are parts of what is allowed */
};

struct worst {
  double error, got;
  struct sample at;
  unsigned build;
};

/* Builds the function for type and measures it; count_out: of arguments. False after a message. */
bool measure(const struct measure *how, const struct function *function, enum number_type type,
             uint64_t *count_out, struct worst *worst_out);

#endif
