/* Owns the stage that writes powers of known exponents as products, quotients and square roots: squares and
 * cubes of distances, r^-1.5 and the like are common, and cost a logarithm and an exponential else. Powers of
 * two and ten become exp2 and exp10. Works on calls of builtins that have no bodies yet.
 *
 * Exact in the cases that the specification lists (section 7.5.1 of OpenCL C); elsewhere each product rounds
 * once, so that twelve factors are within 12 of the 16 units in the last place that there may be. */
#include "compiler/elementwise.h"
#include "compiler/mangle.h"
#include "compiler/pipeline.h"
#include "compiler/value.h"
#include "compiler/visit.h"

#include <llvm-c/Core.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  MOST_FACTORS = 12,  /* of an integral power */
  MOST_QUOTIENTS = 6, /* of one with a negative exponent: 1/x is rounded, too */
  MOST_ROOTS = 7      /* of square roots: x^3.5 */
};

/* pow and pown take every base; what powr and even roots take is not negative, nor -0. */
enum kind { NO_POWER, OF_ANY, OF_POSITIVE, ROOT };

struct power {
  LLVMBuilderRef b;
  LLVMValueRef call;
  LLVMFastMathFlags flags;
  enum kind kind;
  int twice; /* the exponent, times 2 */
};

/* ---- what a call asks for ---- */

static enum kind kind_of(LLVMValueRef i) {
  static const struct {
    const char *name;
    enum kind kind;
  } names[] = {{"pow", OF_ANY},
               {"pown", OF_ANY},
               {"powr", OF_POSITIVE},
               {"half_powr", OF_POSITIVE},
               {"native_powr", OF_POSITIVE},
               {"rootn", ROOT}};
  LLVMValueRef fn = LLVMIsACallInst(i) ? LLVMIsAFunction(LLVMGetCalledValue(i)) : NULL;
  size_t length;
  if (fn == NULL || !LLVMIsDeclaration(fn) || LLVMGetNumArgOperands(i) != 2) return NO_POWER;
  const char *full = LLVMGetValueName2(fn, &length);
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    if (kiln_mangle_is(full, names[k].name)) return names[k].kind;
  return NO_POWER;
}

/* The number that every component of a constant is. */
static bool is_number(LLVMValueRef value, double *number_out) {
  LLVMBool loses;
  LLVMTypeRef type = LLVMTypeOf(value);
  if (!LLVMIsConstant(value)) return false;
  if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) {
    LLVMValueRef first = LLVMGetAggregateElement(value, 0);
    for (unsigned k = 1; first != NULL && k < LLVMGetVectorSize(type); k++)
      if (LLVMGetAggregateElement(value, k) != first) return false;
    return first != NULL && is_number(first, number_out);
  }
  if (LLVMIsAConstantFP(value)) *number_out = LLVMConstRealGetDouble(value, &loses);
  else if (LLVMIsAConstantInt(value)) *number_out = (double)LLVMConstIntGetSExtValue(value);
  return LLVMIsAConstantFP(value) || LLVMIsAConstantInt(value);
}

/* Whether products will do for exponent y; then p->twice is set. */
static bool has_few_factors(struct power *p, double y) {
  double twice = 2 * y;
  if (p->kind == OF_POSITIVE && y == 0) return false; /* powr of 0 and of infinity is not a number */
  if (twice != floor(twice) || y > MOST_FACTORS || y < -MOST_QUOTIENTS) return false;
  p->twice = (int)twice;
  return p->twice % 2 == 0 || abs(p->twice) <= MOST_ROOTS;
}

/* ---- code ---- */

static LLVMValueRef flagged(const struct power *p, LLVMValueRef value) {
  if (LLVMIsAInstruction(value) && LLVMCanValueUseFastMathFlags(value)) LLVMSetFastMathFlags(value, p->flags);
  return value;
}

static LLVMValueRef product(const struct power *p, LLVMValueRef x, LLVMValueRef y) {
  return flagged(p, LLVMBuildFMul(p->b, x, y, ""));
}

static LLVMValueRef over(const struct power *p, LLVMValueRef x) {
  return flagged(p, LLVMBuildFDiv(p->b, kiln_real_like(LLVMTypeOf(x), 1), x, ""));
}

static LLVMValueRef square_root(const struct power *p, LLVMValueRef x) {
  return flagged(p, kiln_elementwise_call(p->b, "llvm.sqrt", LLVMTypeOf(x), &x, 1));
}

/* x^n, n > 0 */
static LLVMValueRef raise(const struct power *p, LLVMValueRef x, unsigned n) {
  LLVMValueRef result = NULL;
  for (;; n /= 2, x = product(p, x, x)) {
    if (n % 2 != 0) result = result == NULL ? x : product(p, result, x);
    if (n <= 1) return result;
  }
}

/* x, but `by` where it compares so with the limit. */
static LLVMValueRef replace_where(const struct power *p, LLVMRealPredicate is, double limit, LLVMValueRef x,
                                  double by) {
  LLVMTypeRef type = LLVMTypeOf(x);
  LLVMValueRef where = flagged(p, LLVMBuildFCmp(p->b, is, x, kiln_real_like(type, limit), ""));
  return LLVMBuildSelect(p->b, where, kiln_real_like(type, by), x, "");
}

/* The base, changed where products would not give what the power is defined to be. */
static LLVMValueRef base_of(const struct power *p, LLVMValueRef x) {
  bool roots = p->twice % 2 != 0;
  if (p->kind == OF_POSITIVE && !roots) x = replace_where(p, LLVMRealOLT, 0, x, NAN);
  if (p->kind == OF_ANY && roots) x = replace_where(p, LLVMRealOEQ, -INFINITY, x, INFINITY);
  if (p->kind == OF_ANY && !roots) return x;
  return flagged(p, LLVMBuildFAdd(p->b, x, kiln_real_like(LLVMTypeOf(x), 0), "")); /* -0 becomes 0 */
}

static LLVMValueRef products(const struct power *p, LLVMValueRef x) {
  unsigned n = (unsigned)abs(p->twice) / 2;
  if (p->twice == 0) return kiln_real_like(LLVMTypeOf(x), 1);
  x = base_of(p, x);
  if (p->twice % 2 == 0) return raise(p, p->twice < 0 ? over(p, x) : x, n);
  LLVMValueRef root = square_root(p, x);
  if (p->twice < 0) return raise(p, over(p, root), 2 * n + 1); /* 1/x may be too small for its root */
  return n == 0 ? root : product(p, raise(p, x, n), root);
}

/* Halves in float, where nothing is lost on the way. */
static LLVMValueRef build_products(const struct power *p) {
  LLVMValueRef x = LLVMGetOperand(p->call, 0);
  LLVMTypeRef type = LLVMTypeOf(x);
  if (LLVMGetTypeKind(kiln_element_type(type)) != LLVMHalfTypeKind) return products(p, x);
  LLVMTypeRef wide = kiln_floats_like(type);
  return LLVMBuildFPTrunc(p->b, products(p, LLVMBuildFPExt(p->b, x, wide, "")), type, "");
}

/* A call of the builtin of that name for x. */
static LLVMValueRef build_call(const struct power *p, const char *name, LLVMValueRef x) {
  LLVMTypeRef type = LLVMTypeOf(x);
  LLVMTypeKind kind = LLVMGetTypeKind(kiln_element_type(type));
  const char *code = kind == LLVMHalfTypeKind ? "Dh" : kind == LLVMFloatTypeKind ? "f" : "d";
  char text[64], lanes[16] = "";
  if (kiln_element_type(type) != type) snprintf(lanes, sizeof lanes, "Dv%u_", LLVMGetVectorSize(type));
  snprintf(text, sizeof text, "_Z%zu%s%s%s", strlen(name), name, lanes, code);
  LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInsertBlock(p->b)));
  LLVMValueRef fn = LLVMGetNamedFunction(module, text);
  if (fn == NULL) fn = LLVMAddFunction(module, text, LLVMFunctionType(type, &type, 1, false));
  LLVMSetFunctionCallConv(fn, LLVMGetInstructionCallConv(p->call));
  LLVMValueRef call = LLVMBuildCall2(p->b, LLVMGlobalGetValueType(fn), fn, &x, 1, "");
  LLVMSetInstructionCallConv(call, LLVMGetInstructionCallConv(p->call));
  return flagged(p, call);
}

/* NULL: the call stays. */
static LLVMValueRef build_root(struct power *p, double n) {
  if (n == 3) return build_call(p, "cbrt", LLVMGetOperand(p->call, 0));
  if (fabs(n) != 1 && fabs(n) != 2) return NULL;
  p->kind = fabs(n) == 2 ? OF_POSITIVE : OF_ANY;
  p->twice = (int)(2 / n);
  return build_products(p);
}

static LLVMValueRef build(struct power *p) {
  LLVMValueRef base = LLVMGetOperand(p->call, 0), exponent = LLVMGetOperand(p->call, 1);
  double x;
  if (is_number(exponent, &x)) {
    if (p->kind == ROOT) return build_root(p, x);
    return has_few_factors(p, x) ? build_products(p) : NULL;
  }
  if (LLVMTypeOf(base) != LLVMTypeOf(exponent) || !is_number(base, &x)) return NULL;
  return x == 2 ? build_call(p, "exp2", exponent) : x == 10 ? build_call(p, "exp10", exponent) : NULL;
}

/* Returns the instruction to go on with. */
static LLVMValueRef visit(LLVMBuilderRef b, LLVMValueRef i) {
  LLVMValueRef next = LLVMGetNextInstruction(i);
  struct power p = {.b = b, .call = i, .kind = kind_of(i)};
  if (p.kind == NO_POWER) return next;
  p.flags = LLVMGetFastMathFlags(i);
  LLVMPositionBuilderBefore(b, i);
  LLVMValueRef value = build(&p);
  if (value == NULL) return next;
  LLVMReplaceAllUsesWith(i, value);
  LLVMInstructionEraseFromParent(i);
  return next;
}

bool kiln_stage_powers(struct kiln_unit *unit) {
  kiln_visit_instructions(unit->module, visit);
  return true;
}
