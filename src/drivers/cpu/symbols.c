/* Owns the fixed symbol table of compiled code, and the half conversions that processors without them need.
 */
#include "drivers/cpu/symbols.h"

#include "base/abi.h"

#include <math.h>
#include <string.h>

/* ---- half precision; results and arguments as LLVM's calling convention has them: in xmm0 ---- */

typedef float half_register __attribute__((vector_size(16))); /* the half is in the low 16 bits */

static float half_to_float(uint16_t half) {
  uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = (half >> 10) & 31, fraction = half & 1023, bits;
  if (exponent == 31) bits = sign | 0x7f800000 | fraction << 13 | (fraction != 0 ? 0x400000 : 0);
  else if (exponent != 0) bits = sign | (exponent + 112) << 23 | fraction << 13;
  else {
    float value = (float)fraction * 0x1p-24f;
    memcpy(&bits, &value, sizeof bits);
    bits |= sign;
  }
  float result;
  memcpy(&result, &bits, sizeof result);
  return result;
}

/* Rounds to nearest even from a 53-bit significand, so that doubles are rounded once. */
static uint16_t double_to_half(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  uint16_t sign = (uint16_t)(bits >> 48 & 0x8000);
  uint64_t fraction = bits & 0xfffffffffffff;
  int exponent = (int)(bits >> 52 & 2047) - 1023;
  if (exponent == 1024) return sign | 0x7c00 | (fraction != 0 ? 0x200 | (uint16_t)(fraction >> 42) : 0);
  if (exponent < -25) return sign; /* includes zero */
  uint64_t significand = fraction | (uint64_t)1 << 52;
  int drop = exponent < -14 ? 42 + (-14 - exponent) : 42;
  uint64_t kept = significand >> drop, rest = significand & (((uint64_t)1 << drop) - 1);
  uint64_t middle = (uint64_t)1 << (drop - 1);
  kept += rest > middle || (rest == middle && (kept & 1));
  uint64_t result = exponent < -14 ? kept : ((uint64_t)(exponent + 14) << 10) + kept;
  return sign | (uint16_t)(result >= 0x7c00 ? 0x7c00 : result);
}

static half_register in_register(uint16_t half) {
  uint32_t bits[4] = {half};
  half_register result;
  memcpy(&result, bits, sizeof result);
  return result;
}

static float extend_half(half_register half) {
  uint16_t bits;
  memcpy(&bits, &half, sizeof bits);
  return half_to_float(bits);
}

static half_register truncate_float(float value) { return in_register(double_to_half((double)value)); }
static half_register truncate_double(double value) { return in_register(double_to_half(value)); }

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
