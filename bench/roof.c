/* What the machine can do: the work of some cases of `kiln bench`, in C with OpenMP, for `kiln bench --roof`.
 *   roof --list   the cases
 *   roof CASE     a line "FORM SECONDS" for each form of it: one run after a warm-up, inputs freshly written
 */
#include "roof.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

/* ---- streams ---- */

typedef uint64_t block __attribute__((vector_size(64)));

static void store_plain(block *to, block value) { *to = value; }

/* Past the caches; to is aligned to 64 bytes. */
static void store_streaming(block *to, block value) {
#ifdef __AVX512F__
  _mm512_stream_si512((__m512i *)to, (__m512i)value);
#elif defined __x86_64__
  for (int k = 0; k < 8; k++) _mm_stream_si64((long long *)to + k, (long long)value[k]);
#else
  *to = value;
#endif
}

/* bytes: of the result; EXPRESSION of type TYPE over vectors a and b. */
#define STREAM_LOOP(store, TYPE, EXPRESSION)                                                                 \
  for (size_t i = 0; i < n * sizeof(TYPE) / 64; i++) {                                                       \
    vector a = a_[i], b = b_[i];                                                                             \
    (void)b;                                                                                                 \
    store(&to[i], (block)(EXPRESSION));                                                                      \
  }

#define STREAM(name, TYPE, inputs, EXPRESSION)                                                               \
  static void name##_plain(size_t n, void *const buffer[]) {                                                 \
    typedef TYPE vector __attribute__((vector_size(64), may_alias));                                         \
    const vector *a_ = buffer[0], *b_ = buffer[inputs - 1];                                                  \
    block *to = buffer[inputs];                                                                              \
    _Pragma("omp parallel for schedule(static)") STREAM_LOOP(store_plain, TYPE, EXPRESSION)                  \
  }                                                                                                          \
  static void name##_streaming(size_t n, void *const buffer[]) {                                             \
    typedef TYPE vector __attribute__((vector_size(64), may_alias));                                         \
    const vector *a_ = buffer[0], *b_ = buffer[inputs - 1];                                                  \
    block *to = buffer[inputs];                                                                              \
    _Pragma("omp parallel for schedule(static)") STREAM_LOOP(store_streaming, TYPE, EXPRESSION)              \
  }

STREAM(copy, float, 1, a)
STREAM(add, float, 2, a + b)
STREAM(triad, float, 2, a + 3 * b)
STREAM(scale, double, 1, 3 * a)
STREAM(add_uchar, uint8_t, 2, a + b)
STREAM(add_long, int64_t, 2, a + b)

/* ---- cases ---- */

enum { MAX_FORMS = 2, MAX_BUFFERS = 5 };

struct roof_case {
  const char *label;
  size_t n; /* items */
  struct {
    const char *name;
    roof_function *run;
  } form[MAX_FORMS];
  int buffers, outputs; /* the last ones are outputs */
  size_t bytes;         /* of each buffer */
};

#define STREAM_CASE(label, name, items, inputs, size)                                                        \
  {                                                                                                          \
    label, items, {{"plain", name##_plain}, {"streaming", name##_streaming}}, inputs + 1, 1,                 \
        (items) * (size)                                                                                     \
  }
#define MATH_CASE(label, name, items, inputs, outputs, bytes)                                                \
  {label, items, {{"strict", roof_##name##_strict}}, inputs + outputs, outputs, bytes}, {                    \
    label "_relaxed", items, {{"relaxed", roof_##name##_relaxed}}, inputs + outputs, outputs, bytes          \
  }

enum { M = 1 << 20 };

static const struct roof_case cases[] = {
    STREAM_CASE("stream/copy", copy, 4 * M, 1, 4),
    STREAM_CASE("stream/add", add, 4 * M, 2, 4),
    STREAM_CASE("stream/triad", triad, 4 * M, 2, 4),
    STREAM_CASE("stream/triad_float4", triad, 4 * M, 2, 4),
    STREAM_CASE("stream/triad_float16", triad, 4 * M, 2, 4),
    STREAM_CASE("stream/triad_large", triad, 32 * M, 2, 4),
    STREAM_CASE("stream/scale_double", scale, 2 * M, 1, 8),
    STREAM_CASE("stream/add_uchar", add_uchar, 4 * M, 2, 1),
    STREAM_CASE("stream/add_long", add_long, 2 * M, 2, 8),
    MATH_CASE("nbody/tiled", nbody, 2048, 1, 1, 2048 * 16),
    MATH_CASE("blackscholes/float", blackscholes, 262144, 3, 2, 262144 * 4),
    MATH_CASE("mandelbrot/scalar", mandelbrot, 131072, 0, 1, 131072 * 4),
    MATH_CASE("matmul/tiled", matmul, 256, 2, 1, 65536 * 4),
};

/* ---- runs ---- */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

struct data {
  void *buffer[MAX_BUFFERS], *origin[MAX_BUFFERS];
};

/* Numbers from 0.5 to 1.5, whatever type the case reads them as: floats, or bytes of floats. */
static void fill(float *out, size_t count) {
  uint32_t state = 1;
  for (size_t k = 0; k < count; k++) {
    state = state * 1664525 + 1013904223;
    out[k] = 0.5f + (float)(state >> 8) * 0x1p-24f;
  }
}

static int allocate(const struct roof_case *c, struct data *d) {
  for (int b = 0; b < c->buffers; b++) {
    d->buffer[b] = aligned_alloc(4096, c->bytes);
    d->origin[b] = aligned_alloc(4096, c->bytes);
    if (d->buffer[b] == NULL || d->origin[b] == NULL) return 0;
    fill(d->origin[b], c->bytes / 4);
  }
  return 1;
}

static void write_inputs(const struct roof_case *c, struct data *d) {
  for (int b = 0; b < c->buffers; b++) memcpy(d->buffer[b], d->origin[b], c->bytes);
}

static int run_case(const struct roof_case *c) {
  struct data d = {0};
  int ok = allocate(c, &d);
  for (int f = 0; ok && f < MAX_FORMS && c->form[f].run != NULL; f++) {
    write_inputs(c, &d);
    c->form[f].run(c->n, d.buffer);
    write_inputs(c, &d);
    double start = now();
    c->form[f].run(c->n, d.buffer);
    printf("%s %.9f\n", c->form[f].name, now() - start);
  }
  for (int b = 0; b < c->buffers; b++) {
    free(d.buffer[b]);
    free(d.origin[b]);
  }
  return !ok;
}

int main(int argc, char **argv) {
  const size_t count = sizeof cases / sizeof *cases;
  for (size_t k = 0; k < count && argc == 2; k++) {
    if (strcmp(argv[1], "--list") == 0) printf("%s\n", cases[k].label);
    else if (strcmp(argv[1], cases[k].label) == 0) return run_case(&cases[k]);
  }
  if (argc == 2 && strcmp(argv[1], "--list") == 0) return 0;
  fprintf(stderr, "usage: roof --list | roof CASE\n");
  return 2;
}
