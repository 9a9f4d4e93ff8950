/* Variables of the program: tables in constant memory, pointers into them, and global memory: tables that
 * nobody changes, and an element for each work-item of the launch. */
#include "gen.h"

#include <string.h>

static struct var *declare(struct gen *g, struct type t, int count, enum space space) {
  struct var *v = gen_declare(g, t, count, false);
  snprintf(v->name, sizeof v->name, "t%d_%llu", g->num_tables++, (unsigned long long)g->seed);
  v->space = space;
  v->fixed = true;
  return v;
}

/* An initialiser's literal: C's constant expressions have no compound literals. */
static void put_element(struct gen *g, struct type t) {
  g->initialiser = true;
  gen_literal(g, t);
  g->initialiser = false;
}

static void put_table(struct gen *g, enum space space) {
  struct type t = gen_type(g);
  int count = gen_chance(g, 75) ? 1 << (1 + gen_random(g, 5)) : 0;
  const struct var *v = declare(g, t, count, space);
  bool is_const = space == CONSTANT || gen_chance(g, 30);
  only_cl(g, "%s%s", space == CONSTANT ? "constant " : "global ",
          is_const && space == GLOBAL ? "const " : "");
  only_c(g, "static ");
  both(g, "%s %s", type_name(t), v->name);
  if (count != 0) both(g, "[%d] = {", count);
  else both(g, " = ");
  for (int i = 0; i < (count == 0 ? 1 : count); i++) {
    if (i > 0) both(g, ", ");
    put_element(g, t);
  }
  both(g, count != 0 ? "};\n" : ";\n");
}

/* Into a table, whose name is not always known where it is read. */
static void put_pointer(struct gen *g) {
  int k = (int)gen_random(g, (uint32_t)g->num_tables);
  const struct var of = g->vars[k];
  if (of.space != CONSTANT || of.count < 4) return;
  const struct var *v = declare(g, of.type, of.count / 2, CONSTANT);
  unsigned add = gen_random(g, (uint32_t)of.count / 2);
  only_cl(g, "constant %s *constant %s = %s + %u;\n", type_name(of.type), v->name, of.name, add);
  only_c(g, "static const %s *const %s = %s + %u;\n", type_name(of.type), v->name, of.name, add);
}

static void put_own_elements(struct gen *g) {
  size_t items = g->global[0] * g->global[1] * g->global[2];
  struct var *v = &g->own;
  *v = (struct var){.type = gen_type(g), .space = GLOBAL};
  unsigned long long seed = g->seed;
  only_cl(g, "global ");
  only_c(g, "static ");
  both(g, "%s own_%llu[%zu];\n", type_name(v->type), seed, items);
  snprintf(v->name, sizeof v->name, "own_%llu[self]", seed);
}

void gen_tables(struct gen *g) {
  int wanted = gen_chance(g, 50) ? (int)gen_random(g, 4) : 0;
  g->num_vars = 0;
  for (int i = 0; i < wanted; i++) put_table(g, g->generic && gen_chance(g, 30) ? GLOBAL : CONSTANT);
  if (g->num_tables > 0 && gen_chance(g, 50)) put_pointer(g);
  if (g->generic && gen_chance(g, 20)) put_own_elements(g);
}
