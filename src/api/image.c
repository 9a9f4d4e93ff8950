/* Images: creation (specification chapter "Image Objects"). Queries are image_info.c's, commands
 * image_transfer.c's. */
#include "core/image.h"

#include "api/check.h"
#include "api/memory.h"
#include "api/table.h"
#include "core/image_format.h"

#include <stdint.h>

/* One call to create an image. */
struct call {
  kiln_context *context;
  struct kiln_mem_desc mem;
  const cl_image_format *format;
  const cl_image_desc *desc;
  kiln_mem *parent;
  struct kiln_image_layout layout; /* what the checks make of desc */
  bool old; /* clCreateImage2D and 3D: pitches that do not fit are CL_INVALID_IMAGE_SIZE */
  const char *where;
};

static bool size_of_element(const cl_image_format *format, size_t *size_out) {
  struct kiln_image_desc desc = {0};
  if (!kiln_image_desc_format(&desc, format->image_channel_order, format->image_channel_data_type))
    return false;
  *size_out = desc.element_size;
  return true;
}

static cl_int check_images(const struct call *c) {
  /* CL_INVALID_OPERATION if there are no devices in context that support images */
  if (kiln_context_has_images(c->context)) return CL_SUCCESS;
  return kiln_fail(c->context, CL_INVALID_OPERATION, c->where,
                   "none of the %u devices of context %p supports images", c->context->num_devices,
                   (void *)c->context);
}

static cl_int check_format(const struct call *c) {
  /* CL_INVALID_IMAGE_FORMAT_DESCRIPTOR if image_format is NULL, or if values specified in image_format are
   * not valid. */
  if (c->format == NULL)
    return kiln_fail(c->context, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, c->where, "image_format is NULL");
  if (kiln_image_format_is_valid(c->format)) return CL_SUCCESS;
  return kiln_fail(c->context, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, c->where,
                   "image_channel_order 0x%X and image_channel_data_type 0x%X make no format",
                   c->format->image_channel_order, c->format->image_channel_data_type);
}

/* ---- the descriptor ---- */

/* What an image of this type may be made of. */
static bool may_be_made_of(cl_mem_object_type type, const kiln_mem *object) {
  if (object->type == CL_MEM_OBJECT_BUFFER)
    return type == CL_MEM_OBJECT_IMAGE1D_BUFFER || type == CL_MEM_OBJECT_IMAGE2D;
  return type == CL_MEM_OBJECT_IMAGE2D && object->type == CL_MEM_OBJECT_IMAGE2D;
}

static cl_int check_parent(struct call *c) {
  cl_mem object = c->desc->mem_object;
  if (object == NULL && c->desc->image_type != CL_MEM_OBJECT_IMAGE1D_BUFFER) return CL_SUCCESS;
  if (object == NULL)
    return kiln_fail(c->context, CL_INVALID_IMAGE_DESCRIPTOR, c->where,
                     "mem_object of a CL_MEM_OBJECT_IMAGE1D_BUFFER is NULL");
  if (!kiln_object_is(object, KILN_T_MEM))
    return kiln_fail(c->context, CL_INVALID_IMAGE_DESCRIPTOR, c->where,
                     "mem_object %p is not a live memory object", (void *)object);
  if (object->context != c->context)
    return kiln_fail(c->context, CL_INVALID_IMAGE_DESCRIPTOR, c->where,
                     "mem_object %p belongs to another context", (void *)object);
  if (!may_be_made_of(c->desc->image_type, object))
    return kiln_fail(c->context, CL_INVALID_IMAGE_DESCRIPTOR, c->where,
                     "no image of image_type 0x%X can be made of mem_object %p, which is of type 0x%X",
                     c->desc->image_type, (void *)object, object->type);
  c->parent = c->mem.parent = object;
  return CL_SUCCESS;
}

static cl_int check_desc(struct call *c) {
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
  return check_parent(c);
}

static cl_int check_view_flags(struct call *c) {
  if (c->parent == NULL) return CL_SUCCESS;
  cl_int err = kiln_check_view_flags(c->parent, c->mem.flags, c->where);
  if (err == CL_SUCCESS) c->mem.flags = kiln_view_flags(c->parent, c->mem.flags);
  return err;
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

static struct kiln_image_caps largest_images(const kiln_context *context) {
  struct kiln_image_caps most = {0};
  for (uint32_t i = 0; i < context->num_devices; i++) {
    const struct kiln_image_caps *caps = &context->devices[i]->backend->caps.images;
    for (int k = 0; k < 2; k++) raise_to(&most.size2d[k], caps->size2d[k]);
    for (int k = 0; k < 3; k++) raise_to(&most.size3d[k], caps->size3d[k]);
    raise_to(&most.buffer_width, caps->buffer_width);
    raise_to(&most.array_size, caps->array_size);
  }
  return most;
}

static cl_int check_dimension(const struct call *c, const struct dimension *d) {
  /* CL_INVALID_IMAGE_SIZE if image dimensions specified in image_desc are not valid or exceed the maximum
   * image dimensions described in the Device Queries table for all devices in context. */
  if (d->value >= d->least && d->value <= d->most) return CL_SUCCESS;
  return kiln_fail(c->context, CL_INVALID_IMAGE_SIZE, c->where,
                   "%s is %zu; it must be from %zu to %s of the devices in this context, %zu", d->name,
                   d->value, d->least, d->limit, d->most);
}

/* Sets the dimensions of the layout; those that the type does not have are 1. */
static void take_dimensions(struct call *c) {
  const cl_image_desc *d = c->desc;
  struct kiln_image_layout *l = &c->layout;
  l->type = d->image_type;
  l->format = *c->format;
  l->width = d->image_width;
  l->height = kiln_image_type_has_height(l->type) ? d->image_height : 1;
  l->depth = l->type == CL_MEM_OBJECT_IMAGE3D ? d->image_depth : 1;
  l->array_size = kiln_image_type_is_array(l->type) ? d->image_array_size : 1;
}

static cl_int check_size(struct call *c) {
  take_dimensions(c);
  const struct kiln_image_caps most = largest_images(c->context);
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
      {"image_depth", "CL_DEVICE_IMAGE3D_MAX_DEPTH", l->depth, c->old && is_3d ? 2 : 1, most.size3d[2]},
      {"image_array_size", "CL_DEVICE_IMAGE_MAX_ARRAY_SIZE", l->array_size, 1, most.array_size}};
  cl_int err = CL_SUCCESS;
  for (size_t i = 0; err == CL_SUCCESS && i < sizeof dimensions / sizeof *dimensions; i++)
    err = check_dimension(c, &dimensions[i]);
  return err;
}

static cl_int check_supported(struct call *c) {
  /* CL_IMAGE_FORMAT_NOT_SUPPORTED if there are no devices in context that support image_format. */
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

static cl_int fail_pitch(const struct call *c, const char *name, size_t pitch, const char *rule, size_t n) {
  return kiln_fail(c->context, c->old ? CL_INVALID_IMAGE_SIZE : CL_INVALID_IMAGE_DESCRIPTOR, c->where,
                   "%s is %zu, but %s %zu", name, pitch, rule, n);
}

/* Whether the application may say how rows lie: it gives the bytes, or the object that has them. The
 * specification has a pitch for 2D images alone of those made of a buffer, but clients, the conformance suite
 * among them, give one to 1D images of a buffer too. */
static bool may_have_pitch(const struct call *c) { return c->mem.host_ptr != NULL || c->parent != NULL; }

static cl_int check_row_pitch(struct call *c) {
  struct kiln_image_layout *l = &c->layout;
  size_t pitch = c->desc->image_row_pitch, row = l->width * l->element_size;
  l->row_pitch = pitch != 0 ? pitch : row;
  if (pitch == 0) return CL_SUCCESS;
  if (!may_have_pitch(c))
    return fail_pitch(c, "image_row_pitch", pitch, "without host_ptr or mem_object it must be", 0);
  if (pitch < row) return fail_pitch(c, "image_row_pitch", pitch, "a row of the image has the bytes", row);
  if (pitch % l->element_size != 0)
    return fail_pitch(c, "image_row_pitch", pitch, "it must be a multiple of the bytes of an element,",
                      l->element_size);
  return CL_SUCCESS;
}

static cl_int check_slice_pitch(struct call *c) {
  struct kiln_image_layout *l = &c->layout;
  size_t pitch = c->desc->image_slice_pitch, slice;
  if (__builtin_mul_overflow(l->row_pitch, l->height, &slice))
    return fail_pitch(c, "image_row_pitch", l->row_pitch,
                      "with all rows it exceeds the address space; there are", l->height);
  bool counts = kiln_image_type_has_slices(l->type);
  l->slice_pitch = pitch != 0 && counts ? pitch : slice;
  if (pitch == 0) return CL_SUCCESS;
  if (c->mem.host_ptr == NULL)
    return fail_pitch(c, "image_slice_pitch", pitch, "without host_ptr it must be", 0);
  if (!counts) return CL_SUCCESS;
  if (pitch < slice)
    return fail_pitch(c, "image_slice_pitch", pitch, "a slice of the image has the bytes", slice);
  if (pitch % l->row_pitch != 0)
    return fail_pitch(c, "image_slice_pitch", pitch, "it must be a multiple of the row pitch,", l->row_pitch);
  return CL_SUCCESS;
}

static cl_int check_pitches(struct call *c) {
  cl_int err = check_row_pitch(c);
  if (err == CL_SUCCESS) err = check_slice_pitch(c);
  if (err == CL_SUCCESS && !kiln_image_layout_bytes(&c->layout, &c->mem.size))
    err = fail_pitch(c, "image_slice_pitch", c->layout.slice_pitch,
                     "with all slices it exceeds the address space; there are",
                     c->layout.array_size * c->layout.depth);
  return err;
}

/* ---- views of other objects ---- */

/* CL_DEVICE_IMAGE_PITCH_ALIGNMENT and BASE_ADDRESS_ALIGNMENT, the largest of the devices with images, in
 * elements. */
static void largest_alignments(const kiln_context *context, size_t *pitch_out, size_t *base_out) {
  *pitch_out = *base_out = 1;
  for (uint32_t i = 0; i < context->num_devices; i++) {
    raise_to(pitch_out, context->devices[i]->backend->caps.images.pitch_alignment);
    raise_to(base_out, context->devices[i]->backend->caps.images.base_alignment);
  }
}

static cl_int check_buffer(struct call *c) {
  const struct kiln_image_layout *l = &c->layout;
  size_t pitch, base;
  largest_alignments(c->context, &pitch, &base);
  /* The image_width x size of element in bytes must be <= size of the buffer object; of a 2D image,
   * image_row_pitch x image_height. */
  if (l->type == CL_MEM_OBJECT_IMAGE1D_BUFFER) c->mem.size = l->width * l->element_size;
  if (c->mem.size > c->parent->size)
    return kiln_fail(c->context, CL_INVALID_IMAGE_DESCRIPTOR, c->where,
                     "the image has %zu bytes, but mem_object %p only %zu", c->mem.size, (void *)c->parent,
                     c->parent->size);
  if (l->type != CL_MEM_OBJECT_IMAGE2D) return CL_SUCCESS;
  /* CL_INVALID_IMAGE_FORMAT_DESCRIPTOR if a 2D image is created from a buffer and the row pitch and base
     address alignment does not follow the rules described for creating a 2D image from a buffer. */
  if (l->row_pitch % (pitch * l->element_size) != 0)
    return kiln_fail(c->context, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, c->where,
                     "the row pitch, %zu, is not a multiple of CL_DEVICE_IMAGE_PITCH_ALIGNMENT, %zu elements "
                     "of %zu bytes",
                     l->row_pitch, pitch, l->element_size);
  if (c->parent->host_ptr != NULL && (uintptr_t)c->parent->host_ptr % (base * l->element_size) != 0)
    return kiln_fail(c->context, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, c->where,
                     "the buffer's host_ptr %p is not aligned to CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, %zu "
                     "elements of %zu bytes",
                     c->parent->host_ptr, base, l->element_size);
  return CL_SUCCESS;
}

/* Orders that may show the same elements. */
static bool orders_compatible(cl_channel_order view, cl_channel_order of) {
  static const cl_channel_order pairs[][2] = {
      {CL_sBGRA, CL_BGRA}, {CL_sRGBA, CL_RGBA}, {CL_sRGB, CL_RGB}, {CL_sRGBx, CL_RGBx}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    if ((view == pairs[i][0] && of == pairs[i][1]) || (view == pairs[i][1] && of == pairs[i][0])) return true;
  return view == CL_DEPTH && of == CL_R;
}

static cl_int check_image(struct call *c) {
  const struct kiln_image *of = kiln_image_of(c->parent);
  struct kiln_image_layout *l = &c->layout;
  /* The image channel data type must match, and the image channel order must be compatible with, those of
   * mem_object. */
  if (l->format.image_channel_data_type != of->format.image_channel_data_type ||
      !orders_compatible(l->format.image_channel_order, of->format.image_channel_order))
    return kiln_fail(
        c->context, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, c->where,
        "an image of order 0x%X and type 0x%X cannot be viewed as one of order 0x%X and type 0x%X",
        of->format.image_channel_order, of->format.image_channel_data_type, l->format.image_channel_order,
        l->format.image_channel_data_type);
  /* All of the values specified in image_desc must match the image descriptor information associated with
   * mem_object, except for mem_object. */
  if (c->desc->image_row_pitch == 0) l->row_pitch = of->row_pitch;
  if (l->width != of->desc.width || l->height != of->desc.height || l->row_pitch != of->row_pitch)
    return kiln_fail(c->context, CL_INVALID_IMAGE_DESCRIPTOR, c->where,
                     "mem_object has %u x %u elements with a row pitch of %zu, image_desc %zu x %zu with %zu",
                     of->desc.width, of->desc.height, of->row_pitch, l->width, l->height, l->row_pitch);
  l->slice_pitch = l->row_pitch * l->height;
  c->mem.size = c->parent->size;
  return CL_SUCCESS;
}

/* ---- entry points ---- */

/* CL_INVALID_HOST_PTR: see kiln_check_host_ptr. A view has no host_ptr, although its flags may say so. */
static cl_int check_host_ptr(const struct call *c) {
  cl_mem_flags flags = c->parent == NULL ? c->mem.flags : c->mem.flags & ~(cl_mem_flags)KILN_POINTER_FLAGS;
  return kiln_check_host_ptr(c->context, flags, c->mem.host_ptr, c->where);
}

static cl_int check_view(struct call *c) {
  if (c->parent == NULL) return CL_SUCCESS;
  return c->parent->type == CL_MEM_OBJECT_BUFFER ? check_buffer(c) : check_image(c);
}

static cl_int check_all(struct call *c) {
  /* CL_INVALID_CONTEXT if context is not a valid context */
  cl_int err = kiln_check_handle(NULL, c->context, KILN_T_CONTEXT, c->where, "context");
  if (err == CL_SUCCESS) err = check_images(c);
  if (err == CL_SUCCESS)
    err = kiln_check_mem_properties(c->context, c->mem.properties, &c->mem.properties_size, c->where);
  if (err == CL_SUCCESS) err = kiln_check_mem_flags(c->context, c->mem.flags, KILN_MEM_FLAGS, c->where);
  if (err == CL_SUCCESS) err = check_format(c);
  if (err == CL_SUCCESS) err = check_desc(c);
  if (err == CL_SUCCESS) err = check_view_flags(c);
  if (err == CL_SUCCESS) err = check_size(c);
  if (err == CL_SUCCESS) err = check_host_ptr(c);
  if (err == CL_SUCCESS) err = check_supported(c);
  if (err == CL_SUCCESS) err = check_pitches(c);
  return err == CL_SUCCESS ? check_view(c) : err;
}

static cl_int create(struct call *c, cl_mem *out) {
  cl_int err = check_all(c);
  if (err != CL_SUCCESS) return err;
  /* CL_MEM_OBJECT_ALLOCATION_FAILURE if there is a failure to allocate memory for image object. */
  if (c->parent == NULL && c->mem.size > c->context->largest_alloc)
    return kiln_fail(c->context, CL_MEM_OBJECT_ALLOCATION_FAILURE, c->where,
                     "the image has %zu bytes, the largest CL_DEVICE_MAX_MEM_ALLOC_SIZE in this context is "
                     "%llu (%s)",
                     c->mem.size, (unsigned long long)c->context->largest_alloc,
                     c->context->largest_alloc_device->backend->caps.name);
  return kiln_image_create(c->context, &c->mem, &c->layout, out);
}

cl_mem kiln_clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                          const cl_image_desc *image_desc, void *host_ptr, cl_int *errcode_ret) {
  struct call c = {.context = context,
                   .mem = {.flags = flags, .host_ptr = host_ptr},
                   .format = image_format,
                   .desc = image_desc,
                   .where = __func__};
  KILN_RETURN_HANDLE(cl_mem, errcode_ret, create(&c, &out));
}

cl_mem kiln_clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties,
                                        cl_mem_flags flags, const cl_image_format *image_format,
                                        const cl_image_desc *image_desc, void *host_ptr,
                                        cl_int *errcode_ret) {
  struct call c = {.context = context,
                   .mem = {.flags = flags, .host_ptr = host_ptr, .properties = properties},
                   .format = image_format,
                   .desc = image_desc,
                   .where = __func__};
  KILN_RETURN_HANDLE(cl_mem, errcode_ret, create(&c, &out));
}

/* The constructors of OpenCL 1.0. */
static cl_int create_old(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                         const cl_image_desc *desc, void *host_ptr, cl_mem *out, const char *where) {
  struct call c = {.context = context,
                   .mem = {.flags = flags, .host_ptr = host_ptr},
                   .format = format,
                   .desc = desc,
                   .old = true,
                   .where = where};
  return create(&c, out);
}

cl_mem kiln_clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                            size_t image_width, size_t image_height, size_t image_row_pitch, void *host_ptr,
                            cl_int *errcode_ret) {
  const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                              .image_width = image_width,
                              .image_height = image_height,
                              .image_row_pitch = image_row_pitch};
  KILN_RETURN_HANDLE(cl_mem, errcode_ret,
                     create_old(context, flags, image_format, &desc, host_ptr, &out, __func__));
}

cl_mem kiln_clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                            size_t image_width, size_t image_height, size_t image_depth,
                            size_t image_row_pitch, size_t image_slice_pitch, void *host_ptr,
                            cl_int *errcode_ret) {
  const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                              .image_width = image_width,
                              .image_height = image_height,
                              .image_depth = image_depth,
                              .image_row_pitch = image_row_pitch,
                              .image_slice_pitch = image_slice_pitch};
  KILN_RETURN_HANDLE(cl_mem, errcode_ret,
                     create_old(context, flags, image_format, &desc, host_ptr, &out, __func__));
}
