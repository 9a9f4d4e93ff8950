/* See run.h. */
#include "run.h"

#include "base/cpuid.h"
#include "compiler/compiler.h"
#include "drivers/cpu/code.h"
#include "test.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct kiln_target target(void) {
  static char features[2048];
  assert_true(kiln_cpu_features(features, sizeof features));
  return (struct kiln_target){
      .features = features,
      .tune = kiln_cpu_tune(features),
      .extensions = "cl_khr_fp16 cl_khr_depth_images cl_khr_3d_image_writes cl_khr_byte_addressable_store",
      .feature_macros = "__opencl_c_images __opencl_c_read_write_images __opencl_c_3d_image_writes",
      .device_version = 300,
      .address_bits = 64,
      .image_support = 1,
      .arena_size = 1 << 20};
}

static void expect_ok(const struct kiln_reply *reply, const char *source) {
  if (reply->status == KILN_REPLY_OK) return;
  print_error("status %u: %s\n%s\n", reply->status, reply->log == NULL ? "" : reply->log, source);
  fail();
}

void program_make(struct program *program, const char *source, const char *options) {
  struct kiln_request build = {.kind = KILN_REQUEST_COMPILE,
                               .target = target(),
                               .options = options,
                               .source = source,
                               .source_size = strlen(source),
                               .executable = 1};
  program->options = options;
  kiln_compiler_run(&build, &program->reply);
  expect_ok(&program->reply, source);
}

void program_free(struct program *program) { kiln_reply_finish(&program->reply); }

void code_of(struct code *code, const struct program *program, const struct kiln_spec *spec) {
  struct kiln_reply object;
  struct kiln_request generate = {.kind = KILN_REQUEST_CODEGEN,
                                  .target = target(),
                                  .options = program->options,
                                  .image = &program->reply.image,
                                  .kernel = "k",
                                  .spec = *spec,
                                  .optimize = 1};
  kiln_compiler_run(&generate, &object);
  expect_ok(&object, "");
  const struct kiln_kernel_info *info = &program->reply.image.kernels[0];
  assert_true(info->num_args <= 8);
  for (uint32_t i = 0; i < info->num_args; i++) code->offsets[i] = info->args[i].offset;
  char *message = NULL;
  assert_int_equal(kiln_code_load(NULL, object.object, object.object_size, "k", &code->code, &message),
                   CL_SUCCESS);
  kiln_reply_finish(&object);
}

void code_make(struct code *code, const char *source, const char *options, uint32_t width) {
  struct program program;
  program_make(&program, source, options);
  code_of(code, &program, &(struct kiln_spec){.offset_zero = 1, .small = 1, .width = width});
  program_free(&program);
}

void code_free(struct code *code) {
  kiln_code_unload(NULL, code->code);
  code->code = NULL;
}

void code_run(const struct code *code, size_t n, unsigned count, const void *const *args,
              const size_t *sizes) {
  static _Alignas(128) uint8_t local[4096], arena[1 << 20], block[256];
  for (unsigned i = 0; i < count; i++) memcpy(block + code->offsets[i], args[i], sizes[i]);
  struct kiln_launch launch = {.args = block,
                               .global_size = {n, 1, 1},
                               .num_groups = {1, 1, 1},
                               .local_size = {(uint32_t)n, 1, 1},
                               .work_dim = 1};
  struct kiln_worker worker = {
      .local = local, .arena = arena, .arena_size = sizeof arena, .local_size = sizeof local};
  code->code->function(&launch, &worker, 0, 1);
}

void guarded_make(struct guarded *g, size_t size, int at_start) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), inner = (size + page - 1) / page * page;
  *g = (struct guarded){.size = size, .mapped = inner + 2 * page};
  g->pages = mmap(NULL, g->mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(g->pages != MAP_FAILED);
  assert_int_equal(mprotect(g->pages + page, inner, PROT_READ | PROT_WRITE), 0);
  g->data = at_start ? g->pages + page : g->pages + page + inner - size;
}

void guarded_free(struct guarded *g) { assert_int_equal(munmap(g->pages, g->mapped), 0); }
