/* A device of FAKE_UNITS compute units that runs nothing: for the division of devices, which must be tested
 * alike on machines of any size. Units 2i and 2i + 1 share an L2 cache; parts of one pair share nothing more.
 */
#ifndef KILN_TEST_API_FAKE_DEVICE_H
#define KILN_TEST_API_FAKE_DEVICE_H

#include "base/alloc.h"
#include "core/device.h"
#include "core/platform.h"

#include <stdio.h>

enum { FAKE_UNITS = 8 };

struct fake_backend {
  struct kiln_driver_device base;
  uint32_t units[FAKE_UNITS]; /* which of the root's units these are */
};

static const struct kiln_driver fake_driver;

static inline cl_int fake_open(uint32_t num_units, struct kiln_driver_device **out) {
  struct fake_backend *backend = kiln_zalloc(sizeof *backend);
  if (backend == NULL) return CL_OUT_OF_HOST_MEMORY;
  backend->base.driver = &fake_driver;
  backend->base.caps.type = CL_DEVICE_TYPE_CUSTOM;
  backend->base.caps.compute_units = num_units;
  snprintf(backend->base.caps.name, sizeof backend->base.caps.name, "fake device");
  for (uint32_t i = 0; i < num_units; i++) backend->units[i] = i;
  *out = &backend->base;
  return CL_SUCCESS;
}

static inline void fake_close(struct kiln_driver_device *device) { kiln_free(device); }

/* Set to let the partition of that many units fail with CL_OUT_OF_RESOURCES. */
static uint32_t fake_failing_size;

static inline cl_int fake_partition(struct kiln_driver_device *device, const uint32_t *units,
                                    uint32_t num_units, struct kiln_driver_device **part_out) {
  if (num_units == fake_failing_size) return CL_OUT_OF_RESOURCES;
  const struct fake_backend *parent = (const struct fake_backend *)device;
  cl_int err = fake_open(num_units, part_out);
  for (uint32_t i = 0; err == CL_SUCCESS && i < num_units; i++)
    ((struct fake_backend *)*part_out)->units[i] = parent->units[units[i]];
  return err;
}

static inline cl_device_affinity_domain fake_domains(struct kiln_driver_device *device) {
  const struct fake_backend *backend = (const struct fake_backend *)device;
  bool divides = backend->units[0] / 2 != backend->units[device->caps.compute_units - 1] / 2;
  return divides ? CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE : 0;
}

static inline cl_int fake_affinity(struct kiln_driver_device *device, cl_device_affinity_domain domain,
                                   uint32_t *group_of, uint32_t *num_groups_out) {
  const struct fake_backend *backend = (const struct fake_backend *)device;
  if (fake_failing_size == UINT32_MAX) return CL_DEVICE_PARTITION_FAILED;
  uint32_t groups = 0;
  for (uint32_t i = 0; i < device->caps.compute_units; i++) {
    if (i > 0 && backend->units[i] / 2 != backend->units[i - 1] / 2) groups++;
    group_of[i] = groups;
  }
  *num_groups_out = groups + 1;
  return CL_SUCCESS;
}

static const struct kiln_driver fake_driver = {.name = "fake",
                                               .close = fake_close,
                                               .partition = fake_partition,
                                               .affinity = fake_affinity,
                                               .affinity_domains = fake_domains};

static inline kiln_device *fake_device_once(uint32_t num_units) {
  struct kiln_driver_device *backend = NULL;
  kiln_device *device = NULL;
  if (fake_open(num_units, &backend) != CL_SUCCESS) return NULL;
  return kiln_device_create_root(kiln_platform_get(), backend, &device) == CL_SUCCESS ? device : NULL;
}

/* Twice when an allocation is made to fail. */
static inline kiln_device *fake_device(uint32_t num_units) {
  kiln_device *device = fake_device_once(num_units);
  return device != NULL ? device : fake_device_once(num_units);
}

static inline const uint32_t *fake_units(const kiln_device *device) {
  return ((const struct fake_backend *)device->backend)->units;
}

#endif
