/* The rules that all clGet*Info calls share, over every parameter of every query: the size alone, too small a
 * size, an exact and a larger one, and parameters that are none. */
#include "api/fake_compiler.h"

#include "api/images.h"

static struct {
  struct fixture *f;
  cl_mem mem, image;
  cl_sampler sampler;
  cl_program program;
  cl_kernel kernel;
  cl_event event; /* of a command that is done */
} w;

struct query {
  const char *name;
  cl_int (*ask)(cl_uint param, size_t size, void *value, size_t *size_out);
  cl_uint params[80]; /* ends with 0 */
};

#define ASK(name, call)                                                                                      \
  static cl_int name(cl_uint param, size_t size, void *value, size_t *size_out) { return call; }
ASK(platform, kiln_clGetPlatformInfo(w.f->platform, param, size, value, size_out))
ASK(device, kiln_clGetDeviceInfo(w.f->device, param, size, value, size_out))
ASK(context, kiln_clGetContextInfo(w.f->context, param, size, value, size_out))
ASK(queue, kiln_clGetCommandQueueInfo(w.f->queue, param, size, value, size_out))
ASK(mem, kiln_clGetMemObjectInfo(w.mem, param, size, value, size_out))
ASK(image, kiln_clGetImageInfo(w.image, param, size, value, size_out))
ASK(sampler, kiln_clGetSamplerInfo(w.sampler, param, size, value, size_out))
ASK(program, kiln_clGetProgramInfo(w.program, param, size, value, size_out))
ASK(build, kiln_clGetProgramBuildInfo(w.program, w.f->device, param, size, value, size_out))
ASK(kernel, kiln_clGetKernelInfo(w.kernel, param, size, value, size_out))
ASK(argument, kiln_clGetKernelArgInfo(w.kernel, 0, param, size, value, size_out))
ASK(work_group, kiln_clGetKernelWorkGroupInfo(w.kernel, w.f->device, param, size, value, size_out))
ASK(event, kiln_clGetEventInfo(w.event, param, size, value, size_out))
ASK(profiling, kiln_clGetEventProfilingInfo(w.event, param, size, value, size_out))

static const struct query queries[] = {
    {"clGetPlatformInfo",
     platform,
     {CL_PLATFORM_PROFILE, CL_PLATFORM_VERSION, CL_PLATFORM_NAME, CL_PLATFORM_VENDOR, CL_PLATFORM_EXTENSIONS,
      CL_PLATFORM_HOST_TIMER_RESOLUTION, CL_PLATFORM_NUMERIC_VERSION, CL_PLATFORM_EXTENSIONS_WITH_VERSION,
      CL_PLATFORM_ICD_SUFFIX_KHR}},
    {"clGetDeviceInfo",
     device,
     {CL_DEVICE_TYPE,
      CL_DEVICE_VENDOR_ID,
      CL_DEVICE_MAX_COMPUTE_UNITS,
      CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS,
      CL_DEVICE_MAX_WORK_ITEM_SIZES,
      CL_DEVICE_MAX_WORK_GROUP_SIZE,
      CL_DEVICE_ADDRESS_BITS,
      CL_DEVICE_MAX_MEM_ALLOC_SIZE,
      CL_DEVICE_IMAGE_SUPPORT,
      CL_DEVICE_MAX_PARAMETER_SIZE,
      CL_DEVICE_MEM_BASE_ADDR_ALIGN,
      CL_DEVICE_SINGLE_FP_CONFIG,
      CL_DEVICE_DOUBLE_FP_CONFIG,
      CL_DEVICE_GLOBAL_MEM_SIZE,
      CL_DEVICE_LOCAL_MEM_TYPE,
      CL_DEVICE_LOCAL_MEM_SIZE,
      CL_DEVICE_PROFILING_TIMER_RESOLUTION,
      CL_DEVICE_EXECUTION_CAPABILITIES,
      CL_DEVICE_QUEUE_ON_HOST_PROPERTIES,
      CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES,
      CL_DEVICE_BUILT_IN_KERNELS,
      CL_DEVICE_PLATFORM,
      CL_DEVICE_NAME,
      CL_DEVICE_VENDOR,
      CL_DRIVER_VERSION,
      CL_DEVICE_PROFILE,
      CL_DEVICE_VERSION,
      CL_DEVICE_OPENCL_C_VERSION,
      CL_DEVICE_EXTENSIONS,
      CL_DEVICE_PRINTF_BUFFER_SIZE,
      CL_DEVICE_PARENT_DEVICE,
      CL_DEVICE_PARTITION_MAX_SUB_DEVICES,
      CL_DEVICE_PARTITION_PROPERTIES,
      CL_DEVICE_PARTITION_AFFINITY_DOMAIN,
      CL_DEVICE_PARTITION_TYPE,
      CL_DEVICE_REFERENCE_COUNT,
      CL_DEVICE_SVM_CAPABILITIES,
      CL_DEVICE_IL_VERSION,
      CL_DEVICE_MAX_NUM_SUB_GROUPS,
      CL_DEVICE_SUB_GROUP_SIZES_INTEL,
      CL_DEVICE_NUMERIC_VERSION,
      CL_DEVICE_EXTENSIONS_WITH_VERSION,
      CL_DEVICE_ILS_WITH_VERSION,
      CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION,
      CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES,
      CL_DEVICE_ATOMIC_FENCE_CAPABILITIES,
      CL_DEVICE_OPENCL_C_ALL_VERSIONS,
      CL_DEVICE_OPENCL_C_FEATURES,
      CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES,
      CL_DEVICE_PIPE_SUPPORT,
      CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED}},
    {"clGetContextInfo",
     context,
     {CL_CONTEXT_REFERENCE_COUNT, CL_CONTEXT_NUM_DEVICES, CL_CONTEXT_DEVICES, CL_CONTEXT_PROPERTIES}},
    {"clGetCommandQueueInfo",
     queue,
     {CL_QUEUE_CONTEXT, CL_QUEUE_DEVICE, CL_QUEUE_REFERENCE_COUNT, CL_QUEUE_PROPERTIES,
      CL_QUEUE_PROPERTIES_ARRAY, CL_QUEUE_DEVICE_DEFAULT}},
    {"clGetMemObjectInfo",
     mem,
     {CL_MEM_TYPE, CL_MEM_FLAGS, CL_MEM_SIZE, CL_MEM_HOST_PTR, CL_MEM_MAP_COUNT, CL_MEM_REFERENCE_COUNT,
      CL_MEM_CONTEXT, CL_MEM_ASSOCIATED_MEMOBJECT, CL_MEM_OFFSET, CL_MEM_USES_SVM_POINTER,
      CL_MEM_PROPERTIES}},
    {"clGetImageInfo",
     image,
     {CL_IMAGE_FORMAT, CL_IMAGE_ELEMENT_SIZE, CL_IMAGE_ROW_PITCH, CL_IMAGE_SLICE_PITCH, CL_IMAGE_WIDTH,
      CL_IMAGE_HEIGHT, CL_IMAGE_DEPTH, CL_IMAGE_ARRAY_SIZE, CL_IMAGE_BUFFER, CL_IMAGE_NUM_MIP_LEVELS,
      CL_IMAGE_NUM_SAMPLES}},
    {"clGetSamplerInfo",
     sampler,
     {CL_SAMPLER_REFERENCE_COUNT, CL_SAMPLER_CONTEXT, CL_SAMPLER_NORMALIZED_COORDS,
      CL_SAMPLER_ADDRESSING_MODE, CL_SAMPLER_FILTER_MODE, CL_SAMPLER_PROPERTIES}},
    {"clGetProgramInfo",
     program,
     {CL_PROGRAM_REFERENCE_COUNT, CL_PROGRAM_CONTEXT, CL_PROGRAM_NUM_DEVICES, CL_PROGRAM_DEVICES,
      CL_PROGRAM_SOURCE, CL_PROGRAM_IL, CL_PROGRAM_BINARY_SIZES, CL_PROGRAM_NUM_KERNELS,
      CL_PROGRAM_KERNEL_NAMES, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT}},
    {"clGetProgramBuildInfo",
     build,
     {CL_PROGRAM_BUILD_STATUS, CL_PROGRAM_BUILD_OPTIONS, CL_PROGRAM_BUILD_LOG, CL_PROGRAM_BINARY_TYPE,
      CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE}},
    {"clGetKernelInfo",
     kernel,
     {CL_KERNEL_FUNCTION_NAME, CL_KERNEL_NUM_ARGS, CL_KERNEL_REFERENCE_COUNT, CL_KERNEL_CONTEXT,
      CL_KERNEL_PROGRAM, CL_KERNEL_ATTRIBUTES}},
    {"clGetKernelArgInfo",
     argument,
     {CL_KERNEL_ARG_ADDRESS_QUALIFIER, CL_KERNEL_ARG_ACCESS_QUALIFIER, CL_KERNEL_ARG_TYPE_NAME,
      CL_KERNEL_ARG_TYPE_QUALIFIER, CL_KERNEL_ARG_NAME}},
    {"clGetKernelWorkGroupInfo",
     work_group,
     {CL_KERNEL_WORK_GROUP_SIZE, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, CL_KERNEL_LOCAL_MEM_SIZE,
      CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, CL_KERNEL_PRIVATE_MEM_SIZE,
      CL_KERNEL_SPILL_MEM_SIZE_INTEL}},
    {"clGetEventInfo",
     event,
     {CL_EVENT_COMMAND_QUEUE, CL_EVENT_COMMAND_TYPE, CL_EVENT_REFERENCE_COUNT,
      CL_EVENT_COMMAND_EXECUTION_STATUS, CL_EVENT_CONTEXT}},
    {"clGetEventProfilingInfo",
     profiling,
     {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT, CL_PROFILING_COMMAND_START,
      CL_PROFILING_COMMAND_END, CL_PROFILING_COMMAND_COMPLETE}},
};
enum { NUM_QUERIES = sizeof queries / sizeof *queries, ROOM = 16384 };

static uint8_t first[ROOM], second[ROOM];

static void ask_well(const struct query *q, cl_uint param) {
  size_t size = SIZE_MAX, again = SIZE_MAX;
  expect_success(q->ask(param, 0, NULL, &size));
  if (size > ROOM - 64) fail_msg("%s 0x%X: %zu bytes", q->name, param, size);
  expect_success(q->ask(param, 12345, NULL, &again)); /* "If param_value is NULL, it is ignored" */
  assert_int_equal(again, size);
  memset(first, 0x5a, sizeof first);
  memset(second, 0xa5, sizeof second);
  expect_success(q->ask(param, size, first, &again));
  assert_int_equal(again, size);
  expect_success(q->ask(param, size + 8, second, NULL));
  assert_memory_equal(first, second, size);
  for (size_t i = size; i < size + 64; i++)
    if (first[i] != 0x5a || second[i] != 0xa5)
      fail_msg("%s 0x%X: wrote byte %zu of %zu", q->name, param, i, size);
  expect_success(q->ask(param, 0, NULL, NULL));
}

static void ask_short(const struct query *q, cl_uint param) {
  size_t size = 0, untouched = 7;
  char text[128];
  expect_success(q->ask(param, 0, NULL, &size));
  for (size_t less = 0; less<size; less += size - less> 40 ? 37 : 1) {
    snprintf(text, sizeof text, "param_value_size %zu is smaller than the %zu bytes of param_name 0x%X", less,
             size, param);
    memset(first, 0x5a, sizeof first);
    expect_error(CL_INVALID_VALUE, text, q->ask(param, less, first, &untouched));
    assert_int_equal(untouched, 7);
    for (size_t i = 0; i < size; i++) assert_int_equal(first[i], 0x5a);
    if (alloc_fail_active()) return;
  }
}

static void every_answer_fits(void **state) {
  for (int i = 0; i < NUM_QUERIES; i++)
    for (const cl_uint *param = queries[i].params; *param != 0; param++) ask_well(&queries[i], *param);
}

static void every_short_size_is_refused(void **state) {
  for (int i = 0; i < NUM_QUERIES; i++)
    for (const cl_uint *param = queries[i].params; *param != 0; param++) ask_short(&queries[i], *param);
}

static void unknown_parameters_are_refused(void **state) {
  static const cl_uint none[] = {0, 1, 0x1234, 0xffffffff};
  for (int i = 0; i < NUM_QUERIES; i++)
    for (size_t n = 0; n < sizeof none / sizeof *none; n++) {
      char text[64];
      size_t untouched = 7;
      snprintf(text, sizeof text, "param_name 0x%X is not one of this query's", none[n]);
      expect_error(CL_INVALID_VALUE, text, queries[i].ask(none[n], 0, NULL, &untouched));
      expect_error(CL_INVALID_VALUE, text, queries[i].ask(none[n], sizeof first, first, NULL));
      assert_int_equal(untouched, 7);
    }
}

static int open_world(void **state) {
  int err = fake_open_fixture(state);
  w.f = *state;
  w.mem = make_buffer(w.f->context, 0, 64, NULL);
  kiln_cpu_set_images(&w.f->device->backend->caps, true);
  w.image = make_image(w.f->context, 0, &rgba8, &image_shapes[3], NULL);
  cl_int made = 12345;
  const cl_sampler_properties list[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0};
  w.sampler = kiln_clCreateSamplerWithProperties(w.f->context, list, &made);
  expect_success(made);
  w.program = fake_build(w.f, "kernel void k(int n) {}", "-w");
  w.kernel = fake_kernel_of(w.program, "k");
  expect_success(kiln_clEnqueueFillBuffer(w.f->queue, w.mem, "a", 1, 0, 64, 0, NULL, &w.event));
  expect_success(kiln_clWaitForEvents(1, &w.event));
  return err;
}

static int close_world(void **state) {
  expect_success(kiln_clReleaseKernel(w.kernel));
  expect_success(kiln_clReleaseProgram(w.program));
  drop_event(w.event);
  drop_buffer(w.mem);
  drop_buffer(w.image);
  expect_success(kiln_clReleaseSampler(w.sampler));
  return fake_close_fixture(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_answer_fits),
      cmocka_unit_test(every_short_size_is_refused),
      cmocka_unit_test(unknown_parameters_are_refused),
  };
  return alloc_fail_run_group(tests, open_world, close_world);
}
