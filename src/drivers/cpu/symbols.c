/* Owns the fixed symbol table of compiled code, and the half conversions that processors without them need.
 */
#include "drivers/cpu/symbols.h"

#include "base/abi.h"
#include "base/half.h"

#include <math.h>
#include <string.h>

/* ---- half precision; results and arguments as LLVM's calling convention has them: in xmm0 ---- */

typedef float half_register __attribute__((vector_size(16))); /* the half is in the low 16 bits */

static half_register in_register(uint16_t half) {
  uint32_t bits[4] = {half};
  half_register result;
  memcpy(&result, bits, sizeof result);
  return result;
}

static float extend_half(half_register half) {
  uint16_t bits;
  memcpy(&bits, &half, sizeof bits);
  return kiln_half_to_float(bits);
}

static half_register truncate_float(float value) { return in_register(kiln_half_from_double((double)value)); }
static half_register truncate_double(double value) { return in_register(kiln_half_from_double(value)); }

/* ---- table ---- */

#define SYMBOL(name, function)                                                                               \
  { name, (uint64_t)(uintptr_t)(function) }

uint64_t kiln_symbol_address(const char *name) {
  const struct {
    const char *name;
    uint64_t address;
  } table[] = {
      SYMBOL("memcpy", memcpy),
      SYMBOL("memset", memset),
      SYMBOL("memmove", memmove),
      SYMBOL("memcmp", memcmp),
      SYMBOL("fmaf", fmaf),
      SYMBOL("fma", fma),
      SYMBOL("fmodf", fmodf),
      SYMBOL("fmod", fmod),
      SYMBOL("sqrtf", sqrtf),
      SYMBOL("sqrt", sqrt),
      /* of halves, which become floats */
      SYMBOL("fmaxf", fmaxf),
      SYMBOL("fminf", fminf),
      /* processors without SSE4.1 */
      SYMBOL("floorf", floorf),
      SYMBOL("floor", floor),
      SYMBOL("ceilf", ceilf),
      SYMBOL("ceil", ceil),
      SYMBOL("truncf", truncf),
      SYMBOL("trunc", trunc),
      SYMBOL("rintf", rintf),
      SYMBOL("rint", rint),
      SYMBOL("nearbyintf", nearbyintf),
      SYMBOL("nearbyint", nearbyint),
      SYMBOL("roundf", roundf),
      SYMBOL("round", round),
      SYMBOL("roundevenf", roundevenf),
      SYMBOL("roundeven", roundeven),
      SYMBOL("__extendhfsf2", extend_half),
      SYMBOL("__gnu_h2f_ieee", extend_half),
      SYMBOL("__truncsfhf2", truncate_float),
      SYMBOL("__gnu_f2h_ieee", truncate_float),
      SYMBOL("__truncdfhf2", truncate_double),
      SYMBOL(KILN_PRINTF_SYMBOL, kiln_printf_reserve),
  };
  for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
    if (strcmp(name, table[i].name) == 0) return table[i].address;
  return 0;
}
