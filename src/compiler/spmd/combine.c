/* Reductions as LLVM code; see combine.h. */
#include "compiler/spmd/combine.h"

#include "compiler/value.h"

#include <llvm-c/Core.h>
#include <math.h>
#include <string.h>

/* ---- names ---- */

/* Removes a prefix from a name. */
static bool take(const char **name, size_t *len, const char *prefix) {
  size_t n = strlen(prefix);
  if (*len < n || memcmp(*name, prefix, n) != 0) return false;
  *name += n;
  *len -= n;
  return true;
}

static bool parse_combine(const char *name, size_t len, uint16_t *sub) {
  static const char *const names[] = {"add", "mul", "min",         "max",        "and",
                                      "or",  "xor", "logical_and", "logical_or", "logical_xor"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strlen(names[i]) == len && memcmp(name, names[i], len) == 0) {
      *sub |= (uint16_t)(i << KL_COMBINE_SHIFT);
      /* the mangled type: h uchar, t ushort, j uint, m ulong; Dh is half */
      if (strchr("htjm", name[len]) != NULL && name[len] != '\0') *sub |= KL_COMBINE_UNSIGNED;
      return true;
    }
  return false;
}

bool kiln_combine_parse(const char *name, size_t len, uint16_t *sub_out) {
  uint16_t sub;
  if (take(&name, &len, "reduce_")) sub = KL_REDUCE;
  else if (take(&name, &len, "scan_inclusive_")) sub = KL_SCAN_INCLUSIVE;
  else if (take(&name, &len, "scan_exclusive_")) sub = KL_SCAN_EXCLUSIVE;
  else return false;
  if (!parse_combine(name, len, &sub)) return false;
  *sub_out = sub;
  return true;
}

static bool is_name(const char *name, size_t len, const char *other) {
  return strlen(other) == len && memcmp(name, other, len) == 0;
}

bool kiln_collective_parse(const char *name, size_t len, uint16_t *sub_out) {
  if (!take(&name, &len, "work_group_")) return false;
  if (is_name(name, len, "all")) *sub_out = KL_REDUCE | KL_LOGICAL_AND << KL_COMBINE_SHIFT;
  else if (is_name(name, len, "any")) *sub_out = KL_REDUCE | KL_LOGICAL_OR << KL_COMBINE_SHIFT;
  else if (is_name(name, len, "broadcast")) *sub_out = KL_BROADCAST;
  else return kiln_combine_parse(name, len, sub_out);
  return true;
}

/* ---- code ---- */

static enum kl_combine combine_of(uint16_t sub) {
  return (enum kl_combine)(sub >> KL_COMBINE_SHIFT & KL_COMBINE_MASK);
}

static LLVMValueRef least_or_most(LLVMTypeRef type, bool most, bool is_unsigned) {
  unsigned bits = LLVMGetIntTypeWidth(type);
  uint64_t all = ~(uint64_t)0 >> (64 - bits), top = (uint64_t)1 << (bits - 1);
  uint64_t x = is_unsigned ? (most ? all : 0) : most ? all ^ top : top;
  return LLVMConstInt(type, x, false);
}

LLVMValueRef kiln_combine_identity(uint16_t sub, LLVMTypeRef type) {
  enum kl_combine combine = combine_of(sub);
  bool is_int = LLVMGetTypeKind(type) == LLVMIntegerTypeKind, is_unsigned = sub & KL_COMBINE_UNSIGNED;
  switch (combine) {
  case KL_MUL:
    return is_int ? LLVMConstInt(type, 1, false) : LLVMConstReal(type, 1.0);
  case KL_MIN:
  case KL_MAX:
    if (is_int) return least_or_most(type, combine == KL_MIN, is_unsigned);
    return LLVMConstReal(type, combine == KL_MIN ? (double)INFINITY : -(double)INFINITY);
  case KL_AND:
    return LLVMConstAllOnes(type);
  case KL_LOGICAL_AND:
    return LLVMConstInt(type, 1, false);
  default:
    return LLVMConstNull(type);
  }
}

/* Scalars or vectors of them. */
static bool holds_integers(LLVMValueRef x) {
  return LLVMGetTypeKind(kiln_element_type(LLVMTypeOf(x))) == LLVMIntegerTypeKind;
}

static LLVMValueRef build_extreme(LLVMBuilderRef b, uint16_t sub, LLVMValueRef x, LLVMValueRef y) {
  bool most = combine_of(sub) == KL_MAX, is_unsigned = sub & KL_COMBINE_UNSIGNED;
  LLVMValueRef is;
  if (holds_integers(x)) {
    LLVMIntPredicate less = is_unsigned ? LLVMIntULT : LLVMIntSLT;
    is = LLVMBuildICmp(b, less, most ? x : y, most ? y : x, "");
  } else {
    is = LLVMBuildFCmp(b, LLVMRealOLT, most ? x : y, most ? y : x, "");
  }
  return LLVMBuildSelect(b, is, y, x, "");
}

LLVMValueRef kiln_combine_build(LLVMBuilderRef b, uint16_t sub, LLVMValueRef x, LLVMValueRef y) {
  bool is_int = holds_integers(x);
  switch (combine_of(sub)) {
  case KL_ADD:
    return is_int ? LLVMBuildAdd(b, x, y, "") : LLVMBuildFAdd(b, x, y, "");
  case KL_MUL:
    return is_int ? LLVMBuildMul(b, x, y, "") : LLVMBuildFMul(b, x, y, "");
  case KL_MIN:
  case KL_MAX:
    return build_extreme(b, sub, x, y);
  case KL_AND:
  case KL_LOGICAL_AND:
    return LLVMBuildAnd(b, x, y, "");
  case KL_OR:
  case KL_LOGICAL_OR:
    return LLVMBuildOr(b, x, y, "");
  default:
    return LLVMBuildXor(b, x, y, "");
  }
}

LLVMValueRef kiln_combine_operand(LLVMBuilderRef b, uint16_t sub, LLVMValueRef x) {
  if (combine_of(sub) < KL_LOGICAL_AND) return x;
  LLVMValueRef is = LLVMBuildICmp(b, LLVMIntNE, x, LLVMConstNull(LLVMTypeOf(x)), "");
  return LLVMBuildZExt(b, is, LLVMTypeOf(x), "");
}
