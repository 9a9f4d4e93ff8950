/* Itanium-mangled names of OpenCL builtins: parsed into types, changed, and
 * written back.
 *
 * Owns the grammar subset that clang uses for OpenCL C functions (builtin,
 * vector, pointer, qualified, atomic and named types, with substitutions).
 * Must not know LLVM, nor what any builtin does. */
#ifndef KILN_COMPILER_MANGLE_H
#define KILN_COMPILER_MANGLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  KILN_MANGLE_MAX_NODES = 48,  /* the longest builtin needs 14 */
  KILN_MANGLE_MAX_PARAMS = 16, /* async_work_group_copy_3D3D has 13 */
  KILN_MANGLE_MAX_NAME = 256
};

enum kiln_type_kind {
  KILN_TYPE_BUILTIN,   /* code holds the letters: "f", "Dh", "j" */
  KILN_TYPE_VECTOR,    /* lanes, base */
  KILN_TYPE_POINTER,   /* base */
  KILN_TYPE_QUALIFIED, /* space and cv, base */
  KILN_TYPE_ATOMIC,    /* base */
  KILN_TYPE_NAMED      /* text: an enum, struct or opaque OpenCL type */
};

enum { KILN_CV_RESTRICT = 1, KILN_CV_VOLATILE = 2, KILN_CV_CONST = 4 };

struct kiln_type {
  uint8_t kind;
  uint8_t lanes;
  uint8_t cv;
  uint8_t base;     /* index of a node; always smaller than this one's */
  int16_t space;    /* address space number, or -1 when the name has none */
  char code[4];     /* zero-terminated */
  const char *text; /* points into the parsed name */
  size_t text_len;
};

struct kiln_mangled {
  const char *name; /* source name; points into the parsed name */
  size_t name_len;
  uint8_t nnodes;
  uint8_t nparams;
  uint8_t params[KILN_MANGLE_MAX_PARAMS]; /* node indices */
  struct kiln_type nodes[KILN_MANGLE_MAX_NODES];
};

/* False when the text is no mangled function name of the subset. The result
 * points into text, which must outlive it. */
bool kiln_mangle_parse(const char *text, struct kiln_mangled *out);

/* The source name in any name, mangled or not, without the parameters. */
const char *kiln_mangle_source_name(const char *text, size_t *len_out);
bool kiln_mangle_is(const char *text, const char *source_name);

/* Number of lanes that all vector types of the parameters share; 0 when there
 * is no vector or when they differ. */
unsigned kiln_mangle_lanes(const struct kiln_mangled *m);

/* Writes the name again, with another source name, every vector of the
 * parameters replaced by its element when scalar is true. Returns the length,
 * or 0 when it does not fit. */
size_t kiln_mangle_write(const struct kiln_mangled *m, const char *name, size_t name_len, bool scalar,
                         char *buf, size_t cap);

#endif
