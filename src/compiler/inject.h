/* Faults on demand, for tests of what contains them. */
#ifndef KILN_COMPILER_INJECT_H
#define KILN_COMPILER_INJECT_H

/* KILN_INJECT=FAULT:STAGE, FAULT one of crash, abort, hang, overflow, fatal, memory: happens when the named
 * stage of the pipeline begins. */
void kiln_inject(const char *stage);

#endif
