/* Made lake.png, the picture that the convolutions work on (900 x 600): an afternoon at a mountain
 * lake, drawn by marching rays over fractal terrain. It has what a photograph has - smooth sky,
 * fine texture, hard edges, vignetting and grain - and is the same on every run.
 *
 * Not part of the examples' run: the result is kept beside this file.
 *
 * usage: make_photo WIDTH HEIGHT FILE.png */
#include "check.h"
#include "image.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct vec {
  float x, y, z; /* right, up, away from the camera; or red, green, blue */
};

static const struct vec sun = {-0.62f, 0.42f, 0.66f}; /* of length 1, nearly */
static const struct vec eye = {0.0f, 0.22f, 0.0f};
static const float far_away = 16.0f;

static struct vec add(struct vec a, struct vec b) { return (struct vec){a.x + b.x, a.y + b.y, a.z + b.z}; }

static struct vec scale(struct vec a, float factor) {
  return (struct vec){a.x * factor, a.y * factor, a.z * factor};
}

static struct vec mix(struct vec a, struct vec b, float t) { return add(scale(a, 1.0f - t), scale(b, t)); }

static float dot(struct vec a, struct vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static struct vec unit(struct vec a) { return scale(a, 1.0f / sqrtf(dot(a, a))); }

static float smooth_step(float from, float to, float x) {
  float t = fminf(fmaxf((x - from) / (to - from), 0.0f), 1.0f);
  return t * t * (3.0f - 2.0f * t);
}

/* A number in [0, 1) that belongs to a lattice point. */
static float hash(int x, int y) {
  uint32_t h = (uint32_t)x * 0x8DA6B343u ^ (uint32_t)y * 0xD8163841u;
  h = (h ^ (h >> 15)) * 0x2C1B3C6Du;
  h = (h ^ (h >> 12)) * 0x297A2D39u;
  return (float)((h ^ (h >> 15)) >> 8) * 0x1p-24f;
}

/* Smooth noise in [0, 1). */
static float noise(float x, float y) {
  const float left = floorf(x), top = floorf(y);
  const int i = (int)left, j = (int)top;
  const float u = smooth_step(0, 1, x - left), v = smooth_step(0, 1, y - top);
  const float upper = hash(i, j) + u * (hash(i + 1, j) - hash(i, j));
  const float lower = hash(i, j + 1) + u * (hash(i + 1, j + 1) - hash(i, j + 1));
  return upper + v * (lower - upper);
}

/* Noise at many scales, each half the size and half the strength of the last, turned by about 37
 * degrees against it so that no lattice shows. About 0.5 on average. */
static float fractal(float x, float y, int octaves) {
  float sum = 0, strength = 0.5f;
  for (int i = 0; i < octaves; i++, strength *= 0.5f) {
    sum += strength * noise(x, y);
    const float turned = 1.6f * x - 1.2f * y;
    y = 1.2f * x + 1.6f * y + 17.3f;
    x = turned;
  }
  return sum;
}

/* The ground over (x, z); the lake is where it is below 0. Hills near the shores, a range of
 * mountains behind the lake. */
static float ground(float x, float z, int octaves) {
  const float rough = fractal(x * 0.9f + 3.1f, z * 0.9f + 8.2f, octaves);
  const float ridge = 1.0f - fabsf(2.0f * fractal(x * 0.35f - 4.0f, z * 0.35f + 1.0f, octaves) - 1.0f);
  const float range = smooth_step(5.0f, 11.0f, z) * (ridge * ridge * 2.9f - 0.35f);
  const float shores = 0.55f * smooth_step(0.5f, 3.2f, fabsf(x + 0.35f * sinf(z)));
  const float near = 0.30f * smooth_step(1.6f, 0.7f, z + 0.5f * x);
  return (rough - 0.5f) * 0.8f + range + shores + near - 0.22f;
}

/* The ground, computed once over the part of the world that can be seen. */
enum { MAP_COLUMNS = 2400, MAP_ROWS = 1800, MAP_POINTS_PER_UNIT = 100 };
static const float map_left = -12.0f, map_front = -1.0f;
static float *map;

static void make_map(void) {
  const float spacing = 1.0f / MAP_POINTS_PER_UNIT;
  map = ex_alloc((size_t)MAP_COLUMNS * MAP_ROWS, sizeof *map);
  for (int row = 0; row < MAP_ROWS; row++)
    for (int column = 0; column < MAP_COLUMNS; column++)
      map[row * MAP_COLUMNS + column] =
          ground(map_left + (float)column * spacing, map_front + (float)row * spacing, 8);
}

/* The ground by interpolation in the map, for all that is not close to the camera. */
static float mapped(float x, float z) {
  x = fminf(fmaxf((x - map_left) * MAP_POINTS_PER_UNIT, 0.0f), MAP_COLUMNS - 1.01f);
  z = fminf(fmaxf((z - map_front) * MAP_POINTS_PER_UNIT, 0.0f), MAP_ROWS - 1.01f);
  const int column = (int)x, row = (int)z;
  const float u = x - (float)column, v = z - (float)row;
  const float *p = map + row * MAP_COLUMNS + column;
  const float front = p[0] + u * (p[1] - p[0]);
  p += MAP_COLUMNS;
  return front + v * (p[0] + u * (p[1] - p[0]) - front);
}

/* The distance along a ray to the ground or the lake, or far_away. Steps grow with distance, as
 * a pixel covers more and more there. `detail`: not from the map where it is close. */
static float march(struct vec from, struct vec way, bool detail) {
  float before = 0.02f, step = 0.02f;
  for (float t = 0.02f; t < far_away; t += step) {
    const struct vec p = add(from, scale(way, t));
    float above = p.y - fmaxf(mapped(p.x, p.z), 0.0f);
    if (detail && t < 1.6f && above < 0.02f) above = p.y - fmaxf(ground(p.x, p.z, 10), 0.0f);
    if (above < 0.0004f * t) return 0.5f * (before + t);
    if (p.y > 3.2f && way.y >= 0) break; /* above every summit */
    before = t;
    step = fmaxf(0.35f * above, 0.0015f * t + 0.001f);
  }
  return far_away;
}

static struct vec sky(struct vec way) {
  const float height = fmaxf(way.y, 0.0f);
  struct vec colour =
      mix((struct vec){0.93f, 0.80f, 0.66f}, (struct vec){0.18f, 0.36f, 0.68f}, 1.0f - expf(-4.5f * height));
  const float cloud = fractal(way.x / (height + 0.12f) * 0.8f + 5.0f, 1.4f / (height + 0.12f), 7);
  colour = mix(colour, (struct vec){1.0f, 0.95f, 0.90f},
               0.85f * smooth_step(0.50f, 0.72f, cloud) * smooth_step(0.02f, 0.2f, height));
  const float glow = fmaxf(dot(way, sun), 0.0f);
  return add(colour, scale((struct vec){1.0f, 0.75f, 0.45f}, 0.45f * powf(glow, 24.0f)));
}

static struct vec normal_at(struct vec p, float distance) {
  const float e = 0.0015f * distance + 0.0004f;
  return unit((struct vec){ground(p.x - e, p.z, 11) - ground(p.x + e, p.z, 11), 2 * e,
                           ground(p.x, p.z - e, 11) - ground(p.x, p.z + e, 11)});
}

/* Grass, rock and snow, by height and slope. */
static struct vec material(struct vec p, struct vec normal) {
  const float fine = fractal(p.x * 55.0f, p.z * 55.0f, 4);
  const struct vec grass = mix((struct vec){0.07f, 0.11f, 0.03f}, (struct vec){0.30f, 0.27f, 0.09f},
                               fractal(p.x * 5.0f, p.z * 5.0f, 4));
  const struct vec rock = scale((struct vec){0.36f, 0.31f, 0.28f}, 0.5f + fine);
  const struct vec snow = {0.92f, 0.93f, 0.97f};
  struct vec colour = mix(rock, scale(grass, 0.45f + 1.2f * fine),
                          smooth_step(0.55f, 0.80f, normal.y) * smooth_step(1.1f, 0.7f, p.y));
  colour = mix(colour, snow,
               smooth_step(1.0f, 1.35f, p.y + 0.5f * (fine - 0.5f)) * smooth_step(0.35f, 0.60f, normal.y));
  return mix((struct vec){0.33f, 0.28f, 0.21f}, colour, smooth_step(0.005f, 0.03f, p.y));
}

static struct vec land(struct vec p, float distance) {
  const struct vec normal = normal_at(p, distance);
  const bool shaded = march(add(p, (struct vec){0, 0.004f * distance + 0.002f, 0}), sun, false) < far_away;
  const float direct = shaded ? 0.0f : fmaxf(dot(normal, sun), 0.0f);
  const struct vec light = add(scale((struct vec){1.9f, 1.55f, 1.15f}, direct),
                               scale((struct vec){0.30f, 0.38f, 0.52f}, 0.5f + 0.5f * normal.y));
  const struct vec albedo = material(p, normal);
  return (struct vec){albedo.x * light.x, albedo.y * light.y, albedo.z * light.z};
}

/* Distance turns everything into sky near the horizon. */
static struct vec haze(struct vec colour, struct vec way, float distance) {
  const struct vec air = sky(unit((struct vec){way.x, 0.04f, way.z}));
  return mix(colour, air, 1.0f - expf(-0.035f * distance));
}

/* What is seen along a ray that meets no water. */
static struct vec look_dry(struct vec from, struct vec way) {
  const float distance = march(from, way, false);
  if (distance >= far_away) return sky(way);
  return haze(land(add(from, scale(way, distance)), distance), way, distance);
}

/* Rippled water: part mirror, part dark depth, by the angle. */
static struct vec water(struct vec p, struct vec way, float distance) {
  const float e = 0.02f, x = p.x * 22.0f, z = p.z * 9.0f;
  const float strength = 0.05f / (1.0f + 0.3f * distance);
  const float here = fractal(x, z, 4);
  struct vec normal = unit((struct vec){strength * (fractal(x + e, z, 4) - here) / e, 1.0f,
                                        strength * (fractal(x, z + e, 4) - here) / e});
  struct vec mirror = add(way, scale(normal, -2.0f * dot(way, normal)));
  mirror.y = fabsf(mirror.y) + 0.002f;
  const float grazing = 1.0f + dot(way, normal);
  const float share = 0.06f + 0.94f * grazing * grazing * grazing * grazing;
  const struct vec depth = {0.02f, 0.07f, 0.08f};
  return haze(mix(depth, look_dry(p, unit(mirror)), share), way, distance);
}

static struct vec look(struct vec from, struct vec way) {
  const float distance = march(from, way, true);
  if (distance >= far_away) return sky(way);
  struct vec p = add(from, scale(way, distance));
  if (ground(p.x, p.z, 8) > 0.0015f * distance) return haze(land(p, distance), way, distance);
  p.y = 0;
  return water(p, way, distance);
}

/* Whether the branches or the trunk of a conifer of height 1, with its foot at (0, 0), hide (x, y).
 * Branches hang down a little, get sparse towards their ends and shorter towards the top. */
static bool conifer(float x, float y, int seed) {
  const float aside = fabsf(x);
  if (y < 0 || y > 1 || aside > 0.25f) return false;
  if (aside < 0.010f * (1.0f - y)) return true;
  const float whorl = (y + 0.45f * aside) * (23.0f + (float)seed) + (x < 0 ? 0.4f : 0.0f);
  const float within = whorl - floorf(whorl);
  const float length = 0.55f + 0.45f * hash((int)whorl, x < 0 ? 2 * seed : 2 * seed + 1);
  const float reach = 0.21f * powf(1.0f - y, 0.85f) * length * (1.0f - 0.55f * within);
  const float density = 1.15f - aside / (reach + 0.002f) - (y < 0.08f ? 1.0f : 0.0f);
  return density > 0.75f * fractal(x * 130.0f + (float)seed, y * 190.0f, 3);
}

/* The trees of the near shore, which stand in front of everything: (u, v) as in pixel(). */
static struct vec trees(struct vec behind, float u, float v) {
  static const float trunk[][3] = {/* u and v of the foot, height */
                                   {-0.60f, -0.56f, 0.80f}, {-0.71f, -0.60f, 1.02f}, {-0.49f, -0.58f, 0.42f},
                                   {0.67f, -0.58f, 0.58f},  {0.76f, -0.61f, 0.92f},  {0.57f, -0.60f, 0.31f}};
  for (int i = 0; i < 6; i++) {
    const float x = (u - trunk[i][0]) / trunk[i][2], y = (v - trunk[i][1]) / trunk[i][2];
    if (!conifer(x, y, i)) continue;
    const float lit = smooth_step(0.05f, -0.12f, x + 0.08f * (noise(x * 60.0f, y * 45.0f) - 0.5f));
    const float leaf = 0.35f + fractal(x * 150.0f, y * 110.0f, 3);
    return scale(mix((struct vec){0.020f, 0.032f, 0.024f}, (struct vec){0.16f, 0.16f, 0.06f}, lit), leaf);
  }
  return behind;
}

/* Linear light to a byte: exposure, a film-like shoulder, sRGB. */
static unsigned char develop(float light, float grain) {
  const float exposed = 1.0f - expf(-1.25f * powf(fmaxf(light, 0.0f), 1.25f));
  const float coded = exposed <= 0.0031308f ? 12.92f * exposed : 1.055f * powf(exposed, 1.0f / 2.4f) - 0.055f;
  return (unsigned char)fminf(fmaxf(coded * 255.0f + grain + 0.5f, 0.0f), 255.0f);
}

/* u runs from -0.75 to 0.75 for a picture of 3 to 2, v from -0.5 to 0.5. */
static struct vec pixel(float u, float v) {
  const struct vec colour = look(eye, unit((struct vec){u, v + 0.06f, 1.0f}));
  const float vignette = 1.0f - 0.38f * (u * u + v * v);
  return scale(trees(colour, u, v), vignette);
}

static void expose(struct ex_image *image, int x, int y) {
  const float size = (float)image->height;
  const float u = ((float)x + 0.5f - 0.5f * (float)image->width) / size;
  const float v = 0.5f - ((float)y + 0.5f) / size, half = 0.25f / size;
  struct vec light = add(pixel(u - half, v - half), pixel(u + half, v - half));
  light = add(light, add(pixel(u - half, v + half), pixel(u + half, v + half)));
  light = scale(light, 0.25f);
  unsigned char *rgb = image->rgb + 3 * ((size_t)y * (size_t)image->width + (size_t)x);
  const float grain = 5.0f * (hash(x, y) + hash(x + 7919, y) - 1.0f);
  rgb[0] = develop(light.x, grain + 2.0f * (hash(x, y + 1237) - 0.5f));
  rgb[1] = develop(light.y, grain);
  rgb[2] = develop(light.z, grain + 4.0f * (hash(x, y + 4409) - 0.5f));
}

int main(int argc, char **argv) {
  if (argc != 4) ex_die("usage: %s WIDTH HEIGHT FILE.png", argv[0]);
  const int width = atoi(argv[1]), height = atoi(argv[2]);
  if (width < 1 || height < 1 || width > 16384 || height > 16384) ex_die("no such size");
  struct ex_image image = ex_image_new(width, height);
  make_map();
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) expose(&image, x, y);
  ex_image_write(argv[3], &image);
  free(map);
  ex_image_free(&image);
  return 0;
}
