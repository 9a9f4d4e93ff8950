/* Explanations of kernels in the build log; see explain.h. Machine code is made at launches only, so this is
 * a lowering for show, for the local size given or one that suits. */
#include "compiler/explain.h"

#include "base/alloc.h"
#include "compiler/metadata.h"
#include "compiler/spmd/workgroup.h"

#include <llvm-c/Core.h>
#include <stdio.h>
#include <string.h>

static unsigned count_calls(LLVMValueRef function) {
  unsigned count = 0;
  for (LLVMUseRef use = LLVMGetFirstUse(function); use != NULL; use = LLVMGetNextUse(use)) count++;
  return count;
}

static void log_kernel(struct kiln_unit *unit, const struct kiln_kernel_info *k, const char *lanes,
                       const uint32_t *size) {
  kiln_unit_log(unit,
                "kernel '%s', groups of %u x %u x %u: %s; %s; %llu bytes private to a work-item, %llu of "
                "them counted against its arena; %u bytes of local variables%s%s",
                k->name, size[0], size[1], size[2], lanes,
                k->flags & KILN_KERNEL_BARRIER && !kiln_spec_is_alone(size)
                    ? "cut into regions at its barriers"
                    : "no barrier: one region",
                (unsigned long long)k->private_bytes, (unsigned long long)k->private_bound, k->local_bytes,
                k->flags & KILN_KERNEL_PRINTF ? "; prints" : "",
                k->flags & KILN_KERNEL_APART ? "; with each argument in a memory object of its own" : "");
}

static void log_functions(struct kiln_unit *unit) {
  for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f != NULL; f = LLVMGetNextFunction(f)) {
    size_t length;
    if (LLVMIsDeclaration(f) || kiln_is_kernel(f)) continue;
    kiln_unit_log(unit, "function '%s' stays a function, called from %u places",
                  LLVMGetValueName2(f, &length), count_calls(f));
  }
}

/* The required size, that of the option, the form of tiles, or a row. */
static void choose_size(const struct kiln_unit *unit, const struct kiln_kernel_info *k, uint32_t size[3]) {
  const struct kiln_tiling *t = &k->tiling;
  size[0] = size[1] = size[2] = 1;
  if (k->reqd_size[0] != 0) memcpy(size, k->reqd_size, sizeof k->reqd_size);
  else if (unit->options.explain_size[0] != 0)
    memcpy(size, unit->options.explain_size, sizeof unit->options.explain_size);
  else if (t->form == KILN_TILE_UNKNOWN) size[0] = 64;
  else size[t->along] = 64, size[t->across] = 16;
}

struct lowered {
  char note[160]; /* the mapping */
  char *report;   /* source line by source line */
  unsigned lanes;
};

static bool lower_copy(struct kiln_unit *unit, const struct kiln_kernel_info *k, const uint32_t *size,
                       struct lowered *out) {
  struct kiln_spec spec = {.uniform = 1,
                           .offset_zero = 1,
                           .small = kiln_spec_usual_small(k, size),
                           .rows = kiln_spec_usual_rows(k),
                           .width = unit->options.width};
  spec.tallies = (k->flags & KILN_KERNEL_TALLIES) != 0;
  spec.apart = (k->flags & KILN_KERNEL_APART) != 0;
  LLVMModuleRef copy = LLVMCloneModule(unit->module);
  struct kiln_spmd_options options = kiln_target_spmd_options(unit);
  options.info = k;
  options.spec = &spec;
  options.lines = true;
  options.note = out->note;
  options.note_size = sizeof out->note;
  options.report = &out->report;
  options.lanes_out = &out->lanes;
  memcpy(spec.local_size, size, sizeof spec.local_size);
  LLVMValueRef kernel = LLVMGetNamedFunction(copy, k->name);
  bool ok =
      !kiln_spec_is_alone(size) || (kiln_unit_isolate(unit, kernel) && kiln_unit_set_apart(unit, kernel, k));
  ok = ok && kiln_unit_settle(unit, copy) && kiln_spmd_lower(copy, kernel, &options, NULL);
  LLVMDisposeModule(copy);
  return ok && out->report != NULL;
}

static void log_width(struct kiln_unit *unit, const struct kiln_kernel_info *k, const char *note) {
  char width[16] = "pair";
  if (unit->options.width != KILN_WIDTH_PAIR) snprintf(width, sizeof width, "%u", unit->options.width);
  kiln_unit_log(unit, "kernel '%s': -kiln-width=%s is not honoured: %s", k->name, width, note);
}

static bool explain_kernel(struct kiln_unit *unit, const struct kiln_kernel_info *k) {
  struct lowered lowered = {.lanes = 0};
  uint32_t size[3];
  choose_size(unit, k, size);
  bool ok = lower_copy(unit, k, size, &lowered);
  if (ok && unit->options.explain) {
    log_kernel(unit, k, lowered.note, size);
    if (lowered.report[0] != '\0') kiln_unit_log(unit, "%s", lowered.report);
  }
  if (ok && unit->options.width != 0 && lowered.lanes != unit->options.width)
    log_width(unit, k, lowered.note);
  kiln_free(lowered.report);
  return ok;
}

bool kiln_explain(struct kiln_unit *unit) {
  if (!unit->options.explain && unit->options.width == 0) return true;
  for (uint32_t i = 0; i < unit->reply->image.num_kernels; i++)
    if (!explain_kernel(unit, &unit->reply->image.kernels[i])) return kiln_unit_no_memory(unit);
  if (unit->options.explain) log_functions(unit);
  return true;
}
