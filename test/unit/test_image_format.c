/* Image formats: the lists, and the elements of colours against a plain reading of the specification. */
#include "test.h"

#include "base/half.h"
#include "core/image_format.h"

#include <math.h>
#include <string.h>

enum { MOST = 128 }; /* clients keep lists in arrays of so many */

static const cl_mem_object_type types[] = {CL_MEM_OBJECT_IMAGE1D,       CL_MEM_OBJECT_IMAGE1D_BUFFER,
                                           CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_MEM_OBJECT_IMAGE2D,
                                           CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_MEM_OBJECT_IMAGE3D};
static const cl_mem_flags uses[] = {0, CL_MEM_READ_WRITE, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY,
                                    CL_MEM_KERNEL_READ_AND_WRITE};

static uint32_t list(cl_mem_flags flags, cl_mem_object_type type, cl_image_format *formats) {
  uint32_t count = kiln_image_format_list(flags, type, MOST, formats);
  assert_in_range(count, 1, MOST);
  return count;
}

static bool has(const cl_image_format *formats, uint32_t count, cl_channel_order order,
                cl_channel_type type) {
  for (uint32_t i = 0; i < count; i++)
    if (formats[i].image_channel_order == order && formats[i].image_channel_data_type == type) return true;
  return false;
}

/* A list is what is_supported says of every order and type there is, each once. */
static void lists(void **state) {
  for (size_t t = 0; t < sizeof types / sizeof *types; t++)
    for (size_t u = 0; u < sizeof uses / sizeof *uses; u++) {
      cl_image_format formats[MOST];
      uint32_t count = list(uses[u], types[t], formats), supported = 0;
      for (cl_channel_order order = CL_R - 2; order < CL_R + 64; order++)
        for (cl_channel_type type = CL_SNORM_INT8 - 2; type < CL_SNORM_INT8 + 64; type++) {
          const cl_image_format format = {order, type};
          bool listed = has(formats, count, order, type);
          assert_int_equal(kiln_image_format_is_supported(&format, uses[u], types[t]), listed);
          if (listed) assert_true(kiln_image_format_is_valid(&format));
          supported += listed;
        }
      assert_int_equal(supported, count);
    }
}

static void short_lists(void **state) {
  cl_image_format all[MOST], some[MOST] = {{0}};
  uint32_t count = list(0, CL_MEM_OBJECT_IMAGE2D, all);
  assert_int_equal(kiln_image_format_list(0, CL_MEM_OBJECT_IMAGE2D, 0, NULL), count);
  assert_int_equal(kiln_image_format_list(0, CL_MEM_OBJECT_IMAGE2D, 7, some), count);
  assert_memory_equal(some, all, 7 * sizeof *all);
  assert_int_equal(some[7].image_channel_order, 0);
}

/* The specification's minimum for OpenCL 2.x, which has all of 1.2's and 3.0's. */
static void minimum(void **state) {
  static const cl_channel_order orders[] = {CL_R, CL_RG, CL_RGBA};
  static const cl_channel_type plain[] = {CL_UNORM_INT8,     CL_UNORM_INT16,   CL_SNORM_INT8,
                                          CL_SNORM_INT16,    CL_SIGNED_INT8,   CL_SIGNED_INT16,
                                          CL_SIGNED_INT32,   CL_UNSIGNED_INT8, CL_UNSIGNED_INT16,
                                          CL_UNSIGNED_INT32, CL_HALF_FLOAT,    CL_FLOAT};
  for (size_t t = 0; t < sizeof types / sizeof *types; t++)
    for (size_t u = 0; u < sizeof uses / sizeof *uses; u++) {
      cl_image_format f[MOST];
      uint32_t count = list(uses[u], types[t], f);
      for (size_t o = 0; o < sizeof orders / sizeof *orders; o++)
        for (size_t p = 0; p < sizeof plain / sizeof *plain; p++)
          assert_true(has(f, count, orders[o], plain[p]));
      assert_true(has(f, count, CL_BGRA, CL_UNORM_INT8));
      bool both = uses[u] == CL_MEM_KERNEL_READ_AND_WRITE;
      assert_int_equal(has(f, count, CL_sRGBA, CL_UNORM_INT8), !both);
      bool flat = types[t] == CL_MEM_OBJECT_IMAGE2D || types[t] == CL_MEM_OBJECT_IMAGE2D_ARRAY;
      assert_int_equal(has(f, count, CL_DEPTH, CL_UNORM_INT16), flat);
      assert_int_equal(has(f, count, CL_DEPTH, CL_FLOAT), flat);
    }
}

static void valid(void **state) {
  static const struct {
    cl_image_format format;
    bool valid;
  } rows[] = {
      {{CL_RGBA, CL_UNORM_INT8}, true},
      {{CL_RGB, CL_UNORM_SHORT_565}, true},
      {{CL_RGBx, CL_UNORM_SHORT_555}, true},
      {{CL_RGBA, CL_UNORM_SHORT_565}, false},
      {{CL_R, CL_UNORM_INT_101010}, false},
      {{CL_RGBA, CL_UNORM_INT_101010_2}, true},
      {{CL_RGB, CL_UNORM_INT_101010_2}, false},
      {{CL_Rx, CL_FLOAT}, true},
      {{0, CL_FLOAT}, false},
      {{CL_R, 0}, false},
      {{CL_ABGR + 1, CL_FLOAT}, false},
      {{CL_R, CL_UNORM_INT_101010_2 + 1}, false},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    assert_int_equal(kiln_image_format_is_valid(&rows[i].format), rows[i].valid);
}

/* ---- elements ---- */

/* Which of R, G, B, A (0 to 3) the channels of an order are, in memory order. */
static const char *channels_of(cl_channel_order order) {
  switch (order) {
  case CL_R:
  case CL_INTENSITY:
  case CL_LUMINANCE:
  case CL_DEPTH:
    return "R";
  case CL_A:
    return "A";
  case CL_RG:
    return "RG";
  case CL_RA:
    return "RA";
  case CL_RGB:
    return "RGB";
  case CL_BGRA:
  case CL_sBGRA:
    return "BGRA";
  case CL_ARGB:
    return "ARGB";
  case CL_ABGR:
    return "ABGR";
  default:
    return "RGBA";
  }
}

static bool is_srgb(cl_channel_order order) { return order == CL_sRGBA || order == CL_sBGRA; }

static double clamp(double v, double least, double most) {
  return !(v > least) ? least : v > most ? most : v;
}

static int64_t unorm(float v, double most) {
  return (int64_t)rint(clamp((double)(v * (float)most), 0, most));
}

static int64_t snorm(float v, double most) {
  return v != v ? 0 : (int64_t)rint(clamp((double)(v * (float)most), -most - 1, most));
}

static int64_t srgb(float v) {
  double c = clamp((double)v, 0, 1);
  c = c < 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1 / 2.4) - 0.055;
  return (int64_t)floor(c * 255 + 0.5);
}

/* Value of a channel of the given type as its bits. */
static uint32_t channel(const cl_image_format *f, char name, const void *color) {
  uint32_t bits;
  float v;
  memcpy(&bits, (const char *)color + 4 * (strchr("RGBA", name) - "RGBA"), 4);
  memcpy(&v, &bits, 4);
  switch (f->image_channel_data_type) {
  case CL_UNORM_INT8:
    return is_srgb(f->image_channel_order) && name != 'A' ? (uint32_t)srgb(v) : (uint32_t)unorm(v, 255);
  case CL_UNORM_INT16:
    return (uint32_t)unorm(v, 65535);
  case CL_SNORM_INT8:
    return (uint8_t)snorm(v, 127);
  case CL_SNORM_INT16:
    return (uint16_t)snorm(v, 32767);
  case CL_SIGNED_INT8:
    return (uint8_t)(int64_t)clamp((int32_t)bits, -128, 127);
  case CL_SIGNED_INT16:
    return (uint16_t)(int64_t)clamp((int32_t)bits, -32768, 32767);
  case CL_UNSIGNED_INT8:
    return bits < 255 ? bits : 255;
  case CL_UNSIGNED_INT16:
    return bits < 65535 ? bits : 65535;
  case CL_HALF_FLOAT:
    return kiln_half_from_double((double)v);
  default:
    return bits;
  }
}

static size_t channel_bytes(cl_channel_type type) {
  switch (type) {
  case CL_UNORM_INT8:
  case CL_SNORM_INT8:
  case CL_SIGNED_INT8:
  case CL_UNSIGNED_INT8:
    return 1;
  case CL_SIGNED_INT32:
  case CL_UNSIGNED_INT32:
  case CL_FLOAT:
    return 4;
  default:
    return 2;
  }
}

static size_t expected(const cl_image_format *f, const float *color, uint8_t *element) {
  uint32_t word;
  size_t size = 4;
  switch (f->image_channel_data_type) {
  case CL_UNORM_SHORT_565:
    word = (uint32_t)(unorm(color[0], 31) << 11 | unorm(color[1], 63) << 5 | unorm(color[2], 31));
    size = 2;
    break;
  case CL_UNORM_SHORT_555:
    word = (uint32_t)(unorm(color[0], 31) << 10 | unorm(color[1], 31) << 5 | unorm(color[2], 31));
    size = 2;
    break;
  case CL_UNORM_INT_101010:
    word = (uint32_t)(unorm(color[0], 1023) << 20 | unorm(color[1], 1023) << 10 | unorm(color[2], 1023));
    break;
  case CL_UNORM_INT_101010_2:
    word = (uint32_t)(unorm(color[0], 1023) << 22 | unorm(color[1], 1023) << 12 | unorm(color[2], 1023) << 2 |
                      unorm(color[3], 3));
    break;
  default: {
    size_t bytes = channel_bytes(f->image_channel_data_type), at = 0;
    for (const char *name = channels_of(f->image_channel_order); *name != '\0'; name++, at += bytes)
      memcpy(element + at, &(uint32_t){channel(f, *name, color)}, bytes);
    return at;
  }
  }
  memcpy(element, &word, size);
  return size;
}

static uint32_t random_bits(void) {
  static uint64_t seed = 88172645463325252ull;
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (uint32_t)(seed >> 20);
}

static float random_component(void) {
  static const float special[] = {0,        -0.0f, 1,         -1,         0.5f,   2,        -2,
                                  INFINITY, NAN,   -INFINITY, 0.0031308f, 1e-30f, 65504.0f, 1e30f};
  uint32_t r = random_bits();
  if (r % 4 == 0) return special[r / 4 % (sizeof special / sizeof *special)];
  return (float)(int32_t)random_bits() / (r % 4 == 1 ? 0x1p31f : 0x1p30f);
}

static void check_color(const cl_image_format *f, const struct kiln_image_desc *desc, const float *color) {
  uint8_t found[32], wanted[32];
  memset(found, 0xee, sizeof found);
  memset(wanted, 0xee, sizeof wanted);
  kiln_image_format_pack(desc, color, found);
  assert_int_equal(expected(f, color, wanted), desc->element_size);
  if (memcmp(found, wanted, sizeof found) == 0) return;
  fail_msg("order 0x%X, type 0x%X, colour %a %a %a %a: %02x%02x%02x%02x instead of %02x%02x%02x%02x...",
           f->image_channel_order, f->image_channel_data_type, (double)color[0], (double)color[1],
           (double)color[2], (double)color[3], found[0], found[1], found[2], found[3], wanted[0], wanted[1],
           wanted[2], wanted[3]);
}

static void elements(void **state) {
  cl_image_format formats[MOST];
  uint32_t count = list(CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, formats);
  for (uint32_t i = 0; i < count; i++) {
    struct kiln_image_desc desc = {0};
    cl_channel_type type = formats[i].image_channel_data_type;
    bool integers = type >= CL_SIGNED_INT8 && type <= CL_UNSIGNED_INT32;
    assert_true(kiln_image_desc_format(&desc, formats[i].image_channel_order, type));
    for (int n = 0; n < 2000; n++) {
      float color[4];
      for (int k = 0; k < 4; k++) {
        uint32_t bits = random_bits() >> random_bits() % 32;
        if (random_bits() % 2 == 0) bits = ~bits;
        color[k] = random_component();
        if (integers) memcpy(&color[k], &bits, sizeof bits);
      }
      check_color(&formats[i], &desc, color);
    }
  }
}

/* clEnqueueFillImage takes one float for a depth image: nothing after it is read. */
static void depth_has_one_component(void **state) {
  struct kiln_image_desc desc = {0};
  uint8_t element[4] = {0};
  assert_true(kiln_image_desc_format(&desc, CL_DEPTH, CL_FLOAT));
  for (unsigned k = 1; k < 4; k++) assert_int_equal(desc.put[k], 0);
  kiln_image_format_pack(&desc, &(float){0.25f}, element);
  assert_memory_equal(element, &(float){0.25f}, 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lists), cmocka_unit_test(short_lists), cmocka_unit_test(minimum),
      cmocka_unit_test(valid), cmocka_unit_test(elements),    cmocka_unit_test(depth_has_one_component),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
