/* Tells debuggers and profilers of loaded code. */
#ifndef KILN_DRIVERS_CPU_JIT_DEBUG_H
#define KILN_DRIVERS_CPU_JIT_DEBUG_H

#include "drivers/cpu/elf.h"

/* Registers a copy of the object, its sections at their addresses, with gdb's interface; NULL without memory:
 * code runs all the same. */
struct kiln_jit_entry *kiln_jit_register(const struct kiln_elf *elf);
void kiln_jit_unregister(struct kiln_jit_entry *entry);

/* Adds the code's functions to /tmp/perf-PID.map when KILN_PERF_MAP asks for it; name stands for the entry.
 */
void kiln_perf_map_add(const struct kiln_elf *elf, const char *name);

#endif
