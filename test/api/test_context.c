/* Contexts. */
#include "api/fake_device.h"
#include "api/fixture.h"

static cl_platform_id platform;
static cl_device_id device;

static int find_device(void **state) {
  expect_success(kiln_clGetPlatformIDs(1, &platform, NULL));
  expect_success(kiln_clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 1, &device, NULL));
  return 0;
}

static cl_uint references(cl_context context) {
  cl_uint count = 0;
  expect_success(kiln_clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, NULL));
  return count;
}

static void create(void **state) {
  kiln_device *other = fake_device(2);
  const cl_device_id devices[] = {device, other, device}; /* duplicates count once */
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform,
                                              CL_CONTEXT_INTEROP_USER_SYNC, CL_TRUE, 0};
  cl_int err = -1;
  cl_context context = kiln_clCreateContext(properties, 3, devices, NULL, NULL, &err);
  expect_success(err);
  cl_uint count;
  cl_device_id found[4];
  cl_context_properties given[8];
  size_t size;
  expect_success(kiln_clGetContextInfo(context, CL_CONTEXT_NUM_DEVICES, sizeof count, &count, NULL));
  assert_int_equal(count, 2);
  expect_success(kiln_clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof found, found, &size));
  assert_int_equal(size, 2 * sizeof *found);
  assert_ptr_equal(found[0], device);
  assert_ptr_equal(found[1], other);
  expect_success(kiln_clGetContextInfo(context, CL_CONTEXT_PROPERTIES, sizeof given, given, &size));
  assert_int_equal(size, sizeof properties);
  assert_memory_equal(given, properties, size);
  assert_int_equal(references(context), 1);
  expect_success(kiln_clRetainContext(context));
  assert_int_equal(references(context), 2);
  expect_success(kiln_clReleaseContext(context));
  expect_success(kiln_clReleaseContext(context));
  kiln_unref(&other);
}

static void create_without_properties(void **state) {
  cl_context context = kiln_clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  assert_non_null(context);
  size_t size = 1;
  expect_success(kiln_clGetContextInfo(context, CL_CONTEXT_PROPERTIES, 0, NULL, &size));
  assert_int_equal(size, 0);
  expect_success(kiln_clReleaseContext(context));
}

static void create_from_type(void **state) {
  cl_int err = -1;
  cl_context context = kiln_clCreateContextFromType(NULL, CL_DEVICE_TYPE_ALL, NULL, NULL, &err);
  expect_success(err);
  cl_uint count, all;
  expect_success(kiln_clGetContextInfo(context, CL_CONTEXT_NUM_DEVICES, sizeof count, &count, NULL));
  expect_success(kiln_clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &all));
  assert_int_equal(count, all);
  expect_success(kiln_clReleaseContext(context));
  const cl_context_properties list[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
  context = kiln_clCreateContextFromType(list, CL_DEVICE_TYPE_CPU, NULL, NULL, &err);
  expect_success(err);
  expect_success(kiln_clReleaseContext(context));
}

/* What a callback was told last. */
static char told[600];
static unsigned times_told;
static void CL_CALLBACK listen(const char *text, const void *info, size_t size, void *user_data) {
  if (alloc_fail_active() && strstr(text, "CL_OUT_OF_HOST_MEMORY") != NULL) return;
  snprintf(told, sizeof told, "%s", text);
  times_told++;
  assert_ptr_equal(user_data, told);
}

static void callback(void **state) {
  cl_int err;
  /* errors of the creation itself are told too */
  times_told = 0;
  assert_null(kiln_clCreateContext(NULL, 0, &device, listen, told, &err));
  assert_int_equal(times_told, 1);
  assert_string_equal(told, "clCreateContext: CL_INVALID_VALUE: num_devices is 0");
  cl_context context = kiln_clCreateContext(NULL, 1, &device, listen, told, &err);
  assert_int_equal(kiln_clGetContextInfo(context, 0, 0, NULL, NULL), CL_INVALID_VALUE);
  assert_int_equal(times_told, 2);
  assert_string_equal(told, "clGetContextInfo: CL_INVALID_VALUE: param_name 0x0 is not one of this query's");
  assert_string_equal(told, kiln_last_error());
  assert_null(kiln_clCreateCommandQueue(context, NULL, 0, &err));
  assert_int_equal(times_told, 3);
  expect_success(kiln_clReleaseContext(context));
}

static char order[8];
static void CL_CALLBACK first(cl_context context, void *user_data) { strcat(order, "1"); }
static void CL_CALLBACK second(cl_context context, void *user_data) { strcat(order, user_data); }

static void destructors(void **state) {
  cl_int err;
  cl_context context = kiln_clCreateContext(NULL, 1, &device, NULL, NULL, &err);
  expect_success(kiln_clSetContextDestructorCallback(context, first, NULL));
  expect_success(kiln_clSetContextDestructorCallback(context, second, "2"));
  expect_success(kiln_clSetContextDestructorCallback(context, second, "3"));
  /* a child keeps its context */
  cl_event event = kiln_clCreateUserEvent(context, &err);
  order[0] = '\0';
  expect_success(kiln_clReleaseContext(context));
  assert_string_equal(order, "");
  expect_success(kiln_clReleaseEvent(event));
  assert_string_equal(order, "321");
}

static void revived(void **state) {
  cl_int err;
  cl_context context = kiln_clCreateContext(NULL, 1, &device, NULL, NULL, &err), asked;
  cl_event event = kiln_clCreateUserEvent(context, &err);
  expect_success(kiln_clReleaseContext(context));
  expect_success(kiln_clGetEventInfo(event, CL_EVENT_CONTEXT, sizeof asked, &asked, NULL));
  assert_ptr_equal(asked, context);
  expect_error(CL_INVALID_CONTEXT, "was released more often than retained", kiln_clReleaseContext(asked));
  expect_success(kiln_clRetainContext(asked));
  expect_success(kiln_clReleaseEvent(event));
  assert_int_equal(references(asked), 1);
  expect_success(kiln_clReleaseContext(asked));
}

static void wrong_arguments(void **state) {
  const cl_device_id none = NULL, wrong = not_a_handle();
  int data;
#define REFUSED(code, text, ...)                                                                             \
  do {                                                                                                       \
    const cl_context_properties list[] = {__VA_ARGS__};                                                      \
    expect_no_handle(code, text, kiln_clCreateContext(list, 1, &device, NULL, NULL, &err));                  \
    expect_no_handle(code, text, kiln_clCreateContextFromType(list, CL_DEVICE_TYPE_ALL, NULL, NULL, &err));  \
  } while (0)
  REFUSED(CL_INVALID_PLATFORM, "CL_CONTEXT_PLATFORM in properties is NULL", CL_CONTEXT_PLATFORM, 0, 0);
  REFUSED(CL_INVALID_PLATFORM, "is not a live platform", CL_CONTEXT_PLATFORM, (cl_context_properties)device,
          0);
  REFUSED(CL_INVALID_PROPERTY, "property name 0x1234 in properties is not supported", 0x1234, 0, 0);
  REFUSED(CL_INVALID_PROPERTY, "CL_CONTEXT_INTEROP_USER_SYNC in properties is -1, neither CL_TRUE nor",
          CL_CONTEXT_INTEROP_USER_SYNC, -1, 0);
  REFUSED(CL_INVALID_PROPERTY, "property name 0x1085 stands more than once in properties",
          CL_CONTEXT_INTEROP_USER_SYNC, CL_FALSE, CL_CONTEXT_INTEROP_USER_SYNC, CL_FALSE, 0);
  REFUSED(CL_INVALID_PROPERTY, "stands more than once", CL_CONTEXT_PLATFORM, (cl_context_properties)platform,
          CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0);
#undef REFUSED
  expect_no_handle(CL_INVALID_VALUE, "devices is NULL",
                   kiln_clCreateContext(NULL, 1, NULL, NULL, NULL, &err));
  expect_no_handle(CL_INVALID_VALUE, "num_devices is 0",
                   kiln_clCreateContext(NULL, 0, &device, NULL, NULL, &err));
  expect_no_handle(CL_INVALID_VALUE, "user_data is not NULL but pfn_notify is",
                   kiln_clCreateContext(NULL, 1, &device, NULL, &data, &err));
  expect_no_handle(CL_INVALID_DEVICE, "devices[0] is NULL",
                   kiln_clCreateContext(NULL, 1, &none, NULL, NULL, &err));
  expect_no_handle(CL_INVALID_DEVICE, "is not a live device",
                   kiln_clCreateContext(NULL, 1, &wrong, NULL, NULL, &err));
  expect_no_handle(CL_INVALID_VALUE, "user_data is not NULL but pfn_notify is",
                   kiln_clCreateContextFromType(NULL, CL_DEVICE_TYPE_ALL, NULL, &data, &err));
  expect_no_handle(CL_INVALID_DEVICE_TYPE, "device_type 0x0 is not a combination",
                   kiln_clCreateContextFromType(NULL, 0, NULL, NULL, &err));
  expect_no_handle(CL_DEVICE_NOT_FOUND, "devices has device_type 0x10",
                   kiln_clCreateContextFromType(NULL, CL_DEVICE_TYPE_CUSTOM, NULL, NULL, &err));
}

static void wrong_arguments_later(void **state) {
  cl_int err;
  cl_uint value;
  cl_context context = kiln_clCreateContext(NULL, 1, &device, NULL, NULL, &err);
  expect_error(CL_INVALID_CONTEXT, "context is NULL", kiln_clRetainContext(NULL));
  expect_error(CL_INVALID_CONTEXT, "is not a live context", kiln_clRetainContext(not_a_handle()));
  expect_error(CL_INVALID_CONTEXT, "context is NULL", kiln_clReleaseContext(NULL));
  expect_error(CL_INVALID_CONTEXT, "context is NULL",
               kiln_clGetContextInfo(NULL, CL_CONTEXT_NUM_DEVICES, sizeof value, &value, NULL));
  expect_error(CL_INVALID_VALUE, "param_name 0x1 is not", kiln_clGetContextInfo(context, 1, 0, NULL, NULL));
  expect_error(CL_INVALID_VALUE, "param_value_size 3 is smaller than the 4 bytes of param_name 0x1080",
               kiln_clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, 3, &value, NULL));
  expect_error(CL_INVALID_CONTEXT, "context is NULL", kiln_clSetContextDestructorCallback(NULL, first, NULL));
  expect_error(CL_INVALID_VALUE, "pfn_notify is NULL",
               kiln_clSetContextDestructorCallback(context, NULL, NULL));
  expect_success(kiln_clReleaseContext(context));
  kiln_context dying = {0};
  kiln_object_init(&dying.object, KILN_T_CONTEXT);
  dying.object.refs = dying.object.api_refs = 0;
  expect_error(CL_INVALID_CONTEXT, "is being destroyed", kiln_clRetainContext(&dying));
}

static void short_of_memory(void **state) {
  const cl_context_properties list[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
  size_t live = kiln_alloc_live(), n = 1;
  cl_context context;
  cl_int err;
  do {
    kiln_alloc_fail_nth(n++);
    context = kiln_clCreateContext(list, 1, &device, NULL, NULL, &err);
    kiln_alloc_fail_nth(0);
    if (context == NULL) {
      assert_int_equal(err, CL_OUT_OF_HOST_MEMORY);
      assert_int_equal(kiln_alloc_live(), live);
    }
  } while (context == NULL);
  assert_int_equal(n, 5); /* context, devices, properties */
  kiln_alloc_fail_nth(1);
  assert_int_equal(kiln_clSetContextDestructorCallback(context, first, NULL), CL_OUT_OF_HOST_MEMORY);
  kiln_alloc_fail_nth(0);
  expect_success(kiln_clReleaseContext(context));
  assert_int_equal(kiln_alloc_live(), live);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(create),           cmocka_unit_test(create_without_properties),
      cmocka_unit_test(create_from_type), cmocka_unit_test(callback),
      cmocka_unit_test(destructors),      cmocka_unit_test(revived),
      cmocka_unit_test(wrong_arguments),  cmocka_unit_test(wrong_arguments_later),
      cmocka_unit_test(short_of_memory),
  };
  return alloc_fail_run_group(tests, find_device, NULL);
}
