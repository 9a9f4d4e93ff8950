/* clGetImageRequirementsInfoEXT: what images need, against the images themselves, and what it refuses. */
#include "api/images.h"

static const cl_mem_object_type types[] = {CL_MEM_OBJECT_IMAGE1D,       CL_MEM_OBJECT_IMAGE1D_BUFFER,
                                           CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_MEM_OBJECT_IMAGE2D,
                                           CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_MEM_OBJECT_IMAGE3D};

static cl_image_desc desc_of(cl_mem_object_type type) {
  return (cl_image_desc){
      .image_type = type, .image_width = 8, .image_height = 4, .image_depth = 3, .image_array_size = 2};
}

/* The answer, of which the size must be right. */
#define NEEDS(format, desc, param, type)                                                                     \
  ({                                                                                                         \
    type needs_value_;                                                                                       \
    size_t needs_size_ = 0;                                                                                  \
    memset(&needs_value_, 0x5a, sizeof needs_value_);                                                        \
    expect_success(kiln_clGetImageRequirementsInfoEXT(f->context, NULL, 0, format, desc, param,              \
                                                      sizeof needs_value_, &needs_value_, &needs_size_));    \
    assert_int_equal(needs_size_, sizeof needs_value_);                                                      \
    needs_value_;                                                                                            \
  })

/* A buffer of the size told holds the image, one with a byte less does not. */
static void sizes(void **state) {
  struct fixture *f = *state;
  for (size_t t = 0; t < sizeof types / sizeof *types; t++)
    for (size_t padding = 0; padding < 2; padding++) {
      cl_image_desc desc = desc_of(types[t]);
      desc.image_row_pitch = padding * 48;
      size_t size = NEEDS(&rgba8, &desc, CL_IMAGE_REQUIREMENTS_SIZE_EXT, size_t);
      desc.mem_object = make_buffer(f->context, 0, size, NULL);
      cl_mem image = make_image(f->context, 0, &rgba8, &desc, NULL);
      assert_int_equal(MEM_INFO(image, CL_MEM_SIZE, size_t), size);
      drop_buffer(image);
      drop_buffer(desc.mem_object);
      desc.mem_object = make_buffer(f->context, 0, size - 1, NULL);
      expect_no_handle(CL_INVALID_IMAGE_SIZE, "the image has",
                       kiln_clCreateImage(f->context, 0, &rgba8, &desc, NULL, &err));
      drop_buffer(desc.mem_object);
    }
}

static void alignments(void **state) {
  struct fixture *f = *state;
  static const cl_uint params[] = {CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT,
                                   CL_IMAGE_REQUIREMENTS_SLICE_PITCH_ALIGNMENT_EXT,
                                   CL_IMAGE_REQUIREMENTS_BASE_ADDRESS_ALIGNMENT_EXT};
  for (size_t p = 0; p < 3; p++) {
    assert_int_equal(NEEDS(NULL, NULL, params[p], size_t), 16);
    assert_int_equal(NEEDS(&rgba8, NULL, params[p], size_t), 4);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
      const cl_image_desc desc = desc_of(types[t]);
      bool free = p == 2 && types[t] == CL_MEM_OBJECT_IMAGE1D_BUFFER;
      assert_int_equal(NEEDS(&rgba8, &desc, params[p], size_t), free ? 1 : 4);
    }
  }
}

/* By type; without one, what all types that have the dimension can be. */
static void limits(void **state) {
  struct fixture *f = *state;
  struct kiln_image_caps *most = &f->device->backend->caps.images;
  static const struct {
    cl_uint param;
    const char *has; /* by types: y or n */
  } rows[] = {{CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT, "yyyyyy"},
              {CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT, "nnnyyy"},
              {CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT, "nnnnny"},
              {CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT, "nnynyn"}};
  const size_t any[] = {most->size3d[0], most->size3d[1], most->size3d[2], most->array_size};
  const size_t width[] = {most->size2d[0], most->buffer_width, most->size2d[0],
                          most->size2d[0], most->size2d[0],    most->size3d[0]};
  for (size_t i = 0; i < 4; i++) {
    assert_int_equal(NEEDS(NULL, NULL, rows[i].param, cl_uint), any[i]);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
      const cl_image_desc desc = {.image_type = types[t]};
      cl_uint value;
      if (rows[i].has[t] == 'n') {
        expect_error(CL_INVALID_IMAGE_DESCRIPTOR, "have not what is asked for",
                     kiln_clGetImageRequirementsInfoEXT(f->context, NULL, 0, NULL, &desc, rows[i].param,
                                                        sizeof value, &value, NULL));
        continue;
      }
      value = NEEDS(&rgba8, &desc, rows[i].param, cl_uint);
      if (i == 0) assert_int_equal(value, width[t]);
      if (i == 1) assert_int_equal(value, t == 5 ? most->size3d[1] : most->size2d[1]);
    }
  }
}

static void refused(void **state) {
  struct fixture *f = *state;
  size_t value;
  const cl_mem_properties unknown[] = {0x7777, 1, 0};
  const cl_image_format odd = {CL_INTENSITY, CL_UNORM_SHORT_555}, three = {CL_RGB, CL_UNORM_INT8};
  cl_image_desc good = desc_of(CL_MEM_OBJECT_IMAGE3D), bad = good;
#define REFUSED(code, text, properties, flags, format, desc, param)                                          \
  expect_error(code, text,                                                                                   \
               kiln_clGetImageRequirementsInfoEXT(f->context, properties, flags, format, desc, param,        \
                                                  sizeof value, &value, NULL))
  REFUSED(CL_INVALID_PROPERTY, "properties[0] 0x7777", unknown, 0, &rgba8, &good,
          CL_IMAGE_REQUIREMENTS_SIZE_EXT);
  REFUSED(CL_INVALID_VALUE, "has a bit that is no flag of this call", NULL, ~(cl_mem_flags)0, &rgba8, &good,
          CL_IMAGE_REQUIREMENTS_SIZE_EXT);
  REFUSED(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "make no format", NULL, 0, &odd, &good,
          CL_IMAGE_REQUIREMENTS_SIZE_EXT);
  REFUSED(CL_IMAGE_FORMAT_NOT_SUPPORTED, "supports image_channel_order", NULL, 0, &three, &good,
          CL_IMAGE_REQUIREMENTS_SIZE_EXT);
  REFUSED(CL_INVALID_VALUE, "image_format is NULL, but CL_IMAGE_REQUIREMENTS_SIZE_EXT depends on it", NULL, 0,
          NULL, &good, CL_IMAGE_REQUIREMENTS_SIZE_EXT);
  REFUSED(CL_INVALID_VALUE, "image_desc is NULL, but CL_IMAGE_REQUIREMENTS_SIZE_EXT depends on it", NULL, 0,
          &rgba8, NULL, CL_IMAGE_REQUIREMENTS_SIZE_EXT);
  REFUSED(CL_INVALID_VALUE, "param_name 0x1110 is not one of this query's", NULL, 0, &rgba8, &good,
          CL_IMAGE_FORMAT);
  bad.image_type = CL_MEM_OBJECT_BUFFER;
  REFUSED(CL_INVALID_IMAGE_DESCRIPTOR, "image_type 0x10F0 is no type of images", NULL, 0, &rgba8, &bad,
          CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT);
  bad = good;
  bad.image_depth = 0;
  REFUSED(CL_INVALID_IMAGE_DESCRIPTOR, "image_depth is 0", NULL, 0, &rgba8, &bad,
          CL_IMAGE_REQUIREMENTS_BASE_ADDRESS_ALIGNMENT_EXT);
  bad = good;
  bad.image_row_pitch = 8;
  REFUSED(CL_INVALID_IMAGE_DESCRIPTOR, "a row of the image has the bytes 32", NULL, 0, &rgba8, &bad,
          CL_IMAGE_REQUIREMENTS_SIZE_EXT);
#undef REFUSED
  expect_error(CL_INVALID_VALUE, "param_value_size 7 is smaller than the 8 bytes",
               kiln_clGetImageRequirementsInfoEXT(f->context, NULL, 0, &rgba8, &good,
                                                  CL_IMAGE_REQUIREMENTS_SIZE_EXT, 7, &value, NULL));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(sizes), cmocka_unit_test(alignments),
                                     cmocka_unit_test(limits), cmocka_unit_test(refused)};
  return alloc_fail_run_group(tests, images_open, fixture_close);
}
