/* What images are, written from the specification for one element at a time: OpenCL C 3.0, section 6.15.15
 * and chapter 8. Shares nothing with the builtins. */
#ifndef KILN_TEST_IMAGE_REFERENCE_H
#define KILN_TEST_IMAGE_REFERENCE_H

#include "base/image_desc.h"

#include <stdbool.h>

struct format {
  cl_channel_order order;
  cl_channel_type type;
};
extern const struct format formats[];
extern const unsigned num_formats;

bool format_is_float(cl_channel_type type); /* read with read_imagef */
bool format_is_signed(cl_channel_type type);
unsigned format_size(struct format f); /* bytes of an element */

/* One element's components, R, G, B, A: values of read_imagef, or of read_imagei / read_imageui. */
struct texel {
  double f[4];
  int64_t i[4];
};
struct texel texel_read(struct format f, const uint8_t *element);
struct texel texel_border(struct format f);
/* The element that write_imagef or the integer writes leave; colour in f or i. element holds what was there.
 */
void texel_write(struct format f, const struct texel *color, uint8_t *element);

/* A place: up to three coordinates and, of arrays, the layer after them. */
struct image {
  const struct kiln_image_desc *desc;
  struct format format;
  unsigned dims;
  bool array;
};
struct texel image_nearest(const struct image *image, uint32_t sampler, const float *coordinate);
struct texel image_at(const struct image *image, uint32_t sampler, const int32_t *coordinate);
struct texel image_linear(const struct image *image, uint32_t sampler, const float *coordinate);
const uint8_t *image_element(const struct image *image, const int64_t *index, int64_t layer);

/* CLK_ names of OpenCL C. */
enum {
  NORMALIZED = 1,
  ADDRESS_NONE = 0,
  CLAMP_TO_EDGE = 2,
  CLAMP = 4,
  REPEAT = 6,
  MIRRORED_REPEAT = 8,
  ADDRESS = 14,
  NEAREST = 0x10,
  LINEAR = 0x20
};

#endif
