/* Loops of a work-item by itself, and jumps. */
#include "gen.h"

/* Around the work-item's place, up to edges; into counter i<name>. */
static void put_window(struct gen *g, int name) {
  int before = (int)gen_random(g, 4), after = 1 + (int)gen_random(g, 4), low = (int)gen_random(g, 8),
      high = 6 + (int)gen_random(g, 60);
  bool down = gen_chance(g, 25);
  only_c(g, "\n#define item %s\n#define max(x, y) (x > y ? x : y)\n#define min(x, y) (x < y ? x : y)\n",
         g->alone ? "GX" : "ITEM");
  if (down)
    both(g, "for (int i%d = min((int)item + %d, %d); i%d >= max((int)item - %d, %d); i%d--) ", name, after,
         high, name, before, low, name);
  else
    both(g, "for (int i%d = max((int)item - %d, %d); i%d < min((int)item + %d, %d); i%d += %u) ", name,
         before, low, name, after, high, name, 1 + gen_random(g, 2));
  only_c(g, "\n#undef item\n#undef max\n#undef min\n");
}

/* As far from the work-item's place for all, in steps; into counter i<name>. */
static void put_reach(struct gen *g, int name, struct type counter) {
  const int scale = (int)gen_random(g, 5), step = 1 + (int)gen_random(g, 3),
            reach = step * (1 + (int)gen_random(g, 5));
  char more[32], place[32];
  snprintf(more, sizeof more, gen_chance(g, 50) ? "" : " + (int)(n %% 4u) * %d", step);
  snprintf(place, sizeof place, "(%s)item", type_name(counter));
  only_c(g, "\n#define item %s\n", g->alone ? "GX" : "ITEM");
  both(g, "for (%s i%d = ", type_name(counter), name);
  switch (gen_random(g, 4)) {
  case 0:
    both(g, "%s * %d + 7, e%d = i%d + %d%s; i%d != e%d; i%d += %d) ", place, scale, name, name, reach, more,
         name, name, name, step);
    break;
  case 1:
    both(g, "%s * %d; i%d < %s * %d + %d%s; i%d += %d) ", place, scale, name, place, scale, reach, more, name,
         step);
    break;
  case 2:
    both(g, "%s * %d; i%d < (%s + 1) * %d; i%d++) ", place, scale, name, place, scale, name);
    break;
  default:
    both(g, "%s * %d + %d%s; i%d > %s * %d; i%d -= %d) ", place, scale, reach, more, name, place, scale, name,
         step);
  }
  only_c(g, "\n#undef item\n");
}

/* Doubled or halved from turn to turn, how often nobody knows in kernels; into counter i<name>. */
static void put_doubling(struct gen *g, int name) {
  const unsigned first = 1u << gen_random(g, 3), last = 1u << (3 + gen_random(g, 4));
  static const char *const up[] = {"i%d *= 2", "i%d <<= 1", "i%d += i%d"}, *const down[] = {"i%d /= 2",
                                                                                            "i%d >>= 1"};
  const char *more = g->kernel ? " + (int)(n % 5u)" : "";
  if (gen_chance(g, 60)) {
    both(g, "for (int i%d = %u; i%d < %u%s; ", name, first, name, last, more);
    both(g, up[gen_random(g, 3)], name, name);
  } else {
    both(g, "for (int i%d = %u; i%d > 0%s; ", name, last, name, more);
    both(g, down[gen_random(g, 2)], name);
  }
  both(g, ") ");
}

/* ---- the forms ---- */

enum form { WINDOW, REACH, COUNTED, DOUBLED, WHILE, UNTIL, ENDLESS, BITS, NUM_FORMS };

struct loop {
  int name, most;
  enum form form;
  struct type counter;
};

static enum form choose_form(struct gen *g) {
  static const enum form often[] = {COUNTED, COUNTED, COUNTED, WHILE, DOUBLED};
  if (g->kernel && gen_chance(g, 35)) return gen_chance(g, 60) ? WINDOW : REACH;
  return gen_chance(g, 60) ? often[gen_random(g, 5)]
                           : (enum form)(COUNTED + gen_random(g, NUM_FORMS - COUNTED));
}

/* The bits of a number, from the lowest or the highest on. */
static void put_bits(struct gen *g, int name) {
  both(g, "for (uint i%d = (", name);
  gen_expr(g, (struct type){UINT, 1}, 2);
  both(g, ") & 0x%xu; i%d != 0u; ", gen_chance(g, 50) ? 0x3fu : 0x10204u, name);
  both(g, gen_chance(g, 50) ? "i%d &= i%d - 1u) " : "i%d >>= 1) ", name, name);
}

static struct type choose_counter(struct gen *g, enum form form) {
  static const enum base far[] = {INT, INT, UINT, LONG, ULONG};
  const enum base base = form == REACH ? far[gen_random(g, 5)] : form == BITS ? UINT : INT;
  return (struct type){base, 1};
}

static void open_loop(struct gen *g, const struct loop *l) {
  int name = l->name;
  if (l->form == UNTIL) both(g, "{ int i%d = 0;\n", name);
  gen_unroll_hint(g);
  switch (l->form) {
  case WINDOW:
    put_window(g, name);
    break;
  case REACH:
    put_reach(g, name, l->counter);
    break;
  case DOUBLED:
    put_doubling(g, name);
    break;
  case WHILE:
    both(g, "for (int i%d = 0; i%d < %d && (", name, name, l->most);
    gen_condition(g, 2);
    both(g, "); i%d += %u) ", name, 1 + gen_random(g, 2));
    break;
  case UNTIL:
    both(g, "do ");
    break;
  case ENDLESS:
    both(g, "for (int i%d = 0;; i%d++) {\nif (i%d >= %d) break;\n", name, name, name, l->most);
    break;
  case BITS:
    put_bits(g, name);
    break;
  default:
    both(g, "for (int i%d = 0; i%d < %d; i%d++) ", name, name, l->most, name);
  }
}

static void close_loop(struct gen *g, const struct loop *l) {
  if (l->form == ENDLESS) both(g, "}\n");
  if (l->form != UNTIL) return;
  both(g, "while (++i%d < %d && (", l->name, l->most);
  gen_condition(g, 2);
  both(g, ")); }\n");
}

static void put_loop(struct gen *g, int depth) {
  struct loop l = {g->names++, 1 + (int)gen_random(g, 6), choose_form(g), {0}};
  l.counter = choose_counter(g, l.form);
  open_loop(g, &l);
  int vars = g->num_vars;
  struct var *v = gen_declare(g, l.counter, 0, false);
  if (v != NULL) {
    snprintf(v->name, sizeof v->name, "i%d", l.name);
    v->fixed = true;
    v->doubled = l.form == DOUBLED;
  }
  gen_braces(g, depth, true);
  g->num_vars = vars;
  close_loop(g, &l);
}

/* ---- jumps ---- */

/* Out of whatever is within. */
static void put_way_out(struct gen *g, int depth, bool in_loop) {
  int before = g->way_out, name = g->names++;
  g->way_out = name;
  gen_braces(g, depth, in_loop);
  g->way_out = before;
  both(g, "out%d:;\n", name);
}

/* A loop of labels, which some work-items enter in the midst of it. */
static void put_labels(struct gen *g, int depth, bool in_loop) {
  int name = g->names++, most = 1 + (int)gen_random(g, 4);
  both(g, "{ int i%d = 0;\n", name);
  if (gen_chance(g, 60)) {
    both(g, "if (");
    gen_condition(g, 2);
    both(g, ") goto amid%d;\n", name);
  }
  both(g, "again%d:;\n", name);
  gen_braces(g, depth, in_loop);
  both(g, "amid%d:;\n", name);
  gen_braces(g, depth, in_loop);
  both(g, "if (++i%d < %d && (", name, most);
  gen_condition(g, 2);
  both(g, ")) goto again%d;\n}\n", name);
}

void gen_loop(struct gen *g, int depth, bool in_loop) {
  if (gen_chance(g, 10)) {
    put_way_out(g, depth, in_loop);
    return;
  }
  if (g->loops >= 3) return;
  g->loops++;
  if (gen_chance(g, 8)) put_labels(g, depth, in_loop);
  else put_loop(g, depth);
  g->loops--;
}
