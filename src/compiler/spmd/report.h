/* What became of each instruction when work-items became lanes, for `kiln run --explain` and -kiln-explain.
 */
#ifndef KILN_COMPILER_SPMD_REPORT_H
#define KILN_COMPILER_SPMD_REPORT_H

#include "compiler/spmd/ir.h"

enum kl_fate {
  KL_FATE_NONE,
  KL_FATE_ONCE,     /* one scalar for all lanes, or the first lane's and a known step */
  KL_FATE_VECTOR,   /* a vector instruction */
  KL_FATE_SHARED,   /* memory: one address for all lanes */
  KL_FATE_ROW,      /* consecutive addresses */
  KL_FATE_REVERSED, /* the same, downwards */
  KL_FATE_PITCH,    /* `pitch` elements from lane to lane: whole rows and shuffles */
  KL_FATE_APART,    /* the same, each lane's by itself and a transposition */
  KL_FATE_RECORD,   /* some elements side by side, anywhere, and a transposition */
  KL_FATE_STEPS,    /* one address for several lanes side by side: fewer elements, and a shuffle */
  KL_FATE_OWN,      /* a private object that lies lane by lane */
  KL_FATE_TABLE,    /* a small constant table, which lies in registers */
  KL_FATE_FAR,      /* a known distance, too long for rows: an address for each lane */
  KL_FATE_ANY,      /* an address for each lane */
  KL_FATE_LANES,    /* scalar code, for one lane after the other */
  KL_FATE_JOINT,    /* an atomic: one for all lanes */
  KL_FATE_TALLY,    /* an atomic: in a table of the thread (tally.h), where the launch is large */
  KL_FATE_PARTED    /* a branch that lanes take differently: both sides run, under masks */
};

struct kl_note {
  enum kl_fate fate;
  bool masked;  /* only some lanes do it */
  bool checked; /* the form holds while an index does not wrap or leave its range, which is tested */
  uint32_t pitch;
  const char *why; /* NULL, or a reason; static text */
};

/* The notes of a function's instructions. */
struct kl_function_notes {
  struct kl_function_notes *next;
  const struct kl_func *f;
  struct kl_note *note;
};

/* The notes of a kernel and of what it calls, in the arena of env; {env} has none yet. */
struct kl_report {
  struct kl_env *env;
  struct kl_function_notes *functions;
};
/* The first note of an instruction of f stays: full vectors come first, what is left over later. r may be
 * NULL. */
void kiln_report_put(struct kl_report *r, const struct kl_func *f, uint32_t inst, struct kl_note note);
/* A line of text for each source line, "FILE:LINE: what, what\n", in order; "" without source positions.
 * kiln_alloc; NULL without memory. */
char *kiln_report_text(const struct kl_report *r);

#endif
