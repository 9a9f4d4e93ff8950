/* Expressions: pure, of a wanted type, with one meaning in both texts. Vectors are arrays of components in C.
 */
#include "gen.h"

#include <string.h>

/* ---- leaves ---- */

static void put_number(struct gen *g, enum base b) {
  static const char *const floats[] = {"0.0", "1.0", "-1.5", "3.25", "1e10", "-7.0e-3", "0.1", "123456.0"};
  static const char *const edges[] = {"0",    "1",   "-1",    "2",     "127",
                                      "-128", "255", "32767", "65535", "0x7fffffff"};
  if (is_float(b)) {
    both(g, "%s%s%s", b == HALF ? "(half)" : "", floats[gen_random(g, 8)], b == DOUBLE ? "" : "f");
    return;
  }
  const char *cast = type_name((struct type){b, 1});
  if (gen_chance(g, 40)) both(g, "(%s)(%s)", cast, edges[gen_random(g, 10)]);
  else both(g, "(%s)(%uU)", cast, gen_random(g, gen_chance(g, 50) ? 16 : 0x7fffffff));
}

void gen_literal(struct gen *g, struct type t) {
  if (t.n == 1) {
    put_number(g, t.base);
    return;
  }
  only_cl(g, "(%s)(", type_name(t));
  if (!g->initialiser) only_c(g, "((%s)", type_name(t));
  only_c(g, "{{");
  for (int i = 0; i < t.n; i++) {
    if (i > 0) both(g, ", ");
    put_number(g, t.base);
  }
  only_cl(g, ")");
  only_c(g, g->initialiser ? "}}" : "}})");
}

static const struct id {
  const char *cl, *c;
  bool alone, newer; /* may be asked for by work-items that share nothing; needs OpenCL C 2.0 */
} ids[] = {{"(uint)get_local_id(0)", "LX", false, false},
           {"(uint)get_global_id(0)", "GX", true, false},
           {"(uint)get_local_id(1)", "LY", false, false},
           {"(uint)get_local_id(2)", "LZ", false, false},
           {"(uint)get_global_id(1)", "GY", true, false},
           {"(uint)get_global_id(2)", "GZ", true, false},
           {"(uint)get_group_id(0)", "GROUP_X", false, false},
           {"(uint)get_group_id(1)", "GROUP_Y", false, false},
           {"(uint)get_local_size(0)", "SIZE_X", false, false},
           {"(uint)get_local_size(1)", "SIZE_Y", false, false},
           {"(uint)get_global_size(1)", "GLOBAL_Y", true, false},
           {"(uint)get_global_size(2)", "GLOBAL_Z", true, false},
           {"(uint)get_global_offset(0)", "OFFSET_X", true, false},
           {"(uint)get_work_dim()", "DIMS", true, false},
           {"(uint)get_local_linear_id()", "ITEM", false, true},
           {"(uint)get_global_linear_id()", "self", true, true},
           {"(uint)get_enqueued_local_size(0)", "FULL_X", false, true},
           {"(uint)get_num_groups(0)", "NUM_X", false, false}};

static void put_id(struct gen *g) {
  for (;;) {
    const struct id *id = &ids[gen_random(g, gen_chance(g, 40) ? 3 : sizeof ids / sizeof *ids)];
    bool sized = id == &ids[sizeof ids / sizeof *ids - 1] && !g->unsized;
    if ((g->alone && !g->placed && !id->alone && !sized) || (id->newer && !g->generic)) continue;
    only_cl(g, "%s", id->cl);
    only_c(g, "%s", id->c);
    return;
  }
}

/* An id, the argument n or a word of the input. */
static void put_uint(struct gen *g) {
  if (g->sub_groups && gen_chance(g, 25) && gen_sub_group_id(g)) return;
  uint32_t k = gen_random(g, g->kernel ? 9 : 6);
  if (k < 6) {
    put_id(g);
  } else if (k == 6) {
    both(g, "n");
  } else {
    both(g, "in[");
    put_uint(g);
    both(g, " %% %uu]", (unsigned)IN_WORDS);
  }
}

void gen_place(struct gen *g, int k, enum mode mode) {
  bool peers = mode == PEER || mode == PEER_ATOMIC;
  both(g, mode == NUM_MODES ? "[0]" : mode == OWN || peers ? "[own%d(" : "[(", k);
  if (mode == NUM_MODES) return;
  if (mode == OWN) {
    only_cl(g, "item)]");
    only_c(g, "ITEM)]");
    return;
  }
  if (peers) only_cl(g, "item - get_sub_group_local_id() + (");
  if (peers) only_c(g, "ITEM / SUB * SUB + (");
  gen_expr(g, (struct type){UINT, 1}, mode == SHARED || mode == PEER ? 1 : 2);
  only_cl(g, peers ? ") %% get_sub_group_size())]" : ") %% ITEMS]");
  only_c(g, peers ? ") %% SUB_SIZE)]" : ") %% ITEMS]");
}

/* Another work-item's element, or one's own. */
static bool put_shared(struct gen *g, struct type t) {
  uint32_t first = gen_random(g, NUM_SHARED);
  for (uint32_t k = 0; g->kernel && !g->alone && k < NUM_SHARED; k++) {
    uint32_t i = (first + k) % NUM_SHARED;
    const struct shared *s = &g->shared[i];
    if (s->type.base != t.base || s->type.n != t.n || s->mode == ATOMIC || s->mode == PEER_ATOMIC) continue;
    both(g, "shared%u", i);
    gen_place(g, (int)i, s->mode);
    return true;
  }
  return false;
}

static bool put_variable(struct gen *g, struct type t) {
  const struct var *v = gen_pick(g, &t, gen_chance(g, 25), READ);
  if (v == NULL) return false;
  put_name(g, v);
  if (v->count != 0) gen_index(g, v->count);
  return true;
}

/* One component of a vector in scope. */
static bool put_component(struct gen *g, struct type t) {
  for (int tries = 0; tries < 4; tries++) {
    const struct var *v = gen_pick(g, NULL, false, READ);
    if (v == NULL || v->type.base != t.base || v->type.n == 1) continue;
    uint32_t k = gen_random(g, (uint32_t)v->type.n);
    put_name(g, v);
    only_cl(g, ".s%x", k);
    only_c(g, ".s[%u]", k);
    return true;
  }
  return false;
}

/* A turn of a loop, now and then. */
static void put_turn(struct gen *g, unsigned step) {
  const struct var *v = gen_pick(g, &(struct type){gen_chance(g, 50) ? INT : UINT, 1}, false, READ);
  if (v == NULL || !v->fixed || v->space != PRIVATE || !gen_chance(g, 60)) return;
  both(g, "(uint)");
  put_name(g, v);
  both(g, " * %uu + ", gen_chance(g, 50) ? step : 1);
}

/* A counter by itself, which starts where each work-item lies in some loops; false: none is in scope. */
static bool put_counter(struct gen *g, unsigned c, unsigned mask) {
  const struct var *v = gen_pick(g, &(struct type){INT, 1}, false, READ);
  if (v == NULL || !v->fixed || v->space != PRIVATE || !gen_chance(g, 40)) return false;
  both(g, "(uint)");
  put_name(g, v);
  both(g, " + %uu) & %uu)\n", c, mask);
  return true;
}

/* In steps of any size and direction, past the ends of its types, divided, masked and clamped. */
void gen_pattern(struct gen *g, unsigned count) {
  static const char *const widths[] = {"item", "item", "wide", "(int)item"};
  const char *x = widths[gen_random(g, g->kernel ? 4 : 1)];
  unsigned mask = count - 1, c = gen_random(g, 40), near = 0u - gen_random(g, 40),
           step = 2 + gen_random(g, 4);
  both(g, "((");
  if (put_counter(g, c, mask)) return;
  only_c(g, "\n#define item %s\n#define wide ((ulong)item)\n", g->alone ? "GX" : "ITEM");
  put_turn(g, step);
  switch (gen_random(g, 10)) {
  case 0:
    both(g, "(%s + %uu)) & %uu)", x, gen_chance(g, 50) ? c : near, mask);
    break;
  case 1:
    both(g, "%uu - (%s & %uu)) & %uu)", mask, x, mask, mask);
    break;
  case 2:
    both(g, "%s * %uu + %uu) & %uu)", x, step, gen_chance(g, 50) ? c : near, mask);
    break;
  case 3:
    both(g, "%uu - %s * %uu) & %uu)", c, x, step, mask);
    break;
  case 4:
    both(g, "%s / %uu) & %uu)", x, c + 1, mask);
    break;
  case 5:
    both(g, "%s %% %uu) & %uu)", x, c + 1, mask);
    break;
  case 6:
    both(g, "(%s + %uu < %uu ? %s + %uu : %uu)) & %uu)", x, near, count, x, near, c & mask, mask);
    break;
  case 7:
    both(g, "((%s ^ %uu) >> %u)) & %uu)", x, c, gen_random(g, 5), mask);
    break;
  case 8:
    both(g, "((uchar)(%s + %uu) + (ushort)(%s + %uu))) & %uu)", x, c, x, near, mask);
    break;
  default:
    both(g, "((%s & 1u) != 0u ? %s & %uu : (2u * %s - (%s & %uu)))) & %uu)", x, x, mask, x, x,
         (1u << c % 5) - 1, mask);
  }
  only_c(g, "\n#undef item\n#undef wide\n");
}

/* The input, seen as other integers. */
static bool put_input(struct gen *g, struct type t) {
  unsigned bytes = (unsigned)base_bits(t.base) / 8, n = t.n == 3 ? 4 : (unsigned)t.n,
           count = IN_WORDS * 4 / bytes / n;
  const char *base = type_name((struct type){t.base, 1});
  if (!g->kernel || is_float(t.base)) return false;
  if (t.n == 1) only_cl(g, "((global const %s *)in)[", base);
  else only_cl(g, "vload%d(", t.n);
  only_c(g, "({ uint p_ = (\n");
  gen_pattern(g, count);
  if (t.n == 1) only_cl(g, "]");
  else only_cl(g, ", (global const %s *)in)", base);
  if (t.n == 1) only_c(g, "); ((const %s *)in)[p_]; })", base);
  else
    only_c(g, "); %s r_; for (int i_ = 0; i_ < %d; i_++) r_.s[i_] = ((const %s *)in)[p_ * %du + i_]; r_; })",
           type_name(t), t.n, base, t.n);
  return true;
}

static void put_leaf(struct gen *g, struct type t) {
  if (g->image != NO_IMAGE && gen_chance(g, 30) && gen_pixel(g, t)) return;
  if (gen_chance(g, 15) && put_input(g, t)) return;
  if (gen_chance(g, 8) && gen_field(g, t)) return;
  if (t.base == FLOAT && gen_chance(g, 15) && gen_load_half(g, t)) return;
  if (gen_chance(g, 20) && put_shared(g, t)) return;
  if (gen_chance(g, 75) && put_variable(g, t)) return;
  if (t.n == 1 && gen_chance(g, 40) && put_component(g, t)) return;
  if (t.n == 1 && t.base == UINT && gen_chance(g, 60)) put_uint(g);
  else gen_literal(g, t);
}

void gen_index(struct gen *g, int count) {
  both(g, "[");
  if (gen_chance(g, 30)) both(g, "%u", gen_random(g, (uint32_t)count));
  else {
    both(g, "(");
    gen_expr(g, (struct type){UINT, 1}, 1);
    both(g, ") & %du", count - 1);
  }
  both(g, "]");
}

/* ---- operations ---- */

/* In C: x and y are the components, B the type's name, U its unsigned form, M its bits, N the bits that
 * shifts count in. */
struct operation {
  const char *cl, *c;
  bool floats, wraps; /* wraps: signed operands go through the unsigned type */
};
static const struct operation operations[] = {
    {"(%s) + (%s)", "(U)x + (U)y", false, true},
    {"(%s) - (%s)", "(U)x - (U)y", false, true},
    {"(%s) * (%s)", "(U)x * (U)y", false, true},
    {"(%s) & (%s)", "x & y", false, false},
    {"(%s) | (%s)", "x | y", false, false},
    {"(%s) ^ (%s)", "x ^ y", false, false},
    {"(%s) << (%s)", "x << (y & (N - 1))", false, false},
    {"(%s) >> (%s)", "x >> (y & (N - 1))", false, false},
    {"(%s) / (((%s) & (B)63) | (B)1)", "x / ((y & (B)63) | (B)1)", false, false},
    {"(%s) %% (((%s) & (B)63) | (B)1)", "x % ((y & (B)63) | (B)1)", false, false},
    {"min((%s), (%s))", "x < y ? x : y", false, false},
    {"max((%s), (%s))", "x > y ? x : y", false, false},
    {"rotate((%s), (%s))", "(U)x << (y & (M - 1)) | (U)x >> (-y & (M - 1))", false, false},
    {"add_sat((%s), (%s))", "CLAMP((__int128)x + y)", false, false},
    {"sub_sat((%s), (%s))", "CLAMP((__int128)x - y)", false, false},
    {"mul_hi((%s), (%s))", "(unsigned __int128)x * (unsigned __int128)y >> M", false, false},
    {"hadd((%s), (%s))", "((__int128)x + y) >> 1", false, false},
    {"rhadd((%s), (%s))", "((__int128)x + y + 1) >> 1", false, false},
    {"as_B(abs_diff((%s), (%s)))", "x > y ? (U)x - (U)y : (U)y - (U)x", false, false},
    {"clz((B)((%s) ^ (%s)))", "COUNT_ZEROS((U)(B)(x ^ y))", false, false},
    {"popcount((B)((%s) & (%s)))", "__builtin_popcountl((U)(B)(x & y))", false, false},
    {"bitselect((%s), (%s), (B)90)", "(x & ~90) | (y & 90)", false, false},
    {"(%s) + (%s)", "x + y", true, false},
    {"(%s) - (%s)", "x - y", true, false},
    {"(%s) * (%s)", "x * y", true, false},
    {"(%s) / (%s)", "x / y", true, false},
    {"fma((%s), (%s), (B)1)", "FMA(x, y)", true, false},
    {"floor((%s) - (%s))", "__builtin_floor((B)(x - y))", true, false},
    {"trunc((%s) + (%s))", "__builtin_trunc((B)(x + y))", true, false},
    {"rint((%s) * (%s))", "__builtin_rint((B)(x * y))", true, false},
};
enum { INTEGER_OPERATIONS = 22, ALL_OPERATIONS = sizeof operations / sizeof *operations };

static struct type unsigned_of(struct type t) {
  return is_float(t.base) ? t : (struct type){(enum base)(t.base | 1), t.n};
}
static struct type scalar_of(struct type t) { return (struct type){t.base, 1}; }

/* The loop over components that C needs, up to the value of one. */
static void open_map(struct gen *g, struct type t) {
  const char *u = type_name(unsigned_of(scalar_of(t))), *b = type_name(scalar_of(t));
  int bits = t.n == 1 && base_bits(t.base) < 32 ? 32 : base_bits(t.base);
  only_c(g, "typedef %s U; typedef %s B; enum { N = %d, M = %d }; (void)(U)0, (void)(B)0; ", u, b, bits,
         base_bits(t.base));
}

static void put_operands(struct gen *g, struct type t, const char *cl, bool wraps, int depth) {
  const char *at = cl, *name = type_name(t), *uname = wraps ? type_name(unsigned_of(t)) : name;
  for (int k = 0; *at != '\0'; at++) {
    if (at[0] == '%' && at[1] == 's') {
      if (wraps) only_cl(g, "as_%s(", uname);
      only_c(g, "%s %s = ", name, k == 0 ? "a_" : "b_");
      gen_expr(g, t, depth - 1);
      if (wraps) only_cl(g, ")");
      only_c(g, "; ");
      k++, at++;
    } else if (at[0] == '%') {
      at++;
      only_cl(g, "%%");
    } else if (*at == 'B') {
      only_cl(g, "%s", name);
    } else {
      only_cl(g, "%c", *at);
    }
  }
}

static void put_map(struct gen *g, struct type t, const char *value) {
  open_map(g, t);
  if (t.n == 1) {
    only_c(g, "B x = a_, y = b_; (B)(");
    fputs(value, g->c);
    only_c(g, "); })");
    return;
  }
  only_c(g, "%s r_; for (int i_ = 0; i_ < %d; i_++) { B x = a_.s[i_], y = b_.s[i_]; r_.s[i_] = (B)(",
         type_name(t), t.n);
  fputs(value, g->c);
  only_c(g, "); } r_; })");
}

static void put_operation(struct gen *g, struct type t, int depth) {
  int first = is_float(t.base) ? INTEGER_OPERATIONS : 0,
      end = is_float(t.base) ? ALL_OPERATIONS : INTEGER_OPERATIONS;
  const struct operation *o = &operations[first + (int)gen_random(g, (uint32_t)(end - first))];
  if (o == &operations[2] && t.n == 1 && base_bits(t.base) == 16) o = operations; /* int would overflow */
  if (strstr(o->cl, "popcount") != NULL && strcmp(g->options, "-cl-std=CL1.1") == 0) o = operations;
  bool wraps = o->wraps && is_signed(t.base);
  struct type u = wraps ? unsigned_of(t) : t;
  if (wraps) only_cl(g, "as_%s(", type_name(t));
  only_cl(g, "(%s)(", type_name(u));
  only_c(g, "({ ");
  put_operands(g, t, o->cl, wraps, depth);
  only_cl(g, ")%s", wraps ? ")" : "");
  put_map(g, t, o->c);
}

/* ---- other forms ---- */

static const char *const comparisons[] = {"<", ">", "<=", ">=", "==", "!="};

void gen_condition(struct gen *g, int depth) {
  struct type t = {gen_base(g), 1};
  both(g, "((");
  gen_expr(g, t, depth - 1);
  both(g, ") %s (", comparisons[gen_random(g, 6)]);
  gen_expr(g, t, depth - 1);
  both(g, "))");
  if (!gen_chance(g, 15)) return;
  both(g, gen_chance(g, 50) ? " && " : " || ");
  gen_condition(g, depth - 1);
}

static enum base same_width(struct gen *g, enum base b) {
  for (;;) {
    enum base other = gen_base(g);
    if (base_bits(other) == base_bits(b)) return other;
  }
}

static void put_selection(struct gen *g, struct type t, int depth) {
  if (t.n == 1) {
    both(g, "(%s)((", type_name(t));
    gen_condition(g, depth);
    both(g, ") ? (");
    gen_expr(g, t, depth - 1);
    both(g, ") : (");
    gen_expr(g, t, depth - 1);
    both(g, "))");
    return;
  }
  struct type compared = {same_width(g, t.base), t.n};
  const char *comparison = comparisons[gen_random(g, 6)], *parts[] = {"p_", "q_", "a_", "b_"};
  const char *between[] = {"((", comparison, ")) ? (", ") : ("};
  only_cl(g, "(");
  only_c(g, "({ ");
  for (int k = 0; k < 4; k++) {
    struct type of = k < 2 ? compared : t;
    only_cl(g, k == 1 ? ") %s (" : "%s", between[k]);
    only_c(g, "%s %s = ", type_name(of), parts[k]);
    gen_expr(g, of, depth - 1);
    only_c(g, "; ");
  }
  only_cl(g, "))");
  only_c(
      g,
      "%s r_; for (int i_ = 0; i_ < %d; i_++) r_.s[i_] = p_.s[i_] %s q_.s[i_] ? a_.s[i_] : b_.s[i_]; r_; })",
      type_name(t), t.n, comparison);
}

static void put_conversion(struct gen *g, struct type t, int depth) {
  struct type from = {gen_base(g), t.n};
  const char *to = type_name(t), *b = type_name(scalar_of(t)), *source = type_name(from);
  bool saturates = is_float(from.base) && !is_float(t.base);
  only_cl(g, "convert_%s%s(", to, saturates ? "_sat" : "");
  only_c(g, "({ %s a_ = ", source);
  gen_expr(g, from, depth - 1);
  only_cl(g, ")");
  const char *function = saturates ? "SATURATE_" : "", *name = saturates ? b : "";
  if (t.n == 1) only_c(g, "; (%s)%s%s(a_); })", b, function, name);
  else
    only_c(g, "; %s r_; for (int i_ = 0; i_ < %d; i_++) r_.s[i_] = (%s)%s%s(a_.s[i_]); r_; })", to, t.n, b,
           function, name);
}

/* v.s31 and the like, of a vector at least as wide as what is wanted. */
static void put_swizzle(struct gen *g, struct type t, int depth) {
  static const int counts[] = {2, 3, 4, 8, 16};
  struct type from = {t.base, counts[gen_random(g, 5)]};
  uint32_t part[16];
  for (int i = 0; i < t.n; i++) part[i] = gen_random(g, (uint32_t)from.n);
  only_cl(g, "(");
  only_c(g, "({ %s a_ = ", type_name(from));
  gen_expr(g, from, depth - 1);
  only_cl(g, ").s");
  for (int i = 0; i < t.n; i++) only_cl(g, "%x", part[i]);
  only_c(g, t.n == 1 ? "; " : "; (%s){{", type_name(t));
  for (int i = 0; i < t.n; i++) only_c(g, "%sa_.s[%u]", i == 0 ? "" : ", ", part[i]);
  only_c(g, t.n == 1 ? "; })" : "}}; })");
}

/* Numbers of components: as wide as those. */
static enum base mask_of(enum base b) {
  return b == FLOAT ? UINT : b == DOUBLE ? ULONG : b == HALF ? USHORT : (enum base)(b | 1);
}

/* shuffle and shuffle2 by a mask that is computed; of a scalar v[i]. */
static void put_shuffle(struct gen *g, struct type t, int depth) {
  static const int counts[] = {2, 4, 8, 16};
  const struct type from = {t.base, counts[gen_random(g, 4)]}, mask = {mask_of(t.base), t.n};
  const bool two = t.n > 1 && gen_chance(g, 40);
  only_cl(g, t.n == 1 ? "(" : two ? "shuffle2(" : "shuffle(");
  only_c(g, "({ %s a_ = ", type_name(from));
  gen_expr(g, from, depth - 1);
  if (two) {
    only_cl(g, ", ");
    only_c(g, ", c_ = ");
    gen_expr(g, from, depth - 1);
  }
  only_cl(g, t.n == 1 ? ")[" : ", ");
  only_c(g, "; %s b_ = ", type_name(mask));
  gen_expr(g, mask, depth - 1);
  const int last = from.n - 1;
  if (t.n == 1) {
    only_cl(g, " & %d]", last);
    only_c(g, "; a_.s[b_ & %d]; })", last);
  } else {
    only_cl(g, ")");
    only_c(g, "; %s r_; for (int i_ = 0; i_ < %d; i_++) r_.s[i_] = (", type_name(t), t.n);
    if (two) only_c(g, "b_.s[i_] & %d ? c_ : ", from.n);
    only_c(g, "a_).s[b_.s[i_] & %d]; r_; })", last);
  }
}

/* (type)(part, part): parts as wide as fits. */
static void put_composition(struct gen *g, struct type t, int depth) {
  static const int counts[] = {1, 2, 4, 8};
  only_cl(g, "(%s)(", type_name(t));
  only_c(g, "({ %s r_; ", type_name(t));
  for (int at = 0; at < t.n;) {
    int n = counts[gen_random(g, 4)];
    if (at + n > t.n || n == t.n) n = 1;
    struct type part = {t.base, n};
    if (at > 0) only_cl(g, ", ");
    only_c(g, "{ %s a_ = ", type_name(part));
    gen_expr(g, part, depth - 1);
    for (int k = 0; k < n; k++) only_c(g, n == 1 ? "; r_.s[%d] = a_" : "; r_.s[%d] = a_.s[%d]", at + k, k);
    only_c(g, "; } ");
    at += n;
  }
  only_cl(g, ")");
  only_c(g, "r_; })");
}

static void put_bits(struct gen *g, struct type t, int depth) {
  only_cl(g, "(%s)(~(", type_name(t));
  only_c(g, "({ %s b_ = ", type_name(t));
  gen_expr(g, t, depth - 1);
  only_cl(g, "))");
  only_c(g, ", a_ = b_; ");
  put_map(g, t, "(B)~x + (y & 0)");
}

/* By a counter that a loop doubles or halves; false: none is in scope. */
static bool put_remainder(struct gen *g, struct type t, int depth) {
  static const enum base bases[] = {INT, INT, UINT, LONG};
  for (int i = 0; t.n == 1 && !is_float(t.base) && i < g->num_vars; i++) {
    const struct var *v = &g->vars[i];
    if (!v->doubled) continue;
    const struct type of = {bases[gen_random(g, 4)], 1};
    both(g, "(%s)((%s)(", type_name(t), type_name(of));
    gen_expr(g, of, depth - 1);
    both(g, gen_chance(g, 50) ? ") %% ((%s)" : ") %% ((%s)2 * (%s)", type_name(of), type_name(of));
    put_name(g, v);
    both(g, "))");
    return true;
  }
  return false;
}

/* Of 8- and 16-bit numbers, by ints; clamped now and then. */
static bool put_average(struct gen *g, struct type t, int depth) {
  static const enum base narrow[] = {CHAR, UCHAR, SHORT, USHORT};
  static const char *const by[] = {"/ 3", "/ 5", ">> 1", ">> 3", "/ 255", "/ 1000", ">> 8", "/ (-7)"};
  if (t.n != 1 || is_float(t.base) || base_bits(t.base) > 16) return false;
  const bool clamped = gen_chance(g, 30);
  both(g, "(%s)", type_name(t));
  if (clamped) only_cl(g, "clamp(");
  if (clamped) only_c(g, "({ int x_ = ");
  both(g, "((");
  for (unsigned k = 0, n = 2 + gen_random(g, 2); k < n; k++) {
    if (k > 0) both(g, gen_chance(g, 70) ? " + " : " - ");
    both(g, "%d * (int)(", 1 + (int)gen_random(g, gen_chance(g, 80) ? 3 : 90));
    gen_expr(g, (struct type){narrow[gen_random(g, gen_chance(g, 70) ? 2 : 4)], 1}, depth - 1);
    both(g, ")");
  }
  both(g, ") %s)", by[gen_random(g, 8)]);
  if (clamped) only_cl(g, ", 0, 200)");
  if (clamped) only_c(g, "; x_ < 0 ? 0 : x_ > 200 ? 200 : x_; })");
  return true;
}

void gen_expr(struct gen *g, struct type t, int depth) {
  if (depth <= 0 || g->budget <= 0) {
    put_leaf(g, t);
    return;
  }
  g->budget--;
  if (gen_chance(g, 40) && put_remainder(g, t, depth)) return;
  if (gen_chance(g, 25) && put_average(g, t, depth)) return;
  uint32_t k = gen_random(g, 100);
  if (k < 15) put_leaf(g, t);
  else if (k < 60) put_operation(g, t, depth);
  else if (k < 72) put_selection(g, t, depth);
  else if (k < 84) put_conversion(g, t, depth);
  else if (k < 90) put_swizzle(g, t, depth);
  else if (k < 92 && t.n != 3) put_shuffle(g, t, depth);
  else if (k < 97 && t.n > 1) put_composition(g, t, depth);
  else if (!is_float(t.base)) put_bits(g, t, depth);
  else put_leaf(g, t);
}
