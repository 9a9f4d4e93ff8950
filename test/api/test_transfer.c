/* Linear reads, writes, copies, fills, migrations: bytes against a plain array, and what all commands refuse.
 */
#include "api/commands.h"
#include "api/world.h"

#include <stdlib.h>

/* ---- bytes ---- */

enum { SIZE = 3000 };

struct model { /* a buffer and what it must hold */
  cl_mem mem;
  uint8_t bytes[SIZE];
};

static void model_open(struct fixture *f, struct model *m, uint64_t *seed) {
  random_fill(seed, m->bytes, SIZE);
  m->mem = make_buffer(f->context, CL_MEM_COPY_HOST_PTR, SIZE, m->bytes);
}

static void model_check(struct fixture *f, const struct model *m) {
  uint8_t found[SIZE];
  expect_success(kiln_clEnqueueReadBuffer(f->queue, m->mem, CL_TRUE, 0, SIZE, found, 0, NULL, NULL));
  assert_memory_equal(found, m->bytes, SIZE);
}

static void random_span(uint64_t *seed, size_t *offset, size_t *size) {
  *offset = random_below(seed, SIZE + 1);
  *size = random_below(seed, (uint32_t)(SIZE - *offset) + 1);
}

static void one_read(struct fixture *f, struct model *m, uint64_t *seed) {
  size_t offset, size;
  uint8_t found[SIZE + 1];
  random_span(seed, &offset, &size);
  memset(found, 0xee, sizeof found);
  expect_success(kiln_clEnqueueReadBuffer(f->queue, m->mem, CL_TRUE, offset, size, found, 0, NULL, NULL));
  assert_memory_equal(found, m->bytes + offset, size);
  assert_int_equal(found[size], 0xee);
}

static void one_write(struct fixture *f, struct model *m, uint64_t *seed) {
  size_t offset, size;
  uint8_t bytes[SIZE];
  random_span(seed, &offset, &size);
  random_fill(seed, bytes, size);
  expect_success(kiln_clEnqueueWriteBuffer(f->queue, m->mem, CL_TRUE, offset, size, bytes, 0, NULL, NULL));
  memcpy(m->bytes + offset, bytes, size);
}

static void one_fill(struct fixture *f, struct model *m, uint64_t *seed) {
  uint8_t pattern[128];
  size_t pattern_size = (size_t)1 << random_below(seed, 8);
  size_t offset = random_below(seed, (uint32_t)(SIZE / pattern_size) + 1);
  size_t size = random_below(seed, (uint32_t)(SIZE / pattern_size - offset) + 1);
  random_fill(seed, pattern, pattern_size);
  offset *= pattern_size;
  size *= pattern_size;
  expect_success(
      kiln_clEnqueueFillBuffer(f->queue, m->mem, pattern, pattern_size, offset, size, 0, NULL, NULL));
  for (size_t i = 0; i < size; i++) m->bytes[offset + i] = pattern[i % pattern_size];
}

static void one_copy(struct fixture *f, struct model *from, struct model *to, uint64_t *seed) {
  size_t offset, size;
  random_span(seed, &offset, &size);
  size_t at = random_below(seed, (uint32_t)(SIZE - size) + 1);
  bool overlap = from == to && size > 0 && offset < at + size && at < offset + size;
  if (overlap) {
    expect_error(CL_MEM_COPY_OVERLAP, "bytes overlap",
                 kiln_clEnqueueCopyBuffer(f->queue, from->mem, to->mem, offset, at, size, 0, NULL, NULL));
    return;
  }
  expect_success(kiln_clEnqueueCopyBuffer(f->queue, from->mem, to->mem, offset, at, size, 0, NULL, NULL));
  memmove(to->bytes + at, from->bytes + offset, size);
}

static void random_transfers(void **state) {
  struct fixture *f = *state;
  uint64_t seed = 12345;
  struct model models[2];
  for (int i = 0; i < 2; i++) model_open(f, &models[i], &seed);
  for (int i = 0; i < rounds(3000); i++) {
    struct model *m = &models[random_below(&seed, 2)];
    switch (random_below(&seed, 4)) {
    case 0:
      one_read(f, m, &seed);
      break;
    case 1:
      one_write(f, m, &seed);
      break;
    case 2:
      one_fill(f, m, &seed);
      break;
    default:
      one_copy(f, m, &models[random_below(&seed, 2)], &seed);
    }
  }
  for (int i = 0; i < 2; i++) {
    model_check(f, &models[i]);
    drop_buffer(models[i].mem);
  }
}

/* Large enough to be divided among threads. */
static void large_transfers(void **state) {
  struct fixture *f = *state;
  enum { LARGE = (24 << 20) + 5, FILLED = LARGE / 128 * 64 };
  if (alloc_fail_active()) return;
  uint8_t *bytes = malloc(LARGE), *found = malloc(LARGE);
  uint64_t seed = 7;
  for (size_t i = 0; i + 4 <= LARGE; i += 4) memcpy(bytes + i, &(uint32_t){random_next(&seed)}, 4);
  cl_mem a = make_buffer(f->context, 0, LARGE, NULL), b = make_buffer(f->context, 0, LARGE, NULL);
  expect_success(kiln_clEnqueueWriteBuffer(f->queue, a, CL_FALSE, 0, LARGE, bytes, 0, NULL, NULL));
  expect_success(kiln_clEnqueueCopyBuffer(f->queue, a, b, 3, 1, LARGE - 3, 0, NULL, NULL));
  expect_success(kiln_clEnqueueFillBuffer(f->queue, b, bytes, 64, 0, FILLED, 0, NULL, NULL));
  expect_success(kiln_clEnqueueReadBuffer(f->queue, b, CL_TRUE, 0, LARGE, found, 0, NULL, NULL));
  for (size_t i = 0; i < FILLED; i++)
    if (found[i] != bytes[i % 64]) fail_msg("filled byte %zu is wrong", i);
  assert_memory_equal(found + FILLED, bytes + FILLED + 2, LARGE - 2 - FILLED); /* copied from 3 to 1 */
  drop_buffer(a);
  drop_buffer(b);
  free(bytes);
  free(found);
}

static void fill_patterns(void **state) {
  struct fixture *f = *state;
  uint64_t seed = 99;
  uint8_t pattern[128], found[1024];
  for (size_t pattern_size = 1; pattern_size <= 128; pattern_size *= 2) {
    cl_mem mem = make_buffer(f->context, 0, sizeof found, NULL);
    memset(found, 0xaa, sizeof found);
    random_fill(&seed, pattern, sizeof pattern);
    expect_success(kiln_clEnqueueWriteBuffer(f->queue, mem, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL));
    expect_success(kiln_clEnqueueFillBuffer(f->queue, mem, pattern, pattern_size, 2 * pattern_size,
                                            5 * pattern_size, 0, NULL, NULL));
    uint8_t used[128];
    memcpy(used, pattern, sizeof used);
    memset(pattern, 0, sizeof pattern); /* "can be reused or freed after the function returns" */
    expect_success(kiln_clEnqueueReadBuffer(f->queue, mem, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL));
    for (size_t i = 0; i < sizeof found; i++) {
      bool filled = i >= 2 * pattern_size && i < 7 * pattern_size;
      assert_int_equal(found[i], filled ? used[i % pattern_size] : 0xaa);
    }
    drop_buffer(mem);
  }
}

/* Nothing to move is legal everywhere but in a map, and an event all the same. */
static void no_bytes(void **state) {
  struct fixture *f = *state;
  uint8_t host[8];
  cl_mem a = make_buffer(f->context, 0, 64, NULL), b = make_buffer(f->context, 0, 64, NULL);
  cl_event events[4];
  expect_success(kiln_clEnqueueReadBuffer(f->queue, a, CL_FALSE, 64, 0, host, 0, NULL, &events[0]));
  expect_success(kiln_clEnqueueWriteBuffer(f->queue, a, CL_FALSE, 3, 0, host, 0, NULL, &events[1]));
  expect_success(kiln_clEnqueueCopyBuffer(f->queue, a, b, 64, 64, 0, 0, NULL, &events[2]));
  expect_success(kiln_clEnqueueFillBuffer(f->queue, a, host, 8, 64, 0, 0, NULL, &events[3]));
  expect_success(kiln_clEnqueueCopyBuffer(f->queue, a, a, 5, 5, 0, 0, NULL, NULL));
  expect_success(kiln_clWaitForEvents(4, events));
  for (int i = 0; i < 4; i++) drop_event(events[i]);
  drop_buffer(a);
  drop_buffer(b);
}

/* Reading a USE_HOST_PTR buffer into its own memory, and writing it from there, leaves it as it is. */
static void own_memory(void **state) {
  struct fixture *f = *state;
  uint8_t host[512], before[512];
  uint64_t seed = 4;
  random_fill(&seed, host, sizeof host);
  memcpy(before, host, sizeof host);
  cl_mem mem = make_buffer(f->context, CL_MEM_USE_HOST_PTR, sizeof host, host);
  expect_success(kiln_clEnqueueReadBuffer(f->queue, mem, CL_TRUE, 100, 200, host + 100, 0, NULL, NULL));
  expect_success(kiln_clEnqueueWriteBuffer(f->queue, mem, CL_TRUE, 0, 512, host, 0, NULL, NULL));
  assert_memory_equal(host, before, sizeof host);
  expect_success(kiln_clEnqueueFillBuffer(f->queue, mem, "ab", 2, 10, 6, 0, NULL, NULL));
  expect_success(kiln_clFinish(f->queue));
  assert_memory_equal(host + 10, "ababab", 6); /* zero copy */
  drop_buffer(mem);
}

static void migrations(void **state) {
  struct fixture *f = *state;
  cl_mem mems[40];
  uint8_t byte = 9;
  for (int i = 0; i < 40; i++) {
    mems[i] = make_buffer(f->context, 0, 64, NULL);
    expect_success(kiln_clEnqueueFillBuffer(f->queue, mems[i], &byte, 1, 0, 64, 0, NULL, NULL));
  }
  static const cl_mem_migration_flags flags[] = {
      0, CL_MIGRATE_MEM_OBJECT_HOST, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED,
      CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED};
  for (int i = 0; i < 4; i++) {
    cl_event event = NULL;
    expect_success(kiln_clEnqueueMigrateMemObjects(f->queue, 40, mems, flags[i], 0, NULL, &event));
    expect_success(kiln_clWaitForEvents(1, &event));
    drop_event(event);
  }
  expect_success(kiln_clEnqueueMigrateMemObjects(f->queue, 1, mems, 0, 0, NULL, NULL));
  expect_success(kiln_clEnqueueReadBuffer(f->queue, mems[39], CL_TRUE, 63, 1, &byte, 0, NULL, NULL));
  assert_int_equal(byte, 9);
  for (int i = 0; i < 40; i++) drop_buffer(mems[i]);
}

/* ---- what all commands have in common ---- */

struct pair {
  cl_mem a, b;
};
static struct pair pair_open(cl_context context) {
  return (struct pair){make_buffer(context, 0, COMMAND_BYTES, NULL),
                       make_buffer(context, 0, COMMAND_BYTES, NULL)};
}
static void pair_close(struct pair p) {
  drop_buffer(p.a);
  drop_buffer(p.b);
}

/* Each gives an event of its type that ends well. */
static void events_of_commands(void **state) {
  struct fixture *f = *state;
  struct pair p = pair_open(f->context);
  for (int i = 0; i < NUM_COMMANDS; i++) {
    cl_event event = NULL;
    struct command_args args = {.queue = f->queue, .a = p.a, .b = p.b, .event = &event};
    expect_success(commands[i].enqueue(&args));
    expect_success(kiln_clWaitForEvents(1, &event));
    cl_command_type type;
    cl_command_queue queue;
    expect_success(kiln_clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    assert_int_equal(type, commands[i].type);
    expect_success(kiln_clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, NULL));
    assert_ptr_equal(queue, f->queue);
    assert_int_equal(status_of(event), CL_COMPLETE);
    drop_event(event);
    args.event = NULL;
    args.blocking = commands[i].blocks;
    expect_success(commands[i].enqueue(&args));
  }
  expect_success(kiln_clFinish(f->queue));
  pair_close(p);
}

static void wrong_queues(void **state) {
  struct fixture *f = *state;
  struct pair p = pair_open(f->context);
  for (int i = 0; i < NUM_COMMANDS; i++) {
    struct command_args args = {.a = p.a, .b = p.b};
    expect_error(CL_INVALID_COMMAND_QUEUE, "command_queue is NULL", commands[i].enqueue(&args));
    args.queue = not_a_handle();
    expect_error(CL_INVALID_COMMAND_QUEUE, "is not a live command queue", commands[i].enqueue(&args));
    args.queue = (cl_command_queue)f->device;
    expect_error(CL_INVALID_COMMAND_QUEUE, "is not a live command queue", commands[i].enqueue(&args));
  }
  pair_close(p);
}

static void wrong_wait_lists(void **state) {
  struct fixture *f = *state;
  struct pair p = pair_open(f->context);
  cl_context other = make_context(f->device);
  cl_event own = make_user_event(f->context), foreign = make_user_event(other), out = NULL;
  const cl_event no_event[] = {own, NULL}, wrong_kind[] = {(cl_event)f->queue}, mixed[] = {own, foreign};
  for (int i = 0; i < NUM_COMMANDS; i++) {
    struct command_args args = {.queue = f->queue, .a = p.a, .b = p.b, .event = &out};
#define REFUSED(code, text, count, list)                                                                     \
  args.num_waits = count;                                                                                    \
  args.waits = list;                                                                                         \
  expect_error(code, text, commands[i].enqueue(&args))
    REFUSED(CL_INVALID_EVENT_WAIT_LIST, "event_wait_list is NULL and num_events_in_wait_list is 1", 1, NULL);
    REFUSED(CL_INVALID_EVENT_WAIT_LIST, "event_wait_list is not NULL and num_events_in_wait_list is 0", 0,
            &own);
    REFUSED(CL_INVALID_EVENT_WAIT_LIST, "event_wait_list[1] is NULL", 2, no_event);
    REFUSED(CL_INVALID_EVENT_WAIT_LIST, "is not a live event", 1, wrong_kind);
    REFUSED(CL_INVALID_CONTEXT, "event_wait_list[0]", 1, &foreign);
    REFUSED(CL_INVALID_CONTEXT, "belongs to another context", 2, mixed);
#undef REFUSED
    assert_null(out);
  }
  expect_success(kiln_clSetUserEventStatus(own, CL_COMPLETE));
  drop_event(own);
  drop_event(foreign);
  drop_context(other);
  pair_close(p);
}

static void wrong_buffers(void **state) {
  struct fixture *f = *state;
  struct pair p = pair_open(f->context);
  cl_context other = make_context(f->device);
  cl_mem foreign = make_buffer(other, 0, COMMAND_BYTES, NULL);
  cl_mem image = make_buffer(f->context, 0, COMMAND_BYTES, NULL);
  image->type = CL_MEM_OBJECT_IMAGE2D; /* as much of an image as is looked at */
  for (int i = 0; i < NUM_COMMANDS; i++) {
    char text[64];
    for (unsigned side = 0; side < commands[i].buffers; side++) {
      const char *name = side == 0 ? commands[i].a : commands[i].b;
      struct command_args args = {.queue = f->queue, .a = p.a, .b = p.b};
      cl_mem *mem = side == 0 ? &args.a : &args.b;
      *mem = foreign;
      snprintf(text, sizeof text, "%s ", name);
      expect_error(CL_INVALID_CONTEXT, text, commands[i].enqueue(&args));
      assert_non_null(strstr(kiln_last_error(), "belongs to another context than command_queue"));
      *mem = (cl_mem)f->context;
      snprintf(text, sizeof text, "%s %p is not a live memory object", name, (void *)f->context);
      expect_error(CL_INVALID_MEM_OBJECT, text, commands[i].enqueue(&args));
      *mem = image;
      snprintf(text, sizeof text, "%s %p is no buffer", name, (void *)image);
      if (commands[i].type != CL_COMMAND_MIGRATE_MEM_OBJECTS)
        expect_error(CL_INVALID_MEM_OBJECT, text, commands[i].enqueue(&args));
      *mem = NULL;
      snprintf(text, sizeof text, "%s is NULL", name);
      if (commands[i].type != CL_COMMAND_NATIVE_KERNEL) /* NULL is legal there */
        expect_error(CL_INVALID_MEM_OBJECT, text, commands[i].enqueue(&args));
    }
  }
  image->type = CL_MEM_OBJECT_BUFFER;
  drop_buffer(image);
  drop_buffer(foreign);
  drop_context(other);
  pair_close(p);
}

/* A wait list that fails ends each command, and makes a blocking call return that. */
static void failed_waits(void **state) {
  struct fixture *f = *state;
  struct pair p = pair_open(f->context);
  for (int i = 0; i < NUM_COMMANDS; i++)
    for (int when = 0; when < 2; when++) { /* the user event fails before the enqueue or after */
      cl_event gate = make_user_event(f->context), event = NULL;
      struct command_args args = {
          .queue = f->queue, .a = p.a, .b = p.b, .num_waits = 1, .waits = &gate, .event = &event};
      if (when == 0) expect_success(kiln_clSetUserEventStatus(gate, -42));
      expect_success(commands[i].enqueue(&args));
      if (when == 1) expect_success(kiln_clSetUserEventStatus(gate, -42));
      expect_error(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "event_list[0]",
                   kiln_clWaitForEvents(1, &event));
      assert_true(status_of(event) < 0);
      drop_event(event);
      if (when == 0 && commands[i].blocks) {
        args.blocking = CL_TRUE;
        args.event = NULL;
        expect_error(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "failed", commands[i].enqueue(&args));
      }
      drop_event(gate);
    }
  expect_success(kiln_clFinish(f->queue));
  pair_close(p);
}

/* A failed map leaves no mapping where it blocked; commands that failed moved nothing. */
static void failed_waits_move_nothing(void **state) {
  struct fixture *f = *state;
  uint8_t bytes[COMMAND_BYTES], found[COMMAND_BYTES];
  memset(bytes, 3, sizeof bytes);
  cl_mem mem = make_buffer(f->context, CL_MEM_COPY_HOST_PTR, sizeof bytes, bytes);
  cl_event gate = make_user_event(f->context);
  expect_success(kiln_clSetUserEventStatus(gate, -1));
  memset(bytes, 4, sizeof bytes);
  expect_success(kiln_clEnqueueWriteBuffer(f->queue, mem, CL_FALSE, 0, sizeof bytes, bytes, 1, &gate, NULL));
  expect_success(kiln_clEnqueueFillBuffer(f->queue, mem, bytes, 1, 0, sizeof bytes, 1, &gate, NULL));
  expect_success(kiln_clEnqueueReadBuffer(f->queue, mem, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL));
  for (size_t i = 0; i < sizeof found; i++) assert_int_equal(found[i], 3);
  expect_no_handle(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "failed",
                   kiln_clEnqueueMapBuffer(f->queue, mem, CL_TRUE, CL_MAP_WRITE, 0, 8, 1, &gate, NULL, &err));
  cl_uint count = 1;
  expect_success(kiln_clGetMemObjectInfo(mem, CL_MEM_MAP_COUNT, sizeof count, &count, NULL));
  assert_int_equal(count, 0);
  drop_event(gate);
  drop_buffer(mem);
}

/* More events than a command has room for. */
static void long_wait_lists(void **state) {
  struct fixture *f = *state;
  struct pair p = pair_open(f->context);
  cl_event gates[20];
  for (int i = 0; i < 20; i++) gates[i] = make_user_event(f->context);
  cl_event events[NUM_COMMANDS];
  for (int i = 0; i < NUM_COMMANDS; i++) {
    struct command_args args = {
        .queue = f->queue, .a = p.a, .b = p.b, .num_waits = 20, .waits = gates, .event = &events[i]};
    expect_success(commands[i].enqueue(&args));
  }
  for (int i = 0; i < 20; i++) {
    assert_int_equal(status_of(events[0]), CL_QUEUED);
    expect_success(kiln_clSetUserEventStatus(gates[i], CL_COMPLETE));
    drop_event(gates[i]);
  }
  expect_success(kiln_clWaitForEvents(NUM_COMMANDS, events));
  for (int i = 0; i < NUM_COMMANDS; i++) drop_event(events[i]);
  pair_close(p);
}

/* ---- what single commands refuse ---- */

static void wrong_spans(void **state) {
  struct fixture *f = *state;
  cl_mem a = make_buffer(f->context, 0, 64, NULL), b = make_buffer(f->context, 0, 128, NULL);
  uint8_t host[64];
  static const size_t spans[][2] = {{0, 65}, {64, 1}, {65, 0}, {1, SIZE_MAX}, {SIZE_MAX, 2}, {32, 33}};
  for (size_t i = 0; i < sizeof spans / sizeof *spans; i++) {
    size_t at = spans[i][0], size = spans[i][1];
    char text[100];
    snprintf(text, sizeof text, "%zu bytes at offset %zu exceed the 64 bytes of ", size, at);
    expect_error(CL_INVALID_VALUE, text,
                 kiln_clEnqueueReadBuffer(f->queue, a, CL_TRUE, at, size, host, 0, NULL, NULL));
    expect_error(CL_INVALID_VALUE, text,
                 kiln_clEnqueueWriteBuffer(f->queue, a, CL_TRUE, at, size, host, 0, NULL, NULL));
    expect_error(CL_INVALID_VALUE, text,
                 kiln_clEnqueueCopyBuffer(f->queue, a, b, at, 0, size, 0, NULL, NULL));
    if (size <= 128)
      expect_error(CL_INVALID_VALUE, text,
                   kiln_clEnqueueCopyBuffer(f->queue, b, a, 0, at, size, 0, NULL, NULL));
    expect_error(CL_INVALID_VALUE, text,
                 kiln_clEnqueueFillBuffer(f->queue, a, host, 1, at, size, 0, NULL, NULL));
  }
  expect_error(CL_INVALID_VALUE, "ptr is NULL",
               kiln_clEnqueueReadBuffer(f->queue, a, CL_TRUE, 0, 64, NULL, 0, NULL, NULL));
  expect_error(CL_INVALID_VALUE, "ptr is NULL",
               kiln_clEnqueueWriteBuffer(f->queue, a, CL_TRUE, 0, 64, NULL, 0, NULL, NULL));
  drop_buffer(a);
  drop_buffer(b);
}

static void wrong_patterns(void **state) {
  struct fixture *f = *state;
  cl_mem mem = make_buffer(f->context, 0, 1024, NULL);
  uint8_t pattern[256] = {0};
  expect_error(CL_INVALID_VALUE, "pattern is NULL",
               kiln_clEnqueueFillBuffer(f->queue, mem, NULL, 4, 0, 64, 0, NULL, NULL));
  static const size_t wrong[] = {0, 3, 5, 12, 24, 48, 96, 129, 256, SIZE_MAX};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    expect_error(CL_INVALID_VALUE, "is not 1, 2, 4, 8, 16, 32, 64 or 128",
                 kiln_clEnqueueFillBuffer(f->queue, mem, pattern, wrong[i], 0, 0, 0, NULL, NULL));
  expect_error(CL_INVALID_VALUE, "offset 2 and size 64 are not both multiples of pattern_size 4",
               kiln_clEnqueueFillBuffer(f->queue, mem, pattern, 4, 2, 64, 0, NULL, NULL));
  expect_error(CL_INVALID_VALUE, "offset 8 and size 66 are not both multiples of pattern_size 4",
               kiln_clEnqueueFillBuffer(f->queue, mem, pattern, 4, 8, 66, 0, NULL, NULL));
  drop_buffer(mem);
}

static void overlaps(void **state) {
  struct fixture *f = *state;
  size_t align = base_align(f->device);
  cl_mem mem = make_buffer(f->context, 0, 4 * align, NULL);
  cl_mem low = make_part(mem, 0, 0, 2 * align), high = make_part(mem, 0, align, 2 * align);
#define COPY(from, to, from_at, to_at, size)                                                                 \
  kiln_clEnqueueCopyBuffer(f->queue, from, to, from_at, to_at, size, 0, NULL, NULL)
  expect_error(CL_MEM_COPY_OVERLAP, "source (offset 0) and destination (offset 8) of 9 bytes overlap",
               COPY(mem, mem, 0, 8, 9));
  expect_error(CL_MEM_COPY_OVERLAP, "overlap", COPY(mem, mem, 8, 0, 9));
  expect_error(CL_MEM_COPY_OVERLAP, "overlap", COPY(mem, mem, 8, 8, 1));
  expect_success(COPY(mem, mem, 0, 8, 8));
  expect_success(COPY(mem, mem, 8, 0, 8));
  /* parts of one buffer, by where they lie in it */
  expect_error(CL_MEM_COPY_OVERLAP, "overlap", COPY(low, high, align, 0, 1));
  expect_error(CL_MEM_COPY_OVERLAP, "overlap", COPY(high, low, 0, align - 3, 4));
  expect_error(CL_MEM_COPY_OVERLAP, "overlap", COPY(mem, low, 5, 0, 6));
  expect_success(COPY(low, high, 0, align, align));
  expect_success(COPY(low, high, 0, 0, align));
#undef COPY
  drop_buffer(low);
  drop_buffer(high);
  drop_buffer(mem);
}

static void host_access(void **state) {
  struct fixture *f = *state;
  static const struct {
    cl_mem_flags flags;
    bool reads, writes;
  } rows[] = {{0, true, true},
              {CL_MEM_HOST_WRITE_ONLY, false, true},
              {CL_MEM_HOST_READ_ONLY, true, false},
              {CL_MEM_HOST_NO_ACCESS, false, false}};
  for (size_t i = 0; i < 4; i++) {
    cl_mem mem = make_buffer(f->context, rows[i].flags, COMMAND_BYTES, NULL);
    cl_mem other = make_buffer(f->context, rows[i].flags, COMMAND_BYTES, NULL);
    for (int c = 0; c < NUM_COMMANDS; c++) {
      struct command_args args = {.queue = f->queue, .a = mem, .b = other, .blocking = commands[c].blocks};
      bool reads = commands[c].enqueue == command_read || commands[c].enqueue == command_read_rect ||
                   commands[c].enqueue == command_map;
      bool writes = commands[c].enqueue == command_write || commands[c].enqueue == command_write_rect;
      if (reads && !rows[i].reads)
        expect_error(CL_INVALID_OPERATION, "which forbid the host to read it", commands[c].enqueue(&args));
      else if (writes && !rows[i].writes)
        expect_error(CL_INVALID_OPERATION, "which forbid the host to write it", commands[c].enqueue(&args));
      else expect_success(commands[c].enqueue(&args)); /* the flags are ignored by all others */
    }
    expect_success(kiln_clFinish(f->queue));
    drop_buffer(mem);
    drop_buffer(other);
  }
}

static void wrong_migrations(void **state) {
  struct fixture *f = *state;
  cl_mem mem = make_buffer(f->context, 0, 64, NULL);
  const cl_mem broken[] = {mem, (cl_mem)f->device};
  expect_error(CL_INVALID_VALUE, "num_mem_objects is 0",
               kiln_clEnqueueMigrateMemObjects(f->queue, 0, &mem, 0, 0, NULL, NULL));
  expect_error(CL_INVALID_VALUE, "num_mem_objects is 0",
               kiln_clEnqueueMigrateMemObjects(f->queue, 0, NULL, 0, 0, NULL, NULL));
  expect_error(CL_INVALID_VALUE, "mem_objects is NULL",
               kiln_clEnqueueMigrateMemObjects(f->queue, 1, NULL, 0, 0, NULL, NULL));
  expect_error(CL_INVALID_VALUE, "flags 0x4 has a bit that is no migration flag",
               kiln_clEnqueueMigrateMemObjects(f->queue, 1, &mem, 4, 0, NULL, NULL));
  expect_error(CL_INVALID_MEM_OBJECT, "mem_objects[1]",
               kiln_clEnqueueMigrateMemObjects(f->queue, 2, broken, 0, 0, NULL, NULL));
  drop_buffer(mem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_transfers),   cmocka_unit_test(large_transfers),
      cmocka_unit_test(fill_patterns),      cmocka_unit_test(no_bytes),
      cmocka_unit_test(own_memory),         cmocka_unit_test(migrations),
      cmocka_unit_test(events_of_commands), cmocka_unit_test(wrong_queues),
      cmocka_unit_test(wrong_wait_lists),   cmocka_unit_test(wrong_buffers),
      cmocka_unit_test(failed_waits),       cmocka_unit_test(failed_waits_move_nothing),
      cmocka_unit_test(long_wait_lists),    cmocka_unit_test(wrong_spans),
      cmocka_unit_test(wrong_patterns),     cmocka_unit_test(overlaps),
      cmocka_unit_test(host_access),        cmocka_unit_test(wrong_migrations),
  };
  return alloc_fail_run_group(tests, fixture_open, fixture_close);
}
