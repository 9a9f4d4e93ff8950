/* Every handle argument of every entry point, given NULL, memory that is no object, and objects of other
 * kinds: the error of its kind, and a sentence. One table, so that a new entry point is one line.
 * SVM, pipes and sharing, which no device supports, are test_absent.c's; the commands on buffers are
 * test_transfer.c's, those on images test_image_transfer.c's. */
#include "api/fake_compiler.h"

#include "api/world.h"

static struct {
  struct fixture *f;
  cl_mem mem;
  cl_program program;
  cl_kernel kernel;
  cl_event event;
} w;

static size_t got_size;
static uint64_t bytes[16];
static const size_t one[1] = {1};
static const cl_image_format format = {CL_RGBA, CL_FLOAT};
static const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = 1};
static const char *source = "kernel void k(int n) {}";
static const unsigned char *binary = (const unsigned char *)"binary";
static const cl_device_partition_property halves[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
static const cl_device_partition_property_ext halves_ext[] = {CL_DEVICE_PARTITION_EQUALLY_EXT, 1, 0};
static const cl_buffer_region part = {0, 1};

static void CL_CALLBACK on_context(cl_context context, void *data) {}
static void CL_CALLBACK on_mem(cl_mem mem, void *data) {}
static void CL_CALLBACK on_program(cl_program program, void *data) {}
static void CL_CALLBACK on_event(cl_event event, cl_int status, void *data) {}
static void CL_CALLBACK native(void *args) {}

/* X(kind of the argument, code, call with the argument h) */
#define NO_WAIT 0, NULL, NULL
#define HANDLE_ARGUMENTS(X)                                                                                  \
  X(PLATFORM, CL_INVALID_PLATFORM, kiln_clUnloadPlatformCompiler(h))                                         \
  X(PLATFORM, CL_INVALID_PLATFORM, kiln_clIcdSetPlatformDispatchDataKHR(h, NULL))                            \
  X(DEVICE, CL_INVALID_DEVICE, kiln_clGetDeviceInfo(h, CL_DEVICE_TYPE, 0, NULL, &got_size))                  \
  X(DEVICE, CL_INVALID_DEVICE, kiln_clCreateSubDevices(h, halves, 0, NULL, (cl_uint *)bytes))                \
  X(DEVICE, CL_INVALID_DEVICE, kiln_clCreateSubDevicesEXT(h, halves_ext, 0, NULL, (cl_uint *)bytes))         \
  X(DEVICE, CL_INVALID_DEVICE, kiln_clRetainDevice(h))                                                       \
  X(DEVICE, CL_INVALID_DEVICE, kiln_clReleaseDevice(h))                                                      \
  X(DEVICE, CL_INVALID_DEVICE, kiln_clRetainDeviceEXT(h))                                                    \
  X(DEVICE, CL_INVALID_DEVICE, kiln_clReleaseDeviceEXT(h))                                                   \
  X(DEVICE, CL_INVALID_DEVICE, kiln_clSetDefaultDeviceCommandQueue(w.f->context, h, w.f->queue))             \
  X(DEVICE, CL_INVALID_DEVICE, kiln_clGetDeviceAndHostTimer(h, bytes, bytes + 1))                            \
  X(DEVICE, CL_INVALID_DEVICE, kiln_clGetHostTimer(h, bytes))                                                \
  X(DEVICE, CL_INVALID_DEVICE, MADE(kiln_clCreateContext(NULL, 1, (cl_device_id *)&h, NULL, NULL, &err)))    \
  X(DEVICE, CL_INVALID_DEVICE, MADE(kiln_clCreateCommandQueue(w.f->context, h, 0, &err)))                    \
  X(DEVICE, CL_INVALID_DEVICE, MADE(kiln_clCreateCommandQueueWithProperties(w.f->context, h, NULL, &err)))   \
  X(DEVICE, CL_INVALID_DEVICE,                                                                               \
    MADE(kiln_clCreateCommandQueueWithPropertiesKHR(w.f->context, h, NULL, &err)))                           \
  X(DEVICE, CL_INVALID_DEVICE,                                                                               \
    MADE(kiln_clCreateProgramWithBinary(w.f->context, 1, (cl_device_id *)&h, one, &binary, NULL, &err)))     \
  X(DEVICE, CL_INVALID_DEVICE,                                                                               \
    MADE(kiln_clCreateProgramWithBuiltInKernels(w.f->context, 1, (cl_device_id *)&h, "k", &err)))            \
  X(DEVICE, CL_INVALID_DEVICE, kiln_clBuildProgram(w.program, 1, (cl_device_id *)&h, NULL, NULL, NULL))      \
  X(DEVICE, CL_INVALID_DEVICE,                                                                               \
    kiln_clCompileProgram(w.program, 1, (cl_device_id *)&h, NULL, 0, NULL, NULL, NULL, NULL))                \
  X(DEVICE, CL_INVALID_DEVICE,                                                                               \
    MADE(kiln_clLinkProgram(w.f->context, 1, (cl_device_id *)&h, NULL, 1, &w.program, NULL, NULL, &err)))    \
  X(DEVICE, CL_INVALID_DEVICE,                                                                               \
    kiln_clGetProgramBuildInfo(w.program, h, CL_PROGRAM_BUILD_STATUS, 0, NULL, &got_size))                   \
  X(CONTEXT, CL_INVALID_CONTEXT, kiln_clRetainContext(h))                                                    \
  X(CONTEXT, CL_INVALID_CONTEXT, kiln_clReleaseContext(h))                                                   \
  X(CONTEXT, CL_INVALID_CONTEXT, kiln_clGetContextInfo(h, CL_CONTEXT_DEVICES, 0, NULL, &got_size))           \
  X(CONTEXT, CL_INVALID_CONTEXT, kiln_clSetContextDestructorCallback(h, on_context, NULL))                   \
  X(CONTEXT, CL_INVALID_CONTEXT, kiln_clSetDefaultDeviceCommandQueue(h, w.f->device, w.f->queue))            \
  X(CONTEXT, CL_INVALID_CONTEXT, MADE(kiln_clCreateCommandQueue(h, w.f->device, 0, &err)))                   \
  X(CONTEXT, CL_INVALID_CONTEXT, MADE(kiln_clCreateCommandQueueWithProperties(h, w.f->device, NULL, &err)))  \
  X(CONTEXT, CL_INVALID_CONTEXT,                                                                             \
    MADE(kiln_clCreateCommandQueueWithPropertiesKHR(h, w.f->device, NULL, &err)))                            \
  X(CONTEXT, CL_INVALID_CONTEXT, MADE(kiln_clCreateBuffer(h, 0, 8, NULL, &err)))                             \
  X(CONTEXT, CL_INVALID_CONTEXT, MADE(kiln_clCreateBufferWithProperties(h, NULL, 0, 8, NULL, &err)))         \
  X(CONTEXT, CL_INVALID_CONTEXT, MADE(kiln_clCreateImage(h, 0, &format, &desc, NULL, &err)))                 \
  X(CONTEXT, CL_INVALID_CONTEXT,                                                                             \
    MADE(kiln_clCreateImageWithProperties(h, NULL, 0, &format, &desc, NULL, &err)))                          \
  X(CONTEXT, CL_INVALID_CONTEXT, MADE(kiln_clCreateImage2D(h, 0, &format, 1, 1, 0, NULL, &err)))             \
  X(CONTEXT, CL_INVALID_CONTEXT, MADE(kiln_clCreateImage3D(h, 0, &format, 1, 1, 2, 0, 0, NULL, &err)))       \
  X(CONTEXT, CL_INVALID_CONTEXT,                                                                             \
    kiln_clGetSupportedImageFormats(h, 0, CL_MEM_OBJECT_IMAGE2D, 0, NULL, (cl_uint *)bytes))                 \
  X(CONTEXT, CL_INVALID_CONTEXT,                                                                             \
    kiln_clGetImageRequirementsInfoEXT(h, NULL, 0, &format, &desc, CL_IMAGE_REQUIREMENTS_SIZE_EXT, 0, NULL,  \
                                       &got_size))                                                           \
  X(CONTEXT, CL_INVALID_CONTEXT, MADE(kiln_clCreatePipe(h, 0, 4, 4, NULL, &err)))                            \
  X(CONTEXT, CL_INVALID_CONTEXT,                                                                             \
    MADE(kiln_clCreateSampler(h, CL_TRUE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &err)))                        \
  X(CONTEXT, CL_INVALID_CONTEXT, MADE(kiln_clCreateSamplerWithProperties(h, NULL, &err)))                    \
  X(CONTEXT, CL_INVALID_CONTEXT, MADE(kiln_clCreateProgramWithSource(h, 1, &source, NULL, &err)))            \
  X(CONTEXT, CL_INVALID_CONTEXT,                                                                             \
    MADE(kiln_clCreateProgramWithBinary(h, 1, &w.f->device, one, &binary, NULL, &err)))                      \
  X(CONTEXT, CL_INVALID_CONTEXT,                                                                             \
    MADE(kiln_clCreateProgramWithBuiltInKernels(h, 1, &w.f->device, "k", &err)))                             \
  X(CONTEXT, CL_INVALID_CONTEXT, MADE(kiln_clCreateProgramWithIL(h, bytes, 4, &err)))                        \
  X(CONTEXT, CL_INVALID_CONTEXT, MADE(kiln_clCreateProgramWithILKHR(h, bytes, 4, &err)))                     \
  X(CONTEXT, CL_INVALID_CONTEXT,                                                                             \
    MADE(kiln_clLinkProgram(h, 0, NULL, NULL, 1, &w.program, NULL, NULL, &err)))                             \
  X(CONTEXT, CL_INVALID_CONTEXT, MADE(kiln_clCreateUserEvent(h, &err)))                                      \
  X(QUEUE, CL_INVALID_COMMAND_QUEUE, kiln_clRetainCommandQueue(h))                                           \
  X(QUEUE, CL_INVALID_COMMAND_QUEUE, kiln_clReleaseCommandQueue(h))                                          \
  X(QUEUE, CL_INVALID_COMMAND_QUEUE, kiln_clGetCommandQueueInfo(h, CL_QUEUE_DEVICE, 0, NULL, &got_size))     \
  X(QUEUE, CL_INVALID_COMMAND_QUEUE, kiln_clSetCommandQueueProperty(h, 0, CL_TRUE, NULL))                    \
  X(QUEUE, CL_INVALID_COMMAND_QUEUE, kiln_clFlush(h))                                                        \
  X(QUEUE, CL_INVALID_COMMAND_QUEUE, kiln_clFinish(h))                                                       \
  X(QUEUE, CL_INVALID_COMMAND_QUEUE, kiln_clEnqueueNDRangeKernel(h, w.kernel, 1, NULL, one, NULL, NO_WAIT))  \
  X(QUEUE, CL_INVALID_COMMAND_QUEUE, kiln_clEnqueueTask(h, w.kernel, NO_WAIT))                               \
  X(QUEUE, CL_INVALID_COMMAND_QUEUE,                                                                         \
    kiln_clGetKernelSuggestedLocalWorkSizeKHR(h, w.kernel, 1, NULL, one, &got_size))                         \
  X(QUEUE, CL_INVALID_COMMAND_QUEUE, kiln_clEnqueueNativeKernel(h, native, NULL, 0, 0, NULL, NULL, NO_WAIT)) \
  X(QUEUE, CL_INVALID_COMMAND_QUEUE, kiln_clEnqueueMarker(h, &w.event))                                      \
  X(QUEUE, CL_INVALID_COMMAND_QUEUE, kiln_clEnqueueBarrier(h))                                               \
  X(QUEUE, CL_INVALID_COMMAND_QUEUE, kiln_clEnqueueWaitForEvents(h, 1, &w.event))                            \
  X(QUEUE, CL_INVALID_COMMAND_QUEUE, kiln_clEnqueueUnmapMemObject(h, w.mem, bytes, NO_WAIT))                 \
  X(MEM, CL_INVALID_MEM_OBJECT, kiln_clRetainMemObject(h))                                                   \
  X(MEM, CL_INVALID_MEM_OBJECT, kiln_clReleaseMemObject(h))                                                  \
  X(MEM, CL_INVALID_MEM_OBJECT, kiln_clGetMemObjectInfo(h, CL_MEM_SIZE, 0, NULL, &got_size))                 \
  X(MEM, CL_INVALID_MEM_OBJECT, kiln_clSetMemObjectDestructorCallback(h, on_mem, NULL))                      \
  X(MEM, CL_INVALID_MEM_OBJECT, kiln_clGetImageInfo(h, CL_IMAGE_FORMAT, 0, NULL, &got_size))                 \
  X(MEM, CL_INVALID_MEM_OBJECT,                                                                              \
    MADE(kiln_clCreateSubBuffer(h, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &err)))                           \
  X(MEM, CL_INVALID_MEM_OBJECT, kiln_clEnqueueUnmapMemObject(w.f->queue, h, bytes, NO_WAIT))                 \
  X(SAMPLER, CL_INVALID_SAMPLER, kiln_clRetainSampler(h))                                                    \
  X(SAMPLER, CL_INVALID_SAMPLER, kiln_clReleaseSampler(h))                                                   \
  X(SAMPLER, CL_INVALID_SAMPLER, kiln_clGetSamplerInfo(h, CL_SAMPLER_CONTEXT, 0, NULL, &got_size))           \
  X(PROGRAM, CL_INVALID_PROGRAM, kiln_clRetainProgram(h))                                                    \
  X(PROGRAM, CL_INVALID_PROGRAM, kiln_clReleaseProgram(h))                                                   \
  X(PROGRAM, CL_INVALID_PROGRAM, kiln_clBuildProgram(h, 0, NULL, NULL, NULL, NULL))                          \
  X(PROGRAM, CL_INVALID_PROGRAM, kiln_clCompileProgram(h, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL))         \
  X(PROGRAM, CL_INVALID_PROGRAM,                                                                             \
    kiln_clCompileProgram(w.program, 0, NULL, NULL, 1, (cl_program *)&h, &source, NULL, NULL))               \
  X(PROGRAM, CL_INVALID_PROGRAM,                                                                             \
    MADE(kiln_clLinkProgram(w.f->context, 0, NULL, NULL, 1, (cl_program *)&h, NULL, NULL, &err)))            \
  X(PROGRAM, CL_INVALID_PROGRAM, kiln_clSetProgramReleaseCallback(h, on_program, NULL))                      \
  X(PROGRAM, CL_INVALID_PROGRAM, kiln_clSetProgramSpecializationConstant(h, 0, 4, bytes))                    \
  X(PROGRAM, CL_INVALID_PROGRAM, kiln_clGetProgramInfo(h, CL_PROGRAM_CONTEXT, 0, NULL, &got_size))           \
  X(PROGRAM, CL_INVALID_PROGRAM,                                                                             \
    kiln_clGetProgramBuildInfo(h, w.f->device, CL_PROGRAM_BUILD_STATUS, 0, NULL, &got_size))                 \
  X(PROGRAM, CL_INVALID_PROGRAM, MADE(kiln_clCreateKernel(h, "k", &err)))                                    \
  X(PROGRAM, CL_INVALID_PROGRAM, kiln_clCreateKernelsInProgram(h, 0, NULL, (cl_uint *)bytes))                \
  X(KERNEL, CL_INVALID_KERNEL, kiln_clRetainKernel(h))                                                       \
  X(KERNEL, CL_INVALID_KERNEL, kiln_clReleaseKernel(h))                                                      \
  X(KERNEL, CL_INVALID_KERNEL, MADE(kiln_clCloneKernel(h, &err)))                                            \
  X(KERNEL, CL_INVALID_KERNEL, kiln_clSetKernelArg(h, 0, 4, bytes))                                          \
  X(KERNEL, CL_INVALID_KERNEL, kiln_clSetKernelArgSVMPointer(h, 0, bytes))                                   \
  X(KERNEL, CL_INVALID_KERNEL, kiln_clSetKernelExecInfo(h, CL_KERNEL_EXEC_INFO_SVM_PTRS, 8, bytes))          \
  X(KERNEL, CL_INVALID_KERNEL, kiln_clGetKernelInfo(h, CL_KERNEL_NUM_ARGS, 0, NULL, &got_size))              \
  X(KERNEL, CL_INVALID_KERNEL, kiln_clGetKernelArgInfo(h, 0, CL_KERNEL_ARG_NAME, 0, NULL, &got_size))        \
  X(KERNEL, CL_INVALID_KERNEL,                                                                               \
    kiln_clGetKernelWorkGroupInfo(h, w.f->device, CL_KERNEL_WORK_GROUP_SIZE, 0, NULL, &got_size))            \
  X(KERNEL, CL_INVALID_KERNEL,                                                                               \
    kiln_clGetKernelSubGroupInfo(h, w.f->device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, 0, NULL, &got_size)) \
  X(KERNEL, CL_INVALID_KERNEL,                                                                               \
    kiln_clGetKernelSubGroupInfoKHR(h, w.f->device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, 0, NULL,          \
                                    &got_size))                                                              \
  X(KERNEL, CL_INVALID_KERNEL, kiln_clEnqueueNDRangeKernel(w.f->queue, h, 1, NULL, one, NULL, NO_WAIT))      \
  X(KERNEL, CL_INVALID_KERNEL, kiln_clEnqueueTask(w.f->queue, h, NO_WAIT))                                   \
  X(KERNEL, CL_INVALID_KERNEL,                                                                               \
    kiln_clGetKernelSuggestedLocalWorkSizeKHR(w.f->queue, h, 1, NULL, one, &got_size))                       \
  X(EVENT, CL_INVALID_EVENT, kiln_clWaitForEvents(1, (cl_event *)&h))                                        \
  X(EVENT, CL_INVALID_EVENT, kiln_clGetEventInfo(h, CL_EVENT_CONTEXT, 0, NULL, &got_size))                   \
  X(EVENT, CL_INVALID_EVENT, kiln_clRetainEvent(h))                                                          \
  X(EVENT, CL_INVALID_EVENT, kiln_clReleaseEvent(h))                                                         \
  X(EVENT, CL_INVALID_EVENT, kiln_clSetUserEventStatus(h, CL_COMPLETE))                                      \
  X(EVENT, CL_INVALID_EVENT, kiln_clSetEventCallback(h, CL_COMPLETE, on_event, NULL))                        \
  X(EVENT, CL_INVALID_EVENT, kiln_clGetEventProfilingInfo(h, CL_PROFILING_COMMAND_END, 0, NULL, &got_size))  \
  X(EVENT, CL_INVALID_EVENT, kiln_clEnqueueWaitForEvents(w.f->queue, 1, (cl_event *)&h))                     \
  X(EVENT, CL_INVALID_EVENT_WAIT_LIST,                                                                       \
    kiln_clEnqueueNDRangeKernel(w.f->queue, w.kernel, 1, NULL, one, NULL, 1, (cl_event *)&h, NULL))          \
  X(EVENT, CL_INVALID_EVENT_WAIT_LIST, kiln_clEnqueueTask(w.f->queue, w.kernel, 1, (cl_event *)&h, NULL))    \
  X(EVENT, CL_INVALID_EVENT_WAIT_LIST,                                                                       \
    kiln_clEnqueueUnmapMemObject(w.f->queue, w.mem, bytes, 1, (cl_event *)&h, NULL))

/* A creator's code; it must have made nothing. */
#define MADE(call)                                                                                           \
  ({                                                                                                         \
    cl_int err = CL_SUCCESS;                                                                                 \
    assert_null(call);                                                                                       \
    err;                                                                                                     \
  })

struct argument {
  const char *call;
  enum kiln_type kind;
  cl_int code;
};
static const struct argument arguments[] = {
#define X(kind, code, call) {#call, KILN_T_##kind, code},
    HANDLE_ARGUMENTS(X)
#undef X
};
enum { NUM_ARGUMENTS = sizeof arguments / sizeof *arguments };

/* Makes call i with handle h. */
static cl_int try_argument(int i, void *h) {
  int at = 0;
#define X(kind, code, call)                                                                                  \
  if (i == at++) return call;
  HANDLE_ARGUMENTS(X)
#undef X
  return CL_SUCCESS;
}

static void refuse(int i, void *h, const char *text) {
  expect_begin();
  expect_sentence(try_argument(i, h), arguments[i].code, text, arguments[i].call, __FILE__, __LINE__);
}

/* Devices in a list are compared with those of the context, so their sentence is another. */
static bool is_listed(const struct argument *a) {
  return a->kind == KILN_T_DEVICE && (strstr(a->call, "&h") != NULL || strstr(a->call, "BuildInfo") != NULL);
}

static void null_handles(void **state) {
  for (int i = 0; i < NUM_ARGUMENTS; i++) refuse(i, NULL, is_listed(&arguments[i]) ? "" : " is NULL");
}

static void what_is_no_object(void **state) {
  for (int i = 0; i < NUM_ARGUMENTS; i++)
    refuse(i, not_a_handle(), is_listed(&arguments[i]) ? "" : "is not a live ");
}

static void objects_of_another_kind(void **state) {
  struct {
    enum kiln_type kind;
    void *handle;
  } objects[] = {
      {KILN_T_PLATFORM, w.f->platform}, {KILN_T_DEVICE, w.f->device}, {KILN_T_CONTEXT, w.f->context},
      {KILN_T_QUEUE, w.f->queue},       {KILN_T_MEM, w.mem},          {KILN_T_PROGRAM, w.program},
      {KILN_T_KERNEL, w.kernel},        {KILN_T_EVENT, w.event}};
  for (int i = 0; i < NUM_ARGUMENTS; i++)
    for (size_t o = 0; o < sizeof objects / sizeof *objects; o++)
      if (objects[o].kind != arguments[i].kind)
        refuse(i, objects[o].handle, is_listed(&arguments[i]) ? "" : "is not a live ");
}

/* NULL is a platform for two calls (the specification leaves that to the implementation). */
static void no_platform(void **state) {
  cl_uint count = 0;
  size_t size = 0;
  expect_success(kiln_clGetPlatformInfo(w.f->platform, CL_PLATFORM_NAME, 0, NULL, &size));
  assert_true(size > 1);
  expect_error(CL_INVALID_PLATFORM, "is not a live platform",
               kiln_clGetPlatformInfo(not_a_handle(), CL_PLATFORM_NAME, 0, NULL, &size));
  expect_error(CL_INVALID_PLATFORM, "is not a live platform",
               kiln_clGetDeviceIDs((cl_platform_id)w.f->queue, CL_DEVICE_TYPE_ALL, 0, NULL, &count));
}

/* As long as its memory is not used again; sanitizers would see that it is looked at. */
static void released_twice(void **state) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  skip();
#endif
  cl_kernel kernel = fake_kernel_of(w.program, "k");
  const void *const *header = (const void *const *)kernel;
  const void *table = header[0];
  expect_success(kiln_clReleaseKernel(kernel));
  assert_ptr_equal(header[0], table); /* which a loader calls through */
  expect_error(CL_INVALID_KERNEL, "is not a live kernel", kiln_clReleaseKernel(kernel));
}

static int open_world(void **state) {
  cl_int n = 1;
  int err = fake_open_fixture(state);
  w.f = *state;
  w.mem = make_buffer(w.f->context, 0, 64, NULL);
  w.program = fake_build(w.f, source, NULL);
  w.kernel = fake_kernel_of(w.program, "k");
  w.event = make_user_event(w.f->context);
  expect_success(kiln_clSetKernelArg(w.kernel, 0, sizeof n, &n));
  return err;
}

static int close_world(void **state) {
  expect_success(kiln_clReleaseKernel(w.kernel));
  expect_success(kiln_clReleaseProgram(w.program));
  drop_event(w.event);
  drop_buffer(w.mem);
  return fake_close_fixture(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(null_handles),
      cmocka_unit_test(what_is_no_object),
      cmocka_unit_test(objects_of_another_kind),
      cmocka_unit_test(no_platform),
      cmocka_unit_test(released_twice),
  };
  return alloc_fail_run_group(tests, open_world, close_world);
}
