/* Marks loops that stay loops; see long_loops.h. */
#include "compiler/spmd/long_loops.h"

#include "compiler/spmd/emit.h"
#include "compiler/value.h"

#include <llvm-c/Core.h>
#include <string.h>

enum {
  MOST_DEPTH = 4,     /* of operations between a counter and what it bounds */
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

/* What ends a loop: a number that grows by step in each turn, beginning with start, and its limit. */
struct counter {
  LLVMValueRef phi, start, limit;
  int64_t step; /* not 0 */
};

/* Of the loop that the branch closes. */
static bool find_counter(LLVMValueRef branch, struct counter *c) {
  if (LLVMGetInstructionOpcode(branch) != LLVMBr || !LLVMIsConditional(branch)) return false;
  LLVMBasicBlockRef latch = LLVMGetInstructionParent(branch);
  LLVMValueRef test = LLVMGetCondition(branch);
  if (!LLVMIsAICmpInst(test)) return false;
  LLVMValueRef next = LLVMGetOperand(test, 0);
  c->limit = LLVMGetOperand(test, 1);
  if (!LLVMIsAInstruction(next) || LLVMGetInstructionOpcode(next) != LLVMAdd) return false;
  LLVMValueRef step = LLVMGetOperand(next, 1);
  c->phi = LLVMGetOperand(next, 0);
  if (!LLVMIsAPHINode(c->phi) || !LLVMIsAConstantInt(step) || kiln_phi_from(c->phi, latch) != next)
    return false;
  c->step = LLVMConstIntGetSExtValue(step);
  LLVMBasicBlockRef header = LLVMGetInstructionParent(c->phi);
  if (LLVMGetSuccessor(branch, 0) != header && LLVMGetSuccessor(branch, 1) != header) return false;
  c->start = phi_from_other(c->phi, latch);
  return c->start != NULL && c->step != 0;
}

LLVMValueRef kiln_spmd_loop_limit(LLVMValueRef branch) {
  struct counter c;
  return find_counter(branch, &c) ? c.limit : NULL;
}

static uint64_t turns_between(int64_t start, int64_t limit, int64_t step) {
  const int64_t count = (limit - start) / step;
  return count > 0 ? (uint64_t)count : 0;
}

uint64_t kiln_spmd_loop_turns(LLVMValueRef branch) {
  struct counter c;
  if (!find_counter(branch, &c) || !LLVMIsAConstantInt(c.start) || !LLVMIsAConstantInt(c.limit)) return 0;
  return turns_between(LLVMConstIntGetSExtValue(c.start), LLVMConstIntGetSExtValue(c.limit), c.step);
}

/* The branch that closes a loop which the phi counts the turns of, or NULL. */
static LLVMValueRef counted_by(LLVMValueRef phi, struct counter *c) {
  for (unsigned k = 0; LLVMIsAPHINode(phi) && k < LLVMCountIncoming(phi); k++) {
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(phi, k));
    if (find_counter(branch, c) && c->phi == phi) return branch;
  }
  return NULL;
}

/* A constant, or what a counter between constants is in the middle of its turns, plus or minus one. */
static bool find_middle(LLVMValueRef v, unsigned depth, int64_t *middle) {
  struct counter c;
  if (LLVMIsAConstantInt(v)) {
    *middle = LLVMConstIntGetSExtValue(v);
    return true;
  }
  LLVMValueRef branch = counted_by(v, &c);
  if (branch != NULL) {
    /* known where start and limit are constants */
    const int64_t turns = (int64_t)kiln_spmd_loop_turns(branch);
    if (turns != 0) *middle = LLVMConstIntGetSExtValue(c.start) + c.step * turns / 2;
    return turns != 0;
  }
  int64_t by;
  if (depth == 0 || !LLVMIsAInstruction(v)) return false;
  if (LLVMIsACastInst(v)) return find_middle(LLVMGetOperand(v, 0), depth - 1, middle);
  const LLVMOpcode op = LLVMGetInstructionOpcode(v);
  if ((op != LLVMAdd && op != LLVMSub) || !find_middle(LLVMGetOperand(v, 0), depth - 1, middle) ||
      !find_middle(LLVMGetOperand(v, 1), depth - 1, &by))
    return false;
  *middle += op == LLVMAdd ? by : -by;
  return true;
}

uint64_t kiln_spmd_mean_turns(LLVMValueRef branch) {
  struct counter c;
  int64_t start, limit;
  if (!find_counter(branch, &c) || !find_middle(c.start, MOST_DEPTH, &start) ||
      !find_middle(c.limit, MOST_DEPTH, &limit))
    return 0;
  return turns_between(start, limit, c.step);
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

bool kiln_spmd_is_kept_for_now(LLVMValueRef branch) { return has_mark(branch, KL_KEPT, false); }

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
      kiln_loop_keep(context, branch);
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
