/* Control flow that work-items take differently, or sub-groups as a whole, around functions of sub-groups. */
#include "gen.h"

static void put_inside(struct gen *g, int depth);

static void declare_flags(struct gen *g, int m) {
  fprintf(g->fields, "  int on%d, is%d, gone%d;\n", m, m, m);
}

/* Who goes on after control flow comes together again: all that came, but those that left the loop. */
static void put_rejoin(struct gen *g, int m) {
  only_c(g, "CLOSE ALL(I->on_ = I->on%d", m);
  if (g->loop >= 0) only_c(g, " && !I->gone%d", g->loop);
  only_c(g, ")\nOPEN\n");
}

static void inside(struct gen *g, int depth) {
  int vars = g->num_vars, aggregates = g->num_aggregates;
  put_inside(g, depth - 1);
  g->num_vars = vars;
  g->num_aggregates = aggregates;
}

/* whole: the same for all work-items of a sub-group. */
static void put_condition(struct gen *g, bool whole) {
  static const char *const cl[] = {"(get_sub_group_id() + n) % 2u == 0u",
                                   "sub_group_any(get_local_id(0) == 5)",
                                   "sub_group_broadcast(in[get_local_id(0) % 64u], 0u) % 2u != 0u"};
  static const char *const c[] = {"(ITEM / SUB + n) % 2u == 0u", "FIVE(SIZE_X)",
                                  "in[ITEM / SUB * SUB % SIZE_X % 64u] % 2u != 0u"};
  uint32_t k = gen_random(g, 3);
  if (!whole) {
    gen_condition(g, 2);
    return;
  }
  fputs(cl[k], g->cl);
  fputs(c[k], g->c);
}

static void put_if(struct gen *g, int depth) {
  int m = g->names++;
  bool whole = !g->masked && gen_chance(g, 40), before = g->masked;
  declare_flags(g, m);
  only_cl(g, "if (");
  only_c(g, "I->is%d = (", m);
  put_condition(g, whole);
  only_cl(g, ") {\n");
  only_c(g, ");\nCLOSE ALL(I->on%d = I->on_; I->on_ = I->on%d && I->is%d)\nOPEN\n", m, m, m);
  g->masked = before || !whole;
  inside(g, depth);
  if (gen_chance(g, 50)) {
    only_cl(g, "} else {\n");
    only_c(g, "CLOSE ALL(I->on_ = I->on%d && !I->is%d)\nOPEN\n", m, m);
    inside(g, depth);
  }
  g->masked = before;
  only_cl(g, "}\n");
  put_rejoin(g, m);
}

struct flow {
  int loop;
  bool masked, in_switch, whole_loop;
};

static struct flow enter_loop(struct gen *g, int m, bool whole) {
  struct flow before = {g->loop, g->masked, g->in_switch, g->whole_loop};
  g->masked = before.masked || !whole;
  g->in_switch = false;
  g->whole_loop = whole;
  g->loop = m;
  g->loops++;
  return before;
}

static void leave_loop(struct gen *g, struct flow before) {
  g->loops--;
  g->loop = before.loop;
  g->masked = before.masked;
  g->in_switch = before.in_switch;
  g->whole_loop = before.whole_loop;
}

/* As many turns as the sub-group says. */
static void put_turn(struct gen *g, int m) {
  uint32_t by = 1 + gen_random(g, 3);
  only_cl(g, "(get_sub_group_id() * %uu + n + (uint)i%d) %% 4u != 0u", by, m);
  only_c(g, "(ITEM / SUB * %uu + n + (uint)I->i%d) %% 4u != 0u", by, m);
}

static void put_loop(struct gen *g, int depth) {
  int m = g->names++, most = 1 + (int)gen_random(g, 5), vars = g->num_vars;
  unsigned step = 1 + gen_random(g, 2);
  bool whole = !g->masked && gen_chance(g, 50);
  declare_flags(g, m);
  fprintf(g->fields, "  int i%d, was%d;\n", m, m);
  gen_unroll_hint(g);
  only_cl(g, "for (int i%d = 0; i%d < %d && (", m, m, most);
  only_c(g, "I->i%d = 0; CLOSE ALL(I->on%d = I->on_; I->gone%d = 0)\n", m, m, m);
  only_c(g, "for (int l_ = 0; l_ < %d; l_++) {\nOPEN I->is%d = I->i%d < %d && (", most, m, m, most);
  if (whole && gen_chance(g, 60)) put_turn(g, m);
  else put_condition(g, whole);
  only_cl(g, "); i%d += %u) {\n", m, step);
  only_c(g, "); CLOSE ALL(I->on_ = I->on_ && I->is%d; I->was%d = I->on_)\nOPEN\n", m, m);
  struct var *v = gen_declare(g, (struct type){INT, 1}, 0, true);
  if (v != NULL) {
    snprintf(v->name, sizeof v->name, "i%d", m);
    v->fixed = true;
  }
  struct flow before = enter_loop(g, m, whole);
  inside(g, depth);
  leave_loop(g, before);
  g->num_vars = vars;
  only_cl(g, "}\n");
  only_c(g, "CLOSE ALL(I->on_ = I->was%d && I->gone%d != 2; I->gone%d = 0; I->i%d += %uu)\n}\nOPEN\n", m, m,
         m, m, step);
  put_rejoin(g, m);
}

/* Cases may go on into the next. */
static void put_switch(struct gen *g, int depth) {
  int m = g->names++;
  bool before = g->masked, in_switch = g->in_switch;
  declare_flags(g, m);
  fprintf(g->fields, "  uint at%d;\n", m);
  only_cl(g, "switch ((");
  only_c(g, "I->at%d = ((", m);
  gen_expr(g, (struct type){UINT, 1}, 2);
  only_cl(g, ") %% 4u) {\n");
  only_c(g, ") %% 4u);\nCLOSE ALL(I->on%d = I->on_; I->is%d = 0)\nOPEN\n", m, m);
  g->masked = g->in_switch = true;
  for (unsigned k = 0; k < 3; k++) {
    only_cl(g, k == 2 ? "default: {\n" : "case %uu: {\n", k);
    only_c(g, "CLOSE ALL(I->on_ = I->on%d && (I->at%d %s %uu || I->is%d)", m, m, k == 2 ? ">=" : "==", k, m);
    if (g->loop >= 0) only_c(g, " && !I->gone%d", g->loop);
    only_c(g, ")\nOPEN\n");
    inside(g, depth);
    bool goes_on = gen_chance(g, 40);
    only_cl(g, goes_on ? "}\n" : "}\nbreak;\n");
    only_c(g, "CLOSE ALL(I->is%d = %s)\nOPEN\n", m, goes_on ? "I->on_" : "0");
  }
  g->masked = before;
  g->in_switch = in_switch;
  only_cl(g, "}\n");
  put_rejoin(g, m);
}

static void put_leave(struct gen *g) {
  bool leaves = !g->in_switch && gen_chance(g, 50);
  if (g->whole_loop && g->masked) return;
  both(g, "if (");
  put_condition(g, g->whole_loop);
  only_cl(g, leaves ? ") break;\n" : ") continue;\n");
  only_c(g, ") { I->gone%d = %d; I->on_ = 0; continue; }\n", g->loop, leaves ? 2 : 1);
}

void gen_parted(struct gen *g, int depth) {
  uint32_t k = gen_random(g, 100);
  if (k < 50) put_if(g, depth);
  else if (k < 80 && g->loops < 2) put_loop(g, depth);
  else put_switch(g, depth);
}

static void put_inside(struct gen *g, int depth) {
  for (int i = 0, n = 1 + (int)gen_random(g, 3); i < n && g->budget > 0; i++) {
    uint32_t k = gen_random(g, 100);
    if (k < 45) gen_sub_group(g);
    else if (k < 65) gen_braces(g, 2, false);
    else if (k < 75) gen_new_variable(g, true);
    else if (k < 82 && g->loop >= 0) put_leave(g);
    else if (k < 90 && !g->masked && depth > 0) gen_peer_phase(g, depth, put_inside);
    else if (depth > 0) gen_parted(g, depth);
  }
}
