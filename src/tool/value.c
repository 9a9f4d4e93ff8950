/* Components of OpenCL C types. */
#include "tool/value.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name;
  int kind;
  size_t bytes;
} scalars[] = {
    {"unsigned char", VALUE_UNSIGNED, 1},
    {"unsigned short", VALUE_UNSIGNED, 2},
    {"unsigned int", VALUE_UNSIGNED, 4},
    {"unsigned long", VALUE_UNSIGNED, 8},
    {"char", VALUE_SIGNED, 1},
    {"uchar", VALUE_UNSIGNED, 1},
    {"short", VALUE_SIGNED, 2},
    {"ushort", VALUE_UNSIGNED, 2},
    {"int", VALUE_SIGNED, 4},
    {"uint", VALUE_UNSIGNED, 4},
    {"long", VALUE_SIGNED, 8},
    {"ulong", VALUE_UNSIGNED, 8},
    {"size_t", VALUE_UNSIGNED, 8}, /* of devices with addresses of 64 bits, as all are that this tool meets */
    {"ptrdiff_t", VALUE_SIGNED, 8},
    {"half", VALUE_FLOAT, 2},
    {"float", VALUE_FLOAT, 4},
    {"double", VALUE_FLOAT, 8},
};

bool value_type_parse(const char *name, struct value_type *out) {
  if (strncmp(name, "atomic_", 7) == 0) name += 7;
  for (size_t k = 0; k < sizeof scalars / sizeof *scalars; k++) {
    size_t length = strlen(scalars[k].name);
    if (strncmp(name, scalars[k].name, length) != 0) continue;
    char *end = (char *)(uintptr_t)name + length;
    unsigned long width = isdigit((unsigned char)*end) ? strtoul(end, &end, 10) : 1;
    if (*end != '\0' && *end != '*' && *end != ' ') continue; /* the beginning of another name */
    if (width != 1 && width != 2 && width != 3 && width != 4 && width != 8 && width != 16) continue;
    *out = (struct value_type){.kind = scalars[k].kind,
                               .bytes = scalars[k].bytes,
                               .width = (unsigned)width,
                               .stride = width == 3 ? 4 : (unsigned)width};
    snprintf(out->name, sizeof out->name, width == 1 ? "%s" : "%s%lu", scalars[k].name, width);
    return true;
  }
  return false;
}

size_t value_element_bytes(const struct value_type *type) { return type->bytes * type->stride; }

static size_t byte_offset(const struct value_type *type, size_t index) {
  return (index / type->width * type->stride + index % type->width) * type->bytes;
}

static uint64_t to_integer(long double v) {
  if (isnan(v)) return 0;
  return v >= 9223372036854775808.0L ? (uint64_t)v : (uint64_t)(int64_t)v;
}

void value_store(const struct value_type *type, void *array, size_t index, long double value) {
  uint8_t *at = (uint8_t *)array + byte_offset(type, index);
  if (type->kind == VALUE_FLOAT) {
    _Float16 h = (_Float16)value;
    float f = (float)value;
    double d = (double)value;
    memcpy(at, type->bytes == 2 ? (void *)&h : type->bytes == 4 ? (void *)&f : (void *)&d, type->bytes);
    return;
  }
  uint64_t bits = to_integer(value);
  memcpy(at, &bits, type->bytes); /* little-endian: the low bytes */
}

static long double load_float(const uint8_t *at, size_t bytes) {
  _Float16 h;
  float f;
  double d;
  if (bytes == 2) return memcpy(&h, at, 2), (long double)h;
  if (bytes == 4) return memcpy(&f, at, 4), (long double)f;
  return memcpy(&d, at, 8), (long double)d;
}

long double value_load(const struct value_type *type, const void *array, size_t index) {
  const uint8_t *at = (const uint8_t *)array + byte_offset(type, index);
  if (type->kind == VALUE_FLOAT) return load_float(at, type->bytes);
  uint64_t bits = 0;
  memcpy(&bits, at, type->bytes);
  if (type->kind == VALUE_UNSIGNED) return (long double)bits;
  unsigned shift = 64 - 8 * (unsigned)type->bytes;
  return (long double)((int64_t)(bits << shift) >> shift);
}

const char *value_text(const struct value_type *type, long double value) {
  static char text[48];
  if (type->kind != VALUE_FLOAT) snprintf(text, sizeof text, "%.0Lf", value);
  else snprintf(text, sizeof text, "%.*Lg", type->bytes == 2 ? 5 : type->bytes == 4 ? 9 : 17, value);
  return text;
}
