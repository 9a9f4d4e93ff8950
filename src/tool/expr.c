/* Evaluation of the command line's expressions. */
#include "tool/expr.h"

#include "tool/expr_node.h"
#include "tool/tool.h"

#include <stdint.h>

struct run {
  const struct expr_scope *scope;
  bool failed;
  long double variables[EXPR_MAX_VARIABLES];
};

static long double eval(const struct expr *e, struct run *run);

static int64_t integer(long double x) {
  return x >= 9223372036854775808.0L ? (int64_t)(uint64_t)x : (int64_t)x;
}

static long double eval_argument(const struct expr *e, struct run *run) {
  const struct expr_scope *s = run->scope;
  long double index = e->count > 0 ? eval(e->child[0], run) : 0, value = 0;
  if (run->failed) return 0;
  if (s->argument != NULL) run->failed = !s->argument(s, e->slot, e->after, index, &value);
  else run->failed = !tool_error("expression: argument a%u cannot be used here", e->slot);
  return value;
}

static long double eval_sum(const struct expr *e, struct run *run) {
  long double high = eval(e->child[1], run), total = 0;
  for (long double v = eval(e->child[0], run); v < high && !run->failed; v++) {
    run->variables[e->slot] = v;
    total += eval(e->child[2], run);
  }
  return total;
}

static long double eval_loop(const struct expr *e, struct run *run) {
  unsigned variables = (e->count - 2) / 2;
  long double *own = &run->variables[e->slot], next[EXPR_MAX_VARIABLES] = {0};
  long double rounds = eval(e->child[0], run);
  for (unsigned k = 0; k < variables; k++) own[k] = eval(e->child[1 + 2 * k], run);
  for (long double round = 0; round < rounds && !run->failed; round++) {
    for (unsigned k = 0; k < variables; k++) next[k] = eval(e->child[2 + 2 * k], run);
    for (unsigned k = 0; k < variables; k++) own[k] = next[k];
  }
  return eval(e->child[e->count - 1], run);
}

static long double eval_logic(enum expr_op op, long double a, long double b) {
  switch (op) {
  case EXPR_EQUAL:
    return a == b;
  case EXPR_UNEQUAL:
    return a != b;
  case EXPR_LESS:
    return a < b;
  case EXPR_LESS_EQUAL:
    return a <= b;
  case EXPR_GREATER:
    return a > b;
  default:
    return a >= b;
  }
}

static long double eval_bits(enum expr_op op, int64_t a, int64_t b) {
  switch (op) {
  case EXPR_BIT_OR:
    return (long double)(a | b);
  case EXPR_BIT_XOR:
    return (long double)(a ^ b);
  case EXPR_BIT_AND:
    return (long double)(a & b);
  case EXPR_SHIFT_LEFT:
    return (long double)(int64_t)((uint64_t)a << (b & 63));
  case EXPR_SHIFT_RIGHT:
    return (long double)(a >> (b & 63));
  default:
    return b == 0 ? 0 : b == -1 ? 0 : (long double)(a % b); /* the least integer has no remainder by -1 */
  }
}

static long double eval_binary(const struct expr *e, struct run *run) {
  long double a = eval(e->child[0], run);
  if (e->op == EXPR_OR) return a != 0 || eval(e->child[1], run) != 0;
  if (e->op == EXPR_AND) return a != 0 && eval(e->child[1], run) != 0;
  long double b = eval(e->child[1], run);
  switch (e->op) {
  case EXPR_ADD:
    return a + b;
  case EXPR_SUBTRACT:
    return a - b;
  case EXPR_MULTIPLY:
    return a * b;
  case EXPR_DIVIDE:
    return a / b;
  case EXPR_BIT_OR:
  case EXPR_BIT_XOR:
  case EXPR_BIT_AND:
  case EXPR_SHIFT_LEFT:
  case EXPR_SHIFT_RIGHT:
  case EXPR_REMAINDER:
    return eval_bits(e->op, integer(a), integer(b));
  default:
    return eval_logic(e->op, a, b);
  }
}

static long double eval(const struct expr *e, struct run *run) {
  if (run->failed) return 0;
  switch (e->op) {
  case EXPR_NUMBER:
    return e->number;
  case EXPR_INDEX:
    return run->scope->i;
  case EXPR_COUNT:
    return run->scope->n;
  case EXPR_GLOBAL:
    return run->scope->global[e->slot];
  case EXPR_VARIABLE:
    return run->variables[e->slot];
  case EXPR_ARGUMENT:
    return eval_argument(e, run);
  case EXPR_NEGATE:
    return -eval(e->child[0], run);
  case EXPR_NOT:
    return eval(e->child[0], run) == 0;
  case EXPR_COMPLEMENT:
    return (long double)~integer(eval(e->child[0], run));
  case EXPR_CALL1:
    return e->call1(eval(e->child[0], run));
  case EXPR_CALL2: {
    long double first = eval(e->child[0], run);
    return e->call2(first, eval(e->child[1], run));
  }
  case EXPR_SUM:
    return eval_sum(e, run);
  case EXPR_LOOP:
    return eval_loop(e, run);
  case EXPR_IF:
    return eval(e->child[eval(e->child[0], run) != 0 ? 1 : 2], run);
  default:
    return eval_binary(e, run);
  }
}

bool expr_eval(const struct expr *e, const struct expr_scope *scope, long double *out) {
  struct run run; /* variables are set before they are read: no time for them here */
  run.scope = scope;
  run.failed = false;
  *out = eval(e, &run);
  return !run.failed;
}
