/* Sub-group functions: their names, what is known of their results, and their code for sub-groups of one
 * work-item. A kernel that uses them is emitted as wide as its sub-groups: wider ones are one vector each
 * (lane_sub_group.c) and need no region of their own. */
#ifndef KILN_COMPILER_SPMD_SUBGROUP_H
#define KILN_COMPILER_SPMD_SUBGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Upper bits of kl_inst.sub; the lower KL_SUB_GROUP_SHIFT ones are combine.h's for reductions and scans. */
enum kl_sub_group {
  KL_SG_COMBINE,           /* reduce, scan_*, uniform or not */
  KL_SG_CLUSTERED_COMBINE, /* operand 1: cluster size */
  KL_SG_ALL,
  KL_SG_ANY,
  KL_SG_ALL_EQUAL,
  KL_SG_ELECT,
  KL_SG_BROADCAST, /* operand 1: lane */
  KL_SG_BROADCAST_FIRST,
  KL_SG_SHUFFLE, /* operand 1 of these four: lane, mask or distance */
  KL_SG_SHUFFLE_XOR,
  KL_SG_SHUFFLE_UP,
  KL_SG_SHUFFLE_DOWN,
  KL_SG_ROTATE,
  KL_SG_CLUSTERED_ROTATE, /* operand 2: cluster size */
  KL_SG_BALLOT,           /* ballots are four words, lane 0 lowest */
  KL_SG_INVERSE_BALLOT,
  KL_SG_BALLOT_BIT_EXTRACT, /* operand 1: lane */
  KL_SG_BALLOT_BIT_COUNT,
  KL_SG_BALLOT_SCAN_INCLUSIVE,
  KL_SG_BALLOT_SCAN_EXCLUSIVE,
  KL_SG_BALLOT_FIND_LSB,
  KL_SG_BALLOT_FIND_MSB,
  KL_SG_MASK_EQ,
  KL_SG_MASK_GE,
  KL_SG_MASK_GT,
  KL_SG_MASK_LE,
  KL_SG_MASK_LT
};
enum { KL_SUB_GROUP_SHIFT = 8 };

/* All work-items of a sub-group that get there get the same. */
bool kiln_sub_group_is_shared(uint16_t sub);
/* Work-items that give the same get the same. */
bool kiln_sub_group_is_plain(uint16_t sub);

/* Recognises a function's source name, which the mangled types follow. */
bool kiln_sub_group_parse(const char *name, size_t len, uint16_t *sub_out);

#endif
