/* Owns the stages between IR and image: merging, resolving, what stays visible, kernels' metadata, bitcode.
 * Must not know sources or machines. */
#include "base/alloc.h"
#include "base/log.h"
#include "compiler/builtins.h"
#include "compiler/checks.h"
#include "compiler/constant_tables.h"
#include "compiler/doubled.h"
#include "compiler/explain.h"
#include "compiler/few_bits.h"
#include "compiler/frontend.h"
#include "compiler/joined_id.h"
#include "compiler/low_bits.h"
#include "compiler/metadata.h"
#include "compiler/own_arguments.h"
#include "compiler/pipeline.h"
#include "compiler/plain_private.h"
#include "compiler/spmd/workgroup.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <llvm-c/Linker.h>
#include <string.h>

static LLVMModuleRef read_bitcode(struct kiln_unit *unit, const struct kiln_program_image *image) {
  LLVMMemoryBufferRef buffer =
      LLVMCreateMemoryBufferWithMemoryRange((const char *)image->bitcode, image->bitcode_size, "program", 0);
  LLVMModuleRef module = NULL;
  LLVMBool failed = LLVMParseBitcodeInContext2(unit->context, buffer, &module);
  LLVMDisposeMemoryBuffer(buffer);
  if (!failed) return module;
  kiln_unit_fail(unit, "the program's code is damaged");
  return NULL;
}

/* Without the bodies of functions. */
static LLVMModuleRef open_bitcode(struct kiln_unit *unit, const struct kiln_program_image *image) {
  LLVMMemoryBufferRef buffer =
      LLVMCreateMemoryBufferWithMemoryRange((const char *)image->bitcode, image->bitcode_size, "program", 0);
  LLVMModuleRef module = NULL;
  if (!LLVMGetBitcodeModuleInContext2(unit->context, buffer, &module)) return module; /* it has the buffer */
  LLVMDisposeMemoryBuffer(buffer);
  kiln_unit_fail(unit, "the program's code is damaged");
  return NULL;
}

/* ---- merge ---- */

static bool is_definition(LLVMValueRef global) {
  LLVMLinkage linkage = LLVMGetLinkage(global);
  return !LLVMIsDeclaration(global) && linkage == LLVMExternalLinkage;
}

/* LLVM's linker would say the same without the programs' point of view. */
static bool names_clash(struct kiln_unit *unit, LLVMModuleRef more) {
  bool clash = false;
  for (LLVMValueRef f = LLVMGetFirstFunction(more); f != NULL; f = LLVMGetNextFunction(f)) {
    size_t length;
    const char *name = LLVMGetValueName2(f, &length);
    LLVMValueRef other = LLVMGetNamedFunction(unit->module, name);
    if (other == NULL || !is_definition(f) || !is_definition(other)) continue;
    kiln_unit_fail(unit, "function '%s' is defined in more than one of the linked programs", name);
    clash = true;
  }
  for (LLVMValueRef g = LLVMGetFirstGlobal(more); g != NULL; g = LLVMGetNextGlobal(g)) {
    size_t length;
    const char *name = LLVMGetValueName2(g, &length);
    LLVMValueRef other = LLVMGetNamedGlobal(unit->module, name);
    if (other == NULL || !is_definition(g) || !is_definition(other)) continue;
    kiln_unit_fail(unit, "variable '%s' is defined in more than one of the linked programs", name);
    clash = true;
  }
  return clash;
}

bool kiln_stage_merge(struct kiln_unit *unit) {
  const struct kiln_request *q = unit->request;
  for (uint32_t i = 0; i < q->num_inputs; i++) {
    LLVMModuleRef more = read_bitcode(unit, q->inputs[i]);
    if (more == NULL) return false;
    if (unit->module == NULL) {
      unit->module = more;
    } else if (names_clash(unit, more)) {
      LLVMDisposeModule(more);
      return false;
    } else if (LLVMLinkModules2(unit->module,
                                more)) { /* it consumes `more` and reports through the context */
      return false;
    }
  }
  return unit->module != NULL || kiln_unit_fail(unit, "there is nothing to link");
}

/* ---- resolve ---- */

struct link_reporter {
  struct kiln_frontend_reporter base;
  struct kiln_unit *unit;
  bool failed;
};

static void report(struct kiln_frontend_reporter *self, size_t index, const char *message) {
  struct link_reporter *reporter = (struct link_reporter *)self;
  (void)index;
  kiln_unit_fail(reporter->unit, "%s", message);
  reporter->failed = true;
}

bool kiln_stage_resolve(struct kiln_unit *unit) {
  size_t count;
  struct kiln_frontend_call *calls = kiln_check_module_calls(unit->module, &count);
  if (calls == NULL) return kiln_unit_no_memory(unit);
  struct link_reporter reporter = {.base = {report}, .unit = unit};
  bool memory = kiln_check_recursion(calls, count, &reporter.base);
  kiln_check_unresolved(calls, count, &reporter.base);
  kiln_free(calls);
  return memory ? !reporter.failed : kiln_unit_no_memory(unit);
}

bool kiln_stage_internalise(struct kiln_unit *unit) {
  for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f != NULL; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f) && !kiln_is_kernel(f)) LLVMSetLinkage(f, LLVMInternalLinkage);
  return kiln_unit_passes(unit, "globaldce");
}

/* Before builtins are there, whose parameters are looked for by their places. */
bool kiln_stage_parameters(struct kiln_unit *unit) { return kiln_unit_passes(unit, "deadargelim"); }

/* Whether a kernel flushes denormals is settled when its program is linked, and one function may serve
 * kernels of either kind: until the target is chosen no pass may count on it. */
static void leave_denormals_open(LLVMModuleRef module) {
  static const char name[] = "denormal-fp-math", value[] = "dynamic,dynamic";
  LLVMAttributeRef open =
      LLVMCreateStringAttribute(LLVMGetModuleContext(module), name, sizeof name - 1, value, sizeof value - 1);
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f))
      LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, open);
}

bool kiln_stage_arguments(struct kiln_unit *unit) {
  for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f != NULL; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f)) kiln_own_arguments(unit->module, f, kiln_is_kernel(f));
  return true;
}

bool kiln_stage_normalise(struct kiln_unit *unit) {
  char *error = NULL;
  leave_denormals_open(unit->module);
  kiln_low_bits(unit->module);
  kiln_few_bits(unit->module);
  kiln_doubled(unit->module);
  kiln_join_ids(unit->module);
  kiln_plain_private(unit->module);
  kiln_constant_tables(unit->module);
  if (kiln_spmd_normalise(unit->module, &error)) return true;
  if (error == NULL) return kiln_unit_no_memory(unit);
  kiln_unit_fail(unit, "%s", error);
  kiln_free(error);
  return false;
}

/* ---- the image ---- */

bool kiln_stage_globals(struct kiln_unit *unit) {
  char *error = NULL;
  if (kiln_spmd_place_globals(unit->module, &unit->reply->image.globals, &error)) return true;
  if (error == NULL) return kiln_unit_no_memory(unit);
  kiln_unit_fail(unit, "%s", error);
  kiln_free(error);
  return false;
}

static bool check_sub_group(struct kiln_unit *unit, const struct kiln_kernel_info *k) {
  return k->reqd_subgroup == 0 || kiln_is_sub_group_size(k->reqd_subgroup) ||
         kiln_unit_fail(unit,
                        "kernel '%s': intel_reqd_sub_group_size(%u) is no power of two from 1 to %d, which "
                        "sub-groups are of",
                        k->name, k->reqd_subgroup, KILN_MAX_SUB_GROUP);
}

/* why: of sub-groups of one work-item, or NULL. */
static bool accept_sub_group(struct kiln_unit *unit, const struct kiln_kernel_info *k, const char *why) {
  if (why == NULL) return true;
  if (k->reqd_subgroup != 0)
    return kiln_unit_fail(unit,
                          "kernel '%s': intel_reqd_sub_group_size(%u) cannot be met, only sub-groups of one "
                          "work-item: %s",
                          k->name, k->reqd_subgroup, why);
  kiln_log(KILN_LOG_COMPILE, KILN_LOG_INFO, "kernel %s: sub-groups of one work-item: %s", k->name, why);
  return true;
}

static bool describe(struct kiln_unit *unit, struct kiln_kernel_info *k) {
  char *error = NULL;
  const char *why = NULL;
  LLVMValueRef kernel = LLVMGetNamedFunction(unit->module, k->name);
  if (!check_sub_group(unit, k)) return false;
  if (kiln_spmd_describe(unit->module, kernel, kiln_target_lanes(unit), k, &why, &error))
    return accept_sub_group(unit, k, why);
  if (error == NULL) return kiln_unit_no_memory(unit);
  kiln_unit_fail(unit, "kernel '%s': %s", k->name, error);
  kiln_free(error);
  return false;
}

bool kiln_stage_describe(struct kiln_unit *unit) {
  struct kiln_program_image *image = &unit->reply->image;
  if (!kiln_metadata_read(unit->module, image)) return kiln_unit_no_memory(unit);
  for (uint32_t i = 0; i < image->num_kernels; i++) {
    struct kiln_kernel_info *k = &image->kernels[i];
    if (unit->options.denorms_zero || unit->options.unsafe_math || unit->options.fast_relaxed)
      k->flags |= KILN_KERNEL_DENORMS_ZERO;
    if (!describe(unit, k)) return false;
  }
  return kiln_explain(unit);
}

static uint32_t image_type(const struct kiln_request *q) {
  if (q->kind == KILN_REQUEST_LINK)
    return q->library ? KILN_PROGRAM_IMAGE_LIBRARY : KILN_PROGRAM_IMAGE_EXECUTABLE;
  return q->executable ? KILN_PROGRAM_IMAGE_EXECUTABLE : KILN_PROGRAM_IMAGE_OBJECT;
}

bool kiln_stage_store(struct kiln_unit *unit) {
  struct kiln_program_image *image = &unit->reply->image;
  LLVMMemoryBufferRef buffer = LLVMWriteBitcodeToMemoryBuffer(unit->module);
  size_t size = LLVMGetBufferSize(buffer);
  image->type = image_type(unit->request);
  image->options = kiln_strdup(unit->request->options);
  image->bitcode = kiln_alloc(size);
  bool ok = image->options != NULL && image->bitcode != NULL;
  if (ok) {
    memcpy(image->bitcode, LLVMGetBufferStart(buffer), size);
    image->bitcode_size = size;
  }
  LLVMDisposeMemoryBuffer(buffer);
  return ok || kiln_unit_no_memory(unit);
}

/* ---- from the image back to one kernel ---- */

bool kiln_stage_load(struct kiln_unit *unit) {
  const struct kiln_request *q = unit->request;
  for (uint32_t i = 0; i < q->image->num_kernels && unit->info == NULL; i++)
    if (strcmp(q->image->kernels[i].name, q->kernel) == 0) unit->info = &q->image->kernels[i];
  if (unit->info == NULL) return kiln_unit_fail(unit, "the program has no kernel '%s'", q->kernel);
  unit->module = open_bitcode(unit, q->image);
  if (unit->module == NULL) return false;
  unit->kernel = LLVMGetNamedFunction(unit->module, q->kernel);
  if (unit->kernel == NULL) return kiln_unit_fail(unit, "the program has no kernel '%s'", q->kernel);
  return kiln_frontend_read_function(unit->kernel) || kiln_unit_fail(unit, "the program's code is damaged");
}

bool kiln_unit_isolate(struct kiln_unit *unit, LLVMValueRef kernel) {
  LLVMModuleRef module = LLVMGetGlobalParent(kernel);
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f) && f != kernel) LLVMSetLinkage(f, LLVMInternalLinkage);
  return kiln_unit_passes_on(unit, module, "globaldce");
}

bool kiln_stage_isolate(struct kiln_unit *unit) { return kiln_unit_isolate(unit, unit->kernel); }

bool kiln_unit_settle(struct kiln_unit *unit, LLVMModuleRef module) {
  if (!kiln_builtins_settle(module, unit->request->target.features)) return true;
  return kiln_unit_passes_on(unit, module, "function(instsimplify,simplifycfg,adce),globaldce");
}

bool kiln_stage_native(struct kiln_unit *unit) { return kiln_unit_settle(unit, unit->module); }

bool kiln_stage_builtins(struct kiln_unit *unit) {
  char *missing = NULL;
  if (kiln_builtins_link(unit->module, &missing)) return true;
  if (missing == NULL) return kiln_unit_no_memory(unit);
  kiln_unit_fail(unit, "unresolved function: '%s' is called but not defined", missing);
  kiln_free(missing);
  return false;
}

bool kiln_stage_lower(struct kiln_unit *unit) {
  char note[160] = "";
  struct kiln_spmd_options options = kiln_target_spmd_options(unit);
  options.info = unit->info;
  options.spec = &unit->request->spec;
  if (!unit->request->optimize) options.width = 1;
  options.note = note;
  options.note_size = sizeof note;
  options.lines = true;
  options.lanes_out = &unit->lanes;
  options.loops_out = &unit->loops;
  options.verify = true;
  char *error = NULL;
  bool ok = kiln_spmd_lower(unit->module, unit->kernel, &options, &error);
  unit->kernel = NULL; /* gone in either case */
  kiln_log(KILN_LOG_COMPILE, KILN_LOG_DEBUG, "kernel %s: %s", unit->info->name, note);
  if (ok) return true;
  if (error == NULL) return kiln_unit_no_memory(unit);
  kiln_unit_fail(unit, "kernel '%s': %s", unit->info->name, error);
  kiln_free(error);
  return false;
}
