/* Program images: what the front end or the linker makes, from the cache or from the compiler; shared by the
 * builds of all devices with equal feature tables. */
#ifndef KILN_CORE_PROGRAM_IMAGE_H
#define KILN_CORE_PROGRAM_IMAGE_H

#include "compiler/compiler.h"

#include <stdatomic.h>

struct kiln_bytes {
  uint8_t *data; /* kiln_alloc, owned */
  size_t size;
};

/* A program image and who shares it. image.hash is a hash of the image's own content, so that two sources
 * with one level-1 key and different include files do not share machine code. */
struct kiln_product {
  atomic_uint refs;
  struct kiln_program_image image;
};

/* Takes over *image (left empty) and computes its hash; NULL without memory (*image is then finished). */
struct kiln_product *kiln_product_new(struct kiln_program_image *image);
struct kiln_product *kiln_product_ref(struct kiln_product *product);
void kiln_product_unref(struct kiln_product **product);

/* Answers a COMPILE or LINK request from the cache or by the compiler. Returns enum kiln_reply_status;
 * *log_out is the build log (kiln_alloc, may be NULL without memory); *product_out is set on KILN_REPLY_OK.
 * Threads that ask for the same at the same time wait for one compile. No lock held. */
uint32_t kiln_product_make(const struct kiln_request *request, char **log_out,
                           struct kiln_product **product_out);

/* True if devices with these targets get the same image of the same source. */
bool kiln_target_same_table(const struct kiln_target *a, const struct kiln_target *b);

#endif
