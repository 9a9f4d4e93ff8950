/* Sub-group functions. */
#include "gen.h"

static struct var *pick_result(struct gen *g) {
  struct var *v = gen_pick(g, NULL, false, WRITE);
  return v != NULL && v->item ? v : NULL;
}

static struct type word(void) { return (struct type){UINT, 1}; }

/* ---- reductions and scans ---- */

static void put_combine(struct gen *g, const struct var *v) {
  const struct combine *o = gen_combine(g, v->type);
  uint32_t form = gen_random(g, 3);
  bool whole = !g->masked && o->always && gen_chance(g, 60);
  gen_put_combine(g, v, o, whole ? "sub_group" : "sub_group_non_uniform", form, "PEERS");
}

static unsigned choose_cluster(struct gen *g) {
  unsigned size = 1;
  while (size < g->required && gen_chance(g, 60)) size *= 2;
  if (size > g->cluster) g->cluster = size;
  return size;
}

static void put_clustered(struct gen *g, const struct var *v) {
  const struct combine *o = gen_combine(g, v->type);
  unsigned size = choose_cluster(g);
  const char *t = type_name(v->type);
  only_cl(g, "%s = sub_group_clustered_reduce_%s(", v->name, o->name);
  gen_open_peers(g, t, t);
  gen_put_operand(g, v->type);
  only_cl(g, ", %uu);\n", size);
  gen_start_results(g);
  gen_put_neutral(g, o, v->type);
  only_c(g, "PEERS if (k_ / %uu == ITEM / %uu) { %s z_ = x_[k_]; t_ = %s; } y_[ITEM] = t_;", size, size, t,
         o->made);
  gen_close_peers(g, v);
}

/* ---- votes ---- */

static void put_vote(struct gen *g, const struct var *v) {
  uint32_t k = gen_random(g, 4);
  const char *whole = g->masked || gen_chance(g, 50) ? "non_uniform_" : "", *t = type_name(v->type);
  if (k == 0) only_cl(g, "%s = (%s)sub_group_elect(", v->name, t);
  else if (k == 3) only_cl(g, "%s = (%s)(0 != sub_group_non_uniform_all_equal(", v->name, t);
  else only_cl(g, "%s = (%s)(0 != sub_group_%s%s(", v->name, t, whole, k == 1 ? "all" : "any");
  gen_open_peers(g, "uint", t);
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
  gen_start_results(g);
  fputs(computed[k], g->c);
  gen_close_peers(g, v);
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
  gen_open_peers(g, t, t);
  only_c(g, "({ const uint c_ = %uu, l_ = ITEM %% SUB, b_ = ((", size);
  if (k >= 4) both(g, gen_chance(g, 50) ? "n" : "n + 3u"); /* the same for all */
  else gen_expr(g, word(), 1);
  only_cl(g, ") %% %s), from = %s;\n%s x = ", limit, exchanges[k].cl, t);
  only_c(g, ") %% %s); s_[ITEM] = %s; ", limit[0] == 'g' ? "SUB" : limit, exchanges[k].c);
  gen_expr(g, v->type, 2);
  only_c(g, "; })");
  only_cl(g, ", y = sub_group_%sx, %sby%s);\n", exchanges[k].name, k >= 4 ? "(int)" : "",
          k == 5 ? ", size" : "");
  only_cl(g,
          "uint on = sub_group_ballot(1).x;\n%s = from < 32u && (on >> (from & 31u) & 1u) != 0u ? y : x; }\n",
          v->name);
  gen_start_results(g);
  fputs(from_source, g->c);
  gen_close_peers(g, v);
}

/* A vector, too. Of a lane that all name, or the first. */
static void put_broadcast(struct gen *g, const struct var *v) {
  uint32_t k = gen_random(g, v->type.n == 1 ? 3 : 2), lane = gen_random(g, 6);
  const char *t = type_name(v->type);
  static const char first[] = "PEERS { y_[ITEM] = x_[k_]; break; }";
  if (k == 0 && g->masked) k = 1;
  only_cl(g, "{ %s x = ", t);
  gen_open_peers(g, t, t);
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
  gen_start_results(g);
  fputs(k == 2 ? first : from_source, g->c);
  gen_close_peers(g, v);
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
  gen_open_peers(g, "uint", t);
  gen_expr(g, word(), 1);
  only_c(g, "; s_[ITEM] = ");
  only_cl(g, ";\nuint4 b = sub_group_ballot(");
  gen_condition(g, 2);
  only_cl(g, ");\n%s = (%s)(", v->name, t);
  fputs(uses[k].cl, g->cl);
  only_cl(g, "); }\n");
  gen_start_results(g);
  only_c(g, "uint b_ = 0, l_ = ITEM %% SUB; (void)l_; PEERS if (s_[k_]) b_ |= 1u << k_ %% SUB; ");
  only_c(g, "y_[ITEM] = (%s)(", t);
  fputs(uses[k].c, g->c);
  only_c(g, ");");
  gen_close_peers(g, v);
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
                                  "SUB_SIZE",     "SUB",          "((MOST + SUB - 1) / SUB)"};
  uint32_t k = gen_random(g, 6);
  if (!g->sub_groups || !g->kernel) return false;
  only_cl(g, "%s", cl[k]);
  fputs(c[k], g->c);
  return true;
}
