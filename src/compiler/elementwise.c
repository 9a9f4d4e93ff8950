/* Element-wise operations; see elementwise.h. */
#include "compiler/elementwise.h"

#include <llvm-c/Core.h>
#include <string.h>

enum {
  MOST_LENGTH = 64,  /* instructions of a function that is built in another form */
  MOST_OPERANDS = 4, /* of an instruction */
  MOST_PARAMETERS = 8
};

/* ---- intrinsics ---- */

static const struct kiln_elementwise intrinsics[] = {
    {"llvm.fma", 0},          {"llvm.fmuladd", 0},    {"llvm.fabs", 0},      {"llvm.sqrt", 0},
    {"llvm.floor", 0},        {"llvm.ceil", 0},       {"llvm.trunc", 0},     {"llvm.rint", 0},
    {"llvm.nearbyint", 0},    {"llvm.round", 0},      {"llvm.roundeven", 0}, {"llvm.minnum", 0},
    {"llvm.maxnum", 0},       {"llvm.minimum", 0},    {"llvm.maximum", 0},   {"llvm.copysign", 0},
    {"llvm.canonicalize", 0}, {"llvm.ctpop", 0},      {"llvm.ctlz", 2},      {"llvm.cttz", 2},
    {"llvm.bswap", 0},        {"llvm.bitreverse", 0}, {"llvm.fshl", 0},      {"llvm.fshr", 0},
    {"llvm.smin", 0},         {"llvm.smax", 0},       {"llvm.umin", 0},      {"llvm.umax", 0},
    {"llvm.abs", 2},          {"llvm.sadd.sat", 0},   {"llvm.uadd.sat", 0},  {"llvm.ssub.sat", 0},
    {"llvm.usub.sat", 0},     {"llvm.sshl.sat", 0},   {"llvm.ushl.sat", 0},  {"llvm.is.fpclass", 2},
};

/* "llvm.fma" of "llvm.fma.v4f32": up to the part that spells types. */
static bool has_base(const char *name, const char *base) {
  size_t n = strlen(base);
  return strncmp(name, base, n) == 0 && name[n] == '.' && strchr("vfi", name[n + 1]) != NULL &&
         strchr(name + n + 1, '.') == NULL;
}

const struct kiln_elementwise *kiln_elementwise_find(LLVMValueRef function) {
  size_t len;
  if (LLVMGetIntrinsicID(function) == 0) return NULL;
  const char *name = LLVMGetValueName2(function, &len);
  for (size_t i = 0; i < sizeof intrinsics / sizeof *intrinsics; i++)
    if (has_base(name, intrinsics[i].name)) return &intrinsics[i];
  return NULL;
}

LLVMValueRef kiln_elementwise_call(LLVMBuilderRef builder, const char *name, LLVMTypeRef type,
                                   LLVMValueRef *args, unsigned n) {
  LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInsertBlock(builder)));
  unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
  LLVMTypeRef fn = LLVMIntrinsicGetType(LLVMGetModuleContext(module), id, &type, 1);
  return LLVMBuildCall2(builder, fn, LLVMGetIntrinsicDeclaration(module, id, &type, 1), args, n, "");
}

/* ---- straight functions ---- */

static bool is_number(LLVMTypeRef type) {
  switch (LLVMGetTypeKind(type)) {
  case LLVMIntegerTypeKind:
    return LLVMGetIntTypeWidth(type) <= 64;
  case LLVMHalfTypeKind:
  case LLVMFloatTypeKind:
  case LLVMDoubleTypeKind:
    return true;
  default:
    return false;
  }
}

/* Integer divisions are not: no processor has them for vectors, and code that goes by elements is known as
 * such only while it is written so. */
static bool is_binary(LLVMValueRef inst) {
  LLVMOpcode op = LLVMGetInstructionOpcode(inst);
  bool divides = op == LLVMUDiv || op == LLVMSDiv || op == LLVMURem || op == LLVMSRem || op == LLVMFRem;
  return LLVMIsABinaryOperator(inst) != NULL && !divides;
}

static bool is_elementwise(LLVMValueRef inst) {
  LLVMOpcode op = LLVMGetInstructionOpcode(inst);
  if (!is_number(LLVMTypeOf(inst))) return false;
  if (op == LLVMCall) {
    LLVMValueRef called = LLVMGetCalledValue(inst);
    return LLVMIsAFunction(called) != NULL && kiln_elementwise_find(called) != NULL;
  }
  return is_binary(inst) || LLVMIsACastInst(inst) != NULL || op == LLVMFNeg || op == LLVMICmp ||
         op == LLVMFCmp || op == LLVMSelect || op == LLVMFreeze;
}

static bool has_numbers(LLVMValueRef inst) {
  int n = LLVMIsACallInst(inst) ? (int)LLVMGetNumArgOperands(inst) : LLVMGetNumOperands(inst);
  for (int i = 0; i < n; i++)
    if (!is_number(LLVMTypeOf(LLVMGetOperand(inst, (unsigned)i)))) return false;
  return n <= MOST_OPERANDS;
}

bool kiln_elementwise_is_straight(LLVMValueRef function) {
  unsigned length = 0;
  if (LLVMCountBasicBlocks(function) != 1 || LLVMCountParams(function) > MOST_PARAMETERS) return false;
  for (LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)); i != NULL;
       i = LLVMGetNextInstruction(i)) {
    if (++length > MOST_LENGTH || !has_numbers(i)) return false;
    if (LLVMIsAReturnInst(i)) return LLVMGetNumOperands(i) == 1;
    if (!is_elementwise(i)) return false;
  }
  return false;
}

/* ---- their form for vectors ---- */

struct build {
  LLVMBuilderRef b;
  LLVMValueRef function, *args;
  unsigned lanes, n;
  LLVMValueRef scalar[MOST_LENGTH], vector[MOST_LENGTH]; /* instructions built so far */
};

static LLVMTypeRef wide(const struct build *s, LLVMTypeRef type) { return LLVMVectorType(type, s->lanes); }

static LLVMValueRef splat(const struct build *s, LLVMValueRef scalar) {
  LLVMContextRef c = LLVMGetTypeContext(LLVMTypeOf(scalar));
  LLVMTypeRef index = LLVMInt32TypeInContext(c);
  LLVMValueRef none = LLVMGetPoison(wide(s, LLVMTypeOf(scalar)));
  LLVMValueRef one = LLVMBuildInsertElement(s->b, none, scalar, LLVMConstNull(index), "");
  return LLVMBuildShuffleVector(s->b, one, none, LLVMConstNull(LLVMVectorType(index, s->lanes)), "");
}

static LLVMValueRef vector_of(struct build *s, LLVMValueRef scalar) {
  for (unsigned i = s->n; i-- > 0;)
    if (s->scalar[i] == scalar) return s->vector[i];
  for (unsigned i = 0; i < LLVMCountParams(s->function); i++)
    if (LLVMGetParam(s->function, i) == scalar) return s->args[i];
  return splat(s, scalar); /* a constant */
}

static LLVMValueRef build_call(struct build *s, LLVMValueRef inst) {
  const struct kiln_elementwise *how = kiln_elementwise_find(LLVMGetCalledValue(inst));
  LLVMValueRef args[MOST_OPERANDS];
  unsigned n = LLVMGetNumArgOperands(inst);
  for (unsigned i = 0; i < n; i++) {
    LLVMValueRef operand = LLVMGetOperand(inst, i);
    args[i] = how->scalars >> i & 1 ? operand : vector_of(s, operand);
  }
  return kiln_elementwise_call(s->b, how->name, LLVMTypeOf(args[0]), args, n);
}

static LLVMValueRef build_one(struct build *s, LLVMValueRef inst) {
  LLVMOpcode op = LLVMGetInstructionOpcode(inst);
  LLVMValueRef a[MOST_OPERANDS];
  if (op == LLVMCall) return build_call(s, inst);
  for (int i = 0; i < LLVMGetNumOperands(inst); i++) a[i] = vector_of(s, LLVMGetOperand(inst, (unsigned)i));
  if (is_binary(inst)) return LLVMBuildBinOp(s->b, op, a[0], a[1], "");
  if (LLVMIsACastInst(inst)) return LLVMBuildCast(s->b, op, a[0], wide(s, LLVMTypeOf(inst)), "");
  if (op == LLVMICmp) return LLVMBuildICmp(s->b, LLVMGetICmpPredicate(inst), a[0], a[1], "");
  if (op == LLVMFCmp) return LLVMBuildFCmp(s->b, LLVMGetFCmpPredicate(inst), a[0], a[1], "");
  if (op == LLVMSelect) return LLVMBuildSelect(s->b, a[0], a[1], a[2], "");
  return op == LLVMFNeg ? LLVMBuildFNeg(s->b, a[0], "") : LLVMBuildFreeze(s->b, a[0], "");
}

/* What the instruction promises or allows. */
static void copy_flags(LLVMValueRef to, LLVMValueRef from) {
  LLVMOpcode op = LLVMGetInstructionOpcode(from);
  if (!LLVMIsAInstruction(to) || LLVMGetInstructionOpcode(to) != op) return; /* folded */
  if (LLVMCanValueUseFastMathFlags(from)) LLVMSetFastMathFlags(to, LLVMGetFastMathFlags(from));
  if (op == LLVMAdd || op == LLVMSub || op == LLVMMul || op == LLVMShl) {
    LLVMSetNUW(to, LLVMGetNUW(from));
    LLVMSetNSW(to, LLVMGetNSW(from));
  }
  if (op == LLVMLShr || op == LLVMAShr) LLVMSetExact(to, LLVMGetExact(from));
}

LLVMValueRef kiln_elementwise_build(LLVMBuilderRef builder, LLVMValueRef function, LLVMValueRef *args,
                                    unsigned lanes) {
  struct build s = {.b = builder, .function = function, .args = args, .lanes = lanes};
  for (unsigned i = 0; i < LLVMCountParams(function); i++)
    if (LLVMGetTypeKind(LLVMTypeOf(args[i])) != LLVMVectorTypeKind) args[i] = splat(&s, args[i]);
  LLVMValueRef inst = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));
  for (; !LLVMIsAReturnInst(inst); inst = LLVMGetNextInstruction(inst)) {
    LLVMValueRef made = build_one(&s, inst);
    copy_flags(made, inst);
    s.scalar[s.n] = inst;
    s.vector[s.n++] = made;
  }
  return vector_of(&s, LLVMGetOperand(inst, 0));
}
