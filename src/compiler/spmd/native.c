/* AVX-512's scalef, getexp, getmant, rcp14 and rsqrt14, on scalars and on vectors of any length; see
 * native.h. */
#include "compiler/spmd/native.h"

#include "compiler/spmd/workgroup.h"

#include <stdio.h>
#include <string.h>

enum { NO_IMMEDIATE = -1, MOST_OPERANDS = 2, MOST_LANES = 64 };
/* getmant: to 0.75 up to 1.5; NaN for negative numbers. */
enum { MANTISSA_P75_1P5 = 3, NEGATIVE_IS_NAN = 2 << 2 };

struct kl_native {
  const char *name, *operation;
  unsigned operands;
  int immediate;
};

static const struct kl_native natives[] = {
    {"__kiln_scalef_f", "mask.scalef.ps", 2, NO_IMMEDIATE},
    {"__kiln_scalef_d", "mask.scalef.pd", 2, NO_IMMEDIATE},
    {"__kiln_getexp_f", "mask.getexp.ps", 1, NO_IMMEDIATE},
    {"__kiln_getexp_d", "mask.getexp.pd", 1, NO_IMMEDIATE},
    {"__kiln_getmant_f", "mask.getmant.ps", 1, MANTISSA_P75_1P5 | NEGATIVE_IS_NAN},
    {"__kiln_getmant_d", "mask.getmant.pd", 1, MANTISSA_P75_1P5 | NEGATIVE_IS_NAN},
    {"__kiln_rcp14_f", "rcp14.ps", 1, NO_IMMEDIATE},
    {"__kiln_rcp14_d", "rcp14.pd", 1, NO_IMMEDIATE},
    {"__kiln_rsqrt14_d", "rsqrt14.pd", 1, NO_IMMEDIATE},
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

static LLVMValueRef call(struct kl_emit *e, const struct kl_native *native, const LLVMValueRef *args,
                         unsigned lanes, unsigned bits) {
  char name[64];
  LLVMValueRef all[6];
  unsigned n = 0;
  for (; n < native->operands; n++) all[n] = args[n];
  if (native->immediate != NO_IMMEDIATE)
    all[n++] = LLVMConstInt(e->map->i32, (unsigned)native->immediate, false);
  all[n++] = LLVMGetPoison(LLVMTypeOf(args[0])); /* where the mask is off: nowhere */
  all[n++] = LLVMConstAllOnes(LLVMIntTypeInContext(e->env->context, lanes <= 8 ? 8 : lanes));
  bool rounds = strncmp(native->operation, "mask.", 5) == 0;
  if (bits == 512 && rounds) all[n++] = LLVMConstInt(e->map->i32, 4, false); /* rounding: as set */
  snprintf(name, sizeof name, "llvm.x86.avx512.%s.%u", native->operation, bits);
  LLVMValueRef fn =
      LLVMGetIntrinsicDeclaration(e->env->module, LLVMLookupIntrinsicID(name, strlen(name)), NULL, 0);
  return LLVMBuildCall2(e->b, LLVMGlobalGetValueType(fn), fn, all, n, "");
}

/* `count` lanes of a and b, one after the other, from lane `first` on; those past the end are of no use. */
static LLVMValueRef pick(struct kl_emit *e, LLVMValueRef a, LLVMValueRef b, unsigned first, unsigned count) {
  LLVMValueRef lane[MOST_LANES];
  unsigned n = LLVMGetVectorSize(LLVMTypeOf(a)) * (b != NULL ? 2 : 1);
  for (unsigned i = 0; i < count; i++)
    lane[i] = first + i < n ? LLVMConstInt(e->map->i32, first + i, false) : LLVMGetPoison(e->map->i32);
  return LLVMBuildShuffleVector(e->b, a, b != NULL ? b : LLVMGetPoison(LLVMTypeOf(a)),
                                LLVMConstVector(lane, count), "");
}

static LLVMValueRef build_vector(struct kl_emit *e, const struct kl_native *native,
                                 const LLVMValueRef *args) {
  LLVMTypeRef type = LLVMTypeOf(args[0]);
  unsigned lanes = LLVMGetVectorSize(type);
  unsigned size = LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMDoubleTypeKind ? 64 : 32;
  LLVMValueRef part[MOST_OPERANDS];
  if (lanes * size < 128) {
    for (unsigned k = 0; k < native->operands; k++) part[k] = pick(e, args[k], NULL, 0, 128 / size);
    return pick(e, call(e, native, part, 128 / size, 128), NULL, 0, lanes);
  }
  if (lanes * size <= 512) return call(e, native, args, lanes, lanes * size);
  LLVMValueRef half[2];
  for (unsigned h = 0; h < 2; h++) {
    for (unsigned k = 0; k < native->operands; k++)
      part[k] = pick(e, args[k], NULL, h * lanes / 2, lanes / 2);
    half[h] = build_vector(e, native, part);
  }
  return pick(e, half[0], half[1], 0, lanes);
}

LLVMValueRef kiln_native_build(struct kl_emit *e, const struct kl_native *native, const LLVMValueRef *args) {
  LLVMTypeRef type = LLVMTypeOf(args[0]);
  if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) return build_vector(e, native, args);
  LLVMValueRef first = LLVMConstInt(e->map->i32, 0, false), one[MOST_OPERANDS];
  for (unsigned k = 0; k < native->operands; k++)
    one[k] = LLVMBuildInsertElement(e->b, LLVMGetPoison(LLVMVectorType(type, 2)), args[k], first, "");
  return LLVMBuildExtractElement(e->b, build_vector(e, native, one), first, "");
}

/* ---- whether they are there ---- */

bool kiln_spmd_settle_native(LLVMModuleRef module, const char *features) {
  LLVMValueRef asked = LLVMGetNamedFunction(module, "__kiln_avx512");
  if (asked == NULL) return false;
  bool there = strstr(features, "+avx512f") != NULL && strstr(features, "+avx512vl") != NULL;
  LLVMTypeRef type = LLVMGetReturnType(LLVMGlobalGetValueType(asked));
  for (LLVMUseRef use = LLVMGetFirstUse(asked), next; use != NULL; use = next) {
    LLVMValueRef at = LLVMGetUser(use);
    next = LLVMGetNextUse(use);
    LLVMReplaceAllUsesWith(at, LLVMConstInt(type, there, false));
    LLVMInstructionEraseFromParent(at);
  }
  LLVMDeleteFunction(asked);
  return true;
}
