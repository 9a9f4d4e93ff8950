/* Functions: values, vectors, structures and pointers to each kind of memory go in, values and structures
 * come out. Some stay out of line. */
#include "gen.h"

#include <string.h>

/* ---- structures ---- */

void gen_fields(struct gen *g, const char *name, const char *access, int which, bool item) {
  for (int k = 0; k < g->structs[which].num && g->num_vars < MAX_VARS; k++) {
    struct var *v = &g->vars[g->num_vars++];
    *v = g->structs[which].field[k];
    v->item = item;
    snprintf(v->name, sizeof v->name, "%s%sf%d", name, access, k);
  }
}

static struct aggregate *add_aggregate(struct gen *g, const char *form, int number, int which) {
  struct aggregate *a = &g->aggregates[g->num_aggregates++];
  *a = (struct aggregate){.which = which};
  snprintf(a->name, sizeof a->name, form, number);
  return a;
}

void gen_initialise(struct gen *g, int first) {
  int all = g->num_vars;
  bool kernel = g->kernel;
  g->kernel = false; /* nothing of shared memory is defined yet */
  for (int i = first; i < all; i++) {
    const struct var *v = &g->vars[i];
    g->num_vars = first;
    if (v->count != 0) both(g, "for (int i = 0; i < %d; i++) ", v->count);
    put_name(g, v);
    both(g, v->count != 0 ? "[i] = " : " = ");
    gen_expr(g, v->type, 1);
    both(g, ";\n");
  }
  g->num_vars = all;
  g->kernel = kernel;
}

/* ---- arguments ---- */

static const struct aggregate *find_aggregate(struct gen *g, int which) {
  for (int i = 0; i < g->num_aggregates; i++)
    if (g->aggregates[i].which == which) return &g->aggregates[i];
  return NULL;
}

/* What a pointer parameter is given: memory of that kind, type and size. */
static const struct var *find_memory(struct gen *g, enum space space, struct type t, int count) {
  const struct var *found[MAX_VARS];
  uint32_t n = 0;
  for (int i = 0; i < g->num_vars; i++) {
    const struct var *v = &g->vars[i];
    bool fits = v->type.base == t.base && v->type.n == t.n && v->count == count && v->space == space;
    if (fits && (!v->fixed || space == CONSTANT || count == IN_WORDS)) found[n++] = v;
  }
  return n == 0 ? NULL : found[gen_random(g, n)];
}

static enum space space_of(enum passing p) {
  return p == TABLE ? CONSTANT : p == INPUT ? GLOBAL : p == OWN_ELEMENT ? LOCAL : PRIVATE;
}

static bool can_pass(struct gen *g, const struct function *f, int i) {
  enum passing p = f->param[i].passing;
  if (p == BY_VALUE) return true;
  if (p == STRUCT || p == STRUCT_POINTER) return find_aggregate(g, f->param[i].which) != NULL;
  if (p == OWN_ELEMENT && g->kernel) return !g->alone && g->shared[f->param[i].which].mode == OWN;
  return find_memory(g, space_of(p), f->param[i].type, f->param[i].count) != NULL;
}

static void put_argument(struct gen *g, const struct function *f, int i) {
  enum passing p = f->param[i].passing;
  if (p == BY_VALUE) {
    gen_expr(g, f->param[i].type, 2);
  } else if (p == STRUCT || p == STRUCT_POINTER) {
    const struct aggregate *a = find_aggregate(g, f->param[i].which);
    if (a == NULL) return; /* can_pass() saw one */
    both(g, p == STRUCT ? "" : "&");
    only_cl(g, "%s", a->name);
    only_c(g, "%s%s", a->item ? "I->" : "", a->name);
  } else if (p == OWN_ELEMENT && g->kernel) {
    both(g, "&shared%d", f->param[i].which);
    gen_place(g, f->param[i].which, OWN);
  } else {
    both(g, f->param[i].count == 0 ? "&" : "");
    put_name(g, find_memory(g, space_of(p), f->param[i].type, f->param[i].count));
  }
}

/* ---- calls ---- */

static bool put_result(struct gen *g, const struct function *f) {
  if (f->result_struct >= 0) {
    const struct aggregate *a = find_aggregate(g, f->result_struct);
    if (a == NULL) return false;
    only_cl(g, "%s = ", a->name);
    only_c(g, "%s%s = ", a->item ? "I->" : "", a->name);
    return true;
  }
  const struct var *v = gen_pick(g, &f->result, false, WRITE);
  if (v == NULL) return false;
  put_name(g, v);
  both(g, " = ");
  return true;
}

void gen_call(struct gen *g) {
  if (g->num_functions == 0 || g->loops > 1) return;
  int k = (int)gen_random(g, (uint32_t)g->num_functions);
  const struct function *f = &g->functions[k];
  for (int i = 0; i < f->num_params; i++)
    if (!can_pass(g, f, i)) return;
  if (!put_result(g, f)) both(g, "(void)");
  only_cl(g, "f%d(", k);
  only_c(g, "f%d_%llu(", k, (unsigned long long)g->seed);
  for (int i = 0; i < f->num_params; i++) {
    if (i > 0) both(g, ", ");
    put_argument(g, f, i);
  }
  both(g, ");\n");
}

static void put_return(struct gen *g, int depth) {
  const struct function *f = g->function;
  both(g, "return ");
  if (f->result_struct >= 0) both(g, "%s", find_aggregate(g, f->result_struct)->name);
  else gen_expr(g, f->result, depth);
  both(g, ";\n");
}

void gen_return(struct gen *g) {
  both(g, "if (");
  gen_condition(g, 2);
  both(g, ") ");
  if (!g->kernel) {
    put_return(g, 2);
    return;
  }
  only_cl(g, "return;\n");
  only_c(g, "{ I->on_ = 0; goto next_; }\n");
}

/* ---- definitions ---- */

static enum passing choose_passing(struct gen *g) {
  static const enum passing often[] = {BY_VALUE, BY_VALUE, ARRAY, SCALAR, STRUCT};
  return gen_chance(g, 60) ? often[gen_random(g, 5)] : (enum passing)gen_random(g, NUM_PASSINGS);
}

static void put_struct_parameter(struct gen *g, struct function *f, int i) {
  bool pointer = f->param[i].passing == STRUCT_POINTER;
  int number = g->names++, which = (int)gen_random(g, NUM_STRUCTS);
  char name[16];
  f->param[i].which = which;
  snprintf(name, sizeof name, "s%d", number);
  add_aggregate(g, pointer ? "(*s%d)" : "s%d", number, which);
  both(g, "struct s%d_t %s%s", which, pointer ? "*" : "", name);
  gen_fields(g, name, pointer ? "->" : ".", which, false);
}

static void put_pointer_parameter(struct gen *g, struct function *f, int i) {
  enum passing p = f->param[i].passing;
  struct type *t = &f->param[i].type;
  const struct var *table = g->num_tables == 0 ? NULL : &g->vars[gen_random(g, (uint32_t)g->num_tables)];
  if (p == TABLE && (table == NULL || table->space != CONSTANT || table->count == 0))
    p = f->param[i].passing = ARRAY;
  if (p == TABLE) *t = table->type, f->param[i].count = table->count;
  if (p == INPUT) *t = (struct type){UINT, 1}, f->param[i].count = IN_WORDS;
  if (p == OWN_ELEMENT) {
    f->param[i].which = (int)gen_random(g, IN_GLOBAL);
    *t = g->shared[f->param[i].which].type;
  }
  if (p == ARRAY) f->param[i].count = 4;
  struct var *v = gen_declare(g, *t, f->param[i].count, false);
  int number = g->names - 1;
  v->space = space_of(p);
  v->fixed = p == TABLE || p == INPUT;
  only_cl(g, "%s",
          p == TABLE         ? "constant "
          : p == INPUT       ? "global const "
          : p == OWN_ELEMENT ? "local "
                             : "");
  only_c(g, v->fixed ? "const " : "");
  both(g, "%s *v%d", type_name(*t), number);
  if (v->count == 0) snprintf(v->name, sizeof v->name, "(*v%d)", number);
}

static void put_parameter(struct gen *g, struct function *f, int i) {
  enum passing p = choose_passing(g);
  f->param[i].passing = p;
  f->param[i].which = f->param[i].count = 0;
  f->param[i].type = gen_type(g);
  if (p == STRUCT || p == STRUCT_POINTER) {
    put_struct_parameter(g, f, i);
  } else if (p != BY_VALUE) {
    put_pointer_parameter(g, f, i);
  } else {
    struct var *v = gen_declare(g, f->param[i].type, 0, false);
    both(g, "%s %s", type_name(v->type), v->name);
  }
}

static void put_head(struct gen *g, struct function *f, int number) {
  char name[32];
  f->result = gen_type(g);
  f->result_struct = gen_chance(g, 15) ? (int)gen_random(g, NUM_STRUCTS) : -1;
  f->num_params = (int)gen_random(g, MAX_PARAMS + 1);
  if (f->result_struct < 0) snprintf(name, sizeof name, "%s", type_name(f->result));
  else snprintf(name, sizeof name, "struct s%d_t", f->result_struct);
  if (gen_chance(g, 50)) only_cl(g, "__attribute__((noinline)) ");
  only_cl(g, "%s f%d(", name, number);
  only_c(g, "static %s f%d_%llu(", name, number, (unsigned long long)g->seed);
  for (int i = 0; i < f->num_params; i++) {
    if (i > 0) both(g, ", ");
    put_parameter(g, f, i);
  }
  if (f->num_params == 0) both(g, "void");
  both(g, ") {\n");
}

static void put_local_struct(struct gen *g, int which) {
  int first = g->num_vars, number = g->names++;
  char name[16];
  snprintf(name, sizeof name, "s%d", number);
  add_aggregate(g, "s%d", number, which);
  both(g, "struct s%d_t %s;\n", which, name);
  gen_fields(g, name, ".", which, false);
  gen_initialise(g, first);
}

static void gen_function(struct gen *g, int number) {
  struct function *f = &g->functions[number];
  g->num_vars = g->num_tables;
  g->num_aggregates = 0;
  g->function = f;
  put_head(g, f, number);
  if (f->result_struct >= 0) put_local_struct(g, f->result_struct);
  gen_new_variable(g, false);
  gen_block(g, 2 + (int)gen_random(g, 4), 2, false);
  if (gen_chance(g, 30)) {
    gen_return(g);
    gen_block(g, 2, 2, false);
  }
  put_return(g, 3);
  both(g, "}\n");
  g->function = NULL;
}

void gen_functions(struct gen *g) {
  int wanted = (int)gen_random(g, MAX_FUNCTIONS);
  for (int i = 0; i < wanted; i++) {
    gen_function(g, i);
    g->num_functions = i + 1; /* later ones may call it */
  }
}
