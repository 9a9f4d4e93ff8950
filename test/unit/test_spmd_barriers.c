/* Kernels with barriers in difficult places: every variant of the lowered code must leave the same bytes as
 * the oracle. Each kernel has the same arguments: out, in (both 64 words per work-item), n. */
#include "spmd_oracle.h"
#include "spmd_run.h"

#include <stdlib.h>
#include <string.h>

#define KERNEL                                                                                               \
  "kernel void k(global int *out, global const int *in, int n) {\n"                                          \
  "  int l = get_local_linear_id(), g = get_global_linear_id();\n"                                           \
  "  int ls = get_local_size(0) * get_local_size(1) * get_local_size(2);\n"                                  \
  "  global int *o = out + g * 64;\n"

struct shape {
  unsigned dim;
  size_t global[3], local[3], offset[3];
};
static const struct shape shapes[] = {
    {1, {32}, {8}, {0}},         {1, {21}, {8}, {3}},
    {2, {8, 6}, {4, 3}, {0}},    {3, {5, 4, 3}, {2, 2, 2}, {1, 2, 3}},
    {1, {5}, {1}, {0}},          {2, {8, 8}, {8, 8}, {0}},
    {2, {8, 8}, {4, 4}, {2, 1}}, {2, {6, 10}, {3, 5}, {0}},
    {2, {7, 8}, {3, 5}, {0, 9}}, {2, {1, 64}, {1, 64}, {0}},
    {1, {64}, {64}, {0}},        {3, {4, 4, 4}, {2, 2, 4}, {0}},
    {2, {9, 7}, {4, 4}, {0}},    {3, {2, 1, 32}, {2, 1, 16}, {0}},
};
enum { FEW = 3 }; /* shapes for which code of its own is made for every kernel and width */
enum { WORDS = 64, ITEMS = 64, BYTES = ITEMS * WORDS * 4 };

static void fill(int *in) {
  uint32_t x = 12345;
  for (int i = 0; i < ITEMS * WORDS; i++) in[i] = (int)((x = x * 1664525u + 1013904223u) >> 20);
}

static void compare(const char *what, const struct shape *s, const int *want, const int *got) {
  for (int i = 0; i < ITEMS * WORDS; i++)
    if (want[i] != got[i])
      fail_msg("%s, %u-dimensional: work-item %d word %d is %d, should be %d", what, s->dim, i / WORDS,
               i % WORDS, got[i], want[i]);
}

enum { NUM_SHAPES = sizeof shapes / sizeof *shapes };

struct job {
  const char *source;
  int *in, *want[NUM_SHAPES], n;
};

static void run_shape(const char *what, struct spmd_code *code, const struct job *job, size_t i) {
  const struct shape *s = &shapes[i];
  struct spmd_launch l;
  int *got = malloc(BYTES);
  memset(got, 0, BYTES);
  spmd_start(&l, code, s->global, s->local, s->offset, s->dim);
  SPMD_ARG(&l, got);
  SPMD_ARG(&l, job->in);
  SPMD_ARG(&l, job->n);
  spmd_run(&l, 3);
  compare(what, s, job->want[i], got);
  free(got);
}

/* Code for any size, in all shapes. */
static void run_any(const char *what, const struct job *job, struct kiln_spec spec, bool plain) {
  struct spmd_code code;
  spmd_compile(&code, &(struct spmd_build){.source = job->source, .spec = spec, .plain = plain});
  for (size_t i = 0; i < NUM_SHAPES; i++) run_shape(what, &code, job, i);
  spmd_finish(&code);
}

static bool divides(const struct shape *s) {
  for (unsigned d = 0; d < s->dim; d++)
    if (s->global[d] % s->local[d] != 0) return false;
  return true;
}

/* Code for known sizes. Each kernel and width takes some of the shapes; together they take all. */
static void run_known(const char *what, const struct job *job, struct kiln_spec spec) {
  static unsigned turn;
  for (size_t k = 0; k < FEW; k++) {
    size_t i = turn++ % NUM_SHAPES;
    struct spmd_code code;
    spec.uniform = divides(&shapes[i]);
    for (unsigned d = 0; d < 3; d++)
      spec.local_size[d] = d < shapes[i].dim ? (uint32_t)shapes[i].local[d] : 1;
    spmd_compile(&code, &(struct spmd_build){.source = job->source, .spec = spec});
    run_shape(what, &code, job, i);
    spmd_finish(&code);
  }
}

/* The lanes that suit a processor with wide registers, and what the costs say. */
static void run_native(const char *what, const struct job *job) {
  spmd_native_width = 16;
  run_known(what, job, (struct kiln_spec){.small = 1});
  spmd_native_width = 0;
}

static void run_oracle(struct oracle *oracle, struct job *job, bool orderly) {
  int *other = malloc(BYTES);
  for (size_t i = 0; i < NUM_SHAPES; i++) {
    const struct shape *s = &shapes[i];
    job->want[i] = calloc(1, BYTES);
    memset(other, 0, BYTES);
    uint64_t args[6] = {(uintptr_t)job->want[i], (uintptr_t)job->in, (uint64_t)job->n};
    bool proper = oracle_run(oracle, args, s->global, s->local, s->offset, s->dim, 0);
    assert_true(proper || !orderly);
    args[0] = (uintptr_t)other;
    oracle_run(oracle, args, s->global, s->local, s->offset, s->dim, 7);
    compare("the oracle in another order", s, job->want[i], other);
  }
  free(other);
}

static void check_kernel(const char *source, bool orderly) {
  struct oracle oracle;
  struct job job = {.source = source, .in = malloc(BYTES), .n = 5};
  fill(job.in);
  oracle_compile(&oracle, source, "k", NULL);
  run_oracle(&oracle, &job, orderly);
  oracle_finish(&oracle);
  run_any("any size", &job, (struct kiln_spec){.small = 1}, false);
  run_any("without passes", &job, (struct kiln_spec){0}, true);
  run_known("known size", &job, (struct kiln_spec){.small = 1});
  run_any("4 lanes", &job, (struct kiln_spec){.small = 1, .width = 4}, false);
  run_any("16 lanes", &job, (struct kiln_spec){.width = 16}, false);
  run_any("8 lanes, without passes", &job, (struct kiln_spec){.small = 1, .width = 8}, true);
  run_known("4 lanes, known size", &job, (struct kiln_spec){.small = 1, .width = 4});
  run_known("8 lanes, known size", &job, (struct kiln_spec){.width = 8});
  run_known("16 lanes, known size", &job, (struct kiln_spec){.small = 1, .width = 16});
  run_known("64 lanes, known size", &job, (struct kiln_spec){.small = 1, .width = 64});
  run_native("chosen lanes, known size", &job);
  for (size_t i = 0; i < NUM_SHAPES; i++) free(job.want[i]);
  free(job.in);
}

/* X(name, orderly, source): not orderly: some work-items return before others are at a barrier */
#define KERNELS(X)                                                                                           \
  X(exchange, true, KERNEL "local int a[64]; a[l] = in[g]; barrier(1); o[0] = a[ls - 1 - l]; }")             \
  X(two_barriers, true,                                                                                      \
    KERNEL                                                                                                   \
    "local int a[64]; int v = in[g] * 3; a[l] = v; barrier(1); int w = a[(l + 1) % ls]; barrier(1);\n"       \
    "a[l] = w + v; barrier(1); o[0] = a[(l + 2) % ls] + v; }")                                               \
  X(loop, true,                                                                                              \
    KERNEL                                                                                                   \
    "local int a[64]; int acc = 0; for (int i = 0; i < n; i++) { a[l] = in[g * 8 + i] + acc; barrier(1);\n"  \
    "acc += a[(l + i) % ls]; barrier(1); o[i] = acc; } o[20] = acc; }")                                      \
  X(reduction, true,                                                                                         \
    KERNEL                                                                                                   \
    "local int a[64]; a[l] = in[g]; barrier(1); for (int s = 32; s > 0; s >>= 1) {\n"                        \
    "if (l < s && l + s < ls) a[l] += a[l + s]; barrier(1); } o[0] = a[0]; if (l == 0) o[1] = a[0] * 2; }")  \
  X(loop_break, true,                                                                                        \
    KERNEL "local int a[64]; int i = 0, v = in[g]; for (;;) { a[l] = v; barrier(1); v += a[(l + 1) % ls];\n" \
           "if (++i >= n) break; barrier(1); if (i == 40) break; v ^= i; } o[0] = v; o[1] = i; }")           \
  X(loop_continue, true,                                                                                     \
    KERNEL "local int a[64]; int v = in[g]; for (int i = 0; i < 7; i++) { if (i == 2 || i == n) continue;\n" \
           "a[l] = v + i; barrier(1); if (i & 1) { v += a[(l + 3) % ls]; barrier(1); continue; }\n"          \
           "v -= a[(l + 1) % ls]; barrier(1); } o[0] = v; }")                                                \
  X(nested_loops, true,                                                                                      \
    KERNEL                                                                                                   \
    "local int a[64]; int v = in[g]; for (int i = 0; i < 3; i++) { for (int j = 0; j < i + 1; j++) {\n"      \
    "a[l] = v + j; barrier(1); v += a[(l + j) % ls] * (i + 1); barrier(1); } a[l] = v; barrier(1);\n"        \
    "v ^= a[(l + i) % ls]; barrier(1); o[i] = v; } }")                                                       \
  X(conditional, true,                                                                                       \
    KERNEL "local int a[64]; int v = in[g]; if (n > 3) { a[l] = v; barrier(1); v += a[(l + 1) % ls]; }\n"    \
           "else { a[l] = 2 * v; barrier(1); v -= a[(l + 2) % ls]; barrier(1); a[l] = v; }\n"                \
           "barrier(1); o[0] = v + a[l]; }")                                                                 \
  X(conditional_in_loop, true,                                                                               \
    KERNEL "local int a[64]; int v = in[g]; for (int i = 0; i < 6; i++) { if (i % 3 == 0) { a[l] = v; "      \
           "barrier(1);\n"                                                                                   \
           "v += a[(l + 1) % ls]; barrier(1); } else if (i % 3 == 1) { v *= 3; } else { a[l] = v + i; "      \
           "barrier(1);\n"                                                                                   \
           "v ^= a[ls - 1 - l]; barrier(1); } o[i] = v; } }")                                                \
  X(group_dependent, true,                                                                                   \
    KERNEL                                                                                                   \
    "local int a[64]; int v = in[g], t = get_group_id(0) + get_group_id(1); for (int i = 0; i < t; i++) {\n" \
    "a[l] = v; barrier(1); v += a[(l + 1) % ls]; barrier(1); } o[0] = v; if (t & 1) { a[l] = v; "            \
    "barrier(1);\n"                                                                                          \
    "o[1] = a[(l + 1) % ls]; } }")                                                                           \
  X(early_return, false,                                                                                     \
    KERNEL                                                                                                   \
    "local int a[64]; int v = in[g]; a[l] = v; barrier(1); if (l % 3 == 1) { o[0] = -1; return; }\n"         \
    "v += a[(l + 1) % ls]; barrier(1); o[1] = v; a[l] = v; barrier(1); o[2] = a[(l + 3) % ls / 3 * 3]; }")   \
  X(return_at_start, false,                                                                                  \
    KERNEL "local int a[64]; if (l >= n) return; a[l] = in[g]; barrier(1); int m = ls < n ? ls : n;\n"       \
           "o[0] = a[(l + 1) % m]; for (int i = 0; i < 3; i++) { barrier(1); a[l] = i * l; barrier(1);\n"    \
           "o[i + 1] = a[(l + i) % m]; } }")                                                                 \
  X(return_in_loop, false,                                                                                   \
    KERNEL "local int a[64]; a[l] = 0; barrier(1); for (int i = 0; i < 8; i++) { if (i == l) { o[5] = i; "   \
           "return; }\n"                                                                                     \
           "a[l] += i; barrier(1); o[0] += a[l] + i; } o[6] = 1; }")                                         \
  X(all_return, true,                                                                                        \
    KERNEL                                                                                                   \
    "local int a[64]; a[l] = l; barrier(1); o[0] = a[0]; if (n == 5) return; barrier(1); o[1] = 7; }")       \
  X(divergent_loop_between, true,                                                                            \
    KERNEL                                                                                                   \
    "local int a[64]; int v = 0, t = 0; for (int i = 0; i < (in[g] & 15); i++) { v += i * l; t = i; if (v "  \
    "> 60) break; }\n"                                                                                       \
    "a[l] = v; barrier(1); for (int i = l; i < ls; i += 3) v += a[i]; barrier(1); o[0] = v; o[1] = t;\n"     \
    "while (v > 10) v -= v / 3 + 1; a[l] = v; barrier(1); o[2] = a[(l + 1) % ls]; }")                        \
  X(divergent_values, true,                                                                                  \
    KERNEL                                                                                                   \
    "local int a[64]; int v; if (in[g] & 1) v = l * 2; else v = n; int u = n > 2 ? n * 7 : n; a[l] = v;\n"   \
    "barrier(1); int x = a[(l + 1) % ls]; o[0] = x + v + u; barrier(1); o[1] = v * u; }")                    \
  X(private_array, true,                                                                                     \
    KERNEL                                                                                                   \
    "local int a[64]; int p[16]; for (int i = 0; i < 16; i++) p[i] = in[g * 4 + i] + i; a[l] = p[l & 15];\n" \
    "barrier(1); p[in[g] & 15] += a[(l + 1) % ls]; barrier(1); for (int i = 0; i < 16; i++) o[i] = p[i]; }") \
  X(private_array_loop, true,                                                                                \
    KERNEL                                                                                                   \
    "local int a[64]; int p[9]; for (int i = 0; i < 9; i++) p[i] = i; for (int j = 0; j < n; j++) {\n"       \
    "int q[5]; for (int i = 0; i < 5; i++) q[i] = p[(i + l + j) % 9]; a[l] = q[in[g + j] % 5 & 3]; "         \
    "barrier(1);\n"                                                                                          \
    "p[(l * j) % 9] += a[(l + j) % ls]; barrier(1); } for (int i = 0; i < 9; i++) o[i] = p[i]; }")           \
  X(array_between_only, true,                                                                                \
    KERNEL                                                                                                   \
    "local int a[64]; int s = 0; for (int r = 0; r < 3; r++) { int q[12]; for (int i = 0; i < 12; i++)\n"    \
    "q[(i * 5 + l) % 12] = in[(g + i) & 63] + r; int t = q[in[g] % 12]; a[l] = t; barrier(1);\n"             \
    "s += a[(l + r) % ls]; barrier(1); } o[0] = s; }")                                                       \
  X(pointer_kept, true,                                                                                      \
    KERNEL "local int a[64]; int p[4] = {1, 2, 3, l}; int *q = &p[in[g] & 3]; a[l] = *q; barrier(1);\n"      \
           "*q += a[(l + 1) % ls]; q = &p[l & 3]; barrier(1); *q += 100; o[0] = p[0]; o[1] = p[1]; o[2] = "  \
           "p[2]; o[3] = p[3]; }")                                                                           \
  X(vectors, true,                                                                                           \
    KERNEL                                                                                                   \
    "local int4 a[64]; int4 v = (int4)(l, n, g, 7); int3 w = v.xyz * 2; a[l] = v + in[g]; barrier(1);\n"     \
    "v += a[(l + 1) % ls]; w += v.wzy; bool b = v.x > 9; barrier(1); *(global int4 *)o = v; o[4] = w.x; "    \
    "o[5] = w.y;\n"                                                                                          \
    "o[6] = w.z; o[7] = b; char c = v.y; short s = v.z; barrier(1); o[8] = c; o[9] = s; }")                  \
  X(wide_types, true,                                                                                        \
    KERNEL                                                                                                   \
    "local double a[64]; double v = in[g] / 7.0; ulong u = (ulong)in[g] << 33; float f = in[g] * 0.3f;\n"    \
    "a[l] = v; barrier(1); v = v * 2 + a[(l + 1) % ls]; barrier(1); *(global double *)o = v;\n"              \
    "*(global ulong *)(o + 2) = u ^ l; o[4] = as_int(f + (float)v); }")                                      \
  X(switch_around, true,                                                                                     \
    KERNEL                                                                                                   \
    "local int a[64]; int v = in[g]; for (int i = 0; i < 8; i++) { switch (i % 5) { case 0: a[l] = v; "      \
    "barrier(1);\n"                                                                                          \
    "v = a[(l + 1) % ls]; break; case 1: v += 3; case 2: barrier(1); a[l] = v * 2; barrier(1);\n"            \
    "v -= a[ls - 1 - l]; break; case 3: v = -v; break; default: barrier(1); } barrier(1); o[i] = v; } }")    \
  X(last_thing, true, KERNEL "o[0] = in[g]; barrier(1); }")                                                  \
  X(first_thing, true, KERNEL "barrier(1); o[0] = in[g]; }")                                                 \
  X(only_barriers, true,                                                                                     \
    KERNEL "barrier(1); barrier(1); for (int i = 0; i < n; i++) barrier(2); o[0] = 1; }")                    \
  X(uniform_from_local, true,                                                                                \
    KERNEL "local int a[64]; local int stop; if (l == 0) stop = 0; int v = in[g]; barrier(1); int i = 0;\n"  \
           "while (!stop) { a[l] = v; barrier(1); v += a[(l + 1) % ls]; if (l == 0 && i > 3) stop = 1; "     \
           "i++; barrier(1); }\n"                                                                            \
           "o[0] = v; o[1] = i; }")                                                                          \
  X(do_while, true,                                                                                          \
    KERNEL "local int a[64]; int v = in[g], i = n; do { a[l] = v + i; barrier(1); v += a[(l + i) % ls]; "    \
           "barrier(1); }\n"                                                                                 \
           "while (--i); o[0] = v; do { barrier(1); i++; } while (i < 0); o[1] = i; }")                      \
  X(gotos, true,                                                                                             \
    KERNEL "local int a[64]; int v = in[g], i = 0; again: a[l] = v; barrier(1); if (i == 3) goto out; v += " \
           "a[(l + 1) % ls];\n"                                                                              \
           "barrier(1); i++; if (i & 1) goto again; v *= 2; goto again; out: o[0] = v; o[1] = a[0]; }")      \
  X(turns_without_one, true, /* the way on from the barrier comes back to the loop at two places */          \
    KERNEL "local int a[64]; int v = in[g]; for (int i = 0; i < n + 4; i++) { if (i % 3 == 1) { a[l] = v; "  \
           "barrier(1);\n"                                                                                   \
           "v += a[(l + 1) % ls]; barrier(1); if (i & 4) continue; v ^= i; } v = v * 3 + l; if (i == 9) "    \
           "break; } o[0] = "                                                                                \
           "v; }")                                                                                           \
  X(turns_without_one_in_two_loops, true,                                                                    \
    KERNEL                                                                                                   \
    "local int a[64]; int v = in[g]; for (int j = 0; j < 3; j++) { for (int i = 0; i < n + 4; i++) { "       \
    "if (i % 3 == 1) {\n"                                                                                    \
    "a[l] = v; barrier(1); v += a[(l + 1) % ls]; barrier(1); if (i & 4) continue; if (v & 1) v -= l; if (j " \
    "== 1) "                                                                                                 \
    "break; }\n"                                                                                             \
    "v = v * 3 + l; } if (v & 2) continue; v += j; } o[0] = v; }")                                           \
  X(helper, true,                                                                                            \
    "int shift(local int *a, int l, int ls, int v, int n) { for (int i = 0; i < n; i++) { a[l] = v; "        \
    "barrier(1);\n"                                                                                          \
    "v += a[(l + 1) % ls]; barrier(1); if (i == 3) return v * 2; } return v; }\n" KERNEL                     \
    "local int a[64]; int v = shift(a, l, ls, in[g], n); v = shift(a, l, ls, v, 2); o[0] = v; }")            \
  X(many_live, true,                                                                                         \
    KERNEL "local int a[64]; int r[20]; \n"                                                                  \
           "int v0 = in[g], v1 = in[g + 1], v2 = v0 * v1, v3 = v2 ^ l, v4 = v3 + n, v5 = g * 3 + 1, v6 = l " \
           "<< 2, v7 = n - l;\n"                                                                             \
           "a[l] = v2; barrier(1); v0 += a[(l + 1) % ls]; v3 -= v6; v5 ^= v7; barrier(1); o[0] = v0; o[1] "  \
           "= v1; o[2] = v2;\n"                                                                              \
           "o[3] = v3; o[4] = v4; o[5] = v5; o[6] = v6; o[7] = v7; }")                                       \
  X(swap_in_loop, true,                                                                                      \
    KERNEL                                                                                                   \
    "local int a[64]; int x = in[g], y = l, z = n; for (int i = 0; i < 6; i++) { a[l] = x; barrier(1);\n"    \
    "int t = x; x = y; y = z; z = t + a[(l + 1) % ls]; barrier(1); if (i == 4) { o[9] = x; barrier(1); } "   \
    "}\n"                                                                                                    \
    "o[0] = x; o[1] = y; o[2] = z; }")                                                                       \
  X(uniform_and_not, true,                                                                                   \
    KERNEL "local int a[64]; int u = 0, v = 0; for (int i = 0; i < n; i++) { u += i; v += u * l; a[l] = v; " \
           "barrier(1);\n"                                                                                   \
           "u ^= n; v += a[(l + u) % ls]; if (u & 4) { barrier(1); u++; } else { v++; barrier(1); } } o[0] " \
           "= u; o[1] = v; }")                                                                               \
  X(global_fence, true,                                                                                      \
    KERNEL "o[0] = in[g]; barrier(2); if (l == 0) for (int i = 1; i < ls && g + i < 40; i++) o[0] += 1; "    \
           "barrier(2);\n"                                                                                   \
           "o[1] = o[0] + l; }")                                                                             \
  X(atomics, true,                                                                                           \
    KERNEL                                                                                                   \
    "local int c; if (l == 0) c = 0; barrier(1); __sync_fetch_and_add(&c, in[g]); barrier(1); o[0] = c;\n"   \
    "barrier(1); __sync_fetch_and_add(&c, l); barrier(1); o[1] = c; }")

#define X(name, orderly, source)                                                                             \
  static void name(void **state) {                                                                           \
    (void)state;                                                                                             \
    check_kernel(source, orderly);                                                                           \
  }
KERNELS(X)
#undef X

int main(void) {
  const struct CMUnitTest tests[] = {
#define X(name, orderly, source) cmocka_unit_test(name),
      KERNELS(X)
#undef X
  };
  if (getenv("KILN_TEST_ONLY") != NULL) cmocka_set_test_filter(getenv("KILN_TEST_ONLY"));
  return cmocka_run_group_tests(tests, NULL, NULL);
}
