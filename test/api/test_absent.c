/* Entry points of features that the device does not support: each answers as the specification prescribes.
 * Images are switched off for it. */
#include "api/fixture.h"

#include "core/kernel.h"
#include "core/mem.h"
#include "core/queue.h"
#include "core/sampler.h"
#include "drivers/cpu/cpu.h"

static cl_mem buffer;

static const size_t origin[3] = {0, 0, 0}, region[3] = {1, 1, 1};
static const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
static const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};

static int open_all(void **state) {
  fixture_open(state);
  struct fixture *f = *state;
  cl_int err;
  kiln_cpu_set_images(&f->device->backend->caps, false);
  buffer = kiln_clCreateBuffer(f->context, 0, 64, NULL, &err);
  expect_success(err);
  return 0;
}

static int close_all(void **state) {
  expect_success(kiln_clReleaseMemObject(buffer));
  return fixture_close(state);
}

static void images(void **state) {
  struct fixture *f = *state;
#define NO_IMAGES "devices of context"
  expect_no_handle(CL_INVALID_OPERATION, NO_IMAGES,
                   kiln_clCreateImage(f->context, 0, &format, &desc, NULL, &err));
  expect_no_handle(CL_INVALID_OPERATION, "supports images",
                   kiln_clCreateImageWithProperties(f->context, NULL, 0, &format, &desc, NULL, &err));
  expect_no_handle(CL_INVALID_OPERATION, "supports images",
                   kiln_clCreateImage2D(f->context, 0, &format, 4, 4, 0, NULL, &err));
  expect_no_handle(CL_INVALID_OPERATION, "supports images",
                   kiln_clCreateImage3D(f->context, 0, &format, 4, 4, 2, 0, 0, NULL, &err));
  expect_no_handle(CL_INVALID_CONTEXT, "context is NULL",
                   kiln_clCreateImage(NULL, 0, &format, &desc, NULL, &err));
  expect_no_handle(CL_INVALID_CONTEXT, "context is NULL",
                   kiln_clCreateImageWithProperties(NULL, NULL, 0, &format, &desc, NULL, &err));
  expect_no_handle(CL_INVALID_CONTEXT, "context is NULL",
                   kiln_clCreateImage2D(NULL, 0, &format, 4, 4, 0, NULL, &err));
  expect_no_handle(CL_INVALID_CONTEXT, "context is NULL",
                   kiln_clCreateImage3D(NULL, 0, &format, 4, 4, 2, 0, 0, NULL, &err));
}

static void image_requirements(void **state) {
  struct fixture *f = *state;
  size_t size;
  expect_error(CL_INVALID_OPERATION, "supports images",
               kiln_clGetImageRequirementsInfoEXT(f->context, NULL, 0, &format, &desc,
                                                  CL_IMAGE_REQUIREMENTS_SIZE_EXT, sizeof size, &size, NULL));
}

static void image_formats(void **state) {
  struct fixture *f = *state;
  cl_image_format formats[4];
  cl_uint count = 7;
  expect_success(
      kiln_clGetSupportedImageFormats(f->context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count));
  assert_int_equal(count, 0);
  expect_success(
      kiln_clGetSupportedImageFormats(f->context, 0, CL_MEM_OBJECT_IMAGE1D_BUFFER, 4, formats, NULL));
}

/* Neither limits nor extensions nor features. */
static void image_queries(void **state) {
  struct fixture *f = *state;
  static const cl_device_info zeros[] = {CL_DEVICE_IMAGE_SUPPORT,
                                         CL_DEVICE_MAX_READ_IMAGE_ARGS,
                                         CL_DEVICE_MAX_WRITE_IMAGE_ARGS,
                                         CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS,
                                         CL_DEVICE_IMAGE2D_MAX_WIDTH,
                                         CL_DEVICE_IMAGE2D_MAX_HEIGHT,
                                         CL_DEVICE_IMAGE3D_MAX_WIDTH,
                                         CL_DEVICE_IMAGE3D_MAX_HEIGHT,
                                         CL_DEVICE_IMAGE3D_MAX_DEPTH,
                                         CL_DEVICE_IMAGE_MAX_BUFFER_SIZE,
                                         CL_DEVICE_IMAGE_MAX_ARRAY_SIZE,
                                         CL_DEVICE_IMAGE_PITCH_ALIGNMENT,
                                         CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT,
                                         CL_DEVICE_MAX_SAMPLERS};
  for (size_t i = 0; i < sizeof zeros / sizeof *zeros; i++) {
    cl_ulong value = 0;
    expect_success(kiln_clGetDeviceInfo(f->device, zeros[i], sizeof value, &value, NULL));
    assert_int_equal(value, 0);
  }
  static char text[8192];
  expect_success(kiln_clGetDeviceInfo(f->device, CL_DEVICE_EXTENSIONS, sizeof text, text, NULL));
  assert_null(strstr(text, "image"));
  cl_name_version features[64];
  size_t size;
  expect_success(
      kiln_clGetDeviceInfo(f->device, CL_DEVICE_OPENCL_C_FEATURES, sizeof features, features, &size));
  for (size_t i = 0; i < size / sizeof *features; i++) assert_null(strstr(features[i].name, "image"));
}

/* Every command on an image, with a queue and an image to try. */
static void expect_image_commands(cl_command_queue q, cl_mem image, cl_int code, const char *text) {
  char bytes[64];
  size_t pitch;
  expect_error(code, text,
               kiln_clEnqueueReadImage(q, image, CL_TRUE, origin, region, 0, 0, bytes, 0, NULL, NULL));
  expect_error(code, text,
               kiln_clEnqueueWriteImage(q, image, CL_TRUE, origin, region, 0, 0, bytes, 0, NULL, NULL));
  expect_error(code, text, kiln_clEnqueueFillImage(q, image, bytes, origin, region, 0, NULL, NULL));
  expect_error(code, text, kiln_clEnqueueCopyImage(q, image, image, origin, origin, region, 0, NULL, NULL));
  expect_error(code, text,
               kiln_clEnqueueCopyImageToBuffer(q, image, buffer, origin, region, 0, 0, NULL, NULL));
  expect_error(code, text,
               kiln_clEnqueueCopyBufferToImage(q, buffer, image, 0, origin, region, 0, NULL, NULL));
  expect_no_handle(code, text,
                   kiln_clEnqueueMapImage(q, image, CL_TRUE, CL_MAP_READ, origin, region, &pitch, &pitch, 0,
                                          NULL, NULL, &err));
}

static void image_commands(void **state) {
  struct fixture *f = *state;
  size_t size;
  expect_image_commands(NULL, buffer, CL_INVALID_COMMAND_QUEUE, "command_queue is NULL");
  expect_image_commands(f->queue, NULL, CL_INVALID_MEM_OBJECT, "image is NULL");
  expect_image_commands(f->queue, not_a_handle(), CL_INVALID_MEM_OBJECT, "is not a live memory object");
  expect_image_commands(f->queue, buffer, CL_INVALID_MEM_OBJECT, "is no image");
  expect_error(CL_INVALID_MEM_OBJECT, "image is NULL",
               kiln_clGetImageInfo(NULL, CL_IMAGE_FORMAT, 0, NULL, &size));
  expect_error(CL_INVALID_MEM_OBJECT, "is no image",
               kiln_clGetImageInfo(buffer, CL_IMAGE_FORMAT, 0, NULL, &size));
}

static void samplers(void **state) {
  struct fixture *f = *state;
  expect_no_handle(CL_INVALID_OPERATION, "supports images",
                   kiln_clCreateSampler(f->context, CL_TRUE, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR, &err));
  expect_no_handle(CL_INVALID_OPERATION, "supports images",
                   kiln_clCreateSamplerWithProperties(f->context, NULL, &err));
  expect_no_handle(CL_INVALID_CONTEXT, "context is NULL",
                   kiln_clCreateSampler(NULL, CL_TRUE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &err));
  expect_no_handle(CL_INVALID_CONTEXT, "context is NULL",
                   kiln_clCreateSamplerWithProperties(NULL, NULL, &err));
#define REFUSED(text, ...)                                                                                   \
  do {                                                                                                       \
    const cl_sampler_properties list[] = {__VA_ARGS__};                                                      \
    expect_no_handle(CL_INVALID_VALUE, text, kiln_clCreateSamplerWithProperties(f->context, list, &err));    \
  } while (0)
  REFUSED("sampler_properties[0], 0x1234, is no property of a sampler", 0x1234, 0, 0);
  REFUSED("sampler_properties[2], 0x1154, stands there a second time", CL_SAMPLER_FILTER_MODE,
          CL_FILTER_LINEAR, CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0);
  REFUSED("normalized_coords is 2, neither CL_TRUE nor CL_FALSE", CL_SAMPLER_NORMALIZED_COORDS, 2, 0);
  REFUSED("addressing_mode 0x1 is no addressing mode", CL_SAMPLER_ADDRESSING_MODE, 1, 0);
  REFUSED("filter_mode 0x1 is no filter mode", CL_SAMPLER_FILTER_MODE, 1, 0);
  REFUSED("addressing_mode 0x1133 repeats, which needs normalized coordinates", CL_SAMPLER_NORMALIZED_COORDS,
          CL_FALSE, CL_SAMPLER_ADDRESSING_MODE, CL_ADDRESS_REPEAT, 0);
#undef REFUSED
  expect_error(CL_INVALID_SAMPLER, "sampler is NULL", kiln_clRetainSampler(NULL));
  expect_error(CL_INVALID_SAMPLER, "is not a live sampler", kiln_clReleaseSampler(not_a_handle()));
  expect_error(CL_INVALID_SAMPLER, "sampler is NULL",
               kiln_clGetSamplerInfo(NULL, CL_SAMPLER_CONTEXT, 0, NULL, NULL));
}

/* The object itself works: made by the core, which does not ask for images. */
static void sampler_object(void **state) {
  struct fixture *f = *state;
  kiln_sampler *sampler = NULL;
  cl_uint value;
  cl_context context;
  size_t size;
  expect_success(
      kiln_sampler_create(f->context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_LINEAR, &sampler));
  expect_success(kiln_clRetainSampler(sampler));
#define ASKED(param, expected)                                                                               \
  expect_success(kiln_clGetSamplerInfo(sampler, param, sizeof value, &value, NULL));                         \
  assert_int_equal(value, expected)
  ASKED(CL_SAMPLER_REFERENCE_COUNT, 2);
  ASKED(CL_SAMPLER_NORMALIZED_COORDS, CL_FALSE);
  ASKED(CL_SAMPLER_ADDRESSING_MODE, CL_ADDRESS_CLAMP_TO_EDGE);
  ASKED(CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR);
#undef ASKED
  expect_success(kiln_clGetSamplerInfo(sampler, CL_SAMPLER_CONTEXT, sizeof context, &context, NULL));
  assert_ptr_equal(context, f->context);
  expect_success(kiln_clGetSamplerInfo(sampler, CL_SAMPLER_PROPERTIES, 0, NULL, &size));
  assert_int_equal(size, 0);
  expect_error(CL_INVALID_VALUE, "param_name 0x1 is not one",
               kiln_clGetSamplerInfo(sampler, 1, 0, NULL, NULL));
  expect_success(kiln_clReleaseSampler(sampler));
  kiln_sampler *kept = kiln_ref(sampler);
  expect_success(kiln_clReleaseSampler(sampler));
  expect_error(CL_INVALID_SAMPLER, "was released more often than retained", kiln_clReleaseSampler(sampler));
  kiln_unref(&kept);
  struct _cl_sampler dying = {0};
  kiln_object_init(&dying.object, KILN_T_SAMPLER);
  dying.object.refs = dying.object.api_refs = 0;
  expect_error(CL_INVALID_SAMPLER, "is being destroyed", kiln_clRetainSampler(&dying));
}

static void CL_CALLBACK free_nothing(cl_command_queue queue, cl_uint count, void *pointers[],
                                     void *user_data) {}

static void expect_svm_commands(cl_command_queue q, cl_int code, const char *text) {
  char bytes[64];
  void *pointers[] = {bytes};
  expect_error(code, text, kiln_clEnqueueSVMFree(q, 1, pointers, free_nothing, NULL, 0, NULL, NULL));
  expect_error(code, text, kiln_clEnqueueSVMMemcpy(q, CL_TRUE, bytes, bytes + 8, 8, 0, NULL, NULL));
  expect_error(code, text, kiln_clEnqueueSVMMemFill(q, bytes, bytes, 1, 8, 0, NULL, NULL));
  expect_error(code, text, kiln_clEnqueueSVMMap(q, CL_TRUE, CL_MAP_READ, bytes, 8, 0, NULL, NULL));
  expect_error(code, text, kiln_clEnqueueSVMUnmap(q, bytes, 0, NULL, NULL));
  expect_error(code, text,
               kiln_clEnqueueSVMMigrateMem(q, 1, (const void **)pointers, NULL, 0, 0, NULL, NULL));
}

static void svm(void **state) {
  struct fixture *f = *state;
  expect_begin();
  assert_null(kiln_clSVMAlloc(f->context, CL_MEM_READ_WRITE, 64, 0));
  assert_non_null(strstr(kiln_last_error(), "supports shared virtual memory"));
  assert_null(kiln_clSVMAlloc(NULL, CL_MEM_READ_WRITE, 64, 0));
  kiln_clSVMFree(f->context, NULL);
  kiln_clSVMFree(NULL, &buffer);
  expect_svm_commands(f->queue, CL_INVALID_OPERATION, "does not support shared virtual memory");
  expect_svm_commands(NULL, CL_INVALID_COMMAND_QUEUE, "command_queue is NULL");
}

static void svm_arguments(void **state) {
  struct fixture *f = *state;
  /* as much of a kernel as these calls look at */
  struct _cl_program program = {.context = f->context};
  struct _cl_kernel kernel = {.program = &program};
  kiln_object_init(&kernel.object, KILN_T_KERNEL);
  const void *pointer = &kernel;
  cl_bool yes = CL_TRUE;
  expect_error(CL_INVALID_OPERATION, "supports shared virtual memory",
               kiln_clSetKernelArgSVMPointer(&kernel, 0, pointer));
  expect_error(CL_INVALID_OPERATION, "supports shared virtual memory",
               kiln_clSetKernelExecInfo(&kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof pointer, &pointer));
  expect_error(
      CL_INVALID_OPERATION, "supports shared virtual memory",
      kiln_clSetKernelExecInfo(&kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof yes, &yes));
  expect_error(CL_INVALID_VALUE, "param_name 0x1 is not one of this call's",
               kiln_clSetKernelExecInfo(&kernel, 1, sizeof pointer, &pointer));
  expect_error(CL_INVALID_KERNEL, "kernel is NULL", kiln_clSetKernelArgSVMPointer(NULL, 0, pointer));
  expect_error(CL_INVALID_KERNEL, "kernel is NULL",
               kiln_clSetKernelExecInfo(NULL, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof pointer, &pointer));
}

static void pipes(void **state) {
  struct fixture *f = *state;
  cl_uint value;
  expect_no_handle(CL_INVALID_OPERATION, "supports pipes",
                   kiln_clCreatePipe(f->context, 0, 4, 4, NULL, &err));
  expect_no_handle(CL_INVALID_CONTEXT, "context is NULL", kiln_clCreatePipe(NULL, 0, 4, 4, NULL, &err));
  expect_error(CL_INVALID_MEM_OBJECT, "is not a pipe",
               kiln_clGetPipeInfo(buffer, CL_PIPE_PACKET_SIZE, sizeof value, &value, NULL));
  expect_error(CL_INVALID_MEM_OBJECT, "is not a pipe",
               kiln_clGetPipeInfo(NULL, CL_PIPE_PACKET_SIZE, sizeof value, &value, NULL));
}

static void sharing(void **state) {
  struct fixture *f = *state;
#define NO_GL "was not created from an OpenGL context"
#define FOREIGN(call_with)                                                                                   \
  expect_no_handle(CL_INVALID_CONTEXT, NO_GL, call_with(f->context));                                        \
  expect_no_handle(CL_INVALID_CONTEXT, "context is NULL", call_with(NULL))
#define BUFFER(c) kiln_clCreateFromGLBuffer(c, 0, 1, &err)
#define TEXTURE(c) kiln_clCreateFromGLTexture(c, 0, 0, 0, 1, &err)
#define TEXTURE2D(c) kiln_clCreateFromGLTexture2D(c, 0, 0, 0, 1, &err)
#define TEXTURE3D(c) kiln_clCreateFromGLTexture3D(c, 0, 0, 0, 1, &err)
#define RENDERBUFFER(c) kiln_clCreateFromGLRenderbuffer(c, 0, 1, &err)
#define GLSYNC(c) kiln_clCreateEventFromGLsyncKHR(c, NULL, &err)
#define EGLSYNC(c) kiln_clCreateEventFromEGLSyncKHR(c, NULL, NULL, &err)
  FOREIGN(BUFFER);
  FOREIGN(TEXTURE);
  FOREIGN(TEXTURE2D);
  FOREIGN(TEXTURE3D);
  FOREIGN(RENDERBUFFER);
  FOREIGN(GLSYNC);
  FOREIGN(EGLSYNC);
  expect_no_handle(CL_INVALID_OPERATION, "supports images from EGL",
                   kiln_clCreateFromEGLImageKHR(f->context, NULL, NULL, 0, NULL, &err));
  expect_no_handle(CL_INVALID_CONTEXT, "context is NULL",
                   kiln_clCreateFromEGLImageKHR(NULL, NULL, NULL, 0, NULL, &err));
  cl_gl_object_type type;
  expect_error(CL_INVALID_GL_OBJECT, "has no OpenGL object", kiln_clGetGLObjectInfo(buffer, &type, NULL));
  expect_error(CL_INVALID_MEM_OBJECT, "memobj is NULL", kiln_clGetGLObjectInfo(NULL, &type, NULL));
  expect_error(CL_INVALID_GL_OBJECT, "has no OpenGL object",
               kiln_clGetGLTextureInfo(buffer, 0, 0, NULL, NULL));
}

static void sharing_commands(void **state) {
  struct fixture *f = *state;
  __typeof__(kiln_clEnqueueAcquireGLObjects) *const calls[] = {
      kiln_clEnqueueAcquireGLObjects, kiln_clEnqueueReleaseGLObjects, kiln_clEnqueueAcquireEGLObjectsKHR,
      kiln_clEnqueueReleaseEGLObjectsKHR};
  const cl_mem null = NULL;
  for (int i = 0; i < 4; i++) {
    expect_success(calls[i](f->queue, 0, NULL, 0, NULL, NULL));
    expect_error(CL_INVALID_COMMAND_QUEUE, "command_queue is NULL", calls[i](NULL, 0, NULL, 0, NULL, NULL));
    expect_error(CL_INVALID_VALUE, "num_objects is 0 and mem_objects is not NULL",
                 calls[i](f->queue, 0, &buffer, 0, NULL, NULL));
    expect_error(CL_INVALID_VALUE, "num_objects is 1 and mem_objects is NULL",
                 calls[i](f->queue, 1, NULL, 0, NULL, NULL));
    expect_error(CL_INVALID_MEM_OBJECT, "mem_objects[0] is NULL",
                 calls[i](f->queue, 1, &null, 0, NULL, NULL));
    if (i < 2)
      expect_error(CL_INVALID_CONTEXT, "the context of command_queue",
                   calls[i](f->queue, 1, &buffer, 0, NULL, NULL));
    else
      expect_error(CL_INVALID_EGL_OBJECT_KHR, "has no EGL object",
                   calls[i](f->queue, 1, &buffer, 0, NULL, NULL));
  }
  const cl_context_properties list[] = {CL_GL_CONTEXT_KHR, 1, 0};
  cl_device_id device;
  size_t size = 1;
  expect_success(
      kiln_clGetGLContextInfoKHR(list, CL_DEVICES_FOR_GL_CONTEXT_KHR, sizeof device, &device, &size));
  assert_int_equal(size, 0);
  expect_error(CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR, "properties are NULL and name no OpenGL context",
               kiln_clGetGLContextInfoKHR(NULL, CL_DEVICES_FOR_GL_CONTEXT_KHR, 0, NULL, &size));
  expect_error(CL_INVALID_VALUE, "param_name 0x1 is not one",
               kiln_clGetGLContextInfoKHR(list, 1, 0, NULL, &size));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(images),
      cmocka_unit_test(image_queries),
      cmocka_unit_test(image_requirements),
      cmocka_unit_test(image_formats),
      cmocka_unit_test(image_commands),
      cmocka_unit_test(samplers),
      cmocka_unit_test(sampler_object),
      cmocka_unit_test(svm),
      cmocka_unit_test(svm_arguments),
      cmocka_unit_test(pipes),
      cmocka_unit_test(sharing),
      cmocka_unit_test(sharing_commands),
  };
  return alloc_fail_run_group(tests, open_all, close_all);
}
