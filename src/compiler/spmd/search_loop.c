/* Recognises loops that search; see search_loop.h. Must not know what anything costs. */
#include "compiler/spmd/search_loop.h"

#include "compiler/spmd/map.h"
#include "compiler/spmd/op_cost.h"

enum { MOST_DEPTH = 6 /* of operations between a load and a branch */ };

struct search {
  const struct kl_lane_costs *in;
  const struct kl_shapes *shapes;
  uint32_t loop;
};

/* Each lane elsewhere, at a distance that is known: neither side by side nor anywhere. */
static bool is_along_rows(const struct search *s, uint32_t load) {
  const struct kl_func *f = s->in->f;
  struct kl_shape shape = kiln_shape_checked_at(s->shapes, f, kl_operand(f, load, 0), f->inst[load].bb);
  int64_t size = (int64_t)kiln_map_size(s->in->map, kiln_map_type(s->in->map, LLVMTypeOf(f->inst[load].v)));
  return shape.kind == KL_STRIDED && (shape.stride > size || shape.stride < -size);
}

/* What a turn carries to the next is not followed: a binary search takes as long for all. */
static bool reads(const struct search *s, uint32_t v, int depth) {
  const struct kl_inst *inst = &s->in->f->inst[v];
  if (depth == 0 || inst->bb == KL_NONE || s->shapes->uniform.loops.of[inst->bb] != s->loop) return false;
  if (inst->op == LLVMLoad) return is_along_rows(s, v);
  if (inst->op == LLVMPHI) return false;
  for (uint32_t k = 0; k < inst->nops; k++)
    if (reads(s, kl_operand(s->in->f, v, k), depth - 1)) return true;
  return false;
}

static bool leaves(const struct search *s, uint32_t block) {
  const struct kiln_graph *g = &s->in->f->graph;
  for (uint32_t k = g->succ0[block]; k < g->succ0[block + 1]; k++)
    if (!kiln_loops_contain(&s->shapes->uniform.loops, s->loop, g->succ[k])) return true;
  return false;
}

/* Block `block` of loop s->loop. */
static bool is_found_in(const struct search *s, uint32_t block) {
  const struct kl_block *b = &s->in->f->block[block];
  uint32_t end = b->first + b->n - 1;
  if (b->n == 0 || b->barrier != 0 || s->in->f->inst[end].op != LLVMBr || s->in->f->inst[end].nops == 0)
    return false;
  return kiln_uniform_is_divergent(&s->shapes->uniform, s->in->f, block) && leaves(s, block) &&
         reads(s, kl_operand(s->in->f, end, 0), MOST_DEPTH);
}

bool *kiln_search_loops_find(const struct kl_lane_costs *in, const struct kl_shapes *shapes) {
  const struct kiln_loops *loops = &shapes->uniform.loops;
  bool *found = kl_new(in->env, (size_t)loops->count + 1, bool);
  for (uint32_t b = 0; b < in->f->graph.n; b++) {
    struct search s = {in, shapes, loops->of[b]};
    if (s.loop != KL_NONE && !found[s.loop]) found[s.loop] = is_found_in(&s, b);
  }
  return found;
}

double kiln_search_turns(unsigned lanes) {
  double turns = 0;
  for (unsigned k = 1; k <= lanes; k++) turns += 1.0 / k;
  return turns;
}
