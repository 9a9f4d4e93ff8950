/* Async copies and prefetch: OpenCL C 3.0, section 6.15.11,
 * cl_khr_extended_async_copies and cl_khr_async_work_group_copy_fence.
 *
 * All work-items of the group copy, each every n-th element, so neighbours
 * move neighbours; the barrier in wait_group_events ends every copy begun
 * before it, so one event stands for all and no event operand is ever read:
 * it may be uninitialised. */
#include "kiln.h"

OVER uint get_work_dim(void);
OVER size_t get_local_size(uint);
OVER size_t get_local_linear_id(void);
OVER __attribute__((convergent)) void barrier(cl_mem_fence_flags);

INLINE size_t group_items(void) {
  return get_local_size(0) * get_local_size(1) * get_local_size(2);
}

/* T is what the caller names, M what is moved: all four components of a vector of three. */
#define COPY(T, M, DST, SRC)                                                                       \
  OVER event_t async_work_group_copy(DST T *dst, const SRC T *src, size_t n, event_t event) {      \
    size_t step = group_items();                                                                   \
    for (size_t i = get_local_linear_id(); i < n; i += step)                                       \
      ((DST M *)dst)[i] = ((const SRC M *)src)[i];                                                 \
    return 0;                                                                                      \
  }
#define COPY_BOTH(T, M) COPY(T, M, __local, __global) COPY(T, M, __global, __local)

/* Gathers into local memory, scatters out of it; the stride counts elements. */
#define COPY_STRIDED(T, M)                                                                         \
  OVER event_t async_work_group_strided_copy(__local T *dst, const __global T *src, size_t n,      \
                                             size_t stride, event_t event) {                       \
    size_t step = group_items();                                                                   \
    for (size_t i = get_local_linear_id(); i < n; i += step)                                       \
      ((__local M *)dst)[i] = ((const __global M *)src)[i * stride];                               \
    return 0;                                                                                      \
  }                                                                                                \
  OVER event_t async_work_group_strided_copy(__global T *dst, const __local T *src, size_t n,      \
                                             size_t stride, event_t event) {                       \
    size_t step = group_items();                                                                   \
    for (size_t i = get_local_linear_id(); i < n; i += step)                                       \
      ((__global M *)dst)[i * stride] = ((const __local M *)src)[i];                               \
    return 0;                                                                                      \
  }

/* A hint that no processor of ours needs. */
#define PREFETCH(T) OVER void prefetch(const __global T *p, size_t n) {}

#define ASYNC(T, M) COPY_BOTH(T, M) COPY_STRIDED(T, M) PREFETCH(T)
#define ASYNC_ALL(T)                                                                               \
  ASYNC(T, T) ASYNC(T##2, T##2) ASYNC(T##3, T##4) ASYNC(T##4, T##4) ASYNC(T##8, T##8)              \
  ASYNC(T##16, T##16)
FOR_SCALARS(ASYNC_ALL)

OVER void wait_group_events(int n, __private event_t *events) {
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}
OVER void wait_group_events(int n, __generic event_t *events) {
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

/* What one item moved another may move on. */
OVER void async_work_group_copy_fence(cl_mem_fence_flags flags) { barrier(flags); }

/* Element sizes are a run-time argument here. Whole words when everything is a
 * multiple of four bytes, which is one uniform test. */
#define COPY_ROWS(DST, SRC, NAME)                                                                  \
  INLINE void NAME(DST uchar *d, const SRC uchar *s, size_t row, size_t lines, size_t planes,      \
                   size_t src_line, size_t src_plane, size_t dst_line, size_t dst_plane) {         \
    size_t bits = row | src_line | src_plane | dst_line | dst_plane | (size_t)d | (size_t)s;       \
    size_t unit = bits & 3 ? 1 : 4, units = row / unit;                                            \
    size_t n = units * lines * planes, step = group_items();                                       \
    for (size_t i = get_local_linear_id(); i < n; i += step) {                                     \
      size_t x = i % units * unit, y = i / units % lines, z = i / units / lines;                   \
      DST uchar *to = d + (z * dst_plane + y * dst_line + x);                                      \
      const SRC uchar *from = s + (z * src_plane + y * src_line + x);                              \
      if (unit == 4) *(DST uint *)to = *(const SRC uint *)from;                                    \
      else *to = *from;                                                                            \
    }                                                                                              \
  }
COPY_ROWS(__local, __global, copy_rows_in)
COPY_ROWS(__global, __local, copy_rows_out)

#define COPY_2D3D(DST, SRC, ROWS)                                                                  \
  OVER event_t async_work_group_copy_2D2D(DST void *dst, size_t dst_offset, const SRC void *src,   \
                                          size_t src_offset, size_t element, size_t per_line,      \
                                          size_t lines, size_t src_line, size_t dst_line,          \
                                          event_t event) {                                         \
    ROWS((DST uchar *)dst + dst_offset * element, (const SRC uchar *)src + src_offset * element,   \
         per_line * element, lines, 1, src_line * element, 0, dst_line * element, 0);              \
    return 0;                                                                                      \
  }                                                                                                \
  OVER event_t async_work_group_copy_3D3D(                                                         \
      DST void *dst, size_t dst_offset, const SRC void *src, size_t src_offset, size_t element,    \
      size_t per_line, size_t lines, size_t planes, size_t src_line, size_t src_plane,             \
      size_t dst_line, size_t dst_plane, event_t event) {                                          \
    ROWS((DST uchar *)dst + dst_offset * element, (const SRC uchar *)src + src_offset * element,   \
         per_line * element, lines, planes, src_line * element, src_plane * element,               \
         dst_line * element, dst_plane * element);                                                 \
    return 0;                                                                                      \
  }
COPY_2D3D(__local, __global, copy_rows_in)
COPY_2D3D(__global, __local, copy_rows_out)
