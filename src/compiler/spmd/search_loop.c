/* Recognises loops that search; see search_loop.h. Must not know what anything costs. */
#include "compiler/spmd/search_loop.h"

#include "compiler/spmd/map.h"
#include "compiler/spmd/op_cost.h"

enum {
  MOST_DEPTH = 6, /* of operations between a load or a division and a branch */
  DIVISORLESS =
      8 /* numbers of which one has no divisor: primes are one in 6 below 1,000, in 10 below 65,536 */
};

struct search {
  const struct kl_lane_costs *in;
  const struct kl_shapes *shapes;
  uint32_t loop;
};

/* Lanes read each elsewhere, at a distance that is known; or side by side, each at a place of its own in one
 * text, where there are no masked loads of elements as narrow: once a lane has left, the others load one
 * after the other. */
static enum kl_search reading(const struct search *s, uint32_t load) {
  const struct kl_func *f = s->in->f;
  const uint32_t pointer = kl_operand(f, load, 0);
  struct kl_shape shape = kiln_shape_checked_at(s->shapes, f, pointer, f->inst[load].bb);
  int64_t size = (int64_t)kiln_map_size(s->in->map, kiln_map_type(s->in->map, LLVMTypeOf(f->inst[load].v)));
  if (shape.kind != KL_STRIDED) return KL_NO_SEARCH;
  if (shape.stride > size || shape.stride < -size) return KL_SEARCH_ROW;
  const bool is_text = shape.stride == size && shape.alike == 0 && s->shapes->unit[pointer] == 0;
  return is_text && !kiln_lanes_has_masked_rows((uint64_t)size, s->in->native) ? KL_SEARCH_TEXT
                                                                               : KL_NO_SEARCH;
}

/* All work-items try the same divisors, which change from turn to turn, each with a number of its own. */
static bool is_trial(const struct search *s, uint32_t v) {
  const struct kl_func *f = s->in->f;
  const struct kiln_loops *loops = &s->shapes->uniform.loops;
  if (!kl_is_division(f->inst[v].op)) return false;
  const uint32_t divisor = kiln_lanes_shared_divisor(f, s->shapes, v);
  uint32_t number = kl_operand(f, v, 0);
  while (f->inst[number].op == LLVMFreeze) number = kl_operand(f, number, 0);
  if (divisor == KL_NONE) return false;
  return f->inst[divisor].bb != KL_NONE && loops->of[f->inst[divisor].bb] == s->loop &&
         (f->inst[number].bb == KL_NONE || loops->of[f->inst[number].bb] != s->loop);
}

/* What decides on the way out. What a turn carries to the next is not followed: a binary search takes as long
 * for all. */
static enum kl_search find_reason(const struct search *s, uint32_t v, int depth) {
  const struct kl_inst *inst = &s->in->f->inst[v];
  if (depth == 0 || inst->bb == KL_NONE || s->shapes->uniform.loops.of[inst->bb] != s->loop)
    return KL_NO_SEARCH;
  if (inst->op == LLVMLoad) return reading(s, v);
  if (inst->op == LLVMPHI) return KL_NO_SEARCH;
  if (inst->nops == 2 && is_trial(s, v)) return KL_SEARCH_DIVISOR;
  for (uint32_t k = 0; k < inst->nops; k++) {
    enum kl_search found = find_reason(s, kl_operand(s->in->f, v, k), depth - 1);
    if (found != KL_NO_SEARCH) return found;
  }
  return KL_NO_SEARCH;
}

/* Block `block` of loop s->loop. */
static enum kl_search find_in(const struct search *s, uint32_t block) {
  const struct kl_block *b = &s->in->f->block[block];
  uint32_t end = b->first + b->n - 1;
  if (b->n == 0 || b->barrier != 0 || s->in->f->inst[end].op != LLVMBr || s->in->f->inst[end].nops == 0)
    return KL_NO_SEARCH;
  if (!kiln_uniform_is_divergent(&s->shapes->uniform, s->in->f, block) ||
      !kiln_loops_leave(&s->shapes->uniform.loops, &s->in->f->graph, s->loop, block))
    return KL_NO_SEARCH;
  return find_reason(s, kl_operand(s->in->f, end, 0), MOST_DEPTH);
}

enum kl_search *kiln_search_loops_find(const struct kl_lane_costs *in, const struct kl_shapes *shapes) {
  const struct kiln_loops *loops = &shapes->uniform.loops;
  enum kl_search *found = kl_new(in->env, (size_t)loops->count + 1, enum kl_search);
  for (uint32_t b = 0; b < in->f->graph.n; b++) {
    struct search s = {in, shapes, loops->of[b]};
    if (s.loop != KL_NONE && found[s.loop] == KL_NO_SEARCH) found[s.loop] = find_in(&s, b);
  }
  return found;
}

/* One of DIVISORLESS numbers takes all the turns, the others next to none. */
static double turns_to_divisors(unsigned lanes) {
  double none = 1;
  for (unsigned k = 0; k < lanes; k++) none *= 1 - 1.0 / DIVISORLESS;
  return DIVISORLESS * (1 - none);
}

double kiln_search_turns(enum kl_search search, unsigned lanes) {
  double turns = 0;
  if (search == KL_NO_SEARCH) return 1;
  if (search == KL_SEARCH_DIVISOR) return turns_to_divisors(lanes);
  for (unsigned k = 1; k <= lanes; k++) turns += 1.0 / k;
  return turns;
}
