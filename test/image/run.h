/* Kernels with images, without the API: the compiler, the loader and descriptors made by hand. */
#ifndef KILN_TEST_IMAGE_RUN_H
#define KILN_TEST_IMAGE_RUN_H

#include "compiler/compiler.h"

#include "base/image_desc.h"

#include <stddef.h>

struct program {
  struct kiln_reply reply;
  const char *options;
};

struct code {
  struct kiln_code *code;
  uint32_t offsets[8]; /* of the arguments */
};

/* Ends the test with the log if the source does not build. */
void program_make(struct program *program, const char *source, const char *options);
void program_free(struct program *program);
/* Kernel "k". */
void code_of(struct code *code, const struct program *program, const struct kiln_spec *spec);
/* Kernel "k" of the source, for vectors of `width` work-items (0: as the compiler likes); ends the test with
 * the log if it does not build. */
void code_make(struct code *code, const char *source, const char *options, uint32_t width);
void code_free(struct code *code);

/* Runs n work-items in one dimension. args: as many pointers to values as the kernel has arguments, each of
 * sizes[k] bytes. */
void code_run(const struct code *code, size_t n, unsigned count, const void *const *args,
              const size_t *sizes);

/* Memory whose neighbouring pages cannot be touched: `size` bytes that end where the first of them begins,
 * or, at_start, begin where one ends. */
struct guarded {
  uint8_t *data, *pages;
  size_t size, mapped;
};
void guarded_make(struct guarded *g, size_t size, int at_start);
void guarded_free(struct guarded *g);

#endif
