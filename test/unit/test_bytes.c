/* Copies and fills at every alignment, through the caches and past them: the bytes meant and no others. */
#include "test.h"

#include "drivers/cpu/bytes.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM = 20000, EDGE = 128 };

static uint8_t source[ROOM + 2 * EDGE], found[ROOM + 2 * EDGE], expected[ROOM + 2 * EDGE];
static const size_t sizes[] = {0, 1, 63, 64, 65, 4095, 4096, 4097, 8192, 12345, ROOM};
enum { NUM_SIZES = sizeof sizes / sizeof *sizes };

static void expect_found(const char *what, size_t size, size_t offset) {
  if (memcmp(found, expected, sizeof found) != 0)
    fail_msg("%s of %zu bytes at offset %zu", what, size, offset);
}

static void copies(void **state) {
  for (size_t i = 0; i < sizeof source; i++) source[i] = (uint8_t)(i * 31 + (i >> 8));
  for (int stream = 0; stream < 2; stream++)
    for (int s = 0; s < NUM_SIZES; s++)
      for (size_t offset = 0; offset < 70; offset += 3)
        for (size_t from = 0; from < 40; from += 13) {
          memset(found, 0xee, sizeof found);
          memset(expected, 0xee, sizeof expected);
          memcpy(expected + offset, source + from, sizes[s]);
          kiln_bytes_copy(found + offset, source + from, sizes[s], stream);
          expect_found(stream ? "streamed copy" : "copy", sizes[s], offset);
        }
}

static void fills(void **state) {
  uint8_t pattern[128];
  for (size_t i = 0; i < sizeof pattern; i++) pattern[i] = (uint8_t)(i * 7 + 1);
  for (int stream = 0; stream < 2; stream++)
    for (size_t pattern_size = 1; pattern_size <= 128; pattern_size *= 2)
      for (int s = 0; s < NUM_SIZES; s++)
        for (size_t offset = 0; offset < 70; offset += 3) {
          size_t size = sizes[s] / pattern_size * pattern_size;
          memset(found, 0xee, sizeof found);
          memset(expected, 0xee, sizeof expected);
          for (size_t i = 0; i < size; i++) expected[offset + i] = pattern[i % pattern_size];
          kiln_bytes_fill(found + offset, size, pattern, pattern_size, stream);
          expect_found(stream ? "streamed fill" : "fill", size, offset);
        }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(copies), cmocka_unit_test(fills)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
