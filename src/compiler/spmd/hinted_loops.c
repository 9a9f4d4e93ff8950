/* Unrolls loops in part; see hinted_loops.h. LLVM takes the turns apart and leaves a loop for the rest; that
 * the counter of what is left of the loop is a multiple of the turns taken at once it would find out by
 * instcombine, which makes forms that lowering does not read. So that is done here. */
#include "compiler/spmd/hinted_loops.h"

#include "compiler/large.h"
#include "compiler/spmd/emit.h"
#include "compiler/spmd/long_loops.h"
#include "compiler/spmd/turn_counter.h"
#include "compiler/value.h"

#include <llvm-c/Core.h>
#include <stddef.h>
#include <stdint.h>

enum {
  MOST_STEPS = 256,    /* from one turn's counter to the next's */
  MOST_UNROLLED = 5000 /* instructions; kernels of 6,000 get no lanes (lane_plan.c) */
};

/* ---- low bits of counters ---- */

/* v is base plus offset; grows: by steps that are not negative and do not wrap. */
struct sum {
  LLVMValueRef base;
  uint64_t offset;
  bool grows;
};

static bool is_small(LLVMValueRef v) {
  return LLVMIsAConstantInt(v) && LLVMGetIntTypeWidth(LLVMTypeOf(v)) <= 64;
}

static struct sum take_apart(LLVMValueRef v) {
  struct sum s = {v, 0, true};
  for (unsigned i = 0; i < MOST_STEPS && LLVMIsAInstruction(s.base); i++) {
    if (LLVMGetInstructionOpcode(s.base) != LLVMAdd || !is_small(LLVMGetOperand(s.base, 1))) break;
    s.offset += LLVMConstIntGetZExtValue(LLVMGetOperand(s.base, 1));
    s.grows &= LLVMGetNSW(s.base) && LLVMConstIntGetSExtValue(LLVMGetOperand(s.base, 1)) >= 0;
    s.base = LLVMGetOperand(s.base, 0);
  }
  return s;
}

/* The low bits (mask: a power of two less one) of a counter plus a number are the same in each turn:
 * *bits_out. positive: they count only if the sum is never negative. */
static bool find_low_bits(LLVMValueRef v, uint64_t mask, bool positive, uint64_t *bits_out) {
  struct sum s = take_apart(v);
  bool is_known = false;
  uint64_t start = 0;
  if (!LLVMIsAPHINode(s.base) || (positive && !s.grows)) return false;
  for (unsigned k = 0, n = LLVMCountIncoming(s.base); k < n; k++) {
    LLVMValueRef from = LLVMGetIncomingValue(s.base, k);
    if (is_small(from)) {
      uint64_t bits = LLVMConstIntGetZExtValue(from) & mask;
      if ((is_known && bits != start) || (positive && LLVMConstIntGetSExtValue(from) < 0)) return false;
      start = bits;
      is_known = true;
      continue;
    }
    struct sum next = take_apart(from);
    if (next.base != s.base || (next.offset & mask) != 0 || (positive && !next.grows)) return false;
  }
  *bits_out = (start + s.offset) & mask;
  return is_known;
}

/* x & 3, x % 4. */
static bool asks_for_low_bits(LLVMValueRef i, uint64_t *mask_out, bool *positive_out) {
  LLVMOpcode op = LLVMGetInstructionOpcode(i);
  if (op != LLVMAnd && op != LLVMURem && op != LLVMSRem) return false;
  if (!is_small(LLVMGetOperand(i, 1))) return false;
  *mask_out = LLVMConstIntGetZExtValue(LLVMGetOperand(i, 1)) - (op == LLVMAnd ? 0 : 1);
  *positive_out = op == LLVMSRem;
  return *mask_out < (1u << 16) && (*mask_out & (*mask_out + 1)) == 0;
}

static void fold_low_bits(LLVMValueRef fn) {
  uint64_t mask, bits;
  bool positive;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b != NULL; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i != NULL; i = LLVMGetNextInstruction(i))
      if (asks_for_low_bits(i, &mask, &positive) &&
          find_low_bits(LLVMGetOperand(i, 0), mask, positive, &bits))
        LLVMReplaceAllUsesWith(i, LLVMConstInt(LLVMTypeOf(i), bits, false));
}

/* ---- loops ---- */

static bool has_hints(LLVMValueRef fn) {
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b != NULL; b = LLVMGetNextBasicBlock(b))
    if (kiln_spmd_turns_asked_for(LLVMGetBasicBlockTerminator(b)) != 0) return true;
  return false;
}

static uint64_t size_of_function(LLVMValueRef fn) {
  uint64_t n = 0;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b != NULL; b = LLVMGetNextBasicBlock(b))
    n += kiln_spmd_block_size(b);
  return n;
}

/* Instructions of a loop at most; of one of several blocks little is known here. */
static uint64_t size_of_loop(LLVMValueRef branch, uint64_t function) {
  return kiln_spmd_is_one_block(branch) ? kiln_spmd_block_size(LLVMGetInstructionParent(branch)) : function;
}

enum { UNTOLD_TURNS = 8 /* as LLVM takes where it may choose */ };

/* A load of bytes or shorts, one after the other. */
static bool goes_along_narrow_row(LLVMValueRef load, LLVMBasicBlockRef loop) {
  LLVMTypeRef type = LLVMTypeOf(load);
  return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) <= 16 &&
         kiln_spmd_goes_by_elements(load, loop);
}

/* One block that reads rows of bytes or shorts and has no other effect: LLVM's vectorizer puts the elements
 * of a row side by side, which is several times as fast as lanes with rows of their own, but not those of
 * some turns at once. */
static bool waits_for_lanes(LLVMValueRef branch) {
  LLVMBasicBlockRef loop = LLVMGetInstructionParent(branch);
  uint64_t mask;
  bool positive, any = false;
  if (!kiln_spmd_is_one_block(branch)) return false;
  for (LLVMValueRef i = LLVMGetFirstInstruction(loop); i != NULL; i = LLVMGetNextInstruction(i)) {
    if (kiln_may_write(i) || LLVMIsACallInst(i) || asks_for_low_bits(i, &mask, &positive)) return false;
    any |= LLVMIsALoadInst(i) && goes_along_narrow_row(i, loop);
  }
  return any;
}

/* Loops that go away as a whole may be the point of it all (the rounds of a digest): those are left to LLVM
 * unless they are sure to be too large. */
static void bound_hint(LLVMValueRef branch, uint64_t function) {
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(branch));
  uint64_t asked = kiln_spmd_turns_asked_for(branch), turns = kiln_spmd_loop_turns(branch);
  bool whole = turns != 0 && asked >= turns, untold = turns == 0 && asked == UINT64_MAX;
  if (asked == 0) return;
  uint64_t size = size_of_loop(branch, whole ? 0 : function);
  if (!untold && size * (whole ? turns : asked) > MOST_UNROLLED)
    kiln_loop_hint(context, branch, "llvm.loop.unroll.disable");
  else if (!whole && waits_for_lanes(branch))
    kiln_loop_unroll_by(context, branch, KL_UNROLL_LATER, untold ? UNTOLD_TURNS : asked);
}

void kiln_spmd_bound_hints(LLVMModuleRef module) {
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
    if (!has_hints(f)) continue;
    uint64_t size = size_of_function(f);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b != NULL; b = LLVMGetNextBasicBlock(b))
      bound_hint(LLVMGetBasicBlockTerminator(b), size);
  }
}

LLVMErrorRef kiln_spmd_unroll_hinted(LLVMModuleRef module) {
  static const struct kiln_pass_lists unroll = {.usual = "loop-unroll", .frugal = "dce"},
                                      clean = {.usual =
                                                   "early-cse<memssa>,sroa,early-cse<memssa>," KILN_SIMPLIFY
                                                   ",dce",
                                               .frugal = "dce"};
  LLVMValueRef hinted = LLVMGetFirstFunction(module);
  while (hinted != NULL && !has_hints(hinted)) hinted = LLVMGetNextFunction(hinted);
  if (hinted == NULL) return NULL;
  LLVMErrorRef error = kiln_large_run_passes(module, NULL, &unroll);
  if (error != NULL) return error;
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) fold_low_bits(f);
  return kiln_large_run_passes(module, NULL, &clean);
}
