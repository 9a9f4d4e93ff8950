/* Samplers: both constructors over every combination, queries, counts, and what is refused. What a device
 * without images answers is test_absent.c's. */
#include "api/images.h"

#include "core/sampler.h"

static const cl_addressing_mode modes[] = {CL_ADDRESS_NONE, CL_ADDRESS_CLAMP_TO_EDGE, CL_ADDRESS_CLAMP,
                                           CL_ADDRESS_REPEAT, CL_ADDRESS_MIRRORED_REPEAT};
static const cl_filter_mode filters[] = {CL_FILTER_NEAREST, CL_FILTER_LINEAR};

#define INFO(sampler, param, type)                                                                           \
  ({                                                                                                         \
    type info_value_;                                                                                        \
    memset(&info_value_, 0x5a, sizeof info_value_);                                                          \
    expect_success(kiln_clGetSamplerInfo((sampler), (param), sizeof info_value_, &info_value_, NULL));       \
    info_value_;                                                                                             \
  })

static void check(struct fixture *f, cl_sampler sampler, cl_bool normalized, cl_addressing_mode addressing,
                  cl_filter_mode filter) {
  assert_int_equal(INFO(sampler, CL_SAMPLER_REFERENCE_COUNT, cl_uint), 1);
  assert_ptr_equal(INFO(sampler, CL_SAMPLER_CONTEXT, cl_context), f->context);
  assert_int_equal(INFO(sampler, CL_SAMPLER_NORMALIZED_COORDS, cl_bool), normalized);
  assert_int_equal(INFO(sampler, CL_SAMPLER_ADDRESSING_MODE, cl_addressing_mode), addressing);
  assert_int_equal(INFO(sampler, CL_SAMPLER_FILTER_MODE, cl_filter_mode), filter);
}

static bool repeats(cl_addressing_mode mode) {
  return mode == CL_ADDRESS_REPEAT || mode == CL_ADDRESS_MIRRORED_REPEAT;
}

static void all_combinations(void **state) {
  struct fixture *f = *state;
  for (cl_bool normalized = 0; normalized < 2; normalized++)
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++)
      for (size_t k = 0; k < 2; k++) {
        const cl_sampler_properties list[] = {CL_SAMPLER_FILTER_MODE,
                                              filters[k],
                                              CL_SAMPLER_ADDRESSING_MODE,
                                              modes[m],
                                              CL_SAMPLER_NORMALIZED_COORDS,
                                              normalized,
                                              0};
        if (!normalized && repeats(modes[m])) {
          expect_no_handle(CL_INVALID_VALUE, "repeats, which needs normalized coordinates",
                           kiln_clCreateSampler(f->context, normalized, modes[m], filters[k], &err));
          expect_no_handle(CL_INVALID_VALUE, "repeats, which needs normalized coordinates",
                           kiln_clCreateSamplerWithProperties(f->context, list, &err));
          continue;
        }
        cl_int made = 12345;
        size_t size = 1;
        cl_sampler sampler = kiln_clCreateSampler(f->context, normalized, modes[m], filters[k], &made);
        expect_success(made);
        check(f, sampler, normalized, modes[m], filters[k]);
        expect_success(kiln_clGetSamplerInfo(sampler, CL_SAMPLER_PROPERTIES, 0, NULL, &size));
        assert_int_equal(size, 0);
        expect_success(kiln_clReleaseSampler(sampler));
        sampler = kiln_clCreateSamplerWithProperties(f->context, list, &made);
        expect_success(made);
        check(f, sampler, normalized, modes[m], filters[k]);
        cl_sampler_properties got[7];
        expect_success(kiln_clGetSamplerInfo(sampler, CL_SAMPLER_PROPERTIES, sizeof got, got, &size));
        assert_int_equal(size, sizeof list);
        assert_memory_equal(got, list, sizeof list);
        expect_success(kiln_clReleaseSampler(sampler));
      }
}

/* "If sampler_properties is NULL, the default values will be used." */
static void defaults(void **state) {
  struct fixture *f = *state;
  const cl_sampler_properties none[] = {0}, one[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0};
  cl_int made = 12345;
  size_t size = 1;
  cl_sampler sampler = kiln_clCreateSamplerWithProperties(f->context, NULL, &made);
  expect_success(made);
  check(f, sampler, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST);
  expect_success(kiln_clGetSamplerInfo(sampler, CL_SAMPLER_PROPERTIES, 0, NULL, &size));
  assert_int_equal(size, 0);
  expect_success(kiln_clReleaseSampler(sampler));
  sampler = kiln_clCreateSamplerWithProperties(f->context, none, &made);
  expect_success(made);
  assert_int_equal(INFO(sampler, CL_SAMPLER_PROPERTIES, cl_sampler_properties), 0);
  expect_success(kiln_clReleaseSampler(sampler));
  sampler = kiln_clCreateSamplerWithProperties(f->context, one, &made);
  expect_success(made);
  check(f, sampler, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR);
  expect_success(kiln_clReleaseSampler(sampler));
}

static void counts(void **state) {
  struct fixture *f = *state;
  cl_int made = 12345;
  cl_sampler sampler = kiln_clCreateSamplerWithProperties(f->context, NULL, &made);
  expect_success(made);
  expect_success(kiln_clRetainSampler(sampler));
  assert_int_equal(INFO(sampler, CL_SAMPLER_REFERENCE_COUNT, cl_uint), 2);
  expect_success(kiln_clReleaseSampler(sampler));
  expect_success(kiln_clReleaseSampler(sampler));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_combinations), cmocka_unit_test(defaults),
                                     cmocka_unit_test(counts)};
  return alloc_fail_run_group(tests, images_open, fixture_close);
}
