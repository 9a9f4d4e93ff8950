/* clGetDeviceIDs, clGetDeviceInfo, the timers. */
#include "api/fixture.h"

#include <time.h>

static void ids(void **state) {
  cl_platform_id platform = kiln_platform_get();
  cl_device_id devices[KILN_MAX_ROOT_DEVICES] = {NULL}, one = NULL;
  cl_uint count = 0, all = 0;
  expect_success(kiln_clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &all));
  assert_true(all >= 1);
  expect_success(kiln_clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, KILN_MAX_ROOT_DEVICES, devices, &count));
  assert_int_equal(count, all);
  expect_success(kiln_clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 1, &one, &count));
  assert_int_equal(count, 1);
  assert_ptr_equal(one, devices[0]);
  expect_success(kiln_clGetDeviceIDs(NULL, CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU, 1, &one, NULL));
  expect_success(
      kiln_clGetDeviceIDs(NULL, CL_DEVICE_TYPE_ALL & ~(cl_device_type)CL_DEVICE_TYPE_CUSTOM, 1, &one, NULL));
  expect_error(CL_INVALID_PLATFORM, "is not a live platform",
               kiln_clGetDeviceIDs(not_a_handle(), CL_DEVICE_TYPE_ALL, 1, &one, NULL));
  expect_error(CL_INVALID_DEVICE_TYPE, "device_type 0x0 is not a combination",
               kiln_clGetDeviceIDs(platform, 0, 1, &one, NULL));
  expect_error(CL_INVALID_DEVICE_TYPE, "device_type 0x40 is not a combination",
               kiln_clGetDeviceIDs(platform, 0x40, 1, &one, NULL));
  expect_error(CL_INVALID_VALUE, "num_entries is 0 and devices is not NULL",
               kiln_clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, &one, NULL));
  expect_error(CL_INVALID_VALUE, "devices and num_devices are both NULL",
               kiln_clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, NULL, NULL));
  expect_error(CL_DEVICE_NOT_FOUND, "devices has device_type 0x10",
               kiln_clGetDeviceIDs(platform, CL_DEVICE_TYPE_CUSTOM, 1, &one, NULL));
}

static cl_ulong number(cl_device_id device, cl_device_info param, size_t expected_size) {
  cl_ulong value = 0;
  size_t size = 0;
  expect_success(kiln_clGetDeviceInfo(device, param, sizeof value, &value, &size));
  assert_int_equal(size, expected_size);
  return value;
}
#define NUMBER(param, type) number(f->device, param, sizeof(type))

static const char *string(cl_device_id device, cl_device_info param) {
  static char text[4096];
  size_t size;
  expect_success(kiln_clGetDeviceInfo(device, param, sizeof text, text, &size));
  assert_int_equal(size, strlen(text) + 1);
  return text;
}

/* The least a full-profile OpenCL 3.0 device reports. */
static void minima(void **state) {
  struct fixture *f = *state;
  assert_int_equal(NUMBER(CL_DEVICE_TYPE, cl_device_type), CL_DEVICE_TYPE_CPU);
  assert_true(NUMBER(CL_DEVICE_MAX_COMPUTE_UNITS, cl_uint) >= 1);
  assert_true(NUMBER(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, cl_uint) >= 3);
  assert_true(NUMBER(CL_DEVICE_MAX_WORK_GROUP_SIZE, size_t) == 4096);
  size_t sizes[3], size;
  expect_success(kiln_clGetDeviceInfo(f->device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes, sizes, &size));
  assert_int_equal(size, sizeof sizes);
  for (int i = 0; i < 3; i++) assert_true(sizes[i] == 4096);
  cl_ulong memory = NUMBER(CL_DEVICE_GLOBAL_MEM_SIZE, cl_ulong);
  cl_ulong quarter = memory / 4, gib = 1ull << 30;
  assert_true(NUMBER(CL_DEVICE_MAX_MEM_ALLOC_SIZE, cl_ulong) >= (quarter < gib ? quarter : gib));
  assert_true(NUMBER(CL_DEVICE_MAX_MEM_ALLOC_SIZE, cl_ulong) <= memory);
  assert_true(NUMBER(CL_DEVICE_MAX_PARAMETER_SIZE, size_t) >= 1024);
  assert_true(NUMBER(CL_DEVICE_MEM_BASE_ADDR_ALIGN, cl_uint) >= 1024);
  assert_true(NUMBER(CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, cl_uint) >= 128);
  assert_true(NUMBER(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, cl_ulong) >= 65536);
  assert_true(NUMBER(CL_DEVICE_MAX_CONSTANT_ARGS, cl_uint) >= 8);
  assert_true(NUMBER(CL_DEVICE_LOCAL_MEM_SIZE, cl_ulong) >= 32768);
  assert_true(NUMBER(CL_DEVICE_PRINTF_BUFFER_SIZE, size_t) >= 1 << 20);
  assert_int_equal(NUMBER(CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, cl_command_queue_properties),
                   CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
  cl_ulong fp = NUMBER(CL_DEVICE_SINGLE_FP_CONFIG, cl_device_fp_config);
  assert_int_equal(fp & (CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN), CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN);
  for (cl_device_info p = CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR; p < CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE;
       p++)
    assert_true(NUMBER(p, cl_uint) >= 1);
  assert_int_equal(NUMBER(CL_DEVICE_ADDRESS_BITS, cl_uint), 64);
  assert_int_equal(NUMBER(CL_DEVICE_EXECUTION_CAPABILITIES, cl_device_exec_capabilities),
                   CL_EXEC_KERNEL | CL_EXEC_NATIVE_KERNEL);
  assert_true(NUMBER(CL_DEVICE_COMPILER_AVAILABLE, cl_bool) && NUMBER(CL_DEVICE_LINKER_AVAILABLE, cl_bool) &&
              NUMBER(CL_DEVICE_AVAILABLE, cl_bool));
  assert_int_equal(NUMBER(CL_DEVICE_PLATFORM, cl_platform_id), (uintptr_t)f->platform);
}

/* What is not supported reports zero: the specification's appendix H. */
static void absent(void **state) {
  struct fixture *f = *state;
  static const cl_device_info zeros[] = {
      CL_DEVICE_SVM_CAPABILITIES,
      CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES,
      CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES,
      CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE,
      CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE,
      CL_DEVICE_MAX_ON_DEVICE_QUEUES,
      CL_DEVICE_MAX_ON_DEVICE_EVENTS,
      CL_DEVICE_PIPE_SUPPORT,
      CL_DEVICE_MAX_PIPE_ARGS,
      CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS,
      CL_DEVICE_PIPE_MAX_PACKET_SIZE,
      CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS,
      CL_DEVICE_LUID_VALID_KHR,
      CL_DEVICE_PARENT_DEVICE,
  };
  for (size_t i = 0; i < sizeof zeros / sizeof *zeros; i++) {
    cl_ulong value = 0;
    expect_success(kiln_clGetDeviceInfo(f->device, zeros[i], sizeof value, &value, NULL));
    assert_int_equal(value, 0);
  }
  assert_string_equal(string(f->device, CL_DEVICE_IL_VERSION), "");
  assert_string_equal(string(f->device, CL_DEVICE_BUILT_IN_KERNELS), "");
  size_t size = 1;
  expect_success(kiln_clGetDeviceInfo(f->device, CL_DEVICE_ILS_WITH_VERSION, 0, NULL, &size));
  assert_int_equal(size, 0);
  expect_success(kiln_clGetDeviceInfo(f->device, CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION, 0, NULL, &size));
  assert_int_equal(size, 0);
}

/* Bits of the queries of features that have parts. */
static void capabilities(void **state) {
  struct fixture *f = *state;
  cl_device_fp_atomic_capabilities_ext atomics =
      CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT | CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT |
      CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT | CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT |
      CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT | CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT;
  assert_int_equal(NUMBER(CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT, cl_device_fp_atomic_capabilities_ext),
                   atomics);
  assert_int_equal(NUMBER(CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT, cl_device_fp_atomic_capabilities_ext),
                   atomics);
  assert_int_equal(NUMBER(CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR, cl_device_kernel_clock_capabilities_khr),
                   7);
  assert_int_equal(
      NUMBER(CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR, cl_device_integer_dot_product_capabilities_khr),
      3);
  cl_device_integer_dot_product_acceleration_properties_khr dot, none = {0};
  memset(&dot, 1, sizeof dot);
  expect_success(kiln_clGetDeviceInfo(
      f->device, CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR, sizeof dot, &dot, NULL));
  assert_memory_equal(&dot, &none, sizeof dot);
  assert_int_equal(NUMBER(CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, cl_device_atomic_capabilities),
                   CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL |
                       CL_DEVICE_ATOMIC_ORDER_SEQ_CST | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP |
                       CL_DEVICE_ATOMIC_SCOPE_DEVICE | CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES);
  assert_true(NUMBER(CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, cl_bool) &&
              NUMBER(CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, cl_bool));
  assert_int_equal(NUMBER(CL_DEVICE_MAX_NUM_SUB_GROUPS, cl_uint), f->device->backend->caps.max_group_size);
}

static void versions(void **state) {
  struct fixture *f = *state;
  unsigned major, minor;
  assert_int_equal(sscanf(string(f->device, CL_DEVICE_VERSION), "OpenCL %u.%u Kiln ", &major, &minor), 2);
  cl_version version = (cl_version)NUMBER(CL_DEVICE_NUMERIC_VERSION, cl_version);
  assert_int_equal(version, CL_MAKE_VERSION(major, minor, 0));
  assert_int_equal(
      sscanf(string(f->device, CL_DEVICE_OPENCL_C_VERSION), "OpenCL C %u.%u Kiln ", &major, &minor), 2);
  assert_int_equal(major * 10 + minor, 12);
  cl_name_version list[16];
  size_t size;
  expect_success(kiln_clGetDeviceInfo(f->device, CL_DEVICE_OPENCL_C_ALL_VERSIONS, sizeof list, list, &size));
  static const cl_version expected[] = {CL_MAKE_VERSION(1, 0, 0), CL_MAKE_VERSION(1, 1, 0),
                                        CL_MAKE_VERSION(1, 2, 0), CL_MAKE_VERSION(3, 0, 0)};
  assert_true(size >= 4 * sizeof *list);
  for (int i = 0; i < 4; i++) {
    assert_string_equal(list[i].name, "OpenCL C");
    assert_int_equal(list[i].version, expected[i]);
  }
  assert_string_equal(string(f->device, CL_DEVICE_PROFILE), "FULL_PROFILE");
  assert_true(strlen(string(f->device, CL_DEVICE_NAME)) > 0);
  assert_true(strlen(string(f->device, CL_DEVICE_VENDOR)) > 0);
  assert_true(strlen(string(f->device, CL_DRIVER_VERSION)) > 0);
}

/* Names separated by spaces and the versioned list agree. */
static void expect_same_names(cl_device_id device, cl_device_info names_param, cl_device_info list_param) {
  cl_name_version list[64];
  size_t size;
  char joined[64 * CL_NAME_VERSION_MAX_NAME_SIZE] = "";
  expect_success(kiln_clGetDeviceInfo(device, list_param, sizeof list, list, &size));
  for (size_t i = 0; i < size / sizeof *list; i++) {
    if (i > 0) strcat(joined, " ");
    strcat(joined, list[i].name);
  }
  assert_string_equal(string(device, names_param), joined);
}

static void lists(void **state) {
  struct fixture *f = *state;
  expect_same_names(f->device, CL_DEVICE_EXTENSIONS, CL_DEVICE_EXTENSIONS_WITH_VERSION);
  cl_name_version list[64];
  size_t size;
  bool fp64 = false, int64 = false;
  expect_success(kiln_clGetDeviceInfo(f->device, CL_DEVICE_OPENCL_C_FEATURES, sizeof list, list, &size));
  for (size_t i = 0; i < size / sizeof *list; i++) {
    assert_true(strncmp(list[i].name, "__opencl_c_", 11) == 0);
    fp64 |= strcmp(list[i].name, "__opencl_c_fp64") == 0;
    int64 |= strcmp(list[i].name, "__opencl_c_int64") == 0;
  }
  assert_true(int64); /* mandatory in the full profile */
  assert_int_equal(fp64, strstr(string(f->device, CL_DEVICE_EXTENSIONS), "cl_khr_fp64") != NULL);
  cl_ulong config = NUMBER(CL_DEVICE_DOUBLE_FP_CONFIG, cl_device_fp_config);
  assert_int_equal(fp64, config != 0);
  assert_int_equal(fp64, NUMBER(CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, cl_uint) != 0);
  assert_int_equal(fp64, NUMBER(CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, cl_uint) != 0);
  assert_int_equal(NUMBER(CL_DEVICE_HALF_FP_CONFIG, cl_device_fp_config) != 0,
                   NUMBER(CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, cl_uint) != 0);
}

static bool has_feature(struct fixture *f, const char *name) {
  cl_name_version list[64];
  size_t size;
  expect_success(kiln_clGetDeviceInfo(f->device, CL_DEVICE_OPENCL_C_FEATURES, sizeof list, list, &size));
  for (size_t i = 0; i < size / sizeof *list; i++)
    if (strcmp(list[i].name, name) == 0) return true;
  return false;
}

/* A bit of CL_DEVICE_*_FP_ATOMIC_CAPABILITIES_EXT is set where its macro is. */
static void float_atomics(void **state) {
  struct fixture *f = *state;
  static const cl_device_info queries[3] = {CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT,
                                            CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT,
                                            CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT};
  static const char *const sizes[3] = {"fp16", "fp32", "fp64"};
  static const char *const names[2][3] = {
      {"global_atomic_load_store", "global_atomic_add", "global_atomic_min_max"},
      {"local_atomic_load_store", "local_atomic_add", "local_atomic_min_max"}};
  for (int type = 0; type < 3; type++)
    for (int bit = 0; bit < 6; bit++) {
      cl_device_fp_atomic_capabilities_ext bits = NUMBER(queries[type], cl_device_fp_atomic_capabilities_ext);
      char macro[64];
      snprintf(macro, sizeof macro, "__opencl_c_ext_%s_%s", sizes[type], names[bit / 3][bit % 3]);
      bool load_store = bit % 3 == 0 && type > 0; /* comes with the language: no macro */
      bool set = (bits >> (bit / 3 * 16 + bit % 3) & 1) != 0;
      assert_int_equal(set, load_store || has_feature(f, macro));
      assert_true(set); /* of a CPU all can be asked */
    }
}

static void identity(void **state) {
  struct fixture *f = *state;
  cl_uchar uuid[2][CL_UUID_SIZE_KHR], zeros[CL_UUID_SIZE_KHR] = {0}, luid[CL_LUID_SIZE_KHR];
  expect_success(kiln_clGetDeviceInfo(f->device, CL_DEVICE_UUID_KHR, sizeof uuid[0], uuid[0], NULL));
  expect_success(kiln_clGetDeviceInfo(f->device, CL_DRIVER_UUID_KHR, sizeof uuid[1], uuid[1], NULL));
  assert_memory_not_equal(uuid[0], zeros, sizeof zeros);
  assert_memory_not_equal(uuid[1], zeros, sizeof zeros);
  assert_memory_not_equal(uuid[0], uuid[1], sizeof zeros);
  expect_success(kiln_clGetDeviceInfo(f->device, CL_DEVICE_LUID_KHR, sizeof luid, luid, NULL));
  NUMBER(CL_DEVICE_NODE_MASK_KHR, cl_uint);
}

static void wrong_arguments(void **state) {
  struct fixture *f = *state;
  cl_uint value;
  expect_error(CL_INVALID_DEVICE, "device is NULL",
               kiln_clGetDeviceInfo(NULL, CL_DEVICE_TYPE, sizeof value, &value, NULL));
  expect_error(CL_INVALID_DEVICE, "is not a live device",
               kiln_clGetDeviceInfo((cl_device_id)f->platform, CL_DEVICE_TYPE, sizeof value, &value, NULL));
  expect_error(CL_INVALID_VALUE, "param_name 0x0 is not one of this query's",
               kiln_clGetDeviceInfo(f->device, 0, sizeof value, &value, NULL));
  expect_error(CL_INVALID_VALUE, "param_value_size 4 is smaller than the 8 bytes of param_name 0x1000",
               kiln_clGetDeviceInfo(f->device, CL_DEVICE_TYPE, sizeof value, &value, NULL));
}

static void timers(void **state) {
  struct fixture *f = *state;
  cl_ulong device[2], host[3];
  expect_success(kiln_clGetDeviceAndHostTimer(f->device, &device[0], &host[0]));
  expect_success(kiln_clGetHostTimer(f->device, &host[1]));
  const struct timespec pause = {0, 10000000};
  nanosleep(&pause, NULL);
  expect_success(kiln_clGetDeviceAndHostTimer(f->device, &device[1], &host[2]));
  assert_true(host[0] <= host[1] && host[1] < host[2] && device[0] < device[1]);
  cl_ulong d = device[1] - device[0], h = host[2] - host[0];
  assert_true(d >= 10000000 && (d > h ? d - h : h - d) < 500000000);
  expect_error(CL_INVALID_DEVICE, "device is NULL", kiln_clGetDeviceAndHostTimer(NULL, device, host));
  expect_error(CL_INVALID_VALUE, "host_timestamp is NULL",
               kiln_clGetDeviceAndHostTimer(f->device, device, NULL));
  expect_error(CL_INVALID_VALUE, "device_timestamp is NULL",
               kiln_clGetDeviceAndHostTimer(f->device, NULL, host));
  expect_error(CL_INVALID_DEVICE, "device is NULL", kiln_clGetHostTimer(NULL, host));
  expect_error(CL_INVALID_VALUE, "host_timestamp is NULL", kiln_clGetHostTimer(f->device, NULL));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(ids),      cmocka_unit_test(minima),
                                     cmocka_unit_test(absent),   cmocka_unit_test(capabilities),
                                     cmocka_unit_test(versions), cmocka_unit_test(lists),
                                     cmocka_unit_test(identity), cmocka_unit_test(float_atomics),
                                     cmocka_unit_test(timers),   cmocka_unit_test(wrong_arguments)};
  return alloc_fail_run_group(tests, fixture_open, fixture_close);
}
