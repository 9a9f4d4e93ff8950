/* Arithmetic expressions of the command line: generators of buffers and expectations of results. Values are
 * long double (64-bit integers are exact). Names: i (component index), n (component count), g0..g2 (global
 * size), aK[e] (argument K before the run), rK[e] (after it), aK for a scalar argument, pi, inf, nan.
 * Functions: sin cos tan asin acos atan exp exp2 log log2 sqrt cbrt erf abs floor ceil round trunc min max
 * pow mod atan2; float double int uint round or wrap to the type; rand(k) is in [0, 1) and the same for the
 * same k; sum(v, lo, hi, e) adds e for v from lo up to but without hi; loop(count, x=start:next, ..., result)
 * changes its variables together, count times. Operators as in C: ?: || && | ^ & == != < <= > >= << >> + - *
 * / % and unary - ! ~. */
#ifndef KILN_TOOL_EXPR_H
#define KILN_TOOL_EXPR_H

#include <stdbool.h>

struct expr;

/* What names stand for. */
struct expr_scope {
  long double i, n, global[3];
  /* Value of component `index` of argument `argument`; after: once the kernel has run. false after an error
   * message: no such thing. May be NULL: there are no arguments. */
  bool (*argument)(const struct expr_scope *scope, unsigned argument, bool after, long double index,
                   long double *out);
  const void *user;
};

/* NULL after an error message that shows the place. Owned by the caller: expr_free. */
struct expr *expr_parse(const char *text);
void expr_free(struct expr *e);
/* false after an error message (unknown argument, index out of range). */
bool expr_eval(const struct expr *e, const struct expr_scope *scope, long double *out);

#endif
