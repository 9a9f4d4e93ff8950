/* Code in which lanes take turns; see serial_regions.h. */
#include "compiler/spmd/serial_regions.h"

#include "compiler/spmd/op_cost.h"

enum {
  START = 30,         /* of a loop over lanes: its end is foretold badly */
  EDGE = 8,           /* of an edge by which lanes leave, and of a register that they bring */
  TURN = 5,           /* of each turn */
  MISSED = 8,         /* a branch that work-items take differently, foretold badly at times */
  MOST_SIZE = 400,    /* instructions */
  MOST_TWICE = 64,    /* of what is there for vectors, too, in a function */
  MOST_IN_ALL = 1000, /* of a function where anything is */
  AGAIN = 2 /* times more that a vector takes what goes lane by lane, where few lanes are on: until the last
               one leaves a loop */
};

#define WORTH 0.8
#define LONGER 0.5 /* the same where lanes are on as usual */
#define MOSTLY 0.6 /* of the cost of vectors goes lane by lane */
#define FEW 0.25   /* of the share that comes elsewhere */

struct finder {
  const struct kl_lane_costs *in;
  const struct kl_shapes *shapes;
  const struct kl_func *f;
  const struct kiln_tree *dom;
  const struct kiln_loops *loops;
  const uint32_t *turns;
  const bool *bounds;
  /* By block, of all that it dominates: */
  double *vectors, *sparse, *scalar; /* cost of a vector; what it is more if few lanes are on; of a lane */
  double *whole;                     /* of a lane that runs both sides of each branch */
  double *apart;                     /* of a vector, what goes lane by lane */
  uint32_t *size;
  bool *never;       /* some of it has no such form */
  uint32_t *in_tree; /* blocks as the tree of dominators numbers them */
};

/* ---- what can be done so ---- */

static bool accepts_op(unsigned op) {
  return op != LLVMRet && op != LLVMUnreachable && op != LLVMFence && op != KL_SUB_GROUP && op != KL_FENCE &&
         op != KL_LIFETIME && op != LLVMAlloca && !kl_is_barrier(op);
}

/* Components of an OpenCL vector that lie apart: of an array that lies lane by lane. */
static bool is_apart(const struct finder *d, uint32_t i) {
  const unsigned op = d->f->inst[i].op;
  return (op == LLVMLoad || op == LLVMStore) && d->shapes->unit[kl_pointer_of(d->f, i)] != 0 &&
         kiln_type_parts(LLVMTypeOf(d->f->inst[kl_moved_by(d->f, i)].v)) > 1;
}

/* Of an array that lies lane by lane. */
static bool is_passed(const struct finder *d, uint32_t i) {
  for (uint32_t k = 0; d->f->inst[i].op == LLVMCall && k < d->f->inst[i].nops; k++)
    if (d->shapes->unit[kl_operand(d->f, i, k)] != 0) return true;
  return false;
}

/* Values are not kept for code after a barrier. */
static bool accepts(const struct finder *d, uint32_t i) {
  return accepts_op(d->f->inst[i].op) && d->in->plan->keep[i] == KL_KEEP_NONE && !is_apart(d, i) &&
         !is_passed(d, i);
}

static bool is_within(const struct finder *d, uint32_t root, uint32_t v) {
  const uint32_t block = d->f->inst[v].bb;
  return block != KL_NONE && kiln_tree_above(d->dom, root, block);
}

/* What is passed on to code for vectors can be for each lane only. */
static bool passes(const struct finder *d, uint32_t root, uint32_t block) {
  const struct kiln_graph *g = &d->f->graph;
  for (uint32_t e = g->succ0[block]; e < g->succ0[block + 1]; e++) {
    const uint32_t to = g->succ[e];
    if (to == root) return false;
    if (kiln_tree_above(d->dom, root, to)) continue;
    for (uint32_t i = d->f->block[to].first; i < kl_end_of_phis(d->f, to); i++)
      if (is_within(d, root, kl_phi_input(d->f, i, block)) &&
          (d->shapes->of[i].kind != KL_VARYING || d->shapes->checked[i].kind != KL_VARYING))
        return false;
  }
  return true;
}

static bool passes_all(const struct finder *d, uint32_t root) {
  for (uint32_t k = d->dom->pre[root]; k < d->dom->end[root]; k++)
    if (!passes(d, root, d->in_tree[k])) return false;
  return true;
}

/* ---- costs ---- */

static bool is_side(const struct finder *d, uint32_t block) {
  return kiln_uniform_is_side(&d->shapes->uniform, d->f, block);
}

static double lane_cost(const struct finder *d, uint32_t i) {
  const struct kl_inst *inst = &d->f->inst[i];
  if (inst->op == KL_DROP) return 0;
  if (kiln_uniform_is_divergent(&d->shapes->uniform, d->f, inst->bb) && i == kl_last_of(d->f, inst->bb))
    return MISSED;
  return kiln_scalar_op_cost(d->in, i);
}

/* Blocks come after those that dominate them. */
static void add_up(struct finder *d, const struct kl_lane_cost *vectors) {
  for (uint32_t b = d->f->graph.n; b-- > 0;) {
    const double w = kl_weight(d->loops, d->turns, b);
    d->vectors[b] += vectors[b].total;
    d->sparse[b] += vectors[b].sparse;
    d->apart[b] += vectors[b].per_lane;
    d->size[b] += d->f->block[b].n;
    for (uint32_t i = d->f->block[b].first; i <= kl_last_of(d->f, b); i++) {
      const double cost = w * lane_cost(d, i);
      d->scalar[b] += cost;
      d->whole[b] += cost;
      d->never[b] |= !accepts(d, i);
    }
    const uint32_t above = d->dom->parent[b];
    if (above == KILN_NONE) continue;
    d->vectors[above] += d->vectors[b];
    d->sparse[above] += d->sparse[b];
    d->apart[above] += d->apart[b];
    d->scalar[above] += d->scalar[b] * (is_side(d, b) ? SHARE : 1);
    d->whole[above] += d->whole[b];
    d->size[above] += d->size[b];
    d->never[above] |= d->never[b];
  }
}

/* Of a vector: components that leave by an edge, which turns put into them. */
static uint32_t components_out(const struct finder *d, uint32_t root, uint32_t from, uint32_t to) {
  uint32_t n = 0;
  for (uint32_t i = d->f->block[to].first; i < kl_end_of_phis(d->f, to); i++)
    if (is_within(d, root, kl_phi_input(d->f, i, from))) n += kiln_type_parts(LLVMTypeOf(d->f->inst[i].v));
  return n;
}

static uint32_t condition_of(const struct finder *d, uint32_t block) {
  return kl_operand(d->f, kl_last_of(d->f, block), 0);
}

/* The private object that v is an element of; KL_NONE: of none. */
static uint32_t loaded_from(const struct finder *d, uint32_t v) {
  if (d->f->inst[v].op != LLVMLoad || d->shapes->unit[kl_operand(d->f, v, 0)] == 0) return KL_NONE;
  return kl_object_of(d->f, kl_operand(d->f, v, 0));
}

static bool stores_to(const struct finder *d, uint32_t root, uint32_t object) {
  for (uint32_t k = d->dom->pre[root]; k < d->dom->end[root]; k++) {
    const struct kl_block *b = &d->f->block[d->in_tree[k]];
    for (uint32_t i = b->first; i < b->first + b->n; i++)
      if (d->f->inst[i].op == LLVMStore && kl_object_of(d->f, kl_operand(d->f, i, 1)) == object) return true;
  }
  return false;
}

/* Runs for what is better than the worst of those kept, and keeps it: ever less does so. */
static bool replaces_worst(const struct finder *d, uint32_t root) {
  const uint32_t test = condition_of(d, d->dom->parent[root]);
  if (d->f->inst[test].op != LLVMICmp && d->f->inst[test].op != LLVMFCmp) return false;
  for (uint32_t k = 0; k < 2; k++) {
    const uint32_t object = loaded_from(d, kl_operand(d->f, test, k));
    if (object != KL_NONE && stores_to(d, root, object)) return true;
  }
  return false;
}

/* Lanes of a vector that come to it. */
static double lanes_on(const struct finder *d, uint32_t root) {
  return d->shapes->map.width * SHARE * (replaces_worst(d, root) ? FEW : 1);
}

/* lanes: that come to it. */
static double cost_to_leave(const struct finder *d, uint32_t root, double lanes) {
  const struct kiln_graph *g = &d->f->graph;
  double cost = 0;
  for (uint32_t k = d->dom->pre[root]; k < d->dom->end[root]; k++) {
    const uint32_t b = d->in_tree[k];
    for (uint32_t e = g->succ0[b]; e < g->succ0[b + 1]; e++) {
      if (kiln_tree_above(d->dom, root, g->succ[e])) continue;
      cost += EDGE + (EDGE + lanes) * components_out(d, root, b, g->succ[e]);
    }
  }
  return cost;
}

static double serial_cost(const struct finder *d, uint32_t root) {
  const double lanes = lanes_on(d, root);
  const double w = kl_weight(d->loops, d->turns, root);
  return w * (START + cost_to_leave(d, root, lanes) + lanes * TURN) + lanes * d->scalar[root];
}

static double least(double a, double b) { return a < b ? a : b; }

/* The rest of each turn of a loop that lanes leave one by one, in which vectors would only be taken apart and
 * put together again: tries walked down so take 2.6 times as long as one after the other. */
static bool is_rest_of_turn(const struct finder *d, uint32_t root) {
  const uint32_t loop = d->loops->of[root], branch = d->dom->parent[root];
  return loop != KL_NONE && d->loops->of[branch] == loop &&
         kiln_loops_leave(d->loops, &d->f->graph, loop, branch);
}

static bool share_operand(const struct finder *d, uint32_t a, uint32_t b) {
  for (uint32_t k = 0; k < d->f->inst[a].nops; k++)
    for (uint32_t j = 0; j < d->f->inst[b].nops; j++) {
      const uint32_t v = kl_operand(d->f, a, k);
      if (v == kl_operand(d->f, b, j) && d->f->inst[v].op != KL_CONST) return true;
    }
  return false;
}

/* The way into a loop, for which is tested what is tested before each other turn: few lanes take no turn. */
static bool is_way_in(const struct finder *d, uint32_t root) {
  const struct kiln_graph *g = &d->f->graph;
  if (g->succ0[root + 1] != g->succ0[root] + 1) return false;
  const uint32_t header = g->succ[g->succ0[root]], loop = d->loops->of[header];
  if (!kiln_loops_begin(d->loops, header) || kiln_loops_contain(d->loops, loop, root)) return false;
  for (uint32_t p = g->pred0[header]; p < g->pred0[header + 1]; p++) {
    const uint32_t from = g->pred[p];
    if (kiln_loops_contain(d->loops, loop, from) && d->f->inst[kl_last_of(d->f, from)].op == LLVMBr &&
        g->succ0[from + 1] == g->succ0[from] + 2 &&
        share_operand(d, condition_of(d, from), condition_of(d, d->dom->parent[root])))
      return true;
  }
  return false;
}

/* A loop that lanes leave at different turns. */
static bool has_own_loop(const struct finder *d, uint32_t root) {
  for (uint32_t k = d->dom->pre[root] + 1; k < d->dom->end[root]; k++) {
    const uint32_t block = d->in_tree[k];
    if (kiln_loops_begin(d->loops, block) && d->shapes->uniform.loop_diverges[d->loops->of[block]])
      return true;
  }
  return false;
}

static bool has_loop(const struct finder *d, uint32_t root) {
  uint32_t k = d->dom->pre[root];
  while (k < d->dom->end[root] && d->loops->of[d->in_tree[k]] == KL_NONE) k++;
  return k < d->dom->end[root];
}

static bool is_worth(const struct finder *d, uint32_t root) {
  if (!is_side(d, root) || d->bounds[d->dom->parent[root]] || d->never[root] || d->size[root] > MOST_SIZE)
    return false;
  if (kiln_loops_begin(d->loops, root) || is_rest_of_turn(d, root) || is_way_in(d, root)) return false;
  const double longer = d->size[root] <= MOST_TWICE && has_own_loop(d, root) ? LONGER * d->apart[root] : 0;
  return serial_cost(d, root) < WORTH * (d->vectors[root] + d->sparse[root] + longer) && passes_all(d, root);
}

/* ---- where few lanes are on ---- */

/* Some lanes have gone another way, for another reason than bounds of their ids. */
static bool may_be_few(const struct finder *d, uint32_t root) {
  const struct kiln_graph *g = &d->f->graph;
  for (uint32_t p = g->pred0[root]; p < g->pred0[root + 1]; p++)
    if (kiln_uniform_is_divergent(&d->shapes->uniform, d->f, g->pred[p]) && !d->bounds[g->pred[p]] &&
        !kiln_tree_above(d->dom, root, g->pred[p]))
      return true;
  return false;
}

static uint8_t most_few(const struct finder *d, uint32_t root) {
  if (kiln_loops_begin(d->loops, root) || d->never[root] || is_way_in(d, root) ||
      d->apart[root] < MOSTLY * d->vectors[root] || !may_be_few(d, root) || !has_own_loop(d, root) ||
      !passes_all(d, root))
    return 0;
  const double w = kl_weight(d->loops, d->turns, root),
               vectors = d->vectors[root] + d->sparse[root] + AGAIN * d->apart[root],
               lanes = (vectors - w * (START + cost_to_leave(d, root, 1))) / (w * TURN + d->scalar[root]);
  return lanes < 1 ? 0 : (uint8_t)least(lanes, d->shapes->map.width / 2);
}

struct kl_serial_regions kiln_serial_regions_find(const struct kl_lane_costs *in,
                                                  const struct kl_shapes *shapes, const uint32_t *turns,
                                                  const bool *bounds, const struct kl_lane_cost *vectors) {
  const uint32_t n = in->f->graph.n;
  uint32_t left = in->f->ninst <= MOST_IN_ALL ? MOST_TWICE : 0;
  struct finder d = {.in = in,
                     .shapes = shapes,
                     .f = in->f,
                     .dom = &shapes->uniform.dom,
                     .loops = &shapes->uniform.loops,
                     .turns = turns,
                     .bounds = bounds,
                     .vectors = kl_new(in->env, n, double),
                     .sparse = kl_new(in->env, n, double),
                     .apart = kl_new(in->env, n, double),
                     .scalar = kl_new(in->env, n, double),
                     .whole = kl_new(in->env, n, double),
                     .size = kl_new(in->env, n, uint32_t),
                     .never = kl_new(in->env, n, bool),
                     .in_tree = kl_new(in->env, n, uint32_t)};
  uint32_t *root = kl_new(in->env, n, uint32_t);
  uint8_t *few = kl_new(in->env, n, uint8_t);
  bool *twice = kl_new(in->env, n, bool);
  struct kl_serial_regions r = {.turns = {root, few, twice}};
  for (uint32_t b = 0; b < n; b++) d.in_tree[d.dom->pre[b]] = b;
  add_up(&d, vectors);
  for (uint32_t b = 0; b < n; b++) {
    const uint32_t above = d.dom->parent[b];
    root[b] = above == KILN_NONE ? KL_NONE : root[above];
    twice[b] = above != KILN_NONE && twice[above];
    if (above == KILN_NONE || root[b] != KL_NONE) continue;
    if (!is_worth(&d, b)) {
      if (!twice[b] && d.size[b] <= left) few[b] = most_few(&d, b);
      if (few[b] != 0) left -= d.size[b], twice[b] = true;
      continue;
    }
    root[b] = b;
    r.left_out += d.whole[b] - SHARE * d.scalar[b];
    const double cost = least(serial_cost(&d, b), d.vectors[b]);
    r.cost += cost;
    if (has_loop(&d, b)) r.in_loops += cost;
  }
  return r;
}
