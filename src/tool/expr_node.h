/* The tree between the parser of expressions and their evaluation. */
#ifndef KILN_TOOL_EXPR_NODE_H
#define KILN_TOOL_EXPR_NODE_H

#include <stdbool.h>

enum { EXPR_MAX_CHILDREN = 32, EXPR_MAX_VARIABLES = 15 };

enum expr_op {
  EXPR_NUMBER,
  EXPR_INDEX,    /* i */
  EXPR_COUNT,    /* n */
  EXPR_GLOBAL,   /* g0..g2: number in `slot` */
  EXPR_VARIABLE, /* of sum or loop: number in `slot` */
  EXPR_ARGUMENT, /* aK, rK: K in `slot`; child 0 is the index, if there is one */
  EXPR_NEGATE,
  EXPR_NOT,
  EXPR_COMPLEMENT,
  EXPR_CALL1,
  EXPR_CALL2,
  EXPR_SUM,  /* variable in `slot`; children: from, to, term */
  EXPR_LOOP, /* variables from `slot` on; children: count, then start and next of each, then the result */
  EXPR_IF,
  EXPR_OR,
  EXPR_AND,
  EXPR_BIT_OR,
  EXPR_BIT_XOR,
  EXPR_BIT_AND,
  EXPR_EQUAL,
  EXPR_UNEQUAL,
  EXPR_LESS,
  EXPR_LESS_EQUAL,
  EXPR_GREATER,
  EXPR_GREATER_EQUAL,
  EXPR_SHIFT_LEFT,
  EXPR_SHIFT_RIGHT,
  EXPR_ADD,
  EXPR_SUBTRACT,
  EXPR_MULTIPLY,
  EXPR_DIVIDE,
  EXPR_REMAINDER
};

struct expr {
  enum expr_op op;
  unsigned slot;
  bool after; /* EXPR_ARGUMENT: rK, not aK */
  long double number;
  long double (*call1)(long double);
  long double (*call2)(long double, long double);
  unsigned count;
  struct expr *child[EXPR_MAX_CHILDREN];
};

#endif
