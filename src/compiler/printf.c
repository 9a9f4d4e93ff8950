/* printf calls to records; see printf.h and base/abi.h. */
#include "compiler/printf.h"

#include "base/abi.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct item {
  uint32_t kind, bytes, count; /* of the tag */
  LLVMTypeRef element;
};

static uint32_t align8(uint32_t n) { return (n + 7) & ~7u; }

/* An address is stored as eight bytes whatever it points to. */
static struct item describe(const struct kiln_printf_call *call, LLVMValueRef arg) {
  LLVMTypeRef type = LLVMTypeOf(arg);
  struct item item = {.kind = KILN_PRINTF_INT, .count = 1, .element = type};
  if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) {
    item.count = LLVMGetVectorSize(type);
    item.element = LLVMGetElementType(type);
  }
  switch (LLVMGetTypeKind(item.element)) {
  case LLVMPointerTypeKind:
    item.kind = KILN_PRINTF_POINTER;
    break;
  case LLVMHalfTypeKind:
  case LLVMFloatTypeKind:
  case LLVMDoubleTypeKind:
    item.kind = KILN_PRINTF_FLOAT;
    break;
  default:
    break;
  }
  item.bytes = (uint32_t)LLVMABISizeOfType(call->layout, item.element);
  return item;
}

static LLVMValueRef at(const struct kiln_printf_call *call, LLVMValueRef base, uint32_t offset) {
  LLVMContextRef context = LLVMGetModuleContext(call->module);
  LLVMValueRef index = LLVMConstInt(LLVMInt64TypeInContext(context), offset, false);
  return LLVMBuildInBoundsGEP2(call->builder, LLVMInt8TypeInContext(context), base, &index, 1, "");
}

/* By components: a vector of three has no defined fourth, and memory bits are the element's. */
static void store_payload(const struct kiln_printf_call *call, struct item item, LLVMValueRef arg,
                          LLVMValueRef record, uint32_t offset) {
  LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetModuleContext(call->module));
  bool vector = LLVMGetTypeKind(LLVMTypeOf(arg)) == LLVMVectorTypeKind;
  for (uint32_t k = 0; k < item.count; k++) {
    LLVMValueRef part =
        vector ? LLVMBuildExtractElement(call->builder, arg, LLVMConstInt(i32, k, false), "") : arg;
    LLVMSetAlignment(LLVMBuildStore(call->builder, part, at(call, record, offset + k * item.bytes)), 1);
  }
}

static void fill_record(const struct kiln_printf_call *call, LLVMValueRef record) {
  LLVMTypeRef i64 = LLVMInt64TypeInContext(LLVMGetModuleContext(call->module));
  uint32_t offset = 8;
  LLVMBuildStore(call->builder, call->format, record);
  for (unsigned k = 0; k < call->num_args; k++) {
    struct item item = describe(call, call->args[k]);
    uint64_t tag = item.kind | (uint64_t)item.bytes << 8 | (uint64_t)item.count << 16;
    LLVMBuildStore(call->builder, LLVMConstInt(i64, tag, false), at(call, record, offset));
    store_payload(call, item, call->args[k], record, offset + 8);
    offset += 8 + align8(item.bytes * item.count);
  }
}

static uint32_t record_size(const struct kiln_printf_call *call) {
  uint32_t size = 8;
  for (unsigned k = 0; k < call->num_args; k++) {
    struct item item = describe(call, call->args[k]);
    size += 8 + align8(item.bytes * item.count);
  }
  return size;
}

static LLVMValueRef reserve(const struct kiln_printf_call *call) {
  LLVMContextRef context = LLVMGetModuleContext(call->module);
  LLVMTypeRef ptr = LLVMPointerTypeInContext(context, 0), i32 = LLVMInt32TypeInContext(context);
  LLVMTypeRef type = LLVMFunctionType(ptr, (LLVMTypeRef[]){ptr, i32}, 2, false);
  LLVMValueRef fn = LLVMGetNamedFunction(call->module, KILN_PRINTF_SYMBOL);
  if (fn == NULL) fn = LLVMAddFunction(call->module, KILN_PRINTF_SYMBOL, type);
  return LLVMBuildCall2(call->builder, type, fn,
                        (LLVMValueRef[]){call->worker, LLVMConstInt(i32, record_size(call), false)}, 2, "");
}

LLVMValueRef kiln_printf_emit(const struct kiln_printf_call *call) {
  LLVMBuilderRef b = call->builder;
  LLVMContextRef context = LLVMGetModuleContext(call->module);
  LLVMTypeRef i32 = LLVMInt32TypeInContext(context);
  LLVMValueRef fn = LLVMGetBasicBlockParent(LLVMGetInsertBlock(b)), record = reserve(call);
  LLVMBasicBlockRef from = LLVMGetInsertBlock(b),
                    fill = LLVMAppendBasicBlockInContext(context, fn, "printf.fill");
  LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(context, fn, "printf.done");
  LLVMBuildCondBr(b, LLVMBuildIsNull(b, record, ""), done, fill);
  LLVMPositionBuilderAtEnd(b, fill);
  fill_record(call, record);
  LLVMBuildBr(b, done);
  LLVMPositionBuilderAtEnd(b, done);
  LLVMValueRef result = LLVMBuildPhi(b, i32, "");
  LLVMAddIncoming(result, (LLVMValueRef[]){LLVMConstAllOnes(i32), LLVMConstNull(i32)},
                  (LLVMBasicBlockRef[]){from, fill}, 2);
  return result;
}
