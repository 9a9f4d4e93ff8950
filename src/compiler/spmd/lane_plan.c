/* Shapes, flows and the choice between scalar code and lanes; see lane_plan.h. */
#include "compiler/spmd/lane_plan.h"

#include "compiler/spmd/group.h"
#include "compiler/spmd/lane_choice.h"
#include "compiler/spmd/spin.h"
#include "compiler/spmd/stream.h"

#include <stdio.h>

struct planner {
  struct kl_lane_plan *lanes;
  struct kl_env *env;
  struct kl_program *program;
  const struct kl_func *f;
  const struct kl_plan *plan;
  struct kl_uses uses;
  uint32_t *node_of; /* by block, in the region at hand; KL_NONE elsewhere */
  bool *apart;       /* by value: kl_plan.apart of the next try; NULL: there is none */
  bool found_apart;
};

enum {
  MOST_INSTRUCTIONS = 6000, /* of a kernel that gets lanes: its code is there twice, and wider */
  GUARD_COST = 12           /* instructions that are not run for nobody */
};

/* ---- blocks ---- */

static bool is_conditional(const struct kl_func *f, uint32_t i) {
  return (f->inst[i].op == LLVMBr || f->inst[i].op == LLVMSwitch) && f->inst[i].nops == 1;
}

static bool diverges(struct planner *p, uint32_t block) {
  uint32_t last = kl_last_of(p->f, block);
  if (!is_conditional(p->f, last) || p->lanes->shapes.uniform.agreed[block]) return false;
  return kiln_shape_at(&p->lanes->shapes, p->f, kl_operand(p->f, last, 0), block).kind != KL_UNIFORM;
}

static bool touches_memory(const struct kl_inst *inst) {
  switch (inst->op) {
  case LLVMLoad:
  case LLVMStore:
  case LLVMAtomicRMW:
  case LLVMAtomicCmpXchg:
  case LLVMFence:
  case KL_FENCE:
  case KL_PRINTF:
  case LLVMCall:
    return true;
  default:
    return false;
  }
}

static bool is_shy(struct planner *p, uint32_t block) {
  uint32_t last = kl_last_of(p->f, block), cost = 0;
  unsigned op = p->f->inst[last].op;
  if (p->f->block[block].barrier != 0 || (op != LLVMBr && op != LLVMSwitch)) return true;
  if (is_conditional(p->f, last)) return true;
  for (uint32_t i = p->f->block[block].first; i < last; i++, cost++)
    if (touches_memory(&p->f->inst[i])) return true;
  return cost > GUARD_COST;
}

/* ---- regions ---- */

static void region_graph(struct planner *p, const struct kl_region *region, struct kl_flow_input *in) {
  const struct kiln_graph *g = &p->f->graph;
  size_t cap = region->nblock, n = 0;
  for (uint32_t i = 0; i < region->nblock; i++)
    cap += g->succ0[region->block[i] + 1] - g->succ0[region->block[i]];
  struct kiln_edge *edges = kl_new(p->env, cap, struct kiln_edge);
  for (uint32_t i = 0; i < region->nblock; i++) {
    uint32_t b = region->block[i], first = g->succ0[b], end = g->succ0[b + 1];
    if (p->f->block[b].barrier != 0 || first == end) {
      edges[n++] = (struct kiln_edge){i, region->nblock};
      continue;
    }
    for (uint32_t k = first; k < end; k++) edges[n++] = (struct kiln_edge){i, p->node_of[g->succ[k]]};
  }
  kiln_graph_build(&in->graph, &p->env->arena, region->nblock + 1, edges, n);
}

static bool find_flow(struct planner *p, uint32_t r) {
  const struct kl_region *region = &p->plan->region[r];
  struct kl_flow_input in = {0};
  bool *divergent = kl_new(p->env, region->nblock, bool), *shy = kl_new(p->env, region->nblock, bool);
  for (uint32_t b = 0; b < p->f->graph.n; b++) p->node_of[b] = KL_NONE;
  for (uint32_t i = 0; i < region->nblock; i++) p->node_of[region->block[i]] = i;
  for (uint32_t i = 0; i < region->nblock; i++) {
    divergent[i] = diverges(p, region->block[i]);
    shy[i] = is_shy(p, region->block[i]);
  }
  region_graph(p, region, &in);
  in.entry = p->node_of[region->entry];
  in.divergent = divergent;
  in.shy = shy;
  return kiln_flow_find(&p->lanes->flow[r], &p->env->arena, &in);
}

static bool in_divergent_loop(const struct kl_flow *flow, uint32_t node) {
  for (uint32_t l = flow->loops.of[node]; l != KL_NONE; l = flow->loops.parent[l])
    if (flow->loop_diverges[l]) return true;
  return false;
}

/* Some edge that brings v to the phi starts after the loop. */
static bool is_brought_from_outside(struct planner *p, const struct kl_flow *flow, uint32_t v, uint32_t node,
                                    uint32_t phi) {
  for (uint32_t k = 0; k < p->f->inst[phi].nops; k += 2) {
    uint32_t from = p->node_of[kl_operand(p->f, phi, k + 1)];
    if (kl_operand(p->f, phi, k) == v && from != KL_NONE && kiln_flow_is_left(flow, node, from)) return true;
  }
  return false;
}

static bool is_used_outside(struct planner *p, const struct kl_flow *flow, uint32_t v, uint32_t node) {
  if (p->plan->keep[v] != KL_KEEP_NONE) return true;
  for (uint32_t k = p->uses.first[v]; k < p->uses.first[v + 1]; k++) {
    uint32_t user = p->uses.at[k];
    if (p->f->inst[user].op == LLVMPHI) {
      if (is_brought_from_outside(p, flow, v, node, user)) return true;
      continue;
    }
    uint32_t at = p->node_of[p->f->inst[user].bb];
    if (at != KL_NONE && kiln_flow_is_left(flow, node, at)) return true;
  }
  return false;
}

static void find_kept(struct planner *p, uint32_t r) {
  const struct kl_flow *flow = &p->lanes->flow[r];
  const struct kl_region *region = &p->plan->region[r];
  p->lanes->kept[r] = kl_new(p->env, p->f->nvalue, uint8_t);
  p->lanes->latches[r] = kl_new(p->env, flow->loops.count, uint32_t);
  for (uint32_t i = 0; i < region->nblock; i++) {
    uint32_t block = region->block[i];
    for (uint32_t k = flow->node[i].succ0; k < flow->node[i].succ0 + flow->node[i].nsucc; k++) {
      uint32_t to = flow->succ[k], loop = to < flow->nblock ? flow->loops.of[to] : KL_NONE;
      if (loop != KL_NONE && flow->loops.header[loop] == to) p->lanes->latches[r][loop]++;
    }
    if (!in_divergent_loop(flow, i)) continue;
    for (uint32_t v = p->f->block[block].first; v <= kl_last_of(p->f, block); v++)
      p->lanes->kept[r][v] = is_used_outside(p, flow, v, i);
  }
}

/* ---- what lanes cannot do yet ---- */

/* A loop that lanes leave at different turns, with a barrier in some: not legal where they do, so it need not
 * be fast. */
static bool barrier_in_divergent_loop(struct planner *p) {
  const struct kl_uniform *u = &p->lanes->shapes.uniform;
  for (uint32_t b = 0; b < p->f->graph.n; b++) {
    if (p->f->block[b].barrier == 0) continue;
    for (uint32_t l = u->loops.of[b]; l != KL_NONE; l = u->loops.parent[l])
      if (u->loop_diverges[l]) return true;
  }
  return false;
}

/* Code out of line runs for one lane after the other. */
static bool callee_may_spin(struct planner *p, const struct kl_callee *callee) {
  const struct kl_func *f = callee->f;
  if (!callee->orders_memory || !kiln_graph_has_cycles(&f->graph)) return false;
  struct kl_uses uses;
  struct kiln_tree dominators, postdominators;
  struct kiln_loops loops;
  kiln_uses_find(p->env, f, &uses);
  kiln_tree_dominators(&dominators, &f->graph, &p->env->arena, 0);
  kiln_tree_postdominators(&postdominators, &f->graph, &p->env->arena);
  kiln_loops_find(&loops, &f->graph, &dominators, &p->env->arena);
  return loops.irreducible || kiln_may_spin(p->program, f, &uses, &loops, &postdominators);
}

static bool may_spin(struct planner *p) {
  for (uint32_t c = 0; c < p->program->ncallee; c++)
    if (callee_may_spin(p, &p->program->callee[c])) return true;
  const struct kl_uniform *u = &p->lanes->shapes.uniform;
  return kiln_may_spin(p->program, p->f, &p->uses, &u->loops, &u->postdom);
}

/* Vectors of parts of bytes have less room in their slot than lanes need; truth values take whole bytes. */
static bool slots_fit(struct planner *p) {
  for (uint32_t v = p->f->narg; v < p->f->ninst; v++) {
    LLVMTypeRef type = LLVMTypeOf(p->f->inst[v].v);
    if (p->plan->keep[v] != KL_KEEP_ITEM || LLVMGetTypeKind(type) != LLVMVectorTypeKind ||
        LLVMGetTypeKind(LLVMGetElementType(type)) != LLVMIntegerTypeKind)
      continue;
    unsigned bits = LLVMGetIntTypeWidth(LLVMGetElementType(type));
    if (bits != 1 && bits % 8 != 0) return false;
  }
  return true;
}

/* Whether all lanes that go on from a region to another come by one of its blocks, once; the others return.
 */
static bool is_on_the_way(struct planner *p, const struct kl_region *region, uint32_t block) {
  const struct kiln_graph *g = &p->f->graph;
  const struct kl_uniform *u = &p->lanes->shapes.uniform;
  for (uint32_t l = u->loops.of[block]; l != KL_NONE; l = u->loops.parent[l])
    if (!u->meets[l]) return false;
  bool *seen = kl_new(p->env, region->nblock, bool);
  struct kl_list todo = {0};
  kiln_list_push(p->env, &todo, region->entry);
  while (todo.n > 0) {
    uint32_t b = todo.at[--todo.n];
    if (b == block || seen[p->node_of[b]]) continue;
    seen[p->node_of[b]] = true;
    if (p->f->block[b].barrier != 0) return false;
    for (uint32_t k = g->succ0[b]; k < g->succ0[b + 1]; k++) kiln_list_push(p->env, &todo, g->succ[k]);
  }
  return true;
}

/* Of what is computed again in each region there is one form for the region's start and one for later. */
static bool is_computed_again_from(const struct planner *p, uint32_t v) {
  for (uint32_t k = p->uses.first[v]; k < p->uses.first[v + 1]; k++)
    if (p->plan->keep[p->uses.at[k]] == KL_KEEP_AGAIN) return true;
  return false;
}

enum { MOST_DEPTH = 8 };

/* A place in a private object and the like: whenever it is computed, it is the same. */
static bool never_changes(const struct planner *p, uint32_t v, unsigned depth) {
  const struct kl_inst *inst = &p->f->inst[v];
  if (v < p->f->narg || inst->op == KL_CONST || inst->op == LLVMAlloca) return true;
  if (depth == MOST_DEPTH || (inst->op != LLVMGetElementPtr && LLVMIsACastInst(inst->v) == NULL))
    return false;
  for (uint32_t k = 0; k < inst->nops; k++)
    if (!never_changes(p, kl_operand(p->f, v, k), depth + 1)) return false;
  return true;
}

/* Lanes that are in different turns of a loop do not all have a value anew. True for one that is the same for
 * a whole group, whoever computes it; others are noted for another try, in which each lane has its own, but
 * for results of sub-groups, which stay shared. */
static bool may_come_apart(struct planner *p, uint32_t v) {
  if (p->apart == NULL) return false;
  if (p->plan->keep[v] == KL_KEEP_GROUP) return !is_computed_again_from(p, v);
  if (p->plan->keep[v] == KL_KEEP_ITEM && !p->apart[v]) p->apart[v] = p->found_apart = true;
  return false;
}

/* A scalar value from before a region that is computed anew in it must be so for all lanes at once. */
static bool renewals_agree(struct planner *p, uint32_t r) {
  const struct kl_region *region = &p->plan->region[r];
  const struct kl_flow *flow = &p->lanes->flow[r];
  bool agree = true;
  for (uint32_t i = 0; i < region->nblock; i++) p->node_of[region->block[i]] = i;
  for (uint32_t i = 0; i < region->live.n; i++) {
    uint32_t v = region->live.at[i], block = p->f->inst[v].bb;
    if (block == KL_NONE || p->f->inst[v].op == LLVMAlloca || !kiln_region_has(region, block)) continue;
    if (p->lanes->shapes.of[v].kind != KL_VARYING && flow->node[p->node_of[block]].owner != flow->entry &&
        !is_on_the_way(p, region, block) && !never_changes(p, v, 0) && !may_come_apart(p, v))
      agree = false;
  }
  return agree;
}

/* Code after a loop of the region that lanes leave at different turns has one scalar of what all of them
 * have, as for the whole kernel they are in a turn of the same loop. */
static bool wants_scalar(struct planner *p, const struct kl_flow *flow, uint32_t v, uint32_t user) {
  const struct kl_inst *inst = &p->f->inst[user];
  const struct kl_shapes *shapes = &p->lanes->shapes;
  const uint32_t node = p->node_of[p->f->inst[v].bb];
  const bool is_scalar = inst->op == LLVMBr || inst->op == LLVMSwitch ||
                         (inst->op != LLVMStore && shapes->of[user].kind != KL_VARYING);
  if (!is_scalar) return false;
  if (inst->op == LLVMPHI) return is_brought_from_outside(p, flow, v, node, user);
  return p->node_of[inst->bb] != KL_NONE && kiln_flow_is_left(flow, node, p->node_of[inst->bb]) &&
         kiln_shape_at(shapes, p->f, v, inst->bb).kind != KL_VARYING;
}

static bool is_live(const struct kl_region *region, uint32_t v) {
  for (uint32_t i = 0; i < region->live.n; i++)
    if (region->live.at[i] == v) return true;
  return false;
}

/* Its slot gets that scalar before a barrier. */
static bool is_put_by_as_scalar(struct planner *p, uint32_t r, uint32_t v) {
  const struct kl_region *region = &p->plan->region[r];
  const uint32_t node = p->node_of[p->f->inst[v].bb];
  if (p->plan->keep[v] != KL_KEEP_ITEM) return false;
  for (uint32_t i = 0; i < region->nblock; i++) {
    const uint32_t barrier = p->f->block[region->block[i]].barrier;
    if (barrier != 0 && kiln_flow_is_left(&p->lanes->flow[r], node, i) &&
        is_live(&p->plan->region[barrier], v))
      return true;
  }
  return false;
}

/* What comes from before the region and is computed anew lies in a variable: see renewals_agree. What the
 * whole group shares is the same whoever has computed it. */
static bool is_left_as_scalar(struct planner *p, uint32_t r, uint32_t v) {
  if (p->plan->keep[v] == KL_KEEP_GROUP || p->plan->keep[v] == KL_KEEP_AGAIN) return false;
  if (!p->lanes->kept[r][v] || p->lanes->shapes.of[v].kind == KL_VARYING) return false;
  if (is_live(&p->plan->region[r], v)) return false;
  for (uint32_t k = p->uses.first[v]; k < p->uses.first[v + 1]; k++)
    if (wants_scalar(p, &p->lanes->flow[r], v, p->uses.at[k])) return true;
  return is_put_by_as_scalar(p, r, v);
}

/* False: there is such a value. It is noted for another try, in which each lane has its own. */
static bool has_no_left_scalars(struct planner *p, uint32_t r) {
  const struct kl_region *region = &p->plan->region[r];
  bool none = true;
  for (uint32_t i = 0; i < region->nblock; i++) {
    const struct kl_block *b = &p->f->block[region->block[i]];
    for (uint32_t v = b->first; v < b->first + b->n; v++) {
      if (!is_left_as_scalar(p, r, v)) continue;
      none = false;
      if (p->apart != NULL && !p->apart[v]) p->apart[v] = p->found_apart = true;
    }
  }
  return none;
}

static bool plan_regions(struct planner *p) {
  uint32_t n = p->plan->nregion;
  p->lanes->flow = kl_new(p->env, n, struct kl_flow);
  p->lanes->kept = kl_new(p->env, n, uint8_t *);
  p->lanes->latches = kl_new(p->env, n, uint32_t *);
  for (uint32_t r = 0; r < n; r++) {
    if (!find_flow(p, r) || !renewals_agree(p, r)) return false;
    find_kept(p, r);
    if (!has_no_left_scalars(p, r)) return false;
  }
  return true;
}

/* ---- choice ---- */

static bool is_large(const struct kl_func *f) { return f->ninst - f->narg > MOST_INSTRUCTIONS; }

static const char spins[] = "a loop may wait for what another work-item does";

/* Why the kernel gets no lanes whatever the mapping; NULL: it may get them. */
static const char *refuse_early(const struct planner *p, const struct kiln_spec *spec, unsigned native) {
  if (spec->width == 1 || (spec->width == 0 && native < 2)) return "that is asked for";
  return is_large(p->f) ? "the kernel is very large" : NULL;
}

/* Two work-items side by side are asked for; why there are none, or that. */
static const char *plan_pair(struct planner *p, const struct kiln_spec *spec) {
  const struct kl_mapping map = kiln_mapping_row(0, 2);
  struct kl_abreast *a = kl_new(p->env, 1, struct kl_abreast);
  kiln_shapes_find(&p->lanes->shapes, p->env, p->program, p->plan, &map, spec->small, false);
  if (!kiln_abreast_find(a, p->env, p->program, p->plan, &p->lanes->shapes.uniform))
    return "its regions, loops or private objects have no form for two side by side";
  if (may_spin(p)) return spins;
  p->lanes->abreast = a;
  return "that is asked for";
}

static const char *refuse_spin(struct planner *p) { return may_spin(p) ? spins : NULL; }

/* What cannot be done, once shapes are known. */
static const char *find_form(struct planner *p) {
  if (p->lanes->shapes.uniform.loops.irreducible) return "there are jumps into the middle of loops";
  if (p->apart == NULL && barrier_in_divergent_loop(p))
    return "work-items leave a loop with a barrier at different turns";
  if (!slots_fit(p)) return "vectors of parts of bytes live across a barrier";
  if (!kiln_lanes_accept(p->f, &p->lanes->shapes, p->plan, p->program->map))
    return "a value or a private object has no form in lanes";
  return plan_regions(p) ? NULL : "its control flow has no form in lanes";
}

/* As refuse_early(). */
static const char *refuse_late(struct planner *p, const struct kl_mapping *map) {
  const char *why = refuse_spin(p);
  if (why == NULL && map->width == 1) return "lanes would cost more than they gain";
  return why != NULL ? why : find_form(p);
}

static void start(struct planner *p) {
  p->node_of = kl_new(p->env, p->f->graph.n, uint32_t);
  kiln_uses_find(p->env, p->f, &p->uses);
}

static void settle(struct kl_lane_plan *lanes, const struct kl_mapping *map) {
  lanes->width = map->width;
  lanes->rest = lanes->shapes;
  lanes->rest.map.width = lanes->rest.map.run = map->rest;
}

/* ---- sub-groups ---- */

static bool has_private_objects(const struct planner *p) {
  for (uint32_t v = 0; v < p->f->ninst; v++)
    if (p->plan->place[v] != KL_PLACE_NONE) return true;
  return false;
}

/* NULL: the mapping will do. Where a barrier stands in some turns of a loop only, each lane keeps values of
 * its own that all would have in common if it was known that they are in the same turn. */
static const char *try_sub_group(struct planner *p, const struct kl_mapping *map,
                                 const struct kiln_spec *spec) {
  struct kl_plan own = *p->plan;
  uint64_t items = (uint64_t)spec->local_size[0] * spec->local_size[1] * spec->local_size[2];
  bool whole = map->rows == 1 && items != 0 && items % map->width == 0;
  const char *why = NULL;
  p->apart = kl_new(p->env, p->f->nvalue, bool);
  do {
    p->found_apart = false;
    kiln_shapes_find(&p->lanes->shapes, p->env, p->program, &own, map, spec->small, whole);
    why = find_form(p);
    own.apart = p->apart;
  } while (p->found_apart);
  p->apart = NULL;
  return why;
}

/* The last one is what has been found to do when the size was chosen. */
static void plan_sub_groups(struct planner *p, const struct kiln_kernel_info *info,
                            const struct kiln_spec *spec) {
  static const struct kiln_spec nothing_known;
  bool uniform = spec->uniform || (info->flags & KILN_KERNEL_UNIFORM_GROUPS) != 0;
  unsigned size = info->subgroup_size;
  const struct kl_mapping linear = kiln_mapping_linear(size),
                          best = kiln_mapping_of_sub_group(spec, size, uniform, has_private_objects(p));
  const struct kl_mapping *map = &best;
  const char *why = try_sub_group(p, map, spec);
  if (why != NULL) why = try_sub_group(p, map = &linear, spec);
  if (why != NULL) why = try_sub_group(p, map, &nothing_known);
  if (why != NULL) kiln_env_fail(p->env, "internal: no form for sub-groups of %u: %s", size, why);
  settle(p->lanes, map);
}

static bool callee_uses_sub_groups(struct planner *p) {
  for (uint32_t c = 0; c < p->program->ncallee; c++) {
    const struct kl_func *f = p->program->callee[c].f;
    for (uint32_t i = f->narg; i < f->ninst; i++)
      if (f->inst[i].op == KL_SUB_GROUP) return true;
  }
  return false;
}

unsigned kiln_lane_plan_sub_group(struct kl_env *env, struct kl_program *program, const struct kl_plan *plan,
                                  unsigned native, unsigned wanted, const char **why_out) {
  struct kl_lane_plan lanes = {0};
  struct planner p = {.lanes = &lanes, .env = env, .program = program, .f = program->kernel, .plan = plan};
  unsigned size = wanted != 0 ? wanted : kiln_lane_sub_group(program, native);
  struct kl_mapping map = kiln_mapping_linear(size);
  *why_out = NULL;
  if (!program->has_sub_groups || size == 1) return size;
  start(&p);
  if (is_large(p.f) && wanted == 0) *why_out = "the kernel is very large";
  else if (callee_uses_sub_groups(&p)) *why_out = "a function that is not expanded uses them";
  else *why_out = try_sub_group(&p, &map, &(struct kiln_spec){0});
  if (*why_out == NULL && wanted == 0) *why_out = refuse_spin(&p);
  return *why_out == NULL ? size : 1;
}

/* ---- interface ---- */

/* The mapping for launches like spec, and why it cannot be had after all. */
static const char *choose(struct planner *p, const struct kiln_kernel_info *info,
                          const struct kiln_spec *spec, unsigned native, struct kl_mapping *map_out) {
  struct kl_lane_choice in = {
      .costs = {.env = p->env,
                .map = p->program->map,
                .f = p->f,
                .uses = &p->uses,
                .plan = p->plan,
                .native = native < 4 ? 4 : native,
                .integer_turns = p->program->integer_turns,
                .has_half = p->program->has_half},
      .program = p->program,
      .spec = spec,
      .merges = p->lanes->merges,
      .lanes = kiln_stream_lanes(spec, info, native),
  };
  *map_out = kiln_lane_choose(&in, &p->lanes->shapes, &p->lanes->serial, &p->lanes->abreast);
  if (p->lanes->abreast != NULL && may_spin(p)) p->lanes->abreast = NULL;
  return refuse_late(p, map_out);
}

void kiln_lane_plan_make(struct kl_lane_plan *lanes, struct kl_env *env, struct kl_program *program,
                         const struct kl_plan *plan, const struct kiln_kernel_info *info,
                         const struct kiln_spec *spec, unsigned native) {
  struct planner p = {.lanes = lanes, .env = env, .program = program, .f = program->kernel, .plan = plan};
  lanes->width = lanes->sub_group = 1;
  lanes->merges = kiln_mapping_is_free(program, info);
  lanes->grain = lanes->merges ? spec->grain : 0;
  if (program->has_sub_groups) {
    lanes->sub_group = info->subgroup_size;
    lanes->is_sub_group = true;
    start(&p);
    if (lanes->sub_group > 1) plan_sub_groups(&p, info, spec);
    else kiln_lane_plan_sub_group(env, program, plan, native < 4 ? 4 : native, 0, &lanes->why);
    if (lanes->why == NULL) lanes->why = "so they were made when the program was built";
    return;
  }
  lanes->why = refuse_early(&p, spec, native);
  lanes->any_number = lanes->why != NULL && spec->width != 1;
  if (lanes->why != NULL) return;
  start(&p);
  if (spec->width == KILN_WIDTH_PAIR) {
    lanes->why = plan_pair(&p, spec);
    return;
  }
  struct kiln_spec many = *spec;
  struct kl_mapping map;
  many.most = 0;
  lanes->why = choose(&p, info, &many, native, &map);
  lanes->any_number = lanes->why != NULL && lanes->abreast == NULL;
  if (spec->most == 1) lanes->abreast = NULL;
  if (lanes->why == NULL && spec->most == 1)
    lanes->why = "there are few work-items, each for a thread of its own";
  else if (lanes->why == NULL && spec->most != 0) lanes->why = choose(&p, info, spec, native, &map);
  if (lanes->why == NULL) settle(lanes, &map);
}

void kiln_lane_plan_describe(const struct kl_lane_plan *lanes, char *out, size_t size) {
  const struct kl_mapping *map = &lanes->shapes.map;
  const char *groups = lanes->merges         ? "; work-groups side by side may run as one"
                       : lanes->is_sub_group ? ", a sub-group"
                                             : "";
  if (lanes->width == 1 && lanes->is_sub_group)
    snprintf(out, size, "one work-item at a time, and sub-groups of one: %s", lanes->why);
  else if (lanes->width == 1)
    snprintf(out, size, "%s: %s",
             lanes->abreast != NULL ? "two work-items side by side, in scalar code"
                                    : "one work-item at a time",
             lanes->why);
  else if (map->linear) snprintf(out, size, "%u lanes by linear local id%s", map->width, groups);
  else if (map->rows == 1)
    snprintf(out, size, "%u lanes along dimension %u%s", map->width, map->along, groups);
  else
    snprintf(out, size, "%u lanes along dimension %u in each of %u rows along dimension %u%s", map->run,
             map->along, map->rows, map->across, groups);
}

bool kiln_lane_plan_function(struct kl_lane_plan *lanes, struct kl_env *env, struct kl_program *program,
                             const struct kl_plan *plan, bool *varies) {
  struct planner p = {.lanes = lanes, .env = env, .program = program, .f = program->kernel, .plan = plan};
  struct kl_plan own = *plan;
  own.varies = varies;
  if (is_large(p.f)) return false;
  start(&p);
  struct kl_mapping map = kiln_mapping_row(0, lanes->width);
  kiln_shapes_find(&lanes->shapes, env, program, &own, &map, false, false);
  return !lanes->shapes.uniform.loops.irreducible && !may_spin(&p) &&
         kiln_lanes_accept(p.f, &lanes->shapes, plan, program->map) && plan_regions(&p);
}
