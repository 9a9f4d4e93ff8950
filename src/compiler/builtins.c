/* The builtin library: lookup, vector calls, linking. See builtins.h.
 *
 * One pass over the module's functions finds the undefined ones. A vector
 * builtin that has no blob is replaced at each call: by the operations of its
 * scalar form on whole vectors where these are straight code of element-wise
 * ones, else by calls of its scalar form on the components; the scalar
 * declarations are appended to the module and so are met later in the same pass.
 * Then all blobs needed, with the blobs that those depend on, are parsed and
 * linked. */
#include "compiler/builtins.h"

#include "base/alloc.h"
#include "builtins/pack/format.h"
#include "compiler/elementwise.h"
#include "compiler/mangle.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>
#include <stdlib.h>
#include <string.h>

/* From builtins_data.S. */
extern const uint8_t kiln_builtins_data[];
extern const char kiln_builtins_header_text[], kiln_builtins_header_end[];

/* ---- the library file ---- */

static const struct kiln_pack_header *library(void) {
  return (const struct kiln_pack_header *)(const void *)kiln_builtins_data;
}

static const struct kiln_pack_entry *entries(void) {
  return (const struct kiln_pack_entry *)(const void *)(kiln_builtins_data + sizeof(struct kiln_pack_header));
}

static const char *entry_name(uint32_t i) { return (const char *)kiln_builtins_data + entries()[i].name; }

static const uint32_t *entry_deps(uint32_t i) {
  return (const uint32_t *)(const void *)(kiln_builtins_data + library()->deps) + entries()[i].first_dep;
}

/* Index of a name, or count when absent. */
static uint32_t find_entry(const char *name) {
  uint32_t low = 0, high = library()->count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    int order = strcmp(entry_name(middle), name);
    if (order == 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return library()->count;
}

size_t kiln_builtins_count(void) { return library()->count; }
const char *kiln_builtins_name(size_t i) { return entry_name((uint32_t)i); }
uint64_t kiln_builtins_hash(void) { return library()->hash; }

const char *kiln_builtins_extra_header(size_t *size_out) {
  *size_out = (size_t)(kiln_builtins_header_end - kiln_builtins_header_text) - 1;
  return kiln_builtins_header_text;
}

/* ---- names with a rule of their own ---- */

static bool name_is(const char *name, size_t len, const char *other) {
  return strlen(other) == len && memcmp(name, other, len) == 0;
}

static bool name_in(const char *name, size_t len, const char *const *list) {
  for (; *list != NULL; list++)
    if (name_is(name, len, *list)) return true;
  return false;
}

static bool name_starts(const char *name, size_t len, const char *prefix) {
  size_t n = strlen(prefix);
  return len >= n && memcmp(name, prefix, n) == 0;
}

bool kiln_builtin_is_lowered(const char *mangled) {
  static const char *const names[] = {"get_work_dim",
                                      "get_global_size",
                                      "get_global_id",
                                      "get_local_size",
                                      "get_local_id",
                                      "get_enqueued_local_size",
                                      "get_num_groups",
                                      "get_group_id",
                                      "get_global_offset",
                                      "get_global_linear_id",
                                      "get_local_linear_id",
                                      "barrier",
                                      "printf",
                                      "get_num_sub_groups",
                                      "get_max_sub_group_size",
                                      "get_enqueued_num_sub_groups",
                                      "__to_global",
                                      "__to_local",
                                      "__to_private",
                                      "get_fence",
                                      "__translate_sampler_initializer",
                                      NULL};
  size_t len;
  const char *name = kiln_mangle_source_name(mangled, &len);
  if (name_starts(name, len, "__kiln_")) return true;
  return name_starts(name, len, "work_group_") || name_starts(name, len, "sub_group_") ||
         name_starts(name, len, "get_sub_group_") || name_in(name, len, names);
}

bool kiln_builtin_is_collective(const char *mangled) {
  size_t len;
  const char *name = kiln_mangle_source_name(mangled, &len);
  return name_starts(name, len, "work_group_") || name_starts(name, len, "sub_group_") ||
         name_in(name, len, (const char *const[]){"barrier", NULL});
}

/* Vector forms whose components are -1 for true where the scalar gives 1. */
static bool is_relational(const char *name, size_t len) {
  static const char *const names[] = {
      "isequal",     "isnotequal",    "isgreater",   "isgreaterequal", "isless",
      "islessequal", "islessgreater", "isfinite",    "isinf",          "isnan",
      "isnormal",    "isordered",     "isunordered", "signbit",        NULL};
  return name_in(name, len, names);
}

/* convert_float4_rte is convert_float_rte by components. Returns the length. */
static size_t scalar_name(const char *name, size_t len, char *out) {
  size_t n = 0;
  bool drop = name_starts(name, len, "convert_");
  for (size_t i = 0; i < len; i++)
    if (!drop || name[i] < '0' || name[i] > '9') out[n++] = name[i];
  return n;
}

/* The library's scalar function for a vector builtin; count when there is none. */
static uint32_t find_scalar(const struct kiln_mangled *m) {
  char name[KILN_MANGLE_MAX_NAME], mangled[KILN_MANGLE_MAX_NAME];
  if (kiln_mangle_lanes(m) == 0 || m->name_len >= sizeof name) return library()->count;
  size_t len = scalar_name(m->name, m->name_len, name);
  if (kiln_mangle_write(m, name, len, true, mangled, sizeof mangled) == 0) return library()->count;
  return find_entry(mangled);
}

/* ---- forms for relaxed mathematics ---- */

/* What precedes a function's name in that of its form, and what a call must allow: clang tells by the flags
 * of calls what a program was built with, so programs of different options may be linked. */
static const struct {
  const char *prefix;
  LLVMFastMathFlags allowed;
} forms[] = {{"__kiln_finite_", LLVMFastMathApproxFunc | LLVMFastMathNoNaNs | LLVMFastMathNoInfs},
             {"__kiln_relaxed_", LLVMFastMathApproxFunc}};

static LLVMFastMathFlags flags_of(LLVMValueRef call) {
  return LLVMCanValueUseFastMathFlags(call) ? LLVMGetFastMathFlags(call) : LLVMFastMathNone;
}

/* The scalar function that a call of m gets, whose usual form is the entry. */
static uint32_t find_form(const struct kiln_mangled *m, uint32_t entry, LLVMFastMathFlags flags) {
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    if ((flags & forms[i].allowed) != forms[i].allowed) continue;
    char name[KILN_MANGLE_MAX_NAME], mangled[KILN_MANGLE_MAX_NAME];
    size_t length = strlen(forms[i].prefix);
    if (length + m->name_len > sizeof name) continue;
    memcpy(name, forms[i].prefix, length);
    memcpy(name + length, m->name, m->name_len);
    if (kiln_mangle_write(m, name, length + m->name_len, true, mangled, sizeof mangled) == 0) continue;
    uint32_t form = find_entry(mangled);
    if (form < library()->count) return form;
  }
  return entry;
}

bool kiln_builtin_exists(const char *name) {
  struct kiln_mangled m;
  uint32_t count = library()->count;
  return find_entry(name) < count || (kiln_mangle_parse(name, &m) && find_scalar(&m) < count);
}

/* ---- one run ---- */

enum { MAX_ATTRIBUTES = 64 }; /* of a function or a parameter; the packer sees to it */

struct linker {
  LLVMModuleRef module;
  LLVMBuilderRef builder;
  uint32_t *needed; /* entries to link, in order of discovery */
  uint32_t count;
  uint8_t *marked;      /* per entry: already in needed */
  LLVMModuleRef *blobs; /* per entry: parsed to look at it, not yet moved */
  LLVMValueRef *calls;  /* scalar calls made while splitting */
  size_t ncalls, calls_cap;
};

static void need(struct linker *l, uint32_t entry) {
  if (l->marked[entry]) return;
  l->marked[entry] = 1;
  l->needed[l->count++] = entry;
}

static bool remember_call(struct linker *l, LLVMValueRef call) {
  if (l->ncalls == l->calls_cap) {
    size_t cap = l->calls_cap ? 2 * l->calls_cap : 64;
    LLVMValueRef *calls = kiln_realloc(l->calls, cap * sizeof *calls);
    if (calls == NULL) return false;
    l->calls = calls;
    l->calls_cap = cap;
  }
  l->calls[l->ncalls++] = call;
  return true;
}

/* ---- vector calls ---- */

static LLVMModuleRef parse_entry(const struct linker *l, uint32_t e) {
  const char *start = (const char *)kiln_builtins_data + entries()[e].blob;
  LLVMMemoryBufferRef bytes =
      LLVMCreateMemoryBufferWithMemoryRange(start, entries()[e].blob_size, "builtin", false);
  LLVMModuleRef blob;
  bool failed = LLVMParseBitcodeInContext2(LLVMGetModuleContext(l->module), bytes, &blob);
  LLVMDisposeMemoryBuffer(bytes);
  return failed ? NULL : blob;
}

struct split {
  struct kiln_mangled mangled;
  LLVMTypeRef type;    /* of the scalar function */
  LLVMTypeRef element; /* of the vector result; NULL for void */
  uint32_t entry;      /* of the scalar function's usual form */
  unsigned lanes;
  bool relational;
  LLVMTypeRef pointee[KILN_MANGLE_MAX_PARAMS]; /* element of a pointer to vector, else NULL */
};

static bool is_vector(LLVMTypeRef type) { return LLVMGetTypeKind(type) == LLVMVectorTypeKind; }

static LLVMTypeRef element_or_self(LLVMTypeRef type) {
  return is_vector(type) ? LLVMGetElementType(type) : type;
}

/* LLVM's type of a scalar by its mangled letters. */
static LLVMTypeRef scalar_type(LLVMContextRef c, const char *code) {
  switch (code[0]) {
  case 'D':
    return LLVMHalfTypeInContext(c);
  case 'f':
    return LLVMFloatTypeInContext(c);
  case 'd':
    return LLVMDoubleTypeInContext(c);
  case 'c':
  case 'a':
  case 'h':
    return LLVMInt8TypeInContext(c);
  case 's':
  case 't':
    return LLVMInt16TypeInContext(c);
  case 'i':
  case 'j':
    return LLVMInt32TypeInContext(c);
  default:
    return LLVMInt64TypeInContext(c);
  }
}

/* Element type behind a pointer parameter to a vector, else NULL. */
static LLVMTypeRef vector_pointee(LLVMContextRef c, const struct kiln_mangled *m, unsigned param) {
  const struct kiln_type *t = &m->nodes[m->params[param]];
  if (t->kind != KILN_TYPE_POINTER) return NULL;
  while (t->kind == KILN_TYPE_POINTER || t->kind == KILN_TYPE_QUALIFIED) t = &m->nodes[t->base];
  return t->kind == KILN_TYPE_VECTOR ? scalar_type(c, m->nodes[t->base].code) : NULL;
}

/* The function of an entry, to be linked. */
static LLVMValueRef declare(struct linker *l, uint32_t entry, LLVMTypeRef type) {
  need(l, entry);
  LLVMValueRef function = LLVMGetNamedFunction(l->module, entry_name(entry));
  if (function != NULL) return function;
  function = LLVMAddFunction(l->module, entry_name(entry), type);
  LLVMSetFunctionCallConv(function, LLVMSPIRFUNCCallConv);
  return function;
}

static void split_prepare(struct linker *l, struct split *s, LLVMValueRef vector_function) {
  LLVMContextRef c = LLVMGetModuleContext(l->module);
  LLVMTypeRef type = LLVMGlobalGetValueType(vector_function), params[KILN_MANGLE_MAX_PARAMS];
  LLVMTypeRef result = LLVMGetReturnType(type);
  unsigned n = LLVMCountParamTypes(type);
  LLVMGetParamTypes(type, params);
  for (unsigned i = 0; i < n; i++) {
    params[i] = element_or_self(params[i]);
    s->pointee[i] = vector_pointee(c, &s->mangled, i);
  }
  s->lanes = kiln_mangle_lanes(&s->mangled);
  s->relational = is_relational(s->mangled.name, s->mangled.name_len);
  s->element = is_vector(result) ? LLVMGetElementType(result) : NULL;
  result = s->relational ? LLVMInt32TypeInContext(c) : element_or_self(result);
  s->type = LLVMFunctionType(result, params, n, false);
}

/* Component i of an operand: of a vector its element, of a pointer to a vector that element's address. */
static LLVMValueRef component(struct linker *l, const struct split *s, LLVMValueRef call, unsigned param,
                              unsigned i) {
  LLVMValueRef operand = LLVMGetOperand(call, param);
  LLVMValueRef index = LLVMConstInt(LLVMInt32TypeInContext(LLVMGetModuleContext(l->module)), i, false);
  if (is_vector(LLVMTypeOf(operand))) return LLVMBuildExtractElement(l->builder, operand, index, "");
  if (s->pointee[param] == NULL) return operand;
  return LLVMBuildInBoundsGEP2(l->builder, s->pointee[param], operand, &index, 1, "");
}

static LLVMValueRef call_component(struct linker *l, const struct split *s, LLVMValueRef call,
                                   LLVMValueRef function, unsigned i) {
  LLVMValueRef args[KILN_MANGLE_MAX_PARAMS];
  unsigned n = LLVMGetNumArgOperands(call);
  for (unsigned k = 0; k < n; k++) args[k] = component(l, s, call, k, i);
  LLVMValueRef value = LLVMBuildCall2(l->builder, s->type, function, args, n, "");
  LLVMSetInstructionCallConv(value, LLVMSPIRFUNCCallConv);
  if (!remember_call(l, value)) return NULL;
  if (!s->relational) return value;
  LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(value));
  value = LLVMBuildICmp(l->builder, LLVMIntNE, value, zero, "");
  return LLVMBuildSExt(l->builder, value, s->element, "");
}

/* Replaces a call by calls by components. False when memory is short. */
static bool split_call(struct linker *l, const struct split *s, LLVMValueRef call, uint32_t entry) {
  LLVMTypeRef index_type = LLVMInt32TypeInContext(LLVMGetModuleContext(l->module));
  LLVMValueRef result = s->element ? LLVMGetPoison(LLVMTypeOf(call)) : NULL;
  LLVMValueRef function = declare(l, entry, s->type);
  for (unsigned i = 0; i < s->lanes; i++) {
    LLVMValueRef value = call_component(l, s, call, function, i);
    if (value == NULL) return false;
    if (result == NULL) continue;
    result = LLVMBuildInsertElement(l->builder, result, value, LLVMConstInt(index_type, i, false), "");
  }
  if (result != NULL) LLVMReplaceAllUsesWith(call, result);
  LLVMInstructionEraseFromParent(call);
  return true;
}

/* The function of an entry, to be looked at; NULL without memory. */
static LLVMValueRef body_of(struct linker *l, uint32_t entry) {
  if (l->blobs[entry] == NULL) l->blobs[entry] = parse_entry(l, entry);
  return l->blobs[entry] == NULL ? NULL : LLVMGetNamedFunction(l->blobs[entry], entry_name(entry));
}

/* The caller's own operations say by flags what they allow; what its attributes allow to all of them would
 * undo sums that the library's functions round by. Inlining takes them away as well. */
static void forbid_liberties(LLVMValueRef function) {
  static const char *const names[] = {"unsafe-fp-math", "no-infs-fp-math", "no-nans-fp-math",
                                      "no-signed-zeros-fp-math", "approx-func-fp-math"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    LLVMRemoveStringAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, names[i],
                                     (unsigned)strlen(names[i]));
}

/* Replaces a call by operations on whole vectors. */
static void widen_call(struct linker *l, const struct split *s, LLVMValueRef call, LLVMValueRef body) {
  LLVMValueRef args[KILN_MANGLE_MAX_PARAMS];
  for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) args[i] = LLVMGetOperand(call, i);
  forbid_liberties(LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)));
  LLVMValueRef result = kiln_elementwise_build(l->builder, body, args, s->lanes);
  if (s->relational) {
    result = LLVMBuildICmp(l->builder, LLVMIntNE, result, LLVMConstNull(LLVMTypeOf(result)), "");
    result = LLVMBuildSExt(l->builder, result, LLVMTypeOf(call), "");
  }
  LLVMReplaceAllUsesWith(call, result);
  LLVMInstructionEraseFromParent(call);
}

/* Replaces one call. False when memory is short. */
static bool replace_call(struct linker *l, const struct split *s, LLVMValueRef call) {
  uint32_t entry = find_form(&s->mangled, s->entry, flags_of(call));
  LLVMValueRef body = body_of(l, entry);
  if (body == NULL) return false;
  LLVMPositionBuilderBefore(l->builder, call);
  LLVMSetCurrentDebugLocation2(l->builder, LLVMInstructionGetDebugLoc(call));
  if (s->element == NULL || !kiln_elementwise_is_straight(body)) return split_call(l, s, call, entry);
  widen_call(l, s, call, body);
  return true;
}

/* Vector select looks at the top bit of each component, scalar select at the whole. */
static bool split_select(struct linker *l, LLVMValueRef call) {
  LLVMPositionBuilderBefore(l->builder, call);
  LLVMSetCurrentDebugLocation2(l->builder, LLVMInstructionGetDebugLoc(call));
  LLVMValueRef a = LLVMGetOperand(call, 0), b = LLVMGetOperand(call, 1), c = LLVMGetOperand(call, 2);
  LLVMValueRef top = LLVMBuildICmp(l->builder, LLVMIntSLT, c, LLVMConstNull(LLVMTypeOf(c)), "");
  LLVMReplaceAllUsesWith(call, LLVMBuildSelect(l->builder, top, b, a, ""));
  LLVMInstructionEraseFromParent(call);
  return true;
}

/* Replaces every call of a vector builtin whose scalar form is the entry. */
static bool split_function(struct linker *l, LLVMValueRef function, const struct kiln_mangled *m,
                           uint32_t entry) {
  struct split s = {.mangled = *m, .entry = entry};
  bool select = name_is(m->name, m->name_len, "select");
  if (!select) split_prepare(l, &s, function);
  for (LLVMUseRef use = LLVMGetFirstUse(function); use != NULL; use = LLVMGetFirstUse(function)) {
    LLVMValueRef call = LLVMGetUser(use);
    if (!(select ? split_select(l, call) : replace_call(l, &s, call))) return false;
  }
  return true;
}

/* ---- finding and linking ---- */

static bool report_missing(const char *name, char **missing_out) {
  size_t len;
  const char *source = kiln_mangle_source_name(name, &len);
  *missing_out = kiln_alloc(len + 1);
  if (*missing_out == NULL) return false;
  memcpy(*missing_out, source, len);
  (*missing_out)[len] = '\0';
  return false;
}

/* Calls only: nothing else can use a builtin in OpenCL C. */
static bool only_called(LLVMValueRef function) {
  for (LLVMUseRef use = LLVMGetFirstUse(function); use != NULL; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!LLVMIsACallInst(user) || LLVMGetCalledValue(user) != function) return false;
  }
  return true;
}

/* Links the entry for a scalar function, and in its place other forms for the calls that may have them. */
static void resolve_scalar(struct linker *l, LLVMValueRef function, const char *name, uint32_t entry) {
  struct kiln_mangled m;
  bool parsed = kiln_mangle_parse(name, &m);
  for (LLVMUseRef use = LLVMGetFirstUse(function), next; use != NULL && parsed; use = next) {
    LLVMValueRef call = LLVMGetUser(use);
    next = LLVMGetNextUse(use);
    uint32_t form = LLVMIsACallInst(call) ? find_form(&m, entry, flags_of(call)) : entry;
    if (form == entry) continue;
    LLVMValueRef other = declare(l, form, LLVMGlobalGetValueType(function));
    LLVMSetOperand(call, (unsigned)LLVMGetNumOperands(call) - 1, other);
  }
  if (LLVMGetFirstUse(function) != NULL) need(l, entry);
}

static bool resolve(struct linker *l, LLVMValueRef function, char **missing_out) {
  size_t len;
  const char *name = LLVMGetValueName2(function, &len);
  uint32_t entry = find_entry(name), count = library()->count;
  if (entry < count) {
    resolve_scalar(l, function, name, entry);
    return true;
  }
  if (strncmp(name, "llvm.", 5) == 0 || kiln_builtin_is_lowered(name)) return true;
  struct kiln_mangled m;
  if (!kiln_mangle_parse(name, &m)) return report_missing(name, missing_out);
  entry = find_scalar(&m);
  if (entry == count || !only_called(function)) return report_missing(name, missing_out);
  return split_function(l, function, &m, entry);
}

/* Declarations nobody calls, split ones among them, are dropped. */
static bool resolve_all(struct linker *l, char **missing_out) {
  LLVMValueRef next;
  for (LLVMValueRef f = LLVMGetFirstFunction(l->module); f != NULL; f = next) {
    if (LLVMIsDeclaration(f) && LLVMGetFirstUse(f) != NULL && !resolve(l, f, missing_out)) return false;
    next = LLVMGetNextFunction(f);
    if (LLVMIsDeclaration(f) && LLVMGetFirstUse(f) == NULL) LLVMDeleteFunction(f);
  }
  for (uint32_t i = 0; i < l->count; i++) {
    uint32_t e = l->needed[i];
    for (uint32_t k = 0; k < entries()[e].dep_count; k++) need(l, entry_deps(e)[k]);
  }
  return true;
}

/* ---- from a blob's module into the program's ----
 *
 * Blocks are moved and names bound anew: LLVM's linker would walk all of its destination for each blob, and
 * types are the context's. */

static void copy_attributes(LLVMValueRef to, LLVMValueRef from) {
  unsigned params = LLVMCountParams(from);
  for (unsigned k = 0; k <= params + 1; k++) {
    LLVMAttributeRef list[MAX_ATTRIBUTES];
    LLVMAttributeIndex at = k > params ? (LLVMAttributeIndex)LLVMAttributeFunctionIndex : k;
    unsigned n = LLVMGetAttributeCountAtIndex(from, at);
    if (n == 0 || n > MAX_ATTRIBUTES) continue;
    LLVMGetAttributesAtIndex(from, at, list);
    for (unsigned i = 0; i < n; i++) LLVMAddAttributeAtIndex(to, at, list[i]);
  }
}

static LLVMValueRef add_like(struct linker *l, LLVMValueRef other, const char *name) {
  LLVMValueRef function = LLVMAddFunction(l->module, name, LLVMGlobalGetValueType(other));
  LLVMSetFunctionCallConv(function, LLVMGetFunctionCallConv(other));
  copy_attributes(function, other);
  return function;
}

/* What a blob's function calls becomes the program's function of that name. */
static void bind_callee(struct linker *l, LLVMValueRef declared) {
  size_t len;
  const char *name = LLVMGetValueName2(declared, &len);
  LLVMValueRef function = LLVMGetNamedFunction(l->module, name);
  if (function == NULL) function = add_like(l, declared, name);
  LLVMReplaceAllUsesWith(declared, function);
}

static void move_table(struct linker *l, LLVMValueRef table) {
  unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(table));
  LLVMValueRef moved = LLVMAddGlobalInAddressSpace(l->module, LLVMGlobalGetValueType(table), "", space);
  LLVMSetInitializer(moved, LLVMGetInitializer(table));
  LLVMSetGlobalConstant(moved, true);
  LLVMSetLinkage(moved, LLVMPrivateLinkage);
  LLVMSetAlignment(moved, LLVMGetAlignment(table));
  LLVMSetUnnamedAddress(moved, LLVMGlobalUnnamedAddr);
  LLVMReplaceAllUsesWith(table, moved);
}

/* The function takes the place of the program's declaration, whose attributes are those of its callers. */
static void move_function(struct linker *l, LLVMValueRef from) {
  size_t len;
  const char *name = LLVMGetValueName2(from, &len);
  LLVMValueRef declared = LLVMGetNamedFunction(l->module, name), to = add_like(l, from, "");
  for (unsigned i = 0; i < LLVMCountParams(from); i++)
    LLVMReplaceAllUsesWith(LLVMGetParam(from, i), LLVMGetParam(to, i));
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(from); b != NULL; b = LLVMGetFirstBasicBlock(from)) {
    LLVMRemoveBasicBlockFromParent(b);
    LLVMAppendExistingBasicBlock(to, b);
  }
  if (declared != NULL) {
    LLVMReplaceAllUsesWith(declared, to);
    LLVMDeleteFunction(declared);
  }
  LLVMSetValueName2(to, name, len);
}

static void move_blob(struct linker *l, LLVMModuleRef blob) {
  for (LLVMValueRef g = LLVMGetFirstGlobal(blob); g != NULL; g = LLVMGetNextGlobal(g)) move_table(l, g);
  for (LLVMValueRef f = LLVMGetFirstFunction(blob); f != NULL; f = LLVMGetNextFunction(f)) {
    if (LLVMIsDeclaration(f)) bind_callee(l, f);
  }
  for (LLVMValueRef f = LLVMGetFirstFunction(blob); f != NULL; f = LLVMGetNextFunction(f)) {
    if (!LLVMIsDeclaration(f)) move_function(l, f);
  }
  LLVMDisposeModule(blob);
}

/* The program may define a function of that name itself. */
static bool is_defined(const struct linker *l, uint32_t e) {
  LLVMValueRef f = LLVMGetNamedFunction(l->module, entry_name(e));
  return f != NULL && !LLVMIsDeclaration(f);
}

static bool link_needed(struct linker *l) {
  for (uint32_t i = 0; i < l->count; i++) {
    if (is_defined(l, l->needed[i])) continue;
    LLVMModuleRef *blob = &l->blobs[l->needed[i]];
    if (*blob == NULL) *blob = parse_entry(l, l->needed[i]);
    if (*blob == NULL) return false;
    move_blob(l, *blob);
    *blob = NULL;
  }
  return true;
}

/* A call must agree with its function about who extends narrow integers; split calls were made before the
 * function was known. */
static void copy_extensions(LLVMValueRef call) {
  static const char *const names[] = {"signext", "zeroext"};
  LLVMValueRef function = LLVMGetCalledValue(call);
  unsigned n = LLVMCountParams(function);
  for (unsigned i = 0; i <= n; i++)
    for (unsigned k = 0; k < 2; k++) {
      unsigned kind = LLVMGetEnumAttributeKindForName(names[k], 7);
      LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(function, i, kind);
      if (a != NULL) LLVMAddCallSiteAttribute(call, i, a);
    }
}

static bool link_all(struct linker *l) {
  if (!link_needed(l)) return false;
  for (uint32_t i = 0; i < l->count; i++)
    LLVMSetLinkage(LLVMGetNamedFunction(l->module, entry_name(l->needed[i])), LLVMInternalLinkage);
  for (size_t i = 0; i < l->ncalls; i++) copy_extensions(l->calls[i]);
  return true;
}

bool kiln_builtins_link(LLVMModuleRef module, char **missing_out) {
  struct linker l = {.module = module};
  *missing_out = NULL;
  l.marked = kiln_zalloc(library()->count);
  l.needed = kiln_alloc(library()->count * sizeof *l.needed);
  l.blobs = kiln_zalloc(library()->count * sizeof *l.blobs);
  l.builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
  bool done =
      l.marked != NULL && l.needed != NULL && l.blobs != NULL && resolve_all(&l, missing_out) && link_all(&l);
  LLVMDisposeBuilder(l.builder);
  for (uint32_t i = 0; l.blobs != NULL && i < library()->count; i++)
    if (l.blobs[i] != NULL) LLVMDisposeModule(l.blobs[i]);
  kiln_free(l.blobs);
  kiln_free(l.calls);
  kiln_free(l.needed);
  kiln_free(l.marked);
  return done;
}
