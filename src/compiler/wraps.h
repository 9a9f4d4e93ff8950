/* Names that --wrap gives to functions of clang and libc. */
#ifndef KILN_COMPILER_WRAPS_H
#define KILN_COMPILER_WRAPS_H

void __wrap__ZN5clang17noteBottomOfStackEv(void);

#endif
