/* The arithmetic of some benchmark kernels, written for the machine: vectors as wide as its registers, as
 * many side by side as their latency needs, threads by OpenMP. Compiled with ROOF_RELAXED under -ffast-math,
 * and without. */
#include "roof.h"

#include <math.h>
#include <string.h>
#ifdef __AVX2__
#include <immintrin.h>
#endif

#ifdef ROOF_RELAXED
#define NAME(name) roof_##name##_relaxed
#else
#define NAME(name) roof_##name##_strict
#endif

#ifdef __AVX512F__
enum { LANES = 16 };
#else
enum { LANES = 8 };
#endif
typedef float floats __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef int ints __attribute__((vector_size(4 * LANES), aligned(4), may_alias));

static inline floats splat(float x) { return x - (floats){0}; }

/* ---- n-body ---- */

static inline floats inverse_root(floats x) {
#if defined __AVX512F__ && defined ROOF_RELAXED
  floats y = (floats)_mm512_rsqrt14_ps((__m512)x);
  return y * (1.5f - 0.5f * x * y * y);
#elif defined __AVX512F__
  return 1 / (floats)_mm512_sqrt_ps((__m512)x);
#elif defined __AVX2__ && defined ROOF_RELAXED
  floats y = (floats)_mm256_rsqrt_ps((__m256)x);
  return y * (1.5f - 0.5f * x * y * y);
#elif defined __AVX2__
  return 1 / (floats)_mm256_sqrt_ps((__m256)x);
#else
  for (int l = 0; l < LANES; l++) x[l] = 1 / sqrtf(x[l]);
  return x;
#endif
}

enum { SIDE = 2 }; /* vectors of bodies at once */

static inline floats component(const float (*body)[4], int c) {
  float each[LANES];
  for (int l = 0; l < LANES; l++) each[l] = body[l][c];
  return *(const floats *)each;
}

void NAME(nbody)(size_t n, void *const buffer[]) {
  const float(*body)[4] = buffer[0];
  float(*force)[4] = buffer[1];
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < n; i += LANES * SIDE) {
    floats at[SIDE][3], sum[SIDE][3] = {0};
    for (int s = 0; s < SIDE; s++)
      for (int c = 0; c < 3; c++) at[s][c] = component(&body[i + (size_t)s * LANES], c);
    for (size_t j = 0; j < n; j++)
#pragma GCC unroll 4
      for (int s = 0; s < SIDE; s++) {
        floats x = body[j][0] - at[s][0], y = body[j][1] - at[s][1], z = body[j][2] - at[s][2];
        floats r = inverse_root(x * x + y * y + z * z + 0.01f), pull = body[j][3] * (r * r * r);
        sum[s][0] += x * pull;
        sum[s][1] += y * pull;
        sum[s][2] += z * pull;
      }
    for (size_t l = 0; l < LANES * SIDE; l++)
      for (int c = 0; c < 4; c++) force[i + l][c] = c < 3 ? sum[l / LANES][c][l % LANES] : 0;
  }
}

/* ---- Black-Scholes ---- */

static inline float normal(float d) { return 0.5f * (1 + erff(d * 0.70710678f)); }

void NAME(blackscholes)(size_t n, void *const buffer[]) {
  const float *spot = buffer[0], *strike = buffer[1], *years = buffer[2];
  float *restrict call = buffer[3], *restrict put = buffer[4];
  const float rate = 0.02f, volatility = 0.3f;
#pragma omp parallel for simd schedule(static)
  for (size_t i = 0; i < n; i++) {
    float s = spot[i], k = strike[i], t = years[i], root = sqrtf(t);
    float d1 = (logf(s / k) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
    float d2 = d1 - volatility * root, discount = k * expf(-rate * t);
    call[i] = s * normal(d1) - discount * normal(d2);
    put[i] = discount * normal(-d2) - s * normal(-d1);
  }
}

/* ---- Mandelbrot ---- */

enum { WIDTH = 512, MOST = 256 };

static inline int none(ints mask) {
#ifdef __AVX512F__
  return _mm512_test_epi32_mask((__m512i)mask, (__m512i)mask) == 0;
#elif defined __AVX2__
  return _mm256_testz_si256((__m256i)mask, (__m256i)mask);
#else
  int any = 0;
  for (int l = 0; l < LANES; l++) any |= mask[l];
  return any == 0;
#endif
}

static inline void pixels(floats cx, float cy, int *out) {
  floats x = {0}, y = {0};
  ints steps = {0};
  for (int k = 0; k < MOST; k++) {
    floats xx = x * x, yy = y * y;
    ints inside = xx + yy <= 4;
    if (none(inside)) break;
    y = 2 * x * y + cy; /* lanes outside go on growing and stay outside */
    x = xx - yy + cx;
    steps -= inside;
  }
  memcpy(out, &steps, sizeof steps);
}

void NAME(mandelbrot)(size_t n, void *const buffer[]) {
  int *out = buffer[0];
  floats lane;
  for (int l = 0; l < LANES; l++) lane[l] = (float)l;
#pragma omp parallel for schedule(dynamic, 4)
  for (size_t row = 0; row < n / WIDTH; row++)
    for (int px = 0; px < WIDTH; px += LANES)
      pixels(-2 + ((float)px + lane) * 0.005859375f, -1 + (float)row * 0.0078125f,
             out + row * WIDTH + (size_t)px);
}

/* ---- matrix product ---- */

/* sums in half of the registers, the least that hides the latency of their multiplications */
enum { ORDER = 256, ROWS = LANES / 2, VECTORS = 2 };

static inline void block(const float *a, const float *b, float *c) {
  floats sum[ROWS][VECTORS] = {0};
  for (size_t k = 0; k < ORDER; k++) {
    floats y[VECTORS];
#pragma GCC unroll 2
    for (int v = 0; v < VECTORS; v++) y[v] = *(const floats *)(b + k * ORDER + v * LANES);
#pragma GCC unroll 8
    for (int r = 0; r < ROWS; r++)
#pragma GCC unroll 2
      for (int v = 0; v < VECTORS; v++) sum[r][v] += a[(size_t)r * ORDER + k] * y[v];
  }
#pragma GCC unroll 8
  for (int r = 0; r < ROWS; r++)
#pragma GCC unroll 2
    for (int v = 0; v < VECTORS; v++) *(floats *)(c + r * ORDER + v * LANES) = sum[r][v];
}

void NAME(matmul)(size_t n, void *const buffer[]) {
  const float *a = buffer[0], *b = buffer[1];
  float *c = buffer[2];
#pragma omp parallel for schedule(static)
  for (size_t row = 0; row < n; row += ROWS)
    for (size_t col = 0; col < n; col += VECTORS * LANES)
      block(a + row * ORDER, b + col, c + row * ORDER + col);
}
