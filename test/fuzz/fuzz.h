/* What the fuzzer and its targets know of each other. */
#ifndef KILN_TEST_FUZZ_H
#define KILN_TEST_FUZZ_H

#include "core/device.h"

#include <stddef.h>
#include <stdint.h>

struct fuzz_target {
  const char *name;
  void (*seed)(void); /* calls fuzz_seed with inputs that are well formed */
  void (*attempt)(const uint8_t *data, size_t size);
};
extern const struct fuzz_target fuzz_targets[];
extern const unsigned num_fuzz_targets;

extern kiln_device *fuzz_device;
void fuzz_seed(const void *data, size_t size); /* copies; too long ones and too many are left out */

#endif
