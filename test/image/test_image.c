/* Image functions of OpenCL C against reference.c: every kind, format and sampler, at W = 1 and at the width
 * that the compiler chooses. Images end where a page begins that cannot be touched, or begin where one ends.
 */
#include "reference.h"
#include "run.h"

#include "base/alloc.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 83, SPECIAL = 8 }; /* work-items: no multiple of a vector; those with odd coordinates */

static const struct kind {
  const char *type;
  unsigned dims;
  bool array, depth;
  const char *lanes; /* of the coordinate's type */
  unsigned stride;   /* numbers in it */
} kinds[] = {{"image1d_t", 1, false, false, "", 1},
             {"image1d_array_t", 1, true, false, "2", 2},
             {"image2d_t", 2, false, false, "2", 2},
             {"image2d_array_t", 2, true, false, "4", 4},
             {"image3d_t", 3, false, false, "4", 4},
             {"image2d_depth_t", 2, false, true, "2", 2},
             {"image2d_array_depth_t", 2, true, true, "4", 4},
             {"image1d_buffer_t", 1, false, false, "", 1}};
enum { NUM_KINDS = sizeof kinds / sizeof *kinds, BUFFER = NUM_KINDS - 1 };

static uint64_t seed = 88172645463325252ull;
static unsigned below(unsigned limit) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (unsigned)((seed >> 11) % limit);
}
static float uniform(float low, float high) { return low + (high - low) * (float)below(1 << 20) / (1 << 20); }

/* ---- images ---- */

struct made {
  struct kiln_image_desc desc;
  struct image image;
  struct guarded memory;
};

/* Random contents; floats are moderate numbers. */
static void fill(struct made *m, struct format f) {
  for (size_t i = 0; i < m->memory.size; i++) m->memory.data[i] = (uint8_t)below(256);
  if (f.type == CL_HALF_FLOAT) /* no infinities and NaNs */
    for (size_t i = 1; i < m->memory.size; i += 2) m->memory.data[i] &= 0xbf;
  if (f.type != CL_FLOAT) return;
  for (size_t i = 0; i + 4 <= m->memory.size; i += 4) {
    float x = uniform(-2, 2);
    memcpy(m->memory.data + i, &x, 4);
  }
}

/* Pitches may be wider than rows; behind the last element begins the guard. */
static void make(struct made *m, const struct kind *kind, struct format f) {
  unsigned size = format_size(f), wide = 1 + below(19), high = 1 + below(9), deep = 1 + below(5);
  memset(m, 0, sizeof *m);
  m->desc.width = wide;
  m->desc.height = kind->dims > 1 ? high : 1;
  m->desc.depth = kind->dims > 2 ? deep : 1;
  m->desc.array_size = kind->array ? deep : 1;
  m->desc.row_pitch = (wide + below(3)) * size;
  m->desc.slice_pitch = m->desc.row_pitch * (m->desc.height + below(2));
  assert_true(kiln_image_desc_format(&m->desc, f.order, f.type));
  assert_int_equal(m->desc.element_size, size);
  unsigned layers = kind->dims == 1 ? 1 : m->desc.depth * m->desc.array_size;
  unsigned rows = kind->dims == 1 ? m->desc.array_size : m->desc.height;
  guarded_make(&m->memory, (layers - 1) * m->desc.slice_pitch + (rows - 1) * m->desc.row_pitch + wide * size,
               below(4) == 0);
  m->desc.data = m->memory.data;
  m->image = (struct image){.desc = &m->desc, .format = f, .dims = kind->dims, .array = kind->array};
  fill(m, f);
}

static bool fits(const struct kind *kind, struct format f) { return kind->depth == (f.order == CL_DEPTH); }

/* ---- coordinates ---- */

union number {
  float f;
  int32_t i;
};

static float extent(const struct made *m, unsigned axis) {
  return axis == 0 ? (float)m->desc.width : axis == 1 ? (float)m->desc.height : (float)m->desc.depth;
}

/* Around the edges and exactly on them. */
static float float_coordinate(const struct made *m, unsigned axis, bool normalized) {
  float n = extent(m, axis), c;
  switch (below(4)) {
  case 0:
    c = (float)below((unsigned)n * 2 + 3) * 0.5f - 0.5f;
    break;
  case 1:
    c = uniform(0, n);
    break;
  default:
    c = uniform(-1.5f * n, 2.5f * n);
  }
  return normalized ? c / n : c;
}

static const float odd[SPECIAL] = {NAN,    INFINITY,      -INFINITY,      3e38f,
                                   -3e38f, 2147483648.0f, -2147483648.0f, 1e10f};

/* Numbers of one work-item after another; half of the runs go along a row. The last SPECIAL ones are odd. */
static void float_coordinates(const struct made *m, const struct kind *kind, bool normalized,
                              union number *c) {
  float start[3];
  bool row = below(2);
  for (unsigned a = 0; a < 3; a++) start[a] = float_coordinate(m, a, normalized);
  for (unsigned i = 0; i < ITEMS; i++, c += kind->stride) {
    for (unsigned a = 0; a < kind->stride; a++) {
      if (a >= kind->dims) c[a].f = uniform(-2, 8);
      else if (!row) c[a].f = float_coordinate(m, a, normalized);
      else c[a].f = start[a] + (a == 0 ? ((float)i - 20) / (normalized ? extent(m, 0) : 1) : 0);
      if (i >= ITEMS - SPECIAL) c[a].f = odd[(i + a) % SPECIAL];
    }
    if (row && kind->array && i < ITEMS - SPECIAL) c[kind->dims].f = 1;
  }
}

static void int_coordinates(const struct made *m, const struct kind *kind, bool inside, union number *c) {
  static const int32_t far[] = {INT32_MIN, INT32_MAX, -1, 1 << 30};
  bool row = below(2);
  int32_t y = (int32_t)below((unsigned)extent(m, 1));
  for (unsigned i = 0; i < ITEMS; i++, c += kind->stride)
    for (unsigned a = 0; a < kind->stride; a++) {
      unsigned n = a == kind->dims ? m->desc.array_size : (unsigned)extent(m, a < 3 ? a : 2);
      if (inside) c[a].i = (int32_t)(row && a == 0 ? i % n : row ? (unsigned)y % n : below(n));
      else if (i < 4) c[a].i = far[(i + a) % 4];
      else c[a].i = row && a == 0 ? (int32_t)i - 20 : row ? y : (int32_t)below(3 * n) - (int32_t)n;
    }
}

/* ---- comparing ---- */

static double half_value(uint16_t h) {
  int exponent = h >> 10 & 31;
  double fraction = h & 1023;
  double x = exponent == 0 ? ldexp(fraction, -24) : ldexp(fraction + 1024, exponent - 25);
  return h & 0x8000 ? -x : x;
}

/* Component k of what work-item i got. */
static double result_at(const void *results, char what, bool depth, unsigned i, unsigned k) {
  if (what == 'h') return half_value(((const uint16_t *)results)[4 * i + k]);
  if (what == 'f') return (double)((const float *)results)[depth ? i : 4 * i + k];
  if (what == 'i') return ((const int32_t *)results)[4 * i + k];
  return ((const uint32_t *)results)[4 * i + k];
}

struct run {
  const struct kind *kind;
  const struct made *made;
  uint32_t sampler;
  char what; /* f, h, i, u */
  bool float_coordinate;
};

static struct texel expected(const struct run *r, const union number *c) {
  float f[4] = {0};
  int32_t i[4] = {0};
  for (unsigned a = 0; a < r->kind->stride; a++) f[a] = c[a].f, i[a] = c[a].i;
  if (!r->float_coordinate) return image_at(&r->made->image, r->sampler, i);
  return r->sampler & LINEAR ? image_linear(&r->made->image, r->sampler, f)
                             : image_nearest(&r->made->image, r->sampler, f);
}

static void check(const struct run *r, const union number *c, const void *results) {
  for (unsigned i = 0; i < ITEMS - (r->float_coordinate ? SPECIAL : 0); i++, c += r->kind->stride) {
    struct texel want = expected(r, c);
    for (unsigned k = 0; k < (r->kind->depth ? 1u : 4u); k++) {
      double got = result_at(results, r->what, r->kind->depth, i, k);
      double value = r->what == 'f' || r->what == 'h' ? want.f[k] : (double)want.i[k];
      double slack = r->what == 'f' ? fabs(value) * 1.5 / (1 << 23) : 0;
      if (r->what == 'f' && r->sampler & LINEAR) slack = 4e-6;
      if (r->what == 'h') slack = fabs(value) / 1024 + 6e-8 + (r->sampler & LINEAR ? 4e-6 : 0);
      if (r->what == 'u') value = (double)(uint32_t)want.i[k];
      if (fabs(got - value) <= slack) continue;
      print_error(
          "%s order %x type %x %ux%ux%u sampler %x item %u (%g %g %d %d) component %u: %.9g, expected %.9g\n",
          r->kind->type, r->made->image.format.order, r->made->image.format.type, r->made->desc.width,
          r->made->desc.height, r->made->desc.depth, r->sampler, i, (double)c[0].f, (double)c[1].f, c[0].i,
          c[1].i, k, got, value);
      fail();
    }
  }
}

/* ---- reading ---- */

static const char *function_of(char what) {
  return what == 'f'   ? "read_imagef"
         : what == 'h' ? "read_imageh"
         : what == 'i' ? "read_imagei"
                       : "read_imageui";
}

static const char *result_of(char what, bool depth) {
  if (depth) return "float";
  return what == 'f' ? "float4" : what == 'h' ? "half4" : what == 'i' ? "int4" : "uint4";
}

static bool suits(const struct run *r, struct format f) {
  if (!fits(r->kind, f)) return false;
  if (r->what == 'f' || r->what == 'h') return format_is_float(f.type);
  return !format_is_float(f.type) && format_is_signed(f.type) == (r->what == 'i');
}

/* Samplers that the specification defines for the coordinates. */
static bool allowed(const struct run *r, uint32_t sampler) {
  uint32_t address = sampler & ADDRESS;
  if (!r->float_coordinate) return address <= CLAMP && !(sampler & NORMALIZED) && !(sampler & LINEAR);
  if (address > CLAMP && !(sampler & NORMALIZED)) return false;
  if (address == ADDRESS_NONE) return false; /* what is outside is not defined: the sampler-less test */
  return !(sampler & LINEAR) || r->what == 'f' || r->what == 'h';
}

/* An image of format f through each of the samplers that are allowed. */
static void run_format(struct run *r, struct format f, const struct code *code, const uint32_t *samplers,
                       unsigned num_samplers, bool literal) {
  static union number c[ITEMS * 4];
  static _Alignas(64) uint8_t results[ITEMS * 16];
  struct made m;
  make(&m, r->kind, f);
  r->made = &m;
  for (unsigned s = 0; s < num_samplers; s++) {
    r->sampler = samplers[s];
    if (!allowed(r, r->sampler)) continue;
    if (r->float_coordinate) float_coordinates(&m, r->kind, r->sampler & NORMALIZED, c);
    else int_coordinates(&m, r->kind, false, c);
    const struct kiln_image_desc *desc = &m.desc;
    const union number *from = c;
    void *to = results;
    code_run(code, ITEMS, literal ? 3 : 4, (const void *[]){&desc, &from, &to, &r->sampler},
             (size_t[]){8, 8, 8, 4});
    check(r, c, results);
  }
  guarded_free(&m.memory);
}

static void run_reads(struct run *r, const struct code *code, const uint32_t *samplers, unsigned num_samplers,
                      bool literal) {
  for (unsigned f = 0; f < num_formats; f++)
    if (suits(r, formats[f])) run_format(r, formats[f], code, samplers, num_samplers, literal);
}

static const uint32_t addresses[] = {ADDRESS_NONE, CLAMP_TO_EDGE, CLAMP, REPEAT, MIRRORED_REPEAT};

static unsigned all_samplers(uint32_t *out) {
  unsigned n = 0;
  for (unsigned a = 0; a < 5; a++)
    for (uint32_t rest = 0; rest < 4; rest++)
      out[n++] = addresses[a] | (rest & 1 ? NORMALIZED : 0) | (rest & 2 ? LINEAR : NEAREST);
  return n;
}

static void read_source(char *source, size_t size, const struct kind *kind, char what,
                        bool float_coordinate) {
  snprintf(source, size,
           "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
           "kernel void k(read_only %s image, global const %s%s *c, global %s *r, sampler_t s) {\n"
           "  size_t i = get_global_id(0);\n  r[i] = %s(image, s, c[i]);\n}\n",
           kind->type, float_coordinate ? "float" : "int", kind->lanes, result_of(what, kind->depth),
           function_of(what));
}

static void read_with_sampler(const struct kind *kind, char what, bool float_coordinate, uint32_t width) {
  char source[1024];
  uint32_t samplers[20];
  struct run r = {.kind = kind, .what = what, .float_coordinate = float_coordinate};
  struct code code;
  read_source(source, sizeof source, kind, what, float_coordinate);
  code_make(&code, source, "-cl-std=CL3.0", width);
  run_reads(&r, &code, samplers, all_samplers(samplers), false);
  code_free(&code);
}

static void each_read(uint32_t width) {
  for (unsigned k = 0; k < BUFFER; k++)
    for (const char *what = kinds[k].depth ? "f" : "fhiu"; *what != '\0'; what++) {
      read_with_sampler(&kinds[k], *what, true, width);
      read_with_sampler(&kinds[k], *what, false, width);
    }
}

static void reads_with_samplers(void **state) { each_read(0); }
static void reads_with_samplers_scalar(void **state) { each_read(1); }

/* ---- code for one format ---- */

static struct kiln_spec spec_for(struct format f, uint32_t sampler) {
  return (struct kiln_spec){
      .offset_zero = 1, .small = 1, .opaque = {f.order << 16 | f.type, sampler | KILN_OPAQUE_SAMPLER}};
}

/* A quarter of the formats of 2D images, some of others. */
static bool is_turn(const struct kind *kind) { return below(kind == &kinds[2] ? 4 : 32) == 0; }

/* Code that knows the format, and code that knows the sampler, too. */
static void read_known(struct run *r, const struct program *program, struct format f) {
  uint32_t samplers[20], n = all_samplers(samplers), *one = &samplers[below(n)];
  struct kiln_spec spec = spec_for(f, *one);
  struct code code;
  code_of(&code, program, &spec);
  run_format(r, f, &code, one, 1, false);
  code_free(&code);
  spec.opaque[1] = 0;
  code_of(&code, program, &spec);
  run_format(r, f, &code, samplers, n, false);
  code_free(&code);
}

static void reads_of_known_formats(void **state) {
  for (unsigned k = 0; k < BUFFER; k++)
    for (const char *what = kinds[k].depth ? "f" : "fhiu"; *what != '\0'; what++) {
      char source[1024];
      struct run r = {.kind = &kinds[k], .what = *what, .float_coordinate = below(4) != 0};
      struct program program;
      read_source(source, sizeof source, &kinds[k], *what, r.float_coordinate);
      program_make(&program, source, "-cl-std=CL3.0");
      for (unsigned f = 0; f < num_formats; f++)
        if (suits(&r, formats[f]) && is_turn(&kinds[k])) read_known(&r, &program, formats[f]);
      program_free(&program);
    }
}

/* Program scope, kernel scope; each is a constant when the code is made. */
static void reads_with_literal_samplers(void **state) {
  uint32_t samplers[20];
  unsigned n = all_samplers(samplers);
  struct run r = {.kind = &kinds[2], .what = 'f', .float_coordinate = true};
  for (unsigned s = 0; s < n; s++) {
    char source[1024];
    struct code code;
    if (!allowed(&r, samplers[s])) continue;
    snprintf(
        source, sizeof source,
        "const sampler_t outer = %u;\n"
        "float4 get(read_only image2d_t image, sampler_t s, float2 c) { return read_imagef(image, s, c); }\n"
        "kernel void k(read_only image2d_t image, global const float2 *c, global float4 *r) {\n"
        "  const sampler_t inner = %u;\n  size_t i = get_global_id(0);\n"
        "  r[i] = i & 1 ? get(image, outer, c[i]) : get(image, inner, c[i]);\n}\n",
        samplers[s], samplers[s]);
    code_make(&code, source, s % 2 ? "" : "-cl-std=CL2.0", 0);
    run_reads(&r, &code, &samplers[s], 1, true);
    code_free(&code);
  }
}

static void fetch(const struct kind *kind, char what, const char *access, uint32_t width) {
  char source[1024];
  uint32_t sampler = ADDRESS_NONE | NEAREST;
  struct run r = {.kind = kind, .what = what, .float_coordinate = false};
  struct code code;
  snprintf(source, sizeof source,
           "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
           "kernel void k(%s %s image, global const int%s *c, global %s *r) {\n"
           "  size_t i = get_global_id(0);\n  r[i] = %s(image, c[i]);\n}\n",
           access, kind->type, kind->lanes, result_of(what, kind->depth), function_of(what));
  code_make(&code, source, "-cl-std=CL3.0", width);
  run_reads(&r, &code, &sampler, 1, true); /* outside: not defined, here the nearest edge */
  code_free(&code);
}

static void each_fetch(uint32_t width) {
  for (unsigned k = 0; k < NUM_KINDS; k++)
    for (const char *what = kinds[k].depth ? "f" : "fhiu"; *what != '\0'; what++) {
      fetch(&kinds[k], *what, "read_only", width);
      fetch(&kinds[k], *what, "read_write", width);
    }
}

static void reads_without_sampler(void **state) { each_fetch(0); }
static void reads_without_sampler_scalar(void **state) { each_fetch(1); }

/* ---- writing ---- */

static void random_color(struct format f, char what, struct texel *t, unsigned i) {
  static const float odd_colors[] = {NAN, 2, -2, 1, -1, 0, -0.0f, 1e30f, -1e30f, 0.5f};
  for (unsigned k = 0; k < 4; k++) {
    float x = uniform(-1.2f, 1.2f);
    if (i < 10) x = odd_colors[(i + k) % 10];
    if (isnan(x) && (f.type == CL_FLOAT || f.type == CL_HALF_FLOAT)) x = 0;
    t->f[k] = x;
    t->i[k] = what == 'i' ? (int32_t)(below(1u << 31) * 2 + below(2)) >> below(32)
                          : (int64_t)((below(1u << 31) * 2 + below(2)) >> below(32));
  }
}

static void pack_color(char what, bool depth, const struct texel *t, unsigned i, void *colors) {
  for (unsigned k = 0; k < (depth ? 1u : 4u); k++) {
    unsigned at = depth ? i : 4 * i + k;
    if (what == 'f') ((float *)colors)[at] = (float)t->f[k];
    else ((uint32_t *)colors)[at] = (uint32_t)t->i[k];
  }
}

/* Each element at most once, so that order does not matter; some places are outside. */
static void distinct_places(const struct made *m, const struct kind *kind, union number *c) {
  unsigned start = below(1000);
  for (unsigned i = 0; i < ITEMS; i++, c += kind->stride) {
    unsigned long n = (i + start) % 1000;
    for (unsigned a = 0; a < kind->stride; a++) {
      unsigned size =
          a == kind->dims && kind->array ? m->desc.array_size : (unsigned)extent(m, a < 3 ? a : 2);
      if (a > kind->dims || (a == kind->dims && !kind->array)) size = 1;
      c[a].i = (int32_t)(n % size);
      n /= size;
    }
    if (n != 0) c[below(kind->dims)].i = below(2) ? -1 - (int32_t)below(1000) : 20 + (int32_t)below(1u << 30);
  }
}

static bool is_inside(const struct made *m, const struct kind *kind, const union number *c) {
  for (unsigned a = 0; a < kind->dims; a++)
    if (c[a].i < 0 || c[a].i >= (int32_t)extent(m, a)) return false;
  return true;
}

static void check_writes(const struct made *m, const struct kind *kind, const uint8_t *want) {
  unsigned size = format_size(m->image.format);
  for (size_t i = 0; i + size <= m->memory.size; i += size) {
    if (memcmp(m->memory.data + i, want + i, size) == 0) continue;
    print_error("%s order %x type %x %ux%u byte %zu:", kind->type, m->image.format.order,
                m->image.format.type, m->desc.width, m->desc.height, i);
    for (unsigned b = 0; b < size; b++) print_error(" %02x(%02x)", m->memory.data[i + b], want[i + b]);
    print_error("\n");
    fail();
  }
}

static void run_writes(const struct kind *kind, char what, struct format f, const struct code *code) {
  static union number c[ITEMS * 4];
  static _Alignas(64) uint8_t colors[ITEMS * 16];
  struct made m;
  make(&m, kind, f);
  uint8_t *want = malloc(m.memory.size);
  assert_non_null(want);
  memcpy(want, m.memory.data, m.memory.size);
  distinct_places(&m, kind, c);
  for (unsigned i = 0; i < ITEMS; i++) {
    struct texel color;
    const union number *at = c + i * kind->stride;
    random_color(f, what, &color, i);
    pack_color(what, kind->depth, &color, i, colors);
    if (!is_inside(&m, kind, at)) continue;
    int64_t index[3] = {0};
    for (unsigned a = 0; a < kind->dims; a++) index[a] = at[a].i;
    texel_write(f, &color,
                want + (image_element(&m.image, index, kind->array ? at[kind->dims].i : 0) - m.desc.data));
  }
  const struct kiln_image_desc *desc = &m.desc;
  const union number *from = c;
  const void *values = colors;
  code_run(code, ITEMS, 3, (const void *[]){&desc, &from, &values}, (size_t[]){8, 8, 8});
  check_writes(&m, kind, want);
  free(want);
  guarded_free(&m.memory);
}

static void write_source(char *source, size_t size, const struct kind *kind, char what, const char *access) {
  snprintf(source, size,
           "kernel void k(%s %s image, global const int%s *c, global const %s *v) {\n"
           "  size_t i = get_global_id(0);\n  write_image%s(image, c[i], v[i]);\n}\n",
           access, kind->type, kind->lanes, result_of(what, kind->depth),
           what == 'f'   ? "f"
           : what == 'i' ? "i"
                         : "ui");
}

/* halves: the colours go through write_imageh. */
static void write(const struct kind *kind, char what, const char *access, uint32_t width) {
  char source[1024];
  struct code code;
  struct run r = {.kind = kind, .what = what};
  write_source(source, sizeof source, kind, what, access);
  code_make(&code, source, "-cl-std=CL3.0", width);
  for (unsigned f = 0; f < num_formats; f++)
    for (unsigned round = 0; round < 3; round++)
      if (suits(&r, formats[f])) run_writes(kind, what, formats[f], &code);
  code_free(&code);
}

static void each_write(uint32_t width) {
  for (unsigned k = 0; k < NUM_KINDS; k++)
    for (const char *what = kinds[k].depth ? "f" : "fiu"; *what != '\0'; what++) {
      write(&kinds[k], *what, "write_only", width);
      write(&kinds[k], *what, "read_write", width);
    }
}

static void writes_of_known_formats(void **state) {
  for (unsigned k = 0; k < NUM_KINDS; k++)
    for (const char *what = kinds[k].depth ? "f" : "fiu"; *what != '\0'; what++) {
      char source[1024];
      struct run r = {.kind = &kinds[k], .what = *what};
      struct program program;
      write_source(source, sizeof source, &kinds[k], *what, "write_only");
      program_make(&program, source, "-cl-std=CL3.0");
      for (unsigned f = 0; f < num_formats; f++) {
        if (!suits(&r, formats[f]) || !is_turn(&kinds[k])) continue;
        struct kiln_spec spec = spec_for(formats[f], 0);
        struct code code;
        code_of(&code, &program, &spec);
        run_writes(&kinds[k], *what, formats[f], &code);
        code_free(&code);
      }
      program_free(&program);
    }
}

static void writes(void **state) { each_write(0); }
static void writes_scalar(void **state) { each_write(1); }

/* ---- asking ---- */

static void query(const struct kind *kind, const char *access) {
  char source[1024];
  struct code code;
  int32_t got[8] = {0};
  int32_t *to = got;
  struct made m;
  struct format f =
      kind->depth ? (struct format){CL_DEPTH, CL_FLOAT} : (struct format){CL_BGRA, CL_SIGNED_INT8};
  make(&m, kind, f);
  snprintf(source, sizeof source,
           "kernel void k(%s %s i, global int *r) {\n  r[0] = get_image_width(i);\n"
           "  r[1] = get_image_channel_order(i);\n  r[2] = get_image_channel_data_type(i);\n%s%s%s%s}\n",
           access, kind->type,
           kind->dims > 1 ? "  r[3] = get_image_height(i);\n  r[4] = get_image_dim(i).y;\n" : "",
           kind->dims > 2 ? "  r[5] = get_image_depth(i) + 1000 * get_image_dim(i).w;\n" : "",
           kind->array ? "  r[6] = get_image_array_size(i);\n" : "",
           kind->dims > 1 ? "  r[7] = get_image_dim(i).x;\n" : "");
  code_make(&code, source, "-cl-std=CL3.0", 0);
  const struct kiln_image_desc *desc = &m.desc;
  code_run(&code, 1, 2, (const void *[]){&desc, &to}, (size_t[]){8, 8});
  int32_t w = (int32_t)m.desc.width, h = (int32_t)m.desc.height;
  int32_t want[8] = {w,
                     (int32_t)f.order,
                     (int32_t)f.type,
                     kind->dims > 1 ? h : 0,
                     kind->dims > 1 ? h : 0,
                     kind->dims > 2 ? (int32_t)m.desc.depth : 0,
                     kind->array ? (int32_t)m.desc.array_size : 0,
                     kind->dims > 1 ? w : 0};
  assert_memory_equal(got, want, sizeof want);
  code_free(&code);
  guarded_free(&m.memory);
}

static void queries(void **state) {
  for (unsigned k = 0; k < NUM_KINDS; k++) {
    query(&kinds[k], "read_only");
    query(&kinds[k], "write_only");
    query(&kinds[k], "read_write");
  }
}

/* ---- language versions ---- */

/* Types, functions and macros that each version has: 3D writes and depth images are extensions before 2.0. */
static void versions(void **state) {
  static const char *const options[] = {"-cl-std=CL1.0", "-cl-std=CL1.1", "-cl-std=CL1.2", "",
                                        "-cl-std=CL2.0", "-cl-std=CL3.0", "-cl-std=CL3.1"};
  static const char source[] =
      "#ifndef __IMAGE_SUPPORT__\n#error no images\n#endif\n"
      "#if __OPENCL_C_VERSION__ >= 300 && !(defined __opencl_c_images && defined "
      "__opencl_c_read_write_images && "
      "defined __opencl_c_3d_image_writes)\n#error no features\n#endif\n"
      "#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable\n"
      "#pragma OPENCL EXTENSION cl_khr_depth_images : enable\n"
      "__constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n"
      "void put(write_only image3d_t out, int4 c, float4 v) { write_imagef(out, c, v); }\n"
      "kernel void k(read_only image2d_t a, image3d_t b, write_only image3d_t c, read_only image2d_depth_t "
      "d) {\n"
      "  int i = get_global_id(0);\n"
      "  float4 v = read_imagef(a, s, (float2)(i, 0)) + read_imagef(b, s, (int4)(i, 0, 0, 0));\n"
      "  v.x += read_imagef(d, s, (int2)(i, 0));\n"
      "#if __OPENCL_C_VERSION__ >= 120\n  v += read_imagef(a, (int2)(i, 0));\n#endif\n"
      "  put(c, (int4)(i, 0, 0, 0), v);\n}\n";
  const struct format rgba = {CL_RGBA, CL_FLOAT}, depth = {CL_DEPTH, CL_FLOAT};
  for (size_t o = 0; o < sizeof options / sizeof *options; o++) {
    struct made a, b, c, d;
    struct code code;
    make(&a, &kinds[2], rgba);
    make(&b, &kinds[4], rgba);
    make(&c, &kinds[4], rgba);
    make(&d, &kinds[5], depth);
    code_make(&code, source, options[o], 0);
    const void *desc[] = {&a.desc, &b.desc, &c.desc, &d.desc};
    code_run(&code, 1, 4, (const void *[]){&desc[0], &desc[1], &desc[2], &desc[3]}, (size_t[]){8, 8, 8, 8});
    float got[4], in[9];
    memcpy(got, c.desc.data, 16);
    memcpy(in, a.desc.data, 16);
    memcpy(in + 4, b.desc.data, 16);
    memcpy(in + 8, d.desc.data, 4);
    bool twice = o > 1; /* the read without a sampler came with 1.2 */
    assert_float_equal(got[0], in[0] * (twice ? 2 : 1) + in[4] + in[8], 1e-5);
    assert_float_equal(got[1], in[1] * (twice ? 2 : 1) + in[5], 1e-5);
    code_free(&code);
    guarded_free(&a.memory);
    guarded_free(&b.memory);
    guarded_free(&c.memory);
    guarded_free(&d.memory);
  }
}

/* ---- */

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_with_samplers),
      cmocka_unit_test(reads_of_known_formats),
      cmocka_unit_test(reads_with_samplers_scalar),
      cmocka_unit_test(reads_with_literal_samplers),
      cmocka_unit_test(reads_without_sampler),
      cmocka_unit_test(reads_without_sampler_scalar),
      cmocka_unit_test(writes),
      cmocka_unit_test(writes_of_known_formats),
      cmocka_unit_test(writes_scalar),
      cmocka_unit_test(queries),
      cmocka_unit_test(versions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
