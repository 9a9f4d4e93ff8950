/* Images for tests: a fixture whose device supports them, shapes of every type, and a model of what an image
 * holds. */
#ifndef KILN_TEST_API_IMAGES_H
#define KILN_TEST_API_IMAGES_H

#include "api/world.h"

#include "core/image.h"
#include "drivers/cpu/cpu.h"

/* fixture_open with images, whether the device reports them by default or not. */
static inline int images_open(void **state) {
  int err = fixture_open(state);
  kiln_cpu_set_images(&((struct fixture *)*state)->device->backend->caps, true);
  return err;
}

/* Every type that has storage of its own, small, with dimensions that differ. */
static const cl_image_desc image_shapes[] = {
    {.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = 13},
    {.image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY, .image_width = 7, .image_array_size = 5},
    {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 9, .image_height = 6},
    {.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY, .image_width = 5, .image_height = 4, .image_array_size = 3},
    {.image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 6, .image_height = 3, .image_depth = 4},
};
enum { NUM_SHAPES = sizeof image_shapes / sizeof *image_shapes };

static const cl_image_format rgba8 = {CL_RGBA, CL_UNORM_INT8};

static inline cl_mem make_image(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                                const cl_image_desc *desc, void *host_ptr) {
  cl_int err = 12345;
  cl_mem mem = kiln_clCreateImage(context, flags, format, desc, host_ptr, &err);
  expect_success(err);
  assert_non_null(mem);
  return mem;
}

static inline size_t or_one(size_t n) { return n == 0 ? 1 : n; }

/* How far origin and region reach in an image made with desc. */
static inline void extent_of(const cl_image_desc *desc, size_t extent[3]) {
  extent[0] = desc->image_width;
  extent[1] =
      desc->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? desc->image_array_size : or_one(desc->image_height);
  extent[2] =
      desc->image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY ? desc->image_array_size : or_one(desc->image_depth);
}

static inline bool has_slices(cl_mem_object_type type) {
  return type == CL_MEM_OBJECT_IMAGE3D || type == CL_MEM_OBJECT_IMAGE1D_ARRAY ||
         type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
}

/* The answer to a query, of which the size must be right. */
#define IMAGE_INFO(mem, param, type)                                                                         \
  ({                                                                                                         \
    type info_value_;                                                                                        \
    size_t info_size_ = 0;                                                                                   \
    memset(&info_value_, 0x5a, sizeof info_value_);                                                          \
    expect_success(kiln_clGetImageInfo((mem), (param), sizeof info_value_, &info_value_, &info_size_));      \
    assert_int_equal(info_size_, sizeof info_value_);                                                        \
    info_value_;                                                                                             \
  })
#define MEM_INFO(mem, param, type)                                                                           \
  ({                                                                                                         \
    type info_value_;                                                                                        \
    memset(&info_value_, 0x5a, sizeof info_value_);                                                          \
    expect_success(kiln_clGetMemObjectInfo((mem), (param), sizeof info_value_, &info_value_, NULL));         \
    info_value_;                                                                                             \
  })

#endif
