/* Half precision numbers as their bits (IEEE 754 binary16). */
#ifndef KILN_BASE_HALF_H
#define KILN_BASE_HALF_H

#include <stdint.h>

float kiln_half_to_float(uint16_t half);
/* Rounds to nearest even, once. A NaN stays one, quiet; what is too large becomes infinite. */
uint16_t kiln_half_from_double(double value);

#endif
