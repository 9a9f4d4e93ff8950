/* Memory accesses of work-items as lanes: each kernel does at every width what it does at width 1, with pages
 * that nothing may touch right before and right behind what it uses, and with indices that wrap. */
#include "spmd_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, MOST = 64 * PAGE };

/* ---- memory with forbidden pages around ---- */

struct fenced {
  uint8_t *map, *data;
  size_t size;
};

/* at_end: the bytes end where the forbidden page begins; else they begin where one ends. */
static void fence(struct fenced *f, size_t size, bool at_end) {
  size_t whole = (size + PAGE - 1) / PAGE * PAGE;
  f->map = mmap(NULL, whole + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(f->map != MAP_FAILED);
  assert_int_equal(mprotect(f->map + PAGE, whole, PROT_READ | PROT_WRITE), 0);
  f->size = whole + 2 * PAGE;
  f->data = f->map + PAGE + (at_end ? whole - size : 0);
}

static void unfence(struct fenced *f) { munmap(f->map, f->size); }

static void fill(uint8_t *bytes, size_t size, unsigned seed) {
  for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)((i * 37 + seed) ^ i >> 8) & 0x3f;
}

/* ---- kernels: elements of type T; n work-items; a and b have per * n + more elements ---- */

static const struct memory_case {
  const char *body;
  unsigned per, more;
  uint32_t x; /* 0: n */
} cases[] = {
    {"b[i] = a[i] + (T)1", 1, 0, 0},
    {"b[i] = a[i + x]", 1, 5, 5},
    {"b[i + x] = a[i]", 1, 5, 5},
    {"b[x - 1 - i] = a[x - 1 - i] + (T)1", 1, 0, 0},
    {"b[i] = a[x - i]", 1, 1, 0},
    {"b[i] = a[2 * i] + a[2 * i + 1]", 2, 0, 0},
    {"b[2 * i] = a[i]; b[2 * i + 1] = a[i] + (T)3", 2, 0, 0},
    {"b[2 * i] = a[2 * i + 1]", 2, 0, 0},
    {"b[2 * i + 1] = a[2 * i]", 2, 0, 0},
    {"b[i] = a[3 * i] + a[3 * i + 1] + a[3 * i + 2]", 3, 0, 0},
    {"b[3 * i + 2] = a[3 * i + 1]", 3, 0, 0},
    {"T c = a[3 * i], d = a[3 * i + 1], e = a[3 * i + 2]; b[3 * i] = d; b[3 * i + 1] = e; b[3 * i + 2] = c",
     3, 0, 0},
    {"b[i] = a[4 * i + 3]", 4, 0, 0},
    {"for (int k = 0; k < 4; k++) b[4 * i + k] = a[4 * i + 3 - k]", 4, 0, 0},
    {"b[5 * i + 1] = a[5 * i + 4] + a[5 * i]", 5, 0, 0},
    {"b[i] = a[7 * i + 6] + a[7 * i + 2] + a[7 * i]", 7, 0, 0},
    {"b[i] = a[8 * i + 7]", 8, 0, 0},
    {"b[8 * i + 7] = a[8 * i]", 8, 0, 0},
    {"b[i] = a[19 * i + 18]", 19, 0, 0},
    {"b[2 * (x - 1 - i)] = a[2 * (x - 1 - i) + 1]", 2, 0, 0},
    {"b[i] = a[3 * (x - 1 - i) + 2] + a[3 * (x - 1 - i)]", 3, 0, 0},
    {"V(2, b, i) = V(2, a, i).yx", 2, 0, 0},
    {"V(4, b, i) = V(4, a, i) * (v4){1, 2, 3, 4} + a[i]", 4, 0, 0},
    {"V(4, b, i) = V(4, a, i) * (T)x - V(4, a, i).xxyz", 4, 0, 0},
    {"V(2, b, i) = V(2, a, i) * V(2, a, i) + V(2, a, i + 1)", 2, 2, 0},
    {"V(8, b, i) = (V(8, a, i) > (T)20) ? V(8, a, i) : (v8)(T)x", 8, 0, 0},
    {"if (i % 4) V(4, b, i) = V(4, a, i) + V(4, b, i)", 4, 0, 0},
    {"v3 c = V(3, a, i); V(3, b, i) = (v3){c.z, c.x, c.y}", 3, 0, 0},
    {"V(4, b, i) = V(4, a, i).wzyx", 4, 0, 0},
    {"V(8, b, i) = V(8, a, i).s76543210", 8, 0, 0},
    {"V(16, b, i) = V(16, a, i).s0213465789abcdef", 16, 0, 0},
    {"b[i] = V(2, a, 2 * i).x + V(2, a, 2 * i + 1).y", 4, 0, 0},
    {"struct s { T p, q, r; }; global const struct s *s = (global const struct s *)a; b[i] = s[i].p + s[i].r",
     3, 0, 0},
    {"struct s { T p, q, r, t[3]; }; global struct s *s = (global struct s *)b; s[i].q = a[i]; s[i].t[2] = "
     "a[i]",
     6, 0, 0},
    {"if (i % 3 == 1) b[i] = a[i]; else b[i] = a[x - 1 - i] + (T)2", 1, 0, 0},
    {"if (i % 5 != 2) b[2 * i] = a[2 * i + 1] + a[2 * i]", 2, 0, 0},
    {"if (i & 1) V(4, b, i) = V(4, a, i) + (T)1", 4, 0, 0},
    {"if (i < 5) return; b[i - 5] = a[i - 5] + a[i]", 1, 0, 0},
    {"if (i + 3 >= x) return; b[i + 3] = a[i + 3] + a[i + 1]", 1, 0, 0},
    {"b[i / x * x + i % x] = a[i]", 1, 0, 6},
    {"b[i] = a[i / x] + a[i % x]", 1, 23, 23},
    {"int j = (int)i, y = (int)x; b[j / y * y + j % y] = a[j / y]", 1, 0, 37},
    {"b[i] = a[i ^ x]", 1, 64, 16},
    {"b[i] = a[i ^ x]", 1, 64, 5},
    {"b[i] = a[i & x]", 1, 0, 31},
    {"b[i] = a[i & x]", 1, 0, 3},
    {"b[i] = a[2 * i - (i & (x - 1))]", 2, 0, 16},
    {"b[i] = a[2 * i - (i & (x - 1))]", 2, 0, 4},
    {"b[i] = a[i >> x] + a[i >> 1]", 1, 0, 5},
    {"b[i] = a[MIN(i + 3u, x - 1)] + a[MAX((int)i - 4, 0)]", 1, 0, 0},
    {"b[i] = a[MIN(MAX((int)i + 7, 3), (int)x - 1)]", 1, 4, 0},
    {"b[i] = a[i < x ? i : x - 1]", 1, 20, 20},
    {"uint j = i; for (uint k = 0; k < 4; k++, j += x) b[j] = a[j] + (T)k", 4, 0, 0},
    {"for (uint j = i + 1; j-- > i;) b[j] = a[j]", 1, 0, 0},
    {"global const T *p = a + i; b[i] = p[0] + p[x]; p += x; b[i] += *p", 1, 9, 9},
    {"b[(uchar)i] = a[(uchar)i]", 1, 256, 1},
    {"b[(ushort)(i + 65500u)] = a[(ushort)(i + 65500u)]", 1, 65536, 1},
    {"ulong j = i; b[j * 2 + 1] = a[j * 2]", 2, 0, 0},
    /* lane after lane */
    {"V(4, b, i * 5 % x) = V(4, a, i * 3 % x) + (T)1", 4, 0, 0},
    {"V(2, b, i) = V(2, a, i * i % x).yx", 2, 0, 0},
    {"V(16, b, x - 1 - i) = V(16, a, (i + 3) % x)", 16, 0, 0},
    {"V(8, b, 2 * i + 1) = V(8, a, 2 * i)", 16, 0, 0},
    {"if (i % 3 != 1) V(4, b, i * 5 % x) = V(4, a, i * 3 % x) - (T)1", 4, 0, 0},
    {"if (i == 2) V(4, b, i) = V(4, a, i * 3 % x) - (T)1", 4, 0, 0},
    {"b[i * 64 % (64 * x)] = a[i * 64 + 5]", 64, 0, 0},
    {"for (uint k = 0; k < 20; k++) b[20 * i + k] = a[20 * i + 19 - k]", 20, 0, 0},
    {"b[i] = a[(uchar)(a[i] * 7)] + a[(ushort)(a[i] * 3)]", 1, 65536, 0},
    {"b[i] = a[(char)i & 63] + a[(int)(i * 3 % x)]", 1, 64, 0},
    /* narrow ones as words */
    {"V(4, b, x - 1 - i) = V(4, a, i) + V(4, b, x - 1 - i).wzyx", 4, 0, 0},
    {"if (i % 3) V(4, b, i) = V(4, a, i) + (T)1", 4, 0, 0},
    {"T c = a[4 * i + 1], d = a[4 * i + 2], e = a[4 * i], f = a[4 * i + 3]; b[4 * i] = c; b[4 * i + 1] = d; "
     "b[4 * i + "
     "2] = e; b[4 * i + 3] = f",
     4, 0, 0},
    {"struct s { T v[4], w; }; global struct s *s = (global struct s *)a, *t = (global struct s *)b; for "
     "(int k = 0; k < "
     "4; k++) t[i].v[k] = s[i].v[3 - k]; t[i].w = s[i].w",
     5, 0, 0},
    {"b[i] = a[4 * i + 3] * (T)3 + a[4 * i + 2]", 4, 0, 0},
    {"b[4 * i] = a[4 * i + 3]; b[4 * i + 3] = a[4 * i + 1] - a[4 * i + 2]", 4, 0, 0},
    {"b[i] = a[8 * i + 7] + a[8 * i + 5] * (T)5", 8, 0, 0},
    {"b[i] = a[4 * (x - 1 - i) + 3] + a[4 * (x - 1 - i) + 2]", 4, 0, 0},
    {"typedef uchar w3 __attribute__((ext_vector_type(3))); global uchar *p = (global uchar *)a + 4 * i, *q "
     "= (global uchar *)b + 4 * i; *(global w3 *)q = (*(global w3 *)p).zxy; q[3] = p[3]",
     4, 0, 0},
    /* private arrays */
    {"T t[8]; for (uint k = 0; k < x; k++) t[k] = a[i] + (T)k; T s = 0; for (uint k = x; k-- > 0;) s = s * "
     "(T)3 + "
     "t[k]; b[i] = s",
     1, 0, 8},
    {"T t[9]; for (uint k = 0; k < x; k++) t[k] = a[i] + (T)k; b[i] = t[i % x] + t[(i * 5 + 1) % x]", 1, 0,
     9},
    {"T t[9]; for (uint k = 0; k < x; k++) t[k] = 0; for (uint k = 0; k < x; k++) t[(i + k * k) % x] += "
     "a[i]; for (uint "
     "k = 0; k < x; k++) b[i * 9 + k] = t[k]",
     9, 0, 9},
    {"T t[4][4]; for (uint k = 0; k < 4 * x; k++) t[k % 4][k / 4] = a[i] + (T)k; for (uint k = 0; k < x; "
     "k++) if (i % 3 "
     "!= k) t[k][i % 4] = (T)k; for (uint k = 0; k < x; k++) b[4 * i + k] = t[k][3 - k]",
     4, 0, 4},
    {"T t[8], *p = t; for (uint k = 0; k < x; k++) *p++ = a[i] + (T)k; b[i] = p[-1] + *(t + i % x)", 1, 0, 8},
    {"v4 t[4]; for (uint k = 0; k < x; k++) t[k] = (v4)(T)k + a[i]; t[i % x].y = 5; b[i] = t[i % x].y + t[x "
     "/ 2].w",
     1, 0, 4},
    {"T t[8]; for (uint k = 0; k < x; k++) t[k] = a[i] + (T)k; if (i & 1) for (uint k = 0; k + 1 < x; k++) { "
     "T c = t[k]; "
     "t[k] = t[k + 1]; t[k + 1] = c; } b[i] = t[x - 1] + t[i % x]",
     1, 0, 8},
    {"T t[8]; for (uint k = 0; k < i % 8 + 1; k++) t[k] = a[i] + (T)k; b[i] = t[i % 8]", 1, 0, 0},
    {"T t[8], u[8]; for (uint k = 0; k < x; k++) t[k] = a[i], u[k] = a[i] + (T)k; T *p = i % 3 ? t : u; b[i] "
     "= p[x / 2]",
     1, 0, 8},
    {"T t[8]; uchar *p = (uchar *)t; for (uint k = 0; k < x * sizeof(T); k++) p[k] = (uchar)(k ^ i); b[i] = "
     "t[x / 2] + "
     "t[i % x]",
     1, 0, 8},
    {"struct s { T p, q, r; } t[4]; for (uint k = 0; k < x; k++) t[k].p = (T)k, t[k].q = a[i], t[k].r = "
     "(T)i; b[i] = t[i "
     "% x].p + t[x / 2].q + t[(i + 1) % x].r",
     1, 0, 4},
    {"volatile T t[4]; for (uint k = 0; k < x; k++) t[k] = a[i] + (T)k; b[i] = t[i % x]", 1, 0, 4},
};

struct setup {
  const struct memory_case *what;
  size_t element, items, local;
  bool at_end, is_same; /* b is a */
};

static uint8_t *run_once(const struct setup *s, struct spmd_code *code) {
  size_t bytes = (s->what->per * s->items + s->what->more) * s->element;
  struct fenced a, b;
  uint32_t x = s->what->x == 0 ? (uint32_t)s->items : s->what->x;
  fence(&a, bytes, s->at_end);
  fence(&b, bytes, s->at_end);
  fill(a.data, bytes, 1);
  fill(b.data, bytes, 2);
  struct spmd_launch l;
  spmd_start(&l, code, &s->items, &s->local, NULL, 1);
  uint8_t *out = s->is_same ? a.data : b.data;
  SPMD_ARG(&l, a.data);
  SPMD_ARG(&l, out);
  SPMD_ARG(&l, x);
  spmd_run(&l, 0);
  uint8_t *result = malloc(bytes);
  memcpy(result, out, bytes);
  unfence(&a);
  unfence(&b);
  return result;
}

static void compare(const struct setup *s, struct spmd_code *scalar, struct spmd_code *lanes,
                    unsigned width) {
  size_t bytes = (s->what->per * s->items + s->what->more) * s->element;
  uint8_t *expected = run_once(s, scalar), *got = run_once(s, lanes);
  for (size_t i = 0; i < bytes; i++)
    if (expected[i] != got[i])
      fail_msg("'%s' of %zu-byte elements, %zu items in groups of %zu, %u lanes: byte %zu is %u, not %u",
               s->what->body, s->element, s->items, s->local, width, i, got[i], expected[i]);
  free(expected);
  free(got);
}

static void run_sizes(const struct memory_case *what, size_t element, bool is_same, struct spmd_code *scalar,
                      struct spmd_code *lanes, unsigned width) {
  static const size_t sizes[][2] = {{64, 64}, {37, 37}, {96, 32}, {50, 20}, {1, 1}, {7, 7}, {256, 128}};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
    for (unsigned at_end = 0; at_end < 2; at_end++) {
      const struct setup s = {what, element, sizes[k][0], sizes[k][1], at_end != 0, is_same};
      compare(&s, scalar, lanes, width);
    }
}

static const char prelude[] =
    "#define VECTOR(n) typedef T v##n __attribute__((ext_vector_type(n), aligned(sizeof(T))));\n"
    "VECTOR(2) VECTOR(4) VECTOR(8) VECTOR(16)\ntypedef struct { T x, y, z; } v3;\n"
    "#define V(n, p, i) (*(global v##n *)((p) + n * (i)))\n"
    "#define ROWS int n = (int)x, j = (int)i; for (int k = 0; k < n; k++)\n"
    "#define MIN(x, y) ((x) < (y) ? (x) : (y))\n#define MAX(x, y) ((x) > (y) ? (x) : (y))\n";

/* How a and b lie: */
enum lie { ANYHOW, THE_SAME, APART /* which the code is told */ };

static void run_case(const struct memory_case *what, const char *type, size_t element, enum lie lie) {
  char source[2048], options[32];
  struct spmd_code scalar, lanes;
  snprintf(source, sizeof source,
           "%skernel void k(global T *a, global T *b, uint x) {\n  uint i = get_global_id(0);\n  %s;\n}\n",
           prelude, what->body);
  snprintf(options, sizeof options, "-DT=%s", type);
  struct spmd_build build = {.source = source, .options = options, .spec = {.small = 1, .width = 1}};
  spmd_compile(&scalar, &build);
  for (unsigned width = 4; width <= 16; width *= 2) {
    build.spec.width = width;
    build.spec.apart = lie == APART;
    spmd_compile(&lanes, &build);
    run_sizes(what, element, lie == THE_SAME, &scalar, &lanes, width);
    spmd_finish(&lanes);
  }
  spmd_finish(&scalar);
}

/* Each kernel with one or two types, others for each. */
static void patterns(void **state) {
  static const char *const types[] = {"uint", "uchar", "float", "ushort", "ulong", "double", "char"};
  static const size_t sizes[] = {4, 1, 4, 2, 8, 8, 1};
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    run_case(&cases[k], types[k % 7], sizes[k % 7], ANYHOW);
    if (k % 3 == 0) run_case(&cases[k], types[(k + 1) % 7], sizes[(k + 1) % 7], ANYHOW);
  }
}

/* ---- bytes and half words out of the words around them ---- */

static const struct memory_case narrow[] = {
    {"uint p = 3 * (x - 1 - i * i % x); b[i] = a[p] + a[p + 1] * (T)3 + a[p + 2] * (T)5", 3, 0, 0},
    {"int p = 3 * (int)(x - 1 - i * i % x); if (i % 3 != 1) b[i] = a[p + 2] + a[p + 1] * (T)3 + a[p] * (T)5",
     3, 0, 0},
    {"uint p = 3 * (x - 1 - i * i % x); global const T *c = a + p; b[i] = c[0] + c[1] * (T)3 + c[2] * (T)5",
     3, 0, 0},
    {"ulong p = (ulong)(x - 1 - i * i % x) * 3; if (i % 3 != 1) b[i] = a[p + 2] + a[p + 1] * (T)3", 3, 0, 0},
    {"uint p = 3 * (i * i * 91 % (21 * x)); if (i % 5) b[i] = a[p] + a[p + 1] * (T)3 + a[p + 2] * (T)5", 63,
     0, 0},
    {"uint p = 63 * x - 3 - i * i * 13 % (63 * x - 2); if (i % 5 != 1) b[i] = a[p] + a[p + 1] * (T)3 + a[p + "
     "2] * (T)5",
     63, 0, 0},
    {"uint p = 2 * x - 2 - i * i % (2 * x - 1); b[i] = a[p + 1] + a[p] * (T)3", 2, 0, 0},
    {"uint p = 2 * x - 2 - i * i % (2 * x - 1); if (i % 3 != 1) b[i] = a[p] + a[p + 1] * (T)3", 2, 0, 0},
    {"uint p = 7 * x - 4 - i * i % (7 * x - 3); if (i % 3 != 1) b[i] = a[p] + a[p + 3] * (T)3", 7, 0, 0},
    {"uint p = 7 * x - 5 - i * i % (7 * x - 4); if (i % 3 != 1) b[i] = a[p] + a[p + 4] * (T)3 + a[p + 2] * "
     "(T)5",
     7, 0, 0},
    {"if (i % 3 != 1) b[i] = a[5 * x - 1 - i * i % (5 * x)] * (T)3", 5, 0, 0},
    {"global const T *c = a + 5; int p = (int)(i * i % (5 * x)) - 5; if (i % 3 != 1) b[i] = c[p] * (T)3", 5,
     0, 0},
};

static void words_around(void **state) {
  (void)state;
  spmd_native_width = 16; /* a processor that gathers words */
  for (size_t k = 0; k < sizeof narrow / sizeof *narrow; k++) {
    run_case(&narrow[k], "uchar", 1, ANYHOW);
    run_case(&narrow[k], "ushort", 2, ANYHOW);
  }
  spmd_native_width = 0;
}

/* ---- back and forth between a and b, which may be the same ---- */

static const struct memory_case meeting[] = {
    {"b[3 * i] = a[3 * i + 1]; b[3 * i + 1] = a[3 * i] + (T)1; b[3 * i + 2] = a[3 * i + 2] + a[3 * i]", 3, 0,
     0},
    {"for (int k = 0; k < 4; k++) b[4 * i + k] = a[4 * i + 3 - k] + (T)k", 4, 0, 0},
    {"b[2 * i + 1] = a[2 * i]; b[2 * i] = a[2 * i + 1]; b[2 * i + 1] += a[2 * i]", 2, 0, 0},
    {"for (int k = 0; k < 8; k++) b[8 * i + k] += a[8 * i + (k * 3 & 7)] + b[8 * i + 7 - k]", 8, 0, 0},
    {"V(4, b, i) = V(4, a, i).yzwx; b[4 * i + 2] = a[4 * i + 1]; b[4 * i + 3] = a[4 * i]", 4, 0, 0},
    {"if (i % 3) { b[3 * i] = a[3 * i + 1]; b[3 * i + 1] = a[3 * i + 2]; b[3 * i + 2] = a[3 * i]; }", 3, 0,
     0},
    {"T s = 0; for (uint k = 0; k < x; k++) { b[4 * i + 1] = a[4 * i] + (T)k; b[4 * i] = a[4 * i + 1] + s; "
     "s += a[4 * i]; }",
     4, 0, 3},
    /* rows of each lane's own, in blocks */
    {"ROWS b[j * n + k] = a[j * n + k] * (T)3", 21, 0, 21},
    {"ROWS b[j * n + k] += a[j * n + k]", 16, 0, 16},
    {"ROWS b[j * n + k] = b[j * n + k] * (T)3 + a[j * n + n - 1 - k]", 40, 0, 40},
    {"ROWS b[j * (n + 1) + k + 1] = a[j * (n + 1) + k] + (T)1", 38, 0, 37},
    {"T s = 0; ROWS { s += a[j * n + k]; b[j * n + k] = s; }", 33, 0, 33},
    {"int n = (int)x, j = (int)i; for (int k = 0; k < n; k += 2) { T s = a[j * n + k], t = a[j * n + k + 1]; "
     "b[j "
     "* n + k] = s + t; b[j * n + k + 1] = s - t * (T)3; }",
     22, 0, 22},
    {"T s = (T)i; ROWS { s = s * (T)3 + (T)1; b[j * n + k] = s; }", 21, 0, 21},
    {"ROWS { b[j * 32 + k] = a[j * 32 + k]; b[j * 32 + 16 + k] = a[j * 32 + 31 - k]; }", 32, 0, 16},
};

/* What other work-items do not write. */
static const struct memory_case anywhere[] = {
    {"for (int k = 0; k < 4; k++) b[4 * i + k] = a[4 * (i * 5 % x) + k] + (T)k", 4, 0, 0},
    {"global const T *p = a + 4 * (i * i % x); b[4 * i] = p[0] + p[3]; b[4 * i + 1] = p[2] - p[1]", 4, 0, 0},
    {"global const T *p = a + 4 * (i * 3 % x); if (i % 3) b[i] = p[0] + p[1] * (T)3 + p[2] - p[3]", 4, 0, 0},
    {"int j = (int)(i * 7 % x); b[2 * i] = a[4 * j] + a[4 * j + 4] * a[4 * j + 7]; b[2 * i + 1] = a[4 * j + "
     "1] "
     "+ a[4 * j + 2] + a[4 * j + 3] + a[4 * j + 5] - a[4 * j + 6]",
     4, 4, 0},
    {"for (int k = 0; k < 3; k++) b[3 * i + k] = a[3 * (i * 5 % x) + 2 - k]", 3, 0, 0},
    {"for (int k = 0; k < 8; k++) b[8 * (x - 1 - i) + k] = a[8 * (i * 5 % x) + (k ^ 1)]", 8, 0, 0},
};

static void back_and_forth(void **state) {
  static const char *const types[] = {"uint", "uchar", "float", "short", "double"};
  static const size_t sizes[] = {4, 1, 4, 2, 8};
  (void)state;
  for (size_t k = 0; k < sizeof meeting / sizeof *meeting; k++)
    for (size_t t = 0; t < sizeof sizes / sizeof *sizes; t++) {
      run_case(&meeting[k], types[t], sizes[t], APART);
      run_case(&meeting[k], types[t], sizes[t], THE_SAME);
    }
  for (size_t k = 0; k < sizeof anywhere / sizeof *anywhere; k++)
    for (size_t t = 0; t < sizeof sizes / sizeof *sizes; t++) {
      run_case(&anywhere[k], types[t], sizes[t], ANYHOW);
      run_case(&anywhere[k], types[t], sizes[t], APART);
    }
}

/* ---- indices that wrap, in memory of which only the parts at hand exist ---- */

enum { ITEMS = 64 };

static const char wrap_source[] = "kernel void k(global const T *a, global T *b, uint x) {\n"
                                  "  uint i = get_global_id(0);\n"
                                  "  b[4 * i] = a[(INDEX)(i + x)];\n"
                                  "  b[4 * i + 1] = a[(INDEX)(x - i)];\n"
                                  "  b[4 * i + 2] = a[(INDEX)(2 * i + x)];\n"
                                  "  if (i & 1) a -= 1;\n"
                                  "  b[4 * i + 3] = a[(INDEX)(i + x)];\n"
                                  "}\n";

static int64_t wrapped(uint32_t index, bool is_signed) {
  return is_signed ? (int64_t)(int32_t)index : (int64_t)index;
}

static void run_wrap(struct spmd_code *code, uint8_t *base, size_t size, bool is_signed, uint32_t x) {
  uint8_t *out = calloc(ITEMS * 4, size), *expected = calloc(ITEMS * 4, size);
  size_t items = ITEMS, local = ITEMS;
  for (uint32_t i = 0; i < ITEMS; i++) {
    int64_t at[] = {wrapped(i + x, is_signed), wrapped(x - i, is_signed), wrapped(2 * i + x, is_signed),
                    wrapped(i + x, is_signed) - (i & 1)};
    for (unsigned k = 0; k < 4; k++)
      memcpy(expected + (4 * i + k) * size, base + at[k] * (int64_t)size, size);
  }
  struct spmd_launch l;
  spmd_start(&l, code, &items, &local, NULL, 1);
  SPMD_ARG(&l, base);
  SPMD_ARG(&l, out);
  SPMD_ARG(&l, x);
  spmd_run(&l, 0);
  assert_memory_equal(out, expected, ITEMS * 4 * size);
  free(out);
  free(expected);
}

static void open_at(uint8_t *map, uint64_t at, unsigned seed) {
  uint8_t *page = map + at / PAGE * PAGE;
  assert_int_equal(mprotect(page, 2 * PAGE, PROT_READ | PROT_WRITE), 0);
  fill(page, 2 * PAGE, seed);
}

static void run_wraps(const char *type, size_t size, bool is_signed) {
  uint64_t span = size << 32, center = PAGE + (is_signed ? span / 2 : 0);
  uint8_t *map = mmap(NULL, span + 4 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  assert_true(map != MAP_FAILED);
  for (unsigned k = 0; k < 3; k++) open_at(map, k * (span / 2), 7 * k);
  char options[64];
  snprintf(options, sizeof options, "-DT=%s -DINDEX=%s", type, is_signed ? "int" : "uint");
  for (unsigned width = 1; width <= 16; width *= 4) {
    struct spmd_code code;
    spmd_compile(&code, &(struct spmd_build){
                            .source = wrap_source, .options = options, .spec = {.small = 1, .width = width}});
    static const uint32_t starts[] = {64, 0, 5, 130, 0xfffffff0, 0xffffffff, 0xffffffc0, 0xffffff80};
    for (size_t k = 0; k < sizeof starts / sizeof *starts; k++)
      run_wrap(&code, map + center, size, is_signed, is_signed ? starts[k] + (k % 2 << 31) : starts[k]);
    spmd_finish(&code);
  }
  munmap(map, span + 4 * PAGE);
}

static void wraps(void **state) {
  (void)state;
  run_wraps("uchar", 1, false);
  run_wraps("ushort", 2, false);
  run_wraps("uint", 4, false);
  run_wraps("double", 8, false);
  run_wraps("float", 4, true);
  run_wraps("char", 1, true);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(patterns), cmocka_unit_test(words_around),
                                     cmocka_unit_test(back_and_forth), cmocka_unit_test(wraps)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
