/* What the C and the C++ convolution share: the filter, pictures as float planes, the host
 * reference and the comparison with it. Knows no OpenCL. */
#ifndef EXAMPLES_CONVOLUTION_BLUR_H
#define EXAMPLES_CONVOLUTION_BLUR_H

#include "image.h"
#include "options.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  BLUR_SIDE = 16,                         /* the local size is BLUR_SIDE x BLUR_SIDE */
  BLUR_OFFSET = 4,                        /* the filter reaches this far to each side */
  BLUR_DIAMETER = 2 * BLUR_OFFSET + 1,    /* and has BLUR_DIAMETER^2 weights */
  BLUR_TILE = BLUR_SIDE + 2 * BLUR_OFFSET /* the local tile has BLUR_TILE^2 floats */
};

/* One job from PNG to PNG. */
struct blur {
  struct ex_image picture;
  float filter[BLUR_DIAMETER * BLUR_DIAMETER];
  size_t count;  /* floats in all three planes */
  float *before; /* `count`: the red plane, the green, the blue */
  float *after;  /* `count`, for the result */
};

/* Reads --input, or lake.png, and splits it into planes; with --small only the middle of it. */
struct blur blur_open(const struct ex_options *options);
void blur_close(struct blur *blur);

/* A global size that covers `pixels` and is a multiple of BLUR_SIDE. */
size_t blur_round_up(int pixels);

/* Floating-point operations of one run. */
double blur_operations(const struct blur *blur);

/* Checks blur->after against the host, exactly; says where it differs. */
bool blur_is_right(const struct blur *blur);

/* Writes <dir>/<name>_before.png and <name>_after.png, reads the second back and compares. */
bool blur_write(const struct blur *blur, const struct ex_options *options, const char *name);

#ifdef __cplusplus
}
#endif
#endif
