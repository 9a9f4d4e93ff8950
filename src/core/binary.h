/* Program binaries (CL_PROGRAM_BINARIES): an image and the machine code made of it so far, with a checksum.
 * Another CPU takes the image and makes its own code. */
#ifndef KILN_CORE_BINARY_H
#define KILN_CORE_BINARY_H

#include "core/build.h"
#include "core/program.h"

/* Fills build (fresh, not yet shared) from the size bytes at data. CL_INVALID_BINARY with one sentence in
 * why, or CL_OUT_OF_HOST_MEMORY. */
cl_int kiln_binary_read(const void *data, size_t size, struct kiln_build *build, char *why, size_t why_size);

/* Bytes of build's binary, 0 if it has none. The answer holds until it was copied: a variant made between the
 * two queries does not overrun the application's memory. */
cl_int kiln_binary_size(struct kiln_build *build, size_t *size_out);
/* Copies the binary of the last kiln_binary_size (or a fresh one) to out; does nothing if there is none. */
cl_int kiln_binary_copy(struct kiln_build *build, unsigned char *out);

#endif
