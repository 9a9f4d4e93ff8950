/* The byte form of requests, replies and images: there and back, and bytes that are cut or wrong. */
#include "test.h"

#include "base/alloc.h"
#include "compiler/compiler.h"

#include <stdlib.h>
#include <string.h>

static struct kiln_arg_info args[] = {
    {"a", "int*", CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ACCESS_NONE, CL_KERNEL_ARG_TYPE_CONST,
     KILN_ARG_GLOBAL, 8, 0, 8, 0, 12, 1, 0, 0},
    {"l", "float4*", CL_KERNEL_ARG_ADDRESS_LOCAL, CL_KERNEL_ARG_ACCESS_NONE, 0, KILN_ARG_LOCAL, 0, 8, 16, 0,
     0, 0, 0, 0},
    {"i", "image2d_depth_t", CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ACCESS_READ_ONLY, 0, KILN_ARG_IMAGE,
     8, 16, 8, CL_MEM_OBJECT_IMAGE2D | KILN_ARG_DEPTH, 0, 0, 0, 0},
    {"s", "sampler_t", CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_ACCESS_NONE, 0, KILN_ARG_SAMPLER, 8, 24,
     8, 0, 0, 0, 0, 0},
    {"n", "int", CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_ACCESS_NONE, 0, KILN_ARG_VALUE, 4, 28, 4, 0, 0,
     0, 1, 1}};
static struct kiln_kernel_info kernels[] = {
    {"k",
     "reqd_work_group_size(8,1,1)",
     5,
     args,
     32,
     {8, 1, 1},
     {0, 0, 0},
     128,
     16,
     32,
     1,
     1,
     3,
     {KILN_TILE_SHARED, 2, 1}},
    {"empty", "", 0, NULL, 0, {0, 0, 0}, {4, 4, 4}, 0, 0, 0, 1, 0, 0, {0}}};
static struct kiln_include includes[] = {{"/a/b.h", 0x123456789abcdefu, 0}, {"/c.h", 0, 1}};
static const struct kiln_program_image image = {.type = KILN_PROGRAM_IMAGE_EXECUTABLE,
                                                .bitcode = (uint8_t *)"BC\xc0\xde code",
                                                .bitcode_size = 9,
                                                .num_kernels = 2,
                                                .kernels = kernels,
                                                .hash = {1, 2},
                                                .options = "-cl-mad-enable",
                                                .num_includes = 2,
                                                .includes = includes,
                                                .uncacheable = 1};
static const struct kiln_target target = {"+avx2", "znver4", "cl_khr_fp64", "__opencl_c_fp64", 300,
                                          64,      0,        1 << 20};

static void expect_image(const struct kiln_program_image *got) {
  assert_int_equal(got->type, image.type);
  assert_int_equal(got->bitcode_size, image.bitcode_size);
  assert_memory_equal(got->bitcode, image.bitcode, image.bitcode_size);
  assert_memory_equal(got->hash, image.hash, sizeof image.hash);
  assert_string_equal(got->options, image.options);
  assert_int_equal(got->uncacheable, 1);
  assert_int_equal(got->num_includes, 2);
  assert_string_equal(got->includes[0].path, "/a/b.h");
  assert_true(got->includes[0].hash == includes[0].hash && got->includes[1].absent == 1);
  assert_int_equal(got->num_kernels, 2);
  const struct kiln_kernel_info *k = &got->kernels[0];
  assert_string_equal(k->name, "k");
  assert_string_equal(k->attributes, kernels[0].attributes);
  assert_memory_equal(k->reqd_size, kernels[0].reqd_size, sizeof k->reqd_size);
  assert_true(k->args_size == 32 && k->local_bytes == 128 && k->private_bytes == 16 &&
              k->private_bound == 32);
  assert_true(k->subgroup_size == 1 && k->reqd_subgroup == 1 && k->flags == 3 && k->num_args == 5);
  assert_true(k->args[4].integer == 1 && k->args[3].integer == 0);
  assert_true(k->args[4].turns == 1 && k->args[3].turns == 0);
  assert_memory_equal(&k->tiling, &kernels[0].tiling, sizeof k->tiling);
  assert_string_equal(k->args[1].name, "l");
  assert_string_equal(k->args[1].type_name, "float4*");
  assert_true(k->args[0].qualifier == CL_KERNEL_ARG_TYPE_CONST && k->args[1].offset == 8 &&
              k->args[1].align == 16);
  assert_int_equal(k->args[2].image, CL_MEM_OBJECT_IMAGE2D | KILN_ARG_DEPTH);
  assert_int_equal(k->args[3].image, 0);
  assert_true(k->args[0].stored == 12 && k->args[1].stored == 0);
  assert_true(k->args[0].tallied == 1 && k->args[1].tallied == 0);
  assert_memory_equal(got->kernels[1].hint_size, kernels[1].hint_size, sizeof k->hint_size);
}

static void images_come_back(void **state) {
  struct kiln_blob b = {0};
  struct kiln_program_image got;
  kiln_program_image_put(&b, &image);
  struct kiln_reader r = kiln_reader_init(b.data, b.size);
  kiln_program_image_read(&r, &got);
  assert_false(r.failed);
  assert_ptr_equal(r.at, r.end);
  expect_image(&got);
  kiln_program_image_finish(&got);
  kiln_blob_finish(&b);
}

/* Programs in binaries and in clients' caches are laid out so: where this fails, count up KILN_ABI_VERSION
 * and write down both numbers. */
static void the_version_tells_the_layout(void **state) {
  (void)state;
  struct kiln_blob b = {0};
  kiln_program_image_put(&b, &image);
  if (KILN_ABI_VERSION != 15 || b.size != 749) fail_msg("version %u: %zu bytes", KILN_ABI_VERSION, b.size);
  kiln_blob_finish(&b);
}

static const struct kiln_source_header headers[] = {{"a.h", "int a;", 6}, {"b/c.h", "", 0}};
static const struct kiln_program_image *const inputs[] = {&image, &image};

static struct kiln_request request_of(enum kiln_request_kind kind) {
  struct kiln_request q = {.kind = kind, .target = target, .options = "-w"};
  if (kind == KILN_REQUEST_COMPILE) {
    q.source = "kernel void k() {}";
    q.source_size = strlen(q.source);
    q.num_headers = 2;
    q.headers = headers;
    q.executable = 1;
  } else if (kind == KILN_REQUEST_LINK) {
    q.num_inputs = 2;
    q.inputs = inputs;
    q.library = 1;
  } else {
    q.image = &image;
    q.kernel = "k";
    q.spec = (struct kiln_spec){{8, 1, 1}, 0, 1, 1, 2, 1, 1, 1, 64, 4, 8, {1, 2, 3, 4, 5, 6, 7, 8}};
    q.optimize = 1;
  }
  return q;
}

static void expect_target(const struct kiln_target *t) {
  assert_string_equal(t->features, target.features);
  assert_string_equal(t->tune, target.tune);
  assert_string_equal(t->extensions, target.extensions);
  assert_string_equal(t->feature_macros, target.feature_macros);
  assert_true(t->device_version == 300 && t->address_bits == 64 && t->arena_size == 1 << 20);
}

static void requests_come_back(void **state) {
  for (int kind = KILN_REQUEST_COMPILE; kind <= KILN_REQUEST_CODEGEN; kind++) {
    struct kiln_blob b = {0};
    struct kiln_request q = request_of((enum kiln_request_kind)kind), got;
    kiln_request_put(&b, &q);
    struct kiln_reader r = kiln_reader_init(b.data, b.size);
    kiln_request_read(&r, &got);
    assert_false(r.failed);
    assert_int_equal(got.kind, kind);
    assert_string_equal(got.options, "-w");
    expect_target(&got.target);
    if (kind == KILN_REQUEST_COMPILE) {
      assert_string_equal(got.source, q.source);
      assert_true(got.source_size == q.source_size && got.num_headers == 2 && got.executable == 1);
      assert_string_equal(got.headers[0].text, "int a;");
      assert_string_equal(got.headers[1].name, "b/c.h");
    } else if (kind == KILN_REQUEST_LINK) {
      assert_true(got.num_inputs == 2 && got.library == 1);
      expect_image(got.inputs[1]);
    } else {
      expect_image(got.image);
      assert_string_equal(got.kernel, "k");
      assert_memory_equal(&got.spec, &q.spec, sizeof q.spec);
      assert_int_equal(got.optimize, 1);
    }
    kiln_request_finish(&got);
    kiln_blob_finish(&b);
  }
}

static struct kiln_blob reply_bytes(void) {
  struct kiln_blob b = {0};
  const struct kiln_reply reply = {.status = KILN_REPLY_FAILED,
                                   .log = "log\n",
                                   .image = image,
                                   .object = (uint8_t *)"object",
                                   .object_size = 6};
  kiln_reply_put(&b, &reply);
  return b;
}

static void replies_come_back(void **state) {
  struct kiln_blob b = reply_bytes();
  struct kiln_reader r = kiln_reader_init(b.data, b.size);
  struct kiln_reply got;
  kiln_reply_read(&r, &got);
  assert_false(r.failed);
  assert_int_equal(got.status, KILN_REPLY_FAILED);
  assert_string_equal(got.log, "log\n");
  assert_int_equal(got.object_size, 6);
  assert_memory_equal(got.object, "object", 6);
  expect_image(&got.image);
  kiln_reply_finish(&got);
  kiln_blob_finish(&b);
}

/* ---- bad bytes: read or refused; nothing is lost and nothing read past the end ---- */

typedef bool read_fn(const uint8_t *data, size_t size);

static bool read_request(const uint8_t *data, size_t size) {
  struct kiln_reader r = kiln_reader_init(data, size);
  struct kiln_request got;
  kiln_request_read(&r, &got);
  kiln_request_finish(&got);
  return !r.failed;
}

static bool read_reply(const uint8_t *data, size_t size) {
  struct kiln_reader r = kiln_reader_init(data, size);
  struct kiln_reply got;
  kiln_reply_read(&r, &got);
  kiln_reply_finish(&got);
  return !r.failed;
}

static void expect_every_cut_refused(const struct kiln_blob *b, read_fn *read) {
  for (size_t size = 0; size < b->size; size++) {
    uint8_t *copy = malloc(size + (size == 0));
    memcpy(copy, b->data, size);
    assert_false(read(copy, size));
    free(copy);
  }
}

static void expect_every_byte_borne(const struct kiln_blob *b, read_fn *read) {
  static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
  for (size_t at = 0; at < b->size; at++)
    for (size_t v = 0; v < sizeof values; v++) {
      uint8_t saved = b->data[at];
      b->data[at] = values[v];
      read(b->data, b->size);
      b->data[at] = saved;
    }
}

static void bad_bytes_are_refused(void **state) {
  size_t live = kiln_alloc_live();
  for (int kind = KILN_REQUEST_COMPILE; kind <= KILN_REQUEST_CODEGEN; kind++) {
    struct kiln_blob b = {0};
    struct kiln_request q = request_of((enum kiln_request_kind)kind);
    kiln_request_put(&b, &q);
    expect_every_cut_refused(&b, read_request);
    expect_every_byte_borne(&b, read_request);
    kiln_blob_finish(&b);
  }
  struct kiln_blob b = reply_bytes();
  expect_every_cut_refused(&b, read_reply);
  expect_every_byte_borne(&b, read_reply);
  kiln_blob_finish(&b);
  assert_int_equal(kiln_alloc_live(), live);
}

/* Argument `index` with another offset and size: the program image is not taken. */
static void expect_refused(size_t index, uint32_t offset, uint32_t size) {
  struct kiln_blob b = {0};
  struct kiln_program_image got;
  struct kiln_arg_info good = args[index];
  args[index].offset = offset;
  args[index].size = size;
  kiln_program_image_put(&b, &image);
  args[index] = good;
  struct kiln_reader r = kiln_reader_init(b.data, b.size);
  kiln_program_image_read(&r, &got);
  assert_true(r.failed);
  kiln_blob_finish(&b);
}

/* Codes and queries divide by it. */
static void sizes_of_sub_groups_are_checked(void **state) {
  (void)state;
  kernels[0].reqd_subgroup = 0;
  for (uint32_t size = 0; size <= 64; size++) {
    struct kiln_blob b = {0};
    struct kiln_program_image got;
    kernels[0].subgroup_size = size;
    kiln_program_image_put(&b, &image);
    struct kiln_reader r = kiln_reader_init(b.data, b.size);
    kiln_program_image_read(&r, &got);
    assert_int_equal(!r.failed, size == 1 || size == 2 || size == 4 || size == 8 || size == 16 || size == 32);
    kiln_program_image_finish(&got);
    kiln_blob_finish(&b);
  }
  kernels[0].subgroup_size = kernels[0].reqd_subgroup = 1;
}

static void a_required_sub_group_is_the_one_there_is(void **state) {
  (void)state;
  struct kiln_blob b = {0};
  struct kiln_program_image got;
  kernels[0].reqd_subgroup = 8;
  kiln_program_image_put(&b, &image);
  kernels[0].reqd_subgroup = 1;
  struct kiln_reader r = kiln_reader_init(b.data, b.size);
  kiln_program_image_read(&r, &got);
  assert_true(r.failed);
  kiln_blob_finish(&b);
}

/* What is written there goes by the kind of the argument, not by what the size says. */
static void arguments_beyond_their_block_are_refused(void **state) {
  expect_refused(0, 25, 8);
  expect_refused(0, 28, 4);
  expect_refused(1, 29, 0);
  expect_refused(2, 28, 4);
  expect_refused(3, 29, 0);
  expect_refused(4, 29, 4);
  expect_refused(4, 28, 2); /* no integer of 32 bits */
}

static void failing_allocations_fail_the_reading(void **state) {
  struct kiln_blob b = {0};
  struct kiln_request q = request_of(KILN_REQUEST_CODEGEN);
  kiln_request_put(&b, &q);
  size_t live = kiln_alloc_live();
  for (size_t n = 1;; n++) {
    kiln_alloc_fail_nth(n);
    bool ok = read_request(b.data, b.size);
    kiln_alloc_fail_nth(0);
    assert_int_equal(kiln_alloc_live(), live);
    if (!ok) continue;
    assert_true(n > 10);
    break;
  }
  kiln_blob_finish(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(images_come_back),
      cmocka_unit_test(the_version_tells_the_layout),
      cmocka_unit_test(requests_come_back),
      cmocka_unit_test(replies_come_back),
      cmocka_unit_test(bad_bytes_are_refused),
      cmocka_unit_test(arguments_beyond_their_block_are_refused),
      cmocka_unit_test(sizes_of_sub_groups_are_checked),
      cmocka_unit_test(a_required_sub_group_is_the_one_there_is),
      cmocka_unit_test(failing_allocations_fail_the_reading),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
