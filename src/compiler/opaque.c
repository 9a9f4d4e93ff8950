/* Owns the stage that makes constants of what a specialisation knows of images and samplers: formats are data
 * in an image's description, so that code for any format exists; here it becomes code for one. Must not know
 * what shifts and masks mean.
 *
 * Images and samplers are values of opaque types that go from parameter to parameter until __kiln_image or
 * __kiln_sampler tells what is in them. A parameter is known if all calls give it the same. */
#include "base/alloc.h"
#include "base/image_desc.h"
#include "compiler/large.h"
#include "compiler/mangle.h"
#include "compiler/pipeline.h"

#include <llvm-c/Core.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* What is known of a value: a word as in kiln_spec.opaque, 0 for nothing; UNSEEN: no call has been found yet.
 * No sampler and no format has these bits. */
static const uint32_t UNSEEN = 0xffffffffu;

struct parameter {
  LLVMValueRef value;
  uint32_t known;
};

struct facts {
  struct parameter *parameters; /* of opaque types, sorted by address */
  size_t count;
};

static bool is_opaque(LLVMValueRef value) {
  return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMTargetExtTypeKind;
}

/* ---- parameters ---- */

static int by_address(const void *a, const void *b) {
  uintptr_t x = (uintptr_t)((const struct parameter *)a)->value,
            y = (uintptr_t)((const struct parameter *)b)->value;
  return (x > y) - (x < y);
}

/* Writes the parameters of opaque types to out unless NULL; returns how many there are. */
static size_t each_parameter(LLVMModuleRef module, struct parameter *out) {
  size_t count = 0;
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
    for (LLVMValueRef p = LLVMGetFirstParam(f); p != NULL && !LLVMIsDeclaration(f); p = LLVMGetNextParam(p)) {
      if (!is_opaque(p)) continue;
      if (out != NULL) out[count] = (struct parameter){p, UNSEEN};
      count++;
    }
  return count;
}

static bool facts_init(struct facts *facts, LLVMModuleRef module) {
  *facts = (struct facts){.count = each_parameter(module, NULL)};
  if (facts->count == 0) return true;
  facts->parameters = kiln_alloc(facts->count * sizeof *facts->parameters);
  if (facts->parameters == NULL) return false;
  each_parameter(module, facts->parameters);
  qsort(facts->parameters, facts->count, sizeof *facts->parameters, by_address);
  return true;
}

static struct parameter *find(const struct facts *facts, LLVMValueRef value) {
  struct parameter key = {.value = value};
  if (facts->count == 0) return NULL;
  return bsearch(&key, facts->parameters, facts->count, sizeof key, by_address);
}

static LLVMValueRef called(LLVMValueRef instruction) {
  return LLVMIsACallInst(instruction) ? LLVMIsAFunction(LLVMGetCalledValue(instruction)) : NULL;
}

/* value is known as said, or less: what it is given to knows as much at most. A parameter changes twice in
 * its life. */
static void tell(const struct facts *facts, LLVMValueRef value, uint32_t known) {
  for (LLVMUseRef use = LLVMGetFirstUse(value); use != NULL; use = LLVMGetNextUse(use)) {
    LLVMValueRef call = LLVMGetUser(use), callee = called(call);
    if (callee == NULL || LLVMIsDeclaration(callee)) continue;
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
      struct parameter *p = LLVMGetOperand(call, i) == value ? find(facts, LLVMGetParam(callee, i)) : NULL;
      uint32_t now = p == NULL || p->known == UNSEEN || p->known == known ? known : 0;
      if (p == NULL || p->known == now) continue;
      p->known = now;
      tell(facts, p->value, now);
    }
  }
}

/* ---- where facts come from ---- */

static bool is_named(LLVMValueRef function, const char *wanted) {
  return kiln_mangle_is(LLVMGetValueName2(function, &(size_t){0}), wanted);
}

static void tell_of_arguments(const struct facts *facts, const struct kiln_unit *unit) {
  unsigned place = 0;
  for (uint32_t i = 0; i < unit->info->num_args; i++) {
    uint32_t kind = unit->info->args[i].kind;
    struct parameter *parameter = find(facts, LLVMGetParam(unit->kernel, i));
    if (parameter == NULL) continue;
    bool has_place = kind == KILN_ARG_IMAGE || kind == KILN_ARG_SAMPLER;
    parameter->known = has_place && place < KILN_SPEC_OPAQUE ? unit->request->spec.opaque[place] : 0;
    place += has_place;
    tell(facts, parameter->value, parameter->known);
  }
}

/* Literal samplers that functions are called with. */
static void tell_of_literals(const struct facts *facts, LLVMModuleRef module) {
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
    if (!is_named(f, "__translate_sampler_initializer")) continue;
    for (LLVMUseRef use = LLVMGetFirstUse(f); use != NULL; use = LLVMGetNextUse(use)) {
      LLVMValueRef sampler = LLVMGetUser(use), bits = LLVMGetOperand(sampler, 0);
      bool known = LLVMIsAConstantInt(bits) != NULL;
      tell(facts, sampler, known ? (uint32_t)LLVMConstIntGetZExtValue(bits) | KILN_OPAQUE_SAMPLER : 0);
    }
  }
}

/* ---- descriptions ---- */

/* The 32 bits at `at` as a number of this type; NULL for types of other sizes. */
static LLVMValueRef number_of(LLVMTypeRef type, const unsigned char *at) {
  uint32_t bits;
  memcpy(&bits, at, sizeof bits);
  LLVMValueRef word = LLVMConstInt(LLVMInt32TypeInContext(LLVMGetTypeContext(type)), bits, false);
  if (LLVMGetTypeKind(type) == LLVMFloatTypeKind) return LLVMConstBitCast(word, type);
  return type == LLVMTypeOf(word) ? word : NULL;
}

/* What a load of this type finds at an offset of desc; NULL if that is not of the format. */
static LLVMValueRef loaded(const struct kiln_image_desc *desc, LLVMTypeRef type, uint64_t offset) {
  enum { MOST = 4, WORD = 4 };
  bool is_vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
  unsigned n = is_vector ? LLVMGetVectorSize(type) : 1;
  LLVMValueRef element[MOST];
  bool named = offset >= offsetof(struct kiln_image_desc, order) &&
               offset + n * WORD <= offsetof(struct kiln_image_desc, object_type);
  bool taken_apart = offset >= offsetof(struct kiln_image_desc, texel) && offset + n * WORD <= sizeof *desc;
  if (n > MOST || !(named || taken_apart)) return NULL;
  for (unsigned i = 0; i < n; i++) {
    element[i] = number_of(is_vector ? LLVMGetElementType(type) : type,
                           (const unsigned char *)desc + offset + (size_t)i * WORD);
    if (element[i] == NULL) return NULL;
  }
  return is_vector ? LLVMConstVector(element, n) : element[0];
}

/* A constant number of bytes that an address is moved by; false if it is not. */
static bool moves_by(LLVMValueRef user, uint64_t *offset) {
  if (!LLVMIsAGetElementPtrInst(user) || LLVMGetNumOperands(user) != 2) return false;
  LLVMTypeRef type = LLVMGetGEPSourceElementType(user);
  LLVMValueRef index = LLVMGetOperand(user, 1);
  if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) != 8) return false;
  if (!LLVMIsAConstantInt(index)) return false;
  *offset += LLVMConstIntGetZExtValue(index);
  return true;
}

static void fold_loads(LLVMValueRef address, uint64_t offset, const struct kiln_image_desc *desc) {
  LLVMUseRef next;
  for (LLVMUseRef use = LLVMGetFirstUse(address); use != NULL; use = next) {
    LLVMValueRef user = LLVMGetUser(use);
    uint64_t at = offset;
    next = LLVMGetNextUse(use);
    if (moves_by(user, &at)) fold_loads(user, at, desc);
    LLVMValueRef number = LLVMIsALoadInst(user) ? loaded(desc, LLVMTypeOf(user), at) : NULL;
    if (number == NULL) continue;
    LLVMReplaceAllUsesWith(user, number);
    LLVMInstructionEraseFromParent(user);
  }
}

/* ---- folding ---- */

static void fold(const struct parameter *p) {
  struct kiln_image_desc desc = {0};
  bool is_image = (p->known & KILN_OPAQUE_SAMPLER) == 0;
  if (is_image && !kiln_image_desc_format(&desc, p->known >> 16, p->known & 0xffff)) return;
  for (LLVMUseRef use = LLVMGetFirstUse(p->value); use != NULL; use = LLVMGetNextUse(use)) {
    LLVMValueRef call = LLVMGetUser(use), callee = called(call);
    if (callee == NULL) continue;
    if (is_image && is_named(callee, "__kiln_image")) fold_loads(call, 0, &desc);
    if (!is_image && is_named(callee, "__kiln_sampler"))
      LLVMReplaceAllUsesWith(call, LLVMConstInt(LLVMTypeOf(call), p->known & ~KILN_OPAQUE_SAMPLER, false));
  }
}

bool kiln_stage_opaque(struct kiln_unit *unit) {
  static const struct kiln_pass_lists clean = {
      .usual = "early-cse<memssa>,simplifycfg,loop(loop-unroll-full),early-cse<memssa>,simplifycfg,adce",
      .frugal = "sccp,adce"};
  struct facts facts;
  bool any = false;
  if (!facts_init(&facts, unit->module)) return kiln_unit_no_memory(unit);
  tell_of_arguments(&facts, unit);
  tell_of_literals(&facts, unit->module);
  for (size_t i = 0; i < facts.count; i++) {
    if (facts.parameters[i].known == 0 || facts.parameters[i].known == UNSEEN) continue;
    fold(&facts.parameters[i]);
    any = true;
  }
  kiln_free(facts.parameters);
  return !any || kiln_unit_accept(unit, kiln_large_run_passes(unit->module, NULL, &clean));
}
