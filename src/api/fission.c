/* cl_ext_device_fission: its numbers for schemes, domains and errors, translated to those of the core. */
#include "api/check.h"
#include "api/subdevice.h"
#include "api/table.h"
#include "base/alloc.h"

struct pair {
  cl_ulong ext;
  cl_long core;
};

static const struct pair schemes[] = {
    {CL_DEVICE_PARTITION_EQUALLY_EXT, CL_DEVICE_PARTITION_EQUALLY},
    {CL_DEVICE_PARTITION_BY_COUNTS_EXT, CL_DEVICE_PARTITION_BY_COUNTS},
    {CL_DEVICE_PARTITION_BY_NAMES_EXT, CL_DEVICE_PARTITION_BY_NAMES_EXT},
    {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN_EXT, CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN},
};
static const struct pair domains[] = {
    {CL_AFFINITY_DOMAIN_NUMA_EXT, CL_DEVICE_AFFINITY_DOMAIN_NUMA},
    {CL_AFFINITY_DOMAIN_L4_CACHE_EXT, CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE},
    {CL_AFFINITY_DOMAIN_L3_CACHE_EXT, CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE},
    {CL_AFFINITY_DOMAIN_L2_CACHE_EXT, CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE},
    {CL_AFFINITY_DOMAIN_L1_CACHE_EXT, CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE},
    {CL_AFFINITY_DOMAIN_NEXT_FISSIONABLE_EXT, CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE},
};
enum { NUM_SCHEMES = sizeof schemes / sizeof *schemes, NUM_DOMAINS = sizeof domains / sizeof *domains };

/* 0 if the list has no such row. */
static cl_long to_core(const struct pair *list, size_t count, cl_ulong ext) {
  for (size_t i = 0; i < count; i++)
    if (list[i].ext == ext) return list[i].core;
  return 0;
}

static cl_ulong to_ext(const struct pair *list, size_t count, cl_long core) {
  for (size_t i = 0; i < count; i++)
    if (list[i].core == core) return list[i].ext;
  return 0;
}

/* Entries of the list, its last 0 left out. */
static size_t list_length(const cl_device_partition_property_ext *properties) {
  size_t n = 1;
  if (properties[0] == CL_DEVICE_PARTITION_BY_COUNTS_EXT)
    while (properties[n] != CL_PARTITION_BY_COUNTS_LIST_END_EXT) n++;
  else if (properties[0] == CL_DEVICE_PARTITION_BY_NAMES_EXT)
    while (properties[n] != CL_PARTITION_BY_NAMES_LIST_END_EXT) n++;
  else n = 2; /* and what follows the value, for the check that nothing does */
  return n + 1;
}

cl_int kiln_clCreateSubDevicesEXT(cl_device_id in_device, const cl_device_partition_property_ext *properties,
                                  cl_uint num_entries, cl_device_id *out_devices, cl_uint *num_devices) {
  /* CL_INVALID_DEVICE if in_device is not a valid device */
  KILN_CHECK(NULL, in_device, DEVICE);
  /* CL_INVALID_VALUE if values specified in properties are not valid */
  KILN_REQUIRE(NULL, properties != NULL, CL_INVALID_VALUE, "properties is NULL");
  cl_long scheme = to_core(schemes, NUM_SCHEMES, properties[0]);
  KILN_REQUIRE(NULL, scheme != 0, CL_INVALID_VALUE, "properties[0], 0x%llX, is no partitioning scheme",
               (unsigned long long)properties[0]);
  /* CL_INVALID_VALUE if num_entries is 0 and out_devices is not NULL, or both out_devices and num_devices are
     NULL */
  KILN_REQUIRE(NULL, out_devices == NULL || num_entries > 0, CL_INVALID_VALUE,
               "num_entries is 0 and out_devices is not NULL");
  KILN_REQUIRE(NULL, out_devices != NULL || num_devices != NULL, CL_INVALID_VALUE,
               "out_devices and num_devices are both NULL");
  size_t length = list_length(properties);
  cl_device_partition_property *core = kiln_zalloc((length + 1) * sizeof *core);
  if (core == NULL) return kiln_fail_oom(NULL);
  for (size_t i = 0; i < length; i++) core[i] = (cl_device_partition_property)properties[i];
  core[0] = (cl_device_partition_property)scheme;
  if (scheme == CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN)
    core[1] = (cl_device_partition_property)to_core(domains, NUM_DOMAINS, properties[1]);
  cl_int err = kiln_device_divide(in_device, core, num_entries, out_devices, num_devices, true, __func__);
  kiln_free(core);
  return err;
}

/* ---- queries ---- */

static cl_int types_query(const struct kiln_info *info, kiln_device *device) {
  cl_device_partition_property core[3];
  cl_device_partition_property_ext list[4] = {0};
  uint32_t count = kiln_device_partition_schemes(device, core);
  for (uint32_t i = 0; i < count; i++) list[i] = to_ext(schemes, NUM_SCHEMES, core[i]);
  if (count > 0) list[count++] = CL_DEVICE_PARTITION_BY_NAMES_EXT;
  return kiln_info_bytes(info, list, (count == 0 ? 1 : count) * sizeof *list);
}

static cl_int domains_query(const struct kiln_info *info, kiln_device *device) {
  cl_device_partition_property_ext list[NUM_DOMAINS] = {0};
  cl_device_affinity_domain found = kiln_device_affinity_domains(device);
  uint32_t count = 0;
  for (size_t i = 0; i < NUM_DOMAINS; i++)
    if ((found & (cl_device_affinity_domain)domains[i].core) != 0) list[count++] = domains[i].ext;
  return kiln_info_bytes(info, list, (count == 0 ? 1 : count) * sizeof *list);
}

static cl_int style_query(const struct kiln_info *info, kiln_device *device) {
  const cl_device_partition_property_ext none = CL_PROPERTIES_LIST_END_EXT;
  if (device->partition_size == 0) return kiln_info_bytes(info, &none, sizeof none);
  cl_device_partition_property_ext *list = kiln_zalloc(device->partition_size * sizeof *list);
  if (list == NULL) return kiln_fail_oom(NULL);
  for (uint32_t i = 0; i < device->partition_size; i++) list[i] = (cl_ulong)device->partition[i];
  list[0] = to_ext(schemes, NUM_SCHEMES, device->partition[0]);
  if (device->partition[0] == CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN)
    list[1] = to_ext(domains, NUM_DOMAINS, device->partition[1]);
  cl_int err = kiln_info_bytes(info, list, device->partition_size * sizeof *list);
  kiln_free(list);
  return err;
}

bool kiln_fission_query(const struct kiln_info *info, kiln_device *device, cl_int *err_out) {
  switch (info->param) {
  case CL_DEVICE_PARTITION_TYPES_EXT:
    *err_out = types_query(info, device);
    return true;
  case CL_DEVICE_AFFINITY_DOMAINS_EXT:
    *err_out = domains_query(info, device);
    return true;
  case CL_DEVICE_PARTITION_STYLE_EXT:
    *err_out = style_query(info, device);
    return true;
  default:
    return false;
  }
}
