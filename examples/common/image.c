/* libpng's simplified interface does all we need. */
#include "image.h"

#include "check.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

struct ex_image ex_image_new(int width, int height) {
  struct ex_image image = {width, height, NULL};
  image.rgb = ex_alloc((size_t)width * (size_t)height, 3);
  return image;
}

void ex_image_free(struct ex_image *image) {
  free(image->rgb);
  image->rgb = NULL;
}

struct ex_image ex_image_read(const char *path) {
  png_image png = {.version = PNG_IMAGE_VERSION};
  if (!png_image_begin_read_from_file(&png, path)) ex_die("%s: %s", path, png.message);
  png.format = PNG_FORMAT_RGB;
  struct ex_image image = ex_image_new((int)png.width, (int)png.height);
  const png_color black = {0, 0, 0};
  if (!png_image_finish_read(&png, &black, image.rgb, 0, NULL)) ex_die("%s: %s", path, png.message);
  return image;
}

void ex_image_write(const char *path, const struct ex_image *image) {
  png_image png = {.version = PNG_IMAGE_VERSION, .format = PNG_FORMAT_RGB};
  png.width = (png_uint_32)image->width;
  png.height = (png_uint_32)image->height;
  if (!png_image_write_to_file(&png, path, 0, image->rgb, 0, NULL)) ex_die("%s: %s", path, png.message);
}
