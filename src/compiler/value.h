/* What several stages ask of a value. */
#ifndef KILN_COMPILER_VALUE_H
#define KILN_COMPILER_VALUE_H

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A load or store that is neither volatile nor atomic. */
static inline bool kiln_is_ordinary(LLVMValueRef access) {
  return !LLVMGetVolatile(access) && LLVMGetOrdering(access) == LLVMAtomicOrderingNotAtomic;
}

static inline bool kiln_is_op(LLVMValueRef v, LLVMOpcode op) {
  return LLVMIsAInstruction(v) != NULL && LLVMGetInstructionOpcode(v) == op;
}

/* An atomic that leaves what it finds. */
static inline bool kiln_is_atomic_reading(LLVMValueRef v) {
  if (LLVMIsAAtomicRMWInst(v) == NULL || LLVMIsAConstantInt(LLVMGetOperand(v, 1)) == NULL) return false;
  const LLVMAtomicRMWBinOp op = LLVMGetAtomicRMWBinOp(v);
  return LLVMIsNull(LLVMGetOperand(v, 1)) && (op == LLVMAtomicRMWBinOpAdd || op == LLVMAtomicRMWBinOpOr);
}

static inline bool kiln_is_used_once(LLVMValueRef value) {
  LLVMUseRef first = LLVMGetFirstUse(value);
  return first != NULL && LLVMGetNextUse(first) == NULL;
}

/* What comes into a phi from a block; NULL: nothing does. */
static inline LLVMValueRef kiln_phi_from(LLVMValueRef phi, LLVMBasicBlockRef from) {
  for (unsigned k = 0; k < LLVMCountIncoming(phi); k++)
    if (LLVMGetIncomingBlock(phi, k) == from) return LLVMGetIncomingValue(phi, k);
  return NULL;
}

/* Of a vector that of its elements, else the type itself. */
static inline LLVMTypeRef kiln_element_type(LLVMTypeRef type) {
  return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

/* Elements of another type, as many as a type has: a vector of them where that is one. */
static inline LLVMTypeRef kiln_type_like(LLVMTypeRef type, LLVMTypeRef element) {
  const bool is_vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
  return is_vector ? LLVMVectorType(element, LLVMGetVectorSize(type)) : element;
}

static inline LLVMTypeRef kiln_floats_like(LLVMTypeRef type) {
  return kiln_type_like(type, LLVMFloatTypeInContext(LLVMGetTypeContext(type)));
}

/* A half, or a vector of them, as floats. */
static inline LLVMValueRef kiln_as_floats(LLVMBuilderRef b, LLVMValueRef half) {
  return LLVMBuildFPExt(b, half, kiln_floats_like(LLVMTypeOf(half)), "");
}

/* One of this kind, or a vector of them. */
static inline bool kiln_is_of(LLVMTypeRef type, LLVMTypeKind kind) {
  return LLVMGetTypeKind(kiln_element_type(type)) == kind;
}

/* A constant in all elements, as many as a type has. */
static inline LLVMValueRef kiln_constant_like(LLVMTypeRef type, LLVMValueRef element) {
  LLVMTypeRef of = kiln_type_like(type, LLVMTypeOf(element)),
              i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(type));
  if (of == LLVMTypeOf(element)) return element;
  LLVMValueRef first = LLVMConstInsertElement(LLVMGetPoison(of), element, LLVMConstNull(i32));
  return LLVMConstShuffleVector(first, LLVMGetPoison(of), LLVMConstNull(kiln_type_like(type, i32)));
}

/* The same of a number, for a type of floating point or of integers. */
static inline LLVMValueRef kiln_real_like(LLVMTypeRef type, double x) {
  return kiln_constant_like(type, LLVMConstReal(kiln_element_type(type), x));
}

static inline LLVMValueRef kiln_integer_like(LLVMTypeRef type, uint64_t x) {
  return kiln_constant_like(type, LLVMConstInt(kiln_element_type(type), x, false));
}

/* Elements first to first + n - 1 of a vector and, after its own, another one's. */
enum { KILN_MOST_PICKED = 256 };
static inline LLVMValueRef kiln_pick(LLVMBuilderRef b, LLVMValueRef x, LLVMValueRef y, unsigned first,
                                     unsigned n) {
  LLVMValueRef index[KILN_MOST_PICKED];
  LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(x)));
  for (unsigned k = 0; k < n; k++) index[k] = LLVMConstInt(i32, first + k, false);
  return LLVMBuildShuffleVector(b, x, y, LLVMConstVector(index, n), "");
}

/* The scalar that a shuffle gives to all elements of a vector; NULL: v is no such shuffle. */
static inline LLVMValueRef kiln_splatted(LLVMValueRef v) {
  if (LLVMIsAShuffleVectorInst(v) == NULL) return NULL;
  LLVMValueRef from = LLVMGetOperand(v, 0);
  for (unsigned k = 0; k < LLVMGetNumMaskElements(v); k++)
    if (LLVMGetMaskValue(v, k) != 0) return NULL;
  if (LLVMIsAInsertElementInst(from) == NULL || !LLVMIsNull(LLVMGetOperand(from, 2))) return NULL;
  return LLVMGetOperand(from, 1);
}

/* What an address is computed from, by any number of GEPs. */
static inline LLVMValueRef kiln_address_root(LLVMValueRef address) {
  while (LLVMIsAGetElementPtrInst(address) != NULL) address = LLVMGetOperand(address, 0);
  return address;
}

/* Bytes that a GEP adds to its pointer, modulo 2^64; false: an index is no constant. */
bool kiln_gep_offset(LLVMTargetDataRef layout, LLVMValueRef gep, int64_t *bytes);

/* Erases a computation that nothing uses, and those before it that nothing else does; accesses, calls, phis
 * and what is used stay. */
void kiln_erase_unused(LLVMValueRef v);

/* An instruction that changes memory, or orders what others change. */
bool kiln_may_write(LLVMValueRef instruction);

/* A vector of numbers as it is, which code generation does not look through; nothing at run time. Only where
 * it fills registers: v itself otherwise. */
LLVMValueRef kiln_fenced(LLVMBuilderRef b, LLVMValueRef v);

/* What a call says of the alignment of its k-th argument, in bytes; 1: nothing. */
static inline uint64_t kiln_argument_align(LLVMValueRef call, unsigned k) {
  const unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
  LLVMAttributeRef align = LLVMGetCallSiteEnumAttribute(call, k + 1, kind);
  return align == NULL ? 1 : LLVMGetEnumAttributeValue(align);
}

/* A function that says of itself that it neither reads nor writes memory. */
static inline bool kiln_leaves_memory(LLVMValueRef function) {
  const unsigned kind = LLVMGetEnumAttributeKindForName("memory", 6);
  LLVMAttributeRef memory =
      LLVMGetEnumAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, kind);
  return memory != NULL && LLVMGetEnumAttributeValue(memory) == 0;
}

static inline bool kiln_name_begins(LLVMValueRef function, const char *prefix) {
  size_t length;
  const char *name = LLVMGetValueName2(function, &length);
  return length >= strlen(prefix) && memcmp(name, prefix, strlen(prefix)) == 0;
}

#endif
