/* What an image is to be, as the constructors and the query of requirements check it. */
#ifndef KILN_API_IMAGE_CHECK_H
#define KILN_API_IMAGE_CHECK_H

#include "core/image.h"

struct kiln_image_call {
  kiln_context *context; /* checked */
  struct kiln_mem_desc mem;
  const cl_image_format *format;
  const cl_image_desc *desc;
  struct kiln_image_layout layout; /* what the checks make of desc */
  cl_int bad_size, bad_pitch,
      bad_multiple;   /* errors: dimensions; pitches, and those no multiple of something */
  size_t least_depth; /* of 3D images */
  bool has_bytes;     /* host_ptr or another object, so that there may be pitches */
  const char *where;
};

/* In the order in which they depend on each other. */
cl_int kiln_image_check_support(const struct kiln_image_call *c); /* CL_INVALID_OPERATION */
cl_int kiln_image_check_format(const struct kiln_image_call *c);  /* CL_INVALID_IMAGE_FORMAT_DESCRIPTOR */
cl_int kiln_image_check_type(const struct kiln_image_call *c);    /* CL_INVALID_IMAGE_DESCRIPTOR */
/* Sets the layout's dimensions; those that the type does not have are 1. */
cl_int kiln_image_check_size(struct kiln_image_call *c);
/* CL_IMAGE_FORMAT_NOT_SUPPORTED; sets the layout's format and size of elements. */
cl_int kiln_image_check_supported(struct kiln_image_call *c);
/* Completes the layout and sets mem.size. */
cl_int kiln_image_check_pitches(struct kiln_image_call *c);

/* The largest limits and alignments of any device in context. */
struct kiln_image_caps kiln_image_limits(const kiln_context *context);

#endif
