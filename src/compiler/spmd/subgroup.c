/* Sub-group functions; see subgroup.h. */
#include "compiler/spmd/subgroup.h"

#include "compiler/spmd/combine.h"
#include "compiler/spmd/emit.h"

#include <string.h>

/* ---- names ---- */

static const struct row {
  const char *name;
  enum kl_sub_group what;
} rows[] = {
    {"sub_group_all", KL_SG_ALL},
    {"sub_group_any", KL_SG_ANY},
    {"sub_group_non_uniform_all", KL_SG_ALL},
    {"sub_group_non_uniform_any", KL_SG_ANY},
    {"sub_group_non_uniform_all_equal", KL_SG_ALL_EQUAL},
    {"sub_group_elect", KL_SG_ELECT},
    {"sub_group_broadcast", KL_SG_BROADCAST},
    {"sub_group_non_uniform_broadcast", KL_SG_BROADCAST},
    {"sub_group_broadcast_first", KL_SG_BROADCAST_FIRST},
    {"sub_group_shuffle", KL_SG_SHUFFLE},
    {"sub_group_shuffle_xor", KL_SG_SHUFFLE_XOR},
    {"sub_group_shuffle_up", KL_SG_SHUFFLE_UP},
    {"sub_group_shuffle_down", KL_SG_SHUFFLE_DOWN},
    {"sub_group_rotate", KL_SG_ROTATE},
    {"sub_group_clustered_rotate", KL_SG_CLUSTERED_ROTATE},
    {"sub_group_ballot", KL_SG_BALLOT},
    {"sub_group_inverse_ballot", KL_SG_INVERSE_BALLOT},
    {"sub_group_ballot_bit_extract", KL_SG_BALLOT_BIT_EXTRACT},
    {"sub_group_ballot_bit_count", KL_SG_BALLOT_BIT_COUNT},
    {"sub_group_ballot_inclusive_scan", KL_SG_BALLOT_SCAN_INCLUSIVE},
    {"sub_group_ballot_exclusive_scan", KL_SG_BALLOT_SCAN_EXCLUSIVE},
    {"sub_group_ballot_find_lsb", KL_SG_BALLOT_FIND_LSB},
    {"sub_group_ballot_find_msb", KL_SG_BALLOT_FIND_MSB},
    {"get_sub_group_eq_mask", KL_SG_MASK_EQ},
    {"get_sub_group_ge_mask", KL_SG_MASK_GE},
    {"get_sub_group_gt_mask", KL_SG_MASK_GT},
    {"get_sub_group_le_mask", KL_SG_MASK_LE},
    {"get_sub_group_lt_mask", KL_SG_MASK_LT},
};

/* "sub_group_", "sub_group_non_uniform_" or "sub_group_clustered_" and a reduction or scan. */
static bool parse_combine(const char *name, size_t len, uint16_t *sub_out) {
  static const char *const prefixes[] = {"sub_group_clustered_", "sub_group_non_uniform_", "sub_group_"};
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
    size_t n = strlen(prefixes[i]);
    uint16_t sub;
    if (len <= n || memcmp(name, prefixes[i], n) != 0) continue;
    if (!kiln_combine_parse(name + n, len - n, &sub)) continue;
    *sub_out = (uint16_t)(sub | (i == 0 ? KL_SG_CLUSTERED_COMBINE : KL_SG_COMBINE) << KL_SUB_GROUP_SHIFT);
    return true;
  }
  return false;
}

bool kiln_sub_group_parse(const char *name, size_t len, uint16_t *sub_out) {
  if (parse_combine(name, len, sub_out)) return true;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (strlen(rows[i].name) == len && memcmp(rows[i].name, name, len) == 0) {
      *sub_out = (uint16_t)(rows[i].what << KL_SUB_GROUP_SHIFT);
      return true;
    }
  return false;
}

/* ---- results ---- */

static enum kl_sub_group what_of(uint16_t sub) { return (enum kl_sub_group)(sub >> KL_SUB_GROUP_SHIFT); }

bool kiln_sub_group_is_shared(uint16_t sub) {
  switch (what_of(sub)) {
  case KL_SG_COMBINE:
    return kl_form_of(sub) == KL_REDUCE;
  case KL_SG_ALL:
  case KL_SG_ANY:
  case KL_SG_ALL_EQUAL:
  case KL_SG_BROADCAST:
  case KL_SG_BROADCAST_FIRST:
  case KL_SG_BALLOT:
    return true;
  default:
    return false;
  }
}

bool kiln_sub_group_is_plain(uint16_t sub) {
  switch (what_of(sub)) {
  case KL_SG_BALLOT_BIT_EXTRACT:
  case KL_SG_BALLOT_BIT_COUNT:
  case KL_SG_BALLOT_FIND_LSB:
  case KL_SG_BALLOT_FIND_MSB:
    return true;
  default:
    return false;
  }
}

/* ---- one work-item ---- */

static LLVMValueRef operand(struct kl_emit *e, uint32_t i, uint32_t k) {
  return kiln_emit_operand(e, kl_operand(e->f, i, k));
}

static LLVMValueRef truth(struct kl_emit *e, LLVMValueRef x, LLVMTypeRef type) {
  LLVMValueRef is = LLVMBuildICmp(e->b, LLVMIntNE, x, LLVMConstNull(LLVMTypeOf(x)), "");
  return LLVMBuildZExt(e->b, is, type, "");
}

static LLVMValueRef combine_one(struct kl_emit *e, uint32_t i, uint16_t sub) {
  LLVMValueRef x = operand(e, i, 0);
  if (kl_form_of(sub) == KL_SCAN_EXCLUSIVE) return kiln_combine_identity(sub, LLVMTypeOf(x));
  return kiln_combine_operand(e->b, sub, x);
}

/* A ballot with lane 0's bit in the first word. */
static LLVMValueRef ballot_of(struct kl_emit *e, LLVMTypeRef type, LLVMValueRef bit) {
  LLVMValueRef zero = LLVMConstNull(type), first = LLVMConstInt(e->map->i32, 0, false);
  return LLVMBuildInsertElement(e->b, zero, bit, first, "");
}

static LLVMValueRef ballot_bit(struct kl_emit *e, uint32_t i, LLVMValueRef lane) {
  LLVMValueRef zero = LLVMConstInt(e->map->i32, 0, false), one = LLVMConstInt(e->map->i32, 1, false);
  LLVMValueRef word = LLVMBuildExtractElement(e->b, operand(e, i, 0), zero, "");
  if (lane != NULL)
    word = LLVMBuildLShr(e->b, word, LLVMBuildAnd(e->b, lane, LLVMConstInt(e->map->i32, 31, false), ""), "");
  return LLVMBuildAnd(e->b, word, one, "");
}

static LLVMValueRef sub_group_one(struct kl_emit *e, uint32_t i, LLVMTypeRef type) {
  uint16_t sub = e->f->inst[i].sub;
  LLVMValueRef one = LLVMConstInt(e->map->i32, 1, false);
  switch (what_of(sub)) {
  case KL_SG_COMBINE:
  case KL_SG_CLUSTERED_COMBINE:
    return combine_one(e, i, sub);
  case KL_SG_ALL:
  case KL_SG_ANY:
    return truth(e, operand(e, i, 0), type);
  case KL_SG_ALL_EQUAL:
  case KL_SG_ELECT:
    return one;
  case KL_SG_BALLOT:
    return ballot_of(e, type, truth(e, operand(e, i, 0), e->map->i32));
  case KL_SG_BALLOT_BIT_EXTRACT:
    return ballot_bit(e, i, operand(e, i, 1));
  case KL_SG_INVERSE_BALLOT:
  case KL_SG_BALLOT_BIT_COUNT:
  case KL_SG_BALLOT_SCAN_INCLUSIVE:
    return ballot_bit(e, i, NULL);
  case KL_SG_BALLOT_SCAN_EXCLUSIVE:
  case KL_SG_BALLOT_FIND_LSB:
  case KL_SG_BALLOT_FIND_MSB:
  case KL_SG_MASK_GT:
  case KL_SG_MASK_LT:
    return LLVMConstNull(type);
  case KL_SG_MASK_EQ:
  case KL_SG_MASK_GE:
  case KL_SG_MASK_LE:
    return ballot_of(e, type, one);
  default: /* broadcasts, shuffles, rotations */
    return operand(e, i, 0);
  }
}

void kiln_emit_sub_group(struct kl_emit *e, uint32_t i) {
  LLVMTypeRef type = kiln_map_type(e->map, LLVMTypeOf(e->f->inst[i].v));
  kiln_emit_define(e, i, sub_group_one(e, i, type));
}
