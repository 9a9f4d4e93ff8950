/* Command queues: creation, queries, flush and finish. */
#include "api/fake_device.h"
#include "api/fixture.h"

#include "core/queue.h"

static void with_properties(void **state) {
  struct fixture *f = *state;
  static const cl_command_queue_properties sets[] = {
      0, CL_QUEUE_PROFILING_ENABLE, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
      CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE};
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, sets[i], 0};
    cl_int err = -1;
    cl_command_queue queue =
        i % 2 == 0 ? kiln_clCreateCommandQueueWithProperties(f->context, f->device, list, &err)
                   : kiln_clCreateCommandQueueWithPropertiesKHR(f->context, f->device, list, &err);
    expect_success(err);
    cl_command_queue_properties bits = ~0ull;
    cl_queue_properties given[8];
    size_t size;
    expect_success(kiln_clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof bits, &bits, NULL));
    assert_int_equal(bits, sets[i]);
    expect_success(kiln_clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, sizeof given, given, &size));
    assert_int_equal(size, sizeof list);
    assert_memory_equal(given, list, size);
    expect_success(kiln_clReleaseCommandQueue(queue));
  }
}

static void expect_no_list(cl_command_queue queue) {
  size_t size = 1;
  expect_success(kiln_clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, 0, NULL, &size));
  assert_int_equal(size, 0);
  expect_success(kiln_clReleaseCommandQueue(queue));
}

static void lists_of_properties(void **state) {
  struct fixture *f = *state;
  const cl_queue_properties empty[] = {0};
  cl_int err = -1;
  expect_no_list(kiln_clCreateCommandQueueWithProperties(f->context, f->device, NULL, &err));
  expect_no_list(kiln_clCreateCommandQueue(f->context, f->device, CL_QUEUE_PROFILING_ENABLE, &err));
  expect_success(err);
  cl_command_queue queue = kiln_clCreateCommandQueueWithProperties(f->context, f->device, empty, &err);
  expect_success(err);
  cl_queue_properties given = 1;
  size_t size;
  expect_success(kiln_clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, sizeof given, &given, &size));
  assert_int_equal(size, sizeof given);
  assert_int_equal(given, 0);
  expect_success(kiln_clReleaseCommandQueue(queue));
}

static void queries(void **state) {
  struct fixture *f = *state;
  cl_context context;
  cl_device_id device;
  cl_uint count;
  cl_command_queue standard = f->queue;
  expect_success(kiln_clGetCommandQueueInfo(f->queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL));
  assert_ptr_equal(context, f->context);
  expect_success(kiln_clGetCommandQueueInfo(f->queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL));
  assert_ptr_equal(device, f->device);
  expect_success(
      kiln_clGetCommandQueueInfo(f->queue, CL_QUEUE_DEVICE_DEFAULT, sizeof standard, &standard, NULL));
  assert_null(standard);
  expect_success(kiln_clRetainCommandQueue(f->queue));
  expect_success(kiln_clGetCommandQueueInfo(f->queue, CL_QUEUE_REFERENCE_COUNT, sizeof count, &count, NULL));
  assert_int_equal(count, 2);
  expect_success(kiln_clReleaseCommandQueue(f->queue));
  expect_success(kiln_clFlush(f->queue));
  expect_success(kiln_clFinish(f->queue));
}

static void wrong_lists(void **state) {
  struct fixture *f = *state;
#define REFUSED(code, text, ...)                                                                             \
  do {                                                                                                       \
    const cl_queue_properties list[] = {__VA_ARGS__};                                                        \
    expect_no_handle(code, text,                                                                             \
                     kiln_clCreateCommandQueueWithProperties(f->context, f->device, list, &err));            \
    expect_no_handle(code, text,                                                                             \
                     kiln_clCreateCommandQueueWithPropertiesKHR(f->context, f->device, list, &err));         \
  } while (0)
  REFUSED(CL_INVALID_VALUE, "properties[0], 0x1234, is no property of a queue", 0x1234, 0, 0);
  REFUSED(CL_INVALID_VALUE, "properties[2], 0x1093, stands there a second time", CL_QUEUE_PROPERTIES, 0,
          CL_QUEUE_PROPERTIES, 0, 0);
  REFUSED(CL_INVALID_VALUE, "properties 0x10 have bits beyond 0xF", CL_QUEUE_PROPERTIES, 16, 0);
  REFUSED(CL_INVALID_VALUE, "have CL_QUEUE_ON_DEVICE without CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE",
          CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE, 0);
  REFUSED(CL_INVALID_VALUE, "have CL_QUEUE_ON_DEVICE_DEFAULT without CL_QUEUE_ON_DEVICE", CL_QUEUE_PROPERTIES,
          CL_QUEUE_ON_DEVICE_DEFAULT, 0);
  REFUSED(CL_INVALID_VALUE, "properties give CL_QUEUE_SIZE without CL_QUEUE_ON_DEVICE", CL_QUEUE_SIZE, 4096,
          0);
  REFUSED(CL_INVALID_QUEUE_PROPERTIES, "ask for an on-device queue, which", CL_QUEUE_PROPERTIES,
          CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0);
  REFUSED(CL_INVALID_QUEUE_PROPERTIES, "ask for an on-device queue, which", CL_QUEUE_PROPERTIES,
          CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_QUEUE_SIZE, 4096, 0);
#undef REFUSED
}

static void wrong_arguments(void **state) {
  struct fixture *f = *state;
  kiln_device *stranger = fake_device(1);
  expect_no_handle(CL_INVALID_CONTEXT, "context is NULL",
                   kiln_clCreateCommandQueueWithProperties(NULL, f->device, NULL, &err));
  expect_no_handle(CL_INVALID_CONTEXT, "context is NULL",
                   kiln_clCreateCommandQueue(NULL, f->device, 0, &err));
  expect_no_handle(CL_INVALID_DEVICE, "device is NULL",
                   kiln_clCreateCommandQueueWithProperties(f->context, NULL, NULL, &err));
  expect_no_handle(CL_INVALID_DEVICE, "device is NULL", kiln_clCreateCommandQueue(f->context, NULL, 0, &err));
  expect_no_handle(CL_INVALID_DEVICE, "(fake device) is none of the 1 devices of context",
                   kiln_clCreateCommandQueue(f->context, stranger, 0, &err));
  expect_no_handle(CL_INVALID_VALUE, "properties 0xFFFFFFFFFFFFFFFF have bits beyond 0x3",
                   kiln_clCreateCommandQueue(f->context, f->device, (cl_command_queue_properties)-1, &err));
  expect_error(CL_INVALID_CONTEXT, "context is NULL",
               kiln_clSetDefaultDeviceCommandQueue(NULL, f->device, f->queue));
  expect_error(CL_INVALID_DEVICE, "device is NULL",
               kiln_clSetDefaultDeviceCommandQueue(f->context, NULL, f->queue));
  expect_error(CL_INVALID_DEVICE, "is none of the 1 devices of context",
               kiln_clSetDefaultDeviceCommandQueue(f->context, stranger, f->queue));
  expect_error(CL_INVALID_OPERATION, "does not support on-device queues",
               kiln_clSetDefaultDeviceCommandQueue(f->context, f->device, f->queue));
  expect_error(
      CL_INVALID_OPERATION, "properties 0x1: a queue keeps the properties it was created with",
      kiln_clSetCommandQueueProperty(f->queue, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_TRUE, NULL));
  kiln_unref(&stranger);
}

static void wrong_queues(void **state) {
  struct fixture *f = *state;
  cl_uint value;
  cl_command_queue wrong = (cl_command_queue)f->context;
  expect_error(CL_INVALID_COMMAND_QUEUE, "command_queue is NULL", kiln_clRetainCommandQueue(NULL));
  expect_error(CL_INVALID_COMMAND_QUEUE, "is not a live command queue", kiln_clRetainCommandQueue(wrong));
  expect_error(CL_INVALID_COMMAND_QUEUE, "is not a live command queue", kiln_clReleaseCommandQueue(wrong));
  expect_error(CL_INVALID_COMMAND_QUEUE, "command_queue is NULL", kiln_clFlush(NULL));
  expect_error(CL_INVALID_COMMAND_QUEUE, "command_queue is NULL", kiln_clFinish(NULL));
  expect_error(CL_INVALID_COMMAND_QUEUE, "command_queue is NULL",
               kiln_clSetCommandQueueProperty(NULL, 0, CL_TRUE, NULL));
  expect_error(CL_INVALID_COMMAND_QUEUE, "command_queue is NULL",
               kiln_clGetCommandQueueInfo(NULL, CL_QUEUE_SIZE, sizeof value, &value, NULL));
  expect_error(CL_INVALID_COMMAND_QUEUE, "which is no device queue",
               kiln_clGetCommandQueueInfo(f->queue, CL_QUEUE_SIZE, sizeof value, &value, NULL));
  expect_error(CL_INVALID_VALUE, "param_name 0x2 is not",
               kiln_clGetCommandQueueInfo(f->queue, 2, sizeof value, &value, NULL));
  expect_error(CL_INVALID_VALUE, "param_value_size 4 is smaller than the 8 bytes of param_name 0x1090",
               kiln_clGetCommandQueueInfo(f->queue, CL_QUEUE_CONTEXT, sizeof value, &value, NULL));
  kiln_queue *kept = kiln_ref(f->queue);
  expect_success(kiln_clReleaseCommandQueue(f->queue));
  expect_error(CL_INVALID_COMMAND_QUEUE, "was released more often than retained",
               kiln_clReleaseCommandQueue(f->queue));
  expect_success(kiln_clRetainCommandQueue(f->queue));
  kiln_unref(&kept);
  struct _cl_command_queue dying = {0};
  kiln_object_init(&dying.object, KILN_T_QUEUE);
  dying.object.refs = dying.object.api_refs = 0;
  expect_error(CL_INVALID_COMMAND_QUEUE, "is being destroyed", kiln_clRetainCommandQueue(&dying));
}

static void short_of_memory(void **state) {
  struct fixture *f = *state;
  kiln_alloc_fail_nth(1);
  expect_no_handle(CL_OUT_OF_HOST_MEMORY, "host memory is short",
                   kiln_clCreateCommandQueueWithProperties(f->context, f->device, NULL, &err));
  kiln_alloc_fail_nth(0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(with_properties), cmocka_unit_test(lists_of_properties),
                                     cmocka_unit_test(queries),         cmocka_unit_test(wrong_lists),
                                     cmocka_unit_test(wrong_arguments), cmocka_unit_test(wrong_queues),
                                     cmocka_unit_test(short_of_memory)};
  return alloc_fail_run_group(tests, fixture_open, fixture_close);
}
