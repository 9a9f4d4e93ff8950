/* Answers to what work-items ask about their group; see group_queries.h. */
#include "compiler/spmd/group_queries.h"

#include "compiler/spmd/ir.h"
#include "compiler/spmd/mapping.h"

#include <llvm-c/Core.h>
#include <stdio.h>
#include <string.h>

struct asker {
  LLVMBuilderRef b;
  LLVMValueRef call;
  const struct kl_group_row *row;
  LLVMValueRef dimension;
};

/* The same of the launch. */
static LLVMValueRef ask(const struct asker *a, const char *name) {
  LLVMValueRef old = LLVMGetCalledValue(a->call), dimension = a->dimension;
  LLVMModuleRef module = LLVMGetGlobalParent(old);
  LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetModuleContext(module)),
              type = LLVMFunctionType(LLVMTypeOf(a->call), &i32, 1, false);
  char mangled[64];
  snprintf(mangled, sizeof mangled, "_Z%zu%sj", strlen(name), name);
  LLVMValueRef asked = LLVMGetNamedFunction(module, mangled);
  if (asked == NULL) {
    asked = LLVMAddFunction(module, mangled, type);
    LLVMSetFunctionCallConv(asked, LLVMGetFunctionCallConv(old));
  }
  LLVMValueRef made = LLVMBuildCall2(a->b, type, asked, &dimension, 1, "");
  LLVMSetInstructionCallConv(made, LLVMGetInstructionCallConv(a->call));
  return made;
}

/* Of the work-item, without the launch's offset. */
static LLVMValueRef place(const struct asker *a) {
  LLVMValueRef id = ask(a, "get_global_id");
  return a->row->offset_zero ? id : LLVMBuildSub(a->b, id, ask(a, "get_global_offset"), "");
}

/* x / size or x % size, with numbers of 32 bits where these will do. */
static LLVMValueRef part(const struct asker *a, LLVMValueRef x, LLVMOpcode op) {
  LLVMTypeRef type = LLVMTypeOf(x), i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(type));
  if (a->row->small) x = LLVMBuildTrunc(a->b, x, i32, "");
  x = LLVMBuildBinOp(a->b, op, x, LLVMConstInt(LLVMTypeOf(x), a->row->size, false), "");
  return a->row->small ? LLVMBuildZExt(a->b, x, type, "") : x;
}

static LLVMValueRef number(const struct asker *a, uint32_t n) {
  return LLVMConstInt(LLVMTypeOf(a->call), n, false);
}

LLVMValueRef kiln_group_query_answer(LLVMBuilderRef b, LLVMValueRef call, unsigned query,
                                     const struct kl_group_row *row) {
  struct asker a = {.b = b, .call = call, .row = row};
  const bool is_linear = query == KL_Q_LOCAL_LINEAR_ID;
  LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(call)));
  if (!is_linear && LLVMGetNumArgOperands(call) != 1) return NULL;
  a.dimension = is_linear ? LLVMConstNull(i32) : LLVMGetOperand(call, 0);
  const bool is_known = LLVMIsAConstantInt(a.dimension) != NULL;
  if (!is_known && row->size != 1) return NULL;
  const bool is_one = row->size == 1 || !kl_is_number(a.dimension, 0); /* work-item wide */
  switch (query) {
  case KL_Q_LOCAL_ID:
  case KL_Q_LOCAL_LINEAR_ID:
    return is_one ? number(&a, 0) : part(&a, place(&a), LLVMURem);
  case KL_Q_LOCAL_SIZE:
  case KL_Q_ENQUEUED_LOCAL_SIZE:
    return number(&a, is_one ? 1 : row->size);
  case KL_Q_NUM_GROUPS:
    return is_one ? ask(&a, "get_global_size") : part(&a, ask(&a, "get_global_size"), LLVMUDiv);
  case KL_Q_GROUP_ID:
    return is_one ? place(&a) : part(&a, place(&a), LLVMUDiv);
  default:
    return NULL;
  }
}

/* Of the calls of a function without a body. */
static bool answer_calls(LLVMBuilderRef b, LLVMValueRef fn, const struct kl_group_row *row, uint32_t *count) {
  uint16_t query = 0;
  const unsigned kind = kiln_call_classify(fn, &query);
  if (LLVMGetFirstUse(fn) == NULL) return true;
  if (kl_is_barrier(kind) || kind == KL_SUB_GROUP) return false;
  if (kind != KL_QUERY || !kiln_mapping_shows_group(query)) return true;
  for (LLVMUseRef use; (use = LLVMGetFirstUse(fn)) != NULL; ++*count) {
    LLVMValueRef call = LLVMGetUser(use);
    if (LLVMIsACallInst(call) == NULL) return false;
    LLVMPositionBuilderBefore(b, call);
    LLVMValueRef known = kiln_group_query_answer(b, call, query, row);
    if (known == NULL) return false;
    LLVMReplaceAllUsesWith(call, known);
    LLVMInstructionEraseFromParent(call);
  }
  return true;
}

bool kiln_group_queries_answer(LLVMModuleRef module, const struct kl_group_row *row, uint32_t *count_out) {
  LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
  bool done = true;
  *count_out = 0;
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL && done; f = LLVMGetNextFunction(f))
    if (LLVMIsDeclaration(f)) done = answer_calls(b, f, row, count_out);
  LLVMDisposeBuilder(b);
  return done;
}
