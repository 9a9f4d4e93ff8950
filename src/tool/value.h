/* OpenCL C scalar and vector types as the tool stores them, one component at a time. */
#ifndef KILN_TOOL_VALUE_H
#define KILN_TOOL_VALUE_H

#include <stdbool.h>
#include <stddef.h>

struct value_type {
  char name[24];
  enum { VALUE_SIGNED, VALUE_UNSIGNED, VALUE_FLOAT } kind;
  size_t bytes;    /* of a component */
  unsigned width;  /* components that hold values: 1, 2, 3, 4, 8, 16 */
  unsigned stride; /* components an element takes: width, 4 for 3 */
};

/* "float4", "uchar", "unsigned int"; false if it is no scalar or vector type (a struct, say). */
bool value_type_parse(const char *name, struct value_type *out);
size_t value_element_bytes(const struct value_type *type);
/* Component `index` counts values only: component 3 of float3[2] is the first of element 1. */
void value_store(const struct value_type *type, void *array, size_t index, long double value);
long double value_load(const struct value_type *type, const void *array, size_t index);
/* Shortest text that tells the value, into a static buffer. */
const char *value_text(const struct value_type *type, long double value);

#endif
