/* The field: input behind the first words, long enough for every work-item to have elements of its own, side
 * by side, in rows, in columns or next to others', without a mask that would hide how they lie. */
#include "gen.h"

/* ---- places ---- */

/* A work-item's number, in one of several types; below MOST_ITEMS + MOST_OFFSET. */
static void put_number(struct gen *g) {
  static const struct {
    const char *cl, *c;
  } numbers[] = {{"self", "self"},
                 {"(int)self", "(int)self"},
                 {"(ulong)self", "(ulong)self"},
                 {"get_global_id(0)", "(ulong)GX"},
                 {"(int)get_global_id(0)", "(int)GX"},
                 {"(uint)get_global_id(1)", "GY"},
                 {"get_global_id(0)", "(ulong)GX"}};
  uint32_t k = gen_random(g, 7);
  only_cl(g, "%s", numbers[k].cl);
  only_c(g, "%s", numbers[k].c);
}

/* Steps that keep elements of so many bytes within the field, `span` of them from where a work-item starts.
 */
static unsigned choose_step(struct gen *g, unsigned bytes, unsigned span) {
  static const unsigned steps[] = {1, 1, 1, 2, 3, 4, 5, 8};
  unsigned step = steps[gen_random(g, 8)];
  while (step > 1 && ((MOST_ITEMS + MOST_OFFSET) * step + span) * bytes > 4 * FIELD_WORDS) step--;
  return step;
}

/* Where a work-item's elements start; those beside it, MOST_BESIDE on each side, are there too. */
static void put_start(struct gen *g, unsigned bytes, unsigned span) {
  unsigned step = choose_step(g, bytes, span + 2 * MOST_BESIDE), beside = gen_random(g, MOST_BESIDE);
  both(g, "(");
  if (step == 1 && gen_chance(g, 15)) { /* the other way */
    both(g, "%u - (", MOST_ITEMS + MOST_OFFSET + MOST_BESIDE + beside);
    put_number(g);
    both(g, "))");
    return;
  }
  put_number(g);
  if (step > 1) both(g, " * %u", step);
  both(g, " + %u)", MOST_BESIDE + beside);
}

static void put_elements(struct gen *g, enum base base) {
  const char *name = type_name((struct type){base, 1});
  only_cl(g, "((global const %s *)(in + %u))", name, (unsigned)IN_WORDS);
  only_c(g, "((const %s *)(in + %u))", name, (unsigned)IN_WORDS);
}

/* ---- one element, or several side by side ---- */

static void put_place(struct gen *g, unsigned bytes) {
  put_start(g, bytes, 8);
  if (!gen_chance(g, 25)) return;
  both(g, " + ((");
  gen_expr(g, (struct type){UINT, 1}, 1);
  both(g, ") & 7u)");
}

bool gen_field(struct gen *g, struct type t) {
  const unsigned bytes = (unsigned)base_bits(t.base) / 8, n = (unsigned)t.n;
  if (!g->kernel || is_float(t.base) || bytes * n > 16) return false;
  if (n == 1) {
    put_elements(g, t.base);
    both(g, "[");
    put_place(g, bytes);
    both(g, "]");
    return true;
  }
  only_cl(g, "vload%u(", n);
  only_c(g, "({ ulong p_ = ");
  put_place(g, bytes * n);
  only_cl(g, ", ");
  only_c(g, "; %s r_; memcpy(&r_, &", type_name(t));
  put_elements(g, t.base);
  only_cl(g, ")");
  only_c(g, "[%u * p_], %u); r_; })", n, bytes * n);
  return true;
}

/* ---- walks ---- */

struct walk {
  const struct var *into;
  enum base base;
  unsigned bytes, most; /* of an element; turns */
};

/* How often: known, given, or as data says. */
static void put_turns(struct gen *g, unsigned most) {
  uint32_t k = gen_random(g, 3);
  if (k == 0) both(g, "%uu", most);
  else if (k == 1) both(g, "n %% %uu", most + 1);
  else {
    both(g, "(");
    gen_expr(g, (struct type){UINT, 1}, 1);
    both(g, ") %% %uu", most + 1);
  }
}

static void open_walk(struct gen *g, const struct walk *w) {
  both(g, "uint m_ = ");
  put_turns(g, w->most);
  both(g, ";\n");
  gen_unroll_hint(g);
  both(g, "for (uint k_ = 0u; k_ < m_; k_++) {");
}

/* r_ is changed by the element that comes next in the text; some walks end there. */
static void put_step_open(struct gen *g) { both(g, " x_ = "); }
static void put_step_close(struct gen *g, const struct walk *w) {
  static const char *const ops[] = {"r_ * 3 + x_", "r_ + x_", "r_ ^ x_", "r_ < x_ ? r_ : x_", "r_ | x_"};
  const char *name = type_name((struct type){w->base, 1});
  uint32_t k = gen_random(g, 5);
  both(g, "; ");
  if (gen_chance(g, 25))
    both(g, "if (x_ %% %uu == %uu) %s; ", 2 + gen_random(g, 5), gen_random(g, 2),
         gen_chance(g, 60) ? "break" : "continue");
  both(g, "r_ = (%s)(%s); }\n", name, ops[k]);
}

/* Elements side by side, backwards, or in columns. */
static void walk_places(struct gen *g, const struct walk *w) {
  const unsigned by = gen_chance(g, 60) ? 1 : 1 + gen_random(g, 40);
  open_walk(g, w);
  put_step_open(g);
  put_elements(g, w->base);
  both(g, "[");
  put_start(g, w->bytes, 41 * w->most);
  if (gen_chance(g, 15) && w->most < MOST_BESIDE) both(g, " - k_]");
  else both(g, " + k_ * %uu]", by);
  put_step_close(g, w);
}

/* By a pointer that moves. */
static void walk_pointer(struct gen *g, const struct walk *w) {
  const char *name = type_name((struct type){w->base, 1});
  only_cl(g, "global ");
  both(g, "const %s *p_ = ", name);
  put_elements(g, w->base);
  both(g, " + ");
  put_start(g, w->bytes, 4 * w->most);
  both(g, "; ");
  open_walk(g, w);
  put_step_open(g);
  both(g, gen_chance(g, 50) ? "*p_++" : "*p_; p_ += %u", 1 + gen_random(g, 4));
  put_step_close(g, w);
}

/* As long as two rows are alike, or not. */
static void walk_two(struct gen *g, const struct walk *w) {
  both(g, "uint k_ = 0u, m_ = ");
  put_turns(g, w->most);
  both(g, "; while (k_ < m_ && ");
  put_elements(g, w->base);
  both(g, "[");
  put_start(g, w->bytes, w->most);
  both(g, " + k_] %% 4u %s ", gen_chance(g, 60) ? "!=" : "<=");
  put_elements(g, w->base);
  both(g, "[%u + k_] %% 4u) k_++; r_ = r_ * 5 + k_;\n", gen_random(g, 60));
}

/* Neighbours by themselves, in rows of any length. */
static void sum_neighbours(struct gen *g, const struct walk *w) {
  const unsigned row = 1 + gen_random(g, 50);
  both(g, "uint at_ = ");
  put_start(g, w->bytes, 2 * row);
  both(g, "; r_ += 0");
  for (uint32_t k = 2 + gen_random(g, 5); k > 0; k--) {
    both(g, gen_chance(g, 70) ? " + " : " - ");
    put_elements(g, w->base);
    both(g, "[at_ - 1u + %uu]", gen_random(g, 3) + row * gen_random(g, 3));
  }
  both(g, ";\n");
}

/* Elements of the input that are less than the last of those kept replace it, in order. */
static void keep_least(struct gen *g, const struct walk *w, const char *name) {
  struct walk seen = *w;
  seen.most = 1 + gen_random(g, 12);
  both(g, "{ uint m_ = ");
  put_turns(g, seen.most);
  both(g, "; for (uint k_ = 0u; k_ < m_; k_++) { %s x_ = ", name);
  put_elements(g, w->base);
  both(g, "[");
  put_start(g, w->bytes, seen.most);
  both(g, " + k_]; if (x_ < own_[%u]) { uint j_ = %uu; while (j_ > 0u && own_[j_ - 1u] > x_) { own_[j_] = ",
       w->most - 1, w->most - 1);
  both(g, "own_[j_ - 1u]; j_--; } own_[j_] = x_; } } }\n");
}

/* Pushed, and added up by twos. */
static void stack_up(struct gen *g, const struct walk *w, const char *name) {
  both(g, "{ %s up_[%u]; uint n_ = 0u; for (uint k_ = 0u; k_ < %uu; k_++) { up_[n_++] = own_[k_]; ", name,
       w->most, w->most);
  both(g, "if (n_ > 1u && (own_[k_] & %u) != 0) { n_--; up_[n_ - 1u] += up_[n_]; } } ",
       1u << gen_random(g, 3));
  both(g, "while (n_ > 0u) r_ = (%s)(r_ * 5 + up_[--n_]); }\n", name);
}

/* Copied to private memory and put in order there, or counted. */
static void sort_copy(struct gen *g, const struct walk *w) {
  const char *name = type_name((struct type){w->base, 1});
  both(g, "%s own_[%u]; ", name, w->most);
  both(g, "for (uint k_ = 0u; k_ < %uu; k_++) own_[k_] = ", w->most);
  if (gen_chance(g, 70))
    put_elements(g, w->base), both(g, "["), put_start(g, w->bytes, w->most), both(g, " + k_]");
  else both(g, "(%s)(k_ * 7u)", name);
  both(g, ";\n");
  switch (gen_random(g, 5)) {
  case 3:
    keep_least(g, w, name);
    break;
  case 4:
    stack_up(g, w, name);
    break;
  case 0: /* by insertion */
    both(g,
         "for (uint k_ = 1u; k_ < %uu; k_++) { %s x_ = own_[k_]; uint j_ = k_; while (j_ > 0u && own_[j_ - "
         "1u] %s "
         "x_) { own_[j_] = own_[j_ - 1u]; j_--; } own_[j_] = x_; }\n",
         w->most, name, gen_chance(g, 50) ? ">" : "<");
    break;
  case 1: /* a pass of exchanges */
    both(g,
         "for (uint k_ = 0u; k_ + 1u < %uu; k_++) if (own_[k_] > own_[k_ + 1u]) { %s x_ = own_[k_]; own_[k_] "
         "= "
         "own_[k_ + 1u]; own_[k_ + 1u] = x_; }\n",
         w->most, name);
    break;
  default: {
    struct walk counted = *w;
    counted.most = 1 + gen_random(g, 12);
    both(g, "{ uint m_ = ");
    put_turns(g, counted.most);
    both(g, "; for (uint k_ = 0u; k_ < m_; k_++) own_[");
    put_elements(g, w->base);
    both(g, "[");
    put_start(g, w->bytes, counted.most);
    both(g, " + k_] %% %uu] += %s; }\n", w->most, gen_chance(g, 50) ? "1" : "k_");
  }
  }
  both(g, "for (uint k_ = 0u; k_ < %uu; k_++) r_ = (%s)(r_ * 3 + own_[k_]);\n", w->most, name);
}

/* A list that each work-item closes behind its own last element, and then goes through. */
static void close_list(struct gen *g, const struct walk *w) {
  const char *name = type_name((struct type){w->base, 1});
  both(g, "%s list_[%u], *to_ = list_; uint m_ = ", name, w->most + 1);
  put_turns(g, w->most);
  both(g, "; for (uint k_ = 0u; k_ <= %uu; k_++) list_[k_] = 1;\n", w->most);
  both(g, "while (m_ > 0u) *to_++ = (%s)(x_ + m_--); *to_ = 9; m_ = ", name);
  put_turns(g, w->most);
  both(g, "; for (uint k_ = 1u; k_ <= m_; k_++) list_[k_] = (%s)(list_[k_] * 5 + list_[k_ - 1u]);\n", name);
  both(g, "for (uint k_ = 0u; k_ <= %uu; k_++) r_ = (%s)(r_ * 7 + list_[k_]);\n", w->most, name);
}

bool gen_field_walk(struct gen *g) {
  static void (*const walks[])(struct gen *, const struct walk *) = {
      walk_places, walk_places, walk_pointer, walk_two, sum_neighbours, sort_copy, close_list};
  static const enum base bases[] = {UINT, UCHAR, USHORT, ULONG, UINT};
  struct walk w = {.most = 1 + gen_random(g, 12)};
  if (!g->kernel) return false;
  for (int tries = 0; tries < 4 && w.into == NULL; tries++) {
    w.base = bases[gen_random(g, 5)];
    w.into = gen_pick(g, &(struct type){w.base, 1}, false, WRITE);
  }
  if (w.into == NULL) return false;
  w.bytes = (unsigned)base_bits(w.base) / 8;
  const char *name = type_name(w.into->type);
  both(g, "{ %s x_ = 0, r_ = ", name);
  put_name(g, w.into);
  both(g, "; (void)x_;\n");
  walks[gen_random(g, 7)](g, &w);
  put_name(g, w.into);
  both(g, " = r_; }\n");
  return true;
}
