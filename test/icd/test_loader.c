/* Kiln through the system's loader, found by OCL_ICD_VENDORS alone. */
#include "test.h"

#include "kiln/kiln.h"

#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_gl.h>

#include <stdlib.h>
#include <string.h>

static cl_platform_id platform;
static cl_device_id device;

static int find(void **state) {
  cl_uint count = 0;
  if (clGetPlatformIDs(1, &platform, &count) != CL_SUCCESS || count != 1) return 1;
  return clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 1, &device, NULL) != CL_SUCCESS;
}

static void platform_is_kiln(void **state) {
  char text[64];
  assert_int_equal(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof text, text, NULL), CL_SUCCESS);
  assert_string_equal(text, "Kiln");
  assert_int_equal(clGetPlatformInfo(platform, CL_PLATFORM_ICD_SUFFIX_KHR, sizeof text, text, NULL),
                   CL_SUCCESS);
  assert_string_equal(text, "KILN");
}

static void objects(void **state) {
  cl_int err = -1;
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
  assert_int_equal(err, CL_SUCCESS);
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &err);
  assert_int_equal(err, CL_SUCCESS);
  cl_event event = clCreateUserEvent(context, &err);
  assert_int_equal(err, CL_SUCCESS);
  assert_int_equal(clSetUserEventStatus(event, CL_COMPLETE), CL_SUCCESS);
  assert_int_equal(clWaitForEvents(1, &event), CL_SUCCESS);
  assert_int_equal(clFinish(queue), CL_SUCCESS);
  assert_int_equal(clReleaseEvent(event), CL_SUCCESS);
  assert_int_equal(clReleaseCommandQueue(queue), CL_SUCCESS);
  assert_int_equal(clReleaseContext(context), CL_SUCCESS);
}

static void extension_functions(void **state) {
  clCreateSubDevicesEXT_fn divide =
      (clCreateSubDevicesEXT_fn)clGetExtensionFunctionAddressForPlatform(platform, "clCreateSubDevicesEXT");
  assert_non_null(divide);
  assert_int_equal(divide(device, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
  assert_non_null(clGetExtensionFunctionAddressForPlatform(platform, "clGetKernelSuggestedLocalWorkSizeKHR"));
  assert_non_null(
      clGetExtensionFunctionAddressForPlatform(platform, "clCreateCommandQueueWithPropertiesKHR"));
  assert_null(clGetExtensionFunctionAddressForPlatform(platform, "clNoSuchFunctionKHR"));
}

static void last_error(void **state) {
  kiln_last_error_fn *sentence =
      (kiln_last_error_fn *)clGetExtensionFunctionAddressForPlatform(platform, "kiln_last_error");
  assert_non_null(sentence);
  assert_int_equal(clGetDeviceIDs(platform, 0, 1, &device, NULL), CL_INVALID_DEVICE_TYPE);
  assert_string_equal(sentence(),
                      "clGetDeviceIDs: CL_INVALID_DEVICE_TYPE: device_type 0x0 is not a combination "
                      "of CL_DEVICE_TYPE_* bits");
}

/* The loader's entry points for OpenGL go straight through the table. */
static void foreign_sharing(void **state) {
  cl_int err = -1;
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
  assert_null(clCreateFromGLBuffer(context, 0, 1, &err));
  assert_int_equal(err, CL_INVALID_CONTEXT);
  assert_null(clCreateFromGLRenderbuffer(context, 0, 1, &err));
  assert_int_equal(err, CL_INVALID_CONTEXT);
  assert_int_equal(clReleaseContext(context), CL_SUCCESS);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(platform_is_kiln), cmocka_unit_test(objects),
                                     cmocka_unit_test(extension_functions), cmocka_unit_test(last_error),
                                     cmocka_unit_test(foreign_sharing)};
  return cmocka_run_group_tests(tests, find, NULL);
}
