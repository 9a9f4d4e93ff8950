/* Owns the stage for launches whose groups are one work-item each: what asks where in its group an item is
 * gets its answer, barriers go, and what is local to the group becomes private. Nothing ties such groups
 * together then, and they become lanes. Must not know how lanes are chosen.
 *
 * Programs for processors are written so (ViennaCL, Boost.Compute, OpenMM): each group walks its part of the
 * data alone. A triangular solver, a group for each of 512 columns: 49 to 4.7 ms. */
#include "compiler/large.h"
#include "compiler/pipeline.h"
#include "compiler/spmd/group_queries.h"
#include "compiler/spmd/ir.h"
#include "compiler/value.h"
#include "compiler/visit.h"

#include <llvm-c/Core.h>

enum {
  LOCAL = 3,                /* the address space */
  MOST_VARIABLES = 1 << 13, /* bytes */
  MOST_ARGUMENT = 256,      /* bytes at known places of a local argument: its size is known at launch only */
  ARGUMENT_ALIGNMENT = 128,
  MOST_INDICES = 8,
  MOST_DEPTH = 16
};

/* ---- queries ---- */

/* Barriers that order memory for more than the group remain as fences. */
static void drop_barrier(LLVMBuilderRef b, LLVMValueRef call) {
  enum { WORK_GROUP = 1 }; /* memory_scope */
  if (LLVMGetNumArgOperands(call) < 2) return;
  LLVMValueRef scope = LLVMGetOperand(call, 1);
  if (LLVMIsAConstantInt(scope) && LLVMConstIntGetZExtValue(scope) <= WORK_GROUP) return;
  LLVMBuildFence(b, LLVMAtomicOrderingAcquireRelease, false, "");
}

static LLVMValueRef visit(LLVMBuilderRef b, LLVMValueRef i) {
  LLVMValueRef next = LLVMGetNextInstruction(i), callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
  uint16_t query = 0;
  if (callee == NULL || !LLVMIsAFunction(callee)) return next;
  const unsigned kind = kiln_call_classify(callee, &query);
  LLVMPositionBuilderBefore(b, i);
  if (kind == KL_BARRIER) {
    drop_barrier(b, i);
  } else {
    static const struct kl_group_row one = {.size = 1};
    LLVMValueRef known = kind == KL_QUERY ? kiln_group_query_answer(b, i, query, &one) : NULL;
    if (known == NULL) return next;
    LLVMReplaceAllUsesWith(i, known);
  }
  LLVMInstructionEraseFromParent(i);
  return next;
}

/* ---- local memory ---- */

/* Whether the kernel only loads and stores, ordinarily, what lies at addresses from here on. */
static bool is_own(LLVMValueRef kernel, LLVMValueRef address, unsigned depth) {
  if (depth > MOST_DEPTH) return false;
  for (LLVMUseRef use = LLVMGetFirstUse(address); use != NULL; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    const bool is_constant = LLVMIsAConstantExpr(user) != NULL;
    if (!is_constant && LLVMIsAInstruction(user) == NULL) return false;
    if (!is_constant && LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)) != kernel) return false;
    const LLVMOpcode op = is_constant ? LLVMGetConstOpcode(user) : LLVMGetInstructionOpcode(user);
    if (op == LLVMGetElementPtr) {
      if (LLVMGetTypeKind(LLVMTypeOf(user)) != LLVMPointerTypeKind) return false;
      if (LLVMGetNumIndices(user) > MOST_INDICES || !is_own(kernel, user, depth + 1)) return false;
    } else if (op == LLVMStore ? LLVMGetOperand(user, 0) == address : op != LLVMLoad) {
      return false;
    } else if (!kiln_is_ordinary(user)) {
      return false;
    }
  }
  return true;
}

/* An address of a copy, as the user has it of the original. */
static LLVMValueRef same_step(LLVMBuilderRef b, LLVMValueRef user, LLVMValueRef to) {
  LLVMValueRef index[MOST_INDICES];
  const unsigned n = (unsigned)LLVMGetNumIndices(user);
  for (unsigned k = 0; k < n; k++) index[k] = LLVMGetOperand(user, k + 1);
  return LLVMBuildGEP2(b, LLVMGetGEPSourceElementType(user), to, index, n, "");
}

/* Accesses go to the copy; constant addresses of it are made where it is. */
static void redirect(LLVMBuilderRef b, LLVMValueRef address, LLVMValueRef to, LLVMValueRef made) {
  LLVMUseRef next;
  for (LLVMUseRef use = LLVMGetFirstUse(address); use != NULL; use = next) {
    LLVMValueRef user = LLVMGetUser(use);
    const bool is_constant = LLVMIsAConstantExpr(user) != NULL;
    next = LLVMGetNextUse(use);
    if (!is_constant && LLVMIsAGetElementPtrInst(user) == NULL) {
      LLVMSetOperand(user, LLVMIsAStoreInst(user) ? 1 : 0, to);
      continue;
    }
    LLVMPositionBuilderBefore(b, is_constant ? LLVMGetNextInstruction(made) : user);
    redirect(b, user, same_step(b, user, to), made);
    if (!is_constant) LLVMInstructionEraseFromParent(user);
  }
}

static void make_private(LLVMValueRef kernel, LLVMValueRef address, LLVMTypeRef type, unsigned alignment) {
  LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetTypeContext(type));
  LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(kernel)));
  LLVMValueRef made = LLVMBuildAlloca(b, type, "");
  LLVMSetAlignment(made, alignment);
  redirect(b, address, made, made);
  LLVMDisposeBuilder(b);
}

/* A kernel, alone with what it calls. */
struct lone {
  LLVMModuleRef module;
  LLVMValueRef kernel;
  const struct kiln_kernel_info *info;
  LLVMTargetDataRef layout;
};

/* Of all local variables of the kernel: one alone would not free its groups. */
static bool owns_variables(const struct lone *l) {
  uint64_t bytes = 0;
  for (LLVMValueRef g = LLVMGetFirstGlobal(l->module); g != NULL; g = LLVMGetNextGlobal(g)) {
    if (LLVMGetPointerAddressSpace(LLVMTypeOf(g)) != LOCAL) continue;
    bytes += LLVMABISizeOfType(l->layout, LLVMGlobalGetValueType(g));
    if (bytes > MOST_VARIABLES || !is_own(l->kernel, g, 0)) return false;
  }
  return true;
}

/* The end of what is accessed at known places from an address on, in bytes; beyond MOST_ARGUMENT: not known.
 */
static uint64_t end_of(const struct lone *l, LLVMValueRef address, uint64_t at) {
  uint64_t most = at;
  for (LLVMUseRef use = LLVMGetFirstUse(address); use != NULL; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    uint64_t end;
    if (LLVMIsAGetElementPtrInst(user)) {
      LLVMValueRef index = LLVMGetOperand(user, 1);
      if (LLVMGetNumIndices(user) != 1 || !LLVMIsAConstantInt(index)) return MOST_ARGUMENT + 1;
      const uint64_t step = LLVMABISizeOfType(l->layout, LLVMGetGEPSourceElementType(user)),
                     n = LLVMConstIntGetZExtValue(index);
      end = n > MOST_ARGUMENT || step > MOST_ARGUMENT ? MOST_ARGUMENT + 1 : at + step * n;
      end = end > MOST_ARGUMENT ? MOST_ARGUMENT + 1 : end_of(l, user, end);
    } else {
      LLVMValueRef data = LLVMIsAStoreInst(user) ? LLVMGetOperand(user, 0) : user;
      end = at + LLVMABISizeOfType(l->layout, LLVMTypeOf(data));
    }
    if (end > most) most = end;
  }
  return most;
}

static bool is_local_argument(const struct lone *l, uint32_t k) {
  return l->info->args[k].kind == KILN_ARG_LOCAL;
}

static bool owns_arguments(const struct lone *l) {
  for (uint32_t k = 0; k < l->info->num_args; k++) {
    LLVMValueRef argument = LLVMGetParam(l->kernel, k);
    if (!is_local_argument(l, k)) continue;
    if (!is_own(l->kernel, argument, 0) || end_of(l, argument, 0) > MOST_ARGUMENT) return false;
  }
  return true;
}

static void make_all_private(const struct lone *l) {
  LLVMTypeRef byte = LLVMInt8TypeInContext(LLVMGetModuleContext(l->module));
  for (LLVMValueRef g = LLVMGetFirstGlobal(l->module); g != NULL; g = LLVMGetNextGlobal(g))
    if (LLVMGetPointerAddressSpace(LLVMTypeOf(g)) == LOCAL)
      make_private(l->kernel, g, LLVMGlobalGetValueType(g), LLVMGetAlignment(g));
  for (uint32_t k = 0; k < l->info->num_args; k++) {
    LLVMValueRef argument = LLVMGetParam(l->kernel, k);
    if (!is_local_argument(l, k) || LLVMGetFirstUse(argument) == NULL) continue;
    make_private(l->kernel, argument, LLVMArrayType2(byte, end_of(l, argument, 0)), ARGUMENT_ALIGNMENT);
  }
}

bool kiln_unit_set_apart(struct kiln_unit *unit, LLVMValueRef kernel, const struct kiln_kernel_info *info) {
  static const struct kiln_pass_lists fold = {
      .usual = "sccp,instsimplify," KILN_SIMPLIFY ",early-cse<memssa>,adce", .frugal = "sccp,adce"};
  static const struct kiln_pass_lists to_registers = {.usual = "sroa,early-cse<memssa>,adce",
                                                      .frugal = "sroa,adce"};
  LLVMModuleRef module = LLVMGetGlobalParent(kernel);
  const struct lone l = {module, kernel, info, LLVMGetModuleDataLayout(module)};
  kiln_visit_instructions(module, visit);
  if (!kiln_unit_accept(unit, kiln_large_run_passes(module, NULL, &fold))) return false;
  if (!owns_variables(&l) || !owns_arguments(&l)) return true;
  make_all_private(&l);
  return kiln_unit_accept(unit, kiln_large_run_passes(module, NULL, &to_registers));
}

bool kiln_stage_alone(struct kiln_unit *unit) {
  return !kiln_spec_is_alone(unit->request->spec.local_size) ||
         kiln_unit_set_apart(unit, unit->kernel, unit->info);
}
