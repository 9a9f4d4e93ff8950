/* AVX-512's scalef, getexp, getmant, reduce, rcp14, rsqrt14 and look-up in a register, on scalars and on
 * vectors of any length; see native.h. */
#include "compiler/spmd/native.h"

#include "compiler/spmd/lanes.h"

#include <stdio.h>
#include <string.h>

enum { NO_IMMEDIATE = -1, MOST_OPERANDS = 3, ENTRIES = 16 };
/* getmant: to 0.75 up to 1.5; NaN for negative numbers. */
enum { MANTISSA_P75_1P5 = 3, NEGATIVE_IS_NAN = 2 << 2 };

struct kl_native {
  const char *name, *operation;
  unsigned operands; /* without the constants of a look-up */
  int immediate;
  unsigned tables; /* of a look-up: registers that its last arguments, ENTRIES constants, fill */
};

static const struct kl_native natives[] = {
    {"__kiln_scalef_f", "mask.scalef.ps", 2, NO_IMMEDIATE, 0},
    {"__kiln_scalef_d", "mask.scalef.pd", 2, NO_IMMEDIATE, 0},
    {"__kiln_getexp_f", "mask.getexp.ps", 1, NO_IMMEDIATE, 0},
    {"__kiln_getexp_d", "mask.getexp.pd", 1, NO_IMMEDIATE, 0},
    {"__kiln_getmant_f", "mask.getmant.ps", 1, MANTISSA_P75_1P5 | NEGATIVE_IS_NAN, 0},
    {"__kiln_getmant_d", "mask.getmant.pd", 1, MANTISSA_P75_1P5 | NEGATIVE_IS_NAN, 0},
    {"__kiln_rcp14_f", "rcp14.ps", 1, NO_IMMEDIATE, 0},
    {"__kiln_rcp14_d", "rcp14.pd", 1, NO_IMMEDIATE, 0},
    {"__kiln_rsqrt14_f", "rsqrt14.ps", 1, NO_IMMEDIATE, 0},
    {"__kiln_rsqrt14_d", "rsqrt14.pd", 1, NO_IMMEDIATE, 0},
    {"__kiln_reduce_f", "mask.reduce.ps", 1, 0, 0},
    {"__kiln_look_up_f", "permvar.sf", 1, NO_IMMEDIATE, 1},
    {"__kiln_look_up_d", "vpermi2var.pd", 1, NO_IMMEDIATE, 2},
};

const struct kl_native *kiln_native_find(LLVMValueRef fn) {
  size_t len;
  const char *name = LLVMGetValueName2(fn, &len);
  if (!LLVMIsDeclaration(fn) || strncmp(name, "__kiln_", 7) != 0) return NULL;
  for (size_t i = 0; i < sizeof natives / sizeof *natives; i++)
    if (strcmp(natives[i].name, name) == 0) return &natives[i];
  return NULL;
}

/* ---- vectors of 16, 32 or 64 bytes ---- */

static LLVMValueRef call_intrinsic(struct kl_emit *e, const char *operation, unsigned bits,
                                   LLVMValueRef *args, unsigned n) {
  char name[64];
  snprintf(name, sizeof name, "llvm.x86.avx512.%s.%u", operation, bits);
  LLVMValueRef fn =
      LLVMGetIntrinsicDeclaration(e->env->module, LLVMLookupIntrinsicID(name, strlen(name)), NULL, 0);
  return LLVMBuildCall2(e->b, LLVMGlobalGetValueType(fn), fn, args, n, "");
}

static LLVMValueRef call(struct kl_emit *e, const struct kl_native *native, const LLVMValueRef *args,
                         unsigned lanes, unsigned bits) {
  LLVMValueRef all[6];
  unsigned n = 0;
  if (native->tables > 0)
    return call_intrinsic(e, native->operation, bits, (LLVMValueRef[]){args[1], args[0], args[2]},
                          1 + native->tables);
  for (; n < native->operands; n++) all[n] = args[n];
  if (native->immediate != NO_IMMEDIATE)
    all[n++] = LLVMConstInt(e->map->i32, (unsigned)native->immediate, false);
  all[n++] = LLVMGetPoison(LLVMTypeOf(args[0])); /* where the mask is off: nowhere */
  all[n++] = LLVMConstAllOnes(LLVMIntTypeInContext(e->env->context, lanes <= 8 ? 8 : lanes));
  bool rounds = strncmp(native->operation, "mask.", 5) == 0;
  if (bits == 512 && rounds) all[n++] = LLVMConstInt(e->map->i32, 4, false); /* rounding: as set */
  return call_intrinsic(e, native->operation, bits, all, n);
}

LLVMValueRef kiln_native_cut(struct kl_emit *e, LLVMValueRef a, LLVMValueRef b, unsigned first,
                             unsigned count) {
  LLVMValueRef lane[KL_MOST_LANES];
  unsigned n = LLVMGetVectorSize(LLVMTypeOf(a)) * (b != NULL ? 2 : 1);
  for (unsigned i = 0; i < count; i++)
    lane[i] = first + i < n ? LLVMConstInt(e->map->i32, first + i, false) : LLVMGetPoison(e->map->i32);
  return LLVMBuildShuffleVector(e->b, a, b != NULL ? b : LLVMGetPoison(LLVMTypeOf(a)),
                                LLVMConstVector(lane, count), "");
}

static unsigned size_of_element(LLVMTypeRef vector) {
  LLVMTypeRef element = LLVMGetElementType(vector);
  if (LLVMGetTypeKind(element) == LLVMIntegerTypeKind) return LLVMGetIntTypeWidth(element);
  return LLVMGetTypeKind(element) == LLVMDoubleTypeKind ? 64 : 32;
}

/* The operands, and for a look-up the vectors of its constants. */
static LLVMValueRef build_vector(struct kl_emit *e, const struct kl_native *native,
                                 const LLVMValueRef *args) {
  LLVMTypeRef type = LLVMTypeOf(args[0]);
  unsigned lanes = LLVMGetVectorSize(type), least = native->tables > 0 ? 512 : 128;
  unsigned size = size_of_element(type);
  LLVMValueRef part[MOST_OPERANDS];
  for (unsigned k = 0; k < native->tables; k++) part[1 + k] = args[1 + k];
  if (lanes * size < least) {
    for (unsigned k = 0; k < native->operands; k++)
      part[k] = kiln_native_cut(e, args[k], NULL, 0, least / size);
    return kiln_native_cut(e, call(e, native, part, least / size, least), NULL, 0, lanes);
  }
  if (lanes * size <= 512) return call(e, native, args, lanes, lanes * size);
  LLVMValueRef half[2];
  for (unsigned h = 0; h < 2; h++) {
    for (unsigned k = 0; k < native->operands; k++)
      part[k] = kiln_native_cut(e, args[k], NULL, h * lanes / 2, lanes / 2);
    half[h] = build_vector(e, native, part);
  }
  return kiln_native_cut(e, half[0], half[1], 0, lanes);
}

static bool is_vector(LLVMValueRef v) { return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind; }

/* `count` constants that are alike in all lanes. */
static LLVMValueRef table(const LLVMValueRef *args, unsigned count) {
  LLVMValueRef constant[ENTRIES];
  for (unsigned k = 0; k < count; k++)
    constant[k] = is_vector(args[k]) ? LLVMGetAggregateElement(args[k], 0) : args[k];
  return LLVMConstVector(constant, count);
}

LLVMValueRef kiln_native_build(struct kl_emit *e, const struct kl_native *native, const LLVMValueRef *args) {
  LLVMValueRef first = LLVMConstInt(e->map->i32, 0, false), part[MOST_OPERANDS];
  bool vectors = is_vector(args[0]);
  for (unsigned k = 0; k < native->operands; k++)
    part[k] = vectors ? args[k]
                      : LLVMBuildInsertElement(e->b, LLVMGetPoison(LLVMVectorType(LLVMTypeOf(args[k]), 2)),
                                               args[k], first, "");
  for (unsigned k = 0, each = native->tables > 0 ? ENTRIES / native->tables : 0; k < native->tables; k++)
    part[1 + k] = table(args + 1 + k * each, each);
  LLVMValueRef all = build_vector(e, native, part);
  return vectors ? all : LLVMBuildExtractElement(e->b, all, first, "");
}
