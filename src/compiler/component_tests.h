/* Tests of a vector's components, one after the other. */
#ifndef KILN_COMPILER_COMPONENT_TESTS_H
#define KILN_COMPILER_COMPONENT_TESTS_H

#include <llvm-c/Types.h>

/* `v.s0 == w.s0 || v.s1 == w.s1 || ...`, and the same with && and with one number for all, become a
 * comparison of the vectors: password crackers look so for a match. For code that keeps OpenCL vectors in
 * registers. */
void kiln_join_component_tests(LLVMModuleRef module);

#endif
