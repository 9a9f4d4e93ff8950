/* What an image would need, asked before it is made (cl_ext_image_requirements_info). */
#include "api/check.h"
#include "api/image_check.h"
#include "api/info.h"
#include "api/memory.h"
#include "api/table.h"

enum { LARGEST_ELEMENT = 16 };

/* CL_INVALID_IMAGE_DESCRIPTOR unless image_desc is NULL or for one of the types, of which 0 is any. */
static cl_int check_type_among(const struct kiln_image_call *c, const cl_mem_object_type *types,
                               size_t count) {
  cl_mem_object_type type = c->desc == NULL ? 0 : c->desc->image_type;
  for (size_t i = 0; i < count; i++)
    if (type == 0 || type == types[i]) return CL_SUCCESS;
  return kiln_fail(c->context, CL_INVALID_IMAGE_DESCRIPTOR, c->where,
                   "images of image_type 0x%X have not what is asked for", type);
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* For every type, without a type. */
static size_t most_width(const struct kiln_image_caps *most, cl_mem_object_type type) {
  if (type == 0) return least(least(most->size2d[0], most->size3d[0]), most->buffer_width);
  return type == CL_MEM_OBJECT_IMAGE3D          ? most->size3d[0]
         : type == CL_MEM_OBJECT_IMAGE1D_BUFFER ? most->buffer_width
                                                : most->size2d[0];
}

static size_t most_height(const struct kiln_image_caps *most, cl_mem_object_type type) {
  if (type == 0) return least(most->size2d[1], most->size3d[1]);
  return type == CL_MEM_OBJECT_IMAGE3D ? most->size3d[1] : most->size2d[1];
}

/* The limits: the dimension asked for plays no part, so only the type is looked at. */
static cl_int limit_info(const struct kiln_info *info, const struct kiln_image_call *c) {
  static const cl_mem_object_type wide[] = {CL_MEM_OBJECT_IMAGE1D,       CL_MEM_OBJECT_IMAGE1D_BUFFER,
                                            CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_MEM_OBJECT_IMAGE2D,
                                            CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_MEM_OBJECT_IMAGE3D};
  static const cl_mem_object_type tall[] = {CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE2D_ARRAY,
                                            CL_MEM_OBJECT_IMAGE3D};
  static const cl_mem_object_type deep[] = {CL_MEM_OBJECT_IMAGE3D};
  static const cl_mem_object_type layered[] = {CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_MEM_OBJECT_IMAGE2D_ARRAY};
  const struct kiln_image_caps most = kiln_image_limits(c->context);
  cl_mem_object_type type = c->desc == NULL ? 0 : c->desc->image_type;
  const struct {
    cl_uint param;
    const cl_mem_object_type *types;
    size_t count, value;
  } rows[] = {{CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT, wide, 6, most_width(&most, type)},
              {CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT, tall, 3, most_height(&most, type)},
              {CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT, deep, 1, most.size3d[2]},
              {CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT, layered, 2, most.array_size}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (rows[i].param != info->param) continue;
    cl_int err = check_type_among(c, rows[i].types, rows[i].count);
    return err == CL_SUCCESS ? kiln_info_value(info, cl_uint, (cl_uint)rows[i].value) : err;
  }
  return kiln_info_unknown(info);
}

/* Bytes of an element, or of the largest when there is no format. */
static size_t element_of(const struct kiln_image_call *c) {
  struct kiln_image_desc desc = {0};
  if (c->format == NULL ||
      !kiln_image_desc_format(&desc, c->format->image_channel_order, c->format->image_channel_data_type))
    return LARGEST_ELEMENT;
  return desc.element_size;
}

static cl_int size_info(const struct kiln_info *info, struct kiln_image_call *c) {
  /* Both image_format and image_desc must be non-NULL, otherwise CL_INVALID_VALUE is returned. */
  if (c->format == NULL || c->desc == NULL)
    return kiln_fail(c->context, CL_INVALID_VALUE, c->where,
                     "%s is NULL, but CL_IMAGE_REQUIREMENTS_SIZE_EXT depends on it",
                     c->format == NULL ? "image_format" : "image_desc");
  cl_int err = kiln_image_check_supported(c);
  if (err == CL_SUCCESS) err = kiln_image_check_pitches(c);
  return err == CL_SUCCESS ? kiln_info_value(info, size_t, c->mem.size) : err;
}

static cl_int placing_info(const struct kiln_info *info, struct kiln_image_call *c) {
  const struct kiln_image_caps most = kiln_image_limits(c->context);
  bool line = c->desc != NULL && c->desc->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
  cl_int err = CL_SUCCESS;
  if (c->desc != NULL) err = kiln_image_check_type(c);
  if (err == CL_SUCCESS && c->desc != NULL) err = kiln_image_check_size(c);
  if (err != CL_SUCCESS) return err;
  switch (info->param) {
  case CL_IMAGE_REQUIREMENTS_SIZE_EXT:
    return size_info(info, c);
  case CL_IMAGE_REQUIREMENTS_BASE_ADDRESS_ALIGNMENT_EXT:
    return kiln_info_value(info, size_t, line ? 1 : most.base_alignment * element_of(c));
  default: /* rows, and slices of rows */
    return kiln_info_value(info, size_t, most.pitch_alignment * element_of(c));
  }
}

static bool is_placing(cl_uint param) {
  return param == CL_IMAGE_REQUIREMENTS_SIZE_EXT ||
         param == CL_IMAGE_REQUIREMENTS_BASE_ADDRESS_ALIGNMENT_EXT ||
         param == CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT ||
         param == CL_IMAGE_REQUIREMENTS_SLICE_PITCH_ALIGNMENT_EXT;
}

cl_int kiln_clGetImageRequirementsInfoEXT(cl_context context, const cl_mem_properties *properties,
                                          cl_mem_flags flags, const cl_image_format *image_format,
                                          const cl_image_desc *image_desc,
                                          cl_image_requirements_info_ext param_name, size_t param_value_size,
                                          void *param_value, size_t *param_value_size_ret) {
  struct kiln_image_call c = {.context = context,
                              .mem = {.flags = flags, .properties = properties},
                              .format = image_format,
                              .desc = image_desc,
                              .bad_size = CL_INVALID_IMAGE_DESCRIPTOR,
                              .bad_pitch = CL_INVALID_IMAGE_DESCRIPTOR,
                              .bad_multiple = CL_INVALID_IMAGE_DESCRIPTOR,
                              .least_depth = 1,
                              .has_bytes = true,
                              .where = __func__};
  /* CL_INVALID_CONTEXT if context is not a valid context */
  KILN_CHECK(NULL, context, CONTEXT);
  cl_int err = kiln_image_check_support(&c);
  if (err == CL_SUCCESS)
    err = kiln_check_mem_properties(context, properties, &c.mem.properties_size, __func__);
  /* CL_INVALID_VALUE if values specified in flags are not valid */
  if (err == CL_SUCCESS)
    err = kiln_check_mem_flags(context, flags, KILN_MEM_FLAGS | CL_MEM_KERNEL_READ_AND_WRITE, __func__);
  /* CL_INVALID_IMAGE_FORMAT_DESCRIPTOR if values specified in image_format are not valid */
  if (err == CL_SUCCESS && image_format != NULL) err = kiln_image_check_format(&c);
  if (err != CL_SUCCESS) return err;
  const struct kiln_info info = {context,          __func__,    param_name,
                                 param_value_size, param_value, param_value_size_ret};
  /* CL_INVALID_IMAGE_DESCRIPTOR if values specified in image_desc are not valid */
  return is_placing(param_name) ? placing_info(&info, &c) : limit_info(&info, &c);
}
