/* Images: creation (specification chapter "Image Objects"). Queries are image_info.c's, commands
 * image_transfer.c's. */
#include "api/check.h"
#include "api/image_check.h"
#include "api/memory.h"
#include "api/table.h"

#include <stdint.h>

/* ---- views of other objects ---- */

/* What an image of this type may be made of. */
static bool may_be_made_of(cl_mem_object_type type, const kiln_mem *object) {
  return object->type == CL_MEM_OBJECT_BUFFER ||
         (type == CL_MEM_OBJECT_IMAGE2D && object->type == CL_MEM_OBJECT_IMAGE2D);
}

static cl_int check_parent(struct kiln_image_call *c) {
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
  c->mem.parent = object;
  c->has_bytes = true;
  if (object->type == CL_MEM_OBJECT_BUFFER) c->bad_multiple = CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
  return CL_SUCCESS;
}

static cl_int check_view_flags(struct kiln_image_call *c) {
  if (c->mem.parent == NULL) return CL_SUCCESS;
  cl_int err = kiln_check_view_flags(c->mem.parent, c->mem.flags, c->where);
  if (err == CL_SUCCESS) c->mem.flags = kiln_view_flags(c->mem.parent, c->mem.flags);
  return err;
}

static cl_int check_buffer(struct kiln_image_call *c) {
  const struct kiln_image_layout *l = &c->layout;
  const struct kiln_image_caps limits = kiln_image_limits(c->context);
  /* CL_INVALID_IMAGE_SIZE if an image is created from a buffer and the buffer passed in mem_object is too
   * small to be used as a data store for the image. */
  if (c->mem.size > c->mem.parent->size)
    return kiln_fail(c->context, CL_INVALID_IMAGE_SIZE, c->where,
                     "the image has %zu bytes, but mem_object %p only %zu", c->mem.size,
                     (void *)c->mem.parent, c->mem.parent->size);
  if (l->type == CL_MEM_OBJECT_IMAGE1D_BUFFER) return CL_SUCCESS;
  /* CL_INVALID_IMAGE_FORMAT_DESCRIPTOR if an image is created from a buffer and the row pitch, or slice
     pitch, or base address alignment do not follow the rules described for creating an image from a buffer.
   */
  if (l->row_pitch % (limits.pitch_alignment * l->element_size) != 0)
    return kiln_fail(c->context, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, c->where,
                     "the row pitch, %zu, is not a multiple of CL_DEVICE_IMAGE_PITCH_ALIGNMENT, %u elements "
                     "of %zu bytes",
                     l->row_pitch, limits.pitch_alignment, l->element_size);
  void *host = c->mem.parent->host_ptr;
  if (host != NULL && (uintptr_t)host % (limits.base_alignment * l->element_size) != 0)
    return kiln_fail(c->context, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, c->where,
                     "the buffer's host_ptr %p is not aligned to CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, %u "
                     "elements of %zu bytes",
                     host, limits.base_alignment, l->element_size);
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

static cl_int check_image(struct kiln_image_call *c) {
  const struct kiln_image *of = kiln_image_of(c->mem.parent);
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
  c->mem.size = c->mem.parent->size;
  return CL_SUCCESS;
}

/* ---- entry points ---- */

/* CL_INVALID_HOST_PTR: see kiln_check_host_ptr. A view has no host_ptr, although its flags may say so. */
static cl_int check_host_ptr(const struct kiln_image_call *c) {
  cl_mem_flags flags =
      c->mem.parent == NULL ? c->mem.flags : c->mem.flags & ~(cl_mem_flags)KILN_POINTER_FLAGS;
  return kiln_check_host_ptr(c->context, flags, c->mem.host_ptr, c->where);
}

static cl_int check_view(struct kiln_image_call *c) {
  if (c->mem.parent == NULL) return CL_SUCCESS;
  return c->mem.parent->type == CL_MEM_OBJECT_BUFFER ? check_buffer(c) : check_image(c);
}

static cl_int check_all(struct kiln_image_call *c) {
  /* CL_INVALID_CONTEXT if context is not a valid context */
  cl_int err = kiln_check_handle(NULL, c->context, KILN_T_CONTEXT, c->where, "context");
  if (err == CL_SUCCESS) err = kiln_image_check_support(c);
  if (err == CL_SUCCESS)
    err = kiln_check_mem_properties(c->context, c->mem.properties, &c->mem.properties_size, c->where);
  if (err == CL_SUCCESS) err = kiln_check_mem_flags(c->context, c->mem.flags, KILN_MEM_FLAGS, c->where);
  if (err == CL_SUCCESS) err = kiln_image_check_format(c);
  if (err == CL_SUCCESS) err = kiln_image_check_type(c);
  if (err == CL_SUCCESS) err = check_parent(c);
  if (err == CL_SUCCESS) err = check_view_flags(c);
  if (err == CL_SUCCESS) err = kiln_image_check_size(c);
  if (err == CL_SUCCESS) err = check_host_ptr(c);
  if (err == CL_SUCCESS) err = kiln_image_check_supported(c);
  if (err == CL_SUCCESS) err = kiln_image_check_pitches(c);
  return err == CL_SUCCESS ? check_view(c) : err;
}

static cl_int create(struct kiln_image_call *c, cl_mem *out) {
  c->bad_size = CL_INVALID_IMAGE_SIZE;
  if (c->bad_pitch == CL_SUCCESS) c->bad_pitch = CL_INVALID_IMAGE_DESCRIPTOR;
  c->bad_multiple = c->bad_pitch;
  if (c->least_depth == 0) c->least_depth = 1;
  c->has_bytes = c->mem.host_ptr != NULL;
  cl_int err = check_all(c);
  if (err != CL_SUCCESS) return err;
  /* CL_MEM_OBJECT_ALLOCATION_FAILURE if there is a failure to allocate memory for image object. */
  if (c->mem.parent == NULL && c->mem.size > c->context->largest_alloc)
    return kiln_fail(c->context, CL_MEM_OBJECT_ALLOCATION_FAILURE, c->where,
                     "the image has %zu bytes, the largest CL_DEVICE_MAX_MEM_ALLOC_SIZE in this context is "
                     "%llu (%s)",
                     c->mem.size, (unsigned long long)c->context->largest_alloc,
                     c->context->largest_alloc_device->backend->caps.name);
  return kiln_image_create(c->context, &c->mem, &c->layout, out);
}

cl_mem kiln_clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                          const cl_image_desc *image_desc, void *host_ptr, cl_int *errcode_ret) {
  struct kiln_image_call c = {.context = context,
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
  struct kiln_image_call c = {.context = context,
                              .mem = {.flags = flags, .host_ptr = host_ptr, .properties = properties},
                              .format = image_format,
                              .desc = image_desc,
                              .where = __func__};
  KILN_RETURN_HANDLE(cl_mem, errcode_ret, create(&c, &out));
}

/* The constructors of OpenCL 1.0. */
static cl_int create_old(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                         const cl_image_desc *desc, void *host_ptr, cl_mem *out, const char *where) {
  struct kiln_image_call c = {.context = context,
                              .mem = {.flags = flags, .host_ptr = host_ptr},
                              .format = format,
                              .desc = desc,
                              .bad_pitch = CL_INVALID_IMAGE_SIZE,
                              .least_depth = 2,
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
