/* Formats of images: what is none, and that the ends of normalized ranges are exact for kernels. */
#include "base/image_desc.h"
#include "test.h"

#include <math.h>
#include <string.h>

static bool accepts(cl_channel_order order, cl_channel_type type) {
  struct kiln_image_desc d, zero;
  memset(&d, 0x5a, sizeof d);
  memset(&zero, 0x5a, sizeof zero);
  bool accepted = kiln_image_desc_format(&d, order, type);
  if (!accepted) assert_memory_equal(&d, &zero, sizeof d);
  return accepted;
}

static void refused(void **state) {
  assert_false(accepts(CL_RGB, CL_UNORM_INT8)); /* elements of three bytes */
  assert_false(accepts(CL_sRGB, CL_UNORM_INT8));
  assert_false(accepts(CL_sRGBA, CL_UNORM_INT16));
  assert_false(accepts(CL_R, CL_UNORM_SHORT_565));
  assert_false(accepts(CL_RGB, CL_UNORM_INT_101010_2));
  assert_false(accepts(CL_RGBA, CL_UNORM_INT_101010));
  assert_false(accepts(CL_RGBx, CL_UNORM_INT8)); /* border colour in dispute */
  assert_false(accepts(CL_DEPTH_STENCIL, CL_UNORM_INT24));
  assert_false(accepts(0, CL_FLOAT));
  assert_false(accepts(CL_R, 0));
}

static void sizes(void **state) {
  struct kiln_image_desc d = {0};
  assert_true(kiln_image_desc_format(&d, CL_RGBA, CL_HALF_FLOAT));
  assert_int_equal(d.element_size, 8);
  assert_int_equal(d.wide, 0);
  assert_true(kiln_image_desc_format(&d, CL_RG, CL_UNSIGNED_INT32));
  assert_int_equal(d.element_size, 8);
  assert_int_equal(d.wide, 1);
  assert_true(kiln_image_desc_format(&d, CL_RGBA, CL_FLOAT));
  assert_int_equal(d.element_size, 16);
  assert_true(kiln_image_desc_format(&d, CL_RGB, CL_UNORM_SHORT_555));
  assert_int_equal(d.element_size, 2);
  assert_int_equal(d.order, CL_RGB);
  assert_int_equal(d.type, CL_UNORM_SHORT_555);
}

/* A product with the rounded reciprocal: within 1.5 ulp, and 1.0 for the largest. */
static void exact_ends(void **state) {
  static const uint32_t largest[] = {1, 3, 31, 63, 127, 255, 1023, 32767, 65535};
  for (size_t i = 0; i < sizeof largest / sizeof *largest; i++) {
    float scale = 1 / (float)largest[i];
    assert_true((float)largest[i] * scale == 1.0f);
    for (uint32_t n = 1; n <= largest[i]; n++) {
      double exact = (double)n / largest[i], got = (double)((float)n * scale);
      assert_true(fabs(got - exact) <= 1.5 * (double)(nextafterf((float)exact, 2) - (float)exact));
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(refused), cmocka_unit_test(sizes),
                                     cmocka_unit_test(exact_ends)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
