/* Machine code in object files. */
#ifndef KILN_COMPILER_OBJECT_FILE_H
#define KILN_COMPILER_OBJECT_FILE_H

#include <llvm-c/TargetMachine.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether callers are to know which registers functions leave alone, as no convention keeps any of vectors,
 * by makers created from now on and by LLVM's own passes. Takes a fiftieth of the time. */
void kiln_machine_know_callees(LLVMTargetMachineRef machine, bool know);

/* The passes of code generation for one machine, which stay from module to module: to set them up takes half
 * a millisecond. */
typedef struct kiln_object_maker kiln_object_maker;

/* hoists: what is the same in all turns of a loop leaves it. The machine must outlive it. NULL: the machine
 * makes no object files. To be disposed of by the caller. */
kiln_object_maker *kiln_object_maker_create(LLVMTargetMachineRef machine, bool hoists);
void kiln_object_maker_dispose(kiln_object_maker *maker); /* NULL: nothing */

/* Changes the module, which is good for nothing else then. *data_out, of the size returned in bytes, is the
 * maker's, and good until it is used again; *instructions_out: how many of the processor's are in it. */
size_t kiln_object_make(kiln_object_maker *maker, LLVMModuleRef module, const char **data_out,
                        unsigned *instructions_out);

#ifdef __cplusplus
}
#endif

#endif
