/* Declarations that clang 19's OpenCL headers lack. The front end includes
 * this text after the default header, for every program; each part is guarded
 * by the macro of what it belongs to. */
#ifndef __KILN_EXTRA_H
#define __KILN_EXTRA_H

#ifdef cl_khr_extended_async_copies
event_t __attribute__((overloadable, convergent))
async_work_group_copy_2D2D(__local void *dst, size_t dst_offset, const __global void *src, size_t src_offset,
                           size_t num_bytes_per_element, size_t num_elements_per_line, size_t num_lines,
                           size_t src_total_line_length, size_t dst_total_line_length, event_t event);
event_t __attribute__((overloadable, convergent))
async_work_group_copy_2D2D(__global void *dst, size_t dst_offset, const __local void *src, size_t src_offset,
                           size_t num_bytes_per_element, size_t num_elements_per_line, size_t num_lines,
                           size_t src_total_line_length, size_t dst_total_line_length, event_t event);
event_t __attribute__((overloadable, convergent))
async_work_group_copy_3D3D(__local void *dst, size_t dst_offset, const __global void *src, size_t src_offset,
                           size_t num_bytes_per_element, size_t num_elements_per_line, size_t num_lines,
                           size_t num_planes, size_t src_total_line_length, size_t src_total_plane_area,
                           size_t dst_total_line_length, size_t dst_total_plane_area, event_t event);
event_t __attribute__((overloadable, convergent))
async_work_group_copy_3D3D(__global void *dst, size_t dst_offset, const __local void *src, size_t src_offset,
                           size_t num_bytes_per_element, size_t num_elements_per_line, size_t num_lines,
                           size_t num_planes, size_t src_total_line_length, size_t src_total_plane_area,
                           size_t dst_total_line_length, size_t dst_total_plane_area, event_t event);
#endif

// cl_khr_work_group_uniform_arithmetic, which devices have but do not announce (base/features.h).
#ifdef __opencl_c_work_group_collective_functions
#define __KILN_COLLECTIVE(T, OP)                                                                                      \
  T __attribute__((overloadable, convergent)) work_group_reduce_##OP(T);                                              \
  T __attribute__((overloadable, convergent)) work_group_scan_inclusive_##OP(T);                                      \
  T __attribute__((overloadable, convergent)) work_group_scan_exclusive_##OP(T);
#define __KILN_COLLECTIVES(T)                                                                                         \
  __KILN_COLLECTIVE(T, mul) __KILN_COLLECTIVE(T, and) __KILN_COLLECTIVE(T, or) __KILN_COLLECTIVE(T, xor)
__KILN_COLLECTIVES(int)
__KILN_COLLECTIVES(uint)
__KILN_COLLECTIVES(long)
__KILN_COLLECTIVES(ulong)
__KILN_COLLECTIVE(float, mul)
#ifdef cl_khr_fp64
__KILN_COLLECTIVE(double, mul)
#endif
#ifdef cl_khr_fp16
__KILN_COLLECTIVE(half, mul)
#endif
__KILN_COLLECTIVE(int, logical_and)
__KILN_COLLECTIVE(int, logical_or)
__KILN_COLLECTIVE(int, logical_xor)
#undef __KILN_COLLECTIVES
#undef __KILN_COLLECTIVE
#endif

// cl_khr_async_work_group_copy_fence: as above.
void __attribute__((overloadable, convergent)) async_work_group_copy_fence(cl_mem_fence_flags flags);

#endif
