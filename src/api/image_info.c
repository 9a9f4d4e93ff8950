/* Images: supported formats, queries (specification chapters "Querying List of Supported Image Formats" and
 * "Image Object Queries"). */
#include "api/check.h"
#include "api/info.h"
#include "api/memory.h"
#include "api/table.h"
#include "core/image.h"
#include "core/image_format.h"

cl_int kiln_clGetSupportedImageFormats(cl_context context, cl_mem_flags flags, cl_mem_object_type image_type,
                                       cl_uint num_entries, cl_image_format *image_formats,
                                       cl_uint *num_image_formats) {
  /* CL_INVALID_CONTEXT if context is not a valid context */
  KILN_CHECK(NULL, context, CONTEXT);
  /* CL_INVALID_VALUE if flags is not valid, or image_type is not valid */
  cl_int err = kiln_check_mem_flags(context, flags, KILN_MEM_FLAGS | CL_MEM_KERNEL_READ_AND_WRITE, __func__);
  if (err != CL_SUCCESS) return err;
  KILN_REQUIRE(context, kiln_image_type_is_valid(image_type), CL_INVALID_VALUE,
               "image_type 0x%X is no type of images", image_type);
  /* CL_INVALID_VALUE if num_entries is zero and image_formats is not NULL */
  KILN_REQUIRE(context, image_formats == NULL || num_entries > 0, CL_INVALID_VALUE,
               "num_entries is 0 and image_formats is not NULL");
  cl_uint count = 0;
  if (kiln_context_has_images(context))
    count = kiln_image_format_list(flags, image_type, image_formats == NULL ? 0 : num_entries, image_formats);
  if (num_image_formats != NULL) *num_image_formats = count;
  return CL_SUCCESS;
}

/* The buffer that the elements of an image are in. */
static kiln_mem *buffer_of(const kiln_mem *mem) {
  kiln_mem *parent = mem->parent;
  return parent != NULL && parent->type == CL_MEM_OBJECT_BUFFER ? parent : NULL;
}

static cl_int image_info(const struct kiln_info *info, const struct kiln_image *image) {
  const struct kiln_image_desc *d = &image->desc;
  cl_mem_object_type type = image->mem.type;
  switch (info->param) {
  case CL_IMAGE_FORMAT:
    return kiln_info_bytes(info, &image->format, sizeof image->format);
  case CL_IMAGE_ELEMENT_SIZE:
    return kiln_info_value(info, size_t, d->element_size);
  case CL_IMAGE_ROW_PITCH:
    return kiln_info_value(info, size_t, image->row_pitch);
  case CL_IMAGE_SLICE_PITCH:
    return kiln_info_value(info, size_t, image->slice_pitch);
  case CL_IMAGE_WIDTH:
    return kiln_info_value(info, size_t, d->width);
  case CL_IMAGE_HEIGHT:
    return kiln_info_value(info, size_t, kiln_image_type_has_height(type) ? d->height : 0);
  case CL_IMAGE_DEPTH:
    return kiln_info_value(info, size_t, type == CL_MEM_OBJECT_IMAGE3D ? d->depth : 0);
  case CL_IMAGE_ARRAY_SIZE:
    return kiln_info_value(info, size_t, kiln_image_type_is_array(type) ? d->array_size : 0);
  case CL_IMAGE_BUFFER:
    return kiln_info_value(info, cl_mem, buffer_of(&image->mem));
  case CL_IMAGE_NUM_MIP_LEVELS:
  case CL_IMAGE_NUM_SAMPLES:
    return kiln_info_value(info, cl_uint, 0);
  default:
    return kiln_info_unknown(info);
  }
}

cl_int kiln_clGetImageInfo(cl_mem image, cl_image_info param_name, size_t param_value_size, void *param_value,
                           size_t *param_value_size_ret) {
  /* CL_INVALID_MEM_OBJECT if image is a not a valid image object. */
  KILN_CHECK(NULL, image, MEM);
  KILN_REQUIRE(image->context, kiln_mem_is_image(image), CL_INVALID_MEM_OBJECT, "image %p is no image",
               (void *)image);
  struct kiln_info info = {image->context,   __func__,    param_name,
                           param_value_size, param_value, param_value_size_ret};
  return image_info(&info, kiln_image_of(image));
}
