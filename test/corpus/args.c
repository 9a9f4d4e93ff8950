/* Owns invented arguments: buffers of small numbers with guards around them, images, scalars by their types
 * and names, and how two runs' memory is compared. Must not know widths or processes. */
#include "corpus.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
  GUARD = 64 * 1024, /* bytes before and after a buffer that kernels may stray to */
  BODY = 512 * 1024, /* bytes of a buffer */
  WHOLE = BODY + 2 * GUARD,
  LOCAL = 8 * 1024,  /* bytes of a local argument */
  SIDE = 64,         /* pixels of an image in each dimension */
  DEPTH = 4,         /* slices of a 3D image, layers of an array */
  PIXEL = 16,        /* bytes */
  MOST_STRUCT = 4096 /* bytes of an argument by value */
};

/* ---- numbers ---- */

struct kind {
  const char *name;
  unsigned size;
  bool is_float;
};

static const struct kind kinds[] = {
    {"double", 8, true},  {"float", 4, true},      {"half", 2, true},    {"bool", 1, false},
    {"uchar", 1, false},  {"char", 1, false},      {"ushort", 2, false}, {"short", 2, false},
    {"uint", 4, false},   {"int", 4, false},       {"ulong", 8, false},  {"long", 8, false},
    {"size_t", 8, false}, {"ptrdiff_t", 8, false},
};

/* The scalar type that `type` (a scalar, a vector, or a pointer to either) consists of; NULL: a structure. */
static const struct kind *kind_of(const char *type) {
  size_t word = strcspn(type, "*");
  while (word > 0 && (type[word - 1] == ' ' || (type[word - 1] >= '0' && type[word - 1] <= '9'))) word--;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strlen(kinds[i].name) == word && memcmp(type, kinds[i].name, word) == 0) return &kinds[i];
  return NULL;
}

static uint32_t next_random(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 12;
}

static uint16_t small_half(uint32_t r) { return (uint16_t)(0x3800 + (r & 0x7ff)); } /* 0.5 to 2 */

static void put_number(unsigned char *at, const struct kind *kind, uint32_t r, enum effort effort) {
  const bool is_truth = kind != NULL && strcmp(kind->name, "bool") == 0;
  uint64_t integer = effort == GENTLE || is_truth ? r % 2 : r % 16;
  float f = 0.25f + (float)(r % 97) / 64;
  double d = f;
  uint16_t h = small_half(r);
  if (kind == NULL || !kind->is_float) memcpy(at, &integer, kind == NULL ? 4 : kind->size);
  else if (kind->size == 8) memcpy(at, &d, 8);
  else if (kind->size == 4) memcpy(at, &f, 4);
  else memcpy(at, &h, 2);
}

static void fill(unsigned char *at, size_t bytes, const struct kind *kind, uint32_t seed,
                 enum effort effort) {
  unsigned step = kind == NULL ? 4 : kind->size;
  for (size_t i = 0; i + step <= bytes; i += step) put_number(at + i, kind, next_random(&seed), effort);
}

/* ---- arguments by value ---- */

static bool has_word(const char *name, const char *const *words) {
  for (; *words != NULL; words++)
    if (strcasestr(name, *words) != NULL) return true;
  return false;
}

/* Names like ne01 and src_nb1: elements of a dimension of a tensor, and bytes between them. */
static bool is_tensor(const char *name, const char *what) {
  size_t length = strlen(name), digits = 0;
  while (digits < length && name[length - digits - 1] >= '0' && name[length - digits - 1] <= '9') digits++;
  return digits > 0 && length >= digits + 2 && memcmp(name + length - digits - 2, what, 2) == 0;
}

/* Integers that count something are larger than others, which may be exponents, levels or positions; offsets
 * of bytes keep numbers aligned; the number of a dimension is one that there is. */
static uint32_t scalar_number(const char *name, enum effort effort) {
  static const char *const counts[] = {"width",  "height", "row", "col",  "size", "num",  "count", "len",
                                       "stride", "pitch",  "dim", "elem", "_n",   "step", NULL};
  static const char *const offsets[] = {"offset", NULL};
  if (strcmp(name, "dim") == 0 || strcmp(name, "axis") == 0) return 1;
  if (is_tensor(name, "nb")) return effort == GENTLE ? 16 : 64;
  if (has_word(name, offsets)) return effort == GENTLE ? 0 : 16;
  if (effort == GENTLE) return 1;
  if (is_tensor(name, "ne")) return 32;
  return has_word(name, counts) || strlen(name) == 1 ? 128 : 2;
}

static bool set_number(cl_kernel kernel, unsigned index, const char *type, const char *name,
                       enum effort effort) {
  const struct kind *kind = kind_of(type);
  size_t digits = strcspn(type, "0123456789"), n = (size_t)atoi(type + digits);
  unsigned char value[MOST_STRUCT] = {0};
  if (kind == NULL) return false;
  if (n == 0) n = 1;
  for (size_t i = 0; i < 16; i++) {
    uint32_t number = kind->is_float ? 32 + (uint32_t)index : scalar_number(name, effort);
    if (kind->is_float) {
      put_number(value + i * kind->size, kind, number, effort);
    } else {
      uint64_t integer = number;
      memcpy(value + i * kind->size, &integer, kind->size);
    }
  }
  return clSetKernelArg(kernel, index, (n == 3 ? 4 : n) * kind->size, value) == CL_SUCCESS;
}

/* A structure: the size is the one that is accepted. */
static bool set_struct(cl_kernel kernel, unsigned index, enum effort effort) {
  unsigned char value[MOST_STRUCT];
  fill(value, sizeof value, NULL, index + 1, effort);
  for (size_t size = 1; size <= sizeof value; size++)
    if (clSetKernelArg(kernel, index, size, value) == CL_SUCCESS) return true;
  return false;
}

static bool set_sampler(cl_kernel kernel, unsigned index, const struct device *on) {
  cl_int err;
  const cl_sampler_properties wanted[] = {CL_SAMPLER_NORMALIZED_COORDS,
                                          CL_FALSE,
                                          CL_SAMPLER_ADDRESSING_MODE,
                                          CL_ADDRESS_CLAMP_TO_EDGE,
                                          CL_SAMPLER_FILTER_MODE,
                                          CL_FILTER_NEAREST,
                                          0};
  cl_sampler sampler = clCreateSamplerWithProperties(on->context, wanted, &err);
  if (err != CL_SUCCESS) return false;
  err = clSetKernelArg(kernel, index, sizeof sampler, &sampler);
  clReleaseSampler(sampler); /* the kernel has a reference */
  return err == CL_SUCCESS;
}

/* ---- memory ---- */

/* Zeroed memory at a place that depends on the argument's number alone, with nothing near it: what a kernel
 * finds far outside is then the same at every width. NULL if there is no room. */
static unsigned char *memory_new(unsigned index, size_t bytes) {
  const uintptr_t first = 0x600000000000, distance = 1u << 30;
  void *place = (void *)(first + index * distance); /* NOLINT: an address of our own choice */
  unsigned char *at =
      mmap(place, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  return at == MAP_FAILED ? NULL : at;
}

static bool set_buffer(struct argument *arg, const struct device *on, cl_kernel kernel, unsigned index,
                       enum effort effort) {
  cl_int err;
  arg->bytes = memory_new(index, WHOLE);
  if (arg->bytes == NULL) return false;
  fill(arg->bytes, WHOLE, kind_of(arg->type), index + 1, effort);
  arg->mem =
      clCreateBuffer(on->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, BODY, arg->bytes + GUARD, &err);
  return err == CL_SUCCESS && clSetKernelArg(kernel, index, sizeof arg->mem, &arg->mem) == CL_SUCCESS;
}

/* An image over a buffer of its own. */
static bool set_texels(struct argument *arg, const struct device *on, cl_kernel kernel, unsigned index,
                       const cl_image_format *format, const struct kind *kind) {
  cl_int err;
  arg->bytes = memory_new(index, WHOLE);
  if (arg->bytes == NULL) return false;
  fill(arg->bytes, WHOLE, kind, index + 1, USUAL);
  cl_mem buffer =
      clCreateBuffer(on->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, BODY, arg->bytes + GUARD, &err);
  if (err != CL_SUCCESS) return false;
  const cl_image_desc desc = {
      .image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = BODY / PIXEL, .mem_object = buffer};
  arg->mem = clCreateImage(on->context, CL_MEM_READ_WRITE, format, &desc, NULL, &err);
  clReleaseMemObject(buffer); /* the image has a reference */
  return err == CL_SUCCESS && clSetKernelArg(kernel, index, sizeof arg->mem, &arg->mem) == CL_SUCCESS;
}

static size_t image_slices(const char *type) {
  return strncmp(type, "image3d", 7) == 0 || strstr(type, "array") != NULL ? DEPTH : 1;
}

static size_t image_rows(const char *type) { return strncmp(type, "image1d", 7) == 0 ? 1 : SIDE; }

size_t argument_size(const struct argument *arg) {
  return arg->is_image ? PIXEL * SIDE * image_rows(arg->type) * image_slices(arg->type) : WHOLE;
}

static cl_image_desc image_desc(const char *type) {
  static const struct {
    const char *name;
    cl_mem_object_type type;
  } types[] = {{"image1d_array", CL_MEM_OBJECT_IMAGE1D_ARRAY},
               {"image2d_array", CL_MEM_OBJECT_IMAGE2D_ARRAY},
               {"image3d", CL_MEM_OBJECT_IMAGE3D},
               {"image1d_t", CL_MEM_OBJECT_IMAGE1D},
               {"image2d_t", CL_MEM_OBJECT_IMAGE2D}};
  cl_image_desc desc = {
      .image_width = SIDE, .image_height = SIDE, .image_depth = DEPTH, .image_array_size = DEPTH};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (strncmp(type, types[i].name, strlen(types[i].name)) == 0) desc.image_type = types[i].type;
  return desc;
}

static bool set_image(struct argument *arg, const struct device *on, cl_kernel kernel, unsigned index,
                      const char *source) {
  bool words = strstr(source, "read_imageui") != NULL || strstr(source, "write_imageui") != NULL;
  bool integers = strstr(source, "read_imagei(") != NULL;
  cl_image_format format = {CL_RGBA, words ? CL_UNSIGNED_INT32 : integers ? CL_SIGNED_INT32 : CL_FLOAT};
  if (strncmp(arg->type, "image1d_buffer_t", 16) == 0)
    return set_texels(arg, on, kernel, index, &format, &kinds[words || integers ? 8 : 1]);
  cl_image_desc desc = image_desc(arg->type);
  cl_int err;
  arg->is_image = true;
  arg->bytes = memory_new(index, argument_size(arg));
  if (desc.image_type == 0 || arg->bytes == NULL) return false;
  fill(arg->bytes, argument_size(arg), &kinds[words || integers ? 8 : 1], index + 1, USUAL);
  arg->mem =
      clCreateImage(on->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, &format, &desc, arg->bytes, &err);
  return err == CL_SUCCESS && clSetKernelArg(kernel, index, sizeof arg->mem, &arg->mem) == CL_SUCCESS;
}

/* ---- all ---- */

static bool make(struct argument *arg, const struct device *on, cl_kernel kernel, unsigned index,
                 const char *source, enum effort effort) {
  cl_kernel_arg_address_qualifier address = 0;
  char name[256] = "";
  if (clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_NAME, sizeof arg->type, arg->type, NULL) !=
      CL_SUCCESS)
    return false;
  clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_NAME, sizeof name, name, NULL);
  clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof address, &address, NULL);
  if (strncmp(arg->type, "image", 5) == 0) return set_image(arg, on, kernel, index, source);
  if (strncmp(arg->type, "sampler_t", 9) == 0) return set_sampler(kernel, index, on);
  if (address == CL_KERNEL_ARG_ADDRESS_LOCAL) return clSetKernelArg(kernel, index, LOCAL, NULL) == CL_SUCCESS;
  if (address != CL_KERNEL_ARG_ADDRESS_PRIVATE) return set_buffer(arg, on, kernel, index, effort);
  return set_number(kernel, index, arg->type, name, effort) || set_struct(kernel, index, effort);
}

bool arguments_make(struct arguments *args, const struct device *on, cl_kernel kernel, const char *source,
                    enum effort effort, const char **why_out) {
  static char why[256];
  cl_uint count = 0;
  *args = (struct arguments){0};
  clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL);
  for (cl_uint i = 0; i < count && i < MAX_ARGS; i++, args->count++)
    if (!make(&args->of[i], on, kernel, i, source, effort)) {
      snprintf(why, sizeof why, "no value for argument %u, a %.100s", i, args->of[i].type);
      *why_out = why;
      arguments_finish(args);
      return false;
    }
  return true;
}

/* Results stay. */
static void arguments_release(struct arguments *args) {
  for (unsigned i = 0; i < args->count; i++) {
    struct argument *arg = &args->of[i];
    if (arg->mem != NULL) clReleaseMemObject(arg->mem);
    if (arg->bytes != NULL) munmap(arg->bytes, argument_size(arg));
    arg->mem = NULL;
    arg->bytes = NULL;
  }
}

bool arguments_fetch(struct arguments *args, const struct device *on) {
  for (unsigned i = 0; i < args->count; i++) {
    struct argument *arg = &args->of[i];
    const size_t from[3] = {0};
    size_t size[3] = {SIDE, image_rows(arg->type), image_slices(arg->type)};
    if (strncmp(arg->type, "image1d_array", 13) == 0) size[1] = DEPTH, size[2] = 1;
    if (arg->is_image && clEnqueueReadImage(on->queue, arg->mem, CL_TRUE, from, size, 0, 0, arg->bytes, 0,
                                            NULL, NULL) != CL_SUCCESS)
      return false;
    if (arg->bytes == NULL) continue;
    arg->result = malloc(argument_size(arg));
    if (arg->result == NULL) return false;
    memcpy(arg->result, arg->bytes, argument_size(arg));
  }
  arguments_release(args);
  return true;
}

void arguments_finish(struct arguments *args) {
  if (args->count < MAX_ARGS) args->count++; /* one that is half made */
  arguments_release(args);
  for (unsigned i = 0; i < args->count; i++) free(args->of[i].result);
  *args = (struct arguments){0};
}

/* ---- comparison ---- */

static double half_number(uint16_t h) {
  int exponent = h >> 10 & 31, fraction = h & 1023;
  double size = exponent == 31  ? (fraction == 0 ? HUGE_VAL : (double)NAN)
                : exponent == 0 ? ldexp(fraction, -24)
                                : ldexp(1024 + fraction, exponent - 25);
  return h & 0x8000 ? -size : size;
}

static double number_at(const unsigned char *at, const struct kind *kind) {
  float f;
  double d;
  uint16_t h;
  if (kind->size == 8) return memcpy(&d, at, 8), d;
  if (kind->size == 4) return memcpy(&f, at, 4), (double)f;
  return memcpy(&h, at, 2), half_number(h);
}

static bool same_number(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

/* Words of structures may be anything; what would be a NaN in both is taken for one. */
static bool are_nans(const unsigned char *a, const unsigned char *b) {
  float x, y;
  memcpy(&x, a, sizeof x);
  memcpy(&y, b, sizeof y);
  return isnan(x) && isnan(y);
}

/* Components that differ, the first of them, the largest relative difference. NaNs are equal. */
static size_t differences(const struct argument *a, const struct argument *b, size_t *first_out,
                          double *most_out) {
  const struct kind *kind = a->is_image ? &kinds[1] : kind_of(a->type);
  size_t step = kind == NULL ? 4 : kind->size, count = 0;
  bool floats = kind != NULL && kind->is_float;
  *most_out = 0;
  for (size_t i = 0; i + step <= argument_size(a); i += step) {
    if (memcmp(a->result + i, b->result + i, step) == 0) continue;
    if (kind == NULL && are_nans(a->result + i, b->result + i)) continue;
    double x = floats ? number_at(a->result + i, kind) : 0, y = floats ? number_at(b->result + i, kind) : 1;
    if (floats && same_number(x, y) && signbit(x) == signbit(y)) continue;
    double most = fabs(x) > fabs(y) ? fabs(x) : fabs(y);
    double relative = isfinite(x) && isfinite(y) && most > 0 ? fabs(x - y) / most : 1;
    if (relative > *most_out) *most_out = relative;
    if (count++ == 0) *first_out = i / step;
  }
  return count;
}

bool arguments_compare(const struct arguments *expected, const struct arguments *found, char *out,
                       size_t size) {
  for (unsigned i = 0; i < expected->count; i++) {
    const struct argument *a = &expected->of[i], *b = &found->of[i];
    size_t first = 0;
    double most;
    if (a->result == NULL || memcmp(a->result, b->result, argument_size(a)) == 0) continue;
    size_t count = differences(a, b, &first, &most);
    if (count == 0) continue;
    const struct kind *kind = kind_of(a->type);
    long guard = a->is_image ? 0 : GUARD / (kind == NULL ? 4 : (long)kind->size);
    snprintf(out, size, "argument %u, a %s: %zu components, the first %ld, relative %.3g", i, a->type, count,
             (long)first - guard, most);
    return false;
  }
  return true;
}
