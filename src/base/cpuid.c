/* Owns the translation of CPUID bits to LLVM's feature names. */
#include "base/cpuid.h"

#include "base/config.h"

#include <cpuid.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum level { LEVEL_SSE2, LEVEL_SSE42, LEVEL_AVX2, LEVEL_AVX512 };
enum { EAX, EBX, ECX, EDX };

/* Register state that the system saves and restores (XCR0). */
enum { STATE_NONE = 0, STATE_AVX = 0x6, STATE_AVX512 = 0xe6 };

static const struct feature {
  const char *name; /* LLVM's */
  uint32_t leaf, sub;
  uint8_t reg, bit;
  uint8_t state; /* needed of the system */
  uint8_t level; /* least KILN_CPU_FEATURES that lets it through */
} features[] = {
    {"sse3", 1, 0, ECX, 0, STATE_NONE, LEVEL_SSE42},
    {"pclmul", 1, 0, ECX, 1, STATE_NONE, LEVEL_SSE42},
    {"ssse3", 1, 0, ECX, 9, STATE_NONE, LEVEL_SSE42},
    {"cx16", 1, 0, ECX, 13, STATE_NONE, LEVEL_SSE42},
    {"sse4.1", 1, 0, ECX, 19, STATE_NONE, LEVEL_SSE42},
    {"sse4.2", 1, 0, ECX, 20, STATE_NONE, LEVEL_SSE42},
    {"popcnt", 1, 0, ECX, 23, STATE_NONE, LEVEL_SSE42},
    {"sahf", 0x80000001u, 0, ECX, 0, STATE_NONE, LEVEL_SSE42},
    {"aes", 1, 0, ECX, 25, STATE_NONE, LEVEL_SSE42},
    {"movbe", 1, 0, ECX, 22, STATE_NONE, LEVEL_AVX2},
    {"avx", 1, 0, ECX, 28, STATE_AVX, LEVEL_AVX2},
    {"f16c", 1, 0, ECX, 29, STATE_AVX, LEVEL_AVX2},
    {"fma", 1, 0, ECX, 12, STATE_AVX, LEVEL_AVX2},
    {"avx2", 7, 0, EBX, 5, STATE_AVX, LEVEL_AVX2},
    {"bmi", 7, 0, EBX, 3, STATE_NONE, LEVEL_AVX2},
    {"bmi2", 7, 0, EBX, 8, STATE_NONE, LEVEL_AVX2},
    {"adx", 7, 0, EBX, 19, STATE_NONE, LEVEL_AVX2},
    {"lzcnt", 0x80000001u, 0, ECX, 5, STATE_NONE, LEVEL_AVX2},
    {"vaes", 7, 0, ECX, 9, STATE_AVX, LEVEL_AVX2},
    {"vpclmulqdq", 7, 0, ECX, 10, STATE_AVX, LEVEL_AVX2},
    {"gfni", 7, 0, ECX, 8, STATE_NONE, LEVEL_AVX2},
    {"avxvnni", 7, 1, EAX, 4, STATE_AVX, LEVEL_AVX2},
    {"avxifma", 7, 1, EAX, 23, STATE_AVX, LEVEL_AVX2},
    {"avx512f", 7, 0, EBX, 16, STATE_AVX512, LEVEL_AVX512},
    {"avx512dq", 7, 0, EBX, 17, STATE_AVX512, LEVEL_AVX512},
    {"avx512ifma", 7, 0, EBX, 21, STATE_AVX512, LEVEL_AVX512},
    {"avx512cd", 7, 0, EBX, 28, STATE_AVX512, LEVEL_AVX512},
    {"avx512bw", 7, 0, EBX, 30, STATE_AVX512, LEVEL_AVX512},
    {"avx512vl", 7, 0, EBX, 31, STATE_AVX512, LEVEL_AVX512},
    {"avx512vbmi", 7, 0, ECX, 1, STATE_AVX512, LEVEL_AVX512},
    {"avx512vbmi2", 7, 0, ECX, 6, STATE_AVX512, LEVEL_AVX512},
    {"avx512vnni", 7, 0, ECX, 11, STATE_AVX512, LEVEL_AVX512},
    {"avx512bitalg", 7, 0, ECX, 12, STATE_AVX512, LEVEL_AVX512},
    {"avx512vpopcntdq", 7, 0, ECX, 14, STATE_AVX512, LEVEL_AVX512},
    {"avx512vp2intersect", 7, 0, EDX, 8, STATE_AVX512, LEVEL_AVX512},
    {"avx512fp16", 7, 0, EDX, 23, STATE_AVX512, LEVEL_AVX512},
    {"avx512bf16", 7, 1, EAX, 5, STATE_AVX512, LEVEL_AVX512},
};

static uint32_t saved_state(void) {
  uint32_t a, b, c, d, low, high;
  if (!__get_cpuid(1, &a, &b, &c, &d) || (c & (1u << 27)) == 0) return 0; /* OSXSAVE */
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

static bool bit_set(const struct feature *f) {
  uint32_t r[4];
  if (!__get_cpuid_count(f->leaf, f->sub, &r[EAX], &r[EBX], &r[ECX], &r[EDX])) return false;
  return (r[f->reg] >> f->bit) & 1;
}

static enum level allowed_level(void) {
  const char *limit = kiln_config(KILN_CONFIG_CPU_FEATURES);
  if (limit == NULL) return LEVEL_AVX512;
  if (strcmp(limit, "sse2") == 0) return LEVEL_SSE2;
  if (strcmp(limit, "sse4.2") == 0) return LEVEL_SSE42;
  return strcmp(limit, "avx2") == 0 ? LEVEL_AVX2 : LEVEL_AVX512;
}

static bool has(const char *list, const char *name) {
  size_t length = strlen(name);
  for (const char *at = list; (at = strstr(at, name)) != NULL; at += length)
    if (at > list && at[-1] == '+' && (at[length] == ',' || at[length] == '\0')) return true;
  return false;
}

bool kiln_cpu_features(char *out, size_t size) {
  uint32_t state = saved_state();
  enum level level = allowed_level();
  size_t used = 0;
  if (size == 0) return false;
  out[0] = '\0';
  for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
    const struct feature *f = &features[i];
    if (f->level > level || (state & f->state) != f->state || !bit_set(f)) continue;
    int n = snprintf(out + used, size - used, "%s+%s", used == 0 ? "" : ",", f->name);
    if (n < 0 || (size_t)n >= size - used) return false;
    used += (size_t)n;
  }
  return true;
}

static bool maker_is_amd(void) {
  uint32_t a, b, c, d;
  return __get_cpuid(0, &a, &b, &c, &d) && b == signature_AMD_ebx;
}

/* The newest row whose feature is there. */
const char *kiln_cpu_tune(const char *list) {
  static const struct {
    const char *feature, *tune;
  } amd[] = {{"avx512vp2intersect", "znver5"},
             {"avx512bf16", "znver4"},
             {"avx512f", "znver4"},
             {"vaes", "znver3"},
             {"avx2", "znver2"},
             {"", "generic"}},
    intel[] = {{"avx512fp16", "sapphirerapids"},
               {"avx512vbmi2", "icelake-server"},
               {"avx512f", "skylake-avx512"},
               {"avxvnni", "alderlake"},
               {"avx2", "haswell"},
               {"avx", "sandybridge"},
               {"", "generic"}};
  size_t row = 0;
  if (maker_is_amd()) {
    while (amd[row].feature[0] != '\0' && !has(list, amd[row].feature)) row++;
    return amd[row].tune;
  }
  while (intel[row].feature[0] != '\0' && !has(list, intel[row].feature)) row++;
  return intel[row].tune;
}

bool kiln_cpu_is_from_zen5(const char *list) {
  return has(list, "avx512vp2intersect") && has(list, "avxvnni");
}

bool kiln_cpu_is_from_sapphire_rapids(const char *list) { return has(list, "avx512fp16"); }

unsigned kiln_cpu_vector_bits(const char *list) {
  if (has(list, "avx512f")) return 512;
  return has(list, "avx2") ? 256 : 128;
}
