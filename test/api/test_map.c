/* Mapping: zero copy, flags, counts, regions mapped for writing, unmapping, and their errors. */
#include "api/commands.h"
#include "api/world.h"

#include "core/queue.h"

static uint8_t *map(struct fixture *f, cl_mem mem, cl_map_flags flags, size_t offset, size_t size) {
  cl_int err = 12345;
  uint8_t *pointer =
      kiln_clEnqueueMapBuffer(f->queue, mem, CL_TRUE, flags, offset, size, 0, NULL, NULL, &err);
  expect_success(err);
  assert_non_null(pointer);
  return pointer;
}

static void unmap(struct fixture *f, cl_mem mem, void *pointer) {
  expect_success(kiln_clEnqueueUnmapMemObject(f->queue, mem, pointer, 0, NULL, NULL));
}

static cl_uint map_count(cl_mem mem) {
  cl_uint count = 12345;
  expect_success(kiln_clGetMemObjectInfo(mem, CL_MEM_MAP_COUNT, sizeof count, &count, NULL));
  return count;
}

static const cl_map_flags all_flags[] = {0, CL_MAP_READ, CL_MAP_WRITE, CL_MAP_READ | CL_MAP_WRITE,
                                         CL_MAP_WRITE_INVALIDATE_REGION};

/* What a kernel or command writes is seen through the pointer, and the other way about. */
static void both_ways(void **state) {
  struct fixture *f = *state;
  cl_mem mem = make_buffer(f->context, 0, 1024, NULL);
  expect_success(kiln_clEnqueueFillBuffer(f->queue, mem, "a", 1, 0, 1024, 0, NULL, NULL));
  uint8_t *pointer = map(f, mem, CL_MAP_READ | CL_MAP_WRITE, 100, 200), found[4];
  for (int i = 0; i < 200; i++) assert_int_equal(pointer[i], 'a');
  memset(pointer, 'b', 200);
  unmap(f, mem, pointer);
  expect_success(kiln_clEnqueueReadBuffer(f->queue, mem, CL_TRUE, 98, 4, found, 0, NULL, NULL));
  assert_memory_equal(found, "aabb", 4);
  expect_success(kiln_clEnqueueReadBuffer(f->queue, mem, CL_TRUE, 298, 4, found, 0, NULL, NULL));
  assert_memory_equal(found, "bbaa", 4);
  drop_buffer(mem);
}

/* "The pointer value returned ... will be derived from the host_ptr": host_ptr + offset. */
static void host_memory(void **state) {
  struct fixture *f = *state;
  static uint8_t host[1024] __attribute__((aligned(128)));
  cl_mem mem = make_buffer(f->context, CL_MEM_USE_HOST_PTR, sizeof host, host);
  cl_mem part = make_part(mem, 0, 512, 512);
  for (size_t i = 0; i < sizeof all_flags / sizeof *all_flags; i++) {
    uint8_t *pointer = map(f, mem, all_flags[i], 33, 100);
    assert_ptr_equal(pointer, host + 33);
    unmap(f, mem, pointer);
    pointer = map(f, part, all_flags[i], 5, 500);
    assert_ptr_equal(pointer, host + 512 + 5);
    unmap(f, part, pointer);
  }
  /* the latest bits are there once the map is done */
  expect_success(kiln_clEnqueueFillBuffer(f->queue, mem, "xy", 2, 0, 1024, 0, NULL, NULL));
  uint8_t *pointer = map(f, mem, CL_MAP_READ, 0, 1024);
  assert_memory_equal(host + 1022, "xy", 2);
  unmap(f, mem, pointer);
  drop_buffer(part);
  drop_buffer(mem);
}

/* Every mapping of the same place is the same memory, with any pointer flags. */
static void stable_address(void **state) {
  struct fixture *f = *state;
  static uint8_t host[256];
  static const cl_mem_flags flags[] = {0, CL_MEM_ALLOC_HOST_PTR, CL_MEM_COPY_HOST_PTR,
                                       CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR};
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
    cl_mem mem = make_buffer(f->context, flags[i], 256, flags[i] & CL_MEM_COPY_HOST_PTR ? host : NULL);
    uint8_t *first = map(f, mem, CL_MAP_READ, 0, 256), *second = map(f, mem, CL_MAP_READ, 16, 16);
    assert_ptr_equal(second, first + 16);
    unmap(f, mem, first);
    unmap(f, mem, second);
    drop_buffer(mem);
  }
}

static void counts(void **state) {
  struct fixture *f = *state;
  size_t align = base_align(f->device);
  cl_mem mem = make_buffer(f->context, 0, 4 * align, NULL), part = make_part(mem, 0, align, align);
  void *pointers[5];
  for (int i = 0; i < 5; i++) {
    assert_int_equal(map_count(mem), i);
    pointers[i] = map(f, mem, CL_MAP_READ, 0, 10);
  }
  assert_int_equal(map_count(part), 0);
  void *of_part = map(f, part, CL_MAP_READ, 0, 10);
  assert_int_equal(map_count(part), 1);
  assert_int_equal(map_count(mem), 5);
  for (int i = 4; i >= 0; i--) {
    unmap(f, mem, pointers[i]);
    assert_int_equal(map_count(mem), i);
  }
  expect_error(CL_INVALID_VALUE, "is not mapped on memobj",
               kiln_clEnqueueUnmapMemObject(f->queue, mem, pointers[0], 0, NULL, NULL));
  unmap(f, part, of_part);
  assert_int_equal(map_count(part), 0);
  drop_buffer(part);
  drop_buffer(mem);
}

/* "Mapping ... overlapped regions in a memory object and/or associated memory objects for writing is an
 * error" */
static void overlaps(void **state) {
  struct fixture *f = *state;
  size_t align = base_align(f->device);
  cl_mem mem = make_buffer(f->context, 0, 4 * align, NULL), low = make_part(mem, 0, 0, 2 * align),
         high = make_part(mem, 0, align, 2 * align);
#define CONFLICT(mem, flags, offset, size)                                                                   \
  expect_no_handle(                                                                                          \
      CL_INVALID_OPERATION, "overlap a region that is mapped for writing",                                   \
      kiln_clEnqueueMapBuffer(f->queue, mem, CL_TRUE, flags, offset, size, 0, NULL, NULL, &err))
  uint8_t *written = map(f, mem, CL_MAP_WRITE, align + 10, 20);
  CONFLICT(mem, CL_MAP_WRITE, align + 10, 20);
  CONFLICT(mem, CL_MAP_READ | CL_MAP_WRITE, align + 29, 1);
  CONFLICT(mem, CL_MAP_WRITE_INVALIDATE_REGION, 0, 4 * align);
  CONFLICT(low, CL_MAP_WRITE, 0, 2 * align);
  CONFLICT(high, CL_MAP_WRITE_INVALIDATE_REGION, 0, 11);
  assert_int_equal(map_count(mem), 1);
  assert_int_equal(map_count(low), 0);
  /* beside it, and for reading */
  uint8_t *before = map(f, mem, CL_MAP_WRITE, 0, align + 10), *after = map(f, high, CL_MAP_WRITE, 30, 5);
  uint8_t *read = map(f, low, CL_MAP_READ, align, 30);
  CONFLICT(mem, CL_MAP_WRITE, align + 34, 10);
  unmap(f, mem, written);
  unmap(f, mem, before);
  unmap(f, high, after);
  uint8_t *whole = map(f, mem, CL_MAP_WRITE_INVALIDATE_REGION, 0, 4 * align);
  unmap(f, mem, whole);
  unmap(f, low, read);
  /* what a released part had mapped is in nobody's way */
  map(f, low, CL_MAP_WRITE, 0, 10);
  expect_success(kiln_clFinish(f->queue));
  drop_buffer(low);
  unmap(f, mem, map(f, mem, CL_MAP_WRITE, 0, align));
#undef CONFLICT
  drop_buffer(high);
  drop_buffer(mem);
}

/* Not blocking: the pointer comes at once, the bytes with the event. */
static void later(void **state) {
  struct fixture *f = *state;
  cl_mem mem = make_buffer(f->context, 0, 64, NULL);
  cl_event gate = make_user_event(f->context), filled = NULL, mapped = NULL, unmapped = NULL;
  cl_int err = 12345;
  expect_success(kiln_clEnqueueFillBuffer(f->queue, mem, "z", 1, 0, 64, 1, &gate, &filled));
  uint8_t *pointer =
      kiln_clEnqueueMapBuffer(f->queue, mem, CL_FALSE, CL_MAP_READ, 0, 64, 1, &filled, &mapped, &err);
  expect_success(err);
  assert_int_equal(status_of(mapped), CL_QUEUED);
  expect_success(kiln_clSetUserEventStatus(gate, CL_COMPLETE));
  expect_success(kiln_clWaitForEvents(1, &mapped));
  for (int i = 0; i < 64; i++) assert_int_equal(pointer[i], 'z');
  expect_success(kiln_clEnqueueUnmapMemObject(f->queue, mem, pointer, 1, &mapped, &unmapped));
  expect_success(kiln_clWaitForEvents(1, &unmapped));
  cl_command_type type;
  expect_success(kiln_clGetEventInfo(unmapped, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
  assert_int_equal(type, CL_COMMAND_UNMAP_MEM_OBJECT);
  drop_event(gate);
  drop_event(filled);
  drop_event(mapped);
  drop_event(unmapped);
  drop_buffer(mem);
}

/* A map that fails later is none: its region may be mapped, and its pointer not unmapped. */
static void failed_map(void **state) {
  struct fixture *f = *state;
  cl_mem mem = make_buffer(f->context, 0, 64, NULL);
  cl_event gate = make_user_event(f->context), mapped = NULL;
  cl_int made = 12345;
  uint8_t *pointer =
      kiln_clEnqueueMapBuffer(f->queue, mem, CL_FALSE, CL_MAP_WRITE, 0, 64, 1, &gate, &mapped, &made);
  expect_success(made);
  assert_int_equal(map_count(mem), 1);
  expect_success(kiln_clSetUserEventStatus(gate, -7));
  expect_error(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "event_list[0]",
               kiln_clWaitForEvents(1, &mapped));
  assert_int_equal(map_count(mem), 0);
  expect_error(CL_INVALID_VALUE, "is not mapped on memobj",
               kiln_clEnqueueUnmapMemObject(f->queue, mem, pointer, 0, NULL, NULL));
  unmap(f, mem, map(f, mem, CL_MAP_WRITE, 0, 64));
  drop_event(mapped);
  drop_event(gate);
  drop_buffer(mem);
}

static void wrong_maps(void **state) {
  struct fixture *f = *state;
  cl_mem mem = make_buffer(f->context, 0, 64, NULL);
#define REFUSED(code, text, flags, offset, size)                                                             \
  expect_no_handle(                                                                                          \
      code, text, kiln_clEnqueueMapBuffer(f->queue, mem, CL_TRUE, flags, offset, size, 0, NULL, NULL, &err))
  REFUSED(CL_INVALID_VALUE, "size is 0", CL_MAP_READ, 0, 0);
  REFUSED(CL_INVALID_VALUE, "65 bytes at offset 0 exceed the 64 bytes of buffer", CL_MAP_READ, 0, 65);
  REFUSED(CL_INVALID_VALUE, "1 bytes at offset 64 exceed", CL_MAP_READ, 64, 1);
  REFUSED(CL_INVALID_VALUE, "exceed the 64 bytes of buffer", CL_MAP_READ, 1, SIZE_MAX);
  REFUSED(CL_INVALID_VALUE, "map_flags 0x8 has a bit that is no map flag", 8, 0, 64);
  REFUSED(CL_INVALID_VALUE, "map_flags 0x5 joins CL_MAP_WRITE_INVALIDATE_REGION with another flag",
          CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, 0, 64);
  REFUSED(CL_INVALID_VALUE, "map_flags 0x6 joins CL_MAP_WRITE_INVALIDATE_REGION with another flag",
          CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION, 0, 64);
#undef REFUSED
  assert_int_equal(map_count(mem), 0);
  assert_null(kiln_clEnqueueMapBuffer(f->queue, mem, CL_TRUE, CL_MAP_READ, 0, 0, 0, NULL, NULL, NULL));
  drop_buffer(mem);
}

static void host_access(void **state) {
  struct fixture *f = *state;
  static const cl_mem_flags hosts[] = {0, CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY,
                                       CL_MEM_HOST_NO_ACCESS};
  static const bool reads[] = {true, false, true, false}, writes[] = {true, true, false, false};
  for (size_t h = 0; h < 4; h++) {
    cl_mem mem = make_buffer(f->context, hosts[h], 64, NULL);
    for (size_t i = 0; i < sizeof all_flags / sizeof *all_flags; i++) {
      bool write = (all_flags[i] & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) != 0;
      bool read = (all_flags[i] & CL_MAP_READ) != 0;
      if ((!write || writes[h]) && (!read || reads[h])) {
        unmap(f, mem, map(f, mem, all_flags[i], 0, 64));
        continue;
      }
      expect_no_handle(
          CL_INVALID_OPERATION, "which forbid the host to",
          kiln_clEnqueueMapBuffer(f->queue, mem, CL_TRUE, all_flags[i], 0, 64, 0, NULL, NULL, &err));
    }
    drop_buffer(mem);
  }
}

static void wrong_unmaps(void **state) {
  struct fixture *f = *state;
  cl_mem mem = make_buffer(f->context, 0, 64, NULL), other = make_buffer(f->context, 0, 64, NULL);
  cl_context strange = make_context(f->device);
  cl_mem foreign = make_buffer(strange, 0, 64, NULL);
  cl_event foreign_event = make_user_event(strange), own_event = make_user_event(f->context);
  uint8_t *pointer = map(f, mem, CL_MAP_READ, 8, 16);
#define UNMAP(queue, mem, pointer, count, list)                                                              \
  kiln_clEnqueueUnmapMemObject(queue, mem, pointer, count, list, NULL)
  expect_error(CL_INVALID_COMMAND_QUEUE, "command_queue is NULL", UNMAP(NULL, mem, pointer, 0, NULL));
  expect_error(CL_INVALID_COMMAND_QUEUE, "is not a live command queue",
               UNMAP((cl_command_queue)mem, mem, pointer, 0, NULL));
  expect_error(CL_INVALID_MEM_OBJECT, "memobj is NULL", UNMAP(f->queue, NULL, pointer, 0, NULL));
  expect_error(CL_INVALID_MEM_OBJECT, "is not a live memory object",
               UNMAP(f->queue, (cl_mem)f->queue, pointer, 0, NULL));
  expect_error(CL_INVALID_CONTEXT, "belongs to another context than command_queue",
               UNMAP(f->queue, foreign, pointer, 0, NULL));
  expect_error(CL_INVALID_VALUE, "is not mapped on memobj", UNMAP(f->queue, mem, NULL, 0, NULL));
  expect_error(CL_INVALID_VALUE, "is not mapped on memobj", UNMAP(f->queue, mem, pointer + 1, 0, NULL));
  expect_error(CL_INVALID_VALUE, "is not mapped on memobj", UNMAP(f->queue, other, pointer, 0, NULL));
  expect_error(CL_INVALID_EVENT_WAIT_LIST, "event_wait_list is NULL", UNMAP(f->queue, mem, pointer, 1, NULL));
  expect_error(CL_INVALID_EVENT_WAIT_LIST, "event_wait_list is not NULL and num_events_in_wait_list is 0",
               UNMAP(f->queue, mem, pointer, 0, &own_event));
  expect_error(CL_INVALID_EVENT_WAIT_LIST, "event_wait_list[0]",
               UNMAP(f->queue, mem, pointer, 1, (const cl_event *)&f->device));
  expect_error(CL_INVALID_CONTEXT, "event_wait_list[0]", UNMAP(f->queue, mem, pointer, 1, &foreign_event));
#undef UNMAP
  assert_int_equal(map_count(mem), 1); /* none of them took it */
  unmap(f, mem, pointer);
  expect_success(kiln_clFinish(f->queue));
  drop_event(own_event);
  drop_event(foreign_event);
  drop_buffer(foreign);
  drop_buffer(other);
  drop_buffer(mem);
  drop_context(strange);
}

/* An unmap that cannot be enqueued leaves the mapping for another. */
static void failed_unmap(void **state) {
  struct fixture *f = *state;
  cl_mem mem = make_buffer(f->context, 0, 64, NULL);
  cl_event gates[20];
  for (int i = 0; i < 20; i++) gates[i] = make_user_event(f->context);
  uint8_t *pointer = map(f, mem, CL_MAP_WRITE, 0, 64);
  expect_success(kiln_clEnqueueUnmapMemObject(f->queue, mem, pointer, 20, gates, NULL)); /* may fail once */
  for (int i = 0; i < 20; i++) {
    expect_success(kiln_clSetUserEventStatus(gates[i], CL_COMPLETE));
    drop_event(gates[i]);
  }
  expect_success(kiln_clFinish(f->queue));
  assert_int_equal(map_count(mem), 0);
  drop_buffer(mem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(both_ways),    cmocka_unit_test(host_memory), cmocka_unit_test(stable_address),
      cmocka_unit_test(counts),       cmocka_unit_test(overlaps),    cmocka_unit_test(later),
      cmocka_unit_test(wrong_maps),   cmocka_unit_test(host_access), cmocka_unit_test(wrong_unmaps),
      cmocka_unit_test(failed_unmap), cmocka_unit_test(failed_map),
  };
  return alloc_fail_run_group(tests, fixture_open, fixture_close);
}
