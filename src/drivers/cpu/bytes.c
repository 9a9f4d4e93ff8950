/* Owns the loops that copy and fill. Knows nothing of work and its division. */
#include "drivers/cpu/bytes.h"

#include <emmintrin.h>
#include <string.h>

enum { LINE = 64, STREAM_LEAST = 4096, BLOCK = 4096, PATTERN_MOST = 128, AHEAD = 1024 };

static size_t to_line(const uint8_t *p) { return -(uintptr_t)p & (LINE - 1); }

/* ---- copy ---- */

/* dst lies on a line; size is a multiple of one. */
static void stream_lines(uint8_t *dst, const uint8_t *src, size_t size) {
  for (size_t i = 0; i < size; i += LINE) {
    _mm_prefetch((const char *)src + i + AHEAD, _MM_HINT_T0);
    __m128i a = _mm_loadu_si128((const void *)(src + i)), b = _mm_loadu_si128((const void *)(src + i + 16));
    __m128i c = _mm_loadu_si128((const void *)(src + i + 32)),
            d = _mm_loadu_si128((const void *)(src + i + 48));
    _mm_stream_si128((void *)(dst + i), a);
    _mm_stream_si128((void *)(dst + i + 16), b);
    _mm_stream_si128((void *)(dst + i + 32), c);
    _mm_stream_si128((void *)(dst + i + 48), d);
  }
  _mm_sfence(); /* streamed bytes are ordered before what tells others of them */
}

void kiln_bytes_copy(uint8_t *dst, const uint8_t *src, size_t size, bool stream) {
  if (!stream || size < STREAM_LEAST) {
    memcpy(dst, src, size);
    return;
  }
  size_t head = to_line(dst), lines = (size - head) & ~(size_t)(LINE - 1);
  memcpy(dst, src, head);
  stream_lines(dst + head, src + head, lines);
  memcpy(dst + head + lines, src + head + lines, size - head - lines);
}

/* ---- fill ---- */

/* Each round doubles what is there, up to a block that stays in the nearest cache. */
static void fill_cached(uint8_t *dst, size_t size, const uint8_t *pattern, size_t pattern_size) {
  if (pattern_size == 1) {
    memset(dst, pattern[0], size);
    return;
  }
  uint8_t block[BLOCK];
  size_t filled = pattern_size;
  memcpy(block, pattern, pattern_size);
  for (; filled * 2 <= sizeof block && filled < size; filled *= 2) memcpy(block + filled, block, filled);
  for (; size > filled; size -= filled, dst += filled) memcpy(dst, block, filled);
  memcpy(dst, block, size);
}

/* dst lies on a line; size is a multiple of PATTERN_MOST; block holds as much of the pattern. */
static void fill_streamed(uint8_t *dst, size_t size, const uint8_t block[PATTERN_MOST]) {
  __m128i part[PATTERN_MOST / 16];
  for (int i = 0; i < PATTERN_MOST / 16; i++) part[i] = _mm_loadu_si128((const void *)(block + 16 * i));
  for (size_t at = 0; at < size; at += PATTERN_MOST)
    for (int i = 0; i < PATTERN_MOST / 16; i++)
      _mm_stream_si128((void *)(dst + at + (size_t)(16 * i)), part[i]);
  _mm_sfence();
}

void kiln_bytes_fill(uint8_t *dst, size_t size, const uint8_t *pattern, size_t pattern_size, bool stream) {
  if (!stream || size < STREAM_LEAST) {
    fill_cached(dst, size, pattern, pattern_size);
    return;
  }
  uint8_t block[PATTERN_MOST];
  size_t head = to_line(dst), middle = (size - head) & ~(size_t)(PATTERN_MOST - 1);
  for (size_t i = 0; i < head; i++) dst[i] = pattern[i % pattern_size];
  for (size_t i = 0; i < PATTERN_MOST; i++) block[i] = pattern[(head + i) % pattern_size];
  fill_streamed(dst + head, middle, block);
  for (size_t i = head + middle; i < size; i++) dst[i] = pattern[i % pattern_size];
}
