/* Program-scope variables: their places in one block, and the block's initial contents. See workgroup.h. */
#include "base/alloc.h"
#include "compiler/spmd/map.h"
#include "compiler/spmd/workgroup.h"
#include "compiler/value.h"

#include <string.h>

#define OFFSET_NAME "kiln.offset"

/* ---- places, as metadata: { i64 offset } ---- */

static unsigned offset_kind(LLVMValueRef variable) {
  LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(variable));
  return LLVMGetMDKindIDInContext(context, OFFSET_NAME, strlen(OFFSET_NAME));
}

uint64_t kiln_spmd_global_offset(LLVMValueRef variable) {
  size_t n;
  LLVMValueMetadataEntry *entry = LLVMGlobalCopyAllMetadata(variable, &n);
  LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(variable));
  unsigned kind = offset_kind(variable);
  uint64_t offset = UINT64_MAX;
  for (unsigned i = 0; i < n; i++) {
    if (LLVMValueMetadataEntriesGetKind(entry, i) != kind) continue;
    LLVMValueRef operand, node = LLVMMetadataAsValue(context, LLVMValueMetadataEntriesGetMetadata(entry, i));
    if (LLVMGetMDNodeNumOperands(node) != 1) continue;
    LLVMGetMDNodeOperands(node, &operand);
    if (operand != NULL && LLVMIsAConstantInt(operand)) offset = LLVMConstIntGetZExtValue(operand);
  }
  LLVMDisposeValueMetadataEntries(entry);
  return offset;
}

static void set_offset(LLVMValueRef variable, uint64_t offset) {
  LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(variable));
  LLVMMetadataRef value = LLVMValueAsMetadata(LLVMConstInt(LLVMInt64TypeInContext(context), offset, false));
  LLVMGlobalSetMetadata(variable, offset_kind(variable), LLVMMDNodeInContext2(context, &value, 1));
}

struct block {
  struct kl_env *env;
  uint64_t size, align;
  struct kl_table places; /* variable to its offset */
  uint8_t *bytes;
  uint64_t used; /* bytes up to the last that is not zero */
  struct kiln_fixup *fixups;
  uint32_t nfixup, cap;
};

static const char *name_of(LLVMValueRef v) {
  size_t len;
  return LLVMGetValueName2(v, &len);
}

static unsigned space_of(LLVMValueRef v) { return LLVMGetPointerAddressSpace(LLVMTypeOf(v)); }

static void place(struct block *b, LLVMValueRef v) {
  if (kiln_table_find(&b->places, v) != NULL) return;
  LLVMTypeRef type = LLVMGlobalGetValueType(v);
  uint64_t align = LLVMGetAlignment(v), own = LLVMABIAlignmentOfType(b->env->layout, type);
  if (align < own) align = own;
  b->size = (b->size + align - 1) & ~(align - 1);
  kiln_table_put(b->env, &b->places, v, b->size);
  set_offset(v, b->size);
  b->size += LLVMABISizeOfType(b->env->layout, type);
  if (b->size > (uint64_t)1 << 40) kiln_env_fail(b->env, "the program-scope variables are too large");
  if (b->align < align) b->align = align;
}

/* ---- which __constant variables need a place ---- */

/* Places the __constant variables that c names. */
static void place_named(struct block *b, LLVMValueRef c) {
  if (LLVMIsAGlobalVariable(c)) {
    if (space_of(c) != KL_AS_CONSTANT || kiln_table_find(&b->places, c) != NULL) return;
    place(b, c);
    if (!LLVMIsDeclaration(c)) place_named(b, LLVMGetInitializer(c));
    return;
  }
  if (LLVMIsAGlobalValue(c) || LLVMIsAConstantDataSequential(c)) return;
  for (int i = 0, n = LLVMGetNumOperands(c); i < n; i++) place_named(b, LLVMGetOperand(c, (unsigned)i));
}

static bool names_placed(struct block *b, LLVMValueRef c) {
  if (LLVMIsAGlobalVariable(c)) return kiln_table_find(&b->places, c) != NULL;
  if (LLVMIsAGlobalValue(c) || LLVMIsAConstantDataSequential(c)) return false;
  for (int i = 0, n = LLVMGetNumOperands(c); i < n; i++)
    if (names_placed(b, LLVMGetOperand(c, (unsigned)i))) return true;
  return false;
}

/* One round; false when there was nothing to do. */
static bool place_dependents(struct block *b) {
  bool placed = false;
  for (LLVMValueRef v = LLVMGetFirstGlobal(b->env->module); v != NULL; v = LLVMGetNextGlobal(v)) {
    if (space_of(v) != KL_AS_CONSTANT || LLVMIsDeclaration(v) || kiln_table_find(&b->places, v) != NULL)
      continue;
    if (!names_placed(b, LLVMGetInitializer(v))) continue;
    place(b, v);
    place_named(b, LLVMGetInitializer(v));
    placed = true;
  }
  return placed;
}

static void place_all(struct block *b) {
  for (LLVMValueRef v = LLVMGetFirstGlobal(b->env->module); v != NULL; v = LLVMGetNextGlobal(v)) {
    bool ours = space_of(v) == KL_AS_GLOBAL || space_of(v) == KL_AS_CONSTANT;
    if (ours && LLVMIsDeclaration(v) && LLVMGetFirstUse(v) != NULL)
      kiln_env_fail(b->env, "unresolved variable: '%s' is used but not defined", name_of(v));
    if (space_of(v) != KL_AS_GLOBAL || LLVMIsDeclaration(v)) continue;
    place(b, v);
    place_named(b, LLVMGetInitializer(v));
  }
  while (b->size != 0 && place_dependents(b)) continue;
}

/* ---- contents ---- */

static void put(struct block *b, uint64_t at, uint64_t value, uint64_t size) {
  memcpy(b->bytes + at, &value, size);
  if (value != 0 && b->used < at + size) b->used = at + size;
}

static void put_fixup(struct block *b, uint64_t at, uint64_t to) {
  if (b->nfixup == b->cap) {
    uint32_t cap = b->cap == 0 ? 16 : 2 * b->cap;
    struct kiln_fixup *bigger = kl_new(b->env, cap, struct kiln_fixup);
    if (b->nfixup != 0) memcpy(bigger, b->fixups, b->nfixup * sizeof *bigger);
    b->fixups = bigger;
    b->cap = cap;
  }
  b->fixups[b->nfixup++] = (struct kiln_fixup){at, to};
  if (b->used < at + 8) b->used = at + 8;
}

/* c as the address of a variable and a number, or as a number alone (NULL). */
static LLVMValueRef resolve(struct block *b, LLVMValueRef c, uint64_t *addend) {
  *addend = 0;
  while (!LLVMIsAGlobalVariable(c)) {
    if (LLVMIsAConstantInt(c)) {
      *addend += LLVMConstIntGetZExtValue(c);
      return NULL;
    }
    if (LLVMIsNull(c)) return NULL;
    if (!LLVMIsAConstantExpr(c)) kiln_env_fail(b->env, "an initialiser of an unknown kind");
    LLVMOpcode op = LLVMGetConstOpcode(c);
    LLVMValueRef second = LLVMGetNumOperands(c) > 1 ? LLVMGetOperand(c, 1) : NULL;
    int64_t bytes;
    if (op == LLVMGetElementPtr && kiln_gep_offset(b->env->layout, c, &bytes)) *addend += (uint64_t)bytes;
    else if (op == LLVMAdd && LLVMIsAConstantInt(second)) *addend += LLVMConstIntGetZExtValue(second);
    else if (op == LLVMSub && LLVMIsAConstantInt(second)) *addend -= LLVMConstIntGetZExtValue(second);
    else if (op != LLVMAddrSpaceCast && op != LLVMBitCast && op != LLVMPtrToInt && op != LLVMIntToPtr)
      kiln_env_fail(b->env, "an initialiser that cannot be computed before the program runs");
    c = LLVMGetOperand(c, 0);
  }
  return c;
}

static void put_address(struct block *b, LLVMValueRef c, uint64_t at) {
  uint64_t addend;
  LLVMValueRef variable = resolve(b, c, &addend);
  if (variable == NULL) {
    put(b, at, addend, 8);
    return;
  }
  uint64_t *offset = kiln_table_find(&b->places, variable);
  if (offset == NULL) kiln_env_fail(b->env, "an initialiser holds the address of '%s'", name_of(variable));
  put_fixup(b, at, *offset + addend);
}

static void put_constant(struct block *b, LLVMValueRef c, uint64_t at);

static void put_elements(struct block *b, LLVMValueRef c, uint64_t at) {
  LLVMTypeRef type = LLVMTypeOf(c);
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  bool is_struct = kind == LLVMStructTypeKind;
  uint64_t n = is_struct                   ? LLVMCountStructElementTypes(type)
               : kind == LLVMArrayTypeKind ? LLVMGetArrayLength2(type)
                                           : LLVMGetVectorSize(type);
  uint64_t step = is_struct ? 0 : LLVMABISizeOfType(b->env->layout, LLVMGetElementType(type));
  for (uint64_t i = 0; i < n; i++) {
    uint64_t offset = is_struct ? LLVMOffsetOfElement(b->env->layout, type, (unsigned)i) : i * step;
    put_constant(b, LLVMGetAggregateElement(c, (unsigned)i), at + offset);
  }
}

/* The block starts as zeros. */
static void put_constant(struct block *b, LLVMValueRef c, uint64_t at) {
  LLVMTypeRef type = LLVMTypeOf(c);
  uint64_t size = LLVMStoreSizeOfType(b->env->layout, type);
  if (LLVMIsNull(c) || LLVMIsUndef(c)) return;
  switch (LLVMGetTypeKind(type)) {
  case LLVMIntegerTypeKind:
    if (LLVMIsAConstantInt(c)) put(b, at, LLVMConstIntGetZExtValue(c), size);
    else put_address(b, c, at);
    break;
  case LLVMHalfTypeKind:
  case LLVMFloatTypeKind:
  case LLVMDoubleTypeKind:
    c = LLVMConstBitCast(c, LLVMIntTypeInContext(b->env->context, (unsigned)(8 * size)));
    put(b, at, LLVMConstIntGetZExtValue(c), size);
    break;
  case LLVMStructTypeKind:
  case LLVMArrayTypeKind:
  case LLVMVectorTypeKind:
    put_elements(b, c, at);
    break;
  default:
    put_address(b, c, at);
  }
}

static void fill(struct block *b) {
  b->bytes = kl_new(b->env, b->size, uint8_t);
  for (LLVMValueRef v = LLVMGetFirstGlobal(b->env->module); v != NULL; v = LLVMGetNextGlobal(v)) {
    uint64_t *at = kiln_table_find(&b->places, v);
    if (at != NULL) put_constant(b, LLVMGetInitializer(v), *at);
  }
}

/* ---- the result ---- */

static bool copy_out(const struct block *b, struct kiln_globals *out) {
  out->size = b->size;
  out->align = (uint32_t)b->align;
  out->bytes = kiln_alloc(b->used + 1);
  out->fixups = kiln_alloc((b->nfixup + 1) * sizeof *out->fixups);
  if (out->bytes == NULL || out->fixups == NULL) return false; /* the image frees them */
  memcpy(out->bytes, b->bytes, b->used);
  if (b->nfixup != 0) memcpy(out->fixups, b->fixups, b->nfixup * sizeof *out->fixups);
  out->num_bytes = b->used;
  out->num_fixups = b->nfixup;
  return true;
}

bool kiln_spmd_place_globals(LLVMModuleRef module, struct kiln_globals *globals_out, char **error_out) {
  struct kl_env env = {0};
  struct block b = {.env = &env, .align = 1};
  env.arena.no_memory = &env.fail;
  *globals_out = (struct kiln_globals){0};
  if (setjmp(env.fail) != 0) return kiln_env_finish(&env, false, error_out);
  kiln_env_start(&env, module);
  place_all(&b);
  fill(&b);
  return kiln_env_finish(&env, copy_out(&b, globals_out), error_out);
}
