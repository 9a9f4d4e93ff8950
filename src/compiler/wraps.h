/* Names that --wrap gives to functions of clang, LLVM and libc. */
#ifndef KILN_COMPILER_WRAPS_H
#define KILN_COMPILER_WRAPS_H

#include <stdbool.h>

void __wrap__ZN5clang17noteBottomOfStackEv(void);
/* level: an enumeration of LLVM's */
bool __wrap__ZNK4llvm19TargetSubtargetInfo25enableRALocalReassignmentENS_15CodeGenOptLevelE(
    const void *subtarget, int level);

#endif
