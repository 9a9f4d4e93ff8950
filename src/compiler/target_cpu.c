/* Owns what is x86-64 in the compiler: processor features on functions, the passes after lowering, the object
 * file. Features come from CPUID by way of the request, never from a processor's name. Must not know OpenCL.
 */
#include "base/alloc.h"
#include "base/cpuid.h"
#include "compiler/alignment.h"
#include "compiler/byte_products.h"
#include "compiler/component_tests.h"
#include "compiler/counted_address.h"
#include "compiler/defined_lanes.h"
#include "compiler/gather_indices.h"
#include "compiler/guessed_quotients.h"
#include "compiler/half_as_float.h"
#include "compiler/half_conversions.h"
#include "compiler/lane_tests.h"
#include "compiler/large.h"
#include "compiler/long_conversions.h"
#include "compiler/object_file.h"
#include "compiler/pipeline.h"
#include "compiler/rotations.h"
#include "compiler/rounded_ints.h"
#include "compiler/rounding.h"
#include "compiler/split_fma.h"
#include "compiler/spmd/wide_masks.h"
#include "compiler/spmd/workgroup.h"
#include "compiler/stored_rows.h"
#include "compiler/ternary_logic.h"
#include "compiler/vector_constants.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <stdio.h>
#include <string.h>

static const char triple[] = "x86_64-unknown-linux-gnu";
static const char cpu[] = "x86-64"; /* the least; features add to it */

enum { MOST_FEATURES = 2048 /* characters of their list */ };

/* Measured against default<O2>: 2.4 ms where that took 4.4 (compiler.md 2.3 step 12). The vectorizer serves
 * simple regions: a loop over work-items without loops and uniform branches inside. Widening
 * counters takes 40 % of the time; our own loops do not need it. Loop strength reduction took up to a quarter
 * of all and gained as much as it lost; only loops that do one work-item at a time are worth it. A second and
 * a third instcombine took up to a fifth of all and made nothing run faster. */
#define CLEAN "sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,"
#define BEFORE_LOOPS CLEAN "loop-mssa(loop-rotate,licm),"
#define LOOPS "loop-deletion,loop-unroll-full"
#define WIDEN "loop(indvars,loop-idiom," LOOPS "),"
#define KEEP "loop(" LOOPS "),"
#define NUMBERS "gvn,"
#define NUMBERS_OF_VALUES "gvn<no-memdep>,"
#define UNSWITCH "loop-mssa(licm,simple-loop-unswitch<nontrivial>),loop-vectorize,"
#define AFTER_LOOPS "infer-alignment,simplifycfg,dse,adce"
#define LENGTHY(COUNTERS, NUMBERING, LAST)                                                                   \
  BEFORE_LOOPS COUNTERS "sroa," NUMBERING "loop-mssa(licm)," AFTER_LOOPS LAST
#define LISTS(COUNTERS, NUMBERING, WINDING, VECTORS, LAST)                                                   \
  {                                                                                                          \
    .usual = BEFORE_LOOPS COUNTERS "sroa," NUMBERING UNSWITCH VECTORS AFTER_LOOPS LAST,                      \
    .lengthy = LENGTHY(COUNTERS, NUMBERING, LAST), .winding = WINDING,                                       \
    .branchy = CLEAN NUMBERING AFTER_LOOPS, .frugal = "sroa,early-cse<memssa>,sccp,adce"                     \
  }
/* Components that are computed alike, as of vectors unpacked from bytes. Of lanes it would make gathers of
 * loads that are faster one by one, and of thousands of instructions too long work. */
#define JOIN "slp-vectorizer,"
static const struct kiln_pass_lists passes_of_lanes =
                                        LISTS(WIDEN, NUMBERS, LENGTHY(KEEP, NUMBERS, ""), "", ""),
                                    passes_of_items = LISTS(WIDEN, NUMBERS, NULL, JOIN, "");
/* No loops in the source: what is loaded twice in a row early-cse finds; to go by dependences on memory took
 * a tenth of all. */
static const struct kiln_pass_lists short_passes_of_lanes = LISTS(KEEP, NUMBERS_OF_VALUES, NULL, "", ""),
                                    short_passes_of_items =
                                        LISTS(KEEP, NUMBERS_OF_VALUES, NULL, JOIN, ",loop(loop-reduce)");

static LLVMTargetRef cpu_target(void) {
  static LLVMTargetRef target;
  if (target != NULL) return target;
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  char *message = NULL;
  if (LLVMGetTargetFromTriple(triple, &target, &message)) LLVMDisposeMessage(message);
  return target;
}

static void add_attribute(LLVMValueRef function, const char *name, const char *value) {
  LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
  LLVMAddAttributeAtIndex(
      function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
      LLVMCreateStringAttribute(context, name, (unsigned)strlen(name), value, (unsigned)strlen(value)));
}

/* Processors flush what is float or double, and compute with halves as they are: a comparison of halves with
 * the smallest normal one is not one with zero. LLVM has a word for floats alone, and one for all other
 * types. */
static void set_denormals(LLVMValueRef function, bool flush) {
  add_attribute(function, "denormal-fp-math", flush ? "dynamic,dynamic" : "ieee,ieee");
  if (flush) add_attribute(function, "denormal-fp-math-f32", "preserve-sign,preserve-sign");
}

/* Gathers of AVX2 are taken where lanes may be off: code for each lane would jump over those, and no
 * processor foretells which. (A reader of bits 1.9 times as fast so, a Bloom filter 2.5; Zen 3.) Functions
 * that only code of ours calls leave the upper parts of registers alone: callers count on that. */
static void set_features(const struct kiln_unit *unit, LLVMValueRef function) {
  const char *features = unit->request->target.features,
             *gathers = kiln_target_lanes(unit) == 8 ? ",+fast-gather" : "",
             *keeps = LLVMGetLinkage(function) == LLVMInternalLinkage ? ",-vzeroupper" : "";
  char list[MOST_FEATURES];
  const int n = snprintf(list, sizeof list, "%s%s%s", features, gathers, keeps);
  add_attribute(function, "target-features", n > 0 && (size_t)n < sizeof list ? list : features);
}

/* Register allocation across calls (object_file.h) has functions keep nothing for their callers where none
 * calls itself: LLVM 19 forgets that a caller's frame may lie at one of those registers. */
static void keep_frames(LLVMValueRef function) {
  const unsigned kind = LLVMGetEnumAttributeKindForName("norecurse", sizeof "norecurse" - 1);
  LLVMRemoveEnumAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, kind);
}

static void set_attributes(const struct kiln_unit *unit, LLVMValueRef function) {
  const struct kiln_target *t = &unit->request->target;
  const bool has_avx512 = strstr(t->features, "+avx512f") != NULL;
  keep_frames(function);
  add_attribute(function, "target-cpu", cpu);
  set_features(unit, function);
  add_attribute(function, "tune-cpu", t->tune[0] == '\0' ? "generic" : t->tune);
  /* without this some processors get their widest registers split (compiler.md trap 1) */
  add_attribute(function, "prefer-vector-width", has_avx512 ? "512" : "256");
  /* guesses of 12 bits, refined once, are not within the bounds of relaxed division and roots; quotients of
   * better ones have a form of their own (guessed_quotients.h) */
  add_attribute(function, "reciprocal-estimates", has_avx512 ? "!vec-divf" : "none");
  add_attribute(function, "no-trapping-math", "true");
  set_denormals(function, (unit->info->flags & KILN_KERNEL_DENORMS_ZERO) != 0);
}

/* Machines stay for later kernels: LLVM takes a millisecond to learn what a processor with many features can,
 * and half of one to set up the passes. */
static struct machine {
  char *features;
  LLVMTargetMachineRef machine;
  kiln_object_maker *objects[2][2]; /* by whether they hoist, and know callees; NULL until the first */
} kept[2];                          /* by whether it optimizes */

static void replace_machine(struct machine *m, const char *features, LLVMCodeGenOptLevel level) {
  for (unsigned k = 0; k < 4; k++) kiln_object_maker_dispose(m->objects[k / 2][k % 2]);
  if (m->machine != NULL) LLVMDisposeTargetMachine(m->machine);
  kiln_free(m->features);
  /* Without memory for its features the machine is only not found again. */
  *m = (struct machine){.features = kiln_strdup(features),
                        .machine = LLVMCreateTargetMachine(cpu_target(), triple, cpu, features, level,
                                                           LLVMRelocPIC, LLVMCodeModelSmall)};
}

static bool has_callees(LLVMModuleRef module) {
  unsigned functions = 0;
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
    functions += !LLVMIsDeclaration(f);
  return functions > 1;
}

static bool take_machine(struct kiln_unit *unit, bool optimize) {
  const char *features = unit->request->target.features;
  struct machine *m = &kept[optimize];
  if (cpu_target() == NULL) return kiln_unit_fail(unit, "internal error: no x86-64 target");
  if (m->features == NULL || strcmp(m->features, features) != 0)
    replace_machine(m, features, optimize ? LLVMCodeGenLevelDefault : LLVMCodeGenLevelNone);
  unit->machine = m->machine;
  if (unit->machine == NULL) return kiln_unit_fail(unit, "internal error: no x86-64 target machine");
  kiln_machine_know_callees(unit->machine, has_callees(unit->module));
  return true;
}

/* Every AVX-512 has the instructions. */
static bool fuses(const struct kiln_unit *unit) {
  const char *features = unit->request->target.features;
  return strstr(features, "+fma") != NULL || strstr(features, "+avx512f") != NULL;
}

bool kiln_stage_target(struct kiln_unit *unit) {
  if (!take_machine(unit, unit->request->optimize)) return false;
  if (!fuses(unit)) kiln_split_fma(unit->module);
  for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f != NULL; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f)) set_attributes(unit, f);
  kiln_promise_no_vectors(unit->module);
  return true;
}

unsigned kiln_target_lanes(const struct kiln_unit *unit) {
  const char *features = unit->request->target.features;
  if (strstr(features, "+avx512f") != NULL) return 16;
  return strstr(features, "+avx2") != NULL ? 8 : 4;
}

static bool has_half(const struct kiln_unit *unit) {
  return strstr(unit->request->target.features, "+avx512fp16") != NULL;
}

/* Processors that begin two operations on 512 bits in a cycle also have the VEX forms of VNNI, from Sapphire
 * Rapids and Zen 5 on; Zen 4 begins one. Those with AVX2
 * begin two on 256 bits, of which each takes four turns and more. */
static unsigned in_flight(const struct kiln_unit *unit) {
  const char *features = unit->request->target.features;
  const bool is_wide = strstr(features, "+avx512f") != NULL;
  return strstr(features, is_wide ? "+avxvnni" : "+fma") != NULL ? 8 : 4;
}

static unsigned integer_turns(const struct kiln_unit *unit) {
  return kiln_cpu_is_from_zen5(unit->request->target.features) ? 2 : 1;
}

/* First caches have 8 ways, and 12 from Golden Cove and Zen 5 on, which have the VEX forms of VNNI. */
static unsigned lines_in_place(const struct kiln_unit *unit) {
  return strstr(unit->request->target.features, "+avxvnni") != NULL ? 12 : 8;
}

/* Those with AVX512-FP16 gather an element in a cycle or less; Zen 4 takes 1.6 and more. */
static bool gathers(const struct kiln_unit *unit) {
  return strstr(unit->request->target.features, "+avx512fp16") != NULL;
}

static bool deposits(const struct kiln_unit *unit) {
  const char *features = unit->request->target.features;
  return strstr(features, "+avx512f") != NULL && strstr(features, "+bmi2") != NULL;
}

struct kiln_spmd_options kiln_target_spmd_options(const struct kiln_unit *unit) {
  return (struct kiln_spmd_options){.width = kiln_target_lanes(unit),
                                    .in_flight = in_flight(unit),
                                    .integer_turns = integer_turns(unit),
                                    .lines_in_place = lines_in_place(unit),
                                    .has_half = has_half(unit),
                                    .gathers = gathers(unit),
                                    .deposits = deposits(unit),
                                    .arena_size = unit->request->target.arena_size};
}

static bool converts_halves(const char *features) {
  return strstr(features, "+f16c") != NULL && strstr(features, "+avx512fp16") == NULL;
}

static void convert_halves(LLVMModuleRef module, const char *features) {
  if (converts_halves(features)) {
    kiln_narrow_doubles_by_floats(module);
    kiln_keep_halves_together(module); /* passes make operations on halves of those on floats */
  } else if (strstr(features, "+avx512fp16") != NULL) {
    kiln_widen_half_comparisons(module);
  } else {
    kiln_convert_halves_by_integers(module);
  }
}

bool kiln_stage_optimise(struct kiln_unit *unit) {
  const bool lanes = unit->lanes > 1 && unit->lanes != KILN_WIDTH_PAIR;
  const struct kiln_pass_lists *lists = unit->loops ? lanes ? &passes_of_lanes : &passes_of_items
                                        : lanes     ? &short_passes_of_lanes
                                                    : &short_passes_of_items;
  const char *features = unit->request->target.features;
  kiln_join_component_tests(unit->module);
  if (converts_halves(features))
    kiln_keep_halves_together(unit->module); /* passes hoist what does not change */
  if (!kiln_unit_accept(unit, kiln_large_run_passes(unit->module, unit->machine, lists))) return false;
  kiln_define_lanes(unit->module);
  kiln_shuffle_stored_rows(unit->module);
  kiln_multiply_bytes_by_words(unit->module);
  const bool has_avx512 = strstr(features, "+avx512vl") != NULL;
  if (has_avx512) kiln_join_ternary_logic(unit->module);
  if (has_avx512) kiln_keep_lane_tests(unit->module);
  kiln_fence_hash_sums(unit->module);
  if (!has_avx512) kiln_fence_rotations(unit->module);
  kiln_sign_gather_indices(unit->module);
  kiln_join_rounded_ints(unit->module);
  kiln_widen_half_quotients(unit->module);
  if (has_avx512) kiln_guess_quotients(unit->module);
  if (strstr(features, "+avx512dq") == NULL)
    kiln_convert_longs_by_sums(unit->module, strstr(features, "+avx2") != NULL);
  convert_halves(unit->module, features);
  if (strstr(features, "+sse4.1") == NULL) kiln_round_by_sums(unit->module);
  if (strstr(features, "+avx512f") == NULL &&
      !kiln_spmd_widen_masks(unit->module, strstr(features, "+avx") != NULL ? 256 : 128))
    return kiln_unit_no_memory(unit);
  kiln_count_addresses(unit->module);
  return true;
}

char *kiln_unit_assembly(const struct kiln_unit *unit) {
  char *message = NULL;
  LLVMMemoryBufferRef buffer = NULL;
  LLVMModuleRef copy = LLVMCloneModule(unit->module); /* code generation changes what it reads */
  if (LLVMTargetMachineEmitToMemoryBuffer(unit->machine, copy, LLVMAssemblyFile, &message, &buffer)) {
    LLVMDisposeModule(copy);
    return message;
  }
  char *text = LLVMCreateMessage(LLVMGetBufferStart(buffer));
  LLVMDisposeMemoryBuffer(buffer);
  LLVMDisposeModule(copy);
  return text;
}

/* More constants than fit into registers stay where they are used, as operands in memory: outside of loops
 * they would be loaded to the stack first (mathematics in floats with AVX2: 1.16 times as long). */
static bool hoists(const struct kiln_unit *unit) {
  return !kiln_has_more_vector_constants(
      unit->module, strstr(unit->request->target.features, "+avx512f") != NULL ? 24 : 12);
}

bool kiln_stage_emit(struct kiln_unit *unit) {
  const bool optimize = unit->request->optimize && !kiln_large_module(unit->module), hoist = hoists(unit);
  if (!take_machine(unit, optimize)) return false;
  struct machine *m = &kept[optimize];
  kiln_object_maker **maker = &m->objects[hoist][has_callees(unit->module)];
  if (*maker == NULL) *maker = kiln_object_maker_create(m->machine, hoist);
  if (*maker == NULL) return kiln_unit_fail(unit, "internal error: no object files for x86-64");
  const char *data;
  const size_t size = kiln_object_make(*maker, unit->module, &data, &unit->emitted);
  unit->reply->object = kiln_alloc(size);
  if (unit->reply->object == NULL) return kiln_unit_no_memory(unit);
  memcpy(unit->reply->object, data, size);
  unit->reply->object_size = size;
  return true;
}
