/* Loads across vectors that have just been stored. */
#ifndef KILN_COMPILER_STORED_ROWS_H
#define KILN_COMPILER_STORED_ROWS_H

#include <llvm-c/Types.h>

/* A load of a vector whose elements lie in two vectors that were stored shortly before becomes a shuffle of
 * them. A processor hands a load what one earlier store has written; where two have, it waits until both are
 * in the cache, for as long as a dozen additions. */
void kiln_shuffle_stored_rows(LLVMModuleRef module);

#endif
