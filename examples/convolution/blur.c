/* The filter is the blur of a hand that moved to the lower right while the shutter was open: it
 * is not symmetric, so that a filter applied mirrored or transposed shows in the check. */
#include "blur.h"

#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Before scaling: strong along a line from upper left to lower right, fading along it. */
static double raw_weight(int x, int y) {
  const double across = (2.0 * x - 3.0 * y) / sqrt(13.0), along = (3.0 * x + 2.0 * y) / sqrt(13.0);
  return exp(-across * across) * (1.0 + 0.15 * along);
}

/* Weights are multiples of 1/1024 that add up to 1. A weight times an 8-bit pixel, and every sum
 * of such products, is then exact in a float: the check needs no tolerance, whatever the order
 * of the sum and whether or not multiplication and addition are fused. */
static void make_filter(float filter[BLUR_DIAMETER * BLUR_DIAMETER]) {
  double total = 0;
  for (int y = -BLUR_OFFSET; y <= BLUR_OFFSET; y++)
    for (int x = -BLUR_OFFSET; x <= BLUR_OFFSET; x++) total += raw_weight(x, y);

  float sum = 0;
  for (int i = 0; i < BLUR_DIAMETER * BLUR_DIAMETER; i++) {
    const int x = i % BLUR_DIAMETER - BLUR_OFFSET, y = i / BLUR_DIAMETER - BLUR_OFFSET;
    filter[i] = (float)round(raw_weight(x, y) / total * 1024.0) / 1024.0f;
    sum += filter[i];
  }
  filter[BLUR_DIAMETER * BLUR_DIAMETER / 2] += 1.0f - sum; /* rounding: the middle pays */
}

static void split(const struct ex_image *picture, float *planes) {
  const size_t pixels = (size_t)picture->width * (size_t)picture->height;
  for (size_t i = 0; i < pixels; i++)
    for (size_t plane = 0; plane < 3; plane++)
      planes[plane * pixels + i] = (float)picture->rgb[3 * i + plane];
}

static unsigned char to_byte(float value) { return (unsigned char)fminf(fmaxf(value + 0.5f, 0.0f), 255.0f); }

static struct ex_image join(const struct blur *blur) {
  struct ex_image picture = ex_image_new(blur->picture.width, blur->picture.height);
  const size_t pixels = blur->count / 3;
  for (size_t i = 0; i < pixels; i++)
    for (size_t plane = 0; plane < 3; plane++)
      picture.rgb[3 * i + plane] = to_byte(blur->after[plane * pixels + i]);
  return picture;
}

/* The middle of a picture, in place; its odd size makes the last work-groups reach over the edge */
static void crop(struct ex_image *picture) {
  const int width = picture->width < 203 ? picture->width : 203;
  const int height = picture->height < 149 ? picture->height : 149;
  const int left = (picture->width - width) / 2, top = (picture->height - height) / 2;
  for (int row = 0; row < height; row++) {
    const size_t from = (size_t)(top + row) * (size_t)picture->width + (size_t)left;
    memmove(picture->rgb + 3 * (size_t)row * (size_t)width, picture->rgb + 3 * from, 3 * (size_t)width);
  }
  picture->width = width;
  picture->height = height;
}

struct blur blur_open(const struct ex_options *options) {
  struct blur blur;
  const char *path = options->input ? options->input : EXAMPLES_DIR "/convolution/lake.png";
  blur.picture = ex_image_read(path);
  if (options->small) crop(&blur.picture);
  blur.count = (size_t)blur.picture.width * (size_t)blur.picture.height * 3;
  blur.before = ex_alloc(blur.count, sizeof *blur.before);
  blur.after = ex_alloc(blur.count, sizeof *blur.after);
  split(&blur.picture, blur.before);
  make_filter(blur.filter);
  return blur;
}

void blur_close(struct blur *blur) {
  free(blur->after);
  free(blur->before);
  ex_image_free(&blur->picture);
}

size_t blur_round_up(int pixels) { return ((size_t)pixels + BLUR_SIDE - 1) / BLUR_SIDE * BLUR_SIDE; }

double blur_operations(const struct blur *blur) {
  return 2.0 * BLUR_DIAMETER * BLUR_DIAMETER * (double)blur->count;
}

static int inside(int i, int size) { return i < 0 ? 0 : i < size ? i : size - 1; }

/* The definition, with every coordinate clamped to the plane. */
static float reference(const struct blur *blur, const float *plane, int x, int y) {
  const int width = blur->picture.width, height = blur->picture.height;
  const float *weight = blur->filter;
  float sum = 0;
  for (int j = -BLUR_OFFSET; j <= BLUR_OFFSET; j++) {
    const float *row = plane + (size_t)inside(y - j, height) * (size_t)width;
    for (int i = -BLUR_OFFSET; i <= BLUR_OFFSET; i++) sum += *weight++ * row[inside(x - i, width)];
  }
  return sum;
}

bool blur_is_right(const struct blur *blur) {
  const size_t width = (size_t)blur->picture.width, pixels = blur->count / 3;
  for (size_t i = 0; i < blur->count; i++) {
    const size_t plane = i / pixels, x = i % pixels % width, y = i % pixels / width;
    const float expected = reference(blur, blur->before + plane * pixels, (int)x, (int)y);
    if (blur->after[i] == expected) continue;
    printf("plane %zu, x %zu, y %zu: %g, not %g\n", plane, x, y, (double)blur->after[i], (double)expected);
    return false;
  }
  return true;
}

static bool file_holds(const char *path, const struct ex_image *picture) {
  struct ex_image read = ex_image_read(path);
  const bool same = read.width == picture->width && read.height == picture->height &&
                    memcmp(read.rgb, picture->rgb, (size_t)read.width * (size_t)read.height * 3) == 0;
  ex_image_free(&read);
  if (!same) printf("%s does not read back as it was written\n", path);
  return same;
}

bool blur_write(const struct blur *blur, const struct ex_options *options, const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s_before.png", options->output_dir, name);
  ex_image_write(path, &blur->picture);
  printf("wrote %s\n", path);

  struct ex_image after = join(blur);
  snprintf(path, sizeof path, "%s/%s_after.png", options->output_dir, name);
  ex_image_write(path, &after);
  printf("wrote %s\n", path);
  const bool same = file_holds(path, &after);
  ex_image_free(&after);
  return same;
}
