/* Work-group functions, and what they have in common with those of sub-groups. In C: all operands one after
 * the other, then the results. */
#include "gen.h"

#include <string.h>

/* ---- operands and results ---- */

void gen_open_peers(struct gen *g, const char *operand, const char *result) {
  only_c(g, "CLOSE { static %s x_[MOST]; static %s y_[MOST]; static uint s_[MOST]; ", operand, result);
  only_c(g, "char a_[MOST] = {0}; (void)s_;\nOPEN a_[ITEM] = 1; x_[ITEM] = ");
}

void gen_start_results(struct gen *g) { only_c(g, "; CLOSE\nOPEN "); }

void gen_close_peers(struct gen *g, const struct var *v) {
  only_c(g, " CLOSE\nOPEN I->%s = y_[ITEM]; CLOSE } OPEN\n", v->name);
}

static const struct combine combines[NUM_COMBINES] = {
    {"add", "0", "t_ + z_", true},
    {"min", "MOST_%s", "z_ < t_ ? z_ : t_", true},
    {"max", "LEAST_%s", "z_ > t_ ? z_ : t_", true},
    {"mul", "1", "t_ * z_", false},
    {"and", "-1", "t_ & z_", false},
    {"or", "0", "t_ | z_", false},
    {"xor", "0", "t_ ^ z_", false},
    {"logical_and", "1", "t_ && z_", false},
    {"logical_or", "0", "t_ || z_", false},
    {"logical_xor", "0", "!t_ != !z_", false},
};

const struct combine *gen_combine(struct gen *g, struct type t) {
  uint32_t most = is_float(t.base) ? 3 : t.base == INT ? NUM_COMBINES : 7;
  return &combines[gen_random(g, most)];
}

/* Sums of floating-point numbers are exact: of small integers. */
void gen_put_operand(struct gen *g, struct type t) {
  if (!is_float(t.base)) {
    gen_expr(g, t, 2);
    return;
  }
  both(g, "(%s)((", type_name(t));
  gen_expr(g, (struct type){UINT, 1}, 2);
  both(g, ") & %uu)", t.base == HALF ? 3 : 255);
}

void gen_put_neutral(struct gen *g, const struct combine *o, struct type t) {
  char neutral[32];
  snprintf(neutral, sizeof neutral, o->neutral, type_name(t));
  only_c(g, "%s t_ = %s; ", type_name(t), neutral);
}

/* ---- statements ---- */

static bool has_group_functions(struct type t) { return t.n == 1 && t.base >= INT; }

void gen_put_combine(struct gen *g, const struct var *v, const struct combine *o, const char *prefix,
                     uint32_t form, const char *all) {
  static const char *const forms[] = {"reduce", "scan_inclusive", "scan_exclusive"};
  static const char *const peers[] = {"1", "k_ <= ITEM", "k_ < ITEM"};
  const char *t = type_name(v->type);
  only_cl(g, "%s = %s_%s_%s(", v->name, prefix, forms[form], o->name);
  gen_open_peers(g, t, t);
  gen_put_operand(g, v->type);
  only_cl(g, ");\n");
  gen_start_results(g);
  gen_put_neutral(g, o, v->type);
  only_c(g, "%s if (%s) { %s z_ = x_[k_]; t_ = %s; } y_[ITEM] = t_;", all, peers[form], t, o->made);
  gen_close_peers(g, v);
}

static void put_combine(struct gen *g, const struct var *v) {
  const struct combine *o = gen_combine(g, v->type);
  gen_put_combine(g, v, o, "work_group", gen_random(g, 3), "ALL_PEERS");
}

/* The ids of a work-item that all name. */
static void put_source(struct gen *g) {
  static const char axis[] = "XYZ";
  only_c(g, "(");
  for (int d = 0; d < g->dims; d++) {
    uint32_t add = gen_random(g, 8);
    only_cl(g, ", (n + %uu) %% (uint)get_local_size(%d)", add, d);
    only_c(g, "%s(n + %uu) %% SIZE_%c%s", d > 0 ? " + " : "", add, axis[d],
           d == 1   ? " * SIZE_X"
           : d == 2 ? " * SIZE_X * SIZE_Y"
                    : "");
  }
  only_cl(g, ")");
  only_c(g, ")");
}

static void put_broadcast(struct gen *g, const struct var *v) {
  const char *t = type_name(v->type);
  only_cl(g, "%s = work_group_broadcast(", v->name);
  gen_open_peers(g, t, t);
  gen_expr(g, v->type, 2);
  gen_start_results(g);
  only_c(g, "y_[ITEM] = x_[");
  put_source(g);
  only_cl(g, ";\n");
  only_c(g, "];");
  gen_close_peers(g, v);
}

static void put_vote(struct gen *g, const struct var *v) {
  bool any = gen_chance(g, 50);
  const char *t = type_name(v->type);
  only_cl(g, "%s = (%s)(0 != work_group_%s(", v->name, t, any ? "any" : "all");
  gen_open_peers(g, "uint", t);
  gen_condition(g, 2);
  only_cl(g, "));\n");
  gen_start_results(g);
  only_c(g, "uint t_ = %d; ALL_PEERS if (!x_[k_] == %d) t_ = %d; y_[ITEM] = t_;", !any, !any, any);
  gen_close_peers(g, v);
}

void gen_collective(struct gen *g) {
  const struct var *v = gen_pick(g, NULL, false, WRITE);
  for (int tries = 0; tries < 8 && v != NULL && !(v->item && has_group_functions(v->type)); tries++)
    v = gen_pick(g, NULL, false, WRITE);
  if (v == NULL || !v->item || !has_group_functions(v->type)) return;
  g->budget--;
  uint32_t k = gen_random(g, 100);
  if (k < 60) put_combine(g, v);
  else if (k < 80) put_broadcast(g, v);
  else put_vote(g, v);
}

/* ---- values that a group has alike ---- */

/* What a function makes of all operands. */
static void put_agreed(struct gen *g, int name) {
  static const char *const names[] = {"any", "all", "reduce_add", "reduce_max", "reduce_xor"};
  static const char *const start[] = {"0", "1", "0", "0", "0"};
  static const char *const made[] = {"t_ || z_", "t_ && z_", "t_ + z_", "z_ > t_ ? z_ : t_", "t_ ^ z_"};
  uint32_t k = gen_random(g, 5);
  only_cl(g, k < 2 ? "uint u%d = 4u * (uint)(0 != work_group_%s(" : "uint u%d = work_group_%s(", name,
          names[k]);
  only_c(g, "CLOSE uint u%d; { uint t_ = %s; OPEN uint z_ = ", name, start[k]);
  if (k < 2) gen_condition(g, 2);
  else gen_expr(g, (struct type){UINT, 1}, 2);
  only_cl(g, k < 2 ? "));\n" : ");\n");
  only_c(g, "; t_ = %s; CLOSE u%d = %st_; } OPEN\n", made[k], name, k < 2 ? "4u * " : "");
}

/* The same for all, as memory of the group says, or numbers that look different: groups are smaller than
 * 1000. */
static bool put_same(struct gen *g, int name) {
  uint32_t k = gen_random(g, NUM_SHARED + 1), at = gen_random(g, 40);
  if (k == NUM_SHARED) {
    only_cl(g, "uint u%d = in[item / 1000u + %uu];\n", name, at);
    only_c(g, "CLOSE uint u%d = in[%uu]; OPEN\n", name, at);
    return true;
  }
  const struct shared *s = &g->shared[k];
  if (s->mode != SHARED || s->type.base != UINT || s->type.n != 1) return false;
  only_cl(g, "uint u%d = shared%u[%uu %% ITEMS];\n", name, k, at);
  only_c(g, "CLOSE uint u%d = shared%u[%uu %% ITEMS]; OPEN\n", name, k, at);
  return true;
}

void gen_uniform(struct gen *g, int name) {
  static const char *const cl[] = {"n + (uint)get_group_id(0)", "in[(n + (uint)get_group_id(0)) % 64u]",
                                   "(uint)get_local_size(0) + (uint)get_num_groups(0)"};
  static const char *const c[] = {"n + GROUP_X", "in[(n + GROUP_X) % 64u]", "SIZE_X + NUM_X"};
  static const char *const cl_alone[] = {"n + (uint)get_global_size(0)", "in[n % 64u]",
                                         "(uint)get_work_dim() + n"};
  static const char *const c_alone[] = {"n + GLOBAL_X", "in[n % 64u]", "DIMS + n"};
  uint32_t k = gen_random(g, 3);
  if (g->collectives && gen_chance(g, 50)) {
    put_agreed(g, name);
  } else if (g->alone || gen_chance(g, 50) || !put_same(g, name)) {
    only_cl(g, "uint u%d = %s;\n", name, g->alone ? cl_alone[k] : cl[k]);
    only_c(g, "CLOSE uint u%d = %s; OPEN\n", name, g->alone ? c_alone[k] : c[k]);
  }
  struct var *v = gen_declare(g, (struct type){UINT, 1}, 0, false);
  if (v == NULL) return;
  snprintf(v->name, sizeof v->name, "u%d", name);
  v->fixed = true;
}
