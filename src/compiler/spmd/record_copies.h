/* Records copied from or to private arrays (`heap[k] = heap[c]`), member by member: an array of which every
 * access is to a member of one size can lie lane by lane (lane_object.c), and members that are numbers become
 * registers. */
#ifndef KILN_COMPILER_SPMD_RECORD_COPIES_H
#define KILN_COMPILER_SPMD_RECORD_COPIES_H

#include <llvm-c/Types.h>

/* Copies of small records, as the frontend makes them, without gaps between the members. */
void kiln_spmd_split_copies(LLVMModuleRef module);

#endif
