/* The functions outside of it that compiled code may call. */
#ifndef KILN_DRIVERS_CPU_SYMBOLS_H
#define KILN_DRIVERS_CPU_SYMBOLS_H

#include <stdint.h>

/* Address of the function of that name; 0 if there is none. */
uint64_t kiln_symbol_address(const char *name);

#endif
