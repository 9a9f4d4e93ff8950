/* cmocka with what it needs included before it. */
#ifndef KILN_TEST_TEST_H
#define KILN_TEST_TEST_H

/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#endif
