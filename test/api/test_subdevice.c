/* clCreateSubDevices, cl_ext_device_fission and their queries, on a device that is divided but runs nothing.
 */
#include "api/expect.h"
#include "api/fake_device.h"
#include "api/table.h"

typedef cl_device_partition_property property;
typedef cl_device_partition_property_ext property_ext;

static kiln_device *root;

static int open_root(void **state) {
  root = fake_device(FAKE_UNITS);
  return root == NULL;
}

static int close_root(void **state) {
  kiln_unref(&root);
  return 0;
}

static uint32_t units_of(cl_device_id device) { return device->backend->caps.compute_units; }

static void release_all(cl_device_id *devices, cl_uint count) {
  for (cl_uint i = 0; i < count; i++) expect_success(kiln_clReleaseDevice(devices[i]));
}

static void equally(void **state) {
  const property list[] = {CL_DEVICE_PARTITION_EQUALLY, 3, 0};
  cl_device_id parts[FAKE_UNITS];
  cl_uint count = 0;
  expect_success(kiln_clCreateSubDevices(root, list, 0, NULL, &count));
  assert_int_equal(count, 2); /* two units are not used */
  expect_success(kiln_clCreateSubDevices(root, list, FAKE_UNITS, parts, &count));
  assert_int_equal(count, 2);
  for (cl_uint i = 0; i < count; i++) {
    assert_int_equal(units_of(parts[i]), 3);
    for (uint32_t u = 0; u < 3; u++) assert_int_equal(fake_units(parts[i])[u], 3 * i + u);
  }
  property reported[8];
  size_t size;
  expect_success(kiln_clGetDeviceInfo(parts[1], CL_DEVICE_PARTITION_TYPE, sizeof reported, reported, &size));
  assert_int_equal(size, sizeof list);
  assert_memory_equal(reported, list, sizeof list);
  cl_device_id parent;
  expect_success(kiln_clGetDeviceInfo(parts[0], CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL));
  assert_ptr_equal(parent, root);
  release_all(parts, count);
}

static void by_counts(void **state) {
  const property list[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 4, 2, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
  cl_device_id parts[3];
  cl_uint count = 0;
  expect_success(kiln_clCreateSubDevices(root, list, 3, parts, &count));
  assert_int_equal(count, 3);
  assert_int_equal(units_of(parts[0]), 1);
  assert_int_equal(units_of(parts[1]), 4);
  assert_int_equal(units_of(parts[2]), 2);
  assert_int_equal(fake_units(parts[1])[0], 1);
  assert_int_equal(fake_units(parts[2])[1], 6);
  property reported[8];
  size_t size;
  expect_success(kiln_clGetDeviceInfo(parts[2], CL_DEVICE_PARTITION_TYPE, sizeof reported, reported, &size));
  assert_int_equal(size, sizeof list);
  assert_memory_equal(reported, list, sizeof list);
  release_all(parts, count);
}

static void by_affinity(void **state) {
  const property next[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                           CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE, 0};
  const property l2[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE, 0};
  cl_device_id parts[4];
  cl_uint count = 0;
  expect_success(kiln_clCreateSubDevices(root, next, 4, parts, &count));
  assert_int_equal(count, 4);
  for (cl_uint i = 0; i < 4; i++) assert_int_equal(fake_units(parts[i])[0], 2 * i);
  /* the domain found is reported, not NEXT_PARTITIONABLE */
  property reported[8];
  size_t size;
  expect_success(kiln_clGetDeviceInfo(parts[0], CL_DEVICE_PARTITION_TYPE, sizeof reported, reported, &size));
  assert_int_equal(size, sizeof l2);
  assert_memory_equal(reported, l2, sizeof l2);
  /* a part that no domain divides does not list the scheme */
  expect_success(
      kiln_clGetDeviceInfo(parts[0], CL_DEVICE_PARTITION_PROPERTIES, sizeof reported, reported, &size));
  assert_int_equal(size, 2 * sizeof *reported);
  expect_error(CL_INVALID_VALUE, "properties[1], affinity domain 0x20, is not one of this device's, 0x0",
               kiln_clCreateSubDevices(parts[0], next, 4, parts, &count));
  release_all(parts, 4);
}

static void parts_of_parts(void **state) {
  const property halves[] = {CL_DEVICE_PARTITION_EQUALLY, 4, 0}, ones[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  cl_device_id half[2], one[4];
  expect_success(kiln_clCreateSubDevices(root, halves, 2, half, NULL));
  expect_success(kiln_clCreateSubDevices(half[1], ones, 4, one, NULL));
  assert_int_equal(fake_units(one[2])[0], 6);
  assert_ptr_equal(kiln_device_root(one[0]), root);
  /* a part keeps its parent: the application may release that first */
  release_all(half, 2);
  cl_device_id parent;
  expect_success(kiln_clGetDeviceInfo(one[0], CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL));
  assert_ptr_equal(parent, half[1]);
  expect_error(CL_DEVICE_PARTITION_FAILED, "in_device has a single compute unit (fake device)",
               kiln_clCreateSubDevices(one[0], ones, 4, one, NULL));
  release_all(one, 4);
}

static void references(void **state) {
  const property list[] = {CL_DEVICE_PARTITION_EQUALLY, 4, 0};
  cl_device_id parts[2];
  cl_uint count;
  expect_success(kiln_clCreateSubDevices(root, list, 2, parts, NULL));
  expect_success(kiln_clRetainDevice(parts[0]));
  expect_success(kiln_clRetainDeviceEXT(parts[0]));
  expect_success(kiln_clGetDeviceInfo(parts[0], CL_DEVICE_REFERENCE_COUNT, sizeof count, &count, NULL));
  assert_int_equal(count, 3);
  expect_success(kiln_clReleaseDeviceEXT(parts[0]));
  expect_success(kiln_clReleaseDevice(parts[0]));
  expect_success(kiln_clGetDeviceInfo(parts[0], CL_DEVICE_REFERENCE_COUNT_EXT, sizeof count, &count, NULL));
  assert_int_equal(count, 1);
  /* kept alive by us alone: the last application reference is gone, a retain revives it */
  kiln_device *kept = kiln_ref(parts[0]);
  expect_success(kiln_clReleaseDevice(parts[0]));
  expect_error(CL_INVALID_DEVICE, "was released more often than retained", kiln_clReleaseDevice(parts[0]));
  expect_success(kiln_clRetainDevice(parts[0]));
  kiln_unref(&kept);
  /* root devices are counted by nobody */
  expect_success(kiln_clRetainDevice(root));
  for (int i = 0; i < 5; i++) expect_success(kiln_clReleaseDevice(root));
  expect_success(kiln_clGetDeviceInfo(root, CL_DEVICE_REFERENCE_COUNT, sizeof count, &count, NULL));
  assert_int_equal(count, 1);
  release_all(parts, 2);
  expect_error(CL_INVALID_DEVICE, "device is NULL", kiln_clRetainDevice(NULL));
  expect_error(CL_INVALID_DEVICE, "device is NULL", kiln_clReleaseDevice(NULL));
  expect_error(CL_INVALID_DEVICE, "device is NULL", kiln_clRetainDeviceEXT(NULL));
  expect_error(CL_INVALID_DEVICE, "device is NULL", kiln_clReleaseDeviceEXT(NULL));
}

static void retain_while_destroyed(void **state) {
  kiln_device dying = {.parent = root, .backend = root->backend};
  kiln_object_init(&dying.object, KILN_T_DEVICE);
  dying.object.refs = dying.object.api_refs = 0;
  expect_error(CL_INVALID_DEVICE, "is being destroyed", kiln_clRetainDevice(&dying));
}

static void wrong_arguments(void **state) {
  const property equal[] = {CL_DEVICE_PARTITION_EQUALLY, 2, 0};
  cl_device_id parts[FAKE_UNITS];
  cl_uint count;
  expect_error(CL_INVALID_DEVICE, "in_device is NULL",
               kiln_clCreateSubDevices(NULL, equal, 8, parts, &count));
  expect_error(CL_INVALID_VALUE, "properties is NULL", kiln_clCreateSubDevices(root, NULL, 8, parts, &count));
  expect_error(CL_INVALID_VALUE, "num_devices 3 is less than the 4 sub-devices of this partition",
               kiln_clCreateSubDevices(root, equal, 3, parts, &count));
  expect_error(CL_INVALID_VALUE, "num_devices 0 is less than",
               kiln_clCreateSubDevices(root, equal, 0, parts, &count));

#define REFUSED(code, text, ...)                                                                             \
  do {                                                                                                       \
    const property list[] = {__VA_ARGS__};                                                                   \
    expect_error(code, text, kiln_clCreateSubDevices(root, list, FAKE_UNITS, parts, &count));                \
  } while (0)
  REFUSED(CL_INVALID_VALUE, "properties[0], 0x1234, is no partitioning scheme", 0x1234, 1, 0);
  REFUSED(CL_INVALID_VALUE, "properties[0], 0xFFFFFFFFFFFFFFFF, is no", -1, 1, 0);
  REFUSED(CL_INVALID_VALUE, "properties[0], 0x0, is no", 0);
  REFUSED(CL_INVALID_VALUE, "which only clCreateSubDevicesEXT takes", CL_DEVICE_PARTITION_BY_NAMES_EXT, 1, -1,
          0);
  REFUSED(CL_INVALID_VALUE, "properties[2] is 0x1087; one scheme and its value end with 0",
          CL_DEVICE_PARTITION_EQUALLY, 2, CL_DEVICE_PARTITION_BY_COUNTS, 1, 0, 0);
  REFUSED(CL_INVALID_VALUE, "units per sub-device of an equal partition, is 0; it must be positive",
          CL_DEVICE_PARTITION_EQUALLY, 0, 0);
  REFUSED(CL_INVALID_VALUE, "is -1; it must be positive", CL_DEVICE_PARTITION_EQUALLY, -1, 0);
  REFUSED(CL_DEVICE_PARTITION_FAILED, "8 units per sub-device, would leave all 8 units together",
          CL_DEVICE_PARTITION_EQUALLY, 8, 0);
  REFUSED(CL_INVALID_DEVICE_PARTITION_COUNT,
          "9 units per sub-device, exceeds CL_DEVICE_MAX_COMPUTE_UNITS, 8 (fake", CL_DEVICE_PARTITION_EQUALLY,
          9, 0);
  REFUSED(CL_INVALID_VALUE, "properties list no count before the list's end", CL_DEVICE_PARTITION_BY_COUNTS,
          0, 0);
  REFUSED(CL_INVALID_DEVICE_PARTITION_COUNT, "the count -1 of sub-device 1 is not within 1 to",
          CL_DEVICE_PARTITION_BY_COUNTS, 1, -1, 0, 0);
  REFUSED(CL_INVALID_DEVICE_PARTITION_COUNT, "the count 9 of sub-device 0 is not within 1 to",
          CL_DEVICE_PARTITION_BY_COUNTS, 9, 0, 0);
  REFUSED(CL_INVALID_DEVICE_PARTITION_COUNT,
          "the counts up to sub-device 2 ask for 9 units of CL_DEVICE_MAX_COMPUTE_UNITS, 8 (fake device)",
          CL_DEVICE_PARTITION_BY_COUNTS, 3, 3, 3, 0, 0);
  REFUSED(CL_INVALID_VALUE, "affinity domain 0x1, is not one of this device's, 0x28 (fake device)",
          CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, CL_DEVICE_AFFINITY_DOMAIN_NUMA, 0);
  REFUSED(CL_INVALID_VALUE, "affinity domain 0x0, is not one of this device's",
          CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, 0, 0);
  fake_failing_size = UINT32_MAX;
  REFUSED(CL_DEVICE_PARTITION_FAILED, "affinity domain 0x8 does not divide this device (fake device)",
          CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE, 0);
  fake_failing_size = 3; /* the second part: the first is given back */
  size_t live = kiln_alloc_live();
  REFUSED(CL_OUT_OF_RESOURCES, "sub-device 1 of 2 could not be created (fake device)",
          CL_DEVICE_PARTITION_BY_COUNTS, 2, 3, 0, 0);
  assert_int_equal(kiln_alloc_live(), live);
  fake_failing_size = 0;
#undef REFUSED
}

static void short_of_memory(void **state) {
  const property list[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE, 0};
  cl_device_id parts[4] = {NULL};
  size_t live = kiln_alloc_live(), n = 1;
  cl_int err;
  do {
    kiln_alloc_fail_nth(n++);
    err = kiln_clCreateSubDevices(root, list, 4, parts, NULL);
    kiln_alloc_fail_nth(0);
    if (err != CL_SUCCESS) {
      assert_int_equal(err, CL_OUT_OF_HOST_MEMORY);
      assert_null(parts[0]);
      assert_int_equal(kiln_alloc_live(), live);
    }
  } while (err != CL_SUCCESS);
  assert_true(n > 5);
  release_all(parts, 4);
  assert_int_equal(kiln_alloc_live(), live);
}

static void queries(void **state) {
  kiln_device *single = fake_device(1);
  property list[4];
  property_ext list_ext[6];
  cl_device_affinity_domain domain;
  cl_uint most;
  size_t size;
  expect_success(kiln_clGetDeviceInfo(root, CL_DEVICE_PARTITION_PROPERTIES, sizeof list, list, &size));
  assert_int_equal(size, 3 * sizeof *list);
  expect_success(kiln_clGetDeviceInfo(root, CL_DEVICE_PARTITION_MAX_SUB_DEVICES, sizeof most, &most, NULL));
  assert_int_equal(most, FAKE_UNITS);
  expect_success(kiln_clGetDeviceInfo(root, CL_DEVICE_PARTITION_TYPE, sizeof list, list, &size));
  assert_int_equal(size, sizeof *list);
  assert_int_equal(list[0], 0);
  /* "If the device cannot be partitioned ... a value of 0 will be returned." */
  expect_success(kiln_clGetDeviceInfo(single, CL_DEVICE_PARTITION_PROPERTIES, sizeof list, list, &size));
  assert_int_equal(size, sizeof *list);
  assert_int_equal(list[0], 0);
  expect_success(
      kiln_clGetDeviceInfo(single, CL_DEVICE_PARTITION_AFFINITY_DOMAIN, sizeof domain, &domain, NULL));
  assert_int_equal(domain, 0);
  expect_success(kiln_clGetDeviceInfo(root, CL_DEVICE_PARTITION_TYPES_EXT, sizeof list_ext, list_ext, &size));
  assert_int_equal(size, 4 * sizeof *list_ext);
  expect_success(
      kiln_clGetDeviceInfo(single, CL_DEVICE_PARTITION_TYPES_EXT, sizeof list_ext, list_ext, &size));
  assert_int_equal(size, sizeof *list_ext);
  expect_success(
      kiln_clGetDeviceInfo(root, CL_DEVICE_AFFINITY_DOMAINS_EXT, sizeof list_ext, list_ext, &size));
  assert_int_equal(size, 2 * sizeof *list_ext);
  assert_int_equal(list_ext[0], CL_AFFINITY_DOMAIN_L2_CACHE_EXT);
  assert_int_equal(list_ext[1], CL_AFFINITY_DOMAIN_NEXT_FISSIONABLE_EXT);
  kiln_unref(&single);
}

static void fission(void **state) {
  cl_device_id parts[FAKE_UNITS];
  cl_uint count = 0;
  size_t size;
  property_ext reported[8];
#define MADE(number, ...)                                                                                    \
  do {                                                                                                       \
    const property_ext list[] = {__VA_ARGS__};                                                               \
    expect_success(kiln_clCreateSubDevicesEXT(root, list, 0, NULL, &count));                                 \
    assert_int_equal(count, number);                                                                         \
    expect_success(kiln_clCreateSubDevicesEXT(root, list, FAKE_UNITS, parts, &count));                       \
    expect_success(                                                                                          \
        kiln_clGetDeviceInfo(parts[0], CL_DEVICE_PARTITION_STYLE_EXT, sizeof reported, reported, &size));    \
    assert_int_equal(size, sizeof list);                                                                     \
    assert_memory_equal(reported, list, size);                                                               \
  } while (0)
  MADE(4, CL_DEVICE_PARTITION_EQUALLY_EXT, 2, 0);
  release_all(parts, count);
  MADE(2, CL_DEVICE_PARTITION_BY_COUNTS_EXT, 2, 5, CL_PARTITION_BY_COUNTS_LIST_END_EXT, 0);
  release_all(parts, count);
  MADE(4, CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN_EXT, CL_AFFINITY_DOMAIN_L2_CACHE_EXT, 0);
  release_all(parts, count);
  MADE(1, CL_DEVICE_PARTITION_BY_NAMES_EXT, 6, 0, 3, CL_PARTITION_BY_NAMES_LIST_END_EXT, 0);
#undef MADE
  assert_int_equal(units_of(parts[0]), 3);
  assert_int_equal(fake_units(parts[0])[0], 6);
  assert_int_equal(fake_units(parts[0])[2], 3);
  release_all(parts, 1);
  expect_success(kiln_clGetDeviceInfo(root, CL_DEVICE_PARTITION_STYLE_EXT, sizeof reported, reported, &size));
  assert_int_equal(size, sizeof *reported);
  cl_device_id parent = root;
  expect_success(kiln_clGetDeviceInfo(root, CL_DEVICE_PARENT_DEVICE_EXT, sizeof parent, &parent, NULL));
  assert_null(parent);
}

static void fission_wrong_arguments(void **state) {
  const property_ext equal[] = {CL_DEVICE_PARTITION_EQUALLY_EXT, 2, 0};
  cl_device_id parts[FAKE_UNITS];
  cl_uint count;
  expect_error(CL_INVALID_DEVICE, "in_device is NULL",
               kiln_clCreateSubDevicesEXT(NULL, equal, 8, parts, &count));
  expect_error(CL_INVALID_VALUE, "properties is NULL",
               kiln_clCreateSubDevicesEXT(root, NULL, 8, parts, &count));
  expect_error(CL_INVALID_VALUE, "num_entries is 0 and out_devices is not NULL",
               kiln_clCreateSubDevicesEXT(root, equal, 0, parts, &count));
  expect_error(CL_INVALID_VALUE, "out_devices and num_devices are both NULL",
               kiln_clCreateSubDevicesEXT(root, equal, 0, NULL, NULL));
#define REFUSED(code, text, ...)                                                                             \
  do {                                                                                                       \
    const property_ext list[] = {__VA_ARGS__};                                                               \
    expect_error(code, text, kiln_clCreateSubDevicesEXT(root, list, FAKE_UNITS, parts, &count));             \
  } while (0)
  REFUSED(CL_INVALID_VALUE, "properties[0], 0x1086, is no partitioning scheme", CL_DEVICE_PARTITION_EQUALLY,
          1, 0);
  REFUSED(CL_INVALID_PARTITION_COUNT_EXT, "9 units per sub-device", CL_DEVICE_PARTITION_EQUALLY_EXT, 9, 0);
  REFUSED(CL_DEVICE_PARTITION_FAILED_EXT, "would leave all", CL_DEVICE_PARTITION_EQUALLY_EXT, 8, 0);
  REFUSED(CL_INVALID_PARTITION_COUNT_EXT, "ask for 10 units", CL_DEVICE_PARTITION_BY_COUNTS_EXT, 5, 5, 0, 0);
  REFUSED(CL_INVALID_VALUE, "affinity domain 0x0", CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN_EXT, 7, 0);
  REFUSED(CL_INVALID_VALUE, "properties list no name before the list's end", CL_DEVICE_PARTITION_BY_NAMES_EXT,
          CL_PARTITION_BY_NAMES_LIST_END_EXT, 0);
  REFUSED(CL_INVALID_PARTITION_NAME_EXT, "the unit name 8 is not below CL_DEVICE_MAX_COMPUTE_UNITS, 8 (fake",
          CL_DEVICE_PARTITION_BY_NAMES_EXT, 1, 8, CL_PARTITION_BY_NAMES_LIST_END_EXT, 0);
  REFUSED(CL_INVALID_PARTITION_NAME_EXT, "the unit name 1 is given twice", CL_DEVICE_PARTITION_BY_NAMES_EXT,
          1, 2, 1, CL_PARTITION_BY_NAMES_LIST_END_EXT, 0);
  REFUSED(CL_INVALID_PARTITION_COUNT_EXT, "properties name more than CL_DEVICE_MAX_COMPUTE_UNITS, 8, units",
          CL_DEVICE_PARTITION_BY_NAMES_EXT, 0, 1, 2, 3, 4, 5, 6, 7, 0, CL_PARTITION_BY_NAMES_LIST_END_EXT, 0);
#undef REFUSED
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equally),
      cmocka_unit_test(by_counts),
      cmocka_unit_test(by_affinity),
      cmocka_unit_test(parts_of_parts),
      cmocka_unit_test(references),
      cmocka_unit_test(retain_while_destroyed),
      cmocka_unit_test(wrong_arguments),
      cmocka_unit_test(short_of_memory),
      cmocka_unit_test(queries),
      cmocka_unit_test(fission),
      cmocka_unit_test(fission_wrong_arguments),
  };
  return alloc_fail_run_group(tests, open_root, close_root);
}
