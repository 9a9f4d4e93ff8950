/* Formats of images taken apart for kernels; see image_desc.h. Layouts: OpenCL specification, "Image Format
 * Descriptor" (channels lie in memory in the order of the name; packed types begin at the highest bit). */
#include "base/image_desc.h"

#include <stddef.h>
#include <string.h>

/* Channels in memory order: R, G, B, A; I: all four; L: R, G and B. */
static const struct order {
  cl_channel_order order;
  const char *channels;
} orders[] = {
    {CL_R, "R"},         {CL_A, "A"},       {CL_RG, "RG"},      {CL_RA, "RA"},      {CL_RGB, "RGB"},
    {CL_RGBA, "RGBA"},   {CL_BGRA, "BGRA"}, {CL_ARGB, "ARGB"},  {CL_ABGR, "ABGR"},  {CL_INTENSITY, "I"},
    {CL_LUMINANCE, "L"}, {CL_DEPTH, "R"},   {CL_sRGBA, "RGBA"}, {CL_sBGRA, "BGRA"},
};

static const struct type {
  cl_channel_type type;
  uint8_t bits, texel;
  uint8_t is_signed, is_normalized;
} types[] = {
    {CL_SNORM_INT8, 8, KILN_TEXEL_FIXED, 1, 1},      {CL_SNORM_INT16, 16, KILN_TEXEL_FIXED, 1, 1},
    {CL_UNORM_INT8, 8, KILN_TEXEL_FIXED, 0, 1},      {CL_UNORM_INT16, 16, KILN_TEXEL_FIXED, 0, 1},
    {CL_SIGNED_INT8, 8, KILN_TEXEL_FIXED, 1, 0},     {CL_SIGNED_INT16, 16, KILN_TEXEL_FIXED, 1, 0},
    {CL_SIGNED_INT32, 32, KILN_TEXEL_FIXED, 1, 0},   {CL_UNSIGNED_INT8, 8, KILN_TEXEL_FIXED, 0, 0},
    {CL_UNSIGNED_INT16, 16, KILN_TEXEL_FIXED, 0, 0}, {CL_UNSIGNED_INT32, 32, KILN_TEXEL_FIXED, 0, 0},
    {CL_HALF_FLOAT, 16, KILN_TEXEL_HALF, 0, 0},      {CL_FLOAT, 32, KILN_TEXEL_FLOAT, 0, 0},
};

/* Several channels in one integer: bits and position of R, G, B, A; no bits: absent. */
static const struct packed {
  cl_channel_type type;
  uint8_t size, bits[4], shift[4];
  const char *channels; /* of the order it goes with */
} packed_types[] = {
    {CL_UNORM_SHORT_565, 2, {5, 6, 5, 0}, {11, 5, 0, 0}, "RGB"},
    {CL_UNORM_SHORT_555, 2, {5, 5, 5, 0}, {10, 5, 0, 0}, "RGB"},
    {CL_UNORM_INT_101010, 4, {10, 10, 10, 0}, {20, 10, 0, 0}, "RGB"},
    {CL_UNORM_INT_101010_2, 4, {10, 10, 10, 2}, {22, 12, 2, 0}, "RGBA"},
};

enum { ALPHA = 3 };

static uint32_t low_bits(unsigned n) { return n == 32 ? UINT32_MAX : (UINT32_C(1) << n) - 1; }

static void set_absent(struct kiln_image_desc *d, unsigned k) {
  static const uint32_t one[] = {1, 0x3c00, 0x3f800000, 1}; /* by texel */
  d->shift[k] = d->mask[k] = d->sign[k] = d->put[k] = 0;
  d->bias[k] = k == ALPHA ? (uint32_t)-one[d->texel] : 0;
  d->scale[k] = d->gain[k] = 1;
}

static void set_component(struct kiln_image_desc *d, unsigned k, unsigned shift, unsigned bits,
                          const struct type *t) {
  d->shift[k] = shift % 32;
  d->mask[k] = d->put[k] = low_bits(bits);
  d->sign[k] = d->bias[k] = t->is_signed ? UINT32_C(1) << (bits - 1) : 0;
  d->gain[k] = t->is_normalized ? (float)low_bits(bits - t->is_signed) : 1;
  d->scale[k] = 1 / d->gain[k];
}

static void set_shared(struct kiln_image_desc *d, unsigned count) {
  for (unsigned k = 1; k < count; k++) {
    d->shift[k] = d->shift[0];
    d->mask[k] = d->mask[0];
    d->sign[k] = d->sign[0];
    d->bias[k] = d->bias[0];
    d->scale[k] = d->scale[0];
    d->gain[k] = d->gain[0];
  }
}

static void set_channels(struct kiln_image_desc *d, const char *channels, const struct type *t) {
  static const char names[] = "RGBA";
  d->element_size = (uint32_t)strlen(channels) * t->bits / 8;
  d->wide = d->element_size == 8 && t->bits == 32;
  for (unsigned at = 0; channels[at] != '\0'; at++) {
    const char *name = strchr(names, channels[at]);
    if (name != NULL) set_component(d, (unsigned)(name - names), at * t->bits, t->bits, t);
    else set_component(d, 0, 0, t->bits, t);
  }
  if (channels[0] == 'I') set_shared(d, 4);
  if (channels[0] == 'L') set_shared(d, 3);
}

static bool set_packed(struct kiln_image_desc *d, const char *channels, const struct packed *p) {
  static const struct type unorm = {.is_normalized = 1};
  if (strcmp(channels, p->channels) != 0) return false;
  d->element_size = p->size;
  for (unsigned k = 0; k < 4; k++)
    if (p->bits[k] != 0) set_component(d, k, p->shift[k], p->bits[k], &unorm);
  return true;
}

static bool is_srgb(cl_channel_order order) { return order == CL_sRGBA || order == CL_sBGRA; }

static const char *find_channels(cl_channel_order order) {
  for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
    if (orders[i].order == order) return orders[i].channels;
  return NULL;
}

static const struct type *find_type(cl_channel_type type) {
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (types[i].type == type) return &types[i];
  return NULL;
}

static const struct packed *find_packed(cl_channel_type type) {
  for (size_t i = 0; i < sizeof packed_types / sizeof *packed_types; i++)
    if (packed_types[i].type == type) return &packed_types[i];
  return NULL;
}

static bool is_size(uint32_t bytes) { return bytes <= 16 && (bytes & (bytes - 1)) == 0; }

bool kiln_image_desc_format(struct kiln_image_desc *desc, cl_channel_order order, cl_channel_type type) {
  struct kiln_image_desc d = *desc;
  const char *channels = find_channels(order);
  const struct type *t = find_type(type);
  const struct packed *p = find_packed(type);
  if (channels == NULL || (t == NULL && p == NULL)) return false;
  d.order = order;
  d.type = type;
  d.texel = is_srgb(order) ? KILN_TEXEL_SRGB : t != NULL ? t->texel : KILN_TEXEL_FIXED;
  d.wide = 0;
  if (is_srgb(order) && type != CL_UNORM_INT8) return false;
  for (unsigned k = 0; k < 4; k++) set_absent(&d, k);
  if (t != NULL) set_channels(&d, channels, t);
  else if (!set_packed(&d, channels, p)) return false;
  if (!is_size(d.element_size)) return false;
  *desc = d;
  return true;
}
