/* What a kernel asks of an image: OpenCL C 3.0, section 6.15.15.5. */
#include "image.h"

#define QUERY(ACCESS, T, R, NAME, VALUE)                                                           \
  OVER R NAME(ACCESS T i) {                                                                        \
    desc d = __kiln_image(i);                                                                      \
    return VALUE;                                                                                  \
  }
#define QUERIES(T, R, NAME, VALUE)                                                                 \
  QUERY(read_only, T, R, NAME, VALUE) QUERY(write_only, T, R, NAME, VALUE)                         \
  QUERY(read_write, T, R, NAME, VALUE)

#define OF_ALL(T, D, A)                                                                            \
  QUERIES(T, int, get_image_width, (int)d->width)                                                  \
  QUERIES(T, int, get_image_channel_data_type, (int)d->type)                                       \
  QUERIES(T, int, get_image_channel_order, (int)d->order)
FOR_IMAGES(OF_ALL)

#define OF_AREA(T)                                                                                 \
  QUERIES(T, int, get_image_height, (int)d->height)                                                \
  QUERIES(T, int2, get_image_dim, (int2)((int)d->width, (int)d->height))
OF_AREA(image2d_t)
OF_AREA(image2d_array_t)
OF_AREA(image2d_depth_t)
OF_AREA(image2d_array_depth_t)

QUERIES(image3d_t, int, get_image_height, (int)d->height)
QUERIES(image3d_t, int, get_image_depth, (int)d->depth)
QUERIES(image3d_t, int4, get_image_dim, (int4)((int)d->width, (int)d->height, (int)d->depth, 0))

#define OF_ARRAY(T) QUERIES(T, size_t, get_image_array_size, d->array_size)
OF_ARRAY(image1d_array_t)
OF_ARRAY(image2d_array_t)
OF_ARRAY(image2d_array_depth_t)
