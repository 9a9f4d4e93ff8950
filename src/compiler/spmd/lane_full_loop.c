/* Accesses of all lanes in a loop, some of them in each turn: a fifth of the code that there would be for
 * each lane, which takes 0.6 to 0.9 of the time. Indices and values lie on the stack, of which a word holds
 * several. */
#include "compiler/spmd/lane_access.h"

enum {
  SOME = 4 /* lanes a turn */,
  FEWEST = 16 /* lanes, of which a loop has so many turns that it is short */
};

static bool takes(const struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask) {
  return kiln_lanes_is_full(mask) && l->width >= FEWEST && !kiln_access_is_compact(a);
}

struct loop {
  struct kl_lanes *l;
  struct kl_lane_loop lanes;
  LLVMValueRef index, first[SOME]; /* the first lane's number, as i64; addresses of first components */
};

static void start(struct loop *loop, const struct kl_access *a) {
  struct kl_extract addresses;
  kiln_extract_start(loop->l, &addresses, kiln_access_addresses(loop->l, a, 0), KL_EXTRACT_APART);
  kiln_lanes_open_full_loop(loop->l, &loop->lanes, SOME);
  loop->index = LLVMBuildZExt(loop->l->e->b, loop->lanes.lane, loop->l->e->map->i64, "");
  kiln_extract_lanes(&addresses, loop->index, SOME, loop->first);
}

/* LLVM would make code for each lane of a loop of which it can count the turns. */
static void finish(struct loop *loop) {
  struct kl_emit *e = loop->l->e;
  LLVMBasicBlockRef latch = LLVMGetInsertBlock(e->b);
  kiln_lanes_close_loop(loop->l, &loop->lanes);
  kiln_loop_hint(e->env->context, LLVMGetBasicBlockTerminator(latch), "llvm.loop.disable_nonforced");
}

static LLVMValueRef component(struct loop *loop, const struct kl_access *a, unsigned lane, uint32_t k) {
  LLVMValueRef offset = LLVMConstInt(loop->l->e->map->i64, (uint64_t)(a->offset[k] - a->offset[0]), true);
  return k == 0 ? loop->first[lane]
                : LLVMBuildGEP2(loop->l->e->b, loop->l->e->map->i8, loop->first[lane], &offset, 1, "");
}

bool kiln_access_store_full(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask,
                            LLVMValueRef *value) {
  LLVMBuilderRef b = l->e->b;
  struct loop loop = {.l = l};
  LLVMValueRef place[KL_MOST_COMPONENTS], one[SOME];
  if (!takes(l, a, mask)) return false;
  for (uint32_t k = 0; k < a->n; k++) {
    place[k] = LLVMBuildAlloca(l->e->top, LLVMTypeOf(value[k]), "");
    LLVMBuildStore(b, value[k], place[k]);
  }
  start(&loop, a);
  for (uint32_t k = 0; k < a->n; k++) {
    kiln_lanes_elements(l, a->type[k], place[k], loop.index, SOME, one);
    for (unsigned i = 0; i < SOME; i++)
      LLVMSetAlignment(LLVMBuildStore(b, one[i], component(&loop, a, i, k)), kiln_access_align(a, k));
  }
  finish(&loop);
  return true;
}
