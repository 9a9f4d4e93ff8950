/* Every stage of a compile, a link and a code generation, in order. Owns what surrounds a stage: dumps
 * (KILN_DUMP), checks of the IR in debug builds, injected faults, times. Must not know what a stage does. */
#include "compiler/pipeline.h"

#include "base/alloc.h"
#include "base/config.h"
#include "base/log.h"
#include "base/os.h"
#include "compiler/inject.h"
#include "compiler/large.h"
#include "compiler/value.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef bool stage_function(struct kiln_unit *unit);

/* KILN_DUMP names this stage, or is "all". compiler.h lists the names (KILN_DUMP_TABLE). */
static bool dump_wanted(const char *stage) {
  const char *list = kiln_config(KILN_CONFIG_DUMP);
  size_t length = strlen(stage);
  while (list != NULL && *list != '\0') {
    size_t item = strcspn(list, ",");
    if ((item == length && memcmp(list, stage, length) == 0) || (item == 3 && memcmp(list, "all", 3) == 0))
      return true;
    list += item + (list[item] == ',');
  }
  return false;
}

static void dump(const struct kiln_unit *unit, const char *stage) {
  bool is_assembly = strcmp(stage, "assembly") == 0;
  char *text = is_assembly ? kiln_unit_assembly(unit) : LLVMPrintModuleToString(unit->module);
  fprintf(stderr, "%s ---- kiln: after %s\n%s", is_assembly ? "#" : ";", stage, text);
  LLVMDisposeMessage(text);
}

static bool verify(struct kiln_unit *unit, const char *stage) {
#ifndef NDEBUG
  char *message = NULL;
  bool broken = LLVMVerifyModule(unit->module, LLVMReturnStatusAction, &message);
  if (broken) kiln_unit_fail(unit, "internal error: invalid code after stage %s: %s", stage, message);
  LLVMDisposeMessage(message);
  return !broken;
#else
  return true;
#endif
}

/* Casts of bits and fences are no machine code. */
static bool is_instruction(LLVMValueRef i) {
  if (LLVMGetInstructionOpcode(i) == LLVMBitCast) return false;
  return LLVMIsAIntrinsicInst(i) == NULL ||
         !kiln_name_begins(LLVMGetCalledValue(i), "llvm.arithmetic.fence.");
}

/* Of all functions that have bodies. */
static unsigned count_instructions(LLVMModuleRef module) {
  unsigned count = 0;
  if (module == NULL) return 0;
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b != NULL; b = LLVMGetNextBasicBlock(b))
      for (LLVMValueRef i = LLVMGetFirstInstruction(b); i != NULL; i = LLVMGetNextInstruction(i))
        count += is_instruction(i);
  return count;
}

static bool stage(struct kiln_unit *unit, const char *name, stage_function *function) {
  uint64_t start = kiln_os_thread_ns(); /* what other threads do takes no part */
  kiln_inject(name);
  bool ok = function(unit);
  kiln_log(KILN_LOG_COMPILE, KILN_LOG_DEBUG, "stage %s %.3f ms, %u instructions%s", name,
           (double)(kiln_os_thread_ns() - start) * 1e-6,
           unit->emitted != 0 ? unit->emitted : count_instructions(unit->module), ok ? "" : ", failed");
  if (unit->module == NULL) return ok;
  if (dump_wanted(name)) dump(unit, name);
  return ok && verify(unit, name);
}

/* What makes a program executable: kernels get what they call, so that their bounds are known and hold. */
static bool complete(struct kiln_unit *u) {
  return stage(u, "internalise", kiln_stage_internalise)  /* unused functions go */
         && stage(u, "registers", kiln_stage_normalise)   /* values to registers: callees show their size */
         && stage(u, "parameters", kiln_stage_parameters) /* unused ones go: ids may be of no more use then */
         && stage(u, "angles", kiln_stage_angles)         /* sine and cosine of one angle together */
         && stage(u, "powers", kiln_stage_powers)         /* powers of known exponents to products */
         && stage(u, "builtins", kiln_stage_builtins)     /* definitions of builtin functions */
         && stage(u, "inline", kiln_stage_inline)         /* within the budget */
         && stage(u, "samplers", kiln_stage_samplers)     /* literal ones to constants */
         && stage(u, "split", kiln_stage_split)           /* vectors that functions take to components */
         && stage(u, "arguments", kiln_stage_arguments)   /* structures by value to variables */
         && stage(u, "normalise", kiln_stage_normalise)   /* the form that lowering reads */
         && stage(u, "coordinates", kiln_stage_coordinates) /* by components, where they are put together */
         && stage(u, "components", kiln_stage_components)   /* those that change are stored alone */
         && stage(u, "vectors", kiln_stage_late_vectors)    /* put together where they are used */
         && stage(u, "globals", kiln_stage_globals)         /* places of program-scope variables */
         && stage(u, "describe", kiln_stage_describe);      /* kernels' metadata */
}

static bool compile(struct kiln_unit *u) {
  return stage(u, "options", kiln_stage_options)      /* text to settings */
         && stage(u, "frontend", kiln_stage_frontend) /* source to IR */
         && (!u->request->executable || complete(u))  /* clBuildProgram links at once */
         && stage(u, "store", kiln_stage_store);      /* IR to bitcode */
}

static bool link_images(struct kiln_unit *u) {
  bool executable = !u->request->library;
  return stage(u, "options", kiln_stage_options)                     /* text to settings */
         && stage(u, "merge", kiln_stage_merge)                      /* inputs to one module */
         && (!executable || stage(u, "resolve", kiln_stage_resolve)) /* nothing undefined, no recursion */
         && (!executable || complete(u)) && stage(u, "store", kiln_stage_store); /* IR to bitcode */
}

static bool assembly(struct kiln_unit *unit) { return true; }

static bool generate(struct kiln_unit *u) {
  bool plain = !u->request->optimize;
  return stage(u, "load", kiln_stage_load)                       /* bitcode to IR */
         && stage(u, "isolate", kiln_stage_isolate)              /* one kernel and what it calls */
         && stage(u, "alone", kiln_stage_alone)                  /* groups of one work-item */
         && stage(u, "opaque", kiln_stage_opaque)                /* formats of images to constants */
         && stage(u, "native", kiln_stage_native)                /* builtins' forms for this processor */
         && stage(u, "lower", kiln_stage_lower)                  /* work-item to work-group function */
         && stage(u, "target", kiln_stage_target)                /* processor features */
         && (plain || stage(u, "optimise", kiln_stage_optimise)) /* what regions and packets left over */
         && stage(u, "assembly", assembly)                       /* for people: shown, not kept */
         && stage(u, "emit", kiln_stage_emit);                   /* IR to machine code */
}

/* LLVM's own messages: linker and code generator. */
static void on_diagnostic(LLVMDiagnosticInfoRef info, void *user) {
  if (LLVMGetDiagInfoSeverity(info) != LLVMDSError) return;
  char *text = LLVMGetDiagInfoDescription(info);
  kiln_unit_log(user, "error: %s", text);
  LLVMDisposeMessage(text);
}

static void finish_log(struct kiln_unit *unit) {
  kiln_blob_put(&unit->log, "", 1);
  if (unit->log.failed) {
    kiln_blob_finish(&unit->log);
    unit->reply->status = KILN_REPLY_NO_MEMORY;
    return;
  }
  unit->reply->log = (char *)unit->log.data;
}

void kiln_pipeline_run(const struct kiln_request *request, struct kiln_reply *reply) {
  static bool (*const sequences[])(struct kiln_unit *) = {
      [KILN_REQUEST_COMPILE] = compile, [KILN_REQUEST_LINK] = link_images, [KILN_REQUEST_CODEGEN] = generate};
  *reply = (struct kiln_reply){.status = KILN_REPLY_FAILED};
  struct kiln_unit unit = {.request = request, .reply = reply, .context = LLVMContextCreate()};
  LLVMContextSetDiagnosticHandler(unit.context, on_diagnostic, &unit);
  LLVMContextSetDiscardValueNames(unit.context, kiln_config(KILN_CONFIG_DUMP) == NULL);
  bool ok = sequences[request->kind](&unit);
  if (ok && reply->status == KILN_REPLY_FAILED) reply->status = KILN_REPLY_OK;
  if (!ok) kiln_program_image_finish(&reply->image);
  if (unit.module != NULL) LLVMDisposeModule(unit.module);
  LLVMContextDispose(unit.context);
  kiln_options_finish(&unit.options);
  finish_log(&unit);
}

static void log_v(struct kiln_unit *unit, const char *format, va_list ap) {
  va_list again;
  va_copy(again, ap);
  int length = vsnprintf(NULL, 0, format, ap);
  char *text = length < 0 ? NULL : kiln_alloc((size_t)length + 2);
  if (text == NULL) {
    unit->log.failed = true;
  } else {
    vsnprintf(text, (size_t)length + 1, format, again);
    if (length == 0 || text[length - 1] != '\n') text[length++] = '\n';
    kiln_blob_put(&unit->log, text, (size_t)length);
    kiln_free(text);
  }
  va_end(again);
}

void kiln_unit_log(struct kiln_unit *unit, const char *format, ...) {
  va_list ap;
  va_start(ap, format);
  log_v(unit, format, ap);
  va_end(ap);
}

bool kiln_unit_fail(struct kiln_unit *unit, const char *format, ...) {
  kiln_blob_put(&unit->log, "error: ", 7);
  va_list ap;
  va_start(ap, format);
  log_v(unit, format, ap);
  va_end(ap);
  return false;
}

bool kiln_unit_no_memory(struct kiln_unit *unit) {
  unit->reply->status = KILN_REPLY_NO_MEMORY;
  return false;
}

bool kiln_unit_accept(struct kiln_unit *unit, LLVMErrorRef error) {
  if (error == NULL) return true;
  char *message = LLVMGetErrorMessage(error);
  kiln_unit_fail(unit, "internal error: %s", message);
  LLVMDisposeErrorMessage(message);
  return false;
}

bool kiln_unit_passes_on(struct kiln_unit *unit, LLVMModuleRef module, const char *passes) {
  return kiln_unit_accept(unit, kiln_run_passes(module, unit->machine, passes));
}

bool kiln_unit_passes(struct kiln_unit *unit, const char *passes) {
  return kiln_unit_passes_on(unit, unit->module, passes);
}
