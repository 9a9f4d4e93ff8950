/* Not a test: compiled on its own into the object that test_loader.c loads. Position-independent code with
 * every kind of reference that the loader knows. */
#include "base/abi.h"

#include <math.h>
#include <string.h>

static const double table[4] = {0.5, 1.5, 2.5, 3.5};
const char *const names[2] = {"first", "second"};        /* R_X86_64_64 in a constant section */
__attribute__((visibility("default"))) int counter = 40; /* .data, reached through the GOT */
__attribute__((visibility("default"))) const uint32_t kiln_lanes = 8;
__attribute__((visibility("default"))) const uint32_t kiln_any_number = 1;
static int zeroed[300]; /* .bss */
static int (*volatile pointer)(const char *, const char *);

static __attribute__((noinline)) int same(const char *a, const char *b) { return *a == *b; }

struct loader_result {
  double sum;
  char name[8];
  int counter, zero, same;
  float fused;
  uint8_t bytes[600];
};

void kiln_entry(const struct kiln_launch *launch, struct kiln_worker *worker, uint64_t first, uint64_t last);
void kiln_entry(const struct kiln_launch *launch, struct kiln_worker *worker, uint64_t first, uint64_t last) {
  struct loader_result *result;
  memcpy(&result, launch->args, sizeof result);
  for (uint64_t g = first; g < last; g++) {
    result->sum += table[g & 3];
    counter++;
    zeroed[g] += 1;
  }
  pointer = same;
  memcpy(result->name, names[1], 7);
  result->counter = counter;
  result->zero = zeroed[0];
  result->same = pointer(names[0], names[1]);
  result->fused = fmaf((float)last, 2.0f, 0.5f);
  memset(result->bytes, (int)last, (size_t)last * 100);
}
