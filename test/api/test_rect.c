/* Rectangular reads, writes and copies: bytes against a plain loop, and every line of their lists of errors.
 */
#include "api/world.h"

#include <stdlib.h>

enum { SIZE = 4096 };

struct side { /* where a box lies in SIZE bytes; pitches as given, 0 left out */
  size_t origin[3], row, slice;
};

static size_t pitch_row(const struct side *s, const size_t *region) { return s->row ? s->row : region[0]; }
static size_t pitch_slice(const struct side *s, const size_t *region) {
  return s->slice ? s->slice : region[1] * pitch_row(s, region);
}
static size_t offset_of(const struct side *s, const size_t *region, size_t y, size_t z) {
  return (s->origin[2] + z) * pitch_slice(s, region) + (s->origin[1] + y) * pitch_row(s, region) +
         s->origin[0];
}
static bool fits(const struct side *s, const size_t *region) {
  return offset_of(s, region, region[1] - 1, region[2] - 1) + region[0] <= SIZE;
}

static void random_region(uint64_t *seed, size_t *region) {
  region[0] = 1 + random_below(seed, 40);
  region[1] = 1 + random_below(seed, 7);
  region[2] = 1 + random_below(seed, 4);
}

static void random_side(uint64_t *seed, struct side *s, const size_t *region) {
  do {
    s->row = random_below(seed, 2) ? 0 : region[0] + random_below(seed, 20);
    s->slice = random_below(seed, 2) ? 0 : pitch_row(s, region) * (region[1] + random_below(seed, 4));
    for (int i = 0; i < 3; i++) s->origin[i] = random_below(seed, i == 0 ? 50 : 5);
  } while (!fits(s, region));
}

static void reference(uint8_t *to, const struct side *t, const uint8_t *from, const struct side *f,
                      const size_t *region) {
  for (size_t z = 0; z < region[2]; z++)
    for (size_t y = 0; y < region[1]; y++)
      memcpy(to + offset_of(t, region, y, z), from + offset_of(f, region, y, z), region[0]);
}

#define READ(f, mem, b, h, region, ptr)                                                                      \
  kiln_clEnqueueReadBufferRect((f)->queue, mem, CL_TRUE, (b)->origin, (h)->origin, region, (b)->row,         \
                               (b)->slice, (h)->row, (h)->slice, ptr, 0, NULL, NULL)
#define WRITE(f, mem, b, h, region, ptr)                                                                     \
  kiln_clEnqueueWriteBufferRect((f)->queue, mem, CL_TRUE, (b)->origin, (h)->origin, region, (b)->row,        \
                                (b)->slice, (h)->row, (h)->slice, ptr, 0, NULL, NULL)
#define COPY(f, a, b, s, d, region)                                                                          \
  kiln_clEnqueueCopyBufferRect((f)->queue, a, b, (s)->origin, (d)->origin, region, (s)->row, (s)->slice,     \
                               (d)->row, (d)->slice, 0, NULL, NULL)

static void random_reads_and_writes(void **state) {
  struct fixture *f = *state;
  uint64_t seed = 31;
  static uint8_t model[SIZE], host[SIZE], expected[SIZE];
  random_fill(&seed, model, SIZE);
  cl_mem mem = make_buffer(f->context, CL_MEM_COPY_HOST_PTR, SIZE, model);
  for (int i = 0; i < rounds(3000); i++) {
    size_t region[3];
    struct side b, h;
    random_region(&seed, region);
    random_side(&seed, &b, region);
    random_side(&seed, &h, region);
    random_fill(&seed, host, SIZE);
    if (i % 2 == 0) {
      memcpy(expected, host, SIZE);
      reference(expected, &h, model, &b, region);
      expect_success(READ(f, mem, &b, &h, region, host));
      assert_memory_equal(host, expected, SIZE);
    } else {
      reference(model, &b, host, &h, region);
      expect_success(WRITE(f, mem, &b, &h, region, host));
    }
  }
  expect_success(kiln_clEnqueueReadBuffer(f->queue, mem, CL_TRUE, 0, SIZE, host, 0, NULL, NULL));
  assert_memory_equal(host, model, SIZE);
  drop_buffer(mem);
}

static void random_copies(void **state) {
  struct fixture *f = *state;
  uint64_t seed = 77;
  static uint8_t from[SIZE], to[SIZE], found[SIZE];
  random_fill(&seed, from, SIZE);
  random_fill(&seed, to, SIZE);
  cl_mem a = make_buffer(f->context, CL_MEM_COPY_HOST_PTR, SIZE, from);
  cl_mem b = make_buffer(f->context, CL_MEM_COPY_HOST_PTR, SIZE, to);
  for (int i = 0; i < rounds(1500); i++) {
    size_t region[3];
    struct side s, d;
    random_region(&seed, region);
    random_side(&seed, &s, region);
    random_side(&seed, &d, region);
    expect_success(COPY(f, a, b, &s, &d, region));
    reference(to, &d, from, &s, region);
  }
  expect_success(kiln_clEnqueueReadBuffer(f->queue, b, CL_TRUE, 0, SIZE, found, 0, NULL, NULL));
  assert_memory_equal(found, to, SIZE);
  drop_buffer(a);
  drop_buffer(b);
}

static bool share_a_byte(const struct side *s, const struct side *d, const size_t *region) {
  static uint8_t map[SIZE];
  memset(map, 0, sizeof map);
  for (size_t z = 0; z < region[2]; z++)
    for (size_t y = 0; y < region[1]; y++) memset(map + offset_of(s, region, y, z), 1, region[0]);
  for (size_t z = 0; z < region[2]; z++)
    for (size_t y = 0; y < region[1]; y++)
      if (memchr(map + offset_of(d, region, y, z), 1, region[0]) != NULL) return true;
  return false;
}

/* Within one buffer: equal pitches, and no byte in common. */
static void random_copies_within(void **state) {
  struct fixture *f = *state;
  uint64_t seed = 5;
  static uint8_t model[SIZE], found[SIZE];
  int overlapped = 0;
  random_fill(&seed, model, SIZE);
  cl_mem mem = make_buffer(f->context, CL_MEM_COPY_HOST_PTR, SIZE, model);
  for (int i = 0; i < rounds(3000); i++) {
    size_t region[3];
    struct side s, d;
    random_region(&seed, region);
    random_side(&seed, &s, region);
    do {
      d = s;
      for (int k = 0; k < 3; k++) d.origin[k] = random_below(&seed, k == 0 ? 50 : 6);
    } while (!fits(&d, region));
    if (share_a_byte(&s, &d, region)) {
      overlapped++;
      expect_error(CL_MEM_COPY_OVERLAP, "source and destination regions of",
                   COPY(f, mem, mem, &s, &d, region));
      continue;
    }
    expect_success(COPY(f, mem, mem, &s, &d, region));
    reference(model, &d, model, &s, region);
  }
  if (!alloc_fail_active()) assert_in_range(overlapped, 100, 2900);
  expect_success(kiln_clEnqueueReadBuffer(f->queue, mem, CL_TRUE, 0, SIZE, found, 0, NULL, NULL));
  assert_memory_equal(found, model, SIZE);
  drop_buffer(mem);
}

/* Parts of one buffer overlap where their bytes do; their pitches may differ. */
static void parts(void **state) {
  struct fixture *f = *state;
  size_t align = base_align(f->device);
  cl_mem mem = make_buffer(f->context, 0, SIZE, NULL);
  cl_mem low = make_part(mem, 0, 0, 8 * align), high = make_part(mem, 0, align, 8 * align);
  const size_t region[] = {align / 2, 2, 1};
  struct side s = {.row = 2 * align}, d = {.row = align, .origin = {align / 2, 0, 0}};
  expect_success(COPY(f, low, high, &s, &d, region)); /* at 0, 2 and 1.5, 2.5 alignments */
  d.origin[0] = align / 2 - 1;
  expect_error(CL_MEM_COPY_OVERLAP, "overlap", COPY(f, low, high, &s, &d, region));
  d.origin[0] = align / 2 + 1;
  expect_error(CL_MEM_COPY_OVERLAP, "overlap", COPY(f, low, high, &s, &d, region));
  d = (struct side){.row = align};
  expect_error(CL_MEM_COPY_OVERLAP, "overlap", COPY(f, low, high, &s, &d, region));
  drop_buffer(low);
  drop_buffer(high);
  drop_buffer(mem);
}

/* A box written onto its own place changes nothing, however it is cut. */
static void own_memory(void **state) {
  struct fixture *f = *state;
  uint64_t seed = 3;
  static uint8_t host[SIZE], before[SIZE];
  random_fill(&seed, host, SIZE);
  memcpy(before, host, SIZE);
  cl_mem mem = make_buffer(f->context, CL_MEM_USE_HOST_PTR, SIZE, host);
  const size_t region[] = {16, 4, 3};
  const struct side s = {{4, 2, 1}, 32, 256};
  expect_success(READ(f, mem, &s, &s, region, host));
  expect_success(WRITE(f, mem, &s, &s, region, host));
  assert_memory_equal(host, before, SIZE);
  /* the same start with another pitch moves rows: 2 and 3 of 8 bytes, from 32 bytes apart to 16 */
  const size_t rows[] = {8, 2, 1};
  const struct side wide = {.row = 32}, narrow = {.row = 16};
  expect_success(READ(f, mem, &wide, &narrow, rows, host));
  assert_memory_equal(host, before, 8);
  assert_memory_equal(host + 16, before + 32, 8);
  drop_buffer(mem);
}

/* ---- errors ---- */

static void wrong_pitches(void **state) {
  struct fixture *f = *state;
  static uint8_t host[SIZE];
  cl_mem a = make_buffer(f->context, 0, SIZE, NULL), b = make_buffer(f->context, 0, SIZE, NULL);
  const size_t region[] = {16, 4, 2};
  static const struct {
    struct side side;
    const char *text;
  } rows[] = {
      {{.row = 15}, "%s_row_pitch 15 is less than region[0], 16"},
      {{.row = 1}, "%s_row_pitch 1 is less than region[0], 16"},
      {{.slice = 63}, "%s_slice_pitch 63 is less than region[1] x the row pitch, 4 x 16"},
      {{.row = 20, .slice = 64}, "%s_slice_pitch 64 is less than region[1] x the row pitch, 4 x 20"},
      {{.slice = 65}, "%s_slice_pitch 65 is not a multiple of the row pitch, 16"},
      {{.row = 20, .slice = 90}, "%s_slice_pitch 90 is not a multiple of the row pitch, 20"},
      {{.row = SIZE_MAX / 2},
       "region[1], 4, rows of %s_row_pitch 9223372036854775807 exceed the address space"},
  };
  const struct side good = {.row = 0};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const struct side *bad = &rows[i].side;
    char text[4][120];
    static const char *const names[] = {"buffer", "host", "src", "dst"};
    for (int k = 0; k < 4; k++) {
      const char *conversion = strstr(rows[i].text, "%s");
      snprintf(text[k], sizeof text[k], "%.*s%s%s", (int)(conversion - rows[i].text), rows[i].text, names[k],
               conversion + 2);
    }
    expect_error(CL_INVALID_VALUE, text[0], READ(f, a, bad, &good, region, host));
    expect_error(CL_INVALID_VALUE, text[1], READ(f, a, &good, bad, region, host));
    expect_error(CL_INVALID_VALUE, text[0], WRITE(f, a, bad, &good, region, host));
    expect_error(CL_INVALID_VALUE, text[1], WRITE(f, a, &good, bad, region, host));
    expect_error(CL_INVALID_VALUE, text[2], COPY(f, a, b, bad, &good, region));
    expect_error(CL_INVALID_VALUE, text[3], COPY(f, a, b, &good, bad, region));
  }
  drop_buffer(a);
  drop_buffer(b);
}

static void wrong_regions(void **state) {
  struct fixture *f = *state;
  static uint8_t host[SIZE];
  cl_mem a = make_buffer(f->context, 0, SIZE, NULL), b = make_buffer(f->context, 0, SIZE, NULL);
  const struct side good = {.row = 0};
  static const size_t regions[3][3] = {{0, 4, 2}, {16, 0, 2}, {16, 4, 0}};
  for (int i = 0; i < 3; i++) {
    char text[80];
    snprintf(text, sizeof text, "region is %zu x %zu x %zu; no element may be 0", regions[i][0],
             regions[i][1], regions[i][2]);
    expect_error(CL_INVALID_VALUE, text, READ(f, a, &good, &good, regions[i], host));
    expect_error(CL_INVALID_VALUE, text, WRITE(f, a, &good, &good, regions[i], host));
    expect_error(CL_INVALID_VALUE, text, COPY(f, a, b, &good, &good, regions[i]));
  }
  expect_error(CL_INVALID_VALUE, "region is NULL", READ(f, a, &good, &good, NULL, host));
  expect_error(CL_INVALID_VALUE, "region is NULL", WRITE(f, a, &good, &good, NULL, host));
  expect_error(CL_INVALID_VALUE, "region is NULL", COPY(f, a, b, &good, &good, NULL));
  const size_t region[] = {16, 4, 2};
  expect_error(CL_INVALID_VALUE, "ptr is NULL", READ(f, a, &good, &good, region, NULL));
  expect_error(CL_INVALID_VALUE, "ptr is NULL", WRITE(f, a, &good, &good, region, NULL));
  drop_buffer(a);
  drop_buffer(b);
}

static void no_origins(void **state) {
  struct fixture *f = *state;
  static uint8_t host[SIZE];
  cl_mem a = make_buffer(f->context, 0, SIZE, NULL), b = make_buffer(f->context, 0, SIZE, NULL);
  const size_t region[] = {16, 4, 2}, zero[] = {0, 0, 0};
  cl_command_queue q = f->queue;
  expect_error(
      CL_INVALID_VALUE, "buffer_origin is NULL",
      kiln_clEnqueueReadBufferRect(q, a, CL_TRUE, NULL, zero, region, 0, 0, 0, 0, host, 0, NULL, NULL));
  expect_error(
      CL_INVALID_VALUE, "host_origin is NULL",
      kiln_clEnqueueReadBufferRect(q, a, CL_TRUE, zero, NULL, region, 0, 0, 0, 0, host, 0, NULL, NULL));
  expect_error(
      CL_INVALID_VALUE, "buffer_origin is NULL",
      kiln_clEnqueueWriteBufferRect(q, a, CL_TRUE, NULL, zero, region, 0, 0, 0, 0, host, 0, NULL, NULL));
  expect_error(
      CL_INVALID_VALUE, "host_origin is NULL",
      kiln_clEnqueueWriteBufferRect(q, a, CL_TRUE, zero, NULL, region, 0, 0, 0, 0, host, 0, NULL, NULL));
  expect_error(CL_INVALID_VALUE, "src_origin is NULL",
               kiln_clEnqueueCopyBufferRect(q, a, b, NULL, zero, region, 0, 0, 0, 0, 0, NULL, NULL));
  expect_error(CL_INVALID_VALUE, "dst_origin is NULL",
               kiln_clEnqueueCopyBufferRect(q, a, b, zero, NULL, region, 0, 0, 0, 0, 0, NULL, NULL));
  drop_buffer(a);
  drop_buffer(b);
}

/* One byte too far in each dimension, and far beyond what a size can hold. */
static void out_of_bounds(void **state) {
  struct fixture *f = *state;
  static uint8_t host[SIZE];
  cl_mem a = make_buffer(f->context, 0, SIZE, NULL), b = make_buffer(f->context, 0, SIZE, NULL);
  const size_t region[] = {16, 4, 2}; /* with pitches 32 and 256: 256 + 3 * 32 + 16 = 368 bytes */
  const struct side good = {.row = 32, .slice = 256}, last = {{SIZE - 368, 0, 0}, 32, 256};
  expect_success(READ(f, a, &last, &good, region, host));
  expect_success(WRITE(f, a, &last, &good, region, host));
  expect_success(COPY(f, a, b, &last, &last, region));
  static const struct side wrong[] = {
      {{SIZE - 367, 0, 0}, 32, 256},
      {{16, 0, 15}, 32, 256},
      {{0, 117, 0}, 32, 256},
      {{SIZE_MAX, 0, 0}, 32, 256},
      {{0, SIZE_MAX / 16, 0}, 32, 256},
      {{0, 0, SIZE_MAX / 128}, 32, 256},
      {{0, 0, (size_t)1 << 56}, 32, 256},
      {{0, (size_t)1 << 59, 0}, 32, 256},
      {{0, 0, 0}, 32, (size_t)1 << 63},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    expect_error(CL_INVALID_VALUE, "bytes at buffer_origin", READ(f, a, &wrong[i], &good, region, host));
    expect_error(CL_INVALID_VALUE, "bytes at buffer_origin", WRITE(f, a, &wrong[i], &good, region, host));
    expect_error(CL_INVALID_VALUE, "bytes at src_origin", COPY(f, a, b, &wrong[i], &good, region));
    expect_error(CL_INVALID_VALUE, "bytes at dst_origin", COPY(f, a, b, &good, &wrong[i], region));
    assert_non_null(strstr(kiln_last_error(), "ends past the 4096 bytes there are"));
  }
  /* the host's memory has no known end but that of the address space */
  expect_error(CL_INVALID_VALUE, "bytes at host_origin", READ(f, a, &good, &wrong[3], region, host));
  expect_error(CL_INVALID_VALUE, "bytes at host_origin", WRITE(f, a, &good, &wrong[8], region, host));
  drop_buffer(a);
  drop_buffer(b);
}

static void one_buffer_two_pitches(void **state) {
  struct fixture *f = *state;
  cl_mem mem = make_buffer(f->context, 0, SIZE, NULL);
  const size_t region[] = {16, 4, 2};
  const struct side s = {.row = 32, .slice = 256}, row = {{0, 0, 2}, 64, 256}, slice = {{0, 0, 2}, 32, 512};
  expect_error(CL_INVALID_VALUE,
               "source and destination are one buffer, but their pitches differ (32, 256 and",
               COPY(f, mem, mem, &s, &row, region));
  expect_error(CL_INVALID_VALUE, "but their pitches differ (32, 256 and 32, 512)",
               COPY(f, mem, mem, &s, &slice, region));
  /* 0 stands for the value it is computed as */
  const struct side given = {{0, 0, 0}, 16, 64}, left_out = {{0, 0, 2}, 0, 0};
  expect_success(COPY(f, mem, mem, &given, &left_out, region));
  drop_buffer(mem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_reads_and_writes),
      cmocka_unit_test(random_copies),
      cmocka_unit_test(random_copies_within),
      cmocka_unit_test(parts),
      cmocka_unit_test(own_memory),
      cmocka_unit_test(wrong_pitches),
      cmocka_unit_test(wrong_regions),
      cmocka_unit_test(no_origins),
      cmocka_unit_test(out_of_bounds),
      cmocka_unit_test(one_buffer_two_pitches),
  };
  return alloc_fail_run_group(tests, fixture_open, fixture_close);
}
