/* How many compute units there are: affinity mask, cgroup quota, KILN_MAX_THREADS; on made-up file systems.
 */
#include "support.h"
#include "test.h"

#include "drivers/cpu/topology.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char root[] = "/tmp/kiln-topology-XXXXXX";

/* Writes root/path, making its folders. */
static void write_file(const char *path, const char *text) {
  char full[512];
  snprintf(full, sizeof full, "%s%s", root, path);
  for (char *slash = strchr(full + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    mkdir(full, 0700);
    *slash = '/';
  }
  FILE *f = fopen(full, "w");
  assert_non_null(f);
  fputs(text, f);
  assert_int_equal(fclose(f), 0);
}

static void remove_files(void) {
  char command[600];
  snprintf(command, sizeof command, "rm -rf %s/*", root);
  assert_int_equal(system(command), 0);
}

static int make_root(void **state) { return mkdtemp(root) == NULL ? -1 : 0; }
static int remove_root(void **state) {
  remove_files();
  return rmdir(root);
}

static void expect_quota(double expected) {
  double found = kiln_topology_quota(root);
  if (fabs(found - expected) > 1e-9) fail_msg("quota %g, expected %g", found, expected);
}

/* ---- cgroups ---- */

static void no_cgroup_is_no_limit(void **state) {
  remove_files();
  expect_quota(0);
  assert_true(kiln_topology_memory_limit(root) == UINT64_MAX);
  write_file("/proc/self/cgroup", "");
  expect_quota(0);
  write_file("/proc/self/cgroup", "nonsense\n::\n0:\n");
  expect_quota(0);
}

static void version_2(void **state) {
  remove_files();
  write_file("/proc/self/cgroup", "0::/a/b\n");
  expect_quota(0);
  write_file("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  expect_quota(0);
  write_file("/sys/fs/cgroup/a/b/cpu.max", "150000 100000\n");
  expect_quota(1.5);
  /* the smallest on the way up counts */
  write_file("/sys/fs/cgroup/a/cpu.max", "50000 100000\n");
  expect_quota(0.5);
  write_file("/sys/fs/cgroup/a/memory.max", "1048576\n");
  write_file("/sys/fs/cgroup/a/b/memory.max", "max\n");
  assert_true(kiln_topology_memory_limit(root) == 1048576);
}

/* In a container the path names folders of the host; the limits lie in the mount itself. */
static void version_2_in_a_container(void **state) {
  remove_files();
  write_file("/proc/self/cgroup", "0::/docker/0123456789abcdef\n");
  write_file("/sys/fs/cgroup/cpu.max", "200000 100000\n");
  expect_quota(2);
}

static void version_1(void **state) {
  remove_files();
  write_file("/proc/self/cgroup", "5:memory:/m\n4:cpu,cpuacct:/c\n1:name=systemd:/s\n");
  write_file("/sys/fs/cgroup/cpu,cpuacct/c/cpu.cfs_quota_us", "-1\n");
  write_file("/sys/fs/cgroup/cpu,cpuacct/c/cpu.cfs_period_us", "100000\n");
  expect_quota(0);
  write_file("/sys/fs/cgroup/cpu,cpuacct/c/cpu.cfs_quota_us", "250000\n");
  expect_quota(2.5);
  write_file("/sys/fs/cgroup/memory/m/memory.limit_in_bytes", "4096\n");
  assert_true(kiln_topology_memory_limit(root) == 4096);
}

static void hybrid(void **state) {
  remove_files();
  write_file("/proc/self/cgroup", "2:cpu:/\n0::/u\n");
  write_file("/sys/fs/cgroup/unified/u/cpu.max", "300000 100000\n");
  expect_quota(3);
  write_file("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "100000\n");
  write_file("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  expect_quota(1);
}

static void broken_files_are_no_limit(void **state) {
  remove_files();
  write_file("/proc/self/cgroup", "0::/a\n");
  static const char *const broken[] = {"",           "\n",          "x y\n",     "100000\n",
                                       "100000 0\n", "-5 100000\n", "1e9999 1\n"};
  for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
    write_file("/sys/fs/cgroup/a/cpu.max", broken[i]);
    expect_quota(0);
  }
}

/* ---- caches ---- */

static void write_cache(unsigned index, const char *type, const char *size, const char *sharers) {
  const char *const name[] = {"type", "size", "shared_cpu_list", "coherency_line_size"};
  const char *const text[] = {type, size, sharers, "64\n"};
  for (size_t k = 0; k < sizeof name / sizeof *name; k++) {
    char path[128];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%u/%s", index, name[k]);
    if (text[k] != NULL) write_file(path, text[k]);
  }
}

static void expect_cache(uint64_t bytes, uint32_t sharers) {
  struct kiln_cache cache;
  kiln_topology_cache(root, &cache);
  assert_int_equal(cache.bytes, bytes);
  assert_int_equal(cache.sharers, sharers);
}

static void largest_data_cache_and_who_shares_it(void **state) {
  remove_files();
  expect_cache(0, 1);
  write_cache(0, "Data\n", "48K\n", "0\n");
  expect_cache(48 << 10, 1);
  write_cache(1, "Instruction\n", "512M\n", "0-1\n");
  write_cache(2, "Unified\n", "260M\n", "0-3,8,10-11\n");
  expect_cache(260ull << 20, 7);
  static const char *const broken[] = {"", "\n", "x", "5-2\n", "0-99999\n"};
  for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
    write_cache(2, "Unified\n", "260M\n", broken[i]);
    expect_cache(260ull << 20, 1);
  }
}

/* ---- the pool ---- */

static uint32_t units_of_root(void) {
  kiln_device *device = support_root();
  uint32_t units = device->backend->caps.compute_units;
  kiln_unref(&device);
  return units;
}

/* Threads named like the workers of the root device. */
static uint32_t workers(void) {
  uint32_t count = 0;
  for (int i = 0; i < 100 && count == 0; i++) {
    FILE *list = popen("cat /proc/$PPID/task/*/comm | grep -c kiln-cpu", "r");
    if (list == NULL || fscanf(list, "%u", &count) != 1) count = 0;
    if (list != NULL) pclose(list);
  }
  return count;
}

/* One processor of the mask: one unit, one worker. Runs in a child, whose mask it changes. */
static int on_one_processor(void) {
  cpu_set_t mask, one;
  sched_getaffinity(0, sizeof mask, &mask);
  CPU_ZERO(&one);
  for (size_t cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; cpu++)
    if (CPU_ISSET(cpu, &mask)) CPU_SET(cpu, &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0) return 2;
  kiln_device *device = support_root();
  kiln_context *context = support_context();
  kiln_queue *queue = NULL;
  if (device->backend->caps.compute_units != 1) return 3;
  if (kiln_queue_create(context, device, 0, &queue) != CL_SUCCESS) return 4;
  return workers() == 1 ? 0 : 5;
}

static void mask_bounds_the_pool(void **state) {
  pid_t child = fork();
  if (child == 0) _exit(on_one_processor());
  int status = 0;
  waitpid(child, &status, 0);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
}

static void smallest_limit_wins(void **state) {
  struct kiln_topology topology;
  kiln_topology_detect(&topology);
  uint32_t most = topology.mask_count;
  if (topology.quota > 0 && ceil(topology.quota) < most) most = (uint32_t)ceil(topology.quota);
  assert_int_equal(units_of_root(), most);
  setenv("KILN_MAX_THREADS", "1", 1);
  assert_int_equal(units_of_root(), 1);
  setenv("KILN_MAX_THREADS", "1000", 1);
  assert_int_equal(units_of_root(), most);
  setenv("KILN_MAX_THREADS", "no number", 1);
  assert_int_equal(units_of_root(), most);
  unsetenv("KILN_MAX_THREADS");
  char text[200];
  topology.mask_count = 8;
  topology.quota = 2.5;
  topology.limit = 0;
  topology.units = 3;
  kiln_topology_describe(&topology, text, sizeof text);
  assert_string_equal(text, "affinity mask 8, cgroup quota 2.50, KILN_MAX_THREADS none: 3 compute units");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_cgroup_is_no_limit),
      cmocka_unit_test(version_2),
      cmocka_unit_test(version_2_in_a_container),
      cmocka_unit_test(version_1),
      cmocka_unit_test(hybrid),
      cmocka_unit_test(broken_files_are_no_limit),
      cmocka_unit_test(mask_bounds_the_pool),
      cmocka_unit_test(largest_data_cache_and_who_shares_it),
      cmocka_unit_test(smallest_limit_wins),
  };
  return cmocka_run_group_tests(tests, make_root, remove_root);
}
