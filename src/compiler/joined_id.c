/* Finds sums and products of ids and sizes; see joined_id.h. */
#include "compiler/joined_id.h"

#include "compiler/compiler.h"
#include "compiler/metadata.h"
#include "compiler/spmd/ir.h"

#include <stdio.h>
#include <string.h>

/* Sums and products of the low bits are the low bits of sums and products. */
static LLVMValueRef whole(LLVMValueRef v) {
  while (LLVMIsATruncInst(v)) v = LLVMGetOperand(v, 0);
  return v;
}

struct query {
  unsigned what;
  LLVMValueRef call, dimension; /* a constant below 3 */
};

static bool is_query(LLVMValueRef v, struct query *out) {
  uint16_t what;
  out->call = whole(v);
  if (!LLVMIsACallInst(out->call) || LLVMGetNumArgOperands(out->call) != 1) return false;
  if (kiln_call_classify(LLVMGetCalledValue(out->call), &what) != KL_QUERY) return false;
  out->what = what;
  out->dimension = LLVMGetOperand(out->call, 0);
  return LLVMIsAConstantInt(out->dimension) && LLVMConstIntGetZExtValue(out->dimension) < 3;
}

static bool is_size(const struct query *q) {
  return q->what == KL_Q_LOCAL_SIZE || q->what == KL_Q_ENQUEUED_LOCAL_SIZE;
}

/* v is `what` of some dimension, times the local size; *out: that query. */
static bool is_scaled(LLVMValueRef v, unsigned what, struct query *out) {
  struct query other;
  v = whole(v);
  if (!LLVMIsAInstruction(v) || LLVMGetInstructionOpcode(v) != LLVMMul) return false;
  for (unsigned k = 0; k < 2; k++)
    if (is_query(LLVMGetOperand(v, k), out) && out->what == what &&
        is_query(LLVMGetOperand(v, 1 - k), &other) && is_size(&other) && other.dimension == out->dimension)
      return true;
  return false;
}

/* A call of the function named, which is like that of q. */
static LLVMValueRef ask(LLVMBuilderRef b, const struct query *q, const char *name) {
  char mangled[48];
  LLVMValueRef like = LLVMGetCalledValue(q->call);
  LLVMModuleRef module = LLVMGetGlobalParent(like);
  LLVMTypeRef type = LLVMGlobalGetValueType(like);
  snprintf(mangled, sizeof mangled, "_Z%zu%sj", strlen(name), name);
  LLVMValueRef fn = LLVMGetNamedFunction(module, mangled);
  if (fn == NULL) {
    fn = LLVMAddFunction(module, mangled, type);
    unsigned count = LLVMGetAttributeCountAtIndex(like, (LLVMAttributeIndex)LLVMAttributeFunctionIndex);
    LLVMAttributeRef attributes[64];
    if (count <= 64)
      LLVMGetAttributesAtIndex(like, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, attributes);
    for (unsigned i = 0; i < count && count <= 64; i++)
      LLVMAddAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, attributes[i]);
    LLVMSetFunctionCallConv(fn, LLVMGetFunctionCallConv(like));
  }
  LLVMValueRef dimension = q->dimension, call = LLVMBuildCall2(b, type, fn, &dimension, 1, "");
  LLVMSetInstructionCallConv(call, LLVMGetInstructionCallConv(q->call));
  return call;
}

static void replace(LLVMBuilderRef b, LLVMValueRef i, LLVMValueRef by) {
  if (LLVMTypeOf(by) != LLVMTypeOf(i)) by = LLVMBuildTrunc(b, by, LLVMTypeOf(i), "");
  LLVMReplaceAllUsesWith(i, by);
  LLVMInstructionEraseFromParent(i);
}

static void join_id(LLVMBuilderRef b, LLVMValueRef sum) {
  struct query group, local;
  for (unsigned k = 0; k < 2; k++) {
    if (!is_query(LLVMGetOperand(sum, k), &local) || local.what != KL_Q_LOCAL_ID) continue;
    if (!is_scaled(LLVMGetOperand(sum, 1 - k), KL_Q_GROUP_ID, &group)) continue;
    if (group.dimension != local.dimension) continue;
    LLVMPositionBuilderBefore(b, sum);
    LLVMValueRef id = ask(b, &local, "get_global_id"), offset = ask(b, &local, "get_global_offset");
    replace(b, sum, LLVMBuildSub(b, id, offset, ""));
    return;
  }
}

static void join_size(LLVMBuilderRef b, LLVMValueRef product) {
  struct query groups;
  if (!is_scaled(product, KL_Q_NUM_GROUPS, &groups)) return;
  LLVMPositionBuilderBefore(b, product);
  replace(b, product, ask(b, &groups, "get_global_size"));
}

static void join_in(LLVMBuilderRef b, LLVMValueRef f) {
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block != NULL;
       block = LLVMGetNextBasicBlock(block))
    for (LLVMValueRef next, i = LLVMGetFirstInstruction(block); i != NULL; i = next) {
      next = LLVMGetNextInstruction(i);
      if (LLVMGetInstructionOpcode(i) == LLVMAdd) join_id(b, i);
      else if (LLVMGetInstructionOpcode(i) == LLVMMul) join_size(b, i);
    }
}

void kiln_join_ids(LLVMModuleRef module) {
  LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
    if (kiln_is_kernel(f) && (kiln_metadata_flags(f) & KILN_KERNEL_UNIFORM_GROUPS)) join_in(b, f);
  LLVMDisposeBuilder(b);
}
