/* Partial linearization on random control flow: every lane must run the blocks it would run alone, in order;
 * work-items that agree on a branch must meet there; nothing shy may run for nobody. */
#include "compiler/spmd/flow.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 400, LANES = 8, TRACE = 4000, LOOPS = 60, TURNS = 5 };

struct program {
  uint32_t n, succ[BLOCKS][2], nsucc[BLOCKS];
  bool divergent[BLOCKS], shy[BLOCKS];
  uint32_t loop_of[BLOCKS]; /* innermost, as it was written */
  uint32_t nloop, header[LOOPS], parent[LOOPS];
  uint32_t random, budget;
};

static uint32_t next_random(struct program *p) {
  p->random = p->random * 1664525u + 1013904223u;
  return p->random >> 8;
}

static uint32_t mix(uint32_t a, uint32_t b) {
  uint32_t x = a * 0x9e3779b1u ^ (b + 0x7f4a7c15u + (a << 6) + (a >> 2));
  x ^= x >> 15, x *= 0x2c1b3c6du, x ^= x >> 12;
  return x;
}

/* ---- making programs ---- */

struct frame {
  uint32_t loop, out; /* innermost loop and the block after it; KILN_NONE outside */
};

static uint32_t new_block(struct program *p, uint32_t loop) {
  p->loop_of[p->n] = loop;
  return p->n++;
}

static void go(struct program *p, uint32_t from, uint32_t to) { p->succ[from][p->nsucc[from]++] = to; }

static void choose(struct program *p, uint32_t from, uint32_t a, uint32_t b) {
  go(p, from, a);
  go(p, from, b);
  p->divergent[from] = next_random(p) % 2;
  p->shy[from] = true;
}

static uint32_t make_body(struct program *p, uint32_t at, struct frame frame, unsigned depth);

static uint32_t make_if(struct program *p, uint32_t at, struct frame frame, unsigned depth) {
  uint32_t then = new_block(p, frame.loop), join = new_block(p, frame.loop), other = join;
  bool has_else = next_random(p) % 2;
  if (has_else) other = new_block(p, frame.loop);
  choose(p, at, then, other);
  then = make_body(p, then, frame, depth + 1);
  if (then != KILN_NONE) go(p, then, join);
  if (has_else) other = make_body(p, other, frame, depth + 1);
  if (has_else && other != KILN_NONE) go(p, other, join);
  return join;
}

static uint32_t make_loop(struct program *p, uint32_t at, struct frame frame, unsigned depth) {
  uint32_t loop = p->nloop++, header, out;
  p->parent[loop] = frame.loop;
  p->header[loop] = header = new_block(p, loop);
  out = new_block(p, frame.loop);
  struct frame inner = {loop, out};
  go(p, at, header);
  uint32_t body = header;
  if (next_random(p) % 2) {
    body = new_block(p, loop);
    choose(p, header, body, out);
  }
  body = make_body(p, body, inner, depth + 1);
  if (body == KILN_NONE) return out;
  if (next_random(p) % 2 || p->nsucc[header] < 2) choose(p, body, header, out);
  else go(p, body, header);
  return out;
}

/* Cases that may go on into the next one; all branches diverge or none does. */
static uint32_t make_switch(struct program *p, uint32_t at, struct frame frame, unsigned depth) {
  enum { MOST = 4 };
  uint32_t block[MOST], join = new_block(p, frame.loop), n = 2 + next_random(p) % (MOST - 1);
  bool divergent = next_random(p) % 2;
  for (uint32_t k = 0; k < n; k++) block[k] = new_block(p, frame.loop);
  for (uint32_t k = 0; k < n; k++) {
    bool last = k == n - 1;
    uint32_t other = last ? join : new_block(p, frame.loop);
    choose(p, at, block[k], other);
    p->divergent[at] = divergent;
    at = other;
  }
  for (uint32_t k = 0; k < n; k++) {
    uint32_t end = make_body(p, block[k], frame, depth + 1);
    if (end != KILN_NONE) go(p, end, k < n - 1 && next_random(p) % 2 ? block[k + 1] : join);
  }
  return join;
}

/* break, continue or return, under a condition. */
static uint32_t make_jump(struct program *p, uint32_t at, struct frame frame) {
  uint32_t rest = new_block(p, frame.loop), jump = new_block(p, frame.loop), kind = next_random(p) % 3;
  choose(p, at, jump, rest);
  if (frame.loop != KILN_NONE && kind == 0) go(p, jump, frame.out);
  else if (frame.loop != KILN_NONE && kind == 1) go(p, jump, p->header[frame.loop]);
  return rest; /* a block without successors returns */
}

static uint32_t make_body(struct program *p, uint32_t at, struct frame frame, unsigned depth) {
  unsigned n = next_random(p) % 4;
  for (unsigned i = 0; i < n && p->budget > 0; i++) {
    unsigned kind = next_random(p) % 9;
    p->budget--;
    if (kind < 3 && depth < 6) at = make_if(p, at, frame, depth);
    else if (kind < 5 && depth < 5 && p->nloop < LOOPS) at = make_loop(p, at, frame, depth);
    else if (kind == 5) at = make_jump(p, at, frame);
    else if (kind == 6 && depth < 5) at = make_switch(p, at, frame, depth);
    p->shy[at] |= next_random(p) % 2;
  }
  return at;
}

/* Blocks that nothing reaches, such as what follows an endless loop, go; the rest in reverse post-order. */
static bool tidy(struct program *p, struct kiln_arena *arena) {
  struct kiln_edge edges[2 * BLOCKS];
  struct kiln_graph g;
  uint32_t n = 0, reached, to[BLOCKS];
  for (uint32_t b = 0; b < p->n; b++)
    for (uint32_t k = 0; k < p->nsucc[b]; k++) edges[n++] = (struct kiln_edge){b, p->succ[b][k]};
  kiln_graph_build(&g, arena, p->n, edges, n);
  uint32_t *order = kiln_graph_order(&g, arena, 0, &reached);
  struct program old = *p;
  memset(to, 0xff, sizeof to);
  for (uint32_t i = 0; i < reached; i++) to[order[i]] = i;
  p->n = reached;
  for (uint32_t i = 0; i < reached; i++) {
    uint32_t b = order[i];
    p->nsucc[i] = old.nsucc[b];
    for (uint32_t k = 0; k < old.nsucc[b]; k++) p->succ[i][k] = to[old.succ[b][k]];
    p->divergent[i] = old.divergent[b] && old.nsucc[b] == 2;
    p->shy[i] = old.shy[b] || old.nsucc[b] == 0;
  }
  return reached > 1;
}

/* The loops that there really are: what only leads out of one is outside. */
static bool find_loops(struct program *p, struct kiln_arena *arena, const struct kiln_graph *g) {
  struct kiln_tree dom;
  struct kiln_loops loops;
  kiln_tree_dominators(&dom, g, arena, 0);
  kiln_loops_find(&loops, g, &dom, arena);
  p->nloop = loops.count;
  for (uint32_t l = 0; l < loops.count; l++) p->header[l] = loops.header[l], p->parent[l] = loops.parent[l];
  for (uint32_t b = 0; b < p->n; b++) p->loop_of[b] = loops.of[b];
  return !loops.irreducible;
}

/* ---- running them ---- */

struct lane {
  uint32_t at, turn[LOOPS], ntrace, trace[TRACE];
  bool ended;
};

static bool is_inside(const struct program *p, uint32_t loop, uint32_t block) {
  for (uint32_t l = p->loop_of[block]; l != KILN_NONE; l = p->parent[l])
    if (l == loop) return true;
  return false;
}

/* The same for all lanes in the same turns of the loops around, if the branch does not diverge. */
static uint32_t decide(const struct program *p, const struct lane *lane, uint32_t id, uint32_t block) {
  if (p->nsucc[block] < 2) return 0;
  uint32_t x = mix(block, p->random);
  for (uint32_t l = p->loop_of[block]; l != KILN_NONE; l = p->parent[l]) {
    x = mix(x, lane->turn[l]);
    if (lane->turn[l] < TURNS) continue;
    for (uint32_t k = 0; k < 2; k++) /* out of it, when this is the place */
      if (!is_inside(p, l, p->succ[block][k])) return k;
  }
  if (p->divergent[block]) x = mix(x, id);
  return x >> 7 & 1;
}

static void take_edge(const struct program *p, struct lane *lane, uint32_t from, uint32_t k) {
  lane->trace[lane->ntrace++] = from;
  if (p->nsucc[from] == 0) {
    lane->ended = true;
    return;
  }
  uint32_t to = lane->at = p->succ[from][k];
  for (uint32_t l = 0; l < p->nloop; l++)
    if (p->header[l] == to) lane->turn[l] = is_inside(p, l, from) ? lane->turn[l] + 1 : 0;
}

static bool run_alone(const struct program *p, struct lane *lane, uint32_t id) {
  memset(lane, 0, sizeof *lane);
  while (!lane->ended && lane->ntrace < TRACE - 1)
    take_edge(p, lane, lane->at, decide(p, lane, id, lane->at));
  return lane->ended;
}

struct vector {
  const struct program *p;
  const struct kl_flow *flow;
  struct lane lane[LANES];
  uint32_t *in, *mask; /* by node */
};

static uint32_t leave_block(struct vector *v, uint32_t n, uint32_t mask) {
  const struct kl_node *node = &v->flow->node[n];
  uint32_t choice = KILN_NONE;
  for (uint32_t i = 0; i < LANES; i++) {
    if (!(mask >> i & 1)) continue;
    assert_int_equal(v->lane[i].at, n);
    assert_false(v->lane[i].ended);
    uint32_t k = decide(v->p, &v->lane[i], i, n);
    if (node->branches && choice != KILN_NONE) assert_int_equal(choice, k);
    choice = k;
    take_edge(v->p, &v->lane[i], n, k);
    if (v->p->nsucc[n] == 0) continue;
    v->in[v->flow->succ[node->succ0 + k]] |= (uint32_t)1 << i;
  }
  if (node->branches) return v->flow->next[node->next0 + (choice == KILN_NONE ? 0 : choice)];
  return v->flow->next[node->next0];
}

static uint32_t run_node(struct vector *v, uint32_t n) {
  const struct kl_flow *flow = v->flow;
  const struct kl_node *node = &flow->node[n];
  if (node->owner == n && n != flow->entry) v->mask[n] = v->in[n], v->in[n] = 0;
  uint32_t mask = v->mask[node->owner];
  if (node->guard && mask == 0) return node->skip;
  if (node->sure && node->kind != KL_NODE_LATCH) assert_int_not_equal(mask, 0);
  switch (node->kind) {
  case KL_NODE_BLOCK:
    if (v->p->shy[n]) assert_int_not_equal(mask, 0);
    return leave_block(v, n, mask);
  case KL_NODE_ENTER:
    v->in[flow->loops.header[node->loop]] |= mask;
    return flow->next[node->next0];
  case KL_NODE_LATCH:
    return flow->next[node->next0 + (node->diverges && v->in[flow->loops.header[node->loop]] == 0)];
  default:
    return flow->next[node->next0];
  }
}

static bool is_reached_through(const struct kl_flow *flow, uint32_t top, uint32_t node) {
  return flow->node[node].place >= flow->node[top].place && flow->node[node].place < flow->node[top].past;
}

/* What is reached by way of a guarded node only is entered there: such code may be there twice. */
static void check_step(const struct kl_flow *flow, uint32_t from, uint32_t to) {
  if (to == flow->end) return;
  for (uint32_t top = 0; top < flow->n; top++)
    if (flow->node[top].guard && top != to && is_reached_through(flow, top, to))
      assert_true(is_reached_through(flow, top, from));
}

static void run_together(struct vector *v) {
  uint32_t n = v->flow->entry, steps = 0;
  v->mask[n] = (1u << LANES) - 1;
  while (n != v->flow->end) {
    uint32_t next = run_node(v, n);
    check_step(v->flow, n, next);
    n = next;
    assert_true(++steps < 1000000);
  }
}

/* ---- checks ---- */

/* Some way leads from every block to an end. */
static bool may_end(const struct program *p) {
  bool ends[BLOCKS] = {false};
  for (bool more = true; more;) {
    more = false;
    for (uint32_t b = p->n; b-- > 0;) {
      bool before = ends[b];
      ends[b] |= p->nsucc[b] == 0;
      for (uint32_t k = 0; k < p->nsucc[b]; k++) ends[b] |= ends[p->succ[b][k]];
      more |= ends[b] != before;
    }
  }
  for (uint32_t b = 0; b < p->n; b++)
    if (!ends[b]) return false;
  return true;
}

static void make_input(const struct program *p, struct kiln_arena *arena, struct kl_flow_input *in) {
  struct kiln_edge edges[3 * BLOCKS];
  uint32_t n = 0;
  for (uint32_t b = 0; b < p->n; b++) {
    for (uint32_t k = 0; k < p->nsucc[b]; k++) edges[n++] = (struct kiln_edge){b, p->succ[b][k]};
    if (p->nsucc[b] == 0) edges[n++] = (struct kiln_edge){b, p->n};
  }
  *in = (struct kl_flow_input){.divergent = p->divergent, .shy = p->shy};
  kiln_graph_build(&in->graph, arena, p->n + 1, edges, n);
}

static bool check_program(struct program *p, struct kiln_arena *arena) {
  struct kl_flow_input in;
  struct kl_flow flow;
  static struct lane alone[LANES];
  static struct vector v;
  make_input(p, arena, &in);
  if (!find_loops(p, arena, &in.graph) || !may_end(p)) return false;
  for (uint32_t i = 0; i < LANES; i++)
    if (!run_alone(p, &alone[i], i)) return false; /* too long */
  if (!kiln_flow_find(&flow, arena, &in)) fail_msg("no order of %u blocks", p->n);
  memset(&v, 0, sizeof v);
  v.p = p;
  v.flow = &flow;
  v.in = kiln_arena_alloc(arena, flow.n, sizeof *v.in);
  v.mask = kiln_arena_alloc(arena, flow.n, sizeof *v.mask);
  run_together(&v);
  for (uint32_t i = 0; i < LANES; i++) {
    assert_int_equal(v.lane[i].ntrace, alone[i].ntrace);
    assert_memory_equal(v.lane[i].trace, alone[i].trace, alone[i].ntrace * sizeof(uint32_t));
  }
  return true;
}

static bool check_seed(unsigned seed) {
  static struct program p;
  static struct kiln_arena arena;
  static jmp_buf no_memory;
  arena.no_memory = &no_memory;
  if (setjmp(no_memory) != 0) fail_msg("memory is short");
  memset(&p, 0, sizeof p);
  p.random = seed * 7919 + 1;
  p.budget = 4 + seed % 24;
  new_block(&p, KILN_NONE);
  make_body(&p, 0, (struct frame){KILN_NONE, KILN_NONE}, 0);
  bool checked = tidy(&p, &arena) && check_program(&p, &arena);
  kiln_arena_finish(&arena);
  return checked;
}

static void random_programs(void **state) {
  unsigned checked = 0, count = getenv("KILN_TEST_LONG") != NULL ? 300000 : 20000;
  (void)state;
  for (unsigned seed = 0; seed < count; seed++) checked += check_seed(seed);
  assert_true(checked > count / 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_programs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
