/* Owns image objects: their layout in memory, and views of other objects' bytes as images. What the elements
 * mean is image_format.c's. */
#include "core/image.h"

#include "core/error.h"

bool kiln_image_type_has_height(cl_mem_object_type type) {
  return type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY ||
         type == CL_MEM_OBJECT_IMAGE3D;
}

bool kiln_image_type_is_array(cl_mem_object_type type) {
  return type == CL_MEM_OBJECT_IMAGE1D_ARRAY || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
}

bool kiln_image_type_has_slices(cl_mem_object_type type) {
  return type == CL_MEM_OBJECT_IMAGE3D || kiln_image_type_is_array(type);
}

bool kiln_image_layout_bytes(const struct kiln_image_layout *l, size_t *bytes_out) {
  size_t pitch = kiln_image_type_has_slices(l->type) ? l->slice_pitch : l->row_pitch;
  size_t count = kiln_image_type_is_array(l->type)  ? l->array_size
                 : l->type == CL_MEM_OBJECT_IMAGE3D ? l->depth
                                                    : l->height;
  return !__builtin_mul_overflow(pitch, count, bytes_out);
}

static void fill_desc(struct kiln_image_desc *desc, const struct kiln_image_layout *l, uint8_t *data) {
  desc->data = data;
  desc->row_pitch = l->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? l->slice_pitch : l->row_pitch;
  desc->slice_pitch = l->slice_pitch;
  desc->width = (uint32_t)l->width;
  desc->height = (uint32_t)l->height;
  desc->depth = (uint32_t)l->depth;
  desc->array_size = (uint32_t)l->array_size;
  desc->object_type = l->type;
  kiln_image_desc_format(desc, l->format.image_channel_order, l->format.image_channel_data_type);
}

cl_int kiln_image_create(kiln_context *context, const struct kiln_mem_desc *desc,
                         const struct kiln_image_layout *layout, kiln_mem **mem_out) {
  kiln_mem *mem;
  cl_int err = kiln_mem_create(context, layout->type, sizeof(struct kiln_image), desc, &mem);
  if (err != CL_SUCCESS) return err;
  struct kiln_image *image = kiln_image_of(mem);
  image->format = layout->format;
  image->row_pitch = layout->row_pitch;
  image->slice_pitch = kiln_image_type_has_slices(layout->type) ? layout->slice_pitch : 0;
  fill_desc(&image->desc, layout, mem->data);
  *mem_out = mem;
  return CL_SUCCESS;
}

void kiln_image_extent(const struct kiln_image *image, size_t extent[3]) {
  const struct kiln_image_desc *d = &image->desc;
  extent[0] = d->width;
  extent[1] = image->mem.type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? d->array_size : d->height;
  extent[2] = image->mem.type == CL_MEM_OBJECT_IMAGE2D_ARRAY ? d->array_size : d->depth;
}

struct kiln_box kiln_image_box(const struct kiln_image *image, const size_t origin[3],
                               const size_t region[3]) {
  const struct kiln_image_desc *d = &image->desc;
  return (struct kiln_box){.start = d->data + origin[2] * d->slice_pitch + origin[1] * d->row_pitch +
                                    origin[0] * d->element_size,
                           .width = region[0] * d->element_size,
                           .height = region[1],
                           .depth = region[2],
                           .row = d->row_pitch,
                           .slice = d->slice_pitch};
}

bool kiln_image_fits(const struct kiln_image *image, const struct kiln_caps *caps) {
  const struct kiln_image_desc *d = &image->desc;
  const struct kiln_image_caps *most = &caps->images;
  if (d->array_size > most->array_size) return false;
  switch (image->mem.type) {
  case CL_MEM_OBJECT_IMAGE1D_BUFFER:
    return d->width <= most->buffer_width;
  case CL_MEM_OBJECT_IMAGE3D:
    return d->width <= most->size3d[0] && d->height <= most->size3d[1] && d->depth <= most->size3d[2];
  default:
    return d->width <= most->size2d[0] && d->height <= most->size2d[1];
  }
}
