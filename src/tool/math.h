/* What `kiln bench math` times: functions of OpenCL C, and the same of SIMD libraries called from C. */
#ifndef KILN_TOOL_MATH_H
#define KILN_TOOL_MATH_H

#include <stdbool.h>
#include <stddef.h>

struct math_function {
  const char *name;
  const char *call; /* as OpenCL C writes it, of x and, for two arguments, y */
  const char
      *sleef; /* SLEEF's suffix: its most exact form within OpenCL's bound, "" for one without; NULL: none */
  double low, high; /* arguments are drawn from here */
  bool binary;
};
extern const struct math_function math_functions[];
extern const size_t num_math_functions;

/* A library's vector form of one function. */
struct math_vector {
  void *call;     /* NULL: it has none for this processor */
  unsigned lanes; /* of one call */
  bool is_double, binary;
};

/* SLEEF and libmvec, opened at run time: the widest form that this processor runs. */
struct math_vector math_find_sleef(const struct math_function *f, bool is_double);
struct math_vector math_find_libmvec(const struct math_function *f, bool is_double);
/* out[i] = f(x[i], y[i]) for n elements, a multiple of 16, of arrays aligned to 64 bytes. */
void math_apply(const struct math_vector *v, const void *x, const void *y, void *out, size_t n);

#endif
