/* Types, constants and variables of the emitted module; see map.h. */
#include "compiler/spmd/map.h"

#include "compiler/spmd/workgroup.h"

#include <stdio.h>
#include <string.h>

void kiln_map_start(struct kl_map *map, struct kl_env *env) {
  map->env = env;
  map->ptr = LLVMPointerTypeInContext(env->context, 0);
  map->i1 = LLVMInt1TypeInContext(env->context);
  map->i8 = LLVMInt8TypeInContext(env->context);
  map->i32 = LLVMInt32TypeInContext(env->context);
  map->i64 = LLVMInt64TypeInContext(env->context);
}

uint64_t kiln_map_size(struct kl_map *map, LLVMTypeRef mapped) {
  return LLVMABISizeOfType(map->env->layout, mapped);
}

uint32_t kiln_map_align(struct kl_map *map, LLVMTypeRef mapped) {
  return LLVMABIAlignmentOfType(map->env->layout, mapped);
}

/* ---- types ---- */

/* Events, queues, pipes and images are addresses, a sampler is its bits. */
static LLVMTypeRef map_opaque(struct kl_map *map, LLVMTypeRef type) {
  return strcmp(LLVMGetTargetExtTypeName(type), "spirv.Sampler") == 0 ? map->i32 : map->ptr;
}

static LLVMTypeRef map_struct(struct kl_map *map, LLVMTypeRef type) {
  unsigned n = LLVMCountStructElementTypes(type);
  LLVMTypeRef *element = kl_new(map->env, n, LLVMTypeRef);
  bool changed = false;
  if (LLVMIsOpaqueStruct(type)) return type;
  for (unsigned i = 0; i < n; i++) {
    LLVMTypeRef old = LLVMStructGetTypeAtIndex(type, i);
    element[i] = kiln_map_type(map, old);
    changed |= element[i] != old;
  }
  return changed ? LLVMStructTypeInContext(map->env->context, element, n, LLVMIsPackedStruct(type)) : type;
}

static LLVMTypeRef map_function(struct kl_map *map, LLVMTypeRef type) {
  unsigned n = LLVMCountParamTypes(type);
  LLVMTypeRef *param = kl_new(map->env, n, LLVMTypeRef);
  LLVMGetParamTypes(type, param);
  for (unsigned i = 0; i < n; i++) param[i] = kiln_map_type(map, param[i]);
  return LLVMFunctionType(kiln_map_type(map, LLVMGetReturnType(type)), param, n, LLVMIsFunctionVarArg(type));
}

static LLVMTypeRef map_new_type(struct kl_map *map, LLVMTypeRef type) {
  switch (LLVMGetTypeKind(type)) {
  case LLVMPointerTypeKind:
    return map->ptr;
  case LLVMTargetExtTypeKind:
    return map_opaque(map, type);
  case LLVMStructTypeKind:
    return map_struct(map, type);
  case LLVMFunctionTypeKind:
    return map_function(map, type);
  case LLVMArrayTypeKind:
    return LLVMArrayType2(kiln_map_type(map, LLVMGetElementType(type)), LLVMGetArrayLength2(type));
  case LLVMVectorTypeKind:
    return LLVMVectorType(kiln_map_type(map, LLVMGetElementType(type)), LLVMGetVectorSize(type));
  case LLVMScalableVectorTypeKind:
    kiln_env_fail(map->env, "vectors of unknown length cannot be compiled");
  default:
    return type;
  }
}

LLVMTypeRef kiln_map_type(struct kl_map *map, LLVMTypeRef type) {
  uint64_t *known = kiln_table_find(&map->types, type);
  if (known != NULL) return (LLVMTypeRef)(uintptr_t)*known;
  LLVMTypeRef mapped = map_new_type(map, type);
  kiln_table_put(map->env, &map->types, type, (uint64_t)(uintptr_t)mapped);
  return mapped;
}

/* ---- constants ---- */

bool kiln_map_is_placed(LLVMValueRef variable) {
  unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(variable));
  if (space == KL_AS_LOCAL) return true;
  return (space == KL_AS_GLOBAL || space == KL_AS_CONSTANT) &&
         kiln_spmd_global_offset(variable) != UINT64_MAX;
}

bool kiln_map_is_moving(struct kl_map *map, LLVMValueRef c) {
  if (LLVMIsAGlobalVariable(c)) return kiln_map_is_placed(c);
  if (LLVMIsAGlobalValue(c) || !LLVMIsAConstant(c) || LLVMIsAConstantDataSequential(c)) return false;
  int n = LLVMGetNumOperands(c);
  if (n == 0) return false;
  uint64_t *known = kiln_table_find(&map->moving, c);
  if (known != NULL) return *known;
  bool moving = false;
  for (int i = 0; i < n && !moving; i++) moving = kiln_map_is_moving(map, LLVMGetOperand(c, (unsigned)i));
  kiln_table_put(map->env, &map->moving, c, moving);
  return moving;
}

LLVMValueRef kiln_map_declaration(struct kl_map *map, LLVMValueRef fn) {
  uint64_t *known = kiln_table_find(&map->globals, fn);
  if (known != NULL) return (LLVMValueRef)(uintptr_t)*known;
  LLVMTypeRef old = LLVMGlobalGetValueType(fn), type = kiln_map_type(map, old);
  LLVMValueRef made = fn;
  if (type != old) {
    /* An intrinsic's name spells its types, address spaces too: "llvm.memcpy.p1.p4.i64". */
    size_t len, n = 0;
    const char *name = LLVMGetValueName2(fn, &len);
    char *plain = kl_new(map->env, len + 1, char);
    bool intrinsic = strncmp(name, "llvm.", 5) == 0;
    for (size_t i = 0; i < len; i++) {
      plain[n++] = name[i];
      if (intrinsic && i + 2 < len && name[i] == '.' && name[i + 1] == 'p' && name[i + 2] > '0' &&
          name[i + 2] <= '9')
        plain[n++] = 'p', plain[n++] = '0', i += 2;
    }
    if (!intrinsic) LLVMSetValueName2(fn, "", 0);
    made = LLVMGetNamedFunction(map->env->module, plain);
    if (made == NULL) made = LLVMAddFunction(map->env->module, plain, type);
    if (!intrinsic) kiln_map_attributes(map, fn, made, LLVMCountParams(fn), false, 0);
  }
  kiln_table_put(map->env, &map->globals, fn, (uint64_t)(uintptr_t)made);
  return made;
}

static LLVMValueRef map_variable(struct kl_map *map, LLVMValueRef old) {
  uint64_t *known = kiln_table_find(&map->globals, old);
  if (known != NULL) return (LLVMValueRef)(uintptr_t)*known;
  LLVMTypeRef type = kiln_map_type(map, LLVMGlobalGetValueType(old));
  LLVMValueRef made = LLVMAddGlobalInAddressSpace(map->env->module, type, "constant", 0),
               init = LLVMGetInitializer(old);
  kiln_table_put(map->env, &map->globals, old,
                 (uint64_t)(uintptr_t)made); /* before: it may point to itself */
  if (init == NULL) {
    size_t len;
    kiln_env_fail(map->env, "the program-scope variable '%s' is not defined", LLVMGetValueName2(old, &len));
  }
  LLVMSetGlobalConstant(made, LLVMIsGlobalConstant(old));
  LLVMSetUnnamedAddress(made, LLVMGetUnnamedAddress(old));
  LLVMSetLinkage(made, LLVMInternalLinkage);
  unsigned align = LLVMGetAlignment(old);
  LLVMSetAlignment(made, align != 0 ? align : kiln_map_align(map, type));
  LLVMSetInitializer(made, kiln_map_constant(map, init));
  return made;
}

static LLVMValueRef map_aggregate(struct kl_map *map, LLVMValueRef c, LLVMTypeRef type) {
  unsigned n = (unsigned)LLVMGetNumOperands(c);
  LLVMValueRef *part = kl_new(map->env, n, LLVMValueRef);
  for (unsigned i = 0; i < n; i++) part[i] = kiln_map_constant(map, LLVMGetOperand(c, i));
  if (LLVMIsAConstantArray(c)) return LLVMConstArray2(LLVMGetElementType(type), part, n);
  if (LLVMIsAConstantVector(c)) return LLVMConstVector(part, n);
  const char *name = LLVMGetStructName(type);
  if (name != NULL) return LLVMConstNamedStruct(type, part, n);
  return LLVMConstStructInContext(map->env->context, part, n, LLVMIsPackedStruct(type));
}

static LLVMValueRef map_gep(struct kl_map *map, LLVMValueRef c) {
  unsigned n = (unsigned)LLVMGetNumOperands(c);
  LLVMValueRef *index = kl_new(map->env, n, LLVMValueRef);
  for (unsigned i = 0; i < n; i++) index[i] = kiln_map_constant(map, LLVMGetOperand(c, i));
  return LLVMConstGEPWithNoWrapFlags(kiln_map_type(map, LLVMGetGEPSourceElementType(c)), index[0], index + 1,
                                     n - 1, LLVMGEPGetNoWrapFlags(c));
}

LLVMValueRef kiln_map_shuffle_mask(struct kl_map *map, LLVMValueRef shuffle) {
  unsigned n = LLVMGetNumMaskElements(shuffle);
  LLVMValueRef *mask = kl_new(map->env, n, LLVMValueRef);
  for (unsigned k = 0; k < n; k++) {
    int from = LLVMGetMaskValue(shuffle, k);
    mask[k] = from == LLVMGetUndefMaskElem() ? LLVMGetPoison(map->i32)
                                             : LLVMConstInt(map->i32, (uint64_t)from, false);
  }
  return LLVMConstVector(mask, n);
}

static LLVMValueRef map_expression(struct kl_map *map, LLVMValueRef c, LLVMTypeRef type) {
  LLVMOpcode op = LLVMGetConstOpcode(c);
  if (op == LLVMGetElementPtr) return map_gep(map, c);
  LLVMValueRef a = kiln_map_constant(map, LLVMGetOperand(c, 0));
  if (op == LLVMAddrSpaceCast) return a;
  LLVMValueRef b = LLVMGetNumOperands(c) > 1 ? kiln_map_constant(map, LLVMGetOperand(c, 1)) : NULL;
  LLVMValueRef third = LLVMGetNumOperands(c) > 2 ? kiln_map_constant(map, LLVMGetOperand(c, 2)) : NULL;
  switch (op) {
  case LLVMBitCast:
    return LLVMConstBitCast(a, type);
  case LLVMPtrToInt:
    return LLVMConstPtrToInt(a, type);
  case LLVMIntToPtr:
    return LLVMConstIntToPtr(a, type);
  case LLVMTrunc:
    return LLVMConstTrunc(a, type);
  case LLVMAdd:
    return LLVMConstAdd(a, b);
  case LLVMSub:
    return LLVMConstSub(a, b);
  case LLVMMul:
    return LLVMConstMul(a, b);
  case LLVMXor:
    return LLVMConstXor(a, b);
  case LLVMExtractElement:
    return LLVMConstExtractElement(a, b);
  case LLVMInsertElement:
    return LLVMConstInsertElement(a, b, third);
  case LLVMShuffleVector:
    return LLVMConstShuffleVector(a, b, kiln_map_shuffle_mask(map, c));
  default:
    kiln_env_fail(map->env, "a constant of an unknown kind (operation %u)", (unsigned)op);
  }
}

LLVMValueRef kiln_map_constant(struct kl_map *map, LLVMValueRef c) {
  if (LLVMIsAConstantInt(c) || LLVMIsAConstantFP(c) || LLVMIsAConstantDataSequential(c)) return c;
  if (LLVMGetValueKind(c) == LLVMMetadataAsValueValueKind || LLVMIsAInlineAsm(c)) return c;
  if (LLVMIsAGlobalVariable(c)) return map_variable(map, c);
  if (LLVMIsAFunction(c)) return kiln_map_declaration(map, c);
  LLVMTypeRef type = kiln_map_type(map, LLVMTypeOf(c));
  if (LLVMIsPoison(c)) return LLVMGetPoison(type);
  if (LLVMIsUndef(c)) return LLVMGetUndef(type);
  if (LLVMIsNull(c)) return LLVMConstNull(type);
  if (LLVMIsAConstantArray(c) || LLVMIsAConstantStruct(c) || LLVMIsAConstantVector(c))
    return map_aggregate(map, c, type);
  if (LLVMIsAConstantExpr(c)) return map_expression(map, c, type);
  kiln_env_fail(map->env, "a constant of an unknown kind");
}

/* ---- attributes ---- */

static bool is_dropped(LLVMAttributeRef a, unsigned index, bool drop_memory) {
  static const char *const texts[] = {"uniform-work-group-size", "stack-protector-buffer-size"};
  static const char *const kinds[] = {"convergent", "noduplicate", "alwaysinline"};
  unsigned len;
  if (LLVMIsStringAttribute(a)) {
    const char *text = LLVMGetStringAttributeKind(a, &len);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
      if (len == strlen(texts[i]) && memcmp(text, texts[i], len) == 0) return true;
    return false;
  }
  if (index != (unsigned)LLVMAttributeFunctionIndex) return false;
  unsigned kind = LLVMGetEnumAttributeKind(a);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (kind == LLVMGetEnumAttributeKindForName(kinds[i], strlen(kinds[i]))) return true;
  return drop_memory && (kind == LLVMGetEnumAttributeKindForName("memory", 6) ||
                         kind == LLVMGetEnumAttributeKindForName("speculatable", 12));
}

static void copy_attributes(struct kl_map *map, LLVMValueRef from, LLVMValueRef to, unsigned index,
                            unsigned to_index, bool drop_memory) {
  bool from_call = LLVMIsACallInst(from) != NULL, to_call = LLVMIsACallInst(to) != NULL;
  unsigned n =
      from_call ? LLVMGetCallSiteAttributeCount(from, index) : LLVMGetAttributeCountAtIndex(from, index);
  if (n == 0) return;
  LLVMAttributeRef *at = kl_new(map->env, n, LLVMAttributeRef);
  if (from_call) LLVMGetCallSiteAttributes(from, index, at);
  else LLVMGetAttributesAtIndex(from, index, at);
  for (unsigned i = 0; i < n; i++) {
    if (is_dropped(at[i], index, drop_memory)) continue;
    LLVMAttributeRef a = at[i];
    if (LLVMIsTypeAttribute(a))
      a = LLVMCreateTypeAttribute(map->env->context, LLVMGetEnumAttributeKind(a),
                                  kiln_map_type(map, LLVMGetTypeAttributeValue(a)));
    if (to_call) LLVMAddCallSiteAttribute(to, to_index, a);
    else LLVMAddAttributeAtIndex(to, to_index, a);
  }
}

void kiln_map_function_attributes(struct kl_map *map, LLVMValueRef from, LLVMValueRef to, bool drop_memory) {
  copy_attributes(map, from, to, (unsigned)LLVMAttributeFunctionIndex, (unsigned)LLVMAttributeFunctionIndex,
                  drop_memory);
}

void kiln_map_attributes(struct kl_map *map, LLVMValueRef from, LLVMValueRef to, unsigned nparam,
                         bool drop_memory, unsigned shift) {
  kiln_map_function_attributes(map, from, to, drop_memory);
  copy_attributes(map, from, to, LLVMAttributeReturnIndex, LLVMAttributeReturnIndex, drop_memory);
  for (unsigned i = 1; i <= nparam; i++) copy_attributes(map, from, to, i, i + shift, drop_memory);
}
