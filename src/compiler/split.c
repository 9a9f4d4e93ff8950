/* Owns the stage that hands the components of vectors to functions one by one: those of one vector differ, as
 * a position's y is often the same for all work-items of a vector of them and its x is not, and a function is
 * compiled for what is known of each parameter. Must not know which functions these are. */
#include "base/alloc.h"
#include "compiler/metadata.h"
#include "compiler/pipeline.h"

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <string.h>

enum {
  MOST_COMPONENTS = 4,  /* of a vector: more of them would not fit into registers */
  MOST_ATTRIBUTES = 64, /* of a function, a parameter or a call */
  MOST_STEPS = 6        /* of arithmetic that is done for a component: one value may be met on many ways */
};

static const LLVMAttributeIndex ON_FUNCTION = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;

/* 1: stays as it is. */
static unsigned parts_of(LLVMTypeRef type) {
  unsigned n = LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 1;
  return n <= MOST_COMPONENTS ? n : 1;
}

/* ---- attributes ---- */

/* Those of a function and of a call are asked for by functions of the same shape. */
struct attributes {
  unsigned (*count)(LLVMValueRef, LLVMAttributeIndex);
  void (*get)(LLVMValueRef, LLVMAttributeIndex, LLVMAttributeRef *);
  void (*add)(LLVMValueRef, LLVMAttributeIndex, LLVMAttributeRef);
};
static const struct attributes of_function = {LLVMGetAttributeCountAtIndex, LLVMGetAttributesAtIndex,
                                              LLVMAddAttributeAtIndex},
                               of_call = {LLVMGetCallSiteAttributeCount, LLVMGetCallSiteAttributes,
                                          LLVMAddCallSiteAttribute};

static void copy_at(const struct attributes *a, LLVMValueRef from, LLVMAttributeIndex old, LLVMValueRef to,
                    LLVMAttributeIndex new) {
  LLVMAttributeRef attribute[MOST_ATTRIBUTES];
  unsigned n = a->count(from, old);
  a->get(from, old, attribute);
  for (unsigned i = 0; i < n; i++) a->add(to, new, attribute[i]);
}

/* All but those of what is split. parameters: of the function. */
static void copy_attributes(const struct attributes *a, LLVMValueRef from, LLVMValueRef to,
                            LLVMValueRef parameters) {
  unsigned old = 1, new = 1; /* 0 is the result */
  copy_at(a, from, LLVMAttributeReturnIndex, to, LLVMAttributeReturnIndex);
  copy_at(a, from, ON_FUNCTION, to, ON_FUNCTION);
  for (LLVMValueRef p = LLVMGetFirstParam(parameters); p != NULL; p = LLVMGetNextParam(p), old++) {
    unsigned parts = parts_of(LLVMTypeOf(p));
    if (parts == 1) copy_at(a, from, old, to, new);
    new += parts;
  }
}

static bool has_few(const struct attributes *a, LLVMValueRef value, LLVMValueRef function) {
  bool few = a->count(value, ON_FUNCTION) <= MOST_ATTRIBUTES;
  for (unsigned i = 0; i <= LLVMCountParams(function); i++) few &= a->count(value, i) <= MOST_ATTRIBUTES;
  return few;
}

/* ---- the function ---- */

/* Every use calls it, so that all of them can change. */
static bool is_only_called(LLVMValueRef function) {
  for (LLVMUseRef use = LLVMGetFirstUse(function); use != NULL; use = LLVMGetNextUse(use)) {
    LLVMValueRef call = LLVMGetUser(use);
    if (!LLVMIsACallInst(call) || LLVMGetCalledValue(call) != function) return false;
    if (!has_few(&of_call, call, function)) return false;
  }
  return has_few(&of_function, function, function);
}

static bool is_wanted(LLVMValueRef function) {
  size_t length;
  bool is_builtin = strncmp(LLVMGetValueName2(function, &length), "__kiln_", 7) == 0;
  if (LLVMIsDeclaration(function) || is_builtin || kiln_is_kernel(function)) return false;
  bool has_vectors = false;
  for (LLVMValueRef p = LLVMGetFirstParam(function); p != NULL; p = LLVMGetNextParam(p))
    has_vectors |= parts_of(LLVMTypeOf(p)) > 1;
  return has_vectors && is_only_called(function);
}

static unsigned count_parts(LLVMValueRef function) {
  unsigned n = 0;
  for (LLVMValueRef p = LLVMGetFirstParam(function); p != NULL; p = LLVMGetNextParam(p))
    n += parts_of(LLVMTypeOf(p));
  return n;
}

/* A function of the nature of old that takes components. types: room for count_parts. */
static LLVMValueRef declare(LLVMValueRef old, LLVMTypeRef *types) {
  unsigned n = 0;
  size_t length;
  for (LLVMValueRef p = LLVMGetFirstParam(old); p != NULL; p = LLVMGetNextParam(p)) {
    LLVMTypeRef type = LLVMTypeOf(p);
    unsigned parts = parts_of(type);
    for (unsigned k = 0; k < parts; k++) types[n++] = parts > 1 ? LLVMGetElementType(type) : type;
  }
  LLVMTypeRef type = LLVMFunctionType(LLVMGetReturnType(LLVMGlobalGetValueType(old)), types, n, false);
  const char *name = LLVMGetValueName2(old, &length); /* with a number behind it: old has the name still */
  LLVMValueRef new = LLVMAddFunction(LLVMGetGlobalParent(old), name, type);
  LLVMSetLinkage(new, LLVMGetLinkage(old));
  LLVMSetFunctionCallConv(new, LLVMGetFunctionCallConv(old));
  copy_attributes(&of_function, old, new, old);
  LLVMSetSubprogram(new, LLVMGetSubprogram(old));
  LLVMSetSubprogram(old, NULL);
  return new;
}

static void move_body(LLVMValueRef old, LLVMValueRef new) {
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(old), next; b != NULL; b = next) {
    next = LLVMGetNextBasicBlock(b);
    LLVMRemoveBasicBlockFromParent(b);
    LLVMAppendExistingBasicBlock(new, b);
  }
}

/* Vectors again, inside. */
static void join(LLVMBuilderRef b, LLVMValueRef old, LLVMValueRef new) {
  LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(old)));
  LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(LLVMGetFirstBasicBlock(new)));
  unsigned n = 0;
  for (LLVMValueRef p = LLVMGetFirstParam(old); p != NULL; p = LLVMGetNextParam(p)) {
    unsigned parts = parts_of(LLVMTypeOf(p));
    LLVMValueRef value = parts > 1 ? LLVMGetPoison(LLVMTypeOf(p)) : LLVMGetParam(new, n++);
    for (unsigned k = 0; parts > 1 && k < parts; k++)
      value = LLVMBuildInsertElement(b, value, LLVMGetParam(new, n++), LLVMConstInt(i32, k, false), "");
    LLVMReplaceAllUsesWith(p, value);
  }
}

/* ---- calls ---- */

static LLVMValueRef component(LLVMBuilderRef b, LLVMValueRef vector, unsigned k, unsigned steps);

/* Component k of what a shuffle makes; one that it leaves open is of no interest. */
static LLVMValueRef shuffled(LLVMBuilderRef b, LLVMValueRef shuffle, unsigned k, unsigned steps) {
  LLVMValueRef first = LLVMGetOperand(shuffle, 0);
  int from = LLVMGetMaskValue(shuffle, k);
  int n = (int)LLVMGetVectorSize(LLVMTypeOf(first));
  if (from < 0) return LLVMGetPoison(LLVMGetElementType(LLVMTypeOf(shuffle)));
  return component(b, from < n ? first : LLVMGetOperand(shuffle, 1), (unsigned)(from < n ? from : from - n),
                   steps);
}

static LLVMValueRef inserted(LLVMBuilderRef b, LLVMValueRef insert, unsigned k, unsigned steps) {
  LLVMValueRef at = LLVMGetOperand(insert, 2);
  if (!LLVMIsAConstantInt(at)) return NULL;
  if (LLVMConstIntGetZExtValue(at) == k) return LLVMGetOperand(insert, 1);
  return component(b, LLVMGetOperand(insert, 0), k, steps);
}

static LLVMValueRef computed(LLVMBuilderRef b, LLVMValueRef operation, unsigned k, unsigned steps) {
  LLVMValueRef x = component(b, LLVMGetOperand(operation, 0), k, steps),
               y = component(b, LLVMGetOperand(operation, 1), k, steps);
  LLVMValueRef made = LLVMBuildBinOp(b, LLVMGetInstructionOpcode(operation), x, y, "");
  if (LLVMIsAInstruction(made) && LLVMCanValueUseFastMathFlags(made))
    LLVMSetFastMathFlags(made, LLVMGetFastMathFlags(operation));
  return made;
}

static LLVMValueRef converted(LLVMBuilderRef b, LLVMValueRef cast, unsigned k, unsigned steps) {
  LLVMTypeRef type = LLVMTypeOf(cast), from = LLVMTypeOf(LLVMGetOperand(cast, 0));
  if (LLVMGetTypeKind(from) != LLVMVectorTypeKind || LLVMGetVectorSize(from) != LLVMGetVectorSize(type))
    return NULL;
  return LLVMBuildCast(b, LLVMGetInstructionOpcode(cast), component(b, LLVMGetOperand(cast, 0), k, steps),
                       LLVMGetElementType(type), "");
}

/* Component k of vector, computed from those that it comes from where that is arithmetic on each. */
static LLVMValueRef component(LLVMBuilderRef b, LLVMValueRef vector, unsigned k, unsigned steps) {
  LLVMValueRef made = NULL;
  if (LLVMIsConstant(vector)) made = LLVMGetAggregateElement(vector, k);
  else if (steps == 0) made = NULL;
  else if (LLVMIsAInsertElementInst(vector)) made = inserted(b, vector, k, steps - 1);
  else if (LLVMIsAShuffleVectorInst(vector)) made = shuffled(b, vector, k, steps - 1);
  else if (LLVMIsABinaryOperator(vector)) made = computed(b, vector, k, steps - 1);
  else if (LLVMIsACastInst(vector)) made = converted(b, vector, k, steps - 1);
  if (made != NULL) return made;
  LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(vector)));
  return LLVMBuildExtractElement(b, vector, LLVMConstInt(i32, k, false), "");
}

/* arguments: room for count_parts. */
static void change_call(LLVMBuilderRef b, LLVMValueRef call, LLVMValueRef old, LLVMValueRef new,
                        LLVMValueRef *arguments) {
  unsigned n = 0;
  LLVMPositionBuilderBefore(b, call);
  LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(call));
  for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
    LLVMValueRef whole = LLVMGetOperand(call, i);
    unsigned parts = parts_of(LLVMTypeOf(whole));
    if (parts == 1) arguments[n++] = whole;
    for (unsigned k = 0; parts > 1 && k < parts; k++) arguments[n++] = component(b, whole, k, MOST_STEPS);
  }
  LLVMValueRef made = LLVMBuildCall2(b, LLVMGlobalGetValueType(new), new, arguments, n, "");
  LLVMSetInstructionCallConv(made, LLVMGetInstructionCallConv(call));
  copy_attributes(&of_call, call, made, old);
  LLVMReplaceAllUsesWith(call, made);
  LLVMInstructionEraseFromParent(call);
}

/* Puts a function in place of old; false when memory is short. */
static bool split(LLVMBuilderRef b, LLVMValueRef old) {
  unsigned n = count_parts(old);
  LLVMTypeRef *types = kiln_alloc(n * sizeof *types);
  LLVMValueRef *arguments = kiln_alloc(n * sizeof *arguments);
  bool ok = types != NULL && arguments != NULL;
  if (ok) {
    LLVMValueRef new = declare(old, types);
    move_body(old, new);
    join(b, old, new);
    for (LLVMUseRef use; (use = LLVMGetFirstUse(old)) != NULL;)
      change_call(b, LLVMGetUser(use), old, new, arguments);
    LLVMDeleteFunction(old);
  }
  kiln_free(types);
  kiln_free(arguments);
  return ok;
}

bool kiln_stage_split(struct kiln_unit *unit) {
  LLVMBuilderRef b = LLVMCreateBuilderInContext(unit->context);
  bool ok = true;
  for (LLVMValueRef f = LLVMGetFirstFunction(unit->module), next; ok && f != NULL; f = next) {
    next = LLVMGetNextFunction(f);
    if (is_wanted(f)) ok = split(b, f);
  }
  LLVMDisposeBuilder(b);
  return ok || kiln_unit_no_memory(unit);
}
