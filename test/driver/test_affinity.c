/* Division by affinity domain: what hwloc tells of machines of any shape, and that nobody notices hwloc. */
#include "support.h"
#include "test.h"

#include "drivers/cpu/affinity.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* The machine is read once per process, so each test runs in a child. */
static int in_child(int (*function)(void)) {
  pid_t child = fork();
  if (child == 0) _exit(function());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#define EXPECT(condition)                                                                                    \
  do {                                                                                                       \
    if (condition) break;                                                                                    \
    fprintf(stderr, "line %d: " #condition "\n", __LINE__);                                                  \
    return 1;                                                                                                \
  } while (0)

static int group(uint32_t cpu, cl_device_affinity_domain domain) {
  uint32_t id;
  return kiln_affinity_group(cpu, domain, &id) ? (int)id : -1;
}

static bool is_mapped(const char *part) {
  char line[512];
  bool found = false;
  FILE *f = fopen("/proc/self/maps", "r");
  while (f != NULL && fgets(line, sizeof line, f) != NULL) found |= strstr(line, part) != NULL;
  if (f != NULL) fclose(f);
  return found;
}

/* ---- shapes of machines ---- */

static int nodes_and_caches(void) {
  setenv("HWLOC_SYNTHETIC", "numa:2 l3:2 l2:2 pu:2", 1);
  for (uint32_t cpu = 0; cpu < 16; cpu++) {
    EXPECT(group(cpu, CL_DEVICE_AFFINITY_DOMAIN_NUMA) == (int)cpu / 8);
    EXPECT(group(cpu, CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE) == (int)cpu / 4);
    EXPECT(group(cpu, CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE) == (int)cpu / 2);
    EXPECT(group(cpu, CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE) == -1);
    EXPECT(group(cpu, CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE) == -1);
  }
  EXPECT(group(16, CL_DEVICE_AFFINITY_DOMAIN_NUMA) == -1);
  EXPECT(group(UINT32_MAX, CL_DEVICE_AFFINITY_DOMAIN_NUMA) == -1);
  return 0;
}

/* A device on the first processors of such a machine is divided by the first domain that divides it. */
static int devices_divide(void) {
  setenv("HWLOC_SYNTHETIC", "numa:1 l3:2 l2:1 pu:1", 1);
  kiln_device *device = support_root();
  struct kiln_driver_device *backend = device->backend;
  const struct kiln_driver *driver = backend->driver;
  uint32_t group_of[1024], groups = 0;
  if (backend->caps.compute_units != 2) return 0;
  cl_device_affinity_domain found = driver->affinity_domains(backend);
  EXPECT(found == (CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE | CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE |
                   CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE));
  EXPECT(driver->affinity(backend, CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE, group_of, &groups) == CL_SUCCESS);
  EXPECT(groups == 2 && group_of[0] == 0 && group_of[1] == 1);
  EXPECT(driver->affinity(backend, CL_DEVICE_AFFINITY_DOMAIN_NUMA, group_of, &groups) ==
         CL_DEVICE_PARTITION_FAILED);
  return 0;
}

/* The machine as it is: whatever hwloc says, the processors of this process are known to it. */
static int this_machine(void) {
  for (uint32_t cpu = 0; cpu < 1024; cpu++) {
    cpu_set_t mask;
    EXPECT(sched_getaffinity(0, sizeof mask, &mask) == 0);
    if (CPU_ISSET(cpu, &mask)) EXPECT(group(cpu, CL_DEVICE_AFFINITY_DOMAIN_NUMA) >= 0);
  }
  return 0;
}

/* ---- a guest's manners ---- */

static int hwloc_is_opened_on_demand(void) {
  extern char **environ;
  char **before = environ;
  kiln_device *device = support_root();
  kiln_context *context = support_context();
  kiln_queue *queue = NULL;
  EXPECT(kiln_queue_create(context, device, 0, &queue) == CL_SUCCESS);
  EXPECT(!is_mapped("libhwloc"));
  EXPECT(group(0, CL_DEVICE_AFFINITY_DOMAIN_NUMA) >= 0);
  EXPECT(is_mapped("libhwloc"));
  EXPECT(!is_mapped("/hwloc/")); /* the folder of its plugins */
  EXPECT(!is_mapped("libOpenCL"));
  EXPECT(environ == before && getenv("HWLOC_PLUGINS_PATH") == NULL && getenv("HWLOC_HIDE_ERRORS") == NULL);
  return 0;
}

/* A library that cannot be opened leaves the device undivided by affinity. */
static int without_hwloc(void) {
  struct rlimit none = {0, 0};
  EXPECT(setrlimit(RLIMIT_NOFILE, &none) == 0);
  EXPECT(group(0, CL_DEVICE_AFFINITY_DOMAIN_NUMA) == -1);
  return 0;
}

static void synthetic_nodes_and_caches(void **state) { assert_int_equal(in_child(nodes_and_caches), 0); }
static void synthetic_devices_divide(void **state) { assert_int_equal(in_child(devices_divide), 0); }
static void real_machine(void **state) { assert_int_equal(in_child(this_machine), 0); }
static void opened_on_demand(void **state) { assert_int_equal(in_child(hwloc_is_opened_on_demand), 0); }
static void hwloc_missing(void **state) { assert_int_equal(in_child(without_hwloc), 0); }

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(synthetic_nodes_and_caches),
      cmocka_unit_test(synthetic_devices_divide),
      cmocka_unit_test(real_machine),
      cmocka_unit_test(opened_on_demand),
      cmocka_unit_test(hwloc_missing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
