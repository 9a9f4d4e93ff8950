/* An image as kernels see it. The one header that C and the builtins' OpenCL C share; knows no objects.
 *
 * What channel order and type mean is worked out once, when an image is made: kernels take every integer and
 * normalized format apart by the same code, with shifts and masks from here. */
#ifndef KILN_BASE_IMAGE_DESC_H
#define KILN_BASE_IMAGE_DESC_H

#ifdef __OPENCL_C_VERSION__
#define KILN_DESC_DATA __global unsigned char *
#define KILN_DESC_U64 unsigned long
#define KILN_DESC_U32 unsigned int
#else
#include <stdint.h>
#define KILN_DESC_DATA uint8_t *
#define KILN_DESC_U64 uint64_t
#define KILN_DESC_U32 uint32_t
#endif

/* kiln_image_desc.texel: what the bits of a channel become. */
#define KILN_TEXEL_FIXED 0 /* an integer, or one times scale */
#define KILN_TEXEL_HALF 1
#define KILN_TEXEL_FLOAT 2
#define KILN_TEXEL_SRGB 3 /* FIXED, but R, G and B are not linear */

/* What a kernel's image argument points to (one per image object); constant while a launch runs. A sampler
 * argument is the 32-bit value that OpenCL C gives to a literal sampler: CLK_NORMALIZED_COORDS_* |
 * CLK_ADDRESS_* | CLK_FILTER_*. */
struct kiln_image_desc {
  KILN_DESC_DATA data;                /* first element of the first row; aligned as its channels at least */
  KILN_DESC_U64 row_pitch;            /* bytes from row to row; of a 1D array from layer to layer */
  KILN_DESC_U64 slice_pitch;          /* bytes from slice to slice (3D) or from layer to layer (2D array) */
  KILN_DESC_U32 width, height, depth; /* in elements; 1 where the image has no such dimension */
  KILN_DESC_U32 array_size;           /* layers; 1 if not an array */
  KILN_DESC_U32 order, type;          /* cl_channel_order, cl_channel_type */
  KILN_DESC_U32 element_size;         /* bytes: 1, 2, 4, 8 or 16 */
  KILN_DESC_U32 object_type;          /* cl_mem_object_type */

  /* The format, taken apart; from here on by component: R, G, B, A. The bits of a component are
   * (word >> shift & mask ^ sign) - bias, where word is the element, or the 32 bits of it that hold the
   * component. An absent component has no mask and its value in bias. */
  KILN_DESC_U32 texel;
  KILN_DESC_U32 wide; /* an element of 8 bytes is two channels, not four */
  KILN_DESC_U32 shift[4], mask[4], sign[4], bias[4];
  KILN_DESC_U32 put[4]; /* mask of what is written: components that share a channel are written once */
  float scale[4];       /* of normalized components: what 1 in the element is worth; 1 for others */
  float gain[4];        /* what 1.0 is in the element: 1 / scale, exact */
};

#ifndef __OPENCL_C_VERSION__
#include "base/ocl.h"

#include <stdbool.h>

/* Sets order, type, element_size and all that follows object_type. False, with desc unchanged, for a
 * combination that is no image format or has none of the sizes above. */
bool kiln_image_desc_format(struct kiln_image_desc *desc, cl_channel_order order, cl_channel_type type);
#endif

#endif
