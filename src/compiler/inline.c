/* Owns the choice of which calls are expanded. Callees that meet barriers or collectives always are: regions
 * are cut in the kernel only. The rest is expanded, callees first, while no function grows past a budget;
 * what is left stays a call. The budget is larger for callees that ask for ids or hold or take private
 * memory, which a call keeps out of registers. Kernels that grow long all the same begin anew, with less for
 * long callees outside of loops, next to which a call is nothing: what password crackers do before and after
 * their rounds is a hash function twenty times. Those that are very long even so, with what they still call,
 * expand long callees in loops no more either: lanes would be refused, and the same code compiled ten times.
 * (Without budgets, 17 functions that each call the one before twice become 3.1 million lines.) */
#include "base/alloc.h"
#include "base/config.h"
#include "compiler/builtins.h"
#include "compiler/cold.h"
#include "compiler/metadata.h"
#include "compiler/permutes.h"
#include "compiler/pipeline.h"
#include "compiler/spmd/ir.h"
#include "compiler/value.h"

#include <llvm-c/Core.h>
#include <stdlib.h>
#include <string.h>

enum {
  BUDGET_FACTOR = 4,     /* times the IR of a kernel and all it calls */
  BUDGET_LEAST = 2000,   /* instructions that are always granted */
  BUDGET_WISHED = 6000,  /* instructions up to which callees with ids or private memory are expanded */
  LONG_KERNEL = 12000,   /* instructions */
  VERY_LONG = 16000,     /* instructions of a kernel and the functions that it still calls */
  LONG_CALLEE = 500,     /* instructions */
  BUDGET_ONCE = 2000,    /* instructions up to which a long kernel's long callees are expanded in no loop */
  SMALL_CALLEE = 12,     /* instructions: a call would not be smaller */
  MOST_SAMPLES = 2,      /* calls that read images in a function: of more, none is expanded */
  MOST_COPIED = 1000000, /* instructions copied in all: a long chain is copied anew at each of its links */
  ABSOLUTE_MOST = 400000 /* instructions of a function with what must be expanded; more is refused */
};

struct function {
  LLVMValueRef value;
  uint64_t own, grown; /* instructions: as written, with expanded callees */
  bool must;           /* cannot stay a function */
  bool wished;         /* better not a function */
  bool stays;          /* the emitter has a vector form of the function, or it is hardly ever called */
  bool samples;        /* reads images: long */
  bool kept;           /* by KILN_INLINE */
  bool visited;
  uint32_t reached_by; /* number of the last kernel whose reach was measured over this function */
};

struct plan {
  struct function *functions; /* sorted by address */
  uint32_t count;
  uint64_t budget;  /* of the kernel being visited */
  uint64_t copied;  /* instructions, by all expansions so far */
  uint32_t kernels; /* visited so far */
  bool is_again;    /* the long ones are visited, */
  bool is_last;     /* and those that are very long all the same */
  LLVMAttributeRef expand, keep;
  struct kl_env env;
  LLVMValueRef looked_at;   /* the function of which `repeated` is */
  struct kl_table repeated; /* blocks in loops */
};

static int by_address(const void *a, const void *b) {
  uintptr_t x = (uintptr_t)((const struct function *)a)->value,
            y = (uintptr_t)((const struct function *)b)->value;
  return (x > y) - (x < y);
}

static struct function *find(const struct plan *p, LLVMValueRef value) {
  struct function key = {.value = value};
  return bsearch(&key, p->functions, p->count, sizeof key, by_address);
}

static LLVMValueRef called(LLVMValueRef instruction) {
  return LLVMIsACallInst(instruction) ? LLVMIsAFunction(LLVMGetCalledValue(instruction)) : NULL;
}

static bool is_private_pointer(LLVMTypeRef type) {
  return LLVMGetTypeKind(type) == LLVMPointerTypeKind &&
         (LLVMGetPointerAddressSpace(type) == 0 || LLVMGetPointerAddressSpace(type) == 4);
}

static bool takes_private_pointer(LLVMValueRef function) {
  for (LLVMValueRef p = LLVMGetFirstParam(function); p != NULL; p = LLVMGetNextParam(p))
    if (is_private_pointer(LLVMTypeOf(p))) return true;
  return false;
}

static void judge(struct function *f, LLVMValueRef instruction) {
  LLVMValueRef callee = called(instruction);
  size_t length;
  f->wished |= LLVMIsAAllocaInst(instruction) != NULL;
  if (callee == NULL || !LLVMIsDeclaration(callee)) return;
  const char *name = LLVMGetValueName2(callee, &length);
  f->wished |= kiln_builtin_is_lowered(name) && strstr(name, "__kiln_") == NULL;
  f->must |= kiln_builtin_is_collective(name);
}

static void measure(struct function *f) {
  size_t length;
  f->wished = takes_private_pointer(f->value);
  f->stays = strncmp(LLVMGetValueName2(f->value, &length), "__kiln_", 7) == 0 || kiln_is_cold(f->value);
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f->value); b != NULL; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i != NULL; i = LLVMGetNextInstruction(i)) {
      f->own++;
      judge(f, i);
    }
}

static bool plan_init(struct plan *p, LLVMModuleRef module, LLVMContextRef context) {
  *p = (struct plan){0};
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
    p->count += !LLVMIsDeclaration(f);
  p->functions = kiln_zalloc(p->count * sizeof *p->functions);
  if (p->functions == NULL) return false;
  uint32_t n = 0;
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f)) p->functions[n++].value = f;
  qsort(p->functions, p->count, sizeof *p->functions, by_address);
  for (uint32_t i = 0; i < p->count; i++) measure(&p->functions[i]);
  p->expand = LLVMCreateEnumAttribute(context, LLVMGetEnumAttributeKindForName("alwaysinline", 12), 0);
  p->keep = LLVMCreateEnumAttribute(context, LLVMGetEnumAttributeKindForName("noinline", 8), 0);
  return true;
}

/* What is left of it is a number: all that it is told is one, and it looks at nothing else. */
static bool becomes_number(LLVMValueRef call) {
  const unsigned n = LLVMGetNumArgOperands(call);
  if (n == 0 || !kiln_leaves_memory(LLVMGetCalledValue(call))) return false;
  for (unsigned k = 0; k < n; k++)
    if (!LLVMIsConstant(LLVMGetOperand(call, k))) return false;
  return true;
}

static void look_at(struct plan *p, LLVMValueRef function) {
  struct kiln_loops loops;
  LLVMBasicBlockRef *blocks = kiln_blocks_loops(&p->env, function, &loops);
  p->repeated = (struct kl_table){0};
  for (uint32_t b = 0, n = LLVMCountBasicBlocks(function); b < n; b++)
    if (loops.irreducible || loops.of[b] != KILN_NONE) kiln_table_put(&p->env, &p->repeated, blocks[b], 1);
  p->looked_at = function;
}

/* The call stands in a loop of its function. */
static bool is_repeated(struct plan *p, LLVMValueRef call) {
  LLVMBasicBlockRef block = LLVMGetInstructionParent(call);
  LLVMValueRef function = LLVMGetBasicBlockParent(block);
  if (p->looked_at != function) look_at(p, function);
  return kiln_table_find(&p->repeated, block) != NULL;
}

/* Instructions to which f may grow by this call. */
static uint64_t budget_for(struct plan *p, const struct function *f, LLVMValueRef call,
                           const struct function *callee) {
  const uint64_t budget = callee->wished && p->budget < BUDGET_WISHED ? BUDGET_WISHED : p->budget;
  const bool is_long = p->is_again && callee->grown >= LONG_CALLEE;
  if (!is_long || f->grown + callee->grown <= BUDGET_ONCE) return budget;
  if (!p->is_last && is_repeated(p, call)) return budget;
  return BUDGET_ONCE;
}

/* samples: calls in f that read images. */
static void decide(struct plan *p, struct function *f, LLVMValueRef call, const struct function *callee,
                   uint32_t samples) {
  LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
  uint64_t budget = budget_for(p, f, call, callee);
  uint64_t grows = becomes_number(call) ? 1 : callee->grown;
  bool fits = f->grown + grows <= budget && p->copied + callee->grown <= MOST_COPIED;
  bool stays = callee->stays || (callee->samples && !callee->wished && samples > MOST_SAMPLES);
  bool expand = callee->must || (!stays && !callee->kept && (callee->grown <= SMALL_CALLEE || fits));
  unsigned other = LLVMGetEnumAttributeKind(expand ? p->keep : p->expand);
  LLVMRemoveCallSiteEnumAttribute(call, at, other);
  LLVMAddCallSiteAttribute(call, at, expand ? p->expand : p->keep);
  f->samples |= (callee->stays && !kiln_is_cold(callee->value)) || (expand && callee->samples);
  if (!expand) return;
  f->grown += grows;
  p->copied += callee->grown;
}

static void visit(struct plan *p, struct function *f);

/* Calls in f of functions that read images. */
static uint32_t count_samples(struct plan *p, const struct function *f) {
  uint32_t count = 0;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f->value); b != NULL; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i != NULL; i = LLVMGetNextInstruction(i)) {
      LLVMValueRef value = called(i);
      struct function *callee = value == NULL ? NULL : find(p, value);
      if (callee == NULL) continue;
      visit(p, callee);
      count += callee->samples;
    }
  return count;
}

/* Callees first. The call graph has no cycles (checks.c). */
static void visit(struct plan *p, struct function *f) {
  if (f->visited) return;
  f->visited = true;
  f->grown = f->own;
  uint32_t samples = count_samples(p, f);
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f->value); b != NULL; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i != NULL; i = LLVMGetNextInstruction(i)) {
      LLVMValueRef value = called(i);
      struct function *callee = value == NULL ? NULL : find(p, value);
      if (callee == NULL) continue;
      f->must |= callee->must;
      f->wished |= callee->wished;
      decide(p, f, i, callee, samples);
    }
}

/* Instructions of f and all it calls, each function once. */
static uint64_t reach(struct plan *p, struct function *f) {
  if (f->reached_by == p->kernels) return 0;
  f->reached_by = p->kernels;
  uint64_t sum = f->own;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f->value); b != NULL; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i != NULL; i = LLVMGetNextInstruction(i)) {
      LLVMValueRef value = called(i);
      struct function *callee = value == NULL ? NULL : find(p, value);
      if (callee != NULL) sum += reach(p, callee);
    }
  return sum;
}

/* Attributes of functions would overrule those of calls. */
static void take_attributes(const struct plan *p) {
  LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
  const char *expanded = kiln_config(KILN_CONFIG_INLINE);
  const bool none = strcmp(expanded, "none") == 0, unmarked = strcmp(expanded, "unmarked") == 0;
  for (uint32_t i = 0; i < p->count; i++) {
    struct function *f = &p->functions[i];
    const unsigned keep = LLVMGetEnumAttributeKind(p->keep);
    f->kept = none || (unmarked && LLVMGetEnumAttributeAtIndex(f->value, at, keep) != NULL);
    LLVMRemoveEnumAttributeAtIndex(f->value, at, LLVMGetEnumAttributeKind(p->expand));
    LLVMRemoveEnumAttributeAtIndex(f->value, at, keep);
  }
}

/* Instructions of the functions that f still calls, each once, and of those that they call. */
static uint64_t grown_apart(struct plan *p, struct function *f) {
  uint64_t sum = 0;
  const LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
  const unsigned expand = LLVMGetEnumAttributeKind(p->expand);
  f->reached_by = p->kernels;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f->value); b != NULL; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i != NULL; i = LLVMGetNextInstruction(i)) {
      LLVMValueRef value = called(i);
      struct function *callee = value == NULL ? NULL : find(p, value);
      if (callee == NULL || callee->reached_by == p->kernels) continue;
      if (LLVMGetCallSiteEnumAttribute(i, at, expand) == NULL) sum += callee->grown;
      sum += grown_apart(p, callee);
    }
  return sum;
}

/* It is one of those that is_again and is_last speak of. */
static bool is_too_long(struct plan *p, struct function *f) {
  if (!kiln_is_kernel(f->value)) return false;
  if (!p->is_last) return f->grown > LONG_KERNEL;
  p->kernels++;
  return f->grown + grown_apart(p, f) > VERY_LONG;
}

static void visit_kernel(struct plan *p, struct function *kernel) {
  p->kernels++;
  p->budget = BUDGET_FACTOR * reach(p, kernel);
  if (p->budget < BUDGET_LEAST) p->budget = BUDGET_LEAST;
  visit(p, kernel);
}

/* Those kernels anew; what others call, too, stays as it was decided for these. */
static void visit_again(struct plan *p) {
  bool *too_long = kl_new(&p->env, p->count, bool), some = false;
  for (uint32_t i = 0; i < p->count; i++) {
    too_long[i] = is_too_long(p, &p->functions[i]);
    some |= too_long[i];
  }
  if (!some) return;
  p->kernels++;
  for (uint32_t i = 0; i < p->count; i++)
    if (kiln_is_kernel(p->functions[i].value) && !too_long[i]) reach(p, &p->functions[i]);
  for (uint32_t i = 0; i < p->count; i++) p->functions[i].visited = p->functions[i].reached_by == p->kernels;
  p->is_again = true;
  p->copied = 0;
  for (uint32_t i = 0; i < p->count; i++)
    if (too_long[i]) visit_kernel(p, &p->functions[i]);
}

static void visit_kernels(struct plan *p) {
  for (uint32_t i = 0; i < p->count; i++)
    if (kiln_is_kernel(p->functions[i].value)) visit_kernel(p, &p->functions[i]);
  visit_again(p);
  p->is_last = true;
  visit_again(p);
}

/* False if a kernel cannot be kept within bounds. */
static bool check(struct kiln_unit *unit, const struct plan *p) {
  for (uint32_t i = 0; i < p->count; i++)
    if (kiln_is_kernel(p->functions[i].value) && p->functions[i].grown > ABSOLUTE_MOST)
      return kiln_unit_fail(
          unit, "kernel '%s' grows to %llu instructions when its functions are expanded; the limit is %d",
          LLVMGetValueName2(p->functions[i].value, &(size_t){0}), (unsigned long long)p->functions[i].grown,
          ABSOLUTE_MOST);
  return true;
}

static bool decide_all(struct kiln_unit *unit, struct plan *p) {
  p->env.arena.no_memory = &p->env.fail;
  if (setjmp(p->env.fail) != 0) return kiln_unit_no_memory(unit);
  kiln_env_start(&p->env, unit->module);
  visit_kernels(p);
  return check(unit, p);
}

bool kiln_stage_inline(struct kiln_unit *unit) {
  struct plan p;
  if (!plan_init(&p, unit->module, unit->context)) return kiln_unit_no_memory(unit);
  take_attributes(&p);
  const bool ok = decide_all(unit, &p);
  kiln_env_finish(&p.env, ok, NULL);
  kiln_free(p.functions);
  if (!ok || !kiln_unit_passes(unit, "always-inline,globaldce")) return false;
  kiln_permutes_settle(unit->module, true);
  return true;
}
