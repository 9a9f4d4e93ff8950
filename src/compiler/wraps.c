/* Functions of libraries that the linker replaces by ours (--wrap), apart from the allocator's (heap.c). */
#include "compiler/wraps.h"

/* Clang would remember the stack's bottom and later move deep recursion to threads of 8 MB, out of reach of
 * what contains a crash. Unnoted, it trusts the stack, which is the compile thread's 1 GiB. */
void __wrap__ZN5clang17noteBottomOfStackEv(void) {}

/* Before it puts a value of a block in the place of another one, which is to find a place of its own, the
 * register allocator would look whether any register has room for that one: two thirds of its time where
 * more values live than there are registers. */
bool __wrap__ZNK4llvm19TargetSubtargetInfo25enableRALocalReassignmentENS_15CodeGenOptLevelE(
    const void *subtarget, int level) {
  (void)subtarget, (void)level;
  return false;
}
