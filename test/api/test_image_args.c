/* Images and samplers as arguments of kernels: what kernels get, what clSetKernelArg refuses, and what an
 * enqueue does. */
#include "api/fake_compiler.h"

#include "api/images.h"

#include "core/kernel.h"
#include "core/sampler.h"

static const char source[] =
    "kernel void kinds(read_only image1d_t a, read_only image1d_buffer_t b, read_only image1d_array_t c, "
    "read_only image2d_t d, read_only image2d_array_t e, read_only image3d_t f, read_only image2d_depth_t g, "
    "read_only image2d_array_depth_t h) {}\n"
    "kernel void access(read_only image2d_t r, write_only image2d_t w, read_write image2d_t rw) {}\n"
    "kernel void mixed(sampler_t s, read_only image2d_t i, int n, sampler_t t, pipe p, global int *b) {}\n";

static struct {
  struct fixture *f;
  cl_program program;
} w;

static int open_world(void **state) {
  int err = fake_open_fixture(state);
  w.f = *state;
  kiln_cpu_set_images(&w.f->device->backend->caps, true);
  w.program = fake_build(w.f, source, NULL);
  return err;
}

static int close_world(void **state) {
  expect_success(kiln_clReleaseProgram(w.program));
  return fake_close_fixture(state);
}

static const cl_image_format depth = {CL_DEPTH, CL_FLOAT};

/* An image for argument `index` of kinds. */
static cl_mem image_for(cl_uint index, cl_mem buffer) {
  static const cl_mem_object_type types[] = {CL_MEM_OBJECT_IMAGE1D,       CL_MEM_OBJECT_IMAGE1D_BUFFER,
                                             CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_MEM_OBJECT_IMAGE2D,
                                             CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_MEM_OBJECT_IMAGE3D,
                                             CL_MEM_OBJECT_IMAGE2D,       CL_MEM_OBJECT_IMAGE2D_ARRAY};
  const cl_image_desc desc = {.image_type = types[index],
                              .image_width = 4,
                              .image_height = 3,
                              .image_depth = 2,
                              .image_array_size = 2,
                              .mem_object = index == 1 ? buffer : NULL};
  return make_image(w.f->context, 0, index >= 6 ? &depth : &rgba8, &desc, NULL);
}

/* Each kind of argument takes its kind of image alone; a depth image is also one of its type. */
static void kinds(void **state) {
  cl_kernel kernel = fake_kernel_of(w.program, "kinds");
  cl_mem buffer = make_buffer(w.f->context, 0, 64, NULL), images[8];
  for (cl_uint i = 0; i < 8; i++) images[i] = image_for(i, buffer);
  for (cl_uint arg = 0; arg < 8; arg++)
    for (cl_uint i = 0; i < 8; i++) {
      bool fits = images[i]->type == images[arg]->type && (arg < 6 || i >= 6);
      if (fits) expect_success(kiln_clSetKernelArg(kernel, arg, sizeof *images, &images[i]));
      else
        expect_error(CL_INVALID_MEM_OBJECT,
                     images[i]->type == images[arg]->type ? "takes a depth image, and memory object"
                                                          : "and memory object",
                     kiln_clSetKernelArg(kernel, arg, sizeof *images, &images[i]));
    }
  expect_error(CL_INVALID_MEM_OBJECT, "argument 5 (f) takes an image3d_t, and memory object",
               kiln_clSetKernelArg(kernel, 5, sizeof *images, &images[0]));
  for (cl_uint i = 0; i < 8; i++) expect_success(kiln_clSetKernelArg(kernel, i, sizeof *images, &images[i]));
  fake_run(w.f, kernel, 1, 0);
  for (cl_uint i = 0; i < 8; i++) {
    uint64_t address;
    memcpy(&address, fake_last_launch()->args + 8 * i, sizeof address);
    assert_int_equal(address, (uintptr_t)&kiln_image_of(images[i])->desc);
    drop_buffer(images[i]);
  }
  drop_buffer(buffer);
  expect_success(kiln_clReleaseKernel(kernel));
}

static void access_flags(void **state) {
  static const cl_mem_flags flags[] = {0, CL_MEM_READ_WRITE, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY};
  static const bool works[3][4] = {
      {true, true, true, false}, {true, true, false, true}, {true, true, false, false}};
  static const char *const text[] = {
      "argument 0 (r) reads the image, which was created with flags 0x2",
      "argument 1 (w) writes the image, which was created with flags 0x4",
      "argument 2 (rw) reads and writes the image, which was created with flags"};
  cl_kernel kernel = fake_kernel_of(w.program, "access");
  for (size_t k = 0; k < 4; k++) {
    cl_mem image = make_image(w.f->context, flags[k], &rgba8, &image_shapes[2], NULL);
    for (cl_uint arg = 0; arg < 3; arg++) {
      if (works[arg][k]) expect_success(kiln_clSetKernelArg(kernel, arg, sizeof image, &image));
      else
        expect_error(CL_INVALID_ARG_VALUE, text[arg], kiln_clSetKernelArg(kernel, arg, sizeof image, &image));
    }
    drop_buffer(image);
  }
  const cl_image_format srgb = {CL_sRGBA, CL_UNORM_INT8};
  cl_mem image = make_image(w.f->context, 0, &srgb, &image_shapes[2], NULL);
  expect_success(kiln_clSetKernelArg(kernel, 1, sizeof image, &image));
  expect_error(CL_INVALID_MEM_OBJECT,
               "argument 2 (rw) is read_write, which images of channel order 0x10C1 cannot be",
               kiln_clSetKernelArg(kernel, 2, sizeof image, &image));
  drop_buffer(image);
  expect_success(kiln_clReleaseKernel(kernel));
}

static cl_sampler make_sampler(cl_bool normalized, cl_addressing_mode addressing, cl_filter_mode filter) {
  cl_int err = 12345;
  cl_sampler sampler = kiln_clCreateSampler(w.f->context, normalized, addressing, filter, &err);
  expect_success(err);
  return sampler;
}

/* Kernels get the values that opencl-c-base.h gives the names of a literal sampler. */
static void samplers(void **state) {
  static const struct {
    cl_bool normalized;
    cl_addressing_mode addressing;
    cl_filter_mode filter;
    uint32_t value;
  } rows[] = {{CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, 0x10},
              {CL_TRUE, CL_ADDRESS_NONE, CL_FILTER_LINEAR, 0x21},
              {CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_LINEAR, 0x22},
              {CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, 0x15},
              {CL_TRUE, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR, 0x27},
              {CL_TRUE, CL_ADDRESS_MIRRORED_REPEAT, CL_FILTER_NEAREST, 0x19}};
  cl_kernel kernel = fake_kernel_of(w.program, "mixed");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    cl_sampler sampler = make_sampler(rows[i].normalized, rows[i].addressing, rows[i].filter);
    uint32_t value;
    expect_success(kiln_clSetKernelArg(kernel, 3, sizeof sampler, &sampler));
    memcpy(&value, kernel->values + kernel->info->args[3].offset, sizeof value);
    assert_int_equal(value, rows[i].value);
    /* the kernel keeps the value, not the object */
    expect_success(kiln_clReleaseSampler(sampler));
  }
  expect_success(kiln_clReleaseKernel(kernel));
}

static void wrong_arguments(void **state) {
  cl_kernel kernel = fake_kernel_of(w.program, "mixed");
  cl_mem image = make_image(w.f->context, 0, &rgba8, &image_shapes[2], NULL), none = NULL;
  cl_mem buffer = make_buffer(w.f->context, 0, 64, NULL);
  cl_sampler sampler = make_sampler(CL_TRUE, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR), no_sampler = NULL;
  cl_context other = make_context(w.f->device);
  cl_mem foreign = make_image(other, 0, &rgba8, &image_shapes[2], NULL);
  cl_int made = 12345;
  cl_sampler foreign_sampler =
      kiln_clCreateSampler(other, CL_TRUE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &made);
  expect_success(made);
  void *junk = not_a_handle();
  expect_error(CL_INVALID_ARG_SIZE,
               "arg_size is 4, but argument 1 (i) of kernel mixed is a cl_mem of 8 bytes",
               kiln_clSetKernelArg(kernel, 1, 4, &image));
  expect_error(CL_INVALID_MEM_OBJECT, "argument 1 (i) takes an image, but there is no memory object",
               kiln_clSetKernelArg(kernel, 1, sizeof none, NULL));
  expect_error(CL_INVALID_MEM_OBJECT, "takes an image, but there is no memory object",
               kiln_clSetKernelArg(kernel, 1, sizeof none, &none));
  expect_error(CL_INVALID_MEM_OBJECT, "is not a live memory object",
               kiln_clSetKernelArg(kernel, 1, sizeof junk, &junk));
  expect_error(CL_INVALID_MEM_OBJECT, "argument 1 (i) takes an image, and memory object",
               kiln_clSetKernelArg(kernel, 1, sizeof buffer, &buffer));
  expect_error(CL_INVALID_CONTEXT, "argument 1 (i): memory object",
               kiln_clSetKernelArg(kernel, 1, sizeof foreign, &foreign));
  expect_error(CL_INVALID_MEM_OBJECT, "argument 5 (b) takes a buffer, and memory object",
               kiln_clSetKernelArg(kernel, 5, sizeof image, &image));
  expect_error(CL_INVALID_ARG_SIZE,
               "arg_size is 4, but argument 0 (s) of kernel mixed is a cl_sampler of 8 bytes",
               kiln_clSetKernelArg(kernel, 0, 4, &sampler));
  expect_error(CL_INVALID_SAMPLER, "*arg_value is NULL",
               kiln_clSetKernelArg(kernel, 0, sizeof sampler, NULL));
  expect_error(CL_INVALID_SAMPLER, "*arg_value is NULL",
               kiln_clSetKernelArg(kernel, 0, sizeof no_sampler, &no_sampler));
  expect_error(CL_INVALID_SAMPLER, "is not a live sampler",
               kiln_clSetKernelArg(kernel, 0, sizeof image, &image));
  expect_error(CL_INVALID_CONTEXT, "argument 0 (s): sampler",
               kiln_clSetKernelArg(kernel, 0, sizeof foreign_sampler, &foreign_sampler));
  expect_error(CL_INVALID_MEM_OBJECT, "argument 4 (p) takes a pipe, which no device of the context supports",
               kiln_clSetKernelArg(kernel, 4, sizeof buffer, &buffer));
  expect_success(kiln_clReleaseSampler(foreign_sampler));
  expect_success(kiln_clReleaseSampler(sampler));
  drop_buffer(foreign);
  drop_context(other);
  drop_buffer(buffer);
  drop_buffer(image);
  expect_success(kiln_clReleaseKernel(kernel));
}

/* A launch holds its images; images that the queue's device does not take are refused. */
static void launches(void **state) {
  cl_kernel kernel = fake_kernel_of(w.program, "access");
  struct kiln_image_caps *caps = &w.f->device->backend->caps.images;
  const size_t one = 1;
  cl_mem image = make_image(w.f->context, 0, &rgba8, &image_shapes[2], NULL);
  for (cl_uint i = 0; i < 2; i++) expect_success(kiln_clSetKernelArg(kernel, i, sizeof image, &image));
  expect_error(CL_INVALID_KERNEL_ARGS, "argument 2 (rw) of kernel access has not been set",
               kiln_clEnqueueNDRangeKernel(w.f->queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
  expect_success(kiln_clSetKernelArg(kernel, 2, sizeof image, &image));
  caps->size2d[0] = 8;
  expect_error(CL_INVALID_IMAGE_SIZE, "argument 0 (r) of kernel access is an image larger than",
               kiln_clEnqueueNDRangeKernel(w.f->queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
  caps->size2d[0] = 16384;
  cl_event gate = make_user_event(w.f->context);
  expect_success(kiln_clEnqueueNDRangeKernel(w.f->queue, kernel, 1, NULL, &one, NULL, 1, &gate, NULL));
  cl_mem kept = kiln_ref(image);
  drop_buffer(image);
  assert_true(atomic_load(&kept->object.refs) > 1);
  expect_success(kiln_clSetUserEventStatus(gate, CL_COMPLETE));
  expect_success(kiln_clFinish(w.f->queue));
  kiln_unref(&kept);
  drop_event(gate);
  expect_success(kiln_clReleaseKernel(kernel));
}

static void clones(void **state) {
  cl_kernel kernel = fake_kernel_of(w.program, "access");
  cl_mem image = make_image(w.f->context, 0, &rgba8, &image_shapes[2], NULL);
  for (cl_uint i = 0; i < 3; i++) expect_success(kiln_clSetKernelArg(kernel, i, sizeof image, &image));
  cl_int made = 12345;
  cl_kernel clone = kiln_clCloneKernel(kernel, &made);
  expect_success(made);
  fake_run(w.f, clone, 1, 0);
  expect_success(kiln_clReleaseKernel(clone));
  expect_success(kiln_clReleaseKernel(kernel));
  drop_buffer(image);
}

/* clGetKernelArgInfo */
static void queries(void **state) {
  cl_kernel kernel = fake_kernel_of(w.program, "access");
  static const cl_kernel_arg_access_qualifier access[] = {
      CL_KERNEL_ARG_ACCESS_READ_ONLY, CL_KERNEL_ARG_ACCESS_WRITE_ONLY, CL_KERNEL_ARG_ACCESS_READ_WRITE};
  for (cl_uint i = 0; i < 3; i++) {
    cl_kernel_arg_access_qualifier got = 0;
    char name[32];
    expect_success(
        kiln_clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof got, &got, NULL));
    assert_int_equal(got, access[i]);
    expect_success(kiln_clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_NAME, sizeof name, name, NULL));
    assert_string_equal(name, "image2d_t");
  }
  expect_success(kiln_clReleaseKernel(kernel));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_world, close_world)
  const struct CMUnitTest tests[] = {
      TEST(kinds),    TEST(access_flags), TEST(samplers), TEST(wrong_arguments),
      TEST(launches), TEST(clones),       TEST(queries),
  };
  return alloc_fail_run_group(tests, NULL, NULL);
}
