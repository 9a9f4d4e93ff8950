/* Image formats: which there are, and the element that a colour becomes. All of them work the same on every
 * device that supports images, as images are read and written by software. */
#ifndef KILN_CORE_IMAGE_FORMAT_H
#define KILN_CORE_IMAGE_FORMAT_H

#include "base/abi.h"
#include "base/ocl.h"

#include <stdbool.h>

/* Whether order and type are the specification's and may stand together. */
bool kiln_image_format_is_valid(const cl_image_format *format);

/* Whether images of this type and format can be used as flags say: CL_MEM_READ_WRITE (also when no access
 * flag is given), READ_ONLY, WRITE_ONLY or KERNEL_READ_AND_WRITE. */
bool kiln_image_format_is_supported(const cl_image_format *format, cl_mem_flags flags,
                                    cl_mem_object_type type);

/* Fills in at most capacity of the formats supported for flags and type; returns how many there are. formats
 * may be NULL if capacity is 0. */
uint32_t kiln_image_format_list(cl_mem_flags flags, cl_mem_object_type type, uint32_t capacity,
                                cl_image_format *formats);

/* The element (desc->element_size bytes, at most 16) of a colour as clEnqueueFillImage takes it: int32 or
 * uint32 components for unnormalized integers, else float ones, R, G, B and A, but of depth images R alone.
 * Components that the format lacks are not read. */
void kiln_image_format_pack(const struct kiln_image_desc *desc, const void *color, uint8_t *element);

#endif
