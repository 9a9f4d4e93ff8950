/* What a device can do, as text for the front end. */
#ifndef KILN_COMPILER_DEVICE_HEADER_H
#define KILN_COMPILER_DEVICE_HEADER_H

#include "base/blob.h"
#include "compiler/compiler.h"

/* Appends the text to be included after clang's default header, for sources of language version std. */
void kiln_device_header(struct kiln_blob *out, const struct kiln_target *target, uint32_t std);

/* Appends clang's -cl-ext argument: the extensions and features that language version std itself
 * depends on. */
void kiln_device_extensions(struct kiln_blob *out, const struct kiln_target *target, uint32_t std);

#endif
