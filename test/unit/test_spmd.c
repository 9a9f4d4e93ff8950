/* The work-group function: kernels compiled, lowered and run, compared with what OpenCL says. */
#include "spmd_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- ids ---- */

static const char ids_source[] =
    "kernel void k(global ulong *out) {\n"
    "  size_t n = get_global_linear_id() * 40;\n"
    "  out[n++] = get_work_dim();\n"
    "  for (uint d = 0; d < 4; d++) {\n"
    "    out[n++] = get_global_id(d); out[n++] = get_local_id(d); out[n++] = get_group_id(d);\n"
    "    out[n++] = get_global_size(d); out[n++] = get_local_size(d); out[n++] = "
    "get_enqueued_local_size(d);\n"
    "    out[n++] = get_num_groups(d); out[n++] = get_global_offset(d);\n"
    "  }\n"
    "  out[n++] = get_local_linear_id();\n"
    "  out[n++] = get_global_id(0) + get_local_size(1) + get_num_groups(2) + get_group_id(7);\n"
    "}\n";

static size_t at_dim(const size_t *v, unsigned dim, unsigned d, size_t otherwise) {
  return d < dim ? v[d] : otherwise;
}

static void check_item(const uint64_t *o, unsigned dim, const size_t *global, const size_t *local,
                       const size_t *offset, const size_t *i) {
  size_t lid[4], size[4], group[4], count[4];
  assert_int_equal(o[0], dim);
  for (unsigned d = 0; d < 4; d++) {
    size_t g = at_dim(global, dim, d, 1), l = at_dim(local, dim, d, 1), off = at_dim(offset, dim, d, 0);
    size_t x = d < 3 ? i[d] : 0;
    group[d] = x / l, lid[d] = x % l, count[d] = (g + l - 1) / l;
    size[d] = group[d] * l + l > g ? g - group[d] * l : l;
    const uint64_t *p = o + 1 + 8 * d;
    assert_int_equal(p[0], d < 3 ? off + x : 0);
    assert_int_equal(p[1], lid[d]);
    assert_int_equal(p[2], group[d]);
    assert_int_equal(p[3], g);
    assert_int_equal(p[4], size[d]);
    assert_int_equal(p[5], l);
    assert_int_equal(p[6], count[d]);
    assert_int_equal(p[7], off);
  }
  assert_int_equal(o[33], (lid[2] * size[1] + lid[1]) * size[0] + lid[0]);
  assert_int_equal(o[34], at_dim(offset, dim, 0, 0) + i[0] + size[1] + count[2]);
}

static void run_ids(struct spmd_code *code, unsigned dim, const size_t *global, const size_t *local,
                    const size_t *offset) {
  static const size_t none[3];
  size_t n[3] = {at_dim(global, dim, 0, 1), at_dim(global, dim, 1, 1), at_dim(global, dim, 2, 1)};
  size_t items = n[0] * n[1] * n[2];
  uint64_t *out = malloc(items * 40 * 8);
  for (unsigned chunk = 0; chunk < 4; chunk += 3) {
    struct spmd_launch l;
    memset(out, 0xee, items * 40 * 8);
    spmd_start(&l, code, global, local, offset, dim);
    SPMD_ARG(&l, out);
    spmd_run(&l, chunk);
    for (size_t z = 0, k = 0; z < n[2]; z++)
      for (size_t y = 0; y < n[1]; y++)
        for (size_t x = 0; x < n[0]; x++, k++)
          check_item(out + k * 40, dim, global, local, offset == NULL ? none : offset, (size_t[]){x, y, z});
  }
  free(out);
}

static void ids_any_size(void **state) {
  (void)state;
  for (uint32_t small = 0; small <= 3; small++) {
    struct spmd_code code;
    spmd_compile(&code, &(struct spmd_build){.source = ids_source, .spec = {.small = small}});
    run_ids(&code, 1, (size_t[]){37}, (size_t[]){8}, (size_t[]){5});
    run_ids(&code, 1, (size_t[]){1}, (size_t[]){1}, NULL);
    run_ids(&code, 2, (size_t[]){12, 7}, (size_t[]){4, 2}, (size_t[]){0, 100});
    run_ids(&code, 3, (size_t[]){5, 6, 7}, (size_t[]){2, 3, 4}, (size_t[]){9, 8, 7});
    run_ids(&code, 3, (size_t[]){8, 4, 2}, (size_t[]){4, 2, 2}, NULL);
    spmd_finish(&code);
  }
}

static void ids_known_size(void **state) {
  (void)state;
  for (unsigned variant = 0; variant < 4; variant++) {
    struct spmd_code code;
    struct kiln_spec spec = {.local_size = {4, 3, 2}, .small = variant & 1, .offset_zero = variant >> 1};
    size_t offset[] = {3, 2, 1}, *o = variant >> 1 ? NULL : offset;
    spmd_compile(&code, &(struct spmd_build){.source = ids_source, .spec = spec});
    run_ids(&code, 3, (size_t[]){8, 6, 4}, (size_t[]){4, 3, 2}, o);
    run_ids(&code, 3, (size_t[]){9, 7, 3}, (size_t[]){4, 3, 2}, o);
    run_ids(&code, 3, (size_t[]){3, 2, 1}, (size_t[]){4, 3, 2}, o);
    spmd_finish(&code);
  }
}

static void ids_row(void **state) {
  (void)state;
  struct spmd_code code;
  struct kiln_spec spec = {.local_size = {16, 1, 1}, .small = 1};
  spmd_compile(&code,
               &(struct spmd_build){.source = ids_source, .spec = spec, .flags = KILN_KERNEL_UNIFORM_GROUPS});
  run_ids(&code, 1, (size_t[]){64}, (size_t[]){16}, (size_t[]){1000});
  run_ids(&code, 2, (size_t[]){32, 3}, (size_t[]){16, 1}, NULL);
  spmd_finish(&code);
}

static const uint32_t widths[] = {1, 2, 4, 8, 16, 64};
enum { NUM_WIDTHS = sizeof widths / sizeof *widths };

static void ids_in_lanes(void **state) {
  (void)state;
  static const size_t locals[][3] = {{16, 1, 1}, {8, 8, 1}, {4, 4, 2}, {3, 5, 1},
                                     {1, 16, 1}, {2, 1, 8}, {1, 1, 1}, {32, 2, 1}};
  for (unsigned k = 0; k < sizeof locals / sizeof *locals * NUM_WIDTHS; k++) {
    const size_t *local = locals[k / NUM_WIDTHS];
    size_t even[] = {local[0] * 2, local[1], local[2] * 2}, odd[] = {local[0] + 1, local[1] * 2 + 1, 3};
    struct spmd_code code;
    struct kiln_spec spec = {.width = widths[k % NUM_WIDTHS], .small = k % 3};
    for (unsigned d = 0; d < 3; d++) spec.local_size[d] = (uint32_t)local[d];
    spmd_compile(&code, &(struct spmd_build){.source = ids_source, .spec = spec});
    run_ids(&code, 3, even, local, (size_t[]){1, 2, 3});
    run_ids(&code, 3, odd, local, NULL);
    spmd_finish(&code);
  }
}

/* Nothing here tells groups apart, so neighbours may run as one. */
static const char free_source[] =
    "kernel void k(global ulong *out) {\n"
    "  size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n"
    "  global ulong *o = out + get_global_linear_id() * 8;\n"
    "  o[0] = x; o[1] = y; o[2] = z; o[3] = get_global_size(0); o[4] = get_work_dim();\n"
    "  o[5] = get_global_linear_id(); o[6] = 0;\n"
    "  for (int i = 0; i < (int)(x % 5); i++) o[6] += i + y;\n"
    "  o[7]++;\n"
    "}\n";

static void check_free(struct spmd_code *code, const size_t *global, const size_t *local, unsigned chunk) {
  struct spmd_launch l;
  size_t items = global[0] * global[1] * global[2], offset[] = {7, 0, 2};
  uint64_t *out = calloc(items, 64);
  spmd_start(&l, code, global, local, offset, 3);
  SPMD_ARG(&l, out);
  spmd_run(&l, chunk);
  for (size_t i = 0; i < items; i++) {
    size_t x = i % global[0] + 7, y = i / global[0] % global[1], z = i / global[0] / global[1] + 2, m = x % 5;
    uint64_t sum = m * (m - 1) / 2 + m * y;
    uint64_t want[] = {x, y, z, global[0], 3, i, m == 0 ? 0 : sum, 1};
    for (int w = 0; w < 8; w++) assert_int_equal(out[8 * i + w], want[w]);
  }
  free(out);
}

static void run_free(struct kiln_spec spec, const size_t *local) {
  struct spmd_code code;
  size_t even[] = {local[0] * 6, local[1] * 2, local[2]}, odd[] = {local[0] * 5 + 1, local[1] + 1, 2};
  spmd_compile(&code, &(struct spmd_build){.source = free_source, .spec = spec});
  for (unsigned chunk = 0; chunk < 6; chunk++) {
    check_free(&code, even, local, chunk);
    check_free(&code, odd, local, chunk);
  }
  spmd_finish(&code);
}

static void merged_groups(void **state) {
  (void)state;
  static const size_t locals[][3] = {{1, 1, 1},  {3, 1, 1},  {16, 1, 1}, {5, 3, 1},
                                     {16, 4, 1}, {1, 16, 2}, {8, 8, 1}};
  for (unsigned k = 0; k < sizeof locals / sizeof *locals * (NUM_WIDTHS + 1); k++) {
    const size_t *local = locals[k / (NUM_WIDTHS + 1)];
    unsigned w = k % (NUM_WIDTHS + 1);
    struct kiln_spec spec = {.width = w < NUM_WIDTHS ? widths[w] : 0, .small = k % 3};
    spmd_native_width = 8;
    run_free(spec, local); /* any size */
    for (unsigned d = 0; d < 3; d++) spec.local_size[d] = (uint32_t)local[d];
    run_free(spec, local);
    if (local[1] == 1) spec.local_size[0] = 0, run_free(spec, local);
    spmd_native_width = 0;
  }
}

/* A chain of instructions, for which several vectors run side by side; rows of every length. */
static const char chain_source[] =
    "kernel void k(global uint *out, global const uint *in, int n) {\n"
    "  size_t x = get_global_id(0), i = get_global_id(1) * get_global_size(0) + x;\n"
    "  uint h = in[i];\n"
    "  for (int r = 0; r < n; r++) h = h * 1664525u + in[r] + (uint)get_global_id(1);\n"
    "  out[i] = h;\n"
    "}\n";

static void run_chain(struct spmd_code *code, const size_t *global, const size_t *local, const uint32_t *in) {
  static uint32_t out[1024];
  struct spmd_launch l;
  uint32_t *p = out;
  int n = 9;
  memset(out, 0, sizeof out);
  spmd_start(&l, code, global, local, NULL, 2);
  SPMD_ARG(&l, p);
  SPMD_ARG(&l, in);
  SPMD_ARG(&l, n);
  spmd_run(&l, 0);
  for (size_t i = 0; i < 1024; i++) {
    uint32_t h = in[i];
    for (int r = 0; r < n; r++) h = h * 1664525u + in[r] + (uint32_t)(i / global[0]);
    assert_int_equal(out[i], i < global[0] * global[1] ? h : 0);
  }
}

static void vectors_side_by_side(void **state) {
  (void)state;
  static const size_t locals[][2] = {{1, 1}, {64, 1}, {16, 4}, {8, 8}, {3, 2}};
  uint32_t in[1024];
  for (int i = 0; i < 1024; i++) in[i] = (uint32_t)i * 2654435761u;
  for (unsigned k = 0; k < 2 * sizeof locals / sizeof *locals; k++) {
    const size_t *local = locals[k / 2];
    struct spmd_code code;
    struct kiln_spec spec = {.local_size = {(uint32_t)local[0], (uint32_t)local[1], 1}, .small = 1};
    spmd_native_width = k % 2 != 0 ? 16 : 4;
    spmd_compile(&code, &(struct spmd_build){.source = chain_source, .spec = spec});
    for (size_t x = 1; x < 150; x += x < 20 ? 1 : 13)
      for (size_t y = 1; y < 6; y += 2) run_chain(&code, (size_t[]){x, y}, local, in);
    spmd_finish(&code);
    spmd_native_width = 0;
  }
}

/* ---- stores that pass by the caches ---- */

static const char stream_source[] =
    "kernel void k(global float *a, global float4 *b, global uchar4 *c, global int *d, int skip) {\n"
    "  size_t i = get_global_id(0);\n"
    "  a[i + skip] = i;\n"
    "  b[i] = (float4)(i, 1, 2, i + 3);\n"
    "  c[i] = (uchar4)(i, i >> 8, 7, 9);\n"
    "  if (i % 3 != 0) d[i] += i;\n"
    "}\n";

/* Whatever the alignment and the length of the row; a store that is masked, or of what is read, is plain. */
static void run_stream(struct spmd_code *code, size_t items, int skip) {
  enum { MOST = 700 };
  static _Alignas(64) float a[MOST + 8], b[4 * MOST];
  static _Alignas(64) uint8_t c[4 * MOST];
  static int32_t d[MOST];
  void *p[] = {a, b, c, d};
  struct spmd_launch l;
  memset(a, 0xff, sizeof a), memset(b, 0xff, sizeof b), memset(c, 0xff, sizeof c), memset(d, 0, sizeof d);
  spmd_start(&l, code, &items, (size_t[]){16}, NULL, 1);
  for (int k = 0; k < 4; k++) SPMD_ARG(&l, p[k]);
  SPMD_ARG(&l, skip);
  spmd_run(&l, 0);
  for (size_t i = 0; i < items; i++) {
    assert_true(a[i + (size_t)skip] == (float)i && b[4 * i] == (float)i && b[4 * i + 1] == 1);
    assert_true(b[4 * i + 2] == 2 && b[4 * i + 3] == (float)(i + 3));
    assert_true(c[4 * i] == (i & 255) && c[4 * i + 1] == i >> 8 && c[4 * i + 2] == 7 && c[4 * i + 3] == 9);
    assert_int_equal(d[i], i % 3 != 0 ? i : 0);
  }
  assert_true(isnan(a[items + (size_t)skip]) && c[4 * items] == 0xff && d[items] == 0);
}

static void stores_past_the_caches(void **state) {
  (void)state;
  static const uint32_t stored[] = {4, 16, 4, 0, 0};
  for (unsigned k = 0; k < 2 * (NUM_WIDTHS + 1); k++) {
    struct spmd_code code;
    struct kiln_spec spec = {.small = 1, .streams = k & 1};
    if (k / 2 < NUM_WIDTHS) spec.width = widths[k / 2];
    spmd_native_width = 16;
    spmd_compile(&code, &(struct spmd_build){.source = stream_source, .spec = spec});
    for (int i = 0; i < 5; i++) assert_true(code.args[i].stored == stored[i]);
    for (size_t items = 1; items < 600; items = items * 3 + 7)
      for (int skip = 0; skip < 8; skip += 3) run_stream(&code, items, skip);
    run_stream(&code, 256, 0);
    spmd_finish(&code);
    spmd_native_width = 0;
  }
}

/* ---- gathered atomics ---- */

static const char tally_source[] =
    "#define RELAXED(f, p, v) __opencl_atomic_fetch_##f(p, v, memory_order_relaxed, memory_scope_device)\n"
    "kernel void k(global const int *in, global atomic_int *sums, global atomic_uint *flips,\n"
    "              global atomic_int *both, global int *used) {\n"
    "  size_t i = get_global_id(0);\n"
    "  RELAXED(add, &sums[in[i]], 3);\n"
    "  if (in[i] % 2) RELAXED(xor, &flips[in[i]], (uint)i);\n"
    "  RELAXED(add, &both[in[i]], 1);\n"
    "  RELAXED(min, &both[in[i]], 2);\n"
    "  used[i] = RELAXED(add, (global atomic_int *)&used[5000], 1);\n"
    "}\n";

enum { PLACES = 4001 }; /* more than a thread keeps */

static void run_tally(struct spmd_code *code, size_t items) {
  static int in[5000], sums[PLACES], both[PLACES], used[5001], counts[PLACES];
  static uint32_t flips[PLACES], flipped[PLACES];
  memset(counts, 0, sizeof counts);
  memset(flipped, 0, sizeof flipped);
  for (size_t i = 0; i < items; i++) {
    in[i] = (int)(i * 1013 % PLACES / (1 + i % 3 * 7));
    counts[in[i]]++;
    if (in[i] % 2) flipped[in[i]] ^= (uint32_t)i;
  }
  for (int p = 0; p < PLACES; p++) sums[p] = p, flips[p] = 0, both[p] = 0;
  used[5000] = 0;
  void *args[] = {in, sums, flips, both, used};
  struct spmd_launch l;
  spmd_start(&l, code, &items, (size_t[]){16}, NULL, 1);
  for (int k = 0; k < 5; k++) SPMD_ARG(&l, args[k]);
  spmd_run(&l, 0);
  for (int p = 0; p < PLACES; p++) {
    assert_int_equal(sums[p], p + 3 * counts[p]);
    assert_int_equal(flips[p], flipped[p]);
    assert_int_equal(both[p], counts[p] < 2 ? counts[p] : 2);
  }
  assert_int_equal(used[5000], items);
}

static void gathers_atomics(void **state) {
  (void)state;
  static const uint32_t tallied[] = {0, 1, 1, 0, 0};
  for (unsigned k = 0; k < 2 * (NUM_WIDTHS + 1); k++) {
    struct spmd_code code;
    struct kiln_spec spec = {.small = 1, .tallies = k & 1};
    if (k / 2 < NUM_WIDTHS) spec.width = widths[k / 2];
    spmd_native_width = 16;
    spmd_compile(&code, &(struct spmd_build){.source = tally_source, .spec = spec});
    for (int i = 0; i < 5; i++) assert_int_equal(code.args[i].tallied, tallied[i]);
    for (size_t items = 1; items < 5000; items = items * 3 + 7) run_tally(&code, items);
    spmd_finish(&code);
    spmd_native_width = 0;
  }
}

/* ---- groups that wait for others ---- */

static void expect_waits(const char *source, bool waits) {
  struct spmd_code code;
  spmd_native_width = 16;
  spmd_compile(&code, &(struct spmd_build){.source = source, .spec = {.small = 1}});
  if (((code.info.flags & KILN_KERNEL_WAITS) != 0) != waits) fail_msg("'%s'", source);
  spmd_finish(&code);
  spmd_native_width = 0;
}

static void knows_groups_that_wait(void **state) {
  (void)state;
  expect_waits("kernel void k(global volatile int *sum) { int g = get_group_id(0), before = 0;\n"
               "if (g > 0) while ((before = sum[g - 1]) == 0) ;\n"
               "sum[g] = before + 1; }\n",
               true);
  expect_waits("static int take(global volatile int *sum) { int v; while ((v = *sum) == 0) ; return v; }\n"
               "kernel void k(global volatile int *sum) { int g = get_group_id(0);\n"
               "sum[g] = g > 0 ? take(sum + g - 1) + 1 : 1; }\n",
               true);
  expect_waits("kernel void k(global volatile int *sum, int n) {\n"
               "for (int i = 0; i < n; i++) sum[get_group_id(0)] += i; }\n",
               false);
  expect_waits(
      "kernel void k(global int *sum, int n) { while (sum[get_group_id(0)] < n) sum[get_group_id(0)]++; }\n",
      false);
}

/* ---- arguments that choose elements ---- */

static void expect_integer(const char *source, uint32_t integer) {
  struct spmd_code code;
  spmd_compile(&code, &(struct spmd_build){.source = source, .spec = {.small = 1}});
  if (code.args[1].integer != integer) fail_msg("'%s': %u", source, code.args[1].integer);
  spmd_finish(&code);
}

static void expect_turns(const char *source, const char *options, uint32_t turns) {
  struct spmd_code code;
  spmd_compile(&code, &(struct spmd_build){.source = source, .options = options, .spec = {.small = 1}});
  if (code.args[1].turns != turns) fail_msg("'%s': %u", source, code.args[1].turns);
  spmd_finish(&code);
}

#define SUM_OF_ROW(TYPE, LENGTH, LIMIT, STEP)                                                                \
  "kernel void k(global " TYPE " *a, " LENGTH " n) { int i = get_global_id(0); " TYPE " s = 0;\n"            \
  "for (" LENGTH " k = 0; k < " LIMIT "; k++) s " STEP "; a[i] = s; }"

static void knows_lengths_of_rows(void **state) {
  (void)state;
  const char *fast = "-cl-fast-relaxed-math";
  expect_turns(SUM_OF_ROW("int", "int", "n", "+= a[i * n + k]"), "", 1);
  expect_turns(SUM_OF_ROW("int", "long", "n - 1", "+= a[i * n + k]"), "", 1);
  expect_turns(SUM_OF_ROW("float", "uint", "n", "+= a[i * n + k]"), fast, 1);
  expect_turns(SUM_OF_ROW("float", "int", "n", "+= a[i * n + k]"), "", 0);
  expect_turns(SUM_OF_ROW("int", "int", "n", "+= k * k ^ i"), "", 0);
  expect_turns(SUM_OF_ROW("int", "int", "a[n]", "+= a[i * n + k]"), "", 0);
  expect_turns("kernel void k(global int *a, int n) { int i = get_global_id(0);\n"
               "for (int k = 0; k < n; k++) a[i * n + k] = k; }",
               "", 0);
}

static void knows_factors(void **state) {
  (void)state;
  expect_integer("kernel void k(global int *a, uint n) { a[(uint)get_global_id(0) * n + 3] = 1; }",
                 KILN_ARG_FACTOR);
  expect_integer("kernel void k(global int *a, int n) { uint i = get_global_id(0);\n"
                 "for (int k = 0; k < 9; k++) a[i * n + k] = 1; }",
                 KILN_ARG_FACTOR);
  expect_integer("kernel void k(global int *a, uint n) { a[(uint)get_global_id(0) + n] = 1; }", 1);
  expect_integer("kernel void k(global int *a, int n) { a[(int)get_global_id(0) * n] = 1; }", 1);
  expect_integer("kernel void k(global int *a, uint n) { a[get_global_id(0)] = get_global_id(0) * n; }", 1);
}

/* ---- which work-items are the lanes ---- */

static void expect_note(const char *source, struct kiln_spec spec, unsigned native, const char *note) {
  struct spmd_code code;
  spmd_native_width = native;
  spec.small = 2;
  spmd_compile(&code, &(struct spmd_build){.source = source, .spec = spec});
  size_t length = strlen(note);
  bool is_start = strncmp(code.note, note, length) == 0, ends = strchr(";", code.note[length]) != NULL;
  if (!is_start || !ends) fail_msg("'%s', expected '%s'", code.note, note);
  spmd_finish(&code);
  spmd_native_width = 0;
}

/* How launches are cut into tiles where the local size suits lanes badly. */
static void expect_tiling(const char *source, struct kiln_tiling tiling) {
  struct spmd_code code;
  spmd_native_width = 16;
  spmd_compile(&code,
               &(struct spmd_build){.source = source, .spec = {.local_size = {16, 16, 1}, .small = 1}});
  const struct kiln_tiling *found = &code.info.tiling;
  if (found->form != tiling.form || found->along != tiling.along || found->across != tiling.across)
    fail_msg("form %u along %u across %u", found->form, found->along, found->across);
  spmd_finish(&code);
  spmd_native_width = 0;
}

#define ROW_COLUMN(row, column)                                                                              \
  "kernel void k(global float *c, global const float *a, global const float *b, int n) {\n"                  \
  "  int row = get_global_id(" #row "), column = get_global_id(" #column ");\n"                              \
  "  float sum = 0;\n"                                                                                       \
  "  for (int i = 0; i < n; i++) sum += a[row * n + i] * b[i * n + column];\n"                               \
  "  c[row * n + column] = sum;\n"                                                                           \
  "}\n"

/* ---- how many vectors go side by side ---- */

static const char bytes[] = /* as many as fill a line of memory, where it is stored past the caches */
    "kernel void k(global uchar *o, global const uchar *a, int n) {\n"
    "int i = get_global_id(0); if (i < n) o[i] = a[i] ^ 255; }\n";
static const char leaps[] =
    "kernel void k(global float *o, global const float *a, int n) {\n"
    "for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) o[i] = a[i] + 1; }\n";
static const char chain[] = /* 128 products, each of the last: four vectors hide what one waits for */
    "kernel void k(global float *o) { float x = get_global_id(0), y = x + 1;\n"
    "#pragma unroll\nfor (int i = 0; i < 64; i++) { x = x * y + y; y = x * y + x; } o[get_global_id(0)] = "
    "y; }\n";
static const char turns[] =
    "kernel void k(global float *o, int n) { float x = get_global_id(0), y = x + 1;\n"
    "for (int i = 0; i < n; i++) { x = x * y + y; y = x * y + x; } o[get_global_id(0)] = y; }\n";
static const char chain4[] = /* four chains of two values each: registers for two vectors */
    "kernel void k(global float4 *o, int n) { float4 x = get_global_id(0), y = x + 1;\n"
    "for (int i = 0; i < n; i++) { x = x * y + y; y = x * y + x; } o[get_global_id(0)] = y; }\n";
static const char halves[] =
    "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
    "kernel void k(global half *o, int n) { half x = get_global_id(0), y = x + 1;\n"
    "for (int i = 0; i < n; i++) { x = x * y + y; y = x * y + x; } o[get_global_id(0)] = y; }\n";
static const char products[] =
    "kernel void k(global int *o, int n) { int x = get_global_id(0), y = x + 1;\n"
    "for (int i = 0; i < n; i++) { x = x * y + y; y = x * y + x; } o[get_global_id(0)] = y; }\n";
/* two vectors, of eight lanes each: memory takes four lines at a time more slowly */
static const char stream[] = "kernel void k(global double *o, global const double *a) { size_t i = "
                             "get_global_id(0); o[i] = a[i]; }\n";
/* Sixteen components in many values fill the registers of a work-item; in few, of which one waits for the
 * other, work-items side by side keep the processor busy. */
static const char hash16[] =
    "kernel void k(global uint16 *o, int n) { uint16 a = get_global_id(0), b = 1, c = 2, d = 3, e = 4, f = "
    "5;\n"
    "#pragma unroll\nfor (int i = 0; i < 8; i++) { a += (b ^ (c & d)) << 7; b ^= c + e; c += d ^ f;\n"
    "d ^= e + a; e += f ^ b; f ^= a + c; } o[get_global_id(0)] = a ^ b ^ c ^ d ^ e ^ f; }\n";
static const char chain16[] =
    "kernel void k(global float16 *o, int n) { float16 x = get_global_id(0), y = x + 1;\n"
    "for (int i = 0; i < n; i++) { x = x * y + y; y = x * y + x; } o[get_global_id(0)] = y; }\n";

/* Bytes three apart: shuffles of a quarter of a register, which take no longer for four times the lanes. */
static const char colours[] =
    "kernel void k(global uchar *o, global const uchar *a) { size_t i = 3 * get_global_id(0);\n"
    "uchar r = a[i], g = a[i + 1], b = a[i + 2], m = (r + g + b) / 3;\n"
    "o[i] = m; o[i + 1] = (r + m) / 2; o[i + 2] = (b + m) / 2; }\n";

/* Rows of bytes that a loop carries: as many lanes as fill registers with a component each, and no more than
 * 512 bytes. */
static const char bits_of_bytes[] =
    "kernel void k(global const uchar16 *in, global uchar16 *o) { int i = get_global_id(0); uchar16 bits = "
    "0;\n"
    "for (int j = 0; j < 32; j++) bits |= in[i + j]; o[i] = bits; }\n";
static const char sum_of_shorts[] =
    "kernel void k(global const short8 *in, global short8 *o) { int i = get_global_id(0); short8 sum = 0;\n"
    "for (int j = 0; j < 32; j++) sum += in[i + j]; o[i] = sum; }\n";

static void vectors_fill_registers(void **state) {
  (void)state;
  const struct kiln_spec spec = {.local_size = {256, 1, 1}};
  expect_note(bits_of_bytes, spec, 16, "32 lanes along dimension 0");
  expect_note(bits_of_bytes, spec, 8, "32 lanes along dimension 0");
  expect_note(bits_of_bytes, spec, 4, "16 lanes along dimension 0");
  expect_note(sum_of_shorts, spec, 16, "32 lanes along dimension 0");
  expect_note(sum_of_shorts, spec, 8, "16 lanes along dimension 0");
  expect_note(hash16, spec, 16, "one work-item at a time: lanes would cost more than they gain");
  expect_note(hash16, spec, 8, "one work-item at a time: lanes would cost more than they gain");
  expect_note(chain16, spec, 16, "16 lanes along dimension 0");
  expect_note(colours, spec, 16, "64 lanes along dimension 0");
}

/* Each work-item along a row of its own: sums of integers are vectors along the row, those of floats may not
 * be. */
static const char bytes_of_rows[] =
    "kernel void k(global int *o, global const char *a, global const char *x) { int i = get_global_id(0), s "
    "= 0;"
    "\nfor (int j = 0; j < 1024; j++) s += a[i * 1024 + j] * x[j]; o[i] = s; }\n";
static const char changes_in_rows[] =
    "kernel void k(global int *o, global const int *a) { int i = get_global_id(0) * 256, s = 1;\n"
    "for (int j = 1; j < 256; j++) if (a[i + j] != a[i + j - 1]) s++; o[get_global_id(0)] = s; }\n";
static const char floats_of_rows[] =
    "kernel void k(global float *o, global const float *a) { int i = get_global_id(0); float s = 0;\n"
    "for (int j = 0; j < 256; j++) s += a[i * 256 + j]; o[i] = s; }\n";
static const char digits_of_rows[] = /* no sum: the next turn needs all of this one */
    "kernel void k(global int *o, global const int *a) { int i = get_global_id(0), s = 0;\n"
    "for (int j = 0; j < 256; j++) s = s * 31 + a[i * 256 + j]; o[i] = s; }\n";

/* Several rows of each work-item, which lie apart by a power of two: the lines of so many lanes push each
 * other out. */
#define SUMS_OF_ROWS(PITCH)                                                                                  \
  "#define ROW(k) *(global const float4 *)(a + i * 4 * " PITCH " + (j << 2) + k * " PITCH ")\n"              \
  "kernel void k(global float4 *o, global const float *a) { int i = get_global_id(0); float4 s = 0;\n"       \
  "for (int j = 0; j < 512; j++) { float4 u = ROW(0), v = ROW(1), w = ROW(2), x = ROW(3);\n"                 \
  "s.x += u.x * u.y + u.z * u.w; s.y += v.x * v.y + v.z * v.w;\n"                                            \
  "s.z += w.x * w.y + w.z * w.w; s.w += x.x * x.y + x.z * x.w; }\n"                                          \
  "o[i] = s; }\n"

/* They do where the loop has branches, too. */
static const char checksums_of_rows[] =
    "kernel void k(global uint *o, global const uchar4 *a, int n) { int i = get_global_id(0); uint p = 1, q "
    "= 0;\n"
    "for (int j = 0; j < n; j++) { uchar4 v = a[i * n + j];\n"
    "p += v.x; q += p; p += v.y; q += p; p += v.z; q += p; p += v.w; q += p;\n"
    "if ((j & 511) == 511) { p %= 65521; q %= 65521; } }\n"
    "o[i] = q << 16 | p; }\n";

/* A part of a matrix turned round, four of its rows for each work-item: rows are loaded whole, and float4
 * stored where each lane has its own place. */
static const char four_rows_turned[] =
    "kernel void k(global float *o, global const float *a) {\n"
    "int x = get_local_id(0) + get_group_id(1) * 8, y = get_local_id(1) + get_group_id(0) * 16;\n"
    "global const float *p = a + x + y * 8192;\n"
    "*(global float4 *)(o + x * 4096 + y * 4) = (float4)(p[0], p[2048], p[4096], p[6144]); }\n";

static void vectors_are_stored_whole(void **state) {
  (void)state;
  const struct kiln_spec spec = {.local_size = {8, 16, 1}};
  expect_note(four_rows_turned, spec, 8, "8 lanes along dimension 0");
}

static void rows_push_each_other_out(void **state) {
  (void)state;
  const struct kiln_spec spec = {.local_size = {256, 1, 1}};
  expect_note(SUMS_OF_ROWS("2048"), spec, 8, "one work-item at a time: lanes would cost more than they gain");
  expect_note(SUMS_OF_ROWS("2068"), spec, 8, "8 lanes along dimension 0");
  expect_note(checksums_of_rows, spec, 16, "8 lanes along dimension 0");
}

static void rows_are_vectors_by_themselves(void **state) {
  (void)state;
  const struct kiln_spec spec = {.local_size = {256, 1, 1}};
  const char *const alone = "one work-item at a time: lanes would cost more than they gain";
  for (unsigned native = 4; native <= 16; native *= 2) {
    expect_note(bytes_of_rows, spec, native, alone);
    expect_note(changes_in_rows, spec, native, alone);
  }
  expect_note(floats_of_rows, spec, 16, "16 lanes along dimension 0");
  expect_note(digits_of_rows, spec, 16, "16 lanes along dimension 0");
}

/* Each work-item looks along a row of its own and stops where it finds something. */
static const char ends_of_rows[] =
    "kernel void k(global int *o, global const char *a) { global const char *p = a + get_global_id(0) * 64;\n"
    "int n = 0; while (n < 64 && p[n]) n++; o[get_global_id(0)] = n; }\n";
static const char differences[] =
    "kernel void k(global int *o, global const int *a, global const int *b) { size_t i = get_global_id(0);\n"
    "int same = 1; for (int j = 0; j < 16; j++) if (a[i * 16 + j] != b[j]) { same = 0; break; } o[i] = same; "
    "}"
    "\n";
/* What they stop at is the same place for all, or lies side by side. */
static const char halvings[] =
    "kernel void k(global int *o, global const int *a) { int low = 0, high = 4096, x = get_global_id(0);\n"
    "while (low < high) { int m = (low + high) / 2; if (a[m] < x) low = m + 1; else high = m; }\n"
    "o[get_global_id(0)] = low; }\n";
static const char columns[] =
    "kernel void k(global int *o, global const int *a) { int n = 0, x = get_global_id(0);\n"
    "while (n < 64 && a[n * 4096 + x]) n++; o[x] = n; }\n";

/* Windows that stop at edges are read side by side. */
static const char windows[] =
    "kernel void k(global int *o, global const uchar *a, int n) { int x = get_global_id(0), s = 0;\n"
    "int from = x < 3 ? 0 : x - 3, to = x + 3 < n ? x + 3 : n - 1;\n"
    "for (int j = from; j <= to; j++) s += a[j] * a[j]; o[x] = s; }\n";

/* The longer a vector, the more of them meet an edge, where lanes go their own ways. */
static const char clamped[] = "#define UP_TO(x, n) ((x) < 0 ? 0 : (x) > n - 1 ? n - 1 : (x))\n"
                              "kernel void k(global float *o, global const float *a, int w, int h) {\n"
                              "  int x = get_global_id(0), y = get_global_id(1); float s = 0;\n"
                              "  for (int j = -2; j <= 2; j++) for (int i = -2; i <= 2; i++)\n"
                              "    s += a[UP_TO(y + j, h) * w + UP_TO(x + i, w)] * (i * j + 1);\n"
                              "  o[y * w + x] = s; }\n";
static const char around[] = "kernel void k(global uchar *o, global const uchar *a, int n) {\n"
                             "  int x = get_global_id(0), y = get_global_id(1), s = 0;\n"
                             "  for (int j = -1; j <= 1; j++) for (int i = -1; i <= 1; i++)\n"
                             "    s += a[(y + j + n) % n * n + (x + i + n) % n];\n"
                             "  o[y * n + x] = s == 3; }\n";

static void windows_up_to_edges(void **state) {
  (void)state;
  const struct kiln_spec spec = {.local_size = {256, 1, 1}};
  expect_note(windows, spec, 16, "16 lanes along dimension 0");
  expect_note(clamped, spec, 16, "32 lanes along dimension 0");
  expect_note(around, spec, 16, "32 lanes along dimension 0");
}

/* What lanes wait for is a prime among them; divisors that each carries on are found after as many turns. */
static const char divisors[] = "kernel void k(global uint *o) { uint i = get_global_id(0), d;\n"
                               "for (d = 2; d * d <= i; d++) if (i % d == 0) break; o[i] = d; }\n";
static const char gcds[] =
    "kernel void k(global uint *o, global const uint *a) { uint i = get_global_id(0), x = a[i], y = i + 1;\n"
    "while (y != 0) { uint t = x % y; x = y; y = t; } o[i] = x; }\n";

/* Of few nodes that a work-item opens, lanes that are off wait for every one. */
static const char tree[] =
    "kernel void k(global float *o, global const float4 *body, global const int *child) {\n"
    "  int stack[64], top = 1; float4 p = body[get_global_id(0)]; float sum = 0; stack[0] = 0;\n"
    "  while (top > 0) {\n"
    "    int n = stack[--top]; float4 d = body[n] - p; float r = d.x * d.x + d.y * d.y + d.z * d.z;\n"
    "    if (child[n] < 0 || r > 0.3f) sum += body[n].w * r;\n"
    "    else for (int k = 0; k < 8 && top < 56; k++) stack[top++] = child[n] + k;\n"
    "  }\n"
    "  o[get_global_id(0)] = sum; }\n";

static void searches(void **state) {
  (void)state;
  const struct kiln_spec spec = {.local_size = {256, 1, 1}};
  const char *const alone = "one work-item at a time: lanes would cost more than they gain";
  expect_note(tree, spec, 16, alone);
  for (unsigned native = 4; native <= 16; native *= 2) {
    expect_note(ends_of_rows, spec, native, alone);
    expect_note(differences, spec, native, alone);
    expect_note(divisors, spec, native, alone);
  }
  expect_note(halvings, spec, 16, "64 lanes along dimension 0");
  expect_note(columns, spec, 16, "32 lanes along dimension 0");
  expect_note(gcds, spec, 16, "32 lanes along dimension 0");
}

/* Rows that vectors do not fill to the end: long ones all the same, and not several, which would be under
 * masks. */
static const char middles[] = "kernel void k(global uchar *o, global const uchar *a) {\n"
                              "size_t at = get_global_id(1) * 512 + get_global_id(0);\n"
                              "uchar x = a[at] < a[at + 1] ? a[at] : a[at + 1], y = a[at + 512] < a[at + "
                              "513] ? a[at + 512] : a[at + 513];\n"
                              "o[at] = x < y ? y : x; }\n";

static void rows_of_odd_sizes(void **state) {
  (void)state;
  expect_note(middles, (struct kiln_spec){.local_size = {512, 8, 1}}, 16, "64 lanes along dimension 0");
  expect_note(middles, (struct kiln_spec){.local_size = {510, 6, 1}}, 16, "64 lanes along dimension 0");
}

/* Vectors are volatile one by one. */
static const char volatile_vectors[] =
    "kernel void k(global uint *o, volatile global uint4 *a, uint x) { uint n = 0, i = get_global_id(0);\n"
    "  for (uint k = 0; k < 16; k++, i += get_global_size(0)) "
    "n += (a[i].x == x) + (a[i].y == x) + (a[i].z == x) + (a[i].w == x); o[get_global_id(0)] = n; }\n";

/* Each work-item changes a row by another one of the same array, in fewer turns each time. */
static const char elimination[] =
    "kernel void k(global float *o, global const float *a) {\n"
    "  local float m[64][65]; int l = get_local_id(0);\n"
    "  for (int k = 0; k < 64; k++) m[k][l] = a[k * 64 + l];\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  for (int k = 0; k < 63; k++) {\n"
    "    if (l > k) { float f = m[l][k] / m[k][k]; for (int c = k; c < 64; c++) m[l][c] -= f * m[k][c]; }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  }\n"
    "  o[get_global_id(0)] = m[l][l]; }\n";
static const char own_eliminations[] =
    "kernel void k(global float *a) { global float *m = a + get_global_id(0) * 256;\n"
    "  for (int k = 0; k < 15; k++) for (int r = k + 1; r < 16; r++) {\n"
    "    float f = m[r * 16 + k] / m[k * 16 + k];\n"
    "    for (int c = k; c < 16; c++) m[r * 16 + c] -= f * m[k * 16 + c]; } }\n";

static const char backwards[] =
    "kernel void k(global float *x, global const float *a, global const float *b, int n) {\n"
    "  int i = get_global_id(0);\n"
    "  for (int k = 0; k < n - 2; k++)\n"
    "    x[i * n + (n - k - 2)] = (x[i * n + (n - 2 - k)] - x[i * n + (n - 3 - k)] * a[i * n + (n - k - 3)]) "
    "/ "
    "b[i * n + (n - 3 - k)]; }\n";

static void rows_and_vectors_alone(void **state) {
  (void)state;
  const struct kiln_spec spec = {.local_size = {64, 1, 1}};
  const char *const alone = "one work-item at a time: lanes would cost more than they gain";
  expect_note(elimination, spec, 16, alone);
  expect_note(own_eliminations, spec, 16, alone);
  expect_note(backwards, spec, 16, alone);
  expect_note(volatile_vectors, spec, 16, alone);
}

/* Where to look next is known once the last look-up is done: vectors wait together. */
static const char table[] =
    "kernel void k(global uint *o, global const uint *a, constant uint *t) { uint c = get_global_id(0);\n"
    "for (int j = 0; j < 64; j++) c = t[(c ^ a[j]) & 255] ^ c >> 8; o[get_global_id(0)] = c; }\n";

/* So they do where work-items look up as often as they please. */
static const char grids[] = "typedef struct { double x, value; } point;\n"
                            "kernel void k(global double *o, global const double *x, global const int *many, "
                            "global const point *grid) {\n"
                            "  size_t i = get_global_id(0); double sum = 0;\n"
                            "  for (int g = 0; g < many[i]; g++) {\n"
                            "    global const point *p = grid + g * 5000L; long low = 0, high = 4999;\n"
                            "    while (high - low > 1) {\n"
                            "      long middle = low + (high - low) / 2;\n"
                            "      if (p[middle].x > x[i]) high = middle; else low = middle;\n"
                            "    }\n"
                            "    sum += p[low].value;\n"
                            "  }\n"
                            "  o[i] = sum;\n"
                            "}\n";

static void look_ups_wait_together(void **state) {
  (void)state;
  const struct kiln_spec spec = {.local_size = {256, 1, 1}};
  expect_note(halvings, spec, 16, "64 lanes along dimension 0");
  expect_note(grids, spec, 16, "32 lanes along dimension 0");
  expect_note(table, spec, 16, "64 lanes along dimension 0");
}

/* One row of b for all rows of lanes, and of a one element for each of them: its operand in memory. */
static const char tiles[] =
    "kernel void k(global float *c, global const float *a, global const float *b, int n) {\n"
    "  local float ta[16][16], tb[16][16]; int x = get_local_id(0), y = get_local_id(1);\n"
    "  float sum = 0;\n"
    "  for (int t = 0; t < n; t += 16) {\n"
    "    ta[y][x] = a[get_global_id(1) * n + t + x]; tb[y][x] = b[(t + y) * n + get_global_id(0)];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (int i = 0; i < 16; i++) sum += ta[y][i] * tb[i][x];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  }\n"
    "  c[get_global_id(1) * n + get_global_id(0)] = sum;\n"
    "}\n";

static void rows_share_loads(void **state) {
  (void)state;
  const struct kiln_spec spec = {.local_size = {16, 16, 1}};
  expect_note(tiles, spec, 16, "16 lanes along dimension 0 in each of 4 rows along dimension 1");
  expect_note(ROW_COLUMN(1, 0), spec, 16, "16 lanes along dimension 0 in each of 4 rows along dimension 1");
  spmd_is_wide = true;
  expect_note(tiles, spec, 16, "16 lanes along dimension 0 in each of 16 rows along dimension 1");
  expect_note(ROW_COLUMN(1, 0), spec, 16, "16 lanes along dimension 0 in each of 16 rows along dimension 1");
  /* 16 registers: eight sums, what two vectors find in each row, and one element of a column at a time. */
  expect_note(tiles, spec, 8, "16 lanes along dimension 0 in each of 4 rows along dimension 1");
  expect_note(ROW_COLUMN(1, 0), spec, 8, "16 lanes along dimension 0 in each of 4 rows along dimension 1");
  spmd_is_wide = false;
}

/* What lanes find apart from each other, but all turns of the inner loop alike, is found before it. */
static const char pairs[] =
    "kernel void k(global const uchar *a, global const uchar *b, global uint *o, int n) {\n"
    "size_t g = get_global_id(0); uint s = 0;\n"
    "for (int i = 0; i < 32; i++) for (int j = 0; j < n; j++) s = s * 31 ^ a[g * 32 + i] + b[j];\n"
    "o[g] = s; }\n";

static void loads_leave_loops(void **state) {
  (void)state;
  const struct kiln_spec spec = {.local_size = {256, 1, 1}};
  expect_note(pairs, spec, 8, "16 lanes along dimension 0");
}

/* A neighbour on a ring: the longer the vectors, the more of them would go around its end. */
static const char ring[] =
    "kernel void k(global int *o, global const int *a, int n) { local int r[128]; int i = get_local_id(0);\n"
    "r[i] = a[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "o[get_global_id(0)] = r[(i + n) % 128]; }\n";
static const char line[] =
    "kernel void k(global int *o, global const int *a, int n) { local int r[128]; int i = get_local_id(0);\n"
    "r[i] = a[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "o[get_global_id(0)] = r[i + n]; }\n";
/* So much code that two vectors side by side would be too much, unless each operation is waited for. */
static const char digests[] =
    "kernel void k(global uint *o, global const uint *a, int n) { uint i = get_global_id(0), x = 0;\n"
    "for (int k = 0; k < n; k++) { uint b = i ^ a[k], c = i, d = 7, e = ~b, f = 5, g = 3;\n"
    "#pragma unroll\nfor (int t = 0; t < 32; t++) {\n"
    "  uint s = b + (d ^ (b & (c ^ d))) + k; d = c; c = b; b += s << 7 | s >> 25;\n"
    "  s = e + (g ^ (e & (f ^ g))) + k; g = f; f = e; e += s << 9 | s >> 23; }\n"
    "x += b ^ e; } o[i] = x; }\n";

/* Two vectors of sixteen words of a message take more registers than there are; waiting costs more. */
static const char message[] =
    "kernel void k(global uint *o, global const uint *a, int n) { uint i = get_global_id(0), x = 0, w[16];\n"
    "#pragma unroll\nfor (int t = 0; t < 16; t++) w[t] = a[16 * i + t];\n"
    "for (int k = 0; k < n; k++) { uint b = k, c = i, d = 7;\n"
    "#pragma unroll\nfor (int t = 0; t < 24; t++) {\n"
    "  uint s = b + (d ^ (b & (c ^ d))) + w[t % 16]; d = c; c = b; b += s << 7 | s >> 25; }\n"
    "x += b; } o[i] = x; }\n";

/* Code for each lane, of which the first cache of instructions holds some, but not all. */
#define LOOK_UPS(PLACE, STEPS)                                                                               \
  "#define R(x) x x x x x x x x\n#define STEP x += table[(i * 3 + " PLACE                                    \
  ") & 255]; to[(int)x & 255] = i; z ^= z << 3;\n"                                                           \
  "kernel void k(global const uchar *table, global uchar *to, global float *o) { int i = "                   \
  "get_global_id(0);\nfloat x = i; uint z = i * 77; " STEPS " o[i] = x + z; }\n"

static void code_for_each_lane(void **state) {
  (void)state;
  const struct kiln_spec spec = {.local_size = {256, 1, 1}};
  expect_note(LOOK_UPS("z", "R(STEP)"), spec, 8, "8 lanes along dimension 0");
  expect_note(LOOK_UPS("z", "R(R(STEP)) R(R(STEP)) R(R(STEP))"), spec, 8,
              "one work-item at a time: lanes would cost more than they gain");
  /* each place comes of the byte before: scalar code would wait */
  expect_note(LOOK_UPS("(int)x", "R(R(STEP)) R(R(STEP)) R(R(STEP))"), spec, 8, "8 lanes along dimension 0");
}

/* In OpenCL vectors of whole registers, which lanes would only take apart; some are found, seldom. */
static const char digests16[] =
    "kernel void k(global uint *o, global const uint16 *a, int n) { uint i = get_global_id(0);\n"
    "if (i >= n) return;\n"
    "for (int k = 0; k < n; k++) { uint16 b = i ^ a[k], c = i, d = 7, e = ~b, f = 5, g = 3;\n"
    "#pragma unroll\nfor (int t = 0; t < 32; t++) {\n"
    "  uint16 s = b + (d ^ (b & (c ^ d))) + k; d = c; c = b; b += s << 7 | s >> 25;\n"
    "  s = b + (g ^ (e & (f ^ g))) + k; g = f; f = e; e += s << 9 | s >> 23; }\n"
    "if (b.s0 == e.s0) o[i] = b.s9; } }\n";

/* Tiles by the linear id: rows of eight along x find them in order, sixteen lanes along y do not, but fill
 * registers of 512 bits, which some processors compute with as fast as with half of them. */
static const char eights[] =
    "kernel __attribute__((reqd_work_group_size(8, 16, 1)))\n"
    "void k(global float4 *o, global const float4 *a, global const float2 *b, int n) {\n"
    "  local float4 s[256]; local float2 t[512];\n"
    "  int x = get_local_id(0), y = get_local_id(1), id = x + 8 * y; float4 p = 0, q = 0;\n"
    "  for (int k = 0; k < n; k += 32) {\n"
    "    for (int j = 0; j < 2; j++) {\n"
    "      int r = id / 8 * 2 + j; s[r * 8 + id % 8] = a[(r + k) * (n / 4) + id % 8 + get_group_id(0) * 8]; "
    "}\n"
    "    for (int j = 0; j < 4; j++) {\n"
    "      int r = id / 16 * 4 + j; t[r * 16 + id % 16] = b[(r + k) * (n / 2) + id % 16 + get_group_id(1) * "
    "16]; }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (int j = 0; j < 32; j++) { p += s[j * 8 + x] * t[j * 16 + y].x; q += s[j * 8 + x] * t[j * 16 + "
    "y].y; }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE); }\n"
    "  o[get_global_id(1) * 2 * (n / 4) + get_global_id(0)] = p;\n"
    "  o[(get_global_id(1) * 2 + 1) * (n / 4) + get_global_id(0)] = q; }\n";

static void dimensions_by_throughput(void **state) {
  (void)state;
  const struct kiln_spec spec = {.local_size = {8, 16, 1}, .uniform = 1, .small = 2};
  expect_note(eights, spec, 16, "8 lanes along dimension 0");
  spmd_is_wide = true;
  expect_note(eights, spec, 16, "16 lanes along dimension 1");
  spmd_is_wide = false;
}

static void vectors_in_flight(void **state) {
  (void)state;
  expect_note(ring, (struct kiln_spec){.local_size = {128, 1, 1}}, 16, "32 lanes along dimension 0");
  expect_note(line, (struct kiln_spec){.local_size = {128, 1, 1}}, 16, "64 lanes along dimension 0");
  expect_note(digests, (struct kiln_spec){.local_size = {256, 1, 1}}, 16, "16 lanes along dimension 0");
  expect_note(digests16, (struct kiln_spec){.local_size = {256, 1, 1}}, 16,
              "one work-item at a time: lanes would cost more than they gain");
  spmd_integer_turns = 2;
  expect_note(digests16, (struct kiln_spec){.local_size = {256, 1, 1}}, 16,
              "two work-items side by side, in scalar code: lanes would cost more than they gain");
  expect_note(message, (struct kiln_spec){.local_size = {256, 1, 1}}, 16, "32 lanes along dimension 0");
  expect_note(digests, (struct kiln_spec){.local_size = {256, 1, 1}}, 16, "32 lanes along dimension 0");
  spmd_integer_turns = 1;
  expect_note(chain, (struct kiln_spec){.local_size = {256, 1, 1}}, 16, "64 lanes along dimension 0");
  expect_note(chain4, (struct kiln_spec){.local_size = {256, 1, 1}}, 16, "32 lanes along dimension 0");
  expect_note(halves, (struct kiln_spec){.local_size = {256, 1, 1}}, 16, "64 lanes along dimension 0");
  expect_note(products, (struct kiln_spec){.local_size = {256, 1, 1}}, 16, "64 lanes along dimension 0");
  spmd_is_wide = true; /* halves and products of integers take longer and want twice as many as floats */
  expect_note(chain, (struct kiln_spec){.local_size = {256, 1, 1}}, 16, "64 lanes along dimension 0");
  expect_note(turns, (struct kiln_spec){.local_size = {256, 1, 1}}, 16, "128 lanes along dimension 0");
  expect_note(chain4, (struct kiln_spec){.local_size = {256, 1, 1}}, 16, "32 lanes along dimension 0");
  expect_note(halves, (struct kiln_spec){.local_size = {256, 1, 1}}, 16, "512 lanes along dimension 0");
  expect_note(products, (struct kiln_spec){.local_size = {256, 1, 1}}, 16, "256 lanes along dimension 0");
  expect_note(stream, (struct kiln_spec){.local_size = {256, 1, 1}}, 16, "16 lanes along dimension 0");
  spmd_is_wide = false;
  expect_note(bytes, (struct kiln_spec){.local_size = {256, 1, 1}}, 16, "32 lanes along dimension 0");
  expect_note(bytes, (struct kiln_spec){.local_size = {256, 1, 1}, .streams = 1}, 16,
              "64 lanes along dimension 0");
  expect_note(leaps, (struct kiln_spec){.local_size = {256, 1, 1}}, 16, "32 lanes along dimension 0");
  expect_note(leaps, (struct kiln_spec){.local_size = {256, 1, 1}, .streams = 1}, 16,
              "128 lanes along dimension 0");
}

/* Loops in steps of the launch's size store all of a buffer; every element once, whatever is left at the end.
 */
static void stores_in_leaps(void **state) {
  (void)state;
  enum { MOST = 3000 };
  static _Alignas(64) float o[MOST + 1], a[MOST];
  for (int i = 0; i < MOST; i++) a[i] = (float)i;
  for (unsigned native = 4; native <= 16; native *= 2)
    for (uint32_t streams = 0; streams < 2; streams++) {
      struct spmd_code code;
      spmd_native_width = native;
      spmd_compile(&code, &(struct spmd_build){.source = leaps, .spec = {.small = 1, .streams = streams}});
      assert_true(code.args[0].stored == UINT32_MAX && code.args[1].stored == 0);
      for (int n = 1; n < MOST; n = n * 3 + 5) {
        struct spmd_launch l;
        float *p[] = {o, a};
        memset(o, 0xff, sizeof o);
        spmd_start(&l, &code, (size_t[]){600}, (size_t[]){100}, NULL, 1);
        SPMD_ARG(&l, p[0]);
        SPMD_ARG(&l, p[1]);
        SPMD_ARG(&l, n);
        spmd_run(&l, 0);
        for (int i = 0; i < n; i++) assert_true(o[i] == (float)(i + 1));
        assert_true(isnan(o[n]));
      }
      spmd_finish(&code);
    }
  spmd_native_width = 0;
}

/* Steps that a loop makes shorter than a vector: one register finds its data in order sooner than two. */
#define STEPS(MASK)                                                                                          \
  "kernel void k(global int *o, int m) { local int a[512]; int l = get_local_id(0); a[2 * l] = o[l];\n"      \
  "a[2 * l + 1] = o[l + 256]; for (int s = 256; s > 0; s /= 2) { barrier(1);\n"                              \
  "int i = 2 * l - (l & (" MASK ")), x = a[i], y = a[i + s]; if (x > y) { a[i] = y; a[i + s] = x; } }\n"     \
  "barrier(1); o[l] = a[l]; o[l + 256] = a[l + 256]; }\n"

static void steps_of_a_network(void **state) {
  (void)state;
  const struct kiln_spec spec = {.local_size = {256, 1, 1}};
  expect_note(STEPS("s - 1"), spec, 16, "16 lanes along dimension 0");
  expect_note(STEPS("m"), spec, 16, "32 lanes along dimension 0");
}

static void mappings(void **state) {
  (void)state;
  static const char local[] =
      "kernel void k(global int *o) { local int a[64][8]; int x = get_local_id(0), y = get_local_id(1);\n"
      "a[y][x] = x; o[get_global_id(1) * get_global_size(0) + get_global_id(0)] = a[y][x]; }\n";
  /* distances that are given: from row to row, where there are rows */
  static const char turn[] =
      "kernel void k(global float *o, global const float *a, int w, int h) {\n"
      "int x = get_global_id(0), y = get_global_id(1); o[x * h + y] = a[y * w + x]; }\n";
  /* every eighth number: loads and shuffles for one row, an address a lane for several */
  static const char steps[] =
      "kernel void k(global float *o, global const float *a) { local float b[64];\n"
      "int x = get_local_id(0), y = get_local_id(1); float sum = 0; b[y * 8 + x] = a[x]; barrier(1);\n"
      "for (int i = 0; i < 8; i++) sum += a[x * 8 + i] * b[y * 8 + i];\n"
      "o[get_global_id(1) * get_global_size(0) + get_global_id(0)] = sum; }\n";
  static const char wide[] = /* a vector of registers for each component: all of them full */
      "kernel void k(global float16 *o, int n) { float16 x = n + (float)get_global_id(0), y = x * 2;\n"
      "for (int i = 0; i < n; i++) { x = y * x + y; y = x * y + x; } o[get_global_id(0)] = y; }\n";
  static const char escape[] =
      "kernel void k(global int *o) { float x = 0, c = get_global_id(0) * 0.01f; int n = 0;\n"
      "while (n < 100 && x < 4) { x = x * x + c; n++; } o[get_global_id(0)] = n; }\n";
  static const char
      sparse[] = /* each lane at a place of its own, in a loop that lanes leave at different turns */
      "kernel void k(global float *o, global const uint *s, global const uint *c, global const float *v,\n"
      "global const float *x) { uint r = get_global_id(0); float sum = 0;\n"
      "for (uint i = s[r]; i < s[r + 1]; i++) sum += v[i] * x[c[i]]; o[r] = sum; }\n";
  static const char sub_group[] =
      "kernel void k(global int *o) { int i = get_global_linear_id(); o[i] = sub_group_reduce_add(o[i]); }\n";
  static const char reduction[] =
      "kernel void k(global int *o) { int i = get_global_id(0) * 512 + get_global_id(1);\n"
      "o[i] = work_group_reduce_add(o[i]); }\n";
  static const char scan[] =
      "kernel void k(global int *o) { int i = get_global_id(0) * 512 + get_global_id(1);\n"
      "o[i] = work_group_scan_inclusive_add(o[i]); }\n";
  expect_note(turn, (struct kiln_spec){.local_size = {16, 16, 1}}, 16, "16 lanes along dimension 1");
  expect_note(ROW_COLUMN(1, 0), (struct kiln_spec){.local_size = {16, 16, 1}}, 16,
              "16 lanes along dimension 0 in each of 4 rows along dimension 1");
  expect_note(ROW_COLUMN(0, 1), (struct kiln_spec){.local_size = {16, 16, 1}}, 16,
              "16 lanes along dimension 1 in each of 4 rows along dimension 0");
  expect_tiling(ROW_COLUMN(1, 0), (struct kiln_tiling){KILN_TILE_SHARED, 0, 1});
  expect_tiling(ROW_COLUMN(0, 1), (struct kiln_tiling){KILN_TILE_SHARED, 1, 0});
  expect_note(local, (struct kiln_spec){.local_size = {8, 8, 1}}, 16,
              "8 lanes along dimension 0 in each of 4 rows along dimension 1");
  expect_note(local, (struct kiln_spec){.local_size = {64, 1, 1}, .width = 8}, 16,
              "8 lanes along dimension 0");
  expect_note(steps, (struct kiln_spec){.local_size = {8, 8, 1}}, 16, "8 lanes along dimension 0");
  expect_note(wide, (struct kiln_spec){.local_size = {64, 1, 1}}, 16, "16 lanes along dimension 0");
  expect_note(escape, (struct kiln_spec){.local_size = {64, 1, 1}}, 16, "32 lanes along dimension 0");
  expect_note(escape, (struct kiln_spec){.local_size = {64, 1, 1}}, 8, "16 lanes along dimension 0");
  expect_note(escape, (struct kiln_spec){.local_size = {64, 1, 1}}, 4, "8 lanes along dimension 0");
  expect_note(sparse, (struct kiln_spec){.local_size = {64, 1, 1}}, 16,
              "one work-item at a time: lanes would cost more than they gain");
  expect_note(stream, (struct kiln_spec){.local_size = {256, 1, 1}}, 16, "16 lanes along dimension 0");
  expect_note(local, (struct kiln_spec){.local_size = {64, 1, 1}, .width = 1}, 16,
              "one work-item at a time: that is asked for");
  expect_note(sub_group, (struct kiln_spec){.local_size = {40, 1, 1}}, 16,
              "16 lanes along dimension 0, a sub-group");
  expect_note(sub_group, (struct kiln_spec){.local_size = {0, 1, 1}}, 8,
              "8 lanes along dimension 0, a sub-group");
  expect_note(sub_group, (struct kiln_spec){.local_size = {8, 8, 1}, .uniform = 1}, 16,
              "8 lanes along dimension 0 in each of 2 rows along dimension 1, a sub-group");
  expect_note(sub_group, (struct kiln_spec){.local_size = {8, 8, 1}}, 16,
              "16 lanes by linear local id, a sub-group");
  expect_note(sub_group, (struct kiln_spec){.local_size = {5, 8, 1}, .uniform = 1, .width = 1}, 16,
              "16 lanes by linear local id, a sub-group");
  expect_note(sub_group, (struct kiln_spec){.local_size = {0}}, 4, "4 lanes by linear local id, a sub-group");
  expect_note(reduction, (struct kiln_spec){.local_size = {32, 32, 1}}, 16, "32 lanes along dimension 1");
  expect_note(scan, (struct kiln_spec){.local_size = {1, 64, 1}}, 16, "64 lanes along dimension 1");
  expect_note(scan, (struct kiln_spec){.local_size = {8, 8, 1}, .width = 16}, 16,
              "8 lanes along dimension 0 in each of 2 rows along dimension 1"); /* whole rows */
  expect_note(scan, (struct kiln_spec){.local_size = {64, 4, 1}, .width = 16}, 16,
              "16 lanes along dimension 0");
}

/* A structure that work-items change lies where it is aligned as its type asks, not better. */
static void structure_after_int(void **state) {
  (void)state;
  static const char source[] = "struct s { int v[12]; };\n"
                               "kernel void k(global int *out, int n, struct s p) {\n"
                               "  size_t i = get_global_id(0);\n"
                               "  p.v[(i + n) % 12] = -1;\n"
                               "  for (int j = 0; j < 12; j++) out[i * 12 + j] = p.v[(j * n) % 12];\n"
                               "}\n";
  struct {
    int v[12];
  } p;
  int out[5 * 12], *q = out, n = 5;
  struct spmd_code code;
  struct spmd_launch l;
  for (int j = 0; j < 12; j++) p.v[j] = 100 + j;
  spmd_compile(&code, &(struct spmd_build){.source = source});
  spmd_start(&l, &code, (size_t[]){5}, (size_t[]){5}, NULL, 1);
  SPMD_ARG(&l, q);
  SPMD_ARG(&l, n);
  SPMD_ARG(&l, p);
  spmd_run(&l, 0);
  for (int i = 0; i < 5 * 12; i++) {
    int at = i % 12 * n % 12;
    assert_int_equal(out[i], at == (i / 12 + n) % 12 ? -1 : p.v[at]);
  }
  spmd_finish(&code);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ids_any_size),
      cmocka_unit_test(ids_known_size),
      cmocka_unit_test(ids_row),
      cmocka_unit_test(ids_in_lanes),
      cmocka_unit_test(merged_groups),
      cmocka_unit_test(mappings),
      cmocka_unit_test(vectors_in_flight),
      cmocka_unit_test(dimensions_by_throughput),
      cmocka_unit_test(stores_in_leaps),
      cmocka_unit_test(steps_of_a_network),
      cmocka_unit_test(rows_of_odd_sizes),
      cmocka_unit_test(rows_and_vectors_alone),
      cmocka_unit_test(look_ups_wait_together),
      cmocka_unit_test(rows_share_loads),
      cmocka_unit_test(vectors_fill_registers),
      cmocka_unit_test(rows_push_each_other_out),
      cmocka_unit_test(vectors_are_stored_whole),
      cmocka_unit_test(rows_are_vectors_by_themselves),
      cmocka_unit_test(windows_up_to_edges),
      cmocka_unit_test(code_for_each_lane),
      cmocka_unit_test(searches),
      cmocka_unit_test(loads_leave_loops),
      cmocka_unit_test(stores_past_the_caches),
      cmocka_unit_test(gathers_atomics),
      cmocka_unit_test(knows_groups_that_wait),
      cmocka_unit_test(knows_factors),
      cmocka_unit_test(knows_lengths_of_rows),
      cmocka_unit_test(vectors_side_by_side),
      cmocka_unit_test(structure_after_int),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
