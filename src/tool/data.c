/* Raw, CSV and PNG files of typed elements. */
#include "tool/data.h"

#include "tool/tool.h"

#include <ctype.h>
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool ends_with(const char *path, const char *ending) {
  size_t a = strlen(path), b = strlen(ending);
  return a >= b && strcmp(path + a - b, ending) == 0;
}

static void *read_csv(const char *path, const struct value_type *type, size_t *count_out) {
  char *text = tool_read_file(path, NULL);
  if (text == NULL) return NULL;
  size_t capacity = strlen(text) / 2 + 1, n = 0;
  char *data = tool_alloc((capacity / type->width + 2) * value_element_bytes(type));
  for (char *at = text; *at != '\0';) {
    char *end;
    long double value = strtold(at, &end);
    if (end == at) at++; /* a separator or a heading */
    else value_store(type, data, n++, value), at = end;
  }
  free(text);
  *count_out = (n + type->width - 1) / type->width;
  return data;
}

static unsigned png_format(const struct value_type *type, unsigned own) {
  if (type->width == 4) return PNG_FORMAT_RGBA;
  if (type->width == 3) return PNG_FORMAT_RGB;
  return own & PNG_FORMAT_FLAG_COLOR ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
}

static void *read_png(const char *path, const struct value_type *type, size_t *count_out) {
  png_image image = {.version = PNG_IMAGE_VERSION};
  if (!png_image_begin_read_from_file(&image, path)) return tool_error("%s: %s", path, image.message), NULL;
  image.format = png_format(type, image.format);
  size_t bytes = PNG_IMAGE_SIZE(image);
  unsigned char *pixels = tool_alloc(bytes);
  if (!png_image_finish_read(&image, NULL, pixels, 0, NULL)) {
    free(pixels);
    return tool_error("%s: %s", path, image.message), NULL;
  }
  char *data = tool_alloc((bytes / type->width + 1) * value_element_bytes(type));
  for (size_t k = 0; k < bytes; k++)
    value_store(type, data, k, type->kind == VALUE_FLOAT ? pixels[k] / 255.0L : pixels[k]);
  free(pixels);
  *count_out = bytes / type->width;
  return data;
}

void *data_read(const char *path, const struct value_type *type, size_t *count_out) {
  if (ends_with(path, ".csv")) return read_csv(path, type, count_out);
  if (ends_with(path, ".png")) return read_png(path, type, count_out);
  size_t size;
  void *data = tool_read_file(path, &size);
  if (data != NULL) *count_out = size / value_element_bytes(type);
  return data;
}

static bool write_csv(const char *path, const struct value_type *type, const void *data, size_t count) {
  FILE *f = fopen(path, "w");
  if (f == NULL) return tool_error("%s cannot be written", path);
  for (size_t k = 0; k < count * type->width; k++)
    fprintf(f, "%s%c", value_text(type, value_load(type, data, k)), (k + 1) % type->width == 0 ? '\n' : ',');
  return fclose(f) == 0 || tool_error("%s cannot be written", path);
}

static unsigned char to_byte(const struct value_type *type, long double v) {
  if (type->kind == VALUE_FLOAT) v *= 255;
  return v >= 255 ? 255 : v > 0 ? (unsigned char)(v + 0.5L) : 0;
}

static bool write_png(const char *path, const struct value_type *type, const void *data, size_t count,
                      size_t width) {
  if (width == 0) width = (size_t)sqrt((double)count);
  if (width == 0 || count % width != 0)
    return tool_error("%s: %zu pixels make no rows of %zu", path, count, width);
  png_image image = {
      .version = PNG_IMAGE_VERSION, .width = (png_uint_32)width, .height = (png_uint_32)(count / width)};
  image.format = type->width == 4   ? PNG_FORMAT_RGBA
                 : type->width == 3 ? PNG_FORMAT_RGB
                 : type->width == 2 ? PNG_FORMAT_GA
                                    : PNG_FORMAT_GRAY;
  size_t bytes = count * type->width;
  unsigned char *pixels = tool_alloc(bytes);
  for (size_t k = 0; k < bytes; k++) pixels[k] = to_byte(type, value_load(type, data, k));
  bool ok = type->width <= 4 && png_image_write_to_file(&image, path, 0, pixels, 0, NULL);
  free(pixels);
  return ok || tool_error("%s: %s", path, type->width <= 4 ? image.message : "a PNG has at most 4 channels");
}

bool data_write(const char *path, const struct value_type *type, const void *data, size_t count,
                size_t pixels_per_row) {
  if (ends_with(path, ".csv")) return write_csv(path, type, data, count);
  if (ends_with(path, ".png")) return write_png(path, type, data, count, pixels_per_row);
  return tool_write_file(path, data, count * value_element_bytes(type));
}
