/* Owns the code of permutes, for one work-item and for lanes; see permute.h. Must not know where operands
 * come from. */
#include "compiler/spmd/permute.h"

#include "compiler/permutes.h"
#include "compiler/spmd/lane_access.h"
#include "compiler/spmd/native.h"
#include "compiler/value.h"

#include <string.h>

static LLVMValueRef call(struct kl_emit *e, const char *name, LLVMValueRef x, LLVMValueRef mask) {
  LLVMValueRef fn =
      LLVMGetIntrinsicDeclaration(e->env->module, LLVMLookupIntrinsicID(name, strlen(name)), NULL, 0);
  return LLVMBuildCall2(e->b, LLVMGlobalGetValueType(fn), fn, (LLVMValueRef[]){x, mask}, 2, "");
}

/* Of as many bytes as the processor's registers have at most. */
static LLVMValueRef permute(struct kl_emit *e, LLVMValueRef x, LLVMValueRef mask) {
  const unsigned bytes = LLVMGetVectorSize(LLVMTypeOf(x)), native = e->program->native;
  if (bytes == 16) return call(e, "llvm.x86.ssse3.pshuf.b.128", x, mask);
  if (bytes == 32 && native >= 8) return call(e, "llvm.x86.avx2.pshuf.b", x, mask);
  if (bytes == 64 && native >= 16) return call(e, "llvm.x86.avx512.pshuf.b.512", x, mask);
  LLVMValueRef half[2];
  for (unsigned h = 0; h < 2; h++)
    half[h] = permute(e, kiln_native_cut(e, x, NULL, h * bytes / 2, bytes / 2),
                      kiln_native_cut(e, mask, NULL, h * bytes / 2, bytes / 2));
  return kiln_native_cut(e, half[0], half[1], 0, bytes);
}

/* The instruction gives 0 where bit 7 is set. */
LLVMValueRef kiln_permute_build(struct kl_emit *e, LLVMValueRef x, LLVMValueRef mask) {
  LLVMValueRef most = kiln_integer_like(LLVMTypeOf(mask), KILN_PERMUTED - 1);
  return permute(e, x, LLVMBuildAnd(e->b, mask, most, ""));
}

static void rows_of(struct kl_lanes *l, uint32_t value, LLVMValueRef *row) {
  LLVMValueRef part[KILN_PERMUTED];
  for (uint32_t k = 0; k < KILN_PERMUTED; k++) part[k] = kiln_lanes_part(l, value, k);
  if (!kiln_packed_rows(l, part, KILN_PERMUTED, row)) kiln_rows_merge(l, part, KILN_PERMUTED, row);
}

/* Rows are as long as there are lanes: of fewer than 16 several make a vector. */
static void permute_rows(struct kl_lanes *l, LLVMValueRef *x, LLVMValueRef *mask, uint32_t joined) {
  LLVMValueRef made =
      kiln_permute_build(l->e, kiln_lanes_joined(l, x, joined), kiln_lanes_joined(l, mask, joined));
  for (uint32_t j = 0; j < joined; j++)
    x[j] = joined == 1 ? made : kiln_lanes_some_of(l, made, j * l->width, l->width);
}

void kiln_lanes_permute_bytes(struct kl_lanes *l, uint32_t i) {
  LLVMValueRef x[KL_MOST_PITCH], mask[KL_MOST_PITCH];
  struct kl_pack pack = kiln_lanes_new_pack(l, KILN_PERMUTED);
  const uint32_t joined = l->width < KILN_PERMUTED ? KILN_PERMUTED / l->width : 1;
  rows_of(l, kl_operand(l->e->f, i, 0), x);
  rows_of(l, kl_operand(l->e->f, i, 1), mask);
  for (uint32_t j = 0; j < KILN_PERMUTED; j += joined) permute_rows(l, x + j, mask + j, joined);
  kiln_rows_split(l, x, KILN_PERMUTED, pack.part);
  kiln_packed_remember(l, x, pack.part, KILN_PERMUTED);
  kiln_lanes_define(l, i, pack);
}
