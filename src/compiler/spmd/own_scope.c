/* Owns what tells accesses to local memory and to buffers apart; see own_scope.h. */
#include "compiler/spmd/own_scope.h"

#include "compiler/value.h"

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <string.h>

static const char own_name[] = "kiln.own", buffer_name[] = "kiln.buffer", scope_name[] = "own memory";

static unsigned kind_of(LLVMContextRef context, const char *name) {
  return LLVMGetMDKindIDInContext(context, name, (unsigned)strlen(name));
}

static LLVMContextRef context_of(LLVMValueRef v) { return LLVMGetTypeContext(LLVMTypeOf(v)); }

static void mark(LLVMValueRef load, const char *name) {
  LLVMContextRef context = context_of(load);
  LLVMSetMetadata(load, kind_of(context, name),
                  LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, NULL, 0)));
}

void kiln_scope_mark_own(LLVMValueRef load) { mark(load, own_name); }

void kiln_scope_mark_buffer(LLVMValueRef load) { mark(load, buffer_name); }

/* ---- accesses ---- */

/* Where an instruction, or a vector of lanes, accesses memory; NULL: it does not, or in another way. */
static LLVMValueRef address_of(LLVMValueRef i) {
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMLoad:
  case LLVMAtomicRMW:
  case LLVMAtomicCmpXchg:
    return LLVMGetOperand(i, 0);
  case LLVMStore:
    return LLVMGetOperand(i, 1);
  case LLVMCall:
    break;
  default:
    return NULL;
  }
  LLVMValueRef fn = LLVMGetCalledValue(i);
  if (kiln_name_begins(fn, "llvm.masked.load.") || kiln_name_begins(fn, "llvm.masked.gather."))
    return LLVMGetOperand(i, 0);
  if (kiln_name_begins(fn, "llvm.masked.store.") || kiln_name_begins(fn, "llvm.masked.scatter."))
    return LLVMGetOperand(i, 1);
  return NULL;
}

/* Also of addresses of which all lanes have one. */
static LLVMValueRef source_of(LLVMValueRef address) {
  LLVMValueRef root = kiln_address_root(address), one;
  while ((one = kiln_splatted(root)) != NULL) root = kiln_address_root(one);
  return root;
}

/* ---- what LLVM is told ---- */

static LLVMValueRef scopes(LLVMContextRef context) {
  LLVMMetadataRef name = LLVMMDStringInContext2(context, "kiln", 4),
                  domain = LLVMMDNodeInContext2(context, &name, 1),
                  of[] = {LLVMMDStringInContext2(context, scope_name, sizeof scope_name - 1), domain},
                  scope = LLVMMDNodeInContext2(context, of, 2);
  return LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, &scope, 1));
}

struct teller {
  unsigned own, buffer, in, out;
  LLVMValueRef scopes;
};

static void tell(const struct teller *t, LLVMValueRef i) {
  LLVMValueRef address = address_of(i);
  if (address == NULL) return;
  LLVMValueRef source = source_of(address);
  if (LLVMIsALoadInst(source) == NULL) return;
  if (LLVMGetMetadata(source, t->own) != NULL) LLVMSetMetadata(i, t->in, t->scopes);
  else if (LLVMGetMetadata(source, t->buffer) != NULL) LLVMSetMetadata(i, t->out, t->scopes);
}

void kiln_scope_tell(LLVMModuleRef module) {
  LLVMContextRef c = LLVMGetModuleContext(module);
  const struct teller t = {.own = kind_of(c, own_name),
                           .buffer = kind_of(c, buffer_name),
                           .in = kind_of(c, "alias.scope"),
                           .out = kind_of(c, "noalias"),
                           .scopes = scopes(c)};
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b != NULL; b = LLVMGetNextBasicBlock(b))
      for (LLVMValueRef i = LLVMGetFirstInstruction(b); i != NULL; i = LLVMGetNextInstruction(i)) tell(&t, i);
}
