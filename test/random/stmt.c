/* Statements between barriers. */
#include "gen.h"

#include <string.h>

/* ---- assignments ---- */

static void put_target(struct gen *g, const struct var *v) {
  put_name(g, v);
  if (v->count != 0) gen_index(g, v->count);
}

/* v.s31 = ...; each component at most once. */
static void assign_components(struct gen *g, const struct var *v) {
  struct type part = {v->type.base, v->type.n >= 4 ? 2 : 1};
  uint32_t a = gen_random(g, (uint32_t)v->type.n), b = (a + 1) % (uint32_t)v->type.n;
  put_name(g, v);
  if (part.n == 1) {
    only_cl(g, ".s%x = ", a);
    only_c(g, ".s[%u] = ", a);
    gen_expr(g, part, 2);
    both(g, ";\n");
    return;
  }
  only_cl(g, ".s%x%x = ", a, b);
  only_c(g, "; { %s t_ = ", type_name(part));
  gen_expr(g, part, 2);
  both(g, ";\n");
  for (int k = 0; k < 2; k++) {
    only_c(g, v->item ? "I->%s" : "%s", v->name);
    only_c(g, ".s[%u] = t_.s[%d];", k == 0 ? a : b, k);
  }
  only_c(g, " }\n");
}

void gen_assign(struct gen *g, const struct var *v) {
  if (v->type.n > 1 && v->count == 0 && gen_chance(g, 30)) {
    assign_components(g, v);
    return;
  }
  put_target(g, v);
  both(g, " = ");
  gen_expr(g, v->type, 3);
  both(g, ";\n");
}

/* v op= ...; of numbers that wrap. */
static void change(struct gen *g, const struct var *v) {
  static const char *const ops[] = {"^=", "|=", "&=", "+=", "-=", "*="};
  const bool wraps = !is_signed(v->type.base) && v->type.base != USHORT;
  put_target(g, v);
  if (wraps && gen_chance(g, 40)) {
    both(g, gen_chance(g, 70) ? "++;\n" : "--;\n");
    return;
  }
  both(g, " %s ", ops[gen_random(g, wraps ? 6 : 3)]);
  gen_expr(g, v->type, 2);
  both(g, ";\n");
}

/* A number, or an element of an array, as what it was and something else. */
static void gen_change(struct gen *g) {
  const struct var *v = gen_pick(g, NULL, gen_chance(g, 70), WRITE);
  if (v != NULL && v->type.n == 1 && !is_float(v->type.base)) change(g, v);
}

void gen_new_variable(struct gen *g, bool item) {
  struct type t = gen_type(g);
  int count = gen_chance(g, 25) ? (int)(1u << (1 + gen_random(g, 4))) : 0;
  if (g->num_vars >= MAX_VARS - 4) return;
  int visible = g->num_vars;
  struct var *v = gen_declare(g, t, count, item);
  char suffix[12] = "";
  if (count != 0) snprintf(suffix, sizeof suffix, "[%d]", count);
  if (item) fprintf(g->fields, "  %s %s%s;\n", type_name(t), v->name, suffix);
  if (item) only_cl(g, "%s %s%s;\n", type_name(t), v->name, suffix);
  else both(g, "%s %s%s;\n", type_name(t), v->name, suffix);
  if (count != 0) both(g, "for (int i = 0; i < %d; i++) ", count);
  put_name(g, v);
  both(g, count != 0 ? "[i] = " : " = ");
  g->num_vars = visible; /* it is not in scope of its own value */
  gen_expr(g, t, 2);
  g->num_vars = visible + 1;
  both(g, ";\n");
}

static void assign_aggregate(struct gen *g) {
  for (int i = 0; i < g->num_aggregates; i++)
    for (int k = 0; k < g->num_aggregates; k++) {
      const struct aggregate *a = &g->aggregates[i], *b = &g->aggregates[k];
      if (i == k || a->which != b->which || gen_chance(g, 50)) continue;
      only_cl(g, "%s = %s;\n", a->name, b->name);
      only_c(g, "%s%s = %s%s;\n", a->item ? "I->" : "", a->name, b->item ? "I->" : "", b->name);
      return;
    }
}

/* Through a pointer that may point to either of two. */
static void assign_through_pointer(struct gen *g) {
  const struct var *a = gen_pick(g, NULL, false, POINT_TO);
  if (a == NULL) return;
  const struct var *b = gen_pick(g, &a->type, false, POINT_TO);
  both(g, "{ %s *p = (", type_name(a->type));
  gen_condition(g, 2);
  both(g, ") ? &");
  put_name(g, a);
  both(g, " : &");
  put_name(g, b);
  both(g, "; *p = ");
  gen_expr(g, a->type, 2);
  both(g, "; }\n");
}

/* ---- shared memory ---- */

static const struct {
  const char *cl, *made, *c; /* made: of what was there and the operand */
} atomics[] = {{"atomic_add", "old_ + y_", "+="},    {"atomic_xor", "old_ ^ y_", "^="},
               {"atomic_or", "old_ | y_", "|="},     {"atomic_and", "old_ & y_", "&="},
               {"atomic_min", "min(old_, y_)", "<"}, {"atomic_max", "max(old_, y_)", ">"}};

/* By the function, or by one of the loops of the prelude, which exchange until nobody came between. */
static void put_atomic(struct gen *g, const char *array, int k, enum mode mode, int operation) {
  const uint32_t form = gen_random(g, 4);
  if (form < 2) only_cl(g, "TRY_%s(&%s", form == 0 ? "FOUND" : "READ", array);
  else only_cl(g, "%s(&%s", atomics[operation].cl, array);
  only_c(g, "{ uint *p_ = &%s", array);
  gen_place(g, k, mode);
  only_cl(g, ", ");
  only_c(g, ", x_ = ");
  gen_expr(g, (struct type){UINT, 1}, 2);
  if (form < 2) only_cl(g, ", %s", atomics[operation].made);
  only_cl(g, ");\n");
  if (operation < 4) only_c(g, "; *p_ %s x_; }\n", atomics[operation].c);
  else only_c(g, "; if (x_ %s *p_) *p_ = x_; }\n", atomics[operation].c);
}

/* Numbers drawn one after the other: who gets which is open, what all get together is not. */
static void draw_ticket(struct gen *g) {
  static const char *const cl[] = {"atomic_xor", "atomic_add"}, *const c[] = {"^=", "+="};
  uint32_t k = gen_random(g, 2);
  only_cl(g, "{ uint t = atomic_inc(counts + %d); %s(counts + %d, t * 0x9E3779B1u); }\n",
          COUNTERS + 2 * (int)k, cl[k], COUNTERS + 2 * (int)k + 1);
  only_c(g, "{ uint t_ = counts[%d]++; counts[%d] %s t_ * 0x9E3779B1u; }\n", COUNTERS + 2 * (int)k,
         COUNTERS + 2 * (int)k + 1, c[k]);
}

/* Global memory of which nothing is known before the launch ends. */
static void use_counter(struct gen *g) {
  uint32_t k = gen_random(g, 10);
  char name[16];
  if (k < 2) {
    draw_ticket(g);
  } else if (k < 5) {
    both(g, "{ uint j = (");
    gen_expr(g, (struct type){UINT, 1}, 2);
    both(g, ") %% %uu;\n", (unsigned)BINS);
    only_cl(g, "atomic_add(bins + j, ");
    only_c(g, "bins[j] += ");
    gen_expr(g, (struct type){UINT, 1}, 1);
    only_cl(g, ")");
    both(g, "; }\n");
  } else {
    int operation = (int)gen_random(g, COUNTERS);
    snprintf(name, sizeof name, "counts%d", operation);
    only_c(g, "{ uint *%s = counts + %d; ", name, operation);
    only_cl(g, "{ global uint *%s = counts + %d; ", name, operation);
    put_atomic(g, name, 0, NUM_MODES, operation);
    both(g, "}\n");
  }
}

static void use_shared(struct gen *g) {
  uint32_t k = gen_random(g, NUM_SHARED + 1);
  char name[16];
  if (k == NUM_SHARED || g->alone) {
    use_counter(g);
    return;
  }
  struct shared *s = &g->shared[k];
  snprintf(name, sizeof name, "shared%u", k);
  if (s->mode == ATOMIC || s->mode == PEER_ATOMIC) put_atomic(g, name, (int)k, s->mode, s->operation);
  if (s->mode != OWN) return;
  both(g, "%s", name);
  gen_place(g, (int)k, OWN);
  both(g, " = ");
  gen_expr(g, s->type, 3);
  both(g, ";\n");
}

/* ---- control ---- */

void gen_braces(struct gen *g, int depth, bool in_loop) {
  int vars = g->num_vars, aggregates = g->num_aggregates;
  both(g, "{\n");
  gen_block(g, 1 + (int)gen_random(g, 3), depth - 1, in_loop);
  both(g, "}\n");
  g->num_vars = vars;
  g->num_aggregates = aggregates;
}

static void put_if(struct gen *g, int depth, bool in_loop) {
  both(g, "if (");
  gen_condition(g, 2);
  both(g, ") ");
  gen_braces(g, depth, in_loop);
  if (gen_chance(g, 50)) return;
  both(g, "else ");
  gen_braces(g, depth, in_loop);
}

static void put_switch(struct gen *g, int depth, bool in_loop) {
  both(g, "switch ((");
  gen_expr(g, (struct type){UINT, 1}, 2);
  both(g, ") %% 5) {\n");
  for (unsigned k = 0; k < 4; k++) {
    if (gen_chance(g, 25)) continue;
    if (k == 3) both(g, "default: ");
    else both(g, "case %u: ", k);
    gen_braces(g, depth, in_loop);
    if (gen_chance(g, 70)) both(g, "break;\n");
  }
  both(g, "}\n");
}

static void gen_statement(struct gen *g, int depth, bool in_loop) {
  uint32_t k = gen_random(g, 100);
  const struct var *v = gen_pick(g, NULL, gen_chance(g, 25), WRITE);
  if (k < 15) gen_new_variable(g, false);
  else if (k < 20) gen_change(g);
  else if (k < 25 && gen_field_walk(g)) return;
  else if (k < 45 && v != NULL) gen_assign(g, v);
  else if (k < 55 && g->kernel && (!g->alone || k < 48)) use_shared(g);
  else if (k < 57 && g->image != NO_IMAGE && gen_write_pixel(g)) return;
  else if (k < 58 && g->half && gen_store_half(g)) return;
  else if (k < 60 && g->generic && gen_generic(g)) return;
  else if (k < 63 && gen_planes(g)) return;
  else if (k < 61 && gen_row(g)) return;
  else if (k < 64 && gen_chance(g, 60) && gen_row_loop(g)) return;
  else if (k < 66 && gen_record(g)) return;
  else if (k < 62) gen_call(g);
  else if (k < 66) assign_through_pointer(g);
  else if (k < 69) assign_aggregate(g);
  else if (k < 80 && depth > 0) put_if(g, depth, in_loop);
  else if (k < 90 && depth > 0) gen_loop(g, depth, in_loop);
  else if (k < 94 && depth > 0) put_switch(g, depth, in_loop);
  else if (k < 97 && in_loop) {
    both(g, "if (");
    gen_condition(g, 2);
    both(g, gen_chance(g, 50) ? ") break;\n" : ") continue;\n");
  } else if (k == 97 && g->way_out >= 0) {
    both(g, "if (");
    gen_condition(g, 2);
    both(g, ") goto out%d;\n", g->way_out);
  } else if (k >= 98 && gen_chance(g, 60) && (g->alone || !g->kernel)) gen_return(g);
}

void gen_block(struct gen *g, int statements, int depth, bool in_loop) {
  for (int i = 0; i < statements && g->budget > 0; i++) gen_statement(g, depth, in_loop);
}
