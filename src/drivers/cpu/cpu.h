/* The CPU driver's device: root or part. */
#ifndef KILN_DRIVERS_CPU_CPU_H
#define KILN_DRIVERS_CPU_CPU_H

#include "base/lock.h"
#include "drivers/cpu/team.h"
#include "drivers/cpu/topology.h"
#include "drivers/driver.h"

struct kiln_cpu {
  struct kiln_driver_device base; /* stays first */
  uint32_t *cpu_of;               /* unit -> processor */
  cpu_set_t cpus;                 /* where its workers may run */
  bool is_part;
  struct kiln_team *team; /* guarded by the driver's start lock; constant while a queue exists */
  unsigned generation;    /* of team: kiln_os_fork_generation when it was made */
};

/* Fills everything a root device reports (caps.c). */
void kiln_cpu_caps(struct kiln_caps *caps, const struct kiln_topology *topology);
/* Reports images or does not; also for tests of either. */
void kiln_cpu_set_images(struct kiln_caps *caps, bool supported);

#endif
