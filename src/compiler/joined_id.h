/* Global ids that a program puts together from group and local ids. */
#ifndef KILN_COMPILER_JOINED_ID_H
#define KILN_COMPILER_JOINED_ID_H

#include <llvm-c/Types.h>

/* Where groups are uniform: get_group_id(d) * get_local_size(d) + get_local_id(d) becomes get_global_id(d) -
 * get_global_offset(d), and get_num_groups(d) * get_local_size(d) becomes get_global_size(d), also of values
 * cut to fewer bits. Then nothing ties such a kernel to its groups. */
void kiln_join_ids(LLVMModuleRef module);

#endif
