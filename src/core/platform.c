/* Owns the platform object and the opening of the drivers. Knows the drivers by their tables only. */
#include "core/platform.h"

#include "base/lock.h"
#include "base/log.h"
#include "base/os.h"
#include "core/fork.h"

static const struct kiln_driver *const drivers[] = {&kiln_driver_cpu};

static kiln_platform platform;
static atomic_bool opened;
static struct kiln_lock lock = KILN_LOCK_INIT(KILN_RANK_PLATFORM); /* the opening of the drivers */

static cl_int open_driver(const struct kiln_driver *driver) {
  unsigned count = 0;
  cl_int err = driver->probe(&count);
  if (err != CL_SUCCESS) return err;
  for (unsigned i = 0; i < count && platform.num_devices < KILN_MAX_ROOT_DEVICES; i++) {
    struct kiln_driver_device *backend = NULL;
    kiln_device *device = NULL;
    err = driver->open(i, &backend);
    if (err == CL_SUCCESS) err = kiln_device_create_root(&platform, backend, &device);
    if (err != CL_SUCCESS) return err;
    platform.devices[platform.num_devices++] = device;
  }
  return CL_SUCCESS;
}

static void open_drivers(void) {
  kiln_log_init();
  kiln_os_watch_forks();
  kiln_object_init(&platform.object, KILN_T_PLATFORM);
  for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++) {
    cl_int err = open_driver(drivers[i]);
    if (err != CL_SUCCESS)
      kiln_log(KILN_LOG_DEVICE, KILN_LOG_ERROR, "driver %s could not be opened, error %d", drivers[i]->name,
               err);
  }
}

kiln_platform *kiln_platform_get(void) {
  if (atomic_load_explicit(&opened, memory_order_acquire)) return &platform;
  kiln_fork_watch();
  kiln_lock(&lock);
  if (!atomic_load_explicit(&opened, memory_order_relaxed)) {
    open_drivers();
    atomic_store_explicit(&opened, platform.num_devices > 0, memory_order_release);
  }
  kiln_unlock(&lock);
  return &platform;
}

void kiln_platform_fork(enum kiln_fork_phase phase) {
  if (phase == KILN_FORK_PREPARE) pthread_mutex_lock(&lock.mutex);
  else pthread_mutex_unlock(&lock.mutex);
}

uint32_t kiln_platform_match(const kiln_platform *p, cl_device_type type,
                             kiln_device *devices_out[KILN_MAX_ROOT_DEVICES]) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < p->num_devices; i++) {
    cl_device_type kind = p->devices[i]->backend->caps.type;
    if (i == 0) kind |= CL_DEVICE_TYPE_DEFAULT;
    if ((kind & type) != 0) devices_out[count++] = p->devices[i];
  }
  return count;
}
