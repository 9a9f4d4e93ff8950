/* The kernel around the statements: barriers, uniform control flow, shared arrays, and the result of a
 * work-item. */
#include "gen.h"

#include <stdlib.h>
#include <string.h>

/* ---- barriers: in C the end of one loop over work-items and the start of the next ---- */

static void set_modes(struct gen *g, const enum mode *modes) {
  for (int i = 0; i < NUM_SHARED; i++) g->shared[i].mode = modes[i];
}

static void put_barrier(struct gen *g) {
  if (!g->alone) only_cl(g, "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n");
  only_c(g, "CLOSE OPEN\n");
}

static bool is_word(struct type t) { return t.base == UINT && t.n == 1; }

static void choose_modes(struct gen *g, enum mode *modes) {
  for (int i = 0; i < NUM_SHARED; i++) {
    modes[i] = (enum mode)gen_random(g, is_word(g->shared[i].type) ? 3 : 2);
    if (modes[i] == ATOMIC) g->shared[i].operation = (int)gen_random(g, COUNTERS);
  }
}

static void gen_regions(struct gen *g, int depth);

/* Between two barriers the modes are others; afterwards they are as before. */
static void put_phase(struct gen *g, int depth) {
  enum mode before[NUM_SHARED], inside[NUM_SHARED];
  int operations[NUM_SHARED];
  for (int i = 0; i < NUM_SHARED; i++) before[i] = g->shared[i].mode, operations[i] = g->shared[i].operation;
  put_barrier(g);
  choose_modes(g, inside);
  set_modes(g, inside);
  gen_regions(g, depth - 1);
  put_barrier(g);
  set_modes(g, before);
  for (int i = 0; i < NUM_SHARED; i++) g->shared[i].operation = operations[i];
}

/* In C: all values one after the other, in linear order, then the results. */
static void put_collective(struct gen *g) {
  static const struct {
    const char *name, *neutral, *combine;
  } operations[] = {{"add", "0", "t_ + x_"},           {"min", "-1", "x_ < t_ ? x_ : t_"},
                    {"max", "0", "x_ > t_ ? x_ : t_"}, {"or", "0", "t_ | x_"},
                    {"xor", "0", "t_ ^ x_"},           {"mul", "1", "t_ * x_"}};
  static const char *const forms[] = {"reduce", "scan_inclusive", "scan_exclusive"};
  const struct type type = {gen_chance(g, 50) ? UINT : ULONG, 1};
  struct var *v = gen_pick(g, &type, false, true);
  if (v == NULL || !v->item) return;
  uint32_t o = gen_random(g, sizeof operations / sizeof *operations), form = gen_random(g, 3);
  const char *t = type_name(type);
  only_cl(g, "%s = work_group_%s_%s(%s);\n", v->name, forms[form], operations[o].name, v->name);
  only_c(g, "CLOSE { %s t_ = (%s)%s;\nOPEN %s x_ = I->%s, y_ = %s;\n", t, t, operations[o].neutral, t,
         v->name, operations[o].combine);
  if (form != 0) only_c(g, "I->%s = %s;\n", v->name, form == 1 ? "y_" : "t_");
  only_c(g, "t_ = y_; CLOSE\n");
  if (form == 0) only_c(g, "OPEN I->%s = t_; CLOSE\n", v->name);
  only_c(g, "} OPEN\n");
}

static void in_scope(struct gen *g, int depth) {
  int vars = g->num_vars, aggregates = g->num_aggregates;
  gen_regions(g, depth - 1);
  g->num_vars = vars;
  g->num_aggregates = aggregates;
}

/* The same for all work-items of a group. */
static void put_uniform_if(struct gen *g, int depth) {
  const char *comparison = gen_chance(g, 50) ? "==" : "!=";
  only_cl(g, "if ((n + (uint)%s) %% 3u %s 1u) {\n", g->alone ? "get_global_size(0)" : "get_group_id(0)",
          comparison);
  only_c(g, "CLOSE if ((n + %s) %% 3u %s 1u) {\nOPEN\n", g->alone ? "GLOBAL_X" : "GROUP_X", comparison);
  in_scope(g, depth);
  only_c(g, "CLOSE ");
  both(g, "}\n");
  only_c(g, "OPEN\n");
}

static void put_uniform_loop(struct gen *g, int depth) {
  int name = g->names++, vars = g->num_vars;
  only_c(g, "CLOSE ");
  if (gen_chance(g, 50))
    both(g, "for (uint i%d = 0; i%d < %uu; i%d++) {\n", name, name, 1 + gen_random(g, 3), name);
  else both(g, "for (uint i%d = 0; i%d < n %% 4u; i%d++) {\n", name, name, name);
  struct var *v = gen_declare(g, (struct type){UINT, 1}, 0, false);
  if (v != NULL) {
    snprintf(v->name, sizeof v->name, "i%d", name);
    v->fixed = true;
  }
  only_c(g, "OPEN\n");
  in_scope(g, depth);
  only_c(g, "CLOSE ");
  both(g, "}\n");
  only_c(g, "OPEN\n");
  g->num_vars = vars;
}

static void gen_regions(struct gen *g, int depth) {
  for (int i = 0, n = 1 + (int)gen_random(g, 4); i < n && g->budget > 0; i++) {
    uint32_t k = gen_random(g, 100);
    if (k < 20 || depth <= 0) gen_braces(g, 3, false);
    else if (k < 35) gen_new_variable(g, true);
    else if (k < 45 && g->collectives) put_collective(g);
    else if (k < 55 && g->sub_groups) gen_sub_group(g);
    else if (k < 65 && g->sub_groups) gen_parted(g, depth);
    else if (k < 70) put_phase(g, depth);
    else if (k < 85) put_uniform_loop(g, depth);
    else put_uniform_if(g, depth);
  }
}

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
  for (int k = 0; k < g->structs[which].num; k++) {
    struct var *v = &g->vars[g->num_vars++];
    *v = g->structs[which].field[k];
    snprintf(v->name, sizeof v->name, "%s.f%d", name, k);
    v->item = true;
  }
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
  static const enum mode own[NUM_SHARED] = {OWN, OWN, OWN};
  put_barrier(g);
  set_modes(g, own);
  both(g, "uint hash = 17;\n");
  for (int i = 0; i < g->num_vars; i++) {
    const struct var *v = &g->vars[i];
    if (v->count != 0) both(g, "for (int k = 0; k < %d; k++) {\n", v->count);
    mix_value(g, v->type, v->name, v->item ? "I->" : "", v->count != 0 ? "[k]" : "");
    if (v->count != 0) both(g, "}\n");
  }
  for (int i = 0; i < NUM_SHARED && !g->alone; i++) {
    char name[16];
    snprintf(name, sizeof name, "shared%d", i);
    only_c(g, "#define item ITEM\n");
    mix_value(g, g->shared[i].type, name, "", "[item]");
    only_c(g, "#undef item\n");
  }
  only_cl(g, "size_t g = get_global_id(1) * get_global_size(0) + get_global_id(0);\n");
  only_c(g, "size_t g = GY * GLOBAL_X + GX;\n");
  both(g, "out[2 * g] = hash;\nout[2 * g + 1] += in[hash %% %uu];\n", (unsigned)IN_WORDS);
}

/* ---- the whole ---- */

static void put_start(struct gen *g) {
  for (int i = 0; i < NUM_SHARED && !g->alone; i++) {
    g->shared[i] =
        (struct shared){.type = gen_chance(g, 50) ? (struct type){UINT, 1} : gen_type(g), .mode = OWN};
    only_c(g, "static %s shared%d[ITEMS];\n", type_name(g->shared[i].type), i);
  }
  if (g->required != 0) only_cl(g, "__attribute__((intel_reqd_sub_group_size(%u)))\n", g->required);
  only_cl(g,
          "kernel void k(global uint *out, global const uint *in, uint n, struct s0_t argument, global uint "
          "*counts");
  if (g->image != NO_IMAGE) only_cl(g, ", read_only image2d_t image, write_only image2d_t painted");
  if (!g->alone) only_cl(g, ", local %s *shared2", type_name(g->shared[2].type));
  only_cl(g, ") {\n");
  for (int i = 0; i < NUM_SHARED - 1 && !g->alone; i++)
    only_cl(g, "local %s shared%d[ITEMS];\n", type_name(g->shared[i].type), i);
  if (g->alone) only_cl(g, "uint item = (uint)get_global_id(0);\n");
  else only_cl(g, "uint item = (uint)(get_local_id(1) * get_local_size(0) + get_local_id(0));\n");
  only_cl(g, "struct s1_t other;\n");
  only_c(g,
         "for (GROUP_Y = 0; GROUP_Y < %zu; GROUP_Y++) for (GROUP_X = 0; GROUP_X < %zu; GROUP_X++) "
         "{\nALL(I->on_ = "
         "1)\nOPEN\n",
         g->groups[1], g->groups[0]);
  only_c(g, "I->argument = *argument_;\n");
  add_aggregate(g, "argument", 0);
  int visible = g->num_vars;
  add_aggregate(g, "other", 1);
  int all = g->num_vars;
  g->kernel = false;                    /* nothing of shared memory is defined yet */
  for (int i = visible; i < all; i++) { /* defined before it is read */
    struct var *v = &g->vars[i];
    g->num_vars = visible;
    if (v->count != 0) both(g, "for (int i = 0; i < %d; i++) ", v->count);
    put_name(g, v);
    both(g, v->count != 0 ? "[i] = " : " = ");
    gen_expr(g, v->type, 1);
    both(g, ";\n");
  }
  g->num_vars = visible;
  for (int i = 0; i < NUM_SHARED && !g->alone; i++) {
    only_cl(g, "shared%d[item] = ", i);
    only_c(g, "shared%d[ITEM] = ", i);
    gen_expr(g, g->shared[i].type, 1);
    both(g, ";\n");
  }
  g->num_vars = all;
  g->kernel = true;
}

static void choose_shape(struct gen *g) {
  static const size_t shapes[][2] = {{1, 1},  {4, 1}, {7, 1},  {16, 1}, {4, 4}, {8, 3},
                                     {64, 1}, {2, 1}, {1, 5},  {33, 1}, {8, 8}, {16, 4},
                                     {1, 32}, {3, 5}, {32, 2}, {2, 16}, {5, 8}};
  uint32_t k = gen_random(g, sizeof shapes / sizeof *shapes);
  for (int d = 0; d < 2; d++) {
    g->local[d] = shapes[k][d];
    g->groups[d] = 1 + gen_random(g, g->alone ? 7 : 3);
  }
}

static void put_macros(struct gen *g) {
  unsigned long long seed = g->seed;
  both(g, "#define ITEMS %zuu\n", g->local[0] * g->local[1]);
  only_c(g, "#define s0_t s0_t_%llu\n#define s1_t s1_t_%llu\n#define item_t item_t_%llu\n", seed, seed, seed);
}

static void put_kernel(struct gen *g, FILE *c) {
  char *body, *fields;
  size_t body_size, fields_size;
  g->c = open_memstream(&body, &body_size);
  g->fields = open_memstream(&fields, &fields_size);
  g->kernel = true;
  g->budget = 150 + (int)gen_random(g, 500);
  g->num_vars = g->num_aggregates = 0;
  put_start(g);
  gen_regions(g, 3);
  put_result(g);
  only_cl(g, "}\n");
  only_c(g, "CLOSE }\n}\n#undef ITEMS\n#undef s0_t\n#undef s1_t\n#undef item_t\n");
  fclose(g->c);
  fclose(g->fields);
  fprintf(c, "struct item_t {\n  int on_;\n%s};\nsize_t argument_size_%llu = sizeof(struct s0_t);\n", fields,
          (unsigned long long)g->seed);
  fprintf(c,
          "void run_%llu(uint *out, const uint *in, uint n, const void *argument, uint *counts, const uint "
          "*image, "
          "uint *painted, uint sub_group_size) {\n",
          (unsigned long long)g->seed);
  fprintf(c, "static struct item_t items[ITEMS];\nconst struct s0_t *argument_ = argument;\n");
  fprintf(c, "SUB = sub_group_size, SIZE_X = %zu, GLOBAL_X = %zu, GLOBAL_Y = %zu;\n%s", g->local[0],
          g->local[0] * g->groups[0], g->local[1] * g->groups[1], body);
  free(body);
  free(fields);
}

static const char cl_prelude[] =
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#pragma OPENCL FP_CONTRACT OFF\n"
    "uint mix_uint(uint h, uint x) { return (h ^ x) * 0x9E3779B1u + (h >> 15); }\n"
    "uint mix_int(uint h, int x) { return mix_uint(h, (uint)x); }\n"
    "uint mix_ulong(uint h, ulong x) { return mix_uint(mix_uint(h, (uint)x), (uint)(x >> 32)); }\n"
    "uint mix_long(uint h, long x) { return mix_ulong(h, (ulong)x); }\n"
    "uint mix_float(uint h, float x) { return mix_uint(h, isnan(x) ? 1u : as_uint(x)); }\n"
    "uint mix_double(uint h, double x) { return mix_ulong(h, isnan(x) ? 1ul : as_ulong(x)); }\n"
    "#define mix_char mix_int\n#define mix_short mix_int\n#define mix_uchar mix_uint\n#define mix_ushort "
    "mix_uint\n";

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
  g->alone = gen_chance(g, 35);
  g->collectives = !g->alone && gen_chance(g, 40);
  g->sub_groups = !g->alone && gen_chance(g, 40);
  if (g->sub_groups && gen_chance(g, 60)) g->required = 1u << (1 + gen_random(g, 5));
  choose_options(g);
  g->loop = -1;
  if (gen_chance(g, 25)) g->image = (enum image)(1 + gen_random(g, IMAGE_FLOAT));
  fputs(cl_prelude, cl);
  gen_memory_functions(g);
  choose_shape(g);
  put_macros(g);
  for (int i = 0; i < NUM_STRUCTS; i++) gen_struct(g, i);
  gen_functions(g);
  put_kernel(g, c);
}

static void put_saturation(FILE *c, const char *name, const char *least, const char *most,
                           const char *limit) {
  fprintf(c,
          "static %s SATURATE_%s(double x) { return x != x ? 0 : x <= (double)%s ? %s : x >= %s ? %s : "
          "(%s)x; }\n",
          name, name, least, least, limit, most, name);
}

void gen_c_prelude(FILE *c) {
  static const char *const names[] = {"char", "uchar", "short", "ushort", "int",
                                      "uint", "long",  "ulong", "float",  "double"};
  static const int counts[] = {2, 3, 4, 8, 16}, bytes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
  fprintf(c,
          "#include <stddef.h>\n#include <string.h>\ntypedef unsigned char uchar;\ntypedef unsigned short "
          "ushort;\n"
          "typedef unsigned int uint;\ntypedef unsigned long ulong;\n"
          "static uint LX, LY, GX, GY, GROUP_X, GROUP_Y, SIZE_X, GLOBAL_X, GLOBAL_Y, ITEM;\n"
          "#define OPEN for (ITEM = 0; ITEM < ITEMS; ITEM++) { struct item_t *I = &items[ITEM]; if (!I->on_) "
          "continue; LX = ITEM %% SIZE_X; "
          "LY = ITEM / SIZE_X; GX = GROUP_X * SIZE_X + LX; GY = GROUP_Y * (ITEMS / SIZE_X) + LY; (void)I;\n"
          "#define CLOSE }\n");
  for (int b = 0; b < 10; b++)
    for (int k = 0; k < 5; k++)
      fprintf(c, "typedef struct { %s s[%d]; } __attribute__((aligned(%d))) %s%d;\n", names[b], counts[k],
              bytes[b] * (counts[k] == 3 ? 4 : counts[k]), names[b], counts[k]);
  fprintf(
      c,
      "static uint mix_uint(uint h, uint x) { return (h ^ x) * 0x9E3779B1u + (h >> 15); }\n"
      "static uint mix_int(uint h, int x) { return mix_uint(h, (uint)x); }\n"
      "static uint mix_ulong(uint h, ulong x) { return mix_uint(mix_uint(h, (uint)x), (uint)(x >> 32)); }\n"
      "static uint mix_long(uint h, long x) { return mix_ulong(h, (ulong)x); }\n"
      "static uint mix_float(uint h, float x) { uint u; memcpy(&u, &x, 4); return mix_uint(h, x != x ? 1u : "
      "u); }\n"
      "static uint mix_double(uint h, double x) { ulong u; memcpy(&u, &x, 8); return mix_ulong(h, x != x ? "
      "1ul : u); }\n"
      "#define mix_char mix_int\n#define mix_short mix_int\n#define mix_uchar mix_uint\n#define mix_ushort "
      "mix_uint\n");
  put_saturation(c, "char", "(-128)", "127", "127.0");
  put_saturation(c, "uchar", "0", "255", "255.0");
  put_saturation(c, "short", "(-32768)", "32767", "32767.0");
  put_saturation(c, "ushort", "0", "65535", "65535.0");
  put_saturation(c, "int", "(-2147483647 - 1)", "2147483647", "2147483647.0");
  put_saturation(c, "uint", "0", "4294967295u", "4294967295.0");
  put_saturation(c, "long", "(-9223372036854775807L - 1)", "9223372036854775807L", "9223372036854775808.0");
  put_saturation(c, "ulong", "0", "18446744073709551615ul", "18446744073709551616.0");
  gen_sub_group_prelude(c);
  gen_memory_prelude(c);
}
