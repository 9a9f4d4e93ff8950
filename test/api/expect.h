/* Expectations on entry points: the error code and the sentence that explains it. */
#ifndef KILN_TEST_API_EXPECT_H
#define KILN_TEST_API_EXPECT_H

#include "test.h"

#include "api/retry.h"

#include "core/error.h"

#include <stdio.h>
#include <string.h>

/* So that a sentence left from an earlier call cannot pass. */
static inline void expect_begin(void) { kiln_fail(NULL, CL_SUCCESS, NULL, "no call has failed since"); }

static inline void expect_sentence(cl_int got, cl_int code, const char *text, const char *call,
                                   const char *file, int line) {
  const char *sentence = kiln_last_error();
  if (got == code && strstr(sentence, kiln_error_name(code)) != NULL && strstr(sentence, text) != NULL)
    return;
  char report[900];
  snprintf(report, sizeof report, "%s\n  gave %d, %s\n  expected %d, %s: ...%s...\n  sentence: %s\n", call,
           got, kiln_error_name(got), code, kiln_error_name(code), text, sentence);
  print_error("%s", report);
  _fail(file, line);
}

/* call returns a cl_int: it must be code, and the sentence must contain text. */
#define expect_error(code, text, call)                                                                       \
  do {                                                                                                       \
    expect_begin();                                                                                          \
    cl_int expect_got_ = (call);                                                                             \
    expect_sentence(expect_got_, (code), (text), #call, __FILE__, __LINE__);                                 \
  } while (0)

/* call returns a handle or pointer and writes its error through &err, a variable of this macro. */
#define expect_no_handle(code, text, call)                                                                   \
  do {                                                                                                       \
    cl_int err = CL_SUCCESS;                                                                                 \
    expect_begin();                                                                                          \
    assert_null(call);                                                                                       \
    expect_sentence(err, (code), (text), #call, __FILE__, __LINE__);                                         \
  } while (0)

#define expect_success(call)                                                                                 \
  do {                                                                                                       \
    cl_int expect_got_ = (call);                                                                             \
    if (alloc_fail_again_inner(expect_got_)) expect_got_ = (call);                                           \
    if (expect_got_ != CL_SUCCESS) print_error("%s: %s\n", #call, kiln_last_error());                        \
    assert_int_equal(expect_got_, CL_SUCCESS);                                                               \
  } while (0)

#endif
