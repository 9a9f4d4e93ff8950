/* Division of devices: a property list becomes a plan, the plan becomes sub-devices. cl_ext_device_fission
 * comes through here too, its lists translated by fission.c. */
#include "api/subdevice.h"

#include "api/check.h"
#include "api/table.h"
#include "base/alloc.h"

#include <string.h>

/* ---- plan: which compute units go where ---- */

struct plan {
  uint32_t num_parts;
  uint32_t *sizes;                    /* units per part */
  uint32_t *units;                    /* of all parts, one after the other */
  cl_device_partition_property *list; /* as CL_DEVICE_PARTITION_TYPE reports it, 0-ended */
  uint32_t list_size;
  /* The two errors that cl_ext_device_fission numbers in its own way. */
  cl_int count_error, failed_error;
};

static void plan_finish(struct plan *plan) {
  kiln_free(plan->sizes);
  kiln_free(plan->units);
  kiln_free(plan->list);
}

/* Room for parts and units of device, and for a list of list_size entries. */
static cl_int plan_reserve(struct plan *plan, kiln_device *device, uint32_t list_size) {
  uint32_t units = device->backend->caps.compute_units;
  plan->sizes = kiln_zalloc(units * sizeof *plan->sizes);
  plan->units = kiln_zalloc(units * sizeof *plan->units);
  plan->list = kiln_zalloc(list_size * sizeof *plan->list);
  plan->list_size = list_size;
  bool ok = plan->sizes != NULL && plan->units != NULL && plan->list != NULL;
  return ok ? CL_SUCCESS : kiln_fail_oom(NULL);
}

static cl_int plan_equally(struct plan *plan, kiln_device *device, cl_device_partition_property size,
                           const char *where) {
  uint32_t units = device->backend->caps.compute_units;
  /* CL_INVALID_VALUE if values specified in properties are not valid */
  if (size <= 0)
    return kiln_fail(
        NULL, CL_INVALID_VALUE, where,
        "properties[1], the units per sub-device of an equal partition, is %lld; it must be positive",
        (long long)size);
  /* CL_INVALID_DEVICE_PARTITION_COUNT if the total number of compute units requested exceeds
     CL_DEVICE_MAX_COMPUTE_UNITS for in_device */
  if (size > units)
    return kiln_fail(NULL, plan->count_error, where,
                     "properties[1], %lld units per sub-device, exceeds CL_DEVICE_MAX_COMPUTE_UNITS, %u (%s)",
                     (long long)size, units, device->backend->caps.name);
  /* CL_DEVICE_PARTITION_FAILED if in_device could not be further partitioned */
  if (size == units)
    return kiln_fail(NULL, plan->failed_error, where,
                     "properties[1], %lld units per sub-device, would leave all %u units together (%s)",
                     (long long)size, units, device->backend->caps.name);
  cl_int err = plan_reserve(plan, device, 3);
  if (err != CL_SUCCESS) return err;
  plan->num_parts = units / (uint32_t)size;
  for (uint32_t i = 0; i < plan->num_parts; i++) plan->sizes[i] = (uint32_t)size;
  for (uint32_t i = 0; i < units; i++) plan->units[i] = i;
  plan->list[0] = CL_DEVICE_PARTITION_EQUALLY;
  plan->list[1] = size;
  return CL_SUCCESS;
}

static cl_int check_counts(const struct plan *plan, kiln_device *device,
                           const cl_device_partition_property *counts, uint32_t *num_counts_out,
                           const char *where) {
  uint32_t units = device->backend->caps.compute_units;
  uint64_t total = 0;
  uint32_t n = 0;
  for (; counts[n] != CL_DEVICE_PARTITION_BY_COUNTS_LIST_END; n++) {
    /* CL_INVALID_DEVICE_PARTITION_COUNT if the number of compute units requested for one or more sub-devices
       is less than zero or exceeds CL_DEVICE_MAX_COMPUTE_UNITS for in_device */
    if (counts[n] < 0 || counts[n] > units)
      return kiln_fail(
          NULL, plan->count_error, where,
          "the count %lld of sub-device %u is not within 1 to CL_DEVICE_MAX_COMPUTE_UNITS, %u (%s)",
          (long long)counts[n], n, units, device->backend->caps.name);
    /* if the number of sub-devices requested exceeds CL_DEVICE_PARTITION_MAX_SUB_DEVICES, or the total number
       of compute units requested exceeds CL_DEVICE_MAX_COMPUTE_UNITS for in_device */
    total += (uint64_t)counts[n];
    if (total > units)
      return kiln_fail(
          NULL, plan->count_error, where,
          "the counts up to sub-device %u ask for %llu units of CL_DEVICE_MAX_COMPUTE_UNITS, %u (%s)", n,
          (unsigned long long)total, units, device->backend->caps.name);
  }
  /* CL_INVALID_VALUE if values specified in properties are not valid */
  if (n == 0)
    return kiln_fail(NULL, CL_INVALID_VALUE, where, "properties list no count before the list's end");
  *num_counts_out = n;
  return CL_SUCCESS;
}

static cl_int plan_counts(struct plan *plan, kiln_device *device, const cl_device_partition_property *counts,
                          const char *where) {
  uint32_t n = 0;
  cl_int err = check_counts(plan, device, counts, &n, where);
  if (err == CL_SUCCESS) err = plan_reserve(plan, device, n + 3);
  if (err != CL_SUCCESS) return err;
  plan->num_parts = n;
  for (uint32_t i = 0; i < device->backend->caps.compute_units; i++) plan->units[i] = i;
  plan->list[0] = CL_DEVICE_PARTITION_BY_COUNTS;
  for (uint32_t i = 0; i < n; i++) {
    plan->sizes[i] = (uint32_t)counts[i];
    plan->list[1 + i] = counts[i];
  }
  return CL_SUCCESS;
}

/* One sub-device of the named units (cl_ext_device_fission). */
static cl_int plan_names(struct plan *plan, kiln_device *device, const cl_device_partition_property *names,
                         const char *where) {
  uint32_t units = device->backend->caps.compute_units, n = 0;
  for (; names[n] != -1; n++) {
    /* CL_INVALID_PARTITION_COUNT_EXT if more names are given than there are compute units */
    if (n == units)
      return kiln_fail(NULL, plan->count_error, where,
                       "properties name more than CL_DEVICE_MAX_COMPUTE_UNITS, %u, units (%s)", units,
                       device->backend->caps.name);
    /* CL_INVALID_PARTITION_NAME_EXT if a compute unit name is out of range or appears more than once */
    if (names[n] < 0 || names[n] >= units)
      return kiln_fail(NULL, CL_INVALID_PARTITION_NAME_EXT, where,
                       "the unit name %lld is not below CL_DEVICE_MAX_COMPUTE_UNITS, %u (%s)",
                       (long long)names[n], units, device->backend->caps.name);
    for (uint32_t i = 0; i < n; i++)
      if (names[i] == names[n])
        return kiln_fail(NULL, CL_INVALID_PARTITION_NAME_EXT, where, "the unit name %lld is given twice",
                         (long long)names[n]);
  }
  if (n == 0)
    return kiln_fail(NULL, CL_INVALID_VALUE, where, "properties list no name before the list's end");
  cl_int err = plan_reserve(plan, device, n + 3);
  if (err != CL_SUCCESS) return err;
  plan->num_parts = 1;
  plan->sizes[0] = n;
  plan->list[0] = CL_DEVICE_PARTITION_BY_NAMES_EXT;
  for (uint32_t i = 0; i < n; i++) {
    plan->units[i] = (uint32_t)names[i];
    plan->list[1 + i] = names[i];
  }
  plan->list[1 + n] = -1;
  return CL_SUCCESS;
}

/* NUMA, L4, L3, L2, L1: the order of NEXT_PARTITIONABLE and of the bits. */
static const cl_device_affinity_domain domains[] = {
    CL_DEVICE_AFFINITY_DOMAIN_NUMA, CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE, CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE,
    CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE, CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE};
enum { NUM_DOMAINS = sizeof domains / sizeof *domains };

cl_device_affinity_domain kiln_device_affinity_domains(kiln_device *device) {
  if (device->backend->caps.compute_units < 2) return 0;
  cl_device_affinity_domain found = device->backend->driver->affinity_domains(device->backend);
  return found == 0 ? 0 : found | CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE;
}

static cl_device_affinity_domain next_domain(cl_device_affinity_domain supported) {
  for (int i = 0; i < NUM_DOMAINS; i++)
    if ((supported & domains[i]) != 0) return domains[i];
  return 0;
}

/* Sorts units by their group: parts in the order of groups, units of a part in rising order. */
static void plan_groups(struct plan *plan, const uint32_t *group_of, uint32_t units, uint32_t num_groups) {
  uint32_t at = 0;
  plan->num_parts = num_groups;
  for (uint32_t group = 0; group < num_groups; group++)
    for (uint32_t unit = 0; unit < units; unit++)
      if (group_of[unit] == group) {
        plan->units[at++] = unit;
        plan->sizes[group]++;
      }
}

static cl_int plan_affinity(struct plan *plan, kiln_device *device, cl_device_affinity_domain domain,
                            const char *where) {
  /* CL_INVALID_VALUE if values specified in properties are not valid, or are valid but not supported by
     in_device */
  cl_device_affinity_domain supported = kiln_device_affinity_domains(device);
  if ((domain & (domain - 1)) != 0 || (domain & supported) == 0)
    return kiln_fail(NULL, CL_INVALID_VALUE, where,
                     "properties[1], affinity domain 0x%llX, is not one of this device's, 0x%llX (%s)",
                     (unsigned long long)domain, (unsigned long long)supported, device->backend->caps.name);
  if (domain == CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE) domain = next_domain(supported);
  uint32_t units = device->backend->caps.compute_units, num_groups = 0;
  uint32_t *group_of = kiln_zalloc(units * sizeof *group_of);
  cl_int err = plan_reserve(plan, device, 3);
  if (err == CL_SUCCESS && group_of == NULL) err = kiln_fail_oom(NULL);
  if (err == CL_SUCCESS) {
    err = device->backend->driver->affinity(device->backend, domain, group_of, &num_groups);
    if (err == CL_DEVICE_PARTITION_FAILED) err = plan->failed_error;
    if (err != CL_SUCCESS)
      kiln_fail(NULL, err, where, "affinity domain 0x%llX does not divide this device (%s)",
                (unsigned long long)domain, device->backend->caps.name);
  }
  if (err == CL_SUCCESS && group_of != NULL) plan_groups(plan, group_of, units, num_groups);
  kiln_free(group_of);
  if (err != CL_SUCCESS) return err;
  plan->list[0] = CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN;
  plan->list[1] = (cl_device_partition_property)domain;
  return CL_SUCCESS;
}

/* CL_DEVICE_PARTITION_FAILED if the partition name is supported by the implementation but in_device could not
 * be further partitioned */
static cl_int check_divisible(const struct plan *plan, kiln_device *device, const char *where) {
  if (device->backend->caps.compute_units > 1) return CL_SUCCESS;
  return kiln_fail(NULL, plan->failed_error, where, "in_device has a single compute unit (%s)",
                   device->backend->caps.name);
}

/* CL_INVALID_VALUE: only one of the listed partitioning schemes can be specified */
static cl_int check_end(const cl_device_partition_property *properties, const char *where) {
  if (properties[2] == 0) return CL_SUCCESS;
  return kiln_fail(NULL, CL_INVALID_VALUE, where,
                   "properties[2] is 0x%llX; one scheme and its value end with 0",
                   (unsigned long long)properties[2]);
}

static cl_int plan_make(struct plan *plan, kiln_device *device,
                        const cl_device_partition_property *properties, const char *where) {
  cl_int err = CL_SUCCESS;
  switch (properties[0]) {
  case CL_DEVICE_PARTITION_EQUALLY:
    err = check_end(properties, where);
    if (err == CL_SUCCESS) err = check_divisible(plan, device, where);
    return err == CL_SUCCESS ? plan_equally(plan, device, properties[1], where) : err;
  case CL_DEVICE_PARTITION_BY_COUNTS:
    err = check_divisible(plan, device, where);
    return err == CL_SUCCESS ? plan_counts(plan, device, properties + 1, where) : err;
  case CL_DEVICE_PARTITION_BY_NAMES_EXT:
    err = check_divisible(plan, device, where);
    return err == CL_SUCCESS ? plan_names(plan, device, properties + 1, where) : err;
  case CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN:
    err = check_end(properties, where);
    if (err == CL_SUCCESS) err = check_divisible(plan, device, where);
    return err == CL_SUCCESS ? plan_affinity(plan, device, (cl_device_affinity_domain)properties[1], where)
                             : err;
  default:
    /* CL_INVALID_VALUE if values specified in properties are not valid */
    return kiln_fail(NULL, CL_INVALID_VALUE, where, "properties[0], 0x%llX, is no partitioning scheme",
                     (unsigned long long)properties[0]);
  }
}

static void release_all(kiln_device **devices, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) kiln_object_api_release(devices[i]);
}

/* Creates the parts into out_devices, all or none. */
static cl_int plan_create(const struct plan *plan, kiln_device *device, cl_device_id *out_devices,
                          const char *where) {
  kiln_device **made = kiln_zalloc(plan->num_parts * sizeof *made);
  if (made == NULL) return kiln_fail_oom(NULL);
  cl_int err = CL_SUCCESS;
  uint32_t i = 0, unit = 0;
  for (; i < plan->num_parts && err == CL_SUCCESS; i++) {
    err = kiln_device_create_part(device, plan->units + unit, plan->sizes[i], plan->list, plan->list_size,
                                  &made[i]);
    unit += plan->sizes[i];
  }
  if (err == CL_SUCCESS) {
    memcpy(out_devices, made, plan->num_parts * sizeof *made);
  } else {
    kiln_fail(NULL, err, where, "sub-device %u of %u could not be created (%s)", i - 1, plan->num_parts,
              device->backend->caps.name);
    release_all(made, i - 1);
  }
  kiln_free(made);
  return err;
}

cl_int kiln_device_divide(kiln_device *device, const cl_device_partition_property *properties,
                          cl_uint num_devices, cl_device_id *out_devices, cl_uint *num_devices_ret,
                          bool fission, const char *where) {
  struct plan plan = {
      .count_error = fission ? CL_INVALID_PARTITION_COUNT_EXT : CL_INVALID_DEVICE_PARTITION_COUNT,
      .failed_error = fission ? CL_DEVICE_PARTITION_FAILED_EXT : CL_DEVICE_PARTITION_FAILED,
  };
  cl_int err = plan_make(&plan, device, properties, where);
  /* CL_INVALID_VALUE if out_devices is not NULL and num_devices is less than the number of sub-devices
     created by the partition scheme */
  if (err == CL_SUCCESS && out_devices != NULL && num_devices < plan.num_parts)
    err = kiln_fail(NULL, CL_INVALID_VALUE, where,
                    "num_devices %u is less than the %u sub-devices of this partition", num_devices,
                    plan.num_parts);
  if (err == CL_SUCCESS && out_devices != NULL) err = plan_create(&plan, device, out_devices, where);
  if (err == CL_SUCCESS && num_devices_ret != NULL) *num_devices_ret = plan.num_parts;
  plan_finish(&plan);
  return err;
}

/* ---- core entry points ---- */

cl_int kiln_clCreateSubDevices(cl_device_id in_device, const cl_device_partition_property *properties,
                               cl_uint num_devices, cl_device_id *out_devices, cl_uint *num_devices_ret) {
  /* CL_INVALID_DEVICE if in_device is not a valid device */
  KILN_CHECK(NULL, in_device, DEVICE);
  /* CL_INVALID_VALUE if values specified in properties are not valid */
  KILN_REQUIRE(NULL, properties != NULL, CL_INVALID_VALUE, "properties is NULL");
  KILN_REQUIRE(NULL, properties[0] != CL_DEVICE_PARTITION_BY_NAMES_EXT, CL_INVALID_VALUE,
               "properties[0] is CL_DEVICE_PARTITION_BY_NAMES_EXT, which only clCreateSubDevicesEXT takes");
  return kiln_device_divide(in_device, properties, num_devices, out_devices, num_devices_ret, false,
                            __func__);
}

/* Root devices are counted by nobody. */
static cl_int retain(cl_device_id device, const char *where) {
  /* CL_INVALID_DEVICE if device is not a valid device */
  cl_int err = kiln_check_handle(NULL, device, KILN_T_DEVICE, where, "device");
  if (err != CL_SUCCESS || device->parent == NULL || kiln_object_api_retain(device)) return err;
  return kiln_fail(NULL, CL_INVALID_DEVICE, where, "device %p is being destroyed", (void *)device);
}

static cl_int release(cl_device_id device, const char *where) {
  /* CL_INVALID_DEVICE if device is not a valid device */
  cl_int err = kiln_check_handle(NULL, device, KILN_T_DEVICE, where, "device");
  if (err != CL_SUCCESS || device->parent == NULL || kiln_object_api_release(device)) return err;
  return kiln_fail(NULL, CL_INVALID_DEVICE, where, "device %p was released more often than retained",
                   (void *)device);
}

cl_int kiln_clRetainDevice(cl_device_id device) { return retain(device, __func__); }
cl_int kiln_clReleaseDevice(cl_device_id device) { return release(device, __func__); }
cl_int kiln_clRetainDeviceEXT(cl_device_id device) { return retain(device, __func__); }
cl_int kiln_clReleaseDeviceEXT(cl_device_id device) { return release(device, __func__); }

/* ---- queries ---- */

uint32_t kiln_device_partition_schemes(kiln_device *device, cl_device_partition_property schemes_out[3]) {
  uint32_t count = 0;
  if (device->backend->caps.compute_units > 1) {
    schemes_out[count++] = CL_DEVICE_PARTITION_EQUALLY;
    schemes_out[count++] = CL_DEVICE_PARTITION_BY_COUNTS;
    if (kiln_device_affinity_domains(device) != 0)
      schemes_out[count++] = CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN;
  }
  return count;
}

bool kiln_partition_query(const struct kiln_info *info, kiln_device *device, cl_int *err_out) {
  /* "a value of 0 will be returned" where there is nothing to list */
  cl_device_partition_property schemes[3] = {0};
  uint32_t count;
  switch (info->param) {
  case CL_DEVICE_PARTITION_PROPERTIES:
    count = kiln_device_partition_schemes(device, schemes);
    *err_out = kiln_info_bytes(info, schemes, (count == 0 ? 1 : count) * sizeof *schemes);
    return true;
  case CL_DEVICE_PARTITION_TYPE:
    *err_out = device->partition_size == 0
                   ? kiln_info_bytes(info, schemes, sizeof *schemes)
                   : kiln_info_bytes(info, device->partition, device->partition_size * sizeof *schemes);
    return true;
  default:
    return kiln_fission_query(info, device, err_out);
  }
}
