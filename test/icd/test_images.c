/* Images from the application to kernels and back, through the loader: what the compiler tells of image
 * arguments, and that objects, samplers, views and commands mean the same to kernels and to the host. Skipped
 * where the device has no images. */
#include "test.h"

#include <CL/cl.h>
#include <stdbool.h>
#include <string.h>

static const char source[] =
    "typedef image2d_t picture;\n"
    "kernel void kinds(image1d_t a, read_only image1d_buffer_t b, write_only image1d_array_t c,\n"
    "    picture d, read_only image2d_array_t e, write_only image3d_t f,\n"
    "    read_only image2d_depth_t g, read_only image2d_array_depth_t h, sampler_t s) {}\n"
    "kernel void smooth(read_only image2d_t from, sampler_t s, write_only image2d_t to) {\n"
    "  int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "  float2 place = (convert_float2(at) + 0.5f) / convert_float2(get_image_dim(to));\n"
    "  write_imagef(to, at, read_imagef(from, s, place)); }\n"
    "kernel void add(read_write image2d_t i, uint4 v) {\n"
    "  int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "  write_imageui(i, at, read_imageui(i, at) + v); }\n"
    "kernel void ask(read_only image3d_t i, global int *out) {\n"
    "  out[0] = get_image_width(i); out[1] = get_image_height(i); out[2] = get_image_depth(i);\n"
    "  out[3] = get_image_channel_order(i); out[4] = get_image_channel_data_type(i); }\n"
    "kernel void sum(read_only image1d_buffer_t line, read_only image1d_array_t layers, global float *out) "
    "{\n"
    "  out[0] = read_imagef(line, 5).x + read_imagef(layers, (int2)(1, 2)).x; }\n"
    "kernel void white(write_only image2d_t i) { write_imagef(i, (int2)(0, 0), (float4)(1, 0.5f, 0, 0.5f)); "
    "}\n";

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_program program;

static int start(void **state) {
  cl_platform_id platform;
  cl_bool images = CL_FALSE;
  const char *text = source;
  cl_int err = clGetPlatformIDs(1, &platform, NULL);
  if (err == CL_SUCCESS) err = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
  if (err == CL_SUCCESS) context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
  if (err == CL_SUCCESS) queue = clCreateCommandQueueWithProperties(context, device, NULL, &err);
  if (err == CL_SUCCESS) err = clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, NULL);
  if (err != CL_SUCCESS || !images) return err != CL_SUCCESS;
  program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
  if (err == CL_SUCCESS)
    err = clBuildProgram(program, 1, &device, "-cl-std=CL3.0 -cl-kernel-arg-info", NULL, NULL);
  return err != CL_SUCCESS;
}

static int stop(void **state) {
  if (program != NULL) clReleaseProgram(program);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return 0;
}

static cl_kernel kernel_of(cl_program from, const char *name) {
  cl_int err;
  cl_kernel kernel = clCreateKernel(from, name, &err);
  assert_int_equal(err, CL_SUCCESS);
  return kernel;
}

static cl_mem image_of(cl_channel_order order, cl_channel_type type, const cl_image_desc *desc,
                       cl_mem_flags flags, void *host) {
  const cl_image_format format = {order, type};
  cl_int err;
  cl_mem image = clCreateImage(context, flags, &format, desc, host, &err);
  assert_int_equal(err, CL_SUCCESS);
  return image;
}

static void set(cl_kernel kernel, cl_uint index, size_t size, const void *value) {
  assert_int_equal(clSetKernelArg(kernel, index, size, value), CL_SUCCESS);
}

static void run(cl_kernel kernel, size_t width, size_t height) {
  const size_t global[] = {width, height};
  assert_int_equal(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, NULL, 0, NULL, NULL), CL_SUCCESS);
}

static const size_t zero[3] = {0, 0, 0};

static void read_all(cl_mem image, size_t width, size_t height, void *out) {
  const size_t region[3] = {width, height, 1};
  assert_int_equal(clEnqueueReadImage(queue, image, CL_TRUE, zero, region, 0, 0, out, 0, NULL, NULL),
                   CL_SUCCESS);
}

static cl_image_desc flat(size_t width, size_t height) {
  return (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width, .image_height = height};
}

/* ---- arguments ---- */

static const struct {
  const char *type;
  cl_kernel_arg_access_qualifier access;
  cl_mem_object_type object;
} arguments[] = {{"image1d_t", CL_KERNEL_ARG_ACCESS_READ_ONLY, CL_MEM_OBJECT_IMAGE1D},
                 {"image1d_buffer_t", CL_KERNEL_ARG_ACCESS_READ_ONLY, CL_MEM_OBJECT_IMAGE1D_BUFFER},
                 {"image1d_array_t", CL_KERNEL_ARG_ACCESS_WRITE_ONLY, CL_MEM_OBJECT_IMAGE1D_ARRAY},
                 {"picture", CL_KERNEL_ARG_ACCESS_READ_ONLY, CL_MEM_OBJECT_IMAGE2D},
                 {"image2d_array_t", CL_KERNEL_ARG_ACCESS_READ_ONLY, CL_MEM_OBJECT_IMAGE2D_ARRAY},
                 {"image3d_t", CL_KERNEL_ARG_ACCESS_WRITE_ONLY, CL_MEM_OBJECT_IMAGE3D},
                 {"image2d_depth_t", CL_KERNEL_ARG_ACCESS_READ_ONLY, CL_MEM_OBJECT_IMAGE2D},
                 {"image2d_array_depth_t", CL_KERNEL_ARG_ACCESS_READ_ONLY, CL_MEM_OBJECT_IMAGE2D_ARRAY}};

/* Every image on every argument: taken by those of its kind, also when the name of the type is another. */
static void expect_kinds(cl_program from) {
  cl_kernel kernel = kernel_of(from, "kinds");
  cl_int err;
  cl_mem buffer = clCreateBuffer(context, 0, 64, NULL, &err);
  for (cl_uint i = 0; i < 8; i++) {
    const cl_image_desc desc = {.image_type = arguments[i].object,
                                .image_width = 4,
                                .image_height = 4,
                                .image_depth = 4,
                                .image_array_size = 4,
                                .mem_object = i == 1 ? buffer : NULL};
    cl_mem image = image_of(i >= 6 ? CL_DEPTH : CL_R, CL_FLOAT, &desc, 0, NULL);
    for (cl_uint arg = 0; arg < 8; arg++) {
      bool fits = arguments[arg].object == arguments[i].object && (arg < 6 || i >= 6);
      assert_int_equal(clSetKernelArg(kernel, arg, sizeof image, &image),
                       fits ? CL_SUCCESS : CL_INVALID_MEM_OBJECT);
    }
    assert_int_equal(clSetKernelArg(kernel, 8, sizeof image, &image), CL_INVALID_SAMPLER);
    clReleaseMemObject(image);
  }
  clReleaseMemObject(buffer);
  clReleaseKernel(kernel);
}

static void argument_kinds(void **state) {
  if (program == NULL) skip();
  cl_kernel kernel = kernel_of(program, "kinds");
  for (cl_uint i = 0; i < 8; i++) {
    char text[64];
    cl_kernel_arg_access_qualifier access = 0;
    cl_kernel_arg_address_qualifier address = 0;
    clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_NAME, sizeof text, text, NULL);
    assert_string_equal(text, arguments[i].type);
    clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access, NULL);
    assert_int_equal(access, arguments[i].access);
    clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof address, &address, NULL);
    assert_int_equal(address, CL_KERNEL_ARG_ADDRESS_GLOBAL);
  }
  clReleaseKernel(kernel);
  expect_kinds(program);
}

static void kinds_in_a_binary(void **state) {
  if (program == NULL) skip();
  static unsigned char bytes[1 << 20];
  unsigned char *at = bytes;
  const unsigned char *again = bytes;
  size_t size = 0;
  cl_int err, status = 1;
  clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL);
  assert_in_range(size, 1, sizeof bytes);
  assert_int_equal(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof at, &at, NULL), CL_SUCCESS);
  cl_program copy = clCreateProgramWithBinary(context, 1, &device, &size, &again, &status, &err);
  assert_int_equal(err, CL_SUCCESS);
  assert_int_equal(clBuildProgram(copy, 1, &device, NULL, NULL, NULL), CL_SUCCESS);
  expect_kinds(copy);
  clReleaseProgram(copy);
}

/* ---- runs ---- */

/* Two elements stretched to eight, linearly; the sampler is gone when the kernel runs. */
static void sampler_argument(void **state) {
  if (program == NULL) skip();
  const cl_image_desc small = flat(2, 1), large = flat(8, 1);
  float ends[] = {0, 4}, found[8];
  static const float expected[] = {0, 0, 0.5f, 1.5f, 2.5f, 3.5f, 4, 4};
  cl_int err;
  cl_mem from = image_of(CL_R, CL_FLOAT, &small, CL_MEM_COPY_HOST_PTR, ends),
         to = image_of(CL_R, CL_FLOAT, &large, 0, NULL);
  const cl_sampler_properties list[] = {CL_SAMPLER_ADDRESSING_MODE, CL_ADDRESS_CLAMP_TO_EDGE,
                                        CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0};
  cl_sampler sampler = clCreateSamplerWithProperties(context, list, &err);
  cl_kernel kernel = kernel_of(program, "smooth");
  set(kernel, 0, sizeof from, &from);
  set(kernel, 1, sizeof sampler, &sampler);
  set(kernel, 2, sizeof to, &to);
  clReleaseSampler(sampler);
  run(kernel, 8, 1);
  read_all(to, 8, 1, found);
  for (int i = 0; i < 8; i++) {
    float error = found[i] - expected[i];
    assert_true(error > -0.01f && error < 0.01f);
  }
  clReleaseKernel(kernel);
  clReleaseMemObject(from);
  clReleaseMemObject(to);
}

/* A padded image in host memory, filled by a command, changed by a kernel, seen through a mapping. */
static void host_memory(void **state) {
  if (program == NULL) skip();
  enum { W = 5, H = 3, PITCH = 64 };
  static cl_uint host[H * PITCH / 4] __attribute__((aligned(16)));
  static const cl_uint color[] = {1, 2, 3, 4}, more[] = {10, 20, 30, 40};
  const size_t region[3] = {W, H, 1};
  cl_image_desc desc = flat(W, H);
  desc.image_row_pitch = PITCH;
  memset(host, 0xee, sizeof host);
  cl_mem image = image_of(CL_RGBA, CL_UNSIGNED_INT16, &desc, CL_MEM_USE_HOST_PTR, host);
  cl_kernel kernel = kernel_of(program, "add");
  set(kernel, 0, sizeof image, &image);
  set(kernel, 1, sizeof more, more);
  assert_int_equal(clEnqueueFillImage(queue, image, color, zero, region, 0, NULL, NULL), CL_SUCCESS);
  run(kernel, W, H);
  cl_int err;
  size_t pitch = 0;
  cl_ushort *at =
      clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ, zero, region, &pitch, NULL, 0, NULL, NULL, &err);
  assert_int_equal(err, CL_SUCCESS);
  assert_int_equal(pitch, PITCH);
  assert_ptr_equal(at, host);
  for (int y = 0; y < H; y++)
    for (int i = 0; i < PITCH / 2; i++)
      assert_int_equal(at[y * PITCH / 2 + i], i < W * 4 ? 11 * (i % 4 + 1) : 0xeeee);
  clEnqueueUnmapMemObject(queue, image, at, 0, NULL, NULL);
  clFinish(queue);
  clReleaseKernel(kernel);
  clReleaseMemObject(image);
}

static void dimensions(void **state) {
  if (program == NULL) skip();
  const cl_image_desc desc = {
      .image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 7, .image_height = 5, .image_depth = 3};
  cl_int err, found[5];
  cl_mem image = image_of(CL_BGRA, CL_UNORM_INT8, &desc, 0, NULL),
         out = clCreateBuffer(context, 0, 20, NULL, &err);
  cl_kernel kernel = kernel_of(program, "ask");
  set(kernel, 0, sizeof image, &image);
  set(kernel, 1, sizeof out, &out);
  run(kernel, 1, 1);
  assert_int_equal(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 20, found, 0, NULL, NULL), CL_SUCCESS);
  const cl_int expected[] = {7, 5, 3, CL_BGRA, CL_UNORM_INT8};
  assert_memory_equal(found, expected, sizeof found);
  clReleaseKernel(kernel);
  clReleaseMemObject(image);
  clReleaseMemObject(out);
}

/* A buffer as an image, and layers with a pitch of their own. */
static void views_and_layers(void **state) {
  if (program == NULL) skip();
  float bytes[16], found = 0;
  for (int i = 0; i < 16; i++) bytes[i] = (float)i;
  cl_int err;
  cl_mem buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof bytes, bytes, &err),
         out = clCreateBuffer(context, 0, 4, NULL, &err);
  const cl_image_desc line = {
      .image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 16, .mem_object = buffer};
  const cl_image_desc stack = {.image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY,
                               .image_width = 2,
                               .image_array_size = 3,
                               .image_row_pitch = 8,
                               .image_slice_pitch = 16};
  cl_mem view = image_of(CL_R, CL_FLOAT, &line, 0, NULL),
         layers = image_of(CL_R, CL_FLOAT, &stack, CL_MEM_COPY_HOST_PTR, bytes);
  cl_kernel kernel = kernel_of(program, "sum");
  set(kernel, 0, sizeof view, &view);
  set(kernel, 1, sizeof layers, &layers);
  set(kernel, 2, sizeof out, &out);
  run(kernel, 1, 1);
  assert_int_equal(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 4, &found, 0, NULL, NULL), CL_SUCCESS);
  assert_true(found == 5 + 9);
  clReleaseKernel(kernel);
  clReleaseMemObject(view);
  clReleaseMemObject(layers);
  clReleaseMemObject(buffer);
  clReleaseMemObject(out);
}

/* The same bytes as linear and as sRGB. */
static void srgb_view(void **state) {
  if (program == NULL) skip();
  cl_image_desc desc = flat(1, 1);
  unsigned char found[4];
  cl_mem image = image_of(CL_RGBA, CL_UNORM_INT8, &desc, 0, NULL);
  desc.mem_object = image;
  cl_mem view = image_of(CL_sRGBA, CL_UNORM_INT8, &desc, 0, NULL);
  const cl_mem both[] = {image, view};
  static const unsigned char expected[2][4] = {{255, 128, 0, 128}, {255, 188, 0, 128}};
  cl_kernel kernel = kernel_of(program, "white");
  for (int i = 0; i < 2; i++) {
    set(kernel, 0, sizeof(cl_mem), &both[i]);
    run(kernel, 1, 1);
    read_all(image, 1, 1, found);
    assert_memory_equal(found, expected[i], 4);
  }
  clReleaseKernel(kernel);
  clReleaseMemObject(view);
  clReleaseMemObject(image);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(argument_kinds),   cmocka_unit_test(kinds_in_a_binary),
      cmocka_unit_test(sampler_argument), cmocka_unit_test(host_memory),
      cmocka_unit_test(dimensions),       cmocka_unit_test(views_and_layers),
      cmocka_unit_test(srgb_view),
  };
  return cmocka_run_group_tests(tests, start, stop);
}
