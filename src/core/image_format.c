/* Owns the list of image formats. How their elements are laid out is base/image_desc.c's. */
#include "core/image_format.h"

#include "base/half.h"

#include <math.h>
#include <string.h>

/* ---- which there are ---- */

#define BIT(type) (1u << ((type)-CL_SNORM_INT8))

enum {
  INTEGERS8 = BIT(CL_SIGNED_INT8) | BIT(CL_UNSIGNED_INT8),
  INTEGERS = INTEGERS8 | BIT(CL_SIGNED_INT16) | BIT(CL_UNSIGNED_INT16) | BIT(CL_SIGNED_INT32) |
             BIT(CL_UNSIGNED_INT32),
  NORMALIZED = BIT(CL_UNORM_INT8) | BIT(CL_UNORM_INT16) | BIT(CL_SNORM_INT8) | BIT(CL_SNORM_INT16),
  FLOATS = BIT(CL_HALF_FLOAT) | BIT(CL_FLOAT),
  BYTES = BIT(CL_UNORM_INT8) | BIT(CL_SNORM_INT8) | INTEGERS8,
  PACKED = BIT(CL_UNORM_SHORT_565) | BIT(CL_UNORM_SHORT_555) | BIT(CL_UNORM_INT_101010)
};

/* An order with the types it is supported with. Left out: CL_Rx and CL_RGx, whose size is not the same to all
 * (the conformance suite counts no channel for x), CL_RGBx and CL_sRGBx, whose border colour is not (the
 * suite wants it opaque, the specification does not), and CL_sRGB, whose elements have three bytes. */
static const struct row {
  cl_channel_order order;
  uint32_t types;
} rows[] = {
    {CL_R, NORMALIZED | INTEGERS | FLOATS},
    {CL_A, NORMALIZED | INTEGERS | FLOATS},
    {CL_RG, NORMALIZED | INTEGERS | FLOATS},
    {CL_RA, NORMALIZED | INTEGERS | FLOATS},
    {CL_RGBA, NORMALIZED | INTEGERS | FLOATS | BIT(CL_UNORM_INT_101010_2)},
    {CL_BGRA, BYTES},
    {CL_ARGB, BYTES},
    {CL_ABGR, BYTES},
    {CL_RGB, PACKED},
    {CL_INTENSITY, NORMALIZED | FLOATS},
    {CL_LUMINANCE, NORMALIZED | FLOATS},
    {CL_sRGBA, BIT(CL_UNORM_INT8)},
    {CL_sBGRA, BIT(CL_UNORM_INT8)},
    {CL_DEPTH, BIT(CL_UNORM_INT16) | BIT(CL_FLOAT)},
};

static bool is_srgb(cl_channel_order order) {
  return order == CL_sRGBA || order == CL_sBGRA || order == CL_sRGBx || order == CL_sRGB;
}

bool kiln_image_format_is_valid(const cl_image_format *format) {
  cl_channel_order order = format->image_channel_order;
  cl_channel_type type = format->image_channel_data_type;
  if (order < CL_R || order > CL_ABGR || type < CL_SNORM_INT8 || type > CL_UNORM_INT_101010_2) return false;
  if (type == CL_UNORM_INT_101010_2) return order == CL_RGBA;
  return (BIT(type) & PACKED) == 0 || order == CL_RGB || order == CL_RGBx;
}

/* Whether a row serves images of that type, used as flags say. */
static bool serves(const struct row *row, cl_mem_flags flags, cl_mem_object_type type) {
  if (row->order == CL_DEPTH) return type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
  return !is_srgb(row->order) || (flags & CL_MEM_KERNEL_READ_AND_WRITE) == 0;
}

bool kiln_image_format_is_supported(const cl_image_format *format, cl_mem_flags flags,
                                    cl_mem_object_type type) {
  if (!kiln_image_format_is_valid(format)) return false;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (rows[i].order == format->image_channel_order)
      return (rows[i].types & BIT(format->image_channel_data_type)) != 0 && serves(&rows[i], flags, type);
  return false;
}

uint32_t kiln_image_format_list(cl_mem_flags flags, cl_mem_object_type type, uint32_t capacity,
                                cl_image_format *formats) {
  uint32_t count = 0;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (!serves(&rows[i], flags, type)) continue;
    for (cl_channel_type t = CL_SNORM_INT8; t <= CL_UNORM_INT_101010_2; t++) {
      if ((rows[i].types & BIT(t)) == 0) continue;
      if (count < capacity) formats[count] = (cl_image_format){rows[i].order, t};
      count++;
    }
  }
  return count;
}

/* ---- colours ---- */

/* Rules: OpenCL C specification, "Conversion Rules". */

static float linear_to_srgb(float c) {
  if (!(c > 0)) return 0; /* NaN too */
  if (c >= 1) return 1;
  return c < 0.0031308f ? 12.92f * c : (float)(1.055 * pow((double)c, 1 / 2.4) - 0.055);
}

/* To the nearest integer, ties to even, within [least, most]; NaN becomes 0. */
static uint32_t to_integer(float value, double least, double most) {
  double v = value != value ? 0 : (double)value;
  v = v < least ? least : v > most ? most : v;
  return (uint32_t)(int64_t)nearbyint(v);
}

static uint32_t saturate_signed(int32_t value, int64_t least, int64_t most) {
  return (uint32_t)(value < least ? least : value > most ? most : value);
}

static bool is_integer(cl_channel_type type) { return type >= CL_SIGNED_INT8 && type <= CL_UNSIGNED_INT32; }

/* The bits of component k: those of the mask put[k]. */
static uint32_t component_bits(const struct kiln_image_desc *d, unsigned k, const void *color) {
  uint32_t word, mask = d->put[k];
  memcpy(&word, (const uint8_t *)color + 4 * k, sizeof word);
  double most = d->sign[k] != 0 ? mask >> 1 : mask, least = d->sign[k] != 0 ? -most - 1 : 0;
  if (is_integer(d->type)) {
    if (d->sign[k] != 0) return saturate_signed((int32_t)word, (int64_t)least, (int64_t)most) & mask;
    return word < mask ? word : mask;
  }
  float value;
  memcpy(&value, &word, sizeof value);
  if (d->texel == KILN_TEXEL_FLOAT) return word;
  if (d->texel == KILN_TEXEL_HALF) return kiln_half_from_double((double)value);
  if (d->texel == KILN_TEXEL_SRGB && k < 3) value = linear_to_srgb(value);
  return to_integer(value * d->gain[k], least, most) & mask;
}

/* Which 32 bits of an element hold component k. */
static unsigned word_of(const struct kiln_image_desc *d, unsigned k) {
  if (d->element_size <= 4) return 0;
  if (d->element_size == 16) return k;
  return d->wide ? k != 0 : k / 2;
}

void kiln_image_format_pack(const struct kiln_image_desc *desc, const void *color, uint8_t *element) {
  uint32_t words[4] = {0};
  for (unsigned k = 0; k < 4; k++)
    if (desc->put[k] != 0) words[word_of(desc, k)] |= component_bits(desc, k, color) << desc->shift[k];
  memcpy(element, words, desc->element_size);
}
