/* Loaded code of one kernel variant. */
#ifndef KILN_DRIVERS_CPU_CODE_H
#define KILN_DRIVERS_CPU_CODE_H

#include "base/abi.h"
#include "drivers/driver.h"

struct kiln_code {
  kiln_group_fn *function;
  char *name;                /* for messages and debuggers; owned */
  atomic_uint_fast64_t cost; /* running mean of ticks per group, times 16; 0: not yet known */
  uint32_t lanes;            /* of groups that run as one: items of a row that take the time of one; or 1 */
  bool any_number;           /* KILN_ANY_NUMBER_SYMBOL */
  bool tallies;              /* KILN_TALLIES_SYMBOL */
  uint8_t *memory;           /* the mapping; NULL for wrapped functions */
  size_t memory_size;
  struct kiln_jit_entry *debug; /* gdb's view of it; NULL if none */
};

/* driver.h load and unload: an x86-64 ELF relocatable object (loader.c). */
cl_int kiln_code_load(struct kiln_driver_device *device, const void *object, size_t size, const char *name,
                      struct kiln_code **code_out, char **message_out);
void kiln_code_unload(struct kiln_driver_device *device, struct kiln_code *code);
bool kiln_code_any_number(const struct kiln_code *code);

/* Makes code of a function of this process: tests, built-in kernels. */
cl_int kiln_code_wrap(kiln_group_fn *function, const char *name, struct kiln_code **code_out);

#endif
