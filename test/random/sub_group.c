/* Sub-group functions, and control flow that work-items take differently around them. */
#include "gen.h"

/* ---- operands and results in C: x_, s_ and y_ by work-item, a_ says who takes part ---- */

static struct var *pick_result(struct gen *g) {
  struct var *v = gen_pick(g, NULL, false, true);
  return v != NULL && v->item ? v : NULL;
}

static void open_peers(struct gen *g, const char *operand, const char *result) {
  only_c(g, "CLOSE { static %s x_[ITEMS]; static %s y_[ITEMS]; static uint s_[ITEMS]; ", operand, result);
  only_c(g, "char a_[ITEMS] = {0}; (void)s_;\nOPEN a_[ITEM] = 1; x_[ITEM] = ");
}

/* After the operand: what follows sets y_[ITEM]. */
static void start_results(struct gen *g) { only_c(g, "; CLOSE\nOPEN "); }

static void close_peers(struct gen *g, const struct var *v) {
  only_c(g, " CLOSE\nOPEN I->%s = y_[ITEM]; CLOSE } OPEN\n", v->name);
}

static struct type word(void) { return (struct type){UINT, 1}; }

/* ---- reductions and scans ---- */

static const struct combine {
  const char *name, *neutral, *made; /* %s: the type */
  bool always, floats;               /* always: also among the functions for a whole sub-group */
} combines[] = {{"add", "0", "t_ + z_", true, true},
                {"min", "MOST_%s", "z_ < t_ ? z_ : t_", true, true},
                {"max", "LEAST_%s", "z_ > t_ ? z_ : t_", true, true},
                {"mul", "1", "t_ * z_", false, false},
                {"and", "-1", "t_ & z_", false, false},
                {"or", "0", "t_ | z_", false, false},
                {"xor", "0", "t_ ^ z_", false, false},
                {"logical_and", "1", "t_ && z_", false, false},
                {"logical_or", "0", "t_ || z_", false, false},
                {"logical_xor", "0", "!t_ != !z_", false, false}};

/* Sums of floats are exact: of small integers. */
static void put_operand(struct gen *g, struct type t) {
  if (!is_float(t.base)) {
    gen_expr(g, t, 2);
    return;
  }
  both(g, "(%s)((", type_name(t));
  gen_expr(g, word(), 2);
  both(g, ") & 255u)");
}

static const struct combine *choose_combine(struct gen *g, struct type t) {
  uint32_t most = is_float(t.base) ? 3 : t.base == INT ? 10 : 7;
  return &combines[gen_random(g, most)];
}

static void put_combine(struct gen *g, const struct var *v) {
  static const char *const forms[] = {"reduce", "scan_inclusive", "scan_exclusive"};
  static const char *const peers[] = {"1", "k_ <= ITEM", "k_ < ITEM"};
  const struct combine *o = choose_combine(g, v->type);
  uint32_t form = gen_random(g, 3);
  bool whole = !g->masked && o->always && gen_chance(g, 60);
  const char *t = type_name(v->type);
  char neutral[32];
  snprintf(neutral, sizeof neutral, o->neutral, t);
  only_cl(g, "%s = sub_group_%s%s_%s(", v->name, whole ? "" : "non_uniform_", forms[form], o->name);
  open_peers(g, t, t);
  put_operand(g, v->type);
  only_cl(g, ");\n");
  start_results(g);
  only_c(g, "%s t_ = %s; PEERS if (%s) { %s z_ = x_[k_]; t_ = %s; } y_[ITEM] = t_;", t, neutral, peers[form],
         t, o->made);
  close_peers(g, v);
}

static unsigned choose_cluster(struct gen *g) {
  unsigned size = 1;
  while (size < g->required && gen_chance(g, 60)) size *= 2;
  if (size > g->cluster) g->cluster = size;
  return size;
}

static void put_clustered(struct gen *g, const struct var *v) {
  const struct combine *o = choose_combine(g, v->type);
  unsigned size = choose_cluster(g);
  const char *t = type_name(v->type);
  char neutral[32];
  snprintf(neutral, sizeof neutral, o->neutral, t);
  only_cl(g, "%s = sub_group_clustered_reduce_%s(", v->name, o->name);
  open_peers(g, t, t);
  put_operand(g, v->type);
  only_cl(g, ", %uu);\n", size);
  start_results(g);
  only_c(g, "%s t_ = %s; PEERS if (k_ / %uu == ITEM / %uu) { %s z_ = x_[k_]; t_ = %s; } y_[ITEM] = t_;", t,
         neutral, size, size, t, o->made);
  close_peers(g, v);
}

/* ---- votes ---- */

static void put_vote(struct gen *g, const struct var *v) {
  uint32_t k = gen_random(g, 4);
  const char *whole = g->masked || gen_chance(g, 50) ? "non_uniform_" : "", *t = type_name(v->type);
  if (k == 0) only_cl(g, "%s = (%s)sub_group_elect(", v->name, t);
  else if (k == 3) only_cl(g, "%s = (%s)(0 != sub_group_non_uniform_all_equal(", v->name, t);
  else only_cl(g, "%s = (%s)(0 != sub_group_%s%s(", v->name, t, whole, k == 1 ? "all" : "any");
  open_peers(g, "uint", t);
  if (k == 0) only_c(g, "0");
  else if (k == 3) {
    both(g, "(");
    gen_expr(g, word(), 1);
    both(g, ") %% 3u");
  } else gen_condition(g, 2);
  only_cl(g, k == 0 ? ");\n" : "));\n");
  static const char *const computed[] = {"uint t_ = 1; PEERS if (k_ < ITEM) t_ = 0; y_[ITEM] = t_;",
                                         "uint t_ = 1; PEERS if (!x_[k_]) t_ = 0; y_[ITEM] = t_;",
                                         "uint t_ = 0; PEERS if (x_[k_]) t_ = 1; y_[ITEM] = t_;",
                                         "uint t_ = 1; PEERS if (x_[k_] != x_[ITEM]) t_ = 0; y_[ITEM] = t_;"};
  start_results(g);
  fputs(computed[k], g->c);
  close_peers(g, v);
}

/* ---- another work-item's value: one's own where that takes no part ---- */

static const char from_source[] =
    "uint k_ = ITEM / SUB * SUB + s_[ITEM]; y_[ITEM] = s_[ITEM] < SUB && k_ < ITEMS && a_[k_] ? x_[k_] : "
    "x_[ITEM];";

static void put_exchange(struct gen *g, const struct var *v) {
  static const struct {
    const char *name, *cl, *c; /* the source, from lane and by */
  } exchanges[] = {{"shuffle(", "by", "b_"},
                   {"shuffle_xor(", "lane ^ by", "l_ ^ b_"},
                   {"shuffle_up(", "lane - by", "l_ - b_"},
                   {"shuffle_down(", "lane + by", "l_ + b_"},
                   {"rotate(", "(lane + by) & (get_max_sub_group_size() - 1)", "(l_ + b_) & (SUB - 1)"},
                   {"clustered_rotate(", "(lane & -size) | ((lane + by) & (size - 1))",
                    "(l_ & -c_) | ((l_ + b_) & (c_ - 1))"}};
  uint32_t k = gen_random(g, 6);
  unsigned size = k == 5 ? choose_cluster(g) : 1;
  const char *t = type_name(v->type),
             *limit = k >= 4 || gen_chance(g, 90) ? "get_max_sub_group_size()" : "64u";
  only_cl(g, "{ uint lane = get_sub_group_local_id(), size = %uu, by = (uint)((", size);
  open_peers(g, t, t);
  only_c(g, "({ const uint c_ = %uu, l_ = ITEM %% SUB, b_ = ((", size);
  if (k >= 4) both(g, gen_chance(g, 50) ? "n" : "n + 3u"); /* the same for all */
  else gen_expr(g, word(), 1);
  only_cl(g, ") %% %s), from = %s;\n%s x = ", limit, exchanges[k].cl, t);
  only_c(g, ") %% %s); s_[ITEM] = %s; ", limit[0] == 'g' ? "SUB" : limit, exchanges[k].c);
  gen_expr(g, v->type, 2);
  only_c(g, "; })");
  only_cl(g, ", y = sub_group_%sx, %sby%s);\n", exchanges[k].name, k >= 4 ? "(int)" : "",
          k == 5 ? ", size" : "");
  only_cl(g, "%s = from < 32u && (sub_group_ballot(1).x >> (from & 31u) & 1u) != 0u ? y : x; }\n", v->name);
  start_results(g);
  fputs(from_source, g->c);
  close_peers(g, v);
}

/* A vector, too. Of a lane that all name, or the first. */
static void put_broadcast(struct gen *g, const struct var *v) {
  uint32_t k = gen_random(g, v->type.n == 1 ? 3 : 2), lane = gen_random(g, 6);
  const char *t = type_name(v->type);
  static const char first[] = "PEERS { y_[ITEM] = x_[k_]; break; }";
  if (k == 0 && g->masked) k = 1;
  only_cl(g, "{ %s x = ", t);
  open_peers(g, t, t);
  gen_expr(g, v->type, 2);
  only_c(g, "; s_[ITEM] = ");
  if (k == 0) {
    only_cl(g, ", y = sub_group_broadcast(x, n %% get_sub_group_size());\n%s = y; }\n", v->name);
    only_c(g, "n %% SUB_SIZE");
  } else if (k == 1) {
    only_cl(g, ", y = sub_group_non_uniform_broadcast(x, %uu);\n", lane);
    only_cl(g, "if ((sub_group_ballot(1).x >> %uu & 1u) != 0u) %s = y; else %s = x; }\n", lane, v->name,
            v->name);
    only_c(g, "%uu", lane);
  } else {
    only_cl(g, ", y = sub_group_broadcast_first(x);\n%s = y; }\n", v->name);
    only_c(g, "0");
  }
  start_results(g);
  fputs(k == 2 ? first : from_source, g->c);
  close_peers(g, v);
}

/* ---- ballots ---- */

static void put_ballot(struct gen *g, const struct var *v) {
  static const struct {
    const char *cl, *c; /* of the ballot b */
  } uses[] = {
      {"b.x", "b_"},
      {"sub_group_inverse_ballot(b) != 0", "b_ >> l_ & 1"},
      {"sub_group_ballot_bit_extract(b, x % get_max_sub_group_size()) != 0", "b_ >> x_[ITEM] % SUB & 1"},
      {"sub_group_ballot_bit_count(b)", "__builtin_popcount(b_)"},
      {"sub_group_ballot_bit_count(b & get_sub_group_lt_mask())", "__builtin_popcount(b_ & LOW(l_))"},
      {"sub_group_ballot_inclusive_scan(b)", "__builtin_popcount(b_ & LOW(l_ + 1))"},
      {"sub_group_ballot_exclusive_scan(b)", "__builtin_popcount(b_ & LOW(l_))"},
      {"b.x == 0u ? 77u : sub_group_ballot_find_lsb(b)", "b_ == 0 ? 77 : __builtin_ctz(b_)"},
      {"b.x == 0u ? 77u : sub_group_ballot_find_msb(b)", "b_ == 0 ? 77 : 31 - __builtin_clz(b_)"},
      {"(b & get_sub_group_eq_mask()).x + get_sub_group_le_mask().x", "(b_ & 1u << l_) + LOW(l_ + 1)"},
      {"(b & get_sub_group_ge_mask()).x ^ (b & get_sub_group_gt_mask()).x", "b_ & 1u << l_"},
      {"b.y | b.z | b.w", "0"},
  };
  uint32_t k = gen_random(g, sizeof uses / sizeof *uses);
  const char *t = type_name(v->type);
  only_cl(g, "{ uint x = ");
  open_peers(g, "uint", t);
  gen_expr(g, word(), 1);
  only_c(g, "; s_[ITEM] = ");
  only_cl(g, ";\nuint4 b = sub_group_ballot(");
  gen_condition(g, 2);
  only_cl(g, ");\n%s = (%s)(", v->name, t);
  fputs(uses[k].cl, g->cl);
  only_cl(g, "); }\n");
  start_results(g);
  only_c(g, "uint b_ = 0, l_ = ITEM %% SUB; (void)l_; PEERS if (s_[k_]) b_ |= 1u << k_ %% SUB; ");
  only_c(g, "y_[ITEM] = (%s)(", t);
  fputs(uses[k].c, g->c);
  only_c(g, ");");
  close_peers(g, v);
}

void gen_sub_group(struct gen *g) {
  struct var *v = pick_result(g);
  if (v == NULL) return;
  g->budget--;
  uint32_t k = gen_random(g, 100);
  if (v->type.n > 1 || k < 15) put_broadcast(g, v);
  else if (k < 40) put_combine(g, v);
  else if (k < 50) put_clustered(g, v);
  else if (k < 65) put_vote(g, v);
  else if (k < 85) put_exchange(g, v);
  else put_ballot(g, v);
}

bool gen_sub_group_id(struct gen *g) {
  static const char *const cl[] = {"get_sub_group_local_id()", "get_sub_group_id()",
                                   "get_num_sub_groups()",     "get_sub_group_size()",
                                   "get_max_sub_group_size()", "get_enqueued_num_sub_groups()"};
  static const char *const c[] = {"(ITEM % SUB)", "(ITEM / SUB)", "((ITEMS + SUB - 1) / SUB)",
                                  "SUB_SIZE",     "SUB",          "((ITEMS + SUB - 1) / SUB)"};
  uint32_t k = gen_random(g, 6);
  if (!g->sub_groups || !g->kernel) return false;
  only_cl(g, "%s", cl[k]);
  fputs(c[k], g->c);
  return true;
}

/* ---- control flow ---- */

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

static void put_loop(struct gen *g, int depth) {
  int m = g->names++, most = 1 + (int)gen_random(g, 5), vars = g->num_vars, outer = g->loop;
  unsigned step = 1 + gen_random(g, 2);
  bool before = g->masked, in_switch = g->in_switch;
  declare_flags(g, m);
  fprintf(g->fields, "  int i%d, was%d;\n", m, m);
  only_cl(g, "for (int i%d = 0; i%d < %d && (", m, m, most);
  only_c(g, "I->i%d = 0; CLOSE ALL(I->on%d = I->on_; I->gone%d = 0)\n", m, m, m);
  only_c(g, "for (int l_ = 0; l_ < %d; l_++) {\nOPEN I->is%d = I->i%d < %d && (", most, m, m, most);
  gen_condition(g, 2);
  only_cl(g, "); i%d += %u) {\n", m, step);
  only_c(g, "); CLOSE ALL(I->on_ = I->on_ && I->is%d; I->was%d = I->on_)\nOPEN\n", m, m);
  struct var *v = gen_declare(g, (struct type){INT, 1}, 0, true);
  if (v != NULL) {
    snprintf(v->name, sizeof v->name, "i%d", m);
    v->fixed = true;
  }
  g->masked = true;
  g->in_switch = false;
  g->loop = m;
  g->loops++;
  inside(g, depth);
  g->loops--;
  g->loop = outer;
  g->masked = before;
  g->in_switch = in_switch;
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
  gen_expr(g, word(), 2);
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
  both(g, "if (");
  gen_condition(g, 2);
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
    else if (k < 85 && g->loop >= 0) put_leave(g);
    else if (depth > 0) gen_parted(g, depth);
  }
}

void gen_sub_group_prelude(FILE *c) {
  static const char *const names[] = {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong"};
  fprintf(
      c,
      "static uint SUB;\n#define SUB_SIZE (ITEMS - ITEM / SUB * SUB < SUB ? ITEMS %% SUB : SUB)\n"
      "#define LOW(n) ((uint)((1ul << (n)) - 1))\n"
      "#define ALL(...) for (uint j_ = 0; j_ < ITEMS; j_++) { struct item_t *I = &items[j_]; __VA_ARGS__; }\n"
      "#define PEERS for (uint k_ = ITEM / SUB * SUB; k_ < ITEM / SUB * SUB + SUB && k_ < ITEMS; k_++) if "
      "(a_[k_])\n"
      "#define FIVE(size) ({ uint t_ = 0; for (uint k_ = ITEM / SUB * SUB; k_ < ITEM / SUB * SUB + SUB && k_ "
      "< "
      "ITEMS; k_++) t_ |= k_ %% (size) == 5; t_; })\n");
  for (int i = 0; i < 8; i++) {
    int bits = 8 << i / 2;
    if (i % 2 == 0)
      fprintf(c, "#define MOST_%s ((%s)((1ul << %d) - 1))\n#define LEAST_%s ((%s)(-1l << %d))\n", names[i],
              names[i], bits - 1, names[i], names[i], bits - 1);
    else
      fprintf(c, "#define MOST_%s ((%s)-1)\n#define LEAST_%s ((%s)0)\n", names[i], names[i], names[i],
              names[i]);
  }
  fprintf(c, "#define MOST_float __builtin_inff()\n#define LEAST_float -__builtin_inff()\n"
             "#define MOST_double __builtin_inf()\n#define LEAST_double -__builtin_inf()\n");
}
