/* Images: memory objects whose bytes are elements in rows and slices. */
#ifndef KILN_CORE_IMAGE_H
#define KILN_CORE_IMAGE_H

#include "base/abi.h"
#include "core/mem.h"

struct kiln_image {
  kiln_mem mem;                /* stays first; parent: the buffer or image whose bytes these are */
  struct kiln_image_desc desc; /* kernels are given its address */
  cl_image_format format;
  size_t row_pitch, slice_pitch; /* bytes, as clGetImageInfo reports them: no slices, no slice pitch */
};

static inline bool kiln_image_type_is_valid(cl_mem_object_type type) {
  return type >= CL_MEM_OBJECT_IMAGE2D && type <= CL_MEM_OBJECT_IMAGE1D_BUFFER;
}
static inline bool kiln_mem_is_image(const kiln_mem *mem) { return kiln_image_type_is_valid(mem->type); }
static inline struct kiln_image *kiln_image_of(kiln_mem *mem) { return (struct kiln_image *)mem; }

/* What a type of images has. */
bool kiln_image_type_has_height(cl_mem_object_type type);
bool kiln_image_type_is_array(cl_mem_object_type type);
bool kiln_image_type_has_slices(cl_mem_object_type type); /* 3D images and arrays: a slice pitch counts */

/* How the elements of an image lie: checked by the caller, dimensions that the type does not have are 1,
 * pitches are complete. */
struct kiln_image_layout {
  cl_image_format format;
  cl_mem_object_type type;
  size_t width, height, depth, array_size; /* elements; layers */
  size_t row_pitch, slice_pitch;           /* bytes; 1D arrays: from layer to layer is slice_pitch */
  size_t element_size;                     /* bytes */
};

/* Bytes from the first element to the end of the last row, padding of rows and slices included; false if they
 * exceed SIZE_MAX. */
bool kiln_image_layout_bytes(const struct kiln_image_layout *layout, size_t *bytes_out);

/* desc->size is what kiln_image_layout_bytes has; a parent has as many bytes.
 * CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY. */
cl_int kiln_image_create(kiln_context *context, const struct kiln_mem_desc *desc,
                         const struct kiln_image_layout *layout, kiln_mem **mem_out);

/* How far origin and region of a command reach: width; rows, or layers of a 1D array; slices, or layers of a
 * 2D array. */
void kiln_image_extent(const struct kiln_image *image, size_t extent[3]);

/* The bytes of a region (elements) at origin, both within the extent. */
struct kiln_box kiln_image_box(const struct kiln_image *image, const size_t origin[3],
                               const size_t region[3]);

/* Whether a device takes images of these dimensions. */
bool kiln_image_fits(const struct kiln_image *image, const struct kiln_caps *caps);

#endif
