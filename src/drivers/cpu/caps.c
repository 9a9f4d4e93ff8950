/* Owns what the CPU device reports. Knows nothing of threads. */
#include "base/abi.h"
#include "base/cpuid.h"
#include "base/features.h"
#include "drivers/cpu/cpu.h"
#include "drivers/cpu/memory.h"
#include "drivers/cpu/print.h"

#include <cpuid.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)

enum { IMAGES = 1 }; /* whether images are reported */
/* MAX_GROUP: programs that take the largest group there is (OpenCV) are slower with larger ones: what waits
 * at barriers leaves the nearest caches, and much of the last group of a column has nothing to do. The
 * conformance suite derives global sizes from it, whose product must fit in 32 bits where it counts
 * work-items. */
enum { MAX_GROUP = 4096, LOCAL_BYTES = 512 << 10, CONSTANT_BYTES = 1 << 20, PARAMETER_BYTES = 4352 };

/* ---- identity ---- */

/* The brand string without its padding, or the vendor's name. */
static void cpu_name(char *out, size_t size) {
  unsigned words[12] = {0};
  snprintf(out, size, "cpu");
  if (__get_cpuid_max(0x80000000u, NULL) < 0x80000004u) return;
  for (unsigned i = 0; i < 3; i++)
    __get_cpuid(0x80000002u + i, &words[4 * i], &words[4 * i + 1], &words[4 * i + 2], &words[4 * i + 3]);
  char text[sizeof words + 1] = {0};
  memcpy(text, words, sizeof words);
  size_t length = strlen(text);
  while (length > 0 && text[length - 1] == ' ') text[--length] = '\0';
  const char *start = text + strspn(text, " ");
  if (*start != '\0') snprintf(out, size, "%s", start);
}

static void cpu_vendor(char *out, size_t size, cl_uint *id_out) {
  unsigned max = 0, words[3] = {0};
  __get_cpuid(0, &max, &words[0], &words[2], &words[1]);
  char text[13] = {0};
  memcpy(text, words, 12);
  snprintf(out, size, "%s", text[0] == '\0' ? "unknown" : text);
  *id_out = strcmp(text, "GenuineIntel") == 0 ? 0x8086 : strcmp(text, "AuthenticAMD") == 0 ? 0x1022 : 0;
}

/* The same on every run of the same machine and version: a hash over what identifies the processor. */
static void make_uuid(const struct kiln_caps *caps, uint8_t uuid[16]) {
  uint64_t hash[2] = {0xcbf29ce484222325u, 0x84222325cbf29ce4u};
  char text[256];
  snprintf(text, sizeof text, "kiln cpu %s %s %08x", caps->name, caps->vendor, caps->vendor_id);
  for (int h = 0; h < 2; h++)
    for (const char *c = text; *c != '\0'; c++) hash[h] = (hash[h] ^ (uint8_t)*c) * 0x100000001b3u;
  memcpy(uuid, hash, sizeof hash);
}

/* ---- limits ---- */

/* 256 MiB per worker is address space, not memory; where address space is rationed a share of it. */
static uint64_t arena_size(uint32_t units) {
  struct rlimit limit;
  uint64_t size = 256 * MIB;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return size;
  uint64_t share = limit.rlim_cur / 8 / units;
  return share >= size ? size : share < 4 * MIB ? 4 * MIB : share & ~(MIB - 1);
}

/* Spinning only pays where another processor may do the work meanwhile; under a quota it burns what the work
 * needs. */
static uint32_t spin_ns(const struct kiln_topology *topology) {
  if (topology->mask_count < 2) return 0;
  return topology->quota > 0 && topology->quota < topology->mask_count ? 5000 : 50000;
}

/* From CPUID, within KILN_CPU_FEATURES. */
static const char *target_features(void) {
  static char text[2048];
  if (text[0] == '\0' && !kiln_cpu_features(text, sizeof text)) text[0] = '\0';
  return text;
}

/* Zen 5 does: copies that take all of 32 MB ran at 65 GB/s past the cache and 80 through it (of 36 MB: 93 and
 * 63). Zen 4 does not: 48 and 35. */
static bool holds_what_fills_it(void) { return kiln_cpu_is_from_zen5(target_features()); }

/* The most that a maker gives one processor. Emerald Rapids has 5 MiB for each; two of 16 that shared 300 MiB
 * ran chains of triads over 72 MiB at 42 GB/s through the cache and 37 past it, 192 MiB at 21 and 30. */
static uint64_t share_of_one(void) {
  return kiln_cpu_is_from_sapphire_rapids(target_features()) ? 6 * MIB : 16 * MIB;
}

/* From how many bytes on stores pass by the cache. A guest is told the size of the whole cache and sees few
 * of the processors that share it; it has more than their share most of the time. Two of a cache of 260 MiB:
 * copies of 33 MB, again and again, took 0.59 ms through it and 0.82 past it, 100 MB 2.0 and 2.5, 200 MB 6.7
 * and 5.0; between others that each use the cache, 33 MB 0.75 and 0.86, and 50 MB as much either way. */
static uint64_t stream_bytes(const struct kiln_cache *cache) {
  uint64_t share = share_of_one() * cache->sharers;
  if (share < cache->bytes / 8) share = cache->bytes / 8;
  return (cache->bytes < share ? cache->bytes : share) + holds_what_fills_it();
}

static void memory_caps(struct kiln_caps *caps, const struct kiln_topology *topology) {
  caps->global_mem_bytes = topology->memory;
  caps->max_alloc_bytes = topology->memory / 4 * 3 & ~(4 * KIB - 1);
  if (caps->max_alloc_bytes < 128 * MIB) caps->max_alloc_bytes = 128 * MIB;
  if (caps->max_alloc_bytes > caps->global_mem_bytes) caps->max_alloc_bytes = caps->global_mem_bytes;
  struct kiln_cache cache;
  kiln_topology_cache("", &cache);
  caps->global_cache_bytes = cache.bytes;
  caps->stream_bytes = stream_bytes(&cache);
  caps->cacheline_bytes = cache.line_bytes == 0 ? 64 : cache.line_bytes;
  caps->local_mem_bytes = LOCAL_BYTES;
  caps->max_constant_bytes = CONSTANT_BYTES;
  caps->mem_base_align_bits = KILN_CPU_ALIGN * 8;
}

/* ---- the compiler's view ---- */

/* Made text at once: the headers define some of the names. */
#define IN_KERNEL_1(text) " " text
#define IN_KERNEL_0(text)
#define X(name, major, minor, patch, in_kernel) IN_KERNEL_##in_kernel(#name)
static const char extensions[] = KILN_PLAIN_EXTENSION_TABLE(X);
static const char extensions_with_images[] = KILN_EXTENSION_TABLE(X);
#undef X
#define X(name, major, minor, patch) " " #name
static const char features[] = KILN_PLAIN_FEATURE_TABLE(X);
static const char features_with_images[] = KILN_FEATURE_TABLE(X);
#undef X

static void target_caps(struct kiln_caps *caps) {
  caps->target = (struct kiln_target){
      .features = target_features(),
      .tune = kiln_cpu_tune(target_features()),
      .device_version = 300,
      .address_bits = 64,
      .arena_size = arena_size(caps->compute_units),
  };
}

/* Images are read and written by software: the limits are those of indices and of precision, not of memory.
 */
void kiln_cpu_set_images(struct kiln_caps *caps, bool supported) {
  static const struct kiln_image_caps limits = {.size2d = {16384, 16384},
                                                .size3d = {2048, 2048, 2048},
                                                .buffer_width = 1 << 27,
                                                .array_size = 2048,
                                                .pitch_alignment = 1,
                                                .base_alignment = 1,
                                                .read_args = 128,
                                                .write_args = 128,
                                                .read_write_args = 128,
                                                .samplers = 16};
  caps->images = supported ? limits : (struct kiln_image_caps){0};
  caps->target.image_support = supported;
  caps->target.extensions = (supported ? extensions_with_images : extensions) + 1;
  caps->target.feature_macros = (supported ? features_with_images : features) + 1;
}

void kiln_cpu_caps(struct kiln_caps *caps, const struct kiln_topology *topology) {
  memset(caps, 0, sizeof *caps);
  caps->type = CL_DEVICE_TYPE_CPU;
  cpu_name(caps->name, sizeof caps->name);
  cpu_vendor(caps->vendor, sizeof caps->vendor, &caps->vendor_id);
  /* clients that cache binaries by this version must not meet those of another ABI */
  snprintf(caps->driver_version, sizeof caps->driver_version, "%s abi %u", KILN_VERSION, KILN_ABI_VERSION);
  caps->compute_units = topology->units;
  caps->max_clock_mhz = kiln_topology_clock_mhz("");
  memory_caps(caps, topology);
  caps->max_group_size = MAX_GROUP;
  for (int i = 0; i < 3; i++) caps->max_item_sizes[i] = MAX_GROUP;
  caps->max_sub_group = KILN_MAX_SUB_GROUP;
  caps->native_width_bits = kiln_cpu_vector_bits(target_features());
  caps->max_parameter_bytes = PARAMETER_BYTES;
  caps->printf_bytes = KILN_PRINT_BYTES;
  caps->wait_spin_ns = spin_ns(topology);
  caps->fp64 = true;
  caps->fp16 = true;
  caps->fast_fma = strstr(target_features(), "+fma") != NULL;
  caps->native_kernels = true;
  make_uuid(caps, caps->uuid);
  target_caps(caps);
  kiln_cpu_set_images(caps, IMAGES);
}
