/* Functions of libraries that the linker replaces by ours (--wrap), apart from the allocator's (heap.c). */
#include "compiler/wraps.h"

/* Clang would remember the stack's bottom and later move deep recursion to threads of 8 MB, out of reach of
 * what contains a crash. Unnoted, it trusts the stack, which is the compile thread's 1 GiB. */
void __wrap__ZN5clang17noteBottomOfStackEv(void) {}
