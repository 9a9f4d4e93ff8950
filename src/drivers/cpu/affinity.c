/* Owns the use of hwloc: opened when first asked, read once into a table. Knows nothing of devices. */
#include "drivers/cpu/affinity.h"

#include "base/log.h"
#include "drivers/cpu/topology.h"

#include <dlfcn.h>
#include <hwloc.h>
#include <pthread.h>
#include <unistd.h>

#if HWLOC_API_VERSION < 0x00020100
#error "hwloc 2.1 or later is needed"
#endif
#define HWLOC_SONAME "libhwloc.so.15" /* of all versions 2.x */

/* ---- the library ---- */

#define HWLOC_FUNCTIONS(X)                                                                                   \
  X(hwloc_get_api_version)                                                                                   \
  X(hwloc_topology_init)                                                                                     \
  X(hwloc_topology_set_components)                                                                           \
  X(hwloc_topology_load)                                                                                     \
  X(hwloc_topology_destroy)                                                                                  \
  X(hwloc_get_type_depth)                                                                                    \
  X(hwloc_get_nbobjs_by_depth)                                                                               \
  X(hwloc_get_obj_by_depth)                                                                                  \
  X(hwloc_bitmap_isset)

struct hwloc_functions {
#define X(name) __typeof__(&name) name; /* NOLINT(bugprone-macro-parentheses): a declaration */
  HWLOC_FUNCTIONS(X)
#undef X
};

static bool open_library(struct hwloc_functions *f) {
  void *library = dlopen(HWLOC_SONAME, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    kiln_log(KILN_LOG_DEVICE, KILN_LOG_INFO, "no affinity domains: %s", dlerror());
    return false;
  }
#define X(name)                                                                                              \
  *(void **)&f->name = dlsym(library, #name);                                                                \
  if (f->name == NULL) return false;
  HWLOC_FUNCTIONS(X)
#undef X
  return f->hwloc_get_api_version() >> 16 == HWLOC_API_VERSION >> 16;
}

/* ---- hwloc's environment ----
 * Only variables keep hwloc from opening its plugins (one of which opens libOpenCL, that is, us) and from
 * writing to stderr. Changing the host's environment is not safe beside its other threads; pointing environ
 * to a copy that lives for ever is. */

enum { MOST_VARIABLES = 4096 };

/* False if the environment is larger than that. */
static bool copy_environment(char *copy[MOST_VARIABLES]) {
  static char no_plugins[] = "HWLOC_PLUGINS_PATH=/dev/null", no_output[] = "HWLOC_HIDE_ERRORS=2";
  size_t count = 0;
  copy[count++] = no_plugins;
  copy[count++] = no_output;
  for (char **variable = environ; variable != NULL && *variable != NULL; variable++) {
    if (count == MOST_VARIABLES - 1) return false;
    copy[count++] = *variable;
  }
  return true;
}

/* ---- the table ---- */

static const struct {
  cl_device_affinity_domain domain;
  hwloc_obj_type_t type;
} rows[] = {{CL_DEVICE_AFFINITY_DOMAIN_NUMA, HWLOC_OBJ_NUMANODE},
            {CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE, HWLOC_OBJ_L4CACHE},
            {CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE, HWLOC_OBJ_L3CACHE},
            {CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE, HWLOC_OBJ_L2CACHE},
            {CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE, HWLOC_OBJ_L1CACHE}};
enum { NUM_ROWS = sizeof rows / sizeof *rows };

static uint16_t table[NUM_ROWS][KILN_MAX_CPUS]; /* group + 1; 0: unknown. Constant once read. */

static void read_row(const struct hwloc_functions *f, hwloc_topology_t topology, int row) {
  int depth = f->hwloc_get_type_depth(topology, rows[row].type);
  if (depth == HWLOC_TYPE_DEPTH_UNKNOWN || depth == HWLOC_TYPE_DEPTH_MULTIPLE) return;
  unsigned count = f->hwloc_get_nbobjs_by_depth(topology, depth);
  for (unsigned group = 0; group < count && group < UINT16_MAX; group++) {
    hwloc_obj_t object = f->hwloc_get_obj_by_depth(topology, depth, group);
    if (object == NULL || object->cpuset == NULL) continue;
    for (unsigned cpu = 0; cpu < KILN_MAX_CPUS; cpu++)
      if (f->hwloc_bitmap_isset(object->cpuset, cpu)) table[row][cpu] = (uint16_t)(group + 1);
  }
}

static void read_machine(const struct hwloc_functions *f) {
  hwloc_topology_t topology;
  if (f->hwloc_topology_init(&topology) != 0) return;
  /* The component x86 would move the calling thread over all processors to ask each. */
  f->hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
  if (f->hwloc_topology_load(topology) == 0)
    for (int row = 0; row < NUM_ROWS; row++) read_row(f, topology, row);
  f->hwloc_topology_destroy(topology);
}

static void read_once(void) {
  static char *quiet[MOST_VARIABLES];
  struct hwloc_functions f;
  char **host = environ;
  if (!open_library(&f) || !copy_environment(quiet)) return;
  environ = quiet;
  read_machine(&f);
  if (environ == quiet) environ = host; /* else another thread has set a variable: it has copied ours */
}

bool kiln_affinity_group(uint32_t cpu, cl_device_affinity_domain domain, uint32_t *group_out) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, read_once);
  for (int row = 0; row < NUM_ROWS; row++) {
    if (rows[row].domain != domain || cpu >= KILN_MAX_CPUS || table[row][cpu] == 0) continue;
    *group_out = table[row][cpu] - 1u;
    return true;
  }
  return false;
}
