/* Random numbers, the two texts, types and what is in scope; see gen.h. */
#include "gen.h"

#include <stdarg.h>
#include <string.h>

uint32_t gen_random(struct gen *g, uint32_t below) {
  uint64_t x = g->state += 0x9E3779B97F4A7C15u; /* splitmix64 */
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return (uint32_t)((x ^ (x >> 31)) >> 33) % below;
}

bool gen_chance(struct gen *g, uint32_t percent) { return gen_random(g, 100) < percent; }

uint32_t gen_weighted(struct gen *g, const uint32_t *weights, uint32_t n) {
  uint32_t sum = 0, k = 0;
  for (uint32_t i = 0; i < n; i++) sum += weights[i];
  for (uint32_t left = gen_random(g, sum); left >= weights[k]; k++) left -= weights[k];
  return k;
}

void both(struct gen *g, const char *format, ...) {
  va_list ap, again;
  va_start(ap, format);
  va_copy(again, ap);
  vfprintf(g->cl, format, ap);
  vfprintf(g->c, format, again);
  va_end(again);
  va_end(ap);
}

void only_cl(struct gen *g, const char *format, ...) {
  va_list ap;
  va_start(ap, format);
  vfprintf(g->cl, format, ap);
  va_end(ap);
}

void gen_unroll_hint(struct gen *g) {
  if (gen_chance(g, 30)) only_cl(g, "\n#pragma unroll %u\n", 2 + gen_random(g, 4));
}

void only_c(struct gen *g, const char *format, ...) {
  va_list ap;
  va_start(ap, format);
  vfprintf(g->c, format, ap);
  va_end(ap);
}

/* ---- types ---- */

static const struct {
  const char *name;
  int bits;
  bool is_signed;
} bases[] = {{"char", 8, true},   {"uchar", 8, false},  {"short", 16, true}, {"ushort", 16, false},
             {"int", 32, true},   {"uint", 32, false},  {"long", 64, true},  {"ulong", 64, false},
             {"float", 32, true}, {"double", 64, true}, {"half", 16, true}};

bool is_float(enum base b) { return b >= FLOAT; }
bool is_signed(enum base b) { return bases[b].is_signed; }
int base_bits(enum base b) { return bases[b].bits; }

const char *type_name(struct type t) {
  static char names[NUM_BASES][17][16];
  char *name = names[t.base][t.n];
  if (t.n == 1) snprintf(name, sizeof names[0][0], "%s", bases[t.base].name);
  else snprintf(name, sizeof names[0][0], "%s%d", bases[t.base].name, t.n);
  return name;
}

enum base gen_base(struct gen *g) { return (enum base)gen_random(g, g->half ? NUM_BASES : HALF); }

struct type gen_type(struct gen *g) {
  static const int counts[] = {1, 1, 1, 1, 2, 3, 4, 8, 16};
  static const enum base often[] = {INT, UINT, INT, FLOAT};
  enum base base = gen_chance(g, 40) ? often[gen_random(g, 4)] : gen_base(g);
  return (struct type){base, counts[gen_random(g, sizeof counts / sizeof *counts)]};
}

/* ---- scope ---- */

void put_name(struct gen *g, const struct var *v) {
  only_cl(g, "%s", v->name);
  only_c(g, v->item ? "I->%s" : "%s", v->name);
}

struct var *gen_declare(struct gen *g, struct type type, int count, bool item) {
  if (g->num_vars == MAX_VARS) return NULL;
  struct var *v = &g->vars[g->num_vars++];
  *v = (struct var){.type = type, .count = count, .item = item};
  snprintf(v->name, sizeof v->name, "v%d", g->names++);
  return v;
}

struct var *gen_pick(struct gen *g, const struct type *type, bool array, enum use use) {
  struct var *found[MAX_VARS];
  uint32_t n = 0;
  for (int i = 0; i < g->num_vars; i++) {
    struct var *v = &g->vars[i];
    bool fits = type == NULL || (v->type.base == type->base && v->type.n == type->n);
    bool allowed = use == READ || (!v->fixed && (use == WRITE || v->space == PRIVATE));
    if (fits && array == (v->count != 0) && allowed) found[n++] = v;
  }
  return n == 0 ? NULL : found[gen_random(g, n)];
}
