/* What the build log says of kernels on demand (-kiln-explain), and of widths asked for in vain. */
#ifndef KILN_COMPILER_EXPLAIN_H
#define KILN_COMPILER_EXPLAIN_H

#include "compiler/pipeline.h"

/* After kernels are described: lowers a copy of each kernel as for a launch and logs what becomes of it.
 * False without memory. Nothing is done unless an option asks for it. */
bool kiln_explain(struct kiln_unit *unit);

#endif
