/* clGetPlatformIDs, clGetPlatformInfo. */
#include "api/fixture.h"

#include "base/features.h"

static void ids(void **state) {
  cl_platform_id platforms[2] = {NULL, NULL};
  cl_uint count = 0;
  expect_success(kiln_clGetPlatformIDs(0, NULL, &count));
  assert_int_equal(count, 1);
  expect_success(kiln_clGetPlatformIDs(2, platforms, &count));
  assert_int_equal(count, 1);
  assert_non_null(platforms[0]);
  assert_null(platforms[1]);
  expect_success(kiln_clIcdGetPlatformIDsKHR(1, platforms, NULL));
  expect_error(CL_INVALID_VALUE, "num_entries is 0 and platforms is not NULL",
               kiln_clGetPlatformIDs(0, platforms, &count));
  expect_error(CL_INVALID_VALUE, "platforms and num_platforms are both NULL",
               kiln_clGetPlatformIDs(1, NULL, NULL));
}

static const char *string(cl_platform_id platform, cl_platform_info param) {
  static char text[4096];
  size_t size;
  expect_success(kiln_clGetPlatformInfo(platform, param, 0, NULL, &size));
  assert_true(size > 0 && size <= sizeof text);
  expect_success(kiln_clGetPlatformInfo(platform, param, size, text, NULL));
  assert_int_equal(strlen(text) + 1, size);
  return text;
}

static void info(void **state) {
  cl_platform_id platform;
  expect_success(kiln_clGetPlatformIDs(1, &platform, NULL));
  assert_string_equal(string(platform, CL_PLATFORM_NAME), "Kiln");
  assert_string_equal(string(platform, CL_PLATFORM_VENDOR), "Kiln");
  assert_string_equal(string(platform, CL_PLATFORM_PROFILE), "FULL_PROFILE");
  assert_string_equal(string(platform, CL_PLATFORM_ICD_SUFFIX_KHR), "KILN");
  unsigned major, minor;
  assert_int_equal(sscanf(string(platform, CL_PLATFORM_VERSION), "OpenCL %u.%u Kiln ", &major, &minor), 2);
  cl_version version;
  expect_success(
      kiln_clGetPlatformInfo(platform, CL_PLATFORM_NUMERIC_VERSION, sizeof version, &version, NULL));
  assert_int_equal(CL_VERSION_MAJOR(version), major);
  assert_int_equal(CL_VERSION_MINOR(version), minor);
  cl_ulong resolution;
  expect_success(kiln_clGetPlatformInfo(platform, CL_PLATFORM_HOST_TIMER_RESOLUTION, sizeof resolution,
                                        &resolution, NULL));
  assert_int_equal(resolution, 1);
  assert_string_equal(string(NULL, CL_PLATFORM_NAME), "Kiln"); /* NULL is this platform */
}

static void extensions(void **state) {
  cl_platform_id platform;
  expect_success(kiln_clGetPlatformIDs(1, &platform, NULL));
  char *names = strdup(string(platform, CL_PLATFORM_EXTENSIONS)), *rest = names;
  cl_name_version list[64];
  size_t size;
  expect_success(
      kiln_clGetPlatformInfo(platform, CL_PLATFORM_EXTENSIONS_WITH_VERSION, sizeof list, list, &size));
  size_t count = size / sizeof *list;
  assert_int_equal(size % sizeof *list, 0);
  for (size_t i = 0; i < count; i++) assert_string_equal(strsep(&rest, " "), list[i].name);
  assert_null(rest);
  bool icd = false;
  for (size_t i = 0; i < count; i++)
    if (strcmp(list[i].name, "cl_khr_icd") == 0) icd = list[i].version == CL_MAKE_VERSION(2, 0, 0);
  assert_true(icd);
  free(names);
}

static void wrong_arguments(void **state) {
  cl_platform_id platform;
  char small[3];
  size_t size;
  expect_success(kiln_clGetPlatformIDs(1, &platform, NULL));
  expect_error(CL_INVALID_PLATFORM, "is not a live platform",
               kiln_clGetPlatformInfo(not_a_handle(), CL_PLATFORM_NAME, 0, NULL, &size));
  expect_error(CL_INVALID_VALUE, "param_name 0x1234 is not one of this query's",
               kiln_clGetPlatformInfo(platform, 0x1234, 0, NULL, &size));
  expect_error(CL_INVALID_VALUE, "param_value_size 3 is smaller than the 5 bytes of param_name 0x902",
               kiln_clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof small, small, &size));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(ids), cmocka_unit_test(info),
                                     cmocka_unit_test(extensions), cmocka_unit_test(wrong_arguments)};
  return alloc_fail_run_group(tests, NULL, NULL);
}
