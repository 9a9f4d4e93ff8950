/* Calls for a vector of work-items that have a form for vectors: intrinsics, and functions of our own. */
#include "compiler/elementwise.h"
#include "compiler/permutes.h"
#include "compiler/spmd/lane_access.h"
#include "compiler/spmd/lane_function.h"
#include "compiler/spmd/native.h"
#include "compiler/spmd/permute.h"

#include <string.h>

/* ---- intrinsics ---- */

static const struct kiln_elementwise *find_elementwise(LLVMValueRef call) {
  LLVMValueRef fn = kiln_func_resolve(LLVMGetCalledValue(call));
  return fn == NULL ? NULL : kiln_elementwise_find(fn);
}

static LLVMValueRef call_part(struct kl_lanes *l, uint32_t i, const struct kiln_elementwise *how,
                              uint32_t k) {
  const struct kl_inst *inst = &l->e->f->inst[i];
  LLVMValueRef args[8];
  for (uint32_t o = 0; o < inst->nops; o++) {
    uint32_t operand = kl_operand(l->e->f, i, o);
    args[o] = how->scalars >> o & 1 ? kiln_emit_operand(l->e, operand) : kiln_lanes_part(l, operand, k);
  }
  LLVMTypeRef type = LLVMTypeOf(args[0]);
  LLVMValueRef made = kiln_lanes_intrinsic(l, how->name, &type, 1, args, inst->nops);
  if (LLVMCanValueUseFastMathFlags(inst->v)) LLVMSetFastMathFlags(made, LLVMGetFastMathFlags(inst->v));
  return made;
}

static bool is_native(LLVMValueRef call) {
  LLVMValueRef fn = kiln_func_resolve(LLVMGetCalledValue(call));
  return fn != NULL && kiln_native_find(fn) != NULL;
}

static bool call_native(struct kl_lanes *l, uint32_t i) {
  LLVMValueRef fn = kiln_func_resolve(LLVMGetCalledValue(l->e->f->inst[i].v)), args[KL_NATIVE_ARGUMENTS];
  const struct kl_native *native = fn == NULL ? NULL : kiln_native_find(fn);
  if (native == NULL) return false;
  for (uint32_t o = 0; o < l->e->f->inst[i].nops && o < KL_NATIVE_ARGUMENTS; o++)
    args[o] = kiln_lanes_part(l, kl_operand(l->e->f, i, o), 0);
  struct kl_pack pack = kiln_lanes_new_pack(l, 1);
  pack.part[0] = kiln_native_build(l->e, native, args);
  kiln_lanes_define(l, i, pack);
  return true;
}

bool kiln_lanes_has_call(LLVMValueRef call) {
  return is_native(call) || kiln_is_permute(call) || find_elementwise(call) != NULL;
}

bool kiln_lanes_call(struct kl_lanes *l, uint32_t i) {
  if (kiln_is_permute(l->e->f->inst[i].v)) {
    kiln_lanes_permute_bytes(l, i);
    return true;
  }
  if (call_native(l, i) || kiln_lanes_texel(l, i) || kiln_lanes_function(l, i)) return true;
  const struct kiln_elementwise *how = find_elementwise(l->e->f->inst[i].v);
  if (how == NULL || l->e->f->inst[i].nops > 8) return false;
  struct kl_pack pack = kiln_lanes_new_pack(l, kiln_lanes_parts(l, i));
  for (uint32_t k = 0; k < pack.n; k++) pack.part[k] = call_part(l, i, how, k);
  kiln_lanes_define(l, i, pack);
  return true;
}
