/* Finds loops along rows of each lane's own; see row_walks.h. */
#include "compiler/spmd/row_walks.h"

#include "compiler/spmd/apart.h"
#include "compiler/spmd/emit.h"
#include "compiler/spmd/long_loops.h"
#include "compiler/spmd/row_loop.h"
#include "compiler/spmd/word_loads.h"
#include "compiler/value.h"

enum {
  BLOCK = 32,         /* bytes of a row at a time */
  WORD = 4,           /* bytes */
  MOST_SIZE = 48,     /* instructions of a loop, */
  MOST_UNROLLED = 192 /* and of all turns taken at once */
};

struct walks {
  const struct kl_lane_costs *in;
  const struct kl_shapes *shapes;
};

/* Turns whose elements are a block of the row that the access goes along; 0: it goes along none. Lanes look
 * at places far apart. */
static uint64_t turns_of_access(const struct walks *w, uint32_t i) {
  const struct kl_func *f = w->in->f;
  if (f->inst[i].op != LLVMLoad && f->inst[i].op != LLVMStore) return 0;
  const struct kl_shape at = w->shapes->of[kl_pointer_of(f, i)];
  const bool far = at.kind == KL_STRIDED && (at.stride >= BLOCK || at.stride <= -BLOCK);
  const uint64_t size =
      kiln_map_size(w->in->map, kiln_map_type(w->in->map, LLVMTypeOf(f->inst[kl_moved_by(f, i)].v)));
  const int64_t step = kiln_row_loop_step(w->in, &w->shapes->uniform.loops, i);
  if ((at.kind != KL_VARYING && !far) || size > 8 || !kiln_is_ordinary(f->inst[i].v)) return 0;
  if (size < WORD) return step == (int64_t)size ? KL_CELL : 0;
  if (step == -(int64_t)size) return BLOCK / size;
  return step == (int64_t)size || step == 2 * (int64_t)size ? BLOCK / (uint64_t)step : 0;
}

/* A store to another object than the loop loads from, or to where it has just loaded from: later turns' loads
 * may come first. */
static bool stores_elsewhere(const struct walks *w, const struct kl_block *loop, uint32_t store) {
  const struct kl_func *f = w->in->f;
  if (!kiln_is_ordinary(f->inst[store].v)) return false;
  for (uint32_t i = loop->first; i < loop->first + loop->n; i++)
    if (f->inst[i].op == LLVMLoad && kl_pointer_of(f, i) != kl_pointer_of(f, store) &&
        !kiln_accesses_are_apart(f, i, store))
      return false;
  return true;
}

static bool only_reads(const struct kl_inst *inst) {
  switch (inst->op) {
  case LLVMStore:
  case LLVMAtomicRMW:
  case LLVMAtomicCmpXchg:
  case LLVMFence:
    return false;
  case LLVMCall:
    return kiln_call_is_pure(inst->v);
  default:
    return inst->op < KL_ARG || inst->op == KL_QUERY || inst->op == KL_DROP || inst->op == KL_SAME;
  }
}

uint64_t kiln_row_walks_turns(const struct kl_lane_costs *in, const struct kl_shapes *shapes, uint32_t loop) {
  const struct walks w = {in, shapes};
  const struct kl_func *f = in->f;
  const struct kl_uniform *u = &shapes->uniform;
  const struct kl_block *block = &f->block[u->loops.header[loop]];
  const uint64_t known = kiln_loop_turns_known(f, &u->loops, loop);
  uint64_t turns = 0;
  bool writes = false;
  if (u->loop_diverges[loop] || block->n > MOST_SIZE || !kiln_row_loop_is_counted(in, &u->loops, loop))
    return 0;
  for (uint32_t i = block->first; i < block->first + block->n; i++) {
    const uint64_t own = turns_of_access(&w, i);
    const bool is_store = f->inst[i].op == LLVMStore;
    if (own > turns) turns = own;
    writes |= is_store;
    if (is_store ? !stores_elsewhere(&w, block, i) : !only_reads(&f->inst[i])) return 0;
  }
  if (!writes && turns == BLOCK / WORD && turns * block->n > MOST_UNROLLED) turns /= 2; /* half a block */
  return (known == 0 || known >= turns) && turns * block->n <= MOST_UNROLLED ? turns : 0;
}

/* ---- narrow components ---- */

/* Components that fill a word, which are transposed in registers of words. */
static bool fills_word(struct kl_map *map, LLVMValueRef load) {
  LLVMTypeRef type = LLVMTypeOf(load);
  return LLVMGetTypeKind(type) == LLVMVectorTypeKind && kiln_map_size(map, type) == WORD &&
         LLVMGetAlignment(load) >= WORD;
}

static void load_word(struct kl_env *env, LLVMValueRef load) {
  LLVMBuilderRef b = LLVMCreateBuilderInContext(env->context);
  LLVMPositionBuilderBefore(b, load);
  LLVMValueRef word = LLVMBuildLoad2(b, LLVMInt32TypeInContext(env->context), LLVMGetOperand(load, 0), "");
  LLVMSetAlignment(word, LLVMGetAlignment(load));
  LLVMReplaceAllUsesWith(load, LLVMBuildBitCast(b, word, LLVMTypeOf(load), ""));
  LLVMInstructionEraseFromParent(load);
  LLVMDisposeBuilder(b);
}

static void load_rows_by_words(const struct walks *w, const struct kl_block *loop) {
  const struct kl_func *f = w->in->f;
  for (uint32_t i = loop->first; i < loop->first + loop->n; i++)
    if (f->inst[i].op == LLVMLoad && turns_of_access(w, i) != 0 && fills_word(w->in->map, f->inst[i].v))
      load_word(w->in->env, f->inst[i].v);
}

bool kiln_row_walks_mark(struct kl_env *env, const struct kl_program *program,
                         const struct kl_lane_plan *lanes) {
  const struct kl_lane_costs in = {.env = env, .map = program->map, .f = program->kernel};
  bool any = false;
  if (lanes->width == 1) return false;
  for (uint32_t l = 0; l < lanes->shapes.uniform.loops.count; l++) {
    LLVMValueRef branch = in.f->inst[kl_last_of(in.f, lanes->shapes.uniform.loops.header[l])].v;
    uint64_t turns = kiln_spmd_turns_put_off(branch);
    const bool is_decided = kiln_spmd_unrolling_is_decided(branch) && !kiln_spmd_is_kept_for_now(branch);
    if (turns == 0 && lanes->shapes.map.rows == 1 && !is_decided)
      turns = kiln_row_walks_turns(&in, &lanes->shapes, l);
    if (turns == 0) continue;
    load_rows_by_words(&(struct walks){&in, &lanes->shapes},
                       &in.f->block[lanes->shapes.uniform.loops.header[l]]);
    kiln_loop_unroll_by(env->context, branch, KL_UNROLL_COUNT, turns);
    any = true;
  }
  return any;
}
