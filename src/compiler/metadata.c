/* Owns the reading of kernels' metadata: arguments and their layout in the packed block, attributes.
 * Must not know sources or targets: everything comes from spir64 IR, so that linked and cached programs
 * answer as fresh ones do. */
#include "compiler/metadata.h"

#include "base/alloc.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  SPIR_KERNEL_CALL = 76, /* llvm::CallingConv::SPIR_KERNEL */
  SPACE_PRIVATE = 0,
  SPACE_GLOBAL = 1,
  SPACE_CONSTANT = 2,
  SPACE_LOCAL = 3,
  LOCAL_ALIGN = 64 /* of local arguments: whole vectors may be laid over them */
};
static const char flags_attribute[] = "kiln-kernel-flags";

bool kiln_is_kernel(LLVMValueRef function) {
  return LLVMGetFunctionCallConv(function) == SPIR_KERNEL_CALL && !LLVMIsDeclaration(function);
}

void kiln_metadata_mark(LLVMValueRef kernel, uint32_t flags) {
  char text[16];
  int length = snprintf(text, sizeof text, "%u", flags);
  LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(kernel));
  LLVMAddAttributeAtIndex(kernel, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                          LLVMCreateStringAttribute(context, flags_attribute, sizeof flags_attribute - 1,
                                                    text, (unsigned)length));
}

uint32_t kiln_metadata_flags(LLVMValueRef kernel) {
  LLVMAttributeRef attribute = LLVMGetStringAttributeAtIndex(
      kernel, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, flags_attribute, sizeof flags_attribute - 1);
  unsigned length;
  return attribute == NULL ? 0 : (uint32_t)strtoul(LLVMGetStringAttributeValue(attribute, &length), NULL, 10);
}

/* ---- metadata nodes ---- */

/* The kernel's metadata node of this name as a value, or NULL. */
static LLVMValueRef node_of(LLVMValueRef kernel, const char *name) {
  LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(kernel));
  unsigned wanted = LLVMGetMDKindIDInContext(context, name, (unsigned)strlen(name));
  size_t count;
  LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(kernel, &count);
  LLVMValueRef found = NULL;
  for (unsigned i = 0; i < count; i++)
    if (LLVMValueMetadataEntriesGetKind(entries, i) == wanted)
      found = LLVMMetadataAsValue(context, LLVMValueMetadataEntriesGetMetadata(entries, i));
  LLVMDisposeValueMetadataEntries(entries);
  return found;
}

/* Operand i of a node, or NULL. */
static LLVMValueRef operand_of(LLVMValueRef node, unsigned i) {
  unsigned count = node == NULL ? 0 : LLVMGetMDNodeNumOperands(node);
  if (i >= count) return NULL;
  LLVMValueRef *operands = kiln_alloc(count * sizeof *operands);
  if (operands == NULL) return NULL;
  LLVMGetMDNodeOperands(node, operands);
  LLVMValueRef operand = operands[i];
  kiln_free(operands);
  return operand;
}

/* The i-th string of a node; "" if there is none. Not terminated: *length_out. */
static const char *string_of(LLVMValueRef node, unsigned i, unsigned *length_out) {
  LLVMValueRef operand = operand_of(node, i);
  *length_out = 0;
  const char *text = operand == NULL ? NULL : LLVMGetMDString(operand, length_out);
  return text == NULL ? "" : text;
}

static char *copy_of(LLVMValueRef node, unsigned i) {
  unsigned length;
  const char *text = string_of(node, i, &length);
  char *copy = kiln_alloc(length + 1);
  if (copy == NULL) return NULL;
  memcpy(copy, text, length);
  copy[length] = '\0';
  return copy;
}

static uint32_t number_of(LLVMValueRef node, unsigned i) {
  LLVMValueRef operand = operand_of(node, i);
  return operand != NULL && LLVMIsAConstantInt(operand) ? (uint32_t)LLVMConstIntGetZExtValue(operand) : 0;
}

/* ---- arguments ---- */

static bool list_has(const char *list, unsigned length, const char *word) {
  size_t size = strlen(word);
  for (unsigned at = 0; at + size <= length; at++)
    if (memcmp(list + at, word, size) == 0) return true;
  return false;
}

static cl_kernel_arg_type_qualifier qualifier_of(LLVMValueRef node, unsigned i) {
  unsigned length;
  const char *text = string_of(node, i, &length);
  cl_kernel_arg_type_qualifier q = CL_KERNEL_ARG_TYPE_NONE;
  if (list_has(text, length, "const")) q |= CL_KERNEL_ARG_TYPE_CONST;
  if (list_has(text, length, "restrict")) q |= CL_KERNEL_ARG_TYPE_RESTRICT;
  if (list_has(text, length, "volatile")) q |= CL_KERNEL_ARG_TYPE_VOLATILE;
  if (list_has(text, length, "pipe")) q |= CL_KERNEL_ARG_TYPE_PIPE;
  return q;
}

static cl_kernel_arg_access_qualifier access_of(LLVMValueRef node, unsigned i) {
  unsigned length;
  const char *text = string_of(node, i, &length);
  if (list_has(text, length, "read_only")) return CL_KERNEL_ARG_ACCESS_READ_ONLY;
  if (list_has(text, length, "write_only")) return CL_KERNEL_ARG_ACCESS_WRITE_ONLY;
  if (list_has(text, length, "read_write")) return CL_KERNEL_ARG_ACCESS_READ_WRITE;
  return CL_KERNEL_ARG_ACCESS_NONE;
}

static cl_kernel_arg_address_qualifier address_of(uint32_t space) {
  static const cl_kernel_arg_address_qualifier qualifiers[] = {
      [SPACE_PRIVATE] = CL_KERNEL_ARG_ADDRESS_PRIVATE,
      [SPACE_GLOBAL] = CL_KERNEL_ARG_ADDRESS_GLOBAL,
      [SPACE_CONSTANT] = CL_KERNEL_ARG_ADDRESS_CONSTANT,
      [SPACE_LOCAL] = CL_KERNEL_ARG_ADDRESS_LOCAL};
  return space <= SPACE_LOCAL ? qualifiers[space] : CL_KERNEL_ARG_ADDRESS_PRIVATE;
}

static LLVMTypeRef byval_type(LLVMValueRef kernel, unsigned i) {
  LLVMAttributeRef attribute =
      LLVMGetEnumAttributeAtIndex(kernel, i + 1, LLVMGetEnumAttributeKindForName("byval", 5));
  return attribute == NULL ? NULL : LLVMGetTypeAttributeValue(attribute);
}

static uint32_t attribute_number(LLVMValueRef kernel, unsigned i, const char *name) {
  LLVMAttributeRef attribute =
      LLVMGetEnumAttributeAtIndex(kernel, i + 1, LLVMGetEnumAttributeKindForName(name, strlen(name)));
  return attribute == NULL ? 0 : (uint32_t)LLVMGetEnumAttributeValue(attribute);
}

static uint32_t target_type_kind(LLVMTypeRef type) {
  const char *name = LLVMGetTargetExtTypeName(type);
  if (strcmp(name, "spirv.Sampler") == 0) return KILN_ARG_SAMPLER;
  return strcmp(name, "spirv.Pipe") == 0 ? KILN_ARG_PIPE : KILN_ARG_IMAGE;
}

/* What an argument of type spirv.Image takes. The integers of the type: dimension, depth, arrayed,
 * multisampled, sampled, format, access (SPIR-V specification, OpTypeImage). */
static uint32_t image_of(LLVMTypeRef type) {
  enum { DIM, DEPTH, ARRAYED };
  static const uint32_t types[][2] = {
      {CL_MEM_OBJECT_IMAGE1D, CL_MEM_OBJECT_IMAGE1D_ARRAY},
      {CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE2D_ARRAY},
      {CL_MEM_OBJECT_IMAGE3D, CL_MEM_OBJECT_IMAGE3D},
  };
  enum { DIM_BUFFER = 5 };
  unsigned dim = LLVMGetTargetExtTypeIntParam(type, DIM);
  if (dim == DIM_BUFFER) return CL_MEM_OBJECT_IMAGE1D_BUFFER;
  if (dim >= sizeof types / sizeof *types) return 0;
  bool is_array = LLVMGetTargetExtTypeIntParam(type, ARRAYED) != 0;
  return types[dim][is_array] | (LLVMGetTargetExtTypeIntParam(type, DEPTH) != 0 ? KILN_ARG_DEPTH : 0);
}

static uint32_t kind_of(LLVMTypeRef type) {
  if (LLVMGetTypeKind(type) == LLVMTargetExtTypeKind) return target_type_kind(type);
  if (LLVMGetTypeKind(type) != LLVMPointerTypeKind) return KILN_ARG_VALUE;
  switch (LLVMGetPointerAddressSpace(type)) {
  case SPACE_LOCAL:
    return KILN_ARG_LOCAL;
  case SPACE_PRIVATE:
    return KILN_ARG_VALUE; /* byval */
  default:
    return KILN_ARG_GLOBAL;
  }
}

/* Bytes of the argument in the packed block, what clSetKernelArg demands, and the alignment. */
static uint32_t arg_measure(LLVMValueRef kernel, unsigned i, LLVMTargetDataRef layout,
                            struct kiln_arg_info *a) {
  LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(kernel, i));
  a->kind = kind_of(type);
  a->image = a->kind == KILN_ARG_IMAGE ? image_of(type) : 0;
  a->size = a->align = 8;
  switch (a->kind) {
  case KILN_ARG_LOCAL: {
    uint32_t align = attribute_number(kernel, i, "align");
    a->size = 0;
    a->align = align < LOCAL_ALIGN ? LOCAL_ALIGN : align;
    return 4;
  }
  case KILN_ARG_SAMPLER:
    return 4;
  case KILN_ARG_VALUE: {
    LLVMTypeRef by_value = byval_type(kernel, i);
    a->integer = LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 32;
    if (by_value != NULL) type = by_value;
    a->size = (uint32_t)LLVMABISizeOfType(layout, type);
    a->align = by_value != NULL ? attribute_number(kernel, i, "align") : LLVMABIAlignmentOfType(layout, type);
    if (a->align == 0) a->align = 1;
    return a->size;
  }
  default:
    return 8;
  }
}

static uint32_t packed_align(const struct kiln_arg_info *a) {
  return a->kind == KILN_ARG_LOCAL || a->kind == KILN_ARG_SAMPLER ? 4 : a->align;
}

static bool args_read(LLVMValueRef kernel, LLVMTargetDataRef layout, struct kiln_kernel_info *k) {
  LLVMValueRef names = node_of(kernel, "kernel_arg_name"), types = node_of(kernel, "kernel_arg_type"),
               spaces = node_of(kernel, "kernel_arg_addr_space"),
               access = node_of(kernel, "kernel_arg_access_qual"),
               qualifiers = node_of(kernel, "kernel_arg_type_qual");
  uint32_t count = LLVMCountParams(kernel), at = 0;
  k->args = kiln_zalloc(count * sizeof *k->args);
  if (k->args == NULL) return false;
  k->num_args = count;
  for (uint32_t i = 0; i < count; i++) {
    struct kiln_arg_info *a = &k->args[i];
    uint32_t bytes = arg_measure(kernel, i, layout, a), align = packed_align(a);
    a->offset = (at + align - 1) / align * align;
    at = a->offset + bytes;
    a->address = address_of(number_of(spaces, i));
    a->access = access_of(access, i);
    a->qualifier = qualifier_of(qualifiers, i);
    a->name = copy_of(names, i);
    a->type_name = copy_of(types, i);
    if (a->name == NULL || a->type_name == NULL) return false;
  }
  k->args_size = (at + 7) & ~7u;
  return true;
}

/* ---- attributes ---- */

static void put_size_attribute(char *text, size_t size, const char *name, const uint32_t *values) {
  size_t at = strlen(text);
  if (values[0] == 0) return;
  snprintf(text + at, size - at, "%s%s(%u,%u,%u)", at == 0 ? "" : " ", name, values[0], values[1], values[2]);
}

static const char *scalar_name(LLVMTypeRef type, bool is_signed) {
  switch (LLVMGetTypeKind(type)) {
  case LLVMHalfTypeKind:
    return "half";
  case LLVMFloatTypeKind:
    return "float";
  case LLVMDoubleTypeKind:
    return "double";
  case LLVMIntegerTypeKind:
    break;
  default:
    return NULL;
  }
  switch (LLVMGetIntTypeWidth(type)) {
  case 8:
    return is_signed ? "char" : "uchar";
  case 16:
    return is_signed ? "short" : "ushort";
  case 32:
    return is_signed ? "int" : "uint";
  case 64:
    return is_signed ? "long" : "ulong";
  default:
    return NULL;
  }
}

/* The node holds a value of the hinted type and whether it is signed. */
static void put_type_hint(char *text, size_t size, LLVMValueRef node) {
  LLVMValueRef value = operand_of(node, 0);
  if (value == NULL) return;
  LLVMTypeRef type = LLVMTypeOf(value), scalar = type;
  bool vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
  if (vector) scalar = LLVMGetElementType(type);
  const char *name = scalar_name(scalar, number_of(node, 1) != 0);
  if (name == NULL) return;
  size_t at = strlen(text);
  char lanes[12] = "";
  if (vector) snprintf(lanes, sizeof lanes, "%u", LLVMGetVectorSize(type));
  snprintf(text + at, size - at, "%svec_type_hint(%s%s)", at == 0 ? "" : " ", name, lanes);
}

static void put_sub_group_size(char *text, size_t size, uint32_t items) {
  size_t at = strlen(text);
  if (items == 0) return;
  snprintf(text + at, size - at, "%sintel_reqd_sub_group_size(%u)", at == 0 ? "" : " ", items);
}

static bool attributes_read(LLVMValueRef kernel, struct kiln_kernel_info *k) {
  LLVMValueRef reqd = node_of(kernel, "reqd_work_group_size"), hint = node_of(kernel, "work_group_size_hint");
  for (unsigned i = 0; i < 3; i++) {
    k->reqd_size[i] = number_of(reqd, i);
    k->hint_size[i] = number_of(hint, i);
  }
  char text[256] = "";
  put_size_attribute(text, sizeof text, "reqd_work_group_size", k->reqd_size);
  put_size_attribute(text, sizeof text, "work_group_size_hint", k->hint_size);
  put_type_hint(text, sizeof text, node_of(kernel, "vec_type_hint"));
  k->reqd_subgroup = number_of(node_of(kernel, "intel_reqd_sub_group_size"), 0);
  put_sub_group_size(text, sizeof text, k->reqd_subgroup);
  k->attributes = kiln_strdup(text);
  return k->attributes != NULL;
}

static bool kernel_read(LLVMValueRef kernel, LLVMTargetDataRef layout, struct kiln_kernel_info *k) {
  size_t length;
  k->name = kiln_strdup(LLVMGetValueName2(kernel, &length));
  k->flags = kiln_metadata_flags(kernel);
  return k->name != NULL && attributes_read(kernel, k) && args_read(kernel, layout, k);
}

bool kiln_metadata_read(LLVMModuleRef module, struct kiln_program_image *image) {
  uint32_t count = 0;
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
    count += kiln_is_kernel(f);
  image->kernels = kiln_zalloc(count * sizeof *image->kernels);
  if (image->kernels == NULL) return false;
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
    if (!kiln_is_kernel(f)) continue;
    if (!kernel_read(f, LLVMGetModuleDataLayout(module), &image->kernels[image->num_kernels++])) return false;
  }
  return true;
}
