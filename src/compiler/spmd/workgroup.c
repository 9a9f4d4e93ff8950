/* The public functions of the work-group compiler: which step follows which. */
#include "compiler/spmd/workgroup.h"

#include "base/abi.h"
#include "base/alloc.h"
#include "compiler/large.h"
#include "compiler/spmd/apart.h"
#include "compiler/spmd/array_loops.h"
#include "compiler/spmd/barrier_tails.h"
#include "compiler/spmd/bit_loops.h"
#include "compiler/spmd/bounds.h"
#include "compiler/spmd/carried_places.h"
#include "compiler/spmd/chosen_places.h"
#include "compiler/spmd/chosen_stores.h"
#include "compiler/spmd/component_loops.h"
#include "compiler/spmd/default.h"
#include "compiler/spmd/distances.h"
#include "compiler/spmd/entry.h"
#include "compiler/spmd/exchange_loops.h"
#include "compiler/spmd/few_turns.h"
#include "compiler/spmd/forget_arrays.h"
#include "compiler/spmd/group_queries.h"
#include "compiler/spmd/guard.h"
#include "compiler/spmd/hinted_loops.h"
#include "compiler/spmd/id_parts.h"
#include "compiler/spmd/long_loops.h"
#include "compiler/spmd/natural_loops.h"
#include "compiler/spmd/operand_order.h"
#include "compiler/spmd/record_copies.h"
#include "compiler/spmd/row_turns.h"
#include "compiler/spmd/row_walks.h"
#include "compiler/spmd/sign.h"
#include "compiler/spmd/spin.h"
#include "compiler/spmd/stream.h"
#include "compiler/spmd/tally.h"
#include "compiler/spmd/tiling.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Error.h>
#include <stdio.h>
#include <string.h>

enum {
  DEFAULT_IN_FLIGHT = 4,
  LEAST_ARENA = 4 << 20,
  MOST_PHIS = 2 /* one behind the other, between ways and a place */
};

static bool run_passes(LLVMModuleRef module, const char *passes, char **error_out) {
  return kiln_error_take(kiln_run_passes(module, NULL, passes), error_out);
}

#define VALUES "lower-expect,sroa,early-cse<memssa>" /* from memory to values */

/* Loops whose stores become choices are one block then, as what hands on looks for. */
static bool choose_stores(LLVMModuleRef module, char **error_out) {
  static const struct kiln_pass_lists lists = {.usual = KILN_SIMPLIFY, .frugal = KILN_SIMPLIFY};
  return !kiln_spmd_choose_stores(module) ||
         kiln_error_take(kiln_large_run_passes(module, NULL, &lists), error_out);
}

/* Of a place that two phis in turn decide on, the second one's ways come first. */
static bool choose_places(LLVMModuleRef module, char **error_out) {
  static const struct kiln_pass_lists lists = {.usual = "sroa,early-cse<memssa>," KILN_SIMPLIFY ",dce",
                                               .frugal = "sccp,dce"};
  for (unsigned k = 0; k < MOST_PHIS && kiln_spmd_choose_places(module); k++)
    if (!kiln_error_take(kiln_large_run_passes(module, NULL, &lists), error_out)) return false;
  return true;
}

/* What loops store and load in the next turn stays in registers, without tests as the code runs. */
static bool hand_on(LLVMModuleRef module, char **error_out) {
  static const struct kiln_pass_lists lists = {
      .usual = "loop-simplify,lcssa,loop-load-elim", .lengthy = "dce", .frugal = "dce"};
  bool wanted = false;
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
    wanted |= kiln_spmd_split_indices(f);
  if (wanted && !kiln_error_take(kiln_large_run_passes(module, NULL, &lists), error_out)) return false;
  kiln_spmd_carry_chosen(module);
  return true;
}

bool kiln_spmd_normalise(LLVMModuleRef module, char **error_out) {
  if (error_out != NULL) *error_out = NULL;
  kiln_restrict_guard(module);
  kiln_spmd_split_copies(module);
  kiln_spmd_guard(module);
  kiln_spmd_move_signs(module);
  kiln_spmd_order_operands(module);
  /* For each counter indvars looks at the branches before its loop, one by one up to the entry. */
  static const struct kiln_pass_lists before = {.usual =
                                                    VALUES "," KILN_SIMPLIFY ",loop(loop-rotate,indvars)",
                                                .branchy = VALUES "," KILN_SIMPLIFY ",loop(loop-rotate)",
                                                .frugal = VALUES,
                                                .most_woven = 400};
  /* Short loops go, so that arrays indexed by their counters become registers. */
  static const struct kiln_pass_lists after = {
      .usual =
          "loop(loop-unroll-full),sroa,early-cse<memssa>," KILN_SIMPLIFY ",dce,lower-constant-intrinsics",
      .frugal = "sccp,dce,lower-constant-intrinsics"};
  kiln_spmd_forget_arrays(module);
  LLVMErrorRef error = kiln_large_run_passes(module, NULL, &before);
  if (error != NULL) return kiln_error_take(error, error_out);
  kiln_spmd_compare_distances(module);
  kiln_spmd_join_exchanges(module);
  kiln_spmd_bound_turns(module);
  kiln_spmd_count_bits(module);
  if (!choose_stores(module, error_out)) return false;
  kiln_spmd_carry_places(module);
  if (!hand_on(module, error_out)) return false;
  kiln_spmd_unroll_array_loops(module);
  kiln_spmd_unroll_component_loops(module);
  kiln_spmd_keep_long_loops(module); /* but for those */
  kiln_spmd_bound_hints(module);
  kiln_spmd_forget_arrays(module);
  if (!kiln_error_take(kiln_large_run_passes(module, NULL, &after), error_out)) return false;
  if (!choose_places(module, error_out)) return false;
  kiln_spmd_drop_undefined(module);
  if (!kiln_error_take(kiln_spmd_unroll_hinted(module), error_out)) return false;
  bool parted = kiln_spmd_part_tails(module, error_out);
  kiln_default_close(module);
  return parted && kiln_spmd_natural_loops(module, error_out);
}

/* ---- describe ---- */

struct run {
  struct kl_env env;
  struct kl_map map;
  struct kl_program program;
  struct kl_plan plan;
  struct kl_lane_plan lanes;
};

/* spec: what launches are like; NULL: any. */
static void plan_kernel(struct run *r, LLVMModuleRef module, LLVMValueRef kernel,
                        const struct kiln_kernel_info *info, const struct kiln_spec *spec) {
  kiln_env_start(&r->env, module);
  kiln_map_start(&r->map, &r->env);
  kiln_program_read(&r->program, &r->env, &r->map, kernel);
  r->program.in_flight = DEFAULT_IN_FLIGHT;
  r->program.lines_in_place = KL_LINES_IN_PLACE;
  r->program.arena_size = LEAST_ARENA;
  if (spec != NULL && !kiln_mapping_is_free(&r->program, info)) kiln_id_parts_find(r->program.kernel, spec);
  kiln_plan_make(&r->plan, &r->env, &r->program);
}

static uint64_t private_bytes(const struct run *r) {
  uint64_t bytes = r->program.frame_bytes + r->plan.shared_bytes + r->plan.stack_bytes;
  for (uint32_t i = 0; i < r->plan.nslot; i++) bytes += r->plan.slots[i].size;
  return bytes;
}

bool kiln_spmd_describe(LLVMModuleRef module, LLVMValueRef kernel, unsigned width,
                        struct kiln_kernel_info *info, const char **why_out, char **error_out) {
  struct run r = {0};
  r.env.arena.no_memory = &r.env.fail;
  if (setjmp(r.env.fail) != 0) return kiln_env_finish(&r.env, false, error_out);
  plan_kernel(&r, module, kernel, info, NULL);
  kiln_bounds_note_factors(r.program.kernel, info);
  kiln_row_turns_note(kernel, info);
  info->local_bytes = (uint32_t)((r.program.local_bytes + 127) & ~(uint64_t)127);
  info->private_bytes = private_bytes(&r);
  info->private_bound = kiln_plan_bound(&r.plan, &r.program);
  info->flags &=
      ~(uint32_t)(KILN_KERNEL_PRINTF | KILN_KERNEL_BARRIER | KILN_KERNEL_FREE | KILN_KERNEL_STREAMS |
                  KILN_KERNEL_TALLIES | KILN_KERNEL_LOOPS | KILN_KERNEL_APART | KILN_KERNEL_WAITS);
  if (r.program.has_printf) info->flags |= KILN_KERNEL_PRINTF;
  if (r.program.kernel->nbarrier != 0) info->flags |= KILN_KERNEL_BARRIER;
  if (kiln_graph_has_cycles(&r.program.kernel->graph)) info->flags |= KILN_KERNEL_LOOPS;
  if (kiln_program_may_spin(&r.program)) info->flags |= KILN_KERNEL_WAITS;
  if (kiln_spmd_may_carry_apart(kernel) || kiln_spmd_may_hand_on(kernel) || kiln_spmd_may_group_apart(kernel))
    info->flags |= KILN_KERNEL_APART;
  if (kiln_stream_find(&r.env, &r.program, info)) info->flags |= KILN_KERNEL_STREAMS;
  if (kiln_tally_find(&r.env, &r.program, info)) info->flags |= KILN_KERNEL_TALLIES;
  if (kiln_mapping_is_free(&r.program, info)) {
    info->flags |= KILN_KERNEL_FREE;
    info->tiling = kiln_tiling_find(&r.env, &r.program, &r.plan);
  }
  info->subgroup_size = kiln_lane_plan_sub_group(&r.env, &r.program, &r.plan, width < 2 ? 1 : width,
                                                 info->reqd_subgroup, why_out);
  return kiln_env_finish(&r.env, true, error_out);
}

/* ---- lower ---- */

static void make_internal(LLVMValueRef global) {
  if (LLVMIsDeclaration(global)) return;
  LLVMSetLinkage(global, LLVMInternalLinkage);
  LLVMSetVisibility(global, LLVMDefaultVisibility);
}

static void delete_lists(LLVMModuleRef module) {
  static const char *const names[] = {"llvm.used", "llvm.compiler.used", "llvm.global_ctors",
                                      "llvm.global_dtors"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    LLVMValueRef list = LLVMGetNamedGlobal(module, names[i]);
    if (list != NULL) LLVMDeleteGlobal(list);
  }
}

/* Whether it is one that the driver looks for (base/abi.h). */
static bool is_for_driver(LLVMValueRef global) {
  static const char *const names[] = {KILN_ENTRY_SYMBOL, KILN_LANES_SYMBOL, KILN_ANY_NUMBER_SYMBOL,
                                      KILN_TALLIES_SYMBOL};
  size_t length;
  const char *name = LLVMGetValueName2(global, &length);
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    if (strcmp(name, names[k]) == 0) return true;
  return false;
}

/* The module that was read is unreachable now: dead code. What goes on to the driver is not. */
static bool drop_old(LLVMModuleRef module, char **error_out) {
  delete_lists(module);
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
    if (!is_for_driver(f)) make_internal(f);
  for (LLVMValueRef v = LLVMGetFirstGlobal(module); v != NULL; v = LLVMGetNextGlobal(v))
    if (!is_for_driver(v)) make_internal(v);
  for (LLVMValueRef a = LLVMGetFirstGlobalAlias(module); a != NULL; a = LLVMGetNextGlobalAlias(a))
    make_internal(a);
  return run_passes(module, "globaldce,strip-dead-prototypes", error_out);
}

/* What an attempt has made that came to nothing: dead code, too. */
static void hide_from_driver(LLVMModuleRef module) {
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
    if (is_for_driver(f)) LLVMSetValueName2(f, "", 0);
  for (LLVMValueRef v = LLVMGetFirstGlobal(module); v != NULL; v = LLVMGetNextGlobal(v))
    if (is_for_driver(v)) LLVMSetValueName2(v, "", 0);
}

static const char x86_64_layout[] =
    "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128";

static bool verify(LLVMModuleRef module, char **error_out) {
  char *text = NULL;
  bool bad = LLVMVerifyModule(module, LLVMReturnStatusAction, &text);
  if (bad && error_out != NULL) *error_out = kiln_strdup(text);
  LLVMDisposeMessage(text);
  return !bad;
}

/* What need not be loaded again and what loops carry once the arguments are known to lie apart. Loops get the
 * blocks around them that simplifying has taken away. */
static bool carry_apart(LLVMModuleRef module, LLVMValueRef kernel, char **error_out) {
  kiln_restrict_all(kernel);
  if (!run_passes(module, "function(early-cse<memssa>,loop-simplify)", error_out)) return false;
  kiln_spmd_carry_places(module);
  return hand_on(module, error_out);
}

enum { MOST_BLOCKS = 300 }; /* of a function to which some more do no harm */

/* Loops on one side of a branch begin with a block of their own, so that lanes may take turns in them: worth
 * longer code where they go through private arrays. */
static bool open_loops(LLVMModuleRef module, char **error_out) {
  bool wanted = false, fits = true;
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
    if (LLVMIsDeclaration(f)) continue;
    wanted |= kiln_spmd_sees_private_arrays(f);
    fits &= LLVMCountBasicBlocks(f) <= MOST_BLOCKS;
  }
  return !wanted || !fits || run_passes(module, "function(loop-simplify)", error_out);
}

/* What a first attempt has found out. */
struct attempt {
  bool again;      /* nothing has come of it, the next one will */
  bool walks;      /* loops in which lanes go along rows (row_walks.h) are marked, to be unrolled */
  unsigned lanes;  /* planned before that, where they are fewer than a register has; else 0 */
  bool keeps_rows; /* kl_program.keeps_rows */
};

/* How the kernel runs: r->lanes. */
static void plan_lanes(struct run *r, LLVMModuleRef module, LLVMValueRef kernel,
                       const struct kiln_spmd_options *options, const struct attempt *attempt) {
  plan_kernel(r, module, kernel, options->info, options->spec);
  r->program.native = options->width;
  r->program.most_lanes = attempt->lanes;
  r->program.keeps_rows = attempt->keeps_rows;
  if (options->in_flight != 0) r->program.in_flight = options->in_flight;
  if (options->lines_in_place != 0) r->program.lines_in_place = options->lines_in_place;
  r->program.integer_turns = options->integer_turns != 0 ? options->integer_turns : 1;
  r->program.has_half = options->has_half;
  r->program.gathers = options->gathers;
  r->program.deposits = options->deposits;
  if (options->arena_size != 0) r->program.arena_size = options->arena_size;
  kiln_bounds_mark(&r->env, r->program.kernel, options->spec, options->info);
  kiln_lane_plan_make(&r->lanes, &r->env, &r->program, &r->plan, options->info, options->spec,
                      options->width);
}

static void tell_plan(const struct run *r, const struct kiln_spmd_options *options) {
  if (options->note != NULL) kiln_lane_plan_describe(&r->lanes, options->note, options->note_size);
  if (options->lanes_out != NULL)
    *options->lanes_out = r->lanes.abreast != NULL ? KILN_WIDTH_PAIR : r->lanes.width;
  if (options->loops_out != NULL) *options->loops_out = kiln_program_may_loop(&r->program);
}

static bool lower(LLVMModuleRef module, LLVMValueRef kernel, const struct kiln_spmd_options *options,
                  struct attempt *attempt, char **error_out) {
  struct run r = {0};
  bool rows_refused = false;
  attempt->again = false;
  r.env.arena.no_memory = &r.env.fail;
  if (setjmp(r.env.fail) != 0) return kiln_env_finish(&r.env, false, error_out);
  plan_lanes(&r, module, kernel, options, attempt);
  if (!attempt->walks && kiln_row_walks_mark(&r.env, &r.program, &r.lanes)) {
    attempt->walks = attempt->again = true;
    attempt->lanes = r.lanes.width < options->width ? r.lanes.width : 0;
    return kiln_env_finish(&r.env, true, error_out) &&
           kiln_error_take(kiln_spmd_unroll_hinted(module), error_out);
  }
  tell_plan(&r, options);
  struct kl_report report = {.env = &r.env};
  r.program.rows_refused = &rows_refused;
  kiln_entry_emit(&r.program, &r.plan, &r.lanes, options, options->report != NULL ? &report : NULL);
  if (rows_refused) {
    attempt->keeps_rows = attempt->again = true;
    hide_from_driver(module);
    return kiln_env_finish(&r.env, true, error_out);
  }
  if (options->report != NULL) *options->report = kiln_report_text(&report);
  LLVMSetTarget(module, options->triple != NULL ? options->triple : "x86_64-unknown-linux-gnu");
  LLVMSetDataLayout(module, options->data_layout != NULL ? options->data_layout : x86_64_layout);
  kiln_env_finish(&r.env, true, error_out);
  return drop_old(module, error_out) && (!options->verify || verify(module, error_out));
}

/* ---- small groups ---- */

enum { SMALL_GROUP = 256 }; /* work-items: larger ones fill all registers that a processor needs to be busy */

/* A row of groups so small that it may pay to run several as one, if only to have enough in flight. */
static bool find_small_groups(const struct kiln_spmd_options *options, struct kl_group_row *row) {
  const struct kiln_spec *spec = options->spec;
  const uint32_t *size = spec->local_size;
  *row = (struct kl_group_row){size[0], spec->offset_zero, spec->small};
  if (size[0] < 2 || size[0] > SMALL_GROUP || size[1] != 1 || size[2] != 1) return false;
  if (!spec->uniform || !spec->small || options->info == NULL) return false;
  for (uint32_t i = 0; i < options->info->num_args; i++)
    if (options->info->args[i].kind == KILN_ARG_LOCAL) return false;
  return options->info->local_bytes == 0 && options->width > 1 && spec->width != 1;
}

/* What a kernel would run as. */
struct outlook {
  unsigned width;
  bool merges;
  struct kl_lane_estimate estimate;
};

static bool weigh(LLVMModuleRef module, LLVMValueRef kernel, const struct kiln_spmd_options *options,
                  struct outlook *out, char **error_out) {
  struct run r = {0};
  const struct attempt attempt = {0};
  r.env.arena.no_memory = &r.env.fail;
  if (setjmp(r.env.fail) != 0) return kiln_env_finish(&r.env, false, error_out);
  plan_lanes(&r, module, kernel, options, &attempt);
  *out = (struct outlook){r.lanes.width, r.lanes.merges, r.lanes.estimate};
  return kiln_env_finish(&r.env, true, error_out);
}

/* Lanes that lie in several groups find less that is the same for all of them, and less in a row, but fill
 * registers; more of them are in flight where results are waited for. */
static bool is_better_joined(const struct outlook *joined, const struct outlook *apart, unsigned forced) {
  if (!joined->merges || joined->width <= apart->width) return false;
  const double most = joined->estimate.chains ? 1.02 : 0.75;
  return forced != 0 || joined->estimate.cost < most * apart->estimate.cost;
}

/* Groups of which work-items only want to know which and where they are run as one where that takes less: the
 * queries are answered by their places in the launch. Polynomials of 100 terms, groups of 2, 4, 8 and 16: 10,
 * 5, 2.5 and 1.4 times as fast (AVX-512). */
static bool join_small_groups(LLVMModuleRef module, LLVMValueRef kernel,
                              const struct kiln_spmd_options *options, char **error_out) {
  struct kl_group_row row;
  struct outlook apart, joined;
  uint32_t count;
  size_t length;
  if (!find_small_groups(options, &row)) return true;
  LLVMModuleRef copy = LLVMCloneModule(module);
  bool ok = true, is_better = false;
  if (kiln_group_queries_answer(copy, &row, &count) && count != 0) {
    LLVMValueRef same = LLVMGetNamedFunction(copy, LLVMGetValueName2(kernel, &length));
    ok = weigh(module, kernel, options, &apart, error_out);
    const bool is_limited = ok && 4 * apart.width > row.size; /* by the size of a group */
    if (is_limited) ok = weigh(copy, same, options, &joined, error_out);
    is_better = ok && is_limited && is_better_joined(&joined, &apart, options->spec->width);
  }
  LLVMDisposeModule(copy);
  if (is_better) kiln_group_queries_answer(module, &row, &count);
  return ok;
}

bool kiln_spmd_lower(LLVMModuleRef module, LLVMValueRef kernel, const struct kiln_spmd_options *options,
                     char **error_out) {
  struct attempt attempt = {.again = true};
  if (!join_small_groups(module, kernel, options, error_out)) return false;
  if (options->spec->apart && !carry_apart(module, kernel, error_out)) return false;
  if (!open_loops(module, error_out)) return false;
  while (attempt.again)
    if (!lower(module, kernel, options, &attempt, error_out)) return false;
  return true;
}
