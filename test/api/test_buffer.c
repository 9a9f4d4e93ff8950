/* Buffers: flags, host memory, queries, properties, counts, destructor callbacks. */
#include "api/world.h"

#include <stdlib.h>

static const cl_mem_flags accesses[] = {0, CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY, CL_MEM_READ_ONLY};
static const cl_mem_flags hosts[] = {0, CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_NO_ACCESS};
static const cl_mem_flags pointers[] = {0, CL_MEM_USE_HOST_PTR, CL_MEM_ALLOC_HOST_PTR, CL_MEM_COPY_HOST_PTR,
                                        CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR};

/* The answer to a query, of which the size must be right. */
#define INFO(mem, param, type)                                                                               \
  ({                                                                                                         \
    type info_value_;                                                                                        \
    size_t info_size_ = 0;                                                                                   \
    memset(&info_value_, 0x5a, sizeof info_value_);                                                          \
    expect_success(kiln_clGetMemObjectInfo((mem), (param), sizeof info_value_, &info_value_, &info_size_));  \
    assert_int_equal(info_size_, sizeof info_value_);                                                        \
    info_value_;                                                                                             \
  })

static void check_queries(struct fixture *f, cl_mem mem, cl_mem_flags flags, size_t size, void *host_ptr) {
  assert_int_equal(INFO(mem, CL_MEM_TYPE, cl_mem_object_type), CL_MEM_OBJECT_BUFFER);
  assert_int_equal(INFO(mem, CL_MEM_FLAGS, cl_mem_flags), flags);
  assert_int_equal(INFO(mem, CL_MEM_SIZE, size_t), size);
  assert_ptr_equal(INFO(mem, CL_MEM_HOST_PTR, void *), flags & CL_MEM_USE_HOST_PTR ? host_ptr : NULL);
  assert_int_equal(INFO(mem, CL_MEM_MAP_COUNT, cl_uint), 0);
  assert_int_equal(INFO(mem, CL_MEM_REFERENCE_COUNT, cl_uint), 1);
  assert_ptr_equal(INFO(mem, CL_MEM_CONTEXT, cl_context), f->context);
  assert_null(INFO(mem, CL_MEM_ASSOCIATED_MEMOBJECT, cl_mem));
  assert_int_equal(INFO(mem, CL_MEM_OFFSET, size_t), 0);
  assert_int_equal(INFO(mem, CL_MEM_USES_SVM_POINTER, cl_bool), CL_FALSE);
  size_t listed = 1;
  expect_success(kiln_clGetMemObjectInfo(mem, CL_MEM_PROPERTIES, 0, NULL, &listed));
  assert_int_equal(listed, 0);
}

/* What the buffer holds, without regard to what the host may do by its flags. */
static void check_contents(cl_mem mem, cl_mem_flags flags, const uint8_t *host, size_t size) {
  if (flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) assert_memory_equal(mem->data, host, size);
  if (flags & CL_MEM_USE_HOST_PTR) assert_ptr_equal(mem->data, host);
  else assert_ptr_not_equal(mem->data, host);
}

static void all_flags(void **state) {
  struct fixture *f = *state;
  uint8_t host[300];
  for (size_t i = 0; i < sizeof host; i++) host[i] = (uint8_t)(i * 7);
  for (size_t a = 0; a < 4; a++)
    for (size_t h = 0; h < 4; h++)
      for (size_t p = 0; p < 5; p++) {
        cl_mem_flags flags = accesses[a] | hosts[h] | pointers[p];
        void *ptr = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) ? host : NULL;
        cl_mem mem = make_buffer(f->context, flags, sizeof host, ptr);
        check_queries(f, mem, flags, sizeof host, ptr);
        check_contents(mem, flags, host, sizeof host);
        drop_buffer(mem);
      }
}

static void copies_at_once(void **state) {
  struct fixture *f = *state;
  uint8_t host[64], found[64];
  memset(host, 1, sizeof host);
  cl_mem mem = make_buffer(f->context, CL_MEM_COPY_HOST_PTR, sizeof host, host);
  memset(host, 2, sizeof host);
  expect_success(kiln_clEnqueueReadBuffer(f->queue, mem, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL));
  for (size_t i = 0; i < sizeof found; i++) assert_int_equal(found[i], 1);
  drop_buffer(mem);
}

/* CL_DEVICE_MEM_BASE_ADDR_ALIGN holds for storage of any size. */
static void alignment(void **state) {
  struct fixture *f = *state;
  static const size_t sizes[] = {1, 2, 3, 127, 129, 4095, 4097, 1 << 20, (8 << 20) + 1};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    cl_mem mem = make_buffer(f->context, 0, sizes[i], NULL);
    assert_int_equal((uintptr_t)mem->data % base_align(f->device), 0);
    memset(mem->data, 1, sizes[i]);
    drop_buffer(mem);
  }
}

static void with_properties(void **state) {
  struct fixture *f = *state;
  cl_int made = 12345;
  const cl_mem_properties none[] = {0}, unknown[] = {0x7777, 1, 0};
  cl_mem mem = kiln_clCreateBufferWithProperties(f->context, NULL, 0, 64, NULL, &made);
  expect_success(made);
  check_queries(f, mem, 0, 64, NULL);
  drop_buffer(mem);
  mem = kiln_clCreateBufferWithProperties(f->context, none, CL_MEM_READ_ONLY, 64, NULL, &made);
  expect_success(made);
  assert_int_equal(INFO(mem, CL_MEM_PROPERTIES, cl_mem_properties), 0);
  drop_buffer(mem);
  expect_no_handle(CL_INVALID_PROPERTY, "properties[0] 0x7777 is no supported property; there are none",
                   kiln_clCreateBufferWithProperties(f->context, unknown, 0, 64, NULL, &err));
}

static void wrong_flags(void **state) {
  struct fixture *f = *state;
  static const struct {
    cl_mem_flags flags;
    const char *text;
  } rows[] = {
      {1ull << 40, "flags 0x10000000000 has a bit that is no flag of this call"},
      {1ull << 6, "has a bit that is no flag of this call"},
      {CL_MEM_KERNEL_READ_AND_WRITE, "has a bit that is no flag of this call"},
      {CL_MEM_SVM_FINE_GRAIN_BUFFER, "has a bit that is no flag of this call"},
      {CL_MEM_SVM_ATOMICS, "has a bit that is no flag of this call"},
      {CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY,
       "flags 0x3 has more than one of CL_MEM_READ_WRITE, WRITE_ONLY, READ_ONLY"},
      {CL_MEM_READ_WRITE | CL_MEM_READ_ONLY, "has more than one of CL_MEM_READ_WRITE"},
      {CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY, "has more than one of CL_MEM_READ_WRITE"},
      {CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY,
       "has more than one of CL_MEM_HOST_WRITE_ONLY, READ_ONLY, NO_ACCESS"},
      {CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS, "has more than one of CL_MEM_HOST_WRITE_ONLY"},
      {CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS, "has more than one of CL_MEM_HOST_WRITE_ONLY"},
      {CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR,
       "has CL_MEM_USE_HOST_PTR together with CL_MEM_ALLOC_HOST_PTR or CL_MEM_COPY_HOST_PTR"},
      {CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, "has CL_MEM_USE_HOST_PTR together with"},
  };
  uint8_t host[64];
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    void *ptr = rows[i].flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) ? host : NULL;
    expect_no_handle(CL_INVALID_VALUE, rows[i].text,
                     kiln_clCreateBuffer(f->context, rows[i].flags, sizeof host, ptr, &err));
  }
}

static void wrong_arguments(void **state) {
  struct fixture *f = *state;
  uint8_t host[64];
  cl_ulong most;
  expect_success(kiln_clGetDeviceInfo(f->device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, NULL));
  expect_no_handle(CL_INVALID_CONTEXT, "context is NULL", kiln_clCreateBuffer(NULL, 0, 64, NULL, &err));
  expect_no_handle(CL_INVALID_CONTEXT, "is not a live context",
                   kiln_clCreateBuffer((cl_context)f->queue, 0, 64, NULL, &err));
  expect_no_handle(CL_INVALID_CONTEXT, "is not a live context",
                   kiln_clCreateBuffer(not_a_handle(), 0, 64, NULL, &err));
  expect_no_handle(CL_INVALID_BUFFER_SIZE, "size is 0", kiln_clCreateBuffer(f->context, 0, 0, NULL, &err));
  expect_no_handle(CL_INVALID_BUFFER_SIZE, "exceeds the largest CL_DEVICE_MAX_MEM_ALLOC_SIZE in this context",
                   kiln_clCreateBuffer(f->context, 0, (size_t)most + 1, NULL, &err));
  expect_no_handle(CL_INVALID_BUFFER_SIZE, "size 18446744073709551615 exceeds",
                   kiln_clCreateBuffer(f->context, 0, SIZE_MAX, NULL, &err));
  expect_no_handle(CL_INVALID_HOST_PTR,
                   "host_ptr is NULL, but flags 0x8 has CL_MEM_USE_HOST_PTR or CL_MEM_COPY_HOST_PTR",
                   kiln_clCreateBuffer(f->context, CL_MEM_USE_HOST_PTR, 64, NULL, &err));
  expect_no_handle(CL_INVALID_HOST_PTR, "host_ptr is NULL, but flags 0x20 has",
                   kiln_clCreateBuffer(f->context, CL_MEM_COPY_HOST_PTR, 64, NULL, &err));
  expect_no_handle(CL_INVALID_HOST_PTR, "host_ptr is not NULL, but flags 0x0 has neither",
                   kiln_clCreateBuffer(f->context, 0, sizeof host, host, &err));
  expect_no_handle(CL_INVALID_HOST_PTR, "host_ptr is not NULL, but flags 0x10 has neither",
                   kiln_clCreateBuffer(f->context, CL_MEM_ALLOC_HOST_PTR, sizeof host, host, &err));
  assert_null(kiln_clCreateBuffer(f->context, 0, 0, NULL, NULL)); /* errcode_ret may be NULL */
}

static void wrong_queries(void **state) {
  struct fixture *f = *state;
  cl_mem mem = make_buffer(f->context, 0, 64, NULL);
  size_t size;
  cl_uint count;
  expect_error(CL_INVALID_MEM_OBJECT, "memobj is NULL",
               kiln_clGetMemObjectInfo(NULL, CL_MEM_SIZE, sizeof size, &size, NULL));
  expect_error(CL_INVALID_MEM_OBJECT, "is not a live memory object",
               kiln_clGetMemObjectInfo((cl_mem)f->context, CL_MEM_SIZE, sizeof size, &size, NULL));
  expect_error(CL_INVALID_VALUE, "param_value_size 7 is smaller than the 8 bytes of param_name 0x1102",
               kiln_clGetMemObjectInfo(mem, CL_MEM_SIZE, sizeof size - 1, &size, NULL));
  expect_error(CL_INVALID_VALUE, "param_name 0x1234 is not one of this query's",
               kiln_clGetMemObjectInfo(mem, 0x1234, sizeof size, &size, NULL));
  expect_error(CL_INVALID_VALUE, "param_name 0x1090 is not one",
               kiln_clGetMemObjectInfo(mem, CL_QUEUE_CONTEXT, sizeof size, &size, NULL));
  /* a value of NULL is ignored with its size, and so is a NULL size */
  expect_success(kiln_clGetMemObjectInfo(mem, CL_MEM_SIZE, 0, NULL, &size));
  assert_int_equal(size, sizeof size);
  expect_success(kiln_clGetMemObjectInfo(mem, CL_MEM_MAP_COUNT, sizeof count, &count, NULL));
  expect_success(kiln_clGetMemObjectInfo(mem, CL_MEM_MAP_COUNT, 0, NULL, NULL));
  drop_buffer(mem);
}

static void counts(void **state) {
  struct fixture *f = *state;
  cl_mem mem = make_buffer(f->context, 0, 4 * base_align(f->device), NULL);
  expect_success(kiln_clRetainMemObject(mem));
  assert_int_equal(INFO(mem, CL_MEM_REFERENCE_COUNT, cl_uint), 2);
  drop_buffer(mem);
  assert_int_equal(INFO(mem, CL_MEM_REFERENCE_COUNT, cl_uint), 1);
  expect_error(CL_INVALID_MEM_OBJECT, "memobj is NULL", kiln_clRetainMemObject(NULL));
  expect_error(CL_INVALID_MEM_OBJECT, "memobj is NULL", kiln_clReleaseMemObject(NULL));
  expect_error(CL_INVALID_MEM_OBJECT, "is not a live memory object",
               kiln_clRetainMemObject((cl_mem)f->device));
  expect_error(CL_INVALID_MEM_OBJECT, "is not a live memory object", kiln_clReleaseMemObject(not_a_handle()));
  /* its part keeps the buffer alive beyond the application's last reference */
  cl_mem part = make_part(mem, 0, 0, 16);
  drop_buffer(mem);
  expect_error(CL_INVALID_MEM_OBJECT, "was already released", kiln_clReleaseMemObject(mem));
  drop_buffer(part);
}

static void dying(void **state) {
  kiln_mem mem = {0};
  kiln_object_init(&mem.object, KILN_T_MEM);
  atomic_store(&mem.object.refs, 0);
  atomic_store(&mem.object.api_refs, 0);
  expect_error(CL_INVALID_MEM_OBJECT, "was already released", kiln_clRetainMemObject(&mem));
}

/* ---- destructor callbacks ---- */

static struct {
  int order[8];
  int count;
  cl_mem mem;
} called;

static void note(cl_mem mem, void *user_data) {
  called.mem = mem;
  called.order[called.count++] = (int)(intptr_t)user_data;
}
static void CL_CALLBACK destructor(cl_mem mem, void *user_data) { note(mem, user_data); }
static void CL_CALLBACK free_host(cl_mem mem, void *user_data) { free(user_data); }

static void add(cl_mem mem, int number) {
  expect_success(kiln_clSetMemObjectDestructorCallback(mem, destructor, (void *)(intptr_t)number));
}

static void destructors(void **state) {
  struct fixture *f = *state;
  memset(&called, 0, sizeof called);
  cl_mem mem = make_buffer(f->context, 0, 64, NULL);
  for (int i = 1; i <= 4; i++) add(mem, i);
  expect_success(kiln_clRetainMemObject(mem));
  drop_buffer(mem);
  assert_int_equal(called.count, 0);
  drop_buffer(mem);
  assert_int_equal(called.count, 4);
  assert_ptr_equal(called.mem, mem);
  for (int i = 0; i < 4; i++) assert_int_equal(called.order[i], 4 - i);
}

/* The storage of a USE_HOST_PTR buffer may go in its callback. */
static void destructor_frees(void **state) {
  struct fixture *f = *state;
  void *host = calloc(1, 4096);
  cl_mem mem = make_buffer(f->context, CL_MEM_USE_HOST_PTR, 4096, host);
  expect_success(kiln_clSetMemObjectDestructorCallback(mem, free_host, host));
  expect_success(kiln_clEnqueueFillBuffer(f->queue, mem, "x", 1, 0, 4096, 0, NULL, NULL));
  drop_buffer(mem);
  expect_success(kiln_clFinish(f->queue));
}

/* A buffer is deleted after its sub-buffers, and after the commands that use it. */
static void destructor_waits(void **state) {
  struct fixture *f = *state;
  memset(&called, 0, sizeof called);
  cl_mem mem = make_buffer(f->context, 0, 64, NULL), part = make_part(mem, 0, 0, 16);
  add(mem, 1);
  add(part, 2);
  cl_event gate = make_user_event(f->context), done;
  expect_success(kiln_clEnqueueFillBuffer(f->queue, part, "x", 1, 0, 16, 1, &gate, &done));
  drop_buffer(mem);
  drop_buffer(part);
  assert_int_equal(called.count, 0);
  expect_success(kiln_clSetUserEventStatus(gate, CL_COMPLETE));
  expect_success(kiln_clWaitForEvents(1, &done));
  assert_int_equal(called.count, 2);
  assert_int_equal(called.order[0], 2);
  assert_int_equal(called.order[1], 1);
  drop_event(done);
  drop_event(gate);
}

static void CL_CALLBACK release_other(cl_mem mem, void *user_data) {
  note(mem, NULL);
  kiln_clReleaseMemObject(user_data);
}

/* Callbacks may release other objects, whose callbacks then run too. */
static void destructor_releases(void **state) {
  struct fixture *f = *state;
  memset(&called, 0, sizeof called);
  cl_mem last = make_buffer(f->context, 0, 64, NULL);
  add(last, 9);
  for (int i = 0; i < 3; i++) {
    cl_mem mem = make_buffer(f->context, 0, 64, NULL);
    expect_success(kiln_clSetMemObjectDestructorCallback(mem, release_other, last));
    last = mem;
  }
  drop_buffer(last);
  assert_int_equal(called.count, 4);
  assert_int_equal(called.order[3], 9);
}

static void wrong_destructors(void **state) {
  struct fixture *f = *state;
  cl_mem mem = make_buffer(f->context, 0, 64, NULL);
  expect_error(CL_INVALID_MEM_OBJECT, "memobj is NULL",
               kiln_clSetMemObjectDestructorCallback(NULL, destructor, NULL));
  expect_error(CL_INVALID_MEM_OBJECT, "is not a live memory object",
               kiln_clSetMemObjectDestructorCallback((cl_mem)f->queue, destructor, NULL));
  expect_error(CL_INVALID_VALUE, "pfn_notify is NULL",
               kiln_clSetMemObjectDestructorCallback(mem, NULL, NULL));
  drop_buffer(mem);
}

/* The buffer keeps its context. */
static void outlives_context(void **state) {
  struct fixture *f = *state;
  cl_context context = make_context(f->device);
  cl_mem mem = make_buffer(context, 0, 64, NULL);
  drop_context(context);
  assert_ptr_equal(INFO(mem, CL_MEM_CONTEXT, cl_context), context);
  drop_buffer(mem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_flags),
      cmocka_unit_test(copies_at_once),
      cmocka_unit_test(alignment),
      cmocka_unit_test(with_properties),
      cmocka_unit_test(wrong_flags),
      cmocka_unit_test(wrong_arguments),
      cmocka_unit_test(wrong_queries),
      cmocka_unit_test(counts),
      cmocka_unit_test(dying),
      cmocka_unit_test(destructors),
      cmocka_unit_test(destructor_frees),
      cmocka_unit_test(destructor_waits),
      cmocka_unit_test(destructor_releases),
      cmocka_unit_test(wrong_destructors),
      cmocka_unit_test(outlives_context),
  };
  return alloc_fail_run_group(tests, fixture_open, fixture_close);
}
