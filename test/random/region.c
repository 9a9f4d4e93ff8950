/* What all work-items of a group do together: barriers, the modes of shared arrays between them, and control
 * flow that is the same for the whole group. In C a barrier is the end of one loop over work-items and the
 * start of the next. */
#include "gen.h"

#include <string.h>

/* ---- barriers ---- */

static void set_modes(struct gen *g, const enum mode *modes) {
  for (int i = 0; i < NUM_SHARED; i++) g->shared[i].mode = modes[i];
}

/* Arrays whose mode changes need a fence of their memory; more of them do no harm. */
static void put_fences(struct gen *g, const enum mode *next) {
  bool local = gen_chance(g, 70), global = gen_chance(g, 50);
  for (int i = 0; i < NUM_SHARED; i++) {
    if (g->shared[i].mode == next[i] && next[i] != ATOMIC && next[i] != PEER_ATOMIC) continue;
    if (i == IN_GLOBAL) global = true;
    else local = true;
  }
  only_cl(g, "%s",
          local && global ? "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE"
          : local         ? "CLK_LOCAL_MEM_FENCE"
          : global        ? "CLK_GLOBAL_MEM_FENCE"
                          : "0");
}

void gen_barrier(struct gen *g, const enum mode *next) {
  uint32_t k = g->generic ? gen_random(g, 3) : 0;
  only_c(g, "CLOSE OPEN\n");
  if (g->alone) return;
  only_cl(g, k == 0 ? "barrier(" : "work_group_barrier(");
  put_fences(g, next);
  only_cl(g, k == 2 ? ", memory_scope_work_group);\n" : ");\n");
}

static void choose_modes(struct gen *g, enum mode *modes) {
  for (int i = 0; i < NUM_SHARED; i++)
    modes[i] = (enum mode)gen_random(g, is_word(g->shared[i].type) ? 3 : 2);
}

struct modes {
  enum mode mode[NUM_SHARED];
  int operation[NUM_SHARED], leavable;
};

static struct modes save_modes(const struct gen *g) {
  struct modes m = {.leavable = g->leavable};
  for (int i = 0; i < NUM_SHARED; i++) m.mode[i] = g->shared[i].mode, m.operation[i] = g->shared[i].operation;
  return m;
}

/* `group`: behind a barrier of the whole group; memory that all of it changes keeps its operation else. */
static void enter_modes(struct gen *g, const enum mode *modes, bool group) {
  set_modes(g, modes);
  g->leavable = 0;
  for (int i = 0; i < NUM_SHARED; i++)
    if (modes[i] == PEER_ATOMIC || (modes[i] == ATOMIC && group))
      g->shared[i].operation = (int)gen_random(g, COUNTERS);
}

static void restore_modes(struct gen *g, const struct modes *m) {
  set_modes(g, m->mode);
  for (int i = 0; i < NUM_SHARED; i++) g->shared[i].operation = m->operation[i];
  g->leavable = m->leavable;
}

/* The group copies words of the input to a local array that all read. */
static void put_copy(struct gen *g) {
  int k = (int)gen_random(g, IN_GLOBAL), name = g->names++;
  if (g->alone || g->shared[k].mode != SHARED || !is_word(g->shared[k].type) || gen_chance(g, 60)) return;
  uint32_t from = gen_random(g, IN_WORDS / 2);
  only_cl(g,
          "event_t e%d = async_work_group_copy(shared%d, in + %u, min(ITEMS, %uu), 0);\nwait_group_events(1, "
          "&e%d);\n",
          name, k, from, IN_WORDS / 2, name);
  only_c(g, "CLOSE memcpy(shared%d, in + %u, 4 * (ITEMS < %uu ? ITEMS : %uu)); OPEN\n", k, from, IN_WORDS / 2,
         IN_WORDS / 2);
}

/* Between two barriers the modes are others; afterwards they are as before. */
static void put_phase(struct gen *g, int depth) {
  struct modes before = save_modes(g);
  enum mode inside[NUM_SHARED];
  choose_modes(g, inside);
  gen_barrier(g, inside);
  enter_modes(g, inside, true);
  put_copy(g);
  gen_regions(g, depth - 1);
  gen_barrier(g, before.mode);
  restore_modes(g, &before);
}

/* ---- barriers of sub-groups: what belongs to one work-item may come to belong to its sub-group ---- */

static void put_peer_barrier(struct gen *g, const enum mode *next) {
  only_c(g, "CLOSE OPEN\n");
  only_cl(g, "sub_group_barrier(");
  put_fences(g, next);
  only_cl(g, gen_chance(g, 30) ? ", memory_scope_sub_group);\n" : ");\n");
}

static void choose_peer_modes(struct gen *g, enum mode *modes) {
  static const enum mode choices[] = {OWN, PEER, PEER, PEER_ATOMIC};
  for (int i = 0; i < NUM_SHARED; i++) {
    modes[i] = g->shared[i].mode;
    if (modes[i] == SHARED || modes[i] == ATOMIC) continue;
    modes[i] = choices[gen_random(g, is_word(g->shared[i].type) ? 4 : 3)];
  }
}

void gen_peer_phase(struct gen *g, int depth, void (*inside)(struct gen *, int)) {
  struct modes before = save_modes(g);
  enum mode modes[NUM_SHARED];
  choose_peer_modes(g, modes);
  put_peer_barrier(g, modes);
  enter_modes(g, modes, false);
  inside(g, depth - 1);
  put_peer_barrier(g, before.mode);
  restore_modes(g, &before);
}

/* ---- control flow ---- */

static void in_scope(struct gen *g, int depth) {
  int vars = g->num_vars, aggregates = g->num_aggregates;
  gen_regions(g, depth - 1);
  g->num_vars = vars;
  g->num_aggregates = aggregates;
}

static void put_uniform_if(struct gen *g, int depth) {
  int name = g->names++;
  const char *comparison = gen_chance(g, 50) ? "==" : "!=";
  gen_uniform(g, name);
  only_c(g, "CLOSE ");
  both(g, "if (u%d %% 3u %s 1u) {\n", name, comparison);
  only_c(g, "OPEN\n");
  in_scope(g, depth);
  only_c(g, "CLOSE ");
  both(g, "}\n");
  only_c(g, "OPEN\n");
}

/* Cases may go on into the next. A break of the group leaves the switch. */
static void put_uniform_switch(struct gen *g, int depth) {
  int name = g->names++, leavable = g->leavable;
  gen_uniform(g, name);
  only_c(g, "CLOSE ");
  both(g, "switch (u%d %% 4u) {\n", name);
  for (unsigned k = 0; k < 3; k++) {
    both(g, k == 2 ? "default: {\n" : "case %uu: {\n", k);
    only_c(g, "OPEN\n");
    g->leavable = 0;
    in_scope(g, depth);
    g->leavable = leavable;
    only_c(g, "CLOSE ");
    both(g, gen_chance(g, 30) ? "}\n" : "}\nbreak;\n");
  }
  both(g, "}\n");
  only_c(g, "OPEN\n");
}

static void declare_counter(struct gen *g, int name) {
  struct var *v = gen_declare(g, (struct type){UINT, 1}, 0, false);
  if (v == NULL) return;
  snprintf(v->name, sizeof v->name, "i%d", name);
  v->fixed = true;
}

enum turns { KNOWN, GIVEN, FOUND, FROM_ONE, LEFT_WITHIN, NUM_TURNS };

static void open_uniform_loop(struct gen *g, int name, enum turns turns) {
  gen_unroll_hint(g);
  switch (turns) {
  case KNOWN:
    both(g, "for (uint i%d = 0; i%d < %uu; i%d++) {\n", name, name, 1 + gen_random(g, 3), name);
    break;
  case GIVEN:
    both(g, "for (uint i%d = 0; i%d < n %% 4u; i%d++) {\n", name, name, name);
    break;
  case FROM_ONE:
    both(g, "do {\n");
    break;
  case LEFT_WITHIN:
    both(g, "for (uint i%d = 0;; i%d++) {\nif (i%d >= u%d %% 4u) break;\n", name, name, name, name);
    break;
  default:
    both(g, "for (uint i%d = 0; i%d < u%d %% 4u; i%d++) {\n", name, name, name, name);
  }
}

static void put_uniform_loop(struct gen *g, int depth) {
  int name = g->names++, vars = g->num_vars;
  enum turns turns = (enum turns)gen_random(g, NUM_TURNS);
  if (turns >= FOUND) gen_uniform(g, name);
  only_c(g, "CLOSE ");
  if (turns == FROM_ONE) both(g, "uint i%d = 0;\n", name);
  open_uniform_loop(g, name, turns);
  declare_counter(g, name);
  only_c(g, "OPEN\n");
  g->leavable++;
  in_scope(g, depth);
  g->leavable--;
  only_c(g, "CLOSE ");
  if (turns == FROM_ONE) both(g, "} while (++i%d < u%d %% 4u);\n", name, name);
  else both(g, "}\n");
  only_c(g, "OPEN\n");
  g->num_vars = vars;
}

/* The whole group leaves a loop, goes on with its next turn, or ends. */
static void put_uniform_leave(struct gen *g) {
  static const char *const cl[] = {"break", "continue", "return"}, *const c[] = {"break", "continue",
                                                                                 "goto done_"};
  int name = g->names++;
  uint32_t k = g->leavable > 0 ? gen_random(g, 2) : 2;
  if (k == 2 && gen_chance(g, 80)) return;
  gen_uniform(g, name);
  only_c(g, "CLOSE ");
  both(g, "if (u%d %% 5u == 4u) ", name);
  only_cl(g, "%s;\n", cl[k]);
  only_c(g, "%s;\nOPEN\n", c[k]);
}

/* ---- one after the other ---- */

static void put_block(struct gen *g, int depth) {
  (void)depth;
  gen_braces(g, 3, false);
}
static void put_variable(struct gen *g, int depth) {
  (void)depth;
  gen_new_variable(g, true);
}
static void put_collective(struct gen *g, int depth) {
  (void)depth;
  if (g->collectives) gen_collective(g);
}
static void put_sub_group(struct gen *g, int depth) {
  (void)depth;
  if (g->sub_groups) gen_sub_group(g);
}
static void put_parted(struct gen *g, int depth) {
  if (g->sub_groups) gen_parted(g, depth);
}
static void put_peer_phase(struct gen *g, int depth) {
  if (g->sub_groups) gen_peer_phase(g, depth, gen_regions);
}
static void put_leave(struct gen *g, int depth) {
  (void)depth;
  put_uniform_leave(g);
}

/* Programs differ in what they have much of. */
void gen_regions(struct gen *g, int depth) {
  static void (*const kinds[NUM_REGIONS])(struct gen *, int) = {
      put_block, put_variable, put_collective,   put_sub_group,  put_parted,        put_peer_phase,
      put_phase, put_leave,    put_uniform_loop, put_uniform_if, put_uniform_switch};
  int most = depth >= 3 ? 8 : 4;
  for (int i = 0, n = 1 + (int)gen_random(g, (uint32_t)most); i < n && g->budget > 0; i++) {
    uint32_t k = depth <= 0 ? 0 : gen_weighted(g, g->regions, NUM_REGIONS);
    kinds[k](g, depth);
  }
}
