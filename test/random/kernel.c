/* The kernel around the statements: its shape, arguments and shared arrays, and the result of a work-item. */
#include "gen.h"

#include <stdlib.h>
#include <string.h>

/* ---- structures ---- */

static void gen_struct(struct gen *g, int which) {
  int n = 2 + (int)gen_random(g, MAX_FIELDS - 1);
  g->structs[which].num = n;
  both(g, "struct s%d_t {\n", which);
  for (int k = 0; k < n; k++) {
    struct var *f = &g->structs[which].field[k];
    *f = (struct var){.type = gen_type(g), .count = gen_chance(g, 20) ? 4 : 0};
    both(g, "  %s f%d%s;\n", type_name(f->type), k, f->count != 0 ? "[4]" : "");
  }
  both(g, "};\n");
}

static void add_aggregate(struct gen *g, const char *name, int which) {
  struct aggregate *a = &g->aggregates[g->num_aggregates++];
  *a = (struct aggregate){.which = which, .item = true};
  snprintf(a->name, sizeof a->name, "%s", name);
  fprintf(g->fields, "  struct s%d_t %s;\n", which, name);
  gen_fields(g, name, ".", which, true);
}

/* ---- the result ---- */

static void mix_value(struct gen *g, struct type t, const char *name, const char *prefix,
                      const char *suffix) {
  const char *base = type_name((struct type){t.base, 1});
  for (int k = 0; k < t.n; k++) {
    char cl[16] = "", c[20] = "";
    if (t.n > 1) snprintf(cl, sizeof cl, ".s%x", k), snprintf(c, sizeof c, ".s[%d]", k);
    only_cl(g, "hash = mix_%s(hash, %s%s%s);\n", base, name, suffix, cl);
    only_c(g, "hash = mix_%s(hash, %s%s%s%s);\n", base, prefix, name, suffix, c);
  }
}

static void put_result(struct gen *g) {
  static const enum mode own[NUM_SHARED] = {OWN, OWN, OWN, OWN};
  gen_barrier(g, own);
  for (int i = 0; i < NUM_SHARED; i++) g->shared[i].mode = OWN;
  if (gen_chance(g, 15)) { /* nobody waits any more */
    both(g, "if (");
    gen_condition(g, 2);
    only_cl(g, ") return;\n");
    only_c(g, ") goto next_;\n");
  }
  both(g, "uint hash = 17;\n");
  for (int i = 0; i < g->num_vars; i++) {
    const struct var *v = &g->vars[i];
    if (v->fixed && v->space != PRIVATE) continue;
    if (v->count != 0) both(g, "for (int k = 0; k < %d; k++) {\n", v->count);
    mix_value(g, v->type, v->name, v->item ? "I->" : "", v->count != 0 ? "[k]" : "");
    if (v->count != 0) both(g, "}\n");
  }
  for (int i = 0; i < NUM_SHARED && !g->alone; i++) {
    char name[16];
    char place[16];
    snprintf(name, sizeof name, "shared%d", i);
    snprintf(place, sizeof place, "[own%d(item)]", i);
    only_c(g, "#define item ITEM\n");
    mix_value(g, g->shared[i].type, name, "", place);
    only_c(g, "#undef item\n");
  }
  gen_own(g, 0);
  both(g, " = hash;\n");
  gen_own(g, 1);
  both(g, " += in[hash %% %uu];\n", (unsigned)IN_WORDS);
}

/* ---- the whole ---- */

static void choose_row(struct gen *g) {
  const unsigned items = 3 + gen_random(g, LONGEST_ROW - 10);
  if (gen_chance(g, 75)) return;
  snprintf(g->row, sizeof g->row, gen_chance(g, 50) ? "%uu" : "(n %% 7u + %uu)", items);
}

/* The linear global id, in one of several forms. */
static void put_self(struct gen *g) {
  only_cl(g, "uint self = (uint)");
  if (g->generic && gen_chance(g, 20)) {
    only_cl(g, "get_global_linear_id();\n");
    return;
  }
  only_cl(g, "(");
  for (int d = g->dims - 1; d >= 0; d--) {
    if (g->offset[d] != 0)
      only_cl(g, "%s(get_global_id(%d) - %zu)", d < g->dims - 1 ? " + " : "", d, g->offset[d]);
    else only_cl(g, "%sget_global_id(%d)", d < g->dims - 1 ? " + " : "", d);
    for (int k = 0; k < d; k++) only_cl(g, " * get_global_size(%d)", k);
  }
  only_cl(g, ");\n");
}

static void put_item(struct gen *g) {
  static const char *const forms[] = {
      "get_local_id(0)", "get_local_id(1) * get_local_size(0) + get_local_id(0)",
      "(get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0)"};
  if (g->alone) only_cl(g, "uint item = (uint)get_global_id(0);\n");
  else if (g->generic && gen_chance(g, 20)) only_cl(g, "uint item = (uint)get_local_linear_id();\n");
  else only_cl(g, "uint item = (uint)(%s);\n", forms[gen_chance(g, 80) ? g->dims - 1 : 2]);
}

static void put_parameters(struct gen *g) {
  if (g->required != 0) only_cl(g, "__attribute__((intel_reqd_sub_group_size(%u)))\n", g->required);
  only_cl(g,
          "kernel void k(global uint *out, global const uint *in, uint n, struct s0_t argument, global uint "
          "*counts, global uint *bins");
  if (g->image != NO_IMAGE) only_cl(g, ", read_only image2d_t image, write_only image2d_t painted");
  if (!g->alone)
    only_cl(g, ", local %s *shared2, global %s *scratch", type_name(g->shared[2].type),
            type_name(g->shared[IN_GLOBAL].type));
  only_cl(g, ") {\n");
}

/* To functions, or to copies of the group, whose pointers are to no volatile memory. */
static bool is_handed_on(const struct gen *g, int k) {
  if (is_word(g->shared[k].type)) return true;
  for (int f = 0; f < g->num_functions; f++)
    for (int p = 0; p < g->functions[f].num_params; p++)
      if (g->functions[f].param[p].passing == OWN_ELEMENT && g->functions[f].param[p].which == k) return true;
  return false;
}

static void put_shared(struct gen *g) {
  if (g->alone) return;
  for (int i = 0; i < NUM_SHARED; i++)
    only_c(g, "static %s shared%d[MOST];\n", type_name(g->shared[i].type), i);
  for (int i = 0; i < 2; i++) {
    const bool is_volatile = !is_handed_on(g, i) && gen_chance(g, 40);
    only_cl(g, "local %s%s shared%d[MOST];\n", is_volatile ? "volatile " : "", type_name(g->shared[i].type),
            i);
  }
  only_cl(g,
          "global %s *shared3 = scratch + MOST * ((get_group_id(2) * get_num_groups(1) + get_group_id(1)) * "
          "get_num_groups(0) + get_group_id(0));\n",
          type_name(g->shared[IN_GLOBAL].type));
}

static void declare_input(struct gen *g) {
  struct var *v = gen_declare(g, (struct type){UINT, 1}, IN_WORDS, false);
  snprintf(v->name, sizeof v->name, "in");
  v->space = GLOBAL;
  v->fixed = true;
  if (g->own.name[0] != '\0') g->vars[g->num_vars++] = g->own;
}

static void put_start(struct gen *g) {
  put_parameters(g);
  put_shared(g);
  put_item(g);
  only_cl(g, "ulong wide = item;\n");
  put_self(g);
  only_cl(g, "struct s1_t other;\n");
  only_c(g, "GROUPS {\n__label__ done_;\nenter_group();\nALL(I->on_ = 1)\nOPEN\nI->argument = *argument_;\n");
  declare_input(g);
  add_aggregate(g, "argument", 0);
  int visible = g->num_vars;
  add_aggregate(g, "other", 1);
  gen_initialise(g, visible);
  int all = g->num_vars;
  g->num_vars = visible;
  g->kernel = false;
  for (int i = 0; i < NUM_SHARED && !g->alone; i++) {
    both(g, "shared%d", i);
    gen_place(g, i, OWN);
    both(g, " = ");
    gen_expr(g, g->shared[i].type, 1);
    both(g, ";\n");
  }
  g->num_vars = all;
  g->kernel = true;
}

/* Options that only launches of whole groups may have. */
static void choose_uniform(struct gen *g) {
  static const char *const uniform[] = {"-cl-std=CL3.0 -cl-uniform-work-group-size",
                                        "-cl-std=CL2.0 -g -cl-uniform-work-group-size"};
  bool newest = g->collectives || g->sub_groups;
  if (g->generic && !g->uneven && gen_chance(g, 25)) g->options = uniform[newest ? 0 : gen_random(g, 2)];
}

static void choose_shape(struct gen *g) {
  static const size_t shapes[][3] = {
      {1},       {4},       {7},        {16},      {4, 4},    {8, 3},    {64},       {2},        {1, 5},
      {33},      {8, 8},    {16, 4},    {1, 32},   {3, 5},    {32, 2},   {2, 16},    {5, 8},     {12, 4},
      {24, 2},   {9, 5},    {20, 3},    {48},      {17, 3},   {100},     {13, 7},    {40, 2},    {128},
      {3, 3, 3}, {5, 3, 2}, {4, 4, 2},  {1, 1, 7}, {6, 2, 3}, {2, 1, 8}, {16, 2, 2}, {10, 1, 3}, {1, 3, 5},
      {8, 4, 2}, {2, 2, 2}, {12, 4, 2}, {7, 5, 3}, {64},      {128},     {192},      {1},        {1}};
  static const size_t rows[][3] = {{2}, {3}, {4}, {5}, {8}, {12}, {16}, {32}};
  g->placed = g->alone && gen_chance(g, 40);
  const size_t *shape = g->placed ? rows[gen_random(g, sizeof rows / sizeof *rows)]
                                  : shapes[gen_random(g, sizeof shapes / sizeof *shapes)];
  g->dims = shape[2] != 0 ? 3 : shape[1] != 0 || gen_chance(g, 50) ? 2 : 1;
  if (g->dims < 3 && gen_chance(g, 5)) g->dims++;
  g->uneven = g->generic && gen_chance(g, g->placed ? 10 : 35);
  g->unsized = g->alone && !g->placed && gen_chance(g, 25);
  bool moved = gen_chance(g, 15);
  const bool lone = shape[0] == 1 && shape[1] == 0;
  const uint32_t most_groups = lone || g->placed ? 60 : g->dims == 3 ? 3 : g->alone ? 7 : 3;
  size_t items = 1;
  for (int d = 0; d < 3; d++) {
    size_t groups = d >= g->dims ? 1 : 1 + gen_random(g, most_groups);
    g->local[d] = shape[d] == 0 ? 1 : shape[d];
    g->global[d] = g->local[d] * groups;
    if (g->uneven && gen_chance(g, 70)) g->global[d] -= gen_random(g, (uint32_t)g->local[d]);
    if (items * g->global[d] > MOST_ITEMS) g->global[d] = g->local[d];
    items *= g->global[d];
    g->offset[d] = moved && d < g->dims ? gen_random(g, 50) : 0;
  }
}

/* The places of a work-item's own elements. */
static void put_own_places(struct gen *g) {
  for (int i = 0; i < NUM_SHARED && !g->alone; i++) {
    uint32_t form = gen_random(g, 8), by = 1 + gen_random(g, 20);
    only_cl(g, "uint own%d(uint x) { return ", i);
    only_c(g, "#undef own%d\n#define own%d own%d_%llu\nstatic uint own%d(uint x) { return ", i, i, i,
           (unsigned long long)g->seed, i);
    if (form == 0) both(g, "ITEMS - 1u - x; }\n");
    else if (form == 1) both(g, "(x + %uu) %% ITEMS; }\n", by);
    else if (form == 2) both(g, "x %% 2u * ((ITEMS + 1u) / 2u) + x / 2u; }\n");
    else both(g, "x; }\n");
  }
}

static void put_macros(struct gen *g) {
  unsigned long long seed = g->seed;
  size_t most = g->local[0] * g->local[1] * g->local[2];
  both(g, "#define MOST %zuu\n", most);
  if (!g->uneven) only_cl(g, "#define ITEMS %zuu\n", most);
  else only_cl(g, "#define ITEMS ((uint)(get_local_size(0) * get_local_size(1) * get_local_size(2)))\n");
  only_c(g, "#define s0_t s0_t_%llu\n#define s1_t s1_t_%llu\n#define item_t item_t_%llu\n", seed, seed, seed);
}

static void put_c_kernel(struct gen *g, FILE *c, const char *fields, const char *body) {
  static const char axis[] = "XYZ";
  unsigned long long seed = g->seed;
  fprintf(c, "struct item_t {\n  int on_;\n%s};\nsize_t argument_size_%llu = sizeof(struct s0_t);\n", fields,
          seed);
  fprintf(c, "void run_%llu(const struct run *r) {\nstatic struct item_t items[MOST];\n", seed);
  fprintf(c,
          "uint *out = r->out, *counts = r->counts, *bins = r->bins, *painted = r->painted, n = r->n;\n"
          "const uint *in = r->in, *image = r->image;\nconst struct s0_t *argument_ = r->argument;\n"
          "SUB = r->sub_group, DIMS = %d;\n",
          g->dims);
  for (int d = 0; d < 3; d++)
    fprintf(c, "FULL_%c = %zu, GLOBAL_%c = %zu, OFFSET_%c = %zu;\n", axis[d], g->local[d], axis[d],
            g->global[d], axis[d], g->offset[d]);
  fprintf(c, "%s\n#undef MOST\n#undef s0_t\n#undef s1_t\n#undef item_t\n", body);
}

static void put_kernel(struct gen *g, FILE *c) {
  char *body, *fields;
  size_t body_size, fields_size;
  g->c = open_memstream(&body, &body_size);
  g->fields = open_memstream(&fields, &fields_size);
  g->kernel = true;
  g->budget = 150 + (int)gen_random(g, 500);
  g->num_vars = g->num_tables;
  g->num_aggregates = 0;
  put_start(g);
  gen_regions(g, 3);
  put_result(g);
  only_cl(g, "}\n");
  only_c(g, "CLOSE done_:; }\n}\n");
  fclose(g->c);
  fclose(g->fields);
  put_c_kernel(g, c, fields, body);
  free(body);
  free(fields);
}

static void choose_options(struct gen *g) {
  static const char *const choices[] = {
      "", "-cl-std=CL1.1", "-cl-std=CL2.0", "-cl-std=CL3.0", "-cl-opt-disable", "-g"};
  static const char *const newest[] = {"-cl-std=CL3.0", "-cl-std=CL3.0 -g", "-cl-std=CL3.0",
                                       "-cl-std=CL3.0 -cl-opt-disable"};
  bool needs = g->collectives || g->sub_groups;
  g->options = needs ? newest[g->seed % 4] : choices[g->seed % 6];
  g->generic = needs || g->seed % 6 == 2 || g->seed % 6 == 3;
}

void gen_program(struct gen *g, uint64_t seed, FILE *cl, FILE *c) {
  *g = (struct gen){
      .seed = seed, .state = seed * 0x2545F4914F6CDD1Du, .cl = cl, .c = c, .fields = NULL, .budget = 150};
  g->alone = gen_chance(g, 25);
  g->collectives = !g->alone && gen_chance(g, 45);
  g->sub_groups = !g->alone && gen_chance(g, 45);
  g->half = gen_chance(g, 25);
  choose_row(g);
  if (g->sub_groups && gen_chance(g, 60)) g->required = 1u << (1 + gen_random(g, 5));
  choose_options(g);
  g->loop = g->way_out = -1;
  if (gen_chance(g, 25)) g->image = (enum image)(1 + gen_random(g, IMAGE_FLOAT));
  for (int i = 0; i < NUM_SHARED; i++)
    g->shared[i] =
        (struct shared){.type = gen_chance(g, 50) ? (struct type){UINT, 1} : gen_type(g), .mode = OWN};
  static const uint32_t usual[NUM_REGIONS] = {20, 10, 15, 10, 10, 10, 8, 3, 10, 10, 4};
  for (int i = 0; i < NUM_REGIONS; i++) g->regions[i] = usual[i] * (i == 0 ? 2 : gen_random(g, 5));
  choose_shape(g);
  choose_uniform(g);
  gen_cl_prelude(g);
  gen_memory_functions(g);
  put_macros(g);
  put_own_places(g);
  for (int i = 0; i < NUM_STRUCTS; i++) gen_struct(g, i);
  gen_tables(g);
  gen_functions(g);
  put_kernel(g, c);
}
