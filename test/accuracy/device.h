/* Runs one function of OpenCL C on arrays of arguments, on the first device of the first platform. */
#ifndef KILN_TEST_ACCURACY_DEVICE_H
#define KILN_TEST_ACCURACY_DEVICE_H

#include "reference.h"
#include "sample.h"

/* False after a message. device_name: of platform and device, valid until the end. */
bool device_open(void);
const char *device_name(void);
void device_close(void);
bool device_has(enum number_type type);
/* Prepares function for type, with more build options, as one of DEVICE_BUILDS. False after a message. */
bool device_build(unsigned build, const struct function *function, enum number_type type,
                  const char *options);
/* results[k] = bits of the function of samples[k]; n at most DEVICE_BATCH. */
bool device_run(unsigned build, const struct sample *samples, size_t n, uint64_t *results);
/* results[k] = bits of the function of the float with the bits first + k step; n at most DEVICE_SWEEP. */
bool device_sweep(unsigned build, uint32_t first, uint32_t step, size_t n, uint32_t *results);
enum { DEVICE_BATCH = 1 << 18, DEVICE_SWEEP = 1 << 20, DEVICE_BUILDS = 4 };

#endif
