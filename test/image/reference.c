/* See reference.h. */
#include "reference.h"

#include <math.h>
#include <string.h>

#define INTEGERS(order)                                                                                      \
  {order, CL_SIGNED_INT8}, {order, CL_SIGNED_INT16}, {order, CL_SIGNED_INT32}, {order, CL_UNSIGNED_INT8},    \
      {order, CL_UNSIGNED_INT16}, {                                                                          \
    order, CL_UNSIGNED_INT32                                                                                 \
  }
#define NORMALIZED_AND_FLOAT(order)                                                                          \
  {order, CL_UNORM_INT8}, {order, CL_UNORM_INT16}, {order, CL_SNORM_INT8}, {order, CL_SNORM_INT16},          \
      {order, CL_HALF_FLOAT}, {                                                                              \
    order, CL_FLOAT                                                                                          \
  }
#define BYTES(order)                                                                                         \
  {order, CL_UNORM_INT8}, {order, CL_SNORM_INT8}, {order, CL_SIGNED_INT8}, { order, CL_UNSIGNED_INT8 }
#define PACKED(order)                                                                                        \
  {order, CL_UNORM_SHORT_565}, {order, CL_UNORM_SHORT_555}, { order, CL_UNORM_INT_101010 }
const struct format formats[] = {NORMALIZED_AND_FLOAT(CL_R),
                                 INTEGERS(CL_R),
                                 NORMALIZED_AND_FLOAT(CL_A),
                                 INTEGERS(CL_A),
                                 NORMALIZED_AND_FLOAT(CL_RG),
                                 INTEGERS(CL_RG),
                                 NORMALIZED_AND_FLOAT(CL_RA),
                                 INTEGERS(CL_RA),
                                 NORMALIZED_AND_FLOAT(CL_RGBA),
                                 INTEGERS(CL_RGBA),
                                 NORMALIZED_AND_FLOAT(CL_INTENSITY),
                                 NORMALIZED_AND_FLOAT(CL_LUMINANCE),
                                 BYTES(CL_BGRA),
                                 BYTES(CL_ARGB),
                                 BYTES(CL_ABGR),
                                 PACKED(CL_RGB),

                                 {CL_RGBA, CL_UNORM_INT_101010_2},
                                 {CL_sRGBA, CL_UNORM_INT8},
                                 {CL_sBGRA, CL_UNORM_INT8},
                                 {CL_DEPTH, CL_UNORM_INT16},
                                 {CL_DEPTH, CL_FLOAT}};
const unsigned num_formats = sizeof formats / sizeof *formats;

/* ---- formats ---- */

bool format_is_signed(cl_channel_type type) {
  return type == CL_SIGNED_INT8 || type == CL_SIGNED_INT16 || type == CL_SIGNED_INT32;
}

bool format_is_float(cl_channel_type type) {
  return !format_is_signed(type) && type != CL_UNSIGNED_INT8 && type != CL_UNSIGNED_INT16 &&
         type != CL_UNSIGNED_INT32;
}

static unsigned channel_size(cl_channel_type type) {
  switch (type) {
  case CL_UNORM_INT8:
  case CL_SNORM_INT8:
  case CL_SIGNED_INT8:
  case CL_UNSIGNED_INT8:
    return 1;
  case CL_FLOAT:
  case CL_SIGNED_INT32:
  case CL_UNSIGNED_INT32:
    return 4;
  default:
    return 2;
  }
}

/* Components in memory order, as numbers: 0 R, 1 G, 2 B, 3 A. */
static unsigned channels_of(cl_channel_order order, unsigned *at) {
  static const struct {
    cl_channel_order order;
    unsigned n, at[4];
  } table[] = {{CL_R, 1, {0}},
               {CL_A, 1, {3}},
               {CL_RG, 2, {0, 1}},
               {CL_RA, 2, {0, 3}},
               {CL_RGBA, 4, {0, 1, 2, 3}},
               {CL_BGRA, 4, {2, 1, 0, 3}},
               {CL_ARGB, 4, {3, 0, 1, 2}},
               {CL_ABGR, 4, {3, 2, 1, 0}},
               {CL_sRGBA, 4, {0, 1, 2, 3}},
               {CL_sBGRA, 4, {2, 1, 0, 3}},
               {CL_INTENSITY, 1, {0}},
               {CL_LUMINANCE, 1, {0}},
               {CL_DEPTH, 1, {0}}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (table[i].order == order) {
      memcpy(at, table[i].at, sizeof table[i].at);
      return table[i].n;
    }
  return 0;
}

struct packing {
  unsigned size, n, bits[4], shift[4];
};

static bool packing_of(cl_channel_type type, struct packing *p) {
  switch (type) {
  case CL_UNORM_SHORT_565:
    *p = (struct packing){2, 3, {5, 6, 5}, {11, 5, 0}};
    return true;
  case CL_UNORM_SHORT_555:
    *p = (struct packing){2, 3, {5, 5, 5}, {10, 5, 0}};
    return true;
  case CL_UNORM_INT_101010:
    *p = (struct packing){4, 3, {10, 10, 10}, {20, 10, 0}};
    return true;
  case CL_UNORM_INT_101010_2:
    *p = (struct packing){4, 4, {10, 10, 10, 2}, {22, 12, 2, 0}};
    return true;
  default:
    return false;
  }
}

unsigned format_size(struct format f) {
  struct packing p;
  unsigned at[4];
  return packing_of(f.type, &p) ? p.size : channels_of(f.order, at) * channel_size(f.type);
}

static bool is_srgb(cl_channel_order order) { return order == CL_sRGBA || order == CL_sBGRA; }

/* ---- halves ---- */

static double half_to_double(uint16_t h) {
  int exponent = h >> 10 & 31;
  double fraction = h & 1023, value;
  if (exponent == 31) value = fraction != 0 ? NAN : INFINITY;
  else value = exponent == 0 ? ldexp(fraction, -24) : ldexp(fraction + 1024, exponent - 25);
  return h & 0x8000 ? -value : value;
}

/* To the nearest, ties to even. Not for NaN. */
static uint16_t double_to_half(double x) {
  uint16_t sign = signbit(x) ? 0x8000 : 0, best = 0;
  double size = fabs(x);
  if (size >= 65520) return sign | 0x7c00;
  unsigned low = 0, high = 0x7bff;
  while (low < high) { /* the largest half that is not above */
    unsigned middle = (low + high + 1) / 2;
    if (half_to_double((uint16_t)middle) <= size) low = middle;
    else high = middle - 1;
  }
  double below = half_to_double((uint16_t)low),
         above = low == 0x7bff ? 65536 : half_to_double((uint16_t)(low + 1));
  best = (uint16_t)low;
  if (size - below > above - size || (size - below == above - size && (low & 1))) best = (uint16_t)(low + 1);
  return sign | best;
}

/* ---- elements ---- */

static double srgb_to_linear(double c) { return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4); }

static double linear_to_srgb(double c) {
  if (!(c > 0)) return 0;
  if (c > 1) return 1;
  return c < 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1 / 2.4) - 0.055;
}

static void read_channel(cl_channel_type type, const uint8_t *at, double *f, int64_t *i) {
  uint16_t u16;
  uint32_t u32;
  float single;
  memcpy(&u16, at, channel_size(type) >= 2 ? 2 : 1);
  if (channel_size(type) == 1) u16 = *at;
  memcpy(&u32, at, channel_size(type) == 4 ? 4 : 1);
  memcpy(&single, &u32, 4);
  *f = 0;
  *i = 0;
  switch (type) {
  case CL_UNORM_INT8:
    *f = u16 / 255.0;
    break;
  case CL_UNORM_INT16:
    *f = u16 / 65535.0;
    break;
  case CL_SNORM_INT8:
    *f = fmax(-1, (int8_t)u16 / 127.0);
    break;
  case CL_SNORM_INT16:
    *f = fmax(-1, (int16_t)u16 / 32767.0);
    break;
  case CL_HALF_FLOAT:
    *f = half_to_double(u16);
    break;
  case CL_FLOAT:
    *f = single;
    break;
  case CL_SIGNED_INT8:
    *i = (int8_t)u16;
    break;
  case CL_SIGNED_INT16:
    *i = (int16_t)u16;
    break;
  case CL_SIGNED_INT32:
    *i = (int32_t)u32;
    break;
  case CL_UNSIGNED_INT32:
    *i = u32;
    break;
  default:
    *i = u16;
  }
}

static void read_packed(const struct packing *p, const uint8_t *element, struct texel *t) {
  uint32_t word = 0;
  memcpy(&word, element, p->size);
  for (unsigned k = 0; k < p->n; k++) {
    uint32_t most = (1u << p->bits[k]) - 1;
    t->f[k] = (double)(word >> p->shift[k] & most) / most;
  }
}

struct texel texel_read(struct format f, const uint8_t *element) {
  struct texel t = {{0, 0, 0, 1}, {0, 0, 0, 1}};
  struct packing p;
  unsigned at[4], n = channels_of(f.order, at);
  if (packing_of(f.type, &p)) {
    read_packed(&p, element, &t);
    return t;
  }
  for (unsigned c = 0; c < n; c++)
    read_channel(f.type, element + c * channel_size(f.type), &t.f[at[c]], &t.i[at[c]]);
  if (f.order == CL_INTENSITY) t.f[1] = t.f[2] = t.f[3] = t.f[0];
  if (f.order == CL_LUMINANCE) t.f[1] = t.f[2] = t.f[0];
  for (unsigned k = 0; k < 3 && is_srgb(f.order); k++) t.f[k] = srgb_to_linear(t.f[k]);
  return t;
}

struct texel texel_border(struct format f) {
  struct texel t = {{0}, {0}};
  bool opaque = f.order == CL_R || f.order == CL_RG || f.order == CL_RGB || f.order == CL_LUMINANCE;
  t.f[3] = t.i[3] = opaque;
  return t;
}

/* The nearest integer of [low, high], ties to even. */
static int64_t to_integer(double x, double low, double high) {
  if (isnan(x)) return 0;
  return (int64_t)rint(fmin(fmax(x, low), high));
}

static int64_t clamp_integer(int64_t x, int64_t low, int64_t high) {
  return x < low ? low : x > high ? high : x;
}

static uint32_t channel_bits(cl_channel_type type, double f, int64_t i) {
  float single = (float)f;
  uint32_t bits;
  switch (type) {
  case CL_UNORM_INT8:
    return (uint32_t)to_integer(single * 255.0f, 0, 255);
  case CL_UNORM_INT16:
    return (uint32_t)to_integer(single * 65535.0f, 0, 65535);
  case CL_SNORM_INT8:
    return (uint32_t)to_integer(single * 127.0f, -128, 127);
  case CL_SNORM_INT16:
    return (uint32_t)to_integer(single * 32767.0f, -32768, 32767);
  case CL_HALF_FLOAT:
    return double_to_half(single);
  case CL_FLOAT:
    memcpy(&bits, &single, 4);
    return bits;
  case CL_SIGNED_INT8:
    return (uint32_t)clamp_integer(i, -128, 127);
  case CL_SIGNED_INT16:
    return (uint32_t)clamp_integer(i, -32768, 32767);
  case CL_UNSIGNED_INT8:
    return (uint32_t)clamp_integer(i, 0, 255);
  case CL_UNSIGNED_INT16:
    return (uint32_t)clamp_integer(i, 0, 65535);
  default:
    return (uint32_t)i;
  }
}

static void write_packed(const struct packing *p, const double *f, uint8_t *element) {
  uint32_t word = 0;
  for (unsigned k = 0; k < p->n; k++) {
    uint32_t most = (1u << p->bits[k]) - 1;
    word |= (uint32_t)to_integer((float)f[k] * (float)most, 0, most) << p->shift[k];
  }
  memcpy(element, &word, p->size);
}

void texel_write(struct format f, const struct texel *color, uint8_t *element) {
  struct packing p;
  unsigned at[4], n = channels_of(f.order, at), size = channel_size(f.type);
  if (packing_of(f.type, &p)) {
    write_packed(&p, color->f, element);
    return;
  }
  for (unsigned c = 0; c < n; c++) {
    unsigned k = at[c];
    double value = color->f[k];
    uint32_t bits = is_srgb(f.order) && k < 3 ? (uint32_t)floor(linear_to_srgb(value) * 255 + 0.5)
                                              : channel_bits(f.type, value, color->i[k]);
    memcpy(element + c * size, &bits, size);
  }
}

/* ---- places ---- */

const uint8_t *image_element(const struct image *image, const int64_t *index, int64_t layer) {
  const struct kiln_image_desc *d = image->desc;
  uint64_t at = (uint64_t)index[0] * format_size(image->format);
  if (image->dims > 1) at += (uint64_t)index[1] * d->row_pitch;
  if (image->dims > 2) at += (uint64_t)index[2] * d->slice_pitch;
  if (image->array) at += (uint64_t)layer * (image->dims == 1 ? d->row_pitch : d->slice_pitch);
  return d->data + at;
}

static int64_t extent(const struct image *image, unsigned axis) {
  const struct kiln_image_desc *d = image->desc;
  return axis == 0 ? d->width : axis == 1 ? d->height : d->depth;
}

static struct texel element_or_border(const struct image *image, const int64_t *index, int64_t layer) {
  for (unsigned a = 0; a < image->dims; a++)
    if (index[a] < 0 || index[a] >= extent(image, a)) return texel_border(image->format);
  return texel_read(image->format, image_element(image, index, layer));
}

/* Chapter 8.4. */
static int64_t layer_of(const struct image *image, float c) {
  if (!image->array) return 0;
  return (int64_t)fminf(fmaxf(rintf(c), 0), (float)(image->desc->array_size - 1));
}

/* Table 15: address_mode(). */
static int64_t addressed(int64_t i, int64_t size, uint32_t sampler) {
  if ((sampler & ADDRESS) == CLAMP) return i < -1 ? -1 : i > size ? size : i;
  return i < 0 ? 0 : i > size - 1 ? size - 1 : i;
}

static float scaled(float s, int64_t size, uint32_t sampler) {
  float n = (float)size;
  switch (sampler & ADDRESS) {
  case REPEAT:
    return (s - floorf(s)) * n;
  case MIRRORED_REPEAT:
    return fabsf(s - 2.0f * rintf(0.5f * s)) * n;
  default:
    return sampler & NORMALIZED ? s * n : s;
  }
}

static int64_t whole(float x) { return x < -1e9f ? -1000000000 : x > 1e9f ? 1000000000 : (int64_t)floorf(x); }

static int64_t nearest(float s, int64_t size, uint32_t sampler) {
  int64_t i = whole(scaled(s, size, sampler));
  if ((sampler & ADDRESS) == REPEAT) return i > size - 1 ? i - size : i;
  if ((sampler & ADDRESS) == MIRRORED_REPEAT) return i < size - 1 ? i : size - 1;
  return addressed(i, size, sampler);
}

struct texel image_nearest(const struct image *image, uint32_t sampler, const float *coordinate) {
  int64_t index[3] = {0};
  for (unsigned a = 0; a < image->dims; a++) index[a] = nearest(coordinate[a], extent(image, a), sampler);
  return element_or_border(image, index, layer_of(image, coordinate[image->dims]));
}

struct texel image_at(const struct image *image, uint32_t sampler, const int32_t *coordinate) {
  int64_t index[3] = {0}, layer = 0;
  for (unsigned a = 0; a < image->dims; a++) index[a] = addressed(coordinate[a], extent(image, a), sampler);
  if (image->array) layer = clamp_integer(coordinate[image->dims], 0, image->desc->array_size - 1);
  return element_or_border(image, index, layer);
}

/* Both neighbours on an axis, and the weight of the second. */
static float neighbours(float s, int64_t size, uint32_t sampler, int64_t at[2]) {
  float u = scaled(s, size, sampler) - 0.5f;
  int64_t i = whole(u);
  if ((sampler & ADDRESS) == REPEAT) {
    at[0] = i < 0 ? i + size : i;
    at[1] = i + 1 > size - 1 ? i + 1 - size : i + 1;
  } else if ((sampler & ADDRESS) == MIRRORED_REPEAT) {
    at[0] = i > 0 ? i : 0;
    at[1] = i + 1 < size - 1 ? i + 1 : size - 1;
  } else {
    at[0] = addressed(i, size, sampler);
    at[1] = addressed(i + 1, size, sampler);
  }
  return u - floorf(u);
}

struct texel image_linear(const struct image *image, uint32_t sampler, const float *coordinate) {
  int64_t at[3][2] = {{0}};
  double second[3] = {0};
  struct texel sum = {{0}, {0}};
  for (unsigned a = 0; a < image->dims; a++)
    second[a] = neighbours(coordinate[a], extent(image, a), sampler, at[a]);
  for (unsigned n = 0; n < 1u << image->dims; n++) {
    int64_t index[3] = {0};
    double weight = 1;
    for (unsigned a = 0; a < image->dims; a++) {
      index[a] = at[a][n >> a & 1];
      weight *= n >> a & 1 ? second[a] : 1 - second[a];
    }
    struct texel t = element_or_border(image, index, layer_of(image, coordinate[image->dims]));
    for (unsigned k = 0; k < 4; k++) sum.f[k] += weight * t.f[k];
  }
  return sum;
}
