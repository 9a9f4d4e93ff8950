/* Images: creation of every type, pitches, host memory, views of buffers and of images, queries, formats, and
 * everything the constructors refuse. */
#include "api/images.h"

#include "core/image_format.h"

#include <stdlib.h>

/* ---- queries ---- */

static void check_queries(cl_mem mem, const cl_image_format *format, const cl_image_desc *desc,
                          size_t element, size_t row, size_t slice) {
  bool tall = desc->image_type == CL_MEM_OBJECT_IMAGE2D || desc->image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY ||
              desc->image_type == CL_MEM_OBJECT_IMAGE3D;
  bool array =
      desc->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY || desc->image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
  bool deep = desc->image_type == CL_MEM_OBJECT_IMAGE3D;
  cl_image_format got = IMAGE_INFO(mem, CL_IMAGE_FORMAT, cl_image_format);
  assert_memory_equal(&got, format, sizeof got);
  assert_int_equal(IMAGE_INFO(mem, CL_IMAGE_ELEMENT_SIZE, size_t), element);
  assert_int_equal(IMAGE_INFO(mem, CL_IMAGE_ROW_PITCH, size_t), row);
  assert_int_equal(IMAGE_INFO(mem, CL_IMAGE_SLICE_PITCH, size_t), slice);
  assert_int_equal(IMAGE_INFO(mem, CL_IMAGE_WIDTH, size_t), desc->image_width);
  assert_int_equal(IMAGE_INFO(mem, CL_IMAGE_HEIGHT, size_t), tall ? desc->image_height : 0);
  assert_int_equal(IMAGE_INFO(mem, CL_IMAGE_DEPTH, size_t), deep ? desc->image_depth : 0);
  assert_int_equal(IMAGE_INFO(mem, CL_IMAGE_ARRAY_SIZE, size_t), array ? desc->image_array_size : 0);
  assert_int_equal(IMAGE_INFO(mem, CL_IMAGE_NUM_MIP_LEVELS, cl_uint), 0);
  assert_int_equal(IMAGE_INFO(mem, CL_IMAGE_NUM_SAMPLES, cl_uint), 0);
  assert_int_equal(MEM_INFO(mem, CL_MEM_TYPE, cl_mem_object_type), desc->image_type);
}

static void check_common(struct fixture *f, cl_mem mem, cl_mem_flags flags, void *host_ptr) {
  assert_int_equal(MEM_INFO(mem, CL_MEM_FLAGS, cl_mem_flags), flags);
  assert_ptr_equal(MEM_INFO(mem, CL_MEM_HOST_PTR, void *), flags & CL_MEM_USE_HOST_PTR ? host_ptr : NULL);
  assert_int_equal(MEM_INFO(mem, CL_MEM_MAP_COUNT, cl_uint), 0);
  assert_int_equal(MEM_INFO(mem, CL_MEM_REFERENCE_COUNT, cl_uint), 1);
  assert_ptr_equal(MEM_INFO(mem, CL_MEM_CONTEXT, cl_context), f->context);
  assert_null(MEM_INFO(mem, CL_MEM_ASSOCIATED_MEMOBJECT, cl_mem));
  assert_int_equal(MEM_INFO(mem, CL_MEM_OFFSET, size_t), 0);
  assert_int_equal(MEM_INFO(mem, CL_MEM_USES_SVM_POINTER, cl_bool), CL_FALSE);
  assert_null(IMAGE_INFO(mem, CL_IMAGE_BUFFER, cl_mem));
}

/* What kernels are told, beside the format. */
static void check_desc(cl_mem mem, const cl_image_desc *desc, size_t row, size_t slice) {
  const struct kiln_image_desc *d = &kiln_image_of(mem)->desc;
  assert_ptr_equal(d->data, mem->data);
  assert_int_equal(d->width, desc->image_width);
  assert_int_equal(d->height, or_one(desc->image_height));
  assert_int_equal(d->depth, or_one(desc->image_depth));
  assert_int_equal(d->array_size, or_one(desc->image_array_size));
  assert_int_equal(d->object_type, desc->image_type);
  assert_int_equal(d->row_pitch, desc->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? slice : row);
  if (has_slices(desc->image_type)) assert_int_equal(d->slice_pitch, slice);
}

/* ---- creation ---- */

static const cl_mem_flags accesses[] = {0, CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY, CL_MEM_READ_ONLY};
static const cl_mem_flags hosts[] = {0, CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_NO_ACCESS};
static const cl_mem_flags pointers[] = {0, CL_MEM_USE_HOST_PTR, CL_MEM_ALLOC_HOST_PTR, CL_MEM_COPY_HOST_PTR,
                                        CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR};

/* Pitches of shape without padding. */
static void tight(const cl_image_desc *desc, size_t element, size_t *row, size_t *slice) {
  *row = desc->image_width * element;
  *slice = has_slices(desc->image_type) ? *row * or_one(desc->image_height) : 0;
}

static size_t bytes_of(const cl_image_desc *desc, size_t row, size_t slice) {
  if (desc->image_type == CL_MEM_OBJECT_IMAGE3D) return slice * desc->image_depth;
  return slice != 0 ? slice * desc->image_array_size : row * or_one(desc->image_height);
}

static void all_flags(void **state) {
  struct fixture *f = *state;
  static uint8_t host[4096];
  for (size_t i = 0; i < sizeof host; i++) host[i] = (uint8_t)(i * 7);
  for (int s = 0; s < NUM_SHAPES; s++)
    for (int n = 0; n < 4 * 4 * 5; n++) {
      cl_mem_flags flags = accesses[n % 4] | hosts[n / 4 % 4] | pointers[n / 16];
      void *ptr = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) ? host : NULL;
      size_t row, slice;
      tight(&image_shapes[s], 4, &row, &slice);
      cl_mem mem = make_image(f->context, flags, &rgba8, &image_shapes[s], ptr);
      check_common(f, mem, flags, ptr);
      check_queries(mem, &rgba8, &image_shapes[s], 4, row, slice);
      check_desc(mem, &image_shapes[s], row, slice);
      size_t bytes = bytes_of(&image_shapes[s], row, slice);
      assert_int_equal(MEM_INFO(mem, CL_MEM_SIZE, size_t), bytes);
      if (ptr != NULL) assert_memory_equal(mem->data, host, bytes);
      assert_int_equal(mem->data == host, (flags & CL_MEM_USE_HOST_PTR) != 0);
      drop_buffer(mem);
      if (alloc_fail_active()) break;
    }
}

/* Every format in images of every type that takes it. */
static void all_formats(void **state) {
  struct fixture *f = *state;
  for (int s = 0; s < NUM_SHAPES; s++) {
    cl_image_format formats[128];
    cl_uint count = 0;
    expect_success(kiln_clGetSupportedImageFormats(f->context, CL_MEM_READ_WRITE, image_shapes[s].image_type,
                                                   128, formats, &count));
    assert_in_range(count, 90, 128);
    for (cl_uint i = 0; i < count; i++) {
      cl_mem mem = make_image(f->context, 0, &formats[i], &image_shapes[s], NULL);
      size_t row, slice, element = IMAGE_INFO(mem, CL_IMAGE_ELEMENT_SIZE, size_t);
      assert_true(element == 1 || element == 2 || element == 4 || element == 8 || element == 16);
      tight(&image_shapes[s], element, &row, &slice);
      check_queries(mem, &formats[i], &image_shapes[s], element, row, slice);
      drop_buffer(mem);
      if (alloc_fail_active()) break;
    }
  }
}

/* Pitches given with host memory: kept, and the bytes lie accordingly. */
static void pitches(void **state) {
  struct fixture *f = *state;
  static uint8_t host[16384];
  static const cl_mem_flags flags[] = {CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR};
  for (size_t i = 0; i < sizeof host; i++) host[i] = (uint8_t)(i * 13 + (i >> 8));
  for (int s = 0; s < NUM_SHAPES; s++)
    for (int p = 0; p < 2; p++) {
      cl_image_desc desc = image_shapes[s];
      size_t row = (desc.image_width + 3) * 4, slice = row * (or_one(desc.image_height) + 2);
      desc.image_row_pitch = row;
      if (has_slices(desc.image_type)) desc.image_slice_pitch = slice;
      else slice = 0;
      cl_mem mem = make_image(f->context, flags[p], &rgba8, &desc, host);
      check_queries(mem, &rgba8, &desc, 4, row, slice);
      check_desc(mem, &desc, row, slice);
      assert_int_equal(MEM_INFO(mem, CL_MEM_SIZE, size_t), bytes_of(&desc, row, slice));
      size_t extent[3], at[3];
      extent_of(&desc, extent);
      bool layers = desc.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
      for (at[2] = 0; at[2] < extent[2]; at[2]++)
        for (at[1] = 0; at[1] < extent[1]; at[1]++) {
          uint8_t found[64];
          const size_t origin[3] = {0, at[1], at[2]}, region[3] = {extent[0], 1, 1};
          expect_success(
              kiln_clEnqueueReadImage(f->queue, mem, CL_TRUE, origin, region, 0, 0, found, 0, NULL, NULL));
          assert_memory_equal(found, host + at[2] * slice + at[1] * (layers ? slice : row), extent[0] * 4);
        }
      drop_buffer(mem);
    }
  /* the row pitch alone */
  cl_image_desc desc = image_shapes[4];
  desc.image_row_pitch = 40;
  cl_mem mem = make_image(f->context, CL_MEM_COPY_HOST_PTR, &rgba8, &desc, host);
  check_queries(mem, &rgba8, &desc, 4, 40, 40 * desc.image_height);
  drop_buffer(mem);
}

static void old_constructors(void **state) {
  struct fixture *f = *state;
  static uint8_t host[1024];
  cl_int made = 12345;
  cl_mem mem = kiln_clCreateImage2D(f->context, CL_MEM_READ_ONLY, &rgba8, 9, 6, 0, NULL, &made);
  expect_success(made);
  check_queries(mem, &rgba8, &image_shapes[2], 4, 36, 0);
  drop_buffer(mem);
  mem = kiln_clCreateImage2D(f->context, CL_MEM_USE_HOST_PTR, &rgba8, 9, 6, 40, host, &made);
  expect_success(made);
  check_queries(mem, &rgba8, &image_shapes[2], 4, 40, 0);
  drop_buffer(mem);
  mem = kiln_clCreateImage3D(f->context, CL_MEM_COPY_HOST_PTR, &rgba8, 6, 3, 4, 28, 112, host, &made);
  expect_success(made);
  check_queries(mem, &rgba8, &image_shapes[4], 4, 28, 112);
  drop_buffer(mem);
}

static void with_properties(void **state) {
  struct fixture *f = *state;
  const cl_mem_properties none[] = {0}, unknown[] = {0x7777, 1, 0};
  cl_int made = 12345;
  size_t size = 1;
  cl_mem mem = kiln_clCreateImageWithProperties(f->context, NULL, 0, &rgba8, &image_shapes[2], NULL, &made);
  expect_success(made);
  expect_success(kiln_clGetMemObjectInfo(mem, CL_MEM_PROPERTIES, 0, NULL, &size));
  assert_int_equal(size, 0);
  drop_buffer(mem);
  mem = kiln_clCreateImageWithProperties(f->context, none, 0, &rgba8, &image_shapes[2], NULL, &made);
  expect_success(made);
  assert_int_equal(MEM_INFO(mem, CL_MEM_PROPERTIES, cl_mem_properties), 0);
  drop_buffer(mem);
  expect_no_handle(
      CL_INVALID_PROPERTY, "properties[0] 0x7777 is no supported property; there are none",
      kiln_clCreateImageWithProperties(f->context, unknown, 0, &rgba8, &image_shapes[2], NULL, &err));
}

/* ---- views ---- */

static void buffer_images(void **state) {
  struct fixture *f = *state;
  cl_mem buffer = make_buffer(f->context, CL_MEM_READ_ONLY | CL_MEM_HOST_NO_ACCESS, 4096, NULL);
  cl_mem part = make_part(buffer, 0, 1024, 1024);
  const cl_mem parents[] = {buffer, part};
  for (int i = 0; i < 2; i++) {
    cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 256, .mem_object = parents[i]};
    cl_mem line = make_image(f->context, 0, &rgba8, &desc, NULL);
    check_queries(line, &rgba8, &desc, 4, 1024, 0);
    check_desc(line, &desc, 1024, 0);
    assert_ptr_equal(line->data, parents[i]->data);
    assert_ptr_equal(IMAGE_INFO(line, CL_IMAGE_BUFFER, cl_mem), parents[i]);
    assert_ptr_equal(MEM_INFO(line, CL_MEM_ASSOCIATED_MEMOBJECT, cl_mem), parents[i]);
    assert_int_equal(MEM_INFO(line, CL_MEM_FLAGS, cl_mem_flags), CL_MEM_READ_ONLY | CL_MEM_HOST_NO_ACCESS);
    assert_int_equal(MEM_INFO(line, CL_MEM_OFFSET, size_t), 0);
    assert_int_equal(MEM_INFO(line, CL_MEM_SIZE, size_t), 1024);
    drop_buffer(line);
    desc.image_row_pitch = 1100;
    line = make_image(f->context, 0, &rgba8, &desc, NULL);
    check_queries(line, &rgba8, &desc, 4, 1100, 0);
    assert_int_equal(MEM_INFO(line, CL_MEM_SIZE, size_t), 1024);
    drop_buffer(line);
    desc = (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE2D,
                           .image_width = 10,
                           .image_height = 20,
                           .image_row_pitch = 48,
                           .mem_object = parents[i]};
    cl_mem flat = make_image(f->context, CL_MEM_READ_ONLY, &rgba8, &desc, NULL);
    check_queries(flat, &rgba8, &desc, 4, 48, 0);
    check_desc(flat, &desc, 48, 0);
    assert_ptr_equal(IMAGE_INFO(flat, CL_IMAGE_BUFFER, cl_mem), parents[i]);
    assert_int_equal(MEM_INFO(flat, CL_MEM_SIZE, size_t), 48 * 20);
    drop_buffer(flat);
    desc.image_row_pitch = 0;
    flat = make_image(f->context, 0, &rgba8, &desc, NULL);
    check_queries(flat, &rgba8, &desc, 4, 40, 0);
    drop_buffer(flat);
  }
  drop_buffer(part);
  drop_buffer(buffer);
}

/* cl_ext_image_from_buffer: images of every type, with pitches or without, are views of a buffer's start. */
static void any_image_of_a_buffer(void **state) {
  struct fixture *f = *state;
  static uint8_t host[8192] __attribute__((aligned(16)));
  uint64_t seed = 3;
  random_fill(&seed, host, sizeof host);
  cl_mem buffer = make_buffer(f->context, CL_MEM_COPY_HOST_PTR, sizeof host, host);
  for (int s = 0; s < NUM_SHAPES; s++)
    for (int padded = 0; padded < 2; padded++) {
      cl_image_desc desc = image_shapes[s];
      size_t row, slice;
      tight(&desc, 4, &row, &slice);
      if (padded) {
        desc.image_row_pitch = row += 8;
        if (slice != 0) desc.image_slice_pitch = slice = row * (or_one(desc.image_height) + 1);
      }
      desc.mem_object = buffer;
      cl_mem image = make_image(f->context, 0, &rgba8, &desc, NULL);
      check_queries(image, &rgba8, &desc, 4, row, slice);
      check_desc(image, &desc, row, slice);
      assert_ptr_equal(image->data, buffer->data);
      bool line = desc.image_type == CL_MEM_OBJECT_IMAGE1D;
      assert_int_equal(MEM_INFO(image, CL_MEM_SIZE, size_t),
                       line ? desc.image_width * 4 : bytes_of(&desc, row, slice));
      assert_ptr_equal(IMAGE_INFO(image, CL_IMAGE_BUFFER, cl_mem), buffer);
      drop_buffer(image);
    }
  cl_image_desc desc = image_shapes[4];
  desc.mem_object = buffer;
#define BAD(code, text)                                                                                      \
  expect_no_handle(code, text, kiln_clCreateImage(f->context, 0, &rgba8, &desc, NULL, &err))
  desc.image_row_pitch = 25;
  BAD(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "it must be a multiple of the bytes of an element, 4");
  desc.image_row_pitch = 0;
  desc.image_slice_pitch = 73;
  BAD(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "it must be a multiple of the row pitch, 24");
  desc.image_slice_pitch = 2400;
  BAD(CL_INVALID_IMAGE_SIZE, "the image has 9600 bytes, but mem_object");
#undef BAD
  drop_buffer(buffer);
}

/* A view keeps what it shows alive, and both show the same bytes. */
static void views_share_bytes(void **state) {
  struct fixture *f = *state;
  static uint8_t host[1024] __attribute__((aligned(128)));
  cl_mem buffer = make_buffer(f->context, CL_MEM_USE_HOST_PTR, sizeof host, host);
  cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                        .image_width = 8,
                        .image_height = 8,
                        .image_row_pitch = 128,
                        .mem_object = buffer};
  cl_mem image = make_image(f->context, 0, &rgba8, &desc, NULL);
  assert_null(MEM_INFO(image, CL_MEM_HOST_PTR, void *));
  const cl_image_format srgb = {CL_sRGBA, CL_UNORM_INT8};
  desc.mem_object = image;
  desc.image_row_pitch = 0;
  cl_mem view = make_image(f->context, 0, &srgb, &desc, NULL);
  desc.image_row_pitch = 128;
  check_queries(view, &srgb, &desc, 4, 128, 0);
  assert_null(IMAGE_INFO(view, CL_IMAGE_BUFFER, cl_mem));
  assert_ptr_equal(MEM_INFO(view, CL_MEM_ASSOCIATED_MEMOBJECT, cl_mem), image);
  drop_buffer(image);
  drop_buffer(buffer);
  const float white[] = {1, 1, 1, 1};
  const size_t origin[3] = {2, 3, 0}, region[3] = {1, 1, 1};
  memset(host, 0, sizeof host);
  expect_success(kiln_clEnqueueFillImage(f->queue, view, white, origin, region, 0, NULL, NULL));
  expect_success(kiln_clFinish(f->queue));
  for (size_t i = 0; i < sizeof host; i++)
    assert_int_equal(host[i], i >= 3 * 128 + 8 && i < 3 * 128 + 12 ? 255 : 0);
  drop_buffer(view);
}

static void compatible_orders(void **state) {
  struct fixture *f = *state;
  static const cl_image_format pairs[][2] = {{{CL_sBGRA, CL_UNORM_INT8}, {CL_BGRA, CL_UNORM_INT8}},
                                             {{CL_BGRA, CL_UNORM_INT8}, {CL_sBGRA, CL_UNORM_INT8}},
                                             {{CL_RGBA, CL_UNORM_INT8}, {CL_sRGBA, CL_UNORM_INT8}},
                                             {{CL_DEPTH, CL_FLOAT}, {CL_R, CL_FLOAT}}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    cl_image_desc desc = image_shapes[2];
    cl_mem image = make_image(f->context, 0, &pairs[i][1], &desc, NULL);
    desc.mem_object = image;
    drop_buffer(make_image(f->context, 0, &pairs[i][0], &desc, NULL));
    drop_buffer(image);
  }
}

/* ---- formats ---- */

static void formats(void **state) {
  struct fixture *f = *state;
  cl_image_format found[128];
  cl_uint count = 0, shorter = 0;
  expect_success(
      kiln_clGetSupportedImageFormats(f->context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count));
  expect_success(kiln_clGetSupportedImageFormats(f->context, CL_MEM_READ_ONLY | CL_MEM_ALLOC_HOST_PTR,
                                                 CL_MEM_OBJECT_IMAGE2D, 128, found, NULL));
  assert_int_equal(count, kiln_image_format_list(CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 0, NULL));
  expect_success(kiln_clGetSupportedImageFormats(f->context, CL_MEM_KERNEL_READ_AND_WRITE,
                                                 CL_MEM_OBJECT_IMAGE2D, 1, found, &shorter));
  assert_in_range(shorter, 1, count - 1);
  expect_error(CL_INVALID_VALUE, "flags 0x5 has more than one of CL_MEM_READ_WRITE",
               kiln_clGetSupportedImageFormats(f->context, CL_MEM_READ_WRITE | CL_MEM_READ_ONLY,
                                               CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count));
  expect_error(CL_INVALID_VALUE, "image_type 0x10F0 is no type of images",
               kiln_clGetSupportedImageFormats(f->context, 0, CL_MEM_OBJECT_BUFFER, 0, NULL, &count));
  expect_error(CL_INVALID_VALUE, "num_entries is 0 and image_formats is not NULL",
               kiln_clGetSupportedImageFormats(f->context, 0, CL_MEM_OBJECT_IMAGE2D, 0, found, &count));
}

/* ---- what is refused ---- */

#define REFUSED(code, text, flags, format, desc, host)                                                       \
  expect_no_handle(code, text, kiln_clCreateImage(f->context, flags, format, desc, host, &err))

static void wrong_flags(void **state) {
  struct fixture *f = *state;
  uint8_t host[1024];
  const cl_image_desc *desc = &image_shapes[2];
  REFUSED(CL_INVALID_VALUE, "flags 0x3 has more than one of CL_MEM_READ_WRITE", 3, &rgba8, desc, NULL);
  REFUSED(CL_INVALID_VALUE, "has a bit that is no flag of this call", CL_MEM_KERNEL_READ_AND_WRITE, &rgba8,
          desc, NULL);
  REFUSED(CL_INVALID_VALUE, "CL_MEM_USE_HOST_PTR together with", CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR,
          &rgba8, desc, host);
  REFUSED(CL_INVALID_HOST_PTR, "host_ptr is NULL, but flags 0x8", CL_MEM_USE_HOST_PTR, &rgba8, desc, NULL);
  REFUSED(CL_INVALID_HOST_PTR, "host_ptr is not NULL, but flags 0x0", 0, &rgba8, desc, host);
  expect_no_handle(CL_INVALID_VALUE, "flags 0x3 has more than one",
                   kiln_clCreateImage2D(f->context, 3, &rgba8, 4, 4, 0, NULL, &err));
  expect_no_handle(CL_INVALID_HOST_PTR, "host_ptr is NULL",
                   kiln_clCreateImage3D(f->context, CL_MEM_COPY_HOST_PTR, &rgba8, 4, 4, 4, 0, 0, NULL, &err));
}

static void wrong_formats(void **state) {
  struct fixture *f = *state;
  const cl_image_format no_order = {1, CL_FLOAT}, no_type = {CL_R, 1}, mixed = {CL_RGBA, CL_UNORM_SHORT_565},
                        three = {CL_RGB, CL_UNORM_INT8}, rx = {CL_Rx, CL_UNORM_INT8},
                        depth = {CL_DEPTH, CL_FLOAT};
  const cl_image_desc *flat = &image_shapes[2];
  REFUSED(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "image_format is NULL", 0, NULL, flat, NULL);
  REFUSED(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
          "image_channel_order 0x1 and image_channel_data_type 0x10DE make no format", 0, &no_order, flat,
          NULL);
  REFUSED(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "image_channel_data_type 0x1 make no format", 0, &no_type, flat,
          NULL);
  REFUSED(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "make no format", 0, &mixed, flat, NULL);
  REFUSED(CL_IMAGE_FORMAT_NOT_SUPPORTED, "supports image_channel_order 0x10B4 with", 0, &three, flat, NULL);
  REFUSED(CL_IMAGE_FORMAT_NOT_SUPPORTED, "supports image_channel_order 0x10BA with", 0, &rx, flat, NULL);
  REFUSED(CL_IMAGE_FORMAT_NOT_SUPPORTED, "in images of type 0x10F2 with flags 0x4", CL_MEM_READ_ONLY, &depth,
          &image_shapes[4], NULL);
  expect_no_handle(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "image_format is NULL",
                   kiln_clCreateImage2D(f->context, 0, NULL, 4, 4, 0, NULL, &err));
}

static void wrong_descriptors(void **state) {
  struct fixture *f = *state;
  cl_mem buffer = make_buffer(f->context, 0, 256, NULL);
  cl_mem image = make_image(f->context, 0, &rgba8, &image_shapes[2], NULL);
  cl_context other = make_context(f->device);
  cl_mem foreign = make_buffer(other, 0, 256, NULL);
  cl_image_desc desc = {.image_type = CL_MEM_OBJECT_BUFFER, .image_width = 4};
#define BAD(text) REFUSED(CL_INVALID_IMAGE_DESCRIPTOR, text, 0, &rgba8, &desc, NULL)
  REFUSED(CL_INVALID_IMAGE_DESCRIPTOR, "image_desc is NULL", 0, &rgba8, NULL, NULL);
  BAD("image_type 0x10F0 is no type of images");
  desc.image_type = CL_MEM_OBJECT_IMAGE1D;
  desc.num_mip_levels = 1;
  BAD("num_mip_levels is 1 and num_samples 0; both must be 0");
  desc.num_mip_levels = 0;
  desc.num_samples = 4;
  BAD("num_samples 4; both must be 0");
  desc.num_samples = 0;
  desc.mem_object = image;
  BAD("no image of image_type 0x10F4 can be made of mem_object");
  desc.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
  desc.mem_object = image;
  BAD("which is of type 0x10F1");
  desc.mem_object = NULL;
  BAD("mem_object of a CL_MEM_OBJECT_IMAGE1D_BUFFER is NULL");
  desc.mem_object = not_a_handle();
  BAD("is not a live memory object");
  desc.mem_object = foreign;
  BAD("belongs to another context");
#undef BAD
  drop_buffer(foreign);
  drop_context(other);
  drop_buffer(image);
  drop_buffer(buffer);
}

static void wrong_sizes(void **state) {
  struct fixture *f = *state;
  const struct kiln_image_caps *most = &f->device->backend->caps.images;
  cl_mem buffer = make_buffer(f->context, 0, 256, NULL);
  const struct {
    cl_image_desc desc;
    const char *text;
  } rows[] = {
      {{.image_type = CL_MEM_OBJECT_IMAGE1D},
       "image_width is 0; it must be from 1 to CL_DEVICE_IMAGE2D_MAX_WIDTH"},
      {{.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = most->size2d[0] + 1},
       "image_width is 16385; it must"},
      {{.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 1}, "image_height is 0; it must be from 1 to"},
      {{.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 1, .image_height = most->size2d[1] + 1},
       "CL_DEVICE_IMAGE2D_MAX_HEIGHT of the devices in this context, 16384"},
      {{.image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = most->size3d[0] + 1},
       "CL_DEVICE_IMAGE3D_MAX_WIDTH of the devices in this context, 2048"},
      {{.image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 1, .image_height = most->size3d[1] + 1},
       "CL_DEVICE_IMAGE3D_MAX_HEIGHT"},
      {{.image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 1, .image_height = 1},
       "image_depth is 0; it must"},
      {{.image_type = CL_MEM_OBJECT_IMAGE3D,
        .image_width = 1,
        .image_height = 1,
        .image_depth = most->size3d[2] + 1},
       "CL_DEVICE_IMAGE3D_MAX_DEPTH of the devices"},
      {{.image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY, .image_width = 1}, "image_array_size is 0"},
      {{.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY,
        .image_width = 1,
        .image_height = 1,
        .image_array_size = most->array_size + 1},
       "CL_DEVICE_IMAGE_MAX_ARRAY_SIZE of the devices in this context, 2048"},
      {{.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER,
        .image_width = most->buffer_width + 1,
        .mem_object = buffer},
       "CL_DEVICE_IMAGE_MAX_BUFFER_SIZE of the devices"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    REFUSED(CL_INVALID_IMAGE_SIZE, rows[i].text, 0, &rgba8, &rows[i].desc, NULL);
  drop_buffer(buffer);
  expect_no_handle(CL_INVALID_IMAGE_SIZE, "image_width is 0",
                   kiln_clCreateImage2D(f->context, 0, &rgba8, 0, 4, 0, NULL, &err));
  expect_no_handle(CL_INVALID_IMAGE_SIZE,
                   "image_depth is 1; it must be from 2 to CL_DEVICE_IMAGE3D_MAX_DEPTH",
                   kiln_clCreateImage3D(f->context, 0, &rgba8, 4, 4, 1, 0, 0, NULL, &err));
}

static void wrong_pitches(void **state) {
  struct fixture *f = *state;
  static uint8_t host[4096];
  const struct {
    size_t row, slice;
    const char *text;
  } rows[] = {{23, 0, "image_row_pitch is 23, but a row of the image has the bytes 24"},
              {26, 0, "image_row_pitch is 26, but it must be a multiple of the bytes of an element, 4"},
              {0, 71, "image_slice_pitch is 71, but a slice of the image has the bytes 72"},
              {28, 72, "image_slice_pitch is 72, but a slice of the image has the bytes 84"},
              {0, 73, "image_slice_pitch is 73, but it must be a multiple of the row pitch, 24"},
              {(size_t)1 << 63, 0, "but with all rows it exceeds the address space; there are 3"},
              {0, (size_t)24 << 58, "but with all slices it exceeds the address space; there are 4"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    cl_image_desc desc = image_shapes[4];
    desc.image_row_pitch = rows[i].row;
    desc.image_slice_pitch = rows[i].slice;
    REFUSED(CL_INVALID_IMAGE_DESCRIPTOR, rows[i].text, CL_MEM_USE_HOST_PTR, &rgba8, &desc, host);
    expect_no_handle(CL_INVALID_IMAGE_SIZE, rows[i].text,
                     kiln_clCreateImage3D(f->context, CL_MEM_USE_HOST_PTR, &rgba8, 6, 3, 4, rows[i].row,
                                          rows[i].slice, host, &err));
  }
  cl_image_desc desc = image_shapes[4];
  desc.image_row_pitch = 24;
  REFUSED(CL_INVALID_IMAGE_DESCRIPTOR,
          "image_row_pitch is 24, but without host_ptr or mem_object it must be 0", 0, &rgba8, &desc, NULL);
  desc.image_row_pitch = 0;
  desc.image_slice_pitch = 72;
  REFUSED(CL_INVALID_IMAGE_DESCRIPTOR,
          "image_slice_pitch is 72, but without host_ptr or mem_object it must be 0", 0, &rgba8, &desc, NULL);
}

static void wrong_buffer_views(void **state) {
  struct fixture *f = *state;
  struct kiln_image_caps *caps = &f->device->backend->caps.images;
  static uint8_t host[1024] __attribute__((aligned(16)));
  cl_mem buffer = make_buffer(f->context, CL_MEM_USE_HOST_PTR, 512, host + 8);
  cl_image_desc line = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 129, .mem_object = buffer};
  cl_image_desc flat = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                        .image_width = 4,
                        .image_height = 8,
                        .image_row_pitch = 68,
                        .mem_object = buffer};
  REFUSED(CL_INVALID_IMAGE_SIZE, "the image has 516 bytes, but mem_object", 0, &rgba8, &line, NULL);
  REFUSED(CL_INVALID_IMAGE_SIZE, "the image has 544 bytes, but mem_object", 0, &rgba8, &flat, NULL);
  line.image_width = 128;
  flat.image_row_pitch = 20;
  REFUSED(CL_INVALID_VALUE, "asks for host memory, which is inherited", CL_MEM_USE_HOST_PTR, &rgba8, &line,
          host);
  REFUSED(CL_INVALID_HOST_PTR, "host_ptr is not NULL", 0, &rgba8, &line, host);
  line.image_row_pitch = 508;
  REFUSED(CL_INVALID_IMAGE_DESCRIPTOR, "image_row_pitch is 508, but a row of the image has the bytes 512", 0,
          &rgba8, &line, NULL);
  const cl_image_format wide = {CL_RGBA, CL_FLOAT};
  flat.image_width = 1;
  flat.image_row_pitch = 16;
  REFUSED(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
          "is not aligned to CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, 1 elements", 0, &wide, &flat, NULL);
  caps->pitch_alignment = 8;
  flat.image_row_pitch = 48;
  REFUSED(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
          "the row pitch, 48, is not a multiple of CL_DEVICE_IMAGE_PITCH_ALIGNMENT, 8 elements of 4 bytes", 0,
          &rgba8, &flat, NULL);
  caps->pitch_alignment = 1;
  drop_buffer(make_image(f->context, 0, &rgba8, &flat, NULL));
  drop_buffer(buffer);
}

static void wrong_view_flags(void **state) {
  struct fixture *f = *state;
  static const struct {
    cl_mem_flags parent, flags;
    const char *text;
  } rows[] = {
      {CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE, "would read a CL_MEM_WRITE_ONLY object"},
      {CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, "would write a CL_MEM_READ_ONLY object"},
      {CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY, "adds host reads to a CL_MEM_HOST_WRITE_ONLY object"},
      {CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY, "adds host writes to a CL_MEM_HOST_READ_ONLY object"},
      {CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY, "adds host access to a CL_MEM_HOST_NO_ACCESS object"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    cl_image_desc desc = image_shapes[2];
    desc.mem_object = make_buffer(f->context, rows[i].parent, 1024, NULL);
    REFUSED(CL_INVALID_VALUE, rows[i].text, rows[i].flags, &rgba8, &desc, NULL);
    cl_mem image = make_image(f->context, rows[i].parent, &rgba8, &image_shapes[2], NULL);
    drop_buffer(desc.mem_object);
    desc.mem_object = image;
    const cl_image_format srgb = {CL_sRGBA, CL_UNORM_INT8};
    REFUSED(CL_INVALID_VALUE, rows[i].text, rows[i].flags, &srgb, &desc, NULL);
    drop_buffer(image);
  }
}

static void wrong_image_views(void **state) {
  struct fixture *f = *state;
  cl_image_desc desc = image_shapes[2];
  cl_mem image = make_image(f->context, 0, &rgba8, &desc, NULL);
  const cl_image_format srgb = {CL_sRGBA, CL_UNORM_INT8}, bgra = {CL_sBGRA, CL_UNORM_INT8},
                        other_type = {CL_RGBA, CL_SNORM_INT8};
  desc.mem_object = image;
  REFUSED(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "cannot be viewed as one of order 0x10C2 and type 0x10D2", 0,
          &bgra, &desc, NULL);
  REFUSED(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "cannot be viewed as one of order 0x10B5 and type 0x10D0", 0,
          &other_type, &desc, NULL);
  REFUSED(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "cannot be viewed as", 0, &rgba8, &desc, NULL);
  desc.image_width = 8;
  REFUSED(CL_INVALID_IMAGE_DESCRIPTOR, "has 9 x 6 elements with a row pitch of 36, image_desc 8 x 6 with 36",
          0, &srgb, &desc, NULL);
  desc.image_width = 9;
  desc.image_row_pitch = 40;
  REFUSED(CL_INVALID_IMAGE_DESCRIPTOR, "image_desc 9 x 6 with 40", 0, &srgb, &desc, NULL);
  drop_buffer(image);
}

/* CL_DEVICE_MAX_MEM_ALLOC_SIZE binds images, too, and so does the memory there is. */
static void too_large(void **state) {
  struct fixture *f = *state;
  const cl_image_desc huge = {
      .image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 2048, .image_height = 2048, .image_depth = 2048};
  const cl_image_format wide = {CL_RGBA, CL_FLOAT};
  cl_ulong most = f->context->largest_alloc;
  f->context->largest_alloc = 1 << 20;
  REFUSED(CL_MEM_OBJECT_ALLOCATION_FAILURE, "the image has 137438953472 bytes, the largest", 0, &wide, &huge,
          NULL);
  f->context->largest_alloc = most;
}

static void wrong_queries(void **state) {
  struct fixture *f = *state;
  cl_mem buffer = make_buffer(f->context, 0, 64, NULL);
  size_t size;
  expect_error(CL_INVALID_MEM_OBJECT, "is no image",
               kiln_clGetImageInfo(buffer, CL_IMAGE_WIDTH, 0, NULL, &size));
  drop_buffer(buffer);
}

/* The least that the specification allows of a full-profile device, and what is listed with images. */
static void device(void **state) {
  struct fixture *f = *state;
  static const struct {
    cl_device_info param;
    size_t least;
  } rows[] = {{CL_DEVICE_MAX_READ_IMAGE_ARGS, 128},
              {CL_DEVICE_MAX_WRITE_IMAGE_ARGS, 64},
              {CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, 64},
              {CL_DEVICE_IMAGE2D_MAX_WIDTH, 16384},
              {CL_DEVICE_IMAGE2D_MAX_HEIGHT, 16384},
              {CL_DEVICE_IMAGE3D_MAX_WIDTH, 2048},
              {CL_DEVICE_IMAGE3D_MAX_HEIGHT, 2048},
              {CL_DEVICE_IMAGE3D_MAX_DEPTH, 2048},
              {CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, 65536},
              {CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, 2048},
              {CL_DEVICE_MAX_SAMPLERS, 16},
              {CL_DEVICE_IMAGE_PITCH_ALIGNMENT, 1},
              {CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, 1},
              {CL_DEVICE_IMAGE_SUPPORT, CL_TRUE}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    cl_ulong value = 0;
    expect_success(kiln_clGetDeviceInfo(f->device, rows[i].param, sizeof value, &value, NULL));
    assert_true(value >= rows[i].least);
  }
  static const char *const names[] = {"cl_khr_3d_image_writes",     "cl_khr_depth_images",
                                      "cl_khr_image2d_from_buffer", "cl_khr_srgb_image_writes",
                                      "cl_ext_image_from_buffer",   "cl_ext_image_requirements_info"};
  static char text[8192];
  expect_success(kiln_clGetDeviceInfo(f->device, CL_DEVICE_EXTENSIONS, sizeof text, text, NULL));
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) assert_non_null(strstr(text, names[i]));
  static const char *const macros[] = {"__opencl_c_images", "__opencl_c_3d_image_writes",
                                       "__opencl_c_read_write_images"};
  cl_name_version features[64];
  size_t size, found = 0;
  expect_success(
      kiln_clGetDeviceInfo(f->device, CL_DEVICE_OPENCL_C_FEATURES, sizeof features, features, &size));
  for (size_t i = 0; i < size / sizeof *features; i++)
    for (int m = 0; m < 3; m++) found += strcmp(features[i].name, macros[m]) == 0;
  assert_int_equal(found, 3);
}

/* ---- destructors ---- */

static char calls[8];

static void CL_CALLBACK note_call(cl_mem mem, void *letter) {
  (void)mem;
  strncat(calls, letter, 1);
}

static void destructors(void **state) {
  struct fixture *f = *state;
  calls[0] = '\0';
  cl_mem image = make_image(f->context, 0, &rgba8, &image_shapes[2], NULL);
  expect_success(kiln_clSetMemObjectDestructorCallback(image, note_call, "a"));
  expect_success(kiln_clSetMemObjectDestructorCallback(image, note_call, "b"));
  expect_success(kiln_clRetainMemObject(image));
  drop_buffer(image);
  assert_string_equal(calls, "");
  drop_buffer(image);
  assert_string_equal(calls, "ba");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_flags),
      cmocka_unit_test(all_formats),
      cmocka_unit_test(pitches),
      cmocka_unit_test(old_constructors),
      cmocka_unit_test(with_properties),
      cmocka_unit_test(buffer_images),
      cmocka_unit_test(views_share_bytes),
      cmocka_unit_test(any_image_of_a_buffer),
      cmocka_unit_test(compatible_orders),
      cmocka_unit_test(formats),
      cmocka_unit_test(wrong_flags),
      cmocka_unit_test(wrong_formats),
      cmocka_unit_test(wrong_descriptors),
      cmocka_unit_test(wrong_sizes),
      cmocka_unit_test(wrong_pitches),
      cmocka_unit_test(wrong_buffer_views),
      cmocka_unit_test(wrong_view_flags),
      cmocka_unit_test(wrong_image_views),
      cmocka_unit_test(too_large),
      cmocka_unit_test(wrong_queries),
      cmocka_unit_test(device),
      cmocka_unit_test(destructors),
  };
  return alloc_fail_run_group(tests, images_open, fixture_close);
}
