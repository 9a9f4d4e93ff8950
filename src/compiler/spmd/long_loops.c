/* Marks loops that stay loops; see long_loops.h. */
#include "compiler/spmd/long_loops.h"

#include "compiler/spmd/emit.h"
#include "compiler/value.h"

#include <llvm-c/Core.h>
#include <string.h>

enum {
  MOST_TURNS = 8,     /* of a loop that may be unrolled */
  MOST_UNROLLED = 300 /* instructions: LLVM takes no more, unless it finds that they become fewer by it */
};

bool kiln_spmd_sees_private_arrays(LLVMValueRef fn) {
  for (LLVMValueRef p = LLVMGetFirstParam(fn); p != NULL; p = LLVMGetNextParam(p)) {
    if (LLVMGetTypeKind(LLVMTypeOf(p)) != LLVMPointerTypeKind) continue;
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(p));
    if (space == KL_AS_PRIVATE || space == KL_AS_GENERIC) return true;
  }
  LLVMBasicBlockRef block = LLVMGetEntryBasicBlock(fn);
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != NULL; i = LLVMGetNextInstruction(i))
    if (LLVMIsAAllocaInst(i)) return true;
  return false;
}

/* ---- turns ---- */

/* What comes into the phi from another block. */
static LLVMValueRef phi_from_other(LLVMValueRef phi, LLVMBasicBlockRef block) {
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
    if (LLVMGetIncomingBlock(phi, i) != block) return LLVMGetIncomingValue(phi, i);
  return NULL;
}

bool kiln_spmd_is_one_block(LLVMValueRef branch) {
  LLVMBasicBlockRef block = LLVMGetInstructionParent(branch);
  for (unsigned k = 0, n = LLVMGetNumSuccessors(branch); k < n; k++)
    if (LLVMGetSuccessor(branch, k) == block) return true;
  return false;
}

uint64_t kiln_spmd_block_size(LLVMBasicBlockRef block) {
  uint64_t n = 0;
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != NULL; i = LLVMGetNextInstruction(i)) n++;
  return n;
}

/* Turns of the loop that a branch closes and a counter with known bounds ends; 0: not known. */
uint64_t kiln_spmd_loop_turns(LLVMValueRef branch) {
  if (LLVMGetInstructionOpcode(branch) != LLVMBr || !LLVMIsConditional(branch)) return 0;
  LLVMBasicBlockRef latch = LLVMGetInstructionParent(branch);
  LLVMValueRef test = LLVMGetCondition(branch);
  if (!LLVMIsAICmpInst(test) || !LLVMIsAConstantInt(LLVMGetOperand(test, 1))) return 0;
  LLVMValueRef next = LLVMGetOperand(test, 0), limit = LLVMGetOperand(test, 1);
  if (!LLVMIsAInstruction(next) || LLVMGetInstructionOpcode(next) != LLVMAdd) return 0;
  LLVMValueRef counter = LLVMGetOperand(next, 0), step = LLVMGetOperand(next, 1);
  if (!LLVMIsAPHINode(counter) || !LLVMIsAConstantInt(step) || kiln_phi_from(counter, latch) != next)
    return 0;
  LLVMBasicBlockRef header = LLVMGetInstructionParent(counter);
  if (LLVMGetSuccessor(branch, 0) != header && LLVMGetSuccessor(branch, 1) != header) return 0;
  LLVMValueRef start = phi_from_other(counter, latch);
  if (start == NULL || !LLVMIsAConstantInt(start) || LLVMConstIntGetSExtValue(step) == 0) return 0;
  int64_t way = LLVMConstIntGetSExtValue(limit) - LLVMConstIntGetSExtValue(start);
  int64_t count = way / LLVMConstIntGetSExtValue(step);
  return count > 0 ? (uint64_t)count : 0;
}

/* ---- marks ---- */

enum { MOST_WORDS = 16 }; /* of a loop's metadata that are looked at */

static bool begins_with(LLVMValueRef string, const char *prefix) {
  unsigned length = 0;
  const char *text = LLVMGetMDString(string, &length);
  return length >= strlen(prefix) && memcmp(text, prefix, strlen(prefix)) == 0;
}

static bool is_about(LLVMValueRef node, const char *prefix) {
  LLVMValueRef part[MOST_WORDS];
  unsigned n = node != NULL && LLVMIsAMDNode(node) ? LLVMGetMDNodeNumOperands(node) : 0;
  if (n == 0 || n > MOST_WORDS) return false;
  LLVMGetMDNodeOperands(node, part);
  return part[0] != NULL && LLVMIsAMDString(part[0]) && begins_with(part[0], prefix);
}

/* What is said of the loop that `branch` closes, after its name: part[1] up to the number returned, 0 if
 * nothing. Beyond MOST_WORDS nothing is read. */
static unsigned read_marks(LLVMValueRef branch, LLVMValueRef part[MOST_WORDS]) {
  unsigned kind = LLVMGetMDKindIDInContext(LLVMGetTypeContext(LLVMTypeOf(branch)), "llvm.loop", 9);
  LLVMValueRef node = LLVMGetMetadata(branch, kind);
  unsigned n = node == NULL ? 0 : LLVMGetMDNodeNumOperands(node);
  if (n <= MOST_WORDS && n != 0) LLVMGetMDNodeOperands(node, part);
  return n;
}

/* Something that begins with `prefix` is said of the loop; unread: the answer where more is said than is
 * read. */
static bool has_mark(LLVMValueRef branch, const char *prefix, bool unread) {
  LLVMValueRef part[MOST_WORDS];
  unsigned n = read_marks(branch, part);
  if (n > MOST_WORDS) return unread;
  for (unsigned i = 1; i < n; i++)
    if (is_about(part[i], prefix)) return true;
  return false;
}

/* The program has a say in it, or more to say than is read here. */
bool kiln_spmd_unrolling_is_decided(LLVMValueRef branch) {
  return has_mark(branch, "llvm.loop.unroll", true);
}

bool kiln_spmd_is_kept_loop(LLVMValueRef branch) {
  return has_mark(branch, "llvm.loop.unroll.disable", false) &&
         kiln_spmd_sees_private_arrays(LLVMGetBasicBlockParent(LLVMGetInstructionParent(branch)));
}

/* What the node of a loop says of the turns to be taken at once, under that name; 0: nothing. */
static uint64_t count_told(LLVMValueRef node, const char *name) {
  LLVMValueRef part[MOST_WORDS];
  if (!is_about(node, name) || LLVMGetMDNodeNumOperands(node) != 2) return 0;
  LLVMGetMDNodeOperands(node, part);
  return part[1] != NULL && LLVMIsAConstantInt(part[1]) ? LLVMConstIntGetZExtValue(part[1]) : 0;
}

/* What it says of unrolling. */
static uint64_t turns_told(LLVMValueRef node) {
  if (is_about(node, "llvm.loop.unroll.enable") || is_about(node, "llvm.loop.unroll.full")) return UINT64_MAX;
  return count_told(node, KL_UNROLL_COUNT);
}

uint64_t kiln_spmd_turns_asked_for(LLVMValueRef branch) {
  LLVMValueRef part[MOST_WORDS];
  unsigned n = read_marks(branch, part);
  uint64_t turns = 0;
  for (unsigned i = 1; i < n && n <= MOST_WORDS && turns == 0; i++) turns = turns_told(part[i]);
  return turns;
}

uint64_t kiln_spmd_turns_put_off(LLVMValueRef branch) {
  LLVMValueRef part[MOST_WORDS];
  unsigned n = read_marks(branch, part);
  return n == 2 ? count_told(part[1], KL_UNROLL_LATER) : 0;
}

static void keep_loops(LLVMValueRef fn) {
  LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(fn));
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b != NULL; b = LLVMGetNextBasicBlock(b)) {
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(b);
    if (kiln_spmd_loop_turns(branch) > MOST_TURNS && !kiln_spmd_unrolling_is_decided(branch))
      kiln_loop_hint(context, branch, "llvm.loop.unroll.disable");
  }
}

void kiln_spmd_keep_long_loops(LLVMModuleRef module) {
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f) && !kiln_spmd_sees_private_arrays(f)) keep_loops(f);
}

/* ---- loops of few turns ---- */

/* An element of a table, which is known where the counter is. */
static bool reads_table(LLVMValueRef i) {
  if (LLVMIsALoadInst(i) == NULL) return false;
  LLVMValueRef p = kiln_address_root(LLVMGetOperand(i, 0));
  return LLVMIsAGlobalVariable(p) && LLVMIsGlobalConstant(p);
}

bool kiln_spmd_is_large_loop(LLVMValueRef branch) {
  LLVMBasicBlockRef block = LLVMGetInstructionParent(branch);
  uint64_t size = 0;
  if (LLVMGetInstructionOpcode(branch) != LLVMBr || !LLVMIsConditional(branch)) return false;
  if (!kiln_spmd_is_one_block(branch)) return false;
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != NULL; i = LLVMGetNextInstruction(i), size++)
    if (reads_table(i)) return false;
  return size * kiln_spmd_loop_turns(branch) > MOST_UNROLLED &&
         !kiln_spmd_sees_private_arrays(LLVMGetBasicBlockParent(block));
}
