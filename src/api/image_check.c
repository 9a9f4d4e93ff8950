/* Owns the checks of what an image is to be: format, type, dimensions, pitches. Knows neither where its bytes
 * are to be nor who asks. */
#include "api/image_check.h"

#include "core/error.h"
#include "core/image_format.h"

static bool size_of_element(const cl_image_format *format, size_t *size_out) {
  struct kiln_image_desc desc = {0};
  if (!kiln_image_desc_format(&desc, format->image_channel_order, format->image_channel_data_type))
    return false;
  *size_out = desc.element_size;
  return true;
}

cl_int kiln_image_check_support(const struct kiln_image_call *c) {
  /* CL_INVALID_OPERATION if there are no devices in context that support images */
  if (kiln_context_has_images(c->context)) return CL_SUCCESS;
  return kiln_fail(c->context, CL_INVALID_OPERATION, c->where,
                   "none of the %u devices of context %p supports images", c->context->num_devices,
                   (void *)c->context);
}

cl_int kiln_image_check_format(const struct kiln_image_call *c) {
  /* CL_INVALID_IMAGE_FORMAT_DESCRIPTOR if image_format is NULL, or if values specified in image_format are
   * not valid. */
  if (c->format == NULL)
    return kiln_fail(c->context, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, c->where, "image_format is NULL");
  if (kiln_image_format_is_valid(c->format)) return CL_SUCCESS;
  return kiln_fail(c->context, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, c->where,
                   "image_channel_order 0x%X and image_channel_data_type 0x%X make no format",
                   c->format->image_channel_order, c->format->image_channel_data_type);
}

cl_int kiln_image_check_type(const struct kiln_image_call *c) {
  /* CL_INVALID_IMAGE_DESCRIPTOR if values specified in image_desc are not valid or if image_desc is NULL. */
  const cl_image_desc *d = c->desc;
  if (d == NULL) return kiln_fail(c->context, CL_INVALID_IMAGE_DESCRIPTOR, c->where, "image_desc is NULL");
  if (!kiln_image_type_is_valid(d->image_type))
    return kiln_fail(c->context, CL_INVALID_IMAGE_DESCRIPTOR, c->where,
                     "image_type 0x%X is no type of images", d->image_type);
  if (d->num_mip_levels != 0 || d->num_samples != 0)
    return kiln_fail(c->context, CL_INVALID_IMAGE_DESCRIPTOR, c->where,
                     "num_mip_levels is %u and num_samples %u; both must be 0", d->num_mip_levels,
                     d->num_samples);
  return CL_SUCCESS;
}

/* ---- dimensions ---- */

/* One dimension and the largest value any device of the context allows. */
struct dimension {
  const char *name, *limit;
  size_t value, least, most;
};

/* The larger of *most and a device's limit. */
static void raise_to(size_t *most, size_t limit) {
  if (*most < limit) *most = limit;
}

struct kiln_image_caps kiln_image_limits(const kiln_context *context) {
  struct kiln_image_caps most = {0};
  for (uint32_t i = 0; i < context->num_devices; i++) {
    const struct kiln_image_caps *caps = &context->devices[i]->backend->caps.images;
    for (int k = 0; k < 2; k++) raise_to(&most.size2d[k], caps->size2d[k]);
    for (int k = 0; k < 3; k++) raise_to(&most.size3d[k], caps->size3d[k]);
    raise_to(&most.buffer_width, caps->buffer_width);
    raise_to(&most.array_size, caps->array_size);
    if (most.pitch_alignment < caps->pitch_alignment) most.pitch_alignment = caps->pitch_alignment;
    if (most.base_alignment < caps->base_alignment) most.base_alignment = caps->base_alignment;
  }
  return most;
}

static cl_int check_dimension(const struct kiln_image_call *c, const struct dimension *d) {
  /* CL_INVALID_IMAGE_SIZE if image dimensions specified in image_desc are not valid or exceed the maximum
   * image dimensions described in the Device Queries table for all devices in context. */
  if (d->value >= d->least && d->value <= d->most) return CL_SUCCESS;
  return kiln_fail(c->context, c->bad_size, c->where,
                   "%s is %zu; it must be from %zu to %s of the devices in this context, %zu", d->name,
                   d->value, d->least, d->limit, d->most);
}

/* Sets the dimensions of the layout; those that the type does not have are 1. */
static void take_dimensions(struct kiln_image_call *c) {
  const cl_image_desc *d = c->desc;
  struct kiln_image_layout *l = &c->layout;
  l->type = d->image_type;
  l->width = d->image_width;
  l->height = kiln_image_type_has_height(l->type) ? d->image_height : 1;
  l->depth = l->type == CL_MEM_OBJECT_IMAGE3D ? d->image_depth : 1;
  l->array_size = kiln_image_type_is_array(l->type) ? d->image_array_size : 1;
}

cl_int kiln_image_check_size(struct kiln_image_call *c) {
  take_dimensions(c);
  const struct kiln_image_caps most = kiln_image_limits(c->context);
  const struct kiln_image_layout *l = &c->layout;
  bool is_3d = l->type == CL_MEM_OBJECT_IMAGE3D, is_buffer = l->type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
  const struct dimension dimensions[] = {
      {"image_width",
       is_3d       ? "CL_DEVICE_IMAGE3D_MAX_WIDTH"
       : is_buffer ? "CL_DEVICE_IMAGE_MAX_BUFFER_SIZE"
                   : "CL_DEVICE_IMAGE2D_MAX_WIDTH",
       l->width, 1,
       is_3d       ? most.size3d[0]
       : is_buffer ? most.buffer_width
                   : most.size2d[0]},
      {"image_height", is_3d ? "CL_DEVICE_IMAGE3D_MAX_HEIGHT" : "CL_DEVICE_IMAGE2D_MAX_HEIGHT", l->height, 1,
       is_3d ? most.size3d[1] : most.size2d[1]},
      {"image_depth", "CL_DEVICE_IMAGE3D_MAX_DEPTH", l->depth, is_3d ? c->least_depth : 1, most.size3d[2]},
      {"image_array_size", "CL_DEVICE_IMAGE_MAX_ARRAY_SIZE", l->array_size, 1, most.array_size}};
  cl_int err = CL_SUCCESS;
  for (size_t i = 0; err == CL_SUCCESS && i < sizeof dimensions / sizeof *dimensions; i++)
    err = check_dimension(c, &dimensions[i]);
  return err;
}

cl_int kiln_image_check_supported(struct kiln_image_call *c) {
  /* CL_IMAGE_FORMAT_NOT_SUPPORTED if there are no devices in context that support image_format. */
  c->layout.format = *c->format;
  if (kiln_image_format_is_supported(c->format, c->mem.flags, c->desc->image_type) &&
      size_of_element(c->format, &c->layout.element_size))
    return CL_SUCCESS;
  return kiln_fail(c->context, CL_IMAGE_FORMAT_NOT_SUPPORTED, c->where,
                   "no device of context %p supports image_channel_order 0x%X with image_channel_data_type "
                   "0x%X in images of type 0x%X with flags 0x%llX",
                   (void *)c->context, c->format->image_channel_order, c->format->image_channel_data_type,
                   c->desc->image_type, (unsigned long long)c->mem.flags);
}

/* ---- pitches: they need the size of an element, so they come after the format ---- */

static cl_int fail_pitch(const struct kiln_image_call *c, cl_int code, const char *name, size_t pitch,
                         const char *rule, size_t n) {
  return kiln_fail(c->context, code, c->where, "%s is %zu, but %s %zu", name, pitch, rule, n);
}

static cl_int check_row_pitch(struct kiln_image_call *c) {
  struct kiln_image_layout *l = &c->layout;
  size_t pitch = c->desc->image_row_pitch, row = l->width * l->element_size;
  l->row_pitch = pitch != 0 ? pitch : row;
  if (pitch == 0) return CL_SUCCESS;
  if (!c->has_bytes)
    return fail_pitch(c, c->bad_pitch, "image_row_pitch", pitch, "without host_ptr or mem_object it must be",
                      0);
  if (pitch < row)
    return fail_pitch(c, c->bad_pitch, "image_row_pitch", pitch, "a row of the image has the bytes", row);
  if (pitch % l->element_size != 0)
    return fail_pitch(c, c->bad_multiple, "image_row_pitch", pitch,
                      "it must be a multiple of the bytes of an element,", l->element_size);
  return CL_SUCCESS;
}

static cl_int check_slice_pitch(struct kiln_image_call *c) {
  struct kiln_image_layout *l = &c->layout;
  size_t pitch = c->desc->image_slice_pitch, slice;
  if (__builtin_mul_overflow(l->row_pitch, l->height, &slice))
    return fail_pitch(c, c->bad_pitch, "image_row_pitch", l->row_pitch,
                      "with all rows it exceeds the address space; there are", l->height);
  bool counts = kiln_image_type_has_slices(l->type);
  l->slice_pitch = pitch != 0 && counts ? pitch : slice;
  if (pitch == 0) return CL_SUCCESS;
  if (!c->has_bytes)
    return fail_pitch(c, c->bad_pitch, "image_slice_pitch", pitch,
                      "without host_ptr or mem_object it must be", 0);
  if (!counts) return CL_SUCCESS;
  if (pitch < slice)
    return fail_pitch(c, c->bad_pitch, "image_slice_pitch", pitch, "a slice of the image has the bytes",
                      slice);
  if (pitch % l->row_pitch != 0)
    return fail_pitch(c, c->bad_multiple, "image_slice_pitch", pitch,
                      "it must be a multiple of the row pitch,", l->row_pitch);
  return CL_SUCCESS;
}

/* Of a single row the pitch takes no room. */
static bool is_one_row(cl_mem_object_type type) {
  return type == CL_MEM_OBJECT_IMAGE1D || type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
}

cl_int kiln_image_check_pitches(struct kiln_image_call *c) {
  cl_int err = check_row_pitch(c);
  if (err == CL_SUCCESS) err = check_slice_pitch(c);
  if (err == CL_SUCCESS && !kiln_image_layout_bytes(&c->layout, &c->mem.size))
    err = fail_pitch(c, c->bad_pitch, "image_slice_pitch", c->layout.slice_pitch,
                     "with all slices it exceeds the address space; there are",
                     c->layout.array_size * c->layout.depth);
  if (c->mem.host_ptr == NULL && is_one_row(c->layout.type))
    c->mem.size = c->layout.width * c->layout.element_size;
  return err;
}
