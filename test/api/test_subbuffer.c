/* Sub-buffers: flags against the table of the specification, regions, shared storage, lifetime. */
#include "api/commands.h"
#include "api/world.h"

static const cl_mem_flags accesses[] = {0, CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY, CL_MEM_READ_ONLY};
static const cl_mem_flags hosts[] = {0, CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_NO_ACCESS};
static const cl_mem_flags pointers[] = {0, CL_MEM_USE_HOST_PTR, CL_MEM_ALLOC_HOST_PTR, CL_MEM_COPY_HOST_PTR,
                                        CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR};

/* What part i of the buffer is refused for, by kind of access asked for; NULL if it is granted. Rows: the
 * buffer's; columns: the sub-buffer's; both in the order of the arrays above. */
static const char *const access_text[4][4] = {
    {NULL, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL},
    {NULL, "would read a CL_MEM_WRITE_ONLY object", NULL, "would read a CL_MEM_WRITE_ONLY object"},
    {NULL, "would write a CL_MEM_READ_ONLY object", "would write a CL_MEM_READ_ONLY object", NULL},
};
static const char *const host_text[4][4] = {
    {NULL, NULL, NULL, NULL},
    {NULL, NULL, "adds host reads to a CL_MEM_HOST_WRITE_ONLY object", NULL},
    {NULL, "adds host writes to a CL_MEM_HOST_READ_ONLY object", NULL, NULL},
    {NULL, "adds host access to a CL_MEM_HOST_NO_ACCESS object",
     "adds host access to a CL_MEM_HOST_NO_ACCESS object", NULL},
};

/* "inherited from the corresponding memory access qualifiers associated with buffer" */
static cl_mem_flags inherited(cl_mem_flags parent, cl_mem_flags flags) {
  const cl_mem_flags access = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
  const cl_mem_flags host = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
  if ((flags & access) == 0) flags |= parent & access;
  if ((flags & host) == 0) flags |= parent & host;
  return flags | (parent & (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR));
}

static void granted(cl_mem buffer, cl_mem_flags flags, size_t origin) {
  cl_mem part = make_part(buffer, flags, origin, 16);
  cl_mem_flags found;
  expect_success(kiln_clGetMemObjectInfo(part, CL_MEM_FLAGS, sizeof found, &found, NULL));
  assert_int_equal(found, inherited(buffer->flags, flags));
  void *host_ptr;
  expect_success(kiln_clGetMemObjectInfo(part, CL_MEM_HOST_PTR, sizeof host_ptr, &host_ptr, NULL));
  assert_ptr_equal(host_ptr, buffer->flags & CL_MEM_USE_HOST_PTR ? buffer->data + origin : NULL);
  assert_ptr_equal(part->data, buffer->data + origin);
  drop_buffer(part);
}

static void refused(cl_mem buffer, cl_mem_flags flags, size_t origin, const char *text) {
  const cl_buffer_region region = {origin, 16};
  expect_no_handle(CL_INVALID_VALUE, text,
                   kiln_clCreateSubBuffer(buffer, flags, CL_BUFFER_CREATE_TYPE_REGION, &region, &err));
}

static void parts_of(cl_mem buffer, size_t parent_access, size_t parent_host, size_t origin) {
  for (size_t a = 0; a < 4; a++)
    for (size_t h = 0; h < 4; h++) {
      const char *text = access_text[parent_access][a];
      if (text == NULL) text = host_text[parent_host][h];
      if (text == NULL) granted(buffer, accesses[a] | hosts[h], origin);
      else refused(buffer, accesses[a] | hosts[h], origin, text);
    }
}

static void all_flags(void **state) {
  struct fixture *f = *state;
  size_t align = base_align(f->device);
  static uint8_t host[8192] __attribute__((aligned(4096)));
  for (size_t a = 0; a < 4; a++)
    for (size_t h = 0; h < 4; h++)
      for (size_t p = 0; p < (alloc_fail_active() ? 1 : 5); p++) {
        cl_mem_flags flags = accesses[a] | hosts[h] | pointers[p];
        void *ptr = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) ? host : NULL;
        cl_mem buffer = make_buffer(f->context, flags, 2 * align, ptr);
        parts_of(buffer, a, h, align);
        drop_buffer(buffer);
      }
}

static void wrong_flags(void **state) {
  struct fixture *f = *state;
  cl_mem buffer = make_buffer(f->context, 0, 256, NULL);
  static const cl_mem_flags host_memory[] = {CL_MEM_USE_HOST_PTR, CL_MEM_ALLOC_HOST_PTR,
                                             CL_MEM_COPY_HOST_PTR};
  for (size_t i = 0; i < 3; i++)
    refused(buffer, host_memory[i], 0, "asks for host memory, which is inherited");
  refused(buffer, 1ull << 50, 0, "has a bit that is no flag of this call");
  refused(buffer, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 0, "has more than one of CL_MEM_READ_WRITE");
  refused(buffer, CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS, 0, "has more than one of CL_MEM_HOST");
  drop_buffer(buffer);
}

static void wrong_arguments(void **state) {
  struct fixture *f = *state;
  size_t align = base_align(f->device), size = 4 * align;
  cl_mem buffer = make_buffer(f->context, 0, size, NULL), part = make_part(buffer, 0, align, align);
#define REFUSED(code, text, buffer, type, info)                                                              \
  expect_no_handle(code, text, kiln_clCreateSubBuffer(buffer, 0, type, info, &err))
#define BAD_REGION(code, text, ...)                                                                          \
  REFUSED(code, text, buffer, CL_BUFFER_CREATE_TYPE_REGION, (&(const cl_buffer_region){__VA_ARGS__}))
  const cl_buffer_region good = {0, 16};
  REFUSED(CL_INVALID_MEM_OBJECT, "buffer is NULL", NULL, CL_BUFFER_CREATE_TYPE_REGION, &good);
  REFUSED(CL_INVALID_MEM_OBJECT, "is not a live memory object", (cl_mem)f->queue,
          CL_BUFFER_CREATE_TYPE_REGION, &good);
  REFUSED(CL_INVALID_MEM_OBJECT, "is a sub-buffer itself", part, CL_BUFFER_CREATE_TYPE_REGION, &good);
  REFUSED(CL_INVALID_VALUE, "buffer_create_type 0x0 is not CL_BUFFER_CREATE_TYPE_REGION", buffer, 0, &good);
  REFUSED(CL_INVALID_VALUE, "buffer_create_type 0x1221 is not", buffer, CL_BUFFER_CREATE_TYPE_REGION + 1,
          &good);
  REFUSED(CL_INVALID_VALUE, "buffer_create_info is NULL", buffer, CL_BUFFER_CREATE_TYPE_REGION, NULL);
  BAD_REGION(CL_INVALID_VALUE, "exceeds the buffer's", 0, size + 1);
  BAD_REGION(CL_INVALID_VALUE, "exceeds the buffer's", align, size - align + 1);
  BAD_REGION(CL_INVALID_VALUE, "exceeds the buffer's", size, 1);
  BAD_REGION(CL_INVALID_VALUE, "exceeds the buffer's", size + align, 1);
  BAD_REGION(CL_INVALID_VALUE, "exceeds the buffer's", align, SIZE_MAX);
  BAD_REGION(CL_INVALID_VALUE, "region of 16 bytes at 18446744073709551615", SIZE_MAX, 16);
  BAD_REGION(CL_INVALID_BUFFER_SIZE, "region size is 0", 0, 0);
  BAD_REGION(CL_MISALIGNED_SUB_BUFFER_OFFSET,
             "is not a multiple of any device's CL_DEVICE_MEM_BASE_ADDR_ALIGN", 1, 16);
  BAD_REGION(CL_MISALIGNED_SUB_BUFFER_OFFSET, "origin", align / 2, 16);
#undef BAD_REGION
#undef REFUSED
  drop_buffer(make_part(buffer, 0, 0, size));
  drop_buffer(make_part(buffer, 0, 3 * align, align));
  drop_buffer(part);
  /* an image is no buffer */
  buffer->type = CL_MEM_OBJECT_IMAGE2D;
  expect_no_handle(CL_INVALID_MEM_OBJECT, "is no buffer",
                   kiln_clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &good, &err));
  buffer->type = CL_MEM_OBJECT_BUFFER;
  drop_buffer(buffer);
}

static void queries(void **state) {
  struct fixture *f = *state;
  size_t align = base_align(f->device), size;
  cl_mem buffer = make_buffer(f->context, 0, 4 * align, NULL), part = make_part(buffer, 0, 2 * align, 24);
  cl_mem parent = NULL;
  cl_context context = NULL;
  cl_mem_object_type type;
  cl_uint count;
#define ASKED(param, variable, expected)                                                                     \
  do {                                                                                                       \
    expect_success(kiln_clGetMemObjectInfo(part, param, sizeof variable, &variable, NULL));                  \
    assert_true(variable == (expected));                                                                     \
  } while (0)
  ASKED(CL_MEM_ASSOCIATED_MEMOBJECT, parent, buffer);
  ASKED(CL_MEM_OFFSET, size, 2 * align);
  ASKED(CL_MEM_SIZE, size, 24);
  ASKED(CL_MEM_CONTEXT, context, f->context);
  ASKED(CL_MEM_TYPE, type, CL_MEM_OBJECT_BUFFER);
  ASKED(CL_MEM_REFERENCE_COUNT, count, 1);
#undef ASKED
  expect_success(kiln_clGetMemObjectInfo(part, CL_MEM_PROPERTIES, 0, NULL, &size));
  assert_int_equal(size, 0);
  drop_buffer(part);
  drop_buffer(buffer);
}

/* The parts of a buffer, written one after the other, are what is read of the whole. */
static void share_storage(void **state) {
  struct fixture *f = *state;
  enum { PARTS = 8 };
  size_t align = base_align(f->device);
  uint8_t bytes[4096], found[PARTS * 4096];
  assert_true(align <= sizeof bytes);
  cl_mem buffer = make_buffer(f->context, 0, PARTS * align, NULL), parts[PARTS];
  for (int i = 0; i < PARTS; i++) {
    parts[i] = make_part(buffer, 0, (size_t)i * align, align);
    memset(bytes, i + 1, sizeof bytes);
    expect_success(kiln_clEnqueueWriteBuffer(f->queue, parts[i], CL_TRUE, 0, align, bytes, 0, NULL, NULL));
  }
  drop_buffer(buffer); /* held by its parts */
  expect_success(kiln_clEnqueueReadBuffer(f->queue, buffer, CL_TRUE, 0, PARTS * align, found, 0, NULL, NULL));
  for (size_t i = 0; i < PARTS * align; i++) assert_int_equal(found[i], i / align + 1);
  expect_success(kiln_clEnqueueCopyBuffer(f->queue, parts[0], parts[1], 0, 0, align, 0, NULL, NULL));
  expect_success(kiln_clEnqueueReadBuffer(f->queue, parts[1], CL_TRUE, align - 1, 1, found, 0, NULL, NULL));
  assert_int_equal(found[0], 1);
  for (int i = 0; i < PARTS; i++) drop_buffer(parts[i]);
}

/* No device of these tests has two alignments, so the sub-buffer is bent. */
static void misaligned_for_the_queue(void **state) {
  struct fixture *f = *state;
  size_t align = base_align(f->device);
  cl_mem buffer = make_buffer(f->context, 0, 4 * align, NULL),
         whole = make_buffer(f->context, 0, align, NULL);
  cl_mem part = make_part(buffer, 0, align, align);
  part->origin = align + 1;
  for (int i = 0; i < NUM_COMMANDS; i++) {
    if (!commands[i].checks_alignment) continue;
    struct command_args args = {.queue = f->queue, .a = part, .b = whole};
    char text[80];
    snprintf(text, sizeof text, "%s starts at byte %zu of its parent", commands[i].a, align + 1);
    expect_error(CL_MISALIGNED_SUB_BUFFER_OFFSET, text, commands[i].enqueue(&args));
    if (commands[i].buffers < 2) continue;
    args.a = whole;
    args.b = part;
    snprintf(text, sizeof text, "%s starts at byte", commands[i].b);
    expect_error(CL_MISALIGNED_SUB_BUFFER_OFFSET, text, commands[i].enqueue(&args));
  }
  part->origin = align;
  drop_buffer(part);
  drop_buffer(buffer);
  drop_buffer(whole);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_flags),       cmocka_unit_test(wrong_flags),
      cmocka_unit_test(wrong_arguments), cmocka_unit_test(queries),
      cmocka_unit_test(share_storage),   cmocka_unit_test(misaligned_for_the_queue),
  };
  return alloc_fail_run_group(tests, fixture_open, fixture_close);
}
