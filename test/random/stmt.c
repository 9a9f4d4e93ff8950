/* Statements between barriers, and functions. */
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
  const struct var *a = gen_pick(g, NULL, false, true);
  if (a == NULL) return;
  const struct var *b = gen_pick(g, &a->type, false, true);
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
  const char *cl, *c;
} atomics[] = {{"atomic_add", "+="}, {"atomic_xor", "^="}, {"atomic_or", "|="},
               {"atomic_and", "&="}, {"atomic_min", "<"},  {"atomic_max", ">"}};

static void put_atomic(struct gen *g, const char *array, const char *limit, int operation) {
  only_cl(g, "%s(&%s[(", atomics[operation].cl, array);
  only_c(g, "{ uint i_ = (");
  gen_expr(g, (struct type){UINT, 1}, 2);
  only_cl(g, ") %% %s], ", limit);
  only_c(g, ") %% %s, x_ = ", limit);
  gen_expr(g, (struct type){UINT, 1}, 2);
  only_cl(g, ");\n");
  if (operation < 4) only_c(g, "; %s[i_] %s x_; }\n", array, atomics[operation].c);
  else only_c(g, "; if (x_ %s %s[i_]) %s[i_] = x_; }\n", atomics[operation].c, array, array);
}

static void use_shared(struct gen *g) {
  uint32_t k = gen_random(g, NUM_SHARED + 1);
  char name[16];
  if (k == NUM_SHARED) {
    int operation = (int)gen_random(g, COUNTERS);
    snprintf(name, sizeof name, "counts%d", operation);
    only_c(g, "{ uint *%s = counts + %d; ", name, operation);
    only_cl(g, "{ global uint *%s = counts + %d; ", name, operation);
    put_atomic(g, name, "1u", operation);
    both(g, "}\n");
    return;
  }
  snprintf(name, sizeof name, "shared%u", k);
  if (g->shared[k].mode == ATOMIC) put_atomic(g, name, "ITEMS", g->shared[k].operation);
  if (g->shared[k].mode != OWN) return;
  only_cl(g, "%s[item] = ", name);
  only_c(g, "%s[ITEM] = ", name);
  gen_expr(g, g->shared[k].type, 3);
  both(g, ";\n");
}

/* ---- calls ---- */

static const struct aggregate *find_aggregate(struct gen *g, int which) {
  for (int i = 0; i < g->num_aggregates; i++)
    if (g->aggregates[i].which == which) return &g->aggregates[i];
  return NULL;
}

/* What a pointer parameter is given: an array of that type and size. */
static const struct var *find_array(struct gen *g, struct type t, int count) {
  for (int i = 0; i < g->num_vars; i++) {
    const struct var *v = &g->vars[i];
    if (v->type.base == t.base && v->type.n == t.n && v->count == count && !v->fixed) return v;
  }
  return NULL;
}

static bool can_call(struct gen *g, const struct function *f) {
  for (int i = 0; i < f->num_params; i++) {
    if (f->param[i].which >= 0 && find_aggregate(g, f->param[i].which) == NULL) return false;
    if (f->param[i].count != 0 && find_array(g, f->param[i].type, f->param[i].count) == NULL) return false;
  }
  return true;
}

static void put_argument(struct gen *g, const struct function *f, int i) {
  if (f->param[i].which >= 0) {
    const struct aggregate *a = find_aggregate(g, f->param[i].which);
    if (a == NULL) return; /* can_call() saw one */
    only_cl(g, "%s", a->name);
    only_c(g, "%s%s", a->item ? "I->" : "", a->name);
  } else if (f->param[i].count != 0) {
    put_name(g, find_array(g, f->param[i].type, f->param[i].count));
  } else {
    gen_expr(g, f->param[i].type, 2);
  }
}

static void call(struct gen *g) {
  if (g->num_functions == 0 || g->loops > 1) return;
  int k = (int)gen_random(g, (uint32_t)g->num_functions);
  const struct function *f = &g->functions[k];
  const struct var *result = gen_pick(g, &f->result, false, true);
  if (!can_call(g, f)) return;
  if (result != NULL) {
    put_name(g, result);
    both(g, " = ");
  } else {
    both(g, "(void)");
  }
  only_cl(g, "f%d(", k);
  only_c(g, "f%d_%llu(", k, (unsigned long long)g->seed);
  for (int i = 0; i < f->num_params; i++) {
    if (i > 0) both(g, ", ");
    put_argument(g, f, i);
  }
  both(g, ");\n");
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

static void put_loop(struct gen *g, int depth) {
  int name = g->names++, most = 1 + (int)gen_random(g, 6);
  if (g->loops >= 3) return;
  g->loops++;
  bool counted = gen_chance(g, 50);
  if (counted) both(g, "for (int i%d = 0; i%d < %d; i%d++) ", name, name, most, name);
  else both(g, "for (int i%d = 0; i%d < %d && (", name, name, most);
  if (!counted) {
    gen_condition(g, 2);
    both(g, "); i%d += %u) ", name, 1 + gen_random(g, 2));
  }
  int vars = g->num_vars;
  struct var *v = gen_declare(g, (struct type){INT, 1}, 0, false);
  if (v != NULL) {
    snprintf(v->name, sizeof v->name, "i%d", name);
    v->fixed = true;
  }
  gen_braces(g, depth, true);
  g->num_vars = vars;
  g->loops--;
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
  const struct var *v = gen_pick(g, NULL, gen_chance(g, 25), true);
  if (k < 15) gen_new_variable(g, false);
  else if (k < 45 && v != NULL) gen_assign(g, v);
  else if (k < 55 && g->kernel && !g->alone) use_shared(g);
  else if (k < 58 && g->image != NO_IMAGE && gen_write_pixel(g)) return;
  else if (k < 60 && g->generic && gen_generic(g)) return;
  else if (k < 62) call(g);
  else if (k < 66) assign_through_pointer(g);
  else if (k < 69) assign_aggregate(g);
  else if (k < 80 && depth > 0) put_if(g, depth, in_loop);
  else if (k < 90 && depth > 0) put_loop(g, depth);
  else if (k < 94 && depth > 0) put_switch(g, depth, in_loop);
  else if (k < 97 && in_loop) {
    both(g, "if (");
    gen_condition(g, 2);
    both(g, gen_chance(g, 50) ? ") break;\n" : ") continue;\n");
  }
}

void gen_block(struct gen *g, int statements, int depth, bool in_loop) {
  for (int i = 0; i < statements && g->budget > 0; i++) gen_statement(g, depth, in_loop);
}

/* ---- functions ---- */

static void put_parameter(struct gen *g, struct function *f, int i) {
  f->param[i].which = -1;
  f->param[i].count = 0;
  f->param[i].type = gen_type(g);
  if (gen_chance(g, 20)) {
    f->param[i].which = (int)gen_random(g, NUM_STRUCTS);
    struct aggregate *a = &g->aggregates[g->num_aggregates++];
    int number = g->names++;
    *a = (struct aggregate){.which = f->param[i].which};
    snprintf(a->name, sizeof a->name, "s%d", number);
    both(g, "struct s%d%s %s", a->which, "_t", a->name);
    for (int k = 0; k < g->structs[a->which].num && g->num_vars < MAX_VARS; k++) {
      struct var *v = &g->vars[g->num_vars++];
      *v = g->structs[a->which].field[k];
      snprintf(v->name, sizeof v->name, "s%d.f%d", number, k);
    }
    return;
  }
  if (gen_chance(g, 25)) f->param[i].count = 4;
  struct var *v = gen_declare(g, f->param[i].type, f->param[i].count, false);
  both(g, "%s %s%s", type_name(v->type), v->count != 0 ? "*" : "", v->name);
}

static void gen_function(struct gen *g, int number) {
  struct function *f = &g->functions[number];
  f->result = gen_type(g);
  f->num_params = (int)gen_random(g, MAX_PARAMS + 1);
  g->num_vars = g->num_aggregates = 0;
  if (gen_chance(g, 30)) only_cl(g, "__attribute__((noinline)) ");
  only_cl(g, "%s f%d(", type_name(f->result), number);
  only_c(g, "static %s f%d_%llu(", type_name(f->result), number, (unsigned long long)g->seed);
  for (int i = 0; i < f->num_params; i++) {
    if (i > 0) both(g, ", ");
    put_parameter(g, f, i);
  }
  if (f->num_params == 0) both(g, "void");
  both(g, ") {\n");
  gen_new_variable(g, false);
  gen_block(g, 2 + (int)gen_random(g, 4), 2, false);
  if (gen_chance(g, 30)) {
    both(g, "if (");
    gen_condition(g, 2);
    both(g, ") return ");
    gen_expr(g, f->result, 2);
    both(g, ";\n");
    gen_block(g, 2, 2, false);
  }
  both(g, "return ");
  gen_expr(g, f->result, 3);
  both(g, ";\n}\n");
}

void gen_functions(struct gen *g) {
  int wanted = (int)gen_random(g, MAX_FUNCTIONS);
  for (int i = 0; i < wanted; i++) {
    gen_function(g, i);
    g->num_functions = i + 1; /* later ones may call it */
  }
}
