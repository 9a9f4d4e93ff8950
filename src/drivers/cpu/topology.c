/* Owns what is read of the machine from sched_getaffinity, cgroup and sysfs files. Knows nothing of devices.
 */
#include "drivers/cpu/topology.h"

#include "base/config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- small files ---- */

/* Reads up to size - 1 bytes of root/path into out, NUL-terminated; false if it cannot be read. */
static bool read_text(const char *root, const char *path, char *out, size_t size) {
  char full[1024];
  int length = snprintf(full, sizeof full, "%s%s", root, path);
  if (length < 0 || (size_t)length >= sizeof full) return false;
  int fd = open(full, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  size_t got = 0;
  ssize_t n = 1;
  while (got < size - 1 && (n = read(fd, out + got, size - 1 - got)) > 0) got += (size_t)n;
  close(fd);
  out[got] = '\0';
  return n >= 0;
}

static bool read_number(const char *root, const char *path, long long *out) {
  char text[64];
  if (!read_text(root, path, text, sizeof text)) return false;
  char *end;
  *out = strtoll(text, &end, 10);
  return end != text;
}

/* ---- cgroups ---- */

/* The path of this process in the hierarchy that has `controller` ("" for version 2); false if in none. */
static bool cgroup_path(const char *root, const char *controller, char *out, size_t size) {
  char text[8192];
  if (!read_text(root, "/proc/self/cgroup", text, sizeof text)) return false;
  char *save = NULL;
  for (char *line = strtok_r(text, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save)) {
    char *names = strchr(line, ':');
    char *path = names == NULL ? NULL : strchr(names + 1, ':');
    if (path == NULL) continue;
    *path++ = '\0';
    names++;
    bool found = *controller == '\0' && *names == '\0';
    char *save_name = NULL;
    for (char *name = strtok_r(names, ",", &save_name); name != NULL && *controller != '\0';
         name = strtok_r(NULL, ",", &save_name))
      found = found || strcmp(name, controller) == 0;
    if (!found) continue;
    snprintf(out, size, "%s", path);
    return true;
  }
  return false;
}

/* Calls visit for mount + path and every folder above it up to mount itself. In a container the path may name
 * folders that are only visible outside: the walk up passes them by. */
static void cgroup_walk(const char *root, const char *mount, char *path,
                        void (*visit)(const char *root, const char *folder, void *data), void *data) {
  for (;;) {
    char folder[1024];
    int length = snprintf(folder, sizeof folder, "%s%s", mount, strcmp(path, "/") == 0 ? "" : path);
    if (length > 0 && (size_t)length < sizeof folder) visit(root, folder, data);
    char *slash = strrchr(path, '/');
    if (slash == NULL || path[0] == '\0') return;
    *slash = '\0';
  }
}

static void take_smaller_quota(double *quota, double found) {
  if (found > 0 && (*quota == 0 || found < *quota)) *quota = found;
}

static void visit_cpu_max(const char *root, const char *folder, void *data) {
  char path[1100], text[64];
  snprintf(path, sizeof path, "%s/cpu.max", folder);
  long long quota, period;
  if (read_text(root, path, text, sizeof text) && sscanf(text, "%lld %lld", &quota, &period) == 2 &&
      period > 0)
    take_smaller_quota(data, (double)quota / (double)period);
}

static void visit_cfs_quota(const char *root, const char *folder, void *data) {
  char path[1100];
  long long quota, period;
  snprintf(path, sizeof path, "%s/cpu.cfs_quota_us", folder);
  if (!read_number(root, path, &quota) || quota <= 0) return;
  snprintf(path, sizeof path, "%s/cpu.cfs_period_us", folder);
  if (read_number(root, path, &period) && period > 0)
    take_smaller_quota(data, (double)quota / (double)period);
}

double kiln_topology_quota(const char *root) {
  static const char *const mounts2[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};
  static const char *const mounts1[] = {"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"};
  double quota = 0;
  char path[512];
  for (int i = 0; i < 2; i++) {
    if (cgroup_path(root, "", path, sizeof path)) cgroup_walk(root, mounts2[i], path, visit_cpu_max, &quota);
    if (cgroup_path(root, "cpu", path, sizeof path))
      cgroup_walk(root, mounts1[i], path, visit_cfs_quota, &quota);
  }
  return quota;
}

static void take_smaller_limit(const char *root, const char *path, uint64_t *limit) {
  long long found;
  if (read_number(root, path, &found) && found > 0 && (uint64_t)found < *limit) *limit = (uint64_t)found;
}

static void visit_memory(const char *root, const char *folder, void *data) {
  char path[1100];
  snprintf(path, sizeof path, "%s/memory.max", folder);
  take_smaller_limit(root, path, data);
  snprintf(path, sizeof path, "%s/memory.limit_in_bytes", folder);
  take_smaller_limit(root, path, data);
}

uint64_t kiln_topology_memory_limit(const char *root) {
  uint64_t limit = UINT64_MAX;
  char path[512];
  if (cgroup_path(root, "", path, sizeof path))
    cgroup_walk(root, "/sys/fs/cgroup", path, visit_memory, &limit);
  if (cgroup_path(root, "memory", path, sizeof path))
    cgroup_walk(root, "/sys/fs/cgroup/memory", path, visit_memory, &limit);
  return limit;
}

/* ---- all together ---- */

static uint64_t physical_memory(void) {
  long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : (uint64_t)1 << 30;
}

static uint32_t choose_units(const struct kiln_topology *topology) {
  uint32_t units = topology->mask_count;
  if (topology->quota > 0) {
    uint32_t whole = topology->quota < units ? (uint32_t)topology->quota : units;
    if (whole < units) units = whole + (topology->quota > whole);
  }
  if (topology->limit > 0 && topology->limit < units) units = topology->limit;
  return units == 0 ? 1 : units;
}

void kiln_topology_detect(struct kiln_topology *topology) {
  memset(topology, 0, sizeof *topology);
  if (sched_getaffinity(0, sizeof topology->mask, &topology->mask) != 0) {
    CPU_ZERO(&topology->mask); /* more processors than the mask holds: take what the system says is online */
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    for (long i = 0; i < online && i < CPU_SETSIZE; i++) CPU_SET((size_t)i, &topology->mask);
  }
  for (uint32_t cpu = 0; cpu < CPU_SETSIZE && topology->mask_count < KILN_MAX_CPUS; cpu++)
    if (CPU_ISSET(cpu, &topology->mask)) topology->cpu_of[topology->mask_count++] = cpu;
  topology->quota = kiln_topology_quota("");
  long long limit = kiln_config_int(KILN_CONFIG_MAX_THREADS, 0);
  topology->limit = limit > 0 && limit < KILN_MAX_CPUS ? (uint32_t)limit : 0;
  topology->units = choose_units(topology);
  topology->memory = physical_memory();
  uint64_t granted = kiln_topology_memory_limit("");
  if (granted < topology->memory) topology->memory = granted;
}

void kiln_topology_describe(const struct kiln_topology *topology, char *out, size_t size) {
  char quota[32] = "none", limit[32] = "none";
  if (topology->quota > 0) snprintf(quota, sizeof quota, "%.2f", topology->quota);
  if (topology->limit > 0) snprintf(limit, sizeof limit, "%u", topology->limit);
  snprintf(out, size, "affinity mask %u, cgroup quota %s, KILN_MAX_THREADS %s: %u compute units",
           topology->mask_count, quota, limit, topology->units);
}

/* ---- caches and clock ---- */

/* One attribute of the index-th cache of a processor. */
static bool cache_text(const char *root, uint32_t cpu, unsigned index, const char *name, char *out,
                       size_t size) {
  char path[160];
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/cache/index%u/%s", cpu, index, name);
  return read_text(root, path, out, size);
}

static uint64_t size_with_unit(const char *text) {
  char *end;
  uint64_t size = strtoull(text, &end, 10);
  return *end == 'K' ? size << 10 : *end == 'M' ? size << 20 : size;
}

/* Processors in a list such as "0-3,8". */
static uint32_t count_list(const char *text) {
  uint32_t count = 0;
  for (const char *p = text; *p >= '0' && *p <= '9';) {
    char *end;
    unsigned long first = strtoul(p, &end, 10), last = first;
    if (*end == '-') last = strtoul(end + 1, &end, 10);
    if (last < first || last - first >= KILN_MAX_CPUS) break;
    count += (uint32_t)(last - first + 1);
    p = *end == ',' ? end + 1 : end;
  }
  return count == 0 ? 1 : count;
}

void kiln_topology_cache(const char *root, struct kiln_cache *out) {
  char text[4096];
  *out = (struct kiln_cache){.sharers = 1};
  for (unsigned index = 0; index < 16; index++) {
    if (!cache_text(root, 0, index, "type", text, sizeof text)) return;
    if (strncmp(text, "Instruction", 11) == 0 || !cache_text(root, 0, index, "size", text, sizeof text))
      continue;
    uint64_t size = size_with_unit(text);
    if (size > out->bytes) {
      out->bytes = size;
      bool listed = cache_text(root, 0, index, "shared_cpu_list", text, sizeof text);
      out->sharers = listed ? count_list(text) : 1;
    }
    if (cache_text(root, 0, index, "coherency_line_size", text, sizeof text))
      out->line_bytes = (uint32_t)strtoul(text, NULL, 10);
  }
}

static uint32_t clock_from_cpuinfo(const char *root) {
  char text[4096];
  if (!read_text(root, "/proc/cpuinfo", text, sizeof text)) return 0;
  const char *line = strstr(text, "cpu MHz");
  const char *colon = line == NULL ? NULL : strchr(line, ':');
  return colon == NULL ? 0 : (uint32_t)strtod(colon + 1, NULL);
}

uint32_t kiln_topology_clock_mhz(const char *root) {
  long long khz;
  if (read_number(root, "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", &khz) && khz > 0)
    return (uint32_t)(khz / 1000);
  return clock_from_cpuinfo(root);
}
