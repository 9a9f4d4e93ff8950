/* Commands on images: reads, writes, copies, fills and mappings of every type against a plain array, and what
 * they refuse. */
#include "api/images.h"

#include "core/image_format.h"
#include "core/queue.h"

#include <stdlib.h>

/* ---- images and what they must hold ---- */

enum { MODEL_BYTES = 2048 };

struct model {
  cl_mem mem;
  size_t element, extent[3];
  uint8_t bytes[MODEL_BYTES]; /* without padding */
};

static size_t model_at(const struct model *m, size_t x, size_t y, size_t z) {
  return ((z * m->extent[1] + y) * m->extent[0] + x) * m->element;
}

static size_t model_size(const struct model *m) { return model_at(m, 0, 0, m->extent[2]); }

static void model_open(struct fixture *f, struct model *m, const cl_image_format *format,
                       const cl_image_desc *shape, uint64_t *seed) {
  extent_of(shape, m->extent);
  random_fill(seed, m->bytes, MODEL_BYTES);
  m->mem = make_image(f->context, CL_MEM_COPY_HOST_PTR, format, shape, m->bytes);
  m->element = IMAGE_INFO(m->mem, CL_IMAGE_ELEMENT_SIZE, size_t);
  assert_in_range(model_size(m), 1, MODEL_BYTES);
}

static void model_check(struct fixture *f, const struct model *m) {
  uint8_t found[MODEL_BYTES];
  const size_t origin[3] = {0, 0, 0};
  expect_success(
      kiln_clEnqueueReadImage(f->queue, m->mem, CL_TRUE, origin, m->extent, 0, 0, found, 0, NULL, NULL));
  assert_memory_equal(found, m->bytes, model_size(m));
}

struct region {
  size_t origin[3], size[3];
};

static void random_region(uint64_t *seed, const size_t *extent, struct region *r) {
  for (int i = 0; i < 3; i++) {
    r->size[i] = 1 + random_below(seed, (uint32_t)extent[i]);
    r->origin[i] = random_below(seed, (uint32_t)(extent[i] - r->size[i]) + 1);
  }
}

/* ---- host memory ---- */

struct host {        /* a region in host memory with pitches */
  size_t row, slice; /* as given to the command; 0: left to it */
  size_t row_step, slice_step;
  uint8_t bytes[4 * MODEL_BYTES];
};

static void random_host(uint64_t *seed, const struct model *m, const struct region *r, struct host *h) {
  cl_mem_object_type type = m->mem->type;
  bool layers = type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
  size_t row = r->size[0] * m->element, rows = layers ? 1 : r->size[1];
  h->row = random_below(seed, 2) ? row + random_below(seed, 9) : 0;
  row = h->row != 0 ? h->row : row;
  h->slice = has_slices(type) && random_below(seed, 2) ? row * rows + random_below(seed, 9) : 0;
  h->slice_step = h->slice != 0 ? h->slice : row * rows;
  h->row_step = layers ? h->slice_step : row;
  random_fill(seed, h->bytes, sizeof h->bytes);
}

static uint8_t *host_row(struct host *h, size_t y, size_t z) {
  return h->bytes + z * h->slice_step + y * h->row_step;
}

static uint8_t *model_row(struct model *m, const struct region *r, size_t y, size_t z) {
  return m->bytes + model_at(m, r->origin[0], r->origin[1] + y, r->origin[2] + z);
}

static void one_read(struct fixture *f, struct model *m, uint64_t *seed) {
  struct region r;
  static struct host host, wanted;
  random_region(seed, m->extent, &r);
  random_host(seed, m, &r, &host);
  wanted = host;
  for (size_t z = 0; z < r.size[2]; z++)
    for (size_t y = 0; y < r.size[1]; y++)
      memcpy(host_row(&wanted, y, z), model_row(m, &r, y, z), r.size[0] * m->element);
  expect_success(kiln_clEnqueueReadImage(f->queue, m->mem, CL_TRUE, r.origin, r.size, host.row, host.slice,
                                         host.bytes, 0, NULL, NULL));
  assert_memory_equal(host.bytes, wanted.bytes, sizeof host.bytes);
}

static void one_write(struct fixture *f, struct model *m, uint64_t *seed) {
  struct region r;
  static struct host host;
  random_region(seed, m->extent, &r);
  random_host(seed, m, &r, &host);
  expect_success(kiln_clEnqueueWriteImage(f->queue, m->mem, CL_TRUE, r.origin, r.size, host.row, host.slice,
                                          host.bytes, 0, NULL, NULL));
  for (size_t z = 0; z < r.size[2]; z++)
    for (size_t y = 0; y < r.size[1]; y++)
      memcpy(model_row(m, &r, y, z), host_row(&host, y, z), r.size[0] * m->element);
}

static void one_fill(struct fixture *f, struct model *m, uint64_t *seed) {
  struct region r;
  uint32_t color[4];
  uint8_t element[16];
  random_region(seed, m->extent, &r);
  for (int i = 0; i < 4; i++) color[i] = random_next(seed);
  kiln_image_format_pack(&kiln_image_of(m->mem)->desc, color, element);
  expect_success(kiln_clEnqueueFillImage(f->queue, m->mem, color, r.origin, r.size, 0, NULL, NULL));
  for (size_t z = 0; z < r.size[2]; z++)
    for (size_t y = 0; y < r.size[1]; y++)
      for (size_t x = 0; x < r.size[0]; x++)
        memcpy(model_row(m, &r, y, z) + x * m->element, element, m->element);
}

static bool share(const size_t *a, const size_t *b, const size_t *size) {
  for (int i = 0; i < 3; i++)
    if (a[i] >= b[i] + size[i] || b[i] >= a[i] + size[i]) return false;
  return true;
}

static void one_copy(struct fixture *f, struct model *from, struct model *to, uint64_t *seed) {
  struct region s, d;
  size_t least[3];
  for (int i = 0; i < 3; i++) least[i] = from->extent[i] < to->extent[i] ? from->extent[i] : to->extent[i];
  random_region(seed, least, &s);
  d = s;
  for (int i = 0; i < 3; i++) {
    s.origin[i] = random_below(seed, (uint32_t)(from->extent[i] - s.size[i]) + 1);
    d.origin[i] = random_below(seed, (uint32_t)(to->extent[i] - s.size[i]) + 1);
  }
  if (from == to && share(s.origin, d.origin, s.size)) {
    expect_error(
        CL_MEM_COPY_OVERLAP, "overlap",
        kiln_clEnqueueCopyImage(f->queue, from->mem, to->mem, s.origin, d.origin, s.size, 0, NULL, NULL));
    return;
  }
  expect_success(
      kiln_clEnqueueCopyImage(f->queue, from->mem, to->mem, s.origin, d.origin, s.size, 0, NULL, NULL));
  for (size_t z = 0; z < s.size[2]; z++)
    for (size_t y = 0; y < s.size[1]; y++)
      memcpy(model_row(to, &d, y, z), model_row(from, &s, y, z), s.size[0] * from->element);
}

/* To a buffer and, moved by a byte, back. */
static void one_buffer_trip(struct fixture *f, struct model *m, uint64_t *seed) {
  struct region r;
  uint8_t bytes[MODEL_BYTES + 100], found[MODEL_BYTES + 100];
  size_t offset = random_below(seed, 100);
  random_region(seed, m->extent, &r);
  size_t row = r.size[0] * m->element, size = row * r.size[1] * r.size[2];
  random_fill(seed, bytes, sizeof bytes);
  cl_mem buffer = make_buffer(f->context, CL_MEM_COPY_HOST_PTR, sizeof bytes, bytes);
  expect_success(
      kiln_clEnqueueCopyImageToBuffer(f->queue, m->mem, buffer, r.origin, r.size, offset, 0, NULL, NULL));
  uint8_t *at = bytes + offset;
  for (size_t z = 0; z < r.size[2]; z++)
    for (size_t y = 0; y < r.size[1]; y++, at += row) memcpy(at, model_row(m, &r, y, z), row);
  expect_success(kiln_clEnqueueReadBuffer(f->queue, buffer, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL));
  assert_memory_equal(found, bytes, sizeof found);
  size_t from = random_below(seed, (uint32_t)(sizeof bytes - size) + 1);
  expect_success(
      kiln_clEnqueueCopyBufferToImage(f->queue, buffer, m->mem, from, r.origin, r.size, 0, NULL, NULL));
  at = bytes + from;
  for (size_t z = 0; z < r.size[2]; z++)
    for (size_t y = 0; y < r.size[1]; y++, at += row) memcpy(model_row(m, &r, y, z), at, row);
  expect_success(kiln_clFinish(f->queue));
  drop_buffer(buffer);
}

static uint8_t *map(struct fixture *f, cl_mem mem, cl_map_flags flags, const struct region *r, size_t *row,
                    size_t *slice) {
  cl_int err = 12345;
  uint8_t *pointer = kiln_clEnqueueMapImage(f->queue, mem, CL_TRUE, flags, r->origin, r->size, row, slice, 0,
                                            NULL, NULL, &err);
  expect_success(err);
  assert_non_null(pointer);
  return pointer;
}

static void unmap(struct fixture *f, cl_mem mem, void *pointer) {
  expect_success(kiln_clEnqueueUnmapMemObject(f->queue, mem, pointer, 0, NULL, NULL));
}

static void one_mapping(struct fixture *f, struct model *m, uint64_t *seed) {
  struct region r;
  size_t row = 1, slice = 1;
  random_region(seed, m->extent, &r);
  uint8_t *pointer = map(f, m->mem, CL_MAP_READ | CL_MAP_WRITE, &r, &row, &slice);
  assert_int_equal(row, m->extent[0] * m->element);
  bool layers = m->mem->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
  assert_int_equal(slice, !has_slices(m->mem->type) ? 0 : layers ? row : row * m->extent[1]);
  for (size_t z = 0; z < r.size[2]; z++)
    for (size_t y = 0; y < r.size[1]; y++) {
      uint8_t *found = pointer + z * slice + y * (layers ? slice : row), *wanted = model_row(m, &r, y, z);
      assert_memory_equal(found, wanted, r.size[0] * m->element);
      random_fill(seed, wanted, r.size[0] * m->element);
      memcpy(found, wanted, r.size[0] * m->element);
    }
  unmap(f, m->mem, pointer);
}

/* One format for each size of elements. */
static const cl_image_format sizes[] = {{CL_R, CL_UNSIGNED_INT8},
                                        {CL_RG, CL_SIGNED_INT8},
                                        {CL_RGBA, CL_UNSIGNED_INT8},
                                        {CL_RGBA, CL_SIGNED_INT16},
                                        {CL_RGBA, CL_UNSIGNED_INT32}};

static void random_round(struct fixture *f, struct model *models, uint64_t *seed) {
  struct model *m = &models[random_below(seed, NUM_SHAPES)];
  switch (random_below(seed, 6)) {
  case 0:
    one_read(f, m, seed);
    break;
  case 1:
    one_write(f, m, seed);
    break;
  case 2:
    one_fill(f, m, seed);
    break;
  case 3:
    one_copy(f, m, &models[random_below(seed, NUM_SHAPES)], seed);
    break;
  case 4:
    one_buffer_trip(f, m, seed);
    break;
  default:
    one_mapping(f, m, seed);
  }
}

static void random_transfers(void **state) {
  struct fixture *f = *state;
  static struct model models[NUM_SHAPES];
  uint64_t seed = 4711;
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    for (int i = 0; i < NUM_SHAPES; i++) model_open(f, &models[i], &sizes[k], &image_shapes[i], &seed);
    for (int i = 0; i < rounds(2000); i++) random_round(f, models, &seed);
    for (int i = 0; i < NUM_SHAPES; i++) {
      model_check(f, &models[i]);
      drop_buffer(models[i].mem);
    }
  }
}

/* Every command of the rounds once, as these are few when an allocation fails. */
static void each_transfer(void **state) {
  struct fixture *f = *state;
  static struct model models[2];
  uint64_t seed = 99;
  for (int i = 0; i < 2; i++) model_open(f, &models[i], &sizes[2], &image_shapes[3 + i], &seed);
  one_read(f, &models[0], &seed);
  one_write(f, &models[0], &seed);
  one_fill(f, &models[0], &seed);
  one_copy(f, &models[0], &models[1], &seed);
  one_buffer_trip(f, &models[0], &seed);
  one_mapping(f, &models[0], &seed);
  for (int i = 0; i < 2; i++) {
    model_check(f, &models[i]);
    drop_buffer(models[i].mem);
  }
}

/* Large enough to be divided among threads; rows that follow each other, and rows that do not. */
static void large_transfers(void **state) {
  struct fixture *f = *state;
  enum { W = 1500, H = 1200, ROW = W * 4, PADDED = ROW + 52 };
  if (alloc_fail_active()) return;
  const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = W, .image_height = H};
  cl_image_desc padded = desc;
  padded.image_row_pitch = PADDED;
  uint8_t *host = calloc(PADDED, H), *found = malloc((size_t)ROW * H);
  const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
  cl_mem a = make_image(f->context, 0, &format, &desc, NULL),
         b = make_image(f->context, CL_MEM_USE_HOST_PTR, &format, &padded, host);
  const size_t origin[3] = {0, 0, 0}, region[3] = {W, H, 1}, inner[3] = {100, 100, 0},
               part[3] = {1300, 1000, 1};
  static const cl_uint color[] = {1, 2, 3, 4};
  expect_success(kiln_clEnqueueFillImage(f->queue, a, color, origin, region, 0, NULL, NULL));
  expect_success(kiln_clEnqueueCopyImage(f->queue, a, b, inner, inner, part, 0, NULL, NULL));
  expect_success(kiln_clEnqueueReadImage(f->queue, b, CL_TRUE, origin, region, 0, 0, found, 0, NULL, NULL));
  for (size_t i = 0; i < (size_t)ROW * H; i++) {
    size_t x = i % ROW / 4, y = i / ROW;
    bool inside = x >= 100 && x < 1400 && y >= 100 && y < 1100;
    if (found[i] != (inside ? i % 4 + 1 : 0)) fail_msg("byte %zu of row %zu is wrong", i % ROW, y);
  }
  for (size_t y = 0; y < H; y++)
    for (size_t x = ROW; x < PADDED; x++) assert_int_equal(host[y * PADDED + x], 0);
  drop_buffer(a);
  drop_buffer(b);
  free(host);
  free(found);
}

/* An image with host memory is read into and written from that memory: nothing moves. */
static void own_host_memory(void **state) {
  struct fixture *f = *state;
  static uint8_t host[1024];
  uint64_t seed = 5;
  cl_image_desc desc = image_shapes[4];
  desc.image_row_pitch = 32;
  desc.image_slice_pitch = 128;
  random_fill(&seed, host, sizeof host);
  cl_mem image = make_image(f->context, CL_MEM_USE_HOST_PTR, &rgba8, &desc, host);
  const size_t origin[3] = {1, 1, 1}, region[3] = {4, 2, 3};
  uint8_t *at = host + 128 + 32 + 4, before[1024];
  memcpy(before, host, sizeof host);
  expect_success(
      kiln_clEnqueueReadImage(f->queue, image, CL_TRUE, origin, region, 32, 128, at, 0, NULL, NULL));
  expect_success(
      kiln_clEnqueueWriteImage(f->queue, image, CL_TRUE, origin, region, 32, 128, at, 0, NULL, NULL));
  assert_memory_equal(host, before, sizeof host);
  size_t row, slice;
  struct region r = {{1, 1, 1}, {4, 2, 3}};
  assert_ptr_equal(map(f, image, CL_MAP_READ, &r, &row, &slice), at);
  assert_int_equal(row, 32);
  assert_int_equal(slice, 128);
  unmap(f, image, at);
  expect_success(kiln_clFinish(f->queue));
  drop_buffer(image);
}

/* ---- mappings ---- */

static cl_uint map_count(cl_mem mem) { return MEM_INFO(mem, CL_MEM_MAP_COUNT, cl_uint); }

/* Regions beside each other may be mapped for writing, whichever object with the same bytes they are of. */
static void overlapping_mappings(void **state) {
  struct fixture *f = *state;
  cl_mem buffer = make_buffer(f->context, 0, 1024, NULL);
  cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                        .image_width = 8,
                        .image_height = 8,
                        .image_row_pitch = 64,
                        .mem_object = buffer};
  cl_mem image = make_image(f->context, 0, &rgba8, &desc, NULL);
  const cl_image_format srgb = {CL_sRGBA, CL_UNORM_INT8};
  desc.mem_object = image;
  cl_mem view = make_image(f->context, 0, &srgb, &desc, NULL);
  const struct region left = {{0, 0, 0}, {4, 8, 1}}, right = {{4, 0, 0}, {4, 8, 1}},
                      last = {{7, 7, 0}, {1, 1, 1}};
  size_t row;
  cl_int made = 12345;
  uint8_t *l = map(f, image, CL_MAP_WRITE, &left, &row, NULL),
          *r = map(f, view, CL_MAP_WRITE, &right, &row, NULL);
  assert_int_equal(r - l, 16);
  assert_int_equal(row, 64);
#define CONFLICT(mem, part)                                                                                  \
  expect_no_handle(CL_INVALID_OPERATION, "overlap a region that is mapped for writing",                      \
                   kiln_clEnqueueMapImage(f->queue, mem, CL_TRUE, CL_MAP_WRITE, part.origin, part.size,      \
                                          &row, NULL, 0, NULL, NULL, &err))
  CONFLICT(view, left);
  CONFLICT(image, last);
#undef CONFLICT
  expect_no_handle(
      CL_INVALID_OPERATION, "overlap a region that is mapped for writing",
      kiln_clEnqueueMapBuffer(f->queue, buffer, CL_TRUE, CL_MAP_WRITE, 64, 1, 0, NULL, NULL, &err));
  uint8_t *gap =
      kiln_clEnqueueMapBuffer(f->queue, buffer, CL_TRUE, CL_MAP_WRITE, 32, 32, 0, NULL, NULL, &made);
  expect_success(made);
  uint8_t *read = map(f, image, CL_MAP_READ, &right, &row, NULL);
  assert_int_equal(map_count(image), 2);
  assert_int_equal(map_count(view), 1);
  assert_int_equal(map_count(buffer), 1);
  expect_error(CL_INVALID_VALUE, "is not mapped on memobj",
               kiln_clEnqueueUnmapMemObject(f->queue, image, gap, 0, NULL, NULL));
  unmap(f, image, l);
  unmap(f, image, read);
  unmap(f, view, r);
  unmap(f, buffer, gap);
  unmap(f, image, map(f, image, CL_MAP_WRITE_INVALIDATE_REGION, &last, &row, NULL));
  assert_int_equal(map_count(image), 0);
  expect_success(kiln_clFinish(f->queue));
  drop_buffer(view);
  drop_buffer(image);
  drop_buffer(buffer);
}

static void failed_map(void **state) {
  struct fixture *f = *state;
  cl_mem image = make_image(f->context, 0, &rgba8, &image_shapes[2], NULL);
  const struct region r = {{0, 0, 0}, {9, 6, 1}};
  cl_event gate = make_user_event(f->context), mapped = NULL;
  cl_int made = 12345;
  size_t row;
  kiln_clEnqueueMapImage(f->queue, image, CL_FALSE, CL_MAP_WRITE, r.origin, r.size, &row, NULL, 1, &gate,
                         &mapped, &made);
  expect_success(made);
  assert_int_equal(map_count(image), 1);
  expect_success(kiln_clSetUserEventStatus(gate, -7));
  expect_error(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "event_list[0]",
               kiln_clWaitForEvents(1, &mapped));
  assert_int_equal(map_count(image), 0);
  unmap(f, image, map(f, image, CL_MAP_WRITE, &r, &row, NULL));
  expect_success(kiln_clFinish(f->queue));
  drop_event(mapped);
  drop_event(gate);
  drop_buffer(image);
}

/* ---- what every command refuses ---- */

struct args {
  cl_command_queue queue;
  cl_mem image, other, buffer; /* other: a second image of the same shape */
  const size_t *origin, *region;
  cl_uint num_waits;
  const cl_event *waits;
  cl_event *event;
};

static uint8_t host_bytes[4096];

static cl_int try_read(const struct args *a) {
  return kiln_clEnqueueReadImage(a->queue, a->image, CL_FALSE, a->origin, a->region, 0, 0, host_bytes,
                                 a->num_waits, a->waits, a->event);
}
static cl_int try_write(const struct args *a) {
  return kiln_clEnqueueWriteImage(a->queue, a->image, CL_FALSE, a->origin, a->region, 0, 0, host_bytes,
                                  a->num_waits, a->waits, a->event);
}
static cl_int try_fill(const struct args *a) {
  static const float color[4]; /* read at once, while a transfer may still write host_bytes */
  return kiln_clEnqueueFillImage(a->queue, a->image, color, a->origin, a->region, a->num_waits, a->waits,
                                 a->event);
}
static const size_t zero[3] = {0, 0, 0}, one[3] = {1, 1, 1};
static cl_int try_copy_from(const struct args *a) {
  return kiln_clEnqueueCopyImage(a->queue, a->image, a->other, a->origin, zero, a->region, a->num_waits,
                                 a->waits, a->event);
}
static cl_int try_copy_to(const struct args *a) {
  return kiln_clEnqueueCopyImage(a->queue, a->other, a->image, zero, a->origin, a->region, a->num_waits,
                                 a->waits, a->event);
}
static cl_int try_to_buffer(const struct args *a) {
  return kiln_clEnqueueCopyImageToBuffer(a->queue, a->image, a->buffer, a->origin, a->region, 0, a->num_waits,
                                         a->waits, a->event);
}
static cl_int try_from_buffer(const struct args *a) {
  return kiln_clEnqueueCopyBufferToImage(a->queue, a->buffer, a->image, 0, a->origin, a->region, a->num_waits,
                                         a->waits, a->event);
}
static cl_int try_map(const struct args *a) {
  cl_int err = 12345;
  size_t row, slice;
  void *pointer = kiln_clEnqueueMapImage(a->queue, a->image, CL_FALSE, CL_MAP_READ, a->origin, a->region,
                                         &row, &slice, a->num_waits, a->waits, a->event, &err);
  assert_true((pointer == NULL) == (err != CL_SUCCESS));
  return err;
}

static const struct command {
  cl_int (*enqueue)(const struct args *args);
  cl_command_type type;
  const char *image, *origin; /* names of arguments in messages */
} commands[] = {
    {try_read, CL_COMMAND_READ_IMAGE, "image", "origin"},
    {try_write, CL_COMMAND_WRITE_IMAGE, "image", "origin"},
    {try_fill, CL_COMMAND_FILL_IMAGE, "image", "origin"},
    {try_copy_from, CL_COMMAND_COPY_IMAGE, "src_image", "src_origin"},
    {try_copy_to, CL_COMMAND_COPY_IMAGE, "dst_image", "dst_origin"},
    {try_to_buffer, CL_COMMAND_COPY_IMAGE_TO_BUFFER, "src_image", "src_origin"},
    {try_from_buffer, CL_COMMAND_COPY_BUFFER_TO_IMAGE, "dst_image", "dst_origin"},
    {try_map, CL_COMMAND_MAP_IMAGE, "image", "origin"},
};
enum { NUM_COMMANDS = sizeof commands / sizeof *commands };

static struct args open_args(struct fixture *f, const cl_image_desc *desc) {
  return (struct args){.queue = f->queue,
                       .image = make_image(f->context, 0, &rgba8, desc, NULL),
                       .other = make_image(f->context, 0, &rgba8, desc, NULL),
                       .buffer = make_buffer(f->context, 0, 4096, NULL),
                       .origin = zero,
                       .region = one};
}

static void close_args(struct args *a) {
  expect_success(kiln_clFinish(a->queue));
  drop_buffer(a->image);
  drop_buffer(a->other);
  drop_buffer(a->buffer);
}

static void wrong_images(void **state) {
  struct fixture *f = *state;
  struct args good = open_args(f, &image_shapes[2]);
  cl_context strange = make_context(f->device);
  cl_mem foreign = make_image(strange, 0, &rgba8, &image_shapes[2], NULL);
  for (int i = 0; i < NUM_COMMANDS; i++) {
    char text[100];
    struct args a = good;
#define REFUSED(code, ...)                                                                                   \
  do {                                                                                                       \
    snprintf(text, sizeof text, __VA_ARGS__);                                                                \
    expect_error(code, text, commands[i].enqueue(&a));                                                       \
  } while (0)
    a.queue = NULL;
    REFUSED(CL_INVALID_COMMAND_QUEUE, "command_queue is NULL");
    a.queue = f->queue;
    a.image = NULL;
    REFUSED(CL_INVALID_MEM_OBJECT, "%s is NULL", commands[i].image);
    a.image = (cl_mem)f->context;
    REFUSED(CL_INVALID_MEM_OBJECT, "%s %p is not a live memory object", commands[i].image, (void *)a.image);
    a.image = good.buffer;
    REFUSED(CL_INVALID_MEM_OBJECT, "%s %p is no image", commands[i].image, (void *)a.image);
    a.image = foreign;
    REFUSED(CL_INVALID_CONTEXT, "%s %p belongs to another context than command_queue", commands[i].image,
            (void *)a.image);
    a = good;
    a.num_waits = 1;
    REFUSED(CL_INVALID_EVENT_WAIT_LIST, "event_wait_list is NULL and num_events_in_wait_list is 1");
#undef REFUSED
  }
  drop_buffer(foreign);
  drop_context(strange);
  close_args(&good);
}

static void wrong_regions(void **state) {
  struct fixture *f = *state;
  for (int s = 0; s < NUM_SHAPES; s++) {
    struct args good = open_args(f, &image_shapes[s]);
    size_t extent[3];
    extent_of(&image_shapes[s], extent);
    for (int i = 0; i < NUM_COMMANDS; i++) {
      char text[100];
      struct args a = good;
      a.origin = NULL;
      snprintf(text, sizeof text, "%s is NULL", commands[i].origin);
      expect_error(CL_INVALID_VALUE, text, commands[i].enqueue(&a));
      a = good;
      a.region = NULL;
      expect_error(CL_INVALID_VALUE, "region is NULL", commands[i].enqueue(&a));
      for (unsigned k = 0; k < 3; k++) {
        size_t origin[3] = {0, 0, 0}, region[3] = {1, 1, 1};
        a.origin = origin;
        a.region = region;
        region[k] = 0;
        snprintf(text, sizeof text, "region[%u] is 0", k);
        expect_error(CL_INVALID_VALUE, text, commands[i].enqueue(&a));
        region[k] = extent[k] + 1;
        snprintf(text, sizeof text, "region[%u] %zu at ", k, extent[k] + 1);
        expect_error(CL_INVALID_VALUE, text, commands[i].enqueue(&a));
        region[k] = 1;
        origin[k] = extent[k];
        snprintf(text, sizeof text, "region[%u] 1 at %s[%u] %zu exceeds the %zu there are of the image", k,
                 commands[i].origin, k, extent[k], extent[k]);
        expect_error(CL_INVALID_VALUE, text, commands[i].enqueue(&a));
        origin[k] = SIZE_MAX;
        expect_error(CL_INVALID_VALUE, "exceeds the", commands[i].enqueue(&a));
        origin[k] = 0;
        region[k] = SIZE_MAX;
        expect_error(CL_INVALID_VALUE, "exceeds the", commands[i].enqueue(&a));
      }
    }
    close_args(&good);
    if (alloc_fail_active()) return;
  }
}

static void wrong_pitches(void **state) {
  struct fixture *f = *state;
  cl_mem flat = make_image(f->context, 0, &rgba8, &image_shapes[2], NULL),
         solid = make_image(f->context, 0, &rgba8, &image_shapes[4], NULL),
         layers = make_image(f->context, 0, &rgba8, &image_shapes[1], NULL);
  const size_t region[3] = {4, 2, 1}, deep[3] = {4, 2, 2};
#define READ(image, region, row, slice, ptr)                                                                 \
  kiln_clEnqueueReadImage(f->queue, image, CL_TRUE, zero, region, row, slice, ptr, 0, NULL, NULL)
#define WRITE(image, region, row, slice, ptr)                                                                \
  kiln_clEnqueueWriteImage(f->queue, image, CL_TRUE, zero, region, row, slice, ptr, 0, NULL, NULL)
#define REFUSED(text, ...)                                                                                   \
  expect_error(CL_INVALID_VALUE, text, READ(__VA_ARGS__));                                                   \
  expect_error(CL_INVALID_VALUE, text, WRITE(__VA_ARGS__))
  REFUSED("row_pitch 15 is less than the region's width of 16 bytes", flat, region, 15, 0, host_bytes);
  REFUSED("slice_pitch is 32; for a 1D or 2D image it must be 0", flat, region, 16, 32, host_bytes);
  REFUSED("slice_pitch 31 is less than the 32 bytes of a slice of the region", solid, deep, 0, 31,
          host_bytes);
  REFUSED("slice_pitch 15 is less than the 16 bytes of a slice", layers, region, 0, 15, host_bytes);
  REFUSED("take the region's 2 rows and 1 slices past the end of the address space", flat, region,
          SIZE_MAX / 2 + 1, 0, host_bytes);
  REFUSED("take the region's 2 rows and 2 slices past", solid, deep, 16, SIZE_MAX, host_bytes);
  REFUSED("ptr is NULL", flat, region, 0, 0, NULL);
#undef REFUSED
  expect_success(READ(layers, region, 16, 16, host_bytes));
#undef READ
#undef WRITE
  drop_buffer(flat);
  drop_buffer(solid);
  drop_buffer(layers);
}

static void host_access(void **state) {
  struct fixture *f = *state;
  static const cl_mem_flags hosts[] = {0, CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY,
                                       CL_MEM_HOST_NO_ACCESS};
  static const bool reads[] = {true, false, true, false}, writes[] = {true, true, false, false};
  for (int h = 0; h < 4; h++) {
    struct args own = open_args(f, &image_shapes[2]), a = own;
    cl_mem image = make_image(f->context, hosts[h], &rgba8, &image_shapes[2], NULL);
    a.image = image;
    for (int i = 0; i < NUM_COMMANDS; i++) {
      bool reading = commands[i].enqueue == try_read || commands[i].enqueue == try_map;
      bool writing = commands[i].enqueue == try_write;
      if ((!reading || reads[h]) && (!writing || writes[h])) expect_success(commands[i].enqueue(&a));
      else
        expect_error(CL_INVALID_OPERATION,
                     reading ? "the image was created with flags" : "forbid the host to write",
                     commands[i].enqueue(&a));
    }
    expect_success(kiln_clFinish(f->queue));
    size_t row;
    if (writes[h]) {
      struct region r = {{0, 0, 0}, {1, 1, 1}};
      unmap(f, image, map(f, image, CL_MAP_WRITE, &r, &row, NULL));
    } else
      expect_no_handle(CL_INVALID_OPERATION, "forbid the host to write",
                       kiln_clEnqueueMapImage(f->queue, image, CL_TRUE, CL_MAP_WRITE, zero, one, &row, NULL,
                                              0, NULL, NULL, &err));
    close_args(&own);
    drop_buffer(image);
  }
}

static void wrong_maps(void **state) {
  struct fixture *f = *state;
  cl_mem image = make_image(f->context, 0, &rgba8, &image_shapes[4], NULL),
         layers = make_image(f->context, 0, &rgba8, &image_shapes[1], NULL),
         flat = make_image(f->context, 0, &rgba8, &image_shapes[2], NULL);
  size_t row = 1, slice = 1;
#define MAP(image, flags, row, slice)                                                                        \
  kiln_clEnqueueMapImage(f->queue, image, CL_TRUE, flags, zero, one, row, slice, 0, NULL, NULL, &err)
  expect_no_handle(CL_INVALID_VALUE, "image_row_pitch is NULL", MAP(image, CL_MAP_READ, NULL, &slice));
  expect_no_handle(CL_INVALID_VALUE, "image_slice_pitch is NULL; a 3D image or an array has one",
                   MAP(image, CL_MAP_READ, &row, NULL));
  expect_no_handle(CL_INVALID_VALUE, "image_slice_pitch is NULL", MAP(layers, CL_MAP_READ, &row, NULL));
  expect_no_handle(CL_INVALID_VALUE, "map_flags 0x8 has a bit that is no map flag",
                   MAP(image, 8, &row, &slice));
  expect_no_handle(CL_INVALID_VALUE, "map_flags 0x5 joins CL_MAP_WRITE_INVALIDATE_REGION",
                   MAP(image, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, &row, &slice));
  cl_int err = 12345;
  uint8_t *pointer = MAP(flat, CL_MAP_READ, &row, &slice);
  expect_success(err);
  assert_int_equal(slice, 0);
  unmap(f, flat, pointer);
#undef MAP
  expect_success(kiln_clFinish(f->queue));
  drop_buffer(image);
  drop_buffer(layers);
  drop_buffer(flat);
}

static void wrong_copies(void **state) {
  struct fixture *f = *state;
  struct args a = open_args(f, &image_shapes[2]);
  const cl_image_format signed8 = {CL_RGBA, CL_SNORM_INT8};
  cl_mem other = make_image(f->context, 0, &signed8, &image_shapes[2], NULL);
  expect_error(CL_IMAGE_FORMAT_MISMATCH,
               "src_image has order 0x10B5 and type 0x10D2, dst_image has order 0x10B5",
               kiln_clEnqueueCopyImage(f->queue, a.image, other, zero, zero, one, 0, NULL, NULL));
  cl_image_desc line = {
      .image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 64, .mem_object = a.buffer};
  cl_mem view = make_image(f->context, 0, &rgba8, &line, NULL);
  expect_error(CL_INVALID_MEM_OBJECT, "was created from buffer",
               kiln_clEnqueueCopyImageToBuffer(f->queue, view, a.buffer, zero, one, 128, 0, NULL, NULL));
  expect_error(CL_INVALID_MEM_OBJECT, "was created from buffer",
               kiln_clEnqueueCopyBufferToImage(f->queue, a.buffer, view, 128, zero, one, 0, NULL, NULL));
  cl_image_desc flat = {
      .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8, .mem_object = a.buffer};
  cl_mem rows = make_image(f->context, 0, &rgba8, &flat, NULL);
  expect_error(CL_MEM_COPY_OVERLAP, "source and destination, 1 x 1 rows of 4 bytes, overlap",
               kiln_clEnqueueCopyImageToBuffer(f->queue, rows, a.buffer, zero, one, 0, 0, NULL, NULL));
  expect_error(CL_MEM_COPY_OVERLAP, "overlap",
               kiln_clEnqueueCopyImage(f->queue, rows, view, zero, zero, one, 0, NULL, NULL));
  expect_success(kiln_clEnqueueCopyImageToBuffer(f->queue, rows, a.buffer, zero, one, 4, 0, NULL, NULL));
  const size_t region[3] = {9, 6, 1};
#define BUFFER_COPY(offset)                                                                                  \
  expect_error(                                                                                              \
      CL_INVALID_VALUE, "216 bytes at offset " #offset " exceed the 4096 bytes of dst_buffer",               \
      kiln_clEnqueueCopyImageToBuffer(f->queue, a.image, a.buffer, zero, region, offset, 0, NULL, NULL));    \
  expect_error(                                                                                              \
      CL_INVALID_VALUE, "216 bytes at offset " #offset " exceed the 4096 bytes of src_buffer",               \
      kiln_clEnqueueCopyBufferToImage(f->queue, a.buffer, a.image, offset, zero, region, 0, NULL, NULL))
  BUFFER_COPY(3881);
#undef BUFFER_COPY
  expect_error(
      CL_INVALID_VALUE, "exceed the 4096 bytes of dst_buffer",
      kiln_clEnqueueCopyImageToBuffer(f->queue, a.image, a.buffer, zero, region, SIZE_MAX, 0, NULL, NULL));
  expect_error(CL_INVALID_MEM_OBJECT, "dst_buffer is NULL",
               kiln_clEnqueueCopyImageToBuffer(f->queue, a.image, NULL, zero, one, 0, 0, NULL, NULL));
  expect_error(CL_INVALID_MEM_OBJECT, "src_buffer",
               kiln_clEnqueueCopyBufferToImage(f->queue, a.other, a.image, 0, zero, one, 0, NULL, NULL));
  expect_error(CL_INVALID_VALUE, "fill_color is NULL",
               kiln_clEnqueueFillImage(f->queue, a.image, NULL, zero, one, 0, NULL, NULL));
  expect_success(kiln_clFinish(f->queue));
  drop_buffer(rows);
  drop_buffer(view);
  drop_buffer(other);
  close_args(&a);
}

/* The device of the queue supports no images, or only smaller ones. */
static void other_devices(void **state) {
  struct fixture *f = *state;
  struct args a = open_args(f, &image_shapes[2]);
  struct kiln_caps *caps = &f->device->backend->caps;
  for (int i = 0; i < NUM_COMMANDS; i++) {
    caps->images.size2d[1] = 5;
    expect_error(CL_INVALID_IMAGE_SIZE, "of 9 x 6 x 1 elements and 1 layers is larger than",
                 commands[i].enqueue(&a));
    kiln_cpu_set_images(caps, false);
    expect_error(CL_INVALID_OPERATION, "does not support images", commands[i].enqueue(&a));
    kiln_cpu_set_images(caps, true);
    expect_success(commands[i].enqueue(&a));
  }
  close_args(&a);
}

/* ---- events ---- */

static void events(void **state) {
  struct fixture *f = *state;
  struct args a = open_args(f, &image_shapes[3]);
  for (int i = 0; i < NUM_COMMANDS; i++) {
    cl_event gate = make_user_event(f->context), done = NULL;
    cl_command_type type = 0;
    a.num_waits = 1;
    a.waits = &gate;
    a.event = &done;
    expect_success(commands[i].enqueue(&a));
    assert_int_equal(status_of(done), CL_QUEUED);
    expect_success(kiln_clGetEventInfo(done, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    assert_int_equal(type, commands[i].type);
    expect_success(kiln_clSetUserEventStatus(gate, CL_COMPLETE));
    expect_success(kiln_clWaitForEvents(1, &done));
    drop_event(done);
    drop_event(gate);
  }
  close_args(&a);
}

/* A command holds its objects, and a released image lasts until then. */
static void released_early(void **state) {
  struct fixture *f = *state;
  const cl_image_desc *desc = &image_shapes[2];
  const size_t region[3] = {9, 6, 1};
  static const float color[] = {1, 0, 1, 0};
  uint8_t found[216] = {0};
  cl_event gate = make_user_event(f->context);
  cl_mem image = make_image(f->context, 0, &rgba8, desc, NULL);
  expect_success(kiln_clEnqueueFillImage(f->queue, image, color, zero, region, 1, &gate, NULL));
  expect_success(
      kiln_clEnqueueReadImage(f->queue, image, CL_FALSE, zero, region, 0, 0, found, 0, NULL, NULL));
  drop_buffer(image);
  expect_success(kiln_clSetUserEventStatus(gate, CL_COMPLETE));
  expect_success(kiln_clFinish(f->queue));
  for (size_t i = 0; i < sizeof found; i++) assert_int_equal(found[i], i % 2 == 0 ? 255 : 0);
  drop_event(gate);
}

static void migrate(void **state) {
  struct fixture *f = *state;
  cl_mem mems[] = {make_image(f->context, 0, &rgba8, &image_shapes[2], NULL),
                   make_buffer(f->context, 0, 64, NULL)};
  expect_success(
      kiln_clEnqueueMigrateMemObjects(f->queue, 2, mems, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, NULL));
  expect_success(kiln_clFinish(f->queue));
  for (int i = 0; i < 2; i++) drop_buffer(mems[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_transfers),     cmocka_unit_test(each_transfer),
      cmocka_unit_test(large_transfers),      cmocka_unit_test(own_host_memory),
      cmocka_unit_test(overlapping_mappings), cmocka_unit_test(failed_map),
      cmocka_unit_test(wrong_images),         cmocka_unit_test(wrong_regions),
      cmocka_unit_test(wrong_pitches),        cmocka_unit_test(host_access),
      cmocka_unit_test(wrong_maps),           cmocka_unit_test(wrong_copies),
      cmocka_unit_test(other_devices),        cmocka_unit_test(events),
      cmocka_unit_test(released_early),       cmocka_unit_test(migrate),
  };
  return alloc_fail_run_group(tests, images_open, fixture_close);
}
