/* Option text to settings and clang's words. */
#include "test.h"

#include "base/alloc.h"
#include "compiler/compiler.h"

#include <stdlib.h>
#include <string.h>

static struct kiln_options parsed;

static int finish(void **state) {
  (void)state;
  kiln_options_finish(&parsed);
  return 0;
}

/* The text is accepted for the use and gives clang the words listed, which end with NULL. */
static void expect_words(enum kiln_options_use use, const char *text, const char *const *words) {
  kiln_options_finish(&parsed);
  char *bad = NULL;
  cl_int err = kiln_options_parse(text, use, &parsed, &bad);
  if (err != CL_SUCCESS) print_error("%s: refused: %s\n", text, bad);
  assert_int_equal(err, CL_SUCCESS);
  size_t count = 0;
  while (words[count] != NULL) count++;
  assert_int_equal(parsed.num_args, count);
  for (size_t i = 0; i < count; i++) assert_string_equal(parsed.args[i], words[i]);
}

#define expect(text, ...) expect_words(KILN_OPTIONS_BUILD, text, (const char *const[]){__VA_ARGS__, NULL})
#define expect_none(use, text) expect_words(use, text, (const char *const[]){NULL})

static void expect_refused(enum kiln_options_use use, const char *text, const char *word) {
  static const cl_int codes[] = {[KILN_OPTIONS_BUILD] = CL_INVALID_BUILD_OPTIONS,
                                 [KILN_OPTIONS_COMPILE] = CL_INVALID_COMPILER_OPTIONS,
                                 [KILN_OPTIONS_LINK] = CL_INVALID_LINKER_OPTIONS};
  struct kiln_options options;
  char *bad = NULL;
  cl_int err = kiln_options_parse(text, use, &options, &bad);
  if (err != codes[use]) print_error("%s: %d\n", text, err);
  assert_int_equal(err, codes[use]);
  assert_non_null(bad);
  assert_string_equal(bad, word);
  kiln_free(bad);
}

static void nothing_is_an_option_list_too(void **state) {
  expect_none(KILN_OPTIONS_BUILD, NULL);
  expect_none(KILN_OPTIONS_BUILD, "");
  expect_none(KILN_OPTIONS_COMPILE, " \t\r\n ");
  assert_int_equal(parsed.std, 120);
  assert_int_equal(parsed.std_given, 0);
}

/* Every option of clBuildProgram and clCompileProgram. */
static void all_standard_options_are_known(void **state) {
  static const char *const both[] = {"-cl-single-precision-constant",
                                     "-cl-denorms-are-zero",
                                     "-cl-fp32-correctly-rounded-divide-sqrt",
                                     "-cl-opt-disable",
                                     "-cl-strict-aliasing",
                                     "-cl-mad-enable",
                                     "-cl-no-signed-zeros",
                                     "-cl-unsafe-math-optimizations",
                                     "-cl-finite-math-only",
                                     "-cl-fast-relaxed-math",
                                     "-cl-uniform-work-group-size",
                                     "-cl-no-subgroup-ifp",
                                     "-cl-kernel-arg-info",
                                     "-cl-std=CL1.1",
                                     "-cl-std=CL3.0",
                                     "-w",
                                     "-Werror",
                                     "-g",
                                     "-D A",
                                     "-DA=1",
                                     "-I folder"};
  for (size_t i = 0; i < sizeof both / sizeof *both; i++)
    for (int use = KILN_OPTIONS_BUILD; use <= KILN_OPTIONS_COMPILE; use++) {
      char *bad = NULL;
      assert_int_equal(kiln_options_parse(both[i], (enum kiln_options_use)use, &parsed, &bad), CL_SUCCESS);
      kiln_options_finish(&parsed);
    }
}

static void link_options(void **state) {
  static const char *const good[] = {"-create-library",
                                     "-create-library -enable-link-options",
                                     "-cl-denorms-are-zero",
                                     "-cl-no-signed-zeros",
                                     "-cl-unsafe-math-optimizations",
                                     "-cl-finite-math-only",
                                     "-cl-fast-relaxed-math",
                                     "-cl-no-subgroup-ifp"};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    assert_int_equal(kiln_options_parse(good[i], KILN_OPTIONS_LINK, &parsed, NULL), CL_SUCCESS);
    kiln_options_finish(&parsed);
  }
  expect_refused(KILN_OPTIONS_LINK, "-enable-link-options", "-enable-link-options");
  expect_refused(KILN_OPTIONS_LINK, "-cl-mad-enable", "-cl-mad-enable");
  expect_refused(KILN_OPTIONS_LINK, "-D A", "-D");
  expect_refused(KILN_OPTIONS_LINK, "-cl-std=CL1.2", "-cl-std=CL1.2");
  expect_refused(KILN_OPTIONS_BUILD, "-create-library", "-create-library");
  expect_refused(KILN_OPTIONS_COMPILE, "-enable-link-options", "-enable-link-options");
}

static void settings_are_set(void **state) {
  expect_words(KILN_OPTIONS_BUILD,
               "-cl-opt-disable -g -cl-kernel-arg-info -cl-mad-enable -w -cl-denorms-are-zero",
               (const char *const[]){"-cl-mad-enable", "-w", NULL});
  assert_true(parsed.opt_disable && parsed.debug && parsed.kernel_arg_info && parsed.contract &&
              parsed.no_warnings && parsed.denorms_zero);
  assert_false(parsed.werror || parsed.fast_relaxed || parsed.create_library || parsed.uniform_group_size);
}

static void definitions(void **state) {
  expect("-DA", "-D", "A");
  expect("-D A", "-D", "A");
  expect("-D  A=1", "-D", "A=1");
  expect("-DA=1 -DB=2", "-D", "A=1", "-D", "B=2");
  expect("-DA= -UA", "-D", "A=", "-U", "A");
  expect("-D_x9=-1.5f", "-D", "_x9=-1.5f");
}

static void quoted_definitions(void **state) {
  expect("-DA=\"b c\"", "-D", "A=b c");
  expect("\"-DA=b c\"", "-D", "A=b c");
  expect("-D \"A=b c\"", "-D", "A=b c");
  expect("-DA=\\\"text\\\"", "-D", "A=\"text\"");
  expect("-DA=b\\ c", "-D", "A=b c");
  expect("-DA=\\\\", "-D", "A=\\");
  expect("-DC=' '", "-D", "C=' '");
  expect("-DF(x)=((x)*2)", "-D", "F(x)=((x)*2)");
  expect("-DA=\"\"", "-D", "A=");
}

static void folders(void **state) {
  expect("-I.", "-I", ".");
  expect("-I a -I/b/c", "-I", "a", "-I", "/b/c");
  expect("-I \"a folder\" -I\"b c\"", "-I", "a folder", "-I", "b c");
  expect("-I a\\ b", "-I", "a b");
}

static void standards(void **state) {
  static const struct {
    const char *text;
    unsigned std;
    const char *word;
  } rows[] = {{"-cl-std=CL1.0", 100, "-cl-std=CL1.0"}, {"-cl-std=CL1.1", 110, "-cl-std=CL1.1"},
              {"-cl-std=CL1.2", 120, "-cl-std=CL1.2"}, {"-cl-std=CL2.0", 200, "-cl-std=CL2.0"},
              {"-cl-std=CL3.0", 300, "-cl-std=CL3.0"}, {"-cl-std=CL3.1", 310, "-cl-std=CL3.0"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    expect(rows[i].text, rows[i].word);
    assert_int_equal(parsed.std, rows[i].std);
    assert_int_equal(parsed.std_given, 1);
  }
  expect_refused(KILN_OPTIONS_BUILD, "-cl-std=CL9.9", "-cl-std=CL9.9");
  expect_refused(KILN_OPTIONS_BUILD, "-cl-std=", "-cl-std=");
  expect_refused(KILN_OPTIONS_BUILD, "-cl-std", "-cl-std");
  expect_refused(KILN_OPTIONS_BUILD, "-cl-std=CL", "-cl-std=CL");
}

static void widths(void **state) {
  expect_none(KILN_OPTIONS_BUILD, "-kiln-width=16");
  assert_int_equal(parsed.width, 16);
  expect_none(KILN_OPTIONS_LINK, "-kiln-width=1");
  assert_int_equal(parsed.width, 1);
  expect_none(KILN_OPTIONS_BUILD, "-kiln-width=pair");
  assert_int_equal(parsed.width, KILN_WIDTH_PAIR);
  static const char *const bad[] = {
      "-kiln-width=",    "-kiln-width=pairs", "-kiln-width=0",  "-kiln-width=3",
      "-kiln-width=128", "-kiln-width=4x",    "-kiln-width=-4", "-kiln-width=18446744073709551617"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) expect_refused(KILN_OPTIONS_BUILD, bad[i], bad[i]);
}

static void explanations(void **state) {
  expect_none(KILN_OPTIONS_BUILD, "-kiln-explain");
  assert_int_equal(parsed.explain, 1);
  expect_none(KILN_OPTIONS_LINK, "-kiln-explain");
  assert_int_equal(parsed.explain_size[0], 0);
  expect_none(KILN_OPTIONS_LINK, "-kiln-explain=64");
  assert_true(parsed.explain && parsed.explain_size[0] == 64 && parsed.explain_size[1] == 1);
  expect_none(KILN_OPTIONS_COMPILE, "-kiln-explain=8,4,65535");
  assert_true(parsed.explain_size[0] == 8 && parsed.explain_size[1] == 4 && parsed.explain_size[2] == 65535);
  static const char *const bad[] = {"-kiln-explains",      "-kiln-explain=",        "-kiln-explain=0",
                                    "-kiln-explain=8,",    "-kiln-explain=8,,4",    "-kiln-explain=8,4,2,1",
                                    "-kiln-explain=8,4,x", "-kiln-explain=8,65536", "-kiln-explain=-8"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) expect_refused(KILN_OPTIONS_BUILD, bad[i], bad[i]);
}

static void what_is_not_understood_is_named(void **state) {
  expect_refused(KILN_OPTIONS_BUILD, "-cl-mad-enable -nonsense -w", "-nonsense");
  expect_refused(KILN_OPTIONS_COMPILE, "word", "word");
  expect_refused(KILN_OPTIONS_BUILD, "-", "-");
  expect_refused(KILN_OPTIONS_BUILD, "-D", "-D");
  expect_refused(KILN_OPTIONS_BUILD, "-I", "-I");
  expect_refused(KILN_OPTIONS_BUILD, "-D 1A", "1A");
  expect_refused(KILN_OPTIONS_BUILD, "-D=1", "-D=1");
  expect_refused(KILN_OPTIONS_BUILD, "-DA-B", "-DA-B");
  expect_refused(KILN_OPTIONS_BUILD, "-I \"\"", "");
  expect_refused(KILN_OPTIONS_BUILD, "-cl-mad-enable-not", "-cl-mad-enable-not");
  expect_refused(KILN_OPTIONS_BUILD, "-triple", "-triple"); /* clang's own options stay clang's */
  expect_refused(KILN_OPTIONS_BUILD, "-load=x.so", "-load=x.so");
  expect_refused(KILN_OPTIONS_BUILD, "-Xclang -x", "-Xclang");
  expect_refused(KILN_OPTIONS_BUILD, "-include x", "-include");
}

static void open_quotes_do_no_harm(void **state) {
  static const char *const texts[] = {"\"",    "'",    "\\",        "-D\"",  "-DA=\"b",
                                      "-DA='", "-I\\", "-D A=\\\"", "\"\\\""};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    char *copy = strdup(texts[i]), *bad = NULL; /* so that a sanitizer sees a step past the end */
    kiln_options_parse(copy, KILN_OPTIONS_BUILD, &parsed, &bad);
    kiln_options_finish(&parsed);
    kiln_free(bad);
    free(copy);
  }
}

static void failing_allocations_are_reported(void **state) {
  for (size_t n = 1;; n++) {
    char *bad = NULL;
    kiln_alloc_fail_nth(n);
    cl_int err = kiln_options_parse("-DA=1 -I x -cl-std=CL3.0 -w", KILN_OPTIONS_BUILD, &parsed, &bad);
    kiln_alloc_fail_nth(0);
    kiln_options_finish(&parsed);
    if (err == CL_SUCCESS) {
      assert_true(n > 8);
      return;
    }
    assert_int_equal(err, CL_OUT_OF_HOST_MEMORY);
    assert_null(bad);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(nothing_is_an_option_list_too, finish),
      cmocka_unit_test_teardown(all_standard_options_are_known, finish),
      cmocka_unit_test_teardown(link_options, finish),
      cmocka_unit_test_teardown(settings_are_set, finish),
      cmocka_unit_test_teardown(definitions, finish),
      cmocka_unit_test_teardown(quoted_definitions, finish),
      cmocka_unit_test_teardown(folders, finish),
      cmocka_unit_test_teardown(standards, finish),
      cmocka_unit_test_teardown(widths, finish),
      cmocka_unit_test_teardown(explanations, finish),
      cmocka_unit_test_teardown(what_is_not_understood_is_named, finish),
      cmocka_unit_test_teardown(open_quotes_do_no_harm, finish),
      cmocka_unit_test_teardown(failing_allocations_are_reported, finish),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
