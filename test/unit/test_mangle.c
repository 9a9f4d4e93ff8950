/* Mangled names: parsed, written back the same, made scalar. */
#include "compiler/mangle.h"
#include "test.h"

#include <string.h>

/* A vector name and its scalar form; equal where there is no vector. */
static const char *const names[][2] = {
    {"_Z3sinf", "_Z3sinf"},
    {"_Z3sinDv4_f", "_Z3sinf"},
    {"_Z3powDv16_DhS_", "_Z3powDhDh"},
    {"_Z5clampDv4_fS_S_", "_Z5clampfff"},
    {"_Z5clampDv4_fff", "_Z5clampfff"},
    {"_Z5ldexpDv3_dDv3_i", "_Z5ldexpdi"},
    {"_Z6sincosDv4_fPS_", "_Z6sincosfPf"},
    {"_Z6sincosDv4_fPU3AS4S_", "_Z6sincosfPU3AS4f"},
    {"_Z5frexpDv2_fPU3AS1Dv2_i", "_Z5frexpfPU3AS1i"},
    {"_Z6remquoDv2_fS_PU3AS3Dv2_i", "_Z6remquoffPU3AS3i"},
    {"_Z6selectDv8_hS_Dv8_c", "_Z6selecthhc"},
    {"_Z13get_global_idj", "_Z13get_global_idj"},
    {"_Z12get_work_dimv", "_Z12get_work_dimv"},
    {"_Z17wait_group_eventsiPU3AS49ocl_event", "_Z17wait_group_eventsiPU3AS49ocl_event"},
    {"_Z39atomic_compare_exchange_strong_explicitPU3AS3VU7_AtomiciPii12memory_orderS4_12memory_scope",
     "_Z39atomic_compare_exchange_strong_explicitPU3AS3VU7_AtomiciPii12memory_orderS4_12memory_scope"},
    {"_Z21async_work_group_copyPU3AS3Dv2_fPU3AS1KS_m9ocl_event",
     "_Z21async_work_group_copyPU3AS3fPU3AS1Kfm9ocl_event"},
    {"_Z26async_work_group_copy_2D2DPU3AS3vmPU3AS1Kvmmmmmm9ocl_event",
     "_Z26async_work_group_copy_2D2DPU3AS3vmPU3AS1Kvmmmmmm9ocl_event"},
};

static void round_trip(void **state) {
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    struct kiln_mangled m;
    char text[KILN_MANGLE_MAX_NAME];
    assert_true(kiln_mangle_parse(names[i][0], &m));
    assert_int_equal(kiln_mangle_write(&m, m.name, m.name_len, false, text, sizeof text), strlen(names[i][0]));
    assert_string_equal(text, names[i][0]);
    assert_true(kiln_mangle_write(&m, m.name, m.name_len, true, text, sizeof text) > 0);
    assert_string_equal(text, names[i][1]);
  }
}

static void lanes(void **state) {
  struct kiln_mangled m;
  assert_true(kiln_mangle_parse("_Z5ldexpDv3_dDv3_i", &m));
  assert_int_equal(kiln_mangle_lanes(&m), 3);
  assert_true(kiln_mangle_parse("_Z3sinf", &m));
  assert_int_equal(kiln_mangle_lanes(&m), 0);
  assert_true(kiln_mangle_parse("_Z7shuffleDv2_fDv4_j", &m));
  assert_int_equal(kiln_mangle_lanes(&m), 0);
}

static void refused(void **state) {
  static const char *const bad[] = {"",      "sin",        "_Z",          "_Z3si",    "_Z3sin", "_Z3sinS_",
                                    "_Z3sinDv", "_Z3sinDv4f", "_Z3sinDv99_f", "_Z3sinP", "_Z3sinU3ASx",
                                    "_Z3sinQ", "_Z99999999999999999999sinf", "_Z3sinDx"};
  struct kiln_mangled m;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(kiln_mangle_parse(bad[i], &m));
}

static void short_buffer(void **state) {
  struct kiln_mangled m;
  char text[16];
  assert_true(kiln_mangle_parse("_Z5clampDv4_fS_S_", &m));
  for (size_t cap = 0; cap < sizeof text; cap++)
    assert_int_equal(kiln_mangle_write(&m, m.name, m.name_len, false, text, cap), 0);
}

static void source_names(void **state) {
  size_t len;
  assert_memory_equal(kiln_mangle_source_name("_Z5clampDv4_fS_S_", &len), "clamp", 5);
  assert_int_equal(len, 5);
  assert_string_equal(kiln_mangle_source_name("printf", &len), "printf");
  assert_int_equal(len, 6);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(round_trip), cmocka_unit_test(lanes),
                                     cmocka_unit_test(refused), cmocka_unit_test(short_buffer),
                                     cmocka_unit_test(source_names)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
