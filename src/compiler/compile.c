/* Owns the stages that turn a request's source into IR: option text, clang's arguments, the files clang sees,
 * the checks on the source. Must not know what happens to the IR later. */
#include "base/alloc.h"
#include "compiler/builtins.h"
#include "compiler/checks.h"
#include "compiler/device_header.h"
#include "compiler/frontend.h"
#include "compiler/metadata.h"
#include "compiler/pipeline.h"

#include <llvm-c/Core.h>
#include <stdio.h>
#include <string.h>

#define HEADER_FOLDER "/kiln/include"

extern const char kiln_embed_base_header[], kiln_embed_base_header_end[];

bool kiln_stage_options(struct kiln_unit *unit) {
  const struct kiln_request *q = unit->request;
  enum kiln_options_use use = q->kind == KILN_REQUEST_LINK ? KILN_OPTIONS_LINK
                              : q->executable              ? KILN_OPTIONS_BUILD
                                                           : KILN_OPTIONS_COMPILE;
  char *bad = NULL;
  cl_int err = kiln_options_parse(q->options, use, &unit->options, &bad);
  if (err == CL_SUCCESS) return true;
  if (err == CL_OUT_OF_HOST_MEMORY) return kiln_unit_no_memory(unit);
  kiln_unit_fail(unit, "invalid option '%s'", bad == NULL ? "" : bad);
  kiln_free(bad);
  return false;
}

/* ---- clang's arguments ---- */

struct arguments {
  const char **items;
  size_t count;
};

static void push(struct arguments *a, const char *text) { a->items[a->count++] = text; }

static const char *const fixed_arguments[] = {
    "-triple",
    "spir64",
    "-x",
    "cl",
    "-emit-llvm",
    "-disable-llvm-passes",
    "-O2", /* below it clang forbids to unroll */
    "-fdeclare-opencl-builtins",
    "-cl-kernel-arg-info",
    "-resource-dir",
    "/kiln",
    "-include",
    HEADER_FOLDER "/opencl-c-base.h",
    "-include",
    HEADER_FOLDER "/kiln-device.h",
    "-main-file-name",
    "kernel.cl",
    "-ferror-limit",
    "100",
    "-fbracket-depth",
    "2048",
    "-nostdsysteminc",
    "-iquote",
    ".",                 /* a program may include files of the working folder, as elsewhere */
    "-relaxed-aliasing", /* programs view floats as integers; our own analyses need no type tags */
};

static bool has_feature(const char *features, const char *name) {
  size_t length = strlen(name);
  for (const char *at = features; at != NULL && (at = strstr(at, name)) != NULL; at += length)
    if ((at == features || at[-1] == ',') && (at[length] == ',' || at[length] == '\0')) return true;
  return false;
}

static void push_options(struct arguments *a, const struct kiln_options *o) {
  if (!o->std_given) push(a, "-cl-std=CL1.2");
  push(a, o->contract || o->unsafe_math || o->fast_relaxed ? "-ffp-contract=fast" : "-ffp-contract=on");
  if (o->debug || o->explain) push(a, "-debug-info-kind=line-tables-only");
  for (size_t i = 0; i < o->num_args; i++) push(a, o->args[i]);
}

/* version and extensions: text that lives as long as the list. */
static bool arguments_init(struct arguments *a, const struct kiln_unit *unit, const char *version,
                           const char *extensions) {
  const struct kiln_target *target = &unit->request->target;
  size_t fixed = sizeof fixed_arguments / sizeof *fixed_arguments;
  *a = (struct arguments){.items = kiln_alloc((fixed + unit->options.num_args + 16) * sizeof *a->items)};
  if (a->items == NULL) return false;
  for (size_t i = 0; i < fixed; i++) push(a, fixed_arguments[i]);
  push(a, version);
  push(a, extensions);
  if (has_feature(target->features, "+fma")) {
    push(a, "-DFP_FAST_FMAF=1");
    push(a, "-DFP_FAST_FMA=1");
  }
  if (unit->request->num_headers > 0) { /* embedded headers lie in the working folder */
    push(a, "-I");
    push(a, ".");
  }
  push_options(a, &unit->options);
  return true;
}

/* ---- files ---- */

static struct kiln_frontend_file *files_new(const struct kiln_request *q, const struct kiln_blob *device,
                                            size_t *count_out) {
  struct kiln_frontend_file *files = kiln_alloc((2 + q->num_headers) * sizeof *files);
  if (files == NULL) return NULL;
  files[0] = (struct kiln_frontend_file){HEADER_FOLDER "/opencl-c-base.h", kiln_embed_base_header,
                                         (size_t)(kiln_embed_base_header_end - kiln_embed_base_header)};
  files[1] = (struct kiln_frontend_file){HEADER_FOLDER "/kiln-device.h", (const char *)device->data,
                                         device->size - 1};
  for (uint32_t i = 0; i < q->num_headers; i++)
    files[2 + i] = (struct kiln_frontend_file){q->headers[i].name, q->headers[i].text, q->headers[i].size};
  *count_out = 2 + q->num_headers;
  return files;
}

/* What is true of the device, then what clang's header lacks; ends with NUL. */
static void device_text(struct kiln_blob *out, const struct kiln_unit *unit) {
  kiln_device_header(out, &unit->request->target, unit->options.std);
  size_t size;
  const char *extra = kiln_builtins_extra_header(&size);
  kiln_blob_put(out, extra, size);
  kiln_blob_put(out, "", 1);
}

/* ---- after clang ---- */

static void check_source(void *user, const struct kiln_frontend_call *calls, size_t num_calls,
                         struct kiln_frontend_reporter *reporter) {
  struct kiln_unit *unit = user;
  kiln_check_forbidden(calls, num_calls, reporter);
  if (!kiln_check_recursion(calls, num_calls, reporter)) kiln_unit_no_memory(unit);
  if (unit->request->executable) kiln_check_unresolved(calls, num_calls, reporter);
}

/* Hands the list of files over to the image. */
static bool take_includes(struct kiln_program_image *image, struct kiln_frontend_result *result) {
  image->uncacheable = result->dated;
  image->includes = kiln_zalloc(result->num_includes * sizeof *image->includes);
  if (image->includes == NULL) return false;
  for (size_t i = 0; i < result->num_includes; i++) {
    struct kiln_frontend_include *from = &result->includes[i];
    image->includes[image->num_includes++] =
        (struct kiln_include){.path = from->path, .hash = from->hash, .absent = from->absent};
    from->path = NULL;
  }
  return true;
}

static uint32_t flags_of_options(const struct kiln_options *o) {
  uint32_t flags = KILN_KERNEL_ARG_INFO;
  if (o->uniform_group_size || o->std < 200) flags |= KILN_KERNEL_UNIFORM_GROUPS;
  if (o->denorms_zero || o->unsafe_math || o->fast_relaxed) flags |= KILN_KERNEL_DENORMS_ZERO;
  return flags;
}

/* C99's inline: bodies that only serve inlining become definitions, since there is no other file to have one.
 * No function may ask to be left alone (optnone): lowering reads the normalised form. */
static void settle_functions(struct kiln_unit *unit) {
  unsigned optnone = LLVMGetEnumAttributeKindForName("optnone", 7);
  for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f != NULL; f = LLVMGetNextFunction(f)) {
    if (LLVMGetLinkage(f) == LLVMAvailableExternallyLinkage) LLVMSetLinkage(f, LLVMLinkOnceODRLinkage);
    LLVMRemoveEnumAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, optnone);
    if (kiln_is_kernel(f)) kiln_metadata_mark(f, flags_of_options(&unit->options));
  }
}

static bool run_frontend(struct kiln_unit *unit, const struct arguments *arguments,
                         const struct kiln_blob *device) {
  const struct kiln_request *q = unit->request;
  size_t num_files = 0;
  struct kiln_frontend_file *files = files_new(q, device, &num_files);
  if (files == NULL) return kiln_unit_no_memory(unit);
  const struct kiln_frontend_job job = {.args = arguments->items,
                                        .num_args = arguments->count,
                                        .name = "kernel.cl",
                                        .source = q->source,
                                        .source_size = q->source_size,
                                        .files = files,
                                        .num_files = num_files,
                                        .context = unit->context,
                                        .check = check_source,
                                        .user = unit};
  struct kiln_frontend_result result;
  kiln_frontend_compile(&job, &result);
  kiln_free(files);
  bool ok = result.log != NULL && take_includes(&unit->reply->image, &result);
  if (result.log != NULL) kiln_blob_put(&unit->log, result.log, strlen(result.log));
  unit->module = result.module;
  result.module = NULL;
  kiln_frontend_result_finish(&result);
  return ok ? unit->module != NULL : kiln_unit_no_memory(unit);
}

bool kiln_stage_frontend(struct kiln_unit *unit) {
  struct kiln_blob device = {0}, extensions = {0};
  struct arguments arguments;
  char version[40];
  snprintf(version, sizeof version, "-D__OPENCL_VERSION__=%u", unit->request->target.device_version);
  device_text(&device, unit);
  kiln_device_extensions(&extensions, &unit->request->target, unit->options.std);
  kiln_blob_put(&extensions, "", 1);
  bool ok = !device.failed && !extensions.failed &&
            arguments_init(&arguments, unit, version, (const char *)extensions.data);
  if (!ok) {
    kiln_unit_no_memory(unit);
  } else {
    ok = run_frontend(unit, &arguments, &device);
    kiln_free(arguments.items);
  }
  kiln_blob_finish(&device);
  kiln_blob_finish(&extensions);
  if (ok) settle_functions(unit);
  return ok;
}
