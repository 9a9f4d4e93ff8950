/* How values of several work-items become one: the operations of reductions and scans, and the collectives
 * that use them. Knows no functions, groups or regions. */
#ifndef KILN_COMPILER_SPMD_COMBINE_H
#define KILN_COMPILER_SPMD_COMBINE_H

#include <llvm-c/Types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kl_combine {
  KL_ADD,
  KL_MUL,
  KL_MIN,
  KL_MAX,
  KL_AND,
  KL_OR,
  KL_XOR,
  KL_LOGICAL_AND, /* these three take and give truth values as integers */
  KL_LOGICAL_OR,
  KL_LOGICAL_XOR
};

/* What kl_inst.sub of a collective is made of: form | combine << KL_COMBINE_SHIFT, and KL_COMBINE_UNSIGNED.
 */
enum kl_form { KL_REDUCE, KL_SCAN_INCLUSIVE, KL_SCAN_EXCLUSIVE, KL_BROADCAST };
enum { KL_FORM_MASK = 3, KL_COMBINE_SHIFT = 2, KL_COMBINE_MASK = 15, KL_COMBINE_UNSIGNED = 1 << 6 };

static inline enum kl_form kl_form_of(uint16_t sub) { return (enum kl_form)(sub & KL_FORM_MASK); }
static inline bool kl_is_scan(uint16_t sub) {
  return kl_form_of(sub) == KL_SCAN_INCLUSIVE || kl_form_of(sub) == KL_SCAN_EXCLUSIVE;
}

/* Recognises "reduce_add", "scan_exclusive_max" and the like; what follows in the mangled name tells the
 * type. False leaves *sub_out alone. */
bool kiln_combine_parse(const char *name, size_t len, uint16_t *sub_out);
/* The same for the names of work-group collectives. */
bool kiln_collective_parse(const char *name, size_t len, uint16_t *sub_out);

/* What changes nothing: 0 for sums, the largest value for minima. */
LLVMValueRef kiln_combine_identity(uint16_t sub, LLVMTypeRef type);
/* Of scalars, or of vectors element by element. */
LLVMValueRef kiln_combine_build(LLVMBuilderRef b, uint16_t sub, LLVMValueRef x, LLVMValueRef y);
/* x as the combination takes it: logical forms make it 0 or 1. */
LLVMValueRef kiln_combine_operand(LLVMBuilderRef b, uint16_t sub, LLVMValueRef x);

#endif
