/* Eight-bit RGB pictures, read from and written to PNG files by libpng. Knows no OpenCL. */
#ifndef EXAMPLES_COMMON_IMAGE_H
#define EXAMPLES_COMMON_IMAGE_H

#ifdef __cplusplus
extern "C" {
#endif

struct ex_image {
  int width, height;
  unsigned char *rgb; /* rows from the top, 3 bytes a pixel, no padding */
};

struct ex_image ex_image_new(int width, int height);
void ex_image_free(struct ex_image *image);

/* Any PNG becomes RGB; an alpha channel is laid on black. Ends the program on failure. */
struct ex_image ex_image_read(const char *path);
void ex_image_write(const char *path, const struct ex_image *image);

#ifdef __cplusplus
}
#endif
#endif
