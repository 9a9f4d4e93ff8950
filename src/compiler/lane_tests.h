/* Comparisons of lanes that several blocks ask for, made once. */
#ifndef KILN_COMPILER_LANE_TESTS_H
#define KILN_COMPILER_LANE_TESTS_H

#include <llvm-c/Types.h>

/* For processors with registers for masks, in functions of many blocks: elsewhere it is as much code. After
 * all other passes, which would look through it. */
void kiln_keep_lane_tests(LLVMModuleRef module);

#endif
