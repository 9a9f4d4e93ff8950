/* What a kernel should do, found out in another way: clang's own x86 code, one coroutine per work-item that stops at
 * each barrier. Shares nothing with the work-group compiler. */
#ifndef KILN_TEST_SPMD_ORACLE_H
#define KILN_TEST_SPMD_ORACLE_H

#include "test.h"

#include <llvm-c/LLJIT.h>
#include <stdbool.h>

struct oracle {
  LLVMOrcLLJITRef jit;
  void *entry;
};
void oracle_compile(struct oracle *o, const char *source, const char *kernel, const char *options);
void oracle_finish(struct oracle *o);
/* Runs the kernel with up to six arguments, pointers and integers only. Within a phase between barriers work-items
 * run in an order that depends on `seed`. False: some waited at a barrier when others had ended. */
bool oracle_run(struct oracle *o, const uint64_t args[6], const size_t global[3], const size_t local[3],
                const size_t offset[3], unsigned dim, unsigned seed);

#endif
