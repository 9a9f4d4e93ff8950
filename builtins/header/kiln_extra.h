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

#endif
