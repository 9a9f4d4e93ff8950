/* Halves in memory: loads as float, stores with each rounding. Arithmetic on them is that of any other type.
 */
#include "gen.h"

static const int counts[] = {1, 2, 3, 4, 8, 16};

static void put_suffix(struct gen *g, int n) {
  if (n > 1) only_cl(g, "%d", n);
}

/* Halves begin at array[first]; in C they become the parts of a float or vector. */
static void put_parts(struct gen *g, struct type t, const char *stride) {
  if (t.n == 1) only_c(g, "(float)h_[p_]; })");
  else
    only_c(g, "%s r_; for (int i_ = 0; i_ < %d; i_++) r_.s[i_] = (float)h_[p_ * %s + i_]; r_; })",
           type_name(t), t.n, stride);
}

/* Of the input, whatever its bits are as halves, or of an array in private memory. */
bool gen_load_half(struct gen *g, struct type t) {
  const struct var *v =
      g->half && gen_chance(g, 40) ? gen_pick(g, &(struct type){HALF, 1}, true, READ) : NULL;
  if (!g->kernel || (v != NULL && v->count < t.n)) return false;
  int step = t.n == 3 ? 3 : t.n;
  bool aligned = v == NULL && t.n == 4 && gen_chance(g, 30);
  char stride[8];
  snprintf(stride, sizeof stride, "%d", step);
  only_cl(g, aligned ? "vloada_half" : "vload_half");
  put_suffix(g, t.n);
  only_cl(g, "(");
  only_c(g, "({ uint p_ = ");
  if (v != NULL) {
    both(g, "(");
    gen_expr(g, (struct type){UINT, 1}, 1);
    both(g, ") %% %uu", (unsigned)(v->count / step));
    only_cl(g, ", %s%s)", v->space == CONSTANT ? "" : "", v->name);
    only_c(g, "; const half *h_ = ");
    only_c(g, v->item ? "I->%s; " : "%s; ", v->name);
  } else {
    only_c(g, "(\n");
    gen_pattern(g, t.n == 3 ? 32 : (unsigned)(2 * IN_WORDS / t.n));
    only_c(g, "); const half *h_ = (const half *)in; ");
    only_cl(g, ", (global const half *)in)");
  }
  put_parts(g, t, stride);
  return true;
}

bool gen_store_half(struct gen *g) {
  static const char *const modes[] = {"", "_rte", "_rtz", "_rtp", "_rtn"};
  const struct var *v = gen_pick(g, &(struct type){HALF, 1}, true, POINT_TO);
  struct type t = {gen_chance(g, 70) ? FLOAT : DOUBLE, counts[gen_random(g, 6)]};
  uint32_t mode = gen_random(g, 5);
  if (v == NULL || v->count < t.n) return false;
  only_cl(g, "vstore_half");
  put_suffix(g, t.n);
  only_cl(g, "%s(", modes[mode]);
  only_c(g, "{ %s x_ = ", type_name(t));
  gen_expr(g, t, 2);
  only_cl(g, ", (");
  only_c(g, "; uint p_ = (");
  gen_expr(g, (struct type){UINT, 1}, 1);
  both(g, ") %% %uu", (unsigned)(v->count / t.n));
  only_cl(g, ", %s);\n", v->name);
  only_c(g, "; half *h_ = ");
  only_c(g, v->item ? "I->%s" : "%s", v->name);
  only_c(g, "; for (int i_ = 0; i_ < %d; i_++) h_[p_ * %d + i_] = to_half(x_%s, %u); }\n", t.n, t.n,
         t.n == 1 ? "" : ".s[i_]", mode);
  return true;
}
