/* Owns the CPU driver's table and its devices: one root of all compute units, parts of them with workers of
 * their own. */
#include "drivers/cpu/cpu.h"

#include "base/alloc.h"
#include "base/fault.h"
#include "base/os.h"
#include "drivers/cpu/affinity.h"
#include "drivers/cpu/code.h"
#include "drivers/cpu/memory.h"

#include <stdio.h>
#include <string.h>

/* ---- devices ---- */

static cl_int probe(unsigned *count_out) {
  *count_out = 1;
  return CL_SUCCESS;
}

static struct kiln_cpu *cpu_new(uint32_t units) {
  struct kiln_cpu *cpu = kiln_zalloc(sizeof *cpu);
  if (cpu == NULL) return NULL;
  cpu->base.driver = &kiln_driver_cpu;
  cpu->cpu_of = kiln_zalloc(units * sizeof *cpu->cpu_of);
  if (cpu->cpu_of != NULL) return cpu;
  kiln_free(cpu);
  return NULL;
}

static cl_int open_device(unsigned index, struct kiln_driver_device **device_out) {
  struct kiln_topology topology;
  kiln_topology_detect(&topology);
  struct kiln_cpu *cpu = cpu_new(topology.units);
  if (cpu == NULL) return CL_OUT_OF_HOST_MEMORY;
  kiln_cpu_caps(&cpu->base.caps, &topology);
  memcpy(cpu->cpu_of, topology.cpu_of, topology.units * sizeof *cpu->cpu_of);
  cpu->cpus = topology.mask;
  *device_out = &cpu->base;
  return CL_SUCCESS;
}

static void close_device(struct kiln_driver_device *device) {
  struct kiln_cpu *cpu = (struct kiln_cpu *)device;
  if (cpu->generation == kiln_os_fork_generation) kiln_team_destroy(cpu->team);
  else kiln_team_forget(cpu->team);
  if (!cpu->is_part) kiln_memory_forget();
  kiln_free(cpu->cpu_of);
  kiln_free(cpu);
}

/* A part reports what its parent does, but for its units. */
static cl_int partition(struct kiln_driver_device *device, const uint32_t *units, uint32_t num_units,
                        struct kiln_driver_device **part_out) {
  const struct kiln_cpu *parent = (const struct kiln_cpu *)device;
  struct kiln_cpu *cpu = cpu_new(num_units);
  if (cpu == NULL) return CL_OUT_OF_HOST_MEMORY;
  cpu->base.caps = device->caps;
  cpu->base.caps.compute_units = num_units;
  cpu->is_part = true;
  for (uint32_t i = 0; i < num_units; i++) {
    cpu->cpu_of[i] = parent->cpu_of[units[i]];
    CPU_SET(cpu->cpu_of[i], &cpu->cpus);
  }
  *part_out = &cpu->base;
  return CL_SUCCESS;
}

/* ---- affinity domains ---- */

static const cl_device_affinity_domain domains[] = {
    CL_DEVICE_AFFINITY_DOMAIN_NUMA, CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE, CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE,
    CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE, CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE};
enum { NUM_DOMAINS = sizeof domains / sizeof *domains };

/* Numbers the groups in the order of their first unit; how many, 0 if the system does not tell. */
static uint32_t group_units(const struct kiln_cpu *cpu, cl_device_affinity_domain domain,
                            uint32_t *group_of) {
  uint32_t groups = 0, id, other;
  for (uint32_t i = 0; i < cpu->base.caps.compute_units; i++) {
    if (!kiln_affinity_group(cpu->cpu_of[i], domain, &id)) return 0;
    uint32_t group = groups;
    for (uint32_t j = 0; j < i && group == groups; j++)
      if (kiln_affinity_group(cpu->cpu_of[j], domain, &other) && other == id) group = group_of[j];
    group_of[i] = group;
    groups += group == groups;
  }
  return groups;
}

static cl_int affinity(struct kiln_driver_device *device, cl_device_affinity_domain domain,
                       uint32_t *group_of, uint32_t *num_groups_out) {
  const struct kiln_cpu *cpu = (const struct kiln_cpu *)device;
  for (int i = 0; i < NUM_DOMAINS; i++) {
    if (domain != CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE && domain != domains[i]) continue;
    uint32_t groups = group_units(cpu, domains[i], group_of);
    if (groups < 2) continue;
    *num_groups_out = groups;
    return CL_SUCCESS;
  }
  return CL_DEVICE_PARTITION_FAILED;
}

/* Whether not all units share one group of the domain. */
static bool divides(const struct kiln_cpu *cpu, cl_device_affinity_domain domain) {
  uint32_t first = 0, id = 0;
  bool differ = false;
  for (uint32_t i = 0; i < cpu->base.caps.compute_units; i++) {
    if (!kiln_affinity_group(cpu->cpu_of[i], domain, i == 0 ? &first : &id)) return false;
    differ = differ || (i > 0 && id != first);
  }
  return differ;
}

static cl_device_affinity_domain affinity_domains(struct kiln_driver_device *device) {
  cl_device_affinity_domain found = 0;
  for (int i = 0; i < NUM_DOMAINS; i++)
    if (divides((const struct kiln_cpu *)device, domains[i])) found |= domains[i];
  return found == 0 ? 0 : found | CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE;
}

/* ---- work ---- */

/* Guards team and generation of all devices; teams have locks of rank DRIVER. */
static struct kiln_lock start_lock = KILN_LOCK_INIT(KILN_RANK_MEM);

static void in_child(void) { kiln_lock_init(&start_lock, KILN_RANK_MEM); }
static void watch_forks(void) { pthread_atfork(NULL, NULL, in_child); }

/* How long workers look for work, in times a host spins for its end: waking one takes as long as a short
 * launch. */
enum { LOOKS = 8 };

/* What a copy reads takes room in the cache, too: both together may take all of it, or twice what is a
 * guest's share, as that is there most of the time and who reads the copy finds it: writing 20 MiB (of a
 * share of 32.5), reading them in a kernel, copying them and reading them back took 2.8 ms through the cache
 * and 3.9 past it, 32 MiB 4.8 and 6.2, 48 MiB 9.3 and 9.5, 64 MiB 16.0 and 12.6. */
static struct kiln_team_options team_options(const struct kiln_cpu *cpu) {
  const struct kiln_caps *caps = &cpu->base.caps;
  uint64_t stream = caps->stream_bytes == 0 ? UINT64_MAX : caps->stream_bytes;
  uint64_t cache = caps->stream_bytes == 0 ? UINT64_MAX : caps->global_cache_bytes;
  struct kiln_team_options options = {
      .workers = caps->compute_units,
      .cpus = cpu->cpus,
      .look_ns = LOOKS * caps->wait_spin_ns,
      .local_bytes = caps->local_mem_bytes,
      .arena_bytes = caps->target.arena_size,
      .fill_stream_bytes = stream,
      .copy_stream_bytes = stream < cache / 2 ? stream : cache / 2,
  };
  snprintf(options.name, sizeof options.name, "%s", cpu->is_part ? "kiln-part" : "kiln-cpu");
  return options;
}

static cl_int start_team(struct kiln_cpu *cpu) {
  if (cpu->generation != kiln_os_fork_generation) {
    kiln_team_forget(cpu->team);
    cpu->team = NULL;
  }
  if (cpu->team != NULL) return CL_SUCCESS;
  struct kiln_team_options options = team_options(cpu);
  cl_int err = kiln_team_create(&options, &cpu->team);
  if (err == CL_SUCCESS) cpu->generation = kiln_os_fork_generation;
  return err;
}

static cl_int start(struct kiln_driver_device *device) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, watch_forks);
  kiln_fault_install();
  kiln_os_watch_forks();
  kiln_lock(&start_lock);
  cl_int err = start_team((struct kiln_cpu *)device);
  kiln_unlock(&start_lock);
  return err;
}

static void submit(struct kiln_driver_device *device, struct kiln_work *work) {
  kiln_team_submit(((struct kiln_cpu *)device)->team, work);
}

static bool help(struct kiln_driver_device *device, struct kiln_work *work) {
  return kiln_team_help(((struct kiln_cpu *)device)->team, work);
}

static uint64_t now(struct kiln_driver_device *device) { return kiln_os_now_ns(); }

/* The mask and quota of now: a difference to caps.compute_units is worth seeing. */
static void describe(struct kiln_driver_device *device, char *out, size_t size) {
  struct kiln_topology topology;
  char processors[200];
  kiln_topology_detect(&topology);
  kiln_topology_describe(&topology, processors, sizeof processors);
  const struct kiln_target *target = &device->caps.target;
  snprintf(out, size, "  %-18s %s\n  %-18s %u bits, tuned for %s\n  %-18s %s\n", "processors", processors,
           "vector registers", device->caps.native_width_bits, target->tune, "cpu features",
           target->features);
}

const struct kiln_driver kiln_driver_cpu = {
    .name = "cpu",
    .probe = probe,
    .open = open_device,
    .close = close_device,
    .partition = partition,
    .affinity = affinity,
    .affinity_domains = affinity_domains,
    .alloc = kiln_memory_alloc,
    .free = kiln_memory_free,
    .load = kiln_code_load,
    .any_number = kiln_code_any_number,
    .unload = kiln_code_unload,
    .start = start,
    .submit = submit,
    .help = help,
    .describe = describe,
    .now = now,
};
