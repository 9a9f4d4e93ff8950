/* Arithmetic expressions of the command line: generators of buffers and expectations of results. Values are
 * long double (64-bit integers are exact); names: i (component index), n (component count), g0..g2 (global
 * size), aK[e] (argument K before the run), rK[e] (after it), aK for a scalar argument; functions: sin cos
 * tan exp log sqrt abs floor ceil round trunc min max pow mod rand(k) (0..1, same for the same k), float(x)
 * double(x) (rounding), sum(v,lo,hi,e). Operators as in C: ?: || && | ^ & == != < <= > >= << >> + - * / % ! ~
 * and unary minus. */
#ifndef KILN_TOOL_EXPR_H
#define KILN_TOOL_EXPR_H

#include <stdbool.h>
#include <stddef.h>

struct expr;

/* What names stand for; any function may be NULL. */
struct expr_scope {
  long double i, n, global[3];
  /* Value of component `index` of argument `argument`; after: once the kernel has run. false: no such thing.
   */
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
