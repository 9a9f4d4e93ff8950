/* Memory by other ways: pointers that may point to private, local or global memory, and images. */
#include "gen.h"

/* ---- generic pointers ---- */

static const struct shared *own_array(struct gen *g, int *k_out) {
  for (int tries = 0; tries < 4; tries++) {
    int k = (int)gen_random(g, NUM_SHARED);
    *k_out = k;
    if (g->shared[k].mode == OWN) return &g->shared[k];
  }
  return NULL;
}

void gen_own(struct gen *g, unsigned k) {
  if (g->row[0] == '\0') both(g, "out[2 * self + %u]", k);
  else both(g, "out[self / %s * %s * 2u + self %% %s + %uu * %s]", g->row, g->row, g->row, k, g->row);
}

static void put_own_word(struct gen *g) { /* of global memory; overwritten when the work-item ends */
  both(g, "&");
  gen_own(g, 0);
}

static void put_target(struct gen *g, const char *t, int k, bool global) {
  only_cl(g, "(%s *)", t);
  if (global && gen_chance(g, 50)) {
    put_own_word(g);
    return;
  }
  both(g, "&shared%d", k);
  gen_place(g, k, OWN);
}

bool gen_generic(struct gen *g) {
  int k;
  if (!g->kernel || g->alone) return false;
  const struct shared *s = own_array(g, &k);
  const struct var *a = s != NULL ? gen_pick(g, &s->type, false, POINT_TO) : NULL;
  if (a == NULL) return false;
  bool word = is_word(s->type);
  const char *t = type_name(s->type);
  both(g, "{ %s *p = (", t);
  gen_condition(g, 2);
  only_cl(g, ") ? (%s *)&", t);
  only_c(g, ") ? &");
  put_name(g, a);
  both(g, " : ");
  put_target(g, t, k, word);
  if (word && gen_chance(g, 50)) {
    both(g, "; *p = step(p, ");
    gen_expr(g, s->type, 2);
    both(g, "); }\n");
    return true;
  }
  both(g, "; %s t = *p; *p = ", t);
  gen_expr(g, s->type, 2);
  both(g, "; ");
  put_name(g, a);
  both(g, " = t; }\n");
  return true;
}

/* ---- rows ---- */

/* Elements of the two words that `out` has for each work-item: one, or several side by side. */
struct part {
  struct type type;
  unsigned place, in_row; /* in elements */
  bool whole;             /* through a pointer to vectors, which are aligned */
};

static struct part pick_part(struct gen *g) {
  static const enum base bases[] = {UINT, INT, USHORT, SHORT, UCHAR, CHAR};
  static const int counts[] = {1, 2, 3, 4, 8};
  struct part p = {.type = {bases[gen_random(g, 6)], 1}};
  p.in_row = 64 / (unsigned)base_bits(p.type.base);
  do p.type.n = counts[gen_random(g, 5)];
  while ((unsigned)p.type.n > p.in_row);
  unsigned n = (unsigned)p.type.n;
  p.place = gen_random(g, p.in_row - n + 1);
  p.whole = n == 1 || (n != 3 && p.place % n == 0 && gen_chance(g, 50));
  return p;
}

static const char *element_name(const struct part *p) { return type_name((struct type){p->type.base, 1}); }

/* The part itself, or where its elements start. */
static void put_part(struct gen *g, const struct part *p) {
  unsigned n = (unsigned)p->type.n;
  if (p->whole)
    only_cl(g, "((global %s *)out)[%u * self + %uu]", type_name(p->type), p->in_row / n, p->place / n);
  else only_cl(g, "0, (global %s *)out + %u * self + %uu", element_name(p), p->in_row, p->place);
}

/* What is there, in OpenCL C. */
static void put_read(struct gen *g, const struct part *p) {
  if (!p->whole) only_cl(g, "vload%d(", p->type.n);
  put_part(g, p);
  if (!p->whole) only_cl(g, ")");
}

static void put_copy(struct gen *g, const struct part *p, const char *form) {
  unsigned size = (unsigned)base_bits(p->type.base) / 8;
  char at[64];
  snprintf(at, sizeof at, "(char *)&out[2 * self] + %u", size * p->place);
  only_c(g, form, at, size * (unsigned)p->type.n);
}

static void put_row_store(struct gen *g) {
  const struct part p = pick_part(g);
  only_c(g, "{ %s r_ = ", type_name(p.type));
  if (p.whole) {
    put_part(g, &p);
    only_cl(g, " = ");
    gen_expr(g, p.type, 2);
    only_cl(g, ";\n");
  } else {
    only_cl(g, "vstore%d(", p.type.n);
    gen_expr(g, p.type, 2);
    only_cl(g, ", ");
    put_part(g, &p);
    only_cl(g, ");\n");
  }
  put_copy(g, &p, "; memcpy(%s, &r_, %u); }\n");
}

/* Stores on each other, and what is there then. */
bool gen_row(struct gen *g) {
  if (!g->kernel || g->row[0] != '\0') return false;
  for (uint32_t n = 2 + gen_random(g, 3); n > 0; n--) put_row_store(g);
  const struct part p = pick_part(g);
  const struct var *v = gen_pick(g, &p.type, false, WRITE);
  if (v == NULL) return true;
  put_name(g, v);
  only_cl(g, " = ");
  put_read(g, &p);
  only_cl(g, ";\n");
  only_c(g, " = ({ %s r_; ", type_name(p.type));
  put_copy(g, &p, "memcpy(&r_, %s, %u); r_; });\n");
  return true;
}

/* r_ op what is there becomes r_; at times that is put there, and c_ takes a component of it on the way. */
static void put_turn(struct gen *g, const struct part *p, const char *op, bool stores, bool asks) {
  const unsigned last = (unsigned)p->type.n - 1;
  only_cl(g, "r_ = r_ %s ", op);
  put_read(g, p);
  only_cl(g, "; ");
  only_c(g, "%s t_; ", type_name(p->type));
  put_copy(g, p, "memcpy(&t_, %s, %u); ");
  only_c(g, "for (int k_ = 0; k_ < %d; k_++) r_.s[k_] = (%s)((ulong)r_.s[k_] %s (ulong)t_.s[k_]); ",
         p->type.n, element_name(p), op);
  if (asks) {
    only_cl(g, "c_ = c_ * 3u + (uint)r_.s%x; ", last);
    only_c(g, "c_ = c_ * 3u + (uint)r_.s[%u]; ", last);
  }
  if (!stores) return;
  if (!p->whole) only_cl(g, "vstore%d(r_, ", p->type.n);
  put_part(g, p);
  only_cl(g, p->whole ? " = r_; " : "); ");
  put_copy(g, p, "memcpy(%s, &r_, %u); ");
}

/* To a variable, or to one's own word where there is none (v is NULL). */
static void put_result(struct gen *g, const struct part *p, const struct var *v) {
  const unsigned last = (unsigned)p->type.n - 1;
  if (v != NULL) {
    put_name(g, v);
    both(g, " = r_; }\n");
    return;
  }
  only_cl(g, "out[2 * self + 1] += (uint)r_.s0 + 7u * (uint)r_.s%x; }\n", last);
  only_c(g, "out[2 * self + 1] += (uint)r_.s[0] + 7u * (uint)r_.s[%u]; }\n", last);
}

/* A vector that a loop carries, made of one's row in each turn. */
bool gen_row_loop(struct gen *g) {
  static const char *const ops[] = {"^", "|", "&", "+", "-", "*"};
  const struct part p = pick_part(g);
  if (!g->kernel || p.type.n < 2 || g->row[0] != '\0') return false;
  const struct var *v = gen_pick(g, &p.type, false, WRITE);
  const char *op = ops[gen_random(g, is_signed(p.type.base) ? 3 : 6)], *element = element_name(&p);
  const bool stores = gen_chance(g, 30), asks = gen_chance(g, 25);
  const unsigned turns = 1 + gen_random(g, 5);
  both(g, "{ %s r_ = ", type_name(p.type));
  gen_expr(g, p.type, 2);
  both(g, "; uint c_ = 1u; for (uint i_ = 0u; i_ < %uu + n %% 3u; i_++) { ", turns);
  put_turn(g, &p, op, stores, asks);
  only_cl(g, "} r_.s0 = (%s)(r_.s0 ^ (%s)c_); ", element, element);
  only_c(g, "} r_.s[0] = (%s)(r_.s[0] ^ (%s)c_); ", element, element);
  put_result(g, &p, v);
  return true;
}

/* Loads that follow one another, and stores. */
bool gen_planes(struct gen *g) {
  const struct type word = {UINT, 1};
  if (!g->kernel || g->row[0] == '\0') return false;
  both(g, "{ uint a_ = ");
  gen_own(g, 0);
  both(g, ", b_ = ");
  gen_own(g, 1);
  both(g, "; ");
  gen_own(g, 0);
  both(g, " = b_ ^ ");
  gen_expr(g, word, 2);
  both(g, "; ");
  gen_own(g, 1);
  both(g, " = a_ + ");
  gen_expr(g, word, 2);
  both(g, "; }\n");
  return true;
}

/* Words of a record of the input, or of a private array, with gaps and out of order. */
bool gen_record(struct gen *g) {
  const struct type word = {UINT, 1};
  if (!g->kernel) return false;
  const struct var *v = gen_pick(g, &word, false, WRITE);
  const unsigned size = 2 + gen_random(g, 11);
  const bool own = gen_chance(g, 50);
  if (v == NULL) return false;
  both(g, "{ uint r_ = 0u, at_ = (");
  gen_expr(g, word, 2);
  both(g, ") %% %uu * %uu; ", (own ? IN_WORDS / 2 : IN_WORDS) / size, size);
  if (own)
    both(g, "uint own_[%u]; for (uint k_ = 0u; k_ < %uu; k_++) own_[k_] = in[k_] ^ (uint)self; ",
         IN_WORDS / 2, IN_WORDS / 2);
  for (uint32_t n = 2 + gen_random(g, 6); n > 0; n--)
    both(g, "r_ = r_ * %uu ^ %s[at_ + %uu]; ", 3 + 2 * gen_random(g, 4), own ? "own_" : "in",
         gen_random(g, size));
  put_name(g, v);
  both(g, " = r_; }\n");
  return true;
}

/* ---- images ---- */

static enum base base_of(enum image image) {
  return image == IMAGE_FLOAT ? FLOAT : image == IMAGE_INT16 ? INT : UINT;
}

/* A place in the image, near its edges and beyond. */
static void put_coordinate(struct gen *g) {
  both(g, "(int)((");
  gen_expr(g, (struct type){UINT, 1}, 1);
  both(g, ") %% 21u) - 2");
}

bool gen_pixel(struct gen *g, struct type t) {
  static const char *const reads[] = {"", "read_imageui", "read_imageui", "read_imagei", "read_imagef"};
  static const char *const samplers[] = {"edges", "border"};
  uint32_t k = gen_random(g, 2), part = gen_random(g, 4);
  if (!g->kernel || t.base != base_of(g->image) || (t.n != 1 && t.n != 4)) return false;
  bool quarters = gen_chance(g, 30); /* coordinates as floating-point numbers */
  const char *type = type_name((struct type){t.base, 4});
  only_cl(g, "%s(image, %s, (%s)(%s(", reads[g->image], samplers[k], quarters ? "float2" : "int2",
          quarters ? "0.25f * " : "");
  only_c(g, "({ int u_ = ");
  put_coordinate(g);
  only_cl(g, "), %s(", quarters ? "0.25f * " : "");
  only_c(g, ", v_ = ");
  put_coordinate(g);
  only_cl(g, ")))");
  only_c(g, "; %s r_; fetch(image, u_%s, v_%s, %u, &r_); r_; })", type, quarters ? " >> 2" : "",
         quarters ? " >> 2" : "", k);
  if (t.n == 4) return true;
  only_cl(g, ".s%u", part);
  only_c(g, ".s[%u]", part);
  return true;
}

static void put_own_place(struct gen *g) {
  only_cl(g, "(int)get_global_id(0)");
  if (g->offset[0] != 0) only_cl(g, " - %zu", g->offset[0]);
  only_cl(g, g->dims < 3 ? ", (" : ", ((");
  gen_condition(g, 2);
  if (g->dims == 3) only_cl(g, ") ? (int)(self / (uint)get_global_size(0)) : 1000000)");
  else if (g->offset[1] != 0) only_cl(g, ") ? (int)get_global_id(1) - %zu : 1000000", g->offset[1]);
  else only_cl(g, ") ? (int)get_global_id(1) : 1000000");
}

/* One's own pixel, or none. */
bool gen_write_pixel(struct gen *g) {
  if (!g->kernel) return false;
  only_cl(g, "write_imageui(painted, (int2)(");
  only_c(g, "{ uint at_ = (");
  put_own_place(g);
  only_cl(g, "), ");
  only_c(g, ") ? self : ~0u; uint4 r_ = ");
  gen_expr(g, (struct type){UINT, 4}, 2);
  only_cl(g, ");\n");
  only_c(g, "; if (at_ != ~0u) memcpy(painted + 4 * at_, &r_, sizeof r_); }\n");
  return true;
}

/* ---- what both use ---- */

void gen_memory_functions(struct gen *g) {
  static const char sampler[] =
      "constant sampler_t %s = CLK_NORMALIZED_COORDS_FALSE | %s | CLK_FILTER_NEAREST;\n";
  static const char step[] =
      "uint step(uint *p, uint x) { uint old = *p; *p = old * 3u + x; return old ^ x; }\n";
  if (g->generic) only_cl(g, "%s%s", gen_chance(g, 50) ? "__attribute__((noinline)) " : "", step);
  if (g->image == NO_IMAGE) return;
  fprintf(g->cl, sampler, "edges", "CLK_ADDRESS_CLAMP_TO_EDGE");
  fprintf(g->cl, sampler, "border", "CLK_ADDRESS_CLAMP");
}
