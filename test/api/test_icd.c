/* The dispatch table, the lookup by name and cl_khr_icd 2. */
#include "api/fixture.h"

static void names(void **state) {
  cl_platform_id platform = kiln_platform_get();
#define X(name)                                                                                              \
  assert_ptr_equal(kiln_clGetExtensionFunctionAddress(#name), (void *)kiln_##name);                          \
  assert_ptr_equal(kiln_clGetExtensionFunctionAddressForPlatform(platform, #name), (void *)kiln_##name);     \
  assert_ptr_equal(kiln_clIcdGetFunctionAddressForPlatformKHR(platform, #name), (void *)kiln_##name);
  KILN_TAGGED_ENTRY_POINTS(X)
  KILN_CORE_ENTRY_POINTS(X)
  KILN_DISPATCHED_EXTENSIONS(X)
  KILN_NAMED_EXTENSIONS(X)
#undef X
  assert_non_null(
      kiln_clGetExtensionFunctionAddressForPlatform(platform, "clGetKernelSuggestedLocalWorkSize"));
  assert_ptr_equal(kiln_clGetExtensionFunctionAddressForPlatform(platform, "kiln_last_error"),
                   (void *)kiln_last_error);
}

/* Applications take an address as a sign of support: none for what is not supported. */
static void absent_names(void **state) {
  cl_platform_id platform = kiln_platform_get();
#define X(name)                                                                                              \
  assert_null(kiln_clGetExtensionFunctionAddress(#name));                                                    \
  assert_null(kiln_clGetExtensionFunctionAddressForPlatform(platform, #name));                               \
  assert_ptr_equal(kiln_clIcdGetFunctionAddressForPlatformKHR(platform, #name), (void *)kiln_##name);
  KILN_SHARING_ENTRY_POINTS(X)
#undef X
  assert_null(kiln_clGetExtensionFunctionAddressForPlatform(platform, "clNoSuchFunction"));
  assert_null(kiln_clIcdGetFunctionAddressForPlatformKHR(platform, "clNoSuchFunction"));
  assert_null(kiln_clGetExtensionFunctionAddressForPlatform(platform, NULL));
  assert_null(kiln_clGetExtensionFunctionAddress(NULL));
  assert_null(kiln_clIcdGetFunctionAddressForPlatformKHR(platform, NULL));
  assert_null(kiln_clGetExtensionFunctionAddressForPlatform(not_a_handle(), "clGetPlatformIDs"));
  assert_null(kiln_clIcdGetFunctionAddressForPlatformKHR(not_a_handle(), "clGetPlatformIDs"));
}

/* Every place of the table is filled but those of Direct3D and DirectX, which loaders call on Windows alone.
 */
static void table(void **state) {
  assert_int_equal((intptr_t)kiln_dispatch.core.clGetPlatformIDs, CL_ICD2_TAG_KHR);
  assert_int_equal((intptr_t)kiln_dispatch.core.clUnloadCompiler, CL_ICD2_TAG_KHR);
  void *const *places = (void *const *)&kiln_dispatch;
  size_t empty = 0, count = sizeof kiln_dispatch / sizeof *places;
  for (size_t i = 0; i < count; i++) empty += places[i] == NULL;
  assert_int_equal(empty, 6 /* Direct3D 10 */ + 7 /* Direct3D 11 */ + 3 /* DirectX 9 */);
  assert_int_equal(offsetof(struct kiln_icd_dispatch, clGetKernelSuggestedLocalWorkSize),
                   sizeof kiln_dispatch - sizeof(void *));
  struct kiln_icd_dispatch untagged = kiln_dispatch;
  untagged.core.clGetPlatformIDs = kiln_clGetPlatformIDs;
  untagged.core.clUnloadCompiler = kiln_clUnloadCompiler;
  assert_memory_equal(&untagged, &kiln_plain_dispatch, sizeof untagged);
}

/* A loader of cl_khr_icd 2 that has not introduced itself, handed objects of another loader's, finds no tag.
 */
static void objects_have_no_tag_without_data(void **state) {
  int data;
  struct fixture *f = *state;
  cl_int err;
  const struct kiln_icd_dispatch *tables[] = {&kiln_plain_dispatch, &kiln_dispatch, &kiln_plain_dispatch};
  for (int round = 0; round < 3; round++) {
    expect_success(kiln_clIcdSetPlatformDispatchDataKHR(f->platform, round == 1 ? &data : NULL));
    cl_context context = kiln_clCreateContext(NULL, 1, &f->device, NULL, NULL, &err);
    expect_success(err);
    assert_ptr_equal(f->platform->object.dispatch, &kiln_dispatch);
    assert_ptr_equal(f->device->object.dispatch, tables[round]);
    assert_ptr_equal(context->object.dispatch, tables[round]);
    expect_success(kiln_clReleaseContext(context));
  }
}

static void dispatch_data(void **state) {
  int data;
  struct fixture *f = *state;
  expect_success(kiln_clIcdSetPlatformDispatchDataKHR(f->platform, &data));
  assert_ptr_equal(f->platform->object.dispatch_data, &data);
  assert_ptr_equal(f->device->object.dispatch_data, &data);
  cl_int err;
  cl_context context = kiln_clCreateContext(NULL, 1, &f->device, NULL, NULL, &err);
  cl_command_queue queue = kiln_clCreateCommandQueueWithProperties(context, f->device, NULL, &err);
  cl_event event = kiln_clCreateUserEvent(context, &err);
  assert_ptr_equal(context->object.dispatch_data, &data);
  assert_ptr_equal(((struct kiln_object *)queue)->dispatch_data, &data);
  assert_ptr_equal(((struct kiln_object *)event)->dispatch_data, &data);
  expect_success(kiln_clReleaseEvent(event));
  expect_success(kiln_clReleaseCommandQueue(queue));
  expect_success(kiln_clReleaseContext(context));
  expect_success(kiln_clIcdSetPlatformDispatchDataKHR(f->platform, NULL));
  expect_error(CL_INVALID_PLATFORM, "platform is NULL", kiln_clIcdSetPlatformDispatchDataKHR(NULL, &data));
}

/* Whatever an application passes first: zeros everywhere. Each call must come back. */
static void zeros(void **state) {
  typedef uintptr_t any(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
                        uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
                        uintptr_t);
  static void *const calls[] = {
#define X(name) (void *)kiln_##name,
      KILN_TAGGED_ENTRY_POINTS(X) KILN_CORE_ENTRY_POINTS(X) KILN_DISPATCHED_EXTENSIONS(X)
          KILN_NAMED_EXTENSIONS(X) KILN_SHARING_ENTRY_POINTS(X)
#undef X
  };
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
    ((any *)calls[i])(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names),         cmocka_unit_test(absent_names),
      cmocka_unit_test(table),         cmocka_unit_test(zeros),
      cmocka_unit_test(dispatch_data), cmocka_unit_test(objects_have_no_tag_without_data)};
  return alloc_fail_run_group(tests, fixture_open, fixture_close);
}
