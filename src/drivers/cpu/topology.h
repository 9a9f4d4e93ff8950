/* What processors this process may use: affinity mask, cpuset, cgroup quota; caches and clock. */
#ifndef KILN_DRIVERS_CPU_TOPOLOGY_H
#define KILN_DRIVERS_CPU_TOPOLOGY_H

#include "base/ocl.h"

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KILN_MAX_CPUS = 1024 };

struct kiln_topology {
  cpu_set_t mask;      /* processors of the affinity mask (the kernel keeps it inside the cpuset) */
  uint32_t mask_count; /* how many */
  double quota;        /* processors' worth of time the cgroup grants; 0: no limit */
  uint32_t limit;      /* KILN_MAX_THREADS; 0: none */
  uint32_t units;      /* compute units: the smallest of these, quota rounded up, at least 1 */
  uint64_t memory;     /* bytes: physical memory or the cgroup's limit */
  uint32_t cpu_of[KILN_MAX_CPUS]; /* unit -> processor: the lowest of the mask, in order */
};

/* Detects all of it for the calling thread. */
void kiln_topology_detect(struct kiln_topology *topology);
/* One line for `kiln info`: what was found and what was chosen. */
void kiln_topology_describe(const struct kiln_topology *topology, char *out, size_t size);

/* The smallest cpu quota on the path of this process's cgroup, in processors, 0 for none; versions 1 and 2.
 * root is where the file system starts: "" but in tests. */
double kiln_topology_quota(const char *root);
/* The smallest memory limit on that path in bytes; UINT64_MAX for none. */
uint64_t kiln_topology_memory_limit(const char *root);

/* The largest data cache of the first processor. */
struct kiln_cache {
  uint64_t bytes;      /* 0: unknown */
  uint32_t line_bytes; /* 0: unknown */
  uint32_t sharers;    /* processors that it serves, as far as this machine shows; at least 1 */
};
void kiln_topology_cache(const char *root, struct kiln_cache *out);
/* Highest clock in MHz, 0 if unknown. */
uint32_t kiln_topology_clock_mhz(const char *root);

#endif
